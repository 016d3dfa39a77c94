"""Files -> mechanisms: laws, motions, events, connections, tables, and three dimensions."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork.errors import InputError
from linkwork.model import Collinear, Coplanar, Driver, Event, as_law, function, functions
from linkwork.model.tracked import find_turn_angles
from linkwork.spec import parse_mechanism
from linkwork.symbolic import evaluate, symbol

PAGE = Path(__file__).parents[2] / "docs" / "format.md"
DOCUMENTED = [block.split("```")[0] for block in PAGE.read_text(encoding="utf-8").split("```yaml\n")[1:]]

ARM = """\
PhysicalParams: {l: 1, m: 2, k: 30, c: 0.5, w: 3, h: -0.5}
PartData:
  Fixed: {O: [], Q: [2]}
  Rigids:
    OA, AB: {Geom: [[l]], Dyna: [[l/2], m]}
"""
BODY = """\
Dimension: 3
PhysicalParams: {l: 1, m: 2, al: 0.3}
PartData:
  Fixed: {O: [], Q: [2]}
  Rigids:
    OAB: {Geom: [[l], [0, l]], Dyna: [[l/3, l/3], m, [1, 1, 2]]}
    ACD: {Geom: [[l], [0, l]], Dyna: [[l/3, l/3], m, [1, 1, 1, 0.1, 0, 0]]}
