"""Events that act, stops and impacts, against closed forms."""

import math
from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw
from happenings import check, times

G = 10.0


def particle(**more):
    """A particle A of 2 kg in the plane."""
    given = {"particles": [lw.Particle(point="A", mass=2)], "gravity": (0, -G)}
    start = lw.InitialValues(positions={"A": (0, 1)}, velocities={"A": (1, 0)})
    return lw.Model(lw.Mechanism(**{**given, "start": start, **more}))


@pytest.mark.parametrize("compiled", [True, False])
def test_a_ball_bounces_at_the_times_of_the_geometric_series_and_comes_to_rest(compiled):
    e = 0.6
    motion = particle(stops=[lw.Stop(name="floor", gap="A.y", restitution=e)]).simulate(3, compiled=compiled)
    fall = math.sqrt(2 / G)
    flights = 2 * fall * e ** np.arange(1, 25)
    np.testing.assert_allclose(times(motion, "floor")[:25], fall + np.cumsum([0, *flights]), rtol=0, atol=1e-12)
    (rest,) = times(motion, "floor: rest")
    assert rest == pytest.approx(fall * (1 + e) / (1 - e), abs=1e-12)
    assert motion.final["A"] == pytest.approx([3, 0], abs=1e-9)
    assert motion.final.lam == pytest.approx([-2 * G], rel=1e-12)
    # the impact has taken all the energy there was
    assert motion.losses["floor"][-1] == pytest.approx(-2 * G * 1, rel=1e-12)
    check(motion)


def test_an_event_that_changes_a_speed_is_a_bounce_as_well():
    event = lw.Event(name="hit", when="A.y", direction="falling", then={"A.vy": "-0.5*A.vy"})
    motion = particle(events=[event]).simulate(0.9)
    fall = math.sqrt(2 / G)
    np.testing.assert_allclose(times(motion, "hit"), [fall, 2 * fall], atol=1e-12)
    check(motion)


@pytest.mark.parametrize("compiled", [True, False])
def test_bounces_much_shorter_than_a_step_of_the_flight_are_all_found(compiled):
    """A parabola is one step of any length: the first may be a 32nd of the run, thirty times as long as a bounce."""
    flight, count = 2 * math.sqrt(2 / G), 900 if compiled else 20
    hit = lw.Event(name="hit", when="A.y", direction="falling", then={"A.vy": "-A.vy"})
    enough = lw.Event(name="enough", when=f"A.x - {count * flight}", stop=True)
    motion = particle(events=[hit, enough]).simulate(1000 * flight, compiled=compiled)
    np.testing.assert_allclose(times(motion, "hit"), flight * (0.5 + np.arange(count)), rtol=1e-12)


@pytest.mark.parametrize("moving", [1, 2, 3])
def test_as_many_balls_leave_newtons_cradle_as_come_in(moving):
    names, gap = "ABCDE", 0.1
    balls = [lw.Particle(point=name, mass=1.5) for name in names]
    stops = [lw.Stop(name=a + b, gap=f"{b}.x - {a}.x - d", restitution=1) for a, b in pairwise(names)]
    # those that move come from afar, together, and the others touch
    positions = {name: (gap * i - (0.2 if i < moving else 0.0), 0) for i, name in enumerate(names)}
    velocities = {name: (1 if i < moving else 0, 0) for i, name in enumerate(names)}
    start = lw.InitialValues(positions=positions, velocities=velocities)
    model = lw.Model(lw.Mechanism(parameters={"d": gap}, particles=balls, stops=stops, start=start))
    motion = model.simulate(1)
    after = np.array([motion.final.velocity(name)[0] for name in names])
    expected = [0.0] * (5 - moving) + [1.0] * moving
    np.testing.assert_allclose(after, expected, atol=1e-12)
    check(motion)


def test_a_rod_that_falls_on_a_table_gets_the_impulse_of_its_reduced_mass():
    l, m, theta, e, drop = 2.0, 3.0, 0.4, 0.3, 0.5
    bar = lw.Body(name="bar", mass=m, centre=(0, 0), inertia=m * l**2 / 12, frames={"c": (0, 0), "end": (-l / 2, 0)})
    stop = lw.Stop(name="table", gap="bar.end.y", restitution=e)
    start = lw.InitialValues(
        positions={"bar.c": (0, drop + l / 2 * math.sin(theta)), "bar.end": (-l / 2 * math.cos(theta), drop)}
    )
    motion = lw.Model(lw.Mechanism(bodies=[bar], stops=[stop], gravity=(0, -G), start=start)).simulate(0.33)
    v, arm = math.sqrt(2 * G * drop), l / 2 * math.cos(theta)
    impulse = (1 + e) * v / (1 / m + arm**2 / (m * l**2 / 12))
    hit = times(motion, "table")[0]
    assert hit == pytest.approx(math.sqrt(2 * drop / G), abs=1e-12)
    after = motion.at(hit + 1e-9)
    assert after["bar.c.vy"] == pytest.approx(-v + impulse / m, abs=1e-7)
    assert after["bar.omega"] == pytest.approx(-arm * impulse / (m * l**2 / 12), abs=1e-7)
    check(motion)


