"""Laws in the model: what they mean, which turns they track, what stays symbolic."""

import copy
import pickle

import pytest

from linkwork.model import (
    TIME,
    Body,
    Collinear,
    Damper,
    Dissipation,
    Driver,
    Event,
    Force,
    Joint,
    Mechanism,
    Quantity,
    Rigid,
    Spring,
    Torque,
    as_law,
    is_constant,
    quantities,
    quantity,
)
from linkwork.model.tracked import find_turn_angles
from linkwork.symbolic import symbol


def make_arm(**changes):
    """Two rods in a row, O fixed."""
    fields = {
        "parameters": {"l": 1, "m": 2, "k": 5},
        "fixed": {"O": (), "Q": (3,)},
        "rigids": [Rigid.rod("OA", "l", "m"), Rigid.rod("AB", "l", "m")],
    }
    return Mechanism(**{**fields, **changes})


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("A.x", Quantity("A", "x")),
        ("P12.vz", Quantity("P12", "vz")),
        ("AB.length", Quantity("AB", "length")),
        ("P1P2.rate", Quantity("P1P2", "rate")),
        ("OA.angle", Quantity("OA", "angle")),
        ("CDE.omega", Quantity("CDE", "omega")),
        ("upper_arm.angle", Quantity("upper_arm", "angle")),
        ("h1.omega", Quantity("h1", "omega")),
    ],
)
def test_a_dotted_name_is_a_quantity(name, found):
    assert quantity(name) == found


@pytest.mark.parametrize("name", ["A", "A.w", "AB.x", "A.length", "ABC.rate", ".x", "A.", "a_b.x", "1.angle"])
def test_other_names_are_no_quantities(name):
    assert quantity(name) is None


def test_the_symbols_of_a_law_have_their_kind():
    law = as_law("k*A.x + A.vy*AB.rate - OA.omega*OA.angle*t + AB.length")
    kinds = {s.name: str(s.kind) for s, _ in quantities(law)}
    assert kinds == {
        "A.x": "coordinate",
        "A.vy": "speed",
        "AB.length": "coordinate",
        "AB.rate": "speed",
        "OA.angle": "coordinate",
        "OA.omega": "speed",
    }
    assert as_law("t") is TIME
    assert as_law("k") is symbol("k")


def test_a_law_of_parameters_is_constant():
    assert is_constant(as_law("2*k + sin(l)"))
    assert not is_constant(as_law("2*t"))
    assert not is_constant(as_law("A.x"))


@pytest.mark.parametrize(
    ("fields", "turns"),
    [
        ({}, ()),
        ({"torques": [Torque(part="OA", value=1)]}, ("OA",)),
        ({"torques": [Torque(part="OA", value="sin(t)")]}, ("OA",)),
        ({"torques": [Torque(part="OA", value="k", other="AB")]}, ("AB", "OA")),
        ({"torques": [Torque(part="OA", value="-k*AB.omega")]}, ("AB", "OA")),
        ({"forces": [Force(point="B", components=(0, "k*OA.angle"))]}, ("OA",)),
        ({"dampers": [Damper(name="QB", coefficient="1 + AB.angle**2")]}, ("AB",)),
        ({"dissipations": [Dissipation(name="hinge", function="k*(OA.omega - AB.omega)**2")]}, ("AB", "OA")),
        ({"motions": [Driver(target="OA.angle", law="t")]}, ("OA",)),
        ({"motions": [Driver(target="B.x", law="t")]}, ()),
        ({"events": [Event(name="round", when="AB.angle - 6")]}, ("AB",)),
    ],
)
def test_the_turns_to_be_tracked_are_those_with_a_torque_or_a_motion_or_in_a_law(fields, turns):
    assert find_turn_angles(make_arm(**fields)) == turns


def test_laws_keep_their_parameters():
    arm = make_arm(forces=[Force(point="B", components=("-k*B.vx",))])
    (force,) = arm.with_parameters(k=7).forces
    assert force.components[0] is -symbol("k") * symbol("B.vx", kind="speed")
    assert force.components[1].value == 0


def test_points_of_connections_and_dampers_may_be_fixed():
    arm = make_arm(collinears=[Collinear("OBQ")], dampers=[Damper(name="QB", coefficient=1)])
    assert arm.moving_points == ("A", "B")


def test_a_spring_makes_a_point_of_its_end():
    arm = make_arm(
        springs=[Spring(name="BC", stiffness="k", rest_length=1, mass=1)], dampers=[Damper(name="BC", coefficient=1)]
    )
    assert arm.moving_points == ("A", "B", "C")


def test_a_damper_by_coefficient_or_force():
    rate = symbol("AB.rate", kind="speed")
    assert Damper(name="AB", coefficient=3).force is 3 * rate
    assert Damper(name="dash", points=("A", "B"), coefficient=3).force is 3 * rate
    assert Damper(name="AB", force="c*AB.rate**3").force is symbol("c") * rate**3


def test_a_parameter_may_be_called_t_while_no_law_uses_the_time():
    arm = make_arm(parameters={"l": "t", "m": 1, "t": 2}, forces=[Force(point="B", components=(1,))])
    assert arm.compute(arm.rigids[0].geometry[1][0]) == 2


def test_a_mechanism_with_laws_survives_pickling_and_copying():
    arm = make_arm(
        torques=[Torque(part="OA", value="-k*OA.angle")],
        motions=[Driver(target="B.x", law="sin(t)")],
        events=[Event(name="low", when="B.y", stop=True)],
    )
    for twin in (pickle.loads(pickle.dumps(arm)), copy.deepcopy(arm)):
        assert twin.torques == arm.torques
        assert twin.motions == arm.motions
        assert twin.events == arm.events


def test_a_rod_is_pinned_to_any_frame_at_a_place_as_to_the_first_one_there():
    crank = Body("crank", mass=1, inertia=0.1, centre=("l/2",), frames={"o": (), "pin": ("l",), "tip": ("l",)})
    hinge = Joint(name="hinge", kind="revolute", frames=("world.o", "crank.o"))

    def make(point):
        rod = Rigid(name="rod", points=(f"crank.{point}", "B"), geometry=[(), ("l",)], centroid=("l/2",), mass=1)
        world = Body("world", frames=["o"])
        return Mechanism(parameters={"l": 1}, bodies=[world, crank], rigids=[rod], joints=[hinge])

    pin, tip = make("pin"), make("tip")
    assert tip.rigids == pin.rigids
    assert tip.with_parameters(l=2).moving_points == pin.moving_points == ("B", "crank.o", "crank.pin")
