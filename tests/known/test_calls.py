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


def test_calls_of_speeds_are_known_to_loads_and_told():
    opaque, traced = arm(), arm()
    opaque.add_call(["clk", "cam"], lambda w, q: (-0.3 * w, math.sin(q)), ["u1", "q2"])
    opaque.add_call(["drag"], lambda w: -0.1 * w * abs(w), ["u2 + u1"])
    traced.add_call(["clk", "cam"], lambda w, q: (-0.3 * w, sin(q)), ["u1", "q2"], opaque=False)
    traced.add_call(["drag"], lambda w: -0.1 * w * abs(w), ["u2 + u1"], opaque=False)
    for tree in (opaque, traced):
        tree.add_moment("brake", along=tree.ground.y, magnitude="clk + drag", on=tree.bodies[0])
    one, other = (follow(tree).simulate(1, tol=1e-10) for tree in (opaque, traced))
    for name in ("q1", "u2", "clk", "cam", "drag"):
        assert one.final[name] == pytest.approx(float(other.final[name]), abs=1e-9), name


def test_variables_of_calls_may_name_each_other_in_any_order():
    lw.function("third", lambda x: -0.3 * x, opaque=True)
    variables = {"a": "third(b)", "b": "third(c) + 1", "c": "2*x'"}
    model = lw.lagrangian("x", "x'**2/2", variables=variables, forces={"x": "a"}, start={"x'": 1}, title="chain")
    final = model.simulate(1).final
    assert final["a"] == pytest.approx(-0.3 * (-0.6 * float(final["x'"]) + 1), abs=1e-12)
    # x'' = 0.18 x' - 0.3
    assert final["x'"] == pytest.approx(0.3 / 0.18 + (1 - 0.3 / 0.18) * math.exp(0.18), abs=1e-9)
    circle = {"a": "third(b)", "b": "2*third(a)"}
    with pytest.raises(lw.InputError, match=r"'third' is called with what it returns\. Break the circle"):
        lw.lagrangian("x", "x'**2/2", variables=circle, forces={"x": "a"})
    with pytest.raises(lw.InputError, match=r"'third' is called with what it returns\. Break the circle"):
        lw.Mechanism(particles=[lw.Particle(point="A", mass=1)], variables=circle)


def test_calls_of_a_mechanism_stand_behind_what_they_need_whatever_they_are_called():
    lw.function("alpha", lambda x: -0.3 * x, opaque=True)
    lw.function("omega", lambda x: -0.3 * x, opaque=True)
    for one, two in (("alpha", "omega"), ("omega", "alpha")):
        variables = {"a": f"{one}(b)", "b": f"{two}(c) + 1", "c": "2*A.vx"}
        start = lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (1, 0)})
        push = lw.Force(point="A", components=("a", 0))
        model = lw.Model(
            lw.Mechanism(particles=[lw.Particle(point="A", mass=1)], variables=variables, forces=[push], start=start)
        )
        expected = 0.3 / 0.18 + (1 - 0.3 / 0.18) * math.exp(0.18)
        assert model.simulate(1).velocity("A")[-1, 0] == pytest.approx(expected, abs=1e-9)
        assert model.simulate(1, compiled=False).velocity("A")[-1, 0] == pytest.approx(expected, abs=1e-9)


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
