"""Wheels, discs, balls and edges from files, beside closed forms and Lagrangians of the same."""

import importlib

import numpy as np
import pytest

import linkwork as lw

DISC = """
Dimension: 3
PhysicalParams: {m: 1, R: 0.5, g: 9.81, lean: 0.1, s: 6, r: 0, c: cos(lean), d: sin(lean)}
Bodies:
  disc: {mass: m, inertia: [m*R**2/4, m*R**2/4, m*R**2/2], frames: {c: [], rim: [R], top: [0, R]}}
Connections:
  Rolling: {track: {wheel: disc.c, radius: R}}
AppliedForces: {Gravity: [0, 0, -g]}
ProblemData:
  positions: {disc.c: [0, 0, R*c], disc.rim: [R, 0, R*c], disc.top: [0, -R*d, 2*R*c]}
  # ω = s along the axle (0, c, d) and r along the diameter (0, -d, c) that points up
  velocities: {disc.c: [R*s, 0, 0], disc.rim: [R*s, R*(s*d + r*c), R*(r*d - s*c)], disc.top: [2*R*s, 0, 0]}
"""


def example(name):
    return importlib.import_module(f"lagrangian.{name}")


@pytest.fixture(autouse=True)
def find_examples(examples, monkeypatch):
    monkeypatch.syspath_prepend(examples)


def test_a_rolling_disc_is_the_lagrangian_disc():
    one, two = lw.loads(DISC).simulate(5, tol=1e-13), example("rolling_disc").disc().simulate(5, tol=1e-13)
    t = np.linspace(0, 5, 51)
    assert np.max(np.abs(one.at(t)["disc.c"] - two.at(t)["S"])) < 1e-10
    assert one.energy.drift < 1e-12
    assert one.audit().ok, one.audit()


def test_a_disc_that_precesses_steadily_keeps_its_lean_and_its_contact_goes_round():
    """(J + m R²) r s + m g R sin α = I r² tan α, with the spin s about the axle and r about the diameter up."""
    m, R, g, lean, r = 1.0, 0.5, 9.81, 0.4, 2.0
    I, J = m * R**2 / 4, m * R**2 / 2
    s = (I * r**2 * np.tan(lean) - m * g * R * np.sin(lean)) / ((J + m * R**2) * r)
    motion = lw.loads(DISC).with_parameters(lean=lean, r=r, s=s).simulate(10, tol=1e-13)
    state = motion.at(np.linspace(0, 10, 101))
    assert np.max(np.abs(state["disc.c.z"] - R * np.cos(lean))) < 1e-10
    turning = r / np.cos(lean)
    track = np.stack([state["track.contact_x"], state["track.contact_y"]], axis=1)
    # it starts beneath the top, which leans to −y, and runs along x as fast as the rim does: R ψ'
    speed = R * (s - turning * np.sin(lean))
    centre = np.array([0.0, R * np.sin(lean) + speed / turning])
    assert np.max(np.abs(np.linalg.norm(track - centre, axis=1) - abs(speed / turning))) < 1e-10
    assert np.max(np.abs(state["track.contact_z"])) < 1e-12
    assert np.allclose(np.hypot(state["track.contact_x_rate"], state["track.contact_y_rate"]), abs(speed), atol=1e-9)


TABLE = """
Dimension: 3
PhysicalParams: {m: 2, r: 0.1, w: 3, J: 0.4*m*r**2, h: 0.2}
Bodies:
  world: {frames: {o: []}}
  table: {mass: 1, inertia: [1, 1, 1], frames: {o: [], top: [0.1, 0, h]}}
  ball: {mass: m, inertia: [J, J, J], frames: {c: []}}
Connections:
  Joints: {axle: {kind: revolute, frames: [world.o, table.o]}}
  Rolling: {marble: {ball: ball.c, radius: r, on: table.top}}
Motions: {axle.omega: w}
AppliedForces: {Gravity: }
ProblemData:
  tend: 6
  positions: {ball.c: [[1, fixed], [0, fixed]]}
  velocities: {ball.c: [[0.2, fixed], [1, fixed]]}
"""


def test_a_ball_on_a_turning_table_goes_round_at_two_sevenths_of_its_speed():
    """m v̇ = F, J ω̇ = −r n × F and no slip: v̇ = (2/7) w n × v, a circle wherever it starts."""
    motion = lw.loads(TABLE).simulate(tol=1e-13)
    t = np.linspace(0, 6, 61)
    found = motion.at(t)["ball.c"]
    rate = 2 / 7 * 3
    v0, x0 = 0.2 + 1j, 1.0
    expected = x0 + v0 * (np.exp(1j * rate * t) - 1) / (1j * rate)
    assert np.max(np.abs(found[:, 0] + 1j * found[:, 1] - expected)) < 1e-10
    assert np.max(np.abs(found[:, 2] - 0.3)) < 1e-12
    assert motion.audit().ok, motion.audit()


def test_a_wheel_with_a_tread_as_wide_as_itself_is_a_ball():
    one = lw.loads(TABLE).simulate(2)
    two = lw.loads(TABLE.replace("ball: ball.c, radius: r", "wheel: ball.c, radius: r, tread: r")).simulate(2)
    assert np.allclose(one.final.q, two.final.q, atol=1e-12)


@pytest.mark.parametrize("tread", ["0.02", "0.1", "R/2"])
def test_wheels_with_a_round_tread_keep_energy_and_pass_the_audit(tread):
    text = DISC.replace("radius: R}", f"radius: R, tread: {tread}}}").replace("lean: 0.1", "lean: 0.3")
    motion = lw.loads(text).simulate(3, tol=1e-13)
    assert motion.energy.drift < 1e-12
    assert motion.audit().ok, motion.audit()


