"""The equations of a branch: parts that hang on one another in, one kernel out, as large as there are parts.

Newton and Euler, outwards by `limbs`, then inwards: each part needs the force F and, about what its pose places, the
moment N that move it and all that hangs on it; what they do along its own speeds is its balance.

    F = m (a* − g) + Σ F of children
    N = J α + ω × J ω + c × m (a* − g) + Σ (r × F [+ N]) of children
    travel  e · F        plane  N        ball  Rᵀ N        hinge  axis · N

J α + ω × J ω is made in the axes of the part, where a ball asks for it. A child hands on its moment N where its speeds
are counted from its parent: by a hinge, or if it does not turn. Equal branches are instances of one kernel: all numbers
are columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from linkwork.equations.kernel import Contribution, Kernel, known_kernel
from linkwork.equations.limbs import AXES, Limb, Make, make_limbs
from linkwork.symbolic import Expr, symbol
from linkwork.symbolic.vector import Vector, combine, cross, dot

INERTIA = {2: ("i",), 3: ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}


@dataclass(frozen=True, slots=True)
class Shape:
    """What matters of a branch but numbers: how its parts hang, and on which, −1 for the ground."""

    dimension: int
    makes: tuple[Make, ...]
    parents: tuple[int, ...]


def branch_columns(limbs: Sequence[Limb], dimension: int) -> tuple[str, ...]:
    """What a branch is told: of each part how it hangs, its mass, mass centre and inertia; then gravity."""
    axes = AXES[:dimension]
    found: list[str] = []
    for limb in limbs:
        own = ("m", *(f"c{axis}" for axis in axes), *INERTIA[dimension])
        found += [*limb.columns, *(f"{name}_{limb.i}" for name in own)]
    return (*found, *(f"g{axis}" for axis in axes))


@lru_cache(maxsize=64)
def branch_kernel(shape: Shape) -> Kernel:
    """The kernel of a branch."""
    limbs = make_limbs(shape.makes, shape.parents, shape.dimension)
    balance = _inward(limbs, _needed(limbs, shape.dimension))
    name = f"branch_{hashlib.sha256(repr(shape).encode()).hexdigest()[:16]}"
    return known_kernel(
        name,
        tuple(name for limb in limbs for name in limb.coordinates),
        branch_columns(limbs, shape.dimension),
        Contribution(balance=balance, kinematics={name: rate for x in limbs for name, rate in x.rates.items()}),
        tuple(name for limb in limbs for name in limb.followers),
        "branch",
    )


def _needed(limbs: Sequence[Limb], dimension: int) -> list[tuple[Vector, Vector]]:
    """The force and the moment that move each part alone, held up against gravity."""
    g = Vector(symbol(f"g{axis}") for axis in AXES[:dimension])
    found = []
    for limb in limbs:
        mass = symbol(f"m_{limb.i}")
        c = combine([symbol(f"c{axis}_{limb.i}") for axis in AXES[:dimension]], limb.axes)
        F = mass * (limb.acceleration + limb.accelerated(c) - g)
        found.append((F, cross(c, F)))
    return found


def _turning(limb: Limb) -> Vector:
    """J α + ω × J ω about the mass centre, in the axes of the part."""
    J = [symbol(f"{name}_{limb.i}") for name in INERTIA[limb.dimension]]
    if limb.dimension == 2:
        return J[0] * limb.alpha
    xx, yy, zz, xy, xz, yz = J
    rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    momentum, change = (Vector(dot(row, v) for row in rows) for v in (limb.own_spin, limb.own_alpha))
    return change + cross(limb.own_spin, momentum)


def _inward(limbs: Sequence[Limb], needed: Sequence[tuple[Vector, Vector]]) -> dict[str, Expr]:
    forces, moments = [F for F, _ in needed], [N for _, N in needed]
    for limb in reversed(limbs):
        if limb.dimension == 2:
            moments[limb.i] = moments[limb.i] + _turning(limb)
        elif limb.make.turn != "ball":
            moments[limb.i] = moments[limb.i] + combine(_turning(limb), limb.axes)
        if limb.parent is not None:
            p, F = limb.parent.i, forces[limb.i]
            forces[p] = forces[p] + F
            moments[p] = moments[p] + cross(limb.arm, F)
            if limb.make.turn in ("hinge", "none"):
                moments[p] = moments[p] + moments[limb.i]
    return {
        name: x
        for limb in limbs
        for name, x in zip(limb.coordinates, _along(limb, forces[limb.i], moments[limb.i]), strict=True)
    }


def _along(limb: Limb, F: Vector, N: Vector) -> list[Expr]:
    """What a force and a moment do along the own speeds of a part."""
    found = [dot(line, F) for line in limb.lines]
    match limb.make.turn:
        case "turn":
            found += N
        case "ball":
            found += limb.seen(N) + _turning(limb)
        case "hinge":
            found.append(dot(limb.hinge, N))
    return found
