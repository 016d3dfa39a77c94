"""Forces of constraints, accelerations, variables by equations and opaque functions in Lagrangians and in trees."""

import numpy as np
import pytest

import linkwork as lw

RUBBING = "4*sin(3*t) - mu*floor.force*tanh({v}/v0) - 0.2*{a}"
VALUES = {"m": 2, "g": 9.81, "mu": 0.3, "v0": 0.1}


@pytest.fixture(scope="module", autouse=True)
def resistance():
    """Two functions of the same numbers; one of them nobody can trace."""
    lw.function("hidden_drag", lambda v: -0.3 * v * abs(v), opaque=True)


def block(**more):
    """A block on a rough floor that is pushed to and fro and up and down."""
    forces = {"x": RUBBING.format(v="x'", a="x''"), "y": "-2*cos(3*t)"}
    return lw.lagrangian(
        "x y", "m*(x'**2 + y'**2)/2 - m*g*y", constraints={"floor": "y"},
        **{"parameters": VALUES, "forces": forces, "start": {"x'": 0.5}, **more},
    )  # fmt: skip


def particle():
    force = lw.Force(point="A", components=(RUBBING.format(v="A.vx", a="A.ax"), "-2*cos(3*t)"))
    return lw.Model(
        lw.Mechanism(
            parameters=VALUES,
            particles=[lw.Particle(point="A", mass="m")],
            gravity=(0, "-g"),
            relations=[lw.Relation(name="floor", formula="A.y")],
            forces=[force],
            start=lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (0.5, 0)}),
        )
    )


def sledge(magnitude, **more):
    """The same block as a tree of one body that slides along two axes."""
    tree = lw.Tree("block", gravity="g", parameters=VALUES)
    body = tree.add_body("A", translate=("x", "z"), mass="m", inertia=0)
    tree.add_constraint("floor", "q2")
    tree.add_force("push", along=tree.ground.x, magnitude=magnitude, at=body)
    tree.add_force("load", along=tree.ground.z, magnitude="-2*cos(3*t)", at=body)
    return tree.model(start={"q1'": 0.5}, **more)


@pytest.mark.parametrize("how", [{}, {"method": "rk8"}, {"compiled": False}])
def test_friction_by_the_force_of_a_constraint_is_that_of_a_mechanism(how):
    wanted = particle().simulate(2, tol=1e-11).final
    for model, name in ((block(), "x"), (sledge(RUBBING.format(v="u1", a="u1'")), "q1")):
        motion = model.simulate(2, tol=1e-11, **how)
        assert motion.final[name] == pytest.approx(wanted["A.x"], abs=1e-9)
        assert motion.final["floor.force"] == pytest.approx(2 * 9.81 + 2 * np.cos(6), abs=1e-9)
        assert motion.audit().ok, motion.audit().text()


@pytest.mark.parametrize("method", ["hht", "baumgarte"])
def test_other_methods_find_the_same(method):
    exact, motion = block().simulate(1, tol=1e-11).final, block().simulate(1, tol=1e-7, method=method)
    assert motion.final["x"] == pytest.approx(exact["x"], abs=1e-4)
    assert motion.audit().ok, motion.audit().text()


def test_other_numbers_are_those_of_a_new_description():
    one, other = block().with_parameters(mu=0.1), block(parameters={**VALUES, "mu": 0.1})
    assert one.simulate(1).final["x"] == pytest.approx(other.simulate(1).final["x"], abs=1e-14)


def test_a_block_sticks_in_time_by_the_force_of_its_constraint():
    rub = lw.Friction(name="rub", speed="x'", limit="mu*abs(floor.force)")
    motion = block(frictions=[rub], forces={}, start={"x'": 2}).simulate(2)
    (stuck,) = motion.events
    assert stuck.t == pytest.approx(2 / (0.3 * 9.81), abs=1e-13)
    assert motion.final["x"] == pytest.approx(2 / (0.3 * 9.81), abs=1e-12)
    assert motion.audit().ok


def test_a_variable_by_an_equation_is_solved():
    variables = {"v": lw.Implicit(formula="v + v**3 - x", guess=0.5), "F": "-k*v"}
    model = lw.lagrangian("x", "x'**2/2", variables=variables, parameters={"k": 3}, forces={"x": "F"}, start={"x": 1})
    motion = model.simulate(2, tol=1e-11)
    v = motion["v"]
    assert v + v**3 == pytest.approx(motion["x"], abs=1e-12)
    # with x = v + v³ the energy x'²/2 + k (v²/2 + 3 v⁴/4) is kept
    energy = motion["x'"] ** 2 / 2 + 3 * (v**2 / 2 + 3 * v**4 / 4)
    assert energy == pytest.approx(np.full(len(v), energy[0]), abs=1e-10)
    assert motion.audit().ok

    tree = lw.Tree("spring", parameters={"k": 3})
    body = tree.add_body("A", translate=("x",), mass=1, inertia=0)
    tree.add_implicit("v", "v + v**3 - q1", guess=0.5)
    tree.add_force("pull", along=tree.ground.x, magnitude="-k*v", at=body)
    assert tree.model(start={"q1": 1}).simulate(2, tol=1e-11).final["v"] == pytest.approx(float(v[-1]), abs=1e-10)


def test_an_opaque_function_resists_as_its_formula_does():
    slide = lw.Tree("slide", parameters={"m": 1})
    body = slide.add_body("A", translate=("x",), mass="m", inertia=0)
    slide.add_force("drag", along=slide.ground.x, magnitude="hidden_drag(u1)", at=body)
    model = lw.lagrangian("x", "x'**2/2", forces={"x": "hidden_drag(x')"}, start={"x'": 2})
    for one, speed in ((model, "x'"), (slide.model(start={"q1'": 2}), "q1'")):
        motion = one.simulate(1)
        assert motion.final[speed] == pytest.approx(2 / (1 + 0.3 * 2), abs=1e-10)
        assert motion.method.name == "rk8" and motion.audit().ok


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"constraints": {"floor": "y + x''"}},
            "constraint 'floor': it cannot depend on x'', which follows from the f",
        ),
        ({"forces": {"x": "wall.force"}}, r"force 'x': unknown name 'wall\.force'"),
        ({"forces": {"x": "z''"}}, "force 'x': unknown name 'z'''. Did you mean 'y'''"),
        ({"energy": "hidden_drag(x')"}, "L: it cannot depend on a call of 'hidden_drag', whose slopes are not known"),
        ({"forces": {"x": "hidden_drag(x'')"}}, "it is called with x'', which follows from the forces that it is call"),
        ({"forces": {"x": "hidden_drag(z)"}}, "force 'x': unknown name 'z'"),
    ],
)
def test_what_makes_no_sense_is_told(more, words):
    given = {"energy": "x'**2/2 + y'**2/2", **more}
    with pytest.raises(lw.InputError, match=words):
        lw.lagrangian("x y", given.pop("energy"), **given)
