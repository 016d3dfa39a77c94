"""The choice of a method: what is asked and what the equations need in, a method and the reason for it out."""

from __future__ import annotations

from linkwork.equations import System
from linkwork.results import Method
from linkwork.solve.options import Options

AUTO = "auto"
ORDERS = {"rk8": 8, "baumgarte": 8, "hht": 5}  # of the polynomials of a step, of methods other than Taylor's


def choose_method(system: System, options: Options) -> Method:
    """The method that is asked for or, if that is left to us, the one that suits the equations."""
    numbers = {} if options.step is None else {"step": float(options.step)}
    if options.method != AUTO:
        return Method(options.method, "as asked", _numbers(options.method, options) | numbers)
    return Method("taylor", "the laws are smooth", numbers)


def find_order(method: Method, options: Options) -> int:
    """The order of the polynomials that a method makes of its steps."""
    return ORDERS.get(method.name) or options.chosen_order


def _numbers(method: str, options: Options) -> dict[str, float]:
    return {"rho": float(options.rho)} if method == "hht" else {}
