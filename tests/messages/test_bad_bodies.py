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
        r":5: part 'b'.*can move without moving any mass.*Give the part a mass or connect it",
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
