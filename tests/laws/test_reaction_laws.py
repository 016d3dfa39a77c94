"""Reactions obey statics and Newton's third law."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.connections import Joint
from linkwork.native.numbers import compute_residual
from linkwork.results.record.forces import compute_forces, find_forces


def hanging_rods(count):
    places = {f"P{i}": (0, -i) for i in range(1, count + 1)}
    return lw.Model(
        lw.Mechanism(
            fixed={"P0": ()},
            rigids=[lw.Rigid.rod(f"P{i}P{i + 1}", 1, 2) for i in range(count)],
            gravity=(0, -10),
            start=lw.InitialValues(tend=1, positions=places),
        )
    )


def test_a_hanging_chain_carries_the_weight_below():
    motion = hanging_rods(4).simulate(0.1)
    for i in range(4):
        assert motion.reaction(f"P{i}P{i + 1}", f"P{i}") == pytest.approx(
            np.array([[0.0, 20.0 * (4 - i)]] * len(motion.t))
        )
        assert motion.tension(f"P{i}P{i + 1}") == pytest.approx(20.0 * (4 - i) - 10.0)


def test_in_the_frame_of_the_part_a_force_along_it_has_one_component():
    motion = hanging_rods(2).simulate(0.1)
    assert motion.reaction("P0P1", "P0", frame="part", t=0.05) == pytest.approx(np.array([[-40.0, 0.0]]))


@pytest.mark.parametrize("shared", [True, False])
def test_a_weld_carries_weight_and_moment(shared):
    point = "O" if shared else "Q"
    fixed = {"O": ()} if shared else {"Q": ()}
    body = lw.Rigid(name="OAB", geometry=[(), (2,), (0, 1)], centroid=(1, 0.5, 0), mass=3, inertia=(1, 1, 1))
    places = {"A": (2, 0, 0), "B": (0, 1, 0), **({} if shared else {"O": (0, 0, 0)})}
    mechanism = lw.Mechanism(
        dimension=3,
        fixed=fixed,
        rigids=[body],
        gravity=(0, 0, -10),
        joints=[Joint(name="weld", kind="fixed", parts=("world", "OAB"), points=(point, "O"))],
        start=lw.InitialValues(tend=1, positions=places),
    )
    force, torque = lw.Model(mechanism).simulate(0.1).wrench("weld")
    # m g upward; c × m g about the weld
    assert force == pytest.approx(np.tile([0.0, 0.0, 30.0], (len(force), 1)), abs=1e-9)
    assert torque == pytest.approx(np.tile([15.0, -30.0, 0.0], (len(force), 1)), abs=1e-9)


def test_reactions_at_a_moving_pin_are_opposite():
    start = lw.InitialValues(tend=1, positions={"P1": (1, 0), "P2": (2, 0), "P3": (3, 0)})
    rods = [lw.Rigid.rod(f"P{i}P{i + 1}", 1, 1 + i) for i in range(3)]
    mechanism = lw.Mechanism(fixed={"P0": ()}, rigids=rods, gravity=(0, -9.81), start=start)
    motion = lw.Model(mechanism).simulate(1.0, tol=1e-12)
    for i in (1, 2):
        here, there = motion.reaction(f"P{i - 1}P{i}", f"P{i}"), motion.reaction(f"P{i}P{i + 1}", f"P{i}")
        assert here + there == pytest.approx(np.zeros_like(here), abs=1e-9)
    assert motion.reaction("P2P3", "P3") == pytest.approx(np.zeros((len(motion.t), 2)), abs=1e-9)


def test_an_unknown_part_or_point_is_an_error_in_words():
    motion = hanging_rods(2).simulate(0.1)
    with pytest.raises(lw.LinkworkError, match="no part 'P0P1' with a point 'P2'"):
        motion.reaction("P0P1", "P2")
    with pytest.raises(lw.LinkworkError, match="no joint named"):
        motion.wrench("knee")


def test_at_a_clamp_the_force_is_the_weight_and_a_load_presses_where_it_sits():
    body = lw.Rigid(name="OAU", geometry=[(), (1,), (0, 1)], centroid=(0.5, 0, 0), mass=2, inertia=(1, 1, 1))
    mechanism = lw.Mechanism(
        dimension=3,
        fixed={"O": ()},
        rigids=[body],
        particles=[lw.Particle(point="A", mass=1)],
        gravity=(0, 0, -10),
        joints=[Joint(name="clamp", kind="fixed", parts=("world", "OAU"), points=("O", "O"))],
        start=lw.InitialValues(tend=1, positions={"A": (1, 0, 0), "U": (0, 1, 0)}),
    )
    motion = lw.Model(mechanism).simulate(0.1)
    for point, force in (("O", 30.0), ("A", -10.0), ("U", 0.0)):
        assert motion.reaction("OAU", point)[0] == pytest.approx([0.0, 0.0, force], abs=1e-9)


GUIDED = {
    "a piston on a rail, its mass a particle": """
