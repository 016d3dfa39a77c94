"""Wheels whose centres are free: a gear works as long as these have a line, and a run ends where they meet."""

import numpy as np
import pytest

import linkwork as lw

# the second wheel slides through the first one's centre at t = 1, unless something pulls it aside
WHEELS = """
Dimension: {d}
Bodies:
  a: {{mass: 1, inertia: {inertia}, frames: {{c: []}}}}
  b: {{mass: 1, inertia: {inertia}, frames: {{c: []}}}}
PartData: {{Fixed: {{O: []}}}}
Connections:
  Joints:
    pin: {{kind: revolute, frames: [world.O, a.c]}}
    mesh: {{kind: gear, frames: [a.c, b.c], teeth1: 20, teeth2: 40}}
AppliedForces: {{Gravity: {gravity}}}
ProblemData:
  tend: 2
  positions: {{b.c: [1]}}
  velocities: {{b.c: [[-1, fixed], [{across}, fixed]], pin: [0, fixed]}}
"""
PLANE = {"d": 2, "inertia": 0.1, "gravity": [0, 0]}
SPACE = {"d": 3, "inertia": [0.1, 0.1, 0.1], "gravity": [0, 0, 0]}


def wheels(across=0.0, **given):
    return lw.loads(WHEELS.format(across=across, **(given or PLANE)))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
def test_a_run_ends_where_the_centres_of_two_wheels_meet(formulation, compiled):
    motion = wheels().formulated(formulation).simulate(compiled=compiled)
    assert [(e.name, e.t) for e in motion.events] == [("mesh: centres meet", pytest.approx(1.0, abs=1e-9))]
    assert motion.outcome == "stopped at t = 1 by event 'mesh: centres meet'"
    assert motion.final["b.c"] == pytest.approx([0, 0], abs=1e-9)
    assert motion.audit().ok


@pytest.mark.parametrize(("method", "tol"), [("rk8", 1e-9), ("hht", 1e-7), ("radau", 1e-8)])
def test_centres_that_meet_while_the_wheels_turn_end_a_run_of_any_method(method, tol):
    exact = wheels(across=0.3).simulate(tol=1e-12)
    motion = wheels(across=0.3).simulate(method=method, tol=tol)
    assert motion.events[-1].t == pytest.approx(exact.events[-1].t, abs=1e-4)
    assert np.linalg.norm(motion.final["b.c"]) < 1e-9 and motion.audit().ok


def test_a_gear_in_space_ends_a_run_in_the_same_way():
    plane, space = wheels(across=0.3).simulate(tol=1e-11), wheels(across=0.3, **SPACE).simulate(tol=1e-11)
    assert [e.name for e in space.events] == ["mesh: centres meet"]
    assert space.events[0].t == pytest.approx(plane.events[0].t, abs=1e-8)


def test_centres_that_pass_each_other_are_no_event():
    text = WHEELS.format(across=0.0, **PLANE).replace("b.c: [1]", "b.c: [1, 1]")
    text = text.replace("kind: gear,", "kind: gear, phase: pi/4,")
    motion = lw.loads(text).simulate()
    assert not motion.events and motion.t[-1] == 2.0 and motion.audit().ok


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
@pytest.mark.parametrize("where", [PLANE, SPACE])
def test_centres_that_meet_at_the_start_are_refused_in_words(formulation, where):
    axle = "    axle: {kind: revolute, frames: [a.c, b.c]}\n    mesh:"
    text = WHEELS.format(across=0.0, **where).replace("    mesh:", axle)
    text = text.partition("  positions:")[0]
    with pytest.raises(lw.StartError, match=r"^<text>:\d+: mesh: centres meet at the start, and it works on one side"):
        lw.loads(text).formulated(formulation).simulate()
