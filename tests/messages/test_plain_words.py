"""Sentences that must be true: angles by name, what is prescribed, counts, why a driven linkage stops."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import LinkworkError

SPATIAL = "spatial-four-bar"


@pytest.mark.parametrize("name", ["near", "far", "rocker"])
def test_an_angle_that_nothing_tracks_is_that_of_the_tracked_joint(load_example, examples, name):
    plain = load_example(SPATIAL)
    text = (examples / f"{SPATIAL}.yaml").read_text() + f"\nEvents: {{turned: {name}.angle - 100}}\n"
    tracked = lw.loads(text)
    assert name in tracked.mechanism.turn_angles
    assert name not in plain.mechanism.turn_angles
    motion, other = plain.simulate(0.5), tracked.simulate(0.5)
    times = np.linspace(0, 0.5, 7)
    mine, theirs = motion.at(times), other.at(times)
    turned = (mine[f"{name}.angle"] - theirs[f"{name}.angle"] + np.pi) % (2 * np.pi) - np.pi
    assert np.allclose(turned, 0, atol=1e-8)
    assert np.allclose(mine[f"{name}.omega"], theirs[f"{name}.omega"], atol=1e-7)


def test_no_name_is_proposed_in_its_own_place(load_example):
    motion = load_example(SPATIAL).simulate(0.1)
    for name in ("OAU.angle", "ABV.angle", "crank.angles", "nearr.angle"):
        with pytest.raises(LinkworkError) as caught:
            motion[name]
        assert f"Did you mean '{name}'" not in str(caught.value)


def test_what_is_not_prescribed_is_said_in_words(load_example):
    motion = load_example("four-bar").simulate(0.1)
    with pytest.raises(LinkworkError, match=r"'OA.angle' is not prescribed. Nothing is"):
        motion.driving("OA.angle")
    driven = lw.loads(
        "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}\nMotions: {OA.angle: t}\n"
        "ProblemData: {tend: 1, positions: {A: [1]}}"
    ).simulate()
    assert len(driven.driving("OA.angle")) == len(driven.t)
    with pytest.raises(LinkworkError, match=r"'OA.angel' is not prescribed. Did you mean 'OA.angle'"):
        driven.driving("OA.angel")


def test_several_constraints_between_fixed_points_are_counted_in_the_plural():
    rods = "{OQ: {Geom: [[1]]}, OR: {Geom: [[1]]}}"
    parts = f"{{Fixed: {{O: [], Q: [1], R: [0, 1]}}, Rigids: {rods}, Particles: {{A: 1}}}}"
    text = lw.loads(f"PartData: {parts}\nProblemData: {{positions: {{A: [1, 1]}}}}").structure().text()
    assert "2 constraints between fixed points" in text
    assert "pointss" not in text
