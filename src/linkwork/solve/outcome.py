"""The end of a run in words: a machine and its status in, a sentence with the cause and the remedy out."""

from __future__ import annotations

import numpy as np

from linkwork.arrays import Floats
from linkwork.clock import seconds_allowed, seconds_left
from linkwork.equations import System
from linkwork.equations.collect import name_instance
from linkwork.errors import InputError, Problem, Ref
from linkwork.native import Status, Stepper
from linkwork.native.numbers import compute_dense, compute_matrices, compute_residual, find_no_energy, find_not_finite
from linkwork.native.rank import FAINT, OUT_OF_RANGE, split
from linkwork.native.switched import SwitchedMachine
from linkwork.results import End
from linkwork.solve.start.consistent import Start
from linkwork.solve.start.nearby import move_off
from linkwork.solve.start.singular import decompose, is_small

WAYS = 8  # directions in which a way out of a singular position is sought
NEAR = 1e-3  # singular values below this fraction of the largest are about to vanish
CLOSE = 1e-4  # and below this the position is all but singular
SHARE = 0.05  # of a constraint in a combination that vanishes, above which it matters
PARTS = ("rigid", "body", "part")  # what is held together by constraints of its own
MOST_NAMED = 5
LAWS = ("force", "torque", "damper", "dissipation", "motion", "state")  # whose laws people write
SMALLER = "Let the law depend less on them: a smaller coefficient of friction, or a lag by a state"
ANOTHER = "Give an equation that has a solution all the way, or another guess"
DENSE = 300  # coordinates up to which all inertias are looked at


def find_end(status: Status, interrupted: bool) -> End:
    """How a run ended that nothing else stopped."""
    if status is Status.FINISHED:
        return "reached"
    if status is not Status.MORE:
        return "stopped"
    return "interrupted" if interrupted else "out of time" if seconds_left() <= 0 else "stopped"


def describe_outcome(machine: Stepper, status: Status, end: End, until: float, step: float | None) -> str:
    """Why a run ended, as `motion.outcome` says it; `step`: the length of its steps, if that was given."""
    if end == "interrupted":
        return f"interrupted at t = {machine.t:g}; what was computed is kept"
    if end == "out of time":
        return f"out of time at t = {machine.t:g} after {seconds_allowed():g} s; what was computed is kept"
    if end == "reached":
        return f"reached t = {until:g}"
    holding = _find_holding(machine)
    if isinstance(machine, SwitchedMachine):
        machine = machine.inner  # of the constraints that hold now
    if status is not Status.NOT_FINITE and not _has_slopes(machine):
        return f"stopped at t = {machine.t:g}: values are {OUT_OF_RANGE}"
    reasons = {
        Status.MORE: f"after {machine.tally.steps} steps, the most that were allowed",
        Status.TOO_SMALL: _too_small(machine) if status is Status.TOO_SMALL else "",
        Status.NOT_FINITE: f"a value is not finite{_culprits(machine)}. {_undefined(machine)}",
        Status.NO_INERTIA: _inertia(machine) if status is Status.NO_INERTIA else "",
        Status.NOT_CLOSED: "the constraints can no longer be met",
        Status.JUMP: _dead_point(machine)
        or f"a force jumps there{_jumping(machine)}. {_discontinuous(machine.system)}",
        Status.LOCKED: _locked(machine, holding) if status is Status.LOCKED else "",
        Status.JAMMED: _jammed(machine),
    }
    dead = _dead_point(machine) if status in (Status.TOO_SMALL, Status.JUMP, Status.NOT_CLOSED) else ""
    hint = (
        f". Steps of {step:g} s may be too long for it: give a shorter step, or none"
        if step and status is not Status.MORE
        else ""
    )
    return f"stopped at t = {machine.t:g}: {dead or reasons[status]}{hint}"


def describe_endless(t: float, event: str) -> str:
    """The end of a run at an event that acts faster and faster."""
    words = f"stopped at t = {t:.9g}: event '{event}' acts faster and faster, infinitely often in a finite time"
    return f"{words}. Let a stop do that (Stops: a gap and a restitution), which comes to rest"


