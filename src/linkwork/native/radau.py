"""Radau IIA methods: collocation at the Radau points of a step, as tables for `radau.c` and its oracle.

    U_i = u₀ + h Σ A_ij a_j,   Q_i = q₀ + h c_i u₀ + h² Σ (A²)_ij a_j,   U_s, Q_s are the end of the step

With s stages the order is 2 s − 1, whatever is stiff is damped (stiffly accurate, L-stable). Literature: E. Hairer,
G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, IV.5 (the methods) and IV.8 (iteration in
coordinates in which A is diagonal, estimate of errors); VI.6 and VII.4 (constraints).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from operator import mul
from typing import TypeVar

import numpy as np
from numpy.polynomial import Polynomial

from linkwork.arrays import Floats

ORDERS = (5, 9, 13)  # of methods with 3, 5 and 7 stages
FEW, MANY = 3, 5  # stages: for few digits, and for many
NEWTON = 5  # steps of Newton's method to a Radau point, rounded
TIGHT = 1e-6  # tolerances below which these are many digits
E, F = [10, -15, 6], [-4, 7, -3]  # coefficients 3 ... of what lifts q, and u, at the end of a step alone

Number = TypeVar("Number", float, Fraction)


def find_stages(tol: float) -> int:
    """How many stages suit a tolerance: more of them cost more a step, and need fewer steps."""
    return MANY if tol < TIGHT else FEW


def find_degree(stages: int) -> int:
    """The degree of the polynomials of a step: twice integrated, one through a at its begin, inner stages and end."""
    return stages + 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Radau:
    """Coefficients of a method with s stages.

    nodes     c (s,)       A, A2: coupling and its square (s, s)
    spectrum  eigenvalues of A: the real one, then real and imaginary part of one of each pair (s,)
    back      from coordinates in which A is diagonal to stages (s, s), `there` the other way
    error     weights of a_i (s,) beside `spectrum[0]` of a₀: a quadrature of order s less that of the method
    dense     (s, s + 2) from what is left of q, h u, h² a at the end, and of h² a at inner stages, when the series of
              order 2 from the begin is taken off, to coefficients 3 ... of the polynomial in t/h
    between   (s, s) from λ at inner stages and at the end, less that at the begin, to coefficients 1 ...
    inside    by how much speeds are off inside a step that turns by x, beside themselves: inside times x^(s + 2)
    """

    nodes: Floats
    A: Floats
    A2: Floats
    spectrum: Floats
    there: Floats
    back: Floats
    error: Floats
    dense: Floats
    between: Floats
    inside: float

    @property
    def stages(self) -> int:
        """How many stages there are."""
        return len(self.nodes)


@cache
def find_radau(stages: int) -> Radau:
    """The method with an odd number of stages."""
    c = find_nodes(stages)
    inverse = _invert([[Fraction(x) ** k for k in range(1, stages + 1)] for x in c.tolist()])
    A = _integrate_basis(c, inverse)
    spectrum, there, back = _diagonalise(A)
    return Radau(
        nodes=c, A=A, A2=A @ A, spectrum=spectrum, there=there, back=back,
        error=_find_error_weights(c, A, float(spectrum[0])), dense=_find_dense(inverse),
        between=_floats(inverse), inside=_find_inside(c),
    )  # fmt: skip


def find_nodes(stages: int) -> Floats:
    """The Radau points in (0, 1], where P_s − P_{s−1} of Legendre vanishes, each rounded once."""
    near = [(1 - math.cos((k - 0.25) * math.pi / stages)) / 2 for k in range(1, stages)]
    return np.array([*(_polish(x, stages) for x in near), 1.0])


def _polish(x: float, stages: int) -> float:
    for _ in range(NEWTON):
        x = _step_towards_root(x, stages)
    # without rounding one step more doubles the digits
    return float(_step_towards_root(Fraction(x), stages))


def _step_towards_root(c: Number, stages: int) -> Number:
    # (k + 1) P_{k+1} = (2 k + 1) x P_k − k P_{k−1}, and its derivative, at x = 2 c − 1
    x = 2 * c - 1
    (before, slow), (P, rate) = (0 * x + 1, 0 * x), (x, 0 * x + 1)
    for k in range(1, stages):
        after = (2 * k + 1) * x * P - k * before, (2 * k + 1) * (P + x * rate) - k * slow
        (before, slow), (P, rate) = (P, rate), (after[0] / (k + 1), after[1] / (k + 1))
    return c - (P - before) / (rate - slow) / 2


def _integrate_basis(c: Floats, inverse: list[list[Fraction]]) -> Floats:
    """A_ij, the integral from 0 to c_i of the polynomial that is one at c_j and zero at the others."""
    # its coefficients 0 ... s − 1 are column j, times c_j, of the inverse of powers 1 ... s
    nodes = [Fraction(x) for x in c.tolist()]
    basis = [[y * node for y, node in zip(row, nodes, strict=True)] for row in inverse]
    integrals = [[x ** (k + 1) / (k + 1) for k in range(len(nodes))] for x in nodes]
    return _floats(
        [[sum(map(mul, row, column), Fraction(0)) for column in zip(*basis, strict=True)] for row in integrals]
    )


def _diagonalise(A: Floats) -> tuple[Floats, Floats, Floats]:
    values, vectors = np.linalg.eig(A)
    rows = np.linalg.inv(vectors)
    spectrum: list[float] = []
    there: list[Floats] = []
    back: list[Floats] = []
    for k in sorted(range(len(A)), key=lambda k: values[k].imag):
        mu, row, column = values[k], rows[k], vectors[:, k]
        if abs(mu.imag) < 1e-9:
            spectrum, there, back = [mu.real, *spectrum], [row.real, *there], [column.real, *back]
        elif mu.imag > 0:
            spectrum += [mu.real, mu.imag]
            there += [row.real, row.imag]
            back += [2 * column.real, -2 * column.imag]
    return np.array(spectrum), np.array(there), np.array(back).T


def _find_error_weights(c: Floats, A: Floats, first: float) -> Floats:
    k = np.arange(len(c))
    moments = 1.0 / (k + 1.0)
    moments[0] -= first
    return np.asarray(np.linalg.solve(c[None, :] ** k[:, None], moments) - A[-1])


def _find_dense(inverse: list[list[Fraction]]) -> Floats:
    # p is V⁻¹ a: at the end q and u but for what their projection moved, since Σ b_i A_ij = b_j (1 − c_j)
    powers = range(3, len(inverse) + 3)
    rows = [[x / (k * (k - 1)) for x in row] for k, row in zip(powers, inverse, strict=True)]
    place = [sum(column) for column in zip(*rows, strict=True)]
    speed = [sum(k * x for k, x in zip(powers, column, strict=True)) for column in zip(*rows, strict=True)]
    # P = p + (q − p(1)) E + (u − ṗ(1)) F, where E and F vanish at both ends up to ä but for E(1) = Ḟ(1) = 1
    found = []
    for row, (e, f) in zip(rows, [*zip(E, F, strict=True), *((0, 0) for _ in powers)], strict=False):
        inner = [x - e * y - f * v for x, y, v in zip(row, place, speed, strict=True)]
        found.append([Fraction(e), Fraction(f), inner[-1], *inner[:-1]])
    return _floats(found)


def _find_inside(c: Floats) -> float:
    # ÿ = −x² y on the unit circle: accelerations of inner stages are off by x² times what collocation misses of y,
    # x^(s + 1) ∫ Π (τ − c_j)/s!, and polynomials through them by x^(s + 3) τ Π (τ − c_j)/(s + 1)!
    product, nodes, s = Polynomial.fromroots(c), np.r_[0.0, c], len(c)
    missed = product.integ()(nodes) / math.factorial(s)
    missed[-1] = 0.0  # the end is found anew
    lack = Polynomial([0.0, 1.0]) * product / math.factorial(s + 1)
    lack += Polynomial(np.linalg.solve(np.vander(nodes, increasing=True), missed))
    once = lack.integ()
    place, speed = Polynomial([0, 0, 0, *E]), Polynomial([0, 0, 0, *F])
    off = once.integ() - once.integ()(1.0) * place - once(1.0) * speed
    return float(np.max(np.abs(off.deriv()(np.linspace(0.0, 1.0, 201)))))


def _invert(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """The inverse of a matrix, exactly: powers are nearly dependent, and rounding would be seen."""
    n = len(rows)
    A = [[*row, *(Fraction(i == j) for j in range(n))] for i, row in enumerate(rows)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if A[i][k] != 0)
        A[k], A[pivot] = A[pivot], A[k]
        A[k] = [x / A[k][k] for x in A[k]]
        for i in range(n):
            if i != k:
                A[i] = [x - A[i][k] * y for x, y in zip(A[i], A[k], strict=True)]
    return [row[n:] for row in A]


def _floats(rows: list[list[Fraction]]) -> Floats:
    return np.array([[float(x) for x in row] for row in rows])
