"""What holds in equilibria and linear models, by closed forms: stops, contacts, ratchets, locks, friction, servos."""

import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw

G = 9.81
PRESSED = """
PhysicalParams: {F: 1, k: 1}
PartData: {Particles: {A: 1}}
AppliedForces: {Forces: {A: [-k*A.x - A.vx, -F - k*A.y - A.vy]}}
ProblemData: {tend: 1, positions: {A: [0.1, 0]}}
"""
FLOORS = {
    "stop": "Connections: {Stops: {floor: A.y + 0.5}}\n",
    "contact": "Bodies: {world: {frames: {o: [0, -0.5]}}}\nConnections: {Contacts: {floor: {point: A, on: world.o}}}\n",
}
ROD = "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 2]}}}\n"
FALLING = f"AppliedForces: {{Gravity: [0, -{G}]}}\nProblemData: {{tend: 1, positions: {{A: [1, 0]}}}}\n"


def rod(connections, more=""):
    return lw.loads(f"{ROD}Connections: {{{connections}}}\n{FALLING}{more}")


@pytest.mark.parametrize("floor", FLOORS)
def test_a_mass_on_a_spring_rests_on_a_floor(floor):
    model = lw.loads(PRESSED + FLOORS[floor])
    rest = model.equilibrium()
    np.testing.assert_allclose(rest["A"], [0, -0.5], rtol=0, atol=1e-12)
    assert rest.stable
    assert [(push.name, pytest.approx(push.force, abs=1e-12)) for push in rest.pushes] == [("floor", 0.5)]
    assert "floor pushes with 0.5" in repr(rest)
    over = model.statics({"F": [0, 0.25, 0.5, 1, 2, 0.2, -1]})
    np.testing.assert_allclose(over["A.y"], [0, -0.25, -0.5, -0.5, -0.5, -0.2, 1], rtol=0, atol=1e-10)
    assert over.outcome == "reached -1"
    assert over.stable.all()
    assert [each.get("floor", 0.0) for each in over.pushes] == pytest.approx([0, 0, 0, 0.5, 1.5, 0, 0], abs=1e-9)


def test_a_mass_that_lies_on_a_stop_stays_there():
    text = "PartData: {Particles: {A: 1}}\nConnections: {Collinear: [OPA], Stops: {floor: A.y}}\n"
    text = text.replace("Particles", "Fixed: {O: [], P: [0, 1]}, Particles")
    model = lw.loads(text + "AppliedForces: {Gravity: [0, -10]}\nProblemData: {positions: {A: [0, 0]}}\n")
    rest = model.equilibrium()
    assert rest["A.y"] == pytest.approx(0, abs=1e-14)
    assert rest.stable
    linear = model.linearize()
    assert linear.names == ()
    assert not linear.eigenvalues.size
    assert "floor" in linear.notes[0]
    assert len(linear.modes) == 0
    assert "states        none" in linear.text()
    assert linear.as_dict()["states"] == []


def test_a_block_with_two_feet_rests_on_both():
    text = f"""
Bodies: {{b: {{mass: 3, inertia: 0.4, frames: {{l: [-1, 0], r: [2, 0], c: []}}}}}}
Connections: {{Contacts: {{left: {{point: b.l}}, right: {{point: b.r}}}}}}
AppliedForces: {{Gravity: [0, -{G}], Forces: {{b.c: [-b.c.x - b.c.vx, -b.c.vy]}}}}
ProblemData: {{tend: 1, positions: {{b.c: [0.1, 0.3], b.l: [-0.9, 0.31]}}}}
"""
    rest = lw.loads(text).equilibrium()
    pushes = {push.name: push.force for push in rest.pushes}
    assert pushes == pytest.approx({"left": 2 * G, "right": G})
    assert rest.stable


def test_a_pendulum_against_a_stop_of_its_angle():
    model = rod("Stops: {limit: OA.angle + 0.5}")
    rest = model.equilibrium()
    assert rest["OA.angle"] == pytest.approx(-0.5, abs=1e-12)
    assert rest.pushes[0].force == pytest.approx(2 * G * 0.5 * np.cos(0.5))


