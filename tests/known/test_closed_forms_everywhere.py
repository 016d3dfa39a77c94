"""Closed forms of motions that strike and stick, in every formulation and by every method that can be asked."""

from itertools import product
from math import cos, sin, sqrt

import pytest

import linkwork as lw

G = 9.81
METHODS = {"taylor": 1e-9, "rk8": 1e-8, "radau": 1e-5, "hht": 3e-3, "ida": 1e-4, "baumgarte": 1e-5}
QUICK = {("points", "taylor"), ("absolute", "taylor"), ("tree", "taylor"), ("absolute", "rk8"), ("absolute", "hht")}
EVERYWHERE = [
    pytest.param(*way, marks=() if way in QUICK else pytest.mark.long)
    for way in product(("points", "absolute", "tree"), METHODS)
]

BALL = """
PhysicalParams: {m: 2, r: 0.1, e: 0.5, h: 0.8}
Bodies: {b: {mass: m, inertia: 0.4*m*r**2, frames: {c: []}}}
Connections: {Contacts: {floor: {ball: b.c, radius: r, restitution: e}}}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {tend: 2, positions: {b.c: [0, r + h]}}
"""

BLOCK = """
PhysicalParams: {m: 2, mu: 0.5, alpha: 0.3, v: 3}
Bodies: {b: {mass: m, inertia: 0.1, frames: {c: []}}}
PartData: {Fixed: {O: []}}
Connections: {Joints: {rail: {kind: translational, frames: [world.O, b.c]}}}
AppliedForces:
  Gravity: [-9.81*sin(alpha), -9.81*cos(alpha)]
  Friction: {rub: {speed: b.vx, limit: mu*abs(rail.fy)}}
ProblemData: {tend: 1.5, velocities: {b.c: [[v, fixed]]}}
"""

CLUTCH = """
PhysicalParams: {w: 10, I: 1, J: 2, F: 3}
Bodies:
  a: {mass: 1, inertia: I, frames: {c: []}}
  b: {mass: 1, inertia: J, frames: {c: []}}
PartData: {Fixed: {O: []}}
Connections:
  Joints: {one: {kind: revolute, frames: [world.O, a.c]}, two: {kind: revolute, frames: [world.O, b.c]}}
AppliedForces: {Friction: {clutch: {speed: one.omega - two.omega, limit: F}}}
ProblemData: {tend: 3, velocities: {one: [w, fixed], two: [0, fixed]}}
"""

ROD = """
PhysicalParams: {m: 3, l: 2, h: 0.5, e: 0.6}
Bodies: {rod: {mass: m, inertia: m*l**2/12, frames: {c: [], left: [-l/2], right: [l/2]}}}
Connections: {Contacts: {table: {point: rod.right, restitution: e}}}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {tend: 0.4, positions: {rod.c: [0, h], rod.left: [-l/2, h], rod.right: [l/2, h]}}
"""


DISC = """
PhysicalParams: {m: 2, r: 0.1, alpha: 0.3}
Bodies: {d: {mass: m, inertia: 0.5*m*r**2, frames: {c: []}}}
Connections: {Rolling: {slope: {wheel: d.c, radius: r}}}
AppliedForces: {Gravity: [9.81*sin(alpha), -9.81*cos(alpha)]}
ProblemData: {tend: 2, positions: {d.c: [0, r]}}
"""


def run(text, formulation, method):
    tol = {"hht": 1e-6, "radau": 1e-9, "ida": 1e-8, "baumgarte": 1e-9}.get(method, 1e-11)
    if method == "ida":
        pytest.importorskip("sksundae")
    motion = lw.loads(text).formulated(formulation).simulate(method=method, tol=tol)
    audit = motion.audit()
    assert audit.ok, audit.text()
    return motion, METHODS[method]


