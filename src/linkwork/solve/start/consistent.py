"""A consistent start: guesses in, the nearest positions and velocities that meet all constraints out.

Positions   minimise  ½ Σ wᵢ (qᵢ − guessᵢ)²   subject to  g(q) = 0
Velocities  minimise  ½ Σ wᵢ (uᵢ − guessᵢ)²   subject to  G u + b = 0

with fixed values kept. What was given, kept and moved is reported; what cannot be is explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field, replace

import numpy as np

from linkwork.arrays import Bools, Floats, Ints
from linkwork.equations import System
from linkwork.errors import StartError
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.bodies import is_hidden, say_hidden
from linkwork.native import Side
from linkwork.native.numbers import compute_levels
from linkwork.native.rank import split
from linkwork.solve.start.assemble import Found, find_positions
from linkwork.solve.start.branches import Branches, find_branches
from linkwork.solve.start.closing import CLOSED
from linkwork.solve.start.conflicts import check_fixed, describe_fit, explain_positions, explain_velocities
from linkwork.solve.start.fit import FIT, MARGIN, Fit, fit_numbers
from linkwork.solve.start.follow import Lead, follow
from linkwork.solve.start.freedom import Proposal, propose
from linkwork.solve.start.guess import Guesses
from linkwork.solve.start.refine import refine
from linkwork.solve.start.singular import WEAK, find_admissible, is_regular
from linkwork.solve.start.velocities import find_velocities
from linkwork.solve.start.verify import (
    check_directions,
    check_ends,
    check_values,
    check_wheels,
    lies_flat,
    refuse_turned,
)
from linkwork.solve.start.wanted import Wanted, read_wanted
from linkwork.symbolic import free_symbols

ROUNDED = 4e-15  # of the size: values that were moved by less were kept
SHOWN = 60  # rows of a table
REMEMBERED = 64  # starts of models that differ in other values


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value of a start: its name, what was given (None if nothing), what was found, and what became of it.

    status  "fixed", "kept", "moved", or "free" if nothing was given
    """

    name: str
    given: float | None
    found: float
    status: str

    @property
    def moved(self) -> float:
        """By how much it was moved."""
        return 0.0 if self.given is None else self.found - self.given


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Told:
    """What was given and what was found, in arrays: few ask how they compare.

    close   by how much places may differ from what was given and count as kept, and speeds
    """

    labels: tuple[str, ...]
    mechanical: Bools
    points: Mapping[str, tuple[int, ...]]
    position: Guesses
    velocity: Guesses
    q: Floats
    u: Floats
    close: tuple[Floats, Floats]

    def list_values(self) -> Iterator[Value]:
        """Of all places, then of all speeds and states."""
        for what, guesses, found, close in zip(
            ("", "'"), (self.position, self.velocity), (self.q, self.u), self.close, strict=True
        ):
            moved = np.abs(found - guesses.values) > close
            for i, name in enumerate(self.labels):
                if not what and not self.mechanical[i]:
                    continue
                given = float(guesses.values[i]) if guesses.given[i] else None
                status = "free" if given is None else "fixed" if guesses.fixed[i] else "moved" if moved[i] else "kept"
                mark = what if self.mechanical[i] else ""
                yield Value(name=name + mark, given=given, found=float(found[i]), status=status)

    def find_placed(self) -> dict[str, tuple[float, ...]]:
        """Where points are that nobody mentioned."""
        moving = {name: list(at) for name, at in self.points.items() if at[0] < len(self.q)}
        return {name: tuple(self.q[at].tolist()) for name, at in moving.items() if not self.position.given[at].any()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A consistent state and how it relates to what was given.

    told    what was given and found; of a state of another motion nothing was
    fixed   which positions and which speeds are fixed, by number
    fit     how rounded numbers were made to agree, if they had to be, and the same in words
    regular whether all constraints are clearly independent there
    off     of a state of another motion, the constraints that do not hold in it; None: this is for barriers to say
    sides   where watched values are, if that is known
    turned  joints whose axes are opposite where the given positions place their parts
    turns   of a state of another motion, whole turns of angles that no coordinate tells
    """

    t: float
    q: Floats
    u: Floats
    attempts: int
    fixed: tuple[Ints, Ints]
    told: Told | None = None
    fit: Fit | None = None
    fitted: str = ""
    regular: bool = False
    off: frozenset[int] | None = None
    sides: tuple[Side, ...] = ()
    turns: Mapping[str, Floats] = field(default_factory=dict)
    turned: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[Value, ...]:
        """Of all coordinates, then of all speeds and states."""
        return tuple(self.told.list_values()) if self.told else ()

    @property
    def placed(self) -> Mapping[str, tuple[float, ...]]:
        """Where points went that nobody mentioned."""
        return self.told.find_placed() if self.told else {}

    @property
    def moved(self) -> tuple[Value, ...]:
        """The given values that had to change."""
        return tuple(value for value in self.values if value.status == "moved")

    def report(self, limit: int = 4) -> str:
        """What was moved and by how much, largest first, and where points went that nobody placed."""
        moves = sorted(self.moved, key=lambda value: -abs(value.moved))
        lines = [f"{m.name} {m.given:.6g} -> {m.found:.6g}" for m in moves[:limit]]
        told = "moved " + ", ".join(lines) + _more(moves, limit) if moves else "all given values kept"
        told += f"; numbers fitted, which agree only to {self.fit.misfit:.2g}" if self.fit else ""
        if self.turned:
            names = ", ".join(self.turned[:limit]) + _more(self.turned, limit)
            told += f"; the given positions turn the axes of {names} over"
        placed = [(name, at) for name, at in self.placed.items() if not is_hidden(name)]
        if not placed:
            return told
        places = [f"{name} ({', '.join(f'{x:.4g}' for x in at)})" for name, at in placed[:limit]]
        return f"{told}; found {', '.join(places)}{_more(placed, limit)}"

    def table(self, limit: int = SHOWN) -> str:
        """Every position and velocity: what was given, where it starts, how far it was moved, what became of it."""
        rows = [("", "given", "start", "moved", "")]
        # of points that nobody has named nobody asks
        values = [v for v in self.values if v.status != "free" or say_hidden(v.name.rstrip("'")) == v.name.rstrip("'")]
        for v in values[:limit]:
            given = "" if v.given is None else f"{v.given:.9g}"
            moved = v.status == "moved"
            found = f"{v.found:.9g}" if moved or v.given is None else given
            rows.append((v.name, given, found, f"{v.moved:.3g}" if moved else "", v.status))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [f"{row[0]:<{widths[0]}}  {'  '.join(map(str.rjust, row[1:4], widths[1:]))}  {row[4]}" for row in rows]
        return "\n".join(line.rstrip() for line in lines) + _more(values, limit)


def _more(items: Sized, limit: int) -> str:
    return f" and {len(items) - limit} more" if len(items) > limit else ""


@np.errstate(all="ignore")
def find_start(
    mechanism: Mechanism | Lagrangian,
    system: System,
    weights: Mapping[str, float] | None = None,
    branch: int | None = None,
) -> Start:
    """The consistent state nearest to the mechanism's initial values, or that of an branch by its number.

    `weights` by coordinate ('Cx') or point ('C') say which given values matter more.
    """
    if isinstance(mechanism, Lagrangian) or weights is not None:
        return _search(mechanism, system, weights, branch)[0]
    known = system.once("starts", _Known)
    names = system.once("names of the start", lambda: _find_names(mechanism, system))
    key = (branch, _tolerance(mechanism), *(mechanism.values[name] for name in names))
    start = known.starts.get(key)
    if start is not None:
        # masses may be others; for the search nothing has changed
        check_values(system, start.q, start.t)
        return start
    start = None if known.lead is None or branch is not None else _follow(mechanism, system, known.lead)
    if start is None:
        start, lead = _search(mechanism, system, None, branch)
        known.lead = lead or known.lead
    known.add(key, start)
    return start


class _Known:
    """Starts by the values they depend on, and the last one that can be followed to others."""

    def __init__(self) -> None:
        self.starts: dict[object, Start] = {}
        self.lead: Lead | None = None

    def add(self, key: object, start: Start) -> None:
        self.starts[key] = start
        if len(self.starts) > REMEMBERED:
            del self.starts[next(iter(self.starts))]


@np.errstate(all="ignore")
def search_start(mechanism: Mechanism | Lagrangian, system: System, change: Callable[[Wanted], Wanted]) -> Start:
    """The consistent state nearest to initial values of which some are changed."""
    return _search(mechanism, system, None, None, change)[0]


def _search(
    mechanism: Mechanism | Lagrangian,
    system: System,
    weights: Mapping[str, float] | None,
    branch: int | None,
    change: Callable[[Wanted], Wanted] = lambda wanted: wanted,
) -> tuple[Start, Lead | None]:
    """The start from nothing but the initial values, and what can be followed if they led there directly."""
    wanted, found, fit = _assemble(mechanism, system, weights, change)
    q = found.q if branch is None else find_branches(wanted, found.q)[branch].q
    start = _complete(wanted, q, found.attempts)
    if isinstance(mechanism, Mechanism):
        check_ends(mechanism, system, q, start.u, start.t)
    direct = found.direct and start.regular and fit is None and branch is None
    lead = Lead(wanted, q) if direct else None
    return replace(start, fit=fit, fitted=describe_fit(system, fit, _tolerance(mechanism))), lead


def _follow(mechanism: Mechanism, system: System, lead: Lead) -> Start | None:
    """The start next to one of other values, if it is clear that a search would lead there."""
    # constraints that might contradict each other are left to the search
    found = follow(mechanism, system, lead, MARGIN * _tolerance(mechanism))
    if found is None:
        return None
    wanted, q = found
    check_values(system, q, wanted.t)
    check_wheels(wanted, q)
    check_fixed(wanted, q, "position")
    start = _complete(wanted, q, 1)
    check_ends(mechanism, system, q, start.u, start.t)
    return start


def _find_names(m: Mechanism, s: System) -> tuple[str, ...]:
    """The parameters on which a start depends: through constraints, places, guesses, and what hangs where."""
    kept = [term for term in s.terms if term.kernel.constraint_count]
    terms = [*kept, *s.chart.sides, *s.chart.conditions, *s.kinematics]
    columns = [
        s.frozen_columns,
        *(term.columns.ravel() for term in terms),
        *(hint.columns for hint in s.chart.hints.values()),
    ]
    used = [s.formulas.exprs[i] for i in np.unique(np.concatenate(columns))]
    used += [x for rigid in m.rigids for place in rigid.geometry for x in place]
    used += [spring.rest_length for spring in m.springs] + [*(m.gravity or ()), m.start.t0]
    start = m.start
    guesses = [g for gs in (*start.positions.values(), *start.velocities.values()) for g in gs]
    used += [g.value for g in (*guesses, *start.angles.values(), *start.rates.values())]
    used += [*start.states.values(), *(x for state in m.states for x in (state.start, state.scale))]
    return tuple(sorted({symbol.name for symbol in free_symbols(*used)} & m.values.keys()))


@np.errstate(all="ignore")
def list_branches(mechanism: Mechanism | Lagrangian, system: System, hold: Iterable[str] | None = None) -> Branches:
    """The ways in which the mechanism can be assembled, nearest to its initial values first."""
    wanted, found, _ = _assemble(mechanism, system, None)
    return find_branches(wanted, found.q, hold)


@np.errstate(all="ignore")
def propose_fixed(mechanism: Mechanism | Lagrangian, system: System, start: Start) -> Proposal:
    """Values that may be fixed and determine this start."""
    return propose(read_wanted(mechanism, system, None), start.q, start.u)


def _assemble(
    mechanism: Mechanism | Lagrangian,
    system: System,
    weights: Mapping[str, float] | None,
    change: Callable[[Wanted], Wanted] = lambda wanted: wanted,
) -> tuple[Wanted, Found, Fit | None]:
    """Consistent positions, and numbers that had to be changed for them, with which they are wanted."""
    wanted, allowed = change(read_wanted(mechanism, system, weights)), _tolerance(mechanism)
    _check_finite(wanted)
    found = find_positions(wanted, enough=allowed)
    fit = fit_numbers(system, wanted.t, wanted.position.values, found.q if found.closed else None, allowed)
    if fit is not None:
        wanted = change(read_wanted(mechanism, fit.apply(system), weights))
        found = find_positions(wanted)
    elif not found.closed and found.gap <= allowed:
        found = find_positions(wanted)
    if not found.closed:
        raise refuse_turned(wanted) or explain_positions(wanted, found)
    refined = refine(wanted, found.q, lambda J: split(J).count(WEAK) == len(J))
    if refined is not None and wanted.constraints.gap(refined) <= CLOSED:
        found = replace(found, q=refined)
    else:
        found = replace(found, direct=False)
    check_values(wanted.system, found.q, wanted.t)
    check_directions(wanted, found.q)
    check_wheels(wanted, found.q)
    check_fixed(wanted, found.q, "position")
    return wanted, found, fit


def _tolerance(mechanism: Mechanism | Lagrangian) -> float:
    """By how much constraints may contradict each other."""
    return FIT if mechanism.settings.fit is None else mechanism.settings.fit


def _complete(wanted: Wanted, q: Floats, attempts: int) -> Start:
    """The start at consistent positions."""
    given = wanted.position.given & (np.abs(q - wanted.asked) <= ROUNDED * wanted.bare.scales)
    q = np.where(given, wanted.asked, q)  # what was given stays so to the last bit
    moving = wanted.moving()
    speeds = find_velocities(moving, q)
    if not speeds.met:
        raise explain_velocities(moving, q, speeds)
    check_fixed(moving, q, "velocity")
    speeds = find_admissible(moving, q, speeds)
    s, position, velocity = wanted.bare, wanted.position, wanted.velocity
    told = Told(
        labels=s.labels, mechanical=s.mechanical, points=s.chart.points,
        position=replace(position, values=wanted.asked), velocity=velocity, q=q, u=speeds.u,
        close=(1e-9 * s.scales, 1e-9 * np.maximum(np.abs(velocity.values), 1e-3)),
    )  # fmt: skip
    fixed = np.flatnonzero(position.fixed), np.flatnonzero(velocity.fixed)
    regular, turned = is_regular(s, q, wanted.t), tuple(str(joint.name) for joint in wanted.turned)
    return Start(t=wanted.t, q=q, u=speeds.u, attempts=attempts, fixed=fixed, told=told, regular=regular, turned=turned)


def _check_finite(wanted: Wanted) -> None:
    """A motion's law must have a value at the start, wherever the points are."""
    s, t = wanted.system, wanted.t
    Q = np.column_stack([wanted.position.values, wanted.near(2)])
    with np.errstate(all="ignore"):
        g, g1, _ = compute_levels(s, Q, np.zeros_like(Q), np.zeros_like(Q), t)
    bad = np.flatnonzero(~(np.isfinite(g) & np.isfinite(g1)).any(axis=1))
    rows = [s.rows[i] for i in bad]
    if wheels := [row.owner for row in rows if row.kind == "contact"]:
        raise lies_flat(wheels)
    names = [f"motion {row.owner.name}" if row.kind == "motion" else row.name for row in rows]
    if names:
        words = f"not finite at t = {t:g}: {', '.join(names[:5])}. Check its numbers or its law"
        raise StartError(words, parts=[row.owner for row in rows])
