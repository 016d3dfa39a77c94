"""What a mechanism is like before it moves: structure, degrees of freedom, redundancy; its equations in print.

structure/    signature, freedoms, redundancy, what may be fixed
linear/       linear models, modes, slowest modes, studies over a parameter
statics/      equilibria, steady motions, sequences
printed/      equations as text, LaTeX or SymPy
"""

from linkwork.analysis.printed import Equations
from linkwork.analysis.structure import (
    Mobility,
    Signature,
    Structure,
    find_mobility,
    find_pattern,
    find_signature,
)

__all__ = ["Equations", "Mobility", "Signature", "Structure", "find_mobility", "find_pattern", "find_signature"]
