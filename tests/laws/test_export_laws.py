"""Laws of exported equations on random mechanisms: what they solve for satisfies our own equations."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.export import Functions, describe
from linkwork.export.exported import prepare
from linkwork.native.numbers import compute_levels, compute_matrices, compute_residual
from linkwork.pipeline.exporting import find_origin
from mechanisms import random_mechanism

ROUNDING = 1e-11


def solve(model):
    """The System that is exported, its start, and accelerations and multipliers by the exported equations."""
    origin = find_origin(model)
    exported = describe(origin)
    solved, (q, u) = prepare(origin)
    system, f = solved.fused.system, Functions(origin, compiled=False)
    moving, followers, speeds, _ = exported.counts
    rates = f(origin.t, f.start)[moving + followers :]
    a = np.zeros(system.n)
    a[system.mechanical], a[[*system.states.values()]] = rates[:speeds], rates[speeds:]
    return system, origin.t, q, u, a, f.multipliers(origin.t, f.start)


@pytest.mark.parametrize("seed", range(12))
def test_exported_accelerations_and_multipliers_satisfy_our_equations(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.ModelWarning)
        try:
            system, t, q, u, a, lam = solve(lw.Model(random_mechanism(seed)))
        except lw.LinkworkError as error:
            assert any(words in str(error) for words in ("without inertia", "cannot be met", "cannot have"))
            return
    M, G = compute_matrices(system, q, t)
    forces = np.max(abs(M) @ (abs(a) + 1e-6) + abs(G.T) @ abs(lam), initial=0.0)
    assert np.max(np.abs(compute_residual(system, q, u, a, lam, t)), initial=0.0) <= ROUNDING * forces
    bends = np.max(abs(G) @ (abs(a) + 1e-6), initial=0.0)
    assert np.max(np.abs(compute_levels(system, q, u, a, t)[2]), initial=0.0) <= ROUNDING * (1 + bends)
