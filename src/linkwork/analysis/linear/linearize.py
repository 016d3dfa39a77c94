"""Linearisation of a mechanism at a state, in states of the user's choice: words in, a Linear model out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, vstack

from linkwork.analysis.linear.inputs import Change, change_by_effort, change_by_input, change_by_parameter
from linkwork.analysis.linear.measures import Gradients, measure_outputs, measure_speeds, measure_states
from linkwork.analysis.linear.model import Linear
from linkwork.analysis.linear.notes import note_switches, note_time
from linkwork.analysis.linear.selection import Selection, select_states
from linkwork.analysis.linear.sensitivity import Basis, find_point, solve_sensitivities
from linkwork.analysis.linear.words import as_list, read_all
from linkwork.analysis.statics.moving import check_moves
from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.equations.words import Vocabulary, Wording, coordinate, speed
from linkwork.errors import InputError, Problem, SolveError
from linkwork.model import Lagrangian, Mechanism, Scalar, rate
from linkwork.model.bodies import say_hidden
from linkwork.model.opaque import find_calls
from linkwork.model.signals import integral_name
from linkwork.native.numbers import compute_matrices
from linkwork.native.tangents import Point, compute_tangents
from linkwork.solve.mode import Mode
from linkwork.symbolic import free_symbols


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user asks for, read and checked; inputs that are names of parameters stay names."""

    states: list[Wording]
    speeds: list[Wording]
    inputs: list[Wording | str]
    outputs: list[Wording]


def linearize(
    model: Mechanism | Lagrangian,
    mode: Mode,
    *,
    states: Iterable[Scalar] = (),
    speeds: Iterable[Scalar] = (),
    inputs: Iterable[Scalar] = (),
    outputs: Iterable[Scalar] = (),
    where: str = "",
) -> Linear:
    """The linear model with what holds at a consistent state."""
    wanted = read_wanted(model, mode.system, states, speeds, inputs, outputs, mode.turns)
    task = Task(model, mode, wanted)
    linear = task.linear(where)
    other = task.steadier(linear.balanced)
    steady = linear if other is None else other.linear(where)
    return steady if steady.balanced else linear


def read_wanted(
    model: Mechanism | Lagrangian,
    system: System,
    states: Iterable[Scalar],
    speeds: Iterable[Scalar],
    inputs: Iterable[Scalar],
    outputs: Iterable[Scalar],
    turned: Mapping[str, Floats] = {},
) -> Wanted:
    """Words into expressions, where angles have made so many turns; raises InputError with all problems."""
    words = Vocabulary(model, system, turned=turned)
    problems: list[Problem] = []
    given = as_list("input", inputs)
    parameters = [x for x in given if isinstance(x, str) and x.strip() in {*model.parameters, *system.inputs}]
    efforts = [x for x in given if x not in parameters]
    # first-order states are states by themselves
    own = [x for x in as_list("state", states) if str(x).strip() not in system.states]
    others = [x for x in as_list("speed", speeds) if str(x).strip() not in system.states]
    found = {
        "state": read_all(words, "state", own, problems),
        "speed": read_all(words, "speed", others, problems),
        "input": read_all(words, "input", efforts, problems),
        "output": read_all(words, "output", as_list("output", outputs), problems),
    }
    for kind in ("state", "speed", "input"):
        problems += [p for w in found[kind] if (p := _check_kind(kind, w, system)) is not None]
    setters = {name: one.name for one in model.controllers for name in one.held}
    for name in (x.strip() for x in parameters if x.strip() in setters):
        remedy = "Give a parameter of the controller, or a quantity to push"
        problems.append(Problem(part=f"input '{name}'", what=f"controller '{setters[name]}' sets it", remedy=remedy))
    problems += [p for kind, wordings in found.items() for w in wordings if (p := _check_calls(kind, w)) is not None]
    if problems:
        raise InputError(problems)
    read = iter(found["input"])
    mixed: list[Wording | str] = [str(x).strip() if x in parameters else next(read) for x in given]
    return Wanted(states=found["state"], speeds=found["speed"], inputs=mixed, outputs=found["output"])


# what each kind of wish may not contain, must contain, and what to do
ALLOWED = {
    "state": (("speed", "acceleration", "multiplier"), "coordinate", "The rates of states are states by themselves"),
    "speed": (("acceleration", "multiplier"), "speed", "A speed is an expression of positions and speeds"),
    "input": (("speed", "acceleration", "multiplier"), "coordinate", "A force works along the rate of its quantity"),
}


