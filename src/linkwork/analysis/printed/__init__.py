"""The equations of a mechanism, readable: T, V, L, constraints and equations of motion as text, LaTeX or SymPy.

equations     all of them, as expressions; derivation: from a System; collected: like terms of energies together
sheet         what is printed, in order; names: names that can be read back; raised: programs as formulas again
latex, sympy_script
              the formats beside text; tree: the equations of a tree of bodies
"""

from linkwork.analysis.printed.equations import Equations

__all__ = ["Equations"]
