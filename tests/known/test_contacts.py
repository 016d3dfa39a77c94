"""Contacts against closed forms, independent integrations, and laws of momentum and energy."""

import re
from math import cos, gamma, log, pi, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import linkwork as lw

FORMALISMS = ("points", "absolute")


def drop(v: float, more: str = "", k: float = 1e6, n: str = "3/2") -> lw.Model:
    """A point mass that flies against the ground."""
    return lw.loads(f"""
PhysicalParams: {{k: {k}, v: {v}, n: {n}}}
PartData: {{Particles: {{A: 1}}}}
Connections: {{Contacts: {{hit: {{point: A, stiffness: k, exponent: n{more}}}}}}}
Events: {{leave: {{when: hit.gap, direction: rising, do: stop}}}}
ProblemData: {{tend: 10, positions: {{A: [0, 1]}}, velocities: {{A: [0, -v]}}}}
""")


def hertz_time(m: float, k: float, n: float, v: float) -> float:
    """How long an undamped impact lasts: 2 δmax/v ∫ ds/√(1 − sⁿ⁺¹), a beta function."""
    deepest = ((n + 1) * m * v * v / (2 * k)) ** (1 / (n + 1))
    return 2 * deepest / v * sqrt(pi) * gamma(1 + 1 / (n + 1)) / gamma(0.5 + 1 / (n + 1))


@pytest.mark.parametrize(("n", "v"), [(1, 0.5), (1.5, 0.5), (1.5, 4.0), (2.2, 2.0)])
def test_an_undamped_impact_lasts_as_long_as_the_beta_function_says(n, v):
    motion = drop(v, n=str(n)).simulate(tol=1e-13)
    time = motion.final.t - 1 / v
    assert time == pytest.approx(hertz_time(1, 1e6, n, v), rel=1e-10)
    assert motion.final["A.vy"] == pytest.approx(v, rel=1e-11)
    assert motion.audit().ok
    if n == 1:
        assert hertz_time(1, 1e6, n, v) == pytest.approx(pi / 1000, rel=1e-14)


def test_the_constant_of_hertz_is_2_94():
    m, k, v = 1.0, 1e6, 1.0
    assert hertz_time(m, k, 1.5, v) / (m * m / (k * k * v)) ** 0.2 == pytest.approx(2.9432 * (5 / 4) ** 0.4, rel=1e-4)


@pytest.mark.parametrize("v", [0.1, 1.0, 5.0])
def test_restitution_falls_with_speed_as_the_exact_integral_says(v):
    c = 0.15
    motion = drop(v, ", damping: 0.15").simulate(tol=1e-12)
    e = motion.final["A.vy"] / v
    # m v dv/dδ = −k δⁿ (1 + c v), integrated on both ways
    assert c * v * (1 + e) == pytest.approx(log((1 + c * v) / (1 - c * v * e)), rel=1e-9)
    assert motion.audit().ok
    lost = -motion.work["contact hit"][-1]
    assert lost == pytest.approx(v * v / 2 * (1 - e * e), rel=1e-9)


def test_a_damped_impact_agrees_with_an_independent_integration():
    k, c, v = 1e6, 0.3, 2.0

    def rates(_, y):
        depth = max(-y[0], 0.0)
        return [y[1], k * depth**1.5 * max(1 - c * y[1], 0.0)]

    found = solve_ivp(rates, (0, 0.004), [0.0, -v], rtol=1e-12, atol=1e-14, method="DOP853")
    motion = drop(v, ", damping: 0.3").simulate(tol=1e-12)
    then = motion.at(1 / v + 0.004)
    assert then["A.y"] == pytest.approx(found.y[0, -1], abs=1e-11)
    assert then["A.vy"] == pytest.approx(found.y[1, -1], abs=1e-8)


@pytest.mark.parametrize("e", [0.05, 0.3, 0.8, 0.99, 1.0])
def test_a_restitution_is_met_at_its_speed(e):
    motion = drop(2.0, f", restitution: {e}, impact_speed: 2").simulate(tol=1e-12)
    assert motion.final["A.vy"] == pytest.approx(2 * e, rel=1e-8)
    assert motion.audit().ok


def test_a_contact_never_pulls():
    motion = drop(2.0, ", damping: 5").simulate(tol=1e-10)
    t = np.linspace(0, motion.final.t, 2001)
    assert np.min(motion.at(t)["hit.force"]) >= 0.0


