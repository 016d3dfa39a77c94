"""Why there is no consistent start: what is wanted and the closest attempt in, a StartError in words out.

The parts, joints, lines, motions and fixed values that cannot hold together are found by leaving them out one by one:
what can be left out without making a start possible has no part in the conflict. What remains cannot be reduced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from linkwork.arrays import Floats
from linkwork.equations import Row, System
from linkwork.errors import Ref, StartError, TimeLimitError
from linkwork.native.rank import solve_columns
from linkwork.results import Snapshot
from linkwork.solve.start.assemble import Found, find_positions
from linkwork.solve.start.closing import CLOSED, close
from linkwork.solve.start.fit import Fit
from linkwork.solve.start.freedom import LARGEST, find_directions
from linkwork.solve.start.guess import Guesses
from linkwork.solve.start.velocities import MET, Speeds, measure_gaps
from linkwork.solve.start.wanted import Wanted

MOST = 60  # candidates up to which the smallest conflict is looked for
TRIALS = 24  # guesses closed to find out whether something can be assembled
STEPS, FEWER = 120, 40  # to close the first of them, and the others: most that can be closed take ten
FEW = 2  # members of a conflict for which no smaller one is looked for
ROUNDED = 1e-3  # of the size: gaps up to which rounded numbers may be meant
SHOWN = 8  # members of a conflict that are listed


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that may take part in a conflict: constraints, or a fixed value; what it is called, a rod's length.

    words are for a sentence, part is what other messages call it (Problem.part).
    """

    words: str
    part: Ref
    rows: tuple[int, ...] = ()
    fixed: int | None = None
    length: float = 0.0


# -- positions -------------------------------------------------------------------------------------------------------


def explain_positions(wanted: Wanted, found: Found) -> StartError:
    """Why no closed positions were found."""
    s, state = wanted.system, _state(wanted, found.q, np.zeros(wanted.system.n))
    told, first = _claims(s, wanted.conditions), wanted.bare.m
    claims = [claim for claim in told if s.holonomic[list(claim.rows)].any() and claim.rows[0] < first]
    try:
        free = _close_some(wanted, claims, found.q)
        if free is None:
            conflict = _find_conflict(wanted, found.q, claims, known=True)
        elif problem := _too_many(wanted, free, "position"):
            return problem
        else:
            fixed = _fixed_claims(wanted, "position")
            held = [claim for claim in told if claim.rows[0] >= first and s.holonomic[claim.rows[0]]]
            conflict = _find_conflict(wanted, found.q, [*claims, *held, *fixed])
        reachable = _reachable(wanted, conflict)
    except TimeLimitError:
        conflict, reachable = [], ""
    left = _wrong_ways(wanted, found.q) or _describe(s, _sizes(wanted, found.q), "m")
    who = f": {_in_words(s, conflict)}" if conflict else f" from {found.attempts} guesses"
    remedy = f"{reachable}Change one of them" if conflict else "Check lengths and fixed values"
    remedy += _rounded(found)
    return StartError(
        f"the mechanism cannot be assembled{who}. Closest attempt: {', '.join(left)}. {remedy}",
        closest=state,
        conflict=[claim.words for claim in conflict],
        parts=[claim.part for claim in conflict],
    )


def _rounded(found: Found) -> str:
    """What to do if numbers may have been rounded."""
    if not CLOSED < found.gap <= ROUNDED:
        return ""
    allow = f"allow fit: {min(2 * found.gap, ROUNDED):.0e} (they miss {found.gap:.1e})"
    return f", or, if they agree but for rounding, give more digits or {allow}"


def describe_fit(s: System, fit: Fit | None, allowed: float) -> str:
    """How rounded numbers were made to agree, unless what was missing is next to nothing."""
    if fit is None or fit.misfit <= CLOSED:
        return ""
    rows = set(fit.rows)
    words = [claim.words for claim in _claims(s) if rows & set(claim.rows)]
    listed = _listed(words[:SHOWN]) + (f" and {len(words) - SHOWN} more" if len(words) > SHOWN else "")
    return (
        f"{listed} repeat each other, but agree only to {fit.misfit:.2g} of the size of the mechanism: within "
        f"{allowed:g} (fit) they count as redundant, with numbers changed by at most {fit.change:.2g}"
    )


