"""The tree formalism of files: every example and random mechanisms move along a tree as in points."""

import numpy as np
import pytest

import linkwork as lw
from conftest import ROOT
from formalisms import EXAMPLES, SPANS, TOL, assert_one_motion, both
from jointed import jointed_bodies
from mechanisms import random_mechanism

SHORT = 2.0  # seconds of an example by default
SEEDS = range(4), range(4, 100)


def seeds():
    short, rest = SEEDS
    return [*short, *(pytest.param(seed, marks=pytest.mark.long) for seed in rest)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_moves_along_a_tree_as_in_points(name):
    mechanism = lw.load(ROOT / "examples" / name).mechanism
    until = mechanism.compute(mechanism.start.tend)
    if mechanism.algebra:
        with pytest.raises(lw.InputError, match="which is known in points"):
            lw.Model(mechanism, formulation="tree").simulate(until)
        return
    _, one, other = both(mechanism, min(until, SPANS.get(name, SHORT)), formalism="tree")
    assert_one_motion(one, other, name)
    assert [event.name for event in one.events] == [event.name for event in other.events]
    np.testing.assert_allclose([e.t for e in one.events], [e.t for e in other.events], atol=1e-9 * until)


@pytest.mark.parametrize("seed", seeds())
def test_bodies_joined_by_all_kinds_move_along_a_tree_as_in_points(seed):
    _, one, other = both(jointed_bodies(seed), 0.15, formalism="tree")
    assert_one_motion(one, other, f"seed {seed}")


@pytest.mark.parametrize("seed", seeds())
def test_random_mechanisms_move_along_a_tree_as_in_points(seed):
    mechanism = random_mechanism(seed)
    try:
        _, one, other = both(mechanism, 0.15, formalism="tree")
    except (lw.InputError, lw.StartError, lw.SolveError) as error:
        with pytest.raises(type(error)):
            lw.Model(mechanism).simulate(0.15, tol=TOL)
        return
    assert_one_motion(one, other, f"seed {seed}")


# -- coordinates and constraints ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "coordinates", "equations"),
    [
        ("andrews", 7, 6),  # the coordinates and constraints of the book
        ("andrews-bodies", 7, 6),
        ("chain", 8, 0),
        ("four-bar", 3, 2),
        ("slider-crank-bodies", 3, 2),
        ("skew2pend", 2, 0),
        ("spatial-four-bar", 3, 5),
        ("governor", 4, 0),
    ],
)
def test_a_tree_has_joint_coordinates_and_equations_of_its_loops_alone(name, coordinates, equations):
    system = lw.load(ROOT / "examples" / f"{name}.yaml").formulated("tree").absolute.system
    assert (system.n, system.m) == (coordinates, equations)
