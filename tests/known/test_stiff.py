"""Stiff machines: implicit steps are few, agree with tight Taylor series, and say what numerical damping costs."""

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from conftest import ROOT

# what is looked at, and how far it may be off
CASES = {
    "governor": (1.0, {"bearing.omega": 2e-2, "guide.travel": 2e-4}),
    "bushings": (1.0, {"car.c": 2e-4, "rear.hub": 2e-4}),
    "hydraulic-boom": (2.0, {"E": 1e-4, "p1": 2e4}),
}
IMPLICIT = {"hht": 1e-4, "radau": 1e-6, "ida": 1e-5}  # tolerances


@pytest.fixture(scope="module")
def exact(load_example):
    """Tight motions by Taylor series, made once."""
    return {name: load_example(name).simulate(until, tol=1e-11, method="taylor") for name, (until, _) in CASES.items()}


@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("name", CASES)
def test_implicit_steps_are_few_and_right(load_example, exact, name, method):
    until, wanted = CASES[name]
    if method == "ida":
        pytest.importorskip("sksundae")
    motion = load_example(name).simulate(until, tol=IMPLICIT[method], method=method)
    times = np.linspace(0.0, until, 41)
    one, two = motion.at(times), exact[name].at(times)
    for what, bound in wanted.items():
        assert np.max(np.abs(one[what] - two[what])) < bound, what
    assert motion.audit().ok, motion.audit()
    explicit = load_example(name).simulate(until, tol=IMPLICIT[method], method="rk8")
    assert motion.stats.steps < explicit.stats.steps / 10


@pytest.mark.parametrize("name", CASES)
def test_radau_gives_many_digits_in_few_steps(load_example, name):
    until, wanted = CASES[name]
    exact = load_example(name).simulate(until, tol=1e-14, method="taylor").final
    motion = load_example(name).simulate(until, tol=1e-9, method="radau")
    assert motion.stats.steps < 200 and motion.audit().ok, motion.audit()
    for what, bound in wanted.items():
        assert np.max(np.abs(motion.final[what] - exact[what])) < 1e-5 * bound, what


@pytest.mark.needs_compiler
@pytest.mark.parametrize("tol", [1e-8, 1e-10])
def test_radau_keeps_speeds_inside_steps_of_what_spins_with_few_of_them(load_example, tol):
    governor, times = load_example("governor"), np.linspace(0.0, 1.0, 1001)
    exact = governor.simulate(1.0, tol=1e-12, method="radau").at(times)
    motion = governor.simulate(1.0, tol=tol, method="radau")
    assert motion.stats.steps < 80
    assert np.nanmax(np.abs(motion.at(times).u - exact.u)) < tol * np.nanmax(np.abs(exact.u))


@pytest.mark.needs_compiler
def test_ida_falls_as_a_rod_does_and_keeps_redundant_constraints(load_example):
    pytest.importorskip("sksundae")
    sarrus = load_example("sarrus")
    one, two = sarrus.simulate(0.2, method="ida", tol=1e-9), sarrus.simulate(0.2, tol=1e-12)
    assert one.method.name == "ida" and one.residuals.position < 1e-7
    np.testing.assert_allclose(one.final.q, two.final.q, rtol=0, atol=1e-6)


@pytest.mark.needs_compiler
def test_ida_finds_events(load_example):
    pytest.importorskip("sksundae")
    model = load_example("pendulum-stop")
    one, two = (model.simulate(method=method, tol=1e-9) for method in ("ida", "taylor"))
    assert [e.name for e in one.events] == [e.name for e in two.events]
    np.testing.assert_allclose([e.t for e in one.events], [e.t for e in two.events], rtol=0, atol=1e-5)


@pytest.mark.needs_compiler
@pytest.mark.parametrize("name", ["newtons-cradle", "stick-slip"])
def test_ida_goes_through_impacts_and_friction_by_steps_of_its_own(load_example, name):
    pytest.importorskip("sksundae")
    one, two = (load_example(name).simulate(1.5, method=method, tol=1e-9) for method in ("ida", "taylor"))
    np.testing.assert_allclose(one.final.q, two.final.q, rtol=0, atol=1e-6)
    implicit = load_example(name).simulate(1.5, method="hht", tol=1e-9)
    assert one.method.name == "ida" and one.stats.steps < implicit.stats.steps


