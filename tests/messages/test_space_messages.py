"""What a user reads when a file or a mechanism in three dimensions is wrong."""

import pytest

from linkwork.errors import InputError
from linkwork.model import (
    Coplanar,
    Damper,
    Driver,
    Event,
    Force,
    Joint,
    Mechanism,
    Rigid,
    Torque,
)
from linkwork.spec import parse_mechanism
from tools import check_mistake

GOOD = """\
Dimension: 3
PhysicalParams: {l: 1, m: 2, al: 0.3}
PartData:
  Fixed: {O: [], Q: [2]}
  Rigids:
    OAB: {Geom: [[l], [0, l]], Dyna: [[l/3, l/3], m, [1, 1, 2]]}
    ACD: {Geom: [[l], [0, l]], Dyna: [[l/3, l/3], m, [1, 1, 1, 0.1, 0, 0]]}
    DE: {Geom: [[l]], Dyna: [[l/2], m]}
Connections:
  Coplanar: [OADQ]
  Joints:
    hinge: {kind: revolute, parts: [world, OAB], point: O, axes: [[0, 1, 0], [0, 0, 1]]}
    ball:
      kind: spherical
      parts: [OAB, ACD]
      points: [A, A]
      axis: [0, 0, 1]
AppliedForces:
  Torques: {hinge: -hinge.omega}
  Forces: {E in DE: [1]}
"""


def test_the_file_without_mistakes_is_read():
    parse_mechanism(GOOD)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # frames
        (
            "OAB: {Geom: [[l], [0, l]]",
            "OAB: {Geom: [[l], [2*l]]",
            "6: rigid 'OAB': the reference points 'O', 'A' and 'B' are on one line. "
            "Name a point off the line third; it defines the local xy plane",
        ),
        (
            "OAB: {Geom: [[l], [0, l]]",
            "OAB: {Geom: [[l], [0, 0, l]]",
            "6: rigid 'OAB': 'B' is at (0, 0, 1), not in the upper half of the local xy plane. "
            "Turn the local frame about x so that 'B' is at (x, y, 0) with y > 0",
        ),
        (
            "OAB: {Geom: [[l], [0, l]]",
            "OAB: {Geom: [[l], [0, -l]]",
            "6: rigid 'OAB': 'B' is at (0, -1, 0), not in the upper half of the local xy plane. "
            "Turn the local frame about x so that 'B' is at (x, y, 0) with y > 0",
        ),
        (
            "OAB: {Geom: [[l], [0, l]]",
            "OAB: {Geom: [[0, 0, l], [0, l]]",
            "6: rigid 'OAB': 'A' is at (0, 0, 1), not on the positive local x axis. "
            "Place 'A' at (distance from 'O', 0, 0) and turn the other points with it",
        ),
        (
            "OAB: {Geom: [[l], [0, l]]",
            "OAB: {Geom: [[l]]",
            "6: rigid 'OAB': the number of places in Geom is 1, but there are 2 to give (A, B). "
            "'O' is the origin; write Geom: [[l], [x, y]]",
        ),
        # inertia
        (
            "m, [1, 1, 2]",
            "m, [1, 1, -1]",
            "6: rigid 'OAB': inertia is not physical: a principal moment is negative (-1). Make it zero or positive",
        ),
        (
            "m, [1, 1, 2]",
            "m, 1",
            "6: rigid 'OAB': inertia of a body in dimension 3 is 3 or 6 numbers, not 1. "
            "Give [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] about the centroid",
        ),
        (
            "[[l/3, l/3], m, [1, 1, 2]]",
            "[[l/3, l/3], m]",
            "6: rigid 'OAB': Dyna is a list of centroid, mass and inertia. "
            "Write Dyna: [[x, y, z], mass, [Ixx, Iyy, Izz]]",
        ),
        (
            "[[l/2], m]",
            "[[l/2], m, [1, 1, 1]]",
            "8: rigid 'DE': inertia of a thin rod is one number, not 3. Give that about the centroid",
        ),
        (
            "[[l/2], m]",
            "[[l/2, l/9], m, 1]",
            "8: rigid 'DE': centroid (0.5, 0.111111, 0) is not on the line of the thin rod. "
            "Place it at (x, 0, 0), or give the part a third point",
        ),
        # connections
        ("[OADQ]", "[OAD]", "10: coplanar 'OAD': 3 points are in a plane anyway. Name four or more"),
        ("[OADQ]", "[OAXQ]", "10: coplanar 'OAXQ': no part has a point 'X'. Points are A, B, C, D, E, O, Q"),
        ("revolute", "revolut", "12: joint 'hinge': no kind of joint is called 'revolut'. Did you mean 'revolute'?"),
        (
            "kind: spherical",
            "kind: screw",
            "13: joint 'ball': the pitch is missing. A screw joint needs it: write pitch: value",
        ),
        (
            "kind: revolute, ",
            "",
            "12: joint 'hinge': the kind is missing. "
            "Write {kind: revolute, parts: [world, OAB], point: O, axis: [0, 0, 1]}",
        ),
        ("[world, OAB]", "[world, OBA]", "12: joint 'hinge': no rigid part named 'OBA'. Did you mean 'OAB'?"),
        (
            "[world, OAB]",
            "world",
            "12: joint 'hinge': parts is a list of two names. "
            "Write {kind: revolute, parts: [world, OAB], point: O, axis: [0, 0, 1]}",
        ),
        ("[OAB, ACD]", "[OAB, OAB]", "13: joint 'ball': joins 'OAB' to itself. Name two different parts"),
        ("[A, A]", "[A, B]", "13: joint 'ball': 'B' is not a point of 'ACD'. Its points are A, C, D"),
        (
            "point: O",
            "points: [A, O]",
            "12: joint 'hinge': the point 'A' of the world is not fixed. Add 'A' to Fixed",
        ),
        (
            "points: [A, A]",
            "points: [A, A]\n      point: A",
            "17: joint 'ball': both 'point' and 'points' are given. Remove one of the two",
        ),
        (
            "      points: [A, A]\n",
            "",
            "13: joint 'ball': the points are missing. "
            "Write {kind: revolute, parts: [world, OAB], point: O, axis: [0, 0, 1]}",
        ),
        (
            "[0, 1, 0]",
            "[0, 0, 0]",
            "12: joint 'hinge': axes: the axis in 'world' is zero. Give a direction such as [0, 0, 1]",
        ),
        (
            "[[0, 1, 0], [0, 0, 1]]",
            "[0, 1, 0]",
            "12: joint 'hinge': axes is a list of two directions. Write axes: [[0, 0, 1], [0, 0, 1]]",
        ),
        (
            "[0, 0, 1]]}",
            "[0, 0, 1]], reference: [0, 0, 1]}",
            "12: joint 'hinge': references: the one in 'OAB' is along the axis or zero. "
            "Give a direction across the axis",
        ),
        (
            "kind: spherical\n      parts: [OAB, ACD]\n      points: [A, A]",
            "kind: revolute\n      parts: [ACD, DE]\n      points: [D, D]",
            "13: joint 'ball': 'DE' is a thin rod, which has no frame for the axis of a revolute joint. "
            "Give the part a third point off the line, or use a spherical joint",
        ),
        ("    ball:", "    A:", "13: joint 'A': a point has the same name. Give the joint another name"),
        # torques and forces
        (
            "{hinge: -",
            "{OAB: -",
            "19: torque 'OAB': no joint named 'OAB'. "
            "'OAB' is a part; in 3D angles belong to joints. Joints with an angle are hinge",
        ),
        (
            "{hinge: -",
            "{ball: -",
            "19: torque 'ball': a spherical joint has no angle. Kinds with an angle are "
            "revolute, cylindrical, planar, parallel, screw, gear",
        ),
        (
            "{hinge: -",
            "{'OAB, ACD': -",
            "19: torque 'OAB': in dimension 3 a torque acts about the axis of a joint. "
            "Name one joint; it turns its second part against its first",
        ),
        (
            "-hinge.omega",
            "-hing.omega",
            "19: torque 'hinge': value: no joint named 'hing' (in 'hing.omega'). Did you mean 'hinge'?",
        ),
        (
            "DE: [1]",
            "DE: [0, 1]",
            "20: force 'E in DE': the thin rod 'DE' has no y and z directions of its own. "
            "Give the force along x only, or the part a third point",
        ),
    ],
)
def test_one_mistake_gives_one_message(old, new, message):
    check_mistake(GOOD, old, new, message)


