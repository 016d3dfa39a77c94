"""The audit passes what is right and fails what is wrong: motions, descriptions and equations broken on purpose."""

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.results import About, Trajectory
from linkwork.results.examiners import MechanismExaminer

FOUR_BAR = """
PhysicalParams: {a: 0.4, b: 1.0, c: 0.9, d: 1.1, m: 1, k: 30, tau: 2}
PartData:
  Fixed: {O: [], Q: [d]}
  Rigids:
    OA: {Geom: [[a]], Dyna: [[a/2], m]}
    ABP: {Geom: [[b], [0.5, 0.6]], Dyna: [[0.5, 0.2], m, 0.3]}
    QB: {Geom: [[c]], Dyna: [[c/2], m]}
  Particles: {W: 2}
  Springs: {PW: [k, 0.3]}
AppliedForces:
  Gravity: [0, -9.81]
  Forces: {W: [0.1*sin(3*t), -0.2*W.vy]}
  Torques: {OA: tau}
ProblemData: {tend: 1, positions: {A: [0.4, 0], B: [1, 0.8], W: [0.6, 0.1]}}
"""
SPATIAL = """
Dimension: 3
PhysicalParams: {l: 1, m: 2}
PartData:
  Fixed: {O: []}
  Rigids:
    OABC: {Geom: [[l], [0, l], [0.2, 0.3, 0.4]], Dyna: [[0.3, 0.2, 0.1], m, [0.5, 0.6, 0.7]]}
    CD: {Geom: [[0.5]], Dyna: [[0.25], 1]}
AppliedForces: {Gravity: }
ProblemData:
  tend: 1
  positions: {A: [1, 0], B: [0, 1], C: [0.2, 0.3, 0.4], D: [0.7, 0.3, 0.4]}
  velocities: {A: [0, 1]}
"""


def failures(motion):
    return {finding.law for finding in motion.audit().failures}


def described(motion, mechanism):
    """The same motion, said to be that of another mechanism."""
    about = About(mechanism=mechanism)
    return Trajectory(motion.system, motion.store, motion.final, motion.stats, motion.outcome, about=about)


def changed(motion, change):
    """The motion with the coefficients of its steps changed: change(series, chunk)."""
    chunks = []
    for chunk in motion.store.chunks:
        series = np.array(chunk.series)
        change(series, chunk)
        chunks.append(replace(chunk, series=series))
    other = described(motion, motion.mechanism)
    store = motion.store.__class__()
    for chunk in chunks:
        store.append(chunk)
    other.store = store
    return other


@pytest.mark.parametrize("text", [FOUR_BAR, SPATIAL])
@pytest.mark.parametrize("tol", [1e-4, 1e-7, 1e-10, 1e-13])
def test_a_right_motion_passes_at_any_tolerance(text, tol):
    audit = lw.loads(text).simulate(tol=tol).audit()
    assert audit.ok, audit.text()
    assert audit.doubts == ()
    assert audit.findings[0].ratio < 0.3


@pytest.mark.parametrize(
    ("text", "name", "factor", "law"),
    [
        (FOUR_BAR, "b", 1 + 1e-6, "rigid parts are rigid"),
        (FOUR_BAR, "d", 1 + 1e-6, "points stay where ties hold them"),
        (FOUR_BAR, "k", 1.001, "energy against work"),
        (FOUR_BAR, "k", 1.001, "Newton's and Euler's laws"),
        (FOUR_BAR, "m", 1.001, "Newton's and Euler's laws"),
        (FOUR_BAR, "tau", 1.001, "Newton's and Euler's laws"),
        (SPATIAL, "l", 1 + 1e-6, "rigid parts are rigid"),
        (SPATIAL, "m", 1.001, "Newton's and Euler's laws"),
        (SPATIAL, "m", 1.001, "energy against work"),
    ],
)
def test_a_motion_of_another_mechanism_fails(text, name, factor, law):
    assembly = lw.loads(text)
    motion = assembly.simulate()
    other = assembly.with_parameters(**{name: factor * assembly.parameters[name]}).mechanism
    assert law in failures(described(motion, other))


