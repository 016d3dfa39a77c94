"""Dry friction against two speeds at right angles: a block on an incline, a ball that slides until it rolls."""

from math import atan, atan2, cos, hypot, pi, sin, tan

import numpy as np
import pytest

import linkwork as lw

G = 9.81
WAYS = [
    ({}, 1e-8),
    ({"compiled": False}, 1e-8),
    ({"method": "rk8"}, 1e-8),
    ({"method": "radau", "tol": 1e-9}, 1e-6),
    ({"method": "hht", "tol": 1e-6}, 3e-4),
]


def incline(alpha, mu, speed=0.0, psi=0.0, **more):
    """A block on a plane that descends along x, thrown at the angle psi to that."""
    velocity = (speed * cos(psi), speed * sin(psi), 0)
    return lw.Model(
        lw.Mechanism(
            **{
                "dimension": 3, "parameters": {"mu": mu}, "particles": [lw.Particle(point="A", mass=2)],
                "gravity": (G * sin(alpha), 0, -G * cos(alpha)),
                "contacts": [lw.Contact(name="plane", point="A", kept=True, friction="mu")],
                "start": lw.InitialValues(positions={"A": (0, 0, 0)}, velocities={"A": velocity}),
            } | more
        )
    )  # fmt: skip


def find_stop(alpha, mu, speed, psi):
    """When and where it stops, if mu > tan(alpha).

    v' = g sin α (cos ψ − k) and v ψ' = −g sin α sin ψ with k = μ/tan α lead to v = C τᵏ/sin ψ with τ = tan(ψ/2), and
    the integrals of dt, v cos ψ dt and v sin ψ dt over τ are those of powers.
    """
    k, x, g = mu / tan(alpha), tan(psi / 2), G * sin(alpha)
    C = speed * sin(psi) / x**k
    t = C / (2 * g) * (x ** (k - 1) / (k - 1) + x ** (k + 1) / (k + 1))
    down = C**2 / (4 * g) * (x ** (2 * k - 2) / (2 * k - 2) - x ** (2 * k + 2) / (2 * k + 2))
    across = C**2 / (2 * g) * (x ** (2 * k - 1) / (2 * k - 1) + x ** (2 * k + 1) / (2 * k + 1))
    return t, down, across


@pytest.mark.parametrize(("how", "close"), WAYS)
@pytest.mark.parametrize("psi", [1.0, 2.5])
def test_a_block_thrown_across_an_incline_turns_downhill_stops_in_time_and_sticks(psi, how, close):
    motion = incline(0.4, 0.7, 3.0, psi).simulate(2, **how)
    t, down, across = find_stop(0.4, 0.7, 3.0, psi)
    assert [(e.name, e.t) for e in motion.events] == [("plane_friction: sticks", pytest.approx(t, abs=close))]
    assert motion.final["A"] == pytest.approx([down, across, 0], abs=close)
    assert motion.final["A.vx"] == motion.final["A.vy"] == 0
    # what it has lost it has lost to friction
    lost = -(0.5 * 2 * 9 + 2 * G * sin(0.4) * down)
    assert motion.work["friction plane_friction"][-1] == pytest.approx(lost, rel=close)
    audit = motion.audit()
    assert audit.ok, audit.text()


@pytest.mark.parametrize("formulation", ["points", "absolute"])
def test_a_block_beyond_the_angle_of_friction_turns_downhill_and_does_not_stop(formulation):
    alpha, mu, psi = 0.4, 0.3, 2.9
    motion = incline(alpha, mu, 2.0, psi).formulated(formulation).simulate(4)
    assert not motion.events
    # v = C tan(psi/2)^k/sin(psi) all the way
    vx, vy = motion["A.vx"], motion["A.vy"]
    angle = np.array([atan2(y, x) for x, y in zip(vx, vy, strict=True)])
    invariant = np.hypot(vx, vy) * np.sin(angle) / np.tan(angle / 2) ** (mu / tan(alpha))
    assert invariant == pytest.approx(np.full(len(angle), invariant[0]), rel=1e-6)
    assert motion.audit().ok


def test_a_block_that_is_pulled_ever_more_slips_along_the_pull_when_it_is_overcome():
    pull = 0.3, 0.4  # N/s, in a direction of its own
    force = lw.Force(point="A", components=(f"{pull[0]}*t", f"{pull[1]}*t", 0))
    motion = incline(0, 0.2, forces=[force]).simulate(20)
    t = 0.2 * 2 * G / hypot(*pull)
    slips = ("plane_friction: slips", pytest.approx(t, rel=1e-12))
    assert [(e.name, e.t) for e in motion.events] == [("plane_friction: sticks", 0), slips]
    # m a = pull t - mu N along the pull
    gone = hypot(*pull) * (20 - t) ** 3 / 6 / 2
    assert motion.final["A"] == pytest.approx([0.6 * gone, 0.8 * gone, 0], rel=1e-8, abs=1e-8)
    assert motion.audit().ok


