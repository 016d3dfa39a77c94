"""Two rods in one place move as one rod of both masses: constraints that repeat each other change nothing."""

import numpy as np
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


def slender(thin, braced):
    """A body on a pivot, its first three points nearly on a line; a rod without mass may brace two of its points."""
    places = {"O": (0, 0, 0), "A": (0.35, 0, 0), "B": (0.78, thin, 0), "C": (0.23, 0.034, -0.47)}
    body = lw.Rigid(
        name="body", points=tuple(places), geometry=list(places.values()), centroid=(0.34, 0.02, -0.12), mass=1.8,
        inertia=(0.31, 0.33, 0.36, 0.04, 0, 0),
    )  # fmt: skip
    brace = lw.Rigid.rod("brace", float(np.linalg.norm(np.subtract(places["A"], places["C"]))), 0, points=("A", "C"))
    speeds = {p: np.cross((0.3, -0.4, 1.0), z).tolist() for p, z in places.items() if p != "O"}
    return lw.Mechanism(
        dimension=3, fixed={"O": (0, 0, 0)}, rigids=[body, brace] if braced else [body], gravity=(0, 0, -9.81),
        start=lw.InitialValues(positions={p: places[p] for p in "ABC"}, velocities=speeds),
    )  # fmt: skip


@pytest.mark.parametrize("thin", [0.3, 0.045, 0.01, 0.003])
def test_a_rod_between_two_points_of_a_slender_part_changes_nothing(thin):
    free, braced = (lw.Model(slender(thin, brace)).simulate(1, tol=1e-10) for brace in (False, True))
    assert braced.stats.steps < 2 * free.stats.steps
    assert braced.stats.redundant == 1
    # the more slender, the fewer digits follow from the distances
    assert np.abs(free.final.q - braced.final.q).max() < 1e-13 / thin**2
    assert braced.audit().ok


def test_velocities_given_to_a_part_are_kept_where_constraints_repeat_each_other():
    start = lw.Model(slender(0.3, braced=True)).start
    assert not start.moved
