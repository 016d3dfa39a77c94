"""What a mechanism is like before it moves: structure, degrees of freedom, redundancy."""

from linkwork.analysis.mobility import Mobility, find_mobility
from linkwork.analysis.printed import Equations
from linkwork.analysis.signature import Signature, find_signature
from linkwork.analysis.structure import Structure

__all__ = ["Equations", "Mobility", "Signature", "Structure", "find_mobility", "find_signature"]