def test_a_stop_that_is_not_reached_does_nothing():
    rest = rod("Stops: {limit: OA.angle + 2}").equilibrium()
    assert rest["OA.angle"] == pytest.approx(-np.pi / 2)
    assert rest.pushes == ()
    assert rod("Stops: {limit: OA.angle + 2}").linearize("equilibrium").eigenvalues == pytest.approx(
        np.array([1j, -1j]) * np.sqrt(1.5 * G)
    )


def test_a_ratchet_holds_and_lets_go():
    held = rod("Stops: {pawl: {speed: OA.omega}}").equilibrium()
    assert held["OA.angle"] == pytest.approx(0, abs=1e-12)
    assert held.pushes[0].force == pytest.approx(G)
    loose = rod("Stops: {pawl: {speed: -OA.omega}}").equilibrium()
    assert loose["OA.angle"] == pytest.approx(-np.pi / 2)


def test_a_lock_holds_in_the_state_in_which_it_has_been_closed():
    events = "Events: {shut: {when: OA.angle + 0.3, direction: falling, on: [lock]}}\n"
    model = rod("Relations: {lock: {formula: OA.angle + 0.3, active: no}}", events)
    motion = model.simulate(2)
    assert motion.final["OA.angle"] == pytest.approx(-0.3)
    assert model.equilibrium(motion.final)["OA.angle"] == pytest.approx(-0.3)
    assert model.equilibrium()["OA.angle"] == pytest.approx(-np.pi / 2)
    for at in (motion.final, 2.0):
        linear = model.linearize(at)
        assert linear.names == ()
        assert linear.notes[0] == "what holds here: relation 'lock'"
    early = motion.at(0.1)
    assert len(model.linearize(early).names) == 2


def test_friction_that_sticks_makes_one_rod_of_two():
    rods = """
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}, AB: {Geom: [[1]], Dyna: [[0.5], 1]}}}
AppliedForces: {Gravity: [0, -9.81], Friction: {hinge: {speed: AB.omega - OA.omega, limit: 20}}}
ProblemData: {tend: 2, positions: {A: [0, -1], B: [0, -2]}}
"""
    linear = lw.loads(rods).linearize("equilibrium")
    np.testing.assert_allclose(np.abs(linear.eigenvalues), np.sqrt(G / (4 / 3)), rtol=1e-10)
    slowest = lw.loads(rods).slowest(1, "equilibrium")
    assert slowest.modes[0].omega == pytest.approx(np.sqrt(G / (4 / 3)))
    assert "hinge" in slowest.notes[0]


@pytest.mark.parametrize("kept", ["kept: yes, ", ""])
def test_a_disc_in_a_bowl_rolls_in_its_linear_model(kept):
    text = f"""
Bodies: {{world: {{frames: {{o: []}}}}, b: {{mass: 2, inertia: 0.01, frames: {{c: []}}}}}}
Connections: {{Contacts: {{dish: {{ball: b.c, radius: 0.1, on: {{bowl: world.o, radius: 1}}, {kept}friction: 0.3}}}}}}
AppliedForces: {{Gravity: [0, -{G}]}}
ProblemData: {{tend: 2, positions: {{b.c: [0.01, {-np.sqrt(0.81 - 1e-4):.17g}]}}}}
"""
    linear = lw.loads(text).linearize("equilibrium")
    np.testing.assert_allclose(np.abs(linear.eigenvalues), np.sqrt(G / 0.9 / 1.5), rtol=1e-8)


def test_what_is_on_a_border_is_said():
    limit = lw.loads("""
PartData: {Fixed: {O: [], P: [1]}, Particles: {A: 2}}
Connections: {Collinear: [OPA], Stops: {wall: 0.2 - A.x}}
AppliedForces: {Forces: {A: [6 - 30*A.x, 0]}, Friction: {dry: {speed: A.vx, limit: 6}}}
ProblemData: {positions: {A: [0.2, 0]}}
""")
    notes = " ".join(limit.linearize().notes)
    assert "stop 'wall' is closed but not pressed" in notes
    edge = lw.loads("""
PartData: {Fixed: {O: [], P: [1]}, Particles: {A: 2}}
Connections: {Collinear: [OPA]}
AppliedForces: {Forces: {A: [12 - 30*A.x, 0]}, Friction: {dry: {speed: A.vx, limit: 6}}}
ProblemData: {positions: {A: [0, 0]}}
""")
    assert "at its limit" in " ".join(edge.linearize("equilibrium").notes)