def _releasing(wanted: Wanted, which: NDArray[np.bool_]) -> Wanted:
    """The same with some values no longer fixed."""
    return replace(wanted, position=replace(wanted.position, fixed=wanted.position.fixed & ~which))


def _find_conflict(wanted: Wanted, q: Floats, claims: list[Claim], known: bool = False) -> list[Claim]:
    """An irreducible set of claims that cannot be met together, which of all of them may be known already.

    Empty if there is none, or if there are too many to look through.
    """
    possible = _Remembered(lambda kept: _close_some(wanted, kept, q) is not None, [claims] if known else [])
    # at the closest attempt those that stay open pull against each other: often they are the conflict
    gaps = wanted.constraints.gaps(q[:, None])[: len(wanted.constraints.rows), 0]
    wide = set(wanted.constraints.rows[gaps > 1e-6 * np.max(gaps, initial=0.0)].tolist())
    pulling = [c for c in claims if c.fixed is not None or wide & set(c.rows)]
    if not possible(pulling):
        claims = pulling
    elif possible(claims):
        return []
    if len(claims) > MOST:
        # a long chain that does not reach needs no search
        return claims if _too_long(claims, _grounds(wanted.system, claims)) else []
    return _reduce(claims, possible)


def _wrong_ways(wanted: Wanted, q: Floats) -> list[str]:
    """The joints of a closed mechanism that are put together the wrong way round."""
    c = wanted.constraints
    gaps = c.gaps(q[:, None])[:, 0]
    if np.max(gaps[: len(c.rows)], initial=0.0) > CLOSED:
        return []
    wrong = [wanted.system.chart.side_rows[i] for i in np.flatnonzero(gaps[len(c.rows) :])]
    return [f"the {row.kind} of the joint '{row.owner.name}' are the wrong way round" for row in wrong]


class _Remembered:
    """Whether claims can be met together; what follows from the answer for more or for fewer is not asked again."""

    def __init__(self, ask: Callable[[Sequence[Claim]], bool], cannot: Iterable[Sequence[Claim]] = ()) -> None:
        self.ask = ask
        self.can, self.cannot = list[frozenset[Claim]](), [frozenset(claims) for claims in cannot]

    def __call__(self, kept: Sequence[Claim]) -> bool:
        claims = frozenset(kept)
        if any(claims <= more for more in self.can):
            return True
        if any(claims >= fewer for fewer in self.cannot):
            return False
        answer = self.ask(kept)
        (self.can if answer else self.cannot).append(claims)
        return answer


def _reduce(claims: list[Claim], possible: _Remembered) -> list[Claim]:
    """Leave out what can be left out without making it possible (a deletion filter), the smaller of two ways."""

    def filtered(order: list[Claim]) -> list[Claim]:
        kept = list(claims)
        for claim in order:
            rest = [other for other in kept if other is not claim]
            if not possible(rest):
                kept = rest
        return kept

    found = filtered(claims[::-1])
    return found if len(found) <= FEW else min(filtered(claims), found, key=len)


def _close_some(wanted: Wanted, kept: Sequence[Claim], q: Floats) -> Floats | None:
    """Positions that meet some constraints and fixed values alone; None if none were found."""
    s, position = wanted.system, wanted.position
    fixed = np.zeros(s.n, dtype=bool)
    fixed[[claim.fixed for claim in kept if claim.fixed is not None]] = True
    values = np.where(fixed, position.values, q)
    part = replace(wanted, position=Guesses(values=values, given=position.given, fixed=fixed))
    rows = sorted({row for claim in kept for row in claim.rows if s.holonomic[row]})
    constraints = wanted.constraints.only(rows)
    trials = TRIALS if constraints.dense else 2
    Q = np.hstack([values[:, None], part.near(trials), part.anywhere(trials)])
    even = s.scales[part.free]
    for some, steps, reach in ((Q[:, :1], STEPS, part.reach), (Q[:, :1], STEPS, even), (Q[:, 1:], FEWER, part.reach)):
        found, gaps, _ = close(constraints, some, part.free, reach, enough=1, steps=steps)
        if np.min(gaps) <= CLOSED:
            return np.asarray(found[:, np.argmin(gaps)])
    return None


