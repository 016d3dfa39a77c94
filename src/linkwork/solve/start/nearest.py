"""The nearest of all positions, or velocities, that meet the constraints: a consistent point in, the nearest one out.

Positions   minimise  ½ Σ wᵢ (qᵢ − targetᵢ)²   subject to  g(q) = 0
Velocities  minimise  ½ Σ wᵢ (uᵢ − targetᵢ)²   subject to  G u + b = 0

The first slides along the constraints by Newton steps in a trust region: conjugate gradients in the tangent space with
the curvature of the constraints, then closing again. The second is one linear problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
from scipy.sparse import csc_array, diags_array

from linkwork.arrays import Floats, Ints
from linkwork.clock import check_time
from linkwork.native.rank import split
from linkwork.native.saddle import Saddle
from linkwork.solve.constraints import DENSE, Constraints
from linkwork.solve.start.closing import CLOSED, close_again

STEPS = 60  # Newton steps
LEVEL = 1e-13  # a slope whose part along the constraints is smaller than this is across them
LAST = 1e-7  # after a Newton step shorter than this, in scales, nothing is left to gain
RADIUS = 0.5  # of the first trust region, in scales
DIFFERENCE = 1e-6  # step, in scales, of the differences that give the curvature


class Tangent(Protocol):
    """The directions in which constraints with the matrix J (m, n) let one move."""

    def project(self, v: Floats) -> Floats:
        """The part of a vector along the constraints.   (n,)  →  (n,)"""

    def multipliers(self, v: Floats) -> Floats:
        """The λ for which Jᵀλ is nearest to v.   (n,)  →  (m,)"""

    def correct(self, r: Floats) -> Floats:
        """The shortest δ with J δ = r, or nearest to that.   (m,)  →  (n,)"""


def make_tangent(J: csc_array) -> Tangent:
    """Dense for small matrices, sparse for large ones."""
    return _DenseTangent(J.toarray()) if sum(J.shape) <= DENSE else _SparseTangent(J)


class _DenseTangent:
    def __init__(self, J: Floats) -> None:
        self.matrix = split(J)
        self.rank = self.matrix.rank

    def project(self, v: Floats) -> Floats:
        # twice, so that rounding is removed
        across = self.matrix.Vt[: self.rank]
        for _ in range(2):
            v = v - across.T @ (across @ v)
        return v

    def multipliers(self, v: Floats) -> Floats:
        m, k = self.matrix, self.rank
        return np.asarray(m.U[:, :k] @ (m.Vt[:k] @ v / m.sigma[:k]) / m.rows)

    def correct(self, r: Floats) -> Floats:
        return self.matrix.solve(r, self.rank)


class _SparseTangent:
    def __init__(self, J: csc_array) -> None:
        self.saddle = Saddle(diags_array(np.ones(J.shape[1])), J, "positions", soft=True)

    def project(self, v: Floats) -> Floats:
        return self.saddle.solve(v)[0]

    def multipliers(self, v: Floats) -> Floats:
        return self.saddle.solve(v)[1]

    def correct(self, r: Floats) -> Floats:
        return self.saddle.solve(g=r)[0]


# -- positions -------------------------------------------------------------------------------------------------------


def slide(
    constraints: Constraints, target: Floats, q: Floats, free: Ints, weight: Floats, metric: Floats, last: float = LAST
) -> Floats:
    """From a closed position along the constraints to one where no way leads nearer to the target.

    weight: (n,) of each value in the distance, zero where it does not count; metric: (n,) > 0 measures the steps;
    after a step shorter than `last`, in scales, it is near enough.
    """
    if len(free) == 0 or constraints.m == 0:
        return q
    # on the right side already: short steps do not lead to the wrong one, and that is checked
    search = _Search(constraints.plain, target, free, weight, np.sqrt(metric[free]))
    radius, distance = RADIUS, search.distance(q)
    for _ in range(STEPS):
        check_time("the search for positions")
        step, gain = search.step(q, radius)
        if not step.any():
            break
        trial = close_again(constraints.plain, search.moved(q, step), free, 1.0 / search.size)
        new = search.distance(trial) if constraints.gap(trial) <= CLOSED else math.inf
        # where the gain drowns in rounding, a full Newton step is right as it is
        ratio = (distance - new) / gain if gain > 1e-13 * distance else float(new <= distance * (1 + 1e-13))
        norm = float(np.linalg.norm(step))
        radius = 0.25 * norm if ratio < 0.25 else max(radius, 2 * norm) if ratio > 0.75 else radius
        if ratio > 1e-3:
            q, distance = trial, new
        if search.length(step) < last:
            break
    return q


class _Search:
    """The quadratic model of the distance in the tangent space, in coordinates y = size · q."""

    def __init__(self, constraints: Constraints, target: Floats, free: Ints, weight: Floats, size: Floats) -> None:
        self.c, self.target, self.free, self.size = constraints, target, free, size
        self.w = weight[free] / size**2

    def distance(self, q: Floats) -> float:
        """½ Σ wᵢ (qᵢ − targetᵢ)²."""
        y = self.size * (q - self.target)[self.free]
        return float(np.sum(self.w * y**2)) / 2

    def moved(self, q: Floats, step: Floats) -> Floats:
        """q after a step."""
        trial = q.copy()
        trial[self.free] += step / self.size
        return trial

    def length(self, step: Floats) -> float:
        """The largest change of a coordinate, in scales."""
        return float(np.max(np.abs(step / self.size) / self.c.system.scales[self.free], initial=0.0))

    def _tangent(self, q: Floats) -> Tangent:
        """The directions along the constraints, and across them."""
        if self.c.m + len(self.free) <= DENSE and self.c.dense:
            return _DenseTangent(self.c.matrices(q[:, None])[0][:, self.free] / self.size)
        return make_tangent(csc_array(self.c.matrix(q)[:, self.free] @ diags_array(1.0 / self.size)))

    def step(self, q: Floats, radius: float) -> tuple[Floats, float]:
        """The step that lowers the model most within the radius, and by how much."""
        tangent = self._tangent(q)
        slope = self.w * self.size * (q - self.target)[self.free]
        lam = -tangent.multipliers(slope)

        def curvature(v: Floats) -> Floats:
            """(W + Σ λ ∂²g) v along the constraints."""
            h = DIFFERENCE / max(self.length(v), 1e-300)
            ends = np.array([self.moved(q, h * v), self.moved(q, -h * v)]).T
            ahead, behind = self.c.pull(ends, lam)[self.free].T / self.size
            return tangent.project(self.w * v + (ahead - behind) / (2 * h))

        along = tangent.project(slope)
        if np.linalg.norm(along) <= LEVEL * np.linalg.norm(slope):
            return np.zeros_like(slope), 0.0
        return _minimise(curvature, along, radius)


def _minimise(curvature: Callable[[Floats], Floats], slope: Floats, radius: float) -> tuple[Floats, float]:
    """Steihaug's conjugate gradients: the step s that minimises slope·s + ½ s·H s within a radius, and the gain."""
    s, r, d = np.zeros_like(slope), slope.copy(), -slope
    size = float(np.linalg.norm(slope))
    gain = 0.0
    for _ in range(min(len(slope), 200)):
        rr = float(r @ r)
        if math.sqrt(rr) <= 1e-10 * size or rr == 0.0:
            break
        Hd = curvature(d)
        bend = float(d @ Hd)
        alpha = rr / bend if bend > 1e-14 * float(d @ d) else 0.0
        # down without end, or beyond the border
        if alpha == 0.0 or float(np.linalg.norm(s + alpha * d)) >= radius:
            tau = _to_border(s, d, radius)
            return s + tau * d, gain - (tau * float(r @ d) + tau**2 * bend / 2)
        s, gain = s + alpha * d, gain + alpha * rr / 2
        new = r + alpha * Hd
        d, r = -new + float(new @ new) / rr * d, new
    return s, gain


def _to_border(s: Floats, d: Floats, radius: float) -> float:
    """The τ ≥ 0 with |s + τ d| = radius."""
    a, b, c = float(d @ d), float(s @ d), float(s @ s) - radius**2
    return (-b + math.sqrt(max(b * b - a * c, 0.0))) / a


# -- velocities ------------------------------------------------------------------------------------------------------


class Nearest:
    """The way to the velocity nearest to a wish among those with G u + b = 0, or closest to that."""

    def __init__(self, G: csc_array | Floats, weight: Floats) -> None:
        self.size = np.sqrt(weight)
        self.J = G / self.size if isinstance(G, np.ndarray) else csc_array(G @ diags_array(1.0 / self.size))
        self.tangent = _DenseTangent(self.J) if isinstance(self.J, np.ndarray) else make_tangent(self.J)

    def step(self, still_open: Floats, wish: Floats) -> Floats:
        """The step from velocities that leave this open, towards those wished for.   (m,), (n,)  →  (n,)"""
        wish = self.size * wish
        return np.asarray((wish + self.tangent.correct(-still_open - self.J @ wish)) / self.size)
