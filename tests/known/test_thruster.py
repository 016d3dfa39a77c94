"""Thrusters with a dead band, a least length of pulses and memory, against parabolas put together exactly.

The logic is that of a satellite in the literature: fire when the error, angle + G rate, leaves the band, for so long at
least, and stop when it is back. Off and on at one instant occurs: the error comes back to the border, firing ends,
and without it the error leaves at once.
"""

import math
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

ROOT = Path(__file__).parents[2]
DEAD, LEAST, G = 0.0025, 0.02, 2.0
BORDER = 1e-12


def crossings(c0, c1, c2, way):
    """Where c0 + c1 s + c2 s² goes through zero this way, s > 0."""
    if abs(c0) < BORDER:
        found = [] if c2 == 0 else [-c1 / c2]
    elif c2 == 0:
        found = [] if c1 == 0 else [-c0 / c1]
    else:
        root = c1 * c1 - 4 * c2 * c0
        if root < 0:
            return []
        half = -0.5 * (c1 + math.copysign(math.sqrt(root), c1))
        found = [half / c2, c0 / half]
    return [s for s in found if s > 0 and (c1 + 2 * c2 * s) * way > 0]


def follow_parabolas(push, q, u, end):
    """On and off (time, fire) of one axis with the acceleration `push`, and the state at the end."""
    t, fire, off, zone, log = 0.0, 0, 0.0, 0, []
    while True:
        a = push * fire
        error, slope = q + G * u, u + G * a
        if zone == 0:
            ahead = [(s, side) for side in (-1, 1) for s in crossings(error - side * DEAD, slope, a / 2, side)]
        else:
            ahead = [(s, 0) for s in crossings(error - zone * DEAD, slope, a / 2, -zone)]
        ahead += [(off - t, None)] if off > t else []
        s, where = min([*ahead, (end - t, "end")], key=lambda pair: pair[0])
        q, u, t = q + u * s + a * s * s / 2, u + a * s, t + s
        if where == "end":
            return log, q, u
        zone = zone if where is None else where
        for _ in range(3):
            before = fire
            if zone:
                fire, off = -zone, t + LEAST if fire != -zone else off
            elif t >= off:
                fire = 0
            log += [(t, fire)] if fire != before else []
            # at the border, and leaving it again: what THRUST would see at the next instant
            error, slope = q + G * u, u + G * push * fire
            side = 1 if error > 0 else -1
            if abs(abs(error) - DEAD) > BORDER:
                break
            zone = side if slope * side > 0 else 0


def firings(motion, name="fire"):
    """On and off (time, fire) along a motion."""
    states = [(b.t, float(motion.store.evaluate(np.array([b.step]), np.zeros(1))[0][0][_place(motion, name)]))
              for b in motion.breaks if b.step < motion.store.count]  # fmt: skip
    found, last = [], 0.0
    for t, fire in states:
        found += [(t, fire)] if fire != last else []
        last = fire
    return found


def _place(motion, name):
    return motion.system.n + list(motion.system.inputs).index(name)


# slow: pulses of the least length; fast: a long pulse, then off and on at one instant
@pytest.mark.parametrize(
    ("u", "compiled"), [(-0.001, True), (-0.002, True), (-0.0024, True), (0.0013, True), (-0.002, False)]
)
def test_one_axis_fires_when_the_parabolas_say(u, compiled, load_example):
    q = -math.copysign(0.003, u)
    model = load_example("thruster").with_parameters(q0=q, u0=u)
    end = 8.0 if compiled else 3.0
    motion = model.simulate(end, tol=1e-12, compiled=compiled)
    log, q, u = follow_parabolas(0.21 / 316, q, u, end)
    final = motion.final
    assert final["OAB"] == pytest.approx(q, abs=1e-13)
    assert final["OAB.omega"] == pytest.approx(u, abs=1e-13)
    on = [t for t, fire in log if fire]
    assert final["pulses"] == len(on)
    # where it goes off and on at one instant only the second shows
    kept = [pair for pair, later in zip(log, [*log[1:], (math.inf, 0)], strict=True) if later[0] > pair[0]]
    shown = [pair for i, pair in enumerate(kept) if i == 0 or kept[i - 1][1] != pair[1]]
    found = firings(motion)
    assert [fire for _, fire in found] == [fire for _, fire in shown]
    assert np.max(np.abs(np.array(found)[:, 0] - np.array(shown)[:, 0])) < 1e-11
    assert motion.audit().ok


def test_off_and_on_at_one_instant_is_two_events_at_the_same_time(load_example):
    motion = load_example("thruster").simulate(3)
    first, second = [event for event in motion.events if event.t > 2][:2]
    assert (first.name, second.name) == ("back", "below")
    assert first.t == second.t == pytest.approx(2.7690476190476, abs=1e-12)
    assert motion.at(2.78)["fire"] == 1


SPACECRAFT = """
Dimension: 3
PhysicalParams: {I: 300, arm: 0.21, G: 2, dead: 0.0025, least: 0.02}
Bodies:
  bus: {mass: 400, inertia: [I, I, I], frames: {o: [], a: [1, 0, 0], b: [0, 1, 0]}}
Inputs: {INPUTS}
Variables: {ex: bus.yz + G*bus.wx, ey: bus.zx + G*bus.wy, ez: bus.xy + G*bus.wz}
AppliedForces:
  Moments: {bus: [arm*fx, arm*fy, arm*fz]}
Events:
EVENTS
ProblemData:
  tend: 3
  positions: {bus.o: [0, 0, 0], bus.a: [1, 0, 0], bus.b: [0, 1, 0]}
  velocities: {bus.a: [0, WZ, -WY], bus.b: [-WZ, 0, WX]}
"""
AXIS = """
  below_A: {when: eA + dead, direction: falling,
            then: {fA: 1, oA: "select(fA < 1, t + least, oA)", nA: "select(fA < 1, nA + 1, nA)"}}
  above_A: {when: eA - dead, direction: rising,
            then: {fA: -1, oA: "select(fA > -1, t + least, oA)", nA: "select(fA > -1, nA + 1, nA)"}}
  back_A: {when: abs(eA) - dead, direction: falling, then: {fA: "select(t < oA, fA, 0)"}}
  over_A: {when: t - oA, direction: rising, then: {fA: "select(abs(eA) > dead, fA, 0)"}}
"""


def spacecraft(rates):
    events = "".join(AXIS.replace("A", axis) for axis in "xyz")
    inputs = ", ".join(f"f{axis}: 0, o{axis}: 0, n{axis}: 0" for axis in "xyz")
    text = SPACECRAFT.replace("EVENTS", events).replace("INPUTS", inputs)
    for name, rate in zip(("WX", "WY", "WZ"), rates, strict=True):
        text = text.replace(name, f"({rate})")
    return lw.loads(text)


@pytest.mark.parametrize("formulation", ["points", "absolute"])
def test_three_axes_of_a_spacecraft_fire_each_on_its_own(formulation):
    rates = 0.0011, -0.0012, 0.001
    motion = spacecraft(rates).formulated(formulation).simulate(tol=1e-11)
    assert motion.outcome == "reached t = 3"
    for axis, rate in zip("xyz", rates, strict=True):
        log, _, u = follow_parabolas(0.21 / 300, 0.0, rate, 3.0)
        # small angles about three axes mix at second order only
        assert motion.final[f"n{axis}"] == sum(bool(fire) for _, fire in log) > 2
        assert motion.final[f"bus.w{axis}"] == pytest.approx(u, abs=1e-7)
    assert motion.audit().ok