def test_ida_says_what_it_needs(monkeypatch):
    with pytest.raises(lw.InputError, match=r"ida chooses its steps by their errors. Leave out the step"):
        pytest.importorskip("sksundae")
        lw.loads(STRUCK).simulate(0.1, method="ida", step=0.01)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(lw.InputError, match=r"'ida' needs scikit-sundae. pip install 'linkwork\[stiff\]'"):
        lw.loads(STRUCK).simulate(0.1, method="ida")


STRUCK = """
PhysicalParams: {k: 1e6}
PartData: {Fixed: {O: []}, Particles: {A: 1}, Springs: {OA: {stiffness: k, length: 1}}}
ProblemData: {tend: 1, positions: {A: [1]}, velocities: {A: [1, 0.1]}}
"""


@pytest.mark.filterwarnings("ignore::linkwork.errors.AccuracyWarning")
def test_numerical_damping_removes_fast_vibrations_and_shows_in_the_energy():
    # the particle swings along its spring at 1000 rad/s, far too fast for these steps, and turns slowly about O
    model = lw.loads(STRUCK)
    drift = {rho: model.simulate(0.5, method="hht", step=5e-3, rho=rho).energy.drift for rho in (1.0, 0.9, 0.5)}
    assert drift[1.0] < 0.02 < drift[0.9] <= drift[0.5]
    assert drift[0.5] == pytest.approx(0.99, abs=0.02)  # all but the energy of the slow turn
    slow = model.simulate(0.5, method="hht", step=5e-3, rho=0.5).final
    assert np.hypot(*slow["A"]) == pytest.approx(1.0, abs=1e-5)
    assert np.arctan2(*slow["A"][::-1]) == pytest.approx(0.05, abs=1e-3)


def test_a_stiff_transient_that_nobody_sees_costs_few_steps():
    # off balance by a micrometre at the start: gone within a microsecond, and the slow fall is what counts
    text = """
PhysicalParams: {k: 1e6, c: 1e6}
PartData: {Fixed: {O: []}, Particles: {A: 1}, Springs: {OA: {stiffness: k, length: 1, damping: c}}}
AppliedForces: {Gravity: }
ProblemData: {tend: 1, positions: {A: [1.000001]}}
"""
    motion = lw.loads(text).simulate(1.0, method="hht", tol=1e-4)
    rod = lw.loads("""
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]]}}, Particles: {A: 1}}
AppliedForces: {Gravity: }
ProblemData: {tend: 1, positions: {A: [1]}}
""").simulate(1.0, tol=1e-10)
    assert motion.stats.steps < 400
    np.testing.assert_allclose(motion.final["A"], rod.final["A"], rtol=0, atol=1e-3)


@pytest.mark.parametrize("name", CASES)
def test_auto_notices_stiffness_and_says_so(load_example, exact, name):
    until, wanted = CASES[name]
    motion, again = (load_example(name).simulate(until, tol=1e-6) for _ in range(2))
    assert motion.method.name == "radau" and motion.method.numbers == {"order": 5.0}
    assert "stiff" in motion.method.why and "taylor, which was taken until t = 0.0" in motion.method.why
    assert motion.stats.steps < 0.3 * load_example(name).simulate(until, tol=1e-6, method="taylor").stats.steps
    assert np.array_equal(motion.final.q, again.final.q)  # never by the clock
    times = np.linspace(0.0, until, 41)
    for what, bound in wanted.items():
        assert np.max(np.abs(motion.at(times)[what] - exact[name].at(times)[what])) < bound, what


@pytest.mark.filterwarnings("ignore::linkwork.errors.AccuracyWarning")
@pytest.mark.parametrize("name", CASES)
def test_auto_takes_steps_of_order_2_for_few_digits_and_of_order_9_for_many(load_example, name):
    loose, tight = (load_example(name).simulate(CASES[name][0], tol=tol) for tol in (1e-4, 1e-9))
    assert loose.method.name == "hht" and loose.method.numbers == {"rho": 0.8}
    assert tight.method.name == "radau" and tight.method.numbers == {"order": 9.0}
    assert max(loose.stats.steps, tight.stats.steps) < 600


@pytest.mark.parametrize(("name", "until"), [("andrews", 0.2), ("slider-crank", 3.0), ("double-pendulum-3d", 30.0)])
def test_auto_stays_with_series_where_nothing_is_stiff(load_example, name, until):
    motion = load_example(name).simulate(until, tol=1e-8)
    assert motion.stats.steps > 256 and motion.method.name == "taylor"


