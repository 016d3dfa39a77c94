"""M of a tree by composites: what moves with a body, as if all that stands on it were rigid.

A speed gives the composite a momentum p and, about the reference point, the angular momentum L:

    travel  p = m e, L = h × e          turn about n  p = n × h, L = J n

and M has what these do along the speeds of the body and of all it stands on; L goes inwards with r × p.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from linkwork.equations.own.links import Link, Way
from linkwork.equations.own.moments import NONE, Moments
from linkwork.equations.own.names import Names
from linkwork.equations.own.posture import UNITS
from linkwork.model.tree import TreeBody
from linkwork.symbolic import ZERO, Expr, Symbol
from linkwork.symbolic.vector import Vector, cross, dot

Entries = dict[tuple[int, int], Expr]


@dataclass(frozen=True, slots=True)
class Composite:
    """What moves with a body: in its own axes, in its triad, in its parent's axes."""

    own: Moments
    unturned: Moments
    outside: Moments


def compose(links: Sequence[Link], alone: Mapping[TreeBody, Moments], names: Names) -> dict[Link, Composite]:
    """The composites, from the leaves inwards."""
    total = {link: alone[link.body] for link in links}
    found: dict[Link, Composite] = {}
    for link in reversed(links):
        own = _named(total[link], names)
        if link.is_free:
            found[link] = Composite(own, own, own)
            continue
        unturned = link.posture.moments_unturned(own)
        outside = link.posture.moments_outside(unturned)
        found[link] = Composite(own, unturned, outside)
        if link.parent is not None:
            total[link.parent] = total[link.parent] + outside.shifted(link.arm)
    return found


def _named(c: Moments, names: Names) -> Moments:
    lower = [names.keep(c.S[i][: i + 1]) for i in range(3)]
    S = tuple(Vector(lower[max(i, j)][min(i, j)] for j in range(3)) for i in range(3))
    return Moments(names.name(c.m), names.keep(c.h), S)


def derive_mass(links: Sequence[Link], composites: Mapping[Link, Composite], names: Names) -> Entries:
    """The lower triangle of M, without zeros."""
    speeds = [u for link in links for u in link.ways]
    felt = _Felt({u: i for i, u in enumerate(speeds)}, names, {})
    for link in reversed(links):
        for u, way in link.ways.items():
            felt.add(u, link, way, composites[link])
    return {place: x for place, x in sorted(felt.found.items()) if x is not ZERO}


@dataclass(frozen=True, slots=True)
class _Felt:
    """Entries of M as they are found.   number: of the speeds"""

    number: Mapping[Symbol, int]
    names: Names
    found: Entries

    def add(self, u: Symbol, link: Link, way: Way, c: Composite) -> None:
        """The row of a speed."""
        keep, posture = self.names.keep, link.posture
        if link.is_free:
            p, L = (keep(v) for v in _momentum(c.own, way))
            self._note(u, link, p, L)
            return
        inner = NONE
        if link.axis is not None and way.turn == UNITS[link.axis]:
            # the axis is one of the triad, where the composite is known; about it J is that of the body
            k = link.axis
            p, L = _momentum(c.unturned, way._replace(travel=NONE))
            inner = keep(c.own.turning(way.turn)[k] if i == k else x for i, x in enumerate(L))
            p, L = posture.outside(keep(p)), posture.outside(inner)
        elif way.turn != NONE:
            p, L = (keep(v) for v in _momentum(c.own, way._replace(travel=NONE)))
            inner, p, L = L, posture.to_parent(p), posture.to_parent(L)
        else:
            p, L = (keep(v) for v in _momentum(c.outside, way))
        self._note(u, link, p, inner)
        self._go_inwards(u, link, p, L)

    def _go_inwards(self, u: Symbol, link: Link, p: Vector, L: Vector) -> None:
        """What a momentum, over the parent's axes, does along the speeds of all that a body stands on."""
        at = link.parent
        while at is not None:
            L = self.names.keep(L + cross(link.arm, p))
            if at.is_free:
                self._note(u, at, p, L)
                return
            p = at.posture.to_parent(p)
            self._note(u, at, p, L)
            L, link, at = at.posture.to_parent(L), at, at.parent

    def _note(self, u: Symbol, at: Link, p: Vector, L: Vector) -> None:
        """What it does along the speeds of one body.   p: over the axes it travels along, L: over its own"""
        for other, way in at.ways.items():
            i, j = self.number[u], self.number[other]
            if i >= j:
                self.found[i, j] = self.names.name(dot(way.travel, p) + dot(way.turn, L))


def _momentum(c: Moments, way: Way) -> tuple[Vector, Vector]:
    return c.m * way.travel + cross(way.turn, c.h), cross(c.h, way.travel) + c.turning(way.turn)
