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
        ({"energy": "theta'**4"}, ["L", "quadratic in the speeds"]),
        ({"energy": "sqrt(1 + theta'**2)"}, ["L", "quadratic in the speeds"]),
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
        ({"states": {"X": "theta'**2"}}, ["rate_X", "not linear in the speeds"]),
        ({"states": {"X": "theta'"}, "energy": "theta'**2/2 - X**2*theta**2"}, ["state 'X'", "by forces only"]),
        ({"states": {"X": "nothing"}}, ["state 'X'", "unknown name 'nothing'"]),
        ({"states": {"2X": "theta"}}, ["'2X'", "no name"]),
        ({"states": {"g": "theta"}}, ["'g'", "used twice"]),
        ({"forces": {"thta": "1"}}, ["forces", "thta", "Did you mean 'theta'"]),
        ({"forces": {"theta": "w"}}, ["force 'theta'", "unknown name 'w'"]),
        ({"dissipation": "b*theta'**2"}, ["dissipation", "unknown name 'b'"]),
        ({"parameters": {"g": "1/0"}}, ["g", "zero"]),
        ({"parameters": {"g": "h", "h": "g"}}, ["g"]),
        ({"parameters": {"g": None}}, ["parameter 'g'"]),
        ({"start": {"phi": 1}}, ["start", "no coordinate or speed named 'phi'"]),
        ({"start": {"theta": "nowhere"}}, ["start", "unknown name 'nowhere'"]),
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


def test_coordinate_without_inertia_is_named():
    message = refused(coordinates="x y", energy="x'**2/2 - y**2/2", start={"x": 1, "y": 1}, until=1)
    assert "coordinate 'y' can move without moving any mass" in message


def test_singular_mass_matrix_on_the_constraints_is_named():
    """Only x + y has inertia, and the constraint leaves x − y free."""
    message = refused(
        LinkworkError, coordinates="x y z", energy="(x' + y')**2/2 + z'**2/2", constraints="z - 1",
        start={"x": 1, "y": 0, "z": 1}, until=1,
    )  # fmt: skip
    assert "can move without moving any mass" in message


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
    assert "finite" in message and "L" in message


def test_energy_that_loses_its_value_on_the_way():
    """A particle drawn into the pole of its potential: the run ends there and keeps what was computed."""
    with pytest.raises(lw.SolveError) as caught:
        lw.lagrangian("x", "x'**2/2 + 1/x**2", start={"x": 1}).simulate(5)
    assert caught.value.motion.t[-1] == pytest.approx(1 / np.sqrt(2), rel=1e-3)
