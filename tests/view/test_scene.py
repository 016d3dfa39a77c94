"""What a page is made of: knots give the motion back, arrays survive packing, drawings say what the file says."""

import base64
import json

import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.quoting import script_json
from linkwork.results import read_recording, record, write_results
from linkwork.results.record.drawing import describe_drawing
from linkwork.results.record.knots import ACCURACY, compute_knots, interpolate
from linkwork.results.record.samples import Times, sample
from linkwork.results.work import find_work
from linkwork.view import describe_scene
from linkwork.view.page import MARK, read_template

MOVING = ["andrews", "slider-crank", "bouncing-ball", "gyroscope", "chain"]

TRIANGLE = """\
Title: Triangle
PhysicalParams: {{l: 1, h: 0.5}}
PartData:
  Fixed: {{O: []}}
  Rigids: {{OAB: {{Geom: [[l], [l/2, h]], Dyna: [[l/2], 1, 1]}}}}
AppliedForces:
  Gravity:
ProblemData:
  tend: 0.2
  positions: {{A: [[l, fixed]]}}
{more}
"""


def drawing(more):
    return describe_drawing(lw.loads(TRIANGLE.format(more=more)).mechanism)


def evaluate(t, q, u, a, times):
    """What the page does: quintic Hermite interpolation between the last knot at or before a time and the next."""
    i = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = t[i + 1] - t[i]
    return interpolate((times - t[i]) / h, h, (q[i], u[i], a[i]), (q[i + 1], u[i + 1], a[i + 1]))


@pytest.mark.parametrize("name", MOVING)
def test_knots_give_the_motion_back(motions, name):
    motion = motions(name)
    knots = compute_knots(motion)
    times = np.random.default_rng(1).uniform(motion.t[0], motion.t[-1], 2000)
    error = np.abs(evaluate(knots.t, knots.q, knots.u, knots.a, times) - motion.at(times).q) / motion.system.scales
    assert np.max(error) < ACCURACY


def test_knots_are_few_where_steps_are_many(motions):
    motion = lw.loads(TRIANGLE.format(more="")).simulate(until=5.0, max_step=0.002)
    assert len(motion.t) > 2500
    assert len(compute_knots(motion).t) < 250


def test_knots_grow_denser_with_the_sixth_root_of_the_accuracy(motions):
    motion = motions("gyroscope")
    count = [len(compute_knots(motion, accuracy).t) for accuracy in (1e-4, 1e-10)]
    assert count[1] / count[0] == pytest.approx(10, rel=0.5)


def test_packed_coordinates_survive_to_a_fraction_of_the_accuracy(motions):
    recording = record(motions("andrews"))
    packed = describe_scene(recording)["motion"]
    q = np.frombuffer(base64.b64decode(packed["q"]), "<u4").reshape(recording.knots.q.shape)
    low, step = (np.frombuffer(base64.b64decode(packed[key]), "<f8") for key in ("low", "step"))
    assert np.max(np.abs(low + step * q - recording.knots.q) / np.maximum(recording.scales, 1)) < 0.1 * ACCURACY


def test_where_a_force_jumps_a_time_occurs_twice():
    ball = """
PartData: {Particles: {A: 1}}
AppliedForces: {Gravity: , Forces: {A: [0, "select(A.y < 0, 30, 0)"]}}
ProblemData: {tend: 0.5, positions: {A: [0, 0.5]}}
"""
    motion = lw.loads(ball).simulate()
    knots = compute_knots(motion)
    twice = np.flatnonzero(np.diff(knots.t) == 0)
    assert len(twice) == 1
    assert knots.t[twice[0]] == pytest.approx(np.sqrt(2 * 0.5 / 9.80665))
    np.testing.assert_allclose(knots.a[twice[0] : twice[0] + 2, 1], [-9.80665, 30 - 9.80665])
    times = np.linspace(0, 0.5, 1001)
    found = evaluate(knots.t, knots.q, knots.u, knots.a, times)
    np.testing.assert_allclose(found, motion.at(times).q, atol=ACCURACY)


def test_a_scene_is_plain_json_and_cannot_end_its_script(motions):
    scene = describe_scene(record(motions("andrews")))
    scene["title"] = "</script><!-- \u2028 & <b>"
    text = script_json(scene)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == scene