BLOCK = """
PartData: {{Fixed: {{O: [], P: [1]}}, Particles: {{A: 2}}}}
Connections: {{Collinear: [OPA]{stops}}}
{more}
AppliedForces: {{Forces: {{A: [{force}, 0]}}, Friction: {{dry: {{speed: {speed}, limit: 3}}}}}}
ProblemData: {{tend: 1, positions: {{A: [0.1, 0]}}, velocities: {{A: [0.7, 0]}}}}
"""


def test_friction_on_a_belt_slides_where_the_rest_stands_still():
    model = lw.loads(BLOCK.format(stops="", more="", force="-10*A.x - 4*A.vx", speed="A.vx - 0.5"))
    assert model.equilibrium()["A.x"] == pytest.approx(0.3)
    assert model.equilibrium(model.simulate(40).final)["A.x"] == pytest.approx(0.3)
    np.testing.assert_allclose(model.linearize("equilibrium").eigenvalues, [-1 + 2j, -1 - 2j], rtol=1e-12)
    against = lw.loads(BLOCK.format(stops=", Stops: {w: 0.2 - A.x}", more="", force="-10*A.x", speed="A.vx - 0.5"))
    assert against.equilibrium().pushes[0].force == pytest.approx(1)


def test_speeds_of_the_start_do_not_move_an_equilibrium():
    model = lw.loads(BLOCK.format(stops=", Stops: {w: 3 - A.x}", more="", force="12 - 10*A.x - 4*A.vx", speed="A.vx"))
    assert model.equilibrium(slide=True)["A.x"] == pytest.approx(0.9)
    with pytest.raises(lw.SolveError, match="'dry' would have to hold 11, 8 more than its 3"):
        model.equilibrium()


def test_friction_beside_states_that_come_to_rest():
    states = "States: {X: {rate: (2 - X)/0.3}}"
    model = lw.loads(BLOCK.format(stops="", more=states, force="X - 10*A.x - 4*A.vx", speed="A.vx"))
    rest = model.equilibrium()
    assert rest["X"] == pytest.approx(2)
    assert rest["A.x"] == pytest.approx(0.1)
    assert abs(rest.holds[0].force) == pytest.approx(1)


def test_a_lagrangian_rests_against_its_stops():
    stop = lw.Stop(name="peg", gap="theta + pi/6")
    model = lw.lagrangian(
        "theta", "m*l**2*theta'**2/2 + m*g*l*cos(theta)", forces={"theta": "-tau - theta'"}, stops=[stop],
        parameters={"m": 1, "l": 2, "g": G, "tau": 15}, start={"theta": 0.3},
    )  # fmt: skip
    rest = model.equilibrium()
    assert rest["theta"] == pytest.approx(-np.pi / 6)
    assert rest.pushes[0].force == pytest.approx(15 - G)
    over = model.statics({"tau": [0, 5, 15, 5]})
    np.testing.assert_allclose(over["theta"], [0, -np.arcsin(5 / 2 / G), -np.pi / 6, -np.arcsin(5 / 2 / G)], atol=1e-9)
    assert model.linearize("equilibrium").names == ()


def test_a_stop_that_moves_takes_what_it_meets_along():
    text = PRESSED.replace("F: 1,", "F: 0.2, h: -0.5,") + "Connections: {Stops: {floor: A.y - h}}\n"
    over = lw.loads(text).statics({"h": [-0.5, -0.25, -0.1, 0.4, -0.3]})
    np.testing.assert_allclose(over["A.y"], [-0.2, -0.2, -0.1, 0.4, -0.2], rtol=0, atol=1e-10)


# -- sampled controllers ---------------------------------------------------------------------------------------------

SLIDER = """
PartData: {{Particles: {{A: 2}}, Fixed: {{O: [], Q: [1]}}}}
Connections: {{Collinear: [OQA]{stops}}}
Controllers: {{{controllers}}}
AppliedForces: {{Forces: {{A: [F + H - 3*A.x, 0]}}}}
Inputs: {{H: 0}}
ProblemData: {{tend: 2, positions: {{A: [0.5, 0]}}, velocities: {{A: [0.3, 0]}}}}
"""
SERVO = "servo: {{kind: sampled, period: {T}, reads: {{x: A.x, v: A.vx}}, outputs: {{F: {law}}}, {rest}}}"


