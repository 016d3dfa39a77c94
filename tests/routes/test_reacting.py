"""Inputs, events that act, stops, friction and sampled controllers of Lagrangians and trees.

Against mechanisms of parts and closed forms: it is one mechanism, told in two ways.
"""

import numpy as np
import pytest

import linkwork as lw
from linkwork.symbolic import cos, sin

THRUSTER = {
    "inputs": {"fire": 0, "off": 0, "pulses": 0},
    "events": [
        lw.Event(
            name="below", when="error + dead", direction="falling",
            then={"fire": 1, "off": "select(fire < 1, t + least, off)",
                  "pulses": "select(fire < 1, pulses + 1, pulses)"},
        ),
        lw.Event(
            name="above", when="error - dead", direction="rising",
            then={"fire": -1, "off": "select(fire > -1, t + least, off)",
                  "pulses": "select(fire > -1, pulses + 1, pulses)"},
        ),
        lw.Event(name="back", when="abs(error) - dead", direction="falling", then={"fire": "select(t < off, fire, 0)"}),
        lw.Event(
            name="over", when="t - off", direction="rising", then={"fire": "select(abs(error) > dead, fire, 0)"}
        ),
    ],
}  # fmt: skip
VALUES = {"J": 316, "arm": 0.21, "F": 1, "G": 2, "dead": 0.0025, "least": 0.02}


def by_energies():
    return lw.lagrangian(
        "q", "J*q'**2/2", forces={"q": "arm*F*fire"}, variables={"error": "q + G*q'"}, parameters=VALUES,
        start={"q": 0.003, "q'": -0.002}, **THRUSTER,
    )  # fmt: skip


def by_a_tree():
    tree = lw.Tree("bus", inputs=THRUSTER["inputs"], parameters=VALUES)
    bus = tree.add_body("bus", rotate="z", mass=0, inertia=(0, 0, "J"))
    tree.add_moment("thruster", along=bus.z, magnitude="arm*F*fire", on=bus)
    tree.add_output("error", "q1 + G*u1")
    return tree.model(start={"q1": 0.003, "q1'": -0.002}, events=THRUSTER["events"])


@pytest.mark.parametrize(("make", "name"), [(by_energies, "q"), (by_a_tree, "q1")])
def test_thrusters_fire_as_in_the_file(make, name, load_example):
    expected = load_example("thruster").simulate(6, tol=1e-12)
    motion = make().simulate(6, tol=1e-12)
    assert motion.audit().ok
    assert motion.final["pulses"] == expected.final["pulses"] > 5
    assert motion.final[name] == pytest.approx(expected.final["OAB"], abs=1e-12)
    assert [event.name for event in motion.events] == [event.name for event in expected.events]
    np.testing.assert_allclose([e.t for e in motion.events], [e.t for e in expected.events], atol=1e-10)


def test_a_ball_bounces_as_one_of_parts():
    ball = lw.lagrangian(
        "x", "m*x'**2/2 - m*g*x", parameters={"m": 2, "g": 9.81}, start={"x": 1}, inputs={"hits": 0},
        stops=lw.Stop(name="floor", gap="x", restitution=0.8),
        events=lw.Event(name="low", when="x - 0.1", direction="falling", then={"hits": "hits + 1"}),
    )  # fmt: skip
    motion = ball.simulate(2)
    first = np.sqrt(2 / 9.81)
    hits = [event.t for event in motion.events if event.name == "floor"]
    np.testing.assert_allclose(hits, [first, first * 2.6, first * (2.6 + 2 * 0.64)], rtol=1e-12)
    assert motion.final["hits"] == 3 and motion.audit().ok


def test_friction_brakes_and_holds():
    block = lw.lagrangian(
        "x", "m*x'**2/2", parameters={"m": 2, "R": 4}, start={"x'": 3}, forces={"x": "t"},
        frictions=lw.Friction(name="brake", speed="x'", limit="R"),
    )  # fmt: skip
    motion = block.simulate(5)
    # 2 v' = t - 4 until v = 0, then it sticks until t = 4, then it slides again
    stops = [event.t for event in motion.events]
    assert stops[0] == pytest.approx(2.0, rel=1e-12) and stops[1] == pytest.approx(4.0, rel=1e-10)
    assert motion.final["x'"] == pytest.approx(0.25, rel=1e-10) and motion.audit().ok