def test_few_steps_to_come_stay_with_series(load_example):
    assert load_example("hydraulic-boom").simulate(0.01, tol=1e-12).method.name == "taylor"


@pytest.mark.parametrize("name", ["andrews", "slider-crank"])
def test_implicit_steps_are_tried_only_where_the_motion_allows_longer_ones(load_example, monkeypatch, name):
    # nothing of theirs is made or compiled
    def tried(*_):
        raise AssertionError("a trial")

    monkeypatch.setattr("linkwork.solve.run.try_method", tried)
    assert load_example(name).simulate().method.name == "taylor"
    with pytest.raises(AssertionError, match="a trial"):
        load_example("governor").simulate(tol=1e-6)


STIFF_FOR_A_WHILE = """
PhysicalParams: {C: 1e6, w: 6}
PartData: {Particles: {A: 1, B: 1}}
AppliedForces:
  Forces:
    A: ["-C*(A.vx - cos(t))*(1 - tanh(40*(t - 1)))/2 - A.x", "-A.y"]
    B: ["-w**2*B.x", "-w**2*B.y"]
ProblemData: {tend: 40, positions: {A: [0, 1], B: [1, 0]}, velocities: {A: [1, 0], B: [0, 3]}}
"""


@pytest.mark.needs_compiler
def test_auto_goes_back_to_series_when_the_stiff_part_is_over():
    model = lw.loads(STIFF_FOR_A_WHILE)
    motion, exact = model.simulate(tol=1e-5), model.simulate(tol=1e-11, method="taylor")
    assert motion.method.name == "taylor" and "stiff no more, hht was taken until t = " in motion.method.why
    assert 1.0 < float(motion.method.why.split("t = ")[1]) < 20.0
    assert motion.stats.steps < 0.3 * model.simulate(tol=1e-5, method="taylor").stats.steps
    times = np.linspace(0.0, 40.0, 81)
    for point in "AB":
        np.testing.assert_allclose(motion.at(times)[point], exact.at(times)[point], rtol=0, atol=2e-2)


EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.yaml"))
IS_STIFF = {*CASES, "bouncing-balls"}  # the last: contacts


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in IS_STIFF])
def test_auto_takes_series_for_every_example_that_is_not_stiff(load_example, name):
    model = load_example(name)
    m = model.mechanism
    motion = model.simulate(min(2.0, m.compute(m.start.tend)), tol=1e-6)
    assert motion.method.name in ("taylor", "rk8") and "stiff" not in motion.method.why


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=pytest.mark.needs_compiler), False])
@pytest.mark.parametrize("tol", [1e-4, 1e-6])
def test_implicit_steps_of_a_fully_driven_linkage_are_right_inside_too(load_example, tol, compiled):
    # the constraints alone say where it is at the ends of steps, which are as short as what is between them needs
    four_bar = load_example("four-bar").mechanism
    driver = lw.Driver(target="OA.angle", law="t + 0.3*sin(3*t)")
    model = lw.Model(replace(four_bar, start=four_bar.start.loosened({}), motions=[driver]))
    motion, exact = model.simulate(1.0, method="hht", tol=tol, compiled=compiled), model.simulate(1.0, method="taylor")
    times = np.linspace(0.0, 1.0, 50)
    assert motion.audit().ok, motion.audit()
    assert np.max(np.abs(motion.at(times).q - exact.at(times).q)) < tol
    assert np.max(np.abs(motion.at(times).lam - exact.at(times).lam)) < 20 * tol**0.6 * np.max(np.abs(exact.lam))


@pytest.mark.needs_compiler
@pytest.mark.parametrize("method", IMPLICIT)
def test_a_particle_that_nothing_holds_is_pushed_to_and_fro(method):
    if method == "ida":
        pytest.importorskip("sksundae")
    mechanism = lw.Mechanism(
        particles=[lw.Particle(point="A", mass=1)],
        forces=[lw.Force(point="A", components=("select(A.x < 0.5, 1, -1)", 0))],
        start=lw.InitialValues(positions={"A": (0, 0)}),
    )
    # a second of pushing to half a metre, and a second back to rest at one metre
    motion = lw.Model(mechanism).simulate(2.0, method=method)
    np.testing.assert_allclose(motion.final["A"], (1.0, 0.0), atol=1e-5)
    np.testing.assert_allclose(motion.at(1.0)["A"], (0.5, 0.0), atol=1e-5)
