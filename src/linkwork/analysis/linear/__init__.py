"""Linear models of constrained mechanisms in any coordinates: state space, M C K, modes, response, studies."""

from linkwork.analysis.linear.linearize import linearize
from linkwork.analysis.linear.model import Linear
from linkwork.analysis.linear.modes import Mode, Modes
from linkwork.analysis.linear.slowest import Slowest, find_slowest
from linkwork.analysis.linear.studies import Study, study_modes

__all__ = ["Linear", "Mode", "Modes", "Slowest", "Study", "find_slowest", "linearize", "study_modes"]
