"""Laws of every kind of joint: rank, velocities, wrenches, exchange of the parts; and equations of seed 002 as oracles.

Two bodies in general position, joined, pushed by forces. What holds is judged from frames alone.
"""

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import find_kind, joint_kinds
from linkwork.native.numbers import compute_levels, compute_matrices
from linkwork.symbolic import derivatives, evaluate_all

PLANE, SPACE = joint_kinds(2), joint_kinds(3)
KINDS = [pytest.param(d, name, id=f"{d}D-{name}") for d in (2, 3) for name in joint_kinds(d)]
OWN = {"length": 0.8, "radius": 0.3, "pitch": 0.4, "teeth1": 20, "teeth2": 35}


def body(name, d, shift=0.0):
    if d == 2:
        frame = lw.Frame((0.3, 0.2), angle=0.4 + shift)
        return lw.Body(name, mass=2 + shift, centre=(0.1, -0.2), inertia=0.7, frames={"f": frame, "g": (0.5, -0.4)})
    frame = lw.Frame((0.3, 0.2, -0.1), z=(0.1 + shift, 0.2, 1), x=(1, 0.3, 0))
    inertia = (0.7, 0.8, 0.9, 0.02, 0.03, -0.01)
    frames = {"f": frame, "g": (0.5, -0.4, 0.3), "h": (-0.2, 0.4, 0.1)}
    return lw.Body(name, mass=2 + shift, centre=(0.1, -0.2, 0.3), inertia=inertia, frames=frames)


def two_bodies(d, kind, order=("a.f", "b.f"), start=None):
    """Two free bodies with a joint between them, and forces on both."""
    own = {name: OWN[name] for name, value in joint_kinds(d)[kind].parameters.items() if value is None}
    places = {"a.f": (0.1, 0.2, 0.3), "b.f": (0.5, 0.6, 0.1), "a.g": (0.6, -0.4, 0.2), "b.g": (1.1, 0.3, -0.2)}
    speeds = {"a.g": (0.3, -0.2, 0.4), "b.g": (-0.5, 0.4, 0.2), "b.f": (0.1, 0.3, -0.1)}
    guess = lw.InitialValues(
        positions={p: place[:d] for p, place in places.items()}, velocities={p: v[:d] for p, v in speeds.items()}
    )
    return lw.Model(
        lw.Mechanism(
            dimension=d,
            bodies=[body("a", d), body("b", d, 0.2)],
            joints=[lw.Joint(name="j", kind=kind, frames=order, parameters=own)],
            forces=[
                lw.Force(point="a.g", components=(1.0, -2.0, 0.5)[:d]),
                lw.Force(point="b.g", components=(0.3, 1.5)),
            ],
            start=start or guess,
        )
    )


def turning(d, pose):
    w = pose.omega()
    return w[:, None] if d == 2 else w


def cross(a, b):
    return (a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])[..., None] if a.shape[-1] == 2 else np.cross(a, b)


@pytest.mark.parametrize(("d", "kind"), KINDS)
def test_a_joint_takes_as_many_freedoms_as_it_says(d, kind):
    model = two_bodies(d, kind)
    _, G = compute_matrices(model.system, model.start.q)
    free = model.system.n - np.linalg.matrix_rank(G.toarray(), tol=1e-9)
    assert free == (3 if d == 2 else 6) + find_kind(d, kind).freedom
    assert model.structure().mobility.freedom == free


@pytest.mark.parametrize(("d", "kind"), KINDS)
def test_forces_and_moments_of_a_joint_cancel_and_do_no_work(d, kind):
    motion = two_bodies(d, kind).simulate(0.3, tol=1e-11)
    (F1, C1), (F2, C2) = motion.wrench("j", on="a"), motion.wrench("j", on="b")
    p1, p2 = motion["a.f"], motion["b.f"]
    size = np.max(np.abs(F2)) + np.max(np.abs(C2)) + 1e-9
    np.testing.assert_allclose(F1 + F2, 0, atol=1e-12 * size)
    np.testing.assert_allclose(C1 + C2 + cross(p1, F1) + cross(p2, F2), 0, atol=1e-12 * size)
    power = sum(
        np.sum(F * motion.velocity(p), axis=1) + np.sum(C * turning(d, motion.body(part)), axis=1)
        for F, C, p, part in ((F1, C1, "a.f", "a"), (F2, C2, "b.f", "b"))
    )
    assert size > 1e-3  # it does something
    np.testing.assert_allclose(power, 0, atol=1e-9 * size)


