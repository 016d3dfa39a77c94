"""Laws that use the forces of joints and accelerations: loops that are solved, against closed forms."""

import math
from pathlib import Path

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


# -- pins -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["taylor", "rk8"])
def test_a_disc_on_a_rough_pin_stops_in_time(method):
    """J omega' = -mu r m g: the pin carries the weight alone."""
    mu, r, m, R, w = 0.2, 0.05, 3.0, 0.3, 4.0
    disc = lw.Rigid(
        name="disc", points=["C", "A"], geometry=[(0, 0), (R, 0)], centroid=(0, 0), mass=m, inertia=[m * R**2 / 2]
    )
    model = lw.Model(
        lw.Mechanism(
            fixed={"O": (0, 0)},
            rigids=[disc],
            joints=[lw.Joint(name="pin", kind="revolute", parts=["world", "disc"], points=["O", "C"])],
            gravity=(0, -G),
            frictions=[lw.Friction(name="dry", speed="disc.omega", limit=f"{mu * r}*pin.force")],
            start=lw.InitialValues(positions={"A": (R, 0)}, rates={"disc": w}),
        )
    )
    motion = model.simulate(5, method=method)
    slowing = mu * r * m * G / (m * R**2 / 2)
    assert [(e.name, e.t) for e in motion.events] == [("dry: sticks", pytest.approx(w / slowing, abs=1e-11))]
    assert motion.final["disc.angle"] == pytest.approx(w**2 / (2 * slowing), abs=1e-10)
    assert motion["pin.force"] == pytest.approx(np.full(len(motion.t), m * G), rel=1e-10)
    check(motion)


def pendulum(**more):
    given = {
        "parameters": {"mu": 0.3, "r": 0.1},
        "fixed": {"O": (0, 0)},
        "rigids": [lw.Rigid.rod("OA", 1, 2)],
        "gravity": (0, -G),
        "torques": [lw.Torque(part="OA", value="-mu*r*OA.O.force*tanh(OA.omega/0.5)")],
        "states": [lw.State(name="X", rate="(A.ax - X)/0.1")],
        "start": lw.InitialValues(positions={"A": (1, 0)}),
    }
    return lw.Model(lw.Mechanism(**{**given, **more}))


@pytest.mark.parametrize(("method", "compiled"), WAYS)
def test_a_pendulum_with_a_rough_pin_and_an_accelerometer_moves_as_its_equation_by_hand_says(method, compiled):
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    m, l, rough = 2.0, 1.0, 0.03

    def rates(t, y):
        angle, w, x = y
        c, s = math.cos(angle), math.sin(angle)

        def left(a):  # of the balance of moments about the pin
            pull = m * math.hypot(-l / 2 * (c * w**2 + s * a), l / 2 * (c * a - s * w**2) + G)
            return m * l**2 / 3 * a + m * G * l / 2 * c + rough * pull * math.tanh(w / 0.5)

        a = brentq(left, -1e4, 1e4, xtol=1e-15, rtol=1e-15)
        return [w, a, (-l * (c * w**2 + s * a) - x) / 0.1]

    end = 2.0 if compiled else 0.4
    angle, _, x = solve_ivp(rates, (0, end), [0, 0, 0], rtol=1e-12, atol=1e-12, method="DOP853").y[:, -1]
    motion = pendulum().simulate(end, method=method, compiled=compiled, tol=1e-11)
    assert motion.final["A"] == pytest.approx([math.cos(angle), math.sin(angle)], abs=3e-11)
    assert motion.final["X"] == pytest.approx(x, abs=1e-9)
    assert motion.energy.drift < 1e-11
    check(motion)


def test_a_value_in_a_law_is_the_reaction_that_the_motion_tells():
    motion = pendulum().simulate(2)
    told = motion.reaction("OA", "O")
    assert motion["OA.O.fx"] == pytest.approx(told[:, 0], abs=1e-9)
    assert motion["OA.O.fy"] == pytest.approx(told[:, 1], abs=1e-9)
    assert motion["OA.O.force"] == pytest.approx(np.hypot(*told.T), abs=1e-9)
    assert motion["A.ax"] == pytest.approx(motion.acceleration("A")[:, 0], abs=1e-9)


# -- where there is no unique solution --------------------------------------------------------------------------------