def _check_calls(kind: str, w: Wording) -> Problem | None:
    """What opaque functions give is seen through in forces only."""
    calls = find_calls(free_symbols(w.expr))
    if not calls:
        return None
    what = f"it calls '{calls[0].function.name}', whose slopes are not known there"
    return Problem(part=f"{kind} '{w.name}'", what=what, remedy="Name what it depends on")


def _check_kind(kind: str, w: Wording, system: System) -> Problem | None:
    """States and directions of forces are made of positions, speeds of speeds."""
    forbidden, needed, remedy = ALLOWED[kind]
    kinds = {str(s.kind): s.name for s in free_symbols(w.expr)}
    part, wrong = f"{kind} '{w.name}'", next((kinds[k] for k in forbidden if k in kinds), None)
    states = {f"{integral_name(name)}{prime}": name for name in system.states for prime in ("", "'", "''")}
    if wrong in states:
        wrong = f"the state {states[wrong]}"
    if wrong is not None:
        return Problem(part=part, what=f"it contains {wrong}", remedy=f"{remedy}. Give an expression without it")
    if needed not in kinds:
        what = f"it does not depend on any {'position' if needed == 'coordinate' else needed}"
        return Problem(part=part, what=what, remedy="Name something that moves")
    return None


STEADY = 1e-11  # of the quickest acceleration in the mechanism: less is none
LATER, SAME = 1e-2, 1e-4  # of the shortest time: a moment; of a matrix: less is no change
UNSTEADY = 1e3  # by how much sooner a coordinate that accelerates is taken for dependent


