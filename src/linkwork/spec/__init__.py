"""Text <-> Mechanism: the only door to YAML."""

from linkwork.spec.marks import Marks
from linkwork.spec.mechanism import parse_marked, parse_mechanism, read_marked, read_mechanism

__all__ = ["Marks", "parse_marked", "parse_mechanism", "read_marked", "read_mechanism"]
