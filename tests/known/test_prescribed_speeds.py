"""Prescribed speeds beside prescribed places, moments beside Euler's equations, velocity constraints by formula."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.results.record.torques import compute_torques, find_torques

CRANK = """
PhysicalParams: {l: 1, m: 2, w: 3, v: 0.4}
Bodies:
  world: {frames: {o: []}}
  crank: {mass: m, centre: [l/2], inertia: m*l**2/12, frames: {o: [], pin: [l]}}
  rod: {mass: m, centre: [l], inertia: m*l**2/3, frames: {pin: [], end: [2*l]}}
  block: {mass: m, inertia: 0.1, frames: {c: []}}
Connections:
  Joints:
    main: {kind: revolute, frames: [world.o, crank.o]}
    big: {kind: revolute, frames: [crank.pin, rod.pin]}
    small: {kind: revolute, frames: [rod.end, block.c]}
    guide: {kind: translational, frames: [world.o, block.c]}
AppliedForces: {Gravity: }
Motions: {TARGET: LAW}
ProblemData: {tend: 2, positions: {crank.pin: [0.6, 0.8], block.c: [2.4, 0]}}
"""
HINGE = """
Dimension: 3
PhysicalParams: {w: 3}
Bodies:
  world: {frames: {o: {at: [], z: [0, 1, 2]}}}
  arm: {mass: 2, centre: [0.5, 0.1], inertia: [0.1, 0.3, 0.3], frames: {o: {at: [], z: [0, 0, 1]}, tip: [1]}}
  flap: {mass: 1, centre: [0.3], inertia: [0.1, 0.2, 0.2], frames: {o: {at: [], z: [1, 1, 0]}}}
Connections:
  Joints:
    hinge: {kind: revolute, frames: [world.o, arm.o]}
    elbow: {kind: revolute, frames: [arm.tip, flap.o]}
AppliedForces: {Gravity: , Torques: {elbow: -elbow.angle}}
Motions: {TARGET: LAW}
ProblemData: {tend: 2, positions: {hinge: 0.3, elbow: 0.5}, velocities: {hinge: w, elbow: 0}}
"""


@pytest.mark.parametrize(
    ("text", "place", "law", "speed", "rate"),
    [
        (CRANK, "crank.angle", "a0 + w*t + t**3/9", "crank.omega", "w + t**2/3"),
        (CRANK, "main.angle", "a0 + w*t", "main.omega", "w"),
        (CRANK, "block.c.x", "a0 + v*sin(w*t)/w", "block.c.vx", "v*cos(w*t)"),
        (CRANK, "guide.travel", "a0 + v*sin(w*t)/w", "guide.speed", "v*cos(w*t)"),
        (HINGE, "hinge.angle", "a0 + sin(w*t)", "hinge.omega", "w*cos(w*t)"),
    ],
)
def test_a_speed_that_is_prescribed_is_the_place_prescribed_by_its_integral(text, place, law, speed, rate):
    driven = lw.loads(text.replace("TARGET", speed).replace("LAW", rate))
    one = driven.simulate(2, tol=1e-13)
    begin = float(one[place][0])
    text = text.replace("TARGET", place).replace("LAW", law).replace("w: 3", f"w: 3, a0: {begin!r}")
    two = lw.loads(text).simulate(2, tol=1e-13)
    t = np.linspace(0, 2, 41)
    a, b = one.at(t), two.at(t)
    assert np.max(np.abs(a.q - b.q)) < 1e-10
    force, other = -a.multiplier(f"motion_{speed}"), -b.multiplier(f"motion_{place}")
    assert np.max(np.abs(force - other)) < 1e-8 * np.max(np.abs(other))
    assert one.audit().ok, one.audit()


def test_the_moments_that_keep_a_given_spin_are_eulers():
    """Spin about a fixed direction of an unbalanced body: M = I α + ω × I ω."""
    inertia = [1.0, 2.0, 2.5, 0.1, 0.2, 0.3]
    text = f"""
Dimension: 3
Bodies: {{b: {{mass: 1, inertia: {inertia}}}}}
Motions: {{b.wx: 0, b.wy: 0, b.wz: 2*t}}
"""
    motion = lw.loads(text).simulate(3, tol=1e-13)
    xx, yy, zz, xy, xz, yz = inertia
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    for t in (0.0, 0.7, 2.9):
        at, turned = motion.at(t), t**2
        c, s = np.cos(turned), np.sin(turned)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        J, w, alpha = R @ I @ R.T, np.array([0, 0, 2 * t]), np.array([0, 0, 2])
        found = [-float(at.multiplier(f"motion_b.{axis}")) for axis in ("wx", "wy", "wz")]
        assert np.allclose(found, J @ alpha + np.cross(w, J @ w), rtol=0, atol=1e-10)
    assert motion.audit().ok


MOMENTS = """
Dimension: 3
Bodies:
  a: {mass: 1, inertia: [1, 2, 2.5]}
  b: {mass: 1, centre: [0.2], inertia: [1, 1.5, 2]}
AppliedForces:
  Moments: FORCES
