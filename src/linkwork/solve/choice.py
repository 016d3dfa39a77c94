"""The choice of a method: what is asked and what the equations need in, a method and the reason for it out."""

from __future__ import annotations

from linkwork.equations import System
from linkwork.results import Method
from linkwork.solve.options import Options

AUTO = "auto"


def choose_method(system: System, options: Options) -> Method:
    """The method that is asked for or, if that is left to us, the one that suits the equations."""
    numbers = {} if options.step is None else {"step": float(options.step)}
    if options.method != AUTO:
        return Method(options.method, "as asked", numbers)
    return Method("taylor", "the laws are smooth", numbers)