PartData:
  Fixed: {O: [], Q: [1]}
  Rigids: {OA: {Geom: [[0.2]], Dyna: [[0.05, 0.01], 2, 0.03]}, AB: {Geom: [[0.6]], Dyna: [[0.2, -0.03], 1, 0.05]}}
  Particles: {B: 0.7}
Connections: {Collinear: [OBQ]}
AppliedForces: {Gravity: , Forces: {B: [-20*B.vx, 0]}}
ProblemData: {tend: 1, positions: {A: [0.1, 0.2], B: [0.6]}, velocities: {A: [-1.8, 0.9]}}
""",
    "a scissor lift: a roller on the ground, another under the platform, a cylinder": """
PartData:
  Fixed: {O: [], G: [2]}
  Rigids:
    OMA: {Geom: [[0.5], [1]], Dyna: [[0.5], 5, 0.4]}
    BMC: {Geom: [[0.5], [1]], Dyna: [[0.5], 5, 0.4]}
    CPF: {Geom: [[0.5], [1]], Dyna: [[0.4, 0.1], 200, 9]}
Connections: {Collinear: [OBG, CFA]}
AppliedForces: {Gravity: }
Motions: {OB.length: 0.9 - 0.1*t}
ProblemData: {tend: 1, positions: {B: [0.9], M: [0.45, 0.2], A: [0.9, 0.4], C: [0, 0.4], F: [1, 0.4]}}
""",
    "a rod that slides through a pivot, hung from a spring": """
PartData:
  Fixed: {O: [], S: [0.3, 1.5]}
  Rigids: {AB: {Geom: [[2]], Dyna: [[0.8, 0.1], 3, 1.1]}}
  Springs: {SB: [120, 1]}
Connections: {Collinear: [AOB]}
AppliedForces: {Gravity: }
ProblemData: {tend: 1, positions: {A: [-1, 0.1], B: [1, -0.1]}, velocities: {A: [1, 0.3]}}
""",
    "a place that is driven, and a damper": """
PartData:
  Fixed: {O: [], W: [-1]}
  Rigids: {AB: {Geom: [[1]], Dyna: [[0.5], 2]}, BC: {Geom: [[1]], Dyna: [[0.5], 1]}}
  Dampers: {WC: 3}
