"""How the axes of a body stand in its parent: a constant triad, then turns about single axes, one after the other.

Components are turned by one turn at a time, which takes fewer operations than the matrix of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from linkwork.equations.own.moments import Moments, Rows, axes_of, parent_of
from linkwork.equations.own.names import Names
from linkwork.model.tree import TreeBody
from linkwork.symbolic import ONE, ZERO, Expr, cos, sin
from linkwork.symbolic.vector import Vector, combine, dot
from linkwork.vectors import components
from linkwork.vectors.products import CYCLES

UNITS = tuple(Vector(ONE if i == k else ZERO for i in range(3)) for k in range(3))


class Turn(NamedTuple):
    """A turn about axis k by which i goes to j: its cosine and sine."""

    k: int
    c: Expr
    s: Expr

    def back(self, v: Vector) -> Vector:
        """Components after the turn, in the axes before it."""
        i, j, k = CYCLES[self.k]
        return _placed({i: self.c * v[i] - self.s * v[j], j: self.s * v[i] + self.c * v[j], k: v[k]})

    def on(self, v: Vector) -> Vector:
        """Components before the turn, in the axes after it."""
        i, j, k = CYCLES[self.k]
        return _placed({i: self.c * v[i] + self.s * v[j], j: self.c * v[j] - self.s * v[i], k: v[k]})

    def moments_back(self, S: Rows, names: Names) -> Rows:
        """Second moments in the axes before the turn.

        With X = s (S_jj − S_ii) − 2 c S_ij they are S_ii + s X, S_jj − s X and −c X − S_ij.
        """
        i, j, k = CYCLES[self.k]
        x = names.name(self.s * (S[j][j] - S[i][i]) - self.c * (2 * S[i][j]))
        moved, side = names.name(self.s * x), self.back(S[k])
        lower = {(i, i): S[i][i] + moved, (j, j): S[j][j] - moved, (i, j): -self.c * x - S[i][j]}
        return _symmetric({**lower, (k, i): side[i], (k, j): side[j], (k, k): S[k][k]}, names)


@dataclass(frozen=True, slots=True)
class Posture:
    """A triad over the parent's axes and the turns from it."""

    triad: Rows
    turns: tuple[Turn, ...]
    names: Names

    def inside(self, v: Vector) -> Vector:
        """Components in the body of a vector of the parent."""
        if self.triad != UNITS:
            v = self.names.keep(dot(v, row) for row in self.triad)
        for turn in self.turns:
            v = self.names.keep(turn.on(v))
        return v

    def unturned(self, v: Vector) -> Vector:
        """Components in the triad of a vector of the body."""
        for turn in reversed(self.turns):
            v = self.names.keep(turn.back(v))
        return v

    def outside(self, v: Vector) -> Vector:
        """Components in the parent of a vector of the triad."""
        return v if self.triad == UNITS else self.names.keep(combine(v, self.triad))

    def to_parent(self, v: Vector) -> Vector:
        """Components in the parent of a vector of the body."""
        return self.outside(self.unturned(v))

    def moments_unturned(self, own: Moments) -> Moments:
        """Moments in the triad."""
        S = own.S
        for turn in reversed(self.turns):
            S = turn.moments_back(S, self.names)
        return Moments(own.m, self.unturned(own.h), S)

    def moments_outside(self, m: Moments) -> Moments:
        """Moments of the triad in the parent."""
        if self.triad == UNITS:
            return m
        half = [self.names.keep(combine(row, self.triad)) for row in m.S]
        columns = list(zip(*self.triad, strict=True))
        lower = {(i, j): dot(columns[i], [row[j] for row in half]) for i in range(3) for j in range(i + 1)}
        return Moments(m.m, self.outside(m.h), _symmetric(lower, self.names))


def find_posture(body: TreeBody, names: Names) -> Posture:
    """How a body stands in its parent."""
    angles = [freedom.coordinate for freedom in body.freedoms if freedom.kind == "rotation"]
    turns = [Turn(k, names.name(cos(q)), names.name(sin(q))) for k, q in zip(body.sequence, angles, strict=True)]
    parent = axes_of(parent_of(body))
    triad = tuple(Vector(components(row, parent)) for row in body.unturned)
    return Posture(triad, tuple(turns), names)


def _placed(parts: Mapping[int, Expr]) -> Vector:
    return Vector(parts[k] for k in range(3))


def _symmetric(given: Mapping[tuple[int, int], Expr], names: Names) -> Rows:
    """A symmetric matrix by one half of its entries."""
    named = {place: names.name(x) for place, x in given.items()}
    named |= {(j, i): x for (i, j), x in named.items()}
    return tuple(Vector(named[i, j] for j in range(3)) for i in range(3))
