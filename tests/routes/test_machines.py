"""The compiled machine against the reference machine, which shares no code with it, and both against dense algebra."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import block_array, csc_array, diags_array

import linkwork as lw
from linkages import linkages
from linkwork.equations import Contribution
from linkwork.equations.kernels import planar
from linkwork.native import Machine, ReferenceMachine, choose_weights, find_helpers
from linkwork.native import code as code_module
from linkwork.native.numbers import compute_levels, compute_matrices, compute_residual
from linkwork.native.reference import _solver
from linkwork.symbolic import cos, sin
from tools import assert_series_equal, expand, machines, make_kernel, make_system

pytestmark = pytest.mark.needs_compiler
EXAMPLES = ["andrews", "mechanism0", "mechanism1a", "mechanism1b"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_compiled_series_of_an_example_are_the_interpreted_ones(name, load_example):
    assembly = load_example(name)
    start, system = assembly.start, assembly.system
    compiled, interpreted = machines(system, start.q)
    h = 1e-6
    (q, lam), (q2, lam2) = (expand(m, start.q, start.u, 14, h=h) for m in (compiled, interpreted))
    assert_series_equal(q / system.scales, q2 / system.scales, 1e-9)
    assert_series_equal(lam, lam2, 1e-9)


@pytest.mark.parametrize(("name", "until"), [*zip(EXAMPLES, [0.004, 2.0, 2.0, 1.0], strict=True)])
def test_compiled_motion_of_an_example_is_the_interpreted_one(name, until, load_example):
    assembly = load_example(name)
    one, other = (assembly.simulate(until, tol=1e-12, order=16, compiled=c) for c in (True, False))
    assert one.stats.compiled and not other.stats.compiled
    np.testing.assert_allclose(one.final.q, other.final.q, rtol=0, atol=1e-9 * np.max(assembly.system.scales))
    size = np.max(np.abs(other.u))
    np.testing.assert_allclose(one.final.u, other.final.u, rtol=0, atol=1e-9 * size)


@pytest.mark.parametrize("heavier", [1.0, 1e6])
def test_both_machines_choose_the_same_steps_however_large_the_forces(heavier, load_example):
    # forces of constraints are no part of what steps are chosen by
    andrews = load_example("andrews")
    factors = {name: heavier * value for name, value in andrews.parameters.items() if name[0] in "mi" or name == "c0"}
    assembly = andrews.with_parameters(**factors)
    one, other = (assembly.simulate(0.004, tol=1e-10, compiled=c).stats.steps for c in (True, False))
    assert abs(one - other) <= 1


@given(linkages(torque=True))
@settings(max_examples=15)
def test_compiled_motion_of_any_linkage_is_the_interpreted_one(plan):
    assembly = plan.assembly()
    one, other = (assembly.simulate(0.4, tol=1e-11, order=14, compiled=c) for c in (True, False))
    np.testing.assert_allclose(one.final.q, other.final.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(one.final.u, other.final.u, rtol=0, atol=1e-6)
    np.testing.assert_allclose(one.final.lam, other.final.lam, rtol=1e-5, atol=1e-4)


@given(linkages(torque=True))
@settings(max_examples=25)
def test_accelerations_and_multipliers_solve_the_dense_saddle_point_problem(plan):
    # [ M  Gᵀ ] [a]   [ f ]          f from the residual with a = 0 and λ = 0,
    # [ G  0  ] [λ] = [ −γ ]         γ from g̈ with a = 0
    assembly = plan.assembly()
    system, q, u = assembly.system, assembly.start.q, assembly.start.u
    M, G = (x.toarray() for x in compute_matrices(system, q))
    zero = np.zeros(system.n)
    f = -compute_residual(system, q, u, zero, np.zeros(system.m))
    gamma = compute_levels(system, q, u, zero)[2]
    K = np.block([[M, G.T], [G, np.zeros((system.m, system.m))]])
    wanted = np.linalg.solve(K, np.concatenate([f, -gamma]))
    motion = assembly.simulate(1e-3, order=6)
    found = np.concatenate([motion.a[0], motion.lam[0]])
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8 * np.max(np.abs(wanted)))


@given(linkages())
@settings(max_examples=10)
def test_the_solution_does_not_depend_on_the_weights_of_the_augmented_matrix(plan):
    assembly = plan.assembly()
    system, start = assembly.system, assembly.start
    weights = choose_weights(system, start.q)
    one, other = (expand(Machine(system, w), start.q, start.u, 8) for w in (weights, 3.7 * weights))
    assert_series_equal(one[0], other[0], 1e-9)
    assert_series_equal(one[1], other[1], 1e-9)


# -- blocks of instances ---------------------------------------------------------------------------------------------


def net(count):
    """Particles in a square, every neighbour on a spring, one corner held by a rod."""
    points = {(i, j): f"P{count * i + j}" for i in range(count) for j in range(count)}
    near = [(p, q) for p in points for q in ((p[0] + 1, p[1]), (p[0], p[1] + 1)) if q in points]
    springs = [
        lw.Spring(name=points[p] + points[q], points=(points[p], points[q]), stiffness=50, rest_length=0.9)
        for p, q in near
    ]
    return lw.Model(
        lw.Mechanism(
            fixed={"O": ()},
            rigids=[lw.Rigid.rod("OP0", 1)],
            particles=[lw.Particle(point=name, mass=1 + 0.1 * i) for i, name in enumerate(points.values())],
            springs=springs,
            gravity=(0, -9.81),
            start=lw.InitialValues(positions={name: (1 + i, -j) for (i, j), name in points.items()}),
        )
    )


def rope(count):
    """Particles on massless rods in space."""
    return lw.Model(
        lw.Mechanism(
            dimension=3,
            fixed={"P0": ()},
            rigids=[lw.Rigid.rod(f"P{i}P{i + 1}", 1) for i in range(count)],
            particles=[lw.Particle(point=f"P{i}", mass=i) for i in range(1, count + 1)],
            gravity=(0, 0, -9.81),
            start=lw.InitialValues(positions={f"P{i}": (0.6 * i, 0.8 * i, 0) for i in range(1, count + 1)}),
        )
    )


@pytest.mark.parametrize("make", [net, rope])
def test_masses_that_suffice_need_no_help_and_the_motion_is_the_same(make):
    """Without weights the factor is much sparser and gives the same series as with them, and as the dense solution."""
    assembly = make(5)
    system, start = assembly.system, assembly.start
    units, helpers = choose_weights(system, start.q), find_helpers(system, start.q)
    assert not helpers.any()
    plain, helped = Machine(system, units, helpers), Machine(system, units)
    if make is rope:
        assert len(plain.pattern.row) < 0.5 * len(helped.pattern.row)
    else:
        assert len(plain.pattern.row) == 2  # a diagonal matrix, but for the rod
    found = [expand(m, start.q, start.u, 12)[0] for m in (plain, helped, ReferenceMachine(system))]
    assert_series_equal(found[0], found[1], 1e-11)
    assert_series_equal(found[0], found[2], 1e-9)


def test_redundant_rods_between_masses_need_no_help_either():
    """Four particles in a square with both diagonals: six rods, one too many."""
    places = {"A": (0, 0), "B": (1, 0), "C": (1, 1), "D": (0, 1)}
    assembly = lw.Model(
        lw.Mechanism(
            rigids=[lw.Rigid.rod(f"{a}{b}", math.dist(places[a], places[b])) for a, b in combinations(places, 2)],
            particles=[lw.Particle(point=name, mass=1 + i) for i, name in enumerate(places)],
            gravity=(0, -9.81),
            start=lw.InitialValues(
                positions=places, velocities={p: (0.3 - y, 0.2 + x) for p, (x, y) in places.items()}
            ),
        )
    )
    assert not find_helpers(assembly.system, assembly.start.q).any()
    one, other = (assembly.simulate(2, tol=1e-11, compiled=c) for c in (True, False))
    assert one.stats.redundant == 1 and one.energy.drift < 1e-12
    np.testing.assert_allclose(one.final.q, other.final.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(one.final.lam, other.final.lam, rtol=0, atol=1e-10)


def test_what_a_constraint_may_depend_on_counts_even_where_it_does_not_at_the_moment():
    """The x of a crank that lies along x does not feel its angle there, yet it must help the angle elsewhere."""
    crank = lw.Mechanism(
        fixed={"O": ()},
        rigids=[lw.Rigid.rod("OA", 1, 3)],
        torques=[lw.Torque(part="OA", value=4)],
        start=lw.InitialValues(positions={"A": (1, 0)}),
    )
    assembly = lw.Model(crank)
    assert find_helpers(assembly.system, assembly.start.q).tolist() == [True, True]


def test_a_constraint_helps_where_something_has_no_mass_of_its_own():
    """Of a rod, a massless rod behind it and a particle at its end nothing needs help; a bare end does."""
    held = lw.Mechanism(
        fixed={"O": ()},
        rigids=[lw.Rigid.rod("OA", 1, 2), lw.Rigid.rod("AB", 1)],
        particles=[lw.Particle(point="B", mass=1)],
        start=lw.InitialValues(positions={"A": (1, 0), "B": (2, 0.1)}),
    )
    bare = lw.Mechanism(
        fixed={"O": ()},
        rigids=[lw.Rigid.rod("OA", 1, 2), lw.Rigid.rod("AB", 1), lw.Rigid.rod("OB", 1.9)],
        start=lw.InitialValues(positions={"A": (1, 0), "B": (1.8, 0.5)}),
    )
    for mechanism, wanted in ((held, [False, False]), (bare, [False, True, True])):
        assembly = lw.Model(mechanism)
        assert find_helpers(assembly.system, assembly.start.q).tolist() == wanted
        one, other = (assembly.simulate(0.5, tol=1e-11, compiled=c).final.q for c in (True, False))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_blocks_of_any_width_give_the_same_series(lanes, monkeypatch):
    # nine instances fill no block evenly
    system, q, u = hanging_net(9)
    choose = code_module._lanes
    monkeypatch.setattr(code_module, "_lanes", lambda count, width: choose(count, lanes))
    compiled, interpreted = machines(system, q)
    assert max(compiled.lanes) == lanes
    for one, other in zip(expand(compiled, q, u, 12), expand(interpreted, q, u, 12), strict=True):
        assert_series_equal(one, other, 1e-10)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 17])
def test_any_number_of_instances_gives_the_interpreted_series(count):
    system, q, u = hanging_net(count)
    compiled, interpreted = machines(system, q)
    for one, other in zip(expand(compiled, q, u, 10), expand(interpreted, q, u, 10), strict=True):
        assert_series_equal(one, other, 1e-10)


def hanging_net(count):
    """`count` pendulums of every planar kernel side by side, tied by springs: a, b moving; turn angles; plates."""
    rng = np.random.default_rng(count)
    bodies, distances, placements, turns, torques, springs, particles, massive = ([] for _ in range(8))
    q, n = [], 7 * count
    frozen = []
    for i in range(count):
        # rod a–b with a turn angle from a fixed point; plate point c
        o = (n + 2 * i, n + 2 * i + 1)
        b, c, e, turn = (7 * i, 7 * i + 1), (7 * i + 2, 7 * i + 3), (7 * i + 4, 7 * i + 5), 7 * i + 6
        angle, length, zeta = rng.uniform(-3, 3), rng.uniform(0.5, 1.5), complex(*rng.uniform(0.2, 0.8, 2))
        root = complex(2.0 * i, 0.0)
        at_b = root + length * np.exp(1j * angle)
        at_c = root + zeta * (at_b - root)
        at_e = at_b + np.exp(1j * rng.uniform(-3, 3)) * 0.7
        frozen += [root.real, root.imag]
        q += [at_b.real, at_b.imag, at_c.real, at_c.imag, at_e.real, at_e.imag, angle]
        bodies.append(((*o, *b), [0.5, 0.1, length, 1.5, 0.2, 0.3, -9.81]))
        turns.append(((*o, *b, turn), [length]))
        placements.append(((*o, *b, *c), [zeta.real, zeta.imag]))
        distances.append(((*b, *e), [0.7]))
        torques.append(((turn,), [0.8]))
        springs.append(((*c, *e), [20.0, 0.4]))
        particles.append((e, [0.6, 0.3, -9.81]))
        massive.append(((*o, *e), [0.5, 0.3, -9.81]))
    kinds = [
        (planar.body, bodies), (planar.turning, turns), (planar.placement, placements), (planar.distance, distances),
        (planar.torque, torques), (planar.spring, springs), (planar.particle, particles), (planar.spring_mass, massive),
    ]  # fmt: skip
    placed = [(k, [c for c, _ in rows], [p for _, p in rows]) for k, rows in kinds]
    system = make_system(*placed, n=n, frozen=frozen)
    _, G = compute_matrices(system, np.array(q))
    null = np.linalg.svd(G.toarray())[2][np.linalg.matrix_rank(G.toarray()) :]
    return system, np.array(q), null.T @ rng.uniform(-1, 1, len(null))


# -- mass matrices that change ---------------------------------------------------------------------------------------


def double_pendulum(q, u, p):
    """Two angles; T has a mass matrix of cos(θ₁ − θ₂)."""
    mixed = p.l1 * p.l2 * u.one * u.two * cos(q.one - q.two)
    kinetic = (2 * p.l1**2 * u.one**2 + p.l2**2 * u.two**2) / 2 + mixed
    return Contribution(kinetic=kinetic, potential={"gravity": -p.g * (2 * p.l1 * cos(q.one) + p.l2 * cos(q.two))})


def test_a_double_pendulum_in_angles_moves_like_one_in_points():
    # two unit masses on massless rods
    l1, l2, g, one, two = 1.0, 0.7, 9.80665, 2.0, 1.0
    k = make_kernel("double_pendulum", "one two", "l1 l2 g", double_pendulum)
    system = make_system((k, [0, 1], [l1, l2, g]), n=2)
    A = np.array([l1 * np.sin(one), -l1 * np.cos(one)])
    B = A + l2 * np.array([np.sin(two), -np.cos(two)])
    points = lw.Model(
        lw.Mechanism(
            fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", l1), lw.Rigid.rod("AB", l2)], gravity=(0, "-9.80665"),
            particles=[lw.Particle(point="A", mass=1), lw.Particle(point="B", mass=1)],
            start=lw.InitialValues(positions={"A": A.tolist(), "B": B.tolist()}),
        )
    )  # fmt: skip
    motion = points.simulate(2.0, tol=1e-13)
    for machine in (Machine(system, np.zeros(0)), ReferenceMachine(system)):
        q = run(machine, [one, two], [0.0, 0.0], 2.0)
        at = np.array([l1 * np.sin(q[0]), -l1 * np.cos(q[0])])
        np.testing.assert_allclose(motion.final["A"], at, atol=2e-10)
        end = at + l2 * np.array([np.sin(q[1]), -np.cos(q[1])])
        np.testing.assert_allclose(motion.final["B"], end, atol=2e-10)


def run(machine, q, u, until, tol=1e-13, order=18):
    from linkwork.native import Request

    machine.begin(Request(t_end=until, tol=tol, order=order), 0.0, np.array(q), np.array(u))
    status = None
    while status is None or status.name == "MORE":
        status, _ = machine.advance(10.0, 1000)
    assert status.name == "FINISHED", status
    return machine.end[0]


def test_a_bead_on_a_turning_hoop_with_mass_matrix_and_constraint_has_equal_series_in_both_machines():
    def hoop(q, u, p):
        kinetic = (1 + p.m * sin(q.a) ** 2 + q.b**2) * u.a**2 / 2 + u.b**2 / 2 + u.a * u.b * cos(q.b) / 3
        return Contribution(kinetic=kinetic, potential={"V": cos(q.a) * q.b}, constraints=[q.b**2 + sin(q.a) - p.c])

    k = make_kernel("hoop", "a b", "m c", hoop)
    a, b = 0.4, 0.9
    rows = [[2.0, b**2 + np.sin(a)], [3.0, b**2 + np.sin(a)], [1.5, b**2 + np.sin(a)]]
    system = make_system((k, [[0, 1], [2, 3], [4, 5]], rows), n=6)
    rate = 0.8
    q, u = [a, b] * 3, [rate, -np.cos(a) * rate / (2 * b)] * 3
    compiled, interpreted = machines(system, q)
    for one, other in zip(expand(compiled, q, u, 14), expand(interpreted, q, u, 14), strict=True):
        assert_series_equal(one, other, 1e-10)


def test_two_kernels_of_one_name_are_two_kernels():
    wells = [
        make_kernel("well", "x", "", lambda q, u, p, n=n: Contribution(kinetic=u.x**2 / 2, potential={"V": q.x**n}))
        for n in (4, 6)
    ]
    system = make_system((wells[0], [0], []), (wells[1], [1], []), n=2)
    compiled, interpreted = machines(system, [1.0, 1.0])
    one, other = (expand(m, [1.0, 1.0], [0.0, 0.0], 6)[0] for m in (compiled, interpreted))
    assert_series_equal(one, other, 1e-12)


NEGATIVE = {
    "alone": ("x", "-x'**2/2 - x**2/2", ()),
    "one of two": ("x y", "x'**2/2 - y'**2/2 - x**2", ()),
    "coupled": ("x y", "x'**2/2 + 3*x'*y' + y'**2/2", ()),
    "on the constraint": ("x y", "x'**2/2 - 2*y'**2", "x - y"),
    "one of many": (
        [f"x{i}" for i in range(200)],
        " + ".join(f"x{i}'**2/2" for i in range(199)) + " - x199'**2/2",
        "x0 - x1",
    ),
}


@pytest.mark.parametrize("name", NEGATIVE)
def test_both_machines_refuse_negative_inertia_in_the_same_words(name):
    coordinates, energy, constraints = NEGATIVE[name]
    model = lw.lagrangian(coordinates, energy, constraints=constraints)
    words = []
    for compiled in (True, False):
        with pytest.raises(lw.LinkworkError, match="has negative inertia") as refused:
            model.simulate(1.0, compiled=compiled)
        words.append(str(refused.value))
    assert words[0] == words[1]


def test_negative_inertia_that_a_constraint_makes_up_for_is_no_obstacle():
    # with y = x: (1 - 0.4) x'' = -2 x
    model = lw.lagrangian(
        "x y", "x'**2/2 - 0.2*y'**2 - x**2", constraints="x - y", start={"x": lw.fix(1), "x'": lw.fix(0)}
    )
    for compiled in (True, False):
        motion = model.simulate(2.0, compiled=compiled)
        assert motion.final["x"] == pytest.approx(np.cos(2 * np.sqrt(2 / 0.6)), abs=1e-9)


def test_a_constraint_whose_derivatives_vanish_at_the_start_weighs_what_it_does_nearby():
    model = lw.lagrangian("x y z", "x'**2/2 + y'**2/2 + z'**2/2", constraints=["z - 1", "x*y"], start={"z": 1})
    flat, steep = (choose_weights(model.system, np.array([x, 0.0, 1.0])) for x in (1e-15, 1.0))
    assert np.all(flat < 1e6 * steep)


@pytest.mark.parametrize("repeated", [0, 1, 3])
def test_many_equations_of_which_some_repeat_others_are_solved_as_if_they_stood_once(repeated):
    """A row that is the sum of two others but for rounding is redundant; without it the motion is the same."""
    rng = np.random.default_rng(3)
    n, m = 200, 60
    M = diags_array(rng.uniform(1, 2, n), format="csc")
    G = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.05) + np.eye(m, n)
    more = np.vstack([G, 0.3 * G[:repeated] + G[10 : 10 + repeated] / 7])
    f, g = rng.normal(size=n), rng.normal(size=m)
    sides = [(G, g), (more, np.append(g, 0.3 * g[:repeated] + g[10 : 10 + repeated] / 7))]
    found = []
    for rows, right in sides:
        K = csc_array(block_array([[M, csc_array(rows).T], [csc_array(rows), None]]))
        solve, redundant, idle = _solver(K, csc_array(M + csc_array(rows.T @ rows)), n)
        assert (redundant, idle) == (len(rows) - m, None)
        found.append(solve(np.concatenate([f, right]))[:n])
    np.testing.assert_allclose(found[1], found[0], atol=1e-11)
    np.testing.assert_allclose(G @ found[1], g, atol=1e-11)


@pytest.mark.parametrize("tol", [1e-4, 1e-5, 1e-6])
@pytest.mark.parametrize("name", ["andrews", "four-bar", "double-pendulum-3d", "peaucellier"])
def test_one_factorisation_a_step_puts_points_onto_the_constraints(name, tol, load_example):
    motion = load_example(name).simulate(tol=tol, method="taylor")
    assert motion.stats.factorisations <= motion.stats.steps + motion.stats.rejected + 1
    assert motion.residuals.position < 1e-13
    assert motion.residuals.velocity < 1e-12
    assert motion.residuals.acceleration < tol
    assert motion.audit().ok