def test_a_pendulum_between_an_elastic_stop_and_its_turning_point_keeps_its_period():
    l, start, stop = 1.5, 1.0, -0.3
    rod = lw.Rigid.rod("OA", l, 0)
    pendulum = lw.Mechanism(
        fixed={"O": ()},
        rigids=[rod],
        particles=[lw.Particle(point="A", mass=1)],
        gravity=(0, -G),
        stops=[lw.Stop(name="peg", gap=f"OA.angle + pi/2 - ({stop})", restitution=1)],
        start=lw.InitialValues(positions={"A": (l * math.sin(start), -l * math.cos(start))}),
    )
    motion = lw.Model(pendulum).simulate(8, tol=1e-12)

    # ∫ dθ / sqrt(2 g/l (cos θ − cos θ₀)), with θ = θ₀ − s² so that it is smooth at the turning point
    x, weight = np.polynomial.legendre.leggauss(60)
    s = (x + 1) / 2 * math.sqrt(start - stop)
    theta = start - s**2
    rate = np.sqrt(2 * G / l * (np.cos(theta) - math.cos(start)))
    half = float(np.sum(weight * 2 * s / rate) * math.sqrt(start - stop) / 2)
    hits = times(motion, "peg")
    assert len(hits) > 3
    np.testing.assert_allclose(hits, half * (1 + 2 * np.arange(len(hits))), rtol=1e-11)
    check(motion)


def test_a_body_that_is_caught_goes_on_with_what_the_catcher_has():
    """A falls into a cup of three times its mass that hangs on a spring of no length: momentum is shared."""
    parts = {
        "particles": [lw.Particle(point="A", mass=1), lw.Particle(point="B", mass=3)],
        "gravity": (0, -G),
        "relations": [lw.Relation(name="cup_x", formula="A.x - B.x", active=False),
                      lw.Relation(name="cup_y", formula="A.y - B.y", active=False)],
        "events": [lw.Event(name="catch", when="A.y - B.y", direction="falling", on=["cup_x", "cup_y"])],
        "start": lw.InitialValues(positions={"A": (0, 2), "B": (0, 0)}, velocities={"A": (0, -1), "B": (0, 3)}),
    }  # fmt: skip
    motion = lw.Model(lw.Mechanism(**parts)).simulate(1)
    (t,) = times(motion, "catch")
    assert t == pytest.approx(0.5, abs=1e-12)
    after = motion.at(t + 1e-12)
    together = (1 * (-1 - G * t) + 3 * (3 - G * t)) / 4
    assert after["A.vy"] == pytest.approx(together, abs=1e-9)
    assert after["B.vy"] == pytest.approx(together, abs=1e-9)
    assert motion.losses["catch"][-1] == pytest.approx(-0.5 * (1 * 3 / 4) * 4**2, rel=1e-12)
    assert motion.final["A"] == pytest.approx(motion.final["B"], abs=1e-12)
    check(motion)


def test_what_is_let_go_flies_on_along_its_tangent():
    """A sling: a particle on a driven rod, let go at an angle, flies a parabola."""
    arm = lw.Mechanism(
        fixed={"O": ()},
        rigids=[lw.Rigid.rod("OA", 1, 1)],
        particles=[lw.Particle(point="B", mass=1)],
        gravity=(0, -G),
        motions=[lw.Driver(target="OA.angle", law="4*t")],
        relations=[lw.Relation(name="grip_x", formula="A.x - B.x"), lw.Relation(name="grip_y", formula="A.y - B.y")],
        events=[lw.Event(name="release", when="OA.angle - pi/3", off=["grip_x", "grip_y"])],
        start=lw.InitialValues(positions={"A": (1, 0), "B": (1, 0)}),
    )
    motion = lw.Model(arm).simulate(0.8, tol=1e-12)
    (t,) = times(motion, "release")
    assert t == pytest.approx(math.pi / 12, abs=1e-12)
    c, s, flight = math.cos(math.pi / 3), math.sin(math.pi / 3), 0.8 - t
    expected = [c - 4 * s * flight, s + 4 * c * flight - G * flight**2 / 2]
    np.testing.assert_allclose(motion.final["B"], expected, atol=1e-10)
    check(motion)


