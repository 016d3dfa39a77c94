"""Mass and inertia of bodies as they are given, and of what does not move in a body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.model.tree.bodies import TreeBody
from linkwork.model.tree.given import Given
from linkwork.symbolic import ZERO, Expr, Number, symbol
from linkwork.vectors import Dyadic, Point, Vector, VectorError, express, is_constant
from linkwork.vectors.quantity import name_of

if TYPE_CHECKING:
    from linkwork.model.tree.tree import Tree

ROUNDING = 1e-12  # of an inertia: by how much both sides of the diagonal may differ
ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def set_inertia(tree: Tree, body: TreeBody, mass: Given, inertia: Any, centre: Any) -> None:
    """Mass, inertia and mass centre of a body; what is not given becomes parameters."""
    name = body.name
    body.mass = symbol(f"M_{name}") if mass is None else tree.read(mass, f"mass of '{name}'")
    if mass is None:
        tree.used[f"M_{name}"] = symbol(f"M_{name}")
    body.inertia = _inertia(tree, body, inertia)
    body.centre = centre if isinstance(centre, Point) else body.point(f"{name}*", centre)
    tree.check_mine(f"centre of '{name}'", body.centre, body.centre.offset)
    tree.check_mine(f"inertia of '{name}'", body.inertia)


def _inertia(tree: Tree, body: TreeBody, given: Any) -> Dyadic:
    if isinstance(given, Dyadic):
        return given
    given = given.tolist() if isinstance(given, np.ndarray) else given
    if given is None:
        names = {place: f"I_{body.name}{place[0] + 1}{place[1] + 1}" for place in ENTRIES}
        tree.used |= {name: symbol(name) for name in names.values()}
        entries: dict[tuple[int, int], Expr] = {place: symbol(name) for place, name in names.items()}
    elif isinstance(given, Real) and given == 0:
        return Dyadic({})
    else:
        entries = _entries(tree, given, f"inertia of '{body.name}'")
    both = {**entries, **{(j, i): x for (i, j), x in entries.items()}}
    return Dyadic({(body.axes[i], body.axes[j]): x for (i, j), x in both.items()})


def _entries(tree: Tree, given: Any, what: str) -> dict[tuple[int, int], Expr]:
    rows = [given] if not isinstance(given, Sequence) or isinstance(given, str) else list(given)
    if len(rows) == 3 and all(isinstance(row, Sequence) and not isinstance(row, str) for row in rows):
        full = {(i, j): tree.read(rows[i][j], what) for i in range(3) for j in range(3) if len(rows[i]) == 3}
        if len(full) == 9:
            return {(i, j): _mean(full[i, j], full[j, i], what, full.values()) for i, j in ENTRIES}
    elif len(rows) == 3:
        return {(i, i): tree.read(x, what) for i, x in enumerate(rows)}
    elif len(rows) == 6:
        return {place: tree.read(x, what) for place, x in zip(ENTRIES, rows, strict=True)}
    raise VectorError(f"{what} is {name_of(given)}", "Give 3 (diagonal), 6 (11 12 13 22 23 33) or 3 x 3 symmetric")


def _mean(a: Expr, b: Expr, what: str, entries: Iterable[Expr]) -> Expr:
    """What stands on both sides of the diagonal, but for rounding."""
    if a is b:
        return a
    if isinstance(a, Number) and isinstance(b, Number):
        size = max(abs(float(x.value)) for x in entries if isinstance(x, Number))
        if abs(float(a.value) - float(b.value)) <= ROUNDING * size:
            return (a + b) / 2
    raise VectorError(f"{what} is not symmetric: {a} and {b} on both sides of the diagonal", "Give equal entries")


def find_composite_centre(body: TreeBody) -> Vector:
    """From the origin of a body to the mass centre of all that does not move in it: its own and its children's."""
    mass, moment = _composite(body)
    return moment / mass if mass is not ZERO else Vector({})


def _composite(body: TreeBody) -> tuple[Expr, Vector]:
    """Mass and first moment about the origin of a body and of those children whose mass centre is fixed in it."""
    mass, moment = body.mass, body.mass * express(body.centre.offset, body)
    for child in body.children:
        m, s = _composite(child)
        if m is ZERO:
            continue
        seen = express(m * child.shift + s, body)
        if is_constant(seen) and is_constant(m):
            mass, moment = mass + m, moment + seen
    return mass, moment