def describe_chatter(t: float, law: str) -> str:
    """Why a run ended where a law switches to and fro."""
    return (
        f"stopped at t = {t:g}: '{law}' switches to and fro without end. "
        "Smooth the law, e.g. tanh(v/v0) instead of sign(v)"
    )


def describe_pace(steps: int, then: float, now: float, more: float) -> str:
    """That a run crawls: how it went lately, and what it would take at this pace."""
    return (
        f"no progress: the last {steps} steps led from t = {then:.9g} to {now:.9g}, {(now - then) / steps:.1e} s each, "
        f"and {more:.0e} more would follow. It is stiff, with vibrations far faster than what is of interest, or near "
        "a singular position, or constraints nearly contradict each other. Soften what is stiff, or ask linkwork check"
    )


def _has_slopes(machine: Stepper) -> bool:
    """Whether the slopes of constraints have values where the machine is, so that their rank can be looked at."""
    system = machine.system
    return not is_small(system) or bool(np.isfinite(compute_dense(system, machine.end[0], machine.t)[1]).all())


def _dead_point(machine: Stepper) -> str:
    """That a prescribed motion cannot go on, if constraints are about to lose rank with its help."""
    system = machine.system
    rows = np.array([row.kind == "motion" for row in system.rows], dtype=bool)
    if not (is_small(system) and rows.any()):
        return ""
    here = decompose(system, machine.end[0], machine.t)
    lost = here.U[:, here.count(NEAR) : here.count(FAINT)]
    felt = rows & (np.max(np.abs(lost), axis=1, initial=0.0) > SHARE)
    names = [str(system.rows[i].owner.name) for i in np.flatnonzero(felt)]
    if not names:
        return ""
    return (
        f"a dead point: the parts are stretched or folded so that {' and '.join(names[:5])} cannot follow the law any "
        "further. Change the law or the dimensions, or prescribe something that leads through"
    )


def _too_small(machine: Stepper) -> str:
    """Why steps shrink: constraints that are about to lose rank, by whose they are, or whatever it may be."""
    system = machine.system
    if trouble := _find_trouble(system):
        return f"the step became too small. {trouble}"
    if names := _find_dependent(machine):
        told = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        return (
            f"the step became too small near a singular position: the conditions of {told} are no longer independent "
            "there, and the forces that hold them grow beyond all bounds. Keep away from it: by other dimensions, by "
            "another start, or by a stop"
        )
    return (
        "the step became too small. The mechanism is near a singular position, or a force or motion changes too fast "
        f"there{_growing(system)}{_ending(system)}{_laws(system)}"
    )


def _find_dependent(machine: Stepper) -> list[str]:
    """Those whose constraints are about to lose rank, the most concerned first; parts only where nothing else is."""
    system = machine.system
    if not is_small(system):
        return []
    here = decompose(system, machine.end[0], machine.t)
    lost = np.max(np.abs(here.U[:, here.count(CLOSE) : here.count(FAINT)]), axis=1, initial=0.0)
    felt = [system.rows[i].owner for i in np.argsort(-lost, kind="stable") if lost[i] > SHARE]
    owners = [who for who in felt if who.kind not in PARTS] or felt
    return [str(who) for who in dict.fromkeys(owners)][:MOST_NAMED]


def _locked(machine: Stepper, holding: list[str]) -> str:
    """Why nothing moves where constraints lose rank: no way leads on, or several do."""
    system, q = machine.system, machine.end[0]
    if is_small(system) and not system.followers:
        here = decompose(system, q, machine.t)
        N, kept = here.Vt[here.rank :].T, system.holonomic
        if any(move_off(system, q, machine.t, kept, N, attempt) is not None for attempt in range(WAYS)):
            return (
                "in this singular position ways of moving meet, and the velocities do not say which of them to go. "
                "Give it the velocities of one, or start a little away from it"
            )
    if holding:
        return (
            f"the mechanism is locked: while {' and '.join(map(repr, holding[:MOST_NAMED]))} holds, its constraints "
            f"leave no motion{_fight(system)}. Let it give way: by a spring, or by a force in place of a motion"
        )
    return f"the mechanism is locked: in this singular position its constraints leave no motion{_fight(system)}"


