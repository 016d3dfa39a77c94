"""Numbers that leave the range of floats while a mechanism moves, or that no part can have: told in words."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.native.rank import split

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


def test_a_motion_that_leaves_the_range_of_numbers_ends_in_words():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.ModelWarning)
        model = lw.loads(TINY)
    with pytest.raises((lw.SolveError, lw.InputError), match=r"values are out of range.*check the numbers"):
        model.simulate()


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