def test_results_read_back_show_the_same_motion(motions, tmp_path):
    motion = motions("slider-crank")
    path = write_results(motion, tmp_path / "a.npz")
    one, other = describe_scene(record(motion)), describe_scene(read_recording(path))
    same = ("motion", "points", "rigids", "coordinates", "bounds", "title", "summary", "lines", "particles", "curves")
    for key in same:
        assert one[key] == other[key]


@pytest.mark.parametrize("name", ["slider-crank", "cardan-shaft"])
def test_results_read_back_show_the_same_arrows(motions, tmp_path, name):
    motion = motions(name)
    one, other = record(motion).arrows, read_recording(write_results(motion, tmp_path / "a.npz")).arrows
    words = [(arrow.kind, arrow.name, arrow.point, arrow.part) for arrow in one]
    assert "reaction" in {kind for kind, *_ in words}
    assert "torque" in {kind for kind, *_ in words}
    assert [(arrow.kind, arrow.name, arrow.point, arrow.part) for arrow in other] == words
    for a, b in zip(one, other, strict=True):
        assert np.array_equal(a.t, b.t)
        np.testing.assert_allclose(b.values, a.values, rtol=1e-6)


def rewrite(path, **changes):
    """A results file with other contents; None takes an entry away."""
    with np.load(path) as file:
        content = {**{name: file[name] for name in file.files}, **changes}
    np.savez(path, **{name: values for name, values in content.items() if values is not None})


def test_results_written_before_curves_and_arrows_were_kept_show_the_energies_of_their_rows(motions, tmp_path):
    motion = motions("slider-crank")
    path = write_results(motion, tmp_path / "a.npz")
    with np.load(path) as file:
        about = json.loads(str(file["about"]))
    del about["curves"], about["arrows"]
    rewrite(path, about=np.array(json.dumps(about)))
    found = read_recording(path)
    assert found.arrows == ()
    curves = {curve.name: curve for curve in found.curves}
    assert set(curves) == {"kinetic", "potential", "total"}
    assert np.array_equal(curves["kinetic"].values, motion.energy.kinetic)


@pytest.mark.parametrize("values", [None, np.zeros(3), np.array("text")])
@pytest.mark.parametrize("what", ["curves", "arrows"])
def test_results_with_damaged_curves_or_arrows_are_refused_in_words(motions, tmp_path, what, values):
    path = write_results(motions("slider-crank"), tmp_path / "a.npz")
    rewrite(path, **{f"{what}_values_0": values})
    with pytest.raises(LinkworkError, match="damaged"):
        read_recording(path)


def test_results_of_a_very_long_run_keep_their_steps_only(motions, tmp_path, monkeypatch):
    monkeypatch.setattr("linkwork.results.archive.LONG", 100)
    motion = motions("andrews")
    found = read_recording(write_results(motion, tmp_path / "a.npz"))
    assert found.knots.accuracy is None
    assert np.array_equal(found.knots.q, motion.q)


def test_results_of_others_are_refused_in_words(tmp_path):
    np.savez(tmp_path / "old.npz", t=np.zeros(3))
    (tmp_path / "text.npz").write_text("not a results file")
    np.savez(tmp_path / "broken.npz", about=np.array('{"drawing": 1}'), t=np.zeros(3))
    np.savez(tmp_path / "pickle.npz", about=np.array([{}], dtype=object))
    for name, words in [("old", "no drawing"), ("text", "not a results file"), ("broken", "damaged"),
                        ("pickle", "damaged"), ("none", "there is no such file")]:  # fmt: skip
        with pytest.raises(LinkworkError, match=words):
            read_recording(tmp_path / f"{name}.npz")


# -- drawings ----------------------------------------------------------------------------------------------------------