ProblemData: {tend: 4}
"""


def test_moments_in_world_and_body_axes_turn_a_body_as_euler_says():
    motion = lw.loads(MOMENTS.replace("FORCES", "{a: [sin(t), 0, 1], a in a: [0, 0.3*a.wx, 0.4]}")).simulate(tol=1e-13)
    I = np.diag([1, 2, 2.5])

    def rates(t, y):
        R, w = y[:9].reshape(3, 3), y[9:]
        M = R.T @ [np.sin(t), 0, 1] + [0, 0.3 * (R @ w)[0], 0.4]
        spin = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([(R @ spin).ravel(), np.linalg.solve(I, M - np.cross(w, I @ w))])

    start = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
    end = solve_ivp(rates, (0, 4), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    R = np.array([[float(motion.at(4.0)[f"a.{axis}{k}"]) for axis in "xyz"] for k in "xyz"])
    assert np.allclose(R, end[:9].reshape(3, 3), atol=1e-9)
    assert motion.audit().ok


def test_a_moment_between_two_bodies_keeps_their_angular_momentum():
    motion = lw.loads(MOMENTS.replace("FORCES", "{'a, b': [0.1, 0.2*t, -a.wz - 1], 'b, a in a': [0, 0.5]}")).simulate()
    total = np.zeros(3)
    for body, inertia in (("a", [1, 2, 2.5]), ("b", [1, 1.5, 2])):
        R = np.array([[float(motion[f"{body}.{axis}{k}"][-1]) for axis in "xyz"] for k in "xyz"])
        w = np.array([float(motion[f"{body}.{k}"][-1]) for k in ("wx", "wy", "wz")])
        total = total + R @ np.diag(inertia) @ R.T @ w
    assert np.max(np.abs(total)) < 1e-9
    assert motion.audit().ok


def test_an_effort_on_an_angular_velocity_is_a_moment():
    one = lw.loads(MOMENTS.replace("FORCES", "{a: [sin(t), 0, 1]}")).simulate(4)
    text = MOMENTS.replace("  Moments: FORCES", "  Efforts: {a.wx: sin(t), a.wz: 1}")
    assert np.allclose(one.final.q, lw.loads(text).simulate(4).final.q, atol=1e-11)


def test_a_velocity_constraint_of_a_gear_is_its_relation():
    text = """
Bodies:
  world: {frames: {o: [], q: [1]}}
  a: {mass: 1, inertia: 0.2, centre: [0.1], frames: {o: []}}
  b: {mass: 1, inertia: 0.3, frames: {o: []}}
Connections:
  Joints:
    left: {kind: revolute, frames: [world.o, a.o]}
    right: {kind: revolute, frames: [world.q, b.o]}
  GEAR
AppliedForces: {Gravity: }
ProblemData: {positions: {a: 0.6, b: -0.4}}
"""
    one = lw.loads(text.replace("GEAR", "Velocity: {gear: 2*left.omega + 3*b.omega}")).simulate(3, tol=1e-13)
    two = lw.loads(text.replace("GEAR", "Relations: {gear: 2*left.angle + 3*b.angle}")).simulate(3, tol=1e-13)
    assert np.allclose(one.final.q, two.final.q, atol=1e-11)
    assert np.allclose(one.final.multiplier("velocity_gear"), two.final.multiplier("relation_gear"), atol=1e-9)
    assert one.audit().ok
    gear = lw.loads(text.replace("GEAR", "Velocity: {gear: a.omega - b.omega}"))
    assert "1 velocity constraint × 1" in gear.structure().text()


@pytest.mark.parametrize("held", ["Relations: {led: a.o.x - v*t**2}", "Velocity: {led: a.o.vx - 2*v*t}"])
def test_constraints_that_depend_on_time_do_the_work_they_feed_in(held):
    """Led at the acceleration 2 v from rest: half m (2 v t)², which the audit and the energy balance agree on."""
    text = f"""
PhysicalParams: {{v: 0.5}}
Bodies: {{a: {{mass: 2, inertia: 1, frames: {{o: []}}}}}}
Connections: {{{held}}}
"""
    motion = lw.loads(text).simulate(3)
    kinetic = motion.final.energy.kinetic
    assert float(kinetic) == pytest.approx(2 / 2 * 3.0**2)
    assert motion.audit().ok, motion.audit()


def test_moments_are_among_the_torques_of_a_picture():
    motion = lw.loads(MOMENTS.replace("FORCES", "{'a, b in a': [0.1, 0.2*t, -a.wz - 1]}")).simulate()
    turnings = [x for x in find_torques(motion) if x.source == "moment"]
    assert [(x.part, x.name) for x in turnings] == [("a", "moment a, b in a on a"), ("b", "moment a, b in a on b")]
    state = motion.at(np.array([1.5]))
    one, two = compute_torques(motion, state, turnings)
    R = np.array([[float(state[f"a.{axis}{k}"][0]) for axis in "xyz"] for k in "xyz"])
    assert np.allclose(one, R @ [0.1, 0.3, -float(state["a.wz"][0]) - 1], atol=1e-12)
    assert np.array_equal(one, -two)


@pytest.mark.parametrize(
    "text",
    [
        MOMENTS.replace("FORCES", "{'a, b': [0.1, 0.2*t, -a.wz - 1], 'b, a in a': [0, 0.5], a: [sin(t)]}"),
        HINGE.replace("TARGET", "hinge.omega").replace("LAW", "w"),
        CRANK.replace("TARGET", "guide.speed").replace("LAW", "v*cos(w*t)"),
    ],
    ids=["moments", "hinge", "guide"],
)
def test_moments_and_prescribed_speeds_are_the_same_in_points_and_in_absolute_coordinates(text):
    model = lw.loads(text)
    one, two = (model.formulated(which).simulate(2, tol=1e-12).final for which in ("points", "absolute"))
    assert np.max(np.abs(one.q - two.q)) < 1e-9
    assert np.max(np.abs(one.lam - two.lam)) < 1e-9 * (1 + np.max(np.abs(one.lam)))
