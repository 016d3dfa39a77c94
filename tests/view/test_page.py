"""The page in a real browser: it loads alone, plays, shows the very coordinates of a time, and obeys keys."""

import io
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.results import read_recording, record
from linkwork.view import write_page
from linkwork.view.browser import Browser

pytestmark = pytest.mark.needs_browser

EVERYTHING = ["andrews", "slider-crank", "driven-crank-with-damper", "bouncing-ball", "gyroscope", "mult-pend-uj"]

TORQUE, VELOCITY = "#0a96b4", "#1f9d55"  # colours of arrows, as in viewer/src/arrows.ts

# where an element is: left, top, width, height
BOX = "(b => [b.left, b.top, b.width, b.height])(document.querySelector('SELECTOR').getBoundingClientRect())"

PENDULUM = """\
Title: {title}
PhysicalParams: {{l: 1}}
PartData:
  Fixed: {{O: []}}
  Rigids: {{OA: {{Geom: [[l]], Dyna: [[l/2], 1]}}}}
AppliedForces:
  Gravity:
ProblemData:
  tend: {tend}
  positions: {{A: [[l, fixed]]}}
"""


def wait(browser, condition, seconds=20):
    """Until something is so in the page."""
    end = time.monotonic() + seconds
    while not browser.evaluate(condition):
        assert time.monotonic() < end, f"not within {seconds} s: {condition}"
        time.sleep(0.05)


def text(browser, selector):
    return browser.evaluate(f"document.querySelector({selector!r})?.textContent ?? ''")


@pytest.mark.parametrize("name", EVERYTHING)
def test_a_page_needs_nothing_but_itself_and_has_nothing_to_complain_about(browser, pages, name):
    page = pages(name)
    browser.open(page)
    wait(browser, "linkwork.frames > 1")
    wait(browser, "document.querySelectorAll('.card canvas').length > 0")
    assert browser.errors == []
    assert browser.requests == [page.as_uri()]
    assert page.stat().st_size < 2_000_000


@pytest.mark.parametrize("language", ["en-US@posix", "C", "", "de-DE.UTF-8", "x y"])
def test_a_page_is_shown_whatever_a_browser_calls_its_language(browser, pages, tmp_path, language):
    page = tmp_path / "page.html"
    script = f"Object.defineProperty(navigator, 'language', {{get: () => {language!r}, configurable: true}})"
    page.write_text(pages("slider-crank").read_text().replace("<head>", f"<head><script>{script}</script>", 1))
    browser.open(page)
    wait(browser, "document.querySelectorAll('.card canvas').length > 0")
    assert browser.errors == []


@pytest.mark.parametrize("name", EVERYTHING)
def test_a_page_shows_the_coordinates_of_the_time_it_is_sent_to(browser, pages, motions, name):
    motion = motions(name)
    browser.open(pages(name))
    browser.evaluate("linkwork.pause(); document.getElementById('tab-values').click()")
    rng = np.random.default_rng(5)
    for t in [motion.t[0], *rng.uniform(motion.t[0], motion.t[-1], 5), motion.t[-1]]:
        browser.evaluate(f"linkwork.seek({float(t)!r})")
        shown = browser.evaluate(
            "Object.fromEntries([...document.querySelectorAll('[data-coordinate]')]"
            ".map(cell => [cell.dataset.coordinate, Number(cell.textContent)]))"
        )
        wanted = motion.at(float(t)).q
        assert set(shown) == set(motion.system.coordinates)
        for i, coordinate in enumerate(motion.system.coordinates):
            size = max(motion.system.scales[i], abs(wanted[i]))
            assert shown[coordinate] == pytest.approx(wanted[i], abs=1e-6 * size), (coordinate, t)


def test_the_rates_of_a_page_are_those_of_the_motion(browser, pages, motions):
    motion = motions("slider-crank")
    browser.open(pages("slider-crank"))
    for t in np.linspace(0.05, 0.95, 7):
        browser.evaluate(f"linkwork.pause(); linkwork.seek({float(t)!r})")
        found = browser.evaluate("linkwork.rates()")
        speeds = motion.at(float(t)).u
        np.testing.assert_allclose(
            [found[name] for name in motion.system.coordinates], speeds, atol=1e-4 * np.max(np.abs(speeds))
        )


