"""Units of what a tree of bodies names: a Tree in; units, declared or told by its laws, out.

A coordinate is a length or an angle; masses, places, inertias, forces and moments have the units they have, and what
stands in them follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.model.convert import as_expr
from linkwork.symbolic import symbol
from linkwork.symbolic.units import Dimensions

if TYPE_CHECKING:
    from linkwork.model.tree import Tree

OF_FREEDOM = {"translation": "m", "rotation": "rad"}


def find_units(tree: Tree) -> dict[str, str]:
    """Units by name, of all that has one."""
    found = find_dimensions(tree)
    units = {name: found.unit(symbol(name)) for name in list(found.names)}
    units |= {name: output.unit or found.unit(output.expr) for name, output in tree.outputs.items()}
    return {name: unit for name, unit in units.items() if unit}


def find_dimensions(tree: Tree) -> Dimensions:
    """What is known of dimensions, and what the laws of the tree say about them."""
    known = {"t": "s"}
    for freedom in tree.freedoms:
        unit = OF_FREEDOM[freedom.kind]
        known |= {freedom.coordinate.name: unit, freedom.speed.name: f"{unit}/s"}
    found = Dimensions(known, tree.declared_units)
    for expr in tree.gravity.terms.values():
        found.require(expr, "m/s²", "gravity")
    for body in tree.bodies:
        found.require(body.mass, "kg", f"mass of '{body.name}'")
        for expr in body.inertia.terms.values():
            found.require(expr, "kg·m²", f"inertia of '{body.name}'")
        for expr in (*body.centre.offset.terms.values(), *body.shift.terms.values()):
            found.require(expr, "m", f"places of '{body.name}'")
    _relate_laws(tree, found)
    return found


def _relate_laws(tree: Tree, found: Dimensions) -> None:
    for load in tree.loads:
        kind, unit = ("moment", "N·m") if load.at is None else ("force", "N")
        for along in load.along.terms.values():
            found.require(load.magnitude * along, unit, f"{kind} '{load.name}'")
    for name, expr in (*tree.constraints.items(), *tree.velocity_constraints.items()):
        found.relate([expr], f"constraint '{name}'")
    for name, implicit in tree.implicits.items():
        found.relate([implicit.formula], f"variable '{name}'")
    for name, value in (*tree.values.items(), *tree.inputs.items()):
        found.relate([symbol(name), as_expr(value)], f"value of '{name}'")
    for name, output in tree.outputs.items():
        if output.unit:
            found.require(output.expr, output.unit, f"output '{name}'")
