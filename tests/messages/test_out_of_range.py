"""Numbers that leave the range of floats while a mechanism moves, or that no part can have: told in words."""

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import linkwork as lw
from linkwork.native import Status
from linkwork.native.rank import split
from linkwork.solve.outcome import describe_outcome

TINY = """
Dimension: 3
PhysicalParams: {m: 1, R: 0.3, J: 0.02, L: 1.9}
Bodies:
  d: {mass: m, inertia: [J, 1.0e-100, 2*J], frames: {c: {z: [0, 1]}}}
  a: {frames: {p: [0.5], q: []}}
  world: {frames: {top: {at: [0, 0, 2]}}}
Connections:
  Joints:
    h: {kind: screw, frames: [world.top, a.q], pitch: 0.1}
    g: {kind: distance, frames: [a.p, d.c], length: L}
  Rolling: {r: {wheel: d.c, radius: R}}
ProblemData: {tend: 1}
"""


def load(inertia, more=""):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.ModelWarning)
        return lw.loads(TINY.replace("1.0e-100", inertia) + more)


@pytest.mark.needs_compiler
@pytest.mark.parametrize("inertia", ["1.0e-20", "1.0e-60", "1.0e-100"])
def test_an_inertia_beside_which_all_else_is_huge_moves_as_none(inertia):
    def end(model):
        return model.simulate(until=0.2)["a.p"][-1]

    gravity = "AppliedForces: {Gravity: }"
    np.testing.assert_allclose(end(load(inertia, gravity)), end(load("1.0e-14", gravity)), rtol=0, atol=1e-10)
    assert load(inertia).simulate().outcome == "reached t = 1"


def test_values_out_of_range_are_told_in_words():
    system, start = load("1").system, load("1").start
    lost = SimpleNamespace(system=system, end=(start.q * np.nan,), t=0.5, tally=None)
    words = describe_outcome(lost, Status.TOO_SMALL, "stopped", 1.0, None)
    assert re.search("stopped at t = 0.5: values are out of range.*check the numbers", words)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_matrix_that_is_not_finite_has_no_rank(wrong):
    with pytest.raises(lw.SolveError, match="slopes of the constraints are out of range"):
        split(np.array([[1.0, 2.0], [wrong, 0.0]]))


def test_rows_whose_squares_are_out_of_range_have_a_rank():
    assert split(np.array([[1e300, 1e300], [0.0, 1.0]])).rank == 2


@pytest.mark.parametrize("at", ["1.0e-300, 1", "1, 1.0e-300", "1, 1, -1.0e-200"])
def test_a_coordinate_that_is_all_but_zero_is_told_with_its_line(at):
    text = f"Dimension: 3\nBodies:\n  b: {{mass: 1, inertia: [1, 1, 1], frames: {{c: [{at}]}}}}\n"
    with pytest.raises(
        lw.InputError, match=r"^<text>:3: rigid 'b': a coordinate of one of its points is -?1e-\d00, out"
    ):
        lw.loads(text)
