"""The rank of constraints is decided in one place, and what that place says is so."""

import re
from pathlib import Path

import numpy as np
import pytest

import linkwork
from linkwork.native.rank import RANK, balance, find_free, solve_columns, split

SOURCE = Path(linkwork.__file__).parent
DECIDES = re.compile(r"\b(matrix_rank|linalg\.svd|lstsq|pinv|null_space|block_array|np\.block)\(")
# singular values, least squares and saddle points of something else than the constraints of a System, and what of
OTHERS = {
    "native/rank.py": "the one place",
    "native/saddle.py": "the one matrix",
    "native/reference.py": "the oracle of the runtime",
    "native/reference_implicit.py": "the oracle of the runtime",
    "native/reference_equations.py": "the oracle of the runtime",
    "native/reference_algebra.py": "loops of algebraic values, in the oracle",
    "native/loops.py": "loops of algebraic values",
    "native/followers.py": "the nearest rotation",
    "native/weights.py": "the nearest rotation",
    "audit/lagrangian.py": "another route on purpose",
    "audit/mechanism.py": "another route on purpose",
    "audit/rubbing.py": "another route on purpose",
    "audit/findings.py": "a fit of polynomials",
    "analysis/structure/choices.py": "coordinates among directions that are free",
    "analysis/structure/picture.py": "the plane that points are in",
    "analysis/statics/steady.py": "slopes of a linear model",
    "analysis/statics/sampled.py": "what controllers hold at rest",
    "analysis/linear/pencil.py": "the matrices of a linear model",
    "analysis/linear/deflate.py": "eigenvectors",
    "solve/start/fit.py": "numbers that are made to agree",
    "solve/start/singular.py": "second derivatives of constraints",
    "solve/start/departure.py": "the size of accelerations where nothing decides them",
    "solve/start/shapes.py": "the nearest rotation",
    "solve/complementarity.py": "forces that only push",
    "solve/sharing.py": "how friction on one motion shares a force",
    "solve/start/velocities.py": "speeds that are wished for among those that are free",
    "modular/module.py": "a second route to accelerations",
    "modular/samples.py": "points at which formulas are tried",
}


def test_nobody_else_decides_the_rank_of_constraints():
    found = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if DECIDES.search(path.read_text())}
    assert found <= OTHERS.keys(), "ask native.rank or native.saddle, or say here what of"


@pytest.mark.parametrize("seed", range(5))
def test_projectors_and_solutions_of_many_are_those_of_each(seed):
    random = np.random.default_rng(seed)
    G = random.standard_normal((4, 5, 7)) * random.uniform(1e-3, 1e3, (4, 5, 1))
    G[:, 4] = G[:, 1] - 2 * G[:, 0]  # one is redundant
    r, A = random.standard_normal((4, 7)), random.standard_normal((4, 7, 2))
    P, lam = find_free(G), balance(G, r)
    x, unique = solve_columns(P @ A, np.einsum("kij,kj->ki", P, r), np.ones(4))
    for k in range(4):
        N = split(G[k]).right
        assert N.shape[1] == 3
        assert P[k] == pytest.approx(N @ N.T, abs=1e-9)
        # what multipliers leave of r is free, and none of them is longer than need be
        assert G[k] @ (G[k].T @ lam[k] + r[k]) == pytest.approx(0.0, abs=1e-6 * np.abs(G[k]).max())
        assert N.T @ A[k] @ x[k] - N.T @ r[k] == pytest.approx(
            N.T @ A[k] @ np.linalg.lstsq(N.T @ A[k], N.T @ r[k], rcond=RANK)[0] - N.T @ r[k], abs=1e-9
        )
    assert unique.all()
    assert not solve_columns(np.stack([A[:, :, 0], A[:, :, 0]], axis=2), r, np.ones(4))[1].any()


def test_nothing_at_all_is_no_trouble():
    for A in (np.zeros((1, 0, 3)), np.zeros((1, 3, 0))):
        x, _ = solve_columns(A, np.zeros((1, A.shape[1])), np.ones(1))
        assert x.shape == (1, A.shape[2]) and not x.any()
