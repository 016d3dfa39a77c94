"""Plots: every kind of quantity is found by its words, labelled with its unit, and written reproducibly."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.results.curves import find_curves

pytest.importorskip("matplotlib")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def motion():
    return lw.load(EXAMPLES / "driven-crank-with-damper.yaml").simulate(0.3, tol=1e-8)


def curves(motion, what):
    return find_curves(motion, what, motion.at(np.linspace(0, 0.3, 7)))


@pytest.mark.parametrize(
    ("what", "names", "unit"),
    [
        ("Ax", ["Ax"], "m"),
        ("Ax'", ["Ax'"], "m/s"),
        ("A''", ["Ax''", "Ay''"], "m/s²"),
        ("OA", ["OA"], "rad"),
        ("OA'", ["OA'"], "rad/s"),
        ("driving", ["OA.angle"], "N m"),
        ("reaction OA at A", ["OA, A: Fx", "OA, A: Fy"], "N"),
    ],
)
def test_words_find_quantities_with_units(motion, what, names, unit):
    found = curves(motion, what)
    assert [curve.name for curve in found] == names
    assert {curve.unit for curve in found} == {unit}
    assert all(curve.values.shape == curve.t.shape == (7,) for curve in found)


def test_curves_are_the_numbers_of_the_motion(motion):
    times = np.linspace(0, 0.3, 7)
    state = motion.at(times)
    assert np.array_equal(curves(motion, "A'")[1].values, state.velocity("A")[:, 1])
    energy = {curve.name: curve.values for curve in curves(motion, "energy")}
    assert np.array_equal(energy["kinetic"], state.energy.kinetic)
    assert np.array_equal(curves(motion, "reaction OA at A")[0].values, motion.reaction("OA", "A", t=times)[:, 0])
    work = {curve.name: curve.values[-1] for curve in curves(motion, "work")}
    assert work == {name: values[-1] for name, values in motion.work.items()}
    power = {curve.name: curve.values for curve in curves(motion, "power")}
    assert np.allclose(power["motion OA.angle"], curves(motion, "driving")[0].values * state.velocity("OA"), rtol=1e-9)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_same_plot_is_the_same_file(motion, tmp_path, suffix):
    files = [tmp_path / f"{i}.{suffix}" for i in range(2)]
    for file in files:
        motion.plot("A, energy, Ay vs Ax, residuals", path=file)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert len(first) > 1000


def test_panels_are_labelled(motion):
    figure = motion.plot(["A", "Ay vs Ax", "driving"])
    labels = [(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes]
    assert labels == [("t [s]", "A: position [m]"), ("Ax [m]", "Ay [m]"), ("t [s]", "Driving: OA.angle [N m]")]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["Ax", "Ay"]


def test_a_lagrangian_has_no_units():
    swing = lw.lagrangian("theta", "theta'**2/2 + cos(theta)", start={"theta": 1}, points={"P": ("theta", 0)})
    figure = swing.simulate(1).plot("theta, P, energy")
    assert figure.axes[0].get_ylabel() == "theta"


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("Axx", "no quantity named 'Axx'. Did you mean 'Ax'"),
        ("", "nothing to plot"),
        (", ,", "nothing to plot"),
        ("A vs B", "only single quantities"),
        ("reaction OA at Z", "Z"),
        ("tension XY", "XY"),
        ("reaction", "does not say on what and where. Write, for example, 'reaction "),
        ("reaction OA", "does not say on what and where"),
        ("A'''", "no quantity named"),
        ("$x$", "unexpected character '$'"),
        ("2*Axx + 1", "'2*Axx + 1': unknown name 'Axx'. Did you mean 'Ax'?"),
    ],
)
def test_what_cannot_be_plotted(motion, what, words):
    with pytest.raises(LinkworkError) as caught:
        motion.plot(what)
    assert words in str(caught.value)


def test_a_plot_has_a_known_format(motion, tmp_path):
    with pytest.raises(LinkworkError, match="must end in"):
        motion.plot("A", path=tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


def test_a_title_is_text(tmp_path):
    text = (EXAMPLES / "four-bar.yaml").read_text().replace("Title:", "Title: a $x^2 & <script> b #", 1)
    lw.loads(text).simulate(0.1).plot("energy", path=tmp_path / "title.svg")
    assert "<script>" not in (tmp_path / "title.svg").read_text()


def test_points_of_a_lagrangian_are_plotted_by_component():
    pendulum = lw.lagrangian(
        "a", "a'**2/2 + cos(a)", start={"a": 1}, points={"P": ("sin(a)", "-cos(a)"), "O": (0, 0)}
    ).simulate(1)
    (axes,) = pendulum.plot("Py vs Px").axes
    x, y = axes.lines[0].get_data()
    np.testing.assert_allclose(x**2 + y**2, 1, rtol=1e-12)
    (speed,) = find_curves(pendulum, "Px'", pendulum.at(pendulum.t))
    np.testing.assert_allclose(speed.values, np.cos(pendulum["a"]) * pendulum.velocity("a"), rtol=1e-12)


# -- what is no signal -------------------------------------------------------------------------------------------------

ENGINE = """\
PartData:
  Fixed: {O: [], Q: [1]}
  Rigids: {OA: {Geom: [[0.1]], Dyna: [[0], 2, 0.03]}, AB: {Geom: [[0.3]], Dyna: [[0.1], 1, 0.02]}}
  Particles: {B: 0.7}
