"""Printed equations of trees are those that are integrated, with constraints, chosen and dependent speeds."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.symbolic import evaluate
from linkwork.symbolic.parse import parse


def circle():
    tree = lw.Tree("bead", gravity="g", parameters={"m": 2, "a": 1, "g": 9.81})
    tree.add_body("bead", translate="xz", mass="m", inertia=0)
    tree.add_constraint("wire", "q1**2 + q2**2 - a**2")
    return tree, {"q1": 0.6, "q2": 0.8, "q1'": 0.8, "q2'": -0.6}


def driven():
    tree = lw.Tree("driven", gravity=9.81)
    a = tree.add_body("a", rotate="y", mass=1, inertia=(0, 1, 0), centre=(0.5, 0, 0))
    tree.add_body(
        "b", parent=a, joint_at=(1, 0, 0), rotate="xyz", mass=1, inertia=(0.1, 0.2, 0.25), centre=(0.1, 0, 0.2)
    )
    tree.add_constraint("drive", "q1 - sin(3*t)")
    tree.add_velocity_constraint("hold", "u2*cos(q3) + u4*q1")
    return tree, {"q2": 0.3, "q1'": 3.0}


def chosen():
    tree = lw.Tree("sleigh", speeds="rates")
    body = tree.add_body("s", translate="xy", rotate="z", mass=2, inertia=(0, 0, 0.7), centre=(0.3, 0, 0))
    tree.choose_speeds({"v": "cos(q3)*u1 + sin(q3)*u2", "w": "cos(q3)*u2 - sin(q3)*u1"}, instead_of=["u1", "u2"])
    tree.add_velocity_constraint("blade", "cos(q3)*u2 - sin(q3)*u1")
    tree.add_constraint("rail", "q1 + q2**2 - 0.1*t")
    tree.add_force("push", along=body.x, magnitude=3, at=body)
    return tree, {"q3": 0.4, "q1'": 0.1}


def eliminated():
    tree = lw.Tree("eliminated", speeds="rates")
    body = tree.add_body("s", translate="xy", rotate="z", mass=2, inertia=(0, 0, 0.7), centre=(0.3, 0, 0))
    tree.choose_speeds({"v": "cos(q3)*u1 + sin(q3)*u2", "w": "cos(q3)*u2 - sin(q3)*u1"}, instead_of=["u1", "u2"])
    tree.add_velocity_constraint("blade", "w", dependent="w")
    tree.add_constraint("rail", "q1 + q2**2 - 0.1*t")
    tree.add_force("push", along=body.x, magnitude=3, at=body)
    return tree, {"q3": 0.4, "q1'": 0.1}


TREES = {"circle": circle, "driven": driven, "chosen": chosen, "eliminated": eliminated}


def numbers(text, given):
    """All values of a printed text at a state."""
    known = dict(given)
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, formula = line.split(" = ", 1)
            known[name] = evaluate(parse(formula), known)
    return known


def accelerations(known, speeds, rows):
    n, m = len(speeds), rows
    M, G = np.zeros((n, n)), np.zeros((m, n))
    for name, value in known.items():
        if name.startswith(("M[", "G[")):
            i, j = (int(x) - 1 for x in name[2:-1].split(","))
            if name[0] == "M":
                M[i, j] = M[j, i] = value
            else:
                G[i, j] = value
    f = np.array([known[f"f[{i + 1}]"] for i in range(n)])
    c = np.array([known[f"c[{i + 1}]"] for i in range(m)])
    x = np.linalg.solve(np.block([[M, G.T], [G, np.zeros((m, m))]]), np.concatenate([f, -c]))
    return x[:n]


@pytest.mark.parametrize("name", TREES)
def test_text_gives_the_accelerations_of_the_motion(name):
    tree, start = TREES[name]()
    motion = tree.model(start=start).simulate(0.2)
    equations = tree.equations()
    order = equations.order
    for t in (0.0, 0.1, 0.2):
        state = motion.at(t)
        given = {"t": t, **{k: float(v) for k, v in tree.values.items()}}
        given |= {f.coordinate.name: float(state[f.coordinate.name]) for f in tree.freedoms}
        given |= {u: float(state[u]) for u in order["u"]}
        known = numbers(equations.text(), given)
        found = accelerations(known, order["u"], len(order.get("lam", [])))
        expected = [float(state.velocity(u)) for u in order["u"]]
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
        for letter in ("g", "h"):
            for i, _ in enumerate(order.get(letter, []), 1):
                assert abs(known[f"{letter}[{i}]"]) < 1e-9


@pytest.mark.parametrize("name", TREES)
def test_scripts_give_the_matrices_of_the_text(name):
    sympy = pytest.importorskip("sympy")
    tree, start = TREES[name]()
    equations = tree.equations()
    space: dict = {}
    exec(compile(equations.sympy(), "script", "exec"), space)  # our own text, in a test
    rng = np.random.default_rng(1)
    names = [*(f.coordinate.name for f in tree.freedoms), *equations.order["u"], "t"]
    given = dict(zip(names, rng.uniform(0.2, 0.9, len(names)).tolist(), strict=True))
    given |= {k: float(v) for k, v in tree.values.items()}
    known = numbers(equations.text(), given)
    values = {sympy.Symbol(n, real=True): x for n, x in given.items()}
    assert space["speeds"] == equations.order["u"]
    for key in known:
        if "[" in key:
            i, *j = (int(x) - 1 for x in key[2:-1].split(","))
            assert float(space[key[0]][i, j[0] if j else 0].subs(values)) == pytest.approx(known[key], abs=1e-12)
    assert start


@pytest.mark.parametrize("name", TREES)
def test_every_form_tells_constraints_and_the_order_of_speeds(name):
    equations = TREES[name]()[0].equations()
    for text in (equations.text(), equations.latex(), equations.markdown(), equations.sympy()):
        assert "u[1] =" in text.replace("\\", "") and "lam[1] of" in text.replace("\\", "")


def test_order_of_chosen_speeds_is_told():
    tree = lw.Tree("body", parameters={"A": 1, "B": 2, "C": 3}, speeds="rates")
    tree.add_body("b", rotate="zxy", mass=0, inertia=("A", "B", "C"))
    tree.choose_speeds({"w1": "u2", "w2": "u3 + u1*sin(q2)", "w3": "u1*cos(q2)"}, instead_of=["u2", "u3", "u1"])
    assert tree.equations().order == {"u": ["w3", "w1", "w2"]}
    assert "u[1] = w3, u[2] = w1, u[3] = w2" in tree.equations().text()
