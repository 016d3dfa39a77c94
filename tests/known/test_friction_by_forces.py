"""Laws that use the forces of joints and accelerations: loops that are solved, against closed forms."""

import math

import numpy as np
import pytest

import linkwork as lw

G = 10.0
WAYS = [("taylor", True), ("taylor", False), ("rk8", True), ("rk8", False)]


def check(motion):
    audit = motion.audit()
    assert audit.ok, audit
    assert not motion.doubts


def slope(angle, *, mu=0.3, speed=0.0, **more):
    """A block of 2 kg on a rail at an angle, held by friction of its normal force."""
    c, s = math.cos(angle), math.sin(angle)
    given = {
        "parameters": {"mu": mu, "phi": angle},
        "particles": [lw.Particle(point="A", mass=2)],
        "gravity": (0, -G),
        "relations": [lw.Relation(name="rail", formula="A.y*cos(phi) - A.x*sin(phi)")],
        "frictions": [lw.Friction(name="dry", speed="A.vx*cos(phi) + A.vy*sin(phi)", limit="mu*abs(rail.force)")],
        "start": lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (speed * c, speed * s)}),
    }
    return lw.Model(lw.Mechanism(**{**given, **more}))


@pytest.mark.parametrize(("method", "compiled"), WAYS)
@pytest.mark.parametrize("steepness", [0.2999, 0.3001, 1.0])
def test_a_block_sticks_up_to_the_angle_of_friction_and_slides_beyond(steepness, method, compiled):
    angle = math.atan(steepness)
    motion = slope(angle).simulate(1, method=method, compiled=compiled)
    a = G * (math.sin(angle) - 0.3 * math.cos(angle)) if steepness > 0.3 else 0.0
    assert motion.final["A.x"] == pytest.approx(-0.5 * a * math.cos(angle), abs=1e-13)
    assert motion["rail.force"] == pytest.approx(np.full(len(motion.t), 2 * G * math.cos(angle)), rel=1e-13)
    check(motion)


def test_a_block_shot_up_a_slope_stops_in_time_and_the_lost_energy_is_that_of_friction():
    angle = math.atan(0.25)
    motion = slope(angle, speed=3.0).simulate(2)
    a = G * (math.sin(angle) + 0.3 * math.cos(angle))
    assert [(e.name, e.t) for e in motion.events] == [("dry: sticks", pytest.approx(3 / a, abs=1e-13))]
    assert motion.work["friction dry"][-1] == pytest.approx(-0.6 * G * math.cos(angle) * 4.5 / a, rel=1e-12)
    assert motion.energy.drift < 1e-12
    check(motion)


@pytest.mark.parametrize(("method", "compiled"), WAYS)
def test_a_block_pushed_at_an_angle_feels_friction_of_the_force_it_makes(method, compiled):
    """A rod at an angle pushes with P: N = m g + P sin, m a = P cos - mu N; a = F/m as if the loop were solved."""
    P, beta, mu, m = 30.0, 0.4, 0.3, 2.0
    force = ("P*cos(beta) - mu*rail.force*tanh(A.vx/0.01)", "-P*sin(beta)")
    model = lw.Model(
        lw.Mechanism(
            parameters={"P": P, "beta": beta, "mu": mu},
            particles=[lw.Particle(point="A", mass=m)],
            gravity=(0, -G),
            relations=[lw.Relation(name="rail", formula="A.y")],
            forces=[lw.Force(point="A", components=force)],
            start=lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (1, 0)}),
        )
    )
    motion = model.simulate(1, method=method, compiled=compiled)
    a = (P * math.cos(beta) - mu * (m * G + P * math.sin(beta))) / m
    assert motion.final["A.vx"] == pytest.approx(1 + a, rel=1e-11)
    assert motion["rail.force"][-1] == pytest.approx(m * G + P * math.sin(beta), rel=1e-13)
    check(motion)


@pytest.mark.parametrize(("method", "compiled"), WAYS)
def test_a_force_that_opposes_the_acceleration_adds_mass(method, compiled):
    """F = -c a: (m + c) a = F0, for every c > -m; one equation a = (F0 - c a)/m that depends on itself."""
    model = lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=2)],
            forces=[lw.Force(point="A", components=("6*cos(t) - 4*A.ax", "-A.vy'"))],
            start=lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (0, 3)}),
        )
    )
    motion = model.simulate(3, method=method, compiled=compiled)
    t = motion.t
    assert motion["A.x"] == pytest.approx(1 - np.cos(t), abs=1e-10)
    assert motion["A.y"] == pytest.approx(3 * t, abs=1e-12)
    assert motion["A.ax"] == pytest.approx(np.cos(t), abs=1e-9)
    check(motion)


def test_a_force_that_feeds_the_acceleration_more_than_the_mass_resists_is_refused_with_its_number():
    model = lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=2)],
            forces=[lw.Force(point="A", components=("1 + c*A.ax", 0))],
            parameters={"c": 3},
            start=lw.InitialValues(positions={"A": (0, 0)}),
        )
    )
    for compiled in (True, False):
        # 1 - c/m
        with pytest.raises(lw.SolveError, match=r"t = 0: the loop of A\.ax .* determinant is -0\.5"):
            model.simulate(1, compiled=compiled)
        assert model.with_parameters(c=1).simulate(1, compiled=compiled).final["A.x"] == pytest.approx(0.5)
