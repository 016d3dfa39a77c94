"""Auditing: a Trajectory in, times inside its steps chosen, and the verdict of the audit out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.audit import PLACES, ROUNDING, Audit, Finding, Weight, worst
from linkwork.blas import in_one_thread
from linkwork.errors import LinkworkError
from linkwork.model import TIME, Mechanism
from linkwork.native.numbers import has_power
from linkwork.results.examiners import Examiner, make_examiner
from linkwork.results.phases import split_phases
from linkwork.symbolic import free_symbols

if TYPE_CHECKING:
    from linkwork.results.trajectory import Trajectory


GEOMETRY = ("rigid parts are rigid", "points stay where ties hold them", "directions and angles agree")
NUMBERS = 400_000  # coordinates times samples
MOST = 240  # samples, or
LONG = 2000  # one in each step
GLANCES = 8  # steps that a quick look is taken at
LARGE = 3000  # coordinates above which there is no quick look
AGREE = 1e-3  # of the size: what two integrations may differ by
ROUGH_LAW = 0.02  # of a law's range: what a smooth law differs by from a polynomial within a step
SHORT = 0.05  # of the usual step
GAUSS = 10  # points of the quadrature of power over a step
ENERGY = 300.0  # times the tolerance: imbalance of energy, relative to what was exchanged
COARSE = 0.01  # imbalance that no tolerance allows
FAINT = 1e-11  # of the energies: imbalance that is rounding
BESIDE = 1e-6  # of a usual step: where drivers are looked at beside a border
SAME = 1e-9  # seconds: what happens so close together happens at once
STRIKE = 1e-4  # of a driver's largest speed: a jump of it strikes the mechanism


@in_one_thread(lambda motion: motion.system.n)
def audit_motion(motion: Trajectory) -> Audit:
    """The verdict on a motion; of one that is not smooth, on its phases and on what happens between them."""
    if motion.breaks:
        verdicts = [audit_motion(phase) for phase in motion.some_phases]
        findings = _worst(
            [*(finding for each in verdicts for finding in each.findings), *audit_stops(motion), *audit_jumps(motion)]
        )
        advice = next((each.advice for each in verdicts if each.advice), "")
        return Audit(findings=findings, samples=sum(each.samples for each in verdicts), advice=advice)
    examiner = make_examiner(motion)
    if examiner is None or not motion.store.count:
        return Audit(findings=(), samples=0)
    steps, dt = choose_samples(motion)
    with np.errstate(all="ignore"):
        some = np.linspace(0, len(steps) - 1, min(len(steps), GLANCES)).astype(np.int64)
        found = [*examiner.laws(steps, dt), *examiner.reactions(steps[some], dt[some])]
        found += audit_borders(motion) if motion.whole else []
        found += audit_energy(motion, examiner, LONG)
        found.sort(key=lambda finding: -finding.ratio)
        failures = [finding for finding in found if not finding.ok]
        advice = _advise(motion, examiner, failures) if failures else ""
    return Audit(findings=tuple(found), samples=len(steps), advice=advice, fitted=motion.stats.fitted)


def _worst(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Of each law the finding that speaks most against the motion."""
    found: dict[str, Finding] = {}
    for finding in findings:
        if finding.law not in found or finding.ratio > found[finding.law].ratio:
            found[finding.law] = finding
    return tuple(sorted(found.values(), key=lambda finding: -finding.ratio))


def audit_stops(motion: Trajectory) -> list[Finding]:
    """Nothing passes a stop, by the formulas of the stops."""
    model = motion.mechanism
    if not isinstance(model, Mechanism) or not model.stops:
        return []
    steps, dt = choose_samples(motion)
    t = motion.store.t[steps] + dt
    state, size = motion.at(t), float(np.max(motion.system.scales, initial=0.0)) or 1.0
    allowed = size * (PLACES * motion.stats.judged + ROUNDING)
    found = []
    for stop in model.stops:
        amount = np.maximum(0.0, -np.asarray(state[stop.text]))
        found += worst("stops are not passed", [stop.name], t, amount[:, None], np.full((len(t), 1), allowed), "m")
    return found


