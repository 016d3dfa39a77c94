"""Linear models of constrained mechanisms in any coordinates: state space, M C K, modes, response, studies.

linearize     a mechanism at a state in, a Linear out; words: what a user asked for; notes: what he should know
measures      named expressions and their gradients; inputs: what acts; selection: which states are independent
sensitivity   the augmented equations, dense; pencil: the same, sparse; krylov: the slowest of a large matrix
model         Linear: matrices with names; modes, response; deflate: eigenvalues with exact zeros
discrete      Discrete: from instant to instant of sampled controllers; plant: the mechanism between them
slowest, studies
              a few modes of thousands of bodies; modes over a parameter
report, plots, files, animate
              for people, the eye, other programs, the page
"""

from linkwork.analysis.linear.discrete import Discrete, discretize
from linkwork.analysis.linear.linearize import linearize
from linkwork.analysis.linear.model import Linear
from linkwork.analysis.linear.modes import Mode, Modes
from linkwork.analysis.linear.slowest import Slowest, find_slowest
from linkwork.analysis.linear.studies import Study, study_modes

__all__ = [
    "Discrete",
    "Linear",
    "Mode",
    "Modes",
    "Slowest",
    "Study",
    "discretize",
    "find_slowest",
    "linearize",
    "study_modes",
]
