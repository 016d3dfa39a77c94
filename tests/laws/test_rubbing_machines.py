"""Random machines with dry friction: formulations and methods agree, and the audit's laws of friction hold."""

import os
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.solve.complementarity import Pushing, Rubbing, solve_complementary
from linkwork.solve.sharing import share
from rubbing import UNTIL, machine

TOL, CLOSE, SECONDS = 1e-11, 1e-7, 120
OTHERS = [("absolute", "auto"), ("tree", "auto"), ("points", "rk8")]
SHARE = float(os.environ.get("LINKWORK_SHARE", "1"))


def run(text, formulation="points", method="auto"):
    """The motion."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lw.loads(text).formulated(formulation)
        return model.simulate(UNTIL, tol=TOL, method=method, max_seconds=SECONDS)


def check_machine(seed):
    """One machine in all ways."""
    text = machine(seed)
    one = run(text)
    audit = one.audit()
    assert one.outcome.startswith("reached") and audit.ok and not one.doubts, f"{seed}: {one.outcome} {audit.line()}"
    for formulation, method in OTHERS if seed % 3 == 0 else [OTHERS[seed % 3]]:
        two = run(text, formulation, method)
        points = [point for point in one.system.chart.points if point in two.system.chart.points]
        apart = max([np.max(np.abs(one.final[point] - two.final[point])) for point in points], default=0.0)
        assert apart < CLOSE and two.audit().ok, f"{seed} {formulation} {method}: {apart:.1e} {two.audit().line()}"


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 33, 81, 92, 111])
def test_whatever_rubs_moves_alike_in_all_formulations_and_as_friction_does(seed):
    check_machine(seed)


@pytest.mark.long
@pytest.mark.parametrize("batch", range(100))
def test_more_of_what_rubs_moves_alike_in_all_formulations(batch):
    for seed in range(20 * batch, 20 * batch + max(1, round(20 * SHARE))):
        check_machine(1000 + seed)


# -- the mathematics ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_forces_of_an_instant_obey_the_laws_of_pushing_and_rubbing(seed):
    """z is the nearest point of its set to z − s, also where W has no inverse."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 3, int(rng.integers(1, 6)))
    places, n = [], 0
    for kind in kinds:
        places.append(Pushing(n) if kind == 0 else Rubbing(n, int(kind), float(rng.uniform(0, 2))))
        n += max(1, int(kind))
    A = rng.normal(size=(int(rng.integers(1, n + 1)), n))
    b = A.T @ rng.normal(size=len(A)) * rng.uniform(0.1, 10)  # what only pushes is not driven into
    W = A.T @ A
    z = solve_complementary(W, b, places, np.diagonal(W), np.zeros(n))
    s = b + W @ z
    for place in places:
        at = slice(place.first, place.first + place.size)
        r = 1.0 / np.max(np.diagonal(W)[at])
        np.testing.assert_allclose(place.nearest(z[at] - r * s[at]), z[at], atol=1e-9 * (1 + np.max(np.abs(z))))


@pytest.mark.parametrize("seed", range(40))
def test_the_least_share_of_holds_is_that_of_a_linear_program(seed):
    from scipy.optimize import linprog

    rng = np.random.default_rng(seed)
    f, n = int(rng.integers(1, 4)), int(rng.integers(2, 7))
    B, holds = rng.normal(size=(f, n)), rng.uniform(0.1, 3, n)
    T = B @ rng.normal(size=n)
    bounds = np.vstack([np.hstack([sign * np.eye(n), -holds[:, None]]) for sign in (1, -1)])
    best = linprog([*np.zeros(n), 1.0], A_ub=bounds, b_ub=np.zeros(2 * n), A_eq=np.hstack([B, np.zeros((f, 1))]),
                   b_eq=T, bounds=(None, None)).fun  # fmt: skip
    found = share(B, T, holds, [1] * n)
    assert found.most == pytest.approx(best, rel=1e-7)
    np.testing.assert_allclose(B @ found.forces, T, atol=1e-9)
    assert np.max(np.abs(found.forces) / holds) <= found.most * (1 + 1e-9)
