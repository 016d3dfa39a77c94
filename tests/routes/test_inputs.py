"""Inputs: numbers that are held until something changes them, in laws, machines, results and linear models."""

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError, LinkworkError
from linkwork.native import Request, Status, make_machine, make_posed
from linkwork.results import About, Store, Trajectory
from linkwork.results.files import write_results

GRAVITY = {2: (0, -9.81), 3: (0, 0, -9.81)}
CLOSE = 1e-10


def arm(**changes):
    """A double pendulum with a motor at its foot and a fan at its end."""
    return lw.Mechanism(
        **{
            "parameters": {"l": 1, "c": "1/10", "now": "1/2"},
            "fixed": {"O": ()},
            "rigids": [lw.Rigid.rod("OA", "l", 2), lw.Rigid.rod("AB", "l", 1)],
            "gravity": GRAVITY[2],
            "inputs": {"tau": "now", "wind": 0},
            "variables": {"load": "tau*OA.omega"},
            "torques": [lw.Torque(part="OA", value="3*tau - c*OA.omega")],
            "forces": [lw.Force(point="B", components=("wind*(1 + B.y)", "tau*B.vx"))],
            "start": lw.InitialValues(positions={"A": ("4/5", "-3/5"), "B": ("4/5", "-8/5")}),
            **changes,
        }
    )


def top(**changes):
    """A body in space on a ball, pushed at its tip."""
    body = lw.Rigid(
        name="OABC", points=tuple("OABC"), geometry=[(), (1,), (0, 1), (0, 0, 1)], centroid=(0, 0, "1/2"), mass=2,
        inertia=("1/5", "1/4", "1/10"),
    )  # fmt: skip
    return lw.Mechanism(
        **{
            "dimension": 3, "fixed": {"O": ()}, "rigids": [body], "gravity": GRAVITY[3],
            "inputs": {"push": 1}, "forces": [lw.Force(point="C", components=("push", 0, "push*C.vx"))],
            "start": lw.InitialValues(positions={"A": (1, 0, 0), "B": (0, "4/5", "3/5"), "C": (0, "-3/5", "4/5")}),
            **changes,
        }
    )  # fmt: skip


def machines(model):
    """All that run a model: compiled and interpreted, in points and in absolute coordinates."""
    q, absolute = model.start.q, model.formulated("absolute").absolute
    for compiled in (True, False):
        yield make_machine(model.system, q, compiled=compiled)
        yield make_posed(absolute, q, compiled=compiled)


def run(machine, steps=10**6):
    """The chunks until the end, or of so many steps."""
    chunks, status = [], Status.MORE
    while status is Status.MORE and sum(len(c.t) for c in chunks) < steps:
        status, chunk = machine.advance(10.0, steps)
        chunks.append(chunk)
    assert status in (Status.MORE, Status.FINISHED)
    return chunks


# -- a held value is a number -----------------------------------------------------------------------------------------


def test_an_input_acts_as_a_number_in_its_place():
    held = lw.Model(arm()).simulate(2, tol=1e-12)
    for name in ("points", "absolute"):
        plain = arm(inputs={}, parameters={"l": 1, "c": "1/10", "tau": "1/2", "wind": 0})
        number = lw.Model(plain).formulated(name).simulate(2, tol=1e-12)
        np.testing.assert_allclose(held.final["B"], number.final["B"], atol=CLOSE)
        assert abs(held.final["load"] - number.final["load"]) < CLOSE
        assert abs(held.work["torque OA"][-1] - number.work["torque OA"][-1]) < 1e-8


def test_an_input_follows_the_parameters_it_is_given_by():
    model = lw.Model(arm())
    changed, anew = model.with_parameters(now=2), lw.Model(arm(inputs={"tau": 2, "wind": 0}))
    np.testing.assert_allclose(changed.simulate(1).final["B"], anew.simulate(1).final["B"], atol=CLOSE)