def test_a_page_plays_by_itself_pauses_and_goes_on(pages):
    with Browser() as browser:
        browser.open(pages("andrews"))
        wait(browser, "linkwork.playing && linkwork.time > 0")
        browser.evaluate("document.querySelector('.play').click()")
        stopped = browser.evaluate("linkwork.time")
        time.sleep(0.3)
        assert browser.evaluate("linkwork.time") == stopped
        browser.evaluate("document.querySelector('.play').click()")
        wait(browser, f"linkwork.time !== {stopped!r}")


def test_the_slider_goes_to_a_time_and_the_clock_says_so(browser, pages):
    browser.open(pages("andrews"))
    browser.evaluate(
        "linkwork.pause(); const s = document.querySelector('footer input[type=range]');"
        "s.value = 5000; s.dispatchEvent(new Event('input'))"
    )
    wait(browser, "Math.abs(linkwork.time - 0.015) < 1e-9")
    wait(browser, "document.querySelector('.clock').textContent === '0.01500 s'")


def test_a_frame_lasts_a_sixtieth_of_a_second_at_the_speed_chosen(browser, pages):
    browser.open(pages("slider-crank"))
    for speed in (0.05, 1.0):
        browser.evaluate(f"linkwork.speed({speed}); linkwork.seek(0)")
        browser.evaluate("document.querySelector('[aria-label=\"Step forward\"]').click()")
        assert browser.evaluate("linkwork.time") == pytest.approx(speed / 60)


def test_traces_arrows_and_names_can_be_switched_on_and_off(browser, pages):
    browser.open(pages("driven-crank-with-damper"))
    chip = "document.querySelector('[aria-label=\"Trace of B\"]')"
    before = browser.evaluate("linkwork.traces()")
    browser.evaluate(f"{chip}.click()")
    assert browser.evaluate("linkwork.traces()") == [*before, "B"]
    assert browser.evaluate(f"{chip}.getAttribute('aria-pressed')") == "true"
    frames = browser.evaluate("linkwork.frames")
    browser.evaluate("document.querySelectorAll('.check input').forEach(box => box.click())")
    wait(browser, f"linkwork.frames > {frames}")
    assert "B" in browser.evaluate("[...document.querySelectorAll('.labels span')].map(s => s.textContent)")
    browser.evaluate("document.querySelectorAll('.check input').forEach(box => box.click())")
    browser.evaluate(f"{chip}.click()")
    assert browser.evaluate("linkwork.traces()") == before
    assert browser.errors == []


def count_pixels(browser, colour):
    """How many pixels of the picture have about the hue of a colour, however light or dark."""
    image, colors = pytest.importorskip("matplotlib.image"), pytest.importorskip("matplotlib.colors")
    hues = colors.rgb_to_hsv(image.imread(io.BytesIO(browser.picture()), format="png")[:, :900, :3])
    wanted = colors.rgb_to_hsv(colors.to_rgb(colour))
    return int(((np.abs(hues[..., 0] - wanted[0]) < 0.02) & (hues[..., 1] > 0.6)).sum())


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "curved"),
    [("driven-crank-with-damper", ["driving OA"]), ("cardan-shaft", ["on ABV at output", "driving OAU at input"])],
)
def test_torques_are_curved_arrows_that_can_be_switched_on_and_off(browser, pages, name, curved, theme):
    browser.open(pages(name))
    browser.evaluate(f"linkwork.pause(); linkwork.film({theme!r}); linkwork.seek(0.3)")
    assert count_pixels(browser, TORQUE) == 0
    browser.press("t")
    browser.evaluate("linkwork.seek(0.3)")
    assert browser.evaluate("linkwork.arrows()") == {"torque": {"straight": [], "curved": curved}}
    assert count_pixels(browser, TORQUE) > 200
    browser.press("t")
    browser.evaluate("linkwork.seek(0.3)")
    assert browser.evaluate("linkwork.arrows()") == {}
    assert count_pixels(browser, TORQUE) == 0
    assert browser.errors == []


