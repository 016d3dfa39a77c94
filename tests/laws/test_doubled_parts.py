"""Two rods in one place move as one rod of both masses: constraints that repeat each other change nothing."""

import pytest

import linkwork as lw
from tools import distance

TEXT = """
PartData:
  Fixed: {O: []}
  Rigids:
    OAB: {Geom: [[1], [0.3, 0.7]], Dyna: [[0.4, 0.2], 2, 0.5]}
    DOUBLED
    CD: {Geom: [[0.6]], Dyna: [[0.3], 1]}
AppliedForces:
  Gravity: [0, -9.81]
  Torques: {CA: -0.5*CA.omega}
ProblemData: {tend: 2, positions: {A: [1, 0], C: [1.5, 0.6], D: [2, 1]}}
"""
TWO = "AC: {Geom: [[0.8]], Dyna: [[0.4], 1]}\n    CA: {Geom: [[0.8]], Dyna: [[0.4], 1.5]}"
ONE = "CA: {Geom: [[0.8]], Dyna: [[0.4], 2.5]}"


@pytest.mark.parametrize("tol", [1e-6, 1e-8, 1e-10, 1e-12, 1e-14])
def test_two_rods_in_one_place_move_as_one(tol):
    two, one = (lw.loads(TEXT.replace("DOUBLED", rods)).simulate(tol=tol).final for rods in (TWO, ONE))
    for point in "ABCD":
        assert distance(two[point], one[point]) < 10 * tol + 1e-12
        assert distance(two.velocity(point), one.velocity(point)) < 100 * tol + 1e-11