def test_a_block_thrown_straight_up_a_steep_incline_turns_back():
    alpha, mu = 0.8, 0.3
    motion = incline(alpha, mu, 3.0, pi).simulate(2)
    up, down = (G * (sin(alpha) + way * mu * cos(alpha)) for way in (1, -1))
    t = 3.0 / up
    assert motion.final["A.x"] == pytest.approx(-4.5 / up + down * (2 - t) ** 2 / 2, abs=1e-7)
    assert motion.final["A.y"] == pytest.approx(0, abs=1e-12) and motion.audit().ok


BALL = """
PhysicalParams: {m: 2, r: 0.1, J: 0.4*m*r**2, mu: 0.2}
Dimension: 3
Bodies: {b: {mass: m, inertia: [J, J, J], frames: {c: []}}}
Connections: {Contacts: {lane: {ball: b.c, radius: r, friction: mu}}}
AppliedForces: {Gravity: [0, 0, -9.81]}
ProblemData: {tend: 1, positions: {b.c: [0, 0, r]}, velocities: {b.c: [3, 1, 0]}}
"""


@pytest.mark.parametrize("formulation", ["points", "absolute"])
@pytest.mark.parametrize("how", [{}, {"method": "rk8"}, {"method": "radau"}])
def test_a_ball_slides_until_it_rolls_at_five_sevenths(formulation, how):
    motion = lw.loads(BALL).formulated(formulation).simulate(**how)
    v = hypot(3, 1)
    close = 1e-6 if how.get("method") == "radau" else 1e-8
    assert [(e.name, e.t) for e in motion.events] == [
        ("lane_friction: sticks", pytest.approx(2 * v / (7 * 0.2 * 9.81), abs=close))
    ]
    assert [motion.final["b.vx"], motion.final["b.vy"]] == pytest.approx([15 / 7, 5 / 7], abs=close)
    assert [motion.final["b.wy"], -motion.final["b.wx"]] == pytest.approx([150 / 7, 50 / 7], abs=100 * close)
    # 2/7 of its energy is lost
    assert motion.work["friction lane_friction"][-1] == pytest.approx(-20 / 7, abs=10 * close)
    audit = motion.audit()
    assert audit.ok, audit.text()


def test_a_ball_dropped_on_the_floor_is_braked_while_it_touches():
    text = BALL.replace("[0, 0, r]}", "[0, 0, r + 0.1]}").replace("tend: 1", "tend: 1.5")
    motion = lw.loads(text).simulate()
    # the impact is without friction: it slides from when it lands on
    lands = (2 * 0.1 / 9.81) ** 0.5
    assert motion.final["b.vx"] == pytest.approx(15 / 7, abs=1e-8)
    assert motion.events[-1].t == pytest.approx(lands + 2 * hypot(3, 1) / (7 * 0.2 * 9.81), abs=1e-8)
    assert motion.audit().ok


SLEEVE = """
PhysicalParams: {m: 2, J: 0.01, r: 0.05, F: 3}
Dimension: 3
Bodies: {s: {mass: m, inertia: [J, J, J], frames: {c: []}}}
PartData: {Fixed: {O: []}}
Connections: {Joints: {rod: {kind: cylindrical, frames: [world.O, s.c]}}}
AppliedForces:
  Friction: {rub: {speed: [rod.speed, r*rod.omega], limit: F}}
ProblemData: {tend: 2, velocities: {s.c: [0, 0, [1.5, fixed]], rod: [20, fixed]}}
"""


def test_a_sleeve_that_slides_and_turns_on_a_rod_is_braked_along_its_helix():
    """With the mass J/r² of what turns, equal to m here, friction does not change the ratio of both speeds."""
    model = lw.loads(SLEEVE.replace("J: 0.01", "J: m*r**2"))
    motion = model.simulate()
    v = np.array([1.5, 1.0])
    assert motion.events[0].t == pytest.approx(2 * np.linalg.norm(v) / 3, abs=1e-8)
    assert motion.final["s.c"][2] == pytest.approx(0.5 * 1.5 * 2 * np.linalg.norm(v) / 3, abs=1e-8)
    assert motion.work["friction rub"][-1] == pytest.approx(-(v @ v), rel=1e-8)
    assert motion.audit().ok