# -- bowling, rolling, sliding -----------------------------------------------------------------------------------------

BOWLING = """
PhysicalParams: {m: 6, r: 0.11, v0: 7, mu: 0.2, g: 9.81, k: 1e6, vs: 1e-4}
Dimension: 3
Bodies: {ball: {mass: m, inertia: [0.4*m*r**2, 0.4*m*r**2, 0.4*m*r**2], frames: {c: []}}}
Connections: {Contacts: {lane: {ball: ball.c, radius: r, stiffness: k, friction: mu, slip_speed: vs, damping: 1}}}
AppliedForces: {Gravity: [0, 0, -g]}
ProblemData: {tend: 1.5, positions: {ball.c: [0, 0, 'r - (m*g/k)**(2/3)']}, velocities: {ball.c: [v0, 0, 0]}}
"""


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_a_bowling_ball_slides_until_it_rolls_at_five_sevenths(formalism):
    model = lw.loads(BOWLING).formulated(formalism)
    motion = model.simulate(tol=1e-9)
    slides = 2 * 7 / (7 * 0.2 * 9.81)
    assert motion.final["ball.vx"] == pytest.approx(5, rel=1e-8)
    assert motion.final["ball.wy"] * 0.11 == pytest.approx(5, rel=1e-8)
    # until then it is braked by μ g
    assert motion.at(slides / 2)["ball.vx"] == pytest.approx(7 - 0.2 * 9.81 * slides / 2, rel=1e-6)
    assert motion.at(0.99 * slides)["lane.slip"] > 1e-2 > motion.at(1.01 * slides)["lane.slip"]
    # what friction takes is 2/7 of the energy
    assert motion.work["friction of lane"][-1] == pytest.approx(-6 * 49 / 7, rel=1e-7)
    assert motion.audit().ok


def test_the_time_of_sliding_goes_to_its_limit_with_the_slip_speed():
    exact, errors = 2 * 7 / (7 * 0.2 * 9.81), []
    for vs in (0.04, 0.02, 0.01):
        model = lw.loads(BOWLING + "Events: {rolls: {when: lane.slip - 0.5, direction: falling, do: stop}}\n")
        t = model.with_parameters(vs=vs).simulate(tol=1e-9).final.t
        errors.append(t - exact * (1 - 0.5 / 7))  # slip falls evenly: by 7/2 μ g
    orders = [log(errors[i] / errors[i + 1]) / log(2) for i in (0, 1)]
    assert errors[-1] > 0
    assert orders == pytest.approx([2, 2], abs=0.15)


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("mu", [0.1, 0.4])
def test_a_disc_rolls_down_an_incline_or_slides(formalism, mu):
    a, g = 0.5, 9.81
    model = lw.loads(f"""
PhysicalParams: {{m: 2, r: 0.2, a: {a}, mu: {mu}, g: {g}, k: 1e6}}
Bodies: {{wheel: {{mass: m, inertia: 0.5*m*r**2, frames: {{c: []}}}}}}
Connections:
  Contacts:
    slope:
      ball: wheel.c
      radius: r
      on: {{normal: [sin(a), cos(a)]}}
      stiffness: k
      exponent: 1
      damping: 10
      friction: mu
      slip_speed: 1e-4
AppliedForces: {{Gravity: [0, -g]}}
ProblemData: {{tend: 1, positions: {{wheel.c: ['(r - m*g*cos(a)/k)*sin(a)', '(r - m*g*cos(a)/k)*cos(a)']}}}}
""").formulated(formalism)
    motion = model.simulate(tol=1e-9)
    # sticks where tan a < 3 μ: with 2/3 g sin a, else with g (sin a − μ cos a)
    rolls = np.tan(a) < 3 * mu
    speed = 2 / 3 * g * sin(a) if rolls else g * (sin(a) - mu * cos(a))
    along = motion.final["wheel.vx"] * cos(a) - motion.final["wheel.vy"] * sin(a)
    assert along == pytest.approx(speed, rel=2e-4 if rolls else 1e-5)
    assert motion.audit().ok


