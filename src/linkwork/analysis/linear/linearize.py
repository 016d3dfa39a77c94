"""Linearisation of a mechanism at a state, in states of the user's choice: words in, a Linear model out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from linkwork.analysis.linear.inputs import Change, change_by_effort, change_by_parameter
from linkwork.analysis.linear.measures import Gradients, measure_outputs, measure_states
from linkwork.analysis.linear.model import Linear
from linkwork.analysis.linear.selection import Selection, select_states
from linkwork.analysis.linear.sensitivity import Basis, find_point, solve_sensitivities
from linkwork.analysis.linear.words import Vocabulary, Wording, as_list, coordinate, read_all
from linkwork.equations import System
from linkwork.errors import InputError, Problem, SolveError
from linkwork.model import Lagrangian, Mechanism, Scalar
from linkwork.native.numbers import compute_matrices, is_driven
from linkwork.native.tangents import Point, compute_tangents
from linkwork.symbolic import free_symbols

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user asks for, read and checked; inputs that are names of parameters stay names."""

    states: list[Wording]
    inputs: list[Wording | str]
    outputs: list[Wording]


def linearize(
    model: Mechanism | Lagrangian,
    system: System,
    t: float,
    q: Floats,
    u: Floats,
    *,
    states: Iterable[Scalar] = (),
    inputs: Iterable[Scalar] = (),
    outputs: Iterable[Scalar] = (),
    where: str = "",
) -> Linear:
    """The linear model at a consistent state."""
    wanted = read_wanted(model, system, states, inputs, outputs)
    task = _Task(model, system, wanted, t, q, u)
    return task.linear(where)


def read_wanted(
    model: Mechanism | Lagrangian,
    system: System,
    states: Iterable[Scalar],
    inputs: Iterable[Scalar],
    outputs: Iterable[Scalar],
) -> Wanted:
    """Words into expressions; raises InputError with all problems."""
    words = Vocabulary(model, system)
    problems: list[Problem] = []
    given = as_list("input", inputs)
    parameters = [x for x in given if isinstance(x, str) and x.strip() in model.parameters]
    efforts = [x for x in given if x not in parameters]
    found = {
        "state": read_all(words, "state", as_list("state", states), problems),
        "input": read_all(words, "input", efforts, problems),
        "output": read_all(words, "output", as_list("output", outputs), problems),
    }
    for kind in ("state", "input"):
        problems += [p for w in found[kind] if (p := _check_position(kind, w)) is not None]
    if problems:
        raise InputError(problems)
    read = iter(found["input"])
    mixed: list[Wording | str] = [str(x).strip() if x in parameters else next(read) for x in given]
    return Wanted(states=found["state"], inputs=mixed, outputs=found["output"])


def _check_position(kind: str, w: Wording) -> Problem | None:
    """States and directions of forces are made of positions."""
    kinds = {str(s.kind): s.name for s in free_symbols(w.expr)}
    moving = kinds.get("speed") or kinds.get("acceleration") or kinds.get("multiplier")
    part = f"{kind} '{w.name}'"
    if moving is not None:
        remedy = "The rates of states are states by themselves" if kind == "state" else "A force works along its rate"
        return Problem(part=part, what=f"it contains {moving}", remedy=f"Give an expression of positions. {remedy}")
    if "coordinate" not in kinds:
        return Problem(part=part, what="it does not depend on any position", remedy="Name something that moves")
    return None


