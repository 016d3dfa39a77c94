"""Events and switches found in compiled code against the watcher in Python, and against formulas looked at closely."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import linkwork as lw

pytestmark = pytest.mark.needs_compiler
END = 6.0
NUMBERS = {
    "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "exp": np.exp, "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign,
    "min": np.minimum, "max": np.maximum, "select": np.where, "atan": np.arctan,
}  # fmt: skip
TABLE = lw.Table("table", x=[-2, -0.5, 0.4, 1.5], y=[1.0, -0.7, 0.9, -1.2], kind="spline")


def spring(events, law="-4*A.x", **more):
    """x = cos 2t + ½ sin 2t, unless another law says otherwise."""
    start = lw.InitialValues(positions={"A": (1, 0)}, velocities={"A": (1, 0)})
    mass = lw.Particle(point="A", mass=1)
    force = lw.Force(point="A", components=(law, 0))
    made = {"particles": [mass], "forces": [force], "events": events, "start": start, **more}
    return lw.Model(lw.Mechanism(**made))


def value(when, t):
    """An expression along the motion, by NumPy."""
    x, v = np.cos(2 * t) + 0.5 * np.sin(2 * t), np.cos(2 * t) - 2 * np.sin(2 * t)
    names = {**NUMBERS, "x": x, "v": v, "t": t}
    return np.broadcast_to(eval(when.replace("A.vx", "v").replace("A.x", "x"), {}, names), t.shape)


numbers = st.integers(-20, 20).map(lambda k: k / 8 + 1 / 16)
linear = st.builds("({}*A.x + {}*A.vx + {}*t + {})".format, numbers, numbers, numbers, numbers)
smooth = st.one_of(
    linear,
    st.builds("{}({}*{})".format, st.sampled_from(["sin", "cos"]), st.sampled_from([1, 5, 30]), linear),
    st.builds("(tanh({}) - {})".format, linear, st.sampled_from(["0.3", "-0.9"])),
    st.builds("(sqrt(1 + {}**2) - 1.7)".format, linear),
    st.builds("(exp(-{}**2) - 0.4)".format, linear),
    st.builds("atan({})".format, linear),
)
pieces = st.one_of(
    st.builds("(abs({}) - {})".format, smooth, st.sampled_from(["0.01", "0.5", "3"])),
    st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), smooth, smooth),
    st.builds("select({} < {}, {}, {})".format, linear, smooth, smooth, smooth),
    st.builds("sign({})".format, smooth),
)
whens = st.one_of(
    smooth, pieces, st.builds("({} + 0.7*{})".format, smooth, pieces), st.builds("{}*{}".format, smooth, smooth)
)


def find_crossings(when):
    """Changes of sign by looking very often; whether all of them are beyond doubt."""
    t = np.linspace(0, END, 60_001)
    y = value(when, t)
    size = np.max(np.abs(y))
    positive = y >= 0
    changes = np.flatnonzero(positive[1:] != positive[:-1])
    low = np.flatnonzero((np.abs(y[1:-1]) <= np.abs(y[:-2])) & (np.abs(y[1:-1]) <= np.abs(y[2:]))) + 1
    apart = np.all(np.diff(changes) > 6) and (len(changes) == 0 or (changes[0] > 6 and changes[-1] < len(t) - 6))
    beside = np.array([np.min(np.abs(i - changes), initial=10**9) > 2 for i in low], dtype=bool)
    clear = apart and not np.any(np.abs(y[low[beside]]) < 1e-3 * size) and abs(y[0]) > 1e-3 * size
    return t[changes], t[changes + 1], bool(clear)


@given(whens)
@settings(max_examples=60)
def test_all_crossings_of_an_expression_are_found_in_order_and_no_others(when):
    low, high, clear = find_crossings(when)
    assume(clear)
    found = [event.t for event in spring([lw.Event(name="e", when=when)]).simulate(END, tol=1e-12).events]
    assert len(found) == len(low)
    assert np.all(np.array(found) > low - 1e-9) and np.all(np.array(found) < high + 1e-9)


@given(st.lists(whens, min_size=2, max_size=5))
@settings(max_examples=6)
def test_events_are_the_same_in_both_machines(when):
    assume(all(find_crossings(one)[2] for one in when))
    events = [lw.Event(name=f"e{i}", when=one) for i, one in enumerate(when)]
    compiled, python = (spring(events).simulate(END, tol=1e-11, compiled=c).events for c in (True, False))
    assert [e.name for e in compiled] == [e.name for e in python]
    assert [e.t for e in compiled] == pytest.approx([e.t for e in python], abs=1e-9)


# values that dip through zero for a hundredth of a step where a law inside them changes its branch
DIPS = [
    "abs(tanh(2.1875*A.x + 1.3125*A.vx + 0.9375*t - 2.4375) - 0.3) - 0.01",
    "0.02 - max(abs(A.x - 0.35), (A.vx - 3)/40)",
    "abs(abs(A.x - 0.2) - 0.3) - 0.004",
]


@pytest.mark.parametrize("when", DIPS)
def test_values_that_dip_at_a_kink_cross_twice_in_both_machines(when):
    low, high, _ = find_crossings(when)
    for compiled in (True, False):
        found = [
            e.t for e in spring([lw.Event(name="e", when=when)]).simulate(END, tol=1e-11, compiled=compiled).events
        ]
        assert len(found) == len(low) >= 4
        assert np.all(np.array(found) > low - 1e-9) and np.all(np.array(found) < high + 1e-9)


@given(whens, st.sampled_from([-1, 0, 1]))
@settings(max_examples=12)
def test_an_event_that_stops_is_the_first_of_those_recorded(when, direction):
    assume(find_crossings(when)[2])
    recorded = spring([lw.Event(name="e", when=when, direction=direction)]).simulate(END, tol=1e-12)
    stopped = spring([lw.Event(name="e", when=when, direction=direction, stop=True)]).simulate(END, tol=1e-12)
    assert stopped.events == recorded.events[:1]
    assert float(stopped.final.t) == (stopped.events[0].t if stopped.events else END)


@pytest.mark.parametrize("shift", [0.0, 0.13, -0.4])
def test_an_event_of_a_table_crosses_on_every_piece(shift):
    event = lw.Event(name="e", when=TABLE.law("A.x") + shift)
    compiled, python = (spring([event]).simulate(END, tol=1e-12, compiled=c).events for c in (True, False))
    assert len(compiled) >= 4
    assert [e.t for e in compiled] == pytest.approx([e.t for e in python], abs=1e-10)


LAWS = [
    "-4*A.x - F/8*sign(A.vx) + 2*sin(5*t)", "-4*A.x - F*abs(A.x - 0.3)*A.vx", "-4*max(A.x, F/4) - A.vx/8",
    "select(sin(7*t) < F/4, -4*A.x, 1 - 4*A.x)", "-4*A.x - F*sign(A.x + A.vx/4 - 0.3)*abs(A.x)",
]  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("F", [0.3, 0.8, 1.7])
def test_laws_that_switch_move_the_same_in_both_machines(law, F):
    model = spring([lw.Event(name="turn", when="A.vx")], law, parameters={"F": F})
    compiled, python = (model.simulate(END, tol=1e-12, compiled=c) for c in (True, False))
    np.testing.assert_allclose(compiled.final.q, python.final.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(compiled.final.u, python.final.u, rtol=0, atol=1e-8)
    assert [e.t for e in compiled.events] == pytest.approx([e.t for e in python.events], abs=1e-8)


BODY = """
Dimension: 3
PhysicalParams: {l: 1, m: 2, k: 40}
PartData:
  Fixed: {O: []}
  Rigids: {OAB: {Geom: [[l], [0.2*l, 0.5*l]], Dyna: [[l/2, 0.1, 0.05], m, [0.1, 0.2, 0.25]]}}
