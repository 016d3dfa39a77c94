"""Crossings with closed forms: falling, touching, several at once, at the start, on the border of a law."""

import math

import pytest

import linkwork as lw

g = 9.80665
MACHINES = pytest.mark.parametrize("compiled", [None, False])


def thrown(events, law=0, y=2.0, vy=0.0, gravity=(0, -g), **more):
    """A particle that falls, pushed along x by a law."""
    start = lw.InitialValues(positions={"A": (0, y)}, velocities={"A": (1, vy)})
    mass, force = lw.Particle(point="A", mass=1), lw.Force(point="A", components=(law, 0))
    return lw.Model(lw.Mechanism(particles=[mass], forces=[force], gravity=gravity, events=events, start=start, **more))


def times(motion, name):
    return [event.t for event in motion.events if event.name == name]


@MACHINES
@pytest.mark.parametrize("drop", [1e-9, 1e-4, 0.3, 2.0, 1e3])
def test_a_body_falls_through_a_height_when_galileo_says(drop, compiled):
    event = lw.Event(name="there", when=f"A.y - {2.0 - drop!r}", stop=True)
    motion = thrown([event]).simulate(100.0, tol=1e-13, compiled=compiled)
    exact = 2.0 - (2.0 - drop)
    # rounding of the height moves the time: dt = dy / v
    assert float(motion.final.t) == pytest.approx(math.sqrt(2 * exact / g), abs=1e-12 + 1e-15 / math.sqrt(2 * g * drop))


@MACHINES
@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        ("(t - 1)**2", []),
        ("-(t - 1)**2", []),
        ("abs(t - 1)", []),
        ("(t - 1)**2 - 1e-8", [1 - 1e-4, 1 + 1e-4]),
        ("abs(t - 1) - 1e-6", [1 - 1e-6, 1 + 1e-6]),
        ("(t - 1)**3", [1]),
        ("(t - 1)**2*(t - 1.5)", [1.5]),
        ("max(t - 1, 0) - 0.25", [1.25]),
        ("sign(t - 1)", [1]),
        ("select(t < 1, 1, -2) + select(t < 1.5, 0, 3)", [1, 1.5]),
        ("tanh(1e6*(t - 1))", [1]),
        ("exp(-1e4*(t - 1)**2) - 0.5", [1 - math.sqrt(math.log(2)) / 100, 1 + math.sqrt(math.log(2)) / 100]),
    ],
)
def test_what_only_touches_zero_has_not_crossed_it(when, wanted, compiled):
    motion = thrown([lw.Event(name="e", when=when)]).simulate(2.0, tol=1e-12, max_step=0.4, compiled=compiled)
    assert times(motion, "e") == pytest.approx(wanted, abs=1e-4 if "**3" in when else 1e-11)


@MACHINES
def test_events_at_one_instant_are_all_told_and_one_that_stops_ends_the_run_there(compiled):
    events = [lw.Event(name=name, when=when) for name, when in (("a", "t - 0.5"), ("b", "0.5 - t"), ("c", "A.x - 0.5"))]
    motion = thrown(events).simulate(1.0, compiled=compiled)
    assert sorted(event.name for event in motion.events) == ["a", "b", "c"]
    assert [event.t for event in motion.events] == pytest.approx([0.5] * 3, abs=1e-14)
    stopped = thrown([*events, lw.Event(name="end", when="t - 0.5", stop=True)]).simulate(1.0, compiled=compiled)
    assert float(stopped.final.t) == pytest.approx(0.5, abs=1e-14)
    assert "end" in [event.name for event in stopped.events]


@MACHINES
@pytest.mark.parametrize("vy", [1.0, -1.0])
def test_an_event_at_the_start_has_not_happened_but_its_return_has(vy, compiled):
    motion = thrown([lw.Event(name="level", when="A.y - 2")], vy=vy).simulate(1.0, tol=1e-12, compiled=compiled)
    assert times(motion, "level") == pytest.approx([2 * vy / g] if vy > 0 else [], abs=1e-12)


@MACHINES
def test_an_event_on_the_border_of_a_law_happens_once_where_the_law_switches(compiled):
    # x' = 1 until x = 0.5, where a push begins: x = 0.5 + s + s²
    events = [lw.Event(name="border", when="A.x - 0.5"), lw.Event(name="later", when="A.x - 1.5")]
    motion = thrown(events, "select(A.x < 0.5, 0, 2)").simulate(2.0, tol=1e-12, compiled=compiled)
    assert times(motion, "border") == pytest.approx([0.5], abs=1e-12)
    assert times(motion, "later") == pytest.approx([0.5 + (math.sqrt(5) - 1) / 2], abs=1e-10)


@pytest.mark.parametrize("method", ["taylor", "rk8", "hht", "radau"])
def test_events_and_switches_are_found_whatever_the_method(method):
    # a bang-bang spring: x'' = −sign x from x = 0 at the speed 1 turns at t = 1, comes back at t = 2 and so on
    events = [lw.Event(name="turn", when="A.vx"), lw.Event(name="middle", when="A.x + 1e-6")]
    model = thrown(events, "-sign(A.x + 1e-9)", gravity=(0, 0))
    motion = model.simulate(7.5, tol=1e-6 if method == "hht" else 1e-9, method=method)
    close = 1e-2 if method == "hht" else 1e-5
    assert times(motion, "turn") == pytest.approx([1, 3, 5, 7], abs=close)
    assert times(motion, "middle") == pytest.approx([2, 4, 6], abs=close)
