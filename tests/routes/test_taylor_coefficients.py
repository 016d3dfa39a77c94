"""Taylor coefficients by four routes: compiled, interpreted, as a constraint, as M(q), and by symbolic differentiation.

A bead slides on the wire y = f(x) under a force −1 along x, with unit mass:

    constrained    T = ½ (ẋ² + ẏ²),  V = x,  g = y − f(x)
    reduced        T = ½ (1 + f'²) ẋ²,  V = x
    by hand        ẍ = −(1 + f' f'' ẋ²) / (1 + f'²),  differentiated again and again

so every function is met inside a constraint, inside a mass matrix and, in a third kernel, inside a potential.
"""

import math

import numpy as np
import pytest

from linkwork import symbolic as sy
from linkwork.equations import Contribution
from linkwork.equations.kernel import TIME
from linkwork.model import Table
from linkwork.native import ReferenceMachine
from linkwork.symbolic import differentiate, evaluate, symbol
from tools import assert_series_equal, expand, machines, make_kernel, make_system

ORDER = 7
SPLINE = Table("spline", [0, 0.5, 1.2, 2.0, 3.1], [0.3, 1.1, 0.4, 2.0, 1.5])
STEPS = Table("steps", [0, 0.5, 1.2, 2.0], [0, 0.2, 1.5, 1.9], kind="monotone")
LINE = Table("line", [0, 0.4, 1.0], [1, 0.5, 1.5], kind="linear")

# every operation, at a place where it is smooth and none of its derivatives vanishes
FUNCTIONS = {
    "exp": (lambda x: sy.exp(x / 2), 0.3),
    "log": (sy.log, 1.7),
    "sin": (sy.sin, 0.8),
    "cos": (sy.cos, 0.8),
    "tan": (lambda x: sy.tan(x / 2), 0.7),
    "asin": (lambda x: sy.asin(x / 2), 0.6),
    "acos": (lambda x: sy.acos(x / 2), 0.6),
    "atan": (sy.atan, 0.9),
    "atan2": (lambda x: sy.atan2(x, 1 + x**2), 0.7),
    "atan2 of numbers": (lambda x: sy.atan2(2, x) + sy.atan2(x, -3), 0.7),
    "tanh": (sy.tanh, 0.5),
    "sqrt": (sy.sqrt, 1.3),
    "pow": (lambda x: x ** sy.Number(1.3), 1.4),
    "power of a power": (lambda x: (1 + x**2) ** x, 0.4),
    "cube": (lambda x: x**3 - 2 * x, 0.9),
    "div": (lambda x: (1 + x) / (2 + x**2), 0.8),
    "inverse": (lambda x: 1 / x, 1.2),
    "abs": (lambda x: sy.abs(x - 2) ** 3, 1.1),
    "sign": (lambda x: sy.sign(x - 2) * x**2, 1.1),
    "min": (lambda x: sy.min(x**2, x + 5), 1.1),
    "max": (lambda x: sy.max(x**2, sy.sin(x) + 3), 1.1),
    "select less": (lambda x: sy.select(sy.less(x, 1), x**3, sy.cos(x)), 1.1),
    "select less or equal": (lambda x: sy.select(sy.less_equal(x, 2), x**3 + x, sy.cos(x)), 1.1),
    "spline": (lambda x: SPLINE.law(sy.sin(x) + x), 0.9),
    "monotone table": (lambda x: STEPS.law(x**2), 0.9),
    "linear table": (lambda x: sy.exp(LINE.law(x / 2)), 0.9),
    "slope of a spline": (lambda x: sy.lookup(SPLINE.curve, 2 * x, 1), 0.9),
    "all at once": (lambda x: sy.sin(x) * sy.exp(-x / 3) / sy.sqrt(1 + sy.tanh(x) ** 2) + sy.log(2 + sy.cos(x)), 0.6),
}


def wire(name):
    f, x0 = FUNCTIONS[name]
    safe = "".join(c if c.isalnum() else "_" for c in name)

    def constrained(q, u, p):
        return Contribution(kinetic=(u.x**2 + u.y**2) / 2, potential={"force": q.x * 1}, constraints=[q.y - f(q.x)])

    def reduced(q, u, p):
        slope = differentiate(f(q.x), q.x)
        return Contribution(kinetic=(1 + slope**2) * u.x**2 / 2, potential={"force": q.x * 1})

    return make_kernel(f"wire_{safe}", "x y", "", constrained), make_kernel(f"reduced_{safe}", "x", "", reduced), f, x0


