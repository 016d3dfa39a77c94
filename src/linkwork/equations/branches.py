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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from linkwork.equations.composites import INERTIA, centre_of, derive_mass, inertia_of
from linkwork.equations.kernel import Contribution, Kernel, known_kernel
from linkwork.equations.limbs import AXES, Limb, Make, make_limbs
from linkwork.symbolic import Expr, Number, Symbol, symbol
from linkwork.symbolic.vector import Vector, combine, cross, dot


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


class Names:
    """Names for what formulas share: a long chain would write it out again in every part."""

    def __init__(self) -> None:
        self.shared: dict[Symbol, Expr] = {}
        self._known: dict[Expr, Symbol] = {}

    def keep(self, v: Iterable[Expr]) -> Vector:
        """The names of the components; numbers and symbols are their own."""
        return Vector(x if isinstance(x, Number | Symbol) else self._name(x) for x in v)

    def _name(self, x: Expr) -> Symbol:
        if x not in self._known:
            name = self._known[x] = symbol(f"z{len(self.shared)}", kind="coordinate")
            self.shared[name] = x
        return self._known[x]


@lru_cache(maxsize=64)
def branch_kernel(shape: Shape) -> Kernel:
    """The kernel of a branch."""
    names = Names()
    limbs = make_limbs(shape.makes, shape.parents, shape.dimension, names.keep)
    rates = {name: rate for limb in limbs for name, rate in limb.rates.items()}
    balance = _along_speeds(limbs, _hand_in(limbs, _needed(limbs), names), names)
    contribution = Contribution(
        balance=balance, mass=derive_mass(limbs, names.keep), kinematics=rates, shared=names.shared
    )
    name = f"branch_{hashlib.sha256(repr(shape).encode()).hexdigest()[:16]}"
    return known_kernel(
        name,
        tuple(name for limb in limbs for name in limb.coordinates),
        branch_columns(limbs, shape.dimension),
        contribution,
        tuple(name for limb in limbs for name in limb.followers),
        "branch",
    )


def _needed(limbs: Sequence[Limb]) -> list[tuple[Vector, Vector]]:
    """The force and the moment that move each part alone, held up against gravity, but for what turns it."""
    found = []
    for limb in limbs:
        g = Vector(symbol(f"g{axis}") for axis in limb.names)
        c = limb.keep(centre_of(limb))
        F = limb.keep(symbol(f"m_{limb.i}") * (limb.acceleration + limb.accelerated(c) - g))
        found.append((F, cross(c, F)))
    return found


def _turning(limb: Limb) -> Vector:
    """J α + ω × J ω about the mass centre, in the axes of the part."""
    if limb.dimension == 2:
        return symbol(f"i_{limb.i}") * limb.alpha
    J = inertia_of(limb)
    momentum, change = (limb.keep(Vector(dot(row, v) for row in J)) for v in (limb.own_spin, limb.own_alpha))
    return change + cross(limb.own_spin, momentum)


def _hand_in(
    limbs: Sequence[Limb], needed: Sequence[tuple[Vector, Vector]], names: Names
) -> list[tuple[Vector, Vector]]:
    """The same for each part and all that hangs on it."""
    forces, moments = [F for F, _ in needed], [N for _, N in needed]
    for limb in reversed(limbs):
        i = limb.i
        if limb.dimension == 2:
            moments[i] = moments[i] + _turning(limb)
        elif limb.make.turn != "ball":
            moments[i] = moments[i] + combine(_turning(limb), limb.axes)
        forces[i], moments[i] = names.keep(forces[i]), names.keep(moments[i])
        if limb.parent is not None:
            p = limb.parent.i
            forces[p] = forces[p] + forces[i]
            moments[p] = moments[p] + cross(limb.arm, forces[i])
            if limb.leans:
                moments[p] = moments[p] + moments[i]
    return list(zip(forces, moments, strict=True))


def _along_speeds(limbs: Sequence[Limb], all_in: Sequence[tuple[Vector, Vector]], names: Names) -> dict[str, Expr]:
    """What they do along the speeds of each part."""
    found: dict[str, Expr] = {}
    for limb, (F, N) in zip(limbs, all_in, strict=True):
        along = [dot(line, F) for line in limb.lines]
        match limb.make.turn:
            case "turn":
                along += N
            case "ball":
                along += limb.seen(N) + _turning(limb)
            case "hinge":
                along.append(dot(limb.hinge, N))
        found |= dict(zip(limb.coordinates, names.keep(along), strict=True))
    return found