@pytest.mark.parametrize(("d", "kind"), KINDS)
def test_newton_and_euler_hold_for_both_bodies_with_the_wrench_alone(d, kind):
    motion = two_bodies(d, kind).simulate(0.3, tol=1e-11)
    pushes = {"a": np.array([1.0, -2.0, 0.5][:d]), "b": np.array([0.3, 1.5, 0.0][:d])}
    for part, mass in (("a", 2.0), ("b", 2.2)):
        pose = motion.body(part)
        F, C = motion.wrench("j", on=part)
        centre = np.array([0.1, -0.2, 0.3][:d])
        arm = pose.rotation @ centre
        w, alpha = turning(d, pose), pose.alpha()[:, None] if d == 2 else pose.alpha()
        if d == 2:
            a = pose.acceleration + alpha * np.stack([-arm[:, 1], arm[:, 0]], axis=1) - w**2 * arm
            spin = 0.7 * alpha
        else:
            a = pose.acceleration + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
            J = np.array([[0.7, 0.02, 0.03], [0.02, 0.8, -0.01], [0.03, -0.01, 0.9]])
            I = pose.rotation @ J @ np.swapaxes(pose.rotation, 1, 2)
            spin = np.einsum("kij,kj->ki", I, alpha) + np.cross(w, np.einsum("kij,kj->ki", I, w))
        c = pose.position + arm
        moment = (
            C
            + cross(motion[f"{part}.f"] - c, F)
            + cross(motion[f"{part}.g"] - c, np.broadcast_to(pushes[part], c.shape))
        )
        np.testing.assert_allclose(mass * a, F + pushes[part], atol=1e-9)
        np.testing.assert_allclose(spin, moment, atol=1e-9)


SYMMETRIC = [p for p in KINDS if p.values[1] not in ("pin_slot", "in_line", "in_plane", "rack_pinion", "gear")]


@pytest.mark.parametrize(("d", "kind"), SYMMETRIC)
def test_exchanging_the_bodies_gives_the_same_motion_and_the_opposite_wrench(d, kind):
    one = two_bodies(d, kind)
    at = {p: list(one.system.chart.points[p]) for p in one.system.chart.points}
    found = [{p: tuple(values[where]) for p, where in at.items()} for values in (one.start.q, one.start.u)]
    same = lw.InitialValues(positions=found[0], velocities=found[1])
    other = two_bodies(d, kind, order=("b.f", "a.f"), start=same)
    A, B = (model.simulate(0.3, tol=1e-12) for model in (one, other))
    for point in ("a.g", "b.g"):
        np.testing.assert_allclose(B.final[point], A.final[point], atol=1e-9)
    np.testing.assert_allclose(B.wrench("j", on="a")[0][0], -A.wrench("j", on="b")[0][0], atol=1e-7)


@pytest.mark.parametrize(("d", "kind"), KINDS)
def test_the_audit_of_a_joint_passes(d, kind):
    assert two_bodies(d, kind).simulate(0.3, tol=1e-10).audit().ok


# -- the procedure of seed 002, by hand --------------------------------------------------------------------------------


def oracle_rows(kind, i, j, wi, wj, vi, vj):
    """ḟ = f_OM·V_M + f_ON·V_N + θ̇_i (f_xi·y_i − f_yi·x_i) + ... (24), for one kind over numbers of two frames."""
    c = find_kind(2, kind).usual
    known = {f"{tag}{e} {k}": frame[e][k] for tag, frame in (("i", i), ("j", j)) for e in "oxy" for k in range(2)}
    rates = {}
    for tag, frame, w, v in (("i", i, wi, vi), ("j", j, wj, vj)):
        rates |= {f"{tag}o {k}": v[k] for k in range(2)}
        rates |= {f"{tag}x {k}": w * frame["y"][k] for k in range(2)}
        rates |= {f"{tag}y {k}": -w * frame["x"][k] for k in range(2)}
    names = list(known)
    from linkwork.symbolic import symbol

    symbols = [symbol(name, kind="coordinate") for name in names]
    found = []
    for f in c.zero:
        slopes = evaluate_all(derivatives(f, symbols), known | {"length": 0.8})
        found.append(sum(s * rates[name] for s, name in zip(slopes, names, strict=True)))
    return np.array(found, dtype=float)


