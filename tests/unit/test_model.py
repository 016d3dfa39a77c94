"""The model: built by hand from numbers, texts and symbols; symbolic in its parameters; frozen."""

import copy
import dataclasses
import doctest
import importlib
import pickle

import pytest

import linkwork as lw
from linkwork.errors import InputError
from linkwork.model import (
    STANDARD_GRAVITY,
    Guess,
    InitialValues,
    Mechanism,
    Particle,
    Rigid,
    Spring,
    Torque,
    fix,
    functions,
    split_points,
)
from linkwork.model.tracked import find_turn_angles
from linkwork.symbolic import symbol


def make_pendulum(**changes):
    fields = {
        "parameters": {"l": 2, "m": "3*l", "k": 100},
        "fixed": {"O": ()},
        "rigids": [Rigid.rod("OA", "l", "m")],
        "springs": [Spring(name="AB", stiffness="k", rest_length="l/2")],
        "particles": [Particle(point="B", mass=1)],
        "gravity": STANDARD_GRAVITY,
        "torques": [Torque(part="OA", value=0.5)],
        "start": InitialValues(tend=10, positions={"A": (fix("l"), 0)}, rates={"OA": 1}),
    }
    return Mechanism(**{**fields, **changes})


def test_parameters_are_computed_in_the_order_of_their_dependence():
    names = ["d", "a", "c", "b"]
    chain = Mechanism(
        parameters={"d": "c+1", "a": 1, "c": "b+1", "b": "a+1"},
        fixed={"O": ()},
        rigids=[Rigid.rod("OA", 1, 1)],
    )
    assert [chain.values[name] for name in names] == [4, 1, 3, 2]


def test_a_changed_parameter_changes_everything_derived_from_it():
    pendulum = make_pendulum()
    inertia = pendulum.rigids[0].inertia[0]
    assert pendulum.compute(inertia) == pytest.approx(6 * 4 / 12)
    longer = pendulum.with_parameters(l=4)
    assert longer.compute(inertia) == pytest.approx(12 * 16 / 12)
    assert longer.values["m"] == 12
    assert pendulum.values["m"] == 6


def test_an_expression_is_computed_once_per_mechanism():
    pendulum = make_pendulum()
    expr = symbol("l") * symbol("k") + 1
    assert pendulum.compute(expr) == 201
    assert pendulum._numbers[expr] == 201


def test_moving_points_are_those_of_parts_without_the_fixed_ones_in_lexicographic_order():
    rods = [Rigid.rod(f"P{k}P{k + 1}", 1, 1) for k in range(11)]
    chain = Mechanism(fixed={"P0": ()}, rigids=rods)
    assert chain.moving_points == ("P1", "P10", "P11", *(f"P{k}" for k in range(2, 10)))


def test_turn_angles_belong_to_both_parts_of_a_relative_torque():
    rods = [Rigid.rod("OA", 1, 1), Rigid.rod("AB", 1, 1)]
    arm = Mechanism(fixed={"O": ()}, rigids=rods, torques=[Torque(part="OA", value=1, other="AB")])
    assert find_turn_angles(arm) == ("AB", "OA")


def test_a_rod_has_its_centroid_in_the_middle_and_a_twelfth_of_m_l_squared():
    rod = Rigid.rod("OA", "l", "m")
    l, m = symbol("l"), symbol("m")
    assert rod.centroid[0] is l / 2
    assert rod.inertia == (m * l**2 / 12,)


def test_missing_coordinates_are_zero():
    body = Rigid(name="OAB", geometry=[(), (1,), (0, 2)], mass=1, inertia=1)
    (rigid,) = Mechanism(fixed={"O": ()}, rigids=[body]).rigids
    assert [[float(x) for x in place] for place in rigid.geometry] == [[0, 0], [1, 0], [0, 2]]
    assert [float(x) for x in rigid.centroid] == [0, 0]


def test_a_part_may_have_a_name_of_its_own():
    crank = Rigid.rod("crank", 1, 1, points=("O", "A"))
    assert Mechanism(fixed={"O": ()}, rigids=[crank]).moving_points == ("A",)


def test_a_part_name_and_its_points_determine_each_other():
    assert split_points("OA") == ("O", "A")
    assert split_points("P1P23q") == ("P1", "P23", "q")
    for wrong in ("", "1A", "A_B", "A B", "ÄB", "A-B"):
        assert split_points(wrong) == ()


def test_find_rigid_looks_up_by_name():
    pendulum = make_pendulum()
    assert pendulum.find_rigid("OA") is pendulum.rigids[0]
    with pytest.raises(InputError, match="no rigid part named 'OB'"):
        pendulum.find_rigid("OB")


def test_a_plain_number_is_a_guess_that_may_change():
    start = make_pendulum().start
    assert start.positions["A"][0].fixed
    assert not start.positions["A"][1].fixed
    assert start.rates["OA"] == Guess(value=1)


def test_equal_start_and_end_are_allowed():
    assert make_pendulum(start=InitialValues(t0=1, tend=1)).start.tend is not None


def test_a_mechanism_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        make_pendulum().title = "other"


def test_a_mechanism_survives_pickling_and_copying():
    pendulum = make_pendulum()
    for twin in (pickle.loads(pickle.dumps(pendulum)), copy.deepcopy(pendulum)):
        assert twin.values == pendulum.values
        assert twin.rigids == pendulum.rigids
        assert twin.with_parameters(l=1).values["m"] == 3


@pytest.mark.parametrize(
    "module",
    [
        "symbolic.parse",
        "model.convert",
        "model.connections",
        "model.functions",
        "model.laws",
        "model.parts",
        "model.tables",
        "model.start",
        "model.settings",
        "model.values",
        "model.mechanism",
        "spec.nodes",
        "spec.mechanism",
    ],
)
def test_the_examples_in_docstrings_run(module, monkeypatch):
    monkeypatch.setattr(functions, "_registered", functions.FunctionTable())
    result = doctest.testmod(importlib.import_module(f"linkwork.{module}"))
    assert result.attempted > 0
    assert result.failed == 0


def test_what_controllers_hold_is_kept_in_a_copy_and_is_no_place():
    servo = lw.Pid(error="k*OA.angle", P=1, D=2)
    made = lw.Mechanism(
        parameters={"k": 1, "l": 1}, fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", "l", 1)], variables={"servo": servo}
    )
    assert made.held == {"k"}
    assert made.with_parameters(l=2).held == {"k"}
    assert lw.Mechanism(fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 1)]).held == set()
