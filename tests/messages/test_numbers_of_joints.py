"""Numbers that no joint or body can have: refused with file, line, part, problem and remedy."""

import numpy as np
import pytest

import linkwork as lw

PLANE = """
PhysicalParams: {n: %s}
Bodies:
  world: {frames: {o: [], e: [3]}}
  a: {mass: 1, inertia: 0.1, frames: {p: [], q: [1]}}
  b: {mass: 1, inertia: 0.1, frames: {p: [], q: [1]}}
Connections:
  Joints:
    one: {kind: revolute, frames: [world.o, a.p]}
    two: {kind: revolute, frames: [world.e, b.p]}
    held: {kind: %s}
ProblemData: {tend: 0.1}
"""
RING = r"a wheel of 3 teeth does not mesh inside a ring of as many\. Give them different numbers"
CASES = {
    "distance, frames: [a.q, b.q], length: n": [
        (-1, r"length is not positive \(-1\)\. Give a positive length"),
        (0, r"length is not positive \(0\)\. Give a positive length"),
    ],
    "rack_pinion, frames: [a.p, b.p], radius: n": [(0, r"radius is zero \(0\)\. Give the radius of the pinion")],
    "gear, frames: [a.p, b.p], teeth1: n, teeth2: 3": [(0, r"teeth1 is zero \(0\)\. Give the teeth"), (-3, RING)],
    "gear, frames: [a.p, b.p], teeth1: 3, teeth2: n": [(0, r"teeth2 is zero \(0\)\. Give the teeth"), (-3, RING)],
}
WRONG = [(kind, value, words) for kind, cases in CASES.items() for value, words in cases]


@pytest.mark.parametrize("as_number", [True, False])
@pytest.mark.parametrize(("kind", "value", "words"), WRONG)
def test_a_number_that_a_joint_cannot_have_is_refused_with_its_line(kind, value, words, as_number):
    text = PLANE % (value, kind.replace(" n", f" {value}") if as_number else kind)
    with pytest.raises(lw.InputError, match=rf"^<text>:11: joint 'held': {words}"):
        lw.loads(text)


@pytest.mark.parametrize(("kind", "value", "words"), WRONG)
def test_it_is_refused_as_a_new_value_of_a_parameter_too(kind, value, words):
    model = lw.loads(PLANE % (2, kind))
    with pytest.raises(lw.InputError, match=words):
        model.with_parameters(n=value)


@pytest.mark.parametrize(("dimension", "line"), [(2, 2), (3, 2)])
def test_an_inertia_without_a_number_is_refused(dimension, line):
    text = f"Dimension: {dimension}\nBodies: {{b: {{mass: 1, inertia: [], frames: {{c: []}}}}}}\n"
    with pytest.raises(lw.InputError, match=rf"^<text>:{line}: body 'b': the inertia is an empty list\. Write its"):
        lw.loads(text)


@pytest.mark.parametrize("value", [True, False, np.True_])
def test_a_truth_value_is_no_number(value):
    model = lw.lagrangian("x", "M*x'**2/2", parameters={"M": 1})
    with pytest.raises(lw.InputError, match=r"parameter 'M': \S+ is not a number"):
        model.with_parameters(M=value)


def test_a_coordinate_that_is_no_name_is_told_whatever_else_names_it():
    with pytest.raises(lw.InputError, match=r"coordinate 'x'': this is no name\. Use letters"):
        lw.lagrangian("x' y", "x'**2/2", start={"x'": 1})
