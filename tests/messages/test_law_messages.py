"""What a user reads when a law, a motion, an event, a table or a damper of a file is wrong."""

import pytest

import linkwork as lw
from linkwork.spec import parse_mechanism
from tools import check_mistake, messages

GOOD = """\
PhysicalParams: {l: 1, m: 2, k: 30, c: 0.5, w: 3, h: -0.5}
Tables:
  curve: {x: [0, 1, 2], y: [0, 1, 4]}
PartData:
  Fixed: {O: [], Q: [2]}
  Rigids:
    OA: {Geom: [[l]], Dyna: [[l/2], m]}
    AB: {Geom: [[l]], Dyna: [[l/2], m]}
  Springs:
    QB: {stiffness: k, length: l, damping: 2}
  Dampers:
    OB: {force: c*OB.rate}
Connections:
  Collinear: [OBQ]
AppliedForces:
  Forces:
    A: [-c*A.vx, 0]
    B in AB: [0, 1]
  Torques:
    AB: curve(AB.angle)
  Dissipation:
    air: c/2*B.vx**2
Motions:
  OA.angle: w*t
Events:
  touch:
    when: A.y - h
    do: stop
    direction: falling
"""


def test_the_file_without_mistakes_is_read():
    parse_mechanism(GOOD)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # names in laws
        ("-c*A.vx", "-cc*A.vx", "17: force 'A': unknown name 'cc' in '-cc*A.vx'. Did you mean 'c'?"),
        (
            "-c*A.vx",
            "-c*C.vx",
            "17: force 'A': x component: no part has a point 'C' (in 'C.vx'). Points are A, B, O, Q",
        ),
        (
            "-c*A.vx",
            "-c*A1.vx",
            "17: force 'A': x component: no part has a point 'A1' (in 'A1.vx'). Did you mean 'A'?",
        ),
        (
            "-c*A.vx, 0",
            "0, A.z",
            "17: force 'A': y component: there is no z in dimension 2 (in 'A.z'). Use x and y, or Dimension: 3",
        ),
        (
            "-c*A.vx",
            "AB.lenght",
            "17: force 'A': x component: unknown quantity 'lenght' (in 'AB.lenght'). Did you mean 'AB.length'?",
        ),
        (
            "-c*A.vx",
            "AB.x",
            "17: force 'A': x component: 'x' belongs to one point, not 2 (in 'AB.x'). Write A.x",
        ),
        (
            "-c*A.vx",
            "A.length",
            "17: force 'A': x component: a length is between two points, not 1 (in 'A.length'). "
            "Write AB.length for the points A and B",
        ),
        (
            "-c*A.vx",
            "AA.length",
            "17: force 'A': x component: a length is between two different points (in 'AA.length'). Name two points",
        ),
        (
            "-c*A.vx",
            "AC.rate",
            "17: force 'A': x component: no part has a point 'C' (in 'AC.rate'). Points are A, B, O, Q",
        ),
        (
            "-c*A.vx",
            "OB.angle",
            "17: force 'A': x component: no rigid part named 'OB' (in 'OB.angle'). Did you mean 'OA'?",
        ),
        (
            "-c*A.vx",
            "1/(l - 1)",
            "17: force 'A': x component: division by zero: 1/(1 - l) at l = 1. Check the formula and its parameters",
        ),
        (
            "h: -0.5",
            "h: 1, t: 2",
            "1: parameter 't': hides the time, which a law uses. Give the parameter another name",
        ),
        (
            "Dyna: [[l/2], m]}\n    AB",
            "Dyna: [[l/2], m*A.x]}\n    AB",
            "7: rigid 'OA': unknown name 'A.x' in 'm*A.x'. "
            "Only laws of forces, torques, dampers, motions and events can use it",
        ),
        (
            "w: 3",
            "w: t",
            "1: parameter 'w': unknown name 't' in 't'. "
            "Only laws of forces, torques, dampers, motions and events can use it",
        ),
        # forces
        ("    A: [-c", "    C: [-c", "17: force 'C': no part has a point 'C'. Points are A, B, O, Q"),
        (
            "    A: [-c",
            "    O: [-c",
            "17: force 'O': point 'O' is fixed: the force does nothing. Remove it or free the point",
        ),
        ("[-c*A.vx, 0]", "-c*A.vx", "17: force 'A': expected a list such as [x, y], not '-c*A.vx'"),
        ("[-c*A.vx, 0]", "[0, 0, 1]", "17: force 'A': 3 coordinates in dimension 2. Give at most 2"),
        ("B in AB", "B in OB", "18: force 'B in OB': no rigid part named 'OB'. Did you mean 'OA'?"),
        ("B in AB", "B in OA", "18: force 'B in OA': 'B' is not a point of 'OA'. Its points are A, O"),
        (
            "B in AB",
            "B on AB",
            "18: force 'B on AB': this does not name a point. "
            "Write A for the world frame, or A in OA for the frame of OA",
        ),
        ("    AB: curve(AB.angle)", "    BA: 1", "20: torque 'BA': no rigid part named 'BA'. Did you mean 'OA'?"),
        # tables
        ("curve(AB", "curv(AB", "20: torque 'AB': unknown function 'curv' in 'curv(AB.angle)'. Did you mean 'curve'?"),
        (
            "curve(AB.angle)",
            "curve(1, 2)",
            "20: torque 'AB': the number of values for curve is 2 in 'curve(1, 2)'. Write curve(argument)",
        ),
        (
            "x: [0, 1, 2]",
            "x: [0, 2, 1]",
            "3: table 'curve': x does not increase at number 3: 1 follows 2. Sort the points by x and give each x once",
        ),
        ("x: [0, 1, 2]", "x: [0, 1]", "3: table 'curve': 2 values of x, but 3 of y. Give as many of each"),
        ("x: [0, 1, 2]", "x: 3", "3: table 'curve': x is a list of numbers. Write x: [0, 1, 2]"),
        ("x: [0, 1, 2]", "x: [0, 1, kk]", "3: table 'curve': unknown name 'kk' in 'kk'. Did you mean 'k'?"),
        ("x: [0, 1, 2], ", "", "3: table 'curve': x is a list of numbers. Write x: [0, 1, 2]"),
        (
            "4]}",
            "4], kind: cubic}",
            "3: table 'curve': no kind of table is called 'cubic'. Use spline, monotone, linear",
        ),
        ("4]}", "4], sort: 1}", "3: table 'curve': unknown key 'sort'. Known keys are x, y, kind, file, columns"),
        # springs and dampers
        ("damping: 2", "damping: -2", "10: damper 'QB': coefficient is negative (-2). Make it zero or positive"),
        ("stiffness: k, ", "", "10: spring 'QB': the stiffness is missing. Write {stiffness: k, length: l}"),
        (
            "stiffness: k, ",
            "k: k, ",
            "10: spring 'QB': unknown key 'k'. Known keys are points, stiffness, length, mass, damping",
        ),
        (
            "OB: {force: c*OB.rate}",
            "OC: c",
            "12: damper 'OC': no part has a point 'C'. Points are A, B, O, Q",
        ),
        (
            "OB: {force: c*OB.rate}",
            "OQ: c",
            "12: damper 'OQ': both points are fixed: the damper does nothing. Remove it",
        ),
        (
            "OB: {force: c*OB.rate}",
            "OB: {force: c, coefficient: c}",
            "12: damper 'OB': both 'force' and 'coefficient' are given. Remove one of the two",
        ),
        ("OB: {force", "QB: {force", "12: damper 'QB': defined 2 times. Give each part its own name"),
        # connections
        ("[OBQ]", "[OB]", "14: collinear 'OB': 2 points are on a line anyway. Name three or more"),
        ("[OBQ]", "[OCB]", "14: collinear 'OCB': no part has a point 'C'. Points are A, B, O, Q"),
        ("[OBQ]", "[OBO]", "14: collinear 'OBO': point 'O' occurs twice. Name each point once"),
        (
            "[OBQ]",
            "[O-B]",
            "14: collinear 'O-B': this is not a list of points. Name a part by its points, each "
            "a letter with or without digits, as in OA or P1P2",
        ),
        ("Collinear: [OBQ]", "Colinear: [OBQ]", "14: Connections: unknown key 'Colinear'. Did you mean 'Collinear'?"),
        (
            "Collinear: [OBQ]",
            "Coplanar: [OABQ]",
            "14: Connections: Coplanar is for dimension 3. "
            "Use Collinear; points with the same name are pinned together anyway",
        ),
        (
            "Collinear: [OBQ]",
            "Joints: {hinge: {kind: revolute}}",
            "14: joint 'hinge': the frames are missing. Write {kind: revolute, frames: [crank.pin, rod.big]}",
        ),
        # dissipation
        (
            "c/2*B.vx**2",
            "c/2*B.x**2",
            "22: dissipation 'air': function does not depend on a speed. "
            "Write for example c/2*A.vx**2 or c/2*AB.rate**2",
        ),
        # motions
        (
            "w*t",
            "w*A.x",
            "24: motion 'OA.angle': law depends on A.x, not on time alone. "
            "Use t and parameters only; a force or torque may depend on the motion",
        ),
        ("OA.angle:", "O.x:", "24: motion 'O.x': point 'O' is fixed. Remove 'O' from Fixed or the motion"),
        (
            "OA.angle:",
            "OQ.length:",
            "24: motion 'OQ.length': both points are fixed. Free one of them or remove the motion",
        ),
        (
            "OA.angle:",
            "AO.length:",
            "24: motion 'AO.length': 'A' and 'O' are points of the rigid part 'OA', so their distance is fixed. "
            "Prescribe another length, or replace the part by one for each point",
        ),
        (
            "OA.angle: w*t",
            "OA.angle: w*t\n  OA.omega: w",
            "25: motion 'OA.omega': is prescribed twice. Remove one of the two motions",
        ),
        (
            "OA.angle:",
            "OA:",
            "24: motion 'OA': this cannot be prescribed. "
            "Prescribe a place (A.x), a length (AB.length), an angle (OA.angle) or the rate of one (A.vx, OA.omega)",
        ),
        (
            "OA.angle:",
            "OB.angle:",
            "24: motion 'OB.angle': target: no rigid part named 'OB' (in 'OB.angle'). Did you mean 'OA'?",
        ),
        (
            "OA.angle: w*t",
            "QB.length: 1\n  BQ.length: 1",
            "25: motion 'BQ.length': is prescribed twice. Remove one of the two motions",
        ),
        # events
        ("when: A.y - h", "when: A.y - hh", "27: event 'touch': unknown name 'hh' in 'A.y - hh'. Did you mean 'h'?"),
        (
            "when: A.y - h",
            "when: C.y - h",
            "27: event 'touch': when: no part has a point 'C' (in 'C.y'). Points are A, B, O, Q",
        ),
        (
            "when: A.y - h",
            "when: h",
            "27: event 'touch': when does not depend on the motion or on time. "
            "Quantities are A.x, A.vx, AB.length, AB.rate, OA.angle, OA.omega and the like",
        ),
        (
            "    when: A.y - h\n",
            "",
            "26: event 'touch': 'when' is missing. Write when: and an expression that crosses zero",
        ),
        ("do: stop", "do: stopp", "28: event 'touch': expected a word, not 'stopp'. Did you mean 'stop'?"),
        ("do: stop", "do: jump", "28: event 'touch': expected a word, not 'jump'. Write stop or record"),
        ("falling", "down", "29: event 'touch': expected a word, not 'down'. Write rising or falling or either"),
    ],
)
def test_one_mistake_gives_one_message(old, new, message):
    check_mistake(GOOD, old, new, message)


