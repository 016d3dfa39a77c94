"""Starts by name: named values are kept, values that a file fixes stay fixed, joints in space have angles."""

import numpy as np
import pytest

import linkwork as lw

FORMULATIONS = ("points", "absolute", "tree")
CART = """
PhysicalParams: {l: 1, m: 0.1, M: 1}
PartData:
  Fixed: {O: [-3], Q: [3]}
  Rigids: {AB: {Geom: [[l]], Dyna: [[l/2], m]}}
  Particles: {A: M}
Connections: {Collinear: [OQA]}
Inputs: {F: 0}
AppliedForces: {Gravity: , Forces: {A: [F]}}
ProblemData: {tend: 1, positions: {A: [[0, fixed]], B: [[0.05, fixed], l]}, velocities: {A: [[0.3, fixed]]}}
"""
ARM = """
Dimension: 3
Bodies:
  world: {frames: {o: {z: [0, 1, 0], x: [1, 0, 0]}}}
  upper:
    mass: 1
    centre: [0.5]
    inertia: [0.01, 0.1, 0.1]
    frames: {o: {z: [0, 1, 0], x: [1, 0, 0]}, elbow: {at: [1], z: [0, 0, 1], x: [1, 0, 0]}}
  lower: {mass: 1, centre: [0.5], inertia: [0.01, 0.1, 0.1], frames: {o: {z: [0, 0, 1], x: [1, 0, 0]}}}
Connections:
  Joints:
    shoulder: {kind: revolute, frames: [world.o, upper.o]}
    elbow: {kind: KIND, frames: [upper.elbow, lower.o]}
AppliedForces: {Gravity: }
ProblemData: {tend: 0.1}
"""
FLAT = """
Bodies:
  world: {frames: {o: []}}
  upper: {mass: 1, centre: [0.5], inertia: 0.1, frames: {o: [], elbow: {at: [1], angle: 0.2}}}
  lower: {mass: 1, centre: [0.5], inertia: 0.1, frames: {o: []}}
Connections:
  Joints:
    shoulder: {kind: revolute, frames: [world.o, upper.o]}
    elbow: {kind: revolute, frames: [upper.elbow, lower.o]}
AppliedForces: {Gravity: }
ProblemData: {tend: 0.1}
"""


@pytest.mark.parametrize("named", [{"F": 0.0}, {"F": 0.5}, {"A.vx": 0.3}, {"A.x": 0.0}, {"F": 1.0, "A.x": 0.2}])
def test_fixed_values_of_the_file_stay_fixed_beside_named_ones(named):
    model = lw.loads(CART)
    first = model.simulate(0.01, start=named).at(0.0)
    assert first["B.x"] == 0.05 and first["A.vx"] == 0.3
    assert all(first[name] == value for name, value in named.items())
    assert model.stepper(start=named)["B.x"] == pytest.approx(0.05, abs=1e-15)


def test_inputs_alone_leave_the_start_as_it_is():
    model = lw.loads(CART.replace("[[0.05, fixed], l]", "[0.06, 0.97*l]"))
    plain, named = model.simulate(0.01).at(0.0), model.simulate(0.01, start={"F": 2.0}).at(0.0)
    np.testing.assert_array_equal(plain.q[: model.system.n], named.q[: model.system.n])
    np.testing.assert_array_equal(plain.u, named.u)


def test_a_named_value_goes_before_fixed_ones_that_contradict_it():
    text = CART.replace("Inputs", "Events: {far: AB.angle - 9}\nInputs")
    assert lw.loads(text).simulate(0.01, start={"AB.angle": 1.2}).at(0.0)["AB.angle"] == pytest.approx(1.2, abs=1e-12)


@pytest.mark.parametrize("form", FORMULATIONS)
@pytest.mark.parametrize("kind", ["revolute", "cylindrical"])
def test_joints_of_space_start_at_named_angles_and_speeds_as_a_file_says(form, kind):
    text = ARM.replace("KIND", kind) + f"Formulation: {form}\n"
    given = {"shoulder.angle": 0.4, "elbow.angle": -0.9, "elbow.omega": 2.0}
    said = "positions: {shoulder: [[0.4, fixed]], elbow: [[-0.9, fixed]]}, velocities: {elbow: [[2.0, fixed]]}"
    named = lw.loads(text).simulate(0.1, start=given).at(0.0)
    there = lw.loads(text.replace("tend: 0.1", f"tend: 0.1, {said}")).simulate(0.1).at(0.0)
    for name, value in given.items():
        assert named[name] == pytest.approx(value, abs=1e-12) == there[name]
    np.testing.assert_allclose(named["lower.o"], there["lower.o"], atol=1e-12)
    np.testing.assert_allclose(named["lower.wz"], there["lower.wz"], atol=1e-9)


@pytest.mark.parametrize("form", FORMULATIONS)
def test_joints_and_bodies_of_the_plane_start_at_named_angles_and_speeds(form):
    given = {"shoulder.angle": 0.4, "elbow.angle": -0.9, "elbow.omega": 2.0}
    model = lw.loads(FLAT + f"Formulation: {form}\n")
    first = model.simulate(0.1, start=given).at(0.0)
    for name, value in given.items():
        assert first[name] == pytest.approx(value, abs=1e-12)
    assert model.simulate(0.1, start={"lower.angle": 0.7}).at(0.0)["lower.angle"] == pytest.approx(0.7, abs=1e-12)


@pytest.mark.parametrize("beside", ["0", "7e-18", "-3e-17", "1e-15", "1e-12"])
@pytest.mark.parametrize("length", ["1", "2", "0.5", "0.3"])
def test_a_frame_may_be_a_rounding_error_beside_the_axis_of_its_body(beside, length):
    text = ARM.replace("KIND", "revolute").replace("elbow: {at: [1]", f"elbow: {{at: [{length}, {beside}]")
    plane = FLAT.replace("elbow: {at: [1]", f"elbow: {{at: [{length}, {beside}]")
    for model in (lw.loads(text), lw.loads(plane)):
        assert model.simulate(0.05).audit().ok


def test_a_misspelt_joint_angle_is_told_what_was_meant():
    with pytest.raises(lw.InputError, match=r"'shoulder\.angel' is nothing that .* Did you mean 'shoulder\.angle'"):
        lw.loads(ARM.replace("KIND", "revolute")).simulate(0.1, start={"shoulder.angel": 0.4})
