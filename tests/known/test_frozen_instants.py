"""Linear models on the way: whether their eigenvalues belong to the motion or to a frozen instant of it."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.linear.linearize import Task
from linkwork.analysis.linear.notes import FROZEN
from linkwork.errors import SolveError

DISC = """
Dimension: 3
PhysicalParams: {m: 1, r: 0.5, w: 10}
Bodies:
  d: {mass: m, inertia: [m*r**2/4, m*r**2/2, m*r**2/4], frames: {c: {z: [0, 1, 0], x: [1, 0, 0]}}}
Connections:
  Rolling: {roll: {wheel: d.c, radius: r}}
AppliedForces: {Gravity: }
ProblemData:
  tend: 2
  positions: {d.c: [0, 0, r]}
  velocities: {d.c: [w*r, 0, 0]}
"""


@pytest.fixture
def disc(tmp_path):
    path = tmp_path / "disc.yaml"
    path.write_text(DISC)
    return lw.load(path)


def test_a_lone_disc_is_not_called_unstable_by_points_of_its_rim(disc):
    linear = disc.linearize("start")
    assert FROZEN in linear.notes
    told = linear.text()
    assert "unstable" not in told and "say nothing of stability" in told


def test_reports_name_axes_of_a_body_and_no_hidden_points(disc):
    linear = disc.linearize("start")
    assert set(linear.states) == {"d.xz", "d.yx", "d.yz", "d.cx", "d.cy"}
    start = disc.start
    for told in (linear.text(), disc.structure().text(), start.report(), start.table(), disc.proposal().remaining()):
        assert "._" not in told
    # an axis component is what its name says
    assert dict(zip(linear.names, linear.values, strict=True))["d.xz"] == pytest.approx(0.0, abs=1e-12)


def test_in_states_in_which_it_is_steady_the_disc_leans_at_the_rate_of_theory(tmp_path):
    # straight ahead: (I + m r²) θ̈ + (A (A + m r²)/I w² − m g r) θ = 0 with I = m r²/4 and A = m r²/2
    path = tmp_path / "straight.yaml"
    straight = DISC.replace("frames: {", "frames: {e: [0, 0.3, 0], ").replace(
        "velocities: {", "velocities: {d.e: [w*r, 0, 0], "
    )
    path.write_text(straight)
    lean, heading = "lean = asin(d.yz)", "heading = atan2(-d.yx, d.yy)"
    states = [lean, heading, "d.c.x", "d.c.y", "spin = atan2(-d.xz, d.zz)"]
    linear = lw.load(path).linearize("start", states=states)
    assert FROZEN not in linear.notes
    fastest = max(abs(x.imag) for x in linear.eigenvalues)
    assert fastest == pytest.approx(math.sqrt((3 * 10**2 - 9.80665 / 0.5) / 1.25), rel=1e-9)


def test_free_flight_is_the_same_at_every_instant():
    mechanism = lw.Mechanism(
        particles=[lw.Particle(point="A", mass=1), lw.Particle(point="B", mass=2)],
        springs=[lw.Spring(name="AB", stiffness=3, rest_length=0)],
        gravity=(0, -9.81),
        start=lw.InitialValues(positions={"A": (0, 0), "B": (1, 0)}, velocities={"A": (1, 2)}),
    )
    linear = lw.Model(mechanism).linearize("start")
    assert not linear.balanced and FROZEN not in linear.notes
    np.testing.assert_allclose(max(linear.eigenvalues.imag), math.sqrt(3 * 1.5), rtol=1e-9)


def test_whether_an_instant_is_frozen_is_found_when_somebody_asks(disc, monkeypatch):
    asked, changes = [], Task.changes
    monkeypatch.setattr(Task, "changes", lambda task, linear: asked.append(linear) or changes(task, linear))
    linear = disc.linearize("start")
    assert linear.eigenvalues.size and not asked
    assert FROZEN in linear.notes and linear.notes is linear.notes
    assert FROZEN in linear.text() and FROZEN in linear.as_dict()["notes"]
    assert len(asked) == 1


def test_a_model_after_which_none_follows_is_of_a_frozen_instant(disc, monkeypatch):
    def fail(*_):
        raise SolveError("the accelerations are not finite at this point")

    linear = disc.linearize("start")
    monkeypatch.setattr(Task, "_later", fail)
    assert FROZEN in linear.notes
