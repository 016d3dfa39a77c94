"""The kinds of joints of space, with the axis along z; d runs from the origin of the first frame to that of the second.

A condition by itself is a function, so that kinds are lists of them.
"""

from __future__ import annotations

from types import SimpleNamespace

from linkwork.model.joints.gears import MEET, TEETH, mesh
from linkwork.model.joints.kinds import Conditions, MovingFrame, joint_kind, turn
from linkwork.symbolic import Expr, Number, atan2
from linkwork.symbolic.vector import dot

TURNS = 6.283185307179586


def align(i: MovingFrame, j: MovingFrame) -> list[Expr]:
    """The axes are parallel."""
    return [dot(i.x, j.z), dot(i.y, j.z)]


def stay_on_axis(i: MovingFrame, j: MovingFrame) -> list[Expr]:
    """The second origin lies on the first axis."""
    d = j.o - i.o
    return [dot(i.x, d), dot(i.y, d)]


def same_way(i: MovingFrame, j: MovingFrame) -> dict[str, Expr]:
    """The axes point the same way."""
    return {"axes": dot(i.z, j.z)}


def same_reference(i: MovingFrame, j: MovingFrame) -> dict[str, Expr]:
    """So do the x axes."""
    return {"references": dot(i.x, j.x)}


@joint_kind("spherical", dimension=3, free=3, words="three rotations; needs no axes")
def spherical(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A ball in its socket."""
    return Conditions(zero=j.o - i.o)


@joint_kind("revolute", dimension=3, free=1, words="rotation about the axis")
def revolute(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A hinge."""
    return Conditions(zero=[*(j.o - i.o), *align(i, j)], positive=same_way(i, j), angle=turn(i, j))


@joint_kind("universal", dimension=3, free=2, words="rotation about both axes, which stay at right angles")
def universal(i: MovingFrame, j: MovingFrame) -> Conditions:
    """Hooke's joint: the axes are the arms of its cross, each held by one part."""
    angles = {"angle1": atan2(dot(i.y, j.z), dot(i.x, j.z)), "angle2": atan2(dot(j.y, i.z), dot(j.x, i.z))}
    return Conditions(zero=[*(j.o - i.o), dot(i.z, j.z)], more=angles)


@joint_kind("cylindrical", dimension=3, free=2, words="rotation about and sliding along the axis")
def cylindrical(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A shaft that turns and slides."""
    d = j.o - i.o
    zero = [*stay_on_axis(i, j), *align(i, j)]
    return Conditions(zero=zero, positive=same_way(i, j), travel=dot(d, i.z), angle=turn(i, j))


@joint_kind("prismatic", dimension=3, free=1, words="sliding along the axis; the references stay parallel")
def prismatic(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A slider."""
    zero = [*stay_on_axis(i, j), *align(i, j), dot(i.y, j.x)]
    return Conditions(zero=zero, positive=same_way(i, j) | same_reference(i, j), travel=dot(j.o - i.o, i.z))


@joint_kind("planar", dimension=3, free=3, words="sliding across and rotation about the axis")
def planar(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A plate on a table."""
    d = j.o - i.o
    along = {"along": dot(d, i.x), "across": dot(d, i.y)}
    zero = [dot(i.z, d), *align(i, j)]
    return Conditions(zero=zero, positive=same_way(i, j), angle=turn(i, j), more=along)


@joint_kind("fixed", dimension=3, free=0, words="nothing; axes and references stay parallel")
def fixed(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A weld."""
    zero = [*(j.o - i.o), *align(i, j), dot(i.y, j.x)]
    return Conditions(zero=zero, positive=same_way(i, j) | same_reference(i, j))


@joint_kind("in_line", dimension=3, free=4, words="all but leaving the first axis: the second origin stays on it")
def in_line(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A ball in a straight tube."""
    return Conditions(zero=stay_on_axis(i, j), travel=dot(j.o - i.o, i.z))


@joint_kind("in_plane", dimension=3, free=5, words="all but leaving the plane across the first axis")
def in_plane(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A ball on a table."""
    d = j.o - i.o
    return Conditions(zero=[dot(i.z, d)], more={"along": dot(d, i.x), "across": dot(d, i.y)})


@joint_kind("distance", dimension=3, free=5, words="all but the distance of the origins", parameters={"length": None})
def distance(i: MovingFrame, j: MovingFrame, p: SimpleNamespace) -> Conditions:
    """A massless rod with balls at its ends."""
    d = j.o - i.o
    return Conditions(zero=[dot(d, d) - p.length**2])


@joint_kind("parallel", dimension=3, free=4, words="all but tilting: the axes stay parallel")
def parallel(i: MovingFrame, j: MovingFrame) -> Conditions:
    """Two axes that keep one direction."""
    return Conditions(zero=align(i, j), positive=same_way(i, j), angle=turn(i, j))


@joint_kind("perpendicular", dimension=3, free=5, words="all but one tilt: the axes stay at right angles")
def perpendicular(i: MovingFrame, j: MovingFrame) -> Conditions:
    """Two directions at right angles."""
    return Conditions(zero=[dot(i.z, j.z)])


@joint_kind(
    "screw",
    dimension=3,
    free=1,
    words="rotation about the axis, with sliding along it in proportion",
    parameters={"pitch": None, "offset": 0},
)
def screw(i: MovingFrame, j: MovingFrame, p: SimpleNamespace) -> Conditions:
    """A thread: a whole turn travels one pitch."""
    travel = dot(j.o - i.o, i.z)
    zero = [*stay_on_axis(i, j), *align(i, j), travel - p.pitch / Number(TURNS) * turn(i, j) - p.offset]
    return Conditions(zero=zero, positive=same_way(i, j), travel=travel, angle=turn(i, j))


@joint_kind(
    "constant_velocity",
    dimension=3,
    free=2,
    words="bending any way but right back; both parts turn alike about their axes",
)
def constant_velocity(i: MovingFrame, j: MovingFrame) -> Conditions:
    """The second frame is the first bent about a line across its axis, so that x₁·y₂ = y₁·x₂."""
    zero = [*(j.o - i.o), dot(i.x, j.y) - dot(i.y, j.x)]
    return Conditions(zero=zero, positive={"references": dot(i.x, j.x) + dot(i.y, j.y)})


@joint_kind(
    "gear",
    dimension=3,
    free=3,
    words="everything but slipping and tilting: two wheels about parallel axes mesh",
    parameters=TEETH,
)
def gear(i: MovingFrame, j: MovingFrame, p: SimpleNamespace) -> Conditions:
    """Two wheels as in the plane, whose axes it keeps parallel."""
    off, way, ahead = mesh(i, j, p)
    sides = same_way(i, j) | {"mesh": way}
    return Conditions(zero=[*align(i, j), off], positive=sides, angle=turn(i, j), until={MEET: ahead})