AppliedForces:
  Gravity:
  Forces: {A: ["-0.4*sign(A.vx)", "-k*max(A.y - 0.5, 0)", "select(A.z < -0.6, 3, 0)"]}
Events: {low: {when: A.z + 0.7*l}, side: {when: A.x - A.y}}
ProblemData: {tend: 3, positions: {A: [1, 0, 0], B: [0.2, 0.5, 0]}, velocities: {A: [0, 1, 0]}}
"""


def test_a_body_in_space_meets_events_and_switches_at_the_same_times_in_both_formalisms():
    one, other = (lw.loads(BODY).formulated(name).simulate(tol=1e-12) for name in ("points", "absolute"))
    assert len(one.events) > 9 and [e.name for e in one.events] == [e.name for e in other.events]
    assert [e.t for e in one.events] == pytest.approx([e.t for e in other.events], abs=1e-8)
    np.testing.assert_allclose(one.final.q, other.final.q, rtol=0, atol=1e-8)


def test_a_hundred_thousand_switches_are_all_met():
    # v' = 1 and −1 by turns, first for the time a, then for h each: v goes to and fro between a and a − h
    count, h, a = 100_000, math.pi / 1000, (math.pi - 0.5) / 1000
    start = lw.InitialValues(positions={"A": (0, 0)})
    motion = spring([], "sign(sin(1000*t + 0.5))", start=start).simulate(a + (count - 0.5) * h, tol=1e-10)
    assert motion.stats.steps == count + 1
    x = a**2 / 2 + (count - 1) * (a - h / 2) * h + (a - h) * h / 2 + h**2 / 8
    assert motion.final["A"][0] == pytest.approx(x, rel=1e-8)  # times are rounded to 5e-14
    assert motion.final.velocity("A")[0] == pytest.approx(a - h / 2, rel=1e-7)


@pytest.mark.parametrize("compiled", [True, False])
def test_drag_on_what_is_driven_turns_round_where_the_speed_does(load_example, compiled):
    # forces move nothing here, so that no step notices that a law is on its other side: the work of the motor does
    model = load_example("driven-crank-with-damper")
    for w in (7.0, 10.0, 13.0) if compiled else (10.0,):
        for tol in (1e-6, 1e-8, 1e-10) if compiled else (1e-8,):
            motion = model.with_parameters(w=w).simulate(0.3, tol=tol, compiled=compiled)
            assert not motion.doubts and motion.energy.drift < 100 * tol
