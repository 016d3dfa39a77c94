"""The slowest modes without the state space are those of the state space: two routes to the same eigenvalues."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from known.linear_models import CART_POLE, TOP

EXAMPLES = Path(__file__).parents[2] / "examples"


def chain(rods, dimension=2, up=-1.0):
    """A chain of 1 m and 1 kg, hanging, or upright."""
    down = (0.0,) * (dimension - 1)
    return lw.Assembly(
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
    return lw.Assembly(
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
    left = list(linear.eigenvalues)
    for value in slowest.eigenvalues:
        nearest = min(left, key=lambda z: abs(z - value))
        left.remove(nearest)
        assert abs(value - nearest) <= bound * abs(nearest)
    rest = min(map(abs, left), default=np.inf)
    assert max(map(abs, slowest.eigenvalues)) <= rest * (1 + bound)
    assert (slowest.balanced, slowest.still) == (linear.balanced, linear.still)
    kinds = [[mode.kind for mode in found][: len(slowest.modes)] for found in (slowest.modes, linear.modes)]
    assert sorted(kinds[0]) == sorted(kinds[1])
    check_shapes(slowest, linear)


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
    row = lw.Assembly(
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
        lw.Assembly(lw.Mechanism(particles=free, start=places)).slowest(3).modes  # noqa: B018


@pytest.mark.parametrize("count", [0, -3, 1.5, "two"])
def test_a_count_that_is_none_is_refused(count):
    with pytest.raises(lw.InputError, match="is no number of modes"):
        chain(2).slowest(count)
