"""Laws of accelerations, velocities, reactions and calls behind a ball joint: one motion in all formulations.

Rates by `rhs()` are those of the motion, and its Jacobians the limit of differences.
"""

import numpy as np
import pytest

import linkwork as lw

ARM = """
Title: arm
Dimension: 3
PhysicalParams: {{k: 3, c: 0.2, m: 1.2, x: -0.3, z: -sqrt(1 - x**2)}}
Bodies:
  world: {{frames: {{o: {{at: [0, 0, 0], z: [0, 1, 0]}}}}}}
  arm:
    mass: m
    centre: [0.1, 0, -0.5]
    inertia: [0.1, 0.2, 0.1]
    frames: {{o: {{at: [0, 0, 0], z: [0, 1, 0]}}, e: [0, 0, -1]}}
  hand: {{mass: 1, centre: [0, 0.1, -0.4], inertia: [0.1, 0.2, 0.15], frames: {{o: [], tip: [0, 0, -0.6]}}}}
Connections:
  Joints:
    hinge: {{kind: revolute, frames: [world.o, arm.o]}}
    ball: {{kind: spherical, frames: [arm.e, hand.o]}}
AppliedForces: {{Gravity: , {forces}}}
{more}
ProblemData:
  tend: 0.5
  positions: {{arm.o: [0, 0, 0], arm.e: [x, 0, z], hand.o: [x, 0, z], hand.tip: [x, 0.2, z - 0.5]}}
"""
IMPLICIT = "Variables: {v: {implicit: v + v**3 - hand.tip.vx - 0.02*hand.tip.ax}}"
LAWS = {
    "velocity": ("Torques: {hinge: -k*hand.tip.vx*hand.tip.vz}", ""),
    "acceleration": ("Forces: {hand.tip: [-0.1*hand.tip.ax, -0.05*hand.tip.vy]}", ""),
    "reaction": ("Torques: {hinge: -0.05*sqrt(1 + hinge.fx**2)*tanh(hinge.omega/0.5)}", ""),
    "implicit": ("Torques: {hinge: -k*v}", IMPLICIT),
    "calls": ("Torques: {hinge: a}", "Variables: {a: 'bent(hinge.angle, b)', b: slow(hand.tip.vx) + t}"),
}


@pytest.fixture(autouse=True)
def functions(functions_stay_in_their_test):
    lw.function("slow", lambda v: -0.3 * v * abs(v) - 0.1 * v, opaque=True)
    lw.function("bent", lambda a, b: -0.2 * np.sin(a) * b - 0.1 * b, opaque=True)


def arm(law, formulation):
    forces, more = LAWS[law]
    return lw.loads(ARM.format(forces=forces, more=more)).formulated(formulation)


@pytest.mark.parametrize("law", LAWS)
def test_motions_are_the_same_in_all_formulations(law):
    motions = [arm(law, name).simulate(tol=1e-11) for name in ("points", "absolute", "tree")]
    assert all(motion.audit().ok for motion in motions)
    for name in ("hand.tip.x", "hand.tip.vz", "hinge.omega"):
        values = [float(motion.final[name]) for motion in motions]
        assert np.ptp(values) < 1e-10, name


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("formulation", ["absolute", "tree"])
def test_rates_in_a_state_of_a_motion_are_the_limit_of_its_differences(law, formulation):
    model, h = arm(law, formulation), 1e-4
    motion = model.simulate(tol=1e-13)
    f = model.rhs(at=motion.at(0.3), compiled=False)
    before, after = (model.rhs(at=motion.at(0.3 + step), compiled=False).start for step in (-h, h))
    spins = {f"{body}.w{axis}" for body in ("arm", "hand") for axis in "xyz"}  # whose integrals nothing depends on
    moves = [i for i, name in enumerate(f.names) if name not in spins]
    differences = (after - before) / (2 * h)
    np.testing.assert_allclose(f(0.3, f.start)[moves], differences[moves], rtol=0, atol=1e-5)


@pytest.mark.parametrize("law", LAWS)
def test_jacobians_are_the_limit_of_differences(law):
    f, h = arm(law, "absolute").rhs(compiled=False), 1e-6
    x, steps = f.start + 0.01, h * np.eye(len(f.start))
    differences = ((f(0.0, x + steps) - f(0.0, x - steps)) / (2 * h)).T
    np.testing.assert_allclose(f.jacobian(0.0, x), differences, rtol=0, atol=1e-6 * np.abs(differences).max())
