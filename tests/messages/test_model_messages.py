"""What a user reads when a mechanism built in Python is wrong."""

import math

import pytest

from linkwork.errors import InputError, LinkworkError, Ref
from linkwork.model import InitialValues, Mechanism, Particle, Rigid, Settings, Spring, Torque, fix

ROD = Rigid.rod("OA", 1, 1)


def messages(**fields):
    with pytest.raises(InputError) as caught:
        Mechanism(**{"fixed": {"O": ()}, "rigids": [ROD], **fields})
    return str(caught.value).split("\n")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"rigids": [Rigid(name="OA", geometry=[(), (1,)], mass=-1)]},
            "rigid 'OA': mass is negative (-1). Make it zero or positive",
        ),
        ({"rigids": [ROD, ROD]}, "rigid 'OA': defined 2 times. Give each part its own name"),
        (
            {"rigids": [Rigid(name="OA", geometry=[(), ("lenght",)])], "parameters": {"length": 1}},
            "rigid 'OA': place of 'A': unknown name 'lenght'. Did you mean 'length'?",
        ),
        (
            {"rigids": [Rigid(name="OA", geometry=[(), (1,), (2,)])]},
            "rigid 'OA': 3 places for 2 points. Give one place per point",
        ),
        (
            {"rigids": [Rigid(name="OA", geometry=[(1,), (2,)])]},
            "rigid 'OA': the first point 'O' is not at the local origin. Place it at (0, 0)",
        ),
        (
            {"springs": [Spring(name="AAB", stiffness=1, rest_length=1, mass=1)]},
            "spring 'AAB': a spring joins two different points. Name it by its ends, as in 'AB'",
        ),
        (
            {"torques": [Torque(part="OA", value=1, other="OA")]},
            "torque 'OA': the torque is between a part and itself. Name two different parts",
        ),
        (
            {"start": InitialValues(positions={"A": (1, 2, fix(3))})},
            "position of 'A': 3 coordinates in dimension 2. Give at most 2",
        ),
        (
            {"start": InitialValues(angles={"OA": 1})},
            "angle of 'OA': no turn angle named 'OA'. "
            "A part has one if it has a torque or a motion, or if a law or event uses its angle",
        ),
        (
            {"settings": Settings(tol=math.nan)},
            "Integration: tol nan is out of range. Use 1e-16 to 0.01",
        ),
        ({"dimension": 4}, "Dimension: 4 is not a dimension. Use 2 or 3"),
        (
            {"parameters": {"k": "1/a", "a": 0}},
            "parameter 'k': division by zero: 1/a at a = 0. Check the formula and its parameters",
        ),
    ],
)
def test_one_mistake_gives_one_message(fields, message):
    assert messages(**fields) == [message]


def test_all_mistakes_are_reported_together():
    found = messages(
        particles=[Particle(point="A", mass=-1)],
        torques=[Torque(part="AO", value=1)],
        start=InitialValues(t0=1, tend=0, velocities={"O": (0, 0), "B": (0, 0)}),
    )
    assert found == [
        "particle 'A': mass is negative (-1). Make it zero or positive",
        "torque 'AO': no rigid part named 'AO'. Did you mean 'OA'?",
        "ProblemData: tend (0) is before t0 (1). Give a later tend",
        "velocity of 'O': point 'O' is fixed. Remove it here or from Fixed",
        "velocity of 'B': no part has a point 'B'. Moving points are A",
    ]


def test_a_part_name_that_lists_no_points_needs_them_given():
    with pytest.raises(InputError) as caught:
        Rigid.rod("upper_arm", 1, 1)
    assert str(caught.value) == (
        "rigid 'upper_arm': the name does not list points. "
        "Name it by its points, letter and digits each, as in 'OA' or 'P1P2', or give `points`"
    )


def test_an_unknown_parameter_cannot_be_changed():
    mechanism = Mechanism(parameters={"length": 1}, fixed={"O": ()}, rigids=[Rigid.rod("OA", "length", 1)])
    with pytest.raises(InputError, match="no parameter named 'lenght'"):
        mechanism.with_parameters(lenght=2)


@pytest.mark.parametrize("value", [math.nan, math.inf, "1/", "l l"])
def test_what_is_not_a_finite_number_is_refused_where_it_is_given(value):
    with pytest.raises(LinkworkError):
        Rigid.rod("OA", value, 1)


def test_a_problem_names_its_part_and_detail_apart_from_its_words():
    with pytest.raises(InputError) as caught:
        Mechanism(fixed={"O": ()}, rigids=[Rigid(name="OA", geometry=[(), (1,)], mass=-1)], gravity=("g",))
    mass, gravity = caught.value.problems
    assert (mass.ref, mass.detail, mass.part) == (Ref("rigid", "OA"), "mass", "rigid 'OA'")
    assert (gravity.ref, gravity.detail, gravity.part) == (Ref("gravity"), "value", "gravity")
