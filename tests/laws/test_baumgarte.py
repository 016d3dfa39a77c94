"""Baumgarte's form: constraints obey g'' + 2 α g' + β² g = 0, whatever the mechanism does."""

import numpy as np
import pytest

import linkwork as lw
from jointed import Jointed, turn
from linkwork.equations import formulate_absolute
from linkwork.model import joint_kinds
from linkwork.model.joints.kinds import FREEDOMS
from linkwork.native import Machine, ReferenceMachine, Request, Status, choose_weights
from linkwork.native.numbers import compute_levels

KINDS = [(d, kind) for d in (2, 3) for kind in joint_kinds(d)]
compiled = pytest.mark.needs_compiler


def law(t, g, g1, alpha, beta):
    """The solution of g'' + 2 α g' + β² g = 0 from g, g'.   t: (k,), g, g1: (m,)  →  (k, m)"""
    w = np.sqrt(complex(beta**2 - alpha**2))
    t = t[:, None]
    if abs(w) < 1e-12:
        return (g + (g1 + alpha * g) * t) * np.exp(-alpha * t)
    return (np.exp(-alpha * t) * (g * np.cos(w * t) + (g1 + alpha * g) / w * np.sin(w * t))).real


def disturb(system, q, u, seed):
    """A state near a consistent one that breaks the constraints a little; directions stay those of bodies."""
    rng = np.random.default_rng(seed)
    q, u = q.copy(), u.copy()
    n = system.n
    q[:n] += 1e-3 * rng.uniform(-1, 1, n) * system.scales
    u[:n] += 1e-2 * rng.uniform(-1, 1, n) * system.scales
    return q, u


def residuals_along(machine, system, start, alpha, beta, until=0.4, tol=1e-13):
    """Times, and g and g' of all constraints there, along a run from an inconsistent state."""
    t0, q, u = start
    request = Request(t_end=t0 + until, tol=tol, order=8, method="baumgarte", alpha=alpha, beta=beta)
    assert machine.begin(request, t0, q, u) is Status.FINISHED
    status, chunk = machine.advance(1e3, 10**6)
    assert status is Status.FINISHED
    # at the steps and inside them
    t = np.concatenate([chunk.t, chunk.t + 0.6 * chunk.h])
    dt = np.concatenate([0 * chunk.h, 0.6 * chunk.h])
    series = np.tile(chunk.series, (2, 1, 1))[:, :, chunk.coordinate]
    k = np.arange(series.shape[1])
    power = dt[:, None] ** k
    rate = np.where(k > 0, k, 0) * dt[:, None] ** np.maximum(k - 1, 0)
    bend = np.where(k > 1, k * (k - 1), 0) * dt[:, None] ** np.maximum(k - 2, 0)
    q, u, a = (np.einsum("ik,ikn->ni", weight, series) for weight in (power, rate, bend))
    g, g1, _ = compute_levels(system, q, u, a, t)
    return t - t0, g.T, g1.T


def check_law(system, start, alpha, beta, interpreted=False):
    machine = ReferenceMachine(system) if interpreted else Machine(system, choose_weights(system, start[1]))
    t, g, g1 = residuals_along(machine, system, start, alpha, beta)
    positions = system.holonomic
    wanted = law(t, g[0], g1[0], alpha, beta)[:, positions]
    assert np.min(np.abs(g[0, positions]), initial=1.0) > 1e-6  # every one is broken
    np.testing.assert_allclose(g[:, positions], wanted, rtol=0, atol=1e-10)
    rates = g1[0] * np.exp(-2 * alpha * t[:, None])
    np.testing.assert_allclose(g1[:, ~positions], rates[:, ~positions], rtol=0, atol=1e-9)


@compiled
@pytest.mark.parametrize(("alpha", "beta"), [(6.0, 6.0), (3.0, 9.0)])
@pytest.mark.parametrize(("d", "kind"), KINDS)
def test_every_joint_obeys_its_linear_law_from_an_inconsistent_start(d, kind, alpha, beta):
    made = Jointed(3, d)
    made.add_body(kind)
    model = lw.Model(made.mechanism())
    start = model.start
    q, u = disturb(model.system, start.q, start.u, seed=d)
    check_law(model.system, (start.t, q, u), alpha, beta)


def turned(absolute, x, seed):
    """Coordinates with their followers, in which every body is turned a little further."""
    rng, x = np.random.default_rng(seed), x.copy()
    d = absolute.parts.corners.shape[1]
    for places in absolute.parts.followers:
        axis, angle = (None if d == 2 else rng.normal(size=3)), rng.uniform(1e-3, 3e-3)
        x[places] = (turn(axis, angle) @ x[places].reshape(d, -1)).ravel()
    return x


