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
            "abs(two.o.vx)",
            "10: velocity 'tied': formula is not linear in the speeds. "
            "Write it as a sum of speeds with factors of places, parameters and time, as in A.x*A.vy - v",
        ),
        (
            "    tied:",
            "    1:",
            "10: velocity '1': this name cannot be used in formulas. Use letters, digits and _, starting with a letter",
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
    assert "the velocity constraint slow and the velocity constraint fast contradict each other" in str(caught.value)
    assert str(caught.value).startswith("<text>:3: ")


WHEELS = """\
Dimension: 3
PhysicalParams: {r: 1, k: 0.2, a: 0.3}
PartData:
  Rigids: {AB: {Geom: [[1]], Dyna: [[1/2], 1]}}
Bodies:
  world: {frames: {ground: []}}
  one: {mass: 1, inertia: [1, 1, 1], frames: {o: []}}
  two: {mass: 1, inertia: [1, 1, 1], frames: {o: []}}
Connections:
  Rolling:
    left:
      wheel: one.o
      radius: r
      tread: k
      on: {normal: [sin(a), 0, cos(a)]}
    right: {ball: two.o, radius: 2, on: world.ground}
  KnifeEdge:
    skate: two.o
"""


def test_the_file_of_wheels_without_mistakes_is_read():
    parse_mechanism(WHEELS)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("r: 1", "r: 0", "13: rolling 'left': radius is not positive (0). Give a positive radius"),
        ("r: 1", "r: -2", "13: rolling 'left': radius is not positive (-2). Give a positive radius"),
        (
            "k: 0.2",
            "k: -0.2",
            "14: rolling 'left': tread is out of range (-0.2). "
            "Give the radius of a round tread, from 0 (a thin disc) to the whole radius (a ball)",
        ),
        (
            "k: 0.2",
            "k: 1.2",
            "14: rolling 'left': tread is out of range (1.2). "
            "Give the radius of a round tread, from 0 (a thin disc) to the whole radius (a ball)",
        ),
        ("wheel: one.o", "wheel: one.p", "11: rolling 'left': body 'one' has no frame 'p'. Its frames are o"),
        ("wheel: one.o", "wheel: on.o", "11: rolling 'left': no rigid part named 'on'. Did you mean 'one'?"),
        (
            "wheel: one.o",
            "wheel: one",
            "11: rolling 'left': 'one' is no frame. "
            "Name a body and its frame, as in crank.pin, or the world and a fixed point, as in world.O",
        ),
        (
            "wheel: one.o",
            "wheel: world.ground",
            "11: rolling 'left': the world does not move. Name a frame of a body that does",
        ),
        (
            "wheel: one.o",
            "wheel: AB.A",
            "11: rolling 'left': 'AB' is a thin rod, which has no axes of its own. Give it a third point",
        ),
        (
            "      wheel: one.o\n",
            "",
            "11: rolling 'left': the wheel or ball is missing. Write {wheel: rear.axle, radius: R}",
        ),
        ("      radius: r\n", "", "11: rolling 'left': the radius is missing. Write {wheel: rear.axle, radius: R}"),
        (
            "[sin(a), 0, cos(a)]",
            "[a - 0.3]",
            "15: rolling 'left': normal: its length is zero. Give the direction that is up, such as [0, 0, 1]",
        ),
        (
            "on: {normal",
            "on: {up",
            "15: rolling 'left': unknown key 'up'. Known keys are point, normal",
        ),
        (
            "{normal: [sin(a), 0, cos(a)]}",
            "[1, 2]",
            "15: rolling 'left': expected a frame or a plane, not a list. "
            "Write table.top or {point: [0, 0, 0], normal: [0, 0, 1]}",
        ),
        (
            "ball: two.o, radius: 2",
            "ball: two.o, radius: 2, tread: 1",
            "16: rolling 'right': both 'tread' and 'ball' are given. Remove one of the two",
        ),
        (
            "world.ground}",
            "world.floor}",
            "16: rolling 'right': body 'world' has no frame 'floor'. Its frames are ground",
        ),
        (
            "world.ground}",
            "two.o}",
            "16: rolling 'right': 'two' rolls on itself. Name a frame of another body after `on`",
        ),
        ("skate: two.o", "skate: two.a", "18: edge 'skate': body 'two' has no frame 'a'. Its frames are o"),
        ("    skate: two.o", "    skate: [two.o]", "18: edge 'skate': expected a single value, not a list"),
    ],
)
def test_one_mistake_at_a_wheel_gives_one_message(old, new, message):
    check_mistake(WHEELS, old, new, message)


HOOP = """
PhysicalParams: {r: 0.5}
Bodies: {hoop: {mass: 1, inertia: 1, frames: {c: []}}}
Connections: {Rolling: {track: {wheel: hoop.c, radius: r}}}
ProblemData: {tend: 1, POSITIONS}
"""


def test_a_wheel_whose_place_is_fixed_off_its_plane_is_an_error_in_words():
    text = HOOP.replace("POSITIONS", "positions: {hoop.c: [0, [0.7, fixed]]}")
    with pytest.raises(StartError) as caught:
        lw.loads(text).simulate()
    assert "the rolling contact track" in str(caught.value) and "0.2 m" in str(caught.value)
    assert str(caught.value).startswith("<text>:4: ")


def test_a_wheel_that_is_guessed_off_its_plane_is_put_there_and_the_start_says_so():
    motion = lw.loads(HOOP.replace("POSITIONS", "positions: {hoop.c: [[3, fixed], 0.7]}")).simulate()
    assert motion["hoop.c"][0] == pytest.approx([3, 0.5])


@pytest.mark.parametrize("height", ["0", "1e-12", "[0, fixed]"])
def test_a_disc_that_lies_flat_is_an_error_in_words(height):
    text = """
Dimension: 3
Bodies: {disc: {mass: 1, inertia: [1, 1, 2], frames: {c: [], p: [1], q: [0, 1]}}}
Connections: {Rolling: {track: {wheel: disc.c, radius: 1}}}
ProblemData: {tend: 1, positions: {disc.c: [0, 0, H], disc.p: [1, 0, H], disc.q: [0, 1, H]}}
"""
    with pytest.raises(
        lw.LinkworkError, match="the wheel of track lies flat on its plane, which it touches everywhere"
    ):
        lw.loads(text.replace("H", height)).simulate()
