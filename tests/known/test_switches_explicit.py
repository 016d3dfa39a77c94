"""Explicit Runge-Kutta steps over laws that switch hard: a mass on a floor of springs, against Taylor series."""

import pytest

import linkwork as lw

FLOOR = """
Title: Mass on a hard floor
Dimension: 2
PhysicalParams: {k: 1e6, m: 1}
PartData: {Particles: {A: m}}
AppliedForces:
  Gravity: [0, -9.81]
  Forces: {A: [0, "select(A.y < 0, -k*A.y, 0)"]}
ProblemData: {tend: 1, positions: {A: [[0, fixed], [0.2, fixed]]}}
"""


@pytest.mark.parametrize(("stiffness", "allowed"), [(1e3, 10), (1e6, 10), (1e8, 100)])
@pytest.mark.parametrize("tol", [1e-6, 1e-9])
@pytest.mark.parametrize("method", ["rk8", "baumgarte"])
def test_no_step_crosses_a_border_that_it_feels_too_early(method, tol, stiffness, allowed):
    model = lw.loads(FLOOR).with_parameters(k=stiffness)
    exact = model.simulate(1, tol=1e-13, method="taylor").final["A.y"]
    motion = model.simulate(1, tol=tol, method=method)
    assert motion.outcome == "reached t = 1" and motion.audit().ok
    assert motion.final["A.y"] == pytest.approx(exact, abs=allowed * tol)
