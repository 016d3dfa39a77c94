"""The mass matrix of a branch by composites: parts that hang on one another in, the entries of M out.

What moves with a part, as if all that hangs on it were rigid, is its composite: mass m, first moment h and inertia J
about what its pose places. A child that turns on its own goes along with its parent as a mass at their joint,

    m + Σ m_c        m c + Σ (m_c r [+ h_c])        J + m (c² 1 − c cᵀ) + Σ (that of m_c at r [of h_c at r, and J_c])

A speed of a part gives its composite a momentum p and, about what its pose places, the angular momentum L:

    travel  p = m e, L = h × e          turn about n  p = n × h, L = J n

and M has what these do along the speeds of the part and of all it hangs on; L goes along with r × p on the way inwards,
where the part leans on its parent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from linkwork.equations.limbs import AXES, Limb
from linkwork.symbolic import ZERO, Expr, symbol
from linkwork.symbolic.vector import Vector, combine, cross, dot

INERTIA = {2: ("i",), 3: ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
Rows = tuple[Vector, ...]
Keep = Callable[[Iterable[Expr]], Vector]


def centre_of(limb: Limb) -> Vector:
    """Where the mass centre is, from what the pose places, in the world."""
    return combine([symbol(f"c{axis}_{limb.i}") for axis in AXES[: limb.dimension]], limb.axes)


def inertia_of(limb: Limb) -> Rows:
    """The inertia of a part of space about its mass centre, in its axes."""
    xx, yy, zz, xy, xz, yz = (symbol(f"{name}_{limb.i}") for name in INERTIA[3])
    return Vector((xx, xy, xz)), Vector((xy, yy, yz)), Vector((xz, yz, zz))


@dataclass(slots=True)
class Composite:
    """What moves with a part.   J: rows, in the plane one of one"""

    m: Expr
    h: Vector
    J: Rows

    def named(self, keep: Keep) -> Composite:
        """The same by names."""
        return Composite(keep([self.m])[0], keep(self.h), tuple(keep(row) for row in self.J))


def derive_mass(limbs: Sequence[Limb], keep: Keep) -> dict[tuple[str, str], Expr]:
    """The entries of M by pairs of coordinates."""
    found: dict[tuple[str, str], Expr] = {}
    composites = _compose(limbs, keep)
    for limb in limbs:
        for j, (p, L) in zip(limb.coordinates, _momenta(limb, composites[limb.i], keep), strict=True):
            below: Limb | None = limb
            while below is not None:
                found |= {(j, i): x for i, x in _felt(below, p, L)}
                p, L, below = *_inwards(below, p, L, keep), below.parent
    return found


def _compose(limbs: Sequence[Limb], keep: Keep) -> list[Composite]:
    found = [_alone(limb) for limb in limbs]
    for limb in reversed(limbs):
        own = found[limb.i] = found[limb.i].named(keep)
        if limb.parent is not None:
            found[limb.parent.i] = _with_child(found[limb.parent.i], limb, own)
    return found


def _alone(limb: Limb) -> Composite:
    m, c = symbol(f"m_{limb.i}"), limb.keep(centre_of(limb))
    if limb.dimension == 2:
        return Composite(m, m * c, (Vector((symbol(f"i_{limb.i}") + m * dot(c, c),)),))
    # R J Rᵀ: the axes of the world are rows of R in the part
    rows = [Vector(row) for row in zip(*limb.axes, strict=True)]
    seen = [limb.keep(Vector(dot(row, j) for j in inertia_of(limb))) for row in rows]
    J = tuple(Vector(dot(seen[max(i, j)], rows[min(i, j)]) for j in range(3)) for i in range(3))
    return Composite(m, m * c, _sum(J, _at(m, c)))


def _at(m: Expr, r: Vector) -> Rows:
    """The inertia of a mass at r: m (r² 1 − r rᵀ)."""
    square = dot(r, r)
    if len(r) == 2:
        return (Vector((m * square,)),)
    return tuple(Vector(m * ((square if i == j else ZERO) - r[i] * r[j]) for j in range(3)) for i in range(3))


def _across(r: Vector, h: Vector) -> Rows:
    """What a first moment at r adds to the inertia: 2 (r·h) 1 − r hᵀ − h rᵀ."""
    both = 2 * dot(r, h)
    if len(r) == 2:
        return (Vector((both,)),)
    return tuple(Vector((both if i == j else ZERO) - r[i] * h[j] - h[i] * r[j] for j in range(3)) for i in range(3))


def _sum(*all_rows: Rows) -> Rows:
    return tuple(
        Vector(sum(entries[1:], entries[0]) for entries in zip(*rows, strict=True))
        for rows in zip(*all_rows, strict=True)
    )


def _with_child(parent: Composite, child: Limb, own: Composite) -> Composite:
    r = child.arm
    m, h, J = parent.m + own.m, parent.h + own.m * r, _sum(parent.J, _at(own.m, r))
    if child.leans:
        h, J = h + own.h, _sum(J, own.J, _across(r, own.h))
    return Composite(m, h, J)


def _momenta(limb: Limb, c: Composite, keep: Keep) -> list[tuple[Vector, Vector]]:
    """p and L by each speed of a part."""
    found = [(keep(c.m * e), keep(cross(c.h, e))) for e in limb.lines]
    match limb.make.turn:
        case "turn":
            found.append((Vector((-c.h[1], c.h[0])), c.J[0]))
        case "ball":
            found += [(keep(cross(n, c.h)), keep(Vector(dot(row, n) for row in c.J))) for n in limb.axes]
        case "hinge":
            n = limb.hinge
            found.append((keep(cross(n, c.h)), keep(Vector(dot(row, n) for row in c.J))))
    return found


def _felt(limb: Limb, p: Vector, L: Vector) -> list[tuple[str, Expr]]:
    """What momenta do along the speeds of a part."""
    along = [dot(e, p) for e in limb.lines]
    match limb.make.turn:
        case "turn":
            along.append(L[0])
        case "ball":
            along += [dot(axis, L) for axis in limb.axes]
        case "hinge":
            along.append(dot(limb.hinge, L))
    return list(zip(limb.coordinates, along, strict=True))


def _inwards(limb: Limb, p: Vector, L: Vector, keep: Keep) -> tuple[Vector, Vector]:
    """The same about what the parent's pose places."""
    arm = cross(limb.arm, p)
    return p, keep(arm + L if limb.leans else arm)
