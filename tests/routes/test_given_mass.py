"""The mass matrix of a tree by composites, and by differentiating what inertia asks for."""

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations.lagrangian import formulate_lagrangian
from linkwork.symbolic import differentiate, evaluate, free_symbols, symbol

VALUES = {"l": 0.7, "m": 1.3, "J": 0.2, "k": 0.4}


def make_tree() -> lw.Tree:
    """A slider with a branching arm on it, turning about several axes."""
    tree = lw.Tree("arm", gravity=9.81)
    body = tree.add_body("A", translate="x", mass="m", inertia=("J", "J", "J"))
    for name, axis in (("B", "y"), ("C", "y"), ("D", "x"), ("E", "z")):
        centre, inertia = ("l/2", "k", 0), ("J", "2*J", "2*J")
        body = tree.add_body(
            name, parent=body, joint_at=("l", 0, 0), rotate=axis, mass="m", inertia=inertia, centre=centre
        )
    tree.add_body("F", parent=tree.bodies[2], joint_at=(0, "k", 0), rotate="z", mass="m", inertia=("J", "J", "J"))
    return tree


def test_the_matrix_given_is_the_derivative_of_the_balance():
    model = make_tree().model(parameters=VALUES).mechanism
    assert model.mass
    rng = np.random.default_rng(14)
    names = sorted({s.name for x in model.balance.values() for s in free_symbols(x)})
    point = {**{name: rng.uniform(0.2, 1.2) for name in names}, **VALUES}
    for i, balance in model.balance.items():
        for j in model.coordinates:
            expected = evaluate(differentiate(balance, symbol(f"{j}''", kind="acceleration")), point)
            given = model.mass.get((i, j), model.mass.get((j, i)))
            assert (0 if given is None else evaluate(given, point)) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_a_copy_by_pickle_has_the_matrix_and_the_same_kernel():
    model = make_tree().model(parameters=VALUES).mechanism
    copy = pickle.loads(pickle.dumps(model))
    assert dict(copy.mass) == dict(model.mass)
    names = [[term.kernel.name for term in formulate_lagrangian(m).terms] for m in (model, copy)]
    assert names[0] == names[1]
