"""Kinds of joints, each a function over two frames: what must vanish, what is free, which side it is on.

kinds     frames, conditions, the table of kinds and how to add to it
gears     how wheels mesh, in the plane and in space
plane     the kinds of the plane
space     the kinds of space
words     quantities of joints and bodies, `big.angle` and `guide.travel`, in terms of points and parts
"""

from linkwork.model.joints import plane, space  # noqa: F401  (they fill the table)
from linkwork.model.joints.kinds import (
    Conditions,
    JointKind,
    MovingFrame,
    find_kind,
    joint_kind,
    joint_kinds,
    turn,
)

__all__ = ["Conditions", "JointKind", "MovingFrame", "find_kind", "joint_kind", "joint_kinds", "turn"]