def leaning_rod(mu, way, angle=math.pi / 3):
    """A rod whose end A slides along a rough rail: Painleve's."""
    c, s = math.cos(angle), math.sin(angle)
    return lw.Model(
        lw.Mechanism(
            parameters={"mu": mu},
            rigids=[lw.Rigid.rod("AB", 2, 3)],
            gravity=(0, -G),
            relations=[lw.Relation(name="rail", formula="A.y")],
            forces=[lw.Force(point="A", components=(f"{-way}*mu*abs(rail.force)", 0))],
            start=lw.InitialValues(
                positions={"A": (0, 0), "B": (2 * c, 2 * s)}, velocities={"A": (way, 0), "B": (way, 0)}
            ),
        )
    )


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("mu", "way"), [(0.5, -1), (1.0, 1), (2.0, -1), (2.0, 1), (4.0, -1)])
def test_painleves_rod_is_refused_where_its_normal_force_is_not_unique(mu, way, compiled):
    """N (1 + 3 cos (cos + way mu sin sign(N))) = m g: none, or two, where a factor is not positive."""
    c, s = math.cos(math.pi / 3), math.sin(math.pi / 3)
    plain, less, more = (1 + 3 * c * (c + x * mu * s) for x in (0, -1, 1))
    model = leaning_rod(mu, way)
    if less > 0:
        motion = model.simulate(0.01, compiled=compiled)
        assert motion["rail.force"][0] == pytest.approx(3 * G / (more if way > 0 else less), rel=1e-12)
        check(motion)
    else:
        with pytest.raises(lw.SolveError, match=rf"t = 0: the loop of rail\.force .* is {less / plain:.3g}, where"):
            model.simulate(0.01, compiled=compiled)


# -- variables by equations -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "compiled"), [*WAYS, ("radau", True), ("radau", False)])
def test_a_variable_by_an_equation_is_its_solution_all_the_way(method, compiled):
    """v + v³ = x and x'' = -4 v: with x' = (1 + 3 v²) v' the energy is x'²/2 + 4 (v²/2 + 3 v⁴/4)."""
    model = lw.Model(
        lw.Mechanism(
            parameters={"k": 4},
            particles=[lw.Particle(point="A", mass=1)],
            variables={"v": lw.Implicit(formula="v + v**3 - A.x", guess=0.5), "F": "-k*v"},
            forces=[lw.Force(point="A", components=("F", 0))],
            start=lw.InitialValues(positions={"A": (1, 0)}),
        )
    )
    motion = model.simulate(2, method=method, compiled=compiled, tol=1e-11)
    late = motion.at(np.linspace(0, 2, 40))
    v, x = late["v"], late["A.x"]
    assert v + v**3 == pytest.approx(x, abs=1e-8)
    v, x, u = motion["v"], motion["A.x"], motion["A.vx"]
    assert v + v**3 == pytest.approx(x, abs=1e-12)
    energy = u**2 / 2 + 4 * (v**2 / 2 + 3 * v**4 / 4)
    assert energy == pytest.approx(np.full(len(v), energy[0]), abs=1e-10)
    check(motion)


@pytest.mark.parametrize("method", ["taylor", "rk8", "radau"])
def test_an_equation_whose_solution_ends_stops_the_run_there_and_keeps_what_there_is(method):
    model = lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=1)],
            variables={"v": lw.Implicit(formula="v**2 - 1 + t", guess=0.8)},
            forces=[lw.Force(point="A", components=("v", 0))],
            start=lw.InitialValues(positions={"A": (0, 0)}),
        )
    )
    with pytest.raises(lw.SolveError, match=r"stopped at t = 1: .* there is no v beyond that satisfies") as told:
        model.simulate(2, method=method)
    assert told.value.motion.t[-1] == pytest.approx(1, abs=1e-4)


def test_events_watch_reactions():
    """A pendulum from rest at the horizontal: the pull of its pin is 2.5 m g sin(angle) along the rod."""
    event = lw.Event(name="heavy", when="OA.O.force - 30")
    motion = pendulum(parameters={"mu": 0, "r": 0}, events=[event]).simulate(1)
    # m = 2: along 50 sin, across m g cos / 4 = 5 cos
    s = math.sqrt((30**2 - 25) / (50**2 - 25))
    at = motion.at(motion.events[0].t)
    assert -at["A.y"] == pytest.approx(s, abs=1e-9)


# -- linear models ----------------------------------------------------------------------------------------------------


def test_linear_models_see_through_the_loop():
    """(m + c) x'' + d x' + k x = F + mu N with N = m g: an added mass c by a law of the acceleration."""
    m, c, k, d, mu = 2.0, 1.5, 8.0, 0.7, 0.1
    model = lw.Model(
        lw.Mechanism(
            parameters={"c": c, "k": k, "d": d, "mu": mu, "F": 0},
            particles=[lw.Particle(point="A", mass=m)],
            gravity=(0, -G),
            relations=[lw.Relation(name="rail", formula="A.y")],
            forces=[lw.Force(point="A", components=("F - k*A.x - d*A.vx - c*A.ax + mu*rail.force", 0))],
            start=lw.InitialValues(positions={"A": (1, 0)}),
        )
    )
    wanted = {"states": ["A.x"], "inputs": ["F", "c", "mu"], "outputs": ["A.ax", "rail.force"]}
    at_start = model.linearize(**wanted)
    a = (mu * m * G - k) / (m + c)
    rates = np.array([-k, -d]) / (m + c)
    assert pytest.approx(np.array([[0, 1], rates]), rel=1e-13) == at_start.A
    assert at_start.B[1] == pytest.approx(np.array([1, -a, m * G]) / (m + c), rel=1e-13)
    assert pytest.approx(np.array([rates, [0, 0]]), abs=1e-13) == at_start.C
    assert at_start.D[0] == pytest.approx(at_start.B[1], rel=1e-13)
    at_rest = model.linearize(at="equilibrium", **wanted)
    assert at_rest.at.q[0] == pytest.approx(mu * m * G / k, rel=1e-12)
    assert at_rest.balanced
    assert at_rest.B[1] == pytest.approx(np.array([1, 0, m * G]) / (m + c), abs=1e-12)