def slider(*controllers, stops=""):
    text = SLIDER.format(controllers=", ".join(controllers), stops=stops)
    return lw.loads(text.replace("Inputs: {H: 0}\n", "") if "H:" in " ".join(controllers) else text)


def servo(T=0.05, more="", rest="offset: 0"):
    return SERVO.format(T=T, law="-40*(x - 0.3) - 5*v" + more, rest=rest)


def test_a_servo_has_the_exact_model_from_instant_to_instant():
    linear = slider(servo()).linearize("equilibrium")
    generator = np.zeros((3, 3))
    generator[:2] = [[0, 1, 0], [-1.5, 0, 0.5]]
    step = expm(generator * 0.05)
    np.testing.assert_allclose(linear.A, step[:2, :2] - step[:2, 2:] @ [[40, 5]], rtol=0, atol=1e-12)
    assert linear.period == 0.05
    assert linear.names == ("Ax", "Ax'")
    assert linear.stable
    assert linear.balanced
    mode = linear.modes[0]
    assert np.exp(mode.eigenvalue * 0.05) == pytest.approx(linear.eigenvalues[0])
    assert linear.values[0] == pytest.approx(12 / 43)


CONTROLLERS = {
    "plain": [servo()],
    "half a period late": [servo(rest="delay: 0.5")],
    "a period late": [servo(rest="delay: 1")],
    "late": [servo(T=0.03, rest="delay: 1.7")],
    "later": [servo(T=0.02, rest="delay: 2")],
    "memory": [servo(more=" + 3*s - 2*(x - b)", rest="memory: {s: s + 0.3 - x, b: x}")],
    "two": [
        servo(T=0.04),
        "other: {kind: sampled, period: 0.06, offset: 0.01, reads: {w: A.vx}, outputs: {H: -2*w - 0.1*F}, delay: 0.25}",
    ],
    "filter": [servo(more=" - 4*F/10")],
    "acceleration": [
        servo(rest="memory: {a: v}"),
        "acc: {kind: sampled, period: 0.05, outputs: {H: -0.4*a}, reads: {z: a}}",
    ],
}


@pytest.mark.parametrize("case", CONTROLLERS)
def test_discrete_models_are_the_motions_from_instant_to_instant(case):
    model = slider(*CONTROLLERS[case])
    rest = model.equilibrium()
    motion = model.simulate(2, tol=1e-13)
    linear = model.linearize("equilibrium")
    period = linear.period
    # what is held has forgotten the start after a few periods; then states of the mechanism follow from those before
    x = [motion.at(k * period) for k in range(int(2 / period))]
    own = np.array([[s["A.x"] - rest["A.x"], s.velocity("A.x")] for s in x])
    k = len(linear.names)
    if k == 2:
        np.testing.assert_allclose(own[1:], own[:-1] @ linear.A.T, rtol=0, atol=1e-10)
    # by Cayley and Hamilton, whatever else is remembered
    p = np.poly(linear.A)
    for i in range(k + 3, len(own) - k):
        left = sum(p[j] * own[i + k - j] for j in range(k + 1))
        np.testing.assert_allclose(left, 0, atol=1e-8 * np.abs(p).sum())


def test_equilibria_of_servos_are_where_motions_end():
    model = slider(servo(more=" + 12*s", rest="memory: {s: s + 0.05*(0.3 - x)}"))
    rest = model.equilibrium()
    assert rest["A.x"] == pytest.approx(0.3)
    assert rest["F"] == pytest.approx(0.9)
    assert rest.stable
    assert model.simulate(60, save="end").final["A.x"] == pytest.approx(0.3, abs=1e-6)
    against = slider(servo(), stops=", Stops: {wall: 0.2 - A.x}").equilibrium
    with pytest.raises(lw.SolveError, match="passed at the start"):
        against()


def test_a_servo_that_is_too_quick_is_unstable():
    model = slider(servo(T=1.5))
    assert not model.equilibrium().stable
    assert not model.linearize("equilibrium").stable
    assert model.equilibrium()["A.x"] == pytest.approx(12 / 43)


