"""A Lagrangian that cannot be is refused in words that say what and where; nothing ends in a traceback."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError, LinkworkError, StartError

PENDULUM = "theta'**2/2 + g*cos(theta)"


def refused(kind=InputError, *, until=None, **given):
    """The message of a Lagrangian that is refused when it is made or, with `until`, when it is to move."""
    given = {"coordinates": "theta", "energy": PENDULUM, "parameters": {"g": 9.81}, **given}
    with pytest.raises(kind) as caught:
        assembly = lw.lagrangian(given.pop("coordinates"), given.pop("energy"), **given)
        if until is not None:
            assembly.simulate(until)
    assert "Traceback" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"energy": "thet'**2/2"}, ["L", "thet'", "Did you mean 'theta'"]),
        ({"energy": "theta'**2/2 + h*theta"}, ["unknown name 'h'"]),
        ({"energy": lambda q, u: u.tehta**2}, ["L", "no speed named 'tehta'", "Did you mean 'theta'"]),
        ({"energy": lambda q, u, p: p.mass * u.theta**2}, ["no parameter named 'mass'"]),
        ({"energy": lambda x, v: v**2}, ["asks for 'x'", "q (coordinates)"]),
        ({"energy": lambda q, u: [u.theta**2, q.theta]}, ["L", "returned list"]),
        ({"energy": lambda q, u: np.array([u.theta**2, q.theta])}, ["L", "returned ndarray"]),
        ({"energy": lambda q, u: None}, ["L", "returned None"]),
        ({"energy": lambda q, u: 1 / 0}, ["L", "ZeroDivisionError"]),
        ({"energy": "theta'**2/2 + "}, ["L", "end"]),
        ({"energy": "__import__('os')"}, ["L"]),
        ({"energy": float("nan")}, ["L"]),
        ({"energy": object()}, ["L", "is not a number"]),
        ({"coordinates": ""}, ["coordinates", "there are none"]),
        ({"coordinates": "theta theta"}, ["used twice"]),
        ({"coordinates": "theta g"}, ["'g'", "used twice"]),
        ({"coordinates": "theta sin"}, ["'sin'", "built in"]),
        ({"coordinates": "theta t"}, ["'t'", "built in"]),
        ({"coordinates": "theta 2x"}, ["'2x'", "no name"]),
        ({"constraints": "theta' - 1"}, ["constraint 'g1'", "speed theta'", "velocity constraint"]),
        ({"constraints": "g - 1"}, ["contains no coordinate"]),
        ({"constraints": {"a": "phi"}}, ["constraint 'a'", "unknown name 'phi'"]),
        ({"constraints": lambda q: q.x}, ["constraint", "no coordinate named 'x'"]),
        ({"velocity_constraints": "theta'**2 - 1"}, ["velocity constraint", "not linear in the speeds"]),
        ({"velocity_constraints": "theta"}, ["contains no speed"]),
        ({"constraints": {"a": "theta"}, "velocity_constraints": {"a": "theta'"}}, ["two constraints have this name"]),
        ({"states": {"X": "1", "Y": "theta'**2"}, "energy": "theta'**2/2 - X*Y"}, ["state 'Y'", "depends on speeds"]),
        ({"states": {"X": "Y'", "Y": "2*X'"}}, ["state 'X'", "depends on itself: X' -> Y' -> X'"]),
        ({"states": {"X": "1"}, "forces": {"X": "2"}}, ["forces", "no coordinate named 'X'", "rate of the state"]),
        ({"states": {"X": "1"}, "start": {"X'": 2}}, ["start", "named 'X''", "follows from its formula"]),
        ({"variables": {"a": "b", "b": "2*a"}}, ["variable 'a'", "depends on itself: a -> b -> a"]),
        ({"variables": {"theta": "1"}}, ["variable 'theta'", "used twice"]),
        ({"variables": ["a"]}, ["variables", "Give variables as"]),
        ({"variables": {"a": "nothing"}}, ["variable 'a'", "unknown name 'nothing'"]),
        ({"states": {"X": "theta'"}, "energy": "theta'**2/2 - X**2*theta**2"}, ["state 'X'", "by forces only"]),
        ({"states": {"X": "nothing"}}, ["state 'X'", "unknown name 'nothing'"]),
        ({"states": {"2X": "theta"}}, ["'2X'", "no name"]),
        ({"states": {"g": "theta"}}, ["'g'", "used twice"]),
        ({"forces": {"thta": "1"}}, ["forces", "thta", "Did you mean 'theta'"]),
        ({"forces": {"theta": "w"}}, ["force 'theta'", "unknown name 'w'"]),
        ({"dissipation": "b*theta'**2"}, ["dissipation", "unknown name 'b'"]),
        ({"parameters": {"g": "1/0"}}, ["g", "zero"]),
        ({"parameters": {"g": "h", "h": "g"}}, ["g"]),
        ({"parameters": {"g": None}}, ["parameter 'g': None is not a number"]),
        ({"parameters": {4: 3}}, ["parameters: 4 is no name"]),
        ({"parameters": [1, 2]}, ["parameters: [1, 2]", "{name: value}"]),
        ({"coordinates": None}, ["coordinates: None is no name"]),
        ({"coordinates": 5}, ["coordinates: 5 is no name"]),
        ({"coordinates": b"x"}, ["coordinates: b'x' is no name"]),
        ({"coordinates": ["theta", 5]}, ["coordinates: 5 is no name"]),
        ({"states": ["X"]}, ["states", "Give states as"]),
        ({"forces": "1"}, ["forces: '1'", "Give forces as {coordinate: formula}"]),
        ({"forces": lambda q: q.theta}, ["Give forces as {coordinate: formula}"]),
        ({"start": {"theta": float("nan")}}, ["start of 'theta'", "nan"]),
        ({"start": {"theta'": None}}, ["start of 'theta''", "None is not a number"]),
        ({"start": {4: 1}}, ["start: 4 is no name"]),
        ({"start": [1]}, ["start: [1]", "{coordinate: value}"]),
        ({"t0": float("nan")}, ["t0:", "nan"]),
        ({"tend": "nowhere"}, ["tend: unknown name 'nowhere'"]),
        ({"points": ["P"]}, ["points", "Give points as"]),
        ({"lines": [5]}, ["lines: 5 is no line"]),
        ({"scales": {"theta": "a"}}, ["scales", "'a'", "positive"]),
        ({"events": ["x"]}, ["events: 'x' is no event", "lw.Event("]),
        ({"events": 5}, ["events: 5 is no event"]),
        ({"start": {"phi": 1}}, ["start", "no coordinate or speed named 'phi'"]),
        ({"start": {"theta": "nowhere"}}, ["start of 'theta': unknown name 'nowhere'"]),
        ({"points": {"P": (1,)}}, ["point 'P'", "Give 2 or 3"]),
        ({"points": {"P": ("theta", "q")}}, ["point 'P'", "unknown name 'q'"]),
        ({"lines": ["OP"]}, ["lines", "no point named 'O'"]),
        ({"scales": {"theta": -1}}, ["scales", "positive"]),
        ({"events": [lw.Event(name="zero", when="omega")]}, ["event 'zero'", "unknown name 'omega'"]),
    ],
)  # fmt: skip
def test_what_cannot_be_read(given, words):
    message = refused(**given)
    for word in words:
        assert word in message


def test_all_problems_at_once():
    message = refused(energy="a*theta'**2", constraints="b*theta", forces={"x": 1})
    assert len(message.splitlines()) == 3


@pytest.mark.parametrize("value", [None, [1], object(), "a +", float("nan"), 1j])
def test_a_wrong_parameter_is_one_problem(value):
    message = refused(parameters={"g": value}, start={"theta": "g"})
    assert message.startswith("parameter 'g': ") and len(message.splitlines()) == 1
    assert "float()" not in message and "Error" not in message


def test_an_endless_name_is_shortened():
    message = refused(coordinates="theta " + "y" * 5000)
    assert "coordinate 'yyyy" in message and len(message) < 200


def test_one_event_needs_no_list():
    low = lw.Event(name="low", when="theta", direction="falling")
    motion = lw.lagrangian("theta", "theta'**2/2 - theta**2/2", start={"theta": 1}, events=low).simulate(7)
    assert [event.t for event in motion.events] == pytest.approx([np.pi / 2])


@pytest.mark.parametrize(
    ("word", "number"), [("rising", 1), ("falling", -1), ("either", 0), ("both", 0), (1, 1), (-1.0, -1), (0, 0)]
)
def test_directions_of_events(word, number):
    assert lw.Event(name="e", when="x", direction=word).direction == number


@pytest.mark.parametrize("direction", ["up", 5, 0.5, float("nan"), None, [1]])
def test_directions_that_are_none(direction):
    with pytest.raises(InputError, match=r"event 'e': direction .* is unknown. Use 1 \(rising\)"):
        lw.Event(name="e", when="x", direction=direction)


def test_an_event_stops_or_does_not():
    with pytest.raises(InputError, match="event 'e': stop is 'no'"):
        lw.Event(name="e", when="x", stop="no")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"until": "a"}, "until: 'a' is no number"),
        ({"until": [1]}, "until: [1] is no number"),
        ({"tol": "a"}, "tol = 'a' is not a number"),
        ({"order": "a"}, "order = 'a' is not a whole number"),
        ({"order": 8.5}, "order = 8.5 is not a whole number"),
        ({"max_step": "a"}, "max_step = 'a' is not a number"),
        ({"max_steps": 1.5}, "max_steps = 1.5 is not a whole number"),
        ({"weights": 5}, "weights: 5 is no mapping"),
        ({"weights": {"theta": "a"}}, "weight of theta: 'a' is no number"),
    ],
)
def test_runs_that_cannot_be(given, words):
    swing = lw.lagrangian("theta", PENDULUM, parameters={"g": 9.81}, start={"theta": 1})
    with pytest.raises(InputError) as caught:
        swing.simulate(**{"until": 1, **given})
    assert words in str(caught.value)


def test_wrong_questions_to_a_motion():
    motion = lw.lagrangian("theta", PENDULUM, parameters={"g": 9.81}, start={"theta": 1}).simulate(1)
    for t in ("a", [[0, 0.5]], [0, "a"], 1j):
        with pytest.raises(LinkworkError, match=r"is no time\. Give one number or a list of numbers"):
            motion.at(t)
    for name in (3, None, ["theta"], slice(0, 1)):
        for ask in (motion.__getitem__, motion.velocity, motion.at(0.5).__getitem__, motion.multiplier):
            with pytest.raises(LinkworkError, match="is no name"):
                ask(name)
    for what in (3, ["theta", 3]):
        with pytest.raises(LinkworkError, match="cannot be plotted"):
            motion.plot(what)
    with pytest.raises(LinkworkError, match="3 is no file name"):
        motion.plot("theta", 3)


def test_coordinate_without_inertia_is_named():
    message = refused(coordinates="x y", energy="x'**2/2 - y**2/2", start={"x": 1, "y": 1}, until=1)
    assert "coordinate 'y' can move without any inertia in L" in message
    assert "part" not in message and "mass" not in message


@pytest.mark.parametrize(
    ("energy", "constraints"),
    [("x'**2/2 - y'**2/2", ()), ("x'**2/2 - y'**2", "x - y"), ("x'*y'", ())],
)
def test_negative_inertia_is_called_so(energy, constraints):
    message = refused(coordinates="x y", energy=energy, constraints=constraints, until=1)
    assert "has negative inertia" in message and "Check the signs in L" in message
    assert "part" not in message and "mass" not in message


def test_singular_mass_matrix_on_the_constraints_is_named():
    """Only x + y has inertia, and the constraint leaves x − y free."""
    message = refused(
        LinkworkError, coordinates="x y z", energy="(x' + y')**2/2 + z'**2/2", constraints="z - 1",
        start={"x": 1, "y": 0, "z": 1}, until=1,
    )  # fmt: skip
    assert "can move without any inertia in L" in message


def test_contradictory_constraints():
    message = refused(
        StartError, coordinates="x y", energy="x'**2 + y'**2", constraints={"one": "x - 1", "two": "x - 2"},
        start={"x": 0, "y": 0}, until=1,
    )  # fmt: skip
    assert "one" in message and "two" in message


def test_redundant_constraints_are_fine():
    motion = lw.lagrangian(
        "x y", "(x'**2 + y'**2)/2 - y", constraints=["x**2 + y**2 - 1", "2*x**2 + 2*y**2 - 2"], start={"x": 1, "y": 0}
    ).simulate(3, tol=1e-12)
    assert motion.stats.redundant == 1
    assert motion.energy.drift < 1e-10


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ({"x": lw.fix(0.6), "y": lw.fix(0.8)}, ["too many fixed", "x, y"]),
        ({"x": lw.fix(2), "y": 0}, ["x"]),
    ],
)  # fmt: skip
def test_fixed_values_that_cannot_be(start, words):
    message = refused(
        StartError, coordinates="x y", energy="x'**2 + y'**2", constraints={"circle": "x**2 + y**2 - 1"},
        start=start, until=1,
    )  # fmt: skip
    for word in words:
        assert word in message


@pytest.mark.parametrize("energy", ["x'**2/2 - sqrt(x)", "x'**2/2 - log(x)", "x'**2/2 + 1/x"])
def test_energy_without_a_value_where_it_starts(energy):
    message = refused(LinkworkError, coordinates="x", energy=energy, start={"x": 0}, until=1)
    assert "finite" in message and "L" in message and "spring" not in message


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"energy": "x'**2/2 - sqrt(x - 1)"}, "L: no finite real value: sqrt(x - 1)"),
        ({"energy": "x'**2/2 - 1/x"}, "L: division by zero: 1/x at x = 0"),
        ({"energy": "x'**2/2", "forces": {"x": "log(x)"}}, "force on x: no finite real value: log(x) at x = 0"),
    ],
)
def test_the_function_without_a_value_is_named(given, words):
    assert words in refused(LinkworkError, coordinates="x", start={"x": 0}, until=1, **given)


def test_energy_that_loses_its_value_on_the_way():
    """A particle drawn into the pole of its potential: the run ends there and keeps what was computed."""
    with pytest.raises(lw.SolveError) as caught:
        lw.lagrangian("x", "x'**2/2 + 1/x**2", start={"x": 1}).simulate(5)
    assert caught.value.motion.t[-1] == pytest.approx(1 / np.sqrt(2), rel=1e-3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"events": [lw.Event(name="e", when="x", then={"x": 1})]}, "event 'e': 'x' cannot change at once"),
        ({"events": [lw.Event(name="e", when="x", on="rail")]}, "event 'e': 'rail' cannot be switched on or off"),
        ({"events": [lw.Event(name="e", when="x", then={"w": 1})]}, "event 'e': 'w' cannot change at once"),
        ({"events": [lw.Event(name="e", when="z")]}, "event 'e': unknown name 'z'"),
        ({"inputs": {"x": 1}}, "input 'x': this name is used twice"),
        ({"inputs": {"w": "z"}}, "input 'w': unknown name 'z'"),
        ({"inputs": {"w": 1}, "constraints": ["x - w"]}, "it contains the input w: places cannot follow"),
        ({"stops": [lw.Stop(name="s", gap="x'")]}, "stop 's': the gap depends on the speed x'"),
        ({"stops": [lw.Stop(name="s", gap="t")]}, "stop 's': the formula does not depend on the motion"),
        ({"stops": [1]}, "stops: 1 is no stop"),
        ({"frictions": [lw.Friction(name="f", speed="x", limit=1)]}, "friction 'f': the formula has no speed in it"),
        ({"controllers": [lw.Sampled("c", period=0, outputs={"w": "x"})]}, "controller 'c': the period is 0"),
        ({"off": "rail"}, "off: no constraint named 'rail'"),
    ],
)
def test_what_reacts_is_checked_in_words(options, words):
    with pytest.raises(InputError) as caught:
        lw.lagrangian("x y", "(x'**2 + y'**2)/2", **options)
    assert words in str(caught.value)


def test_speeds_of_what_is_not_quadratic_in_them_do_not_jump():
    stop = lw.Stop(name="wall", gap="1 - theta")
    words = refused(energy="-sqrt(1 - theta'**2)", stops=stop, start={"theta'": 0.5}, until=1)
    assert "L is not quadratic in the speeds, and events or stops make them jump" in words


def test_what_has_no_inertia_at_rest_is_told():
    assert "theta" in refused(LinkworkError, energy="theta'**4", until=1)