AppliedForces: {Gravity: }
Motions: {A.x: 0.1*sin(7*t), A.y: 0}
ProblemData: {tend: 1, positions: {A: [], B: [0.3, -0.9], C: [1.2, -0.7]}}
""",
}


@pytest.mark.parametrize("name", GUIDED)
def test_the_forces_that_are_shown_on_a_part_accelerate_and_turn_it(name):
    mechanism = lw.loads(GUIDED[name])
    motion = mechanism.simulate(tol=1e-12)
    state = motion.at(np.linspace(0.05, 0.95, 7))
    pushes = [push for push in find_forces(motion, 99) if push.kind == "reaction"]
    values = compute_forces(motion, state, pushes)
    for rigid in mechanism.mechanism.rigids:
        number = mechanism.mechanism.compute
        (mx, my), mass, inertia = map(number, rigid.centroid), number(rigid.mass), number(rigid.inertia[0])
        a, b = rigid.points[:2]
        length = number(rigid.geometry[1][0])
        x = (state[b] - state[a]) / length
        y = np.stack([-x[:, 1], x[:, 0]], axis=1)
        ddx = (state.acceleration(b) - state.acceleration(a)) / length
        ddy = np.stack([-ddx[:, 1], ddx[:, 0]], axis=1)
        centre, quick = state[a] + mx * x + my * y, state.acceleration(a) + mx * ddx + my * ddy
        force, moment = np.array([0.0, -9.80665]) * mass + np.zeros_like(centre), np.zeros(len(centre))
        for push, value in zip(pushes, values, strict=True):
            if push.of == rigid.name:
                arm = state[push.point] - centre
                force, moment = force + value, moment + arm[:, 0] * value[:, 1] - arm[:, 1] * value[:, 0]
        size = np.max(np.abs(np.concatenate([*values])))
        # the turn's acceleration is x × ẍ
        turn = x[:, 0] * ddx[:, 1] - x[:, 1] * ddx[:, 0]
        assert force == pytest.approx(mass * quick, abs=1e-9 * size), rigid.name
        assert moment == pytest.approx(inertia * turn, abs=1e-9 * size), rigid.name


def test_a_guide_pushes_its_point_across_only_and_carries_its_load():
    text = """
    Dimension: 3
    PartData: {Fixed: {O: [], Q: [1, 1, 0], R: [0, 1, 1]}, Particles: {B: 1, C: 2}}
    Connections: {Collinear: [OQB], Coplanar: [OQRC]}
    AppliedForces: {Gravity: }
    ProblemData: {tend: 1, positions: {B: [0.5, 0.5, 0], C: [0.2, 0.3, 0.1]}, velocities: {B: [1, 1, 0]}}
    """
    motion = lw.loads(text).simulate()
    weight = np.array([0.0, 0.0, -9.80665])
    for guide, point, mass in (("OQB", "B", 1.0), ("OQRC", "C", 2.0)):
        force = motion.reaction(guide, point)
        assert force + mass * weight == pytest.approx(mass * motion.acceleration(point), abs=1e-9)
    assert motion.reaction("OQB", "B") @ [1, 1, 0] == pytest.approx(0.0, abs=1e-9)
    normal = np.cross([1, 1, 0], [0, 1, 1])
    assert np.cross(motion.reaction("OQRC", "C"), normal) == pytest.approx(0.0, abs=1e-9)


def test_a_part_and_a_spring_of_one_name_are_told_apart():
    rod = "OA: {Geom: [[1]], Dyna: [[0.5], 2]}, AB: {Geom: [[1]], Dyna: [[0.5], 1]}"
    text = """
