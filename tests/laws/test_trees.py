"""Random trees of bodies: Newton and Euler along the tree, Kane's partial velocities and Lagrange's energies agree."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from kane import by_partial_velocities
from linkwork.equations.kane import InRates, Kane, acceleration_of
from linkwork.equations.recursion import recurse
from linkwork.native.interpreter import run_program
from linkwork.program import Builder, lower, nest_sums
from linkwork.symbolic import ZERO, differentiate, evaluate, free_symbols, symbol, total_rate
from linkwork.vectors import dot, velocity

TURNS = ["x", "y", "z", "zxz", "xyz", "zyx", "xy", ()]


def random_tree(seed: int, speeds: str = "body", *, moves: bool = False) -> lw.Tree:
    """A tree of up to six bodies on joints of all kinds, of full inertia, with weight, a push and a twist.

    If it `moves`, so do many joints in their parents and mass centres in their bodies, with time and with coordinates
    of bodies before.
    """
    rng = np.random.default_rng(seed)
    tree = lw.Tree(f"tree {seed}", speeds=speeds, gravity=9.81)
    bodies: list = []

    def place() -> list:
        found = rng.normal(size=3).tolist()
        if moves and rng.random() < 0.6:
            known = [f"sin({freedom.coordinate.name})" for freedom in tree.freedoms]
            law = rng.choice(["t", "cos(3*t)", *known, *(f"t*{x}" for x in known)])
            found[rng.integers(3)] = f"{rng.normal()} + {rng.normal()}*{law}"
        return found

    for i in range(rng.integers(1, 7)):
        parent = bodies[rng.integers(len(bodies))] if bodies and rng.random() < 0.8 else None
        rotate = TURNS[rng.integers(len(TURNS))]
        slides = rng.permutation([1, 2, 3])[: rng.integers(0, 4)].tolist() if rng.random() < 0.4 else []
        if rng.random() < 0.2:
            base = parent or tree.ground
            rotate = base.x + 2 * base.y - base.z
        if not slides and rotate == ():
            rotate = "y"
        spread = rng.normal(size=(3, 3))
        second = spread @ spread.T + np.eye(3)  # of a body, whose inertia is tr S - S
        inertia = (np.trace(second) * np.eye(3) - second).tolist()
        inertia = [[inertia[min(r, c)][max(r, c)] for c in range(3)] for r in range(3)]
        bodies.append(
            tree.add_body(
                f"B{i}", parent=parent, joint_at=place(), translate=slides, rotate=rotate,
                mass=float(rng.uniform(0.5, 2)), inertia=inertia, centre=place(),
            )
        )  # fmt: skip
    last = bodies[-1]
    for n, freedom in enumerate(tree.freedoms):
        tree.add_output(f"rate_{n}", freedom.speed)
    tree.add_force("push", along=tree.ground.x + last.y, magnitude="3*cos(t)", at=last.point("P", (0.1, 0.2, 0.3)))
    twist = "1 - q1'" if moves else "1 - u1"  # u1 means another one where speeds are others
    tree.add_moment("twist", along=last.z, magnitude=twist, on=last, against=bodies[0])
    return tree


def random_state(tree: lw.Tree, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed + 1000)
    values = {"t": 0.3}
    for freedom in tree.freedoms:
        q, u = freedom.coordinate.name, freedom.speed.name
        values |= {q: rng.uniform(0.2, 1.2), u: rng.normal(), f"{u}'": rng.normal()}
    return values


@pytest.mark.parametrize("speeds", ["body", "rates"])
@pytest.mark.parametrize("seed", range(40))
def test_newton_euler_along_the_tree_is_kane(seed: int, speeds: str) -> None:
    tree = random_tree(seed, speeds)
    values = random_state(tree, seed)
    kane = Kane(tree=tree)
    rates = [values[acceleration_of(u).name] for u in kane.speeds]
    sides = []
    for mass, bias in ((kane.mass, kane.bias), by_partial_velocities(tree)):
        M = np.zeros((len(rates), len(rates)))
        for (i, j), entry in mass.items():
            M[i, j] = M[j, i] = evaluate(entry, values)
        sides.append((M, np.array([evaluate(b, values) for b in bias])))
    (M, bias), (other, expected) = sides
    np.testing.assert_allclose(M, other, rtol=0, atol=1e-12 * np.max(np.abs(other)))
    # of one body on a hinge there is no bias but rounding
    np.testing.assert_allclose(bias, expected, rtol=0, atol=max(1e-12 * np.max(np.abs(expected)), 1e-15 * np.max(M)))
    found = [evaluate(r, values) for r in recurse(tree).values()]
    np.testing.assert_allclose(found, M @ rates + bias, rtol=0, atol=1e-12 * np.max(np.abs(found)))
    assert np.min(np.linalg.eigvalsh(M)) > 0


@pytest.mark.parametrize("speeds", ["body", "rates"])
@pytest.mark.parametrize("seed", range(40))
def test_the_mass_matrix_by_composites_is_the_derivative_of_the_balance(seed: int, speeds: str) -> None:
    tree = random_tree(seed, speeds)
    values = random_state(tree, seed)
    both = []
    for composites in (True, False):
        kane = Kane(tree=tree, composites=composites)
        M = np.zeros((len(kane.speeds), len(kane.speeds)))
        for place, entry in kane.mass.items():
            M[place] = evaluate(entry, values)
        both.append(M)
    np.testing.assert_allclose(both[0], both[1], rtol=0, atol=1e-13 * np.max(np.abs(both[1])))


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(s, marks=pytest.mark.long) for s in range(8, 200))])
def test_trees_whose_places_move_have_one_motion_in_all_speeds(seed: int) -> None:
    ends = []
    for speeds in ("body", "rates"):
        tree = random_tree(seed, speeds, moves=True)
        names = [freedom.coordinate.name for freedom in tree.freedoms]
        start = {q: 0.4 + 0.1 * i for i, q in enumerate(names)} | {f"{q}'": 0.3 - 0.1 * i for i, q in enumerate(names)}
        motion = tree.model(start=start).simulate(0.05, tol=1e-12, compiled=False)
        assert motion.audit().ok, motion.audit().text()
        ends.append([float(motion.final[name]) for q in names for name in (q, f"{q}'")])
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-9, atol=1e-9)


def test_a_mass_centre_that_moves_with_a_joint_elsewhere_is_in_the_mass_matrix() -> None:
    """Composites do not know of it: M is found by differentiating."""
    tree = lw.Tree("crane")
    arm = tree.add_body("arm", rotate="z", mass=2, inertia=(0, 0, 1), centre=(1, 0, 0))
    tree.add_body("trolley", parent=arm, translate="x", mass=1, inertia=0)
    tree.add_body(
        "weight", parent=arm, joint_at=(0, 0, "q2"), rotate="x", mass=3, inertia=(1, 1, 1), centre=("2*q2", 0, 0.5)
    )
    values = {"q1": 0.3, "q2": 0.7, "q3": -0.4}
    found, (expected, _) = Kane(tree=tree).mass, by_partial_velocities(tree)
    assert evaluate(found[1, 1], values) == pytest.approx(1 + 3 * (1 + 4))
    for place, entry in expected.items():
        assert evaluate(found.get(place, ZERO), values) == pytest.approx(evaluate(entry, values), abs=1e-13)
    motion = tree.model(start={**values, "q1'": 1, "q2'": 0.5, "q3'": 2}).simulate(1)
    assert motion.audit().ok, motion.audit()


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_weight_is_the_slope_of_the_potential(seed: int) -> None:
    tree = random_tree(seed, "rates")
    values = random_state(tree, seed)
    kane = Kane(tree=tree)
    for freedom, weight in zip(tree.freedoms, kane.weights, strict=True):
        expected = -evaluate(differentiate(kane.potential, freedom.coordinate), values)
        assert evaluate(weight, values) == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_kane_is_lagrange(seed: int) -> None:
    tree = random_tree(seed)
    rates = InRates(kane=Kane(tree=tree))
    rng = np.random.default_rng(seed + 2000)
    values: dict[str, float] = {"t": 0.3}
    for freedom in tree.freedoms:
        q = freedom.coordinate.name
        values |= {q: rng.uniform(0.2, 1.2), f"{q}'": rng.normal(), f"{q}''": rng.normal()}
    T = rates.rewritten(rates.kane.kinetic)
    found = rates.along([*rates.kane.inertia().values()])
    following = {"coordinate": "speed", "speed": "acceleration"}
    for freedom in tree.freedoms:
        q = freedom.coordinate
        momentum = differentiate(T, symbol(f"{q.name}'", "speed"))
        rate = total_rate(momentum, lambda s: symbol(f"{s.name}'", following[s.kind]) if s.kind in following else 0 * s)
        expected = evaluate(rate, values) - evaluate(differentiate(T, q), values)
        assert evaluate(found[q.name], values) == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("seed", range(0, 40, 5))
def test_speeds_are_the_rates_and_the_rates_the_speeds(seed: int) -> None:
    tree = random_tree(seed)
    values = random_state(tree, seed)
    rates = Kane(tree=tree).rates()
    found = {f"{q.name}'": evaluate(rate, values) for q, rate in rates.items()}
    for freedom in tree.freedoms:
        back = evaluate(tree.definition(freedom.speed), values | found)
        assert back == pytest.approx(values[freedom.speed.name], rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", [1, 5, 9])
def test_choice_of_speeds_does_not_change_the_motion(seed: int) -> None:
    start = {f.coordinate.name: 0.3 + 0.05 * i for i, f in enumerate(random_tree(seed).freedoms)}
    motions = [random_tree(seed, speeds).model(start=start).simulate(0.5, tol=1e-11) for speeds in ("body", "rates")]
    assert all(motion.audit().ok for motion in motions)
    for name in start:
        assert motions[0].final[name] == pytest.approx(motions[1].final[name], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t: t.add_body(5),
        lambda t: t.add_body("A", rotate=5),
        lambda t: t.add_body("A", rotate="zxzx"),
        lambda t: t.add_body("A", rotate=2.5),
        lambda t: t.add_body("A", translate=object()),
        lambda t: t.add_body("A", rotate="z", small="yes"),
        lambda t: t.add_body("A", parent="B"),
        lambda t: t.add_body("A", mass=[1]),
        lambda t: t.add_body("A", inertia=(1, 2)),
        lambda t: t.add_body("A", joint_at=(1, 2)),
        lambda t: t.add_body("B", rotate="x"),
        lambda t: t.add_moment("m", along=t.ground.x, magnitude="1", on=None),
        lambda t: t.add_force("f", along=3, magnitude=1, at=t.bodies[0]),
        lambda t: t.add_force("f", along=t.ground.x, magnitude="2*(", at=t.bodies[0]),
        lambda t: t.add_force("f", along=t.ground.x, magnitude=1, at=lw.Tree().ground),
        lambda t: t.model(small="much", parameters={"m": 1}),
        lambda t: t.model(),
        lambda t: t.equations(small=99).text(),
        lambda t: lw.Tree(speeds="fast"),
    ],
)
def test_what_is_no_tree_is_told_in_words(wrong) -> None:  # type: ignore[no-untyped-def]
    tree = lw.Tree("small", gravity=9.81)
    tree.add_body("B", rotate="y", mass="m", inertia=0, centre=(1, 0, 0), small=True)
    with pytest.raises(lw.LinkworkError, match=r"\w"):
        wrong(tree)
    # nothing is left behind
    assert tree.model(parameters={"m": 1}, start={"q1": 1}).simulate(0.1).outcome == "reached t = 0.1"


def test_no_joint_at_all_is_a_body_that_is_fixed() -> None:
    tree = lw.Tree("two", gravity=9.81)
    base = tree.add_body("A", rotate=None, translate=None, mass=1, inertia=0)
    tree.add_body("B", parent=base, rotate="y", mass=1, inertia=0, centre=(1, 0, 0))
    assert [f.coordinate.name for f in tree.freedoms] == ["q1"]
    assert tree.model().simulate(0.1).audit().ok


def chain(n: int, small: bool = False) -> lw.Tree:
    tree = lw.Tree("chain", gravity="g", parameters={"l": 1.0, "m": 2.0, "J": 0.3, "g": 9.81})
    body = None
    for i in range(n):
        place = ("l", 0, 0) if i else (0, 0, 0)
        body = tree.add_body(
            f"B{i}", parent=body, joint_at=place, rotate="y", mass="m", inertia=(0, "J", 0), centre=("l/2", 0, 0),
            small=small,
        )  # fmt: skip
    return tree


def test_models_of_one_tree_with_different_orders_do_not_share_their_equations() -> None:
    tree = chain(2, small=True)
    start = {"q1": 0.3, "q2": 0.5, "q1'": 1.0, "q2'": -2.0}
    # kept while the others are made
    models = [tree.model(small=small, start=start) for small in (2, 4, 6, False)]
    ends = [float(model.simulate(0.5).final["q2"]) for model in models]
    errors = [abs(end - ends[-1]) for end in ends[:-1]]
    assert errors[0] > 3 * errors[1] > 9 * errors[2] > 0


def test_the_program_of_the_recursion_grows_by_as_much_with_each_body() -> None:
    counts = []
    for n in (5, 10, 15, 20):
        exprs = list(recurse(chain(n)).values())
        b, memo, nested = Builder(), {}, nest_sums(exprs)
        symbols = sorted(free_symbols(*exprs), key=lambda s: s.name)
        nodes = {s: b.input("q", i, s.name) for i, s in enumerate(symbols)}
        counts.append(len(b.program(r=[lower(b, e, nodes, memo, nested) for e in exprs]).nodes))
    steps = np.diff(counts)
    assert steps[0] == steps[1] == steps[2] <= 5 * 50


def test_sums_that_begin_with_others_have_the_same_values() -> None:
    exprs = list(recurse(chain(6)).values())
    symbols = sorted(free_symbols(*exprs), key=lambda s: s.name)
    rng = np.random.default_rng(3)
    values = {s.name: rng.uniform(0.5, 1.5) for s in symbols}
    found = []
    for nested in (None, nest_sums(exprs)):
        b, memo = Builder(), {}
        nodes = {s: b.input("q", i, s.name) for i, s in enumerate(symbols)}
        program = b.program(r=[lower(b, e, nodes, memo, nested) for e in exprs])
        found.append(run_program(program, {"q": [np.asarray(values[s.name]) for s in symbols]})["r"])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-13)


def blade(axis: str) -> lw.Tree:
    """A point on a rod of length l, hinged at the distance R on a hub that turns; the hinge allows small angles."""
    tree = lw.Tree("blade")
    hub = tree.add_body("hub", rotate="z", mass=0, inertia=0)
    tree.add_body(
        "blade", parent=hub, joint_at=("R", 0, 0), rotate=axis, mass="m", inertia=0, centre=("l", 0, 0), small=True
    )
    return tree


@pytest.mark.parametrize(("axis", "stiffness"), [("z", lambda R, l: R / l), ("y", lambda R, l: 1 + R / l)])
def test_a_rotating_blade_keeps_its_stiffness_by_centrifugal_force(axis, stiffness) -> None:  # type: ignore[no-untyped-def]
    # lag² = Ω² R/l and flap² = Ω² (1 + R/l); cut too soon, both would vanish
    kane = Kane(tree=blade(axis), keep=2)
    values = {"R": 0.7, "l": 1.9, "m": 2.3, "u1": 3.1, "u2": 0.0, "q1": 0.4, "q2": 1e-3}
    found = -evaluate(kane.forces[1], values) / evaluate(kane.mass[1, 1], values) / values["q2"]
    assert found == pytest.approx(3.1**2 * stiffness(0.7, 1.9), rel=1e-12)


@pytest.mark.parametrize("keep", [2, 3, 6])
def test_accelerations_of_a_skew_chain_are_wrong_by_what_is_left_out(keep: int) -> None:
    tree = lw.Tree("skew", gravity=9.81)
    upper = tree.add_body("A", rotate="y", mass=2, inertia=(0, 0.3, 0), centre=(0.5, 0, 0.4), small=True)
    tree.add_body(
        "B", parent=upper, joint_at=(1, 0, 0.3), rotate="x", mass=1, inertia=(0.1, 0.2, 0.25), centre=(0.2, 0.3, 0.5),
        small=True,
    )  # fmt: skip

    def accelerations(size: float, kept: int | None) -> np.ndarray:
        kane = Kane(tree=tree, keep=kept)
        values = {"q1": size, "q2": -0.7 * size, "u1": 0.6 * size, "u2": 0.8 * size}
        M = np.zeros((2, 2))
        for (i, j), entry in kane.mass.items():
            M[i, j] = M[j, i] = evaluate(entry, values)
        return np.linalg.solve(M, [evaluate(f, values) for f in kane.forces])

    errors = [np.max(np.abs(accelerations(size, keep) - accelerations(size, None))) for size in (0.1, 0.05)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(keep, abs=0.35)


def test_a_small_pendulum_keeps_its_restoring_force() -> None:
    tree = lw.Tree("swing", gravity="g", parameters={"g": 9.81, "l": 2.0, "m": 3.0})
    tree.add_body("rod", rotate="y", mass="m", inertia=0, centre=(0, 0, "-l"), small=True)
    kane = Kane(tree=tree, keep=2)
    ratio = kane.forces[0] / kane.mass[0, 0]
    assert evaluate(ratio, {"g": 9.81, "l": 2.0, "m": 3.0, "q1": 1e-3, "u1": 0.0}) == pytest.approx(-9.81 / 2 * 1e-3)
    full, small = (tree.model(small=small).linearize() for small in (False, True))
    np.testing.assert_allclose(small.A, full.A, atol=1e-12)


def test_mass_that_varies_and_points_that_move_do_as_the_rule_of_newton_for_bodies_says() -> None:
    # a cart whose mass leaks away without push: m(t) v' = F; a point that moves in it has the speed of both
    tree = lw.Tree("leaking", parameters={"m": 3.0, "k": 0.5, "F": 2.0})
    cart = tree.add_body("cart", translate="x", mass="m - k*t", inertia=0)
    tree.add_force("push", along=tree.ground.x, magnitude="F", at=cart)
    walker = cart.point("walker", ("0.2*t**2", 0, 0))
    tree.add_output("walking", dot(velocity(walker), tree.ground.x))
    kane = Kane(tree=tree)
    assert evaluate(kane.forces[0], {"F": 2.0, "t": 1.0, "u1": 5.0}) == 2.0
    assert evaluate(kane.mass[0, 0], {"m": 3.0, "k": 0.5, "t": 1.0}) == 2.5
    motion = tree.model(start={"q1": 0}).simulate(2)
    assert motion.final["u1"] == pytest.approx(2 / 0.5 * np.log(3 / 2), rel=1e-10)
    assert motion.final["walking"] == pytest.approx(motion.final["u1"] + 0.8, rel=1e-12)
