"""Text <-> Mechanism: the only door to YAML."""

from linkwork.spec.mechanism import parse_mechanism, read_mechanism

__all__ = ["parse_mechanism", "read_mechanism"]