def test_a_part_that_could_not_be_read_gives_no_messages_where_it_is_used():
    text = GOOD.replace("    AB: {Geom", "    A-B: {Geom")
    assert len(messages(text)) == 1


def test_a_table_that_could_not_be_read_gives_no_messages_where_it_is_used():
    assert len(messages(GOOD.replace("y: [0, 1, 4]", "y: [0, 1, oops]"))) == 1


def test_the_part_that_cannot_turn_is_named():
    text = "PartData: {Fixed: {O: [], A: [1]}, Rigids: {OA: {Geom: [[1]]}, AB: {Geom: [[1]], Dyna: [[1/2], 1]}}}\n"
    assert messages(text + "Motions: {OA.angle: t}") == [
        "arm.yaml:2: motion 'OA.angle': 'OA' has two fixed points and cannot turn. Free one of them"
    ]


@pytest.mark.parametrize("name", ["sin", "select"])
def test_a_table_cannot_hide_a_function(name):
    text = GOOD.replace("  curve:", f"  {name}:").replace("curve(AB.angle)", "1")
    assert messages(text) == [f"arm.yaml:3: table '{name}': this name is built in. Use another name"]


def test_the_centroid_of_a_uniform_rod_is_in_its_middle():
    text = GOOD.replace("    AB: {Geom: [[l]], Dyna: [[l/2], m]}", "    AB: {Geom: [[l]], Dyna: [[l/3], m]}")
    assert messages(text) == [
        "arm.yaml:8: rigid 'AB': the centroid is not in the middle, so the inertia is not that of a uniform rod. "
        "Give the inertia"
    ]


@pytest.mark.parametrize("dimension", [2, 3])
def test_what_acts_along_a_line_without_length_is_named_with_what_to_do(dimension):
    parts = "PartData: {Fixed: {O: []}, Particles: {A: 1}, Springs: {OA: [100, %s]}%s}\n"
    parts += "ProblemData: {tend: 1, positions: {A: [0]}}\n"
    for rest, damper, says in (
        ("0", ", Dampers: {OA: 2}", "ends of damper OA meet.*Keep them apart, or use a Dissipation"),
        ("0", ", Dampers: {OA: {force: 2*OA.rate**3}}", "ends of damper OA meet"),
        ("1", "", "ends of spring OA meet.*let its length at rest be zero"),
        ("1", ", Dampers: {OA: 2}", "ends of spring OA and of damper OA meet"),
    ):
        with pytest.raises(lw.LinkworkError, match=says):
            lw.loads(f"Dimension: {dimension}\n" + parts % (rest, damper)).simulate()
    assert lw.loads(f"Dimension: {dimension}\n" + parts % ("0", "")).simulate().outcome == "reached t = 1"