def test_friction_on_a_moving_plane_takes_along_what_lies_on_it():
    """A block on a cart: momentum of both is kept, and they go on together."""
    motion = lw.loads(
        """
Dimension: 3
PhysicalParams: {r: 0.1}
Bodies:
  cart: {mass: 4, inertia: [1, 1, 1], frames: {top: []}}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], frames: {c: []}}
Connections:
  Joints: {rail: {kind: prismatic, frames: [world.o, cart.rail]}}
  Contacts: {bed: {ball: ball.c, radius: r, on: cart.top, stiffness: 1e5, friction: 0.5, damping: 1}}
AppliedForces: {Gravity: [0, 0, -9.81]}
ProblemData: {tend: 2, positions: {ball.c: [0, 0, 'r - (9.81/1e5)**(2/3)']}, velocities: {ball.c: [1, 0, 0]}}
""".replace("{top: []}", "{top: [], rail: {at: [], z: [1, 0, 0]}}").replace(
            "Bodies:", "Bodies:\n  world: {frames: {o: {at: [], z: [1, 0, 0]}}}"
        )
    ).simulate(tol=1e-9)
    end = motion.final
    momentum = 4 * end["cart.vx"] + end["ball.vx"]
    assert momentum == pytest.approx(1, rel=1e-8)
    # it rolls on the cart: v_ball + ω r = v_cart at the point of contact
    assert end["bed.slip"] == pytest.approx(0, abs=1e-6)
    assert motion.audit().ok


# -- balls against balls -----------------------------------------------------------------------------------------------

CLASH = """
Dimension: 3
PhysicalParams: {r: 0.05, R: 0.08, mu: 0.2, c: 0}
Bodies:
  a: {mass: 1, inertia: [0.001, 0.001, 0.001], frames: {c: []}}
  b: {mass: 3, inertia: [0.007, 0.007, 0.007], frames: {c: []}}
Connections:
  Contacts: {clash: {ball: a.c, radius: r, on: {ball: b.c, radius: R}, stiffness: 1e7, friction: mu, damping: c}}
ProblemData:
  tend: 0.3
  positions: {a.c: [-0.3, 0.05, 0.02], b.c: [0, 0, 0]}
  velocities: {a.c: [2, 0, 0]}
"""


def momenta(s, bodies=(("a", 1, 0.001), ("b", 3, 0.007))):
    """Linear and angular momentum of two round bodies, and their kinetic energy."""
    P, L, T = np.zeros(3), np.zeros(3), 0.0
    for body, m, inertia in bodies:
        x, v, w = (np.array([s[f"{body}.{p}{k}"] for k in "xyz"]) for p in ("", "v", "w"))
        P, L = P + m * v, L + m * np.cross(x, v) + inertia * w
        T += m * v @ v / 2 + inertia * w @ w / 2
    return P, L, T


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("mu", [0, 0.2])
def test_two_balls_keep_momentum_angular_momentum_and_energy(formalism, mu):
    motion = lw.loads(CLASH).with_parameters(mu=mu).formulated(formalism).simulate(tol=1e-11)
    (P0, L0, T0), (P1, L1, T1) = momenta(motion.at(0.0)), momenta(motion.final)
    assert motion.final["a.vy"] > 0.1
    assert np.allclose(P0, P1, atol=1e-10)
    assert np.allclose(L0, L1, atol=1e-10)
    lost = -sum(work[-1] for work in motion.work.values())
    assert pytest.approx(lost, abs=1e-9) == T0 - T1
    assert (lost < 1e-9) if mu == 0 else (lost > 1e-3)
    assert motion.audit().ok


def test_a_ball_in_a_hollow_one_swings_as_a_pendulum():
    """A frictionless ball in a bowl: a pendulum of the length R − r, here about the lowest place."""
    motion = lw.loads("""
PhysicalParams: {R: 1, r: 0.1, g: 9.81, a: 0.4, k: 1e9}
PartData: {Particles: {A: 1}, Fixed: {O: []}}
Connections: {Contacts: {bowl: {ball: A, radius: r, on: {bowl: O, radius: R}, stiffness: k}}}
AppliedForces: {Gravity: [0, -g]}
Events: {low: {when: A.x, do: stop}}
ProblemData: {tend: 2, positions: {A: [(R - r)*sin(a), -(R - r)*cos(a)]}}
""").simulate(tol=1e-10)
    from scipy.special import ellipk

    assert motion.final.t == pytest.approx(sqrt(0.9 / 9.81) * ellipk(sin(0.2) ** 2), rel=1e-5)
    assert motion.audit().ok


