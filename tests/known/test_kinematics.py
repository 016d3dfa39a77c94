"""Kinematic motions, by constraints and prescribed motions alone, against closed forms and against dynamics."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

ROOT = Path(__file__).parents[2]

SLIDER_CRANK = """
Dimension: 2
PhysicalParams: {r: 0.3, l: 1.1, w: 7}
PartData:
  Fixed: {O: [], Q: [1]}
  Rigids:
    OA: {Geom: [[r]]}
    AB: {Geom: [[l]]}
Connections: {Collinear: [OQB]}
Motions: {OA.angle: w*t}
Events: {half: B.x - l}
ProblemData: {t0: 0, tend: 2, positions: {A: [r, 0], B: [r + l, 0]}}
"""

FOUR_BAR = """
Dimension: 2
PhysicalParams: {a: 0.4, b: 1.0, c: 0.8, d: 1.0}
PartData:
  Fixed: {O: [], Q: [d]}
  Rigids:
    OA: {Geom: [[a]]}
    AB: {Geom: [[b]]}
    QB: {Geom: [[c]]}
MOTIONS
ProblemData: {t0: 0, tend: 3, positions: {A: [a, 0], B: [d, c]}}
"""


def four_bar(motions="Motions: {OA.angle: 5*t}"):
    return lw.loads(FOUR_BAR.replace("MOTIONS", motions))


def slider(t, r=0.3, l=1.1, w=7.0):
    """Place, speed and acceleration of the slider."""
    s, c = r * np.sin(w * t), r * np.cos(w * t)
    root = np.sqrt(l**2 - s**2)
    first = -w * s - w * s * c / root
    second = -(w**2) * c - w**2 * ((c**2 - s**2) / root + s**2 * c**2 / root**3)
    return c + root, first, second


@pytest.mark.parametrize("method", ["auto", "rk8", "baumgarte"])
def test_a_slider_crank_without_masses_moves_as_its_formula_says(method):
    motion = lw.loads(SLIDER_CRANK).simulate(kinematic=True, tol=1e-12, method=method)
    t = np.linspace(0, 2, 201)
    x, v, a = slider(t)
    loose = 1e3 if method == "baumgarte" else 1
    assert np.max(np.abs(motion.at(t)["B.x"] - x)) < 1e-12 * loose
    assert np.max(np.abs(motion.at(t).velocity("B")[:, 0] - v)) < 1e-10 * loose
    assert np.max(np.abs(motion.at(t).acceleration("B")[:, 0] - a)) < 1e-8 * loose
    assert motion.audit().ok and motion.audit(deep=True).ok
    assert motion.stats.kinematic and "kinematic" in str(motion.method)


def test_events_are_noticed_and_states_follow():
    text = SLIDER_CRANK + "States: {X: {rate: B.x - X, start: 0.5}}\n"
    motion = lw.loads(text).simulate(kinematic=True, tol=1e-12)
    found = [event.t for event in motion.events]
    assert len(found) == 4
    assert np.max(np.abs(slider(np.array(found))[0] - 1.1)) < 1e-12
    t = np.linspace(0, 2, 4001)
    by_hand = np.exp(-2) * (0.5 + np.trapezoid(np.exp(t) * slider(t)[0], t))
    assert motion.final["X"] == pytest.approx(by_hand, abs=1e-6)
    assert motion.audit().ok


def test_only_what_is_asked_for_is_kept():
    model = four_bar()
    whole, some, end = (model.simulate(kinematic=True, **x) for x in ({}, {"every": 0.25}, {"save": "end"}))
    assert some.t == pytest.approx(np.arange(13) * 0.25)
    assert np.max(np.abs(some["B"] - whole.at(some.t)["B"])) < 1e-13
    assert np.max(np.abs(end.final.q - whole.final.q)) < 1e-13


@pytest.mark.parametrize("compiled", [True, False])
def test_masses_and_forces_do_not_change_a_driven_motion(compiled):
    heavy = FOUR_BAR.replace("[[b]]", "[[b]], Dyna: [[b/2], 3]").replace(
        "MOTIONS", "AppliedForces: {Gravity: }\nMotions: {OA.angle: 5*t}"
    )
    bare = four_bar().simulate(kinematic=True, compiled=compiled)
    motion = lw.loads(heavy).simulate(kinematic=True, compiled=compiled)
    assert np.array_equal(bare.q, motion.q)
    assert np.max(np.abs(motion.driving("OA.angle"))) > 1
    assert not np.any(bare.driving("OA.angle"))


@pytest.mark.parametrize("name", ["cardan-shaft", "chebyshev", "pantograph", "quick-return", "scotch-yoke"])
def test_kinematic_and_dynamic_motions_of_driven_examples_agree_with_all_reactions(name):
    model = lw.load(ROOT / "examples" / f"{name}.yaml")
    one, two = model.simulate(kinematic=True, tol=1e-12), model.simulate(tol=1e-12)
    t = np.linspace(one.t[0], one.t[-1], 40)
    a, b = one.at(t), two.at(t)
    size = np.max(np.abs(b.q))
    assert np.max(np.abs(a.q - b.q)) < 1e-11 * size
    assert np.max(np.abs(a.u - b.u)) < 1e-9 * np.max(np.abs(b.u))
    assert np.max(np.abs(a.lam - b.lam)) < 1e-8 * np.max(np.abs(b.lam))
    assert one.audit().ok
    work = {name: values[-1] for name, values in two.work.items()}
    assert {name: values[-1] for name, values in one.work.items()} == pytest.approx(work, rel=1e-8, abs=1e-8)


def test_a_force_that_has_no_value_on_the_way_does_not_matter():
    text = FOUR_BAR.replace("MOTIONS", "AppliedForces: {Forces: {B: [1/(t - 1)]}}\nMotions: {OA.angle: 5*t}")
    with pytest.raises((lw.SolveError, lw.AccuracyWarning)):  # with masses it has a say in the energies
        lw.loads(text).simulate()
    motion = lw.loads(text).simulate(kinematic=True)
    assert motion.outcome == "reached t = 3"
    assert np.array_equal(motion["B"], four_bar().simulate(kinematic=True)["B"])


def test_a_speed_that_is_prescribed_drives_as_well():
    one, two = four_bar("Motions: {OA.omega: 5}"), four_bar()
    assert one.simulate(kinematic=True).final["B"] == pytest.approx(two.simulate(kinematic=True).final["B"], abs=1e-10)


def test_a_parallelogram_is_driven_through_its_change_points_on_its_branch():
    text = FOUR_BAR.replace("MOTIONS", "Motions: {OA.angle: 0.3 + 5*t}").replace("0.4", "0.8")
    motion = lw.loads(text).simulate(kinematic=True)
    assert motion.outcome == "reached t = 3"
    assert np.max(np.abs(motion["B"] - motion["A"] - [1, 0])) < 1e-9


def test_a_dead_point_is_told_and_what_was_computed_is_kept():
    text = FOUR_BAR.replace("MOTIONS", "Motions: {OA.angle: 1 + 6*t}").replace("0.4", "0.9").replace("0.8", "0.5")
    with pytest.raises(lw.SolveError, match=r"a dead point.*OA\.angle cannot follow") as caught:
        lw.loads(text).simulate(kinematic=True)
    assert caught.value.motion.stats.kinematic
    assert caught.value.motion.audit().ok


def test_a_lagrangian_whose_constraints_leave_nothing_free_moves_kinematically():
    model = lw.lagrangian("x y", "0", constraints=["x - cos(2*t)", "x**2 + y**2 - 1"], start={"x": 1, "y": 0})
    with pytest.raises(lw.LinkworkError):
        model.simulate(1, kinematic=True)  # singular: y may go either way
    model = lw.lagrangian("x y", "0", constraints=["x - 2*cos(t)/3", "x**2 + y**2 - 1"], start={"x": 0.6, "y": 0.7})
    motion = model.simulate(3, kinematic=True)
    assert np.max(np.abs(motion["y"] - np.sqrt(1 - motion["x"] ** 2))) < 1e-12


def test_copies_and_other_values_stay_kinematic():
    model = four_bar()
    motion = model.simulate(kinematic=True)
    copied = pickle.loads(pickle.dumps(motion))
    assert copied.stats.kinematic and np.array_equal(copied.lam, motion.lam)
    longer = model.with_parameters(c=0.9).simulate(kinematic=True)
    assert np.max(np.abs(np.linalg.norm(longer["B"] - [1, 0], axis=1) - 0.9)) < 1e-13


def test_what_is_left_free_is_named():
    with pytest.raises(lw.InputError, match=r"not fully driven, 1 freedom left: nothing prescribes B\.x"):
        four_bar("").simulate(kinematic=True)
    model = lw.load(ROOT / "examples" / "bicycle.yaml")
    with pytest.raises(lw.InputError, match="3 freedoms left") as caught:
        model.simulate(kinematic=True)
    assert "._" not in str(caught.value)


def test_stops_and_friction_are_refused_in_words():
    with pytest.raises(lw.InputError, match="stops, friction, events that act and laws of reactions need forces"):
        lw.load(ROOT / "examples" / "stick-slip.yaml").simulate(kinematic=True)


@pytest.mark.parametrize("method", ["hht", "radau", "ida"])
def test_methods_for_stiff_forces_are_refused(method):
    with pytest.raises(lw.InputError, match=f"method {method} is for stiff forces"):
        four_bar().simulate(kinematic=True, method=method)


@pytest.mark.parametrize("given", [None, 1, "yes"])
def test_kinematic_is_yes_or_no(given):
    with pytest.raises(lw.InputError, match="Give True or False"):
        four_bar().simulate(kinematic=given)
