"""Curves of laws as tables of the exported code, and the function that looks at them."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.arrays import Floats
from linkwork.export.language import plain_number, wrap
from linkwork.export.template import fill
from linkwork.symbolic import Curve


def c_tables(curves: Sequence[Curve], sides: bool) -> str:
    """The tables in C, and who reads them."""
    if not curves:
        return ""
    parts = [fill("c/curve.c", {}, {"sides": sides}).rstrip()]
    for i, curve in enumerate(curves):
        pieces = []
        for name, values in (("knots", curve.knots), ("origins", curve.origins), ("coefficients", curve.coefficients)):
            pieces += wrap(f"static const double curve_{i + 1}_{name}[] = {{{_row(values)}}};", "", 110)
        size = f"{len(curve.knots)}, {curve.degree}, {plain_number(curve.period)}"
        pieces.append(
            f"static const curve curve_{i + 1} = {{curve_{i + 1}_knots, curve_{i + 1}_origins, "
            f"curve_{i + 1}_coefficients, {size}}};"
        )
        parts.append("\n".join(pieces))
    return "\n\n".join(parts)


def _row(values: Floats) -> str:
    return ", ".join(plain_number(float(x)) for x in values.ravel()) or "0.0"