@pytest.mark.parametrize("kind", [name for name in PLANE if name not in ("rack_pinion", "gear")])
def test_the_velocity_equation_of_the_paper_is_that_of_the_points(kind):
    model = two_bodies(2, kind)
    rng = np.random.default_rng(5)
    motion = model.simulate(0.1, tol=1e-11)
    system, state = model.system, motion.at(0.05)
    _, G = compute_matrices(system, state.q)
    rows = [k for k, name in enumerate(system.constraints) if name.endswith("_j")]
    shape = [k for k in range(system.m) if k not in rows]
    # any motion of two rigid bodies: velocities that leave their shapes alone
    null = np.linalg.svd(G.toarray()[shape])[2][len(shape) :]
    for u in rng.normal(size=(5, len(null))) @ null:
        frames, spins, speeds = [], [], []
        for part, angle in (("a", 0.4), ("b", 0.6)):
            R = state.body(part).rotation @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            first, second = (np.array(system.chart.points[p]) for p in system.chart.parts[part][:2])
            edge = state.q[second] - state.q[first]
            spins.append(float(cross(edge, u[second] - u[first])[0] / (edge @ edge)))
            frames.append({"o": state[f"{part}.f"], "x": R[:, 0], "y": R[:, 1]})
            speeds.append(u[list(system.chart.points[f"{part}.f"])])
        expected = oracle_rows(kind, frames[0], frames[1], spins[0], spins[1], speeds[0], speeds[1])
        np.testing.assert_allclose((G @ u)[rows], expected, atol=1e-12)


def pair(state, sign):
    """The sin(θ_M − θ_N) term of (26) with a sign, for f = x_i·y_j: 2 θ̇_i θ̇_j f_{xi,yj} sin(θ_M − θ_N)."""
    a, b = state["a.angle"] + 0.4, state["b.angle"] + 0.6
    wa, wb = state.body("a").omega(), state.body("b").omega()
    own = -(wa**2 + wb**2) * np.sin(a - b) * -1.0  # x_i·y_j = sin(θ_M − θ_N); −θ̇² f terms
    return own * -1.0 + sign * 2 * wa * wb * np.sin(a - b)


def test_the_sign_of_the_sine_in_the_acceleration_equation_is_plus_and_the_printed_minus_fails():
    motion = two_bodies(2, "pin_slot").simulate(0.2, tol=1e-11)
    state = motion.at(0.1)
    a, b = state["a.angle"] + 0.4, state["b.angle"] + 0.6
    wa, wb = state.body("a").omega(), state.body("b").omega()
    true = -np.sin(a - b) * (wa - wb) ** 2  # second rate of sin(a − b) without accelerations
    assert abs(pair(state, +1.0) - true) < 1e-12
    assert abs(pair(state, -1.0) - true) > 1e-3


def test_a_slider_passes_zero_travel_and_the_pair_of_the_paper_does_not():
    text = """
Bodies:
  block: {mass: 1, inertia: 0.2, frames: {c: {at: [0, 0], angle: 0.3}}}
  world: {frames: {rail: {at: [0.2, 0.1], angle: 0.5}}}
Connections: {Joints: {guide: {kind: KIND, frames: [world.rail, block.c]}}}
AppliedForces: {Forces: {block.c: [1, 2]}, Efforts: {block.angle: 0.3}}
ProblemData: {tend: 2, positions: {block.c: [-0.6, -0.3]}, velocities: {block.c: [0.8, 0.4]}}
"""
    motion = lw.loads(text.replace("KIND", "translational")).simulate(tol=1e-12)
    travel = motion["guide.travel"]
    assert travel[0] < -0.1 and travel[-1] > 0.1
    # one body on a straight rail: constant acceleration F·x/m; the couple is held by the rail
    x = np.array([np.cos(0.5), np.sin(0.5)])
    expected = travel[0] + motion["guide.speed"][0] * motion.t + (x @ [1, 2]) / 2 * motion.t**2
    np.testing.assert_allclose(travel, expected, atol=1e-11)
    F, C = motion.wrench("guide", on="block")
    np.testing.assert_allclose(C, -0.3, atol=1e-10)
    np.testing.assert_allclose(F @ x, 0, atol=1e-10)

    @lw.joint_kind("paper_slider", dimension=2, free=1)
    def paper_slider(i, j):
        """The pair (21): d·y_i and d·y_j."""
        d = j.o - i.o
        return lw.Conditions(zero=[lw.dot(d, i.y), lw.dot(d, j.y)], positive=[lw.dot(i.x, j.x)])

    # its equations are singular there: the run goes over it or says why not, but never gives another motion
    try:
        other = lw.loads(text.replace("KIND", "paper_slider")).simulate(tol=1e-12)
    except lw.SolveError as error:
        other = error.motion
    if not other.doubts:
        mine = motion.at(other.final.t)
        np.testing.assert_allclose(other.final["block.c"], mine["block.c"], atol=1e-8)