def audit_jumps(motion: Trajectory) -> list[Finding]:
    """Where something jumps by itself no kinetic energy comes from nowhere, by the masses of the description.

    What is driven may give energy through a stop, and events that change speeds do what their author wants.
    """
    model, store = motion.mechanism, motion.store
    if not isinstance(model, Mechanism) or _is_driven(model) or not motion.whole:
        return []
    given = np.array([event.t for event in motion.events if event.name in {x.name for x in model.events if x.then}])
    breaks = {b.step: b for b in motion.breaks if 0 < b.step < store.count and not np.any(np.abs(given - b.t) <= SAME)}
    if not breaks:
        return []
    examiner, now = make_examiner(motion), np.array([*breaks])
    assert examiner is not None
    before = examiner.weigh(now - 1, store.h[now - 1]).kinetic[: len(now)]
    after = examiner.weigh(now, np.zeros(len(now)))
    share = ENERGY * min(motion.stats.judged, COARSE) + ROUNDING
    allowed = share * float(np.max(after.kinetic)) + after.slack[: len(now)] + 1e-300
    gained, t = np.maximum(after.kinetic[: len(now)] - before, 0.0), np.array([b.t for b in breaks.values()])
    where = int(np.argmax(gained / allowed))
    return worst("impacts give no energy", [[*breaks.values()][where].name], t, gained[:, None], allowed[:, None], "J")


def _is_driven(model: Mechanism) -> bool:
    """Whether something is moved by the time alone, and so has energy to give."""
    laws = [*(x.formula for x in model.relations), *(x.formula for x in model.velocity_constraints)]
    laws += [stop.law for stop in model.stops]
    return bool(model.motions) or TIME in free_symbols(*laws)


def find_doubts(motion: Trajectory) -> tuple[str, ...]:
    """What is wrong with a motion as far as a quick look tells, in sentences; none if all seems well."""
    if motion.breaks:
        return next((found for found in map(find_doubts, split_phases(motion, GLANCES)) if found), ())
    examiner = make_examiner(motion)
    if examiner is None or not motion.store.count or motion.system.n > LARGE:
        return ()
    steps = choose_steps(motion, GLANCES)
    if examiner.clears(steps):
        return ()
    with np.errstate(all="ignore"):
        found = _look(motion, examiner, steps)
    if all(finding.ok for finding in found):
        return ()
    audit = motion.audit()
    return audit.doubts or tuple(finding.text() for finding in found if not finding.ok)


def _look(motion: Trajectory, examiner: Examiner, steps: Ints) -> list[Finding]:
    """Laws somewhere inside some steps, and energy against work."""
    dt = (0.3 + 0.4 * (0.618034 * steps % 1.0)) * motion.store.h[steps]
    if not has_power(motion.system):
        return [*examiner.shape(steps, dt), *audit_energy(motion, examiner, GLANCES)]
    if not _is_balanced(motion, examiner):
        return examiner.laws(steps, dt)
    samples, count = sample_balance(motion, 8 * GLANCES), len(steps)
    laws, weight = examiner.look(np.append(steps, samples.at), np.append(dt, samples.dt), count)
    return [*laws, *_judge(motion, weigh_balance(motion, examiner, samples, weight.tail(count)))]


def audit_deeply(motion: Trajectory, shallow: Audit) -> Audit:
    """The verdict with an estimate of the global error, by integrating again in another way."""
    if motion.about.again is None:
        raise LinkworkError("this motion cannot be integrated again. Ask for a deep audit where it was simulated")
    stats, until = motion.stats, float(motion.t[-1])
    longest = float(np.max(motion.store.h, initial=0.0)) or np.inf
    other = motion.about.again(
        until, tol=max(stats.tol / 100, 1e-15), order=min(stats.order + 5, 60), max_step=0.61803 * longest
    )
    end = min(until, float(other.t[-1]))
    times = np.linspace(float(motion.t[0]), end, MOST)
    one, two, s = motion.at(times), other.at(times), motion.system
    off = {point: np.max(np.linalg.norm(one[point] - two[point], axis=1)) for point in _judged(motion)}
    off |= {name: np.max(np.abs(one[name] - two[name])) for name in (*s.chart.angles, *s.states)}
    if not s.chart.points:
        off |= {name: np.max(np.abs(one[name] - two[name])) for name in s.places}
    errors = tuple((name, float(value)) for name, value in sorted(off.items(), key=lambda pair: -pair[1]))
    worst_name, amount = errors[0] if errors else ("nothing", 0.0)
    size = float(np.max(s.scales, initial=0.0)) or 1.0
    agree = Finding(law="two integrations agree", where=worst_name, t=end, amount=amount, allowed=AGREE * size, unit="")
    found = sorted([*shallow.findings, agree], key=lambda finding: -finding.ratio)
    return replace(shallow, findings=tuple(found), errors=errors)


