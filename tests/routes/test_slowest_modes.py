"""The slowest modes without the state space are those of the state space: two routes to the same eigenvalues."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from known.linear_models import CART_POLE, TOP
from linkwork.analysis.linear import slowest as route

EXAMPLES = Path(__file__).parents[2] / "examples"

both_routes = pytest.mark.parametrize("search", [True, False], indirect=True, ids=["searched", "all"])
as_for_users = pytest.mark.parametrize("search", [False], indirect=True, ids=["all"])


@pytest.fixture(autouse=True)
def search(request, monkeypatch):
    """Small mechanisms are searched like large ones, unless a test asks for what users get."""
    found = getattr(request, "param", True)
    if found:
        monkeypatch.setattr(route, "SMALL", 0)
        monkeypatch.setattr(route, "MEDIUM", 0)
    return found


def chain(rods, dimension=2, up=-1.0):
    """A chain of 1 m and 1 kg, hanging, or upright."""
    down = (0.0,) * (dimension - 1)
    return lw.Model(
        lw.Mechanism(
            dimension=dimension,
            fixed={"P0": ()},
            rigids=[lw.Rigid.rod(f"P{i}P{i + 1}", 1.0 / rods, 1.0 / rods) for i in range(rods)],
            gravity=(*down, -9.81),
            start=lw.InitialValues(positions={f"P{i}": (*down, up * i / rods) for i in range(1, rods + 1)}),
        )
    )


def truss(bays, damping=0.0):
    """A ladder of springs that floats: three rigid-body motions, six zero eigenvalues."""
    places = {f"{row}{i}": (float(i), float(y)) for i in range(bays) for y, row in enumerate("AB")}
    pairs = [(f"{row}{i}", f"{row}{i + 1}") for row in "AB" for i in range(bays - 1)]
    pairs += [(f"A{i}", f"B{i}") for i in range(bays)] + [(f"A{i}", f"B{i + 1}") for i in range(bays - 1)]
    lengths = {pair: float(np.hypot(*np.subtract(places[pair[0]], places[pair[1]]))) for pair in pairs}
    return lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point=p, mass=1.0) for p in places],
            springs=[
                lw.Spring(name="".join(p), points=p, stiffness=1e4, rest_length=length) for p, length in lengths.items()
            ],
            dampers=[lw.Damper(name="".join(p), points=p, coefficient=damping) for p in pairs if damping],
            start=lw.InitialValues(positions=places),
        )
    )


def spinning_disc(segments):
    """A row of discs on a turning shaft that bends: gyroscopic, in coordinates of a Lagrangian."""
    names = [f"{axis}{i}" for i in range(segments) for axis in "xy"]
    energy = " + ".join(f"({name}'**2)/2" for name in names)
    turning = " + ".join(f"2*w*(x{i}*y{i}' - y{i}*x{i}') + w**2*(x{i}**2 + y{i}**2)" for i in range(segments))
    ends = [*range(segments), segments - 1]
    before = [None, *range(segments)]
    bend = " + ".join(
        f"k*({axis}{j} - {axis}{i})**2" if i is not None and i != j else f"k*{axis}{j}**2"
        for i, j in zip(before, ends, strict=True)
        for axis in "xy"
    )
    return lw.lagrangian(
        names,
        f"{energy} + ({turning} - ({bend}))/2",
        dissipation=" + ".join(f"c*{name}'**2/2" for name in names),
        parameters={"w": 0.4, "k": 900, "c": 0.3},
    )


def check(assembly, count, at="start", states=(), bound=1e-9):
    """The slowest modes are the first of all, eigenvalue by eigenvalue and shape by shape."""
    linear, slowest = assembly.linearize(at, states=states), assembly.slowest(count, at, states=states)
    assert len(slowest.modes) == min(count, len(linear.modes))
    check_values(slowest, linear, bound)
    assert (slowest.balanced, slowest.still) == (linear.balanced, linear.still)
    kinds = [[mode.kind for mode in found][: len(slowest.modes)] for found in (slowest.modes, linear.modes)]
    assert sorted(kinds[0]) == sorted(kinds[1])
    check_shapes(slowest, linear)


def check_values(slowest, linear, bound):
    """Each is one of all, and none that is slower is left."""
    left = list(linear.eigenvalues)
    for value in slowest.eigenvalues:
        nearest = min(left, key=lambda z: abs(z - value))
        left.remove(nearest)
        assert abs(value - nearest) <= bound * abs(nearest)
    rest = min(map(abs, left), default=np.inf)
    assert max(map(abs, slowest.eigenvalues)) <= rest * (1 + bound)


def check_shapes(slowest, linear):
    """A v = λ v with the matrix that was never made, and what the shape means in coordinates."""
    for mode in slowest.modes:
        if mode.rigid:
            continue
        v = mode.states / linear.sizes
        A = linear.A * linear.sizes / linear.sizes[:, None]
        np.testing.assert_allclose(A @ v, mode.eigenvalue * v, atol=1e-9 * np.linalg.norm(A) * np.linalg.norm(v))
        np.testing.assert_allclose(mode.coordinates, linear.positions @ mode.states, atol=1e-7)
        assert np.max(np.abs(mode.coordinates / linear.system.scales)) == pytest.approx(1.0)


@pytest.mark.parametrize("count", [1, 3, 50])
@pytest.mark.parametrize(
    "name", ["bricard", "double-pendulum-3d", "four-bar", "gyroscope", "mechanism0", "mult-pend-uj", "slider-crank"]
)
def test_of_an_example(name, count):
    check(lw.load(EXAMPLES / f"{name}.yaml"), count)


@pytest.mark.parametrize("count", [4])
def test_of_a_mechanism_with_a_controller(count):
    check(lw.load(EXAMPLES / "inverted-pendulum.yaml"), count, "equilibrium")


@pytest.mark.parametrize("count", [1, 6, 15])
def test_of_a_chain_in_space_where_all_are_double(count):
    check(chain(30, dimension=3), count)


def test_of_a_chain_upright_where_all_are_unstable():
    check(chain(60, up=1.0), 8)


@pytest.mark.parametrize("damping", [0.0, 20.0])
@pytest.mark.parametrize("count", [2, 6, 12])
def test_of_what_floats_and_has_zero_eigenvalues(count, damping):
    check(truss(25, damping), count)


def test_of_a_turning_shaft_with_damping():
    check(spinning_disc(40), 7)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_of_a_cart_and_a_spinning_top(count):
    check(lw.loads(CART_POLE.replace("SIGN", "-1")), count)
    check(lw.loads(TOP), count)


def test_in_states_of_choice_on_a_moving_mechanism():
    check(lw.load(EXAMPLES / "double-pendulum-3d.yaml"), 3, states=["B.y + A.z", "A.y"])


def test_of_forty_equal_pendulums_all_are_found():
    """One eigenvalue with more copies than the Krylov space has vectors at a time."""
    row = lw.Model(
        lw.Mechanism(
            fixed={f"O{i}": (float(i),) for i in range(40)},
            rigids=[lw.Rigid.rod(f"O{i}A{i}", 1.0 + (i % 2), 1.0) for i in range(40)],
            gravity=(0, -9.81),
            start=lw.InitialValues(positions={f"A{i}": (float(i), -1.0 - (i % 2)) for i in range(40)}),
        )
    )
    found = [mode.omega for mode in row.slowest(25).modes]
    np.testing.assert_allclose(found, [np.sqrt(1.5 * 9.81 / 2)] * 20 + [np.sqrt(1.5 * 9.81)] * 5, rtol=1e-12)


def test_a_hanging_rope_of_a_thousand_rods():
    """ω = j₀ₖ/2 √(g/l), zeros of the Bessel function; the chain of N rods differs by 1/N."""
    from scipy.special import jn_zeros

    found = [mode.omega for mode in chain(1000).slowest(5, "equilibrium").modes]
    np.testing.assert_allclose(found, jn_zeros(0, 5) / 2 * np.sqrt(9.81), rtol=1e-4)


def test_the_same_numbers_every_time():
    one, other = (chain(50).slowest(5).eigenvalues for _ in range(2))
    assert np.array_equal(one, other)


def test_lines_over_a_parameter():
    linkage = lw.load(EXAMPLES / "four-bar.yaml")
    values = [1, 2, 3]
    some, all_ = (linkage.vary("rho", values, "equilibrium", count=count) for count in (1, None))
    np.testing.assert_allclose(some.eigenvalues, all_.eigenvalues, rtol=1e-9)


def test_where_nothing_is_held_there_are_too_many_zeros():
    free = [lw.Particle(point=f"P{i}", mass=1.0) for i in range(200)]
    places = lw.InitialValues(positions={f"P{i}": (float(i), 0.0) for i in range(200)})
    with pytest.raises(lw.SolveError, match="eigenvalues are zero: little holds the mechanism here"):
        lw.Model(lw.Mechanism(particles=free, start=places)).slowest(3).modes  # noqa: B018


@as_for_users
def test_where_the_search_fails_all_modes_are_found_if_they_are_not_too_many():
    free = [lw.Particle(point=f"P{i}", mass=1.0) for i in range(80)]
    places = lw.InitialValues(positions={f"P{i}": (float(i), 0.0) for i in range(80)})
    found = lw.Model(lw.Mechanism(particles=free, start=places)).slowest(3)
    assert found.pencil.z > route.SMALL
    assert [mode.kind for mode in found.modes] == ["rigid body"] * 3


@as_for_users
def test_what_is_a_million_times_slower_than_the_fastest_is_not_zero():
    saddle = lw.lagrangian("x y", "x'**2/2 + y'**2/2 - 1e6*x**2/2 + 1e-6*y**2/2")
    np.testing.assert_allclose(sorted(saddle.slowest(2).eigenvalues.real), [-1e-3, 1e-3], rtol=1e-9)
    values = saddle.slowest(3).eigenvalues
    np.testing.assert_allclose(sorted(np.abs(values)), [1e-3, 1e-3, 1e3, 1e3], rtol=1e-9)
    assert [mode.kind for mode in saddle.slowest(3).modes].count("unstable") == 1


@both_routes
@pytest.mark.parametrize("push", [0, 1e3])
def test_a_first_order_state_far_slower_than_a_spring_is_not_zero(push):
    spring = lw.lagrangian(
        "x",
        "x'**2/2 - k*x**2/2",
        states={"T": "-T/600"},
        forces={"x": f"{push}*T"},
        parameters={"k": (2 * np.pi * 20e3) ** 2},
    )
    found = spring.slowest(2).modes
    assert found[0].eigenvalue.imag == 0 and found[0].stable
    np.testing.assert_allclose(found[0].eigenvalue.real, -1 / 600, rtol=1e-7)
    np.testing.assert_allclose(found[1].frequency, 20e3, rtol=1e-12)


STIFFNESS = """
    14237.6974 -13867.3306 -5229.70912 27573.2553 3432.39306 -1574.72774
    13507.8956 5092.66186 -26857.9707 -3342.97623 1533.40504
    1921.74801 -10126.6044 -1260.75966 578.658895
    53402.8241 6646.62806 -3048.95361
    828.04348 -379.872383
    174.343728