def test_a_motion_with_inputs_passes_its_audit_in_every_machine():
    for mechanism in (arm(), top()):
        for name in ("points", "absolute"):
            model = lw.Model(mechanism).formulated(name)
            for compiled in (True, False):
                motion = model.simulate(1, compiled=compiled)
                assert motion.audit().ok
                assert set(motion[next(iter(mechanism.inputs))]) == {motion.system.frozen[-len(mechanism.inputs)]}


# -- a change between steps -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make, changes", [(arm, {"tau": -2.0, "wind": 1.5}), (top, {"push": -3.0})])
def test_a_changed_input_is_a_new_start_with_the_new_value(make, changes):
    model = lw.Model(make())
    request = Request(t_end=0.5, tol=1e-11, order=16)
    ends = []
    for machine in machines(model):
        assert machine.begin(request, 0.0, model.start.q, model.start.u) is Status.FINISHED
        run(machine, 2)
        t, (q, u, _, _) = machine.t, (x.copy() for x in machine.end)
        machine.set_inputs(changes)
        run(machine)
        ends.append(machine.end[0].copy())
        # the same from where it was, with the new values behind the coordinates
        assert machine.begin(request, t, model.system.with_inputs(q, changes), u) is Status.FINISHED
        run(machine)
        np.testing.assert_allclose(machine.end[0], ends[-1], atol=CLOSE)
        # and by a model that has these values from the beginning
        other = lw.Model(make(inputs={name: changes.get(name, 0) for name in make().inputs}))
        fresh = make_machine(other.system, q)
        fresh.begin(request, t, q[: other.system.n], u)
        run(fresh)
        np.testing.assert_allclose(fresh.end[0], ends[-1], atol=CLOSE)


def test_a_motion_knows_the_inputs_of_each_of_its_steps():
    model = lw.Model(arm())
    whole = model.simulate(2)
    for machine in machines(model):
        store = Store()
        machine.begin(Request(t_end=2.0, tol=1e-10, order=20), 0.0, model.start.q, model.start.u)
        first = run(machine, 5)
        between = machine.t
        machine.set_inputs({"tau": 4.0})
        for chunk in (*first, *run(machine)):
            store.append(chunk)
        q, u, a, lam = (x.copy() for x in machine.end)
        final = lw.results.Snapshot(model.system, np.asarray(machine.t), (q, u, a, lam))
        motion = Trajectory(model.system, store, final, whole.stats, "", about=About(mechanism=model.mechanism))
        np.testing.assert_array_equal(motion["tau"], np.where(motion.t < between, 0.5, 4.0))
        np.testing.assert_allclose(motion["load"], motion["tau"] * motion["OA.omega"])
        # what the torque does is what the description says it does
        power = (3 * motion["tau"] - motion["OA.omega"] / 10) * motion["OA.omega"]
        np.testing.assert_allclose(motion.power["torque OA"], power, atol=1e-9)
        assert motion.audit().ok


def test_values_asked_for_in_vain_are_named():
    model = lw.Model(arm())
    machine = make_machine(model.system, model.start.q)
    machine.begin(Request(t_end=2.0, tol=1e-10, order=20), 0.0, model.start.q, model.start.u)
    with pytest.raises(LinkworkError, match=r"no input named 'tua'\. Did you mean 'tau'"):
        machine.set_inputs({"tua": 1.0})
    with pytest.raises(LinkworkError, match="not a finite number"):
        machine.set_inputs({"tau": np.nan})


def test_a_velocity_may_follow_an_input_and_jumps_with_it():
    model = lw.Model(arm(motions=[lw.Driver(target="OA.omega", law="tau")], torques=[]))
    for machine in machines(model):
        machine.begin(Request(t_end=1.0, tol=1e-10, order=20), 0.0, model.start.q, model.start.u)
        run(machine, 3)
        machine.set_inputs({"tau": 2.5})
        run(machine)
        i = model.system.chart.angles["OA"]
        assert abs(machine.end[1][i] - 2.5) < 1e-12


