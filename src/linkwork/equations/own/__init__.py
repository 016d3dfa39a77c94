"""A tree of bodies in its own speeds, in few operations: a Tree in, M, bias, shift and rates over shared names out.

derivation    the equations, put together
links         bodies and what their speeds do to them; posture: how axes stand in the parent
mass          M by composites; moments: moments of mass; bias: what speeds add; names: of what is shared
"""

from linkwork.equations.own.derivation import derive_own

__all__ = ["derive_own"]
