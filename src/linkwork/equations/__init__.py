"""Equations of motion: terms (kernel × instances), the System they make, and the formalisms that make it."""

from linkwork.equations.kernel import Contribution, Derived, Kernel, kernel
from linkwork.equations.points import formulate_points
from linkwork.equations.system import System, Term, Watch

__all__ = ["Contribution", "Derived", "Kernel", "System", "Term", "Watch", "formulate_points", "kernel"]