Connections: {Collinear: [OBQ]}
AppliedForces: {Torques: {OA: 1 - 0.02*OA.omega}}
ProblemData: {tend: 1.5, positions: {A: [0, 0.1], B: [0.28]}, velocities: {OA: [30]}}
Animation: {traces: [A, B]}
"""


@pytest.fixture(scope="module")
def engine():
    return lw.loads(ENGINE).simulate()


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("By", 0.0), ("By'", 0.0), ("By''", 0.0), ("AB.length", 0.3), ("A.x**2 + A.y**2", 0.01),
        ("AB.length - 0.3", 0.0), ("A.x*A.vx + A.y*A.vy", 0.0),
    ],
)  # fmt: skip
def test_rounding_is_no_signal(engine, what, value):
    (curve,) = find_curves(engine, what, engine.at(np.linspace(0, 1.5, 200)))
    assert np.ptp(curve.values) == 0 and curve.values[0] == pytest.approx(value, rel=1e-12)
    assert value or not curve.values.any()


def test_the_side_of_a_guide_along_which_it_does_not_push_is_zero(engine):
    x, y = find_curves(engine, "reaction OBQ at B", engine.at(np.linspace(0, 1.5, 200)))
    assert not x.values.any() and np.ptp(y.values) > 1


def test_small_signals_are_not_taken_for_rounding():
    # a pendulum that swings by a hundred-millionth of its length
    text = """
    PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[1], 1, 0]}}}
    AppliedForces: {Gravity: }
    ProblemData: {tend: 4, positions: {A: [[1.0e-8, fixed], -1]}}
    """
    swing = lw.loads(text).simulate(tol=1e-14)
    t = np.linspace(0, 4, 50)
    (curve,) = find_curves(swing, "Ax", swing.at(t))
    np.testing.assert_allclose(curve.values, 1e-8 * np.cos(np.sqrt(9.80665) * t), atol=1e-11)


def test_a_law_that_switches_is_a_signal():
    text = ENGINE.replace("1 - 0.02*OA.omega", "'select(sin(OA.angle) > 0, 2, 0)'")
    motion = lw.loads(text).simulate()
    (power,) = find_curves(motion, "power", motion.at(np.linspace(0, 1.5, 300)))
    assert np.ptp(power.values) > 10


def test_work_is_a_curve_between_the_steps(engine):
    t = np.linspace(0, 1.5, 301)
    (work,) = find_curves(engine, "work", engine.at(t))
    state = engine.at(t)
    np.testing.assert_allclose(work.values, state.energy.total - engine.energy.total[0], atol=1e-8)


def test_constants_stand_in_the_middle_of_an_axis_with_numbers(engine):
    figure = engine.plot("By, AB.length, residuals, energy")
    figure.draw_without_rendering()
    zero, length, *_ = figure.axes
    assert zero.get_ylim() == (-1.0, 1.0)
    assert length.get_ylim() == pytest.approx((0.15, 0.45))
    for ax in figure.axes:
        low, high = ax.get_ylim()
        shown = {x for x in ax.get_yticks() if low <= x <= high}
        assert len(shown) >= 3


def test_long_labels_are_broken_into_lines_and_stay_in_the_picture(engine):
    figure = engine.plot("A.x*A.vx + A.y*A.vy + B.x*B.vx + B.y*B.vy + A.x*B.x + A.y*B.y, reaction OBQ at B")
    figure.draw_without_rendering()
    for ax in figure.axes:
        box = ax.yaxis.label.get_window_extent()
        assert box.y0 >= 0 and box.y1 <= figure.bbox.y1 and box.x0 >= 0


def test_without_words_the_traced_points_and_the_energies_are_plotted(engine):
    labels = [ax.get_ylabel() for ax in engine.plot().axes]
    assert labels == ["A: position [m]", "B: position [m]", "Energy: kinetic [J]"]


def test_a_plot_of_a_run_that_ended_early_says_why():
    motion = lw.loads(ENGINE + "Events: {full: {when: OA.angle - 20, do: stop}}").simulate()
    assert "by event 'full'" in motion.plot("A").get_suptitle()


# -- in a notebook -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inline", [False, True])
def test_a_figure_shows_itself_once_in_a_notebook(engine, inline):
    from IPython.core.formatters import DisplayFormatter
    from matplotlib.figure import Figure

    formatter = DisplayFormatter()
    if inline:
        # what %matplotlib inline does
        formatter.formatters["image/png"].for_type(Figure, lambda figure: figure._repr_png_())
    linear = lw.loads(ENGINE).linearize(states=["OA.angle"], inputs=["OA.angle"])
    for figure in (engine.plot("A"), linear.bode().plot()):
        shown, _ = formatter.format(figure)
        assert shown["image/png"][:4] in (b"\x89PNG", "iVBO") and set(shown) == {"image/png", "text/plain"}