def test_andrews_is_drawn_as_its_file_asks(load_example):
    found = describe_drawing(load_example("andrews").mechanism)
    assert found["view"] == [-5, 27]
    assert [name for name, _ in found["parameters"]] == ["beta0", "c0", "mom"]
    assert (found["width"], found["thickness"]) == (0.0015, 0.0005)
    arms = {rigid["name"]: rigid["arms"] for rigid in found["rigids"]}
    # three arms from the point X = (sa, sb); AG and AH are bent, the others straight
    assert sorted(map(sorted, arms["BED"])) == sorted(
        sorted([end, [0.01874, 0.01043]]) for end in ([0, 0], [0.035, 0], [0.018, 0.02])
    )
    assert [len(arms[name]) for name in ("AG", "AH")] == [2, 2]
    assert [arms[name] for name in ("OF", "FE", "EG", "HE")] == [None] * 4
    assert found["notes"] == []


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("Animation: {view: 3}", "view is not of the form"),
        ("Animation: {view: [a, b]}", "view is not of the form"),
        ("Animation: {physParamsToShow: [$ll]}", "no parameter named 'll'. Did you mean 'l'"),
        ("Animation: {traces: [Q]}", "no moving point 'Q'"),
        ("Skeleton: {fleshoutwid: -1}", "fleshoutwid is not a positive length"),
        ("Skels: {OAC: {path: XA}}", "no rigid part named 'OAC'"),
        ("Skels: {OAB: 3}", "write {path"),
        ("Skels: {OAB: {path: OXA}}", "names no point 'X'"),
        ("Skels: {OAB: {path: OXA, newpts: [X, [1, 2, 3]]}}", "a place in newpts"),
        ("Skels: {OAB: {path: OXA, newpts: [X, [1/0, 2]]}}", "a place in newpts"),
        ("Skels: {OAB: {path: OXA, newpts: X}}", "newpts is not of the form"),
    ],
)
def test_a_wish_that_cannot_be_understood_is_told_and_ignored(more, words):
    found = drawing(more)
    assert len(found["notes"]) == 1
    assert words in found["notes"][0]
    assert found["rigids"][0]["arms"] is None


def test_a_skeleton_without_points_of_its_own_is_the_path_through_the_part():
    assert drawing("Skels: {OAB: {path: OAB}}")["rigids"][0]["arms"] == [[[0, 0], [1, 0]], [[1, 0], [0.5, 0.5]]]


def test_parts_that_share_a_point_or_cross_lie_in_different_layers(motions):
    scene = describe_scene(record(motions("andrews")))
    layers = {rigid["name"]: rigid["layer"] for rigid in scene["rigids"]}
    for one in scene["rigids"]:
        for other in scene["rigids"]:
            if one is not other and set(one["points"]) & set(other["points"]):
                assert layers[one["name"]] != layers[other["name"]]


def test_forces_and_reactions_of_a_scene_are_those_of_the_motion(motions):
    recording = record(motions("slider-crank"))
    arrows = {(arrow.kind, arrow.name): arrow for arrow in recording.arrows}
    gas = arrows["force", "at B"]
    assert set(np.round(gas.values[:, 0], 9)) == {0.0, -200.0}
    pin = arrows["reaction", "on AB at A"]
    after = np.append(np.diff(pin.t) > 0, True)  # at a switch the force before it is there as well
    assert not after.all()
    np.testing.assert_allclose(pin.values[after], motions("slider-crank").reaction("AB", "A", t=pin.t[after]))


# -- curves ------------------------------------------------------------------------------------------------------------


def read_curve(t, values, times):
    """What the page does: the polynomial through the six nearest samples, none beyond a time that occurs twice."""
    cuts = [0, *(np.flatnonzero(np.diff(t) == 0) + 1), len(t)]
    found = np.empty((len(times), *values.shape[1:]))
    for i, when in enumerate(times):
        at = min(int(np.searchsorted(t, when, side="right")) - 1, len(t) - 2)
        low, high = max(c for c in cuts if c <= at), min(c for c in cuts if c > at)
        low = max(low, min(at - 2, high - 6))
        near = slice(low, min(high, low + 6))
        found[i] = BarycentricInterpolator(t[near] - when, values[near])(0.0)
    return found


def check_curve(t, values, times, wanted):
    error = np.max(np.abs(read_curve(t, values, times) - wanted))
    assert error < 1e-5 * max(np.ptp(wanted), 0.1 * np.max(np.abs(wanted)))