def test_a_ball_at_rest_in_the_middle_of_a_hollow_one_is_regular():
    motion = lw.loads("""
PartData: {Particles: {A: 1}, Fixed: {O: []}}
Connections: {Contacts: {bowl: {ball: A, radius: 0.1, on: {bowl: O, radius: 1}, stiffness: 1e4}}}
AppliedForces: {Gravity: [0, -10]}
ProblemData: {tend: 1, positions: {A: []}}
""").simulate(tol=1e-10)
    assert motion.at(0.4)["A.y"] == pytest.approx(-0.8, rel=1e-12)
    assert motion.audit().ok


# -- the rim of a disc -------------------------------------------------------------------------------------------------


def test_the_lowest_point_of_a_rim_is_that_of_all_its_points():
    model = lw.loads("""
Dimension: 3
PhysicalParams: {R: 0.3}
Bodies: {coin: {mass: 1, inertia: [1, 1, 2], frames: {c: []}}}
Connections: {Contacts: {rim: {disc: coin.c, radius: R, on: {normal: [1, 2, 3], point: [0, 0, -5]}, stiffness: 1e4}}}
ProblemData: {tend: 1, positions: {coin.c: []}, velocities: {coin.c: [0.1, 0.2, 0.3]}}
""")
    motion = model.simulate(tol=1e-10)
    s, n = motion.final, np.array([1, 2, 3]) / sqrt(14)
    x, y = (np.array([s[f"coin.{axis}{k}"] for k in "xyz"]) for axis in "xy")
    centre = np.array([s[f"coin.c.{k}"] for k in "xyz"])
    angle = brentq(lambda p: -sin(p) * (n @ x) + cos(p) * (n @ y), 2, 6)
    rim = centre + 0.3 * (cos(angle) * x + sin(angle) * y)
    assert s["rim.gap"] == pytest.approx(n @ (rim - [0, 0, -5]), abs=1e-11)
    assert [s[f"rim.contact_{k}"] for k in "xyz"] == pytest.approx(rim, abs=1e-6)


def test_a_coin_precesses_steadily_as_eulers_disc_does():
    """A frictionless thin disc on its rim in steady precession about its standing centre of mass.

    With tilt θ of the axis from the vertical, Ω about the vertical and no spin about the axis besides:
    A Ω² sin θ cos θ = m g R cos θ  →  Ω² = m g R/(A sin θ), with A = m R²/4: Ω² = 4 g/(R sin θ)
    """
    theta, R, g = 0.5, 0.1, 9.81
    omega = sqrt(4 * g / (R * sin(theta)))
    # ω = −Ω a_perpendicular: no component along the axis a = (sin θ, 0, cos θ)
    height = R * sin(theta)
    along = omega * np.array([0, 0, 1]) - omega * cos(theta) * np.array([sin(theta), 0, cos(theta)])
    model = lw.loads(f"""
Dimension: 3
PhysicalParams: {{m: 1, R: {R}, g: {g}, k: 1e9}}
Bodies:
  coin: {{mass: m, inertia: [m*R**2/4, m*R**2/4, m*R**2/2], frames: {{c: [], e: [R], f: [0, R]}}}}
Connections: {{Contacts: {{rim: {{disc: coin.c, radius: R, stiffness: k}}}}}}
AppliedForces: {{Gravity: [0, 0, -g]}}
ProblemData:
  tend: 0.3
  positions:
    coin.c: [0, 0, '{height} - (m*g/k)**(2/3)']
    coin.e: [{R * cos(theta)}, 0, '{height - R * sin(theta)} - (m*g/k)**(2/3)']
    coin.f: [0, {R}, '{height} - (m*g/k)**(2/3)']
  velocities:
    coin.c: [0, 0, 0]
    coin.e: {list(map(float, np.cross(along, [R * cos(theta), 0, -R * sin(theta)])))}
    coin.f: {list(map(float, np.cross(along, [0, R, 0])))}
""")
    motion = model.simulate(tol=1e-10)
    t = np.linspace(0, 0.3, 31)
    s = motion.at(t)
    # the axis goes round on its cone, the centre stays
    assert np.allclose(s["coin.zz"], cos(theta), atol=2e-6)
    assert np.allclose(s["coin.zx"], sin(theta) * np.cos(omega * t), atol=1e-4)
    assert np.allclose(s["coin.c.z"], height - (9.81 / 1e9) ** (2 / 3), atol=1e-8)
    assert motion.audit().ok


