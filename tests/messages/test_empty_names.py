"""Names and texts with nothing in them, and formulas without a value: told once, with file, line and part."""

import pytest

import linkwork as lw

FREE = "Bodies: {b: {mass: 1, inertia: 1, frames: {c: []}}}\nProblemData: {positions: {b.c: [0, 3]}, tend: 0.1}\n"
DISC = "Dimension: 3\nBodies: {d: {mass: 1, inertia: [1, 1, 1], frames: {c: {z: [0, 1]}}}}\n"
ROLLING = DISC + "Connections:\n  Rolling:\n    r: {%s, radius: 1}\n"


@pytest.mark.parametrize("given", ["wheel: ''", "ball: ''", "wheel:", "ball:"])
def test_what_rolls_is_not_dropped_where_its_frame_is_empty(given):
    with pytest.raises(lw.InputError, match=r"^<text>:5: rolling 'r': the wheel or ball is missing\. Write \{wheel"):
        lw.loads(ROLLING % given)


NAMED = {
    "torque": "AppliedForces: {Torques: {'': 1}}",
    "force": "AppliedForces: {Forces: {'': [1]}}",
    "effort": "AppliedForces: {Efforts: {'': 1}}",
    "dissipation": "AppliedForces: {Dissipation: {'': 1}}",
    "motion": "Motions: {'': 1}",
    "event": "Events: {'': {when: b.c.x, do: stop}}",
    "joint": "Connections: {Joints: {'': {kind: revolute, frames: [world.o, b.c]}}}",
    "edge": "Connections: {KnifeEdge: {'': b.c}}",
    "relation": "Connections: {Relations: {'': b.angle}}",
    "rolling": "Connections: {Rolling: {'': {wheel: b.c, radius: 1}}}",
    "contact": "Connections: {Contacts: {'': {ball: b.c, radius: 1}}}",
}


@pytest.mark.parametrize("kind", NAMED)
def test_a_part_without_a_name_is_told_once_with_its_line(kind):
    with pytest.raises(lw.InputError) as caught:
        lw.loads(FREE + NAMED[kind])
    assert str(caught.value) == f"<text>:3: {kind} '': the name is missing. Write one before the colon"


VALUES = {
    "contact 'f'": "Connections: {Contacts: {f: {ball: '', radius: 1}}}",
    "contact 'on'": "Connections: {Contacts: {on: {ball: b.c, radius: 1, on: ''}}}",
    "contact 'ball'": "Connections: {Contacts: {ball: {ball: b.c, radius: 1, on: {ball: '', radius: 1}}}}",
    "contact 'cam'": "Connections: {Contacts: {cam: {ball: b.c, radius: 1, on: {cam: '', radius: 1}}}}",
    "edge 'k'": "Connections: {KnifeEdge: {k: ''}}",
    "rolling 'r'": "Connections: {Rolling: {r: {wheel: b.c, radius: 1, on: ''}}}",
    "event 'e'": "Events: {e: {when: b.c.x, off: ['']}}",
}


@pytest.mark.parametrize("part", VALUES)
def test_an_empty_text_is_a_value_that_is_missing(part):
    with pytest.raises(lw.InputError) as caught:
        lw.loads(FREE + VALUES[part])
    assert str(caught.value) == f"<text>:3: {part}: a value is missing. Write it after the colon"


def test_an_event_that_changes_what_has_no_name_is_told_with_its_line():
    with pytest.raises(lw.InputError, match=r"^<text>:3: event 'e': the name is missing"):
        lw.loads(FREE + "Events: {e: {when: b.c.x, then: {'': 1}}}")


def test_a_wrong_dimension_hides_what_only_follows_from_it():
    text = DISC.replace("3", "4", 1) + "Connections:\n  Coplanar: [ABCD]\n"
    text += "  Joints: {j: {kind: spherical, frames: [world.o, d.c]}}\nAppliedForces: {Gravity: [0, 0, -9]}\n"
    with pytest.raises(lw.InputError) as caught:
        lw.loads(text)
    assert str(caught.value) == "<text>:1: Dimension: expected 2 or 3, not '4'"


def test_a_list_in_the_place_of_a_component_of_an_axis_is_told_with_its_line():
    with pytest.raises(lw.InputError, match=r"^<text>:2: body 'd': expected a number or a formula, not a list$"):
        lw.loads(ROLLING.replace("[0, 1]", "[[]]") % "wheel: d.c")


def test_a_radius_out_of_range_is_told_with_its_line():
    contact = "Connections: {Contacts: {f: {ball: b.c, radius: 1.0e300, stiffness: 1}}}"
    with pytest.raises(lw.InputError, match=r"^<text>:3: contact 'f': radius: 1e\+300 is out of range\. Use numbers"):
        lw.loads(FREE + contact)