def test_a_ratchet_turns_one_way_and_holds_against_the_other():
    """A torque sin t on a wheel: it turns while its speed is positive, and is held until the torque turns round."""
    wheel = lw.Mechanism(
        fixed={"O": ()},
        rigids=[lw.Rigid.rod("OA", 1, 3)],
        torques=[lw.Torque(part="OA", value="cos(t)")],
        stops=[lw.Stop(name="pawl", speed="OA.omega")],
        start=lw.InitialValues(positions={"A": (1, 0)}),
    )
    motion = lw.Model(wheel).simulate(7, tol=1e-12)
    # the rod has the inertia 1, so that it turns with sin t until π, stands until 3π/2, and then with 1 + sin t
    assert times(motion, "pawl")[0] == pytest.approx(math.pi, abs=1e-10)
    assert times(motion, "pawl: off")[0] == pytest.approx(1.5 * math.pi, abs=1e-10)
    assert motion.at(4)["OA.omega"] == pytest.approx(0, abs=1e-12)
    assert motion.at(6)["OA.omega"] == pytest.approx(1 + math.sin(6), abs=1e-10)
    assert motion.at(4).lam[-1] == pytest.approx(math.cos(4), abs=1e-10)
    check(motion)


def test_a_clutch_locks_when_its_discs_have_the_same_speed():
    discs = lw.Mechanism(
        fixed={"O": (), "P": (3,)},
        rigids=[lw.Rigid.rod("OA", 1, 3), lw.Rigid.rod("PB", 1, 6)],
        torques=[lw.Torque(part="OA", value="-slip*2"), lw.Torque(part="PB", value="slip*2")],
        inputs={"slip": 1},
        velocity_constraints=[lw.VelocityConstraint(name="lock", formula="OA.omega - PB.omega", active=False)],
        events=[
            lw.Event(name="locked", when="OA.omega - PB.omega", direction="falling", then={"slip": 0}, on=["lock"])
        ],
        start=lw.InitialValues(positions={"A": (1, 0), "B": (4, 0)}, rates={"OA": 6}),
    )
    motion = lw.Model(discs).simulate(4)
    # inertias 1 and 2: 6 − 2t = t
    assert times(motion, "locked") == pytest.approx([2.0], abs=1e-12)
    assert motion.final["OA.omega"] == pytest.approx(2, abs=1e-12)
    assert motion.final["PB.omega"] == pytest.approx(2, abs=1e-12)
    assert sum(np.abs(loss[-1]) for loss in motion.losses.values()) == pytest.approx(0, abs=1e-12)
    check(motion)


def test_inputs_remember_and_count_and_end_a_run():
    events = [
        lw.Event(name="hit", when="A.y", direction="falling", then={"A.vy": "-A.vy", "hits": "hits + 1", "last": "t"}),
        lw.Event(name="enough", when="hits - 2.5", stop=True),
    ]
    motion = particle(events=events, inputs={"hits": 0, "last": -1}).simulate(10)
    fall = math.sqrt(2 / G)
    assert motion.outcome == f"stopped at t = {5 * fall:.9g} by event 'enough'"
    assert motion.final["hits"] == 3
    assert motion.final["last"] == pytest.approx(5 * fall)
    assert motion.at(2 * fall)["hits"] == 1


def test_contradictory_jumps_keep_what_was_computed():
    one = lw.Event(name="one", when="A.y", then={"A.vy": 1})
    two = lw.Event(name="two", when="2*A.y", then={"A.vy": 2})
    with pytest.raises(lw.SolveError, match="'one' and 'two' happen at one time and contradict") as error:
        particle(events=[one, two]).simulate(1)
    assert float(error.value.motion.t[-1]) == pytest.approx(math.sqrt(2 / G))


def test_a_jump_against_the_constraints_is_refused_in_words():
    event = lw.Event(name="kick", when="t - 0.1", then={"A.vx": 1, "A.vy": 1})
    pendulum = particle(
        fixed={"O": ()},
        rigids=[lw.Rigid.rod("OA", 1, 1)],
        start=lw.InitialValues(positions={"A": (1, 0)}),
        events=[event],
    )
    with pytest.raises(lw.SolveError, match="asks for speeds that the constraints do not allow"):
        pendulum.simulate(1)


