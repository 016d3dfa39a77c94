"""A tree of bodies in its own speeds, in few operations: a Tree in, M, bias, shift and rates over shared names out."""

from linkwork.equations.own.derivation import derive_own

__all__ = ["derive_own"]
