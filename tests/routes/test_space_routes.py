"""Space by two routes: compiled against interpreted, planar against spatial, one way to say a joint against another."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import joint_kinds
from linkwork.native.numbers import compute_matrices
from tools import assert_series_equal, expand, machines

g = 9.80665
BODY = {"centroid": (0.3, 0.1, 0.2), "mass": 1.5, "inertia": (0.2, 0.3, 0.4, 0.01, -0.02, 0.03)}


def begin(positions, velocities=None):
    return lw.InitialValues(positions=positions, velocities=velocities or {})


def space(**parts):
    return lw.Model(lw.Mechanism(dimension=3, **parts))


def held_by(kind, law=True):
    """A body held by the world in a joint of a kind, thrown; with a torque by a law if the joint has an angle."""
    body = lw.Rigid(name="ABCD", geometry=[(), (1,), (0.2, 0.9), (0.3, 0.2, 0.8)], **BODY)
    axis = (0.2, -0.3, 1.0) if kind != "universal" else (1.0, 0.3, 0.0)
    own = {name: 0.7 for name, value in joint_kinds(3)[kind].parameters.items() if value is None}
    sides = {"parts": ("world", "ABCD"), "points": ("O", "A"), "axes": [axis, (0, 0, 1)]}
    joint = lw.Joint(name="j", kind=kind, **sides, parameters=own)
    turns = joint_kinds(3)[kind].turns and law
    return space(
        fixed={"O": (0.1, 0.2, 0.3)}, rigids=[body], joints=[joint], gravity=(0, 0, -g),
        torques=[lw.Torque(part="j", value="sin(3*t) - 0.4*j.omega - j.angle")] if turns else [],
        forces=[lw.Force(point="D", components=("-2*D.x", "cos(t)", 0)),
                lw.Force(point="B", components=(0.3, "-0.1*B.vx", 0), part="ABCD")],
        start=begin({"A": (0.1, 0.2, 0.3), "B": (1, 0.3, 0.2), "C": (0.2, 1, 0.5)}, {"C": (1, 1, -1), "D": (0, 2, 1)}),
    )  # fmt: skip


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", joint_kinds(3))
def test_compiled_series_of_a_body_in_a_joint_are_the_interpreted_ones(kind):
    assembly = held_by(kind)
    start, system = assembly.start, assembly.system
    compiled, interpreted = machines(system, start.q)
    (q, lam), (q2, lam2) = (expand(m, start.q, start.u, 12, h=1e-6) for m in (compiled, interpreted))
    assert_series_equal(q / system.scales, q2 / system.scales, 1e-8)
    if not compiled.tally.redundant:
        assert_series_equal(lam, lam2, 1e-8)


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", joint_kinds(3))
def test_compiled_motion_of_a_body_in_a_joint_is_the_interpreted_one(kind):
    until = 0.5 if kind == "constant_velocity" else 1.0  # later the axes are opposite, where it holds no longer
    one, other = (held_by(kind).simulate(until, tol=1e-12, order=16, compiled=c) for c in (True, False))
    np.testing.assert_allclose(one.final.q, other.final.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.final.u, other.final.u, rtol=0, atol=1e-8)
    assert kind == "fixed" or one.energy.drift < 1e-9  # nothing flows in a body that is held fast
    assert one.residuals.position < 1e-13


@pytest.mark.parametrize("kind", joint_kinds(3))
def test_a_joint_leaves_as_much_freedom_as_its_table_says(kind):
    assembly = held_by(kind, law=False)
    _, G = compute_matrices(assembly.system, assembly.start.q)
    rank = np.linalg.matrix_rank(G.toarray(), tol=1e-9)
    made = joint_kinds(3)[kind]
    # a tracked turn is one more coordinate with one more equation
    assert assembly.system.n - rank == made.freedom


# -- the plane in space ----------------------------------------------------------------------------------------------


def test_a_double_pendulum_of_thin_rods_in_a_plane_moves_as_in_the_plane():
    def pendulum(dimension):
        places = [(1, 0), (1.6, 0.8)]
        turn = (lambda x, y: (x, y)) if dimension == 2 else (lambda x, y: (x * 0.6, x * 0.8, y))
        gravity = turn(0, -g)
        return lw.Model(
            lw.Mechanism(
                dimension=dimension, fixed={"O": ()}, gravity=gravity,
                rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", 1, 2)],
                springs=[lw.Spring(name="OB", stiffness=5, rest_length=0.7)],
                start=begin({p: turn(*z) for p, z in zip("AB", places, strict=True)}),
            )
        )  # fmt: skip

    t = np.linspace(0, 3, 61)
    plane, inside = (pendulum(d).simulate(3.0, tol=1e-14).at(t) for d in (2, 3))
    for point in "AB":
        x, y = plane[point].T
        np.testing.assert_allclose(inside[point], np.column_stack([0.6 * x, 0.8 * x, y]), rtol=0, atol=1e-10)


def test_a_slider_crank_between_lines_moves_as_in_the_plane():
    text = """
