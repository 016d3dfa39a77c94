"""What a mechanism is like before it moves: structure, degrees of freedom, redundancy."""

from linkwork.analysis.signature import Signature, find_signature

__all__ = ["Signature", "find_signature"]
