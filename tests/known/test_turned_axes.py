"""Axes of joints that are formulas of parameters: their derivatives, against mechanisms with changed parameters."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.linear.inputs import _Rates
from linkwork.symbolic import free_symbols

# a heavy plate on a slanting hinge; the axes have any length, the references are askew
PLATE = """
PhysicalParams: {a: 0.5, b: 0.2, c: 1.3}
Dimension: 3
PartData:
  Fixed: {O: []}
  Rigids: {OAU: {Geom: [[1], [0.2, 0.7]], Dyna: [[0.5, 0.2], 2, [0.1, 0.2, 0.3]]}}
Connections:
  Joints: {hinge: {kind: KIND, parts: [world, OAU], point: O, axes: AXES, references: REFERENCES}}
AppliedForces: {Gravity: [1, 2, -9.81]}
ProblemData: {positions: {A: [0.1, 0.8, -0.6], U: [0.7, 0.3, 0.1]}}
"""
SLANTING = "[[a, 2*b, c], [b, 0, 3*a]]"
REFERENCES = {
    "askew": "[[1, b, a], [c, 0.1, 0]]",
    "left out": "[]",
    "unit": "[[1, 0, 0], [0, 1, 0]]",
}


def plate(kind="revolute", axes=SLANTING, references=REFERENCES["askew"]):
    text = PLATE if references != REFERENCES["left out"] else PLATE.replace(", references: REFERENCES", "")
    return lw.loads(text.replace("KIND", kind).replace("AXES", axes).replace("REFERENCES", references))


@pytest.mark.parametrize("name", ["a", "b", "c"])
@pytest.mark.parametrize("references", REFERENCES.values(), ids=REFERENCES)
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal", "planar"])
def test_derivatives_of_directions(kind, references, name):
    assembly = plate(kind, references=references)
    value, h = assembly.parameters[name], 1e-5
    up, down = (assembly.with_parameters(**{name: value + s * h}).system.terms for s in (1, -1))
    rates = _Rates(assembly.mechanism, name)
    for term, more, less in zip(assembly.system.terms, up, down, strict=True):
        wanted = (more.parameters - less.parameters) / (2 * h)
        np.testing.assert_allclose(rates.of_formulas(assembly.system)[term.columns], wanted, atol=1e-8)


def test_formulas_have_the_values_of_the_numbers():
    assembly = plate()
    system = assembly.system
    turned = [i for term in system.terms for i in term.columns.ravel() if free_symbols(system.formulas.exprs[i])]
    assert len(turned) == 17  # two sides of nine, without the zero in the second axis
    for i in turned:
        assert assembly.mechanism.compute(system.formulas.exprs[i]) == pytest.approx(system.numbers[i], abs=1e-14)


def test_an_axis_of_constant_length_is_printed_as_it_is_written():
    text = plate(axes="[[0, sin(a), cos(a)], [0, 0, 1]]", references="[[1], [1]]").equations().text()
    assert "sin(a)" in text and "sqrt" not in text


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_an_input_that_turns_an_axis_moves_the_equilibrium_as_it_does(name):
    hinged = plate()
    linear = hinged.linearize("equilibrium", states=["A.x"], inputs=[name], outputs=["A.y", "U.z", "U.x"])
    gain = linear.D - linear.C @ np.linalg.solve(linear.A, linear.B)
    h, value = 1e-4, hinged.parameters[name]
    ends = []
    for change in (h, -h):
        changed = hinged.with_parameters(**{name: value + change}).linearize("equilibrium", states=["A.x"])
        at = dict(zip(changed.system.coordinates, changed.at.q, strict=True))
        ends.append(np.array([at["Ay"], at["Uz"], at["Ux"]]))
    np.testing.assert_allclose(gain[:, 0], (ends[0] - ends[1]) / (2 * h), atol=1e-6)