# -- from Python ----------------------------------------------------------------------------------------------------

ROD = Rigid.rod("OA", 1, 1)
BALL = Joint(name="ball", kind="spherical", parts=("world", "OA"), points=("O", "O"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"joints": [BALL]},
            "joint 'ball': no kind of joint is called 'spherical' in dimension 2. Kinds are revolute, translational, "
            "double_translational, parallel, pin_slot, fixed, distance, rack_pinion, gear",
        ),
        (
            {"coplanars": [Coplanar("OABC")]},
            "coplanar 'OABC': all points are in one plane in dimension 2. Use Dimension: 3, or Collinear",
        ),
        (
            {"forces": [Force(point="A", components=("kk*A.x",))], "parameters": {"k": 1}},
            "force 'A': x component: unknown name 'kk'. Did you mean 'k'?",
        ),
        (
            {"forces": [Force(point="A", components=("A",))]},
            "force 'A': x component: unknown name 'A'. Write A.x for a coordinate of the point",
        ),
        (
            {"forces": [Force(point="A", components=(1, 2, 3))]},
            "force 'A': 3 coordinates in dimension 2. Give at most 2",
        ),
        (
            {"torques": [Torque(part="OA", value="B.x")]},
            "torque 'OA': value: no part has a point 'B' (in 'B.x'). Points are A, O",
        ),
        (
            {"dampers": [Damper(name="AA", coefficient=1)]},
            "damper 'AA': a damper joins two different points. Name it by its ends, as in 'AB'",
        ),
        (
            {"motions": [Driver(target="OA.angle", law="t")] * 2},
            "motion 'OA.angle': is prescribed twice. Remove one of the two motions",
        ),
        (
            {"events": [Event(name="e", when="t - k")]},
            "event 'e': when: unknown name 'k'. Define a parameter with this name",
        ),
        (
            {"rigids": [Rigid(name="OA", geometry=[(), (1, 0, 0)])]},
            "rigid 'OA': 3 coordinates in dimension 2. Give at most 2",
        ),
        (
            {"rigids": [Rigid(name="OA", geometry=[(), (1,)], inertia=(1, 2, 3))]},
            "rigid 'OA': inertia of dimension 2 is one number, not 3. Give that about the centroid",
        ),
    ],
)
def test_one_mistake_in_python_gives_one_message(fields, message):
    with pytest.raises(InputError) as caught:
        Mechanism(**{"fixed": {"O": ()}, "rigids": [ROD], **fields})
    assert str(caught.value) == message
