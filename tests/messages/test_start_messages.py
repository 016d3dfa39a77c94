"""What a user reads when a mechanism cannot start: which file, which lines, which parts, what to do."""

import pytest

import linkwork as lw
from linkwork.errors import StartError

HEAD = """\
PhysicalParams: {l: 1}
PartData:
  Fixed: {O: [], Q: [5]}
  Rigids:
    OA: {Geom: [[l]], Dyna: [[l/2], 1]}
"""

TOO_SHORT = """\
    AB:
      Geom: [[l]]
    BQ: {Geom: [[l]]}
ProblemData: {tend: 1, positions: {A: [1, 0], B: [3, 1]}}
"""

FIXED = """\
ProblemData:
  tend: 1
  positions:
    A: [[1.5, fixed]]
"""

FIXED_TWICE = """\
ProblemData:
  positions: {A: [[0.6, fixed], [0.8, fixed]]}
"""

FAST = """\
Motions:
  OA.angle: t
ProblemData:
  positions: {A: [1]}
  velocities:
    A: [0, [3, fixed]]
"""

UNDEFINED = """\
Motions:
  OA.angle: 1/t
ProblemData: {positions: {A: [1]}}
"""

SPACE = """\
Dimension: 3
PartData:
  Fixed: {O: [], Q: [5]}
  Rigids:
    OAU: {Geom: [[1], [0, 1]], Dyna: [[0.5], 1, [1, 1, 1]]}
Connections:
  Joints:
    left: {kind: spherical, parts: [world, OAU], point: O}
    right: {kind: spherical, parts: [world, OAU], points: [Q, A]}
ProblemData: {positions: {A: [1, 0, 0], U: [0, 1, 0]}}
"""


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD + TOO_SHORT, 5, "(rigid 'OA' in line 5, rigid 'AB' in line 6, rigid 'BQ' in line 8)"),
        (HEAD + FIXED, 5, "(rigid 'OA' in line 5, position of 'A' in line 9)"),
        (HEAD + FIXED_TWICE, 7, "too many fixed position values: 2 (Ax, Ay)"),
        (HEAD + FAST, 11, "too many fixed velocity values"),
        (HEAD + UNDEFINED, 7, "not finite at t = 0: motion OA.angle"),
        (SPACE, 5, "(rigid 'OAU' in line 5, joint 'right' in line 9)"),
    ],
)
def test_a_start_that_fails_names_file_and_lines(tmp_path, text, line, words):
    path = tmp_path / "arm.yaml"
    path.write_text(text)
    with pytest.raises(StartError) as caught:
        assert lw.load(path).start
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert words in str(caught.value)


def test_lines_are_known_after_a_change_of_parameters_too():
    assembly = lw.loads(HEAD + TOO_SHORT)
    for changed in (assembly.with_parameters(l=1.1), assembly.with_branch(None)):
        with pytest.raises(StartError, match=r"^<text>:5: the mechanism cannot be assembled"):
            assert changed.start


def test_what_is_wrong_in_a_call_is_not_blamed_on_the_file():
    with pytest.raises(StartError, match=r"^weight of 'X': no moving point"):
        lw.loads(HEAD + "ProblemData: {tend: 1, positions: {A: [1]}}").simulate(weights={"X": 1.0})


def test_a_mechanism_of_no_file_has_no_lines():
    mechanism = lw.loads(HEAD + TOO_SHORT).mechanism
    with pytest.raises(StartError, match=r"^the mechanism cannot be assembled"):
        assert lw.Model(mechanism).start
