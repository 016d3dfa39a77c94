"""Trees in their own speeds: composites and regrouped masses give Kane's equations, and exports of them our motions."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from laws.test_trees import random_state, random_tree
from linkwork.equations.kane import InRates, Kane
from linkwork.equations.own import derive_own
from linkwork.export import Functions
from linkwork.pipeline.exporting import find_origin
from linkwork.symbolic import evaluate
from linkwork.vectors import dot, position


def own_numbers(tree, values, keep=None):
    """M, bias with what the shift adds, and the rates of the coordinates, in numbers."""
    kane = Kane(tree=tree, keep=keep)
    own = derive_own(tree, keep, InRates(kane=kane).speeds, kane.loads)
    known = dict(values)
    for name, expr in own.shared.items():
        known[name.name] = evaluate(expr, known)
    n = len(own.rates)
    M = np.zeros((n, n))
    for (i, j), entry in own.mass.items():
        M[i, j] = M[j, i] = evaluate(entry, known)
    parts = own.bias, own.shift, own.rates, own.loads
    bias, shift, rates, loads = ([evaluate(x, known) for x in some] for some in parts)
    return M, np.array(bias) + M @ shift - loads, np.array(rates)


def kane_numbers(tree, values, keep=None):
    """The same by Kane's partial velocities."""
    kane = Kane(tree=tree, keep=keep)
    n = len(kane.speeds)
    M = np.zeros((n, n))
    for (i, j), entry in kane.mass.items():
        M[i, j] = M[j, i] = evaluate(entry, values)
    forces, rates = ([evaluate(x, values) for x in some] for some in (kane.forces, kane.rates().values()))
    return M, -np.array(forces), np.array(rates)


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-11 * (1 + np.max(np.abs(other))))


@pytest.mark.parametrize("speeds", ["body", "rates"])
@pytest.mark.parametrize("seed", range(12))
def test_composites_and_regrouped_masses_give_kanes_equations(seed, speeds):
    tree = random_tree(seed, speeds)
    values = random_state(tree, seed)
    assert_same(own_numbers(tree, values), kane_numbers(tree, values))


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_what_is_kept_of_small_quantities_is_what_kane_keeps(keep):
    tree = lw.Tree("arm", gravity=9.81)
    A = tree.add_body("A", translate=(1, 2, 3), rotate="123", small=True)
    B = tree.add_body("B", parent=A, joint_at=("l", 0, 0), rotate="z", centre=("l", "h", 0))
    tree.add_body("C", parent=B, joint_at=("l", 0, "l"), rotate="x", centre=(0, "l", "h"), small=True)
    rng = np.random.default_rng(1)
    values = random_state(tree, 3) | {name: rng.uniform(1, 2) for name in ("l", "h", *tree.used)}
    assert_same(own_numbers(tree, values, keep), kane_numbers(tree, values, keep))


def test_a_mass_that_changes_stays_where_it_is():
    tree = lw.Tree("tank", gravity=9.81)
    A = tree.add_body("A", rotate="x", mass=1, inertia=[1, 1, 1], centre=(0, 0, 1))
    tree.add_body("B", parent=A, joint_at=(0, 0, 1), rotate="z", mass="2 + sin(t)", inertia=[1, 2, 2], centre=(1, 1, 1))
    values = random_state(tree, 5)
    assert_same(own_numbers(tree, values), kane_numbers(tree, values))


# -- exported ----------------------------------------------------------------------------------------------------------


def exported(model, own=True):
    """The functions of a model, in its own speeds or in the rates of its coordinates."""
    origin = find_origin(model)
    if not own:
        origin = origin._replace(mechanism=replace(origin.mechanism, own=None))
    return Functions(origin, compiled=False), origin.t


def closed(seed):
    """A random tree with a point of its last body on a sphere, another one held back, and a state."""
    tree = random_tree(seed)
    last = tree.bodies[-1]
    tip = position(last.point("tip", (0.5, -0.3, 0.2)))
    tree.add_constraint("sphere", dot(tip, tip) - 9)
    if len(tree.freedoms) > 2:
        tree.add_velocity_constraint("slow", "u1 + 0.3*u2 - 0.1")
    rng = np.random.default_rng(seed)
    start = {f.coordinate.name: rng.uniform(0.3, 0.9) for f in tree.freedoms}
    return tree.model(start=start, tend=1)


@pytest.mark.parametrize("seed", [1, 4, 6, 9, 12, 15])
def test_accelerations_and_multipliers_are_those_in_the_rates_of_coordinates(seed):
    try:
        model = closed(seed)
        ours, t = exported(model, own=False)
    except lw.LinkworkError as error:
        assert "cannot" in str(error)
        return
    found, _ = exported(model)
    n = len(model.system.coordinates)
    assert found.names[n:] == tuple(f"u{i + 1}" for i in range(n))
    # q'' is the rate of q' along the motion
    x = found.start
    rates = found(t, x)
    bends = (found.jacobian(t, x) @ rates)[:n]
    expected = ours(t, ours.start)
    np.testing.assert_allclose(rates[:n], expected[:n], atol=1e-10 * (1 + np.max(np.abs(expected[:n]))))
    np.testing.assert_allclose(bends, expected[n:], atol=1e-8 * (1 + np.max(np.abs(expected))))
    lam = ours.multipliers(t, ours.start)
    np.testing.assert_allclose(found.multipliers(t, x), lam, atol=1e-8 * (1 + np.max(np.abs(lam), initial=0)))
    residual = found.residual(t, x, rates, found.multipliers(t, x))
    assert np.max(np.abs(residual)) < 1e-8 * (1 + np.max(np.abs(lam), initial=0))


def test_a_copy_by_pickle_has_the_same_equations():
    model = random_tree(3).model(tend=1)
    x = np.linspace(0.1, 0.9, 2 * len(model.system.coordinates))
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(exported(copy)[0](0.0, x), exported(model)[0](0.0, x))
