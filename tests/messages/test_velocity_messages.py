"""What a user reads when a constraint of velocities, a prescribed speed or a moment is wrong."""

import pytest

import linkwork as lw
from linkwork.errors import StartError
from linkwork.spec import parse_mechanism
from tools import check_mistake

GOOD = """\
Dimension: 3
PhysicalParams: {v: 2, w: 3}
Bodies:
  one: {mass: 1, inertia: [1, 1, 1], frames: {o: []}}
  two: {mass: 1, inertia: [1, 1, 1], frames: {o: []}}
PartData:
  Rigids: {AB: {Geom: [[1]], Dyna: [[1/2], 1]}}
Connections:
  Velocity:
    tied: one.o.x*two.o.vx - v*t
AppliedForces:
  Moments:
    one in one: [0, w*t]
States: {X: -X}
Motions:
  two.wx: w
"""


def test_the_file_without_mistakes_is_read():
    parse_mechanism(GOOD)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "one.o.x*two.o.vx",
            "one.o.vx*two.o.vx",
            "10: velocity 'tied': formula is not linear in the speeds. "
            "Write it as a sum of speeds with factors of places, parameters and time, as in A.x*A.vy - v",
        ),
        (
            "one.o.x*two.o.vx",
            "sin(two.wx)",
            "10: velocity 'tied': formula is not linear in the speeds. "
            "Write it as a sum of speeds with factors of places, parameters and time, as in A.x*A.vy - v",
        ),
        (
            "one.o.x*two.o.vx",
            "one.o.x",
            "10: velocity 'tied': formula does not depend on a speed. "
            "Name speeds, as in A.vx - 2*B.vx; a formula of places belongs under Relations",
        ),
        (
            "one.o.x*two.o.vx",
            "X*two.o.vx",
            "10: velocity 'tied': formula depends on a state. Give a formula of speeds, places and time",
        ),
        (
            "one.o.x*two.o.vx",
            "three.wx",
            "10: velocity 'tied': formula: no rigid part named 'three' (in 'three.wx'). Rigid parts are AB, one, two",
        ),
        ("one in one", "one in on", "13: moment 'one in on': no rigid part named 'on'. Did you mean 'one'?"),
        (
            "one in one",
            "AB",
            "13: moment 'AB': 'AB' is a thin rod, which has no axes of its own. Give it a third point off the line",
        ),
        (
            "one in one",
            "'one, one'",
            "13: moment 'one, one': the moment is between a body and itself. Name two different bodies",
        ),
        (
            "one in one",
            "one, two, AB",
            "13: moment 'one, two, AB': this does not name one or two bodies. Write a for a moment on a, a, b for "
            "its opposite on b as well, and a in a for components in the axes of a",
        ),
        ("[0, w*t]", "w*t", "13: moment 'one in one': expected a list such as [x, y], not 'w*t'"),
        ("[0, w*t]", "[0, ww*t]", "13: moment 'one in one': unknown name 'ww' in 'ww*t'. Did you mean 'w'?"),
        (
            "two.wx: w",
            "two.wx: w*two.wy",
            "16: motion 'two.wx': law depends on two.wy, not on time alone. "
            "Use t and parameters only; a force or torque may depend on the motion",
        ),
        (
            "two.wx: w",
            "two.o.vx: w\n  two.o.x: w*t",
            "17: motion 'two.o.x': is prescribed twice. Remove one of the two motions",
        ),
    ],
)
def test_one_mistake_gives_one_message(old, new, message):
    check_mistake(GOOD, old, new, message)


def test_moments_in_the_plane_are_torques():
    text = "Bodies: {a: {mass: 1, inertia: 1, frames: {o: []}}}\nAppliedForces:\n  Moments: {a: [1]}"
    with pytest.raises(lw.InputError, match=r"3: moment 'a': moments by components are for dimension 3. Use Torques"):
        parse_mechanism(text)


def test_constraints_of_velocities_that_contradict_each_other_are_named():
    text = """
Bodies: {a: {mass: 1, inertia: 1, frames: {o: []}}}
Connections: {Velocity: {slow: a.o.vx - 1, fast: a.o.vx - 2}}
"""
    with pytest.raises(StartError) as caught:
        lw.loads(text).simulate(1)
    assert "velocity_slow" in str(caught.value) and "velocity_fast" in str(caught.value)
