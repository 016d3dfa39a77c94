"""What is wrong with kinds of joints and with bodies is said in words, where it is said."""

import pytest

import linkwork as lw
from linkwork.symbolic import symbol

PIN = """
PhysicalParams: {l: 1}
Bodies: {rod: {mass: 1, centre: [l/2], inertia: 0.1, frames: {o: [], tip: [l]}}, world: {frames: {o: []}}}
Connections: {Joints: {pin: {kind: revolute, frames: [world.o, rod.o]}}}
ProblemData: {tend: 0.1, positions: {rod.tip: [1, 0]}}
"""


def register(name="mine", dimension=2, free=2, conditions=lambda i, j: [lw.dot(j.o - i.o, i.y)], **more):
    lw.joint_kind(name, dimension=dimension, free=free, **more)(
        lambda i, j, *p: lw.Conditions(zero=conditions(i, j, *p))
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": "revolute"}, "dimension 2 has a kind of this name already"),
        ({"parameters": {"kind": None}}, "'kind' cannot be the name of a parameter"),
        ({"free": 1}, "1 conditions leave 2 freedoms, not 1"),
        ({"free": 7}, "free is 7"),
        ({"dimension": 4}, "dimension 4"),
        ({"name": "a b"}, "this is no name"),
        ({"conditions": lambda i, j: [i.z[0]]}, "its function failed"),
        ({"conditions": lambda i, j: [symbol("k") * i.x[0]]}, "its conditions use 'k'"),
    ],
)
def test_a_kind_that_cannot_work_is_refused_when_it_is_registered(given, words):
    with pytest.raises(lw.InputError, match=words):
        register(**given)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("pin: {", "rod: {", "4: joint 'rod': 'rod' is the name of something else. Give the joint another name"),
        ("pin: {", "world: {", "4: joint 'world': 'world' is the name of something else. Give the joint another name"),
        ("tip: [l]", "xx: [l]", "3: body 'rod': 'xx' is a quantity of every body and cannot be a frame"),
        ("rod.o]", "rod.oo]", "4: joint 'pin': body 'rod' has no frame 'oo'. Did you mean 'o'?"),
        ("[world.o, rod.o]", "[rod.tip, rod.o]", "4: joint 'pin': joins 'rod' to itself. Name two different parts"),
        ("kind: revolute", "kind: distance", "4: joint 'pin': the length is missing"),
    ],
)
def test_one_mistake_in_a_file_of_bodies_is_told_with_its_line(old, new, words):
    lw.loads(PIN)
    with pytest.raises(lw.InputError) as told:
        lw.loads(PIN.replace(old, new, 1))
    assert words in str(told.value)


def test_other_values_of_a_wheel_are_refused_as_in_a_file():
    text = """
    PhysicalParams: {R: 0.2}
    Bodies: {wheel: {mass: 1, inertia: 0.02, frames: {c: []}}}
    Connections: {Rolling: {roll: {wheel: wheel.c, radius: R}}}
    ProblemData: {tend: 0.1, positions: {wheel.c: [0, 0.2]}, velocities: {wheel.c: [1, 0]}}
    """
    model = lw.loads(text)
    model.with_parameters(R=0.3)
    with pytest.raises(lw.InputError, match="radius is not positive"):
        model.with_parameters(R=-0.2)
