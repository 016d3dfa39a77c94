"""How a part hangs on another one, as formulas: what a tree of parts is made of."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.equations.limbs import Make
from linkwork.symbolic import ZERO, Expr, add
from linkwork.symbolic.vector import Vector, dot

Place = tuple[Expr, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """How a part hangs on another one.

    parent   that part; None: it stands on the ground
    make     its travels and its turn
    at       the place of the joint in the axes of the parent, from what its pose places; on the ground in the world
    own      the same place in the part itself, which is what its pose places
    travels  the directions of travel, in the axes of the parent
    sides    the axes x, y, z of the joint in the parent and in the part, where it has some
    angle    how far a part of the plane that does not turn is turned against its parent
    way      −1 where the joint counts the angle from the part to the parent
    point    the point that both share
    joint    the joint, and which of its equations the tree does not keep
    """

    parent: str | None
    make: Make
    at: Place = ()
    own: Place = ()
    travels: tuple[Place, ...] = ()
    sides: tuple[tuple[Vector, ...], ...] = ()
    angle: Expr = ZERO
    way: int = 1
    point: str = ""
    joint: str = ""
    left: tuple[int, ...] = ()

    @property
    def columns(self) -> list[Expr]:
        """The formulas of the columns that a kernel needs for it, in the order of `Limb.columns`."""
        found = [*self.at, *(x for axis in self.travels for x in axis)]
        if self.make.turn == "hinge":
            found += [self.way * x for x in self.sides[1][2]]
        if self.make.turn == "none":
            found += [*(x for row in self.rest for x in row), *([self.angle] if len(self.at) == 2 else [])]
        return found

    @property
    def axes(self) -> tuple[list[list[Expr]], ...]:
        """K0, K1 and K2 of the axes K0 + K1 cos θ + K2 sin θ that a hinge gives a part in its parent, by columns."""
        (x, y, z), (x2, y2, z2) = self.sides
        still = _outer([(z, z2)])
        across = _outer([(x, x2), (y, y2)])
        return still, across, _outer([(self.way * y, x2), (-self.way * x, y2)])

    @property
    def rest(self) -> list[list[Expr]]:
        """The axes of a part that does not turn, in those of its parent, by rows: Σ e eᵀ over the axes of the joint."""
        d, (here, there) = len(self.at), self.sides
        return [[dot([e[i] for e in here], [e[j] for e in there]) for j in range(d)] for i in range(d)]


def _outer(pairs: list[tuple[Vector, Vector]]) -> list[list[Expr]]:
    """Σ a bᵀ, by columns."""
    return [[add(*(a[i] * b[j] for a, b in pairs)) for i in range(3)] for j in range(3)]
