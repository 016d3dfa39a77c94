"""Bodies and joints in space against rotation matrices: places, velocities, energies, Newton and Euler, momentum."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork.equations.kernels import spatial
from linkwork.native import compiler
from linkwork.native.numbers import compute_energy, compute_levels, compute_matrices, compute_residual

examples = settings(max_examples=40)
seeds = st.integers(0, 10**6).map(np.random.default_rng)
g = 9.80665


def random_rotation(rng):
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else -Q


def random_inertia(rng):
    """The tensor of a heap of masses about its centroid."""
    r = rng.normal(size=(6, 3)) * rng.uniform(0.3, 1.0, 3)
    r -= r.mean(axis=0)
    return sum((x @ x) * np.eye(3) - np.outer(x, x) for x in r) * rng.uniform(0.1, 1)


def six(I):
    return [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]


class Moving:
    """A rigid body as textbooks have it: a place, a rotation matrix, their rates, and what it is made of."""

    def __init__(self, rng):
        corners = [[0, 0, 0], [rng.uniform(0.3, 2), 0, 0], [rng.normal(), rng.uniform(0.3, 2), 0]]
        self.local = np.array([*corners, rng.normal(size=3)])
        self.centroid, self.mass, self.inertia = rng.normal(size=3), rng.uniform(0.5, 3), random_inertia(rng)
        self.R, self.p = random_rotation(rng), rng.normal(size=3)
        self.v, self.w, self.dv, self.dw = rng.normal(size=(4, 3))

    def place(self, x):
        return self.p + self.R @ x

    def velocity(self, x):
        return self.v + np.cross(self.w, self.R @ x)

    def acceleration(self, x):
        r = self.R @ x
        return self.dv + np.cross(self.dw, r) + np.cross(self.w, np.cross(self.w, r))

    @property
    def kinetic(self):
        v, w = self.velocity(self.centroid), self.R.T @ self.w
        return self.mass * v @ v / 2 + w @ self.inertia @ w / 2

    def all_points(self):
        """q, u, a of the points A, B, C, D, one after another."""
        return [np.concatenate([f(x) for x in self.local]) for f in (self.place, self.velocity, self.acceleration)]

    def mechanism(self, **more):
        body = lw.Rigid(
            name="ABCD", geometry=self.local.tolist(), centroid=self.centroid.tolist(), mass=self.mass,
            inertia=six(self.inertia),
        )  # fmt: skip
        return lw.Mechanism(dimension=3, rigids=[body], **more)


# -- formulas --------------------------------------------------------------------------------------------------------


@given(seeds)
@examples
def test_the_axes_of_a_body_are_the_columns_of_its_rotation_matrix(rng):
    body = Moving(rng)
    r = (body.local[1, 0], body.local[2, 0], body.local[2, 1])
    q, u, _ = (x.reshape(4, 3)[:3] for x in body.all_points())
    axes, rates = spatial.axes_of(q, r), spatial.axes_rates(tuple(q), tuple(u), r)
    np.testing.assert_allclose(np.array(axes.columns, float).T, body.R, rtol=0, atol=1e-13)
    spin = np.column_stack([np.cross(body.w, body.R[:, i]) for i in range(3)])
    np.testing.assert_allclose(np.array(rates.columns, float).T, spin, rtol=0, atol=1e-12)
    omega = np.array(spatial.angular_velocity(axes, rates), float)
    np.testing.assert_allclose(omega, body.R.T @ body.w, rtol=0, atol=1e-12)


@given(seeds)
@examples
def test_all_points_of_a_moving_body_satisfy_its_constraints_at_all_levels(rng):
    body = Moving(rng)
    system = lw.Model(body.mechanism()).system
    for level, bound in zip(compute_levels(system, *body.all_points()), (1e-13, 1e-13, 1e-13), strict=True):
        size = 1 + np.max(np.abs(body.local)) ** 2 * (1 + body.w @ body.w + np.max(np.abs(body.dw)))
        assert np.max(np.abs(level)) < 10 * bound * size**2


@given(seeds)
@examples
def test_the_kinetic_energy_of_a_body_is_that_of_textbooks(rng):
    body = Moving(rng)
    q, u, _ = body.all_points()
    T, V = compute_energy(lw.Model(body.mechanism(gravity=(0.3, -2, 5))).system, q, u)
    # a triangle of points that is nearly flat amplifies the rounding of its velocities
    shape = np.linalg.cond(body.local[1:3, :2])
    assert float(T) == pytest.approx(body.kinetic, rel=1e-13 * (1 + shape**2))
    assert float(V["gravity"]) == pytest.approx(
        -body.mass * body.place(body.centroid) @ [0.3, -2, 5], abs=1e-12 * shape
    )


@given(seeds)
@examples
def test_the_kinetic_energy_of_a_rod_is_that_of_textbooks(rng):
    length, mass, inertia, xi = rng.uniform(0.3, 2), rng.uniform(0.5, 3), rng.uniform(0.01, 1), rng.normal()
    a, va, w = rng.normal(size=(3, 3))
    along = random_rotation(rng)[0]
    b, vb = a + length * along, va + np.cross(w, length * along)
    rod = lw.Rigid(name="AB", geometry=[(), (length,)], centroid=(xi,), mass=mass, inertia=inertia)
    system = lw.Model(lw.Mechanism(dimension=3, rigids=[rod])).system
    T, _ = compute_energy(system, np.concatenate([a, b]), np.concatenate([va, vb]))
    v, across = va + np.cross(w, xi * along), w - (w @ along) * along
    assert float(T) == pytest.approx(mass * v @ v / 2 + inertia * across @ across / 2, rel=2e-13)


@given(seeds)
@examples
def test_a_body_under_forces_obeys_newton_and_euler(rng):
    # m c̈ = m g + F + R f      R (I ω̇ + ω × I ω) = Σ (r × force)      with F in the world at D, f in the body at B
    body = Moving(rng)
    F, f, gravity = rng.normal(size=(3, 3))
    forces = [
        lw.Force(point="D", components=F.tolist()),
        lw.Force(point="B", components=f.tolist(), part="ABCD"),
    ]
    system = lw.Model(body.mechanism(forces=forces, gravity=gravity.tolist())).system
    q, u, _ = body.all_points()
    M, G = (x.toarray() for x in compute_matrices(system, q))
    n, m = system.n, system.m
    force = -compute_residual(system, q, u, np.zeros(n), np.zeros(m))
    gamma = compute_levels(system, q, u, np.zeros(n))[2]
    K = np.block([[M, G.T], [G, np.zeros((m, m))]])
    found = np.linalg.solve(K, np.concatenate([force, -gamma]))[:n].reshape(4, 3)

    arm = lambda i: body.R @ (body.local[i] - body.centroid)  # noqa: E731
    moment = np.cross(arm(3), F) + np.cross(arm(1), body.R @ f)
    I = body.R @ body.inertia @ body.R.T
    body.dw = np.linalg.solve(I, moment - np.cross(body.w, I @ body.w))
    body.dv = np.zeros(3)
    body.dv = gravity + (F + body.R @ f) / body.mass - body.acceleration(body.centroid)
    wanted = np.array([body.acceleration(x) for x in body.local])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * (1 + np.max(np.abs(wanted))))


# -- a free body -----------------------------------------------------------------------------------------------------

I1, I2, I3 = 1.0, 1.6, 2.2


def free_body(omega):
    """A body with principal inertia I1 < I2 < I3 in space, turning about its centroid."""
    local = np.array([[-0.3, -0.2, 0.1], [0.7, -0.2, 0.1], [0.1, 0.8, 0.1]])
    body = lw.Rigid(
        name="ABC", geometry=(local - local[0]).tolist(), centroid=(-local[0]).tolist(), mass=1.5, inertia=(I1, I2, I3)
    )
    start = lw.InitialValues(
        positions={p: x.tolist() for p, x in zip("ABC", local, strict=True)},
        velocities={p: np.cross(omega, x).tolist() for p, x in zip("ABC", local, strict=True)},
    )
    return lw.Model(lw.Mechanism(dimension=3, rigids=[body], start=start))


def attitude(state):
    """Rotation matrices and angular velocities in the body.   (k, 3, 3), (k, 3)"""
    A, B, C = (state[p] for p in "ABC")
    vA, vB, vC = (state.velocity(p) for p in "ABC")
    e1, d1 = B - A, vB - vA
    e2, d2 = C - A - 0.4 * e1, vC - vA - 0.4 * d1
    e3 = np.cross(e1, e2)
    dot = lambda x, y: np.sum(x * y, axis=1)  # noqa: E731
    return np.stack([e1, e2, e3], axis=2), np.column_stack([dot(e3, d2), -dot(e3, d1), dot(e2, d1)])


def euler(omega, t):
    """ω(t) by Jacobi's functions from a start with ω₂ = 0; it circles around the first or third axis."""
    a, _, c = omega
    T2, L2 = I1 * a**2 + I3 * c**2, (I1 * a) ** 2 + (I3 * c) ** 2
    if L2 > T2 * I2:
        p = math.sqrt((I3 - I2) * (L2 - T2 * I1) / (I1 * I2 * I3))
        k2 = (I2 - I1) * (T2 * I3 - L2) / ((I3 - I2) * (L2 - T2 * I1))
        sn, cn, dn, _ = ellipj(p * t, k2)
        w2 = math.sqrt((T2 * I3 - L2) / (I2 * (I3 - I2)))
        return np.column_stack([a * cn, w2 * sn, c * dn]), p, k2
    p = math.sqrt((I2 - I1) * (T2 * I3 - L2) / (I1 * I2 * I3))
    k2 = (I3 - I2) * (L2 - T2 * I1) / ((I2 - I1) * (T2 * I3 - L2))
    sn, cn, dn, _ = ellipj(p * t, k2)
    w2 = math.sqrt((L2 - T2 * I1) / (I2 * (I2 - I1)))
    return np.column_stack([a * dn, w2 * sn, c * cn]), p, k2


