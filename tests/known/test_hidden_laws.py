"""Laws that a series does not see from afar: steep friction, detents, pushes, hills; judged by SciPy in short steps."""

import math
import textwrap
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

TOLERANCES = [1e-4, 1e-7, 1e-10, 1e-13]
MACHINES = [None, False]  # compiled if possible; the reference interpreter


def integrate(f, y, times, steepest):
    """The motion by SciPy with steps far below the steepest feature, at the last time."""
    return solve_ivp(f, times, y, method="DOP853", rtol=1e-12, atol=1e-14, max_step=steepest).y[:, -1]


BELT = """
PhysicalParams: {m: 1, k: 100, mu: 0.4, v: 0.2, v0: 0.001}
PartData:
  Fixed: {O: [], Q: [1]}
  Particles: {A: m}
  Springs: {OA: [k, 0.5]}
Connections: {Collinear: [OQA]}
AppliedForces:
  Forces: {A: ["-mu*m*9.81*tanh((A.vx - v)/v0)"]}
ProblemData: {tend: 2, positions: {A: [0.5]}}
"""


def belt(v0):
    def f(_, y):
        return [y[1], -100 * (y[0] - 0.5) - 0.4 * 9.81 * math.tanh((y[1] - 0.2) / v0)]

    return solve_ivp(f, (0, 2), [0.5, 0.0], method="Radau", rtol=1e-11, atol=1e-13, max_step=2e-3).y[:, -1]


@pytest.mark.parametrize("v0", [1e-2, 1e-3])
def test_a_block_on_a_belt_sticks_and_slips_at_every_tolerance(v0):
    x, v = belt(v0)
    for tol in TOLERANCES:
        final = lw.loads(BELT).with_parameters(v0=v0).simulate(tol=tol).final
        assert abs(final["A"][0] - x) < 1e3 * tol + 1e-8
        assert abs(final.velocity("A")[0] - v) < 1e4 * tol + 1e-7


def test_the_reference_machine_sees_a_belt_as_well():
    x, _ = belt(1e-3)
    assert abs(lw.loads(BELT).simulate(compiled=False).final["A"][0] - x) < 1e-8


DETENT = """
PhysicalParams: {l: 1, m: 1, g: 9.81, w: 0.02, h: 2, a: -pi/2 + 0.3}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]]}}
  Particles: {A: m}
AppliedForces:
  Gravity: [0, -g]
  Torques: {OA: 2*h*(OA.angle - a)/w**2*exp(-((OA.angle - a)/w)**2)}
ProblemData: {tend: 4, positions: {OA: [-pi/2 + 1, fixed], A: [l*sin(1), -l*cos(1)]}}
"""


@pytest.mark.parametrize(("width", "height"), [(0.1, 2.0), (0.02, 2.0), (0.005, 0.5), (0.02, -1.0)])
def test_a_pendulum_feels_a_narrow_detent(width, height):
    a = -math.pi / 2 + 0.3

    def f(_, y):
        x = (y[0] - a) / width
        return [y[1], -9.81 * math.cos(y[0]) + 2 * height * x / width * math.exp(-x * x)]

    angle, _ = integrate(f, [-math.pi / 2 + 1, 0.0], (0, 4), width / 20)
    for tol in (1e-7, 1e-10, 1e-13):
        final = lw.loads(DETENT).with_parameters(w=width, h=height).simulate(tol=tol).final
        wanted = math.cos(angle), math.sin(angle)
        np.testing.assert_allclose(final["A"], wanted, rtol=0, atol=1e4 * tol + 1e-8)


@pytest.mark.parametrize("compiled", MACHINES)
@pytest.mark.parametrize(
    ("at", "width", "end"), [(5.0, 0.1, 20.0), (5.0, 0.01, 10.0), (3.3, 1e-3, 100.0), (77.0, 0.1, 100.0)]
)
def test_a_push_finds_a_pendulum_at_rest(at, width, end, compiled):
    def f(t, y):
        return [y[1], -math.sin(y[0]) + math.exp(-(((t - at) / width) ** 2))]

    pushed = integrate(f, [0.0, 0.0], (at - 10 * width, at + 10 * width), width / 5)
    angle, _ = integrate(f, pushed, (at + 10 * width, end), 1.0)
    pendulum = lw.lagrangian(
        "x", "x'**2/2 + cos(x)", forces={"x": "exp(-((t - a)/w)**2)"}, parameters={"a": at, "w": width}
    )
    for tol in (1e-4, 1e-10):
        assert abs(pendulum.simulate(end, tol=tol, compiled=compiled).final.q[0] - angle) < tol + 1e-9


@pytest.mark.parametrize("tol", TOLERANCES)
@pytest.mark.parametrize(("width", "energy"), [(0.1, 0.9), (0.01, 0.99), (1e-3, 0.5), (0.01, 1.01)])
def test_a_bead_passes_a_hill_exactly_if_its_energy_suffices(width, energy, tol):
    bead = lw.lagrangian(
        "x", "x'**2/2 - exp(-(x/w)**2)", parameters={"w": width, "E": energy}, start={"x": -3, "x'": "sqrt(2*E)"}
    )
    motion = bead.simulate(6, tol=tol)
    assert (motion.final.q[0] > 0) == (energy > 1)
    np.testing.assert_allclose(
        motion.final.u[0], math.copysign(math.sqrt(2 * energy), energy - 1), rtol=10 * tol + 1e-12
    )


def test_a_driver_with_a_sudden_move_is_followed():
    # the angle is prescribed, and its sudden move hides in the constraint, not in a force
    text = """
    PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}
    Motions: {OA.angle: "0.5*tanh((t - 4)/0.01)"}
    ProblemData: {tend: 10, positions: {OA: [-0.5]}}
    """
    motion = lw.loads(text).simulate()
    t = np.linspace(3.9, 4.1, 400)
    angle = 0.5 * np.tanh((t - 4) / 0.01)
    np.testing.assert_allclose(motion.at(t)["A"], np.column_stack([np.cos(angle), np.sin(angle)]), atol=1e-8)


def test_a_smaller_tolerance_is_never_worse_on_a_steep_law():
    x, _ = belt(1e-3)
    errors = [abs(lw.loads(BELT).simulate(tol=tol).final["A"][0] - x) for tol in (1e-3, 1e-5, 1e-7, 1e-9)]
    assert all(later < max(sooner, 1e-8) for sooner, later in pairwise(errors))


@pytest.mark.parametrize("compiled", MACHINES)
def test_the_support_of_a_driven_crank_feels_steep_friction_at_all_times(compiled):
    # the motion is prescribed, so that only the forces of supports and drivers know of the friction
    text = """
    PhysicalParams: {f: 3, s: 0.01}
    PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 2]}}}
    Motions: {OA.angle: 4*t}
    AppliedForces: {Forces: {A: [-f*tanh(A.vx/s)]}}
    """
    motion = lw.loads(textwrap.dedent(text)).simulate(2, tol=1e-10, compiled=compiled)
    t = np.linspace(0, 2, 2001)
    # m a = R + F of the middle of the rod
    vx, ax = -4 * np.sin(4 * t), -0.5 * 16 * np.cos(4 * t)
    assert np.abs(motion.reaction("OA", "O", t=t)[:, 0] - (2 * ax + 3 * np.tanh(vx / 0.01))).max() < 1e-5
    assert motion.audit().ok
