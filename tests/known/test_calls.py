"""Calls with several outputs in trees of bodies: an opaque function of numbers moves things as its traced twin does."""

import math
from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw
from linkwork.symbolic import cos, sin
from linkwork.vectors import VectorError


def arm() -> lw.Tree:
    tree = lw.Tree("two", parameters={"k": 20, "c": 2})
    A = tree.add_body("A", rotate="z", mass=1, inertia=(0, 0, 1))
    tree.add_body("B", parent=A, rotate="z", mass=1, inertia=(0, 0, 0.5), centre=(0.3, 0, 0))
    return tree


def follow(tree: lw.Tree) -> lw.Model:
    A, B = tree.bodies
    tree.add_moment("first", along=A.z, magnitude="k*(clk - q1) - c*u1", on=A)
    tree.add_moment("second", along=B.z, magnitude="k*(cam - q2) - c*u2", on=B, against=A)
    return tree.model()


def test_an_opaque_call_of_several_outputs_is_its_traced_twin():
    asked = []

    def command(t, q):
        asked.append((t, q))
        return 1.5 * math.sin(t), 0.5 * t + 0.1 * math.cos(q)

    opaque, traced = arm(), arm()
    opaque.add_call(["clk", "cam"], command, ["t", "q1"])
    traced.add_call(["clk", "cam"], lambda t, q: (1.5 * sin(t), 0.5 * t + 0.1 * cos(q)), ["t", "q1"], opaque=False)
    one, other = (follow(tree).simulate(1, tol=1e-10) for tree in (opaque, traced))
    for name in ("q1", "q2", "u1", "u2", "clk", "cam"):
        assert one.final[name] == pytest.approx(float(other.final[name]), abs=1e-9), name
    assert one.audit().ok, one.audit()
    assert all(a != b for a, b in pairwise(asked))  # both outputs are of one call


def test_what_a_call_makes_is_known_to_later_calls():
    tree = arm()
    tree.add_call(["clk", "half"], lambda t: (np.sin(t), t / 2), ["t"])
    tree.add_call(["cam"], lambda x, y: (x * y,), ["half", "clk"])
    motion = follow(tree).simulate(0.5)
    assert motion.final["cam"] == pytest.approx(0.25 * math.sin(0.5), rel=1e-9)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda t: t.add_call(["k"], abs, ["t"]), "something called 'k' already"),
        (lambda t: t.add_call(["a", "a"], abs, ["t"]), "something called 'a' already"),
        (lambda t: t.add_call(["a", "b"], lambda x: x, ["t"], opaque=False), "1 outputs for a, b"),
        (lambda t: t.add_call(["a"], lambda x: "x", ["t"], opaque=False), "returned 'x', not an expression"),
        (lambda t: t.add_call(["a"], abs, [object()]), "input of a must be a scalar"),
    ],
)
def test_calls_that_cannot_be_are_told_in_words(wrong, words):
    with pytest.raises(VectorError, match=words):
        wrong(arm())


def test_a_function_that_returns_too_little_is_told_by_name():
    tree = arm()
    tree.add_call(["clk", "cam"], lambda t: (t,), ["t"])
    with pytest.raises(lw.LinkworkError, match="returned 1 values instead of 2"):
        follow(tree).simulate(0.1)