def _reachable(wanted: Wanted, conflict: Sequence[Claim]) -> str:
    """How far a single fixed value in a conflict can be taken."""
    fixed = [claim.fixed for claim in conflict if claim.fixed is not None]
    if len(fixed) != 1:
        return ""
    i = fixed[0]
    alone = np.arange(wanted.system.n) == i
    free = _releasing(wanted, alone)
    found = find_positions(replace(free, position=replace(free.position, given=alone | free.position.fixed)))
    name = wanted.system.coordinates[i]
    return f"The nearest value {name} can have is {found.q[i]:.6g}. " if found.closed else ""


def _sizes(wanted: Wanted, q: Floats) -> Floats:
    """By how much each constraint is open: a length by its difference [m], a driven angle and the constraints of a
    Lagrangian by their value, others by the displacement they ask for [m].
    """
    c, s = wanted.constraints, wanted.system
    sizes = np.zeros(s.m)
    sizes[c.rows] = c.gaps(q[:, None])[: len(c.rows), 0] * float(s.scales.max(initial=0.0))
    g = np.zeros(s.m)
    g[c.rows] = c.values(q[:, None])[: len(c.rows), 0]
    plain = np.array([row.unit != "m" for row in s.rows], dtype=bool)
    sizes[plain] = np.abs(g[plain])
    for term in s.terms:
        if term.kind == "distance":
            # g = d² − ℓ²
            rows, length = term.rows[:, 0], term.parameters[:, 0]
            sizes[rows] = np.abs(np.sqrt(np.maximum(g[rows] + length**2, 0.0)) - length)
    return sizes


# -- velocities ------------------------------------------------------------------------------------------------------


def explain_velocities(wanted: Wanted, q: Floats, speeds: Speeds) -> StartError:
    """Why no velocities meet the constraints: a conflict of fixed velocities, motions and what they act on."""
    if problem := _too_many(wanted, q, "velocity"):
        return problem
    s = wanted.system
    conflict = _find_speed_conflict(wanted, speeds) if s.n <= LARGEST else []
    who = f": {_in_words(s, conflict)}" if conflict else ""
    rows = np.asarray(abs(speeds.G) @ np.where(s.mechanical, s.scales, 0.0))
    plain = np.abs(speeds.G @ speeds.u + speeds.b)
    lengths = np.array([row.unit == "m" for row in s.rows], dtype=bool)
    open_by = np.where(lengths, plain * float(s.scales.max(initial=0.0)) / np.where(rows > 0, rows, 1.0), plain)
    left = _describe(s, open_by if s.chart.points else plain, "m/s")
    fixed = any(claim.fixed is not None or claim.part in wanted.conditions for claim in conflict)
    remedy = "Leave a velocity free (drop 'fixed') or change one of them" if fixed else "Change one of them"
    return StartError(
        f"the velocities cannot be met together{who}. Constraints left open: {', '.join(left)}. {remedy}",
        closest=_state(wanted, q, speeds.u),
        conflict=[claim.words for claim in conflict],
        parts=[claim.part for claim in conflict],
    )


def _find_speed_conflict(wanted: Wanted, speeds: Speeds) -> list[Claim]:
    """An irreducible set of claims on the velocities; a linear problem."""
    s, G = wanted.system, speeds.G if isinstance(speeds.G, np.ndarray) else speeds.G.toarray()

    @_Remembered
    def possible(kept: Sequence[Claim]) -> bool:
        rows = sorted({row for claim in kept for row in claim.rows})
        fixed = [claim.fixed for claim in kept if claim.fixed is not None]
        free = np.setdiff1d(np.arange(s.n), fixed)
        rhs = -speeds.b[rows] - G[rows][:, fixed] @ wanted.velocity.values[fixed]
        J = G[rows] * s.scales
        sizes = np.maximum(np.linalg.norm(J, axis=1), 1e-300)
        u, one = wanted.velocity.values.copy(), np.ones(1)
        u[free] = s.scales[free] * solve_columns((J[:, free] / sizes[:, None])[None], (rhs / sizes)[None], one)[0][0]
        return bool(np.max(measure_gaps(s, csc_array(G[rows]), speeds.b[rows], u), initial=0.0) <= MET)

    claims = [*_claims(s, wanted.conditions), *_fixed_claims(wanted, "velocity")]
    wide = set(np.flatnonzero(speeds.gaps > 1e-6 * np.max(speeds.gaps, initial=0.0)).tolist())
    pulling = [c for c in claims if c.fixed is not None or wide & set(c.rows)]
    chosen = claims if possible(pulling) else pulling
    return _reduce(chosen, possible) if len(chosen) <= MOST else []