def _fight(system: System) -> str:
    return f", or motions fight it{_laws(system)}" if _laws(system) else ""


def _find_holding(machine: Stepper) -> list[str]:
    """The stops and frictions that hold something, by name."""
    if not isinstance(machine, SwitchedMachine):
        return []
    system, off = machine.system, machine.off
    stops = [barrier.name for barrier in system.barriers if barrier.row not in off]
    return stops + [grip.name for grip in system.grips if not off.issuperset(grip.rows)]


def _jammed(machine: Stepper) -> str:
    """Why algebraic values have no solution, or several."""
    values = machine.system.algebra
    names = ", ".join(value.name for value in values)
    if all(value.implicit for value in values):
        return f"no value of {names} nearby satisfies its equation. {ANOTHER}"
    if not machine.culprit:
        return f"no values of {names} satisfy the laws that depend on them. {SMALLER}"
    return (
        f"the loop of {names} and the laws that depend on them has no unique solution: its determinant is "
        f"{machine.culprit}, where 1 means no feedback and zero that it jams. {SMALLER}"
    )


def _ending(system: System) -> str:
    names = ", ".join(value.name for value in system.algebra)
    return f", or there is no {names} beyond that satisfies the laws" if names else ""


def _growing(system: System) -> str:
    return ", or a state grows beyond all bounds" if system.states else ""


def _find_trouble(system: System) -> str:
    """What the first of the opaque functions that failed says of it."""
    troubles = [words for value in system.opaque for words in value.function.trouble]
    return troubles[0][0].upper() + troubles[0][1:] if troubles else ""


def _undefined(machine: Stepper) -> str:
    """What has no value, or may have none."""
    system = machine.system
    if trouble := _find_trouble(system):
        return trouble
    if names := _find_without_length(system, machine.end[0]):
        told = " and of ".join(f"{who.kind} {who.name}" for who in names[:3])
        words = f"The ends of {told} meet, and the line along which it acts has no direction there"
        if any(who.kind == "spring" for who in names):
            return f"{words}. Keep them apart, or let its length at rest be zero"
        return f"{words}. Keep them apart, or use a Dissipation of the speed between them, c/2*(A.vx**2 + A.vy**2)"
    if is_lagrangian(system):
        return "L, a force or a constraint has no value or no derivative there, as a root or a quotient at zero"
    where = "a law or the rate of a state" if system.states else "a law"
    laws = f"{where} may divide by zero or take a root or logarithm of nothing"
    kinds = [kind for kind in ("spring", "damper") if _has(system, kind)]
    return f"The ends of a {' or '.join(kinds)} may coincide, or {laws}" if kinds else laws[0].upper() + laws[1:]


def _find_without_length(system: System, q: Floats) -> list[Ref]:
    """The springs with a rest length and the dampers whose ends are in one place."""
    places, found = system.extend(q), list[Ref]()
    ends = 2 * max(map(len, system.chart.points.values()), default=0)
    for term in system.terms:
        if term.kind in ("damper", "spring"):
            a, b = np.split(places[term.coordinates[:, :ends]], 2, axis=1)
            found += [term.owners[i] for i in np.flatnonzero((a == b).all(axis=1))]
    return found


def _discontinuous(system: System) -> str:
    """What may jump."""
    laws = _laws(system)
    if not _has(system, "spring"):
        return f"A law may be discontinuous{laws}"
    return "A spring with a rest length may pass through zero length" + (
        f", or a law be discontinuous{laws}" * bool(laws)
    )


def _has(system: System, kind: str) -> bool:
    """Whether there is a spring or damper."""
    return any(term.kind == kind for term in system.terms)