@pytest.mark.parametrize("omega", [(0.3, 0.0, 2.0), (2.0, 0.0, 0.5), (1.2, 0.0, 0.75)], ids=["third", "first", "flip"])
def test_a_free_body_follows_euler_over_a_hundred_revolutions(omega):
    speed = np.linalg.norm(omega)
    end = 200 * math.pi / speed
    motion = free_body(omega).simulate(end, tol=1e-16)
    state = motion.at(np.linspace(0, end, 1001))
    R, found = attitude(state)
    wanted, p, k2 = euler(omega, state.t)
    # the sign of ω₂ at the start is that of Euler's equation I₂ ω̇₂ = (I₃ − I₁) ω₃ ω₁
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * speed)
    if k2 > 0.5:
        # over the intermediate axis and back, again and again
        assert end > 4 * ellipk(k2) / p
    L = np.einsum("kij,j,kj->ki", R, [I1, I2, I3], found)
    np.testing.assert_allclose(L, np.broadcast_to(np.array(omega) * [I1, I2, I3], L.shape), rtol=0, atol=1e-11 * speed)
    assert motion.energy.drift < 1e-12


def test_the_intermediate_axis_flips():
    # started almost about the second axis, the body turns over and over
    omega = (0.01, 2.0, 0.0)
    motion = free_body(omega).simulate(100 * math.pi, tol=1e-15)
    _, found = attitude(motion.at(np.linspace(0, 100 * math.pi, 4001)))
    flips = np.count_nonzero(np.diff(np.sign(found[:, 1])))
    assert np.min(found[:, 1]) < -1.99 and flips >= 6
    assert motion.energy.drift < 1e-12


