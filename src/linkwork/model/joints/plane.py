"""The kinds of joints of the plane; d runs from the origin of the first frame to that of the second."""

from __future__ import annotations

from types import SimpleNamespace

from linkwork.model.joints.gears import MEET, TEETH, mesh
from linkwork.model.joints.kinds import Conditions, MovingFrame, joint_kind, turn
from linkwork.symbolic.vector import dot


@joint_kind("revolute", dimension=2, free=1, words="turning")
def revolute(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A pin."""
    return Conditions(zero=j.o - i.o, angle=turn(i, j))


@joint_kind("translational", dimension=2, free=1, words="sliding along the x axes, which stay parallel")
def translational(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A slider; half of each y axis keeps the equations regular where the origins meet."""
    d = j.o - i.o
    across = (i.y + j.y) / 2
    return Conditions(zero=[dot(d, across), dot(i.x, j.y)], positive={"references": dot(i.x, j.x)}, travel=dot(d, i.x))


@joint_kind("double_translational", dimension=2, free=2, words="sliding in both directions without turning")
def double_translational(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A cross slide."""
    d = j.o - i.o
    sides = {"references": dot(i.x, j.x)}
    return Conditions(zero=[dot(i.x, j.y)], positive=sides, travel=dot(d, i.x), more={"across": dot(d, i.y)})


@joint_kind("parallel", dimension=2, free=2, words="everything but turning: the x axes stay parallel")
def parallel(i: MovingFrame, j: MovingFrame) -> Conditions:
    """Two parts that turn alike."""
    return Conditions(zero=[dot(i.x, j.y)], positive={"references": dot(i.x, j.x)})


@joint_kind("pin_slot", dimension=2, free=2, words="turning, and sliding along the x axis of the first frame")
def pin_slot(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A pin in a slot."""
    d = j.o - i.o
    return Conditions(zero=[dot(d, i.y)], travel=dot(d, i.x), angle=turn(i, j))


@joint_kind("fixed", dimension=2, free=0, words="nothing")
def fixed(i: MovingFrame, j: MovingFrame) -> Conditions:
    """A weld."""
    return Conditions(zero=[*(j.o - i.o), dot(i.x, j.y)], positive={"references": dot(i.x, j.x)})


@joint_kind("distance", dimension=2, free=2, words="all but the distance of the origins", parameters={"length": None})
def distance(i: MovingFrame, j: MovingFrame, p: SimpleNamespace) -> Conditions:
    """A massless rod."""
    d = j.o - i.o
    return Conditions(zero=[dot(d, d) - p.length**2])


@joint_kind(
    "rack_pinion",
    dimension=2,
    free=2,
    words="the first part (the pinion) rolls along the x axis of the second (the rack)",
    parameters={"radius": None, "offset": 0},
)
def rack_pinion(i: MovingFrame, j: MovingFrame, p: SimpleNamespace) -> Conditions:
    """A rack and its pinion; what keeps them together is another joint. A negative radius: the rack is above."""
    d = i.o - j.o
    return Conditions(zero=[dot(d, j.x) + p.radius * (i.angle - j.angle) - p.offset])


@joint_kind(
    "gear",
    dimension=2,
    free=2,
    words="everything but slipping: two wheels about their origins mesh, wherever these are",
    parameters=TEETH,
)
def gear(i: MovingFrame, j: MovingFrame, p: SimpleNamespace) -> Conditions:
    """Two wheels by their teeth or radii, of a ring with inner teeth negative; other joints hold their centres."""
    off, way, ahead = mesh(i, j, p)
    return Conditions(zero=[off], positive={"mesh": way}, angle=turn(i, j), until={MEET: ahead})
