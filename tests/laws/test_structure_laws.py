"""Structure against numbers on random linkages: index, degrees of freedom, redundancy, choices, blocks, two routes."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from linkages import linkages
from linkwork.analysis.structure.blocks import find_blocks
from linkwork.analysis.structure.graph import find_graph
from linkwork.analysis.structure.mobility import find_mobility
from linkwork.analysis.structure.signature import find_pattern, find_signature
from linkwork.analysis.structure.words import describe_redundancy
from linkwork.native import rank as ranks
from linkwork.native.numbers import compute_matrices

SOME = settings(max_examples=30)


def numeric_rank(system, q, t=0.0):
    """The rank of G as it is, by numpy."""
    return int(np.linalg.matrix_rank(compute_matrices(system, q, t)[1].toarray())) if system.m else 0


def smallest_inertia(system, q):
    """The smallest eigenvalue of M on the null space of G."""
    M, G = (matrix.toarray() for matrix in compute_matrices(system, q))
    _, _, Vt = np.linalg.svd(G)
    N = Vt[numeric_rank(system, q) :].T
    return float(np.min(np.linalg.eigvalsh(N.T @ M @ N), initial=np.inf))


def doubled(plan, which):
    """The same linkage with one of its bars there twice, the second without mass and named backward."""
    points, _ = plan.bars[which % len(plan.bars)]
    return plan.copy(bars=[*plan.bars, (points[1::-1], 0.0)])


# -- structure and numbers agree ---------------------------------------------------------------------------------------


@SOME
@given(linkages(torque=True))
def test_structural_freedom_and_index_are_those_of_the_numbers(plan):
    assembly = plan.assembly()
    structure, system, q = assembly.structure(), assembly.system, assembly.start.q
    freedom = system.n - numeric_rank(system, q)
    m = structure.mobility
    assert (m.freedom, m.motion, m.count, m.redundant, m.weightless) == (freedom, freedom, freedom, (), ())
    assert structure.signature.degrees_of_freedom == 2 * freedom
    # constraints are differentiated twice where the accelerations follow only then: M regular on the null space of G
    assert smallest_inertia(system, q) > 0
    assert structure.signature.index == (3 if system.m else 1)
    assert find_graph(assembly.mechanism).count == freedom
    assert structure.idle == () and len(structure.groups) == 1 and structure.groups[0].attached


@SOME
@given(linkages(), st.integers(0, 9))
def test_a_bar_that_is_there_twice_is_found_and_changes_no_freedom(plan, which):
    assembly, twice = plan.assembly(), doubled(plan, which).assembly()
    one, other = assembly.structure(), twice.structure()
    assert other.mobility.freedom == other.mobility.motion == one.mobility.freedom
    (group,) = other.mobility.redundant
    assert (group.surplus, group.always, len(group.rows)) == (1, 1, 2)
    names = [twice.mechanism.rigids[i].name for i in (which % len(plan.bars), -1)]
    words = describe_redundancy(twice.system, group)
    assert all(re.search(rf"(length|shape) of {name}\b|(lengths of .*\b{name}\b)", words) for name in names)
    assert words.endswith("repeat each other: 1 of their 2 equations is redundant")
    text = " ".join(other.text().split())
    assert words in text
    assert "Grübler's count is 1 less: it counts 1 redundant constraint" in text
    # left out, the structure is that of the mechanism without the copy
    assert other.reduced.degrees_of_freedom == one.signature.degrees_of_freedom
    # the structure alone is either wrong by one or has no transversal, and says so
    assert "the structure alone" in text


@SOME
@given(linkages(loops=False))
def test_every_choice_of_fixed_values_determines_the_rest(plan):
    assembly = plan.assembly()
    system, q = assembly.system, assembly.start.q
    choices = assembly.structure().mobility.choices
    G = compute_matrices(system, q)[1].toarray()
    G /= np.linalg.norm(G, axis=1)[:, None]
    resting = set(assembly.structure().mobility.resting)
    for pick in itertools.islice(itertools.product(*(choice.names for choice in choices)), 200):
        if resting.isdisjoint(pick):
            rows = np.eye(system.n)[[system.index[name] for name in pick]]
            assert np.linalg.matrix_rank(np.vstack([G, rows]), tol=1e-10) == system.n


# -- the signature -----------------------------------------------------------------------------------------------------


@SOME
@given(linkages(torque=True))
def test_the_transversal_is_the_best_and_the_offsets_are_the_smallest(plan):
    p = find_pattern(plan.assembly().system)
    s = find_signature(p)
    sigma = np.full((p.size, p.size), -1000)
    sigma[p.rows, p.columns] = p.orders
    i, j = linear_sum_assignment(sigma, maximize=True)
    on = np.arange(p.size), s.match
    assert sigma[on].sum() == sigma[i, j].sum() == s.degrees_of_freedom
    assert (s.d[None, :] - s.c[:, None] >= sigma).all() and (s.d[s.match] - s.c == sigma[on]).all()
    # c_i ≥ 0, d_j − c_i ≥ σ_ij, as small as can be
    k = len(p.rows)
    A = np.zeros((k, 2 * p.size))
    A[np.arange(k), p.rows], A[np.arange(k), p.size + p.columns] = 1.0, -1.0
    E = np.zeros((p.size, 2 * p.size))
    E[np.arange(p.size), np.arange(p.size)], E[np.arange(p.size), p.size + s.match] = -1.0, 1.0
    best = linprog(np.ones(2 * p.size), A, -p.orders, E, sigma[on])
    np.testing.assert_allclose(best.x, [*s.c, *s.d], atol=1e-9)


@SOME
@given(linkages(torque=True))
def test_blocks_need_only_what_blocks_before_them_give(plan):
    p = find_pattern(plan.assembly().system)
    s = find_signature(p)
    blocks = find_blocks(s)
    assert sorted(i for b in blocks for i in b.equations) == list(range(p.size))
    assert sorted(j for b in blocks for j in b.variables) == list(range(p.size))
    of_equation = {i: k for k, b in enumerate(blocks) for i in b.equations}
    of_variable = {j: k for k, b in enumerate(blocks) for j in b.variables}
    tight = s.d[p.columns] - s.c[p.rows] == p.orders
    assert all(of_variable[j] <= of_equation[i] for i, j in zip(p.rows[tight], p.columns[tight], strict=True))


# -- the sparse route --------------------------------------------------------------------------------------------------


@SOME
@given(linkages(torque=True), st.booleans(), st.integers(0, 9))
def test_large_mechanisms_have_the_ranks_that_dense_algebra_finds(plan, twice, which):
    if twice:
        plan = doubled(plan, which)
    assembly = plan.assembly()
    dense = find_mobility(assembly.system, assembly.start.q)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks, "DENSE", 0)
        sparse = find_mobility(assembly.system, assembly.start.q)
    assert (sparse.freedom, sparse.undriven, sparse.weightless) == (dense.freedom, dense.undriven, dense.weightless)
    assert [(g.rows, g.surplus) for g in sparse.redundant] == [(g.rows, g.surplus) for g in dense.redundant]
    assert sparse.choices is None and sparse.motion == (None if twice and dense.freedom else dense.freedom)


@SOME
@given(linkages(loops=False, springs=False))
def test_a_bar_without_mass_at_the_end_of_a_chain_is_weightless_on_both_routes(plan):
    end, tip = plan.bars[-1][0][1], "Z"
    places = {**plan.places, tip: plan.places[end] + (0.4 + 0.7j)}
    masses = {point: mass for point, mass in plan.masses.items() if point != tip}
    assembly = plan.copy(places=places, bars=[*plan.bars, ((end, tip), 0.0)], masses=masses).assembly()
    dense = find_mobility(assembly.system, assembly.start.q)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks, "DENSE", 0)
        sparse = find_mobility(assembly.system, assembly.start.q)
    assert dense.weightless == sparse.weightless == (("Zx", "Zy"),)
    assert smallest_inertia(assembly.system, assembly.start.q) == pytest.approx(0, abs=1e-12)
