"""Starts in singular positions: the motion of the velocities' way, one true answer of check, run and linearize."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

G = 9.81


def parallelogram(angle, speeds, d=1.5, gravity=G, fixed=False):
    """Two cranks of length 1 and a coupler like the ground, turned by an angle, both cranks with their own speed."""
    c, s = math.cos(angle), math.sin(angle)

    def guess(x):
        return lw.fix(x) if fixed else x

    velocities = {p: (-s * w, guess(c * w)) for p, w in zip("AB", speeds, strict=True)}
    return lw.Model(
        lw.Mechanism(
            fixed={"O": (), "Q": (d, 0)},
            rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", d, 1), lw.Rigid.rod("QB", 1, 1)],
            gravity=(0, -gravity),
            start=lw.InitialValues(positions={"A": (c, s), "B": (d + c, s)}, velocities=velocities),
        )
    )


def turned(angle, rate, t):
    """The angle of a parallelogram: J θ̈ = −2 g cos θ with J = 2/3 + 1, by scipy."""
    J = 2 / 3 + 1
    found = solve_ivp(
        lambda _, y: [y[1], -2 * G * math.cos(y[0]) / J], (0, t), [angle, rate], method="DOP853", rtol=1e-13, atol=1e-14
    )
    return found.y[0, -1]


@pytest.mark.parametrize("d", [1.0, 1.5])
@pytest.mark.parametrize("angle", [0.0, 1e-12, 3e-9, 1e-9, 1e-7, 1e-5, -1e-5, 1e-3, math.pi])
def test_a_turning_parallelogram_may_start_flat_and_nearly_flat(angle, d):
    motion = parallelogram(angle, (2.0, 2.0), d).simulate(1.5, tol=1e-11)
    theta = turned(angle, 2.0, 1.5)
    assert motion.outcome == "reached t = 1.5"
    np.testing.assert_allclose(motion.final["A"], (math.cos(theta), math.sin(theta)), rtol=0, atol=1e-10)
    np.testing.assert_allclose(motion["B"] - motion["A"], np.broadcast_to((d, 0), motion["A"].shape), atol=1e-9)
    assert motion.energy.drift < 1e-10


def test_the_first_state_out_of_a_singular_position_is_the_start():
    assembly = parallelogram(0.0, (2.0, 2.0))
    motion = assembly.simulate(1.0)
    np.testing.assert_array_equal(motion.q[0], assembly.start.q)
    np.testing.assert_array_equal(motion.u[0], assembly.start.u)


@pytest.mark.parametrize("compiled", [None, False])
def test_both_machines_leave_a_singular_position_alike(compiled):
    motion = parallelogram(0.0, (2.0, 2.0)).simulate(0.5, compiled=compiled)
    theta = turned(0.0, 2.0, 0.5)
    np.testing.assert_allclose(motion.final["A"], (math.cos(theta), math.sin(theta)), rtol=0, atol=1e-9)


def test_velocities_choose_between_the_ways_that_meet():
    # of a flat parallelogram 1, 1.5: Yᵀγ = 0 leaves the parallelogram, equal speeds, and the antiparallelogram, −5 : 1
    straight, crossed = parallelogram(0.0, (2.0, 1.9)), parallelogram(0.0, (-0.2, 1.1))
    np.testing.assert_allclose(straight.start.u, (0, 1.95, 0, 1.95), atol=1e-9)
    u = crossed.start.u
    assert u[1] / u[3] == pytest.approx(-0.2, abs=1e-9)
    motion = crossed.simulate(0.5, tol=1e-12)
    assert motion.energy.drift < 1e-10
    # the crossed cranks: A and B on different sides of the line of the pivots
    later = motion.at(np.linspace(0.05, 0.2, 5))
    assert np.all(later["A"][:, 1] * later["B"][:, 1] < 0)


@pytest.mark.parametrize("tol", [1e-10, 1e-12])
def test_crossed_cranks_fall_back_through_the_flat_position_at_any_speed(tol):
    # they rise by a tenth of a radian only, so that no point on the way is far from singular
    for rate in np.linspace(0.9, 1.3, 5):
        motion = parallelogram(0.0, (-0.2 * rate / 1.1, rate)).simulate(0.5, tol=tol)
        assert motion.energy.drift < 1e-10
        assert motion.final["A"][1] > 0 > motion.final["B"][1]  # still crossed, the other way round


def test_fixed_velocities_that_lead_nowhere_are_refused():
    with pytest.raises(lw.StartError, match="from this singular position no way of moving has the fixed Ay', By'"):
        _ = parallelogram(0.0, (2.0, 1.0), fixed=True).start


def test_a_point_passes_the_crossing_of_its_path():
    # the lemniscate (x² + y²)² = 2(x² − y²) through its double point, along y = x, without forces: speed is kept
    figure = lw.lagrangian(
        "x y",
        "x'**2/2 + y'**2/2",
        constraints=["(x**2 + y**2)**2 - 2*(x**2 - y**2)"],
        start={"x": 0, "y": 0, "x'": 1, "y'": 1},
    )
    motion = figure.simulate(8.0, tol=1e-12)
    np.testing.assert_allclose(np.hypot(*motion.u.T), math.sqrt(2), atol=1e-9)
    # a loop of the lemniscate r² = A² cos 2θ is ϖ A long, ϖ = 2.622...; here A = √2
    loop = 2.622057554292119 * math.sqrt(2)
    half = motion.at(loop / math.sqrt(2))
    np.testing.assert_allclose(half.q, (0, 0), atol=1e-9)
    np.testing.assert_allclose(half.u, (-1, 1), atol=1e-8)


# -- one answer --------------------------------------------------------------------------------------------------------


def stretched(speed=0.0):
    return lw.Model(
        lw.Mechanism(
            fixed={"O": (), "Q": (2, 0)},
            rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AQ", 1, 1)],
            particles=[lw.Particle(point="A", mass=1)],
            gravity=(0, -G),
            start=lw.InitialValues(positions={"A": (1, 0)}, velocities={"A": (0, speed)}),
        )
    )


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_what_can_only_shake_neither_moves_nor_has_a_linear_model(speed):
    assembly = stretched(speed)
    assert np.max(np.abs(assembly.start.u)) < 1e-6
    assert assembly.structure().mobility.motion == 0
    with pytest.raises(lw.SolveError, match="locked"):
        assembly.simulate(1.0)
    for point in ("start", "equilibrium"):
        with pytest.raises(lw.SolveError, match="nothing can move here: 1 at this instant, but none of motion"):
            assembly.linearize(point)
        with pytest.raises(lw.SolveError, match="nothing can move here"):
            assembly.slowest(1, point)


def test_a_parallelogram_that_starts_flat_moves_in_all_its_parts():
    assembly = parallelogram(0.0, (2.0, 2.0), d=1.0)
    structure = assembly.structure()
    assert (structure.mobility.freedom, structure.mobility.motion) == (2, 1)
    assert structure.still == ()
    assert "cannot move" not in structure.text()
    with pytest.raises(lw.SolveError, match="singular position, where ways of moving meet: 2 degrees of freedom"):
        assembly.linearize()
    assert len(assembly.linearize(0.5).states) == 1


def test_at_rest_where_ways_meet_it_is_said_that_nothing_says_which():
    # a load on one crank alone accelerates it along neither of the two ways
    assembly = lw.Model(
        lw.Mechanism(
            fixed={"O": (), "Q": (1.5, 0)},
            rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", 1.5, 1), lw.Rigid.rod("QB", 1, 1)],
            particles=[lw.Particle(point="A", mass=5)],
            gravity=(0, -G),
            start=lw.InitialValues(positions={"A": (1, 0), "B": (2.5, 0)}),
        )
    )
    with pytest.raises(lw.SolveError, match="ways of moving meet, and the velocities do not say which"):
        assembly.simulate(1.0)


def test_where_constraints_repeat_each_other_everywhere_no_way_out_is_sought_again(monkeypatch):
    from linkwork.solve import run

    asked = []
    found = run.find_departure
    monkeypatch.setattr(run, "find_departure", lambda *args: asked.append(args) or found(*args))
    model = lw.load("examples/spatial-four-bar.yaml")
    first, second = model.simulate(0.2), model.simulate(0.2)
    assert first.stats.redundant == second.stats.redundant == 3
    assert len(asked) == 1
    assert np.array_equal(first.final.q, second.final.q)
    model.simulate(0.2, tol=1e-8)  # another tolerance may lead out where this one did not
    assert len(asked) == 2
