"""Going on from a state and going step by step lead where one long run leads."""

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError, LinkworkError, SolveError

CLOSE = 1e-10
ENDS = {
    "andrews": 0.03, "bouncing-ball": 3.0, "stick-slip": 6.0, "newtons-cradle": 1.5, "double-pendulum-3d": 1.0,
    "inverted-pendulum": 1.0,
}  # fmt: skip
CART = """
PhysicalParams: {l: 1, m: 0.1, M: 1}
Inputs: {F: 0, wind: 0}
PartData:
  Fixed: {O: [-3], Q: [3]}
  Rigids: {AB: {Geom: [[l]], Dyna: [[l/2], m]}}
  Particles: {A: M}
Connections: {Collinear: [OQA]}
Variables: {tilt: B.x - A.x}
States: {X: tilt}
AppliedForces: {Gravity: , Forces: {A: [F], B: [wind]}}
ProblemData: {positions: {A: [[0, fixed]], B: [[0.01, fixed], l]}}
"""
STEPPERS = {
    "taylor": {}, "rk8": {"method": "rk8", "tol": 1e-9}, "hht": {"method": "hht", "tol": 1e-7},
    "radau": {"method": "radau", "tol": 1e-9},
    "fixed": {"method": "rk8", "step": 0.01}, "interpreted": {"compiled": False},
}  # fmt: skip


@pytest.fixture(scope="module")
def cart():
    return lw.loads(CART)


def drive(stepper, count=20):
    """Steps with a force that changes, and what was seen."""
    seen = []
    for i in range(count):
        stepper.step(0.02, F=np.sin(i))
        seen.append((stepper["A.x"], stepper["tilt"], stepper["X"], stepper["F"]))
    return np.array(seen)


# -- from a state -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENDS)
def test_going_on_from_a_state_gives_the_same_motion(name):
    model, end = lw.load(f"examples/{name}.yaml"), ENDS[name]
    whole, first = model.simulate(end), model.simulate(0.37 * end)
    for start in (first.final, whole.at(0.61 * end), pickle.loads(pickle.dumps(first.final))):
        second = model.simulate(end, start=start)
        assert second.t[0] == start.t
        np.testing.assert_allclose(second.final.q, whole.final.q, atol=CLOSE)
        np.testing.assert_allclose(second.final.u, whole.final.u, atol=100 * CLOSE)
        later = [event for event in whole.events if event.t > start.t]
        assert [event.name for event in second.events] == [event.name for event in later]
        assert second.audit().ok


def test_what_is_caught_stays_caught_and_what_is_counted_is_counted():
    text = """
Inputs: {hits: 0}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[1]]}}
  Particles: {A: 1, C: 1}
AppliedForces: {Gravity: }
Connections:
  Distances: {}
Events:
  low: {when: A.x, then: {hits: hits + 1}}
ProblemData: {positions: {A: [1, 0], C: [3, 0]}}
""".replace("Connections:\n  Distances: {}\n", "")
    model = lw.loads(text)
    whole = model.simulate(5)
    start = whole.at(2.0)
    assert start["hits"] == len([event for event in whole.events if event.t < 2.0]) > 0
    assert model.simulate(5, start=start).final["hits"] == whole.final["hits"]


def test_an_event_at_the_seam_is_told_once():
    model = lw.loads("""
PartData: {Particles: {A: 1}}
Events: {half: A.x - 1/2}
ProblemData: {positions: {A: [0, 0]}, velocities: {A: [1, 0]}}
""")
    first = model.simulate(0.5)
    second = model.simulate(1, start=first.final)
    assert len(first.events) + len(second.events) == 1
    stepper, told = model.stepper(), []
    for _ in range(4):
        stepper.step(0.25)
        told += stepper.events
    assert [event.name for event in told] == ["half"] and abs(told[0].t - 0.5) < 1e-9