"""  # the upper triangle, by rows; three of its eigenvalues are what rounding to these digits has left


@both_routes
def test_of_modes_that_spread_over_six_decades_with_states(search):
    names = [f"x{i}" for i in range(6)]
    pairs = [(i, j) for i in range(6) for j in range(i, 6)]
    energy = " + ".join(
        f"({k})*x{i}*x{j}" + ("/2" if i == j else "") for k, (i, j) in zip(STIFFNESS.split(), pairs, strict=True)
    )
    blend = lw.lagrangian(
        names,
        " + ".join(f"{x}'**2/2" for x in names) + f" - ({energy})",
        states={"s0": "-0.009963*s0 - 0.349*x0", "s1": "-86.13*s1 + 0.85*x0 + 1.85*s0"},
        forces={"x0": "-0.21711*x0' - 0.96*s1"},
    )
    slowest, linear = blend.slowest(5), blend.linearize()
    # a searched mode is as sharp as rounding in the square of the fastest lets it be
    bound = (route.BLUR * slowest.fastest / np.min(np.abs(linear.eigenvalues))) ** 2 if search else 1e-12
    assert bound < 1e-3
    check_values(slowest, linear, bound)


@as_for_users
def test_small_mechanisms_tell_participation_as_all_modes_do():
    linkage = lw.load(EXAMPLES / "four-bar.yaml")
    slowest = linkage.slowest(1)
    mode, same = slowest.modes[0], linkage.linearize().modes[0]
    assert mode.linear is slowest
    assert mode.participation == same.participation
    assert sum(mode.participation.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("count", [0, -3, 1.5, "two"])
def test_a_count_that_is_none_is_refused(count):
    with pytest.raises(lw.InputError, match="is no number of modes"):
        chain(2).slowest(count)
