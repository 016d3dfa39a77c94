"""Laws of reactions and accelerations on random chains of rods: methods, machines, formulations and the audit agree."""

from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw


def chain(seed):
    """Rods hung one on the other, with friction in all pins by the forces they carry and an inertial damper."""
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 4))
    names = "OABC"[: count + 1]
    rods = [lw.Rigid.rod(names[i : i + 2], *random.uniform(0.5, 1.5, 2)) for i in range(count)]
    place, start = np.zeros(2), {}
    for rod, name in zip(rods, names[1:], strict=True):
        turn = random.uniform(0, 2 * np.pi)
        place = place + float(rod.geometry[1][0].value) * np.array([np.cos(turn), np.sin(turn)])
        start[name] = tuple(place)
    torques = [lw.Torque(part=rods[0].name, value=f"-mu*{rods[0].name}.O.force*tanh({rods[0].name}.omega)")]
    for one, two in pairwise(rods):
        pin, slip = one.name[1], f"({two.name}.omega - {one.name}.omega)"
        torques.append(lw.Torque(part=two.name, other=one.name, value=f"-mu*{two.name}.{pin}.force*tanh{slip}"))
    last = names[-1]
    return lw.Model(
        lw.Mechanism(
            parameters={"mu": 0.05, "c": 0.2},
            fixed={"O": (0, 0)},
            rigids=rods,
            gravity=(0, -9.81),
            torques=torques,
            forces=[lw.Force(point=last, components=(f"-c*{last}.ax", f"-c*{last}.vy'"))],
            start=lw.InitialValues(positions=start),
        )
    )


@pytest.mark.parametrize("seed", range(3))
def test_methods_and_machines_agree_and_the_audit_passes(seed):
    model = chain(seed)
    motion = model.simulate(0.6, tol=1e-11)
    audit = motion.audit()
    assert audit.ok, audit.text()
    assert not motion.doubts
    assert motion.energy.drift < 1e-9
    early = model.simulate(0.1, tol=1e-11, compiled=False)
    assert early.final["A"] == pytest.approx(motion.at(0.1)["A"], abs=1e-9)
    other = model.simulate(0.6, tol=1e-11, method="rk8")
    assert other.final.q == pytest.approx(motion.final.q, abs=1e-7)
    assert other.audit().ok


@pytest.mark.parametrize("formulation", ["points", "absolute"])
@pytest.mark.filterwarnings("ignore::linkwork.AccuracyWarning")
def test_places_and_values_of_implicit_steps_are_of_order_2(formulation):
    model = chain(1)
    exact = model.simulate(0.3, tol=1e-12).final
    names, off = [*model.mechanism.algebra][:4], []
    for steps in (120, 240, 480):
        final = model.formulated(formulation).simulate(0.3, method="hht", step=0.3 / steps, tol=1e-11).final
        wrong = [np.max(np.abs(final["B"] - exact["B"])), max(abs(float(final[x] - exact[x])) for x in names)]
        off.append(wrong)
    slopes = np.log2(np.array(off)[:-1] / np.array(off)[1:])
    assert slopes == pytest.approx(np.full((2, 2), 2.0), abs=0.15)


@pytest.mark.parametrize("formulation", ["points", "absolute"])
@pytest.mark.filterwarnings("ignore::linkwork.AccuracyWarning")
def test_places_and_values_of_radau_steps_are_of_order_5(formulation):
    model = chain(1).formulated(formulation)
    exact = model.simulate(0.3, tol=1e-14).final
    names, off = [*model.mechanism.algebra][:4], []
    for steps in (16, 32):
        final = model.simulate(0.3, method="radau", order=5, step=0.3 / steps, tol=1e-12).final
        wrong = [np.max(np.abs(final["B"] - exact["B"])), max(abs(float(final[x] - exact[x])) for x in names)]
        off.append(wrong)
    assert np.log2(np.array(off[0]) / np.array(off[1])) == pytest.approx(np.full(2, 5.0), abs=0.15)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
