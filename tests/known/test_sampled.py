"""Sampled controllers against the formulas of discrete control."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy import signal

import linkwork as lw
from linkwork.errors import InputError, SolveError

EXACT = 1e-12


def slider(*controllers, start=(1.0, 0.0), force="F", **more):
    """A mass on a line, pushed by a held force: a double integrator."""
    return lw.Model(
        lw.Mechanism(
            **{
                "particles": [lw.Particle(point="A", mass=2)],
                "forces": [lw.Force(point="A", components=(force, 0))],
                "controllers": controllers,
                "start": lw.InitialValues(
                    positions={"A": (start[0], 0)}, velocities={"A": (start[1], 0)}
                ),
                **more,
            }
        )
    )  # fmt: skip


def sampled(law, **more):
    return lw.Sampled("ctl", **{"period": "1/10", "reads": ["A.x", "A.vx"], "sets": ["F"], "call": law, **more})


def walk(law, steps, h=0.1, start=(1.0, 0.0), delay=0.0, m=2.0):
    """The exact motion under a force that is held, step by step, set a delay (in periods) late."""
    (x, v), pending, force = start, [], 0.0
    for k in range(steps):
        pending.append((k + delay, law(k * h, x, v)))
        whole = [f for when, f in pending if when <= k + 1e-12]
        force = whole[-1] if whole else force
        later = [(when, f) for when, f in pending if k + 1e-12 < when < k + 1 - 1e-12]
        places = [k, *(when for when, _ in later), k + 1]
        for (one, two), f in zip(pairwise(places), [force, *(f for _, f in later)], strict=True):
            d = (two - one) * h
            x, v, force = x + v * d + f / m * d * d / 2, v + f / m * d, f
    return x, v


def close(motion, x, v, within=EXACT):
    assert abs(motion.final["A.x"] - x) < within and abs(motion.final["A.vx"] - v) < within


# -- closed forms -----------------------------------------------------------------------------------------------------


def feedback(t, x, v):
    return -3 * x - 4 * v + math.sin(3 * t)


@pytest.mark.parametrize("how", [{}, {"method": "rk8", "tol": 1e-13}, {"compiled": False}, {"step": 0.03}])
def test_a_held_force_moves_a_double_integrator_by_its_discrete_formulas(how):
    motion = slider(sampled(feedback)).simulate(5, **how)
    close(motion, *walk(feedback, 50))
    assert motion.final["ctl_count"] == 50 and motion.audit().ok


@pytest.mark.parametrize("delay", [0, 0.25, 0.5, 1, 1.75, 2, 3])
def test_what_is_set_late_is_set_as_late_as_is_said(delay):
    close(slider(sampled(feedback, delay=delay)).simulate(3), *walk(feedback, 30, delay=delay))


def test_deadbeat_control_is_at_rest_after_two_periods():
    # m x'' = F held over T: F = -m (x/T² + 3/2 v/T) brings any start to rest in two periods
    controller = lw.Sampled("dead", period="T", reads={"x": "A.x"}, outputs={"F": "-2*(x/T**2 + 3/2*A.vx/T)"})
    model = slider(controller, start=(1.0, -2.0), parameters={"T": 0.3})
    close(model.simulate(0.6), 0, 0)
    close(model.simulate(3), 0, 0)
    close(model.with_parameters(T=0.7).simulate(1.4), 0, 0)


def test_the_instants_are_products_and_offsets_shift_them():
    seen = []
    model = slider(sampled(lambda t, x: seen.append((t, x)) or 0, offset=0.05, reads=["t"]))
    motion = model.simulate(100)
    assert [t for t, _ in seen] == [x for _, x in seen] == [0.05 + k * 0.1 for k in range(1000)]
    assert set(seen[:999]) <= {(t, t) for t in motion.t}


def test_a_start_later_than_the_offset_makes_up_for_nothing():
    seen = []
    model = slider(lw.Sampled("see", period=0.5, reads=[], sets=["F"], call=lambda t: seen.append(t) or 0))
    model.simulate(3, start={"t": 1.2})
    assert seen == [1.5, 2.0, 2.5]


def test_quantisers_round_what_is_read_and_what_is_set():
    got = []

    def law(t, x):
        got.append(x)
        return -3.123 * x

    motion = slider(sampled(law, reads={"y": "A.x"}, quantum={"y": 0.0137, "F": 0.5})).simulate(1)
    x, v = 1.0, 0.0
    for seen in got:
        y = 0.0137 * math.floor(x / 0.0137 + 0.5)
        assert seen == y
        f = 0.5 * math.floor(-3.123 * y / 0.5 + 0.5)
        x, v = x + v * 0.1 + f / 4 * 0.01, v + f / 2 * 0.1
    close(motion, x, v)
    np.testing.assert_allclose(np.mod(motion["F"] + 1e-12, 0.5), 0, atol=1e-11)


def test_a_sampled_pid_agrees_with_the_discrete_system_of_scipy():
    # x'' = F/2 - 3 x' - 5 x; F = P e + I T Σe + D (e - e before)/T, e = 1 - x, in closed loop as one discrete system
    T, P, I, D = 0.05, 20.0, 15.0, 2.0
    text = f"""