@pytest.mark.parametrize(("formulation", "method"), EVERYWHERE)
def test_a_ball_bounces_ever_lower_and_rests_in_time(formulation, method):
    motion, close = run(BALL, formulation, method)
    first = sqrt(2 * 0.8 / G)
    hits = [e.t for e in motion.events if e.name == "floor"]
    # between bounces 2 first e, 2 first e², ...
    assert hits[:4] == pytest.approx([first * x for x in (1, 2, 2.5, 2.75)], abs=close)
    (rest,) = (e.t for e in motion.events if e.name == "floor: rest")
    assert rest == pytest.approx(3 * first, abs=10 * close)
    assert motion.final["b.c"] == pytest.approx([0, 0.1], abs=close)
    assert motion.losses["floor"][-1] == pytest.approx(-2 * G * 0.8, rel=10 * close)


@pytest.mark.parametrize(("formulation", "method"), EVERYWHERE)
def test_a_block_shot_up_an_incline_stops_in_time_and_sticks(formulation, method):
    motion, close = run(BLOCK, formulation, method)
    brake = G * (sin(0.3) + 0.5 * cos(0.3))
    assert [(e.name, e.t) for e in motion.events] == [("rub: sticks", pytest.approx(3 / brake, abs=close))]
    assert motion.final["b.c"][0] == pytest.approx(9 / (2 * brake), abs=close)
    assert motion.work["friction rub"][-1] == pytest.approx(-0.5 * 2 * G * cos(0.3) * 9 / (2 * brake), rel=10 * close)


@pytest.mark.parametrize(("formulation", "method"), EVERYWHERE)
def test_a_clutch_locks_when_its_discs_have_the_same_speed(formulation, method):
    motion, close = run(CLUTCH, formulation, method)
    locks = 10 / (3 / 1 + 3 / 2)
    assert [(e.name, e.t) for e in motion.events] == [("clutch: sticks", pytest.approx(locks, abs=close))]
    assert [motion.final["one.omega"], motion.final["two.omega"]] == pytest.approx([10 / 3] * 2, abs=close)
    # the energy of both relative to their mean
    assert motion.work["friction clutch"][-1] == pytest.approx(-0.5 * 100 * 1 * 2 / 3, rel=close)


@pytest.mark.parametrize(("formulation", "method"), EVERYWHERE)
def test_a_level_rod_that_falls_on_the_edge_of_a_table_gets_the_impulse_of_its_reduced_mass(formulation, method):
    motion, close = run(ROD, formulation, method)
    t, v = sqrt(2 * 0.5 / G), sqrt(2 * G * 0.5)
    # 1/m + (l/2)²/I = 4/m at its end
    impulse = (1 + 0.6) * v * 3 / 4
    assert [(e.name, e.t) for e in motion.events] == [("table", pytest.approx(t, abs=close))]
    assert motion.final["rod.vy"] == pytest.approx(-v + impulse / 3 - G * (0.4 - t), abs=close)
    assert motion.final["rod.omega"] == pytest.approx(impulse * 1 / (3 * 4 / 12), abs=10 * close)
    assert motion.losses["table"][-1] == pytest.approx(-(1 - 0.36) * v**2 * (3 / 4) / 2, rel=10 * close)


@pytest.mark.parametrize(("formulation", "method"), EVERYWHERE)
def test_a_disc_rolls_down_an_incline_at_two_thirds_of_its_pull(formulation, method):
    motion, close = run(DISC, formulation, method)
    # m a = m g sin - F and I a/r = F r with I = m r²/2
    a = 2 / 3 * G * sin(0.3)
    assert motion.final["d.c"] == pytest.approx([a * 2**2 / 2, 0.1], abs=close)
    # ida knows accelerations as second derivatives of places only
    state, close = motion.at([0.123, 0.777, 1.71]), 0.02 if method == "ida" else close
    assert -state.multiplier("slip1_slope") == pytest.approx([-2 * a / 2] * 3, abs=close)
    assert -state.multiplier("contact_slope") == pytest.approx([2 * G * cos(0.3)] * 3, abs=close)
