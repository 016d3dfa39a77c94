"""Files -> mechanisms: what the format means."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.errors import InputError
from linkwork.model.tracked import find_turn_angles
from linkwork.spec import loaders, parse_mechanism, read_mechanism
from linkwork.symbolic import symbol

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

PENDULUM = """\
PartData:
  Fixed: {O: []}
  Rigids:
    OA: {Geom: [[1]], Dyna: [[0.5], 1, 1/12]}
"""


def numbers(mechanism, values):
    return [mechanism.compute(value) for value in values]


@pytest.mark.parametrize(
    ("name", "points", "angles"),
    [
        ("mechanism0", "AB", ("OA",)),
        ("mechanism1a", "CDEF", ()),
        ("mechanism1b", "CDEF", ()),
        ("andrews", "DEFGH", ("OF",)),
    ],
)
def test_the_examples_of_the_paper_are_read_as_they_stand(name, points, angles):
    mechanism = read_mechanism(EXAMPLES / f"{name}.yaml")
    assert mechanism.moving_points == tuple(points)
    assert find_turn_angles(mechanism) == angles


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_parser_in_python_reads_the_same_as_the_one_in_c(path, monkeypatch):
    fast = read_mechanism(path)
    monkeypatch.setattr(loaders, "FAST", loaders.SLOW)
    assert repr(read_mechanism(path)) == repr(fast)
    with pytest.raises(InputError, match="50 levels"):
        parse_mechanism("[" * 10_000)


def test_andrews_mechanism_has_the_data_of_the_paper():
    andrews = read_mechanism(EXAMPLES / "andrews.yaml")
    assert andrews.values["beta0"] == -0.0617138900142764496358948458001
    assert andrews.gravity is None
    plate = andrews.find_rigid("BED")
    assert plate.points == ("B", "E", "D")
    assert [numbers(andrews, place) for place in plate.geometry] == [[0, 0], [35e-3, 0], [18e-3, 2e-2]]
    assert numbers(andrews, plate.centroid) == [1874e-5, 1043e-5]
    assert (andrews.compute(plate.mass), andrews.compute(plate.inertia[0])) == (0.02373, 5.255e-6)
    assert [guess.fixed for guess in andrews.start.positions["F"]] == [False, True]
    assert andrews.settings.tol == 1e-14
    assert andrews.settings.order == 17
    assert andrews.settings.output_points == dict.fromkeys("DEFGH", 2)
    assert andrews.settings.time_format == "% .17e"
    assert andrews.display.animation["physParamsToShow"] == ["$beta0", "$c0", "$mom"]
    assert andrews.display.skeletons["BED"] == {"path": "XBEXDX", "newpts": ["X", ["sa", "sb"]]}


def test_several_equal_parts_share_a_line():
    mechanism = read_mechanism(EXAMPLES / "mechanism1a.yaml")
    assert [rigid.name for rigid in mechanism.rigids] == ["AC", "BD", "EF", "CDE"]
    assert len({rigid.inertia for rigid in mechanism.rigids[:3]}) == 1


def test_parts_keep_their_formulas():
    mechanism = read_mechanism(EXAMPLES / "mechanism0.yaml")
    M, L = symbol("M"), symbol("L")
    assert mechanism.rigids[0].inertia[0] is M * L**2 / 12
    assert mechanism.with_parameters(L=1).compute(mechanism.rigids[0].inertia[0]) == pytest.approx(2.059 / 12)


def test_gravity_without_a_value_is_standard_gravity_even_if_a_parameter_is_called_g():
    mechanism = read_mechanism(EXAMPLES / "mechanism0.yaml")
    assert numbers(mechanism, mechanism.gravity) == [0, -9.80665]
    moon = parse_mechanism(PENDULUM + "PhysicalParams: {g: 5}\nAppliedForces: {Gravity: }\n")
    assert numbers(moon, moon.gravity) == [0, -9.80665]


def test_gravity_is_a_vector_or_absent():
    tilted = parse_mechanism(PENDULUM + "PhysicalParams: {g: 5}\nAppliedForces: {Gravity: [g]}\n")
    assert numbers(tilted, tilted.gravity) == [5, 0]
    assert parse_mechanism(PENDULUM).gravity is None


def test_missing_coordinates_are_zero_everywhere():
    text = PENDULUM.replace("O: []", "O: [2]") + "ProblemData: {positions: {A: [3]}}\n"
    mechanism = parse_mechanism(text)
    assert numbers(mechanism, mechanism.fixed["O"]) == [2, 0]
    assert numbers(mechanism, mechanism.rigids[0].geometry[1]) == [1, 0]
    assert numbers(mechanism, mechanism.rigids[0].centroid) == [0.5, 0]
    assert [mechanism.compute(guess.value) for guess in mechanism.start.positions["A"]] == [3, 0]


def test_a_part_without_dyna_and_a_spring_without_mass_are_massless():
    text = "PartData: {Rigids: {AB: {Geom: [[1]]}}, Springs: {AC: [1, 2]}, Particles: {'B, C': 3}}"
    mechanism = parse_mechanism(text)
    assert numbers(mechanism, [mechanism.rigids[0].mass, *mechanism.rigids[0].inertia]) == [0, 0]
    assert mechanism.compute(mechanism.springs[0].mass) == 0
    assert [particle.point for particle in mechanism.particles] == ["B", "C"]


def test_a_coordinate_is_a_value_or_a_value_in_brackets_or_fixed():
    text = PENDULUM + "ProblemData: {positions: {A: [[1, fixed], [0]]}, velocities: {A: [0, [2*3, fixed]]}}"
    start = parse_mechanism(text).start
    assert [guess.fixed for guess in start.positions["A"]] == [True, False]
    assert [guess.fixed for guess in start.velocities["A"]] == [False, True]


@pytest.mark.parametrize("written", ["[0.3, fixed]", "[[0.3, fixed]]"])
def test_turn_angles_have_initial_values_by_the_name_of_their_part(written):
    forces = "AppliedForces: {ConstTorques: {OA: 1}}\n"
    text = PENDULUM + forces + f"ProblemData: {{positions: {{OA: {written}}}, velocities: {{OA: 2}}}}"
    mechanism = parse_mechanism(text)
    assert mechanism.start.angles["OA"].fixed
    assert mechanism.compute(mechanism.start.angles["OA"].value) == 0.3
    assert not mechanism.start.rates["OA"].fixed


def test_a_pair_of_parts_has_a_relative_torque():
    text = PENDULUM.replace("OA:", "OA, AB:") + "AppliedForces: {ConstTorques: {'OA, AB': 2}}"
    (torque,) = parse_mechanism(text).torques
    assert (torque.part, torque.other) == ("OA", "AB")


def test_empty_sections_are_fine():
    text = PENDULUM + "PhysicalParams:\nAppliedForces:\nProblemData:\n  positions:\n  velocities:\nAnimation:\n"
    mechanism = parse_mechanism(text)
    assert mechanism.start.tend is None
    assert mechanism.start.velocities == {}


@pytest.mark.parametrize("name", ["y", "n", "on", "NO", "null", "e", "_x", "O", "true", "sin"])
def test_any_word_can_name_a_parameter(name):
    mechanism = parse_mechanism(PENDULUM + f"PhysicalParams: {{{name}: 3, twice: 2*{name}}}\n")
    assert mechanism.values == {name: 3, "twice": 6}


@pytest.mark.parametrize(
    ("written", "value"), [("1e3", 1000), ("010", 10), ("1.5E-3", 0.0015), ("'2*3'", 6), ("+4", 4)]
)
def test_numbers_are_read_as_written_rather_than_as_yaml_takes_them(written, value):
    assert parse_mechanism(PENDULUM + f"PhysicalParams: {{k: {written}}}\n").values["k"] == value


def test_aliases_repeat_what_they_stand_for():
    text = "PartData: {Rigids: {AB: &rod {Geom: [[1]], Dyna: [[0.5], 1, 1]}, BC: *rod}}"
    assert [rigid.name for rigid in parse_mechanism(text).rigids] == ["AB", "BC"]


def test_the_four_bar_of_the_documentation_is_read_as_it_stands():
    page = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
    fourbar = parse_mechanism(page.split("```yaml\n")[1].split("```")[0])
    assert fourbar.moving_points == ("A", "B")


def test_a_wrong_name_in_the_output_is_reported_with_everything_else():
    text = PENDULUM.replace("1, 1/12", "-1, x") + "SolverParams: {OutFile: {points: [X: 2], angles: {OB: 1}}}\n"
    with pytest.raises(InputError) as caught:
        parse_mechanism(text, "arm.yaml")
    assert [problem.what for problem in caught.value.problems] == [
        "unknown name 'x' in 'x'",
        "mass is negative (-1)",
        "no point named 'X'",
        "no turn angle named 'OB'",
    ]


def test_the_longest_step_comes_from_the_file_unless_it_is_given():
    text = PENDULUM + "ProblemData: {tend: 1}\nSolverParams: {Integration: {max_step: 1/64}}\n"
    assert parse_mechanism(text).settings.max_step == 1 / 64
    assert max(np.diff(lw.loads(text).simulate().t)) <= 1 / 64 + 1e-12
    assert max(np.diff(lw.loads(text).simulate(max_step=1 / 200).t)) <= 1 / 200 + 1e-12
    assert max(np.diff(lw.loads(text).simulate(max_step=1.0).t)) > 1 / 64 + 1e-12


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_file_is_read_or_refused_in_words(data):
    text = data.draw(st.sampled_from([path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.yaml"))]))
    place = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 5))
    damage = data.draw(
        st.sampled_from([*"[]{}:,&*!|>'\"%#-?@\t\n0", "fixed", "1/0", "*a", "&a ", "<<: ", "!!x ", "(", "\0", "é"])
    )
    try:
        parse_mechanism(text[:place] + damage + text[place + cut :])
    except InputError as error:
        assert all(problem.what and problem.file for problem in error.problems)
