"""The structure of a mechanism before it moves: signature, degrees of freedom, redundancy, what may be fixed.

structure   all of it for a system at a state; report, picture: for people and the eye
signature   Σ and offsets (from dependence), blocks, energies
mobility    ranks, motion near a state, redundancy, choices
graph       parts and joints, Grübler's count; idle parts, words for constraints
driven      whether prescribed motions leave no freedom; layout: places for the nodes of a picture
"""

from linkwork.analysis.structure.mobility import Mobility, find_mobility
from linkwork.analysis.structure.signature import Signature, find_pattern, find_signature
from linkwork.analysis.structure.structure import Structure

__all__ = ["Mobility", "Signature", "Structure", "find_mobility", "find_pattern", "find_signature"]