# -- too many --------------------------------------------------------------------------------------------------------


def check_fixed(wanted: Wanted, q: Floats, what: str) -> None:
    """More fixed values than degrees of freedom are an error even if they happen to agree."""
    problem = _too_many(wanted, q, what)
    if problem is not None:
        raise problem


def _too_many(wanted: Wanted, q: Floats, what: str) -> StartError | None:
    s, level = wanted.bare, "angle of" if what == "position" else "rate of"
    guesses, rows = (wanted.position, s.holonomic) if what == "position" else (wanted.velocity, None)
    fixed = np.flatnonzero(guesses.fixed & s.mechanical)
    held = [ref for ref in wanted.conditions if ref.kind == level]
    mark = "'" if what == "velocity" else ""
    names = [f"{s.coordinates[i]}{mark}{_by(wanted, int(i), what)}" for i in fixed] + [f"{x.name}{mark}" for x in held]
    freedom = int(s.mechanical.sum()) - (s.m if rows is None else int(rows.sum()))
    if len(names) > freedom and s.n <= LARGEST:
        freedom = find_directions(s, q, wanted.t, rows).shape[1]
    if len(names) <= freedom:
        return None
    return StartError(
        f"too many fixed {what} values: {len(names)} ({', '.join(names)}) for {freedom} "
        f"{'degree' if freedom == 1 else 'degrees'} of freedom. Drop 'fixed' from {len(names) - freedom} of them",
        closest=_state(wanted, q, np.zeros(s.n)),
        conflict=names,
        parts=[*(_part_of_value(wanted, int(i), what) for i in fixed), *held],
    )


# -- words -----------------------------------------------------------------------------------------------------------


# what people call what asks for a constraint
CALLED = {
    "collinear": "line",
    "coplanar": "plane",
    "motion": "motion",
    "relation": "relation",
    "velocity": "velocity constraint",
    "rolling": "rolling contact",
    "edge": "knife edge",
}


def _claims(s: System, conditions: Mapping[Ref, float] = MappingProxyType({})) -> list[Claim]:
    """Everything that brings constraints, under the name a user knows; conditions of the start with their values."""
    rows: dict[str, list[int]] = {}
    lengths: dict[str, float] = {}
    parts: dict[str, Ref] = {}
    for term in s.terms:
        for i, owner in enumerate(term.owners if term.kernel.constraint_count else ()):
            if (
                owner.kind == "rigid"
                and len(s.chart.parts[str(owner.name)]) == 2
                and term.kind in ("distance", "turning")
            ):
                lengths[f"the rod {owner.name}"] = float(term.parameters[i, 0])
            for row in term.rows[i].tolist():
                asks = s.rows[row].owner
                words = _say_fixed(asks, conditions[asks]) if asks in conditions else _name(s, s.rows[row])
                rows.setdefault(words, []).append(row)
                parts[words] = asks
    return [Claim(words, parts[words], tuple(found), length=lengths.get(words, 0.0)) for words, found in rows.items()]


def _name(s: System, row: Row) -> str:
    """What a constraint belongs to."""
    kind, name = row.owner.kind, str(row.owner.name)
    if kind == "joint":
        return f"the joint '{name}'"
    if kind == "rigid":
        return f"the rod {name}" if len(s.chart.parts[name]) == 2 else f"the part {name}"
    return f"the {CALLED[kind]} {name}" if kind in CALLED else f"the constraint '{row.name}'"


