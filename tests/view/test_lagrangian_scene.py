"""A Lagrangian that names points can be shown: its points move in the page as they do in the motion."""

import json

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.results import read_recording, record, write_results
from linkwork.results.record.knots import interpolate
from linkwork.view.scene import describe_scene


def swing(**more):
    return lw.lagrangian(
        "theta", "l**2*theta'**2/2 + g*l*cos(theta)", parameters={"l": 0.02, "g": 9.81}, start={"theta": 1}, **more
    )


POINTS = {"O": (0, 0), "P": ("l*sin(theta)", "-l*cos(theta)"), "Q": (0, "0.01*sin(t)")}


@pytest.fixture(scope="module")
def motion():
    return swing(points=POINTS, lines=["OP", "QP"]).simulate(1.0)


def test_points_and_lines_are_drawn(motion):
    drawing = record(motion).drawing
    assert drawing["fixed"] == {"O": [0.0, 0.0]}
    assert drawing["moving"] == ["P", "Q"]
    assert [part["name"] for part in drawing["rigids"]] == ["OP"]
    assert [spring["name"] for spring in drawing["springs"]] == ["QP"]
    json.dumps(describe_scene(record(motion)))


def test_knots_give_the_points_back(motion):
    recording = record(motion)
    k = recording.knots
    i = np.array([recording.coordinates.index(name) for name in ("Px", "Py")])
    ends = [tuple(x[part][:, i] for x in (k.q, k.u, k.a)) for part in (slice(None, -1), slice(1, None))]
    h = np.diff(k.t)
    middle = interpolate(np.full(len(h), 0.5), h, *ends)
    assert np.abs(middle - motion.at(k.t[:-1] + h / 2)["P"]).max() < 1e-6 * 0.02


def test_results_file_keeps_the_points(motion, tmp_path):
    write_results(motion, tmp_path / "swing.npz")
    again = read_recording(tmp_path / "swing.npz")
    assert again.coordinates == ("theta", "Ox", "Oy", "Px", "Py", "Qx", "Qy")
    assert again.drawing == record(motion).drawing


def test_without_points_there_is_nothing_to_draw():
    with pytest.raises(LinkworkError, match="names no points to draw"):
        record(swing().simulate(0.1))
