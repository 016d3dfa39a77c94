"""Laws of reactions and accelerations, and implicit variables, in exports: what is found at each instant is ours."""

import numpy as np
import pytest

import linkwork as lw
from exports import compare, tell

RUBBING = "4*sin(3*t) - mu*floor.force*tanh({v}/v0) - 0.2*{a}"
VALUES = {"m": 2, "g": 9.81, "mu": 0.3, "v0": 0.1}


def block():
    """A block on a rough floor that is pushed to and fro and up and down."""
    return lw.lagrangian(
        "x y", "m*(x'**2 + y'**2)/2 - m*g*y", constraints={"floor": "y"}, parameters=VALUES, start={"x'": 0.5},
        forces={"x": RUBBING.format(v="x'", a="x''"), "y": "-2*cos(3*t)"}, tend=2, title="block",
    )  # fmt: skip


def pendulum():
    """A pendulum whose pivot rubs the more the harder it is pulled, which in turn slows it down."""
    torque = "-0.02*sqrt(1 + OA.O.fx**2 + OA.O.fy**2)*tanh(OA.omega/0.1)"
    return lw.Model(
        lw.Mechanism(
            fixed={"O": ()}, gravity=(0, -9.81), rigids=[lw.Rigid.rod("OA", 1, 2)],
            torques=[lw.Torque(part="OA", value=torque)],
            start=lw.InitialValues(positions={"A": (1, 0)}, tend=1.5), title="pendulum",
        )
    )  # fmt: skip


def implicit():
    formula = "F + F**3/k + x - x'"
    return lw.lagrangian(
        "x", "x'**2/2", variables={"F": lw.Implicit(formula=formula)}, parameters={"k": 3}, forces={"x": "F"},
        start={"x": 1}, tend=2, title="implicit",
    )  # fmt: skip


def sledge():
    """The same block as a tree of one body that slides along two axes."""
    tree = lw.Tree("sledge", gravity="g", parameters=VALUES)
    body = tree.add_body("A", translate=("x", "z"), mass="m", inertia=0)
    tree.add_constraint("floor", "q2")
    tree.add_force("push", along=tree.ground.x, magnitude=RUBBING.format(v="u1", a="u1'"), at=body)
    tree.add_force("load", along=tree.ground.z, magnitude="-2*cos(3*t)", at=body)
    return tree.model(start={"q1'": 0.5}, tend=2)


def arm():
    """A tree that turns in space, whose moments depend on accelerations of speeds that are no rates of coordinates."""
    tree = lw.Tree("arm", gravity=9.81, parameters={"k": 3})
    upper = tree.add_body("A", rotate="y", mass=1, inertia=[0.1, 0.2, 0.1], centre=(0, 0, -0.5))
    hand = {"mass": 1, "inertia": [0.1, 0.2, 0.1], "centre": (0, 0, -0.5)}
    tree.add_body("B", parent=upper, joint_at=(0, 0, -1), rotate="xyz", **hand)
    tree.add_implicit("v", "v + v**3 - q1 - 0.1*u2'", guess=0.1)
    tree.add_implicit("w", "w + 0.3*v + 0.05*u1' - u3 + 0.1*tanh(w)", guess=0.1)
    tree.add_moment("pull", along=tree.ground.y, magnitude="-k*v - w - 0.1*u3'", on=upper)
    return tree.model(start={"q1": 0.2, "q2": 0.3}, tend=1)


@pytest.mark.parametrize("target", ["c", "fortran", "python", "julia"])
@pytest.mark.parametrize("make", [block, implicit, sledge, arm])
def test_what_belongs_to_the_same_instant_is_found_as_ours(tmp_path, make, target):
    model = make()
    names, table = compare(model, model.export(target, tmp_path / target), target, "--samples", 7)
    seen = model.simulate(2, tol=1e-13).at(table[:, 0])
    name = next(name for name in ("floor.force", "F", "w") if name in names)
    np.testing.assert_allclose(table[:, names.index(name)], seen[name], rtol=1e-10)


@pytest.mark.parametrize(
    ("make", "target"),
    [(block, "rust"), *(pytest.param(*way, marks=pytest.mark.long) for way in ((implicit, "rust"), (block, "matlab")))],
)
def test_rust_and_octave_find_what_belongs_to_the_same_instant(tmp_path, make, target):
    model = make()
    compare(model, model.export(target, tmp_path / target), target, "--samples", 4)


def test_reactions_at_a_pivot_are_found_in_exports(tmp_path):
    model = pendulum()
    compare(model, model.export("c", tmp_path / "c"), "c", "--samples", 7)


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_units_find_them_too(tmp_path, kind):
    fmpy = pytest.importorskip("fmpy", reason="units are checked with FMPy")
    model = block()
    folder = model.export("fmu3", tmp_path / "fmu3")
    found = fmpy.simulate_fmu(
        str(folder / "block.fmu"), fmi_type=kind, stop_time=2, relative_tolerance=1e-10, output_interval=0.25,
        output=["x", "floor.force"],
    )  # fmt: skip
    seen = model.simulate(2, tol=1e-13).at(found["time"])
    np.testing.assert_allclose(found["x"], seen["x"], atol=1e-5)
    np.testing.assert_allclose(found["floor.force"], seen["floor.force"], atol=1e-5)


