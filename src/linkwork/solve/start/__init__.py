"""A consistent start: guesses in, positions and velocities that meet all constraints out.

consistent    the whole search, and what it gives: Start
guess         a Mechanism's initial values as coordinates; shapes: points placed by the parts they belong to
tiers         which parts are next to the ground or to a part that carries others, and which follow
wanted        the guesses and how much each of them matters
assemble      positions, by closing (Levenberg-Marquardt) and nearest (projection); velocities: those that go with them
fit           constraints that agree only to rounded numbers
refine        positions to the last bit, however they were found
elsewhere     a start at a state of another motion, or with other values
follow        the start for slightly other values, from one that is known
branches      the ways to put a mechanism together; freedom: what may be fixed; nearby: positions close to one
singular      where constraints lose rank; departure: the first step away from there
verify        what a start must be; conflicts: why there is none, in words
"""

from linkwork.solve.start.branches import Branch, Branches
from linkwork.solve.start.consistent import Start, Value, find_start, list_branches, propose_fixed
from linkwork.solve.start.elsewhere import resume, start_with
from linkwork.solve.start.freedom import Proposal

__all__ = [
    "Branch",
    "Branches",
    "Proposal",
    "Start",
    "Value",
    "find_start",
    "list_branches",
    "propose_fixed",
    "resume",
    "start_with",
]
