"""Between the ends of steps: what drivers, rotations, laws and redundant constraints do there, by all methods."""

import warnings

import numpy as np
import pytest

import linkwork as lw

FORMULATIONS = ("points", "absolute", "tree")
MACHINES = [pytest.param(True, marks=pytest.mark.needs_compiler), False]
compiled_only = pytest.mark.needs_compiler

CRANK = """
Bodies: {crank: {mass: 1, inertia: 0.2, frames: {o: [], pin: [1]}}, world: {frames: {O: []}}}
Connections: {Joints: {drive: {kind: revolute, frames: [world.O, crank.o]}}}
Motions: {drive.angle: LAW}
ProblemData: {tend: 5, positions: {crank.pin: [1, 0]}}
"""

SPUN = """
Dimension: 3
Bodies: {rotor: {mass: 1, inertia: [0.1, 0.1, 0.2], frames: {o: [], pin: [1, 0, 0]}}, world: {frames: {O: []}}}
Connections: {Joints: {drive: {kind: revolute, frames: [world.O, rotor.o], axis: [0, 0, 1]}}}
Motions: {drive.angle: 3*t}
ProblemData: {tend: 4, positions: {rotor.pin: [1, 0, 0]}}
"""

TABLE = """
Bodies:
  table: {mass: 3, inertia: 1, frames: {c: []}}
  ball: {mass: 0.2, inertia: 0.01, frames: {c: []}}
  world: {frames: {up: {at: [], angle: pi/2}}}
Connections:
  Joints: {g: {kind: translational, frames: [world.up, table.c]}}
  Stops: {hit: {gap: ball.c.y - table.c.y, restitution: 0.7}}
Motions: {table.c.y: 0.05*sin(9*t)}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {tend: 5, positions: {table.c: [0, 0], ball.c: [0, 0.4]}}
"""


def turn(motion, times, rate):
    """How far the pin is off a circle that it follows at this rate."""
    return np.max(np.abs(motion.at(times)["crank.pin"] - np.stack([np.cos(rate * times), np.sin(rate * times)], -1)))


@pytest.mark.parametrize("compiled", MACHINES)
@pytest.mark.parametrize(("method", "tol"), [("radau", 1e-7), ("hht", 1e-4)])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_driven_crank_is_on_its_circle_between_the_ends_of_steps(formulation, method, tol, compiled):
    # its angle is exact for steps of any length
    model, times = lw.loads(CRANK.replace("LAW", "3*t")).formulated(formulation), np.linspace(0, 2, 201)
    motion = model.simulate(2.0, method=method, tol=tol, compiled=compiled)
    assert turn(motion, times, 3.0) < 30 * tol
    assert not motion.doubts


@compiled_only
@pytest.mark.parametrize(("method", "tol"), [("radau", 1e-7), ("hht", 1e-5)])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_driven_rotor_in_space_is_on_its_circle_too(formulation, method, tol):
    motion = lw.loads(SPUN).formulated(formulation).simulate(4.0, method=method, tol=tol)
    times = np.linspace(0, 4, 401)
    wanted = np.stack([np.cos(3 * times), np.sin(3 * times), 0 * times], -1)
    assert np.max(np.abs(motion.at(times)["rotor.pin"] - wanted)) < 30 * tol


PULSES = {  # what a series at the begin of a step knows nothing of
    "a pulse in time": ("100*exp(-((t - 2.5)/0.01)**2)", 0.0),
    "a hill on the way": ("-20*exp(-((A.x - 2.5)/0.01)**2)", 1.0),
    "a step": ("tanh((t - 2.5)/0.001) + 1", 0.0),
}
STEPS = [("rk8", 1e-8), ("radau", 1e-5), ("radau", 1e-9), ("hht", 1e-4)]


@compiled_only
@pytest.mark.parametrize(("method", "tol"), STEPS)
@pytest.mark.parametrize("pulse", PULSES)
def test_no_step_leaps_over_what_a_law_hides(pulse, method, tol):
    force, speed = PULSES[pulse]
    particle = lw.Mechanism(
        particles=[lw.Particle(point="A", mass=1)],
        forces=[lw.Force(point="A", components=(force, 0))],
        start=lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (speed, 0)}),
    )
    model, times = lw.Model(particle), np.linspace(0, 5, 101)
    one, other = model.simulate(5.0, method=method, tol=tol), model.simulate(5.0, tol=1e-12)
    assert np.max(np.abs(one.at(times)["A"] - other.at(times)["A"])) < 300 * tol


