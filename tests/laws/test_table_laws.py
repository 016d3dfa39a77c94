"""Motions over tables: steps end at the points where the curve changes, and nothing else shows that there are any."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.native import kernel_source
from linkwork.symbolic import Curve
from linkwork.symbolic.parse import parse

KINDS = ["spline", "monotone", "linear"]
COMPILED = pytest.param(None, marks=pytest.mark.needs_compiler)


def bead(force, **start):
    """A unit mass on a line under a force of x and t, with its potential if it has one."""
    return lw.lagrangian("x", "x'**2/2", forces={"x": force}, start=start)


def road(kind="spline", points=41, seed=1):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-2, 2, points)).round(3)
    x = np.unique(x)
    return lw.Table("road", x, -x + rng.uniform(-0.3, 0.3, len(x)), kind=kind)


def integral(curve, x):
    """The antiderivative of a curve, piece by piece."""
    powers = np.arange(1, curve.degree + 2)
    whole = np.concatenate([np.zeros((len(curve.origins), 1)), curve.coefficients / powers], axis=1)
    raised = Curve("raised", curve.knots, curve.origins, whole)
    before, after = (raised.value(curve.knots, 0, np.arange(len(curve.knots)) + k) for k in (0, 1))
    return raised.value(x) + np.concatenate([[0.0], np.cumsum(before - after)])[curve.find_piece(x)]


def crossing(edge, direction):
    """An event of SciPy at an edge."""

    def leaves(t, y):
        return y[0] - edge

    leaves.terminal, leaves.direction = True, direction
    return leaves


def move_by_scipy(table, x, v, until):
    """Piece by piece, each to its edge and a trifle beyond."""
    edges = np.concatenate([[-99], table.curve.knots, [99]])
    t, y = 0.0, np.array([x, v])
    while t < until:
        piece = table.curve.find_piece(y[0])
        done = solve_ivp(
            lambda t, y, piece=piece: [y[1], float(table.curve.value(y[0], 0, piece))],
            (t, until), y, method="DOP853", rtol=1e-13, atol=1e-13, max_step=0.05,
            events=[crossing(edges[piece], -1), crossing(edges[piece + 1], 1)],
        )  # fmt: skip
        t, y = done.t[-1], done.y[:, -1]
        y[0] += math.copysign(1e-13, y[1])
    return y


@pytest.mark.parametrize("compiled", [COMPILED, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_bead_on_a_table_moves_as_scipy_moves_it_piece_by_piece(kind, compiled):
    table = road(kind, points=9)
    motion = bead(table("x"), x=1.5).simulate(3.0, tol=1e-13, compiled=compiled)
    x, v = move_by_scipy(table, 1.5, 0.0, 3.0)
    assert [motion.final.q[0], motion.final.u[0]] == pytest.approx([x, v], abs=1e-10)


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", KINDS)
def test_energy_is_kept_over_thousands_of_points(kind):
    # the work of a force that is a table is what its antiderivative says
    table = road(kind, points=400)
    motion = bead(table("x"), x=1.9).simulate(20.0, tol=1e-13)
    energy = motion.u[:, 0] ** 2 / 2 - integral(table.curve, motion.q[:, 0])
    assert np.ptp(energy) < 1e-11
    assert motion.energy.drift < 1e-11


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", KINDS)
def test_steps_end_where_a_table_of_time_has_its_points(kind):
    t = np.array([0.0, 0.3, 0.35, 1.0, 1.7, 2.0])
    table = lw.Table("push", t, [0, 1, -1, 2, 0, 1], kind=kind)
    motion = bead(table("t"), x=0).simulate(3.0, tol=1e-12)
    inside = table.curve.knots[table.curve.knots > 0]
    assert np.min(np.abs(motion.t[:, None] - inside), axis=0) == pytest.approx(0, abs=1e-14)
    v = float(integral(table.curve, 3.0) - integral(table.curve, 0.0))
    assert motion.final.u[0] == pytest.approx(v, abs=1e-12)


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("v", [1.0, -1.0, 0.0])
def test_a_start_on_a_point_goes_into_the_piece_it_moves_to(kind, v):
    table = lw.Table("f", [-1, 0, 1], [3, 0, 1], kind=kind)
    one = bead(table("x"), x=0.0, **{"x'": v}).simulate(0.5, tol=1e-13)
    # the same curve with another point on the way, far from it: other borders, the same motion
    other = bead(table("x - 0"), x=1e-9 * v, **{"x'": v}).simulate(0.5, tol=1e-13)
    assert one.final.q[0] == pytest.approx(other.final.q[0], abs=3e-9)
    reference = bead(table("x"), x=0.0, **{"x'": v}).simulate(0.5, tol=1e-13, compiled=False)
    assert one.final.q[0] == pytest.approx(reference.final.q[0], abs=1e-12)


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", KINDS)
def test_rest_on_a_point_stays_rest(kind):
    table = lw.Table("f", [-1, 0, 1], [3, 0, -1], kind=kind)
    motion = bead(table("x"), x=0.0).simulate(100.0)
    assert np.max(np.abs(motion.q)) == 0.0


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("amplitude", [1.0, 1.0 + 1e-12, 1.0 - 1e-12, 1.0 + 1e-7, 1.0 - 1e-7])
def test_turning_on_a_point_is_no_trouble(kind, amplitude):
    # the spring turns at x = 1 and x = -1, which are points of the curve
    table = lw.Table("f", [-2, -1, 0, 1, 2], [2, 1, 0, -1, -3], kind=kind)
    motion = bead(table("x"), x=amplitude).simulate(40.0, tol=1e-12)
    assert motion.stats.steps < 3000
    assert motion.energy.drift < 1e-10
    reference = bead(table("x"), x=amplitude).simulate(3.0, tol=1e-12, compiled=False)
    assert motion.at(3.0).q[0] == pytest.approx(reference.final.q[0], abs=1e-9)


@pytest.mark.needs_compiler
def test_many_cars_with_front_and_rear_wheels_on_one_road_share_one_kernel():
    table = road(points=60)
    names = [f"x{i}" for i in range(11)]
    L = " + ".join(f"{x}'**2/2" for x in names)
    forces = {x: table(lw.symbolic.symbol(x, kind="coordinate")) + table(f"{x} - 0.25") for x in names}
    start = {x: 1.0 + 0.05 * i for i, x in enumerate(names)}
    cars = lw.lagrangian(" ".join(names), L, forces=forces, start=start)
    motion = cars.simulate(5.0, tol=1e-13)
    for i in (0, 4, 10):
        alone = bead(table("x") + table("x - 0.25"), x=start[names[i]]).simulate(5.0, tol=1e-13)
        assert motion.final.q[i] == pytest.approx(alone.final.q[0], abs=1e-9)
    assert len([term for term in cars.system.terms if term.kernel.derived.cursors]) == 1


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", ["spline", "monotone"])
def test_a_crank_driven_by_a_table_follows_it(kind):
    t = np.array([0, 0.2, 0.5, 0.9, 1.0, 2.0])
    table = lw.Table("drive", t, [0, 1, 0.5, 2, 2.1, 3], kind=kind)
    crank = lw.Mechanism(
        fixed={"O": (), "Q": (4,)},
        rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", 4, 1), lw.Rigid.rod("BQ", 3, 1)],
        motions=[lw.Driver(target="OA.angle", law=table("t"))],
        gravity=(0, -9.81),
    )
    motion = lw.Model(crank).simulate(2.5, tol=1e-12)
    at = np.linspace(0, 2.5, 101)
    place = motion.at(at)["A"]
    angle = np.unwrap(np.arctan2(place[:, 1], place[:, 0]))
    assert angle == pytest.approx(table.curve.value(at), abs=1e-9)
    # the driver's work is what the energy shows
    assert motion.energy.drift < 1e-9


@pytest.mark.needs_compiler
def test_a_wheel_follows_a_road_of_a_hundred_thousand_points():
    x = np.linspace(0, 1000, 100_000)
    table = lw.Table("road", x, 0.05 * np.sin(x) + 0.02 * np.sin(2.7 * x))
    wheel = lw.lagrangian(
        "x y z",
        "x'**2/2 + y'**2/2 + z'**2/2 - 50*(z - y)**2 - 9.81*(y + z)",
        constraints={"ground": lw.symbolic.symbol("y", kind="coordinate") - table("x")},
        start={"x": 0.005, "x'": 20, "z": -0.05},
    )
    motion = wheel.simulate(5.0, tol=1e-10)
    assert motion.stats.steps > 5_000
    assert motion.energy.drift < 1e-9
    assert motion.residuals.position < 1e-10


def test_the_code_of_a_table_does_not_depend_on_its_points():
    def code(table):
        (term,) = (t for t in bead(table("x"), x=0).system.terms if t.kernel.derived.cursors)
        return kernel_source(term.kernel).partition("\n")[2].split("*/", 1)[1]

    assert code(road(points=5)) == code(road(points=40, seed=7))


@pytest.mark.needs_compiler
def test_another_table_compiles_nothing(compilations):
    bead(road(seed=3)("x"), x=1).simulate(0.1)
    before = len(compilations)
    bead(road(seed=4)("x"), x=1).simulate(0.1)
    assert len(compilations) == before


@pytest.mark.needs_compiler
def test_events_and_other_switches_go_together_with_tables():
    table = road(points=30)
    law = table("x") - 0.3 * abs(lw.symbolic.symbol("x", kind="coordinate"))
    both = [
        lw.lagrangian(
            "x", "x'**2/2", forces={"x": law}, start={"x": 1.5}, events=[lw.Event(name="middle", when="x - 0.1")]
        ).simulate(6.0, tol=1e-12, compiled=compiled)
        for compiled in (None, False)
    ]
    times = [[event.t for event in motion.events] for motion in both]
    assert len(times[0]) > 1
    assert times[0] == pytest.approx(times[1], abs=1e-9)


ARGUMENTS = ["x", "x + 0.3*sin(5*t)", "sin(2*x)", "t - 0.4", "x - y", "2*cos(y)", "x'/3", "x*y"]


@pytest.mark.needs_compiler
@pytest.mark.parametrize("seed", range(8))
def test_tables_of_any_argument_move_things_alike_in_both_machines(seed):
    rng = np.random.default_rng(seed)
    tables = [road(kind, 12, seed) for kind in rng.choice(KINDS, 2)]
    names = {
        **{name: lw.symbolic.symbol(name, kind="coordinate") for name in "xy"},
        **{name: lw.symbolic.symbol(name, kind="speed") for name in ("x'", "y'")},
        "t": lw.symbolic.symbol("t", kind="time"),
    }
    forces = {q: table(parse(a, names)) for q, table, a in zip("xy", tables, rng.choice(ARGUMENTS, 2), strict=True)}
    start = {"x": round(rng.normal(), 1), "y": round(rng.normal(), 1), "x'": round(rng.normal(), 1)}
    pair = lw.lagrangian("x y", "x'**2/2 + y'**2/2 - x**2 - y**2 - 0.1*x*y", forces=forces, start=start)
    one, other = (pair.simulate(1.0, tol=1e-12, compiled=compiled) for compiled in (None, False))
    assert one.final.q == pytest.approx(other.final.q, abs=1e-9)
    assert one.final.u == pytest.approx(other.final.u, abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_linear_models_of_tables_have_their_slopes(kind):
    table = lw.Table("f", [-1, 0.3, 1], [2, -0.6, -3], kind=kind)
    model = lw.lagrangian("x", "x'**2/2", forces={"x": table("x") - float(table(0.1))}, start={"x": 0.1})
    found = np.sort_complex(model.linearize("start").eigenvalues)
    slope = float(table.curve.value(0.1, 1))
    assert found**2 == pytest.approx([slope, slope], rel=1e-9)