def test_torques_that_joints_carry_are_shown_with_the_reactions(browser, pages):
    browser.open(pages("cardan-shaft"))
    browser.evaluate("linkwork.pause()")
    browser.press("r")
    browser.evaluate("linkwork.seek(0.3)")
    assert browser.evaluate("linkwork.arrows().reaction.curved") == [
        f"on {part} at {joint}" for part, joint in (("OAU", "input"), ("ABV", "cross"), ("ABV", "output"))
    ]


def test_a_particle_does_not_hide_a_short_arrow(browser, pages, motions):
    motion = motions("bouncing-ball")
    speed = np.linalg.norm(motion.velocity("A"), axis=1)
    # where it is slowest the arrow is hardly longer than the ball is wide
    slow = motion.t[np.argmin(speed)]
    assert np.min(speed) < 0.2 * np.max(speed)
    browser.open(pages("bouncing-ball"))
    browser.evaluate("linkwork.pause(); linkwork.film('light')")
    browser.press("v")
    browser.evaluate(f"linkwork.seek({float(slow)!r})")
    assert count_pixels(browser, VELOCITY) > 60


def test_pointing_at_a_part_names_it(browser, pages):
    browser.open(pages("andrews"))
    box = browser.evaluate(BOX.replace("SELECTOR", ".stage canvas"))
    seen = set()
    for x in np.linspace(0.1, 0.9, 24):
        for y in np.linspace(0.1, 0.9, 12):
            place = {"x": box[0] + x * box[2], "y": box[1] + y * box[3]}
            browser.call("Input.dispatchMouseEvent", type="mouseMoved", **place)
            seen.add(browser.evaluate("(t => t.hidden ? '' : t.textContent)(document.querySelector('.tip'))"))
    assert {"AG", "AH", "BED"} & seen
    assert any(name.startswith("spring CD: 4530 N/m") for name in seen)


def test_the_camera_can_follow_a_part_and_take_standard_views(browser, pages):
    browser.open(pages("slider-crank"))
    browser.evaluate(
        "const s = document.querySelector('[aria-label=Follow]'); s.value = 'B'; s.dispatchEvent(new Event('change'));"
        "for (const name of ['Front', 'Top', 'Side', 'Oblique', 'Fit'])"
        " document.querySelector(`header [aria-label=${name}]`).click(); linkwork.seek(0.5)"
    )
    assert browser.errors == []


def test_a_motion_of_one_moment_can_be_shown(browser, pages):
    motion = lw.loads(PENDULUM.format(title="Start", tend=0)).simulate()
    browser.open(pages("moment", motion))
    wait(browser, "linkwork.frames > 0 && document.querySelectorAll('.card canvas').length > 0")
    browser.evaluate("linkwork.play(); document.getElementById('tab-values').click()")
    assert browser.evaluate("linkwork.values()") == pytest.approx({"Ax": 1.0, "Ay": 0.0}, abs=1e-9)
    assert browser.errors == []


def test_a_page_follows_its_window(browser, pages):
    browser.open(pages("andrews"))
    for width, height in [(420, 800), (1900, 1000), (700, 420)]:
        browser.resize(width, height)
        wait(
            browser,
            "(() => { const c = document.querySelector('.stage canvas'), s = document.querySelector('.stage');"
            " return c.clientWidth === s.clientWidth && c.clientHeight === s.clientHeight && c.clientWidth > 100 })()",
        )
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert browser.errors == []


def test_a_long_motion_stays_seekable(browser, pages):
    # thousands of steps; every 1/60 s of model time is one of more than ten thousand frames
    motion = lw.loads(PENDULUM.format(title="Long", tend=200)).simulate(max_step=0.02, tol=1e-9)
    assert len(motion.t) > 10_000
    browser.open(pages("long", motion))
    browser.evaluate("linkwork.pause()")
    for t in (0.0, 66.6, 199.9):
        browser.evaluate(f"linkwork.seek({t})")
        assert browser.evaluate("linkwork.values()")["Ax"] == pytest.approx(motion.at(t)["Ax"], abs=1e-6)
    assert browser.errors == []
    assert pages("long").stat().st_size < 2_000_000


def read_legend(browser, quantity):
    """The numbers beside the first plot, by the names of its curves, once it shows a quantity."""
    browser.evaluate(
        "(s => { s.value = QUANTITY; s.dispatchEvent(new Event('change')) })(document.querySelector('.card select'))"
        .replace("QUANTITY", repr(quantity))
    )  # fmt: skip
    shown = browser.evaluate(
        "[...document.querySelector('.card .legend').querySelectorAll('span')]"
        ".map(s => [s.firstChild.textContent, s.querySelector('b').textContent])"
    )
    return {name: float(value.replace("−", "-")) for name, value in shown}


