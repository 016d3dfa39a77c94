"""The spacecraft of the AUTOSIM paper: its kinematics as printed there (Table 8), its accelerations, its slew.

Numbers were derived by virtual work at 60 digits and by a program independent of this one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from known.satellite import START, VALUES, command, satellite, slewing
from linkwork.equations.kane import Kane
from linkwork.symbolic import cos, evaluate, sin, symbol
from linkwork.symbolic.simplify import canonical
from linkwork.vectors import Vector, angular_velocity, dt, partial, velocity

# the inertia of the bus, as printed, belongs to no body
pytestmark = pytest.mark.filterwarnings("ignore:body 'B'. no body has this inertia")

ACCELERATIONS = [
    -9.6924030397692, 1.3958246331237, -1.1400801579532, 41.459054605791, 27.586819320889, 10.673058369392,
    -642.96770647936, -455.71843413269, -73.594590017858, -68.848279768824,
]  # fmt: skip
RATES = [
    0.12401018883532, 0.096765045664482, 0.33850438676349, 0.054482633706122, 0.63852479681285, 0.57387963399087,
]  # fmt: skip

u = {i: symbol(f"u{i}", kind="speed") for i in range(1, 11)}
q = {i: symbol(f"q{i}", kind="coordinate") for i in range(1, 11)}
L = {i: symbol(f"L{i}") for i in range(1, 9)}
P1 = symbol("MC") * L[2] / (symbol("MB") + symbol("MC"))


def equal(a: Vector, b: Vector) -> bool:
    return (a - b).mapped(canonical) == 0


def test_velocities_are_those_of_table_8() -> None:
    _, B, C, D, *_ = satellite()
    c7, s7 = cos(q[7]), sin(q[7])
    turning = u[4] * B.x + u[5] * B.y + u[6] * B.z
    assert angular_velocity(B) == turning
    assert angular_velocity(C) == turning + u[7] * B.z
    assert angular_velocity(D) == turning + u[7] * B.z + u[8] * C.x
    origin = (u[1] + P1 * u[5]) * B.x + (u[2] - P1 * u[4]) * B.y + u[3] * B.z
    assert equal(velocity(B), origin) and equal(velocity(C), origin)
    camera = (
        (u[1] - (L[1] - P1) * u[5]) * B.x
        + (u[2] + (L[1] - P1) * u[4]) * B.y
        - L[3] * (u[6] + u[7]) * C.x
        + (u[3] + L[3] * (u[4] * c7 + u[5] * s7)) * B.z
    )
    assert equal(velocity(D), camera)
    assert [child.name for child in B.children] == ["C", "E"]
    assert dt(C.x) == (u[6] + u[7]) * C.y + (u[4] * s7 - u[5] * c7) * B.z
    assert dt(C.x, B) == u[7] * C.y


def test_partial_velocities() -> None:
    _, B, C, D, *_ = satellite()
    assert partial(velocity(D), u[7]) == -L[3] * C.x
    assert equal(partial(velocity(D), u[4]), (L[1] - P1) * B.y + L[3] * cos(q[7]) * B.z)
    assert partial(velocity(D.centre), u[8]) == L[6] * D.y - L[5] * D.z


def test_rates_of_coordinates_by_speeds_and_speeds_by_rates() -> None:
    tree = satellite().tree
    values = VALUES | {f"{x}{i}": i / 10 for i in range(1, 11) for x in "qu"}
    rates = Kane(tree=tree).rates()
    found = {f"{s.name}'": evaluate(rate, values) for s, rate in rates.items()}
    np.testing.assert_allclose([*found.values()][:6], RATES, rtol=1e-12)
    back = [evaluate(tree.definition(u[i]), values | found) for i in range(1, 11)]
    np.testing.assert_allclose(back, [i / 10 for i in range(1, 11)], rtol=1e-13)


def test_accelerations_at_a_state() -> None:
    kane = Kane(tree=satellite().tree)
    values = VALUES | {f"{x}{i}": i / 10 for i in range(1, 11) for x in "qu"}
    M = np.zeros((10, 10))
    for (i, j), entry in kane.mass.items():
        M[i, j] = M[j, i] = evaluate(entry, values)
    f = [evaluate(force, values) for force in kane.forces]
    np.testing.assert_allclose(np.linalg.solve(M, f), ACCELERATIONS, rtol=1e-12)


@pytest.mark.parametrize("speeds", ["body", "rates"])
def test_slew_without_thrusters(speeds: str) -> None:
    model = satellite(*command(), speeds=speeds).tree.model(parameters=VALUES, start=START, tend=30)
    motion = model.simulate(30, tol=1e-12)
    assert motion.audit().ok
    for t, expected in {
        11: [0.00258995848, -0.00770029978, 0.00180046687],
        30: [0.00257543144, -0.00770706207, 0.00178892089],
    }.items():
        np.testing.assert_allclose([motion.at(t)[name] for name in ("q4", "q5", "q6")], expected, atol=1e-11)


def accelerations(values: dict[str, float], keep: int | None = None) -> np.ndarray:
    kane = Kane(tree=satellite().tree, keep=keep)
    M = np.zeros((10, 10))
    for (i, j), entry in kane.mass.items():
        M[i, j] = M[j, i] = evaluate(entry, values)
    return np.linalg.solve(M, [evaluate(force, values) for force in kane.forces])


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_error_of_neglecting_falls_with_the_order_kept(keep: int) -> None:
    small = [*range(1, 7), 9, 10]
    errors = []
    for size in (0.02, 0.01):
        values = VALUES | {f"{x}{i}": (size if i in small else 1) * (0.3 + i / 10) for i in range(1, 11) for x in "qu"}
        errors.append(np.max(np.abs(accelerations(values, keep) - accelerations(values))))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(keep, abs=0.15)


def test_small_and_full_models_have_one_linear_model_at_the_start() -> None:
    tree = satellite(4 - np.pi, -0.5).tree
    full, small = (tree.model(small=small, parameters=VALUES, start=START).linearize() for small in (False, True))
    np.testing.assert_allclose(small.A, full.A, atol=5e-12 * np.max(np.abs(full.A)))
    found = sorted(full.eigenvalues, key=lambda x: (abs(x), x.imag))
    assert np.max(np.abs(found[:12])) < 1e-3  # double zeros are sensitive to rounding
    expected = [-0.05413 + 4.65261j, -0.06906 + 5.25421j, -1.13001 + 19.85676j, -1.59358 + 23.56646j]
    above = [x for x in found[12:] if x.imag > 0]
    np.testing.assert_allclose(above, expected, atol=1e-5)


def test_slew_of_the_small_model_is_that_of_the_full_one_but_for_what_is_neglected() -> None:
    tree = satellite(*command()).tree
    full, small = (
        tree.model(small=small, parameters=VALUES, start=START).simulate(30, tol=1e-11) for small in (False, True)
    )
    assert small.audit().ok
    t = np.linspace(0, 30, 301)
    off = [np.max(np.abs(full.at(t)[name] - small.at(t)[name])) for name in ("q4", "q5", "q6")]
    assert 1e-8 < max(off) < 5e-5
    largest = tree.largest(small)
    assert largest["q5"] == pytest.approx(0.0077, abs=1e-4) and largest["q1"] < 0.0051 and "q7" not in largest


# -- with thrusters ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def thrusting():
    """The slew held by thrusters, full and small."""
    return slewing().simulate(tol=1e-11), slewing(small=True).simulate(tol=1e-11)


def test_thrusters_hold_the_attitude_as_located_events_of_another_program_do(thrusting) -> None:
    full, _ = thrusting
    for t, expected in {
        11: [0.002297072, -0.002461801, 0.002059657],
        30: [-0.001932227, 0.002476277, 0.001251812],
    }.items():
        np.testing.assert_allclose([full.at(t)[name] for name in ("q4", "q5", "q6")], expected, atol=6e-10)
    assert [full.final[f"pulses{k}"] for k in (1, 2, 3)] == [17, 134, 6]
    first = {}
    for event in full.events:
        if event.name.startswith(("above", "below")):
            first.setdefault(event.name[-1], event)
    assert [first[k].name for k in "123"] == ["above1", "below2", "above3"]
    np.testing.assert_allclose([first[k].t for k in "123"], [6.814, 1.12783, 10.334], atol=5e-4)
    assert first["2"].t == pytest.approx(1.12783, abs=5e-6)
    assert slewing().simulate(3).audit().ok


def test_thrusters_fire_as_long_as_the_angular_impulse_about_all_axes_says(thrusting) -> None:
    full, _ = thrusting
    ends = np.append([b.t for b in full.breaks[1:]], full.final.t)
    held = [full.store.evaluate(np.array([b.step]), np.zeros(1))[0][0] for b in full.breaks]
    lengths = ends - [b.t for b in full.breaks]
    places = [full.system.n + [*full.system.inputs].index(f"fire{k}") for k in (1, 2, 3)]
    on = [sum(h * abs(q[i]) for h, q in zip(lengths, held, strict=True)) for i in places]
    np.testing.assert_allclose(on, [0.498, 3.429, 0.141], atol=6e-4)


def test_thrusters_are_moments_so_the_momentum_stays_zero_and_the_attitude_in_its_band(thrusting) -> None:
    full, _ = thrusting
    t = np.linspace(0, 30, 1501)
    seen = full.at(t)
    assert max(np.max(np.abs(seen[name])) for name in ("px", "py", "pz")) < 1e-10  # tol 1e-11, and half a ton
    assert max(np.max(np.abs(seen[name])) for name in ("q4", "q5", "q6")) < 0.0025
    assert max(np.max(np.abs(seen[name])) for name in ("q9", "q10")) < 1.7e-4
    assert max(np.max(np.abs(seen[name])) for name in ("q1", "q2", "q3")) < 5.1e-3


def test_the_attitude_goes_as_in_the_picture_of_the_paper(thrusting) -> None:
    full, _ = thrusting
    t = np.linspace(0, 30, 6001)
    seen = full.at(t)
    q4, q5, q6 = (seen[name] for name in ("q4", "q5", "q6"))
    # q5 sinks to the edge of its band by 11 s, turns, and rides at the other edge from 20 s
    assert t[np.argmin(q5)] == pytest.approx(11, abs=0.1) and -0.0025 < np.min(q5) < -0.00245
    assert np.all(q5[t >= 20] > 0.0023) and np.max(q5) == pytest.approx(0.00248, abs=5e-6)
    # q4 and q6 climb; q4 then drifts down
    assert (np.max(q4), np.max(q6)) == pytest.approx((0.0023, 0.0021), abs=1e-5)
    assert np.all(np.diff(q4[(t > 12)][::200]) < 0)
    # the boom ripples by 0.7 Hz
    ripple = seen["q9"][t >= 12]
    power = np.abs(np.fft.rfft((ripple - np.mean(ripple)) * np.hanning(len(ripple))))
    assert np.fft.rfftfreq(len(ripple), t[1])[np.argmax(power)] == pytest.approx(0.7, abs=0.05)


def test_a_thruster_may_go_off_and_on_at_one_instant(thrusting) -> None:
    """Its memory makes it so: at 3.361 s it is back in its band, and out of it again."""
    full, _ = thrusting
    found = [event for event in full.events if abs(event.t - 3.361) < 5e-4]
    assert [event.name for event in found] == ["back2", "below2"]
    assert found[1].t - found[0].t < 1e-9


@pytest.mark.long
def test_the_slew_with_thrusters_is_not_chaotic(thrusting) -> None:
    """A start that is off by 1e-11 stays as near."""
    full, _ = thrusting
    craft, t = slewing(), np.linspace(0, 30, 301)
    start = craft.mechanism.start
    beside = replace(start, angles={**start.angles, "q5": lw.Guess(value=1e-11)})
    other = lw.Model(replace(craft.mechanism, start=beside)).simulate(tol=1e-11)
    assert max(np.max(np.abs(full.at(t)[name] - other.at(t)[name])) for name in ("q4", "q5", "q6")) < 1e-9


def test_the_small_model_with_thrusters_stays_near_the_full_one(thrusting) -> None:
    full, small = thrusting
    t = np.linspace(0, 30, 601)
    off = np.max([np.abs(full.at(t)[name] - small.at(t)[name]) for name in ("q4", "q5", "q6")], axis=0)
    assert np.max(off[t <= 15]) < 3.2e-5 and 1e-6 < np.max(off) < 1.25e-4
    assert slewing(small=True).simulate(3).audit().ok


def test_without_thrusters_momentum_and_angular_momentum_stay_zero() -> None:
    motion = slewing(thrusters=False).simulate(tol=1e-14)
    seen = motion.at(np.linspace(0, 30, 301))
    assert max(np.max(np.abs(seen[f"{x}{axis}"])) for x in "ph" for axis in "xyz") < 1e-13
    # the mean lag of a damped spring behind a ramp: D rate/K
    t = np.linspace(4, 11, 701)
    ramp, seen = t - 1, motion.at(t)
    assert np.mean(seen["q7"] - (4 - np.pi - 0.025 * ramp)) == pytest.approx(20 * 0.025 / 3500, rel=0.02)
    assert np.mean(seen["q8"] - (-0.5 + 0.01 * ramp)) == pytest.approx(-20 * 0.01 / 3500, rel=0.02)


# -- exported ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("small", "most"), [(False, (421, 521, 9, 14)), (True, (341, 409, 7, 4))])
def test_an_evaluation_takes_no_more_operations_than_composites_by_hand(small: bool, most: tuple[int, ...]) -> None:
    # with symbols for all parameters: additions, products, quotients, functions
    model = satellite().tree.model(small=small, parameters=VALUES, start=START)
    rhs = next(count for count in model.count_operations().functions if count.words == "rhs")
    assert all(one <= other for one, other in zip((rhs.add, rhs.mul, rhs.div, rhs.function), most, strict=True))


def test_exported_accelerations_at_a_state() -> None:
    f = satellite().tree.model(parameters=VALUES, start=START).rhs(compiled=False)
    rates = f(0.0, [i / 10 for i in range(1, 11)] * 2)
    np.testing.assert_allclose([*rates[:6], *rates[10:]], [*RATES, *ACCELERATIONS], rtol=1e-12)
