"""Dry friction that sticks and slides, against closed forms."""

import math

import numpy as np
import pytest

import linkwork as lw
from happenings import check, times

G = 10.0


def block(limit, *, force="0", speed=0.0, **more):
    """A block of 2 kg on a rail, with friction and a force along it."""
    given = {
        "particles": [lw.Particle(point="A", mass=2)],
        "relations": [lw.Relation(name="rail", formula="A.y")],
        "forces": [lw.Force(point="A", components=(force, 0))],
        "frictions": [lw.Friction(name="dry", speed="A.vx", limit=limit)],
        "start": lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (speed, 0)}),
    }
    return lw.Model(lw.Mechanism(**{**given, **more}))


@pytest.mark.parametrize("compiled", [True, False])
def test_a_block_slides_to_a_stop_and_stays_there(compiled):
    motion = block(4, speed=3.0).simulate(4, compiled=compiled)
    # 2 a = 4
    assert times(motion, "dry: sticks") == pytest.approx([1.5], abs=1e-12)
    assert motion.final["A"] == pytest.approx([3**2 / 4, 0], abs=1e-12)
    assert motion.at(3)["A.vx"] == pytest.approx(0, abs=1e-13)
    assert motion.work["friction dry"][-1] == pytest.approx(-9, rel=1e-12)
    check(motion)


@pytest.mark.parametrize(("steepness", "slides"), [(0.29, False), (0.31, True)])
def test_a_block_on_an_incline_sticks_below_the_angle_of_friction_and_slides_above(steepness, slides):
    mu, m = 0.3, 2
    angle = math.atan(steepness)
    pull = m * G * math.sin(angle)
    motion = block(mu * m * G * math.cos(angle), force=pull).simulate(1)
    expected = 0.5 * G * (math.sin(angle) - mu * math.cos(angle)) if slides else 0.0
    assert motion.final["A.x"] == pytest.approx(expected, abs=1e-12)
    check(motion)


def test_a_block_that_is_pushed_harder_and_harder_breaks_loose_in_time():
    motion = block(5, force="2*t").simulate(4)
    assert times(motion, "dry: slips") == pytest.approx([2.5], abs=1e-11)
    # 2 v' = 2 (t - 2.5)
    assert motion.final["A.vx"] == pytest.approx(1.5**2 / 2, abs=1e-11)
    assert motion.at(2)["dry_sliding"] == 0
    assert motion.at(3)["dry_sliding"] == 1
    check(motion)


def test_friction_that_holds_more_than_it_brakes_lets_go_late():
    friction = lw.Friction(name="dry", speed="A.vx", limit=3, hold=5)
    motion = block(0, force="2*t", frictions=[friction]).simulate(4)
    assert times(motion, "dry: slips") == pytest.approx([2.5], abs=1e-11)
    assert motion.final["A.vx"] == pytest.approx((4**2 - 2.5**2 - 3 * 1.5) / 2, abs=1e-11)
    check(motion)


def test_a_block_on_a_spring_stops_where_the_spring_is_too_weak():
    """m x'' + k x = -/+ F: the turning points go down by 2 F/k until they are inside the dead zone."""
    k, F, x0, m = 8.0, 1.0, 1.0, 2.0
    motion = block(F, force=f"-{k}*A.x", start=lw.InitialValues(positions={"A": (x0, 0)})).simulate(12, tol=1e-12)
    half = math.pi * math.sqrt(m / k)
    turns, x = 0, x0
    while abs(x) > F / k:
        x, turns = -(x - math.copysign(2 * F / k, x)), turns + 1
    (stop,) = [t for t in times(motion, "dry: sticks") if t > 0.1]
    assert stop == pytest.approx(turns * half, abs=1e-10)
    assert motion.final["A.x"] == pytest.approx(x, abs=1e-10)
    check(motion)


def test_a_block_on_a_belt_sticks_and_slips_as_in_the_piecewise_solution():
    """Held by a spring on a belt that moves: it goes along until the spring wins, then swings back until it has the
    speed of the belt again."""
    k, m, v, hold, slide = 8.0, 2.0, 0.5, 3.0, 2.0
    friction = lw.Friction(name="belt", speed=f"A.vx - {v}", limit=slide, hold=hold)
    start = lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (v, 0)})
    motion = block(0, force=f"-{k}*A.x", frictions=[friction], start=start).simulate(9, tol=1e-12)
    w = math.sqrt(k / m)
    slips = [hold / k / v]
    # after slipping: x = slide/k + a cos w(t - t1) + b sin w(t - t1), until x' = v again
    a, b = (hold - slide) / k, v / w
    phase = 2 * math.atan2(a, b)  # −a sin φ + b cos φ = b at φ = 0 and again at 2π − 2 atan(a/b)
    sliding = (2 * math.pi - phase) / w
    sticks = [slips[0] + sliding]
    x = slide / k + a * math.cos(w * sliding) + b * math.sin(w * sliding)
    slips.append(sticks[0] + (hold / k - x) / v)
    np.testing.assert_allclose(times(motion, "belt: slips")[:2], slips, atol=1e-10)
    np.testing.assert_allclose([t for t in times(motion, "belt: sticks") if t > 0][:1], sticks, atol=1e-10)
    check(motion)


def test_friction_in_a_joint_holds_a_pendulum_where_gravity_is_too_weak():
    pendulum = lw.Mechanism(
        fixed={"O": ()},
        rigids=[lw.Rigid.rod("OA", 1, 0)],
        particles=[lw.Particle(point="A", mass=1)],
        gravity=(0, -G),
        frictions=[lw.Friction(name="pin", speed="OA.omega", limit=2)],
        start=lw.InitialValues(positions={"A": (math.sin(0.8), -math.cos(0.8))}),
    )
    motion = lw.Model(pendulum).simulate(20)
    assert motion.at(20)["OA.omega"] == pytest.approx(0, abs=1e-12)
    assert abs(G * motion.final["A.x"]) <= 2
    check(motion)


def test_two_blocks_stick_to_each_other_and_to_the_ground_independently():
    blocks = lw.Mechanism(
        particles=[lw.Particle(point="A", mass=1), lw.Particle(point="B", mass=1)],
        relations=[lw.Relation(name="a", formula="A.y"), lw.Relation(name="b", formula="B.y - 1")],
        frictions=[
            lw.Friction(name="ground", speed="A.vx", limit=3),
            lw.Friction(name="between", speed="B.vx - A.vx", limit=1),
        ],
        forces=[lw.Force(point="B", components=("t", 0))],
        start=lw.InitialValues(positions={"A": (0, 0), "B": (0, 1)}),
    )
    motion = lw.Model(blocks).simulate(3)
    assert times(motion, "between: slips") == pytest.approx([1], abs=1e-11)
    assert times(motion, "ground: slips").tolist() == []
    assert motion.final["A.x"] == pytest.approx(0, abs=1e-14)
    assert motion.final["B.vx"] == pytest.approx(2**2 / 2, abs=1e-11)
    check(motion)
