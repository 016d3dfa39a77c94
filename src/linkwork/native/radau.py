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

import numpy as np
from numpy.polynomial import legendre

from linkwork.arrays import Floats

ENDS = 3  # q, u and a at either end make the polynomial of a step, with q at inner stages
ORDERS = (5, 9, 13)  # of methods with 3, 5 and 7 stages
FEW, MANY = 3, 5  # stages: for few digits, and for many
TIGHT = 1e-6  # tolerances below which these are many digits


def find_stages(tol: float) -> int:
    """How many stages suit a tolerance: more of them cost more a step, and need fewer steps."""
    return MANY if tol < TIGHT else FEW


def find_degree(stages: int) -> int:
    """The degree of the polynomials of a step: what is known at its ends, and more where the order deserves it."""
    return 2 * ENDS - 1 + (stages - 1 if stages > FEW else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Radau:
    """Coefficients of a method with s stages.

    nodes     c (s,)       A, A2: coupling and its square (s, s)
    spectrum  eigenvalues of A: the real one, then real and imaginary part of one of each pair (s,)
    back      from coordinates in which A is diagonal to stages (s, s), `there` the other way
    error     weights of a_i (s,) beside `spectrum[0]` of a₀: a quadrature of order s less that of the method
    dense     (degree − 2, 3 + inner) from what is left of q, h u, h² a at the end, and of q at inner stages, when the
              series of order 2 from the begin is taken off, to coefficients 3 ... of the polynomial in t/h
    between   (s, s) from λ at inner stages and at the end, less that at the begin, to coefficients 1 ...
    inside    by how much places of inner stages are off, of those that polynomials go through: so many times the
              derivative of order s + 1, times h^(s + 1)
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
    A = _integrate_basis(c)
    spectrum, there, back = _diagonalise(A)
    return Radau(
        nodes=c, A=A, A2=A @ A, spectrum=spectrum, there=there, back=back,
        error=_find_error_weights(c, A, float(spectrum[0])), dense=_find_dense(c, find_degree(stages)),
        between=_invert([[Fraction(x) ** k for k in range(1, stages + 1)] for x in c.tolist()]),
        inside=_find_inside(c[: find_degree(stages) - (2 * ENDS - 1)], c),
    )  # fmt: skip


def find_nodes(stages: int) -> Floats:
    """The Radau points in (0, 1], where P_s − P_{s−1} of Legendre vanishes."""
    c = (1.0 + np.sort(legendre.legroots([0.0] * (stages - 1) + [-1.0, 1.0]))) / 2
    c[-1] = 1.0
    return np.asarray(c)


def _integrate_basis(c: Floats) -> Floats:
    """A_ij, the integral from 0 to c_i of the polynomial that is one at c_j and zero at the others."""
    x, w = legendre.leggauss(len(c))
    A = np.empty((len(c), len(c)))
    for i, end in enumerate(c):
        at = end * (1.0 + x) / 2
        for j in range(len(c)):
            basis = np.prod([(at - other) / (c[j] - other) for other in np.delete(c, j)], axis=0)
            A[i, j] = end / 2 * (w @ basis)
    return A


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


def _find_dense(c: Floats, degree: int) -> Floats:
    powers = range(3, degree + 1)
    ends = [[Fraction(1) for _ in powers], [Fraction(k) for k in powers], [Fraction(k * (k - 1)) for k in powers]]
    inner = [[Fraction(x) ** k for k in powers] for x in c[: degree - (2 * ENDS - 1)].tolist()]
    return _invert([*ends, *inner])


def _find_inside(at: Floats, c: Floats) -> float:
    """The largest integral of Π (x − c_j)/s! from 0 to one of these places."""
    integral = np.polynomial.Polynomial.fromroots(c).integ()
    return max((abs(float(integral(x))) for x in at), default=0.0) / math.factorial(len(c))


def _invert(rows: list[list[Fraction]]) -> Floats:
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
    return np.array([[float(x) for x in row[n:]] for row in A])