# -- rigid -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_a_rigid_contact_bounces_by_its_restitution_and_comes_to_rest(formalism):
    model = lw.loads("""
PhysicalParams: {r: 0.1, e: 0.5, g: 10, h: 1.35}
Bodies: {ball: {mass: 1, inertia: 0.004, frames: {c: []}}}
Connections: {Contacts: {floor: {ball: ball.c, radius: r, restitution: e}}}
AppliedForces: {Gravity: [0, -g]}
ProblemData: {tend: 2, positions: {ball.c: [0, h]}}
""")
    motion = model.formulated(formalism).simulate(tol=1e-12)
    fall = sqrt(2 * 1.25 / 10)
    times = [event.t for event in motion.events]
    assert times[:3] == pytest.approx([fall, 2 * fall, 2.5 * fall], rel=1e-12)
    assert times[-1] == pytest.approx(3 * fall, rel=1e-10)
    assert motion.final["floor.gap"] == pytest.approx(0, abs=1e-12)
    assert motion.losses["floor"][-1] == pytest.approx(-12.5, rel=1e-10)
    assert motion.audit().ok


def test_a_stiffer_contact_goes_to_the_rigid_one():
    """Bounce off a plane: the compliant one is late by the time of contact, ∝ k^(−2/5)."""
    lag = []
    for k in (1e6, 1e8, 1e10):
        motion = drop(2.0, ", restitution: 0.7, impact_speed: 2", k).simulate(tol=1e-12)
        assert motion.final["A.vy"] == pytest.approx(1.4, rel=1e-8)
        lag.append(motion.final.t - 0.5)
    slopes = np.diff(np.log(lag)) / log(100)
    assert slopes == pytest.approx([-0.4, -0.4], abs=1e-3)


def test_rigid_balls_clash_with_momentum_and_restitution():
    text = CLASH.replace("stiffness: 1e7, friction: mu, damping: c", "restitution: 0.6")
    motion = lw.loads(text).simulate(tol=1e-12)
    (P0, L0, T0), (P1, L1, T1) = momenta(motion.at(0.0)), momenta(motion.final)
    assert np.allclose(P0, P1, atol=1e-12)
    assert np.allclose(L0, L1, atol=1e-12)
    hit = motion.events[0].t
    before, after = motion.at(hit - 1e-9)["clash.gap_rate"], motion.at(hit + 1e-9)["clash.gap_rate"]
    assert after == pytest.approx(-0.6 * before, rel=1e-6)
    assert motion.losses["clash"][-1] == pytest.approx(T1 - T0, rel=1e-10)
    assert motion.audit().ok


# -- cams --------------------------------------------------------------------------------------------------------------

CAM = """
PhysicalParams: {R: 1, e: 0.3, rho: 0.2, w: 10, k: 200, m: 0.5}
Bodies:
  world: {frames: {o: [], up: {at: [], angle: pi/2}}}
  shaft: {mass: 1, inertia: 0.5, frames: {o: []}}
  lifter: {mass: m, inertia: 0.1, frames: {c: [], g: {at: [], angle: pi/2}}}
Connections:
  Joints:
    axle: {kind: revolute, frames: [world.o, shaft.o]}
    guide: {kind: translational, frames: [world.up, lifter.g]}
  Contacts:
    cam: {ball: lifter.c, radius: rho, on: {cam: shaft.o, radius: 'e*cos(phi) + sqrt(R**2 - e**2*sin(phi)**2)'}, LAW}
Motions: {shaft.angle: w*t}
AppliedForces: {Efforts: {guide.travel: -k*(guide.travel - 0.5)}}
ProblemData: {tend: 1.3, positions: {lifter.c: [0, 'sqrt((R + rho)**2 - e**2)']}, velocities: {lifter.c: [0, w*e]}}
"""


def lift(t):
    """Of a roller on an eccentric disc: its centre is R + ρ from the centre of the disc."""
    return 0.3 * np.sin(10 * t) + np.sqrt(1.2**2 - 0.09 * np.cos(10 * t) ** 2)


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_a_roller_kept_on_an_eccentric_disc_has_its_closed_form(formalism):
    motion = lw.loads(CAM.replace("LAW", "kept: yes")).formulated(formalism).simulate(tol=1e-12)
    t = np.linspace(0, 1.3, 200)
    s = motion.at(t)
    assert np.max(np.abs(s["lifter.c.y"] - lift(t))) < 1e-11
    # the contact lies between the two centres
    middle = np.stack([0.3 * np.cos(10 * t), 0.3 * np.sin(10 * t)])
    centre = np.stack([s["lifter.c.x"], s["lifter.c.y"]])
    place = np.stack([s["cam.contact_x"], s["cam.contact_y"]])
    assert np.allclose(place, middle + (centre - middle) / 1.2, atol=1e-9)
    assert motion.audit().ok