def near(f, count):
    """States around the start."""
    return f.start + 0.1 * np.random.default_rng(2).normal(size=(count, len(f.start)))


COMPILED = [pytest.param(True, marks=pytest.mark.needs_compiler), False]


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize("make", [block, pendulum, implicit])
def test_functions_of_arrays_find_what_belongs_to_the_same_instant(make, compiled):
    model = make()
    f, motion = model.rhs(compiled=compiled), model.simulate(1, tol=1e-13)
    times = np.linspace(0.1, 1, 4)
    seen = motion.at(times)
    moving = [name for name in f.names if name in motion.system.coordinates]
    columns = [motion.system.index[name] for name in moving]
    assert f.names[len(moving)] == f"{moving[0]}'"
    x = np.column_stack([seen.q[:, columns], seen.u[:, columns]])
    np.testing.assert_allclose(f(times, x)[:, len(moving) :], seen.a[:, columns], rtol=0, atol=1e-9)
    alone = [f(t, one) for t, one in zip(times.tolist(), x, strict=True)]
    np.testing.assert_array_equal(f(times, x), alone)
    lam = f.multipliers(times, x)
    np.testing.assert_allclose(f.residual(times, x, f(times, x), lam), 0, atol=1e-11)


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize("make", [block, pendulum, implicit, sledge, arm, lambda: lw.load("examples/brake-shoe.yaml")])
def test_jacobians_follow_what_belongs_to_the_same_instant(make, compiled):
    f, h = make().rhs(compiled=compiled), 1e-5
    for x in near(f, 3):
        steps = h * np.eye(len(x))
        differences = ((f(0.3, x + steps) - f(0.3, x - steps)) / (2 * h)).T
        J = f.jacobian(0.3, x)
        np.testing.assert_allclose(J, differences, rtol=0, atol=1e-6 * np.abs(J).max())


def two_bearings():
    """Two values at once, whose laws need each other: rubbing at both ends of an arm, of which each loads the other."""
    law = "-0.3*hypot({0}.fx, {0}.fy)*tanh({1}/0.2)"
    return lw.Model(
        lw.Mechanism(
            fixed={"O": ()}, gravity=(0, -9.81), title="arm",
            rigids=[lw.Rigid.rod("OA", 1, 2), lw.Rigid.rod("AB", 0.7, 1)],
            torques=[
                lw.Torque(part="OA", value=law.format("OA.O", "OA.omega").replace("hypot", "max")),
                lw.Torque(part="AB", value=law.format("AB.A", "(AB.omega - OA.omega)").replace("hypot", "max")),
            ],
            start=lw.InitialValues(positions={"A": (1, 0), "B": (1.7, 0)}, tend=1),
        )
    )  # fmt: skip


@pytest.mark.parametrize("compiled", COMPILED)
def test_values_that_need_each_other_change_together(compiled):
    f, h = two_bearings().rhs(compiled=compiled), 1e-5
    assert len(f._part("rhs")._x.settled) > 1
    for x in near(f, 3):
        steps = h * np.eye(len(x))
        J, differences = f.jacobian(0.0, x), ((f(0.0, x + steps) - f(0.0, x - steps)) / (2 * h)).T
        np.testing.assert_allclose(J, differences, rtol=0, atol=1e-6 * np.abs(J).max())


@pytest.mark.parametrize("make", [block, pendulum, implicit, sledge, arm])
def test_rates_in_a_state_of_a_motion_are_the_limit_of_differences_of_it(make):
    model, h = make(), 1e-4
    motion = model.simulate(1, tol=1e-13)
    f = model.rhs(at=motion.at(0.4), compiled=False)
    before, after = (model.rhs(at=motion.at(0.4 + step), compiled=False).start for step in (-h, h))
    np.testing.assert_allclose(f(0.4, f.start), (after - before) / (2 * h), rtol=0, atol=1e-5)


@pytest.mark.parametrize("compiled", COMPILED)
def test_laws_that_nothing_satisfies_have_no_rates(compiled):
    model = lw.lagrangian(
        "x", "x'**2/2", variables={"F": lw.Implicit(formula="F**2 + x", guess=1)}, forces={"x": "F"}, start={"x": -1},
        title="root",
    )  # fmt: skip
    f = model.rhs(compiled=compiled)
    # each state by itself: F**2 = 4, F**2 = -1
    np.testing.assert_allclose(f(0.0, [[-4, 0], [1, 3]]), [[0, 2], [3, np.nan]], rtol=1e-14)


def test_formulas_of_such_values_are_refused_in_words():
    f = implicit().rhs(compiled=False)
    with pytest.raises(lw.LinkworkError, match=r"F\*x is no formula of places and speeds. Make it a variable"):
        f.values(0.0, f.start, "F*x")


@pytest.mark.parametrize("target", ["c", "fortran", "python", "julia", pytest.param("rust", marks=pytest.mark.long)])
def test_jacobians_of_such_models_are_written(tmp_path, target):
    tell(pendulum().export(target, tmp_path / target, jacobian=True), target, "--samples", 2)