@pytest.mark.parametrize("name", ["andrews", "slider-crank", "driven-crank-with-damper", "bouncing-ball"])
def test_curves_give_energies_forces_and_work_back(motions, name):
    motion = motions(name)
    recording = record(motion)
    times = np.random.default_rng(2).uniform(motion.t[0], motion.t[-1], 400)
    state = motion.at(times)
    energy = {**state.energy.potentials, "kinetic": state.energy.kinetic}
    work = np.zeros(len(times))
    for curve in recording.curves:
        if curve.group == "Energy" and curve.name in energy:
            check_curve(curve.t, curve.values, times, energy[curve.name])
        if curve.group == "Driving":
            check_curve(curve.t, curve.values, times, -state.multiplier(f"motion_{curve.name}"))
        if curve.group == "Work":
            work += read_curve(curve.t, curve.values, times)
    # energy is what was there and what was fed in
    balance = state.energy.total - work - motion.energy.total[0]
    assert np.max(np.abs(balance)) < 1e-5 * np.ptp(state.energy.kinetic)
    for arrow in recording.arrows:
        if arrow.kind == "reaction":
            part, point = arrow.name.replace("of guide ", "").removeprefix("on ").replace(" on ", " at ").split(" at ")
            check_curve(arrow.t, arrow.values, times, motion.reaction(part, point, t=times))


def test_work_within_steps_is_that_at_their_ends(motions):
    motion = motions("driven-crank-with-damper")
    work = find_work(motion)
    for before in (False, True):
        found = work(motion.t, np.full(len(motion.t), before))
        for name, values in motion.work.items():
            np.testing.assert_allclose(found[name], values, atol=1e-12 * np.max(np.abs(values)))


def test_samples_stay_within_their_bound_and_never_smooth_a_jump():
    def wave(times):
        return np.where((times.t < 1) | ((times.t == 1) & times.before), 0.0, np.sin(40 * times.t))[:, None]

    start, jump = np.linspace(0, 2, 5), np.array([1.0])
    t, values = sample(wave, start, jump, 10_000, 0.0)
    assert len(t) < 400
    assert (np.diff(t) == 0).sum() == 1
    times = np.random.default_rng(3).uniform(0, 2, 500)
    wanted = wave(Times(times, np.zeros(500, dtype=bool)))
    check_curve(t, values, times, wanted)
    assert np.all(read_curve(t, values, times[times < 1]) == 0)
    assert len(sample(wave, start, jump, 60, 0.0)[0]) == 60


def test_the_template_has_one_place_for_a_scene():
    try:
        template = read_template()
    except LinkworkError as error:
        assert "make viewer" in str(error)
        pytest.skip("the viewer is not built: install npm and run `make viewer`")
    assert template.count(MARK) == 1
    assert "http://" not in template.replace("http://www.w3.org/", "")


def test_what_touches_and_what_is_touched_is_drawn(load_example):
    scene = describe_scene(record(load_example("cam-follower").simulate(0.05)))
    (cam,), (roller,) = scene["surfaces"], scene["wheels"]
    places = np.array([line[0] for line in cam["lines"]])
    assert cam["part"] == "shaft"
    assert np.max(np.linalg.norm(places, axis=1)) == pytest.approx(0.052, rel=1e-3)
    assert (roller["part"], roller["radius"]) == ("lifter", 0.012)
    assert scene["bounds"][0][0] <= -0.052
    scene = describe_scene(record(load_example("bowling").simulate(0.05)))
    lane, stand = scene["surfaces"][0], scene["wheels"][0]
    assert (lane["part"], lane["plane"]) == ("world", [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert (stand["radius"], stand["tread"]) == (0.11, 0.11)
    scene = describe_scene(record(load_example("bouncing-balls").simulate(0.05)))
    assert [len(surface["lines"]) for surface in scene["surfaces"]] == [48]
    assert len(scene["wheels"]) == 3


def test_wheels_and_balls_are_drawn_where_they_roll(load_example):
    scene = describe_scene(record(load_example("bicycle").simulate(0.1)))
    behind, ahead = scene["wheels"]
    assert behind == {
        "name": "behind", "part": "rear", "centre": [0, 0, 0], "axle": [0, 1, 0], "radius": 0.3, "tread": 0,
    }  # fmt: skip
    assert ahead["part"] == "front" and ahead["radius"] == 0.35
    (ball,) = describe_scene(record(load_example("turntable").simulate(0.1)))["wheels"]
    assert ball["part"] == "ball" and ball["tread"] == ball["radius"]