PhysicalParams: {{T: {T}, P: {P}, I: {I}, D: {D}}}
Inputs: {{before: 1}}
PartData: {{Particles: {{A: 2}}}}
AppliedForces: {{Forces: {{A: [F - 6*A.vx - 10*A.x]}}}}
Controllers:
  pid:
    kind: sampled
    period: T
    reads: {{e: 1 - A.x}}
    memory: {{sum: sum + T*e, before: e}}
    outputs: {{F: P*e + I*(sum + T*e) + D*(e - before)/T}}
ProblemData: {{positions: {{A: [0, 0]}}}}
"""
    motion = lw.loads(text).simulate(4)
    A, B, _, _, _ = signal.cont2discrete(
        (np.array([[0, 1], [-5, -3]]), np.array([[0], [0.5]]), np.eye(2), np.zeros((2, 1))), T
    )
    x, total, before = np.zeros(2), 0.0, 1.0
    for _ in range(80):
        e = 1 - x[0]
        total += T * e
        x = A @ x + B[:, 0] * (P * e + I * total + D * (e - before) / T)
        before = e
    close(motion, *x, within=1e-10)
    assert motion.audit(deep=True).ok


def test_two_controllers_at_one_instant_read_what_was_before():
    one = lw.Sampled("one", period=0.1, reads=["A.x"], sets=["a"], call=lambda t, x: x)
    two = lw.Sampled("two", period=0.3, reads=["a"], sets=["b"], call=lambda t, a: a)
    motion = slider(one, two, force="-a - b").simulate(1)
    # at 0.3 the second reads what the first set at 0.2
    assert motion.at(0.35)["b"] == motion.at(0.25)["a"] == motion.at(0.2)["A.x"]


def test_accelerations_and_multipliers_can_be_measured():
    model = lw.Model(
        lw.Mechanism(
            fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 1)], gravity=(0, -10),
            controllers=[lw.Sampled("imu", period=0.1, reads={"a": "Ay''"}, memory={}, sets=["tau"],
                                    call=lambda t, a: 0.0)],
            torques=[lw.Torque(part="OA", value="tau")], start=lw.InitialValues(positions={"A": (1, 0)}),
        )
    )  # fmt: skip
    motion = model.simulate(1)
    for t in (0.1, 0.4, 0.9):
        assert abs(motion.at(t)["a"] - motion.at(t - 1e-9).acceleration("A")[1]) < 1e-6
    assert abs(motion.at(0)["a"] + 15) < 1e-9


# -- states, steps, files ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("t", [0.7, 0.705, 0.7123, 0.71])
def test_the_state_of_a_motion_has_all_that_its_controllers_remember(t):
    model = lw.load("examples/sampled-servo.yaml")
    whole = model.simulate(1.5)
    for state in (model.simulate(t).final, whole.at(t), pickle.loads(pickle.dumps(whole.at(t)))):
        again = model.simulate(1.5, start=state)
        assert again.final["servo_count"] == whole.final["servo_count"]
        assert abs(again.final["OA.angle"] - whole.final["OA.angle"]) < 1e-10
    stepper = model.stepper(start=whole.at(t))
    while stepper.t < 1.5 - 1e-9:
        stepper.step(min(0.0333, 1.5 - stepper.t))
    assert abs(stepper["OA.angle"] - whole.final["OA.angle"]) < 1e-10


def test_machines_methods_and_formalisms_agree_on_a_servo():
    model = lw.load("examples/sampled-servo.yaml")
    angle = model.simulate(1).final["OA.angle"]
    for other in (
        model.simulate(1, compiled=False), model.simulate(1, method="rk8"), model.formulated("absolute").simulate(1),
        model.simulate(1, every=0.1),
    ):  # fmt: skip
        assert abs(other.final["OA.angle"] - angle) < 1e-9
    close(slider(sampled(feedback)).simulate(2, method="hht", tol=1e-9), *walk(feedback, 20), within=1e-5)


def test_a_run_is_reproduced_to_the_last_bit_and_an_object_begins_anew():
    class Integral:
        def reset(self):
            self.sum = 0.0

        def __call__(self, t, x, v):
            self.sum += x
            return -3 * x - 4 * v - 0.1 * self.sum

    model = slider(sampled(Integral()))
    one, two = model.simulate(3), model.simulate(3)
    np.testing.assert_array_equal(one.q, two.q)
    assert one.audit(deep=True).ok


def test_events_are_noticed_where_an_output_jumps_and_act():
    high = lw.Event(name="strong", when="F - 1", direction="rising", then={"hits": "hits + 1"})
    model = slider(sampled(lambda t, x, v: 2.0 if 0.45 < t < 0.75 else 0.0), events=[high], inputs={"hits": 0})
    motion = model.simulate(2)
    assert [(e.name, round(e.t, 9)) for e in motion.events] == [("strong", 0.5)] and motion.final["hits"] == 1
    plain = lw.Event(name="strong", when="F - 1")
    told = slider(sampled(lambda t, x, v: 2.0 if 0.45 < t < 0.75 else 0.0), events=[plain]).simulate(2).events
    assert [(e.name, round(e.t, 9)) for e in told] == [("strong", 0.5), ("strong", 0.8)]


def test_a_controller_pushes_against_a_stop_and_lets_go():
    wall = lw.Stop(name="wall", gap="1 - A.x")
    push = sampled(lambda t, x, v: 4.0 if t < 1.95 else -4.0)
    motion = slider(push, stops=[wall], start=(0.0, 0.0)).simulate(3)
    assert abs(motion.at(1.5)["A.x"] - 1) < EXACT
    assert abs(motion.final["A.x"] - 0) < 1e-10  # one second with -2 m/s² from the wall
    assert any(event.name == "wall: off" and abs(event.t - 2) < 1e-9 for event in motion.events)


# -- what goes wrong --------------------------------------------------------------------------------------------------


def failing(t, x, v):
    raise RuntimeError("no more ideas")


WRONG = {
    "raises": (failing, r"controller 'ctl' failed at t = 0\.5: RuntimeError: no more ideas"),
    "not a number": (lambda t, x, v: math.nan, r"controller 'ctl' gives nan for F at t = 0\.5"),
    "infinite": (lambda t, x, v: math.inf, r"gives inf for F"),
    "a text": (lambda t, x, v: "full speed", r"gives 'full speed' for F at t = 0\.5"),
    "nothing": (lambda t, x, v: None, r"gives None for F at t = 0\.5"),
    "too much": (lambda t, x, v: [1, 2], r"gives \[1, 2\] at t = 0\.5\. Let it return 1 number \(F\)"),
    "another name": (lambda t, x, v: {"G": 1}, r"gives {'G': 1} at t = 0\.5"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_controller_that_fails_is_named_with_the_time_and_the_motion_is_kept(what):
    call, message = WRONG[what]
    model = slider(sampled(lambda t, x, v: feedback(t, x, v) if t < 0.45 else call(t, x, v)))
    with pytest.raises(SolveError, match=message) as caught:
        model.simulate(2)
    motion = caught.value.motion
    assert motion.final.t == 0.5 and motion.stats.end == "stopped" and "stopped at t = 0.5" in motion.outcome
    close(motion, *walk(feedback, 5))
    assert motion.audit().ok


@pytest.mark.parametrize("what", WRONG)
def test_a_controller_that_fails_at_once_ends_at_the_start(what):
    with pytest.raises(SolveError, match="controller 'ctl'") as caught:
        slider(sampled(WRONG[what][0])).simulate(2)
    assert caught.value.motion.final.t == 0 and len(caught.value.motion.t) == 1


def test_a_formula_without_a_value_is_told_in_the_same_way():
    controller = lw.Sampled("root", period=0.1, outputs={"F": "-1/(A.x - 1) + 1/(1 - A.x)"})
    with pytest.raises(SolveError, match=r"controller 'root' gives .*(inf|nan) for F at t = 0"):
        slider(controller).simulate(1)


BAD = {
    "no period": ({"period": 0}, "the period is 0"),
    "both": ({"outputs": {"F": 1}}, "not said what it sets, or twice"),
    "neither": ({"call": None, "sets": []}, "not said what it sets"),
    "no function": ({"call": 3}, "3 cannot be called"),
    "delay": ({"delay": -1}, "out of range"),
    "delay is text": ({"delay": "late"}, "late"),
    "a quantum of nothing": ({"quantum": {"G": 1}}, "neither reads nor sets 'G'"),
    "no quantum": ({"quantum": {"F": 0}}, "the quantum of F is 0"),
    "an unknown name": ({"reads": ["Q.x"]}, "Q"),
    "no list": ({"reads": 3}, "3 is no list"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_mistakes_in_python_are_explained(what):
    changes, message = BAD[what]
    with pytest.raises(InputError, match=message):
        slider(sampled(feedback, **changes))


def test_two_controllers_do_not_set_the_same():
    with pytest.raises(InputError, match="another controller has 'F', too"):
        slider(sampled(feedback), lw.Sampled("two", period=1, outputs={"F": 1}))


def test_an_unknown_result_is_told_when_a_run_begins():
    with pytest.raises(InputError, match=r"controller 'ctl': unknown name"):
        slider(sampled(feedback, reads=["Qx''", "A.x"])).simulate(1)


FILES = {
    "no outputs": ("{kind: sampled, period: 1}", "the outputs is missing"),
    "no period": ("{kind: sampled, outputs: {F: 1}}", "the period is missing"),
    "of others": ("{kind: sampled, period: 1, outputs: {F: 1}, P: 3}", "a sampled controller has no P"),
    "a name": ("{kind: sampled, period: 1, outputs: {F: 1 + nobody}}", "unknown name 'nobody'"),
    "a delay": ("{kind: sampled, period: 1, outputs: {F: 1}, delay: late}", "late"),
    "a period": ("{kind: sampled, period: -1, outputs: {F: 1}}", "the period is -1"),
}


@pytest.mark.parametrize("what", FILES)
def test_mistakes_in_files_are_explained_with_their_line(what):
    controller, message = FILES[what]
    text = (
        f"PartData: {{Particles: {{A: 2}}}}\nAppliedForces: {{Forces: {{A: [1]}}}}\nControllers:\n  c: {controller}\n"
    )
    with pytest.raises(InputError, match=rf"<text>:4: .*{message}"):
        lw.loads(text)
