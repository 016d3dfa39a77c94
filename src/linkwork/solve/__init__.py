"""Solvers: a consistent start, and integrators, one per file."""

from linkwork.solve.start import Move, Start, find_start
from linkwork.solve.taylor import DEFAULT_TOL, Progress, Taylor, integrate, integrate_with

__all__ = ["DEFAULT_TOL", "Move", "Progress", "Start", "Taylor", "find_start", "integrate", "integrate_with"]