def differentiate_repeatedly(acceleration, x, u, x0, u0):
    """x(0), x'(0), x''(0)/2!, ... of ẍ = acceleration(x, u) by total derivatives of the expression."""
    values = {x: x0, u: u0}
    series, current = [x0, u0], acceleration
    for k in range(2, ORDER + 1):
        series.append(float(evaluate(current, values)) / math.factorial(k))
        current = differentiate(current, x) * u + differentiate(current, u) * acceleration
    return np.array(series)


def bead_by_hand(f, x0, u0):
    x, u = symbol("x"), symbol("u")
    slope = differentiate(f(x), x)
    bend = differentiate(slope, x)
    return differentiate_repeatedly(-(1 + slope * bend * u**2) / (1 + slope**2), x, u, x0, u0)


def slope_at(f, x0):
    x = symbol("x")
    return float(evaluate(differentiate(f(x), x), {x: x0})), float(evaluate(f(x), {x: x0}))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_interpreted_coefficients_of_a_constrained_and_of_a_reduced_bead_are_those_found_by_hand(name):
    constrained, reduced, f, x0 = wire(name)
    u0 = 0.7
    slope, y0 = slope_at(f, x0)
    by_hand = bead_by_hand(f, x0, u0)[:, None]
    a = make_system((constrained, [0, 1], []), n=2)
    b = make_system((reduced, [0], []), n=1)
    first, _ = expand(ReferenceMachine(a), [x0, y0], [u0, slope * u0], ORDER)
    second, _ = expand(ReferenceMachine(b), [x0], [u0], ORDER)
    assert_series_equal(first[:, :1], by_hand, 1e-10)
    assert_series_equal(second, by_hand, 1e-10)


@pytest.mark.needs_compiler
@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_coefficients_are_the_interpreted_ones_to_high_order(name):
    constrained, reduced, f, x0 = wire(name)
    u0 = -0.4
    slope, y0 = slope_at(f, x0)
    # both kernels in one system, so that one compilation per kernel serves
    system = make_system((constrained, [0, 1], []), (reduced, [2], []), n=3)
    q, u = [x0, y0, x0], [u0, slope * u0, u0]
    compiled, interpreted = machines(system, q)
    for one, other in zip(expand(compiled, q, u, 16), expand(interpreted, q, u, 16), strict=True):
        assert_series_equal(one, other, 1e-11)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_coefficients_in_a_potential_are_those_of_repeated_differentiation(name):
    f, x0 = FUNCTIONS[name]
    well = make_kernel(
        "well", "x", "m", lambda q, u, p: Contribution(kinetic=p.m * u.x**2 / 2, potential={"V": f(q.x)})
    )
    found, _ = expand(ReferenceMachine(make_system((well, [0], [2.0]), n=1)), [x0], [0.3], ORDER)
    x, u = symbol("x"), symbol("u")
    by_hand = differentiate_repeatedly(-differentiate(f(x), x) / 2, x, u, x0, 0.3)
    assert_series_equal(found, by_hand[:, None], 1e-10)


def test_a_pendulum_as_a_point_on_a_circle_has_the_coefficients_of_its_angle():
    # θ'' = −g sin θ, and the point is (sin θ, −cos θ)
    g, angle, rate = 9.81, 0.9, 1.3
    theta, omega = symbol("theta"), symbol("omega")

    def of(expr):
        series, current = [], expr
        for k in range(ORDER + 1):
            series.append(float(evaluate(current, {theta: angle, omega: rate})) / math.factorial(k))
            current = differentiate(current, theta) * omega + differentiate(current, omega) * (-g * sy.sin(theta))
        return series

    by_hand = np.array([of(sy.sin(theta)), of(-sy.cos(theta))]).T

    def circle(q, u, p):
        kinetic = (u.x**2 + u.y**2) / 2
        return Contribution(kinetic=kinetic, potential={"gravity": p.g * q.y}, constraints=[q.x**2 + q.y**2 - 1])

    k = make_kernel("circle", "x y", "g", circle)
    q, u = by_hand[0], by_hand[1]
    found, lam = expand(ReferenceMachine(make_system((k, [0, 1], [g]), n=2)), q, u, ORDER)
    assert_series_equal(found, by_hand, 1e-11)
    # 2 λ q + q'' + (0, g) = 0 along the string
    tension = rate**2 + g * math.cos(angle)
    assert 2 * lam[0, 0] == pytest.approx(tension, rel=1e-12)