"""


def numbers(mechanism, values):
    return [mechanism.compute(value) for value in values]


def test_two_points_without_inertia_are_a_uniform_rod():
    arm = parse_mechanism(ARM)
    assert arm.rigids[0].inertia == (symbol("m") * symbol("l") ** 2 / 12,)


def test_dampers_have_a_coefficient_or_a_force():
    text = ARM + "  Dampers: {OB: c, QA: {force: c*QA.rate*abs(QA.rate)}, 'QB': {coefficient: 2*c}}\n"
    dampers = parse_mechanism(text).dampers
    assert [damper.name for damper in dampers] == ["OB", "QA", "QB"]
    assert [damper.force for damper in dampers] == [
        as_law("c*OB.rate"),
        as_law("c*QA.rate*abs(QA.rate)"),
        as_law("2*c*QB.rate"),
    ]


def test_a_spring_may_have_damping():
    text = ARM + "  Springs: {QB: {stiffness: k, length: l, damping: c}, QA: {stiffness: k, length: l, mass: m}}\n"
    arm = parse_mechanism(text)
    assert [spring.name for spring in arm.springs] == ["QB", "QA"]
    assert numbers(arm, [spring.mass for spring in arm.springs]) == [0, 2]
    assert [(damper.name, damper.force) for damper in arm.dampers] == [("QB", as_law("c*QB.rate"))]


def test_forces_are_in_the_world_or_in_the_frame_of_a_part():
    text = ARM + "AppliedForces:\n  Forces: {A: [-c*A.vx], B in AB: [0, k*t]}\n"
    world, local = parse_mechanism(text).forces
    assert (world.point, world.part, world.components) == ("A", None, (as_law("-c*A.vx"), as_law(0)))
    assert (local.point, local.part, local.components) == ("B", "AB", (as_law(0), as_law("k*t")))


def test_torques_follow_laws():
    text = ARM + "AppliedForces:\n  ConstTorques: {OA: k}\n  Torques: {AB: k*sin(w*t), 'OA, AB': -k*OA.angle}\n"
    arm = parse_mechanism(text)
    assert [(torque.part, torque.other) for torque in arm.torques] == [("OA", None), ("AB", None), ("OA", "AB")]
    assert arm.torques[1].value is as_law("k*sin(w*t)")
    assert find_turn_angles(arm) == ("AB", "OA")


def test_dissipation_is_a_function_of_speeds():
    (air,) = parse_mechanism(ARM + "AppliedForces: {Dissipation: {air: c/2*(B.vx**2 + B.vy**2)}}\n").dissipations
    assert (air.name, air.function) == ("air", as_law("c/2*(B.vx**2 + B.vy**2)"))


def test_motions_are_prescribed_by_laws_of_time():
    text = ARM + "Motions: {OA.angle: w*t, B.x: 'l + sin(t)', QB.length: l}\n"
    motions = parse_mechanism(text).motions
    assert motions == (
        Driver(target="OA.angle", law="w*t"),
        Driver(target="B.x", law="l + sin(t)"),
        Driver(target="QB.length", law="l"),
    )


def test_events_stop_or_record():
    text = ARM + (
        "Events:\n  touch: {when: A.y - h, do: stop, direction: falling}\n"
        "  top: {when: A.vy, direction: rising}\n  side: B.x\n"
    )
    assert parse_mechanism(text).events == (
        Event(name="touch", when="A.y - h", stop=True, direction=-1),
        Event(name="top", when="A.vy", direction=1),
        Event(name="side", when="B.x"),
    )


def test_points_on_lines_and_in_planes():
    assert parse_mechanism(ARM + "Connections: {Collinear: [OBQ]}\n").collinears == (Collinear("OBQ"),)
    space = parse_mechanism(BODY + "Connections: {Collinear: [OACQ], Coplanar: [OADQ]}\n")
    assert space.collinears == (Collinear("OACQ"),)
    assert space.coplanars == (Coplanar("OADQ"),)


def test_joints_have_points_axes_and_references():
    text = BODY + (
        "Connections:\n  Joints:\n"
        "    h1: {kind: revolute, parts: [world, OAB], point: O, axes: [[0, cos(al), sin(al)], [0, 0, 1]]}\n"
        "    h2: {kind: prismatic, parts: [OAB, ACD], points: [A, A], axis: [1], reference: [0, 1]}\n"
        "    ball: {kind: spherical, parts: [world, ACD], points: [Q, C]}\n"
    )
    h1, h2, ball = parse_mechanism(text).joints
    assert (h1.name, h1.kind, h1.parts, h1.points) == ("h1", "revolute", ("world", "OAB"), ("O", "O"))
    assert h1.axes[0][1] is as_law("cos(al)")
    assert [[float(x) for x in axis] for axis in h2.axes] == [[1, 0, 0], [1, 0, 0]]
    assert [[float(x) for x in reference] for reference in h2.references] == [[0, 1, 0], [0, 1, 0]]
    assert ball.points == ("Q", "C")


def test_turns_of_joints_have_initial_values_by_their_name():
    text = BODY + (
        "Connections: {Joints: {h1: {kind: revolute, parts: [world, OAB], point: O}}}\n"
        "AppliedForces: {Torques: {h1: -h1.omega}}\n"
        "ProblemData: {positions: {h1: [0.3, fixed], A: [1, [2, fixed], 3]}, velocities: {h1: 2}}\n"
    )
    space = parse_mechanism(text)
    assert find_turn_angles(space) == ("h1",)
    assert space.start.angles["h1"].fixed
    assert not space.start.rates["h1"].fixed
    assert [guess.fixed for guess in space.start.positions["A"]] == [False, True, False]


def test_everything_has_three_coordinates_in_space():
    space = parse_mechanism(BODY + "AppliedForces: {Gravity: , Forces: {C: [1]}}\nProblemData: {positions: {C: [1]}}\n")
    assert numbers(space, space.gravity) == [0, 0, -9.80665]
    assert numbers(space, space.fixed["Q"]) == [2, 0, 0]
    assert numbers(space, space.forces[0].components) == [1, 0, 0]
    assert numbers(space, space.rigids[1].inertia) == [1, 1, 1, 0.1, 0, 0]
    assert len(space.start.positions["C"]) == 3


@pytest.mark.parametrize("kind", ["", ", kind: linear", ", kind: monotone", ", kind: spline"])
def test_tables_are_functions_of_one_value(kind):
    tables = f"Tables:\n  curve: {{x: [0, l, 2*l], y: [0, 1, k]{kind}}}\n"
    arm = parse_mechanism(ARM + tables + "AppliedForces: {Torques: {OA: 2*curve(OA.angle)}}\n")
    assert arm.tables["curve"].y == (0, 1, 30)
    assert evaluate(arm.torques[0].value, {"OA.angle": 2.0}) == pytest.approx(60)


def test_tables_can_be_used_in_ordinary_formulas():
    text = ARM.replace("[l/2], m]", "[l/2], curve(l)]") + "Tables: {curve: {x: [0, 2], y: [0, 6]}}\n"
    arm = parse_mechanism(text)
    assert arm.compute(arm.rigids[0].mass) == 3
    assert arm.with_parameters(l=2).compute(arm.rigids[0].mass) == 6


def test_registered_functions_can_be_used_in_files(monkeypatch):
    monkeypatch.setattr(functions, "_registered", functions.FunctionTable())
    function("drag", lambda v, c: -c * v * abs(v))
    arm = parse_mechanism(ARM + "AppliedForces: {Forces: {B: ['drag(B.vx, c)', 'drag(B.vy, c)']}}\n")
    assert arm.forces[0].components[0] is as_law("-c*B.vx*abs(B.vx)")


def test_a_parameter_may_be_called_t_while_no_law_uses_the_time():
    text = ARM.replace("h: -0.5", "t: 4") + "AppliedForces: {ConstTorques: {OA: t}, Forces: {B: [1]}}\n"
    arm = parse_mechanism(text)
    assert numbers(arm, [arm.torques[0].value]) == [4]


def test_empty_sections_are_fine():
    text = (
        ARM
        + "  Dampers:\nConnections:\n  Collinear:\nMotions:\nEvents:\nTables:\nAppliedForces: {Forces: , Torques: }\n"
    )
    assert parse_mechanism(text).dampers == ()


@pytest.mark.parametrize("text", DOCUMENTED, ids=lambda text: text.split("\n")[0])
def test_every_example_of_the_documentation_is_read(text):
    parse_mechanism(text)


@settings(max_examples=500)
@given(st.data())
def test_a_damaged_file_is_read_or_refused_in_words(data):
    text = data.draw(st.sampled_from(DOCUMENTED))
    place = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 8))
    damage = data.draw(
        st.sampled_from(
            ["", *"[]{}:,&*'\"%#-0t.?", "fixed", "1/0", ".x", "A", ".angle", "()", "~", "world", "\n", "[]", "{}"]
        )
    )
    try:
        parse_mechanism(text[:place] + damage + text[place + cut :])
    except InputError as error:
        assert all(problem.what and problem.file for problem in error.problems)