def check_poses(mechanism, alpha, beta, interpreted=False):
    model = lw.Model(mechanism)
    absolute = formulate_absolute(mechanism, model.system)
    x, v = absolute.place(model.start.q, model.start.u)
    q, u = disturb(absolute.system, turned(absolute, x, seed=1), v, seed=mechanism.dimension)
    check_law(absolute.system, (model.start.t, q, u), alpha, beta, interpreted)
    return absolute.system


@pytest.mark.parametrize("interpreted", [pytest.param(False, marks=compiled), True])
@pytest.mark.parametrize(("d", "kind"), [(2, "translational"), (3, "universal"), (3, "cylindrical")])
def test_bodies_by_their_poses_obey_it_as_well(d, kind, interpreted):
    made = Jointed(3, d)
    made.add_body(kind)
    check_poses(made.mechanism(), 5.0, 7.0, interpreted)


@compiled
@pytest.mark.parametrize(("d", "kind"), KINDS)
def test_every_joint_between_two_moving_bodies_obeys_it_in_poses(d, kind):
    made = Jointed(3, d)
    made.add_body(None)
    made.add_body(kind, parent="b0")
    system = check_poses(made.mechanism(), 5.0, 7.0)
    # no coordinate of place is saved, and no equation with it
    freedoms, free = FREEDOMS[d], joint_kinds(d)[kind].freedom
    assert len(system.coordinates) - system.m == freedoms + free and system.m >= freedoms - free


@compiled
def test_what_rolls_forgets_wrong_speeds_at_twice_alpha(load_example):
    model = load_example("bicycle")
    start = model.start
    q, u = disturb(model.system, start.q, start.u, seed=1)
    system = model.system
    machine = Machine(system, choose_weights(system, q))
    t, _, g1 = residuals_along(machine, system, (start.t, q, u), 4.0, 4.0, until=0.2)
    rows = ~system.holonomic
    assert rows.any()
    wanted = g1[0] * np.exp(-8.0 * t[:, None])
    np.testing.assert_allclose(g1[:, rows], wanted[:, rows], rtol=0, atol=1e-9)


@compiled
@pytest.mark.parametrize("beta", [0.0, 100.0, 1000.0])
def test_the_error_vanishes_with_the_tolerance_for_every_beta(load_example, beta):
    # the crank of Andrews' squeezer at 0.03 s, from bodies with three coordinates each
    model = load_example("andrews-bodies").formulated("absolute")
    errors = []
    for tol in (1e-6, 1e-9, 1e-12):
        motion = model.simulate(0.03, tol=tol, method="baumgarte", beta=beta)
        assert motion.method.numbers == {"alpha": beta, "beta": beta}
        assert motion.residuals.position < 100 * tol + 1e-13
        errors.append(abs(motion.final["k1.angle"] - 15.81077119515371))
    assert errors[0] < 1e-2 and errors[1] < 1e-5 and errors[2] < 1e-9
    assert errors[2] < errors[1] < errors[0]


@compiled
def test_alpha_and_beta_are_tied_to_the_steps_and_told(load_example):
    model = load_example("andrews")
    motion = model.simulate(0.03, tol=1e-9, method="baumgarte")
    numbers, h = motion.method.numbers, 0.03 / motion.stats.steps
    assert motion.method.why == "as asked, alpha and beta by the steps"
    assert numbers["alpha"] == numbers["beta"] == pytest.approx(0.3 / h, rel=0.5)
    fixed = model.simulate(0.03, tol=1e-9, method="baumgarte", step=2**-14)
    assert fixed.method.numbers == {"alpha": 0.3 * 2**14, "beta": 0.3 * 2**14, "step": 2**-14}
    assert str(fixed.method) == f"baumgarte: {motion.method.why}; alpha = 4915.2, beta = 4915.2, step = 6.10352e-05"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "baumgarte", "alpha": -1.0}, "alpha = -1 is not 0 or a positive number"),
        ({"method": "baumgarte", "beta": float("inf")}, "beta = inf is not 0 or a positive number"),
        ({"method": "baumgarte", "beta": "a"}, "beta = 'a' is not a number"),
        ({"method": "rk8", "alpha": 1.0}, "alpha is of the method baumgarte, not of 'rk8'"),
    ],
)
def test_wrong_alphas_and_betas_are_refused_in_words(load_example, options, message):
    with pytest.raises(lw.InputError, match=message):
        load_example("andrews").simulate(0.001, **options)


@compiled
def test_a_file_gives_alpha_and_beta():
    text = """
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1, 1/12]}}}
ProblemData: {tend: 0.1, positions: {A: [1, 0]}}
SolverParams: {Integration: {method: baumgarte, alpha: 20, beta: 30}}
"""
    assert lw.loads(text).simulate().method.numbers == {"alpha": 20.0, "beta": 30.0}
    assert lw.loads(text).simulate(beta=5).method.numbers == {"alpha": 20.0, "beta": 5.0}
    assert lw.loads(text).simulate(method="rk8").method.numbers == {}
