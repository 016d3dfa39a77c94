"""Solvers: a consistent start, and integrators, one per file."""

from linkwork.solve.freedom import Proposal
from linkwork.solve.modes import Mode, Modes
from linkwork.solve.start import Start, Value, find_start, list_modes, propose_fixed
from linkwork.solve.taylor import DEFAULT_TOL, Progress, Taylor, integrate, integrate_with

__all__ = [
    "DEFAULT_TOL",
    "Mode",
    "Modes",
    "Progress",
    "Proposal",
    "Start",
    "Taylor",
    "Value",
    "find_start",
    "integrate",
    "integrate_with",
    "list_modes",
    "propose_fixed",
]
