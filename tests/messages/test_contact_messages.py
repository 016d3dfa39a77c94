"""What a user reads when a contact is wrong."""

import pytest

import linkwork as lw
from linkwork.errors import InputError

FILE = """
PhysicalParams: {{r: 0.1}}
Dimension: {d}
Bodies:
  world: {{frames: {{o: []}}}}
  a: {{mass: 1, inertia: {inertia}, frames: {{c: [], e: [1]}}}}
  b: {{mass: 1, inertia: {inertia}, frames: {{c: []}}}}
Connections:
  Contacts:
    hit: {{{hit}}}
ProblemData: {{tend: 1}}
"""


def problems(hit, d=2):
    """The words about a contact in a file."""
    inertia = "1" if d == 2 else "[1, 1, 1]"
    with pytest.raises(InputError) as error:
        lw.loads(FILE.format(hit=hit, d=d, inertia=inertia))
    return [str(problem) for problem in error.value.problems]


CASES = {
    "ball: a.c, radius: -r, stiffness: 1": "radius is not positive (-0.1). Give a positive radius",
    "ball: a.c, stiffness: 1": "the radius is missing. Give the radius of the ball",
    "point: a.c, radius: 1": "a point has no radius. Leave it out, or write ball instead of point",
    "radius: 1": "give one of point, ball and disc. Name the frame at its centre, as in ball: marble.c",
    "ball: a.c, radius: r, on: {normal: [0, 0]}": "normal: its length is zero. Give the direction that is up, such as",
    "ball: a.c, radius: r, on: a.e": "both shapes belong to 'a'. Name a frame of another body after `on`",
    "ball: a.c, radius: r, on: {ball: a.e, radius: r}": "both shapes belong to 'a'. Name a frame of another body after",
    "ball: world.o, radius: r": "nothing in it can move. Name a frame of a body that does",
    "ball: a.x1, radius: r": "body 'a' has no frame 'x1'",
    "ball: a.c, radius: r, on: {bowl: b.c, radius: r/2}": "a ball of radius 0.1 does not fit into one of radius 0.05",
    "ball: a.c, radius: r, stiffness: 0": "stiffness is not positive (0)",
    "ball: a.c, radius: r, stiffness: 1, friction: -1": "friction is negative (-1)",
    "ball: a.c, radius: r, stiffness: 1, exponent: 0.5": "exponent is out of range (0.5). Use 1 to 10",
    "ball: a.c, radius: r, damping: 1": "damping belongs to a contact that gives way. Give the stiffness",
    "ball: a.c, radius: r, restitution: 1.5": "restitution is out of range (1.5). Use 0 to 1",
    "ball: a.c, radius: r, stiffness: 1, restitution: 0.5": "the restitution of a contact that gives way holds at one",
    "ball: a.c, radius: r, stiffness: 1, static: 1, friction: 0.5": "static and stribeck go together",
    "ball: a.c, radius: r, kept: yes, stiffness: 1": "stiffness is for shapes that may part, and these are kept",
    "ball: a.c, radius: r, on: {cam: b.c, radius: 1 + phi}": "the curve is not closed: its radius is 1 at phi = 0",
    "ball: a.c, radius: r, on: {cam: b.c, radius: cos(phi)}": "the radius of the cam is not positive at phi =",
    "ball: a.c, radius: 3, on: {cam: b.c, radius: 1 + 0.4*cos(3*phi)}": "does not reach into the hollow of the cam",
    "ball: a.c, radius: r, on: {cam: b.c}": "give either a radius or points. Write radius: R + e*cos(phi)",
    "ball: a.c, radius: r, on: {cam: b.c, radius: 1 + q*cos(phi)}": "unknown name 'q'",
    "ball: a.c, radius: r, on: {cam: b.c, points: [[1, 0], [0, 1], [0.2, 0.9], [-1, 0], [0, -1]]}": "turns back at",
    "ball: a.c, radius: r, on: {cam: b.c, points: [[1, 0], [1, 1], [0.5, 1], [0.2, 1]]}": "the curve does not close",
    "ball: a.c, radius: r, on: {cam: b.c, points: [[1, 0], [0, 1], [-1, 0]]}": "3 points make no curve. Give at",
}


@pytest.mark.parametrize("hit", CASES)
def test_a_wrong_contact_is_told_with_a_remedy(hit):
    found = problems(hit)
    assert any(CASES[hit] in text for text in found), found
    assert all("contact 'hit'" in text for text in found), found


def test_what_works_on_planes_only_is_told_in_space():
    (rim,) = problems("disc: a.c, radius: r, on: {ball: b.c, radius: r}", d=3)
    assert "the rim of a disc touches planes only. Write ball instead of disc" in rim


def test_all_problems_of_a_contact_are_told_at_once():
    found = problems("ball: a.c, radius: -1, stiffness: -2, friction: -3")
    assert len(found) == 3


def test_two_contacts_of_one_name_and_wrong_python_are_refused():
    with pytest.raises(InputError, match="give one of point, ball and disc"):
        lw.Contact(name="hit", radius=1)
    with pytest.raises(InputError, match=r"Name a frame, or give lw\.Plane"):
        lw.Contact(name="hit", ball="a.c", radius=1, on=3)
    with pytest.raises(InputError, match="a place on the curve is not of the form"):
        lw.Cam(frame="a.c", points=[[1, 0], ["x", 1], [0, -1], [1, 1]])
    body = lw.Body("a", mass=1, inertia=1, frames={"c": ()})
    hit = lw.Contact(name="hit", ball="a.c", radius=1, stiffness=1)
    with pytest.raises(InputError, match="defined 2 times"):
        lw.Mechanism(bodies=[body], contacts=[hit, hit])
    with pytest.raises(InputError, match="something else has this name"):
        rigid = lw.Contact(name="hit", ball="a.c", radius=1)
        lw.Mechanism(bodies=[body], contacts=[rigid], stops=[lw.Stop(name="hit", gap="a.x + 1")])
