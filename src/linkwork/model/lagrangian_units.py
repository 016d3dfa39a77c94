"""Units of what a Lagrangian names: some of them, declared, in; those that its laws tell besides out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from linkwork.errors import ExpressionError, Problem, Ref
from linkwork.symbolic import Expr, symbol
from linkwork.symbolic.units import RAD, Dimensions, read_unit, write_unit

if TYPE_CHECKING:
    from linkwork.model.lagrangian import Lagrangian


def check_units(units: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with declared units."""
    for name, unit in units.items():
        try:
            read_unit(unit if isinstance(unit, str) else repr(unit))
        except ExpressionError as error:
            yield Problem(ref=Ref("units"), what=f"'{name}': {error.what}", remedy=error.remedy)


def find_units(lagrangian: Lagrangian, declared: Mapping[str, str]) -> dict[str, str]:
    """Units by name: an energy is in J, a force along q in J by the unit of q, a place in m.

    In energies a radian is 1: m l² θ'²/2 is one as well as m g l cos θ.
    """
    plain = {name: {k: n for k, n in read_unit(unit).items() if k != RAD} for name, unit in declared.items()}
    known = {"t": "s"} | {name: write_unit(plain[name]) for name in lagrangian.coordinates if name in plain}
    found = Dimensions(known, {name: unit for name, unit in declared.items() if name not in known})
    for who, unit, expr in _list_laws(lagrangian):
        found.require(expr, unit, who)
    for name, expr in (*lagrangian.constraints.items(), *lagrangian.velocity_constraints.items()):
        found.relate([expr], f"constraint '{name}'")
    for name, expr in (*lagrangian.parameters.items(), *lagrangian.variables.items(), *lagrangian.inputs.items()):
        found.relate([symbol(name), expr], f"'{name}'")
    units = {name: found.unit(symbol(name)) for name in list(found.names)}
    return {name: unit for name, unit in units.items() if unit} | dict(declared)


def _list_laws(lagrangian: Lagrangian) -> Iterator[tuple[str, str, Expr]]:
    yield "L", "J", lagrangian.energy
    yield "dissipation", "W", lagrangian.dissipation
    for name, force in lagrangian.forces.items():
        yield f"force on '{name}'", "J", force * symbol(name)
    for name, place in lagrangian.points.items():
        for expr in place:
            yield f"point '{name}'", "m", expr