PartData: {Fixed: {O: []}, Rigids: {ROD}, Springs: {AB: [STIFF, 0.9]}}
AppliedForces: {Gravity: }
ProblemData: {tend: 0.5, positions: {A: [1, 0], B: [1.6, 0.8]}}
""".replace("ROD", rod)
    plain, sprung = (lw.loads(text.replace("STIFF", stiffness)).simulate() for stiffness in ("0", "100"))
    # the rod keeps the spring's length, so that only the rod feels it
    pull = plain.reaction("AB", "B", frame="part", t=0.2) - sprung.reaction("AB", "B", frame="part", t=0.2)
    assert pull == pytest.approx(np.array([[10.0, 0.0]]), abs=1e-7)


def test_three_parts_at_one_point_feel_forces_that_add_up_to_nothing():
    bodies = [
        lw.Rigid(name=f"O{a}{b}", geometry=[(), (1,), (0, 1)], centroid=(0.3, 0.2, 0.1), mass=k, inertia=(1, 1, 1))
        for k, (a, b) in enumerate(("AB", "CD", "EF"), start=1)
    ]
    joints = [
        Joint(name="one", kind="revolute", parts=("OAB", "OCD"), points=("O", "O")),
        Joint(name="two", kind="universal", parts=("OCD", "OEF"), points=("O", "O"), axes=[(1, 0, 0), (0, 1, 0)]),
    ]
    x, y = (1, 0, 0), (0, 1, 0)
    mechanism = lw.Mechanism(
        dimension=3,
        rigids=bodies,
        particles=[lw.Particle(point="A", mass=2)],
        joints=joints,
        gravity=(0, 0, -9.81),
        forces=[lw.Force(point="C", components=(3, 2, 1))],
        start=lw.InitialValues(positions={"O": (0, 0, 0), "A": x, "B": y, "C": x, "D": y, "E": x, "F": y}),
    )
    motion = lw.Model(mechanism).simulate(0.5)
    total = sum(motion.reaction(body.name, "O") for body in bodies)
    assert total == pytest.approx(np.zeros_like(total), abs=1e-8)
    assert motion.audit().ok


HELD = """
PartData:
  Fixed: {O: [], P: [1, 0.5]}
  Rigids: {OPB: {Geom: [[sqrt(1.25)], [0.4, 0.9]], Dyna: [[0.4, 0.3], 2, 0.5]}, BC: {Geom: [[1]], Dyna: [[0.5], 1]}}
"""
HELD_ROD = """
Dimension: 3
PartData: {Fixed: {O: [], P: [0, 2]}, Rigids: {OP: {Geom: [[2]], Dyna: [[1], 2]}, PC: {Geom: [[1]], Dyna: [[0.5], 1]}}}
"""


@pytest.mark.parametrize("text", [HELD, HELD_ROD])
def test_supports_carry_the_weight_of_a_part_that_fixed_points_hold(text):
    motion = lw.loads(text + "AppliedForces: {Gravity: }\nProblemData: {tend: 0.3}\n").simulate()
    part, points = next(iter(motion.system.chart.parts.items()))
    total = sum(motion.reaction(part, point) for point in points)
    weight = 2 * 9.80665 * np.eye(total.shape[1])[-1]
    np.testing.assert_allclose(total, np.broadcast_to(weight, total.shape), atol=1e-12)
    assert motion.audit().ok


@pytest.mark.parametrize("name", ["bennett", "peaucellier", "sarrus"])
def test_multipliers_inside_steps_balance_the_forces(load_example, name):
    # the series of multipliers is poorer than that of the motion, most of all where constraints are redundant
    motion = load_example(name).formulated("points").simulate(tol=1e-12)
    state = motion.at(np.linspace(motion.t[0], motion.t[-1], 50)[1:-1])
    arrays = (state.q.T, state.u.T, state.a.T)
    forces = compute_residual(motion.system, *arrays, 0 * state.lam.T, state.t)
    left = compute_residual(motion.system, *arrays, state.lam.T, state.t)
    assert np.max(np.abs(left)) < 1e-8 * np.max(np.abs(forces))


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
def test_what_turns_a_body_is_no_force_at_its_points(formulation):
    body = lw.Rigid(name="OAB", geometry=[(), (1,), (0, 1)], centroid=(), mass=2, inertia=(1, 1, 1))
    mechanism = lw.Mechanism(
        dimension=3,
        fixed={"O": ()},
        rigids=[body],
        gravity=(0, 0, -10),
        efforts=[lw.Effort(on="OAB.wz", value=3), lw.Effort(on="OAB.wx", value="-OAB.wx")],
        start=lw.InitialValues(tend=1, positions={"A": (1, 0, 0), "B": (0, 1, 0)}, velocities={"B": (0, 0, 1)}),
    )
    motion = lw.Model(mechanism).formulated(formulation).simulate(0.3)
    assert motion.reaction("OAB", "O") == pytest.approx(np.tile([0, 0, 20.0], (len(motion.t), 1)), abs=1e-8)
    for point in "AB":
        assert motion.reaction("OAB", point) == pytest.approx(np.zeros((len(motion.t), 3)), abs=1e-8)
    assert motion.audit().ok, motion.audit().text()
