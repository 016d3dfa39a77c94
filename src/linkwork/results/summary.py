"""What a run was like, in a few lines of words: a Trajectory in, pairs of a label and a text out."""

from __future__ import annotations

import math

import numpy as np

from linkwork.results.trajectory import Trajectory

LONG = 0.5  # seconds a person notices
FINE = 1e-6  # relative accuracy that states should have, at least


def summarise(motion: Trajectory) -> list[tuple[str, str]]:
    """Mechanism, outcome, events, work done by the computer, constraints, energy."""
    s, system, residuals = motion.stats, motion.system, motion.residuals
    speed = "compiled as one" if s.fused else "compiled" if s.compiled else "interpreted"
    redundant = f", {s.redundant} redundant" if s.redundant else ""
    more = f" ({_seconds(s.elapsed)} with switches and events)" if s.elapsed > max(LONG, 2 * s.seconds) else ""
    count = len(system.states)
    states = f"{count} {'state' if count == 1 else 'states'}, " if count else ""
    lines = [
        ("mechanism", f"{motion.title or 'untitled'}: {system.mechanical.sum()} coordinates, {states}"
                      f"{system.m} constraints{redundant}"),
        ("outcome", motion.outcome),
        ("method", str(s.method)),
        ("work", f"{s.steps} steps of order {s.order} ({s.rejected} rejected) in {_seconds(s.seconds)}{more}, {speed}"),
        ("constraints", f"position {residuals.position:.1e}, velocity {residuals.velocity:.1e}, "
                        f"acceleration {residuals.acceleration:.1e} (relative)"),
        ("energy", _balance(motion)),
    ]  # fmt: skip
    if coarse := _coarse(motion):
        lines.append(("note", f"{coarse}: too small beside the scale to be accurate. Give the usual size as scale"))
    if motion.events:
        lines.insert(2, ("events", _events(motion)))
    return [(label, " ".join(text.split())) for label, text in lines]


def is_early(motion: Trajectory) -> bool:
    """Whether a run ended before the time it was to reach; its outcome says why."""
    return motion.stats.end != "reached"


def _coarse(motion: Trajectory) -> str:
    """States that are so small beside the size by which their errors are judged that little is known of them."""
    system = motion.system
    size = {name: float(np.max(np.abs(motion.u[:, i]))) for name, i in system.states.items()}
    found = [name for name, x in size.items() if 0 < x < motion.stats.tol * system.scales[system.states[name]] / FINE]
    return ", ".join(found[:5])


def _balance(motion: Trajectory) -> str:
    """How well energy is kept; where nothing moves there is nothing that it could be compared with."""
    energy = motion.energy
    if math.isnan(energy.drift) and not motion.whole:
        return "not balanced: work needs all steps, and not all were kept"
    if energy.at_rest:
        return f"balance kept to {energy.imbalance:.1e} J; nothing is exchanged: it is at rest{_work(motion)}"
    return f"balance kept to {energy.drift:.1e} of the energy exchanged{_work(motion)}"


def _work(motion: Trajectory) -> str:
    """What did work, and how much, the largest first."""
    done = {name: float(work[-1]) for name, work in motion.work.items()}
    if "torque" in motion.energy.potentials:
        done["constant torques"] = float(motion.energy.work[-1])
    largest = sorted(done.items(), key=lambda item: -abs(item[1]))[:4]
    more = f" and {len(done) - 4} more" if len(done) > 4 else ""
    return ("; work of " + ", ".join(f"{name} {work:.4g} J" for name, work in largest) + more) if done else ""


def _events(motion: Trajectory) -> str:
    """Which events happened when, the first few of them."""
    first = ", ".join(f"{event.name} at t = {event.t:.6g}" for event in motion.events[:4])
    return first + (f" and {len(motion.events) - 4} more" if len(motion.events) > 4 else "")


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
