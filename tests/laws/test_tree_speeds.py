"""Speeds of the user's own and dependent ones: other words for the same motion."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations.kane import Kane
from linkwork.equations.reduction import Reduced, solve_linear
from linkwork.symbolic import ZERO, cos, evaluate, sin, symbol
from linkwork.symbolic.simplify import canonical, simplify
from linkwork.vectors import VectorError

VALUES = {"m": 2.0, "J": 0.5, "a": 0.3}


def sledge() -> lw.Tree:
    tree = lw.Tree("sledge", parameters=VALUES)
    tree.add_body("body", translate="xy", rotate="z", mass="m", inertia=(0, 0, "J"), centre=("a", 0, 0))
    tree.choose_speeds({"v": "cos(q3)*q1' + sin(q3)*u2", "side": "cos(q3)*u2 - sin(q3)*u1"}, instead_of=["u1", "u2"])
    return tree


def test_chaplygins_sleigh_in_two_speeds_has_its_textbook_equations():
    tree = sledge()
    tree.add_velocity_constraint("edge", "side", dependent="side")
    found = Reduced(kane=Kane(tree=tree))
    v, w = found.speeds
    assert (v.name, w.name) == ("v", "u3")
    m, J, a = map(symbol, ("m", "J", "a"))
    assert found.mass == {(0, 0): m, (1, 1): J + m * a**2}
    for f, expected in zip(found.forces, [m * a * w**2, -m * a * v * w], strict=True):
        assert canonical(f - expected) is ZERO


def test_reduced_equations_have_the_accelerations_of_the_motion_with_multipliers():
    tree = sledge()
    body = tree.bodies[0]
    tree.add_force("wind", along=tree.ground.x, magnitude="1 + sin(t)", at=body)
    tree.add_velocity_constraint("edge", "side", dependent="side")
    motion = tree.model(start={"q1'": 1, "q3'": 2}).simulate(2)
    state, found = motion.at(1.3), Reduced(kane=Kane(tree=tree))
    values = VALUES | {"t": 1.3} | {name: float(state[name]) for name in ("q1", "q2", "q3", "v", "u3")}
    M = np.zeros((2, 2))
    for (i, j), entry in found.mass.items():
        M[i, j] = M[j, i] = evaluate(entry, values)
    rates = np.linalg.solve(M, [evaluate(f, values) for f in found.forces])
    np.testing.assert_allclose(rates, [state.velocity("v"), state.velocity("u3")], rtol=1e-9)
    assert motion.audit().ok


def test_chosen_speeds_without_constraints_balance_as_those_of_the_tree():
    tree = lw.Tree("top", gravity=9.81, parameters={"m": 1.5, "l": 0.4, "J": 0.2})
    tree.add_body("top", rotate="zxz", mass="m", inertia=("J", "J", "J/2"), centre=(0, 0, "l"))
    kane = Kane(tree=tree)
    tree.choose_speeds({"p": "u1 + 2*u2", "r": "u2 - cos(q1)*u3", "s": "q2'"}, instead_of=["u1", "u2", "u3"])
    found = Reduced(kane=kane)
    rng = np.random.default_rng(5)
    values = {"m": 1.5, "l": 0.4, "J": 0.2} | {f"{x}{i}": rng.uniform(0.3, 1.2) for x in "qu" for i in (1, 2, 3)}
    values |= {v.name: evaluate(expr, values) for v, expr in tree.chosen.items()}
    both = []
    for equations in (kane, found):
        M = np.zeros((3, 3))
        for (i, j), entry in equations.mass.items():
            M[i, j] = M[j, i] = evaluate(entry, values)
        both.append(np.linalg.solve(M, [evaluate(f, values) for f in equations.forces]))
    # v' = d/dt of what v is by u, with the u' of the tree
    memory, step = tree.ground.memory, dict(zip(kane.speeds, both[0], strict=True))
    for v, expr, rate in zip(tree.chosen, tree.chosen.values(), both[1], strict=True):
        known = values | {f"{u.name}'": a for u, a in step.items()}
        assert evaluate(memory.rate(expr), known) == pytest.approx(rate, rel=1e-11), v


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda t: t.choose_speeds({"v": "u1"}, instead_of=["u9"]), "u9 is no speed"),
        (lambda t: t.choose_speeds({"v": "u1"}, instead_of=["u1", "u2"]), "1 speeds instead of 2"),
        (lambda t: t.choose_speeds({"v": "u1*u2"}, instead_of=["u1"]), "'v' is not linear"),
        (lambda t: t.choose_speeds({"v": "u1 + 1"}, instead_of=["u1"]), "'v' is not linear"),
        (lambda t: t.choose_speeds({"u2": "u1"}, instead_of=["u1"]), "something called 'u2' already"),
        (lambda t: t.add_velocity_constraint("h", "u1", dependent="x"), "'x' is no free speed"),
    ],
)
def test_speeds_that_cannot_be_are_told_in_words(wrong, words):
    tree = lw.Tree("sledge", parameters=VALUES)
    tree.add_body("body", translate="xy", rotate="z", mass="m", inertia=(0, 0, "J"))
    with pytest.raises(VectorError, match=words):
        wrong(tree)


def test_speeds_that_do_not_determine_others_are_told():
    x, y = symbol("x", kind="speed"), symbol("y", kind="speed")
    with pytest.raises(VectorError, match="do not determine x, y"):
        solve_linear([x + y, 2 * x + 2 * y - 1], [x, y], "they")


def test_simplifying_ends_and_never_makes_longer():
    q, l = symbol("q", kind="coordinate"), symbol("l")
    turned = sin(q) * (l * sin(q) + cos(q)) + cos(q) * (l * cos(q) - sin(q))
    assert simplify(turned) is l
    assert simplify(simplify(turned + q * turned)) == simplify(turned + q * turned)
    assert simplify(l + q, lambda e: e * 2 / 2 + l - l) == l + q


def test_an_inertia_that_no_body_has_is_a_warning_and_no_refusal():
    tree = lw.Tree("plate", parameters={"J": 5})
    tree.add_body("plate", rotate="xyz", mass=1, inertia=(1, 2, "J"))
    with pytest.warns(lw.ModelWarning, match="body 'plate': no body has this inertia: .* 1, 2 and 5"):
        model = tree.model(start={"q1'": 1, "q2'": 0.1})
    assert model.simulate(1).audit().ok