def _say_fixed(asks: Ref, value: float) -> str:
    return f"the fixed {asks.name}{'.omega' if asks.kind == 'rate of' else '.angle'} = {value:.6g}"


def _by(wanted: Wanted, i: int, what: str) -> str:
    """The joint that the fixed angle of a part follows from, if it does."""
    ref = _part_of_value(wanted, i, what)
    return f" by {ref.name}" if ref in wanted.told.values() else ""


def _part_of_value(wanted: Wanted, i: int, what: str) -> Ref:
    """What messages about a file call the initial value of a coordinate."""
    s = wanted.system
    points = [point for point, places in s.chart.points.items() if i in places]
    if points:
        return Ref(f"{what} of", points[0])
    own = Ref("angle of" if what == "position" else "rate of", s.coordinates[i])
    return wanted.told.get(own, own)


def _fixed_claims(wanted: Wanted, what: str) -> list[Claim]:
    mark = "'" if what == "velocity" else ""
    s, guesses = wanted.system, wanted.velocity if what == "velocity" else wanted.position
    return [
        Claim(
            f"the fixed {s.coordinates[i]}{mark} = {guesses.values[i]:.6g}{_by(wanted, int(i), what)}",
            _part_of_value(wanted, int(i), what),
            fixed=int(i),
        )
        for i in np.flatnonzero(guesses.fixed & s.mechanical)
    ]


def _in_words(s: System, conflict: Sequence[Claim]) -> str:
    """The members of a conflict, and the immovable points they hang on."""
    words = [f"{claim.words} of length {claim.length:.6g}" if claim.length else claim.words for claim in conflict]
    listed = _listed(words[:SHOWN]) + (f" and {len(words) - SHOWN} more" if len(words) > SHOWN else "")
    if len(words) < 2:
        return f"{listed} is not met from any guess that was tried"
    grounds = _grounds(s, conflict)
    places = [f"{point} ({', '.join(f'{x:.6g}' for x in at)})" for point, at in grounds.items()]
    given = f", given {_listed(places)}" if places else ""
    return f"{listed} contradict each other{given}{_too_long(conflict, grounds)}"


def _too_long(conflict: Sequence[Claim], grounds: Mapping[str, Floats]) -> str:
    """Which side of a polygon of rods is longer than all others together."""
    sides = {claim.words: claim.length for claim in conflict}
    if len(grounds) == 2:
        (a, at), (b, bt) = grounds.items()
        sides[f"the distance {a}{b}"] = float(np.linalg.norm(bt - at))
    name, longest = max(sides.items(), key=lambda side: side[1])
    others = sum(sides.values()) - longest
    if min(sides.values()) == 0.0 or len(grounds) > 2 or longest <= others:
        return ""
    return f": {name} is {longest:.6g}, the others together are {others:.6g}"


def _grounds(s: System, conflict: Sequence[Claim]) -> dict[str, Floats]:
    """The immovable points that the constraints of a conflict use."""
    rows = [row for claim in conflict for row in claim.rows]
    used: set[int] = set()
    for term in s.terms:
        used.update(term.coordinates[np.isin(term.rows, rows).any(axis=1)].ravel().tolist())
    return {p: s.frozen[np.array(at) - s.n] for p, at in s.chart.points.items() if at[0] >= s.n and at[0] in used}


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _describe(s: System, size: Floats, unit: str) -> list[str]:
    """The constraints that stay open, worst first; `unit` is that of lengths."""
    order = np.argsort(-size)[:5]
    open_rows = [i for i in order if size[i] > 1e-9 * size[order[0]]]
    units = {row.unit: unit.replace("m", row.unit) if row.unit else "" for row in s.rows}
    return [f"{s.rows[i].name} stays open by {size[i]:.3g} {units[s.rows[i].unit]}".rstrip() for i in open_rows]


def _state(wanted: Wanted, q: Floats, u: Floats) -> Snapshot:
    zero = np.zeros_like(q)
    return Snapshot(wanted.bare, np.array(wanted.t), (q, u, zero, np.zeros(wanted.bare.m)))
