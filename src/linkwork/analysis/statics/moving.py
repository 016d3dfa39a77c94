"""Whether anything can move: a System and a state in, its degrees of freedom out, or words why there are none."""

from __future__ import annotations

from linkwork.analysis.structure.mobility import find_motion
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import SolveError


def check_moves(system: System, q: Floats, t: float, u: Floats) -> tuple[int, int | None]:
    """Degrees of freedom of the instant and of motion; what can only shake has neither equilibria nor linear models."""
    freedom, motion = find_motion(system, q, t, u)
    if motion == 0 < freedom:
        told = f"{freedom} at this instant, but none of motion"
        raise SolveError(f"nothing can move here: {told}. It can shake but not move, and has no linear model")
    return freedom, motion