def _judged(motion: Trajectory) -> list[str]:
    """The points that move."""
    s = motion.system
    return [point for point, at in s.chart.points.items() if at[0] < s.n]


def _advise(motion: Trajectory, examiner: Examiner, failures: list[Finding]) -> str:
    """What may be the cause of failures, and what to do."""
    if not all(np.isfinite(finding.amount) for finding in failures):
        return "Numbers are out of range, or a formula has no value there: check the parameters and formulas"
    laws = {finding.law for finding in failures}
    geometry = [finding for finding in failures if finding.law in GEOMETRY]
    if geometry and not laws & {"steps join"}:
        return "The motion does not hold the mechanism together, which should never happen: please report this file"
    step = _suspect(motion, failures[0])
    h, t = float(motion.store.h[step]), float(motion.store.t[step])
    law, rough = examiner.find_rough_law(step)
    if rough > ROUGH_LAW:
        return f"{law} changes faster than the steps near t = {t:.4g}: give a max_step below {h / 5:.2g} s"
    if h < SHORT * float(np.median(motion.store.h)) or motion.stats.rejected > motion.stats.steps:
        return (
            f"The steps become short near t = {t:.4g}, as beside a singular position: "
            "change the geometry a little, or start elsewhere"
        )
    if "step" in motion.method.numbers:
        return f"Steps of {h:.3g} s are too long for tol = {motion.stats.tol:g}: give a shorter step, or none"
    return f"Give a smaller tol (it was {motion.stats.tol:g})"


def _suspect(motion: Trajectory, finding: Finding) -> int:
    """The step at which a law is broken."""
    return int(np.clip(np.searchsorted(motion.store.t, finding.t, side="right") - 1, 0, motion.store.count - 1))


