"""Why there is no consistent start: what is wanted and the closest attempt in, a StartError in words out.

The parts, joints, lines, motions and fixed values that cannot hold together are found by leaving them out one at a time:
what can be left out without making a start possible has no part in the conflict. What remains cannot be reduced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import System, Term
from linkwork.errors import StartError
from linkwork.results import State
from linkwork.solve.assemble import Found, find_positions
from linkwork.solve.closing import CLOSED, close
from linkwork.solve.freedom import LARGEST, find_directions
from linkwork.solve.guess import Guesses
from linkwork.solve.velocities import MET, Speeds
from linkwork.solve.wanted import Wanted

Floats = NDArray[np.float64]

MOST = 60  # candidates up to which the smallest conflict is looked for
TRIALS = 24  # guesses closed to find out whether something can be assembled
SHOWN = 8  # members of a conflict that are listed


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that may take part in a conflict: constraints, or a fixed value, and how it is called."""

    words: str
    rows: tuple[int, ...] = ()
    fixed: int | None = None


# -- positions -------------------------------------------------------------------------------------------------------


def explain_positions(wanted: Wanted, found: Found) -> StartError:
    """Why no closed positions were found."""
    s, state = wanted.system, _state(wanted, found.q, np.zeros(wanted.system.n))
    if wanted.position.fixed.any() and s.n <= LARGEST:
        free = find_positions(_releasing(wanted, wanted.position.fixed))
        if free.closed and (problem := _too_many(wanted, free.q, "position")):
            return problem
    conflict = _find_conflict(wanted, found.q)
    left = ", ".join(_describe(s, _sizes(wanted, found.q), "m"))
    who = f": {_in_words(s, conflict)}" if conflict else f" from {found.attempts} guesses"
    remedy = f"{_reachable(wanted, conflict)}Change one of them" if conflict else "Check lengths and fixed values"
    return StartError(
        f"the mechanism cannot be assembled{who}. Closest attempt: {left}. {remedy}",
        closest=state,
        conflict=tuple(claim.words for claim in conflict),
    )


def _releasing(wanted: Wanted, which: NDArray[np.bool_]) -> Wanted:
    """The same with some values no longer fixed."""
    return replace(wanted, position=replace(wanted.position, fixed=wanted.position.fixed & ~which))


def _find_conflict(wanted: Wanted, q: Floats) -> list[Claim]:
    """An irreducible set of claims that cannot be met together; empty if there are too many to look through."""
    claims = [*_claims(wanted.system), *_fixed_claims(wanted.system, wanted.position, "")]
    claims = [c for c in claims if c.fixed is not None or wanted.system.holonomic[list(c.rows)].any()]
    # at the closest attempt those that stay open pull against each other: often they are the conflict
    gaps = wanted.constraints.gaps(q[:, None])[: len(wanted.constraints.rows), 0]
    wide = set(wanted.constraints.rows[gaps > 1e-6 * np.max(gaps, initial=0.0)].tolist())
    pulling = [c for c in claims if c.fixed is not None or wide & set(c.rows)]
    if not _can_close(wanted, pulling, q):
        claims = pulling
    if len(claims) > MOST:
        return []
    return _reduce(claims, lambda kept: _can_close(wanted, kept, q))


def _reduce(claims: list[Claim], possible: Callable[[list[Claim]], bool]) -> list[Claim]:
    """Leave out what can be left out without making it possible (a deletion filter)."""
    kept = list(claims)
    for claim in claims:
        rest = [other for other in kept if other is not claim]
        if not possible(rest):
            kept = rest
    return kept


def _can_close(wanted: Wanted, kept: Sequence[Claim], q: Floats) -> bool:
    """Whether some constraints and fixed values alone can be met."""
    s, position = wanted.system, wanted.position
    fixed = np.zeros(s.n, dtype=bool)
    fixed[[claim.fixed for claim in kept if claim.fixed is not None]] = True
    values = np.where(fixed, position.values, q)
    part = replace(wanted, position=Guesses(values=values, given=position.given, fixed=fixed))
    rows = sorted({row for claim in kept for row in claim.rows if s.holonomic[row]})
    constraints = wanted.constraints.only(rows)
    trials = TRIALS if constraints.dense else 2
    Q = np.hstack([values[:, None], part.near(trials), part.anywhere(trials)])
    for some in (Q[:, :1], Q[:, 1:]):
        _, gaps = close(constraints, some, part.free, part.reach)
        if np.min(gaps) <= CLOSED:
            return True
    return False


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
    """By how much each constraint is open [m]: a length by its difference, others by the displacement they ask for."""
    c, s = wanted.constraints, wanted.system
    sizes = np.zeros(s.m)
    sizes[c.rows] = c.gaps(q[:, None])[: len(c.rows), 0] * float(s.scales.max(initial=0.0))
    g = np.zeros(s.m)
    g[c.rows] = c.values(q[:, None])[: len(c.rows), 0]
    for term in s.terms:
        if term.kernel.constraint_count == 1 and term.kernel.parameters == ("length",):
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
    claims = [*_claims(s), *_fixed_claims(s, wanted.velocity, "'")]
    wide = set(np.flatnonzero(speeds.gaps > 1e-6 * np.max(speeds.gaps, initial=0.0)).tolist())
    pulling = [c for c in claims if c.fixed is not None or wide & set(c.rows)]
    G, scale = speeds.G.toarray() if s.n <= LARGEST else np.zeros((0, 0)), max(1e-300, float(np.abs(speeds.u).max()))

    def possible(kept: list[Claim]) -> bool:
        rows = sorted({row for claim in kept for row in claim.rows})
        fixed = [claim.fixed for claim in kept if claim.fixed is not None]
        free = np.setdiff1d(np.arange(s.n), fixed)
        rhs = -speeds.b[rows] - G[np.ix_(rows, fixed)] @ wanted.velocity.values[fixed]
        if not rows:
            return True
        J = G[np.ix_(rows, free)] * s.scales[free]
        x = np.linalg.lstsq(J, rhs, rcond=1e-12)[0]
        size = np.linalg.norm(G[rows] * s.scales, axis=1)
        return bool(np.all(np.abs(J @ x - rhs) <= MET * size * max(scale, float(np.abs(x).max(initial=0.0)))))

    conflict = []
    if s.n <= LARGEST:
        conflict = _reduce(pulling if not possible(pulling) else claims, possible)
    left = ", ".join(_describe(s, speeds.gaps * scale, "m/s"))
    fixed = any(claim.fixed is not None for claim in conflict)
    motions = any(claim.words.startswith("the motion") for claim in conflict)
    remedy = "Leave one of the velocities free (drop 'fixed')" if fixed else "Drop one of them"
    if fixed and motions:
        remedy = "Drop one of the motions or leave a velocity free (drop 'fixed')"
    return StartError(
        f"the velocities cannot be met together: {_in_words(s, conflict)}. Constraints left open: {left}. {remedy}",
        closest=_state(wanted, q, speeds.u),
        conflict=tuple(claim.words for claim in conflict),
    )


