"""Searches for equilibria and steady motions: those that exist are found on all constraints, others end in words."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.native.numbers import compute_levels

EXAMPLES = Path(__file__).parents[2] / "examples"

TORSION = """
PhysicalParams: {k: 0.3, tau: 3}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}
AppliedForces: {Torques: {OA: tau - k*OA.angle}}
ProblemData: {positions: {A: [1, 0]}}
"""


def test_a_torque_that_never_rests_has_no_equilibrium():
    with pytest.raises(lw.SolveError, match=r"no static equilibrium .* after o has moved by .* linearise at a time"):
        lw.load(EXAMPLES / "bennett.yaml").linearize("equilibrium")


def test_nor_a_steady_motion():
    with pytest.raises(lw.SolveError, match=r"no steady motion was found: o' keeps changing"):
        lw.load(EXAMPLES / "bennett.yaml").linearize("steady")


def test_without_forces_every_place_is_an_equilibrium():
    linkage = lw.load(EXAMPLES / "bennett.yaml").with_parameters(tau=0)
    linear = linkage.linearize("equilibrium")
    np.testing.assert_allclose(linear.at.q, linkage.start.q, atol=1e-12)
    assert all(mode.rigid for mode in linear.modes)


@pytest.mark.parametrize(
    ("name", "at"),
    [*(("bricard", at) for at in ("equilibrium", "steady")), *(("sarrus", at) for at in ("equilibrium", "steady")),
     ("spatial-four-bar", "equilibrium")],
)  # fmt: skip
def test_redundant_constraints_are_met_too(name, at):
    linear = lw.load(EXAMPLES / f"{name}.yaml").linearize(at)
    zero = np.zeros(linear.system.n)
    g, rate, _ = compute_levels(linear.system, linear.at.q, linear.at.u, zero, linear.at.t)
    assert linear.balanced
    np.testing.assert_allclose(g, 0, atol=1e-9)
    np.testing.assert_allclose(rate, 0, atol=1e-9)


def test_an_equilibrium_may_be_some_turns_away():
    linear = lw.loads(TORSION).linearize("equilibrium", states=["OA.angle"])
    assert linear.values[0] == pytest.approx(10, abs=1e-12)


@pytest.mark.parametrize("name", ["spatial-four-bar", "double-pendulum-3d"])
def test_a_moment_without_acceleration_is_no_steady_motion(name):
    with pytest.raises(lw.SolveError, match="no steady motion was found"):
        lw.load(EXAMPLES / f"{name}.yaml").linearize("steady")


def test_a_pendulum_that_passes_its_lowest_point_is_not_in_steady_motion():
    swing = lw.lagrangian("theta", "theta'**2/2 + 9.81*cos(theta)", start={"theta'": 2})
    linear = swing.linearize()
    assert linear.residual == {"theta'": 0} and not linear.balanced


def test_a_slanting_chain_of_five_hundred_rods_comes_to_hang():
    rods = 500
    side = np.sqrt(0.5) / rods
    chain = lw.Model(
        lw.Mechanism(
            fixed={"P0": ()},
            rigids=[lw.Rigid.rod(f"P{i}P{i + 1}", 1.0 / rods, 1.0 / rods) for i in range(rods)],
            gravity=(0, -9.81),
            start=lw.InitialValues(positions={f"P{i}": (side * i, -side * i) for i in range(1, rods + 1)}),
        )
    )
    found = chain.slowest(1, "equilibrium")
    x, y = np.array([found.at.q[list(found.system.chart.points[f"P{i}"])] for i in range(1, rods + 1)]).T
    np.testing.assert_allclose(x, 0, atol=1e-9)
    np.testing.assert_allclose(y, -np.arange(1, rods + 1) / rods, atol=1e-9)
    assert found.balanced


def test_a_level_chain_of_a_hundred_rods_comes_to_hang():
    rods = [lw.Rigid.rod(f"P{i}P{i + 1}", 1.0, 1.0) for i in range(100)]
    places = {f"P{i}": (i, 0) for i in range(1, 101)}
    chain = lw.Mechanism(fixed={"P0": ()}, rigids=rods, gravity=(0, -9.81), start=lw.InitialValues(positions=places))
    found = lw.Model(chain).linearize("equilibrium")
    heights = [found.at.q[found.system.chart.points[f"P{i}"][1]] for i in range(1, 101)]
    np.testing.assert_allclose(heights, -np.arange(1, 101), atol=1e-9)


def test_an_integrator_whose_error_never_vanishes_has_no_equilibrium_and_that_is_said_soon(examples):
    text = (examples / "spatial-four-bar.yaml").read_text()
    servo = 'Controllers: {servo: {kind: pid, error: "sqrt((1 + O.vx - tau)**-2)", P: 100, I: 1e3, D: 3, filter: 2}}\n'
    with lw.time_limit(60), pytest.raises(lw.SolveError, match="no equilibrium of the mechanism and its states"):
        lw.loads(f"{text}\n{servo}").linearize("equilibrium")
