"""Solvers: a consistent start, and the run of an integration.

start/        a consistent start from any guess
constraints   constraints of positions as numbers, for many states at once
run           the driver: chunks of steps, crossings, progress, Ctrl-C; options: what a user may ask
choice        the method that is asked for, or that the equations need
events        crossings of zero along a motion, in Python; looking: a machine that does not look for them itself
sampling      sampled controllers in a run
acting        what happens at events; impacts: how speeds jump; gripping: what pushes, holds and rubs at a state;
              complementarity: its forces; sharing: friction that holds together
mode          what holds at a state, for equilibria and linear models
stepping      a motion step by step, for those who steer it
outcome       why a run ended, in words; pace: whether it will ever arrive; stiffness: what holds it up;
              pauses: events that act faster and faster; interruption: Ctrl-C
"""

from linkwork.solve.options import DEFAULT_RHO, DEFAULT_TOL, Options
from linkwork.solve.run import Progress, integrate, integrate_with
from linkwork.solve.sampling import History
from linkwork.solve.start import (
    Branch,
    Branches,
    Proposal,
    Start,
    Value,
    find_start,
    list_branches,
    propose_fixed,
    resume,
    start_with,
)
from linkwork.solve.stepping import Stepping

__all__ = [
    "DEFAULT_RHO",
    "DEFAULT_TOL",
    "Branch",
    "Branches",
    "History",
    "Options",
    "Progress",
    "Proposal",
    "Start",
    "Stepping",
    "Value",
    "find_start",
    "integrate",
    "integrate_with",
    "list_branches",
    "propose_fixed",
    "resume",
    "start_with",
]
