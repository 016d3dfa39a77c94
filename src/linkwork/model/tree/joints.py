"""How a body stands on its parent: directions of sliding, axes of turning, and the freedoms they give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from linkwork.model.tree.bodies import Freedom, Turning
from linkwork.symbolic import ONE, ZERO, Expr, Number, add, sqrt, symbol
from linkwork.symbolic.simplify import trigonometric
from linkwork.vectors import Frame, Point, Vector, VectorError, cross, dot, express, is_constant, position
from linkwork.vectors.frames import axes_of, axis_number
from linkwork.vectors.quantity import name_of

if TYPE_CHECKING:
    from linkwork.model.tree.tree import Tree

ROUNDING = 1e-12  # of products of unit vectors


def read_slides(tree: Tree, translate: Any, parent: Frame) -> list[Vector]:
    """The directions of sliding, of unit length."""
    found: list[Vector] = []
    if translate is None:
        return found
    if isinstance(translate, Mapping):
        raise VectorError(f"{name_of(translate)} is no list of directions", 'Give translate="xy", or directions')
    if isinstance(translate, Vector | int) or not isinstance(translate, Iterable):
        translate = [translate]
    for one in translate:
        if isinstance(one, Vector):
            found.append(_unit(express(one, parent), parent))
        elif isinstance(one, str | int):
            found.append(parent.axes[axis_number(one)])
        else:
            triple = tree.read_triple(one, "a direction of sliding")
            found.append(_unit(Vector(dict(zip(parent.axes, triple, strict=True))), parent))
    if len(found) > 3:
        raise VectorError(f"{len(found)} translations", "A body has three at most")
    if _dependent(found):
        named = ", ".join(map(str, found))
        raise VectorError(f"the directions of sliding {named} repeat each other", "Leave one out")
    return found


def read_turning(rotate: Any, reference: Any, parent: Frame) -> Turning:
    """About which axes, and from which triad on."""
    rotate = () if rotate is None else [rotate] if isinstance(rotate, int) else rotate
    if isinstance(rotate, Vector):
        triad, k = parent.triad(rotate, reference)
        if reference is not None or triad == parent.axes:
            return Turning(triad, (k,))
        return Turning(triad, (k,), parent.axes)
    axes = axes_of(rotate)
    if len(axes) > 3:
        raise VectorError(f"{len(axes)} rotations", "A body turns about three axes at most")
    return Turning(parent.axes, tuple(axes))


def make_freedoms(tree: Tree, body: str, slides: int, turns: int, small: Any) -> list[Freedom]:
    """Coordinates and speeds of a new body, numbered on."""
    total = slides + turns
    flags = [small] * total if isinstance(small, bool) else list(small) if isinstance(small, list | tuple) else []
    if len(flags) != total or not all(isinstance(flag, bool) for flag in flags):
        raise VectorError(f"'{body}': small is {name_of(small)}", f"Give True, False, or {total} of them")
    kinds = ["translation"] * slides + ["rotation"] * turns
    found = []
    for n, (kind, flag) in enumerate(zip(kinds, flags, strict=True), len(tree.freedoms) + 1):
        q, u = symbol(f"q{n}", kind="coordinate"), symbol(f"u{n}", kind="speed")
        found.append(Freedom(coordinate=q, speed=u, body=body, kind=kind, small=flag))
    return found


def read_place(tree: Tree, place: Any, parent: Frame, name: str) -> Vector:
    """Where the joint is in the parent."""
    if isinstance(place, Point | Frame):
        return position(place, parent.origin)
    triple = tree.read_triple(place, f"joint_at of '{name}'")
    return Vector(dict(zip(parent.axes, triple, strict=True)))


def _dependent(lines: list[Vector]) -> bool:
    """Whether two directions are parallel, or three in one plane, as far as can be seen."""
    if len(lines) == 3:
        return is_nothing(dot(lines[0], cross(lines[1], lines[2])))
    return len(lines) == 2 and all(is_nothing(c) for c in cross(*lines).terms.values())


def is_nothing(x: Expr) -> bool:
    """Whether an expression is zero, or a number that is but for rounding."""
    simple = trigonometric(x)
    return simple is ZERO or (isinstance(simple, Number) and abs(float(simple.value)) < ROUNDING)


def _unit(v: Vector, parent: Frame) -> Vector:
    if not is_constant(v):
        what = f"a direction of sliding moves in '{parent.name}': it is {name_of(v)}"
        raise VectorError(what, f"Give one fixed in '{parent.name}'")
    length = sqrt(add(*(c**2 for c in v.terms.values())))
    if length is ZERO:
        raise VectorError("a direction of sliding has no length", "Give another")
    return v if length is ONE else v / length