def _inertia(machine: Stepper) -> str:
    """Why a coordinate cannot be accelerated, and what to do about it."""
    subject, undefined = f"coordinate '{machine.culprit}'", "so its motion is undefined"
    if not is_lagrangian(machine.system):
        return f"{subject} can move without moving any mass, {undefined}. Give the part a mass or connect it"
    if _is_negative(machine):
        return f"{subject} has negative inertia, {undefined}. Check the signs in L = T - V"
    remedy = "Give it kinetic energy or a constraint, or make it a state"
    return f"{subject} can move without any inertia in L, {undefined}. {remedy}"


def _is_negative(machine: Stepper) -> bool:
    """Whether the inertia is negative: by M on the motions that G allows, if they are few, else by its diagonal."""
    from scipy.linalg import eigvalsh

    M, G = compute_matrices(machine.system, machine.end[0], machine.t)
    if machine.system.n > DENSE:
        i = machine.system.index.get(machine.culprit)
        return i is not None and bool(M.diagonal()[i] < 0)
    allowed = split(G.toarray()).right if machine.system.m else np.eye(machine.system.n)
    inertias = eigvalsh(allowed.T @ M.toarray() @ allowed)
    return bool(len(inertias) and inertias[0] < -1e-9 * np.max(np.abs(inertias)))


def _culprits(machine: Stepper) -> str:
    """The parts and laws whose equations are not finite where the machine is."""
    system = machine.system
    q, u, _, _ = machine.end
    still = np.zeros_like(q)
    names = find_not_finite(system, q, u, still, np.zeros(system.m), machine.t)
    return f" ({', '.join(names[:5])})" if names else ""


def _laws(system: System) -> str:
    """The laws in play, by name."""
    named = (pair for term in system.terms for pair in zip(term.owners, term.names, strict=True))
    names = [name for owner, name in named if owner.kind in LAWS]
    return f" (laws: {', '.join(names[:5])})" if names else ""


def _jumping(machine: Stepper) -> str:
    """The springs that are about to pass through zero length."""
    system = machine.system
    extended = system.extend(machine.end[0])
    names = []
    for term in system.terms:
        if term.kind == "spring":
            ends = extended[term.coordinates].reshape(term.count, 2, -1)
            near = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) < 1e-3 * float(system.scales.max())
            names += [term.names[i] for i in np.flatnonzero(near)]
    return f" (spring {', '.join(names[:5])})" if names else ""


def check_energies(system: System, start: Start, until: float) -> None:
    """Refuse a law whose energy or power has no value at the start though forces have, as 1/O.vx of a fixed point O."""
    names = find_no_energy(system, start.q, start.u, start.t)
    if not names:
        return
    # a run that goes on finds forces without a value by itself
    r = compute_residual(system, start.q, start.u, np.zeros_like(start.q), np.zeros(system.m), start.t)
    if until == start.t or np.isfinite(r).all():
        what = f"the energy or power of {', '.join(names[:5])} is not finite at the start, t = {start.t:g}"
        remedy = "Its law may divide by zero or take a root or logarithm of nothing"
        raise InputError([Problem(what=what, remedy=remedy)])


def refuse_weightless(system: System, coordinate: str, outcome: str) -> InputError:
    """That the parts which a coordinate belongs to have no mass."""
    owners = [] if is_lagrangian(system) else _find_owners(system, coordinate)
    owners = [owner for owner in owners if owner.kind in PARTS] or owners  # joints and forces have no mass anyway
    part = ", ".join(f"part '{name_instance(owner)}'" for owner in owners)
    return InputError([Problem(part=part, ref=next(iter(owners), None), what=outcome)])


def _find_owners(system: System, coordinate: str) -> list[Ref]:
    i, carried = system.index.get(coordinate, -1), coordinate.rpartition(".")[0]
    if i < 0 and carried in system.chart.parts:
        return [Ref("rigid", carried)]
    found = [who for t in system.terms for who, row in zip(t.owners, t.coordinates, strict=True) if i in row]
    return list(dict.fromkeys(found))


def is_lagrangian(system: System) -> bool:
    """Whether the equations come from a Lagrangian, which has no parts."""
    return any(term.kind == "lagrangian" for term in system.terms)