Dimension: {dimension}
PhysicalParams: {{a: 0.2, b: 0.6, g: 9.80665}}
PartData:
  Fixed: {{O: [], Q: [1], R: [2]}}
  Rigids:
    OA: {{Geom: [[a]], Dyna: [[a/2], 1]}}
    AB: {{Geom: [[b]], Dyna: [[b/2], 1]}}
  Particles: {{B: 2}}
Connections: {{Collinear: [QRB]}}
AppliedForces: {{Gravity: [0, -g], Forces: {{B: ["-3*B.vx"]}}}}
ProblemData: {{positions: {{A: [[0, fixed], a], B: [b]}}, velocities: {{A: [-2]}}}}
"""
    t = np.linspace(0, 1.5, 61)
    plane = lw.loads(text.format(dimension=2)).simulate(1.5, tol=1e-13).at(t)
    flat = lw.loads(text.format(dimension=3)).simulate(1.5, tol=1e-13).at(t)
    for point in "AB":
        np.testing.assert_allclose(flat[point][:, :2], plane[point], rtol=0, atol=1e-10)
        np.testing.assert_allclose(flat[point][:, 2], 0, atol=1e-12)


# -- one joint said in two ways --------------------------------------------------------------------------------------


def test_a_hinge_is_a_line_of_points_common_to_both_parts():
    # revolute about the line OE of the world: the points O and E of the body lie on it
    axis, inertia = (0.0, 0.6, 0.8), (0.02, 0.1, 0.1)
    named = space(
        fixed={"O": ()}, gravity=(0, 0, -g),
        rigids=[lw.Rigid(name="OAU", geometry=[(), (1,), (0, 0.1)], centroid=(0.5,), mass=1, inertia=inertia)],
        joints=[lw.Joint(name="h", kind="revolute", parts=("world", "OAU"), points=("O", "O"), axes=[axis, (0, 0, 1)])],
        start=begin({"A": (1, 0, 0)}),
    )  # fmt: skip
    points = space(
        fixed={"O": (), "E": axis}, gravity=(0, 0, -g),
        rigids=[
            lw.Rigid(
                name="OAUF", geometry=[(), (1,), (0, 0.1), (0, 0, 0.7)], centroid=(0.5,), mass=1, inertia=inertia
            )
        ],
        collinears=[lw.Collinear("OEF")], start=begin({"A": (1, 0, 0), "F": (0, 0.42, 0.56)}),
    )  # fmt: skip
    one, other = (assembly.simulate(2.0, tol=1e-13) for assembly in (named, points))
    np.testing.assert_allclose(other.final["A"], one.final["A"], rtol=0, atol=1e-10)


def test_a_universal_joint_is_a_cross_with_two_hinges():
    rod = {"geometry": [(), (1,), (0, 0.1)], "centroid": (0.5,), "mass": 1, "inertia": (0.01, 0.1, 0.1)}
    start = {"A": (0.8, 0, -0.6), "U": (0, 0.1, 0)}
    direct = space(
        fixed={"O": ()}, gravity=(0, 0, -g), rigids=[lw.Rigid(name="OAU", **rod)],
        joints=[lw.Joint(name="u", kind="universal", parts=("world", "OAU"), points=("O", "O"), axes=[(1,), (0, 1)])],
        start=begin(start, {"A": (0, 1.5, 0)}),
    )  # fmt: skip
    # the cross OVW: its x axis is the hinge in the world, its y axis the hinge of the rod
    cross = lw.Rigid(name="OVW", geometry=[(), (0.1,), (0, 0.1)])
    hinges = [
        lw.Joint(name="h1", kind="revolute", parts=("world", "OVW"), points=("O", "O"), axes=[(1, 0, 0), (1, 0, 0)]),
        lw.Joint(name="h2", kind="revolute", parts=("OVW", "OAU"), points=("O", "O"), axes=[(0, 1, 0), (0, 1, 0)]),
    ]
    crossed = space(
        fixed={"O": ()}, gravity=(0, 0, -g), rigids=[lw.Rigid(name="OAU", **rod), cross], joints=hinges,
        start=begin({**start, "V": (0.1, 0, 0), "W": (0, 0.1, 0)}, {"A": (0, 1.5, 0)}),
    )  # fmt: skip
    one, other = (assembly.simulate(1.0, tol=1e-13) for assembly in (direct, crossed))
    np.testing.assert_allclose(other.final["A"], one.final["A"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(other.final["U"], one.final["U"], rtol=0, atol=1e-9)


def test_two_bodies_fixed_to_each_other_move_as_one():
    # two equal plates welded back to back at A, against the one body they make
    def plates(welded):
        geometry = [(), (1,), (0, 1)]
        places = {"A": (0, 0, 0), "B": (1, 0, 0), "C": (0, 1, 0)}
        start = begin(places, {"A": (0, 0, 0), "B": (0, 1, 2), "C": (-1, 0, 3)})
        half = {"geometry": geometry, "centroid": (0.4, 0.3), "mass": 1, "inertia": (0.1, 0.2, 0.3)}
        if not welded:
            # the second is turned by half a turn about x: its centroid at (0.4, −0.3); Steiner for both
            I = (2 * (0.1 + 0.09), 0.4, 2 * (0.3 + 0.09))
            whole = {"geometry": geometry, "centroid": (0.4, 0.0), "mass": 2, "inertia": I}
            return space(rigids=[lw.Rigid(name="ABC", **whole)], start=start)
        weld = lw.Joint(
            name="weld", kind="fixed", parts=("ABC", "ADE"), points=("A", "A"), axes=[(0, 0, 1), (0, 0, -1)],
            references=[(1, 0, 0), (1, 0, 0)],
        )  # fmt: skip
        start = begin({**places, "D": (1, 0, 0), "E": (0, -1, 0)}, start.velocities)
        return space(rigids=[lw.Rigid(name="ABC", **half), lw.Rigid(name="ADE", **half)], joints=[weld], start=start)

    one, other = (plates(welded).simulate(2.0, tol=1e-13) for welded in (False, True))
    np.testing.assert_allclose(other["D"][0], one["B"][0], atol=1e-12)
    np.testing.assert_allclose(other.final["C"], one.final["C"], rtol=0, atol=1e-9)
    assert other.energy.drift < 1e-11


# -- joints with a formula -------------------------------------------------------------------------------------------


def test_a_body_on_a_prismatic_joint_slides_down_its_axis():
    axis = np.array([0.6, 0.0, -0.8])
    body = lw.Rigid(name="ABC", geometry=[(), (1,), (0, 1)], **BODY)
    rail = lw.Joint(
        name="rail", kind="prismatic", parts=("world", "ABC"), points=("O", "A"), axes=[axis.tolist(), (0, 0, 1)]
    )
    slider = space(
        fixed={"O": ()},
        rigids=[body],
        joints=[rail],
        gravity=(0, 0, -g),
        start=begin({"A": (0, 0, 0), "B": (0.8, 0, 0.6), "C": (0, -1, 0)}),
    )
    motion = slider.simulate(2.0, tol=1e-13)
    way = 0.5 * 0.8 * g * motion.t**2
    np.testing.assert_allclose(motion["A"], way[:, None] * axis, rtol=0, atol=1e-10)
    np.testing.assert_allclose(
        motion["B"] - motion["A"], np.broadcast_to(motion["B"][0], motion["B"].shape), atol=1e-11
    )


def test_a_body_on_an_upright_cylindrical_joint_falls_and_turns_evenly():
    body = lw.Rigid(name="ABC", geometry=[(), (1,), (0, 1)], centroid=(0.2,), mass=2, inertia=(0.1, 0.2, 0.25))
    pole = lw.Joint(name="pole", kind="cylindrical", parts=("world", "ABC"), points=("O", "A"))
    ring = space(
        fixed={"O": ()}, rigids=[body], joints=[pole], gravity=(0, 0, -g),
        events=[lw.Event(name="turn", when="pole.angle - 1")],
        start=begin({"A": (0, 0, 0), "B": (1, 0, 0), "C": (0, 1, 0)}, {"B": (0, 3, 0), "C": (-3, 0, 0)}),
    )  # fmt: skip
    motion = ring.simulate(5.0, tol=1e-13)
    t = motion.t
    np.testing.assert_allclose(motion["A"], np.column_stack([0 * t, 0 * t, -g * t**2 / 2]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion["pole"], 3 * t, rtol=0, atol=1e-10)
    assert [event.t for event in motion.events] == pytest.approx([1 / 3], abs=1e-11)


def test_a_body_on_a_slope_slides_as_its_centroid_says_and_keeps_its_spin():
    # the plane across (0, −sin, cos): downhill is (0, −cos, −sin) times g sin
    s, c = math.sin(0.5), math.cos(0.5)
    body = lw.Rigid(name="ABC", geometry=[(), (1,), (0, 1)], centroid=(0,), mass=2, inertia=(0.1, 0.2, 0.25))
    slope = lw.Joint(
        name="slope", kind="planar", parts=("world", "ABC"), points=("O", "A"), axes=[(0, -s, c), (0, 0, 1)]
    )
    spin = 4.0
    place = {"A": (0, 0, 0), "B": (1, 0, 0), "C": (0, c, s)}
    sled = space(
        fixed={"O": ()}, rigids=[body], joints=[slope], gravity=(0, 0, -g), torques=[lw.Torque(part="slope", value=0)],
        start=begin(place, {"A": (1, 0, 0), "B": (1, spin * c, spin * s), "C": (1 - spin, 0, 0)}),
    )  # fmt: skip
    motion = sled.simulate(3.0, tol=1e-13)
    t = motion.t
    down = g * s * t**2 / 2
    np.testing.assert_allclose(motion["A"], np.column_stack([t, -c * down, -s * down]), rtol=0, atol=1e-10)
    np.testing.assert_allclose(motion["slope"], spin * t, rtol=0, atol=1e-10)


def test_a_ball_joint_between_points_is_a_shared_point():
    rods = {"OA": ("O", "A"), "BC": ("B", "C")}
    shared = space(
        fixed={"O": ()}, gravity=(0, 0, -g), rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AC", 1, 1)],
        start=begin({"A": (1, 0, 0), "C": (1, 1, 0)}),
    )  # fmt: skip
    ball = lw.Joint(name="ball", kind="spherical", parts=("OA", "BC"), points=("A", "B"))
    jointed = space(
        fixed={"O": ()}, gravity=(0, 0, -g), rigids=[lw.Rigid.rod(name, 1, 1) for name in rods], joints=[ball],
        start=begin({"A": (1, 0, 0), "B": (1, 0, 0), "C": (1, 1, 0)}),
    )  # fmt: skip
    one, other = (assembly.simulate(2.0, tol=1e-13) for assembly in (shared, jointed))
    np.testing.assert_allclose(other.final["C"], one.final["C"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(other["A"], other["B"], rtol=0, atol=1e-12)
