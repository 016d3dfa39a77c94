"""The equations of a mechanism, readable: T, V, L, constraints and equations of motion as text, LaTeX or SymPy."""

from linkwork.analysis.printed.equations import Equations

__all__ = ["Equations"]