# -- too many --------------------------------------------------------------------------------------------------------


def check_fixed(wanted: Wanted, q: Floats, what: str) -> None:
    """More fixed values than degrees of freedom are an error even if they happen to agree."""
    problem = _too_many(wanted, q, what)
    if problem is not None:
        raise problem


def _too_many(wanted: Wanted, q: Floats, what: str) -> StartError | None:
    s = wanted.system
    guesses, rows = (wanted.position, s.holonomic) if what == "position" else (wanted.velocity, None)
    names = [s.coordinates[i] + ("'" if what == "velocity" else "") for i in np.flatnonzero(guesses.fixed)]
    freedom = s.n - (s.m if rows is None else int(rows.sum()))
    if len(names) > freedom and s.n <= LARGEST:
        freedom = find_directions(s, q, wanted.t, rows).shape[1]
    if len(names) <= freedom:
        return None
    return StartError(
        f"too many fixed {what} values: {len(names)} ({', '.join(names)}) for {freedom} "
        f"{'degree' if freedom == 1 else 'degrees'} of freedom. Drop 'fixed' from {len(names) - freedom} of them",
        closest=_state(wanted, q, np.zeros(s.n)),
        conflict=tuple(names),
    )


# -- words -----------------------------------------------------------------------------------------------------------


def _claims(s: System) -> list[Claim]:
    """Everything that brings constraints, under the name a user knows."""
    rows: dict[str, list[int]] = {}
    for term in s.terms:
        if term.kernel.constraint_count:
            for i, name in enumerate(term.names):
                for words, row in _name(s, term, i, name):
                    rows.setdefault(words, []).append(row)
    return [Claim(words, tuple(found)) for words, found in rows.items()]


def _name(s: System, term: Term, i: int, name: str) -> list[tuple[str, int]]:
    """How the constraints of an instance are called."""
    rows = term.rows[i].tolist()
    if name in s.joints:
        return [(f"the joint '{name}'", row) for row in rows]
    if name in s.parts:
        # all rows of a part under one name; that of a rod tells its length
        ends = s.parts[name]
        length = term.parameters[i, term.kernel.parameters.index("length")] if "length" in term.kernel.parameters else 0
        what = f"the rod {name} of length {length:.6g}" if len(ends) == 2 and length else f"the part {name}"
        return [(what, row) for row in rows]
    kind, _, rest = name.partition(" ")
    if kind in ("line", "plane", "motion") and rest:
        return [(f"the {kind} {rest}", row) for row in rows]
    return [(f"the constraint '{s.constraints[row]}'", row) for row in rows]


def _fixed_claims(s: System, guesses: Guesses, mark: str) -> list[Claim]:
    return [
        Claim(f"the fixed {s.coordinates[i]}{mark} = {guesses.values[i]:.6g}", fixed=int(i))
        for i in np.flatnonzero(guesses.fixed)
    ]


def _in_words(s: System, conflict: Sequence[Claim]) -> str:
    """The members of a conflict, and the immovable points they hang on."""
    if not conflict:
        return ""
    words = [claim.words for claim in conflict]
    listed = _listed(words[:SHOWN]) + (f" and {len(words) - SHOWN} more" if len(words) > SHOWN else "")
    return f"{listed} {'contradicts the mechanism' if len(words) == 1 else 'contradict each other'}{_grounds(s, conflict)}"


def _grounds(s: System, conflict: Sequence[Claim]) -> str:
    rows = {row for claim in conflict for row in claim.rows}
    used = {
        int(i)
        for term in s.terms
        for k in range(term.count)
        if rows & set(term.rows[k].tolist())
        for i in term.coordinates[k]
    }
    points = [(p, at) for p, at in s.points.items() if at[0] >= s.n and at[0] in used]
    places = [f"{p} ({', '.join(f'{s.frozen[i - s.n]:.6g}' for i in at)})" for p, at in points]
    return f", given {_listed(places)}" if places else ""


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _describe(s: System, size: Floats, unit: str) -> list[str]:
    """The constraints that stay open, worst first."""
    order = np.argsort(-size)[:5]
    return [f"{s.constraints[i]} stays open by {size[i]:.3g} {unit}" for i in order if size[i] > 1e-9 * size[order[0]]]


def _state(wanted: Wanted, q: Floats, u: Floats) -> State:
    zero = np.zeros_like(q)
    return State(wanted.system, np.array(wanted.t), (q, u, zero, np.zeros(wanted.system.m)))
