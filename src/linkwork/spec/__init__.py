"""Text <-> Mechanism: the only door to YAML.

source, nodes    bytes to a tree of nodes with lines; loaders: by which parser; marks: where everything stood
schema           what a file may say, as JSON Schema: schema_parts, schema_settings, schema_words
shape, check     a tree held against it
mechanism        a tree in, a Mechanism out; parts, bodies, connections, forces, motions, signals, start, settings,
                 tables, points: one file for each family of sections; report: problems with their lines
rewrite, layout  `linkwork fmt`; template: `linkwork new`
"""

from linkwork.spec.marks import Marks
from linkwork.spec.mechanism import parse_marked, parse_mechanism, read_marked, read_mechanism

__all__ = ["Marks", "parse_marked", "parse_mechanism", "read_marked", "read_mechanism"]