def check_numbers(browser, quantity, times, wanted, sizes):
    """Every number printed is right to its five digits and to 1e-5 of its range.   wanted: name → values at times"""
    for i, t in enumerate(times):
        browser.evaluate(f"linkwork.pause(); linkwork.seek({float(t)!r})")
        shown = read_legend(browser, quantity)
        assert set(wanted) <= set(shown)
        for name, values in wanted.items():
            assert shown[name] == pytest.approx(values[i], abs=1e-5 * sizes[name] + 5e-5 * abs(values[i])), (name, t)


@pytest.fixture(scope="module")
def long_run():
    text = PENDULUM.format(title="Long", tend=300).replace("A: [[l, fixed]]", "A: [[l/2, fixed]]")
    return lw.loads(text.replace("[[l/2], 1]", "[[l/2], 1, 0.1]")).simulate()


@pytest.mark.parametrize("way", ["motion", "npz"])
def test_energies_beside_a_long_run_are_those_of_the_motion(browser, pages, long_run, tmp_path, way):
    if way == "motion":
        page = pages("long run", long_run)
    else:
        page = write_page(read_recording(lw.write_results(long_run, tmp_path / "a.npz")), tmp_path / "a.html")
    assert page.stat().st_size < 3_000_000
    browser.open(page)
    times = np.random.default_rng(7).uniform(0, 300, 12)
    energy, over = long_run.at(times).energy, long_run.energy
    wanted = {"kinetic": energy.kinetic, "potential": energy.potential, "total": energy.total}
    check_numbers(browser, "Energy", times, wanted, dict.fromkeys(wanted, np.ptp(over.kinetic)))
    assert browser.errors == []


@pytest.mark.parametrize("way", ["motion", "npz"])
def test_kinds_of_energy_and_driving_torques_are_those_of_the_motion(browser, pages, motions, tmp_path, way):
    name = "driven-crank-with-damper"
    motion = motions(name)
    if way == "motion":
        page = pages(name)
    else:
        page = write_page(read_recording(lw.write_results(motion, tmp_path / "a.npz")), tmp_path / "a.html")
    browser.open(page)
    times = np.random.default_rng(8).uniform(motion.t[0], motion.t[-1], 8)
    state, over = motion.at(times), motion.energy
    wanted = {"kinetic": state.energy.kinetic, **state.energy.potentials}
    sizes = {"kinetic": np.ptp(over.kinetic), **{kind: np.ptp(v) for kind, v in over.potentials.items()}}
    check_numbers(browser, "Energy", times, wanted, sizes)
    torque = {"OA.angle": -state.multiplier("motion_OA.angle")}
    check_numbers(browser, "Driving OA.angle", times, torque, {"OA.angle": np.ptp(motion.driving("OA.angle"))})
    check_numbers(browser, "torque driving OA", times, {"driving OA": torque["OA.angle"]}, {"driving OA": 0.0})
    force = motion.reaction("OA", "A", t=times)
    wanted = {"size": np.linalg.norm(force, axis=1), "x": force[:, 0], "y": force[:, 1]}
    size = np.max(np.ptp(motion.reaction("OA", "A"), axis=0))
    check_numbers(browser, "reaction on OA at A", times, wanted, dict.fromkeys(wanted, size))
    assert browser.errors == []


def test_titles_and_names_are_text_never_markup(browser, pages):
    evil = "'</script><script>window.hurt = 1</script><img src=x onerror=\"window.hurt = 1\"> & <b>bold</b>'"
    motion = lw.loads(PENDULUM.format(title=evil, tend=0.5)).simulate()
    browser.open(pages("evil", motion))
    wait(browser, "linkwork.frames > 0")
    assert text(browser, "h1") == motion.title
    assert browser.evaluate("document.title") == motion.title
    assert browser.evaluate("window.hurt") is None
    assert browser.evaluate("document.querySelector('img, b[class]')") is None
    assert browser.errors == []


