"""One mistake, one message: what only follows from it is not told."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.results.evidence import Energy
from linkwork.results.summary import summarise
from tools import messages

ARM = """\
Bodies:
  world: {frames: {o: [], p: [1]}}
  crank: {mass: 1, inertia: 0.1, centre: [0.5], frames: {o: [], pin: [1]}}
  rod: {mass: 1, inertia: 0.1, centre: [0.5], frames: {a: [], b: [1]}}
Connections:
  Joints:
    j1: {kind: revolute, frames: [world.o, crank.o]}
    j2: {kind: revolute, frames: [crank.pin, rod.a]}
AppliedForces: {Gravity: , Efforts: {j2.angle: 1}}
Motions: {j1.angle: t}
Events: {e: j2.angle - 1}
ProblemData: {tend: 1, positions: {crank.pin: [1], rod.b: [2]}}
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "crank.pin, rod.a]",
            "crank.pim, rod.a]",
            "8: joint 'j2': body 'crank' has no frame 'pim'. Did you mean 'pin'?",
        ),
        ("crank.pin, rod.a]", "crank.pin, rad.a]", "8: joint 'j2': no rigid part named 'rad'. Did you mean 'rod'?"),
        (
            "[world.o, crank.o]",
            "[world.q, crank.o]",
            "7: joint 'j1': body 'world' has no frame 'q'. Its frames are o, p",
        ),
        (
            "Efforts: {j2.angle: 1}",
            "Efforts: {world.p.x: 1}",
            "9: effort 'world.p.x': 'world.p.x' does not move: the effort does nothing. "
            "Remove it, or name a quantity that moves",
        ),
        (
            "rod.b: [2]",
            "rod: [1, 2, 3]",
            "12: angle of 'rod': a turn angle with 3 values. Write x, [x] or [x, fixed]; "
            "a place is that of a point or frame",
        ),
    ],
)
def test_the_cause_alone_is_told(old, new, message):
    assert ARM.count(old) == 1
    assert messages(ARM.replace(old, new)) == [f"arm.yaml:{message}"]


def test_an_own_joint_of_the_plane_that_uses_z_is_told_what_a_frame_has():
    with pytest.raises(lw.InputError, match="a vector of 2 components and one of 0 do not go together"):

        @lw.joint_kind("leaning", dimension=2, free=2)
        def leaning(i, j):
            return lw.Conditions(zero=[lw.dot(j.o - i.o, i.z)])


def test_a_mechanism_at_rest_tells_its_balance_in_joules():
    hanging = "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[1/2], 1]}}}\nAppliedForces: {Gravity: }\n"
    still = lw.loads(hanging + "ProblemData: {tend: 1, positions: {A: [0, -1]}}").simulate()
    assert dict(summarise(still))["energy"] == "balance kept to 0.0e+00 J; nothing is exchanged: it is at rest"
    moving = lw.loads(hanging + "ProblemData: {tend: 1, positions: {A: [1, -1]}}").simulate()
    assert "of the energy exchanged" in dict(summarise(moving))["energy"]


def test_noise_of_what_is_at_rest_is_no_loss():
    noise = Energy(kinetic=np.array([0.0, 3e-34, 1e-34]), potentials={}, faint=1e-24)
    assert noise.at_rest
    assert noise.drift < 1e-9
    assert noise.imbalance == 3e-34
    seen = lw.loads("PartData: {Particles: {A: 1}}\nProblemData: {tend: 1, positions: {A: [1, 1]}}").simulate()
    assert 0 < seen.energy.faint < 1e-20
