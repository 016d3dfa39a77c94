"""Bodies of trees that turn about directions: axes stay those of the parent, in functions, motions and mechanisms."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.symbolic import evaluate
from linkwork.vectors import components

DIRECTIONS = {
    "y": (0, 1, 0),
    "against y": (0, -1, 0),
    "y but for rounding": (6e-17, 1, -3e-17),
    "z but for rounding, against": (1e-16, 0, -1),
    "askew": (1, 2, -1),
    "of length one": (0.6, 0, 0.8),
    "nearly y": (1e-9, 1, 0),
}


def turned(n, angle):
    """A matrix by Rodrigues' formula."""
    n = np.array(n) / np.linalg.norm(n)
    across = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * across @ across


def arm(n, speeds="body", **more):
    """A body that turns about a direction, with one on it that turns about another, and a third that slides."""
    tree = lw.Tree("arm", gravity=9.81, speeds=speeds)
    g = tree.ground
    a = tree.add_body(
        "a", rotate=n[0] * g.x + n[1] * g.y + n[2] * g.z, mass=1.5, inertia=(0.2, 0.01, 0.02, 0.3, 0.03, 0.35),
        centre=(0.4, 0.1, -0.2), **more,
    )  # fmt: skip
    b = tree.add_body(
        "b", parent=a, joint_at=(1, 0.2, 0), rotate=n[2] * a.x - n[0] * a.y + 2 * a.z, mass=0.8,
        inertia=(0.1, 0.02, 0.01, 0.12, 0.03, 0.15), centre=(0.3, 0, 0.1),
    )  # fmt: skip
    tree.add_body(
        "c", parent=b, joint_at=(0.5, 0, 0), rotate="xyz", mass=0.3, inertia=(0.01, 0.02, 0.025), centre=(0.1, 0, 0)
    )
    tree.add_force("push", along=b.y, magnitude=3, at=b.point("P", (0.5, 0, 0)))
    return tree


@pytest.mark.parametrize("name", DIRECTIONS)
def test_axes_are_those_of_the_parent_turned_about_the_direction(name):
    tree = arm(DIRECTIONS[name])
    start = {"q1": 0.7, "q1'": 1.3}
    state = tree.model(start=start).simulate(0.01).at(0.0)
    R = turned(DIRECTIONS[name], 0.7)
    np.testing.assert_allclose(state.body("a").rotation, R, atol=1e-14)
    n = np.array(DIRECTIONS[name]) / np.linalg.norm(DIRECTIONS[name])
    np.testing.assert_allclose(state.body("a").omega(), 1.3 * n, atol=1e-14)
    np.testing.assert_allclose(state["b.x"], R[0] @ [1, 0.2, 0], atol=1e-14)


@pytest.mark.parametrize("speeds", ["body", "rates"])
@pytest.mark.parametrize("name", DIRECTIONS)
def test_functions_motions_and_mechanisms_agree(name, speeds):
    tree = arm(DIRECTIONS[name], speeds)
    n = len(tree.freedoms)
    rng = np.random.default_rng(1)
    start = {f.coordinate.name: x for f, x in zip(tree.freedoms, rng.uniform(0.2, 0.9, n).tolist(), strict=True)}
    start |= {f"{q}'": x for q, x in zip([*start], rng.normal(size=n).tolist(), strict=True)}
    motion = tree.model(start=start).simulate(0.3)
    assert motion.audit().ok
    other = lw.Model(tree.mechanism(start=start)).simulate(0.3)
    for body in "abc":
        for axis in "xyz":
            assert other.final[f"{body}.x{axis}"] == pytest.approx(motion.final[f"{body}.x{axis}"], abs=1e-8)


@pytest.mark.parametrize("name", DIRECTIONS)
def test_link_by_link_is_what_is_derived(name):
    tree = arm(DIRECTIONS[name])
    tree.loads.clear()
    derived, linked = tree.model(start={"q2": 0.3}).rhs(), tree.rhs()
    x = np.random.default_rng(2).uniform(0.2, 0.9, len(linked.names))
    assert derived.names == linked.names
    np.testing.assert_allclose(derived(0.0, x), linked(0.0, x), rtol=1e-10)
    place = linked.frame(x, "a", (1, 0.2, 0)).place
    np.testing.assert_allclose(place, turned(DIRECTIONS[name], x[0]) @ [1, 0.2, 0], atol=1e-13)


def test_reference_says_how_the_body_stands():
    tree = lw.Tree("t")
    g = tree.ground
    a = tree.add_body("a", rotate=g.y, reference=g.x, mass=1, inertia=(1, 1, 1))
    b = tree.add_body("b", rotate=g.x + g.y, reference=g.z, mass=1, inertia=(1, 1, 1))
    for body, along in ((a, (0, 1, 0)), (b, (0.5**0.5, 0.5**0.5, 0))):
        found = [evaluate(x, {"q1": 0.0, "q2": 0.0}) for x in components(body.z, g)]
        np.testing.assert_allclose(found, along, atol=1e-15)


def test_direction_that_moves_in_the_parent_is_refused():
    tree = lw.Tree("t")
    a = tree.add_body("a", rotate="z", mass=1, inertia=(1, 1, 1))
    with pytest.raises(lw.LinkworkError, match="moves in"):
        tree.add_body("b", parent=a, rotate=tree.ground.x, mass=1, inertia=(1, 1, 1))


@pytest.mark.parametrize("turn", range(5))
def test_inertia_turned_by_a_matrix_is_taken(turn):
    R = turned((1, 2, 3), 0.3 + turn)
    J = R @ np.diag([0.1, 0.2, 0.25]) @ R.T
    J[0, 1] *= 1 + 4e-16 * turn
    tree = lw.Tree("t")
    tree.add_body("a", rotate="z", mass=1, inertia=J)
    tree.add_body("b", rotate="z", mass=1, inertia=J.tolist())


def test_inertia_that_is_not_symmetric_is_told():
    with pytest.raises(lw.LinkworkError, match=r"not symmetric: 0\.1 and 0\.2"):
        lw.Tree("t").add_body("a", rotate="z", mass=1, inertia=[[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]])
