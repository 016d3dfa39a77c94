"""Files made to deceive: numbers out of range, keys that are words of the program, text that a terminal would obey."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app, main
from linkwork.errors import InputError, LinkworkError, show_text
from linkwork.model import Dissipation, Event, Lagrangian, Mechanism
from linkwork.results.record.recording import record
from linkwork.view.scene import describe_scene
from tools import messages

PARTICLE = "PartData: {{Particles: {{A: 1}}}}\nAppliedForces: {{Forces: {{A: ['{law}']}}}}\n"
PENDULUM = """\
Title: {title}
PartData:
  Fixed: {{O: []}}
  Rigids: {{OA: {{Geom: [[1]], Dyna: [[0.5], 2]}}}}
  {parts}
AppliedForces: {{Gravity: , {forces}}}
ProblemData: {{tend: 0.2, positions: {{A: [1]}}}}
"""
ESCAPE = r"\e]0;pwned\a\e[31mred"


def pendulum(title="Pendulum", parts="", forces="Forces: {}"):
    return PENDULUM.format(title=title, parts=parts, forces=forces)


@pytest.mark.parametrize(
    ("law", "x", "force"),
    [
        ("(A.x + 0.12345678901234567)**20", 0.9, (0.9 + 0.12345678901234567) ** 20),
        ("(A.x + 0.1)**400", 0.9, 1.0),
        ("-(1e-17*A.x + 3e-17)**100*1e200*1e-200*1e300*1e300/1e-300/1e300/1e300/1e300", 9e16, -(0.9**100)),
    ],
)
def test_a_law_with_powers_of_decimals_accelerates_as_it_says(law, x, force):
    start = f"ProblemData: {{tend: 1e-6, positions: {{A: [{x}]}}}}"
    motion = lw.loads(PARTICLE.format(law=law) + start).simulate()
    assert motion.at(0.0).a[0] == pytest.approx(force, rel=1e-11)


def test_a_number_beyond_floats_is_refused_with_its_line():
    message = "arm.yaml:2: force 'A': x component: a number in it is too large. Use numbers up to 1e308"
    assert messages(PARTICLE.format(law="1e308*10*A.x")) == [message]
    with pytest.raises(InputError, match="L: a number in it is too large"):
        lw.lagrangian("x", "x'**2/2 - 1e308*10*x**2")


@pytest.mark.parametrize("law", ["1/O.vx", "log(O.vx)*A.vx", "c*A.vx**2 + O.vx**-2"])
def test_dissipation_without_a_value_is_refused_even_where_it_moves_nothing(law):
    file = "PhysicalParams: {c: 1}\n" + pendulum(forces=f"Dissipation: {{d: {law}}}")
    with pytest.raises(LinkworkError, match="dissipation d"):
        lw.loads(file).simulate()


@pytest.mark.parametrize("key", ["part", "line", "self", "report", "details", "node", "name"])
@pytest.mark.parametrize(
    "parts",
    ["Dampers: {{OA: {{{key}: 3}}}}", "Springs: {{OA: {{{key}: 3, stiffness: 1, length: 1}}}}"],
)
def test_keys_that_are_words_of_the_program_are_unknown_keys(parts, key):
    found = messages(pendulum(parts=parts.format(key=key)))
    assert any(f"unknown key '{key}'" in message for message in found)


@pytest.mark.parametrize("section", ["Events", "States", "Tables", "Controllers"])
@pytest.mark.parametrize("key", ["part", "line", "self"])
def test_so_are_they_in_the_other_sections(section, key):
    found = messages(f"{pendulum()}{section}: {{x: {{{key}: 3}}}}")
    assert any(f"unknown key '{key}'" in message for message in found)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("axis: [0, 0, 1]", "axis: [1e308, 1e308, 1]", "axes: 1e+308 is out of range"),
        ("axis: [0, 0, 1]", "axis: [1e200, 0, 0]", "axes: 1e+200 is out of range"),
        ("[[1], [0, 1]]", "[[1e-200], [0, 1e-200]]", "its points are 1e-200 apart, too close. Use distances of 1e-75"),
        ("axis: [0, 0, 1]", "axis: [0, 0, 1e-200]", "axes: the axis in 'world' is zero"),
        ("[[0.5], 1,", "[[0.5], 1e300,", "mass: 1e+300 is out of range"),
        ("A: [1]", "A: [[1e300, fixed]]", "value: 1e+300 is out of range"),
    ],
)
def test_numbers_whose_products_leave_the_range_are_refused(old, new, says):
    good = (
        "Dimension: 3\nPartData: {Fixed: {O: []}, Rigids: {OAU: {Geom: [[1], [0, 1]], Dyna: [[0.5], 1, [1, 1, 1]]}}}\n"
        "Connections: {Joints: {j: {kind: revolute, parts: [world, OAU], point: O, axis: [0, 0, 1]}}}\n"
        "ProblemData: {tend: 1, positions: {A: [1]}}"
    )
    lw.loads(good)
    assert any(says in message for message in messages(good.replace(old, new)))


def test_a_force_along_a_rod_in_space_pulls_along_it():
    spatial = (
        "Dimension: 3\nPartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}\n"
        "AppliedForces: {Forces: {A in OA: [3 + A.z]}}\nProblemData: {tend: 1, positions: {A: [0.6, 0, 0.8]}}"
    )
    assembly = lw.loads(spatial)
    motion = assembly.simulate()
    # the rod holds against the force: it stays at rest, and its pivot bears all of it
    assert np.allclose(motion.q[-1], [0.6, 0.0, 0.8], atol=1e-12)
    free = lw.loads(spatial.replace("Fixed: {O: []}, ", "")).simulate()
    O, A = (np.array([free[f"{point}{axis}"][0] for axis in "xyz"]) for point in "OA")
    assert np.allclose(free.at(0.0).a.reshape(2, 3), (3 + A[2]) * (A - O), atol=1e-9)
    assert any("has no y and z" in m for m in messages(spatial.replace("[3 + A.z]", "[3, 1]")))


# -- text that a terminal would obey ----------------------------------------------------------------------------------


def test_titles_and_names_are_shown_not_obeyed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    extra = f'Dissipation: {{"{ESCAPE}": 0.1*A.vx**2}}'
    file = tmp_path / "arm.yaml"
    file.write_text(pendulum(f'"{ESCAPE}"', forces=extra) + f'Events: {{"{ESCAPE}": A.y + 0.01}}\n')
    for command in ("run", "check", "equations", "linearize", "modes"):
        result = CliRunner().invoke(app, [command, str(file)])
        assert result.exit_code == 0, result.output
        assert "\x1b" not in result.output
        assert "\a" not in result.output
    assert r"\x1b[31mred" in CliRunner().invoke(app, ["run", str(file)]).output
    assert "\x1b" not in (tmp_path / "arm.csv").read_text()
    motion = lw.load(file).simulate()
    assert "\x1b" not in repr(motion) + motion.outcome + motion.title + str(motion.events)
    assert r"\u001b" not in json.dumps(describe_scene(record(motion)), default=str)


def test_errors_show_what_is_in_a_name():
    found = messages(pendulum(forces=r'Torques: {"O\e[2J\e[31mA": 1}'))
    assert found == [
        r"arm.yaml:6: torque 'O\x1b[2J\x1b[31mA': no rigid part named 'O\x1b[2J\x1b[31mA'. Rigid parts are OA"
    ]


@pytest.mark.parametrize(
    "words", [["\x1b[31m"], ["run", "\x1b[31m.yaml"], ["run", "x", "--out", "\x1b.txt"], ["run", "--\x1b[31m", "1"]]
)
def test_command_lines_are_shown_not_obeyed(words, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["linkwork", *words])
    with pytest.raises(SystemExit) as leave:
        main()
    assert leave.value.code == 2
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert r"\x1b" in said


@pytest.mark.parametrize("title", ["a\nb: c", "a\r\x1b[2Jb", "\u202eevil", "half \ud800"])
def test_a_title_is_one_line_of_visible_text(title):
    mechanism = Mechanism(title=title, particles=[lw.Particle(point="A", mass=1)])
    for shown in (mechanism.title, Lagrangian("x", "x'**2", title=title).title):
        assert len(shown.splitlines()) == 1
        assert shown.isprintable()
        shown.encode()
    assert Event(name=title, when="A.x").name.isprintable()
    assert Dissipation(name=title, function="A.vx**2").name.isprintable()


def test_text_that_is_visible_stays_as_it_is():
    text = "Kräfte: F = 3 N → ½ 水\n\tnext"
    assert show_text(text) == text
