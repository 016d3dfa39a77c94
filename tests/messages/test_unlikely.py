"""Remarks on what is allowed and hardly ever meant: misspelt fixed points, degrees, inertias, energy that runs away."""

import re
import warnings

import numpy as np
import pytest

import linkwork as lw

ROD = """
PhysicalParams: {{a: 0.4, c: 0.5}}
PartData:
  Fixed: {{{fixed}: [], Q: [2]}}
  Rigids: {{{rod}A: {{Geom: [[a]], Dyna: [[a/2], 1, {inertia}]}}}}
  Dampers: {{AQ: {damping}}}
AppliedForces: {{Gravity: }}
ProblemData: {{tend: 0.1, positions: {{A: [0.4, 0]}}{angles}}}
"""
WRONG = {
    "fixed 'o'": {"rod": "O", "fixed": "o"},
    "its inertia 1000 kg": {"inertia": "1000"},
}


def text(**changes):
    values = {"fixed": "O", "rod": "O", "inertia": "0.02", "damping": "c", "angles": ""} | changes
    return ROD.format(**values)


def remarks(given):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        lw.loads(given)
    return [str(w.message) for w in found]


def test_what_is_right_has_no_remark():
    assert remarks(text()) == []


@pytest.mark.parametrize("words", WRONG)
def test_what_is_hardly_meant_is_remarked(words):
    found = [r for r in remarks(text(**WRONG[words])) if re.search(words, r)]
    assert len(found) == 1, remarks(text(**WRONG[words]))


BODIES = """
PhysicalParams: {{right: 90}}
Dimension: 2
Bodies: {{world: {{frames: {{o: []}}}}, a: {{mass: 2, centre: [0.5], inertia: 0.2, frames: {{o: [], tip: {tip}}}}}}}
Connections: {{Joints: {{main: {{kind: revolute, frames: [world.o, a.o]}}}}}}
AppliedForces: {{Gravity: }}
ProblemData: {{tend: 0.5, positions: {{a: {angle}}}}}
"""


@pytest.mark.parametrize("angle", ["90", "-45", "right", "180", "[30, fixed]", "right/2"])
def test_degrees_are_remarked(angle):
    (found,) = remarks(BODIES.format(angle=angle, tip="[1]"))
    assert "radians" in found and "pi/180" in found


@pytest.mark.parametrize("angle", ["0", "1.5", "pi/2", "-3", "6.28", "20", "90*pi/180"])
def test_radians_are_not(angle):
    assert remarks(BODIES.format(angle=angle, tip="[1]")) == []


def test_degrees_of_frames_and_motions_are_remarked():
    assert "turns" in remarks(BODIES.format(angle="0", tip="{at: [1], angle: 90}"))[0]
    driven = BODIES.format(angle="0", tip="[1]") + "Motions: {a.angle: 90}\n"
    assert "prescribed angle" in remarks(driven)[0]


def test_energy_that_runs_away_is_remarked():
    given = """
PartData: {Fixed: {O: []}, Particles: {A: 1}}
AppliedForces: {Forces: {A: ["30*A.vx", 0]}}
ProblemData: {tend: 4, positions: {A: [1, 0]}, velocities: {A: [0.001, 0]}}
"""
    with pytest.warns(lw.ModelWarning, match="energy runs away"):
        lw.loads(given).simulate()


def test_tables_of_all_steps_are_bounded(tmp_path, monkeypatch):
    motion = lw.loads(text()).simulate(0.1, max_step=0.0005)
    monkeypatch.setattr("linkwork.results.tables.MOST_NUMBERS", 300)
    with pytest.warns(lw.ModelWarning, match="every"):
        lw.write_results(motion, tmp_path / "x.csv")
    rows = np.loadtxt(tmp_path / "x.csv", delimiter=",", skiprows=1)
    assert 2 < len(rows) < len(motion.t) / 2 and rows[-1, 0] == pytest.approx(0.1)
    lw.write_results(motion, tmp_path / "y.csv", points=50)
    assert len(np.loadtxt(tmp_path / "y.csv", delimiter=",", skiprows=1)) in (50, 51)