def test_levels_of_every_joint_are_rates_of_one_another():
    for d, kind in ((2, "translational"), (2, "pin_slot"), (3, "screw"), (3, "constant_velocity")):
        model = two_bodies(d, kind)
        motion = model.simulate(0.2, tol=1e-11)
        s = motion.at(0.1)
        rng, h = np.random.default_rng(1), 1e-6
        u, a = rng.normal(size=(2, model.system.n))

        def at(dt, q=s.q, u=u, a=a, system=model.system):
            return compute_levels(system, q + dt * u + dt * dt / 2 * a, u + dt * a, a, 0.0)

        rate = (at(h)[0] - at(-h)[0]) / (2 * h)
        second = (at(h)[1] - at(-h)[1]) / (2 * h)
        np.testing.assert_allclose(at(0.0)[1], rate, atol=1e-6)
        np.testing.assert_allclose(at(0.0)[2], second, atol=1e-6)


# -- gears -------------------------------------------------------------------------------------------------------------


def gear_train(d=2, teeth=(20, 40), relation=False, swapped=False):
    """A wheel on the ground and one on a carrier that turns about it, pushed round."""
    wheel = {"mass": 1, "inertia": 0.3 if d == 2 else (0.2, 0.2, 0.3)}
    sun = lw.Body("sun", frames={"c": (), "r": (0.2,)}, **wheel)
    planet = lw.Body("planet", frames={"c": (), "r": (0.3,)}, **wheel)
    carrier = lw.Body("carrier", frames={"o": (), "e": (0.5,)}, **wheel)
    pins = [("hub", "world.o", "sun.c"), ("arm", "world.o", "carrier.o"), ("axle", "carrier.e", "planet.c")]
    joints = [lw.Joint(name=n, kind="revolute", frames=(a, b)) for n, a, b in pins]
    relations = []
    if relation:
        formula = f"{teeth[0]}*(sun.angle - carrier.angle) + {teeth[1]}*(planet.angle - carrier.angle)"
        relations.append(lw.Relation(name="mesh", formula=formula))
    else:
        order, phase = (("planet.c", "sun.c"), np.pi) if swapped else (("sun.c", "planet.c"), 0)
        own = {"teeth1": teeth[swapped], "teeth2": teeth[1 - swapped], "phase": phase}
        joints.append(lw.Joint(name="mesh", kind="gear", frames=order, parameters=own))
    places = {"sun.r": (0.2, 0), "planet.c": (0.5, 0), "planet.r": (0.8, 0), "carrier.e": (0.5, 0)}
    return lw.Model(
        lw.Mechanism(
            dimension=d,
            bodies=[lw.Body("world", frames={"o": ()}), sun, planet, carrier],
            joints=joints,
            relations=relations,
            torques=[lw.Torque(part="arm", value="3 - arm.omega"), lw.Torque(part="hub", value="-2*hub.omega")],
            start=lw.InitialValues(positions={p: (*x, 0)[:d] for p, x in places.items()}),
        )
    )


def test_a_gear_on_a_carrier_is_the_relation_of_its_angles_over_many_turns():
    geared, related = gear_train().simulate(12.0), gear_train(relation=True).simulate(12.0)
    assert float(geared.final["carrier.angle"]) > 4 * np.pi
    for name in ("sun.angle", "planet.angle", "carrier.angle", "planet.omega"):
        assert float(geared.final[name]) == pytest.approx(float(related.final[name]), abs=1e-8)
    left = [20 * (geared[f"sun.{x}"] - geared[f"carrier.{x}"]) for x in ("angle", "omega")]
    right = [40 * (geared[f"planet.{x}"] - geared[f"carrier.{x}"]) for x in ("angle", "omega")]
    np.testing.assert_allclose(left[0], -right[0], atol=1e-9)
    np.testing.assert_allclose(left[1], -right[1], atol=1e-9)


def test_a_gear_in_space_moves_as_the_one_in_the_plane():
    plane, space = gear_train().simulate(4.0), gear_train(3).simulate(4.0)
    for name in ("planet.r.x", "planet.r.y", "sun.r.y"):
        assert float(space.final[name]) == pytest.approx(float(plane.final[name]), abs=1e-8)
    assert space.audit().ok


def test_wheels_of_a_gear_may_be_named_in_either_order():
    one, other = gear_train().simulate(4.0), gear_train(swapped=True).simulate(4.0)
    for name in ("sun.angle", "planet.angle"):
        assert float(one.final[name]) == pytest.approx(float(other.final[name]), abs=1e-9)
    np.testing.assert_allclose(one.wrench("mesh", on="sun")[0][0], other.wrench("mesh", on="sun")[0][0], atol=1e-8)


def test_a_ring_has_negative_teeth():
    motion = gear_train(teeth=(-60, 20)).simulate(3.0)
    left = -60 * (motion["sun.omega"] - motion["carrier.omega"]) + 20 * (
        motion["planet.omega"] - motion["carrier.omega"]
    )
    np.testing.assert_allclose(left, 0, atol=1e-9)
    assert motion.audit().ok