def test_events_that_set_off_each_other_for_ever_are_told():
    events = [
        lw.Event(name="up", when="side - 0.5", direction="rising", then={"side": 0}),
        lw.Event(name="down", when="side - 0.5", direction="falling", then={"side": 1}),
        lw.Event(name="begin", when="t - 0.2", then={"side": 1}),
    ]
    with pytest.raises(lw.SolveError, match="again and again"):
        particle(events=events, inputs={"side": 0}).simulate(1)


def test_a_stop_that_is_passed_at_the_start_is_told():
    with pytest.raises(lw.LinkworkError, match="stop 'floor' is passed at the start"):
        particle(stops=[lw.Stop(name="floor", gap="A.y - 3")]).simulate(1)


def driven_rod(law, **stop):
    """A rod that turns by a law towards a stop."""
    rod = lw.Rigid(name="OA", points=("O", "A"), geometry=((0,), (1,)), centroid=(0.5,), mass=1, inertia=(1,))
    start = lw.InitialValues(positions={"A": (1, 0)})
    driver, barrier = lw.Driver(target="OA.angle", law=law), lw.Stop(name="bolt", **stop)
    given = {"fixed": {"O": (0, 0)}, "rigids": [rod], "motions": [driver], "stops": [barrier], "start": start}
    return lw.Model(lw.Mechanism(**given))


@pytest.mark.parametrize("formalism", ["points", "absolute", "tree"])
def test_a_stop_that_is_struck_by_a_prescribed_motion_is_told_with_the_motion(formalism):
    model = driven_rod("t", gap="0.5 - A.y").formulated(formalism)
    with pytest.raises(lw.SolveError, match=r"stop 'bolt' at t = 0\.523598776 holds up .* moved by OA\.angle"):
        model.simulate(2)


@pytest.mark.parametrize("formalism", ["points", "absolute", "tree"])
def test_a_stop_that_ends_a_prescribed_motion_without_an_impact_is_told_as_well(formalism):
    model = driven_rod("t**2/2", speed="1 - OA.omega").formulated(formalism)
    with pytest.raises(lw.SolveError, match=r"stop 'bolt' at t = 1 holds up .* moved by OA\.angle"):
        model.simulate(2)


def test_what_is_switched_on_where_it_does_not_meet_is_told():
    relation = lw.Relation(name="hook", formula="A.y - 5", active=False)
    event = lw.Event(name="grab", when="t - 0.1", on=["hook"])
    with pytest.raises(lw.SolveError, match="does not meet there"):
        particle(relations=[relation], events=[event]).simulate(1)


RODS = """
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1, 0.1]}, AB: {Geom: [[1]], Dyna: [[0.5], 1, 0.1]}}
"""
BODIES = """
Bodies:
  OA: {mass: 1, centre: [0.5], inertia: 0.1, frames: {o: [], p: [1]}}
  AB: {mass: 1, centre: [0.5], inertia: 0.1, frames: {o: [], p: [1]}}
  world: {frames: {o: []}}
"""
JOINTS = "Joints: {j1: {kind: revolute, frames: [world.o, OA.o]}, j2: {kind: revolute, frames: [OA.p, AB.o]}}"
STRUCK = """
Connections: {%s}
AppliedForces: {Gravity: [0, -10]}
Events: {%s}
ProblemData: {tend: 1, positions: {%s: [0.7, 0.7], %s: [1.4, 0]}}
"""


@pytest.mark.parametrize("formalism", ["points", "absolute", "tree"])
@pytest.mark.parametrize("how", ["stop", "event"])
def test_bodies_pinned_to_the_ground_strike_like_rods_of_shared_points(formalism, how):
    """What rounding leaves of the speed of the pin, next to nothing, is no constraint that opens."""

    def run(parts, joints, elbow, tip):
        stop, hit = f"Stops: {{floor: {{gap: {tip}.y + 1.5, restitution: 0.5}}}}", ""
        if how == "event":
            stop, hit = "", f"floor: {{when: {tip}.y + 1.5, direction: falling, then: {{{tip}.vy: -0.5*{tip}.vy}}}}"
        text = STRUCK % (", ".join(x for x in (joints, stop) if x), hit, elbow, tip)
        return lw.loads(parts + text).formulated(formalism).simulate(tol=1e-11)

    rods, bodies = run(RODS, "", "A", "B"), run(BODIES, JOINTS, "OA.p", "AB.p")
    assert len(times(bodies, "floor")) == 2
    np.testing.assert_allclose(times(bodies, "floor"), times(rods, "floor"), rtol=0, atol=1e-9)
    np.testing.assert_allclose(bodies.final["AB.p"], rods.final["B"], rtol=0, atol=1e-9)
    check(bodies)
