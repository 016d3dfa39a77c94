"""Starts keep what is given: consistent positions to the last bit, what is not mentioned as it is and at rest."""

import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.start import InitialValues
from mechanisms import random_mechanism

FORMULATIONS = ("points", "absolute", "tree")
EXAMPLES = sorted(Path(__file__).parents[2].joinpath("examples").glob("*.yaml"))
CRANK_OF_BODIES = """
Bodies:
  crank: {mass: 2, inertia: 0.15, frames: {o: [], pin: [0.04]}}
  rod: {mass: 0.6, centre: [0.05], inertia: 1e-3, frames: {big: [], small: [0.14]}}
  piston: {mass: 0.5, inertia: 1e-4, frames: {pin: []}}
  world: {frames: {o: [], rail: {at: [0, 0], angle: 0}}}
Connections:
  Joints:
    main: {kind: revolute, frames: [world.o, crank.o]}
    big: {kind: revolute, frames: [crank.pin, rod.big]}
    small: {kind: revolute, frames: [rod.small, piston.pin]}
    guide: {kind: translational, frames: [world.rail, piston.pin]}
"""
CRANK_OF_RODS = """
PartData:
  Fixed: {O: [], Q: [1]}
  Rigids: {OA: {Geom: [[0.04]], Dyna: [[0.02], 2]}, AB: {Geom: [[0.14]], Dyna: [[0.07], 1]}}
  Particles: {B: 1}
Connections: {Collinear: [OBQ]}
"""


@pytest.mark.parametrize("torque", [False, True])
@pytest.mark.parametrize("text, names", [(CRANK_OF_BODIES, ("crank.pin", "piston.pin", "main")),
                                         (CRANK_OF_RODS, ("A", "B", "OA"))])  # fmt: skip
@pytest.mark.parametrize("degrees", [0, 37, 90, 135, 180, 210, 270, 359])
def test_given_positions_that_close_every_loop_are_kept_to_the_last_bit(text, names, torque, degrees):
    angle = math.radians(degrees)
    pin, piston, joint = names
    at = 0.04 * math.cos(angle), 0.04 * math.sin(angle)
    slide = at[0] + math.sqrt(0.14**2 - at[1] ** 2)
    law = f"AppliedForces: {{Torques: {{{joint}: 1}}}}" if torque else ""
    given = f"ProblemData: {{positions: {{{pin}: [{at[0]!r}, {at[1]!r}], {piston}: [{slide!r}, 0]}}}}"
    start = lw.loads(f"{text}\n{law}\n{given}").start
    assert not start.moved
    found = {value.name: value.found for value in start.values}
    assert (found[f"{pin}x"], found[f"{pin}y"], found[f"{piston}x"], found[f"{piston}y"]) == (*at, slide, 0.0)


def hexapod(legs, given):
    """A hull with hinged legs of two parts."""
    angles = [i * math.pi / 3 for i in range(legs)]
    hips = ", ".join(
        f"h{i}: {{at: [{0.1 * math.cos(a)!r}, {0.1 * math.sin(a)!r}, 0], "
        f"x: [{math.cos(a)!r}, {math.sin(a)!r}, 0], z: [0, 0, 1]}}"
        for i, a in enumerate(angles)
    )
    text = f"Dimension: 3\nBodies:\n  hull: {{mass: 2, inertia: [0.01, 0.01, 0.02], frames: {{c: [], {hips}}}}}\n"
    joints = ""
    for i in range(legs):
        text += f"  coxa{i}: {{mass: 0.1, inertia: [1e-5, 1e-5, 1e-5], centre: [0.02], "
        text += "frames: {a: [], b: {at: [0.04], z: [0, 1, 0]}}}\n"
        text += f"  femur{i}: {{mass: 0.2, inertia: [1e-5, 1e-4, 1e-4], centre: [0.04], "
        text += "frames: {a: {z: [0, 1, 0]}, foot: [0.08]}}\n"
        joints += f"    hip{i}: {{kind: revolute, frames: [hull.h{i}, coxa{i}.a]}}\n"
        joints += f"    knee{i}: {{kind: revolute, frames: [coxa{i}.b, femur{i}.a]}}\n"
    places = ", ".join(["hull.c: [0, 0, 0.15]", *given])
    return f"{text}Connections:\n  Joints:\n{joints}ProblemData: {{tend: 1, positions: {{{places}}}}}\n"


GIVEN = {
    "places": lambda i: [],
    "knees": lambda i: [f"knee{i}: -0.4"],
    "hips and knees": lambda i: [f"hip{i}: 0.2", f"knee{i}: [[-0.7, fixed]]"],
}


