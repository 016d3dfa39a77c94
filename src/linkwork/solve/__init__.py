"""Solvers: a consistent start, and integrators, one per file.

start/        a consistent start from any guess
constraints   constraints of positions as numbers, for many states at once
taylor        integration by Taylor series, chunk by chunk
events        crossings of zero along a motion
outcome       why a run ended, in words
"""

from linkwork.solve.start import Branch, Branches, Proposal, Start, Value, find_start, list_branches, propose_fixed
from linkwork.solve.taylor import DEFAULT_TOL, Progress, Taylor, integrate, integrate_with

__all__ = [
    "DEFAULT_TOL",
    "Branch",
    "Branches",
    "Progress",
    "Proposal",
    "Start",
    "Taylor",
    "Value",
    "find_start",
    "integrate",
    "integrate_with",
    "list_branches",
    "propose_fixed",
]
