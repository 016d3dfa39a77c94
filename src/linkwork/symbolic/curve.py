"""Curves as data: knots and coefficients in, values and derivatives out. Knows nothing of expressions.

    y = Σ c[k, m] (x − origins[k])ᵐ      where knots[k − 1] <= x < knots[k]

A curve goes on beyond its first and last knot with its first and last piece. One that repeats itself is given over
three periods, the same number of pieces in each; on a given piece it is looked at where x is nearest to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from math import perm

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class Curve:
    """A piecewise polynomial.   knots: (n,) increasing, origins: (n + 1,), coefficients: (n + 1, degree + 1).

    Curves of equal name and content are equal. A knot where nothing changes is left out.

    >>> ramp = Curve("ramp", [0.0], [0.0, 0.0], [[0.0, 0.0], [0.0, 2.0]])
    >>> ramp.value([-1.0, 0.5]).tolist(), ramp.value(3.0, 1).item()
    ([0.0, 1.0], 2.0)
    """

    name: str
    knots: Floats
    origins: Floats
    coefficients: Floats
    period: float
    digest: int = field(init=False)

    def __init__(
        self, name: str, knots: ArrayLike, origins: ArrayLike, coefficients: ArrayLike, period: float = 0.0
    ) -> None:
        k, o, c = (np.array(values, dtype=np.float64, order="C") for values in (knots, origins, coefficients))
        # for each piece whether it differs from the one before; of a period all count
        matters = np.append(True, ~_goes_on(k, o, c) | (period > 0))
        pairs = {"knots": k[matters[1:]], "origins": o[matters], "coefficients": np.ascontiguousarray(c[matters])}
        content = blake2b(f"{name}{period or ''}".encode(), digest_size=16)
        object.__setattr__(self, "period", period)
        for key, values in pairs.items():
            values.flags.writeable = False
            content.update(f"{values.shape}".encode() + values.tobytes())
            object.__setattr__(self, key, values)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "digest", int.from_bytes(content.digest(), "little"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Curve) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<Curve {self.name!r} of {len(self.origins)} pieces>"

    @property
    def turn(self) -> int:
        """How many pieces a period has; none if there is none."""
        return len(self.origins) // 3 if self.period else 0

    @property
    def degree(self) -> int:
        """Of its pieces; derivatives beyond it are zero."""
        return int(self.coefficients.shape[1]) - 1

    def find_piece(self, x: ArrayLike) -> NDArray[np.intp]:
        """The number of the piece that holds at x; at a knot the one after it."""
        return np.asarray(np.searchsorted(self.knots, x, side="right"))

    def value(self, x: ArrayLike, order: int = 0, piece: NDArray[np.intp] | None = None) -> Floats:
        """The derivative of this order at x, on the piece that holds there or on a given one."""
        k = self.find_piece(x) if piece is None else piece
        d, c = np.asarray(x) - self.origins[k], self.coefficients[k]
        if self.period:
            d = d - self.period * np.rint(d / self.period)
        y = np.zeros_like(d)
        for m in range(self.degree, order - 1, -1):
            y = y * d + perm(m, order) * c[..., m]
        return np.asarray(y)

    def side(self, x: ArrayLike) -> Floats:
        """A distance from the knots that changes its sign at each of them."""
        if not len(self.knots):
            return np.ones(np.shape(x))
        k = self.find_piece(x)
        edges = np.concatenate([[-np.inf], self.knots, [np.inf]])
        away = np.minimum(np.asarray(x) - edges[k], edges[k + 1] - np.asarray(x))
        return np.asarray(np.where(k % 2, away, -away))


def _goes_on(knots: Floats, origins: Floats, coefficients: Floats) -> NDArray[np.bool_]:
    """For each knot whether the piece before it, developed there, is the piece after it."""
    same = np.ones(len(knots), dtype=bool)
    d = (origins[1:] - origins[:-1])[:, None]
    with np.errstate(all="ignore"):
        for order in range(coefficients.shape[1]):
            y = np.zeros((len(knots), 1))
            for m in range(coefficients.shape[1] - 1, order - 1, -1):
                y = y * d + perm(m, order) * coefficients[:-1, m : m + 1]
            same &= y[:, 0] == perm(order, order) * coefficients[1:, order]
    return same