def test_a_roller_pressed_on_an_eccentric_disc_goes_to_the_same_motion():
    far = []
    for k in (1e7, 1e8):
        text = CAM.replace("LAW", f"stiffness: {k}, exponent: 1, damping: 20")
        motion = lw.loads(text).simulate(0.4, tol=1e-8)
        t = np.linspace(0.1, 0.4, 50)
        far.append(np.max(np.abs(motion.at(t)["lifter.c.y"] - lift(t))))
        assert motion.audit().ok
    assert far[0] / far[1] == pytest.approx(10, rel=0.05)


@pytest.mark.parametrize("law", ["kept: yes", "restitution: 0", "stiffness: 1e6, exponent: 1, damping: 10"])
def test_a_cam_by_points_is_that_by_its_formula_as_well_as_a_spline_goes_through_them(law):
    motions = []
    for count in (24, 49):
        phi = 2 * pi * np.arange(count) / count
        r = 0.3 * np.cos(phi) + np.sqrt(1 - 0.09 * np.sin(phi) ** 2)
        points = [[float(x), float(y)] for x, y in zip(r * np.cos(phi), r * np.sin(phi), strict=True)]
        text = CAM.replace("LAW", law).replace(
            "radius: 'e*cos(phi) + sqrt(R**2 - e**2*sin(phi)**2)'", f"points: {points}"
        )
        motions.append(lw.loads(text).simulate(1.3, tol=1e-8))
    exact = lw.loads(CAM.replace("LAW", law)).simulate(1.3, tol=1e-8)
    t = np.linspace(0.1, 1.3, 300)
    coarse, fine = (np.max(np.abs(m.at(t)["lifter.c.y"] - exact.at(t)["lifter.c.y"])) for m in motions)
    assert fine < 1e-4
    assert coarse > 6 * fine
    assert all(motion.audit().ok for motion in motions)


def test_a_rigid_cam_follower_lifts_off_where_the_force_would_have_to_pull():
    """At 10 rad/s the spring holds the follower down, at 45 it does not."""
    slow = lw.loads(CAM.replace("LAW", "restitution: 0")).simulate(tol=1e-10)
    t = np.linspace(0, 1.3, 100)
    assert np.max(np.abs(slow.at(t)["lifter.c.y"] - lift(t))) < 1e-9
    fast = lw.loads(CAM.replace("LAW", "restitution: 0")).with_parameters(w=45).simulate(0.2, tol=1e-10)
    off = next(event.t for event in fast.events if event.name == "cam: off")
    # the acceleration of the closed form there is that of the spring
    h, y = 1e-4, lambda t: 0.3 * sin(45 * t) + sqrt(1.44 - 0.09 * cos(45 * t) ** 2)
    assert (y(off + h) - 2 * y(off) + y(off - h)) / h**2 == pytest.approx(-200 * (y(off) - 0.5) / 0.5, rel=1e-4)
    assert slow.audit().ok
    assert fast.audit().ok


def test_a_ball_on_a_cam_in_space_is_held_in_its_plane_only():
    text = """
Dimension: 3
PhysicalParams: {k: 1e6}
Bodies:
  drum: {mass: 3, inertia: [1, 1, 1], frames: {o: [], e: [1], f: [0, 1]}}
  ball: {mass: 1, inertia: [0.01, 0.01, 0.01], frames: {c: []}}
Connections:
  Contacts:
    rim: {ball: ball.c, radius: 0.1, on: {cam: drum.o, radius: 1 + 0.2*cos(2*phi)}, stiffness: k, friction: 0.3}
ProblemData:
  tend: 1
  positions: {drum.o: [], ball.c: [2, 0.5, 0.3]}
  velocities: {ball.c: [-2, 0, 0.4]}
"""
    motion = lw.loads(text).simulate(tol=1e-10)
    bodies = (("drum", 3, 1.0), ("ball", 1, 0.01))
    (P0, L0, _), (P1, L1, _) = momenta(motion.at(0.0), bodies), momenta(motion.final, bodies)
    assert motion.final["ball.vx"] > -1
    assert motion.final["rim.gap"] > 0
    assert np.allclose(P0, P1, atol=1e-9)
    assert np.allclose(L0, L1, atol=1e-9)
    assert motion.audit().ok