def test_everything_can_be_reached_and_steered_by_keys(browser, pages):
    browser.open(pages("andrews"))
    browser.evaluate("linkwork.pause(); linkwork.seek(0.01); document.activeElement.blur()")
    reached = set()
    for _ in range(60):
        browser.press("Tab")
        reached.add(browser.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id"))
    assert {"Play", "Time", "Loop", "Step back", "Fit", "Front", "Keys", "tab-plots", "What to plot"} <= reached
    browser.evaluate("document.activeElement.blur()")
    browser.press("ArrowRight")
    assert browser.evaluate("linkwork.time") > 0.01
    browser.press("End")
    assert browser.evaluate("linkwork.time === linkwork.end")
    browser.press("Home")
    assert browser.evaluate("linkwork.time === linkwork.begin")
    browser.press(" ")
    assert browser.evaluate("linkwork.playing")
    browser.press(" ")
    assert not browser.evaluate("linkwork.playing")
    browser.press("?")
    assert browser.evaluate("document.querySelector('dialog').open")
    browser.press("Escape")
    assert not browser.evaluate("document.querySelector('dialog').open")
    assert browser.errors == []


def test_what_has_focus_gets_its_keys(browser, pages):
    browser.open(pages("andrews"))
    browser.evaluate("linkwork.pause(); document.querySelector('[aria-label=Fit]').focus()")
    browser.press(" ")
    assert not browser.evaluate("linkwork.playing")  # the button was pressed, not the player
    browser.evaluate("document.querySelector('.speed select').focus()")
    before = browser.evaluate("linkwork.time")
    browser.press("ArrowRight")
    assert browser.evaluate("linkwork.time") == before


def test_a_plot_can_be_zoomed_and_clicked_to_seek(browser, pages):
    browser.open(pages("andrews"))
    browser.evaluate("linkwork.pause()")
    wait(browser, "document.querySelectorAll('.u-over').length > 0")
    box = browser.evaluate(BOX.replace("SELECTOR", ".u-over"))

    def mouse(kind, x, **more):
        place = {"x": box[0] + x * box[2], "y": box[1] + box[3] / 2}
        browser.call("Input.dispatchMouseEvent", type=kind, **place, button="left", **more)

    mouse("mouseMoved", 0.5)
    mouse("mousePressed", 0.5, clickCount=1)
    mouse("mouseReleased", 0.5, clickCount=1)
    assert browser.evaluate("linkwork.time") == pytest.approx(0.015, rel=0.02)
    mouse("mousePressed", 0.2, clickCount=1)
    mouse("mouseMoved", 0.4, buttons=1)
    mouse("mouseReleased", 0.4, clickCount=1)
    wait(browser, "document.querySelector('.now').hidden")  # the time shown is outside what is zoomed to
    assert browser.errors == []


def test_reduced_motion_is_respected(browser, pages):
    browser.open(pages("andrews"))
    wait(browser, "linkwork.frames > 0")
    assert not browser.evaluate("linkwork.playing")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_contrast(browser, pages, theme):
    browser.open(pages("andrews"))
    browser.evaluate(f"linkwork.pause(); linkwork.film({theme!r})")
    style = "getComputedStyle(document.documentElement).getPropertyValue"
    names = ("ink", "muted", "paper", "ground", "accent")
    colours = {name: browser.evaluate(f"{style}('--{name}').trim()") for name in names}

    def luminance(colour):
        colour = colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    for front in ("ink", "muted", "accent"):
        for back in ("paper", "ground"):
            a, b = sorted([luminance(colours[front]), luminance(colours[back])])
            assert (b + 0.05) / (a + 0.05) > 4.5, (front, back)


# -- what must not be missed -------------------------------------------------------------------------------------------

CYLINDER = """\
Title: A beam on a cylinder
PartData:
  Fixed: {O: [], S: [0.6, -0.5]}
  Rigids: {OAB: {Geom: [[1], [1.3, 0.1]], Dyna: [[0.6], 2, 0.3]}}
AppliedForces:
  Gravity:
Motions: {SA.length: 0.7 + 0.1*sin(3*t)}
ProblemData: {tend: 2, positions: {A: [0.9, 0.1]}}
Animation: {traces: [B]}
"""


def test_a_driven_length_is_drawn_with_its_support_and_its_forces(browser, pages):
    motion = lw.loads(CYLINDER).simulate()
    browser.open(pages("cylinder", motion))
    wait(browser, "linkwork.frames > 1")
    browser.evaluate("linkwork.seek(1); document.dispatchEvent(new KeyboardEvent('keydown', {key: 'a'}))")
    assert browser.evaluate("linkwork.arrows().force.straight") == [
        "driving SA.length at S", "driving SA.length at A",
    ]  # fmt: skip
    assert browser.evaluate("linkwork.items()").count("driven length SA") == 2
    assert "S (fixed)" in browser.evaluate("linkwork.items()")
    assert browser.errors == []


def test_first_plots_are_those_of_traced_points(browser, pages):
    browser.open(pages("cylinder", lw.loads(CYLINDER).simulate()))
    wait(browser, "linkwork.plots().length > 2")
    assert [plot["name"] for plot in browser.evaluate("linkwork.plots()")][:2] == ["position B", "Energy"]


def test_first_plots_are_of_points_where_parts_meet(browser, pages):
    text = CYLINDER.replace("Animation: {traces: [B]}\n", "")
    browser.open(pages("untraced cylinder", lw.loads(text).simulate()))
    wait(browser, "linkwork.plots().length > 2")
    assert browser.evaluate("linkwork.plots()[0].name") == "position A"


@pytest.mark.parametrize("name", EVERYTHING)
def test_every_axis_has_three_different_numbers_at_least(browser, pages, name):
    browser.open(pages(name))
    wait(browser, "linkwork.plots().length > 1 && linkwork.plots().every(plot => plot.ticks.length > 0)")
    for plot in browser.evaluate("linkwork.plots()"):
        assert len(set(plot["ticks"])) == len(plot["ticks"]) >= 3, plot


def test_a_run_that_ended_early_says_why_and_stays_there(browser, pages):
    text = CYLINDER + "Events: {low: {when: A.y - 0.1, do: stop}}\n"
    motion = lw.loads(text).simulate()
    assert motion.outcome.startswith("stopped")
    browser.open(pages("early", motion))
    assert text_of_banner(browser) == motion.outcome.replace("stopped", "Stopped", 1)
    assert browser.evaluate("document.querySelector('.marks .end').title") == motion.outcome
    assert browser.evaluate("document.querySelector('[aria-label=Loop]').getAttribute('aria-pressed')") == "false"
    browser.evaluate("document.querySelector('.banner button').click()")
    assert text_of_banner(browser) == ""


def test_doubts_are_on_the_page(browser, pages):
    motion = lw.loads(CYLINDER).simulate(0.5)
    motion.doubts = ("energy <b>is lost</b>: 3 % of what was exchanged.", "a pin is open.")
    browser.open(pages("doubtful", motion))
    assert text_of_banner(browser) == "".join(motion.doubts)
    assert browser.evaluate("document.querySelector('.banner').classList.contains('doubt')")


def test_a_run_that_went_well_has_no_banner(browser, pages):
    browser.open(pages("andrews"))
    assert text_of_banner(browser) == ""


def text_of_banner(browser):
    wait(browser, "linkwork.frames > 1")
    return browser.evaluate(
        "(b => b.hidden ? '' : b.querySelector('div').textContent)(document.querySelector('.banner'))"
    )


@pytest.mark.parametrize("place", ["sqrt(theta)", "log(-1 - theta**2)", "1e200*theta"])
def test_points_without_a_value_do_not_hide_the_others(browser, tmp_path, place):
    points = {"P": (place, "-cos(theta)"), "Q": ("sin(theta)", "0"), "O": ("0", "0")}
    start, lines = {"theta": 1}, ["OP", "OQ"]
    swing = lw.lagrangian("theta", "theta'**2/2 + cos(theta)", start=start, points=points, lines=lines).simulate(7)
    browser.open(write_page(record(swing), tmp_path / "a.html"))
    wait(browser, "linkwork.frames > 1")
    browser.evaluate("linkwork.seek(4)")
    assert browser.evaluate("linkwork.values().Qx") == pytest.approx(np.sin(swing.at(4.0)["theta"]), abs=1e-6)
    assert "Px has no value at some times" in text(browser, "#page-run")
    assert browser.errors == []
