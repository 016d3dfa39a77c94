"""Speeds of the user's own and dependent ones: other words for the same motion."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations.kane import Kane
from linkwork.equations.reduction import Reduced, solve_linear
from linkwork.symbolic import ZERO, cos, evaluate, sin, symbol
from linkwork.symbolic.simplify import canonical, simplify
from linkwork.vectors import VectorError

VALUES = {"m": 2.0, "J": 0.5, "a": 0.3}


def sledge() -> lw.Tree:
    tree = lw.Tree("sledge", parameters=VALUES)
    tree.add_body("body", translate="xy", rotate="z", mass="m", inertia=(0, 0, "J"), centre=("a", 0, 0))
    tree.choose_speeds({"v": "cos(q3)*q1' + sin(q3)*u2", "side": "cos(q3)*u2 - sin(q3)*u1"}, instead_of=["u1", "u2"])
    return tree


def test_chaplygins_sleigh_in_two_speeds_has_its_textbook_equations():
    tree = sledge()
    tree.add_velocity_constraint("edge", "side", dependent="side")
    found = Reduced(kane=Kane(tree=tree))
    v, w = found.speeds
    assert (v.name, w.name) == ("v", "u3")
    m, J, a = map(symbol, ("m", "J", "a"))
    assert found.mass == {(0, 0): m, (1, 1): J + m * a**2}
    for f, expected in zip(found.forces, [m * a * w**2, -m * a * v * w], strict=True):
        assert canonical(f - expected) is ZERO


def test_reduced_equations_have_the_accelerations_of_the_motion_with_multipliers():
    tree = sledge()
    body = tree.bodies[0]
    tree.add_force("wind", along=tree.ground.x, magnitude="1 + sin(t)", at=body)
    tree.add_velocity_constraint("edge", "side", dependent="side")
    motion = tree.model(start={"q1'": 1, "q3'": 2}).simulate(2)
    state, found = motion.at(1.3), Reduced(kane=Kane(tree=tree))
    values = VALUES | {"t": 1.3} | {name: float(state[name]) for name in ("q1", "q2", "q3", "v", "u3")}
    M = np.zeros((2, 2))
    for (i, j), entry in found.mass.items():
        M[i, j] = M[j, i] = evaluate(entry, values)
    rates = np.linalg.solve(M, [evaluate(f, values) for f in found.forces])
    np.testing.assert_allclose(rates, [state.velocity("v"), state.velocity("u3")], rtol=1e-9)
    assert motion.audit().ok


def test_chosen_speeds_without_constraints_balance_as_those_of_the_tree():
    tree = lw.Tree("top", gravity=9.81, parameters={"m": 1.5, "l": 0.4, "J": 0.2})
    tree.add_body("top", rotate="zxz", mass="m", inertia=("J", "J", "J/2"), centre=(0, 0, "l"))
    kane = Kane(tree=tree)
    tree.choose_speeds({"p": "u1 + 2*u2", "r": "u2 - cos(q1)*u3", "s": "q2'"}, instead_of=["u1", "u2", "u3"])
    found = Reduced(kane=kane)
    rng = np.random.default_rng(5)
    values = {"m": 1.5, "l": 0.4, "J": 0.2} | {f"{x}{i}": rng.uniform(0.3, 1.2) for x in "qu" for i in (1, 2, 3)}
    values |= {v.name: evaluate(expr, values) for v, expr in tree.chosen.items()}
    both = []
    for equations in (kane, found):
        M = np.zeros((3, 3))
        for (i, j), entry in equations.mass.items():
            M[i, j] = M[j, i] = evaluate(entry, values)
        both.append(np.linalg.solve(M, [evaluate(f, values) for f in equations.forces]))
    # v' = d/dt of what v is by u, with the u' of the tree
    memory, step = tree.ground.memory, dict(zip(kane.speeds, both[0], strict=True))
    for v, expr, rate in zip(tree.chosen, tree.chosen.values(), both[1], strict=True):
        known = values | {f"{u.name}'": a for u, a in step.items()}
        assert evaluate(memory.rate(expr), known) == pytest.approx(rate, rel=1e-11), v


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda t: t.choose_speeds({"v": "u1"}, instead_of=["u9"]), "u9 is no speed"),
        (lambda t: t.choose_speeds({"v": "u1"}, instead_of=["u1", "u2"]), "1 speeds instead of 2"),
        (lambda t: t.choose_speeds({"v": "u1*u2"}, instead_of=["u1"]), "'v' is not linear"),
        (lambda t: t.choose_speeds({"v": "u1 + 1"}, instead_of=["u1"]), "'v' is not linear"),
        (lambda t: t.choose_speeds({"u2": "u1"}, instead_of=["u1"]), "something called 'u2' already"),
        (lambda t: t.add_velocity_constraint("h", "u1", dependent="x"), "'x' is no free speed"),
    ],
)
def test_speeds_that_cannot_be_are_told_in_words(wrong, words):
    tree = lw.Tree("sledge", parameters=VALUES)
    tree.add_body("body", translate="xy", rotate="z", mass="m", inertia=(0, 0, "J"))
    with pytest.raises(VectorError, match=words):
        wrong(tree)


def test_speeds_that_do_not_determine_others_are_told():
    x, y = symbol("x", kind="speed"), symbol("y", kind="speed")
    with pytest.raises(VectorError, match="do not determine x, y"):
        solve_linear([x + y, 2 * x + 2 * y - 1], [x, y], "they")


def test_simplifying_ends_and_never_makes_longer():
    q, l = symbol("q", kind="coordinate"), symbol("l")
    turned = sin(q) * (l * sin(q) + cos(q)) + cos(q) * (l * cos(q) - sin(q))
    assert simplify(turned) is l
    assert simplify(simplify(turned + q * turned)) == simplify(turned + q * turned)
    assert simplify(l + q, lambda e: e * 2 / 2 + l - l) == l + q


def test_an_inertia_that_no_body_has_is_a_warning_and_no_refusal():
    tree = lw.Tree("plate", parameters={"J": 5})
    tree.add_body("plate", rotate="xyz", mass=1, inertia=(1, 2, "J"))
    with pytest.warns(lw.ModelWarning, match="body 'plate': no body has this inertia: .* 1, 2 and 5"):
        model = tree.model(start={"q1'": 1, "q2'": 0.1})
    assert model.simulate(1).audit().ok


# -- speeds of a motion ------------------------------------------------------------------------------------------------


def floating() -> lw.Tree:
    tree = lw.Tree("floating", gravity="g", parameters={"g": 9.81, "w": 0.7})
    A = tree.add_body("A", translate="xyz", rotate="zxz", mass=2, inertia=(0.3, 0.5, 0.6), centre=(0.1, 0.05, 0.2))
    tree.add_body("B", parent=A, joint_at=(0.5, 0, 0), rotate="y", mass=1, inertia=(0.1, 0.2, 0.2), centre=(0, 0, 1))
    return tree


PLACE = {"q1": 0.3, "q4": 0.4, "q5": 1.1, "q6": -0.3, "q7": 0.2}
SPEEDS = {"u1": 1.5, "u3": -0.5, "u4": "w", "u5": "2*w - 0.3", "u7": 2}


def test_a_start_by_speeds_has_these_speeds_and_moves_as_one_by_their_rates():
    tree = floating()
    motion = tree.model(start=PLACE | SPEEDS).simulate(0.3, tol=1e-11)
    wanted = {"u1": 1.5, "u2": 0, "u3": -0.5, "u4": 0.7, "u5": 1.1, "u6": 0, "u7": 2}
    start = motion.at(0.0)
    assert {name: float(start[name]) for name in wanted} == pytest.approx(wanted, abs=1e-13)
    rates = {f"q{i}'": float(start.velocity(f"q{i}")) for i in range(1, 8)}
    other = tree.model(start=PLACE | rates).simulate(0.3, tol=1e-11)
    mechanism = lw.Model(tree.mechanism(start=PLACE | SPEEDS)).simulate(0.3, tol=1e-11)
    for axis, q in zip("xyz", ("q1", "q2", "q3"), strict=True):
        assert float(motion.final[q]) == pytest.approx(float(other.final[q]), abs=1e-11)
        assert float(motion.final[q]) == pytest.approx(float(mechanism.final[f"A.o.{axis}"]), abs=1e-9)


def test_a_start_by_speeds_has_them_where_places_move_with_time():
    tree = lw.Tree("carried")
    places = {"joint_at": ("0.1*sin(2*t)", 0, 0), "centre": (0, "0.2*t", 0)}
    tree.add_body("A", translate="xyz", rotate="xyz", mass=2, inertia=(0.3, 0.5, 0.6), **places)
    start = tree.model(start={"u1": 0.5, "u5": 0.3}, t0=0.4, tend=1).simulate().at(0.4)
    assert {name: float(start[name]) for name in ("u1", "u2", "u5", "u6")} == pytest.approx(
        {"u1": 0.5, "u2": 0, "u5": 0.3, "u6": 0}, abs=1e-13
    )


def test_speeds_that_are_fixed_at_the_start_fix_the_rates_they_make():
    model = floating().model(start=PLACE | {"u1": lw.fix(1.5), "u7": 2})
    rates = model.mechanism.start.rates
    assert rates["q1"].fixed and not rates["q7"].fixed


def test_an_event_gives_a_speed_by_an_impulse_along_it():
    """u4 is no rate of an angle; M Δu, of Kane's equations, is along it alone."""
    kick = lw.Event(name="kick", when="u4 - 0.6", then={"u4": "u4 + 1"})
    tree = floating()
    tree.add_moment("motor", along=tree.bodies[0].x, magnitude="-5", on=tree.bodies[0])
    motion = tree.model(start=PLACE | SPEEDS, events=kick).simulate(0.3)
    t, names = motion.events[0].t, [f"u{i}" for i in range(1, 8)]
    before, after = motion.at(t - 1e-9), motion.at(t + 1e-9)
    jumps = np.array([float(after[name] - before[name]) for name in names])
    values = {f"q{i}": float(after[f"q{i}"]) for i in range(1, 8)}
    M = np.zeros((7, 7))
    for (i, j), entry in Kane(tree=tree).mass.items():
        M[i, j] = M[j, i] = evaluate(entry, values)
    impulses = M @ jumps
    assert jumps[3] == pytest.approx(1, abs=1e-6) and impulses[3] > 0.1
    np.testing.assert_allclose(np.delete(impulses, 3), 0, atol=1e-6)


def test_what_passes_a_pole_moves_as_its_mechanism_does():
    """Three angles near their pole, where rates are thirty times the speeds, and no angles at all."""
    tree = lw.Tree("tumbling")
    A = tree.add_body("A", translate="xyz", rotate="xyz", mass=2, inertia=(0.3, 0.5, 0.6), centre=(0.1, 0.05, 0.2))
    start = {"q5": 1.0, "u4": 0.1, "u5": 3.0}
    one = tree.model(start=start, points={"P": A.point("tip", (1, 0, 0))}).simulate(0.5, tol=1e-11)
    other = lw.Model(tree.mechanism(start=start)).simulate(0.5, tol=1e-11)
    assert max(abs(one.velocity("q4"))) > 10 * max(abs(one["u4"]))
    for axis in "xyz":
        assert float(one.final[f"P.{axis}"]) == pytest.approx(float(other.final[f"A.ox.{axis}"]), abs=1e-8)
    assert other.stats.steps < one.stats.steps
