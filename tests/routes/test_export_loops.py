"""Laws of reactions and accelerations, and implicit variables, in exports: what is found at each instant is ours."""

import numpy as np
import pytest

import linkwork as lw
from exports import compare

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


@pytest.mark.parametrize("target", ["c", "fortran", "python"])
@pytest.mark.parametrize("make", [block, implicit])
def test_what_belongs_to_the_same_instant_is_found_as_ours(tmp_path, make, target):
    model = make()
    names, table = compare(model, model.export(target, tmp_path / target), target, "--samples", 7)
    seen = model.simulate(2, tol=1e-13).at(table[:, 0])
    name = "floor.force" if "floor.force" in names else "F"
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
