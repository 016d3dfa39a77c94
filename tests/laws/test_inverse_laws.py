"""Random linkages: driven ones move alike with and without masses, and forces make the motions they were found from."""

import dataclasses
import warnings

import numpy as np
import pytest
from hypothesis import given, settings

import linkwork as lw
from linkages import linkages, numbers
from mechanisms import random_mechanism

FEW = settings(max_examples=12, deadline=None)


def drive(plan, sway, rate):
    """The linkage with as many of its bars driven as it has freedoms, each swinging a little about where it is."""
    model = plan.assembly()
    bars = [rigid.name for rigid in model.mechanism.rigids]
    free = model.structure().mobility.freedom
    start = model.simulate(0.0).final
    chosen = bars[:free]
    angles = {name: float(start[f"{name}.angle"]) for name in chosen}
    laws = {f"{name}.angle": f"{angle!r} + {sway!r}*sin({rate!r}*t)" for name, angle in angles.items()}
    return model, laws


@FEW
@given(plan=linkages(longest=3), sway=numbers(0.01, 0.06), rate=numbers(1.0, 4.0))
def test_driven_linkages_move_alike_by_kinematics_and_by_dynamics(plan, sway, rate):
    model, laws = drive(plan, sway, rate)
    driven = model.driven(laws)
    one, two = driven.simulate(0.5, kinematic=True, tol=1e-11), driven.simulate(0.5, tol=1e-11)
    t = np.linspace(0, 0.5, 12)
    a, b = one.at(t), two.at(t)
    assert np.max(np.abs(a.q - b.q)) < 1e-9
    assert np.max(np.abs(a.u - b.u)) < 1e-7
    size = max(np.max(np.abs(b.lam)), 1e-9)
    assert np.max(np.abs(a.lam - b.lam)) < 1e-5 * size
    assert one.audit().ok
    forces = one.inverse()
    for name in laws:
        assert forces[name] == pytest.approx(one.driving(name), abs=1e-7 * size)


@FEW
@given(plan=linkages(longest=3), sway=numbers(0.01, 0.06), rate=numbers(1.0, 4.0))
def test_the_forces_of_a_driven_linkage_make_its_motion(plan, sway, rate):
    model, laws = drive(plan, sway, rate)
    forces = model.inverse(laws, 0.3, tol=1e-12)
    again = model.with_forces(forces).simulate(tol=1e-12)
    for point in plan.moving:
        assert np.max(np.abs(again.at(forces.t)[point] - forces.motion[point])) < 1e-8
    assert again.audit().ok


@FEW
@given(plan=linkages(longest=3), torque=numbers(-4.0, 4.0), rate=numbers(1.0, 6.0))
def test_the_torque_that_acted_on_a_linkage_is_found_from_its_motion(plan, torque, rate):
    mechanism = plan.mechanism()
    bar = mechanism.rigids[0].name
    law = f"{torque!r}*cos({rate!r}*t)"
    acted = lw.Model(dataclasses.replace(mechanism, torques=(*mechanism.torques, lw.Torque(part=bar, value=law))))
    idle = lw.Model(dataclasses.replace(mechanism, torques=(lw.Torque(part=bar, value=0), *mechanism.torques)))
    motion = acted.simulate(0.4, tol=1e-12)
    found = idle.inverse(motion, actuators=f"{bar}.angle")[f"{bar}.angle"]
    assert found == pytest.approx(torque * np.cos(rate * motion.t), abs=1e-6 * (1 + abs(torque)))


@pytest.mark.parametrize("batch", range(4))
def test_random_motions_need_no_forces_beside_those_that_act(batch):
    asked = 0
    for seed in range(10 * batch, 10 * batch + 10):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                motion = lw.Model(random_mechanism(seed)).simulate(0.1, tol=1e-11, max_seconds=60)
            except lw.LinkworkError:
                continue
        points = [p for p in motion.mechanism.moving_points if "._" not in p]
        targets = [driver.target for driver in motion.mechanism.motions]
        name = f"{points[seed % len(points)]}.x"
        try:
            forces = motion.inverse(name, *targets)
        except lw.SolveError as error:
            assert "not unique" in str(error), f"seed {seed}: {error}"  # a point that does not move that way
            continue
        asked += 1
        size = max(np.max(np.abs(motion.lam), initial=0.0), np.max(np.abs(motion.a)), 1.0)
        assert np.max(np.abs(forces[name])) < 1e-5 * size, f"seed {seed}: {forces[name]} along {name}"
        for target in targets:
            assert forces[target] == pytest.approx(motion.driving(target), abs=1e-5 * size), f"seed {seed}: {target}"
    assert asked >= 3