def test_the_mirror_image_of_a_part_in_space_fails():
    assembly = lw.loads(SPATIAL)
    mirrored = lw.loads(SPATIAL.replace("[0.2, 0.3, 0.4]]", "[0.2, 0.3, -0.4]]", 1)).mechanism
    assert "rigid parts are rigid" in failures(described(assembly.simulate(), mirrored))


def test_a_motion_that_drifts_or_jumps_fails():
    motion = lw.loads(FOUR_BAR).simulate()

    def jump(series, chunk):
        series[len(series) // 2 :, 0, chunk.coordinate[0]] += 1e-6

    def push(series, chunk):
        series[:, 2, chunk.coordinate[0]] *= 1.001

    def slow(series, chunk):
        series[len(series) // 2 :, 1] *= 0.9999

    assert {"rigid parts are rigid", "steps join"} <= failures(changed(motion, jump))
    assert "Newton's and Euler's laws" in failures(changed(motion, push))
    assert "energy against work" in failures(changed(motion, slow))


def test_a_mechanism_that_lost_a_constraint_fails():
    see_saw = """
PartData:
  Fixed: {O: []}
  Rigids: {ABO: {Geom: [[2], [1]], Dyna: [[1], 1, 0.3]}}
  Particles: {A: 1, B: 2}
AppliedForces: {Gravity: }
ProblemData: {tend: 1, positions: {A: [-1, 0], B: [1, 0]}}
"""
    assembly = lw.loads(see_saw)
    s = assembly.system
    kept = tuple(term for term in s.terms if term.kernel.name != "placement")
    assembly.__dict__["whole"] = replace(s, terms=kept, rows=s.rows[:-2])
    with pytest.warns(lw.AccuracyWarning, match="rigid parts are rigid: part ABO"):
        motion = assembly.simulate()
    assert motion.outcome == "reached t = 1, in doubt"
    assert "rigid parts are rigid" in motion.doubts[0]
    assert "please report this file" in motion.doubts[-1]


def test_the_energy_of_a_needle_orbit_is_judged_by_its_tolerance():
    orbit = lw.lagrangian("x y", "x'**2/2 + y'**2/2 + 1/sqrt(x**2 + y**2)", start={"x": 1, "y": 0, "y'": 0.001})
    motion = orbit.simulate(1.0)
    assert motion.audit().ok

    def faster(series, chunk):
        series[1:, 1] *= 1.0001

    assert "energy against work" in failures(changed(motion, faster))


def test_a_lagrangian_with_other_numbers_fails():
    swing = lw.lagrangian(
        "x y",
        "m*(x'**2 + y'**2)/2 - m*g*y - k*x**2/2",
        constraints=["x**2 + y**2 - l**2"],
        parameters={"m": 2, "g": 9.81, "l": 1, "k": 3},
        dissipation="0.1*x'**2",
        states={"s": "y - s"},
        start={"x": 1, "y": 0},
    )
    motion = swing.simulate(2)
    assert motion.audit().ok
    laws = {"k": "the equations of Euler and Lagrange", "g": "energy against work", "l": "constraints are met"}
    for name, law in laws.items():
        other = swing.with_parameters(**{name: 1.001 * swing.parameters[name]}).mechanism
        assert law in failures(described(motion, other))


def test_a_deep_audit_estimates_the_error_of_every_point():
    motion = lw.loads(FOUR_BAR).simulate(tol=1e-5)
    audit, exact = motion.audit(deep=True), lw.loads(FOUR_BAR).simulate(tol=1e-14)
    t = np.linspace(0, 1, 50)
    for point, error in audit.errors:
        if point in "ABPW":
            true = np.max(np.linalg.norm(motion.at(t)[point] - exact.at(t)[point], axis=1))
            assert error == pytest.approx(true, rel=0.2)
    assert audit.ok
    assert "estimated error" in audit.text()


def test_an_audit_says_what_where_when_and_how_much():
    assembly = lw.loads(FOUR_BAR)
    other = assembly.with_parameters(b=1.001).mechanism
    audit = described(assembly.simulate(), other).audit()
    (worst, *_) = audit.failures
    assert worst.law == "rigid parts are rigid"
    assert worst.where == "part ABP"
    assert worst.amount == pytest.approx(0.001, rel=0.5)
    assert repr(audit).startswith("Audit(FAILED: rigid parts are rigid: part ABP is off by 0.001 m at t = ")


def test_what_rests_and_what_has_no_mass_is_not_doubted():
    rest = """
PartData: {Fixed: {O: [0.1, 0.2]}, Particles: {A: 1}, Springs: {OA: [100, 0.3]}}
ProblemData: {tend: 1, positions: {A: [0.4, 0.2]}}
"""
    at_rest = lw.loads(rest).simulate()
    assert at_rest.audit().ok
    assert at_rest.energy.drift < 1e-9
    text = """
PartData:
  Fixed: {O: [], Q: [1.1]}
  Rigids: {OA: {Geom: [[0.4]]}, ABP: {Geom: [[1], [0.5, 0.6]]}, QB: {Geom: [[0.9]]}}
Motions: {OA.angle: 6*t}
ProblemData: {tend: 1, positions: {B: [1, 0.8]}}
"""
    motion = lw.loads(text).simulate()
    assert motion.audit().ok
    assert motion.energy.drift == 0.0


def test_the_direction_of_a_part_far_below_the_size_of_the_mechanism_is_not_judged_by_rounding():
    text = """
PartData:
  Fixed: {O: [], Q: [1]}
  Rigids:
    OA: {Geom: [[1e-20]], Dyna: [[5e-21], 1e6]}
    AB: {Geom: [[1]], Dyna: [[0.5], 1]}
    QB: {Geom: [[0.8]], Dyna: [[0.4], 1]}
Motions: {OA.angle: 0.5 + 2*t}
ProblemData: {tend: 0.5, positions: {B: [0.9, 0.7]}}
"""
    assert lw.loads(text).simulate(compiled=False).audit().ok


def test_an_energy_out_of_range_is_called_so():
    with pytest.warns(lw.AccuracyWarning):
        motion = lw.lagrangian("x", "x'**2/2", forces={"x": "1e200"}, start={"x": 1}).simulate(0.2)
    (said, advice) = motion.audit().doubts
    assert "has no finite value" in said and "nan" not in said
    assert "out of range" in advice


@pytest.mark.parametrize("name", ["OA.O.fy", "A.ax", "v"])
def test_values_in_laws_that_are_not_those_of_the_motion_are_found(name):
    """With mu = 0 they do nothing, and no other law could tell."""
    mechanism = lw.Mechanism(
        parameters={"mu": 0},
        fixed={"O": (0, 0)},
        rigids=[lw.Rigid.rod("OA", 1, 2)],
        gravity=(0, -10),
        variables={"v": lw.Implicit(formula="v + v**3 - A.x")},
        torques=[lw.Torque(part="OA", value="-mu*(OA.O.fy + A.ax + v)")],
        start=lw.InitialValues(positions={"A": (1, 0)}),
    )
    motion = lw.Model(mechanism).simulate(1)
    assert motion.audit().ok

    def stretch(series, chunk):
        places = chunk.coordinate[motion.system.n :]
        series[:, :, places[list(motion.system.inputs).index(name)]] *= 1.01

    audit = changed(motion, stretch).audit()
    assert not audit.ok
    assert {f.law for f in audit.findings if f.ratio > 1} == {"values in laws are those of the motion"}


@pytest.mark.parametrize(
    ("method", "damped"), [("taylor", False), ("rk8", False), ("baumgarte", False), ("hht", True), ("radau", True)]
)
def test_stiff_forces_widen_limits_only_where_steps_go_over_their_vibrations(load_example, method, damped):
    motion = load_example("bushings").simulate(0.05, tol=1e-6, method=method)
    readings = MechanismExaminer(motion, motion.about.mechanism).read(np.array([0, 3]), 0.5 * motion.store.h[[0, 3]])
    assert readings.damped is damped
    assert motion.audit().ok
