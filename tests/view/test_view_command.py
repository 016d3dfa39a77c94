"""linkwork view, motion.show() and the notebook: what is written, what is said, what is refused."""

import os
from functools import partial

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.results import record
from linkwork.view import page, show, video
from linkwork.view.browser import Browser, find_browser

PENDULUM = """\
Title: Pendulum
PhysicalParams: {l: 1}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], 1]}}
AppliedForces:
  Gravity:
ProblemData:
  tend: 1
  positions: {A: [[l, fixed]]}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    return tmp_path


@pytest.fixture
def plain_template(monkeypatch):
    """A stand-in for the built viewer."""
    monkeypatch.setattr(page, "read_template", lambda: f"<title>x</title><script>{page.MARK}</script>")
    monkeypatch.setattr("linkwork.view.read_template", page.read_template)
    monkeypatch.setattr(show, "read_template", page.read_template)


@pytest.fixture
def command(command):
    return partial(command, "view")


def test_a_page_is_written_beside_and_named_after_the_file(here, command, plain_template):
    code, out, err = command("pendulum.yaml", "--no-open")
    assert (code, err) == (0, "")
    assert out.startswith("pendulum.html (")
    assert '"title":"Pendulum"' in (here / "pendulum.html").read_text()
    assert sorted(path.name for path in here.iterdir()) == ["pendulum.html", "pendulum.yaml"]


def test_a_page_is_opened_only_where_there_is_a_screen(here, command, plain_template, monkeypatch):
    opened = []
    monkeypatch.setattr(show.webbrowser, "open", lambda address: opened.append(address) or True)
    monkeypatch.setattr(show, "has_screen", lambda: True)
    assert "opened in the browser" in command("pendulum.yaml")[1]
    assert opened == [(here / "pendulum.html").as_uri()]
    monkeypatch.setattr(show, "has_screen", lambda: False)
    assert "open it in any browser" in command("pendulum.yaml")[1]
    assert len(opened) == 1


def test_options_change_what_is_shown(here, command, plain_template):
    assert command("pendulum.yaml", "-o", "p.html", "--until", 0.5, "--set", "l=2", "--trace", "A", "-q")[1] == ""
    text = (here / "p.html").read_text()
    assert '"outcome":"reached t = 0.5"' in text
    assert '"traces":["A"]' in text
    assert '"geometry":[[0.0,0.0],[2.0,0.0]]' in text


def test_results_can_be_viewed(here, command, plain_template):
    lw.write_results(lw.load("pendulum.yaml").simulate(), "run.npz")
    assert command("run.npz", "--no-open")[0] == 0
    assert '"title":"Pendulum"' in (here / "run.html").read_text()


def test_wishes_that_are_not_understood_are_said(here, command, plain_template):
    (here / "pendulum.yaml").write_text(PENDULUM + "Animation: {view: up}\n")
    code, _, err = command("pendulum.yaml", "--no-open")
    assert code == 0
    assert err == "linkwork: pendulum.yaml: Animation: view is not of the form [azimuth, elevation] in degrees\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["no.yaml"], "no.yaml"),
        (["no.npz"], "no.npz: there is no such file. Check the path"),
        (["pendulun.npz"], "pendulun.npz: there is no such file. Did you mean 'pendulum.yaml'?"),
        (["pendulum.yaml", "-o", "sub/a.html"], "there is no folder 'sub'. Make it first, or choose another"),
        (["pendulum.yaml", "-o", "a.txt"], "the name must end in .html"),
        (["pendulum.yaml", "--trace", "B"], "--trace 'B': no such moving point"),
        (["run.csv"], "of results only .npz can be shown. Write them: linkwork run FILE.yaml --out NAME.npz"),
        (["pendulum.yaml", "--size", "big"], "--size 'big' is not of the form 960x600"),
        (["pendulum.yaml", "--size", "10x10"], "choose 64x64"),
        (["pendulum.yaml", "--fps", "0"], "choose 1 to 240"),
        (["pendulum.yaml", "--speed", "-1"], "choose a positive number"),
        (["pendulum.yaml", "--video", "a.avi"], "must end in .mp4 or .gif"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_computed(here, command, plain_template, words, complaint):
    code, out, err = command(*words)
    assert (code, out) == (2, "")
    assert complaint in err
    assert [path.name for path in here.iterdir()] == ["pendulum.yaml"]


def test_a_run_that_fails_is_shown_as_far_as_it_came(here, command, plain_template):
    (here / "fail.yaml").write_text(
        "PartData: {Particles: {A: 1}}\n"
        'AppliedForces: {Forces: {A: ["1/(1 - t)**2", 0]}}\n'
        "ProblemData: {tend: 2, positions: {A: [0, 1]}}\n"
    )
    code, out, err = command("fail.yaml", "--no-open")
    assert code == 1
    assert out.startswith("fail.html (")
    assert "stopped at t = 1" in err
    assert '"outcome":"stopped at t = 1' in (here / "fail.html").read_text()


def test_results_cannot_be_simulated_again(here, command, plain_template):
    lw.write_results(lw.load("pendulum.yaml").simulate(), "run.npz")
    code, _, err = command("run.npz", "--until", 3)
    assert code == 2
    assert "need the mechanism (YAML)" in err


def test_without_the_viewer_view_says_what_to_do_and_everything_else_works(here, command, monkeypatch, tmp_path):
    monkeypatch.setattr(page, "TEMPLATE", "not-built.html")
    code, _, err = command("pendulum.yaml")
    assert code == 2
    assert "install" in err.lower() and "make viewer" in err
    motion = lw.load("pendulum.yaml").simulate()
    with pytest.raises(LinkworkError, match="make viewer"):
        motion.show()
    assert motion._repr_html_() is None
    assert write_and_read(motion, tmp_path)


def write_and_read(motion, folder):
    return lw.write_results(motion, folder / "x.npz").exists()


def test_a_motion_shows_itself(here, plain_template):
    motion = lw.load("pendulum.yaml").simulate()
    assert motion.show("m.html", browser=False).read_text().startswith("<title>")
    temporary = motion.show(browser=False)
    assert temporary.exists()
    temporary.unlink()
    temporary.parent.rmdir()


def test_a_notebook_gets_the_page_in_a_frame(here, plain_template):
    text = lw.load("pendulum.yaml").simulate()._repr_html_()
    assert text.startswith('<iframe srcdoc="&lt;title&gt;')
    assert text.count('"') == 2 * 4  # srcdoc, style, sandbox, title: nothing of the page ends its attribute


# -- video -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed", "fps"), [(1.0, 30.0), (0.25, 24.0), (2.0, 12.5)])
def test_frames_of_a_video_are_exactly_spaced(speed, fps):
    times = video.Film(fps=fps, speed=speed).times(1.0, 3.0, fps)
    np.testing.assert_allclose(np.diff(times), speed / fps)
    assert times[0] == 1.0 and times[-1] == pytest.approx(3.0, abs=speed / fps)


def test_the_delay_of_a_gif_is_a_whole_number_of_hundredths():
    assert [video._delay(video.Film(fps=fps)) for fps in (10, 25, 30, 60, 240)] == [100, 40, 30, 20, 20]


def test_too_many_frames_are_refused():
    with pytest.raises(LinkworkError, match="too many"):
        video.Film(fps=30, speed=1e-6).times(0, 1, 30)


@pytest.mark.needs_browser
@pytest.mark.parametrize("name", ["a.gif", "a.mp4"])
def test_a_video_shows_every_frame_for_its_time(here, name):
    image = pytest.importorskip("PIL.Image")
    try:
        video.check_video(here / name)
    except LinkworkError as error:
        pytest.skip(str(error))
    recording = record(lw.load("pendulum.yaml").simulate())
    film = video.Film(fps=10, width=320, height=200, speed=2.0)
    seen = []
    path = video.write_video(recording, here / name, film, seen.append)
    assert seen == [1, 2, 3, 4, 5, 6]
    if name.endswith(".gif"):
        with image.open(path) as gif:
            assert (gif.n_frames, gif.size, gif.info["duration"]) == (6, (320, 200), 100)
    else:
        assert path.read_bytes()[4:8] == b"ftyp"


@pytest.mark.needs_browser
def test_a_frame_of_a_video_is_the_page_at_its_time(here):
    image = pytest.importorskip("PIL.Image")
    import io

    recording = record(lw.load("pendulum.yaml").simulate())
    with Browser(width=400, height=300, reduced_motion=True) as browser:
        browser.open(page.write_page(recording, here / "p.html"))
        browser.evaluate("linkwork.film('light')")
        pictures = []
        for t in (0.0, 0.5, 0.0):
            browser.evaluate(f"linkwork.seek({t})")
            pictures.append(np.asarray(image.open(io.BytesIO(browser.picture())).convert("RGB"), dtype=int))
    # the same time looks the same, another time does not
    assert np.mean(np.abs(pictures[0] - pictures[2]) > 8) < 1e-3
    assert np.mean(np.abs(pictures[0] - pictures[1]) > 8) > 5e-3


@pytest.mark.needs_browser
def test_a_browser_leaves_nothing_behind(here):
    with Browser() as browser:
        profile = browser._profile
        browser.evaluate("1 + 1")
    assert not os.path.exists(profile)


def test_without_a_browser_a_video_says_what_to_install(here, command, plain_template, monkeypatch):
    pytest.importorskip("PIL")
    monkeypatch.setenv("LINKWORK_BROWSER", "no-such-browser")
    assert find_browser() is None
    code, _, err = command("pendulum.yaml", "--video", "a.gif")
    assert code == 2
    assert "apt-get install chromium" in err
