"""Units as modelDescription.xml wants them: m/s² as m/s2 with the exponents of its base units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linkwork.errors import ExpressionError
from linkwork.quoting import xml_attribute
from linkwork.symbolic.units import LOWERED, read_unit, write_unit

BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")  # as FMI lists them


def plain_unit(unit: str) -> str:
    """The name of a unit in letters and digits: N·m/s² is N.m/s2; nothing of 1 and of what is no unit.

    >>> plain_unit("kg·m²")
    'kg.m2'
    """
    try:
        told = read_unit(unit) if unit else {}
    except ExpressionError:
        return ""
    return write_unit(told).replace("·", ".").translate(LOWERED) if told else ""


def unit_by_time(unit: str) -> str:
    """That of a rate."""
    name = plain_unit(unit)
    return write_unit(read_unit(f"({unit})/s")) if name else ""


def define_units(units: Iterable[str]) -> Iterator[str]:
    """The lines that say what units are made of, each once; those of other bases are only named."""
    named = {name: read_unit(unit) for unit in units if (name := plain_unit(unit))}
    if not named:
        return
    yield "  <UnitDefinitions>"
    for name, made in sorted(named.items()):
        known = all(base in BASES and n.denominator == 1 for base, n in made.items())
        powers = "".join(f' {base}="{made[base]}"' for base in BASES if base in made)
        yield f"    <Unit name={xml_attribute(name)}>" + (f"<BaseUnit{powers}/>" if known else "") + "</Unit>"
    yield "  </UnitDefinitions>"
