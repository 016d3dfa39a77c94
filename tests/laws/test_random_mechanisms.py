"""Random mechanisms of every kind are simulated and audited: what is said to be reached is right."""

import time
import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import TimeLimitError
from mechanisms import hostile_mechanism, nearly_singular, random_mechanism, rough_mechanism
from tools import share

UNTIL = 0.3
SECONDS = 300  # a guard against a run without end
BATCH = 25
BATCHES = [*range(12), *(pytest.param(batch, marks=pytest.mark.long) for batch in range(12, 20))]


def run(mechanism, seed):
    """The motion at a tolerance that depends on the seed; None if it is refused in words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.AccuracyWarning)
        warnings.simplefilter("ignore", lw.ModelWarning)  # rounded numbers are told
        try:
            return lw.Model(mechanism).simulate(UNTIL, tol=10.0 ** -(4 + 7 * seed % 10), max_seconds=SECONDS)
        except (lw.InputError, lw.StartError, lw.SolveError):
            return None
        except TimeLimitError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


def audit_all(seeds):
    """Every motion obeys the laws of mechanics; most mechanisms move."""
    motions = {seed: run(random_mechanism(seed), seed) for seed in seeds}
    moved = {seed: motion for seed, motion in motions.items() if motion is not None}
    wrong = {seed: motion.audit().text() for seed, motion in moved.items() if not motion.audit().ok}
    assert not wrong, "\n".join(f"seed {seed}: {text}" for seed, text in wrong.items())
    assert not [seed for seed, motion in moved.items() if motion.doubts]
    assert len(moved) > 0.6 * len(motions)


@pytest.mark.parametrize("batch", BATCHES)
def test_random_mechanisms_obey_the_laws_of_mechanics(batch):
    audit_all(range(BATCH * batch, BATCH * (batch + 1)))


@pytest.mark.parametrize("batch", range(3))
def test_implicit_steps_of_random_mechanisms_obey_the_laws_of_mechanics(batch):
    for seed in range(4 * batch, 4 * batch + 4):
        try:
            exact = lw.Model(random_mechanism(seed)).simulate(UNTIL, tol=1e-9, max_seconds=SECONDS)
        except lw.LinkworkError:
            continue
        for method, tol, within in (("hht", 1e-6, 1e-2), ("radau", 1e-8, 1e-4)):
            motion = lw.Model(random_mechanism(seed)).simulate(UNTIL, tol=tol, method=method, max_seconds=SECONDS)
            assert motion.audit().ok, f"seed {seed}: {motion.audit().text()}"
            scale = np.max(exact.system.scales)
            assert np.max(np.abs(motion.final.q - exact.final.q)) < within * scale, f"seed {seed}, {method}"


@pytest.mark.parametrize(("method", "tol"), [("taylor", 1e-9), ("hht", 1e-5), ("radau", 1e-8)])
def test_random_mechanisms_with_laws_of_reactions_obey_the_laws_of_mechanics(method, tol):
    moved = 0
    for seed in range(6):
        model = lw.Model(rough_mechanism(seed)).formulated("points" if seed % 4 < 2 else "auto")
        try:
            motion = model.simulate(0.1, tol=tol, method=method, max_seconds=SECONDS)
        except (lw.InputError, lw.StartError, lw.SolveError):
            continue
        if motion.stats.redundant:
            continue  # reactions are not unique
        moved += bool(model.mechanism.algebra)
        assert motion.audit().ok, f"seed {seed}: {motion.audit().text()}"
    assert moved > 1


def held(mechanism, seed):
    """The same with a point that a sampled controller brakes, late and in steps."""
    point = next((p for p in mechanism.moving_points if "." not in p and "_" not in p), None)
    if point is None:
        return None
    rigids, joints = mechanism.given
    zeros = (0,) * (mechanism.dimension - 1)
    brake = lw.Sampled(
        "brake", period=0.3 / (3 + seed % 11), offset=0.01 * (seed % 3), delay=(0, 0.5, 1, 1.25)[seed % 4],
        reads={"seen": f"{point}.vx"}, memory={"slow": "slow/2 + seen/2"}, outputs={"push": "-slow/10"},
        quantum={"seen": 1e-3} if seed % 2 else {},
    )  # fmt: skip
    forces = [*mechanism.forces, lw.Force(point=point, components=("push", *zeros))]
    return replace(mechanism, rigids=rigids, joints=joints, forces=forces, controllers=[brake])


@pytest.mark.parametrize("batch", range(4))
def test_random_mechanisms_with_a_sampled_controller_obey_the_laws_of_mechanics(batch):
    moved = 0
    for seed in range(6 * batch, 6 * batch + 6):
        try:
            mechanism = held(random_mechanism(seed), seed)
            motion = None if mechanism is None else lw.Model(mechanism).simulate(UNTIL, tol=1e-9, max_seconds=SECONDS)
        except (lw.InputError, lw.StartError, lw.SolveError):
            continue
        if motion is None:
            continue
        moved += 1
        assert motion.audit().ok, f"seed {seed}: {motion.audit().text()}"
        assert motion.final["brake_count"] > 2
        # what a state holds is all that is needed to go on
        again = lw.Model(mechanism).simulate(UNTIL, tol=1e-9, start=motion.at(0.123))
        off = np.max(np.abs(again.final.q - motion.final.q)[: motion.system.n] / motion.system.scales)
        assert off < 1e-5, f"seed {seed}: {off}"
    assert moved > 2


@pytest.mark.long
@pytest.mark.parametrize("batch", range(share(200)))
def test_fresh_random_mechanisms_obey_the_laws_of_mechanics(batch):
    base = time.time_ns() // 1000 % 10**9
    audit_all(range(base, base + 100))


@pytest.mark.parametrize("batch", range(4))
def test_nearly_singular_mechanisms_are_right_or_doubted(batch):
    for seed in range(BATCH * batch, BATCH * (batch + 1)):
        motion = run(nearly_singular(seed), seed)
        assert motion is None or motion.audit().ok or motion.doubts, f"seed {seed}: {motion.audit().text()}"


def defy(seed, seconds=2.0):
    """A hostile mechanism ends in its time, in a motion or in words."""
    begun = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.AccuracyWarning)
        warnings.simplefilter("ignore", lw.ModelWarning)  # rounded numbers are told
        try:
            motion = lw.Model(hostile_mechanism(seed)).simulate(UNTIL, max_seconds=seconds)
            assert np.isfinite(motion.final.q).all()
        except lw.LinkworkError as error:
            assert str(error)
    # compiling is waited for, but not much else
    assert time.monotonic() - begun < 60, f"seed {seed} took {time.monotonic() - begun:.0f} s"


@pytest.mark.parametrize("batch", range(4))
def test_hostile_numbers_end_in_time_and_in_words(batch):
    for seed in range(BATCH * batch, BATCH * (batch + 1)):
        defy(seed)


def test_slopes_of_constraints_that_are_out_of_range_end_in_words():
    defy(700001403)


@pytest.mark.long
@pytest.mark.parametrize("batch", range(share(20)))
def test_fresh_hostile_numbers_end_in_time_and_in_words(batch):
    base = time.time_ns() // 1000 % 10**9
    for seed in range(base, base + 100):
        defy(seed)