class Task:
    """One linearisation in progress."""

    def __init__(
        self,
        model: Mechanism | Lagrangian,
        mode: Mode,
        wanted: Wanted,
        before: Task | None = None,
        still: bool = False,
    ) -> None:
        self.system = system = mode.system
        self.model, self.mode, self.wanted, self.before = model, mode, wanted, before
        self.still = still or bool(mode.notes)  # whether it makes sense where nothing can move
        self.notes: list[str] = [*mode.notes]
        t, q, u = mode.t, mode.q, mode.u[: system.n]
        at = Point(t=t, q=q, u=u, a=np.zeros(system.n), lam=np.zeros(system.m))
        G = compute_matrices(system, at.q, at.t)[1].tocsr()
        self._select_states(G, at)
        self._select_speeds(G, at)
        self._check_motion(at)
        self.at, self.matrix = find_point(system, t, q, u, self.rows1)
        self.tangents = compute_tangents(system, self.at)

    # -- states -----------------------------------------------------------------------------------------------------

    def _select_states(self, G: csr_array, at: Point) -> None:
        """Independent positions among the wanted states and the coordinates."""
        system, given = self.system, self.wanted.states
        s_q = measure_states(system, given, at, self.model.values).by["s_q"]
        _check_smooth("state", given, s_q)
        first = self._holding
        held = vstack([G[first], system.held], format="csr")
        also, s_also = self._natural(at)
        found = select_states(held, vstack([s_q, s_also], format="csr"), self._pivots, len(given) if also else None)
        named, s_named = self._say_hidden(found, at)
        if named:
            also, s_also = [*also, *named], vstack([s_also, s_named], format="csr")
            found = select_states(held, vstack([s_q, s_also], format="csr"), self._pivots, len(given))
        self.rows0 = first[found.rows[found.rows < len(first)]]
        self._check_chosen("state", held, s_q, found)
        kept = [[*given, *also][i] for i in found.kept]
        self.S = kept + [Wording(system.coordinates[j], coordinate(system.coordinates[j])) for j in found.coordinates]
        names = [w.name for w in self.S if w not in given]
        if given and names:
            self.notes.append(f"fewer states than degrees of freedom: completed with {', '.join(names)}")
        if not self.S and not system.states and not self.still:
            raise SolveError("nothing can move here: there is no degree of freedom to linearise")

    @property
    def _holding(self) -> Ints:
        """The constraints that leave fewer positions: what sticks stays in its place as long as nothing else moves."""
        rows = np.flatnonzero(self.system.holonomic)
        stuck = self.mode.stuck
        return np.sort(np.concatenate([rows, stuck])) if len(stuck) and self.mode.still else rows

    def steadier(self, balanced: bool) -> Task | None:
        """The same in states in which a motion may be steady that is not in these: points of a wheel never are."""
        if balanced or isinstance(self.model, Lagrangian) or not np.any(self.at.u[self.system.mechanical]):
            return None
        other = Task(self.model, self.mode, self.wanted, before=self)
        return other if other._is_steady else None

    def changes(self, linear: Linear) -> bool:
        """Whether a moment later, on the way, the matrix is another one."""
        at, n, scales = self.at, self.system.n, self.system.scales
        rates = np.abs(np.linalg.eigvals(linear.A)), np.abs(at.u[:n]) / scales, np.sqrt(np.abs(at.a[:n]) / scales)
        quickest = max(float(np.max(each, initial=0.0)) for each in rates)
        if not quickest > 0.0:
            return False
        h, q, u = LATER / quickest, at.q.copy(), at.u.copy()
        q[:n] += h * at.u[:n] + h**2 / 2 * at.a[:n]
        u[:n] += h * at.a[:n]
        try:
            A = self._later(at.t + h, q, u).linear("").A
        except SolveError:
            return True  # where no model follows, this one does not last
        weight = linear.sizes[None, :] / linear.sizes[:, None]
        return bool(np.max(np.abs(A - linear.A) * weight) > SAME * np.max(np.abs(linear.A) * weight))

    def _later(self, t: float, q: Floats, u: Floats) -> Task:
        """The same states at another place, without inputs and outputs."""
        other = copy(self)
        other.wanted = replace(self.wanted, inputs=[], outputs=[])
        other.at, other.matrix = find_point(self.system, t, q, u, self.rows1)
        other.tangents = compute_tangents(self.system, other.at)
        return other

    @property
    def _is_steady(self) -> bool:
        """Whether no speed changes at the moment."""
        W = measure_speeds(self.system, self.W, self.at, self.model.values)
        quickest = float(np.max(np.abs(self.at.a / self.system.scales), initial=0.0))
        return bool(np.all(np.abs(W.values["w1"]) <= STEADY * (1.0 + quickest) * sizes_of(W.by["w_u"], self.system)))

    @property
    def _pivots(self) -> Floats:
        """How soon coordinates are taken for dependent: those first that accelerated in other states."""
        scales = self.system.scales
        if self.before is None:
            return scales
        a = np.abs(self.before.at.a / scales)
        return np.asarray(np.where(a > STEADY * (1.0 + np.max(a, initial=0.0)), UNSTEADY, 1.0) * scales)

    def _natural(self, at: Point) -> tuple[list[Wording], csr_array]:
        """States that people would choose, where coordinates are no good: variables of the file and angles."""
        if self.before is None or not isinstance(self.model, Mechanism):
            return [], csr_array((0, self.system.n))
        words = Vocabulary(self.model, self.system)
        read = [words.read("state", name) for name in (*self.model.variables, *words.angles)]
        good = [w for w in read if _check_kind("state", w, self.system) is None]
        s_q = measure_states(self.system, good, at, self.model.values).by["s_q"]
        smooth = [i for i in range(len(good)) if np.isfinite(s_q[[i]].data).all()]
        return [good[i] for i in smooth], s_q[smooth]

    def _say_hidden(self, found: Selection, at: Point) -> tuple[list[Wording], csr_array]:
        """Components of axes in the place of coordinates of points that nobody has named."""
        chosen = [self.system.coordinates[j] for j in found.coordinates]
        names = [name for x in chosen if (name := say_hidden(x)) != x]
        if not names or not isinstance(self.model, Mechanism):
            return [], csr_array((0, self.system.n))
        words = Vocabulary(self.model, self.system)
        read = [words.read("state", name) for name in names]
        return read, measure_states(self.system, read, at, self.model.values).by["s_q"]

    def _select_speeds(self, G: csr_array, at: Point) -> None:
        """Independent speeds among those wanted and the rates of the states; behind them the first-order states."""
        system, given = self.system, self.wanted.speeds
        rates = [Wording(w.rate_name, rate(w.expr)) for w in self.S]
        own = [Wording(name, speed(integral_name(name))) for name in system.states]
        candidates = [*given, *own, *rates]
        w_u = measure_speeds(system, candidates, at, self.model.values).by["w_u"]
        _check_smooth("speed", candidates, w_u)
        found = select_states(G, w_u, system.scales, first=len(given) + len(own) if given else None)
        self.rows1 = found.rows
        if given:
            self._check_chosen("speed", G, w_u[: len(given)], found)
        kept = [candidates[i] for i in found.kept]
        self.first_order = [w for w in kept if w in own]
        self.W = [w for w in kept if w not in own] + self.first_order
        lost = [w.name for w, r in zip(self.S, rates, strict=True) if r not in self.W] if not given else []
        felt = {owner.name for owner in system.rows_of("rate")}  # states that positions feel
        lost = [name for name in lost if name not in felt]
        if lost:
            names = ", ".join(lost)
            self.notes.append(f"constraints of velocities determine the rates of {names}: they are no states")
        redundant = system.m - len(self.rows1)
        if redundant:
            left = sorted(set(range(system.m)) - set(self.rows1.tolist()))
            names = ", ".join(system.rows[i].name for i in left[:5])
            self.notes.append(f"redundant constraints left out: {names}" + (" ..." if redundant > 5 else ""))

    def _check_motion(self, at: Point) -> None:
        """Where constraints lose rank for a moment, what is free at the instant is no freedom of motion."""
        if len(self.rows1) == self.system.m:
            return
        freedom, motion = check_moves(self.system, at.q, at.t, at.u)
        if motion is not None and motion < freedom:
            told = f"{freedom} degrees of freedom at this instant, {motion} of motion"
            remedy = "Linearise a little away from it, for instance at a later time"
            raise SolveError(f"this is a singular position, where ways of moving meet: {told}. {remedy}")

    def _check_chosen(self, kind: str, G: csr_array, gradients: csr_array, found: Selection) -> None:
        """A wish that is dropped beside others is surplus; one that would be dropped alone is none at all."""
        given, system = (self.wanted.states if kind == "state" else self.wanted.speeds), self.system
        dropped = [i for i in range(len(given)) if i not in found.kept]
        hopeless = [i for i in dropped if not select_states(G, gradients[[i]], system.scales).kept]
        if hopeless:
            free = [j for j in select_states(G, gradients[[]], system.scales).coordinates if system.mechanical[j]]
            mark = "" if kind == "state" else "'"
            names = ", ".join(system.coordinates[j] + mark for j in free[:6])
            remedy = f"Choose others, for instance {names}" if names else "Nothing can move here"
            what = "it does not change with the motion at this point"
            raise InputError([Problem(part=f"{kind} '{given[i].name}'", what=what, remedy=remedy) for i in hopeless])
        if dropped:
            names = ", ".join(given[i].name for i in dropped)
            self.notes.append(f"more {kind}s than degrees of freedom: dropped {names}, which depend on the others")

    def names(self) -> dict[str, tuple[str, ...]]:
        """What the states, speeds and first-order states are called."""
        speeds = [w for w in self.W if w not in self.first_order]
        groups = {"states": self.S, "speeds": speeds, "first_order": self.first_order}
        return {group: tuple(w.name for w in wordings) for group, wordings in groups.items()}

    # -- matrices ------------------------------------------------------------------------------------------------------

    def _changes(self) -> list[Change]:
        changes = []
        for x in self.wanted.inputs:
            if isinstance(x, str):
                change = (
                    change_by_input(self.system, x, self.tangents, self.at)
                    if x in self.system.inputs
                    else change_by_parameter(self.model, self.system, x, self.at, self.tangents)
                )
                if np.any(change.g) or np.any(change.g1):
                    self.notes.append(f"input {x} moves a constraint: the model holds for slow changes of it")
                if isinstance(self.model, Mechanism) and any(change.parameters.get(p) for p in self.model.held):
                    told = "a controller differentiates input {}: the model holds for slow changes, or give it a filter"
                    self.notes.append(told.format(x))
            else:
                change = change_by_effort(self.system, x, self.at, self.model.values)
            changes.append(change)
        return changes

    def _direct(self, changes: Sequence[Change]) -> Floats:
        """The change of each parameter and input of the model with each input.   (parameters + inputs, inputs)"""
        names = [*self.model.values, *self.system.inputs]
        rates = [c.parameters.get(p, 0.0) for p in names for c in changes]
        return np.array(rates, dtype=np.float64).reshape(len(names), len(changes))

    def _by_values(self, by_p: csr_array) -> csr_array:
        """Columns of what depends on algebraic values, which are inputs behind all others."""
        return by_p[:, by_p.shape[1] - len(self.system.algebra) :]

    def _is_idle(self, change: Change, b: Floats) -> bool:
        """Whether an input moves no state, beside what its forces would do to free masses."""
        mass = float(self.matrix.M.diagonal().max(initial=0.0)) or 1.0
        return change.idle or float(np.max(np.abs(b))) <= 1e-13 * float(np.max(np.abs(change.r), initial=0.0)) / mass

    def basis(self, S: Gradients, W: Gradients, changes: Sequence[Change]) -> Basis:
        direct = self._direct(changes)
        return Basis(
            s_q=S.by["s_q"], s1_q=S.by["s1_q"], w_q=W.by["w_q"], w_u=W.by["w_u"], w1_q=W.by["w1_q"],
            w1_u=W.by["w1_u"], rows0=self.rows0, rows1=self.rows1, s_w=S.by["s_p"] @ direct,
            s1_w=S.by["s1_p"] @ direct, w_w=W.by["w_p"] @ direct, w1_w=W.by["w1_p"] @ direct,
        )  # fmt: skip

    def linear(self, where: str) -> Linear:
        """Solve for all sensitivities and put the model together."""
        system, at, values = self.system, self.at, self.model.values
        S = measure_states(system, self.S, at, values)
        W = measure_speeds(system, self.W, at, values)
        changes = self._changes()
        x = solve_sensitivities(system, self.matrix, self.tangents, self.basis(S, W, changes), changes)
        z0, z1 = len(self.S), len(self.W) - len(self.first_order)
        z = z0 + len(self.W)
        AB = np.vstack([x.S1, x.W1])
        if not np.isfinite(AB).all():
            raise SolveError("the linear model is not finite at this point")
        outputs = self.wanted.outputs or [*self.S, *self.first_order]
        Y = measure_outputs(system, outputs, at, values)
        CD = Y.by["y_q"] @ x.q + Y.by["y_u"] @ x.u + Y.by["y_a"] @ x.a + Y.by["y_l"] @ x.lam
        CD[:, z:] += Y.by["y_p"] @ self._direct(changes)
        CD += self._by_values(Y.by["y_p"]) @ x.values
        u_W = np.where(system.mechanical[:, None], x.u[:, z0 : z0 + z1], 0.0)  # states have no inertia
        mass = u_W.T @ (self.matrix.M @ u_W)
        self.take_notes(changes, AB[:, z:])
        return Linear(
            title=self.model.title, system=system, at=at, where=where,
            **self.names(),
            inputs=tuple(c.name for c in changes), outputs=tuple(w.name for w in outputs),
            A=AB[:, :z], B=AB[:, z:], C=CD[:, :z], D=CD[:, z:], mass=(mass + mass.T) / 2,
            values=np.concatenate([S.values["s"], W.values["w"]]),
            rates=np.concatenate([S.values["s1"], W.values["w1"]]),
            sizes=np.concatenate([sizes_of(S.by["s_q"], system), sizes_of(W.by["w_u"], system)]), y=Y.values["y"],
            positions=x.q[:, :z], velocities=x.u[:, :z], noted=tuple(self.notes), is_frozen=self.changes,
        )  # fmt: skip

    def take_notes(self, changes: Sequence[Change], B: Floats) -> None:
        """What the user should know of time, of corners, of states that are not his own, and of inputs."""
        self.notes += [*note_time(self.system, self.at.t), *note_switches(self.system, self.at)]
        own = {given.name for given in self.wanted.states}
        others = ", ".join([w.name for w in self.S if w.name not in own][:6])
        if others and np.any(self.at.u[self.system.mechanical]) and isinstance(self.model, Mechanism):
            self.notes.append(f"it moves here: eigenvalues depend on the states, of which {others} were chosen for you")
        held = {name for one in self.model.controllers for name in one.held}
        for change, b in zip(changes, B.T, strict=True):
            if change.name not in held and self._is_idle(change, b):
                self.notes.append(f"input {change.name} does nothing here")


def _check_smooth(kind: str, wordings: Sequence[Wording], gradients: csr_array) -> None:
    """Gradients must be finite."""
    if not np.isfinite(gradients.data).all():
        bad = [w.name for i, w in enumerate(wordings) if not np.isfinite(gradients[[i]].data).all()]
        raise InputError([Problem(part=f"{kind} '{name}'", what="it is not smooth at this point") for name in bad])


def sizes_of(gradients: csr_array, system: System) -> Floats:
    """How much each changes when the coordinates change by their scales."""
    squares = np.asarray(gradients.multiply(gradients) @ system.scales**2, dtype=np.float64)
    return np.sqrt(squares).ravel()