def test_damping_by_the_force_of_a_pin_is_that_of_the_weight_at_rest():
    """J angle'' = -m g l/2 angle - mu m g angle' about the hanging rod."""
    hanging = pendulum(
        parameters={"mu": 0.1, "r": 1},
        torques=[lw.Torque(part="OA", value="-mu*OA.O.force*OA.omega")],
        states=(),
        start=lw.InitialValues(positions={"A": (0.1, -1)}),
    )
    A = hanging.linearize(at="equilibrium", states=["OA.angle"]).A
    assert A[1] == pytest.approx([-1.5 * G, -0.1 * 2 * G / (2 / 3)], rel=1e-10)


@pytest.mark.parametrize("w", [40, -40])
def test_a_shoe_on_a_lever_brakes_more_where_friction_presses_it(w):
    """N (a -+ mu c) = F b, and J w = mu N R t: the example brake-shoe.yaml."""
    model = lw.load(Path(__file__).parents[2] / "examples" / "brake-shoe.yaml").with_parameters(w=w)
    motion = model.simulate()
    normal = 60 * 0.5 / (0.3 - math.copysign(0.4 * 0.06, w))
    (stop,) = motion.events
    assert (stop.name, stop.t) == ("shoe: sticks", pytest.approx(0.05 * 40 / (0.4 * normal * 0.2), abs=1e-11))
    assert motion["touch.force"][0] == pytest.approx(normal, rel=1e-12)
    assert motion["touch.force"][-1] == pytest.approx(60 * 0.5 / 0.3, rel=1e-12)
    check(motion)


def test_printed_equations_say_what_values_in_laws_are():
    model = lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=2)],
            relations=[lw.Relation(name="rail", formula="A.y")],
            variables={"v": lw.Implicit(formula="v + v**3 - A.x")},
            forces=[lw.Force(point="A", components=("v - rail.force - A.ax", 0))],
            start=lw.InitialValues(positions={"A": (1, 0)}),
        )
    )
    text = model.equations().text()
    assert "# Algebraic values\nA.ax = Ax''\nrail.force = -lam_relation_rail\n" in text
    assert "# Variables by equations\nv: v**3 - Ax + v = 0" in text
    assert r"\subsection*{Algebraic values}" in model.equations().latex()


BRAKE = """
PhysicalParams: {g: 9.81, mu: 0.25, r: 0.05}
Bodies:
  world: {frames: {o: []}}
  arm: {mass: 2, inertia: 0.2, frames: {a: [-0.5, 0], b: [0.5, 0], c: []}}
  bob: {mass: 1, inertia: 0.05, frames: {a: [0, 0.3], c: []}}
Connections:
  Joints:
    pin: {kind: revolute, frames: [world.o, arm.a]}
    hook: {kind: revolute, frames: [arm.b, bob.a]}
  Stops: {low: {gap: arm.b.y + 0.9, restitution: 0.5}}
AppliedForces:
  Gravity: [0, -g]
  Friction: {bearing: {speed: pin.omega, limit: mu*r*pin.force}}
ProblemData: {tend: 1.5, positions: {arm.c: [0.5, 0], bob.c: [1, -0.3]}}
"""


@pytest.mark.parametrize("tol", [1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12])
def test_friction_of_a_bearing_reverses_after_impacts_at_every_tolerance(tol):
    """Speeds inside a step meet the pin as well as the tolerance asks: where friction reverses there is none left."""
    model = lw.loads(BRAKE)
    exact = model.simulate(method="taylor", tol=1e-12)
    for form in ("points", "absolute"):
        motion = model.formulated(form).simulate(method="radau", tol=tol)
        assert [e.name for e in motion.events] == [e.name for e in exact.events]
        assert [e.t for e in motion.events] == pytest.approx([e.t for e in exact.events], abs=5 * tol)
        assert motion.final["arm.b.y"] == pytest.approx(exact.final["arm.b.y"], abs=5 * tol)
        check(motion)