def _room(motion: Trajectory, most: int, each: int = 1) -> int:
    """How many samples there may be, fewer of large mechanisms."""
    return max(8, min(most, NUMBERS // max(1, each * motion.system.n)))


def choose_steps(motion: Trajectory, most: int) -> Ints:
    """All steps, or so many of them evenly spread."""
    count = motion.store.count
    return np.arange(count) if count <= most else np.arange(most) * (count - 1) // max(1, most - 1)


def choose_samples(motion: Trajectory) -> tuple[Ints, Floats]:
    """Steps and times after their beginnings: several in each of a few steps, one in each of many."""
    steps = choose_steps(motion, _room(motion, LONG))
    count = max(1, _room(motion, MOST) // len(steps))
    each = np.repeat(steps, count)
    # another place in each step, so that nothing periodic hides
    shift = 0.8 * ((0.618034 * np.arange(len(each))) % 1.0 - 0.5)
    return each, (np.tile(np.arange(count) + 0.5, len(steps)) + shift) / count * motion.store.h[each]


# -- over several steps ------------------------------------------------------------------------------------------------


def audit_borders(motion: Trajectory) -> list[Finding]:
    """Where one step ends the next one begins; and places change by what the velocities add up to."""
    store, s = motion.store, motion.system
    steps = choose_steps(motion, _room(motion, LONG, GAUSS))
    h = store.h[steps]
    begin, end = (store.evaluate(steps, dt)[0] for dt in (np.zeros_like(h), h))
    later = store.evaluate(np.minimum(steps + 1, store.count - 1), np.zeros_like(h))[0]
    later[steps == store.count - 1] = motion.final.q
    x, weight = _gauss()
    speeds = store.evaluate(np.repeat(steps, GAUSS), (h[:, None] * (x + 1) / 2).ravel())[1]
    travelled = np.einsum("kgn,g->kn", speeds.reshape(len(steps), GAUSS, -1), weight) * h[:, None] / 2
    moving = np.flatnonzero(s.mechanical)
    names, t = [s.labels[i] for i in moving], store.t[steps] + h
    allowed = s.scales[moving] * (PLACES * motion.stats.tol + ROUNDING) + ROUNDING * np.abs(end[:, moving])
    return [
        *worst("steps join", names, t, np.abs(later - end)[:, moving], allowed, ""),
        *worst("velocities are the rates of places", names, t, np.abs(end - begin - travelled)[:, moving], allowed, ""),
    ]


@cache
def _gauss() -> tuple[Floats, Floats]:
    x, weight = np.polynomial.legendre.leggauss(GAUSS)
    return x, weight


def audit_energy(motion: Trajectory, examiner: Examiner, most: int) -> list[Finding]:
    """Energy against work, relative to what was exchanged, by so many steps."""
    if not _is_balanced(motion, examiner):
        return []
    samples = sample_balance(motion, most)
    return _judge(motion, weigh_balance(motion, examiner, samples, examiner.weigh(samples.at, samples.dt)))


def _is_balanced(motion: Trajectory, examiner: Examiner) -> bool:
    """Whether energies can be compared with work: it is not known what was supplied between states that were kept."""
    return examiner.weighs and (motion.whole or not has_power(motion.system))


def _judge(motion: Trajectory, balance: Balance) -> list[Finding]:
    t, off, allowed = balance.t, np.abs(balance.off), balance.allowed(motion.stats.judged)
    return worst("energy against work", ["the balance"], t, off[:, None], allowed[:, None], "J")


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Energy against work along a motion.   all (k,)

    off        what energy is more than it was at the start and what was supplied since
    exchanged  the largest kinetic energy and what came and went since the start: Σ |ΔT| and Σ |work|
    slack      what errors of places and velocities that are allowed make of the energy
    """

    t: Floats
    off: Floats
    exchanged: Floats
    slack: Floats

    def allowed(self, tol: float) -> Floats:
        """The imbalance that a tolerance allows."""
        return min(ENERGY * tol, COARSE) * self.exchanged + self.slack


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceSamples:
    """Times at which energies and power are weighed: where steps begin and, with power, where they end and inside.

    steps   numbers of steps (k,);  at, dt: the step of each time, and how long after its beginning
    """

    steps: Ints
    at: Ints
    dt: Floats


def sample_balance(motion: Trajectory, most: int = LONG) -> BalanceSamples:
    """The times for a balance over at most so many steps."""
    powered = has_power(motion.system)
    steps = choose_steps(motion, _room(motion, most, GAUSS if powered else 1))
    at, dt = [steps], [np.zeros(len(steps))]
    if powered:
        h, (x, _) = motion.store.h[steps], _gauss()
        at += [steps, np.repeat(steps, GAUSS)]
        dt += [h, (h[:, None] * (x + 1) / 2).ravel()]
    return BalanceSamples(steps=steps, at=np.concatenate(at), dt=np.concatenate(dt))


def weigh_balance(motion: Trajectory, examiner: Examiner, samples: BalanceSamples, weight: Weight) -> Balance:
    """Energies at the steps and the work between them; of many steps in some, taken for all.

    weight   at the times of the samples, and at the end
    """
    steps, count = samples.steps, len(samples.steps)
    begins = np.append(np.arange(count), -1)
    T, E = weight.kinetic[begins], weight.energy[begins]
    powered = len(samples.at) > count
    off, turnover = _balance_steps(motion, examiner, steps, weight) if powered else (np.diff(E), np.abs(np.diff(T)))
    return Balance(
        t=np.append(motion.store.t[steps], motion.t[-1]),
        off=np.append(0.0, np.cumsum(off)),
        exchanged=np.maximum.accumulate(T) + np.append(0.0, np.cumsum(turnover)),
        slack=weight.slack[begins] + FAINT * float(np.max(weight.size[begins])),
    )


def _balance_steps(motion: Trajectory, examiner: Examiner, steps: Ints, weight: Weight) -> tuple[Floats, Floats]:
    """Energy less work of each step, and what was exchanged in it."""
    h, k = motion.store.h[steps], len(steps)
    E, after = np.append(weight.energy[:k], weight.energy[-1]), weight.energy[k : 2 * k]
    work = weight.power[2 * k : -1].reshape(-1, GAUSS) @ _gauss()[1] * h / 2
    gained = after - E[:-1]
    off, turnover = gained - work, np.abs(work) + np.abs(gained)
    if len(steps) == motion.store.count:
        # what changes between two steps is an error, unless a driver changes its speed there at once
        t, beside = motion.store.t + h, BESIDE * float(np.median(h))
        before, later = examiner.rates(t - beside), examiner.rates(t + beside)
        struck = np.any(np.abs(later - before) > STRIKE * np.max(np.abs(before), axis=0, initial=1e-300), axis=1)
        off = off + np.where(struck, 0.0, E[1:] - after)
    return off, turnover