def test_a_driven_cam_gives_energy_to_what_it_hits():
    """A follower that falls on a cam: after the impact it moves away by e times the relative speed before."""
    text = CAM.replace("LAW", "restitution: 0.5").replace("'sqrt((R + rho)**2 - e**2)'", "1.25")
    motion = lw.loads(text).simulate(0.3, tol=1e-11)
    hit = motion.events[0]
    assert hit.name == "cam"
    before, after = (motion.at(hit.t + dt)["cam.gap_rate"] for dt in (-1e-9, 1e-9))
    assert before < 0
    assert after == pytest.approx(-0.5 * before, rel=1e-6)
    assert motion.audit().ok


# -- dry friction of rigid contacts ------------------------------------------------------------------------------------

LANE = """
PhysicalParams: {m: 2, r: 0.2, mu: 0.3, g: 9.81, h: 0.2}
Bodies: {ball: {mass: m, inertia: 0.4*m*r**2, frames: {c: []}}}
Connections: {Contacts: {lane: {ball: ball.c, radius: r, restitution: 0.5, friction: mu}}}
AppliedForces: {Gravity: [0, -g]}
ProblemData: {tend: 1, positions: {ball.c: [0, h]}, velocities: {ball.c: [7, 0]}}
"""


@pytest.mark.parametrize("tol", [1e-12, 1e-13])
def test_a_rigid_ball_slides_and_rolls_from_the_exact_time_on(tol):
    """It lies on the lane all the time: that it rests there is no event, whichever way rounding goes."""
    motion = lw.loads(LANE).simulate(tol=tol)
    (sticks,) = motion.events
    assert sticks.name == "lane_friction: sticks"
    assert sticks.t == pytest.approx(2 * 7 / (7 * 0.3 * 9.81), rel=1e-11)
    assert motion.final["ball.vx"] == pytest.approx(5, rel=1e-11)
    assert motion.final["lane.force"] == pytest.approx(2 * 9.81, rel=1e-11)
    assert motion.work["friction lane_friction"][-1] == pytest.approx(-2 * 49 / 7, rel=1e-10)
    assert motion.audit().ok


def test_a_rigid_ball_that_bounces_is_braked_only_while_it_is_pressed():
    """Impacts are frictionless: it comes to rest on the lane with the speed it was thrown with, and slides then."""
    motion = lw.loads(LANE).with_parameters(h=0.7).simulate(2, tol=1e-12)
    fall = sqrt(2 * 0.5 / 9.81)
    times = {event.name: event.t for event in motion.events}
    assert times["lane: rest"] == pytest.approx(3 * fall, rel=1e-9)
    # bounces lower than rounding, of the last 1e-7 s, are taken for contact
    assert times["lane_friction: sticks"] == pytest.approx(3 * fall + 2 * 7 / (7 * 0.3 * 9.81), rel=1e-6)
    assert motion.audit().ok


@pytest.mark.parametrize("mu", [0.1, 0.4])
def test_a_rigid_disc_on_an_incline_rolls_or_slides(mu):
    a, g = 0.5, 9.81
    motion = lw.loads(f"""
PhysicalParams: {{m: 2, r: 0.2, a: {a}, mu: {mu}, g: {g}}}
Bodies: {{wheel: {{mass: m, inertia: 0.5*m*r**2, frames: {{c: []}}}}}}
Connections: {{Contacts: {{slope: {{ball: wheel.c, radius: r, on: {{normal: [sin(a), cos(a)]}}, friction: mu}}}}}}
AppliedForces: {{Gravity: [0, -g]}}
ProblemData: {{tend: 1, positions: {{wheel.c: [r*sin(a), r*cos(a)]}}}}
""").simulate(tol=1e-12)
    speed = 2 / 3 * g * sin(a) if np.tan(a) < 3 * mu else g * (sin(a) - mu * cos(a))
    assert motion.final["wheel.vx"] * cos(a) - motion.final["wheel.vy"] * sin(a) == pytest.approx(speed, rel=1e-11)
    assert motion.audit().ok


def test_a_compliant_contact_goes_to_the_rigid_one_with_friction():
    rigid = lw.loads(LANE).simulate(0.5, tol=1e-11).final["ball.vx"]
    off = []
    for k in (1e5, 1e6):
        text = LANE.replace("restitution: 0.5, friction: mu", f"stiffness: {k}, exponent: 1, damping: 10, friction: mu")
        model = lw.loads(text.replace("[0, h]", f"[0, 'h - m*g/{k}']"))
        off.append(abs(model.simulate(0.5, tol=1e-9).final["ball.vx"] - rigid))
    assert off[0] < 1e-4
    assert off[1] < 1e-4