def test_results_of_every_kind_can_be_had_with_inputs(tmp_path):
    events = [lw.Event(name="low", when="B.y + 7/5"), lw.Event(name="end", when="t - 3/2 + 0*tau", stop=True)]
    for mechanism in (arm(events=events, states=[lw.State(name="X", rate="tau - X")]), top()):
        model = lw.Model(mechanism)
        motion, first = model.simulate(2), next(iter(mechanism.inputs))
        assert motion.velocity(first)[0] == 0 and len(motion.at([0.1, 0.2])[first]) == 2
        assert pickle.loads(pickle.dumps(motion)).final[first] == motion.final[first]
        assert motion.audit(deep=True).ok
        motion.show(tmp_path / "a.html", browser=False)
        write_results(motion, tmp_path / "a.csv")
        assert first in (tmp_path / "a.csv").read_text().splitlines()[0]
        with np.load(write_results(motion, tmp_path / "a.npz")) as kept:
            assert kept["q"].shape[1] == len(kept["coordinates"]) and kept["w"].shape[1] == len(mechanism.inputs)
        for at in (motion.final, 0.5, "equilibrium"):
            model.linearize(at, inputs=[first])


def test_a_singular_start_is_left_with_inputs_held():
    # two equal cranks in line: the rods do not say whether they part
    def model(torque, **inputs):
        rods = [lw.Rigid.rod(name, 1, 1) for name in ("OA", "AB")]
        points = {"A": (1, 0), "B": (0, 0)}
        return lw.Model(
            lw.Mechanism(
                fixed={"O": ()}, rigids=rods, torques=[lw.Torque(part="OA", value=torque)], inputs=inputs,
                collinears=[lw.Collinear(name="OAB")], start=lw.InitialValues(positions=points),
            )
        )  # fmt: skip

    one, other = model("2 - OA.omega").simulate(1), model("two - OA.omega", two=2).simulate(1)
    np.testing.assert_allclose(one.final["B"], other.final["B"], atol=CLOSE)


# -- linear models, equations, words ----------------------------------------------------------------------------------


def test_a_linear_model_takes_inputs_as_it_takes_parameters():
    numbers = {"l": 1, "c": "1/10", "tau": "1/2", "wind": 0}
    held, plain = lw.Model(arm()), lw.Model(arm(inputs={}, parameters=numbers))
    wishes = {"inputs": ["wind", "tau"], "outputs": ["load", "B.x", "tau*A.x"]}
    one, other = held.linearize(**wishes), plain.linearize(**wishes)
    assert one.inputs == ("wind", "tau")
    for name in "ABCD":
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12)
    assert np.any(one.B) and np.any(one.D)


def test_printed_equations_name_inputs():
    text = lw.Model(arm()).equations().text()
    assert "tau*" in text and "tau = 0.5" in text


def test_inputs_are_read_from_files():
    text = "PhysicalParams: {a: 2}\nInputs: {tau: 3*a}\nPartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]]}}, "
    text += "Particles: {A: 2}}\nAppliedForces: {Torques: {OA: tau*OA.omega}}\n"
    mechanism = lw.spec.parse_mechanism(text)
    assert mechanism.compute(mechanism.inputs["tau"]) == 6


JUMPS = "places cannot follow when it jumps"
MISTAKES = {
    "no place follows": ({"motions": [lw.Driver(target="OA.angle", law="tau")]}, JUMPS),
    "no relation follows": (
        {"relations": [lw.Relation(name="r", formula="A.x - tau")]},
        JUMPS,
    ),
    "a name once": ({"variables": {"tau": "1"}, "torques": []}, "there is already a variable of this name"),
    "a name for one thing": ({"inputs": {"tau": 1, "wind": 1, "OA": 2}}, "input 'OA': there is already a part of this"),
    "a number": ({"inputs": {"tau": "A.x", "wind": 0}}, "input 'tau': value: unknown name 'A.x'"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_mistakes_with_inputs_are_explained(what):
    changes, message = MISTAKES[what]
    with pytest.raises(InputError, match=message):
        arm(**changes)