def test_a_puck_given_by_its_energies_does_the_same():
    start = {"x": 0, "y": 0, "x'": 3 * cos(1.0), "y'": 3 * sin(1.0)}
    rub = lw.Friction(name="rub", speed=["x'", "y'"], limit="mu*m*g*c")
    values = {"m": 2, "g": G, "s": sin(0.4), "c": cos(0.4), "mu": 0.7}
    puck = lw.lagrangian("x y", "m/2*(x'**2 + y'**2) + m*g*s*x", parameters=values, frictions=rub, start=start)
    motion = puck.simulate(2)
    t, down, across = find_stop(0.4, 0.7, 3.0, 1.0)
    assert [(e.name, e.t) for e in motion.events] == [("rub: sticks", pytest.approx(t, abs=1e-8))]
    assert [motion.final["x"], motion.final["y"]] == pytest.approx([down, across], abs=1e-10)
    assert motion.audit().ok


def test_what_friction_holds_in_equilibrium_is_the_size_of_both_components():
    alpha = 0.2
    held = incline(alpha, 0.5).equilibrium()
    (hold,) = held.holds
    assert hold.force == pytest.approx(2 * G * sin(alpha)) and hold.limit == pytest.approx(G * cos(alpha))
    with pytest.raises(lw.LinkworkError, match="friction does not hold it here"):
        incline(atan(0.5) + 0.01, 0.5).equilibrium()


BOWL = """
PhysicalParams: {m: 2, r: 0.1, J: 0.4*m*r**2, mu: 0.2, R: 1.1}
Dimension: 3
Bodies: {b: {mass: m, inertia: [J, J, J], frames: {c: [], p: [r], q: [0, r]}}}
PartData: {Fixed: {O: []}}
Connections: {Contacts: {bowl: {ball: b.c, radius: r, on: {bowl: O, radius: R}, friction: mu}}}
ProblemData:
  tend: 8
  positions: {b.c: [0, 0.6, -0.8], b.p: [r, 0.6, -0.8], b.q: [0, 0.6 + r, -0.8]}
  velocities: {b.c: [1.2, 1.28, 0.96], b.p: [1.2, 1.28, 0.96], b.q: [1.2, 1.28, 0.96]}
"""


@pytest.mark.parametrize(
    ("formulation", "how", "close"),
    [
        ("points", {}, 3e-9),
        ("absolute", {}, 3e-9),
        ("tree", {}, 3e-9),
        pytest.param("absolute", {"method": "rk8"}, 3e-9, marks=pytest.mark.long),
        pytest.param("absolute", {"method": "radau", "tol": 1e-8}, 1e-5, marks=pytest.mark.long),
        pytest.param("points", {"compiled": False}, 3e-9, marks=pytest.mark.long),
        pytest.param("tree", {"method": "rk8"}, 3e-9, marks=pytest.mark.long),
        pytest.param("points", {"method": "radau", "tol": 1e-8}, 1e-5, marks=pytest.mark.long),
        pytest.param("absolute", {"method": "hht", "tol": 1e-5}, 3e-3, marks=pytest.mark.long),
    ],
)
def test_a_ball_in_a_hollow_one_slides_round_it_until_it_rolls(formulation, how, close):
    """Without weight N = m v²/ρ, ρ = R − r: v' = −μ v²/ρ, and 5/7 of the speed are left at t = 2 ρ/(5 μ v₀)."""
    motion = lw.loads(BOWL).formulated(formulation).simulate(**how)
    sticks = ("bowl_friction: sticks", pytest.approx(1.0, abs=close))
    assert [(e.name, e.t) for e in motion.events] == [sticks]
    for t, v in ((0.5, 2 / 1.2), (2.0, 10 / 7), (8.0, 10 / 7)):
        at = motion.at(t)
        assert hypot(at["b.vx"], at["b.vy"], at["b.vz"]) == pytest.approx(v, abs=close)
        assert at["bowl.force"] == pytest.approx(2 * v**2, abs=10 * close)
    # it has gone ρ/μ log(1 + μ v₀ t/ρ) along a great circle, and rolls on
    turned = 5 * np.log(1.4) + 10 / 7 * 7
    place = np.array([0, 0.6, -0.8]) * cos(turned) + np.array([0.6, 0.64, 0.48]) * sin(turned)
    assert motion.final["b.c"] == pytest.approx(place, abs=10 * close)
    assert motion.work["friction bowl_friction"][-1] == pytest.approx(-4 * 2 / 7, abs=10 * close)
    audit = motion.audit()
    assert audit.ok, audit.text()