def test_values_by_name_are_where_a_motion_starts(cart):
    motion = cart.simulate(0.1, start={"A.x": 0.5, "B.x": 0.7, "A.vx": 1.0, "X": 2.0, "F": 3.0, "t": 0.05})
    first = motion.at(0.05)
    assert motion.t[0] == 0.05
    np.testing.assert_allclose([first["A.x"], first["B.x"], first["A.vx"], first["X"], first["F"]], [0.5, 0.7, 1, 2, 3])
    swing = lw.lagrangian("theta", "theta'**2/2 + 9.81*cos(theta)", start={"theta": 1})
    np.testing.assert_allclose(
        swing.simulate(2, start={"theta": 0.2, "theta'": 1.5}).final["theta"],
        lw.lagrangian("theta", "theta'**2/2 + 9.81*cos(theta)", start={"theta": 0.2, "theta'": 1.5})
        .simulate(2).final["theta"], atol=CLOSE,
    )  # fmt: skip


def test_more_values_than_are_free_may_fit(cart):
    given = {"A.x": 0.1, "B.x": 0.7, "B.y": -0.8}
    first = cart.simulate(0.1, start=given).at(0)
    np.testing.assert_allclose([first[name] for name in given], [*given.values()], atol=1e-12)
    with pytest.raises(lw.StartError, match="too many fixed"):
        cart.simulate(0.1, start={**given, "B.y": -0.7})