def test_a_sampled_controller_of_a_lagrangian_is_the_sequence_of_its_steps():
    servo = lw.Sampled("servo", period=0.1, reads={"y": "x"}, outputs={"tau": "-2*y - x'"}, memory={"n": "n + 1"})
    given = {"start": {"x": 1}, "inputs": {"tau": 0, "n": 0}, "forces": {"x": "tau"}}
    model = lw.lagrangian("x", "x'**2/2", controllers=servo, **given)
    motion = model.simulate(1.05)
    x, v, h = 1.0, 0.0, 0.1
    for _ in range(10):
        f = -2 * x - v
        x, v = x + h * v + h * h / 2 * f, v + h * f
    assert motion.at(1.0)["x"] == pytest.approx(x, rel=1e-12) and motion.at(1.0)["x'"] == pytest.approx(v, rel=1e-12)
    assert motion.final["n"] == 11 and motion.audit().ok


def test_a_stepper_steers_a_tree():
    tree = lw.Tree("cart", inputs={"f": 0})
    cart = tree.add_body("cart", translate="x", mass=2, inertia=0)
    tree.add_force("push", along=tree.ground.x, magnitude="f", at=cart)
    stepper = tree.model(start={"q1": 1}).stepper()
    stepper.step(0.5, f=4.0)
    stepper.step(0.5, f=0.0)
    assert stepper["q1"] == pytest.approx(1 + 0.25 + 0.5, rel=1e-12) and stepper["u1"] == pytest.approx(1.0)


def test_constraints_of_a_lagrangian_go_on_and_off():
    model = lw.lagrangian(
        "x y", "(x'**2 + 2*y'**2)/2", constraints={"same": "x - y"}, off="same", start={"x": 0, "x'": 3, "y": 1},
        events=[
            lw.Event(name="meet", when="x - y", direction="rising", on="same"),
            lw.Event(name="part", when="x - 2", direction="rising", off="same", then={"x'": "2*x'"}),
        ],
    )  # fmt: skip
    motion = model.simulate(2)
    # they meet at 1/3, go on together at speed 1 until 4/3
    assert motion.at(1.0)["y'"] == pytest.approx(1.0) and motion.audit().ok
    assert motion.final["x"] == pytest.approx(2 + 2 * 2 / 3) and motion.final["y"] == pytest.approx(2 + 2 / 3)


def test_speeds_of_a_tree_jump_by_their_own_names():
    tree = lw.Tree("top", parameters={"J": 2})
    tree.add_body("top", rotate="xyz", mass=0, inertia=("J", "J", "J"))
    kick = lw.Event(name="kick", when="t - 1", then={"u2": "u2 + 0.5"})
    motion = tree.model(start={"q1'": 0.1}, events=kick).simulate(2)
    assert motion.final["u2"] == pytest.approx(0.5) and motion.final["u1"] == pytest.approx(0.1)
    assert motion.audit().ok


def test_a_lagrangian_in_one_kernel_and_in_many_makes_one_motion(monkeypatch):
    def energy(q, u):
        vx = vy = y = total = 0
        for i in range(4):
            vx, vy, y = vx + u.q[i] * cos(q.q[i]), vy + u.q[i] * sin(q.q[i]), y - cos(q.q[i])
            total = total + (vx**2 + vy**2) / 2 - 9.81 * y
        return total

    ends = []
    for fused in (0, 64):
        monkeypatch.setattr("linkwork.equations.lagrangian.FUSED", fused)
        model = lw.lagrangian("q[4]", energy, start={"q1": 0.5, "q3": -0.2})
        assert (len(model.system.terms) == 1) == (fused > 0)
        ends.append(model.simulate(1, tol=1e-12).final.q)
    np.testing.assert_allclose(*ends, atol=1e-11)