def test_radau_agrees_with_series_in_all_values_and_the_audit_passes(seed, formulation):
    model = chain(seed).formulated(formulation)
    exact, motion = model.simulate(0.6, tol=1e-12).final, model.simulate(0.6, method="radau", tol=1e-10)
    assert motion.final["B"] == pytest.approx(exact["B"], abs=1e-9)
    for name in model.mechanism.algebra:
        assert float(motion.final[name]) == pytest.approx(float(exact[name]), abs=1e-7)
    assert motion.audit().ok, motion.audit().text()


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
@pytest.mark.parametrize("method", ["hht", "radau"])
def test_implicit_steps_are_those_of_the_reference_and_the_audit_passes(formulation, method):
    model = chain(1).formulated(formulation)
    one, two = (model.simulate(0.2, method=method, tol=1e-5, compiled=compiled) for compiled in (True, False))
    exact = model.simulate(0.2, tol=1e-11).final
    error = np.max(np.abs(two.final["B"] - exact["B"]))
    assert one.final["B"] == pytest.approx(two.final["B"], abs=0.3 * error + 1e-9)
    assert one.audit().ok and two.audit().ok


def skidding(width):
    """A block pushed at an angle on a rough floor: the steeper the law of friction, the stiffer."""
    return lw.Model(
        lw.Mechanism(
            parameters={"mu": 0.3, "v0": width},
            particles=[lw.Particle(point="A", mass=2)],
            gravity=(0, -9.81),
            relations=[lw.Relation(name="floor", formula="A.y")],
            forces=[lw.Force(point="A", components=("4*sin(3*t) - mu*floor.force*tanh(A.vx/v0)", "-2*cos(3*t)"))],
            start=lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (0.5, 0)}),
        )
    )


def test_stiff_friction_by_a_force_is_stepped_over_and_auto_finds_it():
    model = skidding(1e-5)
    exact, implicit = model.simulate(3, method="taylor", tol=1e-10), model.simulate(3, method="hht", tol=1e-5)
    assert implicit.final["A.x"] == pytest.approx(exact.final["A.x"], abs=1e-4)
    assert implicit.stats.steps < exact.stats.steps / 10
    assert implicit["floor.force"] == pytest.approx(2 * 9.81 + 2 * np.cos(3 * implicit.t), abs=1e-9)
    assert "hht" in str(model.simulate(3, tol=1e-5).method)
    auto = model.simulate(3, tol=1e-9)
    assert "radau" in str(auto.method) and auto.stats.steps < exact.stats.steps / 100
    assert auto.final["A.x"] == pytest.approx(exact.final["A.x"], abs=1e-8)


@pytest.mark.parametrize("method", ["hht", "radau"])
def test_a_loop_that_jams_is_refused_by_implicit_steps(method):
    model = lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=2)],
            forces=[lw.Force(point="A", components=("1 + (1 + t)*A.ax", 0))],
            start=lw.InitialValues(positions={"A": (0, 0)}),
        )
    )
    with pytest.raises(lw.SolveError, match=r"stopped at t = (0\.99|1:).*A\.ax") as told:
        model.simulate(2, method=method, tol=1e-5)
    # (1 - t) a = 1
    assert told.value.motion.final["A.vx"] == pytest.approx(-np.log(1 - told.value.motion.t[-1]), rel=1e-2)


@pytest.mark.parametrize("seed", range(2))
def test_backward_differences_agree_and_the_audit_passes(seed):
    pytest.importorskip("sksundae")
    model = chain(seed)
    exact, motion = model.simulate(0.4, tol=1e-11).final, model.simulate(0.4, tol=1e-8, method="ida")
    assert motion.final["B"] == pytest.approx(exact["B"], abs=1e-6)
    for name in model.mechanism.algebra:
        assert float(motion.final[name]) == pytest.approx(float(exact[name]), abs=1e-3)
    assert motion.audit().ok, motion.audit().text()


