"""Small models of trees are right to the order they say, whichever freedoms are small and whatever the speeds are."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations.kane import rate_of
from linkwork.symbolic import evaluate, total_rate

JOINTS = {
    "last of three angles": {"rotate": "zyx", "small": [False, False, True]},
    "first of three angles": {"rotate": "zyx", "small": [True, False, False]},
    "middle of three angles": {"rotate": "xyz", "small": [False, True, False]},
    "two of three angles": {"rotate": "zxz", "small": [True, False, True]},
    "all three angles": {"rotate": "zyx", "small": True},
    "free, one angle": {"translate": "xyz", "rotate": "xyz", "small": [False] * 5 + [True]},
    "free, places": {"translate": "xyz", "rotate": "xyz", "small": [True] * 3 + [False] * 3},
    "free, angles": {"translate": "xyz", "rotate": "xyz", "small": [False] * 3 + [True] * 3},
    "free, all": {"translate": "xyz", "rotate": "xyz", "small": True},
}


def make(joint, speeds):
    """A body on a joint with another one on a hinge, which has a small angle; out of balance, pushed and twisted."""
    tree = lw.Tree("t", gravity=9.81, speeds=speeds)
    a = tree.add_body("A", **JOINTS[joint], mass=2, centre=(0.1, 0.2, 0.3), inertia=(1, 2, 2.5))
    b = tree.add_body(
        "B", parent=a, joint_at=(0.3, 0.1, 0.2), rotate="x", mass=1, inertia=(0.1, 0.2, 0.25), centre=(0, 0.1, 0.3),
        small=True,
    )  # fmt: skip
    tree.add_force("push", along=a.x + b.y, magnitude=3, at=b.point("P", (0.1, 0.2, 0.3)))
    tree.add_moment("twist", along=b.z, magnitude=2, on=b, against=a)
    return tree


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("speeds", ["rates", "body"])
@pytest.mark.parametrize("joint", JOINTS)
def test_errors_fall_with_the_orders_kept(joint, speeds, order):
    full, tree = make(joint, "rates"), make(joint, speeds)
    n = len(tree.freedoms)
    small = np.array([f.small for f in tree.freedoms])
    rng = np.random.default_rng(3)
    q, v = np.where(small, 0.0, rng.uniform(0.3, 0.9, n)), rng.uniform(-1, 1, n)
    start = {f.coordinate.name: x + 0.01 * s for f, x, s in zip(tree.freedoms, q, small, strict=True)}
    f, g = full.model(start=start).rhs(), tree.model(small=order, start=start).rhs()
    off = rng.uniform(-1, 1, n)
    errors = []
    for eps in (1e-2, 1e-3):
        places, rates = q + np.where(small, eps * off, 0.0), np.where(small, eps * v, v)
        second = f(0.0, np.r_[places, rates])[n:]
        told, expected = in_speeds(tree, places, rates, second) if g.names[n] == "u1" else (rates, second)
        found = g(0.0, np.r_[places, told])
        errors.append(np.max(np.abs(found - np.r_[rates, expected])))
    assert errors[1] < 1e-10 or np.log10(errors[0] / errors[1]) > order - 0.3, errors


def in_speeds(tree, places, rates, second):
    """u and u̇ by q, q̇ and q̈."""
    known = {}
    for freedom, *numbers in zip(tree.freedoms, places, rates, second, strict=True):
        q = freedom.coordinate.name
        known |= dict(zip((q, f"{q}'", f"{q}''"), map(float, numbers), strict=True))
    speeds = [tree.definition(freedom.speed) for freedom in tree.freedoms]
    return [evaluate(u, known) for u in speeds], [evaluate(total_rate(u, rate_of), known) for u in speeds]
