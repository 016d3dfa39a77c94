"""Notes: what a user should know about the point of a linear model. A System and a point in, sentences out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwork.equations import System
from linkwork.equations.kernel import TIME, Kernel
from linkwork.native.numbers import compute_switches
from linkwork.native.tangents import Point
from linkwork.symbolic import Expr, free_symbols

FROZEN = (
    "these are eigenvalues of a frozen instant: a moment later they are others, and they say nothing of stability. "
    "Give states in which the motion is steady, or look at a run"
)
SWITCHING = 1e-12  # what decides between pieces of a law is as near to zero as this


def note_time(system: System, t: float) -> Iterator[str]:
    """That motions or laws depend on time."""
    kernels = [term.kernel for term in system.terms]
    if any(_uses_time(list(_motions(k))) for k in kernels):
        yield f"a prescribed motion depends on time: the model belongs to t = {t:g}"
    timed = [term for term in system.terms if _uses_time(list(_laws(term.kernel)))]
    laws = sorted({name for term in timed for name in term.names})
    if laws:
        yield f"time stands still at t = {t:g} for what depends on it: {', '.join(laws[:5])}"


def note_switches(system: System, at: Point) -> Iterator[str]:
    """That a piecewise law is just between two pieces."""
    names, values = compute_switches(system, at.q, at.u, at.t)
    here = sorted({name for name, x in zip(names, np.ravel(values), strict=True) if abs(x) <= SWITCHING})
    if here:
        yield f"a law has a corner or jump here, and the model knows one side of it only: {', '.join(here[:5])}"


def _motions(kernel: Kernel) -> Iterator[Expr]:
    yield from kernel.contribution.constraints
    yield from kernel.contribution.velocity_constraints


def _laws(kernel: Kernel) -> Iterator[Expr]:
    c = kernel.contribution
    yield from (c.kinetic, *c.potential.values(), c.dissipation, *c.rates.values())
    for pair in c.efforts:
        yield from pair


def _uses_time(exprs: list[Expr]) -> bool:
    return TIME in free_symbols(*exprs) if exprs else False
