"""Bodies, joints and constraints that cannot be: file, line, part, problem and remedy, in every formalism alike."""

import re

import pytest

import linkwork as lw

FORMALISMS = ("points", "absolute", "tree")
PLANE = """
Bodies:
  world: {frames: {o: [], e: [3]}}
  a: {mass: 1, centre: [0.5], inertia: 0.1, frames: {p: [], q: [1]}}
  b: {%s frames: {p: [], q: [1]}}
Connections:
  Joints:
    one: {kind: revolute, frames: [world.o, a.p]}
    two: {kind: revolute, frames: [%s]}
  %s
ProblemData: {tend: 0.1}
"""
HEAVY, HANGING = "mass: 1, centre: [0.5], inertia: 0.1,", "a.q, b.p"
DISC = """
Dimension: 3
Bodies:
  disc: {mass: 1, inertia: [0.1, 0.1, 0.2], frames: {c: {at: [], z: [0, 1, 0]}}}
Connections:
  Rolling: {tyre: {wheel: disc.c, radius: 0.3}}
ProblemData: {tend: 0.1, positions: {disc.c: [0, 0, %s]}}
"""
CASES = {
    "frames that cannot meet": (
        PLANE % (HEAVY, "world.e, a.q", ""),
        r":4: the mechanism cannot be assembled: the rod a of length 1, the joint 'one' and the joint 'two' contradict",
    ),
    "frames of one body": (
        PLANE % (HEAVY, "a.p, a.q", ""),
        r":9: joint 'two': joins 'a' to itself\. Name two different parts",
    ),
    "a free body without mass": (
        PLANE % ("", "world.e, b.p", ""),
        r":5: part 'b': [^']*coordinate '[^']*' can move without moving any mass.*Give the part a mass or connect it",
    ),
    "a velocity constraint that is not linear": (
        PLANE % (HEAVY, HANGING, "Velocity: {keep: a.omega**2 - b.omega}"),
        r":10: velocity 'keep': formula is not linear in the speeds\. Write it as a sum",
    ),
    "constraints that contradict, by how much": (
        PLANE % (HEAVY, HANGING, "Relations: {r1: a.angle - 1, r2: a.angle - 1.2}"),
        r":10: .*the relation r1 and the relation r2 contradict each other\. "
        r"Closest attempt: relation_r\d stays open by 0\.1 rad, relation_r\d stays open by 0\.1 rad\. Change one",
    ),
    "a wheel off its plane": (
        DISC % "[5, fixed]",
        r":4: .*the part disc, the rolling contact tyre and the fixed disc\.cz = 5 contradict each other"
        r".*The nearest value disc\.cz can have is 0\.3\. Change one of them",
    ),
}


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_is_told_with_its_line_part_and_remedy(tmp_path, case, formalism):
    text, words = CASES[case]
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises((lw.InputError, lw.StartError)) as caught:
        lw.load(path).formulated(formalism).simulate()
    assert re.search(f"bad.yaml{words}", str(caught.value)), str(caught.value)


@pytest.mark.parametrize("height", [0.31, 5, 50])
def test_a_guess_far_off_the_plane_leads_to_it(height):
    begin = lw.loads(DISC % height).simulate().at(0.0)
    assert float(begin["disc.c.z"]) == pytest.approx(0.3, abs=1e-9)


AXES = """\
Dimension: 3
PhysicalParams: {k: 0}
Bodies:
  a:
    mass: 1
    inertia: [1, 1, 1]
    frames:
      c: {z: [0, 0, k]}
      e: {z: [0, 1],
          x: [0, 2]}
PartData: {Fixed: {O: []}}
Connections:
  Joints: {pin: {kind: revolute, frames: [world.O, a.c]}, other: {kind: revolute, frames: [world.O, a.c]}}
"""


def test_axes_of_frames_are_told_once_at_their_own_lines():
    with pytest.raises(lw.InputError) as caught:
        lw.loads(AXES)
    assert str(caught.value).splitlines() == [
        "<text>:8: body 'a': z of frame 'c' is zero. Give a direction such as [0, 0, 1]",
        "<text>:10: body 'a': x of frame 'e' is along its z axis, or zero. Give a direction across the z axis",
    ]


def test_a_bad_name_of_a_friction_is_told_once():
    text = PLANE % (HEAVY, HANGING, "") + "AppliedForces:\n  Friction:\n    a b: {speed: [a.vx, a.vy], limit: 3}\n"
    with pytest.raises(lw.InputError) as caught:
        lw.loads(text)
    (problem,) = caught.value.problems
    assert "friction 'a b': this name cannot be used in formulas" in str(problem)