@compiled_only
@pytest.mark.parametrize(("method", "tol"), STEPS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_no_step_leaps_over_what_a_driver_hides(formulation, method, tol):
    model = lw.loads(CRANK.replace("LAW", "0.5*exp(-((t - 2.5)/0.02)**2)")).formulated(formulation)
    motion, times = model.simulate(5.0, method=method, tol=tol), np.linspace(2.4, 2.6, 201)
    angle = 0.5 * np.exp(-(((times - 2.5) / 0.02) ** 2))
    wanted = np.stack([np.cos(angle), np.sin(angle)], -1)
    assert np.max(np.abs(motion.at(times)["crank.pin"] - wanted)) < 300 * tol


@compiled_only
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_radau_takes_few_steps_with_redundant_constraints(load_example, formulation):
    model, times = load_example("bennett").formulated(formulation), np.linspace(0, 2, 201)
    exact = model.simulate(2.0, tol=1e-13).at(times).q
    for tol, most in ((1e-8, 60), (1e-10, 150)):
        motion = model.simulate(2.0, method="radau", tol=tol)
        assert motion.stats.steps < most
        assert np.max(np.abs(motion.at(times).q - exact)) < 30 * tol


def test_the_reference_takes_few_steps_with_redundant_constraints(load_example):
    model = load_example("bennett")
    one = model.simulate(0.4, method="radau", tol=1e-7, compiled=False)
    assert one.stats.steps < 20
    np.testing.assert_allclose(one.final.q, model.simulate(0.4, tol=1e-12).final.q, rtol=0, atol=1e-6)


@compiled_only
@pytest.mark.parametrize(("method", "tol"), [("radau", 1e-8), ("hht", 1e-5)])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_ball_bounces_on_a_table_that_a_driver_shakes(formulation, method, tol):
    model = lw.loads(TABLE).formulated(formulation)
    one, other = model.simulate(1.0, method=method, tol=tol), model.simulate(1.0, tol=1e-11)
    assert [e.name for e in one.events] == [e.name for e in other.events]
    assert [e.t for e in one.events] == pytest.approx([e.t for e in other.events], abs=300 * tol)


@pytest.mark.parametrize("compiled", MACHINES)
@pytest.mark.parametrize(("method", "tol"), [("radau", 1e-8), ("hht", 1e-4)])
def test_steps_end_before_a_law_jumps(method, tol, compiled):
    swing = lw.lagrangian("x", "x'**2/2", forces={"x": "select(x > 0, -1, 1)"}, start={"x": 1})
    motion, t = swing.simulate(3.0, tol=tol, method=method, compiled=compiled), np.linspace(0, 3, 301)
    late = t > np.sqrt(2)
    x = np.where(late, (t - np.sqrt(2)) ** 2 / 2 - np.sqrt(2) * (t - np.sqrt(2)), 1 - t**2 / 2)
    assert np.max(np.abs(motion.at(t)["x"] - x)) < 300 * tol


@compiled_only
@pytest.mark.parametrize("method", ["hht", "radau"])
def test_bodies_that_are_fixed_to_the_world_along_a_tree(method):
    text = """
Formulation: tree
Bodies:
  world: {frames: {o: []}}
  a: {mass: 1, inertia: 0.1, centre: [0.5], frames: {p: []}}
  b: {mass: 1, inertia: 0.1, frames: {p: []}}
Connections:
  Joints: {turn: {kind: revolute, frames: [world.o, a.p]}, held: {kind: fixed, frames: [world.o, b.p]}}
AppliedForces: {Gravity: }
ProblemData: {tend: 0.5}
"""
    one, other = (lw.loads(text).simulate(0.5, method=name, tol=1e-5) for name in (method, "taylor"))
    np.testing.assert_allclose(one.final.q, other.final.q, rtol=0, atol=3e-3)


@compiled_only
@pytest.mark.parametrize("method", ["hht", "radau", "rk8"])
def test_an_audit_sees_what_is_wrong_between_the_ends_of_steps(method):
    # steps of most of a turn, whose ends are exact
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.AccuracyWarning)
        motion = lw.loads(CRANK.replace("LAW", "3*t")).formulated("tree").simulate(5.0, method=method, step=1.7)
    assert turn(motion, motion.t, 3.0) < 1e-9 < 1e-3 < turn(motion, np.linspace(0, 5, 101), 3.0)
    assert not motion.audit().ok and motion.doubts


@pytest.mark.parametrize("name", ["spring_law", "validate", "hht_like"])
def test_whether_steps_damp_follows_from_the_method_alone(name):
    def law(x):
        return -4.0 * x

    law.__name__ = name
    lw.function(opaque=True)(law)
    text = f'PartData: {{Particles: {{A: 1}}}}\nAppliedForces: {{Forces: {{A: ["{name}(A.x)", 0]}}}}\n'
    model = lw.loads(text + "ProblemData: {tend: 0.2, positions: {A: [1, 0]}}")
    assert not model.simulate(0.2, method="rk8").method.damps
    assert model.simulate(0.2, method="hht", tol=1e-4).method.damps