class _Task:
    """One linearisation in progress."""

    def __init__(
        self, model: Mechanism | Lagrangian, system: System, wanted: Wanted, t: float, q: Floats, u: Floats
    ) -> None:
        self.model, self.system, self.wanted = model, system, wanted
        self.notes: list[str] = []
        at = Point(t=t, q=q, u=u, a=np.zeros(system.n), lam=np.zeros(system.m))
        self._select(at)
        self.at, self.matrix = find_point(system, t, q, u, self.rows1)
        self.tangents = compute_tangents(system, self.at)

    # -- states -----------------------------------------------------------------------------------------------------

    def _select(self, at: Point) -> None:
        """Independent positions among the wanted states and the coordinates; among these, independent speeds."""
        system = self.system
        G = compute_matrices(system, at.q, at.t)[1].tocsr()
        given = self.wanted.states
        s_q = measure_states(system, given, at, self.model.values).by["s_q"]
        if not np.isfinite(s_q.data).all():
            bad = [w.name for i, w in enumerate(given) if not np.isfinite(s_q[[i]].data).all()]
            raise InputError([Problem(part=f"state '{name}'", what="it is not smooth at this point") for name in bad])
        first = np.flatnonzero(system.holonomic)
        found = select_states(G[first], s_q, system.scales)
        self.rows0 = first[found.rows]
        self._check_states(G[first], s_q, found)
        coordinates = [Wording(system.coordinates[j], coordinate(system.coordinates[j])) for j in found.coordinates]
        self.S = [given[i] for i in found.kept] + coordinates
        if not self.S:
            raise SolveError("nothing can move here: there is no degree of freedom to linearise")
        self._complete_speeds(G, vstack([s_q[list(found.kept)], _units(found.coordinates, system.n)], format="csr"))

    def _complete_speeds(self, G: csr_array, s_q: csr_array) -> None:
        speeds = select_states(G, s_q, self.system.scales)
        self.rows1 = speeds.rows
        chosen = set(speeds.kept)
        self.speeds = tuple(i for i in range(len(self.S)) if i in chosen)
        lost = len(self.S) - len(self.speeds)
        if lost:
            names = ", ".join(w.name for i, w in enumerate(self.S) if i not in chosen)
            self.notes.append(f"constraints of velocities determine the rates of {names}: they are no states")
        redundant = self.system.m - len(self.rows1)
        if redundant:
            left = sorted(set(range(self.system.m)) - set(self.rows1.tolist()))
            names = ", ".join(self.system.constraints[i] for i in left[:5])
            self.notes.append(f"redundant constraints left out: {names}" + (" ..." if redundant > 5 else ""))

    def _check_states(self, G: csr_array, s_q: csr_array, found: Selection) -> None:
        """A state that is dropped beside others is surplus; one that would be dropped alone is none at all."""
        given, system = self.wanted.states, self.system
        dropped = [i for i in range(len(given)) if i not in found.kept]
        hopeless = [i for i in dropped if not select_states(G, s_q[[i]], system.scales).kept]
        if hopeless:
            free = select_states(G, s_q[[]], system.scales).coordinates
            names = ", ".join(system.coordinates[j] for j in free[:6])
            remedy = f"Choose others, for instance {names}" if names else "Nothing can move here"
            what = "it does not change with the motion at this point"
            raise InputError([Problem(part=f"state '{given[i].name}'", what=what, remedy=remedy) for i in hopeless])
        if dropped:
            names = ", ".join(given[i].name for i in dropped)
            self.notes.append(f"more states than degrees of freedom: dropped {names}, which depend on the others")
        if given and found.coordinates:
            names = ", ".join(system.coordinates[j] for j in found.coordinates)
            self.notes.append(f"fewer states than degrees of freedom: completed with {names}")

    # -- matrices ------------------------------------------------------------------------------------------------------

    def _changes(self) -> list[Change]:
        changes = []
        for x in self.wanted.inputs:
            if isinstance(x, str):
                change = change_by_parameter(self.model, self.system, x, self.at, self.tangents)
                if np.any(change.g) or np.any(change.g1):
                    self.notes.append(f"input {x} moves a constraint: the model holds for slow changes of it")
            else:
                change = change_by_effort(self.system, x, self.at, self.model.values)
            changes.append(change)
        return changes

    def _direct(self, changes: Sequence[Change]) -> Floats:
        """The change of each parameter with each input.   (parameters, inputs)"""
        names = list(self.model.values)
        rates = [c.parameters.get(p, 0.0) for p in names for c in changes]
        return np.array(rates, dtype=np.float64).reshape(len(names), len(changes))

    def _is_idle(self, change: Change, b: Floats) -> bool:
        """Whether an input moves no state, beside what its forces would do to free masses."""
        mass = float(self.matrix.M.diagonal().max(initial=0.0)) or 1.0
        return change.idle or float(np.max(np.abs(b))) <= 1e-13 * float(np.max(np.abs(change.r), initial=0.0)) / mass

    def _basis(self, S: Gradients, changes: Sequence[Change]) -> Basis:
        pick = list(self.speeds)
        direct, by = self._direct(changes), S.by
        return Basis(
            s_q=by["s_q"], s1_q=by["s1_q"], w_q=by["s_q"][pick], w1_q=by["s1_q"][pick], w2_q=by["s2_q"][pick],
            w2_u=by["s2_u"][pick], rows0=self.rows0, rows1=self.rows1, s_w=by["s_p"] @ direct,
            s1_w=by["s1_p"] @ direct, w1_w=(by["s1_p"] @ direct)[pick], w2_w=(by["s2_p"] @ direct)[pick],
        )  # fmt: skip

    def linear(self, where: str) -> Linear:
        """Solve for all sensitivities and put the model together."""
        system, at, pick = self.system, self.at, list(self.speeds)
        S = measure_states(system, self.S, at, self.model.values)
        changes = self._changes()
        x = solve_sensitivities(system, self.matrix, self.tangents, self._basis(S, changes), changes)
        z = len(self.S) + len(pick)
        AB = np.vstack([x.S1, x.W1])
        if not np.isfinite(AB).all():
            raise SolveError("the linear model is not finite at this point")
        outputs = self.wanted.outputs or self.S
        Y = measure_outputs(system, outputs, at, self.model.values)
        CD = Y.by["y_q"] @ x.q + Y.by["y_u"] @ x.u + Y.by["y_a"] @ x.a + Y.by["y_l"] @ x.lam
        CD[:, z:] += Y.by["y_p"] @ self._direct(changes)
        sizes = np.sqrt(np.asarray(S.by["s_q"].multiply(S.by["s_q"]) @ system.scales**2)).ravel()
        u_W = x.u[:, len(self.S) : z]
        mass = u_W.T @ (self.matrix.M @ u_W)
        self._take_notes(changes, AB[:, z:])
        return Linear(
            title=self.model.title, system=system, at=at, where=where,
            states=tuple(w.name for w in self.S), speeds=tuple(self.S[i].rate_name for i in pick),
            inputs=tuple(c.name for c in changes), outputs=tuple(w.name for w in outputs),
            A=AB[:, :z], B=AB[:, z:], C=CD[:, :z], D=CD[:, z:], mass=(mass + mass.T) / 2,
            values=np.concatenate([S.values["s"], S.values["s1"][pick]]),
            rates=np.concatenate([S.values["s1"], S.values["s2"][pick]]),
            sizes=np.concatenate([sizes, sizes[pick]]), y=Y.values["y"],
            positions=x.q[:, :z], velocities=x.u[:, :z], notes=tuple(self.notes),
        )  # fmt: skip

    def _take_notes(self, changes: Sequence[Change], B: Floats) -> None:
        """What the user should know of time, of states that are not his own, and of inputs."""
        if is_driven(self.system):
            self.notes.append(f"a prescribed motion depends on time: the model belongs to t = {self.at.t:g}")
        own = {given.name for given in self.wanted.states}
        others = ", ".join([w.name for w in self.S if w.name not in own][:6])
        if others and np.any(self.at.u) and isinstance(self.model, Mechanism):
            self.notes.append(f"it moves here: eigenvalues depend on the states, of which {others} were chosen for you")
        for change, b in zip(changes, B.T, strict=True):
            if self._is_idle(change, b):
                self.notes.append(f"input {change.name} does nothing here")


def _units(columns: Sequence[int], n: int) -> csr_array:
    k = len(columns)
    return csr_array((np.ones(k), (np.arange(k), np.array(columns, dtype=int))), shape=(k, n))