def test_values_at_the_steps_of_backward_differences_are_those_of_the_motion():
    pytest.importorskip("sksundae")
    model = lw.Model(
        lw.Mechanism(
            parameters={"mu": 0.3, "v0": 0.1},
            particles=[lw.Particle(point="A", mass=2)],
            gravity=(0, -9.81),
            relations=[lw.Relation(name="floor", formula="A.y")],
            variables={"v": lw.Implicit(formula="v + v**3 - A.vx", guess=0.4), "F": "4*sin(3*t) - 0.2*A.ax - 0.3*v"},
            forces=[lw.Force(point="A", components=("F - mu*floor.force*tanh(A.vx/v0)", 0))],
            start=lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (0.5, 0)}),
        )
    )
    motion = model.simulate(2, method="ida", tol=1e-8)
    assert motion["A.ax"] == pytest.approx(motion.a[:, 0], abs=1e-12)
    v = motion["v"]
    assert v + v**3 == pytest.approx(motion["A.vx"], abs=1e-10)
    assert motion.audit().ok, motion.audit().text()


def test_slopes_of_values_are_the_differences_of_what_vanishes():
    """All entries of the Jacobian of backward differences that belong to values, by differences of residuals."""
    pytest.importorskip("sksundae")
    from linkwork.native import Request, make_machine
    from linkwork.native.ida import IdaMachine

    model = chain(1)
    machine = IdaMachine(make_machine(model.system, model.start.q, compiled=True))
    machine.begin(Request(t_end=1.0, tol=1e-6, order=5, method="ida"), 0.0, model.start.q, model.start.u)
    machine._start()
    n, size, cj = model.system.n, int(machine.parts[-1]), 7.0
    y, yp, J = np.zeros(size), np.zeros(size), np.zeros((size, size))
    q, u, a, lam = machine._state
    y[: 2 * n], yp[:n], yp[n : 2 * n] = np.concatenate([q[:n], u[:n]]), u[:n], a[:n]
    y[2 * n : machine.parts[3]], y[machine.parts[4] :] = lam, q[n + machine.values.behind]
    machine._jacobian(0.0, y, yp, None, cj, J)

    def residual(change):
        found = np.zeros(size)
        machine._residual(0.0, y + change, yp + cj * change, found)
        return found

    random, behind = np.random.default_rng(0), machine.parts[4]
    for _ in range(4):
        x = random.normal(size=size)
        x[machine.parts[3] : behind] = 0.0  # places close by a matrix that is kept
        along = (residual(1e-6 * x) - residual(-1e-6 * x)) / 2e-6
        assert (J @ x)[n:] == pytest.approx(along[n:], abs=1e-6 * np.max(np.abs(along)))


ACCELEROMETER = """
PhysicalParams: {g: 9.81, tau: 0.05}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 2, 0.2]}, AB: {Geom: [[0.7]], Dyna: [[0.35], 1, 0.05]}}
States: {X: {rate: (B.ay - X)/tau}}
AppliedForces:
  Gravity: [0, -g]
  Torques: {OA: -0.1*X}
ProblemData: {tend: 1, positions: {A: [0.8, 0.6], B: [1.4, 0.3]}}
"""


@pytest.mark.parametrize(
    ("method", "tol"), [("ida", 1e-6), ("ida", 1e-8), ("ida", 1e-10), ("radau", 1e-9), ("radau", 1e-11)]
)
def test_a_state_follows_the_acceleration_it_reads_inside_steps(method, tol):
    if method == "ida":
        pytest.importorskip("sksundae")
    model = lw.loads(ACCELEROMETER)
    motion = model.simulate(method=method, tol=tol)
    assert motion.audit().ok, motion.audit()
    exact, times = model.simulate(method="taylor", tol=1e-13), np.linspace(0, 1, 777)
    one, two = motion.at(times), exact.at(times)
    # what is read lags behind by tau: its error is that of a speed over tau
    assert np.max(np.abs(one["X"] - two["X"])) < 5e3 * tol
    # a rate of speeds that are off by so much in steps of a thousandth
    assert np.max(np.abs(one["B.ay"] - two["B.ay"])) < 1e5 * tol