CAM = """
PhysicalParams: {m: 2, mu: 0.3, R: 0.5}
Dimension: 3
PartData: {Particles: {A: m}, Fixed: {O: []}}
Connections: {Contacts: {cam: {point: A, on: {cam: world.O, radius: R}, friction: mu, kept: yes}}}
ProblemData: {tend: 2, positions: {A: [R, 0, 0]}, velocities: {A: [0, 1.2, 0.9]}}
"""


@pytest.mark.parametrize("how", [{}, {"method": "rk8"}, {"method": "radau"}])
def test_a_point_slides_along_its_helix_on_a_round_cam(how):
    """N = m (v cos α)²/R, so v = v₀/(1 + μ v₀ cos²α t/R) at the same angle α all the way."""
    motion = lw.loads(CAM).simulate(**how)
    slow = 1 + 0.3 * 1.5 * 0.64 * 2 / 0.5
    gone = np.log(slow) / (0.3 * 0.64 / 0.5)
    turned = 0.8 * gone / 0.5
    assert not motion.events
    assert motion.final["A"] == pytest.approx([0.5 * cos(turned), 0.5 * sin(turned), 0.6 * gone], abs=1e-7)
    assert motion.final["cam.slip"] == pytest.approx(1.5 / slow, abs=1e-7)
    assert motion.work["friction cam_friction"][-1] == pytest.approx(1.5**2 * (1 / slow**2 - 1), abs=1e-7)
    assert motion.audit().ok, motion.audit().text()


FOLLOWER = """
PhysicalParams: {m: 2, mu: 0.3, R: 0.5, e: 0.1, w: 4, rho: 0.05}
Dimension: 3
PartData: {Particles: {A: m}, Fixed: {O: []}}
Bodies: {shaft: {mass: 3, inertia: [0.1, 0.1, 0.1], frames: {o: []}}}
Connections:
  Joints: {bearing: {kind: revolute, frames: [world.O, shaft.o]}}
  Relations: {guide: A.x, along: A.z}
  Contacts: {cam: {ball: A, radius: rho, on: {cam: shaft.o, radius: "%s"}, friction: mu, kept: yes}}
Motions: {bearing.angle: w*t}
AppliedForces: {Gravity: [0, -9.81, 0]}
ProblemData: {tend: 2, positions: {A: [0, R + rho, 0]}}
"""


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
def test_a_driven_cam_drags_its_follower_sideways(formulation):
    """On a round cam nothing lifts it: the guide holds the friction, the shaft is held back by its torque."""
    motion = lw.loads(FOLLOWER % "R").formulated(formulation).simulate()
    weight = 2 * 9.81
    assert motion["cam.force"] == pytest.approx(np.full(len(motion.t), weight), rel=1e-9)
    assert np.abs(motion["guide.force"]) == pytest.approx(np.full(len(motion.t), 0.3 * weight), rel=1e-7)
    assert motion.work["friction cam_friction"][-1] == pytest.approx(-0.3 * weight * 0.5 * 4 * 2, rel=1e-7)
    assert motion.audit().ok, motion.audit().text()


@pytest.mark.parametrize("how", [{}, {"method": "rk8"}])
def test_a_follower_on_an_eccentric_cam_has_the_forces_of_its_lift(how):
    """On a disc with its centre c out by e the follower is at c_y + √(ρ² − c_x²), ρ that of disc and roller."""
    motion = lw.loads(FOLLOWER % "e*cos(phi) + sqrt(R**2 - e**2*sin(phi)**2)").simulate(1.5, **how)
    t, total = motion.t[1:], 0.5 + 0.05
    angle = 4 * t
    x, y = 0.1 * np.cos(angle), 0.1 * np.sin(angle)
    rise = np.sqrt(total**2 - x**2)
    lift = y + rise
    assert motion["A.y"][1:] == pytest.approx(lift, abs=1e-9)
    # the normal is that from the centre of the disc; the way it slides is across it, backwards
    n = np.stack([-x, rise]) / total
    speed = 4 * x + x * 4 * y / rise
    acceleration = np.gradient(speed, t)
    across = np.stack([-n[1], n[0]])
    slips = np.sign(np.sum(across * np.stack([np.zeros_like(t), speed]), axis=0) - 4 * total)
    force = 2 * (9.81 + acceleration) / (n[1] - 0.3 * slips * across[1])
    inner = slice(len(t) // 8, -len(t) // 8)
    assert motion["cam.force"][1:][inner] == pytest.approx(force[inner], rel=2e-2)
    assert motion.audit().ok, motion.audit().text()


def test_words():
    with pytest.raises(lw.InputError, match=r"friction 'rub': speed: 3 speeds. Give one, or two at right angles"):
        lw.Friction(name="rub", speed=["A.vx", "A.vy", "A.vz"], limit=1)