def test_what_cannot_be_looked_into_is_refused():
    mass = lw.Particle(point="A", mass=2)
    hand = lw.Sampled("hand", period=0.1, reads=["A.x", "A.vx"], sets=["F"], call=lambda t, x, v: -3 * x - v)
    push = lw.Force(point="A", components=("F - A.x", "-A.y"))
    start = lw.InitialValues(positions={"A": (1, 0)})
    model = lw.Model(lw.Mechanism(particles=[mass], forces=[push], controllers=[hand], start=start))
    for ask in (model.equilibrium, model.linearize):
        with pytest.raises(lw.InputError, match="controller 'hand': it is a function, into which nobody can look"):
            ask()
    stepped = slider(servo(rest="quantum: {x: 0.01}"))
    with pytest.raises(lw.InputError, match="it rounds values in steps"):
        stepped.equilibrium()
    assert any("rounds x in steps" in note for note in stepped.linearize().notes)
    apart = slider(servo(), "other: {kind: sampled, period: sqrt(2)/20, reads: {w: A.vx}, outputs: {H: -2*w}}")
    with pytest.raises(lw.SolveError, match="never meet"):
        apart.linearize()
    with pytest.raises(lw.InputError, match="controller 'servo' sets it"):
        slider(servo()).linearize(inputs=["F"])
    with pytest.raises(lw.InputError, match="not found with the sampled controller 'servo'"):
        slider(servo()).slowest(1)
    with pytest.raises(lw.LinkworkError, match="no state of this model"):
        slider(servo()).equilibrium(rod("Stops: {limit: OA.angle + 2}").simulate(0.1).final)


def test_a_model_in_discrete_time_is_written_and_answers(tmp_path):
    linear = slider(servo()).linearize("equilibrium", inputs=["A.x"], outputs=["A.x", "F"])
    assert linear.D.shape == (2, 1)
    steps = linear.step(400)
    # a constant push of 1 N is held by all stiffness together
    assert steps[-1, 0, 0] == pytest.approx(1 / 43, rel=1e-6)
    assert "every 0.05 s" in linear.text()
    for ending in ("json", "npz", "mat", "txt"):
        assert linear.save(tmp_path / f"m.{ending}").exists()
    assert linear.as_dict()["stable"] is True


# -- inverse dynamics --------------------------------------------------------------------------------

PUSHED = """
PartData: {Particles: {A: 1, B: 1}}
Connections: {Stops: {touch: B.x - A.x - 0.5}}
Motions: {A.x: 0.3*t + 0.2*t**2, A.y: 0, B.y: 0}
AppliedForces: {Forces: {B: [-B.x, 0]}}
ProblemData: {tend: 2, positions: {A: [0, 0], B: [0.5, 0]}, velocities: {A: [0.3, 0], B: [0.3, 0]}}
"""


def test_forces_of_a_motion_go_through_what_is_pressed():
    motion = lw.loads(PUSHED).simulate(2)
    forces = motion.inverse()
    np.testing.assert_allclose(forces["A.x"], 0.8 + motion["B.x"], rtol=1e-9)
    with pytest.raises(lw.SolveError, match="stop 'touch' would have to pull at t = 0"):
        motion.inverse("B.x", "A.y", "B.y")


def test_motions_of_others_that_meet_stops_or_events_have_no_forces():
    free = lw.loads(PRESSED).simulate(4)
    with pytest.raises(lw.InputError, match="it meets stop 'floor' at t = "):
        lw.loads(PRESSED + FLOORS["stop"]).inverse(free, actuators=["A.x", "A.y"])
    lock = "Connections: {Relations: {lock: {formula: A.x - 0.05, active: no}}}\n"
    event = "Events: {shut: {when: A.x - 0.05, direction: falling, on: [lock]}}\n"
    with pytest.raises(lw.InputError, match="event 'shut' happens at t = "):
        lw.loads(PRESSED + lock + event).inverse(free, actuators=["A.x", "A.y"])


def test_equilibria_of_servos_are_followed():
    text = SLIDER.format(controllers=servo().replace("40", "P"), stops="").replace(
        "Inputs:", "PhysicalParams: {P: 40}\nInputs:"
    )
    over = lw.loads(text).statics({"P": [10, 40, 100]})
    np.testing.assert_allclose(over["A.x"], [3 / 13, 12 / 43, 30 / 103], rtol=1e-10)
    assert over.stable.tolist() == [True, True, True]
