"""Crossings of zero and changes of law: when, which way, what a run does there, and what it says if it cannot."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import linkwork as lw

g = 9.80665


def begin(positions, velocities=None):
    return lw.InitialValues(positions=positions, velocities=velocities or {})


def pendulum(amplitude, *events, **more):
    place = (math.sin(amplitude), -math.cos(amplitude))
    return lw.Model(
        lw.Mechanism(
            fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1)], particles=[lw.Particle(point="A", mass=1)],
            gravity=(0, -g), events=events, start=begin({"A": place}), **more,
        )
    )  # fmt: skip


def ball(law, x=1.0, v=0.0, *, mass=1.0, **more):
    """A particle on the x axis with a force by a law."""
    return lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=mass)], forces=[lw.Force(point="A", components=(law, 0))],
            start=begin({"A": (x, 0)}, {"A": (v, 0)}), **more,
        )
    )  # fmt: skip


# -- events ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("compiled", [None, False])
def test_a_pendulum_passes_its_lowest_point_when_elliptic_integrals_say(amplitude, compiled):
    quarter = ellipk(math.sin(amplitude / 2) ** 2) / math.sqrt(g)
    low = pendulum(amplitude, lw.Event(name="low", when="A.x"))
    motion = low.simulate(6 * quarter, tol=1e-14, compiled=compiled)
    found = [event.t for event in motion.events]
    assert found == pytest.approx([quarter, 3 * quarter, 5 * quarter], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("direction", "which"), [(-1, [0, 2]), (1, [1, 3]), (0, [0, 1, 2, 3])])
def test_an_event_has_a_direction(direction, which):
    quarter = ellipk(math.sin(0.5) ** 2) / math.sqrt(g)
    motion = pendulum(1.0, lw.Event(name="low", when="A.x", direction=direction)).simulate(8 * quarter, tol=1e-13)
    wanted = [(2 * i + 1) * quarter for i in which]
    assert [event.t for event in motion.events] == pytest.approx(wanted, abs=1e-11)


def test_an_event_ends_the_run_there_and_the_motion_with_it():
    low = lw.Event(name="low", when="A.x", stop=True)
    motion = pendulum(2.0, low).simulate(10.0, tol=1e-13)
    quarter = ellipk(math.sin(1.0) ** 2) / math.sqrt(g)
    assert motion.outcome == f"stopped at t = {quarter:.9g} by event 'low'"
    assert float(motion.final.t) == motion.t[-1] == motion.events[-1].t == pytest.approx(quarter, rel=1e-12)
    np.testing.assert_allclose(motion.final["A"], (0, -1), atol=1e-12)
    np.testing.assert_allclose(motion.final.velocity("A"), (-math.sqrt(2 * g * (1 - math.cos(2.0))), 0), atol=1e-11)


def test_events_come_in_the_order_of_time_and_stop_takes_what_was_before_it():
    events = [lw.Event(name=f"at{k}", when=f"t - {k / 10}") for k in (7, 2, 5)]
    motion = pendulum(1.0, *events, lw.Event(name="end", when="t - 0.6", stop=True)).simulate(2.0)
    assert [event.name for event in motion.events] == ["at2", "at5", "end"]
    assert [event.t for event in motion.events] == pytest.approx([0.2, 0.5, 0.6], abs=1e-15)


def test_events_do_not_change_the_steps():
    plain = pendulum(1.0).simulate(5.0, tol=1e-11)
    watched = pendulum(1.0, lw.Event(name="low", when="A.x"), lw.Event(name="top", when="A.vx")).simulate(
        5.0, tol=1e-11
    )
    assert len(watched.events) > 4
    np.testing.assert_array_equal(plain.t, watched.t)
    np.testing.assert_array_equal(plain.q, watched.q)


@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        ("OA.angle + pi/2", 1),
        ("OA.omega", 2),
        ("OA.length - 2", 0),
        ("A.y + 1.5", 0),
        ("A.vx*A.vx + A.vy*A.vy - 10", 2),
    ],
)
def test_events_may_watch_any_quantity(when, wanted):
    quarter = ellipk(math.sin(1.0) ** 2) / math.sqrt(g)
    motion = pendulum(2.0, lw.Event(name="e", when=when), lw.Event(name="o", when="OA.angle + 100")).simulate(
        2.2 * quarter if "omega" not in when else 4.2 * quarter
    )
    assert len(motion.events) == wanted


@pytest.mark.parametrize("sign", ["", "-"])
def test_an_event_that_starts_at_zero_has_not_happened_yet(sign):
    quarter = ellipk(math.sin(1.0) ** 2) / math.sqrt(g)
    rest = lw.Event(name="rest", when=f"{sign}(A.x*A.vy - A.y*A.vx)", stop=True)
    motion = pendulum(2.0, rest).simulate(10.0, tol=1e-13)
    assert float(motion.final.t) == pytest.approx(2 * quarter, rel=1e-10)


# -- changes of law --------------------------------------------------------------------------------------------------


def test_an_oscillator_with_dry_friction_loses_the_same_amplitude_every_half_swing():
    # m ẍ = −k x − R sign ẋ: every half period π/ω the amplitude shrinks by 2R/k
    m, k, R, x = 2.0, 50.0, 0.8, 1.0
    motion = ball(f"-{k}*A.x - {R}*sign(A.vx)", x, mass=m).simulate(4.0, tol=1e-13)
    w, drop = math.sqrt(k / m), R / k
    state = motion.at(np.linspace(0, 4, 161))
    half = np.floor(state.t * w / math.pi)
    amplitude = x - (2 * half + 1) * drop
    wanted = (-1) ** half * (amplitude * np.cos(w * state.t - math.pi * half) + drop)
    np.testing.assert_allclose(state["A"][:, 0], wanted, rtol=0, atol=1e-10)
    assert motion.energy.drift < 1e-10


def restarted(force, borders, x, v, end):
    """The same by scipy, which is stopped and started anew at every border."""

    def solve(t, y, until, events=None):
        f = lambda s, z: [z[1], force(s, *z)]  # noqa: E731
        piece = solve_ivp(f, (t, until), y, method="DOP853", rtol=1e-13, atol=1e-14, events=events)
        return piece.t[-1], piece.y[:, -1]

    for border in borders:
        border.terminal = True
    t, y = 0.0, [x, v]
    while t < end:
        # first a short way beyond the border, so that it is not found again
        t, y = solve(t, y, min(t + 1e-7, end))
        if t < end:
            t, y = solve(t, y, end, borders)
    return y


X, Y = np.array([-2, -0.5, 0.3, 2.0]), np.array([6, 2, -1, -4.0])
CURVE = lw.Table("curve", x=X.tolist(), y=Y.tolist(), kind="linear")
LAWS = {
    "abs": ("-3*A.x - A.vx*abs(A.vx)", lambda t, x, v: -3 * x - v * abs(v), [lambda t, y: y[1]]),
    "select": (
        "select(A.x < 0.2, -9*A.x, -9*A.x - 4)",
        lambda t, x, v: -9 * x - 4 * (x >= 0.2),
        [lambda t, y: y[0] - 0.2],
    ),
    "max": ("-4*max(A.x, 0) - 2*min(A.x, 0)", lambda t, x, v: -4 * max(x, 0) - 2 * min(x, 0), [lambda t, y: y[0]]),
    "table": (
        CURVE.law("A.x"),
        lambda t, x, v: np.interp(x, X, Y),
        [lambda t, y: y[0] + 0.5, lambda t, y: y[0] - 0.3],
    ),
    "time": (
        "select(sin(3*t) < 0, 2, -2) - A.x",
        lambda t, x, v: (2 if math.sin(3 * t) < 0 else -2) - x,
        [lambda t, y: math.sin(3 * t)],
    ),
}


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize("name", LAWS)
def test_a_law_in_pieces_moves_as_scipy_moves_it_piece_by_piece(name, compiled):
    law, force, borders = LAWS[name]
    motion = ball(law, 1.0, 0.3).simulate(5.0, tol=1e-13, compiled=compiled)
    wanted = restarted(force, borders, 1.0, 0.3, 5.0)
    np.testing.assert_allclose([motion.final["A"][0], motion.final.velocity("A")[0]], wanted, rtol=0, atol=1e-8)
    assert motion.energy.drift < 1e-10


@pytest.mark.parametrize("kind", ["spline", "monotone", "linear"])
def test_a_table_is_a_force_like_any_other(kind):
    # a spring whose force is a table has a potential: the energy comes back after each swing
    table = lw.Table("curve", x=[-2, -1, 0, 1, 2], y=[5, 2, 0, -1, -5], kind=kind)
    motion = ball(table.law("A.x"), 1.7, events=[lw.Event(name="turn", when="A.vx")]).simulate(20.0, tol=1e-12)
    turns = motion.at([event.t for event in motion.events if event.t > 0.01])["A"][:, 0]
    right = turns[turns > 0]
    assert len(right) > 3
    np.testing.assert_allclose(right, 1.7, rtol=0, atol=1e-9)
    assert motion.energy.drift < 1e-10


def test_a_spline_through_points_of_a_line_is_that_line_even_beyond_its_ends():
    x = np.linspace(-1, 1, 9)
    table = lw.Table("curve", x=x.tolist(), y=(-2 * x).tolist(), kind="spline")
    motion = ball(table.law("A.x"), 3.0).simulate(5.0, tol=1e-13)
    np.testing.assert_allclose(motion["A"][:, 0], 3 * np.cos(math.sqrt(2) * motion.t), rtol=0, atol=1e-11)


def test_friction_that_sticks_ends_in_words_with_the_motion_so_far():
    m, k, R, x = 2.0, 50.0, 6.0, 1.0
    with pytest.raises(lw.SolveError, match=r"(?s)switches to and fro.*tanh") as caught:
        ball(f"-{k}*A.x - {R}*sign(A.vx)", x, mass=m).simulate(10.0)
    # it sticks at the first turning point within R/k of the middle
    w, drop = math.sqrt(k / m), R / k
    n = next(n for n in range(100) if abs(x - 2 * n * drop) <= drop)
    motion = caught.value.motion
    assert float(motion.final.t) == pytest.approx(n * math.pi / w, abs=1e-6)
    assert motion.final["A"][0] == pytest.approx((-1) ** n * (x - 2 * n * drop), abs=1e-6)
    assert motion.outcome.startswith("stopped at t = ")


def test_friction_made_smooth_comes_to_rest():
    motion = ball("-50*A.x - 6*tanh(A.vx/0.01)", 1.0, mass=2.0).simulate(4.0, tol=1e-9)
    assert motion.outcome == "reached t = 4"
    assert abs(motion.final.velocity("A")[0]) < 0.01
    assert motion.energy.drift < 1e-6


def pushed(law, until, speed=0.0, **options):
    """A particle of 1 kg on a line, pushed by a law."""
    return lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=1)],
            forces=[lw.Force(point="A", components=(law, 0))],
            start=lw.InitialValues(tend=until, positions={"A": (0, 0)}, velocities={"A": (speed, 0)}),
            **options,
        )
    ).simulate()


@pytest.mark.parametrize(
    ("law", "place"),
    [
        # 24 half waves of sin(50 t), each a push of 2/50
        ("max(0, sin(50*t))", sum(0.04 * (3 - (2 * k + 0.5) * np.pi / 50) for k in range(24))),
        ("select(abs(t-2)<0.01, 100, 0)", 2.0),
    ],
)
def test_no_switch_is_missed_however_many_fall_into_a_step(law, place):
    assert pushed(law, 3.0)["A"][-1, 0] == pytest.approx(place, rel=1e-8)


def test_a_law_that_starts_on_its_border_takes_the_right_side():
    # sign(sin(20 t)) begins with a push to the right: v is a triangle between 0 and π/20
    assert pushed("sign(sin(20*t))", 3.0).velocity("A")[:, 0].min() > -1e-9


def test_every_crossing_is_recorded_however_close_they_are():
    events = [lw.Event(name="wave", when="sin(50*t)"), lw.Event(name="touch", when="(t-2)**2 - 1e-6")]
    motion = pushed("0", 5.0, speed=1.0, events=events)
    waves = [e.t for e in motion.events if e.name == "wave"]
    assert waves == pytest.approx([k * np.pi / 50 for k in range(1, 80)], rel=1e-12)
    assert [e.t for e in motion.events if e.name == "touch"] == pytest.approx([1.999, 2.001], rel=1e-12)


@pytest.mark.parametrize("force", ["-sign(A.x)", "select(A.x < 0, 1, -1)"])
def test_a_jump_of_force_is_met_to_the_last_digits_however_long_the_steps(force):
    """ẍ = −sign x from x = 1: parabolas of period 4√2, which steps of any length follow exactly."""
    motion = ball(force, 1.0).simulate(20.0, tol=1e-10)
    quarter = math.sqrt(2.0)
    phase = 20.0 % (4 * quarter)
    tau = phase - quarter if phase < 2 * quarter else phase - 3 * quarter
    value = math.sqrt(2.0) * tau - math.copysign(tau**2 / 2, tau)
    assert motion.final["A"][0] == pytest.approx(-value if phase < 2 * quarter else value, abs=1e-12)


# -- values that are zero but for noise ------------------------------------------------------------------------------


ROD = """
PhysicalParams: {l: 1, m: 2}
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m]}}}
AppliedForces: {Gravity: }
Events: {torn: {when: WHEN, do: DO}}
ProblemData: {tend: 3, positions: {A: [l]}}
"""


@pytest.mark.parametrize("tol", [1e-4, 1e-10, 1e-15])
@pytest.mark.parametrize("do", ["stop", "record"])
@pytest.mark.parametrize(
    "when", ["A.x**2 + A.y**2 - l**2", "OA.length - l", "1e9*(OA.length - l)", "A.x*A.vx + A.y*A.vy"]
)
def test_a_rigid_rod_never_tears_whatever_rounding_says(when, do, tol):
    motion = lw.loads(ROD.replace("WHEN", f'"{when}"').replace("DO", do)).simulate(tol=tol)
    assert (motion.events, motion.outcome) == ((), "reached t = 3")


@pytest.mark.parametrize("size", [1e-200, 1e-6, 1.0, 1e6])
def test_values_of_any_size_that_are_no_noise_are_events(size):
    quarter = ellipk(math.sin(0.5) ** 2) / math.sqrt(g)
    motion = pendulum(1.0, lw.Event(name="low", when=f"{size}*A.x")).simulate(4 * quarter, tol=1e-8)
    assert [event.t for event in motion.events] == pytest.approx([quarter, 3 * quarter], abs=1e-6)


def test_a_value_that_touches_zero_within_the_noise_has_not_crossed_it():
    motion = pendulum(1.0, lw.Event(name="top", when="A.y + cos(1)", direction=0)).simulate(6, tol=1e-12)
    assert motion.events == ()


# -- steps that are taken again --------------------------------------------------------------------------------------

BLOCK = """
PhysicalParams: {m: 1, k: 100, F: 1.5, v0: 1.0e-5}
PartData: {Fixed: {O: [], Q: [10]}, Particles: {A: m}}
Connections: {Collinear: [OQA]}
AppliedForces: {Forces: {A: ["-k*A.x - F*tanh(A.vx/v0)"]}}
Events: {turn: {when: A.vx, do: stop}, middle: {when: A.x - 0.05}}
ProblemData: {tend: 0.9, positions: {A: [[0.1, fixed], 0]}}
"""


@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14])
@pytest.mark.parametrize("v0", [1e-3, 1e-5, 1e-7])
def test_no_event_is_lost_where_steps_are_taken_again(v0, tol):
    motion = lw.loads(BLOCK).with_parameters(v0=v0).simulate(tol=tol)
    # the block starts at rest and turns after half a period, friction or not, but for the time it takes to get going
    assert [event.name for event in motion.events] == ["middle", "turn"]
    assert float(motion.t[-1]) == pytest.approx(math.pi / 10, abs=3 * v0 + 10 * tol)


@pytest.mark.parametrize("count", [1, 5, 60, 100])
def test_events_before_a_step_that_is_taken_again_stay(count):
    # the wall is a law in pieces, too steep for the steps before it; the events are in those steps
    law = "select(A.x < 0, -1e9*A.x, 0) - 1"
    events = [lw.Event(name=f"at {i}", when=f"A.x - {1 - (i + 1) / (count + 2)}", direction=-1) for i in range(count)]
    motion = ball(law, x=1.0, events=events).simulate(1.5, tol=1e-10)
    assert [event.name for event in motion.events] == [f"at {i}" for i in range(count)]
    fallen = [math.sqrt(2 * (i + 1) / (count + 2)) for i in range(count)]
    assert [event.t for event in motion.events] == pytest.approx(fallen, abs=1e-9)


@pytest.mark.parametrize("method", ["taylor", "rk8", "hht"])
def test_events_of_time_at_one_instant_all_happen(method):
    events = [
        lw.Event(name="one", when="t - 1", then={"n": "n + 1"}),
        lw.Event(name="two", when="2*t - 2", then={"k": "k + 1"}),
        lw.Event(name="three", when="t - 1"),
    ]
    model = lw.lagrangian("x", "x'**2/2", start={"x'": 1}, inputs={"n": 0, "k": 0}, events=events)
    motion = model.simulate(2, method=method)
    assert sorted(event.name for event in motion.events) == ["one", "three", "two"]
    assert (motion.final["n"], motion.final["k"]) == (1, 1)
    other = lw.Event(name="other", when="t - 1", then={"n": 7})
    model = lw.lagrangian("x", "x'**2/2", start={"x'": 1}, inputs={"n": 0, "k": 0}, events=[events[0], other])
    with pytest.raises(lw.SolveError, match="'one' and 'other' happen at one time and contradict") as told:
        model.simulate(2, method=method)
    assert told.value.motion.t[-1] == pytest.approx(1, abs=1e-12)