@pytest.mark.parametrize("legs", [1, 2, 3, 6])
@pytest.mark.parametrize("given", GIVEN)
def test_a_free_body_stays_upright_where_its_legs_can_have_their_angles(legs, given):
    listed = [x for i in range(legs) for x in GIVEN[given](i)]
    state = lw.loads(hexapod(legs, listed)).simulate(1e-4).at(0.0)
    np.testing.assert_allclose(state.body("hull").rotation, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(state["hull.c"], [0, 0, 0.15], atol=1e-15)
    for i in range(legs):
        assert given == "places" or state[f"knee{i}.angle"] == pytest.approx(-0.4 if given == "knees" else -0.7)


@pytest.mark.parametrize("hip, knee", [(0.15, 0.6), (-0.3, 0.2)])
def test_a_free_body_stays_upright_where_its_feet_can_be_where_they_are_given(hip, knee):
    feet = []
    for i, a in enumerate(np.arange(3) * math.pi / 3):
        reach, way = 0.04 + 0.08 * math.cos(knee), a + hip
        x, y = 0.1 * math.cos(a) + reach * math.cos(way), 0.1 * math.sin(a) + reach * math.sin(way)
        feet.append(f"femur{i}.foot: [{x!r}, {y!r}, {0.15 - 0.08 * math.sin(knee)!r}]")
    model = lw.loads(hexapod(3, feet))
    state = model.simulate(1e-4).at(0.0)
    assert not model.start.moved
    np.testing.assert_allclose(state.body("hull").rotation, np.eye(3), atol=1e-9)


ROTOR = {
    3: """
Dimension: 3
Bodies:
  A: {mass: 3, inertia: [5, 5, 1], frames: {o: []}}
  B: {mass: 7, centre: [0, 0, 0.75], inertia: [5, 5, 10], frames: {o: []}}
Connections: {Joints: {spin: {kind: KIND, frames: [ONE.o, TWO.o]}}}
ProblemData: {tend: 0.01, GIVEN}
""",
    2: """
Bodies:
  A: {mass: 3, inertia: 1, frames: {o: [], p: [1]}}
  B: {mass: 7, inertia: 10, frames: {o: [], p: [2]}}
Connections: {Joints: {spin: {kind: KIND, frames: [ONE.o, TWO.o]}}}
ProblemData: {tend: 0.01, GIVEN}
""",
}


@pytest.mark.parametrize("form", FORMULATIONS)
@pytest.mark.parametrize("rate", ["2", "[[2, fixed]]"])
@pytest.mark.parametrize("ends", [("A", "B"), ("B", "A")])
@pytest.mark.parametrize("d, kind", [(2, "revolute"), (3, "revolute"), (3, "cylindrical")])
def test_the_speed_of_a_joint_turns_its_second_body_and_leaves_a_free_first_one_at_rest(d, kind, ends, rate, form):
    one, two = ends
    text = ROTOR[d].replace("KIND", kind).replace("ONE", one).replace("TWO", two)
    for given in (f"velocities: {{spin: {rate}}}", f"velocities: {{{one}.o: [0, 0], spin: {rate}}}"):
        start = lw.loads(text.replace("GIVEN", given)).formulated(form).simulate(0.001).at(0.0)
        speed = "omega" if d == 2 else "wz"
        assert start[f"{one}.{speed}"] == pytest.approx(0, abs=1e-12)
        assert start[f"{two}.{speed}"] == pytest.approx(2, abs=1e-12)


def test_what_is_nearer_to_the_ground_rests_where_it_can():
    text = """
PartData:
  Fixed: {O: []}
  Rigids: {OA: &rod {Geom: [[1]], Dyna: [[0.5], 1]}, AB: *rod, BC: *rod}
ProblemData: {tend: 1, positions: {A: [1, 0], B: [1, 1], C: [2, 1]}, velocities: {C: [GIVEN]}}
"""
    for given, moving in (("[0, fixed], [1, fixed]", "C"), ("[1, fixed], [0, fixed]", "BC")):
        start = lw.loads(text.replace("GIVEN", given)).simulate(0.001).at(0.0)
        for point in "ABC":
            assert (np.abs(start.velocity(point)).max() > 1e-6) == (point in moving)


RAILS = """
Dimension: 3
Formulation: FORM
Bodies:
  world: {frames: {o: {z: [1, 0, 0], x: [0, 0, 1]}}}
  tube:
    mass: 1
    centre: [0, 0, 0.2]
    inertia: [0.1, 0.1, 0.01]
    frames: {o: [], hook: {z: [0, 1, 0], x: [1, 0, 0]}, rail: [0, 0, 0.4], arm: [0.3], side: [0, 0.3]}
  rod:
    mass: 1
    centre: [0, 0, 0.1]
    inertia: [0.1, 0.1, 0.01]
    frames: {rail: {z: [0, 0, -1]}, tip: [0, 0, 0.3], arm: [0.2], side: [0, 0.2]}
Connections:
  Joints:
    hook: {kind: universal, frames: [world.o, tube.hook]}
    leg: {kind: KIND, frames: [tube.rail, rod.rail]}
ProblemData:
  tend: 0.01
  positions: {tube.o: [0, 0, 0], tube.rail: [0, 0, 0.4], tube.arm: [0.3, 0, 0], tube.side: [0, 0.3, 0],
    rod.rail: [0, 0, 0.5], rod.tip: [0, 0, 0.8], rod.arm: [0.2, 0, 0.5], rod.side: [0, 0.2, 0.5]}
"""


@pytest.mark.parametrize("kind", ["prismatic", "cylindrical"])
def test_joints_whose_axes_the_positions_turn_over_start_on_one_side_in_all_formulations(kind):
    states = []
    for form in FORMULATIONS:
        model = lw.loads(RAILS.replace("KIND", kind).replace("FORM", form))
        motion = model.simulate(0.01)
        assert motion.audit().ok
        states.append(motion.at(0.0))
        assert states[-1].body("tube").rotation[:, 2] @ states[-1].body("rod").rotation[:, 2] == pytest.approx(-1)
        assert "the given positions turn the axes of leg over" in model.start.report() and model.start.moved
    for state in states[1:]:
        np.testing.assert_allclose(state["rod.tip"], states[0]["rod.tip"], atol=1e-12)


def test_axes_that_can_only_be_turned_over_are_refused_in_words():
    held = RAILS.replace("KIND", "prismatic").replace("FORM", "points")
    for place in ("tube.rail: [0, 0, 0.4]", "tube.arm: [0.3, 0, 0]", "rod.tip: [0, 0, 0.8]", "rod.arm: [0.2, 0, 0.5]"):
        name, _, at = place.partition(": ")
        fixed = ", ".join(f"[{x}, fixed]" for x in at.strip("[]").split(", "))
        held = held.replace(place, f"{name}: [{fixed}]")
    with pytest.raises(lw.StartError, match="turn the axes of the frames of joint 'leg' against each other"):
        lw.loads(held).simulate(0.01)


PINNED = """
Dimension: 3
Bodies:
  world: {frames: {foot: {at: [0, UP, UP], z: [0, 0, 1]}}}
  spindle: {mass: 200, inertia: [25, 25, 50], frames: {foot: [], hinge: {at: [0, 0, 0.2], z: [0, 1, 0]}}}
  arm: {mass: 1, centre: [0.16], inertia: [0.1, 0.1, 0.1], frames: {pin: {z: [0, 1, 0]}, ball: [0.16]}}
Connections:
  Joints:
    bearing: {kind: revolute, frames: [world.foot, spindle.foot]}
    hinge: {kind: revolute, frames: [spindle.hinge, arm.pin]}
ProblemData: {tend: 1, positions: {spindle.foot: [0, GIVEN, GIVEN], arm.pin: [0, GIVEN, GIVEN + 0.2],
    arm.ball: [0.12, GIVEN + 0.05, GIVEN + 0.1]}}
"""


@pytest.mark.parametrize("up", ["30", "1e3", "31622", "1e5"])
def test_a_start_far_from_where_it_is_asked_is_found_as_that_near_by(up):
    near = lw.loads(PINNED.replace("UP", "0").replace("GIVEN", "0")).start
    with lw.time_limit(20):
        model = lw.loads(PINNED.replace("UP", up).replace("GIVEN", "0"))
        far = model.start
    shift = np.array([float(up) * (name[-1] in "yz") for name in model.system.coordinates[: len(far.q)]])
    mechanical = np.array(["." in name for name in model.system.coordinates])
    np.testing.assert_allclose((far.q - shift)[mechanical], near.q[mechanical], atol=1e-8)
    assert any(abs(value.moved) > 29 for value in far.moved)


# -- every model -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_start_of_an_example_given_again_is_found_again(path):
    model = lw.load(path)
    start, n = model.start, model.system.n
    points = {p: at for p, at in model.system.chart.points.items() if at[0] < n}
    if not points or not isinstance(model.mechanism, lw.Mechanism):
        pytest.skip("a model without points")
    found = find_again(model.mechanism, model.system, start)
    assert np.max(np.abs(found.q - start.q)[:n] / model.system.scales) < 1e-12
    speeds = np.max(np.abs(start.u), initial=1e-3)
    assert np.max(np.abs(found.u - start.u)) < 1e-9 * speeds


def find_again(mechanism, system, start):
    """The start where all points are given as they were found."""
    points = {p: list(at) for p, at in system.chart.points.items() if at[0] < system.n}
    old = mechanism.start
    given = InitialValues(
        t0=old.t0, tend=old.tend, states=old.states,
        positions={p: start.q[at].tolist() for p, at in points.items()},
        velocities={p: start.u[at].tolist() for p, at in points.items()},
        angles={name: float(start.q[i]) for name, i in system.chart.angles.items()},
        rates={name: float(start.u[i]) for name, i in system.chart.angles.items()},
    )  # fmt: skip
    rigids, joints = mechanism.given
    again = lw.Model(replace(mechanism, start=given, rigids=rigids, joints=joints))
    assert again.system.coordinates == system.coordinates
    return again.start


SEEDS = [*range(24), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(24, 400))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_mechanisms_start_again_where_they_started(seed):
    mechanism = random_mechanism(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = lw.Model(mechanism)
            start = model.start
        except lw.LinkworkError:
            pytest.skip("cannot be assembled")
        if start.fit:
            pytest.skip("rounded numbers were fitted")
        found = find_again(mechanism, model.system, start)
    assert np.max(np.abs(found.q - start.q)[: model.system.n] / model.system.scales, initial=0) < 1e-11
    assert np.max(np.abs(found.u - start.u), initial=0) < 1e-8 * np.max(np.abs(start.u), initial=1e-3)
