"""Variables, states and controllers against independent integrations, closed forms and hand-made linear models."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.model import Lagrangian
from linkwork.results import record
from linkwork.results.summary import summarise

SERVO = """
PhysicalParams: {l: 1, m: 2, target: 0.5, tau: 0.05}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m]}}
Variables: {error: target - OA.angle}
States:
  lag: {rate: (OA.omega - lag)/tau - 0.1*OA.omega*abs(OA.omega), start: 0.2}
Controllers:
  servo: {kind: pid, error: error, P: 40, I: 30, D: 2, filter: 0.1}
AppliedForces:
  Gravity: [0, -9.81]
  Torques: {OA: servo - 5*lag + 0.01*lag'}
ProblemData: {tend: 5, positions: {A: [1, 0]}}
"""


def servo_slopes(t, s):
    """The same by hand, in the angle; J = m l²/3."""
    angle, omega, lag, integral, seen = s
    e = 0.5 - angle
    rate = (omega - lag) / 0.05 - 0.1 * omega * abs(omega)
    slope = (e - seen) / 0.1
    torque = 40 * e + 30 * integral + 2 * slope - 5 * lag + 0.01 * rate
    return [omega, (torque - 9.81 * np.cos(angle)) / (2 / 3), rate, e, slope]


def test_a_servo_moves_as_its_equations_say():
    motion = lw.loads(SERVO).simulate(tol=1e-12)
    found = solve_ivp(servo_slopes, (0, 5), [0, 0, 0.2, 0, 0], method="DOP853", rtol=1e-13, atol=1e-14, max_step=0.01)
    state = motion.final
    ours = [state["OA"], state.velocity("OA"), state["lag"], state["servo_I"], state["servo_F"]]
    np.testing.assert_allclose(ours, found.y[:, -1], rtol=0, atol=2e-11)
    np.testing.assert_allclose(motion["error"], 0.5 - motion["OA"], atol=1e-14)
    np.testing.assert_allclose(motion.velocity("servo_I"), motion["error"], atol=1e-12)
    assert motion.energy.drift < 1e-10


@pytest.mark.needs_compiler
def test_the_interpreter_and_the_compiled_machine_agree():
    fast, slow = (lw.loads(SERVO).simulate(2, tol=1e-11, compiled=compiled) for compiled in (True, False))
    assert fast.stats.compiled and not slow.stats.compiled
    np.testing.assert_allclose(slow.final.u, fast.final.u, rtol=0, atol=1e-10)


def test_a_file_and_python_describe_the_same():
    by_hand = lw.Model(
        lw.Mechanism(
            parameters={"l": 1, "m": 2, "target": 0.5, "tau": 0.05},
            fixed={"O": ()},
            rigids=[lw.Rigid.rod("OA", "l", "m")],
            variables={
                "error": "target - OA.angle",
                "servo": lw.Pid("error", P=40, I=30, D=2, filter="1/10"),
            },
            states=[lw.State(name="lag", rate="(OA.omega - lag)/tau - 0.1*OA.omega*abs(OA.omega)", start=0.2)],
            gravity=(0, -9.81),
            torques=[lw.Torque(part="OA", value="servo - 5*lag + 0.01*lag'")],
            start=lw.InitialValues(tend=5, positions={"A": (1, 0)}),
        )
    )
    one, other = by_hand.simulate(tol=1e-11).final, lw.loads(SERVO).simulate(tol=1e-11).final
    np.testing.assert_array_equal(one.q, other.q)
    changed = by_hand.with_parameters(target=0.3)
    assert changed.simulate(tol=1e-11).final["OA"] == pytest.approx(0.3, abs=0.01)


def test_a_transfer_function_answers_as_in_closed_form():
    """(s + 3)/(s² + 2 s + 5) of a unit step, beside a mass it does not touch."""
    text = """
    PartData: {Fixed: {O: []}, Particles: {A: 1}, Springs: {OA: [3, 1]}}
    Variables: {step: "1"}
    Controllers:
      plant: {kind: transfer, input: step, numerator: [1, 3], denominator: [1, 2, 5]}
      direct: {kind: transfer, input: t, numerator: [2, 0], denominator: [0.5, 1]}
    ProblemData: {tend: 3, positions: {A: [1.2, 0]}}
    """
    motion = lw.loads(text).simulate(tol=1e-12)
    t = np.linspace(0, 3, 7)
    # partial fractions: 3/5 - e^{-t}(3/5 cos 2t - 1/5 sin 2t)
    wanted = 0.6 - np.exp(-t) * (0.6 * np.cos(2 * t) - 0.2 * np.sin(2 * t))
    np.testing.assert_allclose(motion.at(t)["plant"], wanted, rtol=0, atol=1e-11)
    # 2s/(s/2 + 1) of a ramp: 2 (1 - e^{-2t})
    np.testing.assert_allclose(motion.at(t)["direct"], 2 * (1 - np.exp(-2 * t)), rtol=0, atol=1e-11)


def test_the_exact_derivative_of_a_pid_is_that_of_its_error():
    plain = SERVO.replace(", filter: 0.1", "").replace("error: error", "error: error - 0.2*sin(3*t)")
    by_hand = plain.replace("kind: pid", "kind: transfer, numerator: [1], denominator: [1], input: 0").replace(
        "servo - 5*lag",
        "40*(error - 0.2*sin(3*t)) + 30*I + 2*(-OA.omega - 0.6*cos(3*t)) - 5*lag",
    )
    by_hand = by_hand.replace("error: error - 0.2*sin(3*t), P: 40, I: 30, D: 2", "").replace("input: 0, ", "input: 0")
    by_hand = by_hand.replace("States:", "States:\n  I: error - 0.2*sin(3*t)")
    one, other = (lw.loads(text).simulate(tol=1e-12).final for text in (plain, by_hand))
    assert one["OA"] == pytest.approx(float(other["OA"]), abs=1e-12)


def test_an_event_waits_for_a_state():
    text = SERVO.replace("ProblemData", "Events: {full: {when: servo_I - 0.2, do: stop}}\nProblemData")
    motion = lw.loads(text).simulate(tol=1e-12)
    assert motion.final["servo_I"] == pytest.approx(0.2, abs=1e-13)
    assert 0 < motion.final.t < 5


def test_a_hinge_in_space_with_a_motor():
    """Voltage over a winding: L i' = V - R i - k ω, torque k i, on a wheel about a skew axis without gravity."""
    text = """
    Dimension: 3
    PhysicalParams: {V: 12, R: 2, L: 0.05, k: 0.4, J: 0.3}
    PartData:
      Fixed: {O: []}
      Rigids: {OAB: {Geom: [[1], [0, 1]], Dyna: [[], 1, [J, J, J]]}}
    Connections:
      Joints: {shaft: {kind: revolute, parts: [world, OAB], point: O, axis: [1, 2, 2]}}
    States: {i: (V - R*i - k*shaft.omega)/L}
    AppliedForces: {Torques: {shaft: k*i}}
    ProblemData: {tend: 2}
    """
    motion = lw.loads(text).simulate(tol=1e-12)

    def slopes(t, s):
        i, omega = s
        return [(12 - 2 * i - 0.4 * omega) / 0.05, 0.4 * i / 0.3]

    found = solve_ivp(slopes, (0, 2), [0, 0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    np.testing.assert_allclose([motion.final["i"], motion.final.velocity("shaft")], found, rtol=1e-11)


def test_the_linear_model_of_a_controlled_arm_is_that_by_hand():
    """At the angle where the servo holds the arm: x = (θ, θ', lag, servo_I, servo_F)."""
    text = SERVO.replace("A: [1, 0]", "A: [cos(0.5), [sin(0.5), fixed]]").replace("start: 0.2", "start: 0")
    arm = lw.loads(text.replace("abs(OA.omega)", "OA.omega"))
    linear = arm.linearize(states=["OA.angle"], inputs=["target"], outputs=["OA.angle", "servo"])
    assert linear.names == ("OA.angle", "OA.angle'", "lag", "servo_I", "servo_F")
    J = 2 / 3
    gravity = 9.81 * np.sin(0.5)
    wanted = [
        [0, 1, 0, 0, 0],
        [(gravity - 40 - 20) / J, 0.01 * 20 / J, (-5 - 0.01 * 20) / J, 30 / J, -20 / J],
        [0, 20, -20, 0, 0],
        [-1, 0, 0, 0, 0],
        [-10, 0, 0, 0, -10],
    ]
    np.testing.assert_allclose(linear.A, wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(linear.B[:, 0], [0, (40 + 20) / J, 0, 1, 10], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(linear.C, [[1, 0, 0, 0, 0], [-60, 0, 0, 30, -20]], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(linear.mass, [[J]], rtol=1e-13)
    np.testing.assert_allclose(linear.coupling, -np.array([[-5.2, 30, -20]]), rtol=1e-12)
    assert not linear.balanced  # the integral that would hold the arm has not grown yet
    assert "state" not in " ".join(linear.modes[0].kinetic)  # states have no inertia


def test_a_transfer_function_is_found_again_in_the_frequency_response():
    text = """
    PhysicalParams: {w: 0}
    PartData: {Fixed: {O: []}, Particles: {A: 1}, Springs: {OA: [3, 1]}}
    Controllers: {plant: {kind: transfer, input: w, numerator: [2, 1, 3], denominator: [1, 2, 5, 7]}}
    ProblemData: {positions: {A: [1, 0]}}
    """
    linear = lw.loads(text).linearize(inputs=["w"], outputs=["plant"])
    omega = np.geomspace(0.1, 100, 9)
    s = 1j * omega
    wanted = (2 * s**2 + s + 3) / (s**3 + 2 * s**2 + 5 * s + 7)
    np.testing.assert_allclose(linear.bode(omega).H[:, 0, 0], wanted, rtol=1e-12)


def test_quasi_speeds_change_the_matrices_but_not_the_eigenvalues():
    """A top on springs, in the rates of its Euler angles and in body-fixed speeds."""
    top = lw.lagrangian(
        "phi theta psi",
        "I*(w1**2 + w2**2)/2 + J*w3**2/2 - m*g*l*(cos(theta) + theta*sin(0.6)) - V",
        variables={
            "w1": "phi'*sin(theta)*sin(psi) + theta'*cos(psi)",
            "w2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
            "w3": "phi'*cos(theta) + psi'",
            "V": "k*((theta - 0.6)**2 + 2*phi**2 + 3*(psi - 0.3)**2 + phi*psi**2)/2",
        },
        parameters={"I": 1, "J": 0.4, "m": 1, "g": 9.81, "l": 0.5, "k": 7},
        start={"theta": 0.6, "psi": 0.3},
    )
    plain, quasi = top.linearize("equilibrium"), top.linearize("equilibrium", speeds=["w1", "w2", "w3"])
    assert quasi.speeds == ("w1", "w2", "w3")
    np.testing.assert_allclose(np.sort_complex(quasi.eigenvalues), np.sort_complex(plain.eigenvalues), atol=1e-9)
    np.testing.assert_allclose(quasi.mass, np.diag([1, 1, 0.4]), atol=1e-13)
    # S' = N(q) W
    _, theta, p = quasi.values[:3]
    c, s = np.cos(theta), np.sin(theta)
    rates = [[np.sin(p) / s, np.cos(p) / s, 0], [np.cos(p), -np.sin(p), 0]]
    rates.append([-np.sin(p) * c / s, -np.cos(p) * c / s, 1])
    np.testing.assert_allclose(quasi.A[:3, 3:], rates, atol=1e-13)
    assert quasi.values[3:].tolist() == [0, 0, 0]


def test_too_many_and_hopeless_speeds_are_told():
    rod = lw.loads(SERVO)
    tilted = lw.loads(SERVO.replace("A: [1, 0]", "A: [0.8, 0.6]"))
    linear = tilted.linearize(states=["OA.angle"], speeds=["A.vx", "A.vy", "lag"])
    assert linear.names == ("OA.angle", "A.vx", "lag", "servo_I", "servo_F")
    assert linear.notes[0] == "more speeds than degrees of freedom: dropped A.vy, which depend on the others"
    with pytest.raises(lw.InputError, match=r"speed 'A\.vx': it does not change with the motion"):
        rod.linearize(speeds=["A.vx"])
    with pytest.raises(lw.InputError, match=r"speed 'A\.x': it does not depend on any speed"):
        rod.linearize(speeds=["A.x"])
    with pytest.raises(lw.InputError, match="speed 'OA''': it contains OA''"):
        rod.linearize(speeds=["OA''"])


def test_structure_counts_states_apart(capsys):
    structure = lw.loads(SERVO).structure()
    assert structure.mobility.freedom == structure.mobility.count == 1
    assert structure.signature.degrees_of_freedom == 2 + 3
    assert structure.as_dict()["states"] == ["lag", "servo_I", "servo_F"]
    text = structure.text()
    assert "states       3: lag, servo_I, servo_F" in text and "∫" not in text


def test_equations_of_states_are_printed_as_they_were_given():
    text = lw.loads(SERVO).equations().text()
    assert "servo_I: servo_I' + OA - target = 0" in text and "∫" not in text
    assert "3 coordinates, 3 states, 2 constraints" in text


def test_results_name_states_and_variables(tmp_path):
    motion = lw.loads(SERVO).simulate(1)
    columns = list(motion.table())
    assert columns[7:] == ["lag", "lag'", "servo_I", "servo_I'", "servo_F", "servo_F'", "error", "servo", "T", "V"]
    np.testing.assert_allclose(motion["2*error + servo_I"], 2 * motion["error"] + motion["servo_I"], rtol=1e-15)
    with pytest.raises(lw.LinkworkError, match="no acceleration"):
        motion.acceleration("lag")
    with pytest.raises(lw.LinkworkError, match="more than accelerations"):
        motion.at(0.5).acceleration("OA.omega")
    for path in (tmp_path / "servo.csv", tmp_path / "servo.npz"):
        lw.write_results(motion, path)
    assert (tmp_path / "servo.csv").read_text().splitlines()[0].endswith("error,servo,T,V")


def test_an_equilibrium_is_one_of_the_controller_as_well():
    """The integral holds the arm where it is wanted; a pushed pendulum leans against the push on its cart."""
    arm = lw.loads(SERVO)
    linear = arm.linearize("equilibrium", states=["OA.angle"], outputs=["servo"])
    assert linear.balanced and linear.still
    names = dict(zip(linear.names, linear.values.tolist(), strict=True))
    wanted = {"OA.angle": 0.5, "OA.angle'": 0, "lag": 0, "servo_I": 9.81 * np.cos(0.5) / 30, "servo_F": 0}
    assert names == pytest.approx(wanted, abs=1e-12)
    assert linear.y[0] == pytest.approx(9.81 * np.cos(0.5))


def test_a_balanced_pendulum_leans_against_a_push(load_example):
    cart = load_example("inverted-pendulum").with_parameters(push=0.2)
    linear = cart.linearize("equilibrium", states=["A.x", "tilt"])
    # m g/2 sin = push cos about A, and the cart back in its place
    lean = np.arctan2(2 * 0.2, 0.5 * 9.80665)
    assert linear.values[:2] == pytest.approx([0, -np.sin(lean)], abs=1e-12)
    assert all(mode.stable for mode in linear.modes)


def test_no_rest_for_an_integral_of_something_constant():
    text = SERVO.replace("States:", "States:\n  clock: 1")
    with pytest.raises(lw.SolveError, match="no equilibrium of the mechanism and its states"):
        lw.loads(text).linearize("equilibrium")


def test_a_motor_runs_steadily_at_the_current_its_load_needs():
    text = """
    PhysicalParams: {V: 12, R: 2, L: 0.05, k: 0.4, c: 0.1, w: k*V/(R*c + k**2)}
    PartData:
      Fixed: {O: []}
      Rigids: {OA: {Geom: [[1]], Dyna: [[0], 3, 1]}}
    States: {i: (V - R*i - k*OA.omega)/L}
    AppliedForces: {Torques: {OA: k*i - c*OA.omega}}
    ProblemData: {positions: {A: [1, 0]}, velocities: {OA: [w, fixed]}}
    """
    linear = lw.loads(text).linearize("steady", states=["OA.angle"], inputs=["V"], outputs=["OA.omega"])
    assert linear.balanced and not linear.still
    assert linear.values == pytest.approx([0, 40 / 3, 10 / 3], abs=1e-12)
    # G(0) = k/(R c + k²), the pole of the free angle cancelled
    A, B, C = linear.A[1:, 1:], linear.B[1:], linear.C[:, 1:]
    assert (-C @ np.linalg.solve(A, B))[0, 0] == pytest.approx(0.4 / 0.36)


def test_a_picture_shows_states_and_variables_over_time():
    motion = lw.loads(SERVO).simulate(1)
    curves = {(curve.group, curve.name): curve for curve in record(motion).curves}
    assert [name for group, name in curves if group == "States"] == ["lag", "servo_I", "servo_F"]
    assert [name for group, name in curves if group == "Variables"] == ["error", "servo"]
    error = curves["Variables", "error"]
    np.testing.assert_allclose(error.values, motion.at(error.t)["error"], rtol=1e-12, atol=1e-12)


# -- what a reader of results must be told ----------------------------------------------------------------------------


def test_an_input_that_a_controller_differentiates_is_noted():
    exact = SERVO.replace(", filter: 0.1", "")
    noted = "a controller differentiates input target: the model holds for slow changes, or give it a filter"
    assert noted in lw.loads(exact).linearize(inputs=["target"]).notes
    assert noted in lw.loads(exact).with_parameters(m=3).linearize(inputs=["target"]).notes
    assert noted not in lw.loads(SERVO).linearize(inputs=["target"]).notes
    assert noted not in lw.loads(exact).linearize(inputs=["m"]).notes


def test_corners_and_laws_of_time_are_noted():
    text = SERVO.replace("servo - 5*lag", "servo - 5*lag - sign(OA.omega) + sin(t)")
    notes = lw.loads(text).linearize().notes
    assert any("corner or jump" in note and "torque OA" in note for note in notes)
    assert any("time stands still at t = 0" in note and "torque OA" in note for note in notes)
    smooth = lw.loads(SERVO.replace("abs(OA.omega)", "1")).linearize().notes
    assert not any("corner" in note or "time" in note for note in smooth)


def test_a_controller_may_differentiate_a_state():
    """D of a filtered measurement is D times the rate of the filter."""
    text = SERVO.replace("error: error", "error: target - seen").replace(", filter: 0.1", "")
    text = text.replace("States:", "States:\n  seen: (OA.angle - seen)/0.02")
    by_hand = text.replace("D: 2", "D: 0").replace("servo - 5*lag", "servo - 2*seen' - 5*lag")
    one, other = (lw.loads(each).simulate(2, tol=1e-12).final["OA"] for each in (text, by_hand))
    assert one == pytest.approx(float(other), abs=1e-13)


def test_states_of_controllers_may_start_anywhere():
    text = SERVO.replace("ProblemData: {", "ProblemData: {states: {servo_F: 0.5, servo_I: target/10}, ")
    values = {value.name: value.found for value in lw.loads(text).start.values}
    assert values["servo_F"] == 0.5 and values["servo_I"] == pytest.approx(0.05) and values["lag"] == 0.2


def test_a_state_may_have_the_name_of_an_energy():
    motion = lw.loads(SERVO.replace("lag", "T")).simulate(0.5)
    table = motion.table()
    np.testing.assert_array_equal(table["T"], motion["T"])
    np.testing.assert_array_equal(table["kinetic"], motion.energy.kinetic)
    assert "V" in table


def test_a_state_far_below_its_scale_is_noted():
    text = SERVO.replace("States:", "States:\n  tiny: {rate: -tiny*OA.omega, start: 1.0e-12}")
    assert "tiny: too small beside the scale" in dict(summarise(lw.loads(text).simulate(1)))["note"]
    assert "note" not in dict(summarise(lw.loads(text.replace("1.0e-12}", "1.0e-12, scale: 1.0e-12}")).simulate(1)))


def test_primes_are_rates_of_anything():
    motion = lw.loads(SERVO).simulate(1)
    np.testing.assert_allclose(motion["error'"], -motion.velocity("OA"), atol=1e-15)
    np.testing.assert_allclose(motion["A.x''"], motion.acceleration("Ax"), atol=1e-12)
    linear = lw.loads(SERVO).linearize(states=["OA.angle"], outputs=["OA.angle''", "error''"])
    np.testing.assert_allclose(linear.C[0], linear.A[1], atol=1e-12)
    np.testing.assert_allclose(linear.C[1], -linear.A[1], atol=1e-12)


def test_files_keep_states_and_variables(tmp_path):
    motion = lw.loads(SERVO).simulate(1)
    with np.load(lw.write_results(motion, tmp_path / "servo.npz")) as file:
        assert file["states"].tolist() == ["lag", "servo_I", "servo_F"]
        np.testing.assert_array_equal(file["x"][:, 1], motion["servo_I"])
        np.testing.assert_array_equal(file["v"][:, file["variables"].tolist().index("error")], motion["error"])


def test_many_variables_that_use_each_other_twice_stay_small():
    """Written out the last one would take 2^40 terms."""
    chain = "".join(f"  v{i}: 0.4*sin(v{i - 1}) + A.x*v{i - 1}\n" for i in range(1, 40))
    named = f"Variables:\n  error: target - OA.angle\n  v0: A.x\n{chain}"
    text = SERVO.replace("Variables: {error: target - OA.angle}", named)
    motion = lw.loads(text.replace("servo - 5*lag", "servo - 5*lag + v39")).simulate(0.2)
    v = motion["A.x"]
    for _ in range(39):
        v = 0.4 * np.sin(v) + motion["A.x"] * v
    np.testing.assert_allclose(motion["v39"], v, rtol=1e-12)


def test_a_rayleigh_function_with_a_state_brakes_the_motion_and_not_the_state():
    """Against the same law as a force, from a file and as a Lagrangian."""
    text = """
    PartData:
      Fixed: {O: []}
      Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}
    States: {X: {rate: -X, start: 1}}
    AppliedForces: {Gravity: , Dissipation: {d: X*OA.omega**2/2}}
    ProblemData: {tend: 2, positions: {A: [1, 0]}}
    """
    braked, forced = (
        lw.loads(each).simulate(tol=1e-12)
        for each in (text, text.replace("Dissipation: {d: X*OA.omega**2/2}", "Torques: {OA: -X*OA.omega}"))
    )
    assert braked.final["X"] == pytest.approx(np.exp(-2), rel=1e-11)
    assert braked.final["OA"] == pytest.approx(float(forced.final["OA"]), abs=1e-11)
    assert braked.energy.drift < 1e-10
    given = {"states": {"X": "-X"}, "start": {"x": 1, "X": 1}}
    one = lw.lagrangian("x", "x'**2/2 - x**2/2", dissipation="X*x'**2/2", **given).simulate(2, tol=1e-12).final
    other = lw.lagrangian("x", "x'**2/2 - x**2/2", forces={"x": "-X*x'"}, **given).simulate(2, tol=1e-12).final
    assert [one["x"], one["X"]] == pytest.approx([float(other["x"]), np.exp(-2)], abs=1e-11)


def test_a_controller_may_differentiate_the_state_of_another():
    low = "low: {kind: transfer, input: OA.angle, numerator: [1], denominator: [0.05, 1]}"
    text = SERVO.replace("Controllers:", f"Controllers:\n  {low}\n  more: {{kind: pid, error: low_1, D: 3}}")
    motion = lw.loads(text).simulate(1)
    np.testing.assert_allclose(motion["more"], 3 * motion.velocity("low_1"), atol=1e-12)


def test_a_large_state_does_not_hide_open_constraints():
    plain = lw.loads(SERVO).simulate(1).residuals
    idle = (
        lw.loads(SERVO.replace("States:", "States:\n  X: {rate: 0, start: 1.0e+9, scale: 1.0e+9}"))
        .simulate(1)
        .residuals
    )
    assert idle.velocity == pytest.approx(plain.velocity, rel=0.5) and idle.acceleration > 0.1 * plain.acceleration


def test_speeds_that_mix_in_a_state_have_the_mass_of_the_mechanism():
    arm = lw.loads(SERVO)
    linear = arm.linearize(states=["OA.angle"], speeds=["w = OA.omega + 2*lag"])
    assert linear.speeds == ("w",) and linear.mass[0, 0] == pytest.approx(2 / 3)


def test_states_held_still_do_not_push_a_search():
    pendulum = SERVO.replace("servo - 5*lag + 0.01*lag'", "0*servo - OA.omega").replace(
        "- 0.1*OA.omega*abs(OA.omega)", "+ 100*OA.angle"
    )
    linear = lw.loads(pendulum.replace("I: 30, ", "")).linearize("equilibrium", states=["OA.angle"])
    assert linear.balanced and abs(np.cos(linear.values[0])) < 1e-9


def test_state_objects_describe_a_lagrangian_too():
    states = [lw.State(name="X", rate="-X", start=2), lw.State(name="Y", rate="X - Y", start=1)]
    made = lw.Model(Lagrangian("x", "x'**2/2 - X*x**2/2", states=states, forces={"x": "-Y"}, start={"x": 1}))
    final = made.simulate(1, tol=1e-12).final
    assert [final["X"], final["Y"]] == pytest.approx([2 * np.exp(-1), np.exp(-1) + 2 * np.exp(-1)], abs=1e-11)


def test_expressions_may_compare():
    motion = lw.loads(SERVO).simulate(1)
    np.testing.assert_array_equal(motion["select(error >= 0.1, 1, 0)"], np.where(motion["error"] >= 0.1, 1.0, 0.0))
    values = motion["A.x + 1"]
    values[0] = 5  # a copy, as with names


def test_all_laws_of_time_are_named():
    text = """
    PartData: {Fixed: {O: []}, Particles: {A: 1, B: 1}, Springs: {OA: [3, 1], OB: [3, 1]}}
    AppliedForces: {Forces: {A: [sin(t)], B: [sin(t)]}}
    ProblemData: {positions: {A: [1, 0], B: [0, 1]}}
    """
    assert any("force A, force B" in note for note in lw.loads(text).linearize().notes)


@pytest.mark.parametrize("motion", ["", "Motions: {OA.angle: 2*t}"])
def test_earlier_states_go_before_later_ones(motion):
    text = f"""
    PartData:
      Fixed: {{O: []}}
      Rigids: {{OA: {{Geom: [[1]], Dyna: [[0.5], 1]}}, AB: {{Geom: [[1]], Dyna: [[0.5], 1]}}}}
    AppliedForces: {{Gravity: }}
    {motion}
    ProblemData: {{positions: {{A: [1, 0], B: [1.5, -0.8]}}}}
    """
    arm = lw.loads(text)
    relative = "rel = AB.angle - OA.angle"
    for states in (["AB.angle", relative], [relative, "AB.angle"], [relative, "B.x"], ["0.1*AB.angle", "AB.angle"]):
        first = states[0].partition(" =")[0]
        assert arm.linearize(states=states).states[0] == first