WRONG = {
    "a name": ({"A.z": 1}, r"'A\.z' is nothing that a motion starts with"),
    "a number": ({"A.x": "far"}, "'far'"),
    "a thing": (3, "Give a state"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_start_that_is_none_is_refused_in_words(cart, what):
    given, message = WRONG[what]
    with pytest.raises(InputError, match=message):
        cart.simulate(1, start=given)


def test_a_state_of_something_else_is_refused(cart):
    other = lw.load("examples/four-bar.yaml").simulate(0.1)
    with pytest.raises(InputError, match="not one state of this mechanism"):
        cart.simulate(1, start=other.final)
    with pytest.raises(InputError, match="not one state of this mechanism"):
        cart.simulate(1, start=cart.simulate(1).at([0.1, 0.2]))
    with pytest.raises(InputError, match="not one state of this mechanism"):
        cart.stepper().state = other.final


# -- step by step -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENDS)
def test_many_steps_lead_where_one_run_leads(name):
    model, end = lw.load(f"examples/{name}.yaml"), ENDS[name]
    stepper, told = model.stepper(), []
    for _ in range(40):
        stepper.step(end / 40)
        told += stepper.events
    whole = model.simulate(end)
    assert abs(stepper.t - end) < 1e-14
    np.testing.assert_allclose(stepper.state.q, whole.final.q, atol=10 * CLOSE)
    assert [event.name for event in told] == [event.name for event in whole.events if event.t > 0]


@pytest.mark.parametrize("how", STEPPERS)
def test_a_state_set_back_leads_to_the_same_bits(cart, how):
    stepper = cart.stepper(**STEPPERS[how])
    stepper.step(0.02, F=1.0)
    saved = stepper.state
    one, last = drive(stepper), stepper.state
    for start in (saved, pickle.loads(pickle.dumps(saved))):
        stepper.state = start
        np.testing.assert_array_equal(drive(stepper), one)
        np.testing.assert_array_equal(stepper.state.u, last.u)
    stepper.reset()
    assert stepper.t == 0 and stepper["F"] == 0
    stepper.step(0.02, F=1.0)
    np.testing.assert_array_equal(stepper.state.q, saved.q)


@pytest.mark.parametrize("how", ["rk8", "hht", "radau", "fixed", "interpreted"])
def test_all_methods_step_to_the_same_place(cart, how):
    np.testing.assert_allclose(drive(cart.stepper(**STEPPERS[how])), drive(cart.stepper(tol=1e-12)), atol=1e-5)


def test_steps_in_points_and_in_absolute_coordinates_agree(cart):
    np.testing.assert_allclose(drive(cart.formulated("absolute").stepper()), drive(cart.stepper()), atol=1e-9)


def test_held_inputs_give_the_motion_of_a_parabola():
    model = lw.loads("Inputs: {F: 0}\nPartData: {Particles: {A: 2}}\nAppliedForces: {Forces: {A: [F]}}\n"
                     "ProblemData: {positions: {A: [0, 0]}}")  # fmt: skip
    stepper, x, v, h = model.stepper(inputs=["F"]), 0.0, 0.0, 0.1
    for i in range(50):
        a = (1.0 if i % 3 else -2.0) / 2
        stepper.step(h, 2 * a)
        x, v = x + v * h + a * h * h / 2, v + a * h
    assert abs(stepper["A.x"] - x) < 1e-12 and abs(stepper["A.vx"] - v) < 1e-12


def test_a_state_cannot_be_changed(cart):
    stepper = cart.stepper()
    stepper.step(0.01)
    with pytest.raises(ValueError, match="read-only"):
        stepper.state.q[0] = 1


def test_whatever_has_a_name_can_be_read(cart):
    stepper = cart.stepper()
    stepper.step(0.02, F=1.0)
    state = stepper.state
    for name in ("A", "Ax", "A.x", "A.vx", "tilt", "X", "F", "tilt*F + t", "Ax''"):
        np.testing.assert_allclose(stepper[name], state[name], atol=1e-13)
        stepper.step(0.01)
        stepper.state = state
    assert stepper.inputs == {"F": 1.0, "wind": 0.0}
    with pytest.raises(LinkworkError, match="no point, angle or coordinate named 'Q7'"):
        stepper["Q7"]


def test_a_step_that_fails_leaves_all_as_it_was():
    model = lw.loads("Inputs: {c: 1}\nPartData: {Particles: {A: 1}}\nAppliedForces: {Forces: {A: [sqrt(c)]}}\n"
                     "ProblemData: {positions: {A: [0, 0]}}")  # fmt: skip
    stepper = model.stepper()
    stepper.step(0.1)
    before = stepper.state
    with pytest.raises(SolveError, match="not finite"):
        stepper.step(0.1, c=-1.0)
    assert stepper.t == 0.1 and stepper["c"] == 1
    np.testing.assert_array_equal(stepper.state.q, before.q)
    stepper.step(0.1, c=4.0)
    assert abs(stepper["A.vx"] - 0.3) < 1e-12


def test_an_event_that_stops_ends_the_steps():
    stepper = lw.load("examples/pendulum-stop.yaml").stepper()
    while not stepper.over:
        stepper.step(0.1)
    assert "by event 'back'" in stepper.outcome
    with pytest.raises(LinkworkError, match=r"by event 'back'.*reset"):
        stepper.step(0.1)
    stepper.reset()
    stepper.step(0.1)


def test_a_law_that_starts_on_its_border_is_stepped_rightly():
    # rest on a slope with viscous sign: the speed is exactly zero at first and becomes negative
    model = lw.loads("PartData: {Particles: {A: 1}}\nAppliedForces: {Forces: {A: ['-1 - 3*max(A.vx, 0)']}}\n"
                     "ProblemData: {positions: {A: [0, 0]}}")  # fmt: skip
    stepper = model.stepper()
    for _ in range(10):
        stepper.step(0.1)
    assert abs(stepper["A.x"] + 0.5) < 1e-12


MISUSES = {
    "no such input": (lambda s: s.step(0.1, G=1.0), "no input named 'G'"),
    "no number": (lambda s: s.step(0.1, F="much"), "'much' is not a finite number"),
    "not finite": (lambda s: s.step(0.1, F=float("nan")), "nan is not a finite number"),
    "too many": (lambda s: s.step(0.1, 1, 2, 3), "3 values for 2 inputs"),
    "backwards": (lambda s: s.step(-0.1), "-0.1 is not a positive time"),
    "no time": (lambda s: s.step("soon"), "'soon'"),
    "no state": (lambda s: setattr(s, "state", 3), "Give stepper.state"),
}


@pytest.mark.parametrize("what", MISUSES)
def test_misuse_is_told_in_words(cart, what):
    use, message = MISUSES[what]
    with pytest.raises(InputError, match=message):
        use(cart.stepper())
