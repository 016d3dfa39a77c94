"""Which friction sticks, which slides and where to, wherever forces jump or a speed returns to zero: closed forms."""

import math

import numpy as np
import pytest

import linkwork as lw
from happenings import check, times

FORMULATIONS = "points", "absolute", "tree"
METHODS = [("taylor", 1e-12, 1e-9), ("rk8", 1e-11, 1e-8), ("radau", 1e-9, 1e-5)]
RAIL = "PartData: {Fixed: {O: [], P: [1]}, Particles: {A: 2}}\nConnections: {Collinear: [OPA]}\n"


def on_rail(rest, frictions="dry: {speed: A.vx, limit: 3}", x=0.0, more=""):
    """A block of 2 kg on a rail."""
    text = f"{RAIL}{rest}\nAppliedForces: {{{more}Friction: {{{frictions}}}}}\n"
    return lw.loads(text + f"ProblemData: {{tend: 1, positions: {{A: [{x}, 0]}}}}\n")


# -- under a driver --------------------------------------------------------------------------------------------------

COURSES = {
    "turns": ("sin(2*t)", lambda t: 2 * np.cos(2 * t), lambda t: -4 * np.sin(2 * t)),
    "from rest": ("1 - cos(2*t)", lambda t: 2 * np.sin(2 * t), lambda t: 4 * np.cos(2 * t)),
    "from rest, gently": ("t**3", lambda t: 3 * t**2, lambda t: 6 * t),
    "backwards, more gently": ("-t**5", lambda t: -5 * t**4, lambda t: -20 * t**3),
    "touches zero": ("(t - 1)**3", lambda t: 3 * (t - 1) ** 2, lambda t: 6 * (t - 1)),
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("course", COURSES)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_driver_overcomes_friction_which_ever_way_it_goes(course, formulation, compiled):
    law, v, a = COURSES[course]
    model = on_rail(f"Motions: {{A.x: {law}}}", x=float(eval_at_zero(law)))
    motion = model.formulated(formulation).simulate(3.2, tol=1e-11, compiled=compiled)
    t = motion.t[np.abs(v(motion.t)) > 1e-3]
    keep = np.isin(motion.t, t)
    assert np.ravel(motion.driving("A.x"))[keep] == pytest.approx(2 * a(t) + 3 * np.sign(v(t)), abs=1e-7)
    dense = np.linspace(0, 3.2, 200_001)
    assert motion.work["friction dry"][-1] == pytest.approx(-3 * np.trapezoid(np.abs(v(dense)), dense), rel=1e-7)
    check(motion)


def eval_at_zero(law):
    """Where a course begins."""
    return {"(t - 1)**3": -1.0}.get(law, 0.0)


def test_friction_under_a_driver_that_waits_begins_when_it_goes_on():
    motion = on_rail("Motions: {A.x: 'select(t < 1, 0, (t - 1)**2)'}").simulate(2, tol=1e-11)
    late = motion.t > 1 + 1e-9
    assert np.ravel(motion.driving("A.x"))[late] == pytest.approx(4 + 3, abs=1e-7)
    assert motion.work["friction dry"][-1] == pytest.approx(-3, rel=1e-8)
    check(motion)


def test_inverse_dynamics_know_friction_beyond_a_turning_point():
    motion = on_rail("Motions: {A.x: sin(2*t)}").simulate(3.2, tol=1e-11)
    forces, t = motion.inverse(), motion.t
    v = 2 * np.cos(2 * t)
    clear = np.abs(v) > 1e-3
    assert forces["A.x"][clear] == pytest.approx((-8 * np.sin(2 * t) + 3 * np.sign(v))[clear], abs=1e-7)


# -- dead centres ----------------------------------------------------------------------------------------------------

A, B, F, W = 0.2, 0.6, 10.0, 5.0
CRANK = f"""
PartData:
  Fixed: {{O: [], Q: [1], R: [2]}}
  Rigids: {{OA: {{Geom: [[{A}]], Dyna: [[0.1], 1]}}, AB: {{Geom: [[{B}]], Dyna: [[0.3], 1]}}}}
  Particles: {{B: 1}}
Connections: {{Collinear: [BQR]}}
"""


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_driven_crank_works_against_the_friction_of_its_piston_in_every_stroke(formulation):
    tail = f"Motions: {{OA.angle: 0.5 + {W}*t}}\nAppliedForces: {{Friction: {{guide: {{speed: B.vx, limit: {F}}}}}}}\n"
    start = "ProblemData: {tend: 3, positions: {A: [0.17, 0.1], B: [0.75, 0]}}"
    motion = lw.loads(CRANK + tail + start).formulated(formulation).simulate(3.0, tol=1e-11)
    angle = 0.5 + W * np.linspace(0, 3, 400_001)
    x = A * np.cos(angle) + np.sqrt(B**2 - (A * np.sin(angle)) ** 2)
    assert motion.work["friction guide"][-1] == pytest.approx(-F * np.abs(np.diff(x)).sum(), rel=1e-8)
    check(motion)


@pytest.mark.parametrize(("method", "tol", "close"), METHODS)
def test_a_free_crank_is_braked_beyond_the_dead_centres_of_its_piston(method, tol, close):
    """½ J ω² of a flywheel goes down by F for each metre of the piston, which has no mass to speak of."""
    text = f"""
    Bodies:
      world: {{frames: {{o: []}}}}
      wheel: {{mass: 1, inertia: 1, frames: {{o: [], p: [{A}]}}}}
      rod: {{mass: 1e-9, inertia: 1e-9, frames: {{o: [], p: [{B}]}}}}
      pis: {{mass: 1e-9, inertia: 1e-9, frames: {{c: []}}}}
    Connections: {{Joints: {{h0: {{kind: revolute, frames: [world.o, wheel.o]}},
      h1: {{kind: revolute, frames: [wheel.p, rod.o]}}, h2: {{kind: revolute, frames: [rod.p, pis.c]}},
      g: {{kind: translational, frames: [world.o, pis.c]}}}}}}
    AppliedForces: {{Friction: {{guide: {{speed: g.speed, limit: 1}}}}}}
    ProblemData: {{tend: 3, positions: {{wheel.p: [[0, fixed], {A}], pis.c: [{math.sqrt(B * B - A * A)}, 0]}},
      velocities: {{wheel.p: [[{-A * W}, fixed], 0]}}}}
    """
    motion = lw.loads(text).simulate(2.5, tol=tol, method=method)
    final = motion.final
    turned = np.unwrap(np.concatenate([[math.pi / 2], np.arctan2(*np.flip(motion["wheel.p"][:, :2], 1).T)]))
    angle = np.linspace(math.pi / 2, turned[-1], 400_001)
    assert turned[-1] > 3 * math.pi
    x = A * np.cos(angle) + np.sqrt(B**2 - (A * np.sin(angle)) ** 2)
    speed = math.sqrt(W**2 - 2 * np.abs(np.diff(x)).sum())
    assert np.linalg.norm(final.velocity("wheel.p")) / A == pytest.approx(speed, abs=10 * close)


# -- jumps of force --------------------------------------------------------------------------------------------------

SAMPLED = "Controllers: {c: {kind: sampled, period: 10, reads: {x: A.x}, outputs: {F: 20}}}"
EVENT = "Inputs: {F: 5}\nEvents: {push: {when: t - 0.5, then: {F: 20}}}"
PULL = "Forces: {A: [F - 5, 0]}, "


@pytest.mark.parametrize("until", [0.01, 1.0, 5.0])
@pytest.mark.parametrize(("method", "tol", "close"), METHODS)
def test_what_a_controller_sets_at_the_start_decides_which_way_friction_acts(method, tol, close, until):
    motion = on_rail(SAMPLED, more=PULL).simulate(until, method=method, tol=tol)
    assert motion.final["A.vx"] == pytest.approx(6 * until, rel=close)
    check(motion)


def test_what_an_event_sets_decides_which_way_friction_acts():
    motion = on_rail(EVENT, more=PULL).simulate(1.0, tol=1e-12)
    assert motion.final["A.x"] == pytest.approx(6 * 0.5**2 / 2, abs=1e-12)
    check(motion)


def test_a_controller_that_turns_the_pull_at_each_instant_is_followed_by_friction():
    control = "Controllers: {c: {kind: sampled, period: 0.1, outputs: {F: 4*cos(10*pi*t)}}}"
    motion = on_rail(control, more="Forces: {A: [F, 0]}, ").simulate(1.0, tol=1e-12)
    x, v = follow([4.0 * (-1) ** k for k in range(10)], 0.1)
    assert [motion.final["A.x"], motion.final["A.vx"]] == pytest.approx([x, v], abs=1e-10)
    check(motion)


def follow(forces, dt, m=2.0, limit=3.0):
    """Place and speed of a block under forces that are held for so long."""
    x = v = 0.0
    for force in forces:
        left = dt
        while left > 1e-15:
            way = math.copysign(1.0, v) if abs(v) > 1e-15 else math.copysign(1.0, force)
            a = 0.0 if abs(v) <= 1e-15 and abs(force) <= limit else (force - limit * way) / m
            h = min(left, -v / a) if a * v < 0 else left
            x, v, left = x + v * h + a * h * h / 2, v + a * h, left - h
            v = 0.0 if abs(v) < 1e-15 else v
    return x, v


@pytest.mark.parametrize("compiled", [True, False])
def test_a_stepper_asks_friction_again_whenever_an_input_changes(compiled):
    model = on_rail("Inputs: {F: -10}", more="Forces: {A: [F, 0]}, ")
    forces = [0.0, 10.0, -10.0, 10.0, 2.0, -2.0, -10.0, -4.0, 0.0, 0.0, 0.0, 5.0]
    stepper = model.stepper(inputs=["F"], compiled=compiled)
    for force in forces:
        stepper.step(0.1, force)
    x, v = follow(forces, 0.1)
    assert [stepper["A.x"], stepper["A.vx"]] == pytest.approx([x, v], abs=1e-8)


def test_a_stop_that_a_jump_of_force_lifts_opens_at_once():
    text = """
    PartData: {Particles: {A: 2}}
    Connections: {Relations: {rail: A.y}, Stops: {wall: {gap: A.x}}}
    Inputs: {F: -10}
    AppliedForces: {Forces: {A: [F, 0]}}
    ProblemData: {tend: 1, positions: {A: [0, 0]}}
    """
    stepper = lw.loads(text).stepper(inputs=["F"])
    for force in (-10.0, 10.0):
        stepper.step(0.5, force)
    assert stepper["A.x"] == pytest.approx(5 * 0.5**2 / 2, abs=1e-9)


# -- several of them -------------------------------------------------------------------------------------------------

SWING = "Forces: {A: [5*sin(2*t), 0]}, "


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("frictions", [(1, 2), (1.5, 1.5), (0.5, 0.5, 2), (0, 3)])
def test_frictions_on_one_speed_are_one_of_their_sum(frictions, formulation):
    one = on_rail("", more=SWING).simulate(6, tol=1e-12)
    several = ", ".join(f"f{i}: {{speed: A.vx, limit: {limit}}}" for i, limit in enumerate(frictions))
    motion = on_rail("", several, more=SWING).formulated(formulation).simulate(6, tol=1e-12)
    assert motion.final["A.x"] == pytest.approx(one.final["A.x"], abs=1e-9)
    assert times(motion, "f1: slips") == pytest.approx(times(one, "dry: slips"), abs=1e-10)
    assert times(motion, "f1: sticks") == pytest.approx(times(one, "dry: sticks"), abs=1e-10)
    check(motion)


def test_frictions_at_two_radii_of_a_wheel_hold_what_their_torques_hold_together():
    text = """
    Bodies: {world: {frames: {o: []}}, wheel: {mass: 1, inertia: 0.5, frames: {o: []}}}
    Connections: {Joints: {pin: {kind: revolute, frames: [world.o, wheel.o]}}}
    AppliedForces:
      Torques: {wheel: 2*t}
      Friction: {rim: {speed: 0.5*pin.omega, limit: 4}, hub: {speed: 0.1*pin.omega, limit: 10}}
    ProblemData: {tend: 3, positions: {wheel.o: [0, 0]}}
    """
    motion = lw.loads(text).simulate(3, tol=1e-12)
    # 0.5 · 4 + 0.1 · 10
    assert times(motion, "rim: slips") == pytest.approx([1.5], abs=1e-10)
    assert times(motion, "hub: slips") == pytest.approx([1.5], abs=1e-10)
    assert motion.final["wheel.omega"] == pytest.approx(1.5**2 / 0.5, abs=1e-10)
    check(motion)


def test_a_chain_of_blocks_with_friction_gives_way_one_by_one_and_remembers_it():
    """Jenkins' elements in parallel: slipping loads and residual places of cyclic loading are those of Masing."""
    k, limits = 100.0, (1.0, 2.0, 4.0)
    n = len(limits)
    particles = ", ".join(f"A{i}: 1e-3" for i in range(n))
    text = f"""
    PartData: {{Particles: {{{particles}}}}}
    Connections: {{Relations: {{{", ".join(f"r{i}: A{i}.y - {i}" for i in range(n))}}}}}
    AppliedForces:
      Forces: {{{", ".join(f"A{i}: [{k}*(0.1*sin(t) - A{i}.x) - 2*A{i}.vx, 0]" for i in range(n))}}}
      Friction: {{{", ".join(f"f{i}: {{speed: A{i}.vx, limit: {h}}}" for i, h in enumerate(limits))}}}
    ProblemData: {{tend: 1, positions: {{{", ".join(f"A{i}: [0, {i}]" for i in range(n))}}}}}
    """
    motion = lw.loads(text).simulate(6.0, tol=1e-9)
    for i, h in enumerate(limits):
        first = times(motion, f"f{i}: slips")[0]
        assert math.sin(first) == pytest.approx(h / k / 0.1, abs=1e-9)
    assert motion.audit().ok


@pytest.mark.parametrize("heights", [(0, 0), (0.1, 0.1), (0.1, 0.12)])
def test_a_flat_foot_set_down_in_the_plane_comes_to_rest(heights):
    text = f"""
    Bodies: {{foot: {{mass: 2, centre: [0, 0.05], inertia: 0.01, frames: {{a: [0.1, 0], b: [-0.1, 0]}}}}}}
    Connections: {{Contacts: {{fa: {{point: foot.a, friction: 0.6}}, fb: {{point: foot.b, friction: 0.6}}}}}}
    AppliedForces: {{Gravity: [0, -9.81]}}
    ProblemData: {{tend: 1, positions: {{foot.a: [0.1, {heights[0]}], foot.b: [-0.1, {heights[1]}]}},
      velocities: {{foot.a: [0.5, 0], foot.b: [0.5, 0]}}}}
    """
    motion = lw.loads(text).simulate(1)
    assert motion.t[-1] == 1 and motion.final["foot.vx"] == pytest.approx(0, abs=1e-12)
    check(motion)


@pytest.mark.parametrize("height", [0.0, 0.1])
def test_a_flat_foot_on_four_points_in_space_slides_to_a_stop(height):
    corners = {"a": (0.1, 0.05), "b": (0.1, -0.05), "c": (-0.1, -0.05), "d": (-0.1, 0.05)}
    text = f"""
    Dimension: 3
    Bodies:
      foot: {{mass: 2, centre: [0, 0, 0.05], inertia: [0.005, 0.01, 0.012],
        frames: {{{", ".join(f"{name}: [{x}, {y}, 0]" for name, (x, y) in corners.items())}}}}}
    Connections: {{Contacts: {{{", ".join(f"f{name}: {{point: foot.{name}, friction: 0.6}}" for name in corners)}}}}}
    AppliedForces: {{Gravity: [0, 0, -9.81]}}
    ProblemData: {{tend: 1, positions: {{foot.a: [0.1, 0.05, {height}], foot.b: [0.1, -0.05, {height}],
      foot.c: [-0.1, -0.05, {height}]}}, velocities: {{foot.a: [0.5, 0, 0], foot.b: [0.5, 0, 0], foot.c: [0.5, 0, 0]}}}}
    """
    motion = lw.loads(text).simulate(1)
    fall = math.sqrt(2 * height / 9.81)
    assert motion.final["foot.vx"] == pytest.approx(0, abs=1e-10)
    assert motion.final["foot.a"][0] == pytest.approx(0.1 + 0.5 * fall + 0.25 / (2 * 0.6 * 9.81), abs=1e-8)
    check(motion)


# -- locks -----------------------------------------------------------------------------------------------

LOCKS = {
    "of what sticks": ("Relations: {lock: {formula: A.x, active: no}}", "{l: {when: t - 0.5, on: [lock]}, "),
    "of what a lock holds": (
        "Relations: {lock: {formula: A.x, active: no}, more: {formula: 2*A.x, active: no}}",
        "{l: {when: t - 0.5, on: [lock]}, m: {when: t - 0.7, on: [more]}, v: {when: t - 0.8, off: [more]}, ",
    ),
}


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_lock_of_what_cannot_move_changes_nothing(lock, formulation):
    ties, events = LOCKS[lock]
    text = RAIL.replace("[OPA]", f"[OPA], {ties}") + f"Events: {events}u: {{when: t - 1, off: [lock]}}}}\n"
    forces = "AppliedForces: {Forces: {A: [2*t, 0]}, Friction: {dry: {speed: A.vx, limit: 3}}}\n"
    model = lw.loads(text + forces + "ProblemData: {tend: 2, positions: {A: [0, 0]}}\n")
    motion = model.formulated(formulation).simulate(2, tol=1e-12)
    # 2 v' = 2 t - 3 from t = 1.5 on
    assert motion.final["A.x"] == pytest.approx(0.5**3 / 6, abs=1e-12)
    check(motion)
