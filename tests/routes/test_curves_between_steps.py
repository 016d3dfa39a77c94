"""Curves of plots, pages and extremes come from the dense motion: straight lines between their times miss nothing."""

import base64
import json

import numpy as np
import pytest

import linkwork as lw
from linkwork.results.extremes import resolve

PULSE = """
PhysicalParams: {w: 300}
PartData: {Fixed: {O: []}, Particles: {A: 1}}
Variables: {pulse: exp(-((1 - cos(w*t))/0.002))}
AppliedForces: {Forces: {A: [pulse, 0]}}
ProblemData: {tend: 0.4, positions: {A: [0, 0]}}
"""
CRANK = """
PhysicalParams: {a: 0.2, b: 0.5}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[a]], Dyna: [[a/2], 1, 0.01]}, AB: {Geom: [[b]], Dyna: [[b/2], 2, 0.05]}}
  Collinears: {B: {from: [0, 0], to: [1, 0]}}
Motions: {OA.angle: 10*t}
AppliedForces: {Gravity: }
ProblemData: {tend: 2, positions: {A: [0.2, 0], B: [0.7, 0]}}
"""


def page_curves(motion, tmp_path):
    text = motion.show(str(tmp_path / "page.html"), browser=False).read_text()
    i = text.find('"curves":[')
    k = text.find(">", text.rfind("<script", 0, i)) + 1
    d = json.loads(text[k : text.find("</script>", k)])
    times = [np.frombuffer(base64.b64decode(t), "<f8") for t in d["times"]]
    return {
        f"{c['group']} {c['name']}": (times[c["times"]], np.frombuffer(base64.b64decode(c["values"]), "<f4"))
        for c in d["curves"]
    }


def test_plots_have_all_peaks_of_a_pulse():
    pytest.importorskip("matplotlib")
    motion = lw.loads(PULSE).simulate(max_step=0.002)
    (line,) = motion.plot("pulse").axes[0].lines
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    T = 2 * np.pi / 300
    peaks = [np.max(y[np.abs(x - k * T) < T / 2]) for k in range(1, 19)]
    assert min(peaks) > 0.999999 and max(peaks) <= 1
    (found,) = motion.extremes("pulse").values()
    assert found.largest == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("name", ["bouncing-balls", "cart-pole", "slider-crank-bodies"])
def test_straight_lines_of_a_page_are_the_energies(load_example, tmp_path, name):
    motion = load_example(name).simulate()
    curves = page_curves(motion, tmp_path)
    probe = np.linspace(motion.t[0], motion.t[-1], 1001)[1:-1]
    probe = probe[[np.min(np.abs(probe_t - motion.t)) > 1e-6 for probe_t in probe]]
    t, kinetic = curves["Energy kinetic"]
    wanted = motion.at(probe).energy.kinetic
    size = np.ptp(kinetic)
    assert np.max(np.abs(np.interp(probe, t, kinetic) - wanted)) < 3e-3 * size


def test_pages_show_pulses(tmp_path):
    t, pulse = page_curves(lw.loads(PULSE).simulate(0.1, max_step=0.002), tmp_path)["Variables pulse"]
    T = 2 * np.pi / 300
    assert min(np.max(pulse[np.abs(t - k * T) < T / 2]) for k in range(1, 4)) > 0.99


def test_driving_and_multipliers_are_told_at_any_time():
    text = CRANK.replace("  Collinears: {B: {from: [0, 0], to: [1, 0]}}\n", "")
    motion = lw.loads(text).simulate()
    t = np.linspace(0, 2, 333)
    driving = motion.driving("OA.angle", t=t)
    assert driving.shape == t.shape
    np.testing.assert_allclose(motion.driving("OA.angle", t=motion.t[3:5]), motion.driving("OA.angle")[3:5], rtol=1e-9)
    name = motion.system.constraints[0]
    assert motion.multiplier(name, t=0.3).shape == (1,)
    # power of what drives is the rate of all energy
    energy = motion.at(t).energy.total
    rate = np.gradient(energy, t)[3:-3]
    np.testing.assert_allclose(10 * driving[3:-3], rate, atol=0.02 * np.max(np.abs(rate)))
    (found,) = motion.extremes("driving").values()
    dense = motion.driving("OA.angle", t=np.linspace(0, 2, 20001))
    assert found.largest >= np.max(dense) - 1e-9 and found.least <= np.min(dense) + 1e-9
    assert found.largest == pytest.approx(np.max(dense), rel=1e-5)
    assert motion.driving("OA.angle", t=found.at_largest)[0] == pytest.approx(found.largest)


def test_extremes_are_exact_however_long_steps_are():
    motion = lw.loads(
        "PartData: {Fixed: {O: []}, Particles: {A: 1}, Springs: {OA: {stiffness: 4, length: 0}}}\n"
        "ProblemData: {tend: 10, positions: {A: [0.3, 0]}}\n"
    ).simulate()
    found = motion.extremes("A")
    assert found["Ax"].largest == pytest.approx(0.3, abs=1e-10)
    assert found["Ax"].least == pytest.approx(-0.3, abs=1e-10)
    assert found["Ax"].at_least % np.pi == pytest.approx(np.pi / 2, abs=1e-4)
    for wrong in ("", 3, "nothing"):
        with pytest.raises(lw.LinkworkError):
            motion.extremes(wrong)


@pytest.mark.filterwarnings("error")
def test_times_that_rounding_makes_equal_are_no_obstacle():
    beside = np.nextafter(1.0, 2.0)
    start = np.array([0.0, 1.0, beside, 2.0])
    t, values = resolve(lambda t: np.where(t <= 1.0, np.sin(7 * t), 3 - t)[:, None], start, 2000)
    assert abs(values[t <= 1.0].max() - 1.0) < 1e-9
    assert values.max() == pytest.approx(2.0)