@pytest.mark.parametrize(
    ("method", "tol", "error"),
    [("taylor", 1e-12, 1e-10), ("rk8", 1e-10, 1e-8), ("baumgarte", 1e-10, 1e-8), ("hht", 1e-8, 1e-4)],
)
def test_methods_bounce_off_a_stiff_floor_with_all_its_energy(method, tol, error):
    motion = drop(2.0, n="1").simulate(method=method, tol=tol)
    assert motion.final["A.vy"] == pytest.approx(2, rel=error)
    assert motion.final.t - 0.5 == pytest.approx(pi / 1000, rel=10 * error)


@pytest.mark.parametrize(("method", "compiled"), [("taylor", True), ("rk8", True), ("radau", True), ("rk8", False)])
@pytest.mark.parametrize("height", [0.1, 7.3])
def test_a_ball_laid_on_a_floor_sinks_in_as_far_as_its_weight_does_the_work(method, compiled, height):
    """m g d = k d^(5/2)/(5/2) from a gap of exactly 0, in which rounding of its height hides the first moments."""
    m, k, g = 1.0, 1e5, 9.81
    model = lw.loads(f"""
Bodies:
  world: {{frames: {{o: []}}}}
  ball: {{mass: {m}, inertia: 0.004, frames: {{c: []}}}}
Connections:
  Contacts: {{floor: {{ball: ball.c, radius: {height}, on: {{normal: [0, 1]}}, stiffness: {k}}}}}
AppliedForces: {{Gravity: [0, -{g}]}}
Events: {{turn: {{when: ball.c.vy, direction: rising}}}}
ProblemData: {{tend: 0.06, positions: {{ball.c: [0, {height}]}}}}
""")
    motion = model.simulate(method=method, tol=1e-9 if compiled else 1e-7, compiled=compiled)
    (turn,) = motion.events
    depth = (2.5 * m * g / k) ** (2 / 3)
    assert height - float(motion.at(turn.t)["ball.c.y"]) == pytest.approx(depth, rel=1e-6)
    assert motion.stats.steps < 600 and motion.audit().ok, motion.audit()


def test_the_page_of_contacts_runs():
    page = (Path(__file__).parents[2] / "docs" / "contact.md").read_text()
    for program in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(program, "contact.md", "exec"), {"lw": lw})


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
def test_gap_depth_and_force_of_contacts_are_results_and_columns(formulation, tmp_path):
    model = lw.loads("""
        PhysicalParams: {g: 9.81, r: 0.1}
        Bodies: {ball: {mass: 2, inertia: 1, frames: {c: [0, 0]}}, block: {mass: 1, inertia: 1, frames: {c: [0, 0]}}}
        Connections:
          Contacts:
            floor: {ball: ball.c, radius: r, on: {normal: [0, 1]}, restitution: 0.2}
            mat: {point: block.c, on: {normal: [0, 1]}, stiffness: 1e4, exponent: 1, damping: 5}
        AppliedForces: {Gravity: [0, -g]}
        ProblemData: {tend: 2, positions: {ball.c: [0, 0.3], block.c: [1, 0.01]}, velocities: {ball.c: [0.3, 0]}}
    """).formulated(formulation)
    motion = model.simulate()
    # in the air there is no force, at rest the weight
    assert motion.at(0.1)["floor.force"] == pytest.approx(0, abs=1e-12)
    assert motion.final["floor.force"] == pytest.approx(2 * 9.81, abs=1e-9)
    assert motion.at(0.1)["floor.gap"] == pytest.approx(0.2 - 9.81 * 0.1**2 / 2, abs=1e-9)
    table = motion.table([0.1, 2.0])
    for name in ("floor.gap", "floor.depth", "floor.force", "mat.gap", "mat.depth", "mat.force"):
        assert table[name] == pytest.approx([float(motion.at(t)[name]) for t in (0.1, 2.0)], abs=1e-12)
    assert table["mat.force"][1] == pytest.approx(1e4 * table["mat.depth"][1], rel=1e-2)
    lw.write_results(motion, tmp_path / "motion.csv")
    assert "floor.force" in (tmp_path / "motion.csv").read_text().splitlines()[0].split(",")
