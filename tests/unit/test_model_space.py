"""Mechanisms in space: frames, inertia, joints."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwork.errors import InputError
from linkwork.model import (
    STANDARD_GRAVITY,
    Driver,
    InitialValues,
    Joint,
    Mechanism,
    Rigid,
    Torque,
    fix,
    joint_kinds,
)
from linkwork.model.tracked import find_turn_angles
from linkwork.symbolic import symbol

PLATE = Rigid(name="OAB", geometry=[(), (1,), (0, 1)], centroid=("1/3", "1/3"), mass=2, inertia=(1, 1, 2))
HINGE = Joint(name="hinge", kind="revolute", parts=("world", "OAB"), points=("O", "O"))


def make_space(**changes):
    return Mechanism(**{"dimension": 3, "fixed": {"O": ()}, "rigids": [PLATE], **changes})


def numbers(values):
    return [float(value) for value in values]


def test_all_coordinates_are_padded_to_three():
    space = make_space()
    assert numbers(space.fixed["O"]) == [0, 0, 0]
    assert [numbers(place) for place in space.rigids[0].geometry] == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert numbers(space.rigids[0].centroid) == [1 / 3, 1 / 3, 0]


def test_standard_gravity_points_down_in_the_plane_and_in_space():
    assert numbers(make_space(gravity=STANDARD_GRAVITY).gravity) == [0, 0, -9.80665]
    assert numbers(make_space(gravity=(0, -1)).gravity) == [0, -1, 0]
    plane = Mechanism(fixed={"O": ()}, rigids=[Rigid.rod("OA", 1, 1)], gravity=STANDARD_GRAVITY)
    assert numbers(plane.gravity) == [0, -9.80665]


@pytest.mark.parametrize("dimension", [2, 3])
def test_two_points_without_inertia_are_a_uniform_rod(dimension):
    rod = Rigid(name="OA", geometry=[(), ("l",)], centroid=("l/2",), mass="m")
    parameters = {"l": 2, "m": 3}
    (rigid,) = Mechanism(dimension=dimension, parameters=parameters, fixed={"O": ()}, rigids=[rod]).rigids
    assert rigid.inertia == (symbol("m") * symbol("l") ** 2 / 12,)


def test_the_inertia_of_a_rod_may_be_given():
    rod = Rigid(name="OA", geometry=[(), (1,)], centroid=(0.2,), mass=1, inertia="m*r**2")
    space = make_space(parameters={"m": 1, "r": 0.1}, rigids=[rod])
    assert space.compute(space.rigids[0].inertia[0]) == pytest.approx(0.01)


def test_a_body_without_inertia_has_none():
    body = Rigid(name="OAB", geometry=[(), (1,), (0, 1)], mass=1)
    assert numbers(make_space(rigids=[body]).rigids[0].inertia) == [0, 0, 0]


def test_parameters_change_the_inertia_of_a_rod():
    rod = Rigid(name="OA", geometry=[(), ("l",)], centroid=("l/2",), mass="m")
    space = make_space(parameters={"l": 2, "m": 0}, rigids=[rod]).with_parameters(m=3)
    assert space.compute(space.rigids[0].inertia[0]) == 1


@given(st.lists(st.tuples(*[st.floats(-2, 2)] * 3), min_size=2, max_size=6), st.booleans())
def test_the_inertia_of_any_heap_of_masses_is_physical(places, six):
    # I = Σ m (|r|² 1 - r rᵀ) about the centroid; in its principal axes three numbers are enough
    r = np.array(places) - np.mean(places, axis=0)
    inertia = np.sum([np.dot(x, x) * np.eye(3) - np.outer(x, x) for x in r], axis=0)
    i = inertia
    given_numbers = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]] if six else np.linalg.eigvalsh(inertia)
    body = Rigid(
        name="OAB", geometry=[(), (1,), (0, 1)], mass=1, inertia=np.abs(given_numbers) if not six else given_numbers
    )
    assert len(make_space(rigids=[body]).rigids[0].inertia) == (6 if six else 3)


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.01, 5))
def test_a_principal_moment_above_the_sum_of_the_others_is_not_physical(a, b, excess):
    body = Rigid(name="OAB", geometry=[(), (1,), (0, 1)], mass=1, inertia=(a, a + b + excess, b))
    assert "inertia is not physical" in make_space(rigids=[body]).notes[0].what


@given(st.floats(0.1, 1), st.floats(-3, 3))
def test_turning_the_axes_does_not_make_an_inertia_physical(small, angle):
    turn = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]])
    i = turn @ np.diag([small, small, 3 * small]) @ turn.T
    body = Rigid(
        name="OAB", geometry=[(), (1,), (0, 1)], mass=1, inertia=[i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    )
    assert "inertia is not physical" in make_space(rigids=[body]).notes[0].what


def test_joints_turn_in_space():
    space = make_space(joints=[HINGE], torques=[Torque(part="hinge", value="-hinge.omega")])
    assert find_turn_angles(space) == ("hinge",)
    assert find_turn_angles(make_space(joints=[HINGE], motions=[Driver(target="hinge.angle", law="t")])) == ("hinge",)
    assert find_turn_angles(make_space(joints=[HINGE])) == ()
    assert space.find_joint("hinge").kind == "revolute"
    with pytest.raises(InputError, match="no joint named 'hing'"):
        space.find_joint("hing")


@pytest.mark.parametrize(
    ("axis", "reference"),
    [((0, 0, 1), (1, 0, 0)), ((0, 1), (1, 0, 0)), ((2,), (0, 1, 0)), (("cos(al)", "sin(al)"), (1, 0, 0))],
)
def test_a_reference_across_the_axis_is_found(axis, reference):
    joint = Joint(name="h", kind="revolute", parts=("world", "OAB"), points=("O", "O"), axes=(axis, axis))
    (found,) = make_space(parameters={"al": 0.3}, joints=[joint]).joints
    assert [numbers(r) for r in found.references] == [list(reference)] * 2
    assert [len(a) for a in found.axes] == [3, 3]


@pytest.mark.parametrize("kind", joint_kinds(3))
def test_every_kind_of_joint_connects_a_body_to_the_world(kind):
    own = {name: 1 for name, value in joint_kinds(3)[kind].parameters.items() if value is None}
    given = Joint(name="j", kind=kind, parts=("world", "OAB"), points=("O", "O"), parameters=own)
    (joint,) = make_space(joints=[given]).joints
    assert joint.kind == kind


def test_initial_values_have_three_components():
    start = InitialValues(positions={"A": (1, fix(2), 3)}, angles={"hinge": fix(1)}, rates={"hinge": 2})
    space = make_space(joints=[HINGE], torques=[Torque(part="hinge", value=1)], start=start)
    assert [guess.fixed for guess in space.start.positions["A"]] == [False, True, False]


def test_fixed_points_of_a_body_in_space_must_not_be_mirrored():
    body = Rigid(name="OABC", geometry=[(), (1,), (0, 1), (0, 0, 1)])
    rods = [body, Rigid.rod("CD", 1, 1)]
    fixed = {"O": (), "A": (1,), "B": (0, 1), "C": (0, 0, 1)}
    make_space(fixed=fixed, rigids=rods)
    make_space(fixed={"O": (), "A": (0, 1), "B": (0, 0, 1), "C": (1,)}, rigids=rods)
    with pytest.raises(InputError, match="fixed point 'C' is not where the part has it"):
        make_space(fixed={**fixed, "C": (0, 0, -1)}, rigids=rods)
    with pytest.raises(InputError, match="fixed point 'B' is not where the part has it"):
        make_space(fixed={**fixed, "B": (1, 1)}, rigids=rods)
