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