def test_a_spring_has_the_coefficients_of_repeated_differentiation():
    # one end fixed at the origin; both coordinates move
    x, y, u, v = (symbol(s) for s in "xyuv")
    k, rest, m = 30.0, 0.8, 2.0
    length = sy.sqrt(x**2 + y**2)
    V = k * (length - rest) ** 2 / 2
    ax, ay = (-differentiate(V, s) / m for s in (x, y))
    values = {x: 1.1, y: 0.4, u: -0.5, v: 1.5}

    def along(expr):
        return (
            differentiate(expr, x) * u
            + differentiate(expr, y) * v
            + differentiate(expr, u) * ax
            + differentiate(expr, v) * ay
        )

    by_hand = np.zeros((ORDER + 1, 2))
    for j, current in enumerate((x, y)):
        for n in range(ORDER + 1):
            by_hand[n, j] = float(evaluate(current, values)) / math.factorial(n)
            current = along(current)
    from linkwork.equations.kernels import planar

    system = make_system(
        (planar.spring, [2, 3, 0, 1], [k, rest]), (planar.particle, [0, 1], [m, 0, 0]), n=2, frozen=[0, 0]
    )
    found, _ = expand(ReferenceMachine(system), [1.1, 0.4], [-0.5, 1.5], ORDER)
    assert_series_equal(found, by_hand, 1e-11)


# -- time, damping and efforts ---------------------------------------------------------------------------------------


def pushed(q, u, p):
    """A damped oscillator pushed by a force of time and dragged along a prescribed path."""
    return Contribution(
        kinetic=(u.x**2 + u.y**2 + u.z**2) / 2,
        potential={"spring": p.k * (q.y - q.x) ** 2 / 2 + q.z**4},
        dissipation=p.c * u.y**2 / 2 + sy.cos(q.z) ** 2 * u.z**2,
        efforts=[(sy.sin(p.w * TIME) * q.y, u.y), (q.x * TIME, u.z)],
        constraints=[q.x - p.a * sy.sin(p.w * TIME) - TIME**2 / 2],
    )


PUSHED = {"k": 30.0, "c": 0.8, "a": 0.7, "w": 3.0}


def pushed_system():
    return make_system((make_kernel("pushed", "x y z", "k c a w", pushed), [0, 1, 2], [*PUSHED.values()]), n=3)


def pushed_state(t):
    p = PUSHED
    x = p["a"] * math.sin(p["w"] * t) + t**2 / 2
    return np.array([x, 0.4, 0.9]), np.array([p["a"] * p["w"] * math.cos(p["w"] * t) + t, -0.3, 0.5])


def test_time_damping_and_efforts_have_the_coefficients_of_repeated_differentiation():
    y, z, v, w, t = (symbol(s) for s in "yzvwt")
    p = PUSHED
    x = p["a"] * sy.sin(p["w"] * t) + t**2 / 2
    ay = -p["k"] * (y - x) - p["c"] * v + sy.sin(p["w"] * t) * y
    az = -4 * z**3 - 2 * sy.cos(z) ** 2 * w + x * t
    t0 = 0.3
    q, u = pushed_state(t0)
    values = {y: q[1], z: q[2], v: u[1], w: u[2], t: t0}

    def along(expr):
        rates = {y: v, z: w, v: ay, w: az, t: 1}
        return sum((differentiate(expr, s) * rate for s, rate in rates.items()), sy.Number(0))

    by_hand = np.zeros((ORDER + 1, 3))
    for j, current in enumerate((x, y, z)):
        for n in range(ORDER + 1):
            by_hand[n, j] = float(evaluate(current, values)) / math.factorial(n)
            current = along(current)
    found, _ = expand(ReferenceMachine(pushed_system()), q, u, ORDER, t=t0)
    assert_series_equal(found, by_hand, 1e-10)


@pytest.mark.needs_compiler
def test_compiled_coefficients_with_time_damping_and_efforts_are_the_interpreted_ones():
    q, u = pushed_state(0.3)
    compiled, interpreted = machines(pushed_system(), q)
    for one, other in zip(expand(compiled, q, u, 16, t=0.3), expand(interpreted, q, u, 16, t=0.3), strict=True):
        assert_series_equal(one, other, 1e-11)
