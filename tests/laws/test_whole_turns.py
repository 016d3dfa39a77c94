"""Angles count whole turns whoever asks: every formulation, method and way of asking, in the plane and in space."""

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw

FORMULATIONS = ("points", "absolute", "tree")
METHODS = {"taylor": 1e-12, "rk8": 1e-11, "radau": 1e-9, "hht": 1e-7}
ROTOR = """
Bodies:
  world: {frames: {o: []}}
  crank: {mass: 1, inertia: 0.1, frames: {c: [], p: [1]}}
Connections: {Joints: {c: {kind: revolute, frames: [world.o, crank.c]}}}
ProblemData: {tend: 2, positions: {crank.p: [1, 0]}, velocities: {crank.p: [0, 10]}}
"""
# a rod that turns over and over under gravity, and one hinged to it
DOUBLE = """
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}, AB: {Geom: [[0.7]], Dyna: [[0.35], 0.5]}}
AppliedForces: {Gravity: }
EVENT
ProblemData: {tend: 6, positions: {A: [1, 0], B: [1.7, 0]}, velocities: {A: [0, 9], B: [0, -5]}}
"""
WATCHED = "Events: {far: OA.angle - 1e6, off: AB.angle + 1e6}"
SPACE = """
Dimension: 3
Bodies:
  world: {frames: {o: {z: [0, 1, 1], x: [1, 0, 0]}}}
  arm:
    mass: 1
    centre: [0.4, 0.1, 0]
    inertia: [0.1, 0.2, 0.2]
    frames: {o: {z: [0, 1, 1], x: [1, 0, 0]}, tip: {at: [1], z: [1, 0, 2], x: [0, 1, 0]}}
  blade: {mass: 0.5, centre: [0.1], inertia: [0.01, 0.02, 0.02], frames: {o: {z: [1, 0, 2], x: [0, 1, 0]}}}
Connections:
  Joints:
    main: {kind: revolute, frames: [world.o, arm.o]}
    spin: {kind: cylindrical, frames: [arm.tip, blade.o]}
AppliedForces: {Gravity: , Efforts: {spin.travel: -50*spin.travel}}
EVENT
ProblemData: {tend: 3, velocities: {main: 4, spin: -11}}
"""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", FORMULATIONS)
def test_an_angle_that_nothing_names_counts_whole_turns(form, method):
    motion = lw.loads(ROTOR).formulated(form).simulate(2, method=method, tol=METHODS[method])
    for name in ("crank.angle", "c.angle"):
        assert motion[name][-1] == pytest.approx(20, abs=3e-3 if method == "hht" else 1e-6)
        assert motion.at(1.3)[name] == pytest.approx(13, abs=3e-3 if method == "hht" else 1e-6)
        times = np.linspace(0, 2, 41)
        np.testing.assert_allclose(motion.at(times)[name], 10 * times, atol=3e-3 if method == "hht" else 1e-6)
        assert motion.at(times[::-1])[f"2*{name}"][0] == pytest.approx(40, abs=6e-3)


@pytest.mark.parametrize("options", [{}, {"compiled": False}, {"every": 0.5}, {"every": float("inf")}])
@pytest.mark.parametrize("text", [DOUBLE, SPACE])
def test_angles_are_those_that_an_event_has_tracked(text, options):
    names = ("OA.angle", "AB.angle") if text is DOUBLE else ("main.angle", "spin.angle")
    plain = lw.loads(text.replace("EVENT", "")).simulate(tol=1e-12, **options)
    watched = f"Events: {{far: {names[0]} - 1e6, off: {names[1]} + 1e6}}"
    tracked = lw.loads(text.replace("EVENT", watched)).simulate(tol=1e-12)
    assert max(abs(tracked[name][-1]) for name in names) > 7
    for name in names:
        assert plain.final[name] == pytest.approx(tracked.final[name], abs=1e-4)
        np.testing.assert_allclose(plain[name], tracked.at(plain.t)[name], atol=1e-4)


@pytest.mark.parametrize("text", [DOUBLE, SPACE])
def test_a_motion_that_goes_on_goes_on_counting(text):
    model = lw.loads(text.replace("EVENT", ""))
    name = "OA.angle" if text is DOUBLE else "spin.angle"
    whole = model.simulate(3, tol=1e-12)
    first = model.simulate(1.1, tol=1e-12)
    for state in (first.final, pickle.loads(pickle.dumps(first.final)), copy.deepcopy(first).final, whole.at(1.1)):
        second = model.simulate(3, start=state, tol=1e-12)
        assert second.final[name] == pytest.approx(whole.final[name], abs=1e-5)
        assert second[name][0] == pytest.approx(first.final[name], abs=1e-6)
    assert pickle.loads(pickle.dumps(whole))[name][-1] == whole[name][-1]


@pytest.mark.parametrize("dt", [0.01, 0.25, 1.5])
@pytest.mark.parametrize("form", FORMULATIONS)
def test_a_stepper_counts_whole_turns(form, dt):
    stepper = lw.loads(ROTOR).formulated(form).stepper()
    for _ in range(round(3 / dt)):
        stepper.step(dt)
    kept = stepper.state
    assert stepper["crank.angle"] == pytest.approx(30, abs=1e-6) == stepper["c.angle"]
    stepper.step(dt)
    assert stepper["crank.angle"] == pytest.approx(30 + 10 * dt, abs=1e-6)
    stepper.state = kept
    stepper.step(dt)
    assert stepper["c.angle"] == pytest.approx(30 + 10 * dt, abs=1e-6)
    stepper.reset()
    assert stepper["c.angle"] == 0


def test_columns_of_results_and_curves_count_whole_turns(tmp_path):
    motion = lw.loads(ROTOR).simulate(2)
    from linkwork.results.curves import find_curves

    (curve,) = find_curves(motion, "crank.angle", motion.at(np.linspace(0, 2, 9)))
    np.testing.assert_allclose(curve.values, np.linspace(0, 20, 9), atol=1e-6)


def test_a_jump_of_speeds_leaves_the_count_as_it_is():
    text = ROTOR + "Events: {back: {when: t - 1.01, then: {crank.p.vx: -crank.p.vx, crank.p.vy: -crank.p.vy}}}\n"
    motion = lw.loads(text).simulate(2)
    assert motion.at(1.0)["crank.angle"] == pytest.approx(10, abs=1e-6)
    assert motion.final["crank.angle"] == pytest.approx(10.1 - 9.9, abs=1e-6)


def test_a_linear_model_at_a_time_knows_whole_turns():
    model = lw.loads(ROTOR)
    assert model.linearize(2.0, outputs=["c.angle"]).y[0] == pytest.approx(20, abs=1e-6)
    assert model.linearize(model.simulate(2).final, outputs=["crank.angle"]).y[0] == pytest.approx(20, abs=1e-6)
