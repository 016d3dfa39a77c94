"""The Runge–Kutta method of order 8 by Dormand and Prince: coefficients, weights of its dense output, a C header.

Numbers: E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer 1993, II.5
and II.6 (DOP853). Twelve stages make a step of order 8, with error estimates of orders 5 and 3; the derivative at its
end is a thirteenth; three more stages are right to order 6 at places inside. tests/orders checks all that.

Dense output. At seven places of a step accelerations are known: at both ends, at the three inner stages, and at two
more where speeds and positions follow from those. The polynomial through them, integrated twice from the begin, is
right to order 8 in positions and speeds, to order 7 in accelerations. Multipliers have one through the same places.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np

from linkwork.arrays import Floats

EXPLICIT = frozenset({"rk8", "baumgarte"})  # the methods that have these coefficients
STAGES = 12  # of a step; one more is the derivative at its end, three more are inside
ORDER = 8  # of the method, and the degree of its polynomials
MORE = (Fraction(49, 100), Fraction(23, 25))  # two more places: with the others, good ones to interpolate at

NODES = (
    0.0,
    0.05260015195876773,
    0.0789002279381516,
    0.1183503419072274,
    0.2816496580927726,
    0.3333333333333333,
    0.25,
    0.3076923076923077,
    0.6512820512820513,
    0.6,
    0.8571428571428571,
    1.0,
    1.0,
    0.1,
    0.2,
    0.7777777777777778,
)  # when the stages are, in steps
COUPLING: tuple[dict[int, float], ...] = (  # of each stage with those before
    {},
    {0: 0.05260015195876773},
    {0: 0.0197250569845379, 1: 0.0591751709536137},
    {0: 0.02958758547680685, 2: 0.08876275643042054},
    {0: 0.2413651341592667, 2: -0.8845494793282861, 3: 0.924834003261792},
    {0: 0.037037037037037035, 3: 0.17082860872947386, 4: 0.12546768756682242},
    {0: 0.037109375, 3: 0.17025221101954405, 4: 0.06021653898045596, 5: -0.017578125},
    {
        0: 0.03709200011850479,
        3: 0.17038392571223998,
        4: 0.10726203044637328,
        5: -0.015319437748624402,
        6: 0.008273789163814023,
    },
    {
        0: 0.6241109587160757,
        3: -3.3608926294469414,
        4: -0.868219346841726,
        5: 27.59209969944671,
        6: 20.154067550477894,
        7: -43.48988418106996,
    },
    {
        0: 0.47766253643826434,
        3: -2.4881146199716677,
        4: -0.590290826836843,
        5: 21.230051448181193,
        6: 15.279233632882423,
        7: -33.28821096898486,
        8: -0.020331201708508627,
    },
    {
        0: -0.9371424300859873,
        3: 5.186372428844064,
        4: 1.0914373489967295,
        5: -8.149787010746927,
        6: -18.52006565999696,
        7: 22.739487099350505,
        8: 2.4936055526796523,
        9: -3.0467644718982196,
    },
    {
        0: 2.273310147516538,
        3: -10.53449546673725,
        4: -2.0008720582248625,
        5: -17.9589318631188,
        6: 27.94888452941996,
        7: -2.8589982771350235,
        8: -8.87285693353063,
        9: 12.360567175794303,
        10: 0.6433927460157636,
    },
    {
        0: 0.054293734116568765,
        5: 4.450312892752409,
        6: 1.8915178993145003,
        7: -5.801203960010585,
        8: 0.3111643669578199,
        9: -0.1521609496625161,
        10: 0.20136540080403034,
        11: 0.04471061572777259,
    },
    {
        0: 0.056167502283047954,
        6: 0.25350021021662483,
        7: -0.2462390374708025,
        8: -0.12419142326381637,
        9: 0.15329179827876568,
        10: 0.00820105229563469,
        11: 0.007567897660545699,
        12: -0.008298,
    },
    {
        0: 0.03183464816350214,
        5: 0.028300909672366776,
        6: 0.053541988307438566,
        7: -0.05492374857139099,
        10: -0.00010834732869724932,
        11: 0.0003825710908356584,
        12: -0.00034046500868740456,
        13: 0.1413124436746325,
    },
    {
        0: -0.42889630158379194,
        5: -4.697621415361164,
        6: 7.683421196062599,
        7: 4.06898981839711,
        8: 0.3567271874552811,
        12: -0.0013990241651590145,
        13: 2.9475147891527724,
        14: -9.15095847217987,
    },
)
WEIGHTS = {
    0: 0.054293734116568765,
    5: 4.450312892752409,
    6: 1.8915178993145003,
    7: -5.801203960010585,
    8: 0.3111643669578199,
    9: -0.1521609496625161,
    10: 0.20136540080403034,
    11: 0.04471061572777259,
}
ERROR_5 = {
    0: 0.01312004499419488,
    5: -1.2251564463762044,
    6: -0.4957589496572502,
    7: 1.6643771824549864,
    8: -0.35032884874997366,
    9: 0.3341791187130175,
    10: 0.08192320648511571,
    11: -0.022355307863886294,
}
ERROR_3 = {
    0: -0.18980075407240762,
    5: 4.450312892752409,
    6: 1.8915178993145003,
    7: -5.801203960010585,
    8: -0.4226823213237919,
    9: -0.1521609496625161,
    10: 0.20136540080403034,
    11: 0.02265179219836082,
}


def dense(entries: dict[int, float], count: int) -> Floats:
    """A row of coefficients with its zeros."""
    row = np.zeros(count)
    row[list(entries)] = list(entries.values())
    return row


@cache
def places() -> tuple[Fraction, ...]:
    """The seven places of the dense output, in steps: begin, three inner stages, two more, end."""
    return Fraction(0), Fraction(1, 10), Fraction(1, 5), Fraction(7, 9), *MORE, Fraction(1)


RATES = 2 * (len(NODES) + len(MORE)) + 4  # rows of numbers that the runtime needs: rates of stages, scratch
PLACED = (0, 13, 14, 15, 16, 17, 12)  # the stages there; two more are made for it


@cache
def interpolation() -> Floats:
    """M: coefficients (by power of the part of a step) of the polynomial through values at the places.   (7, 7)"""
    powers = [[x**k for k in range(len(places()))] for x in places()]
    return _floats(_solve(powers, _identity(len(powers))))


@cache
def predictions() -> tuple[Floats, Floats, Floats]:
    """u, q and a at the two more places from what is known before: weights of u₁ − u₀, and of h times a at 5 places.

    u(θ) = u₀ + w₀ (u₁ − u₀) + h Σ wᵢ aᵢ  of degree 6,  q(θ) = q₀ + h θ u₀ + h ∫ of the rest,  a(θ) = u'(θ) / h.
    Rows: places of MORE; columns: u₁ − u₀, then a at begin, inner stages, end.
    """
    known = [*places()[:4], Fraction(1)]
    # u(θ) − u₀ = Σ cₖ θᵏ, k = 1 .. 6, with its value at 1 and its slopes at the five
    rows = [[Fraction(1)] * 6, *([k * x ** (k - 1) for k in range(1, 7)] for x in known)]
    c = _solve(rows, _identity(6))
    u = [[x**k for k in range(1, 7)] for x in MORE]
    q = [[x ** (k + 1) / (k + 1) for k in range(1, 7)] for x in MORE]
    a = [[k * x ** (k - 1) for k in range(1, 7)] for x in MORE]
    return _floats(_multiply(u, c)), _floats(_multiply(q, c)), _floats(_multiply(a, c))


@cache
def forecasts() -> Floats:
    """Weights of values at the places in what the polynomials through the first 4 and the last, then through one more
    place as well, have at the two more places.   (2, 6): begin, inner stages, end, the first of the two
    """
    known = [*places()[:4], Fraction(1)]
    rows = []
    for nodes, x in ((known, MORE[0]), ([*known, MORE[0]], MORE[1])):
        powers = [[y**k for k in range(len(nodes))] for y in nodes]
        (row,) = _multiply([[x**k for k in range(len(nodes))]], _solve(powers, _identity(len(nodes))))
        rows.append([*row, *[Fraction(0)] * (6 - len(row))])
    return _floats(rows)


@cache
def integrals() -> tuple[Floats, Floats]:
    """Weights of the accelerations at the places in u₁ − u₀ = h Σ v a and q₁ − q₀ − h u₀ = h² Σ w a."""
    powers = [[x**k for k in range(len(places()))] for x in places()]
    c = _solve(powers, _identity(len(powers)))
    orders = range(len(c))
    rows = [[Fraction(1, k + 1) for k in orders], [Fraction(1, (k + 1) * (k + 2)) for k in orders]]
    once, twice = _floats(_multiply(rows, c))
    return once, twice


def _identity(n: int) -> list[list[Fraction]]:
    return [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]


def _solve(A: list[list[Fraction]], B: list[list[Fraction]]) -> list[list[Fraction]]:
    """A⁻¹ B, exactly."""
    rows = [[*a, *b] for a, b in zip(A, B, strict=True)]
    n = len(rows)
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                factor = rows[r][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[n:] for row in rows]


def _multiply(A: list[list[Fraction]], B: list[list[Fraction]]) -> list[list[Fraction]]:
    columns = list(zip(*B, strict=True))
    return [[sum((x * y for x, y in zip(row, c, strict=True)), Fraction(0)) for c in columns] for row in A]


def _floats(rows: list[list[Fraction]]) -> Floats:
    return np.array([[float(x) for x in row] for row in rows])


@cache
def write_header() -> str:
    """The same numbers for the C runtime."""
    predicted_u, predicted_q, predicted_a = predictions()
    once, twice = integrals()
    tables = {
        "RK_NODES": np.array([*NODES, *map(float, MORE)]),
        "RK_COUPLING": np.array([dense(row, len(NODES)) for row in COUPLING]),
        "RK_WEIGHTS": dense(WEIGHTS, STAGES),
        "RK_ERROR_5": dense(ERROR_5, STAGES),
        "RK_ERROR_3": dense(ERROR_3, STAGES),
        "RK_POLYNOMIAL": interpolation(),
        "RK_SPEED": predicted_u,
        "RK_PLACE": predicted_q,
        "RK_SLOPE": predicted_a,
        "RK_FORECAST": forecasts(),
        "RK_ONCE": once,
        "RK_TWICE": twice,
    }
    lines = ["/* Coefficients of the Runge-Kutta method of order 8 and of its dense output: see tableau.py. */"]
    for name, table in tables.items():
        shape = "".join(f"[{n}]" for n in table.shape)
        lines.append(f"static const double {name}{shape} = {_braces(table)};")
    return "\n".join(lines) + "\n"


def _braces(table: Floats) -> str:
    if table.ndim == 0:
        return repr(float(table))
    return "{" + ", ".join(_braces(row) for row in table) + "}"