# -- a hinge ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 2, -2)])
def test_the_turn_of_a_hinge_is_tracked_over_many_revolutions(axis):
    # a rotor about a tilted axis under a constant torque: θ = τ t²/(2 J), J by Steiner
    tau, h = 3.0, 0.4
    body = lw.Rigid(name="OAU", geometry=[(), (1,), (0, 1)], centroid=(h,), mass=2, inertia=(0.1, 0.3, 0.35))
    x = np.cross(axis, (0, 1, 0)) if axis != (0, 0, 1) else np.array([1.0, 0, 0])
    x = x / np.linalg.norm(x)
    y = np.cross(np.array(axis) / np.linalg.norm(axis), x)
    hinge = lw.Joint(
        name="hinge", kind="revolute", parts=("world", "OAU"), points=("O", "O"), axes=[axis, (0, 0, 1)],
        references=[tuple(x), (1, 0, 0)],
    )  # fmt: skip
    rotor = lw.Model(
        lw.Mechanism(
            dimension=3, fixed={"O": ()}, rigids=[body], joints=[hinge], torques=[lw.Torque(part="hinge", value=tau)],
            start=lw.InitialValues(positions={"A": tuple(x), "U": tuple(y)}),
        )
    )  # fmt: skip
    motion = rotor.simulate(15.0, tol=1e-13)
    J = 0.35 + 2 * h**2
    assert motion.final["hinge"] > 80 * math.pi
    state = motion.at(np.linspace(0, 15, 301))
    np.testing.assert_allclose(state["hinge"], tau * state.t**2 / (2 * J), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(state.velocity("hinge"), tau * state.t / J, rtol=1e-10, atol=1e-10)
    assert motion.energy.drift < 1e-11


# -- long chains -----------------------------------------------------------------------------------------------------


def pendulum_of(N):
    """N particles on massless rods with free pivots, stretched level and thrown sideways."""
    l = 10 / N
    names = [f"P{i}" for i in range(N + 1)]
    return lw.Model(
        lw.Mechanism(
            dimension=3, fixed={"P0": ()}, gravity=(0, 0, -g),
            rigids=[lw.Rigid.rod(a + b, l) for a, b in pairwise(names)],
            particles=[lw.Particle(point=p, mass=1 / N) for p in names[1:]],
            start=lw.InitialValues(
                positions={p: (i * l, 0, 0) for i, p in enumerate(names) if i},
                velocities={names[-1]: (0, 1, 0)},
            ),
        )
    )  # fmt: skip


def test_a_pendulum_of_forty_keeps_its_energy_for_ten_seconds():
    motion = pendulum_of(40).simulate(10.0, tol=1e-12)
    assert motion.outcome == "reached t = 10"
    assert motion.energy.drift < 1e-9
    assert motion.residuals.position < 1e-13


def test_a_pendulum_of_a_thousand_runs():
    motion = pendulum_of(1000).simulate(0.01, tol=1e-10, max_steps=20)
    assert motion.stats.steps > 0
    assert motion.energy.drift < 1e-9


@pytest.mark.needs_compiler
def test_a_longer_chain_needs_no_compiler(monkeypatch):
    pendulum_of(40).simulate(0.01)
    monkeypatch.setattr(compiler, "_Compilation", None)
    for N in (41, 77, 200):
        assert pendulum_of(N).simulate(0.01).stats.compiled
