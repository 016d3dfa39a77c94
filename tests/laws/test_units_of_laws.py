"""Units by dimension: what laws tell is what a change of units asks for, and what contradicts is told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwork as lw
from conftest import ROOT
from known.satellite import VALUES, satellite
from linkwork.equations.kane import Kane
from linkwork.results.curves import find_curves
from linkwork.symbolic import evaluate, units
from linkwork.symbolic.parse import parse
from linkwork.symbolic.units import Dimensions, read_unit, write_unit
from linkwork.vectors import VectorError

IMPOSSIBLE = pytest.mark.filterwarnings("ignore:body 'B'. no body has this inertia")
POWERS = st.dictionaries(st.sampled_from(["kg", "m", "s", "rad", "V"]), st.integers(-3, 3).filter(bool))


@given(POWERS)
def test_a_unit_is_read_as_it_is_written(powers):
    text = "*".join(f"{name}^({n})" for name, n in powers.items())
    assert read_unit(text) == powers == read_unit(write_unit(read_unit(text)))


@pytest.mark.parametrize(
    ("text", "written"),
    [("kg m^2/s^2/rad", "N·m/rad"), ("J", "N·m"), ("kg*m/s", "N·s"), ("Hz", "1/s"), ("", "1"), ("1/(m s)", "1/(m·s)")],
)
def test_forces_and_moments_are_written_by_newtons(text, written):
    assert write_unit(read_unit(text)) == written


# -- trees -------------------------------------------------------------------------------------------------------------


def test_units_of_the_satellite_are_those_of_its_paper():
    units = satellite().tree.units
    expected = {"KB": "N·m/rad", "DB": "N·m·s/rad", "KC": "N·m/rad", "DC": "N·m·s/rad", "MB": "kg", "L8": "m"}
    expected |= {"IB12": "kg·m²", "q1": "m", "u1": "m/s", "q4": "rad", "u10": "rad/s"}
    assert {name: units[name] for name in expected} == expected
    assert VALUES.keys() <= units.keys()


@IMPOSSIBLE
def test_a_satellite_in_other_units_moves_alike():
    """In tons, inches and minutes all values are others, as their units say, and so are the accelerations."""
    size = {"kg": 1e-3, "m": 1 / 0.0254, "s": 1 / 60, "rad": 1.0}
    tree = satellite(0.3, -0.2).tree
    units, kane = tree.units, Kane(tree=satellite(0.3, -0.2).tree)

    def factor(unit):
        return np.prod([size[name] ** float(n) for name, n in read_unit(unit).items()])

    def accelerations(values):
        M = np.zeros((10, 10))
        for (i, j), entry in kane.mass.items():
            M[i, j] = M[j, i] = evaluate(entry, values)
        return np.linalg.solve(M, [evaluate(force, values) for force in kane.forces])

    values = VALUES | {f"{x}{i}": i / 10 for i in range(1, 11) for x in "qu"}
    changed = {name: value * factor(units[name]) for name, value in values.items()}
    expected = [a * factor(units[f"q{i}"]) / size["s"] ** 2 for i, a in enumerate(accelerations(values), 1)]
    np.testing.assert_allclose(accelerations(changed), expected, rtol=1e-10)


def spring(magnitude, **how):
    tree = lw.Tree("spring", **how)
    A = tree.add_body("A", translate="x", mass="m", inertia=0)
    tree.add_force("pull", along=tree.ground.x, magnitude=magnitude, at=A)
    return tree


@pytest.mark.parametrize(
    ("magnitude", "units"),
    [
        ("-k*q1 - c*u1", {"k": "N/m", "c": "N·s/m"}),
        ("-k*q1 - 40*q1 - 0.3*u1", {"k": "N/m"}),  # numbers may have any unit
        ("-40*k*q1", {}),
        ("-k*q1/2", {"k": "N/m"}),
        ("F*cos(w*t + phi)", {"F": "N", "w": "rad/s", "phi": "rad"}),
        ("F*exp(-t/T)*(1 + q1/l)**2", {"F": "N", "T": "s", "l": "m"}),
        ("select(q1 < gap, 0, -k*(q1 - gap)**1.5)", {"gap": "m", "k": "N/m^(3/2)"}),
        ("-k*q1 + cos(t)", {"k": "N/m"}),
        ("a*b", {}),
        ("-k*(q1 - max(reach, s*t))", {"k": "N/m", "reach": "m", "s": "m/s"}),
    ],
)
def test_laws_tell_units_as_far_as_they_do(magnitude, units):
    found = spring(magnitude).units
    assert {name: unit for name, unit in found.items() if name not in ("t", "m", "q1", "u1")} == units


def test_what_is_declared_tells_the_rest():
    tree = spring("a*b", units={"a": "V"})
    assert tree.units["b"] == "N/V"
    tree.add_output("power", "a*b*u1")
    tree.add_output("mixed", "q1 + u1")
    assert tree.units["power"] == "N·m/s" and "mixed" not in tree.units


def test_what_contradicts_is_told_and_not_guessed():
    tree = spring("-k*q1 - k*u1")
    assert "k" not in tree.units
    tree = spring("-k*q1", units={"k": "N/m^2"})
    with pytest.warns(lw.ModelWarning, match=r"force 'pull': units do not agree, by a factor of 1/m"):
        tree.model(parameters={"k": 1, "m": 1})
    tree = spring("-k*q1")
    tree.add_output("energy", "k*q1**2/2", unit="J")
    tree.add_output("wrong", "k*q1", unit="J")
    with pytest.warns(lw.ModelWarning, match="output 'wrong'"):
        tree.model(parameters={"k": 1, "m": 1})


def test_a_radian_is_one_where_laws_do_not_agree():
    """A wheel of radius R rolls: R is a length although v = R ω; the spring on its axle has its radian all the same."""
    tree = lw.Tree("wheel", parameters={"R": 1})
    cart = tree.add_body("cart", translate="x", mass="m", inertia=0)
    wheel = tree.add_body("wheel", parent=cart, rotate="y", mass="M", inertia=(0, "J", 0))
    tree.add_velocity_constraint("rolling", "u1 - R*u2")
    tree.add_moment("spring", along=wheel.y, magnitude="-k*q2", on=wheel)
    assert tree.units["k"] == "N·m/rad" and tree.units["R"] in ("m", "m/rad")
    tree.add_body("pin", parent=wheel, joint_at=("R", 0, 0), mass="M", inertia=0)
    assert tree.units["R"] == "m"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda t: t.declare_unit("k", "2*m"), r"unit of 'k': '2\*m' is no unit"),
        (lambda t: t.declare_unit("k", "N/"), "unit of 'k'"),
        (lambda t: t.declare_unit("k", 3), "unit of 'k': 3, a .*, is no unit"),
        (lambda t: t.declare_unit("q1", "m"), "the unit of 'q1' is known"),
        (lambda t: t.add_output("o", "k", unit="m + s"), r"output 'o': 'm \+ s' is no unit"),
        (lambda t: lw.Tree(units=["m"]), "units"),
    ],
)
def test_what_is_no_unit_is_told_in_words(wrong, words):
    tree = spring("-k*q1")
    with pytest.raises(VectorError, match=words):
        wrong(tree)
    assert not tree.declared_units and not tree.outputs


def test_units_of_some_names_of_a_lagrangian_tell_those_of_others():
    how = {"parameters": {"m": 2, "l": 0.5, "g": 9.81, "c": 0.1, "k": 1}, "variables": {"v": "l*theta'"}}
    energy, loss = "m*l**2*theta'**2/2 + m*g*l*cos(theta) - k*theta**2/2", "c*theta'**2/2"
    model = lw.lagrangian("theta", energy, dissipation=loss, units={"theta": "rad", "m": "kg", "l": "m"}, **how)
    units = {"theta": "rad", "m": "kg", "l": "m", "g": "m/s²", "c": "N·m·s", "k": "N·m", "v": "m/s"}
    assert {name: model.mechanism.units.get(name) for name in units} == units
    assert not lw.lagrangian("theta", energy, dissipation=loss, **how).mechanism.units
    assert model.with_parameters(m=3).mechanism.units["g"] == "m/s²"
    with pytest.raises(lw.InputError, match="units: 'l': 'm \\+ s' is no unit"):
        lw.lagrangian("theta", energy, dissipation=loss, units={"l": "m + s"}, **how)


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("andrews", {"m1": "kg", "i1": "kg·m²", "c0": "N/m", "l0": "m", "mom": "N·m", "beta0": "rad"}),
        ("bicycle", {"v": "m/s", "g": "m/s²", "lam": "rad", "IRxx": "kg·m²", "lean": "rad", "push": "N"}),
        ("stewart-bodies", {"k": "N/m", "c": "N·s/m", "w": "rad/s", "f1": "rad"}),
        ("four-bar", {"rho": "kg/m", "tau": "N·m"}),
        ("cardan-shaft", {"c": "N·m·s/rad"}),
    ],
)
def test_laws_of_files_tell_the_units_of_their_parameters(name, units):
    found = lw.load(ROOT / "examples" / f"{name}.yaml").mechanism.units
    assert {name: found.get(name) for name in units} == units


def test_controllers_with_gains_that_are_numbers_tell_nothing():
    found = lw.load(ROOT / "examples" / "inverted-pendulum.yaml").mechanism.units
    assert found["push"] == "N" and "balance" not in found


# -- where they are seen -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "file", "line"),
    [
        ("c", "spring.h", "double k; /* [N/m] */"),
        ("fortran", "spring.f90", "k = 3.0_dp  ! [N/m]"),
        ("python", "spring.py", "self.k = 3.0  # [N/m]"),
        ("julia", "spring.jl", "[N/m]"),
    ],
)
def test_exported_code_and_its_page_tell_units(target, file, line, tmp_path):
    tree = spring("-k*q1 + F", parameters={"k": 3, "m": 1}, inputs={"F": 0})
    tree.add_output("p", "m*u1", long_name="momentum along x")
    tree.model().export(target, tmp_path)
    assert line in (tmp_path / file).read_text()
    page = (tmp_path / "README.md").read_text()
    for row in ("| 0 | m | position |", "| 0 | m/s | speed |", "| 3 | N/m |", "| 0 | N |", "N·s | momentum along x |"):
        assert row in page
    if target == "c":
        assert "k = 3.0  # [N/m]" in (tmp_path / "parameters.txt").read_text()


def test_curves_of_a_tree_have_units():
    tree = spring("-k*q1", parameters={"k": 1, "m": 1})
    tree.add_output("pull", "k*q1")
    motion = tree.model(start={"q1": 1}).simulate(0.1)
    found = {word: find_curves(motion, word, motion.at([0.1]))[0].unit for word in ("q1", "q1'", "q1''", "u1", "pull")}
    assert found == {"q1": "m", "q1'": "m/s", "q1''": "m/s²", "u1": "m/s", "pull": "N"}


def test_dimensions_of_shared_laws_are_solved_together():
    found = Dimensions({"x": "m"})
    found.relate([parse("a*x"), parse("b")], "one")
    found.relate([parse("b"), parse("c*x")], "two")
    assert found.unit(parse("a/c")) == "1" and found.unit(parse("a")) == ""
    found.require(parse("c"), "N/m", "three")
    assert (found.unit(parse("a")), found.unit(parse("b")), found.contradictions()) == ("N/m", "N", [])


def test_units_of_a_chain_of_parameters_take_work_by_its_length_not_its_square(monkeypatch):
    reduce, counted = units._reduced, []
    monkeypatch.setattr(units, "_reduced", lambda *given: counted.append(0) or reduce(*given))
    work = []
    for count in (200, 400):
        known = Dimensions({"x": "m"})
        for i in range(count):
            known.relate([parse(f"a{i + 1}"), parse(f"a{i}")], f"a{i + 1}")
        known.relate([parse(f"a{count}"), parse("x")], "x")
        counted.clear()
        assert known.unit(parse("a0")) == "m"
        work.append(len(counted))
    assert work[1] < 2.6 * work[0]
