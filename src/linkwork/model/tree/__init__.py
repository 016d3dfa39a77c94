"""A tree of bodies told as a dynamicist tells it: bodies on joints, forces and moments along directions.

tree        all of it: bodies, loads, outputs and constraints, added one by one
bodies      freedoms, bodies, loads, outputs; joints: how a body stands on its parent; inertia: what it weighs
speeds      how bodies move by speeds, and how these depend on the rates of coordinates
given       what a person gives, read
units       of all that has a name
mechanism   the same as a mechanism of bodies, joints and laws
"""

from linkwork.model.tree.bodies import Freedom, Load, Output, TreeBody, rate_symbol
from linkwork.model.tree.inertia import ENTRIES
from linkwork.model.tree.tree import Tree

__all__ = ["ENTRIES", "Freedom", "Load", "Output", "Tree", "TreeBody", "rate_symbol"]
