"""Steps of a stepper are those of one run where constraints are switched: by stops, contacts, friction, events."""

import numpy as np
import pytest

import linkwork as lw

LEG = """
PhysicalParams: {a: 0.15, b: 0.25, w: 0.06, m: 2, ml: 0.1, mu: 0.8}
Bodies:
  hull: {mass: m, inertia: 0.01, frames: {left: [-w/2], right: [w/2], o: []}}
  world: {frames: {rail: {at: [0, 0], angle: pi/2}}}
PartData:
  Rigids:
    LK: {points: [hull.left, K], Geom: [[a]], Dyna: [[a/2], ml]}
    RN: {points: [hull.right, N], Geom: [[a]], Dyna: [[a/2], ml]}
    KF: {points: [K, F], Geom: [[b]], Dyna: [[b/2], ml]}
    NF: {points: [N, F], Geom: [[b]], Dyna: [[b/2], ml]}
Connections:
  Joints: {slide: {kind: translational, frames: [world.rail, hull.o]}}
  Contacts: {ground: {point: F, restitution: 0, friction: mu}}
Inputs: {tl: 0, tr: 0}
AppliedForces: {Gravity: [0, -9.81], Torques: {LK: tl, RN: tr}}
ProblemData: {tend: 1, positions: {hull.o: [0, 0.45], K: [-0.13, 0.37], N: [0.13, 0.37], F: [0, 0.16]}}
"""
BLOCK = """
PhysicalParams: {mu: 2}
PartData: {Particles: {A: 1}}
Inputs: {F: 0}
Connections: {Relations: {rail: A.y}}
AppliedForces: {Forces: {A: [F, 0]}, Friction: {rail_friction: {speed: A.vx, limit: mu}}}
ProblemData: {tend: 1, positions: {A: [0, 0]}}
"""
EXAMPLES = {"stick-slip": 3.0, "bouncing-ball": 1.5, "thruster": 2.0, "brake-shoe": 1.0, "newtons-cradle": 1.0}


def load(name: str) -> tuple[lw.Model, float]:
    return (lw.loads(LEG), 0.5) if name == "leg" else (lw.load(f"examples/{name}.yaml"), EXAMPLES[name])


@pytest.mark.parametrize("name", ["leg", *EXAMPLES])
def test_steps_are_those_of_one_run_with_the_same_events(name):
    model, until = load(name)
    stepper, motion, dt, happened = model.stepper(tol=1e-10), model.simulate(until, tol=1e-10), until / 250, []
    for _ in range(250):
        stepper.step(dt)
        happened += stepper.events
    known = [e for e in motion.events if e.t > 0.0 and "stick" not in e.name and "slip" not in e.name]
    seen = [e for e in happened if e.t > 0.0 and "stick" not in e.name and "slip" not in e.name]
    assert [e.name for e in seen] == [e.name for e in known]
    np.testing.assert_allclose([e.t for e in seen], [e.t for e in known], atol=1e-8)
    np.testing.assert_allclose(stepper.state.q, motion.final.q, atol=1e-8)


@pytest.mark.parametrize("name", ["leg", "stick-slip", "thruster"])
def test_a_stepper_set_back_makes_the_same_steps_bit_by_bit(name):
    model, until = load(name)
    stepper, dt = model.stepper(), until / 100
    for _ in range(30):
        stepper.step(dt)
    state, found = stepper.state, []
    for _ in range(2):
        stepper.state = state
        for _ in range(40):
            stepper.step(dt)
        found.append(stepper.state)
    assert np.array_equal(found[0].q, found[1].q) and np.array_equal(found[0].u, found[1].u)


def test_friction_that_sticks_is_asked_again_when_an_input_changes():
    stepper = lw.loads(BLOCK).stepper(inputs=["F"])
    for _ in range(50):
        stepper.step(0.01, 1.5)  # held: nothing moves
    assert stepper["A.x"] == 0.0 and stepper["A.vx"] == 0.0
    for _ in range(50):
        stepper.step(0.01, 3.0)  # 1 N is left over
    assert stepper["A.x"] == pytest.approx(0.125, abs=1e-9)
    for _ in range(50):
        stepper.step(0.01, 0.0)  # 2 N against it: at rest after 0.25 s and another 0.0625 m
    assert stepper["A.x"] == pytest.approx(0.1875, abs=1e-9) and abs(stepper["A.vx"]) < 1e-12


def test_a_run_may_end_beside_an_event():
    model = lw.load("examples/thruster.yaml")
    first = next(e.t for e in model.simulate(2.0).events)
    for beside in (first, np.nextafter(first, 2.0), first * (1 + 1e-15), first * (1 + 4e-15)):
        assert model.simulate(float(beside)).outcome.startswith("reached")