SLOPE = """
PhysicalParams: {m: 2, r: 0.3, a: 0.4, J: 0.03, g: 9.81}
Bodies:
  wheel: {mass: m, inertia: J, frames: {c: []}}
Connections:
  Rolling: {track: {wheel: wheel.c, radius: r, on: {point: [0, 1], normal: [2*sin(a), 2*cos(a)]}}}
AppliedForces: {Gravity: [0, -g]}
ProblemData: {tend: 2, positions: {wheel.c: [0, 1 + r/cos(a)]}}
"""


def test_a_wheel_rolls_down_a_slope_as_it_should():
    """a = g sin α / (1 + J/(m r²)); on the wheel the slope presses with m g cos α and holds back with J a/r²."""
    motion = lw.loads(SLOPE).simulate(tol=1e-13)
    m, r, a, J, g = 2, 0.3, 0.4, 0.03, 9.81
    down = g * np.sin(a) / (1 + J / (m * r**2))
    end = motion.final
    gone = end["wheel.c"] - motion.at(0.0)["wheel.c"]
    assert np.allclose(gone, down * 2**2 / 2 * np.array([np.cos(a), -np.sin(a)]), atol=1e-11)
    assert float(end["wheel.angle"] - motion["wheel.angle"][0]) == pytest.approx(-down * 2 / r, abs=1e-10)
    assert -float(end.multiplier("contact_track")) == pytest.approx(m * g * np.cos(a), abs=1e-10)
    assert -float(end.multiplier("slip1_track")) == pytest.approx(-J * down / r**2, abs=1e-10)
    assert motion.audit().ok, motion.audit()


def test_a_wheel_in_the_plane_rolls_on_a_body_that_moves():
    """A wheel on a plank on ice: momentum along the ice stays zero, and the audit agrees."""
    text = """
PhysicalParams: {r: 0.3}
Bodies:
  world: {frames: {o: []}}
  plank: {mass: 3, inertia: 1, frames: {o: [], top: {at: [0, 0.1], angle: 0.2}}}
  wheel: {mass: 2, inertia: 0.1, frames: {c: []}}
Connections:
  Joints: {ice: {kind: translational, frames: [world.o, plank.o]}}
  Rolling: {track: {wheel: wheel.c, radius: r, on: plank.top}}
AppliedForces: {Gravity: }
ProblemData: {tend: 1, positions: {plank.o: [0, 0], wheel.c: [0, 0.5]}}
"""
    motion = lw.loads(text).simulate(tol=1e-13)
    momentum = 3 * motion.velocity("plank.o")[:, 0] + 2 * motion.velocity("wheel.c")[:, 0]
    assert np.max(np.abs(momentum)) < 1e-10
    assert abs(float(motion.velocity("plank.o")[-1, 0])) > 0.1
    assert motion.audit().ok, motion.audit()


@pytest.mark.parametrize(
    "held",
    ["KnifeEdge: {edge: sleigh.edge}", "Velocity: {edge: sleigh.edge.vy*sleigh.xx - sleigh.edge.vx*sleigh.xy}"],
)
@pytest.mark.parametrize("space", [False, True])
def test_a_sleigh_on_a_knife_edge_is_the_lagrangian_sleigh(held, space):
    text = f"""
PhysicalParams: {{m: 1, a: 0.5, J: 0.2}}
Bodies: {{sleigh: {{mass: m, centre: [a], inertia: J, frames: {{edge: [], bow: [1]}}}}}}
Connections: {{{held}}}
ProblemData:
  positions: {{sleigh.edge: [0, 0], sleigh.bow: [1, 0]}}
  velocities: {{sleigh.edge: [-1, 0], sleigh.bow: [-1, 0.5]}}
"""
    if space:
        changes = {
            "inertia: J": "inertia: [J, J, J]",
            "bow: [1]": "bow: [1], side: [0, 1]",
            "sleigh.bow: [1, 0]": "sleigh.bow: [1], sleigh.side: [0, 1]",
            "sleigh.bow: [-1, 0.5]": "sleigh.bow: [-1, 0.5], sleigh.side: [-1.5, 0]",
        }
        for old, new in changes.items():
            text = text.replace(old, new)
        text = "Dimension: 3" + text
    one, two = lw.loads(text).simulate(8, tol=1e-13), example("chaplygin_sleigh").sleigh().simulate(8, tol=1e-13)
    t = np.linspace(0, 8, 41)
    assert np.max(np.abs(one.at(t)["sleigh.edge"][:, :2] - two.at(t)["E"])) < 1e-10
    assert one.audit().ok, one.audit()


@pytest.mark.parametrize("name", ["bicycle", "turntable", "disc", "slope"])
def test_what_rolls_is_the_same_motion_in_points_and_in_absolute_coordinates(load_example, name):
    own = {"disc": DISC, "slope": SLOPE}
    model = lw.loads(own[name]) if name in own else load_example(name)
    one, two = (model.formulated(which).simulate(2, tol=1e-12).final for which in ("points", "absolute"))
    assert np.max(np.abs(one.q - two.q)) < 1e-9
    assert np.max(np.abs(one.a - two.a)) < 1e-9 * (1 + np.max(np.abs(one.a)))
    assert np.max(np.abs(one.lam - two.lam)) < 1e-9 * (1 + np.max(np.abs(one.lam)))
