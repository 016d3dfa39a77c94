"""Redundant linkages whose numbers were rounded, as drawing programs write them: one answer, that of the exact one."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelWarning, StartError

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    return (EXAMPLES / f"{name}.yaml").read_text()


def parallelogram(off):
    bars = "OA, PB, QC: {Geom: [[a]],        Dyna: [[a/2], rho*a]}"
    third = f"PB: {{Geom: [[{0.5 + off!r}]], Dyna: [[{(0.5 + off) / 2!r}], rho*a]}}"
    return example("parallelogram").replace(bars, f"OA, QC: {{Geom: [[a]], Dyna: [[a/2], rho*a]}}\n    {third}")


def bennett(digits):
    beta = math.asin(0.6 * math.sin(1.0))
    return example("bennett").replace("asin(b*sin(alpha)/a)", repr(round(beta, digits)))


def sarrus(digits):
    side, half, edge = (round(x, digits) for x in (0.4 * math.sqrt(2), 0.2 * math.sqrt(2), math.sqrt(0.5)))
    text = example("sarrus").replace("[[b*sqrt(2)], [b/sqrt(2), b/sqrt(2)]]", f"[[{side!r}], [{half!r}, {half!r}]]")
    return text.replace("[[0, 0, 1], [1, -1, 0]]", f"[[0, 0, 1], [{edge!r}, {-edge - 10**-digits!r}, 0]]")


def bricard(digits):
    tilt, height = 3 * 10**-digits, 1 + 2 * 10**-digits
    text = example("bricard").replace("axes: [[0, 1, 0], [1, 0, 0]]", f"axes: [[0, 1, 0], [1, {tilt:.1e}, 0]]")
    return text.replace("E: [0, 0, l]", f"E: [0, 0, {height!r}]")


def truss(digits):
    diagonal = round(math.sqrt(2), digits)
    return f"""
PartData:
  Fixed: {{O: [], P: [1]}}
  Rigids:
    OA, AB, PB, BC: {{Geom: [[1]], Dyna: [[0.5], 1]}}
    OB, PA: {{Geom: [[{diagonal!r}]], Dyna: [[{diagonal / 2!r}], 1]}}
AppliedForces: {{Gravity: }}
ProblemData: {{tend: 1, positions: {{A: [0, 1], B: [1, 1], C: [2, 1]}}}}
"""


def lift(digits):
    """A scissor lift whose table is guided twice, its arms rounded each on its own."""
    rng = np.random.default_rng(3)
    arms = []
    for name in ("OMA", "BMC", "CND", "ANE"):
        half, whole = (round(x / math.sqrt(3) + 10**-digits * rng.uniform(-0.5, 0.5), digits + 1) for x in (0.5, 1.0))
        arms.append(f"    {name}: {{Geom: [[{half!r}], [{whole!r}]], Dyna: [[0.28], 5, 0.1]}}")
    return "\n".join([
        "PartData:\n  Fixed: {O: [], G: [2]}\n  Rigids:", *arms,
        "    EX: {Geom: [[1]], Dyna: [[0.5], 20]}",
        "  Springs: {OE: [3000, 0.7]}",
        "Connections: {Collinear: [OBG, EXD, OCE]}",
        "AppliedForces: {Gravity: }",
        "ProblemData:\n  tend: 1",
        "  positions: {B: [0.5, 0], M: [0.25, 0.15], A: [0.5, 0.3], C: [0, 0.3], N: [0.25, 0.45], D: [0.5, 0.6],",
        "    E: [0, 0.6], X: [1, 0.6]}",
    ])  # fmt: skip


CASES = {
    "parallelogram": (lambda digits: parallelogram(10**-digits), lambda: example("parallelogram")),
    "bennett": (bennett, lambda: example("bennett")),
    "sarrus": (sarrus, lambda: example("sarrus")),
    "bricard": (bricard, lambda: example("bricard")),
    "truss": (truss, lambda: truss(17)),
    "lift": (lift, lambda: lift(16)),
}


def load_rounded(text):
    """A model whose start had its numbers fitted, and tells so if it matters."""
    model = lw.loads(text)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert model.start.fit is not None
    words = [str(warning.message) for warning in told if warning.category is ModelWarning]
    assert len(words) == (model.start.fit.misfit > 1e-12)
    assert all("repeat each other, but agree only to" in text for text in words)
    return model


@pytest.mark.parametrize("digits", [6, 8, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", CASES)
def test_check_run_and_linear_model_agree_with_those_of_the_exact_linkage(name, digits):
    rounded, exact = CASES[name]
    model, other = load_rounded(rounded(digits)), lw.loads(exact())
    one, two = model.structure().mobility, other.structure().mobility
    assert (one.freedom, one.motion) == (two.freedom, two.motion)
    assert [g.surplus for g in one.redundant] == [g.always for g in one.redundant] == [g.surplus for g in two.redundant]
    assert len(model.linearize().states) == len(other.linearize().states)
    motion, wanted = model.simulate(0.5), other.simulate(0.5)
    assert motion.outcome == "reached t = 0.5"
    assert motion.stats.redundant == wanted.stats.redundant
    assert motion.stats.steps <= 2 * wanted.stats.steps
    # as far apart as the numbers are
    t = np.linspace(0, 0.5, 20)
    apart = np.max(np.abs(motion.at(t).q - wanted.at(t).q))
    assert apart <= 100 * 10**-digits
    assert model.start.fit.misfit <= 10 * 10**-digits
    audit = motion.audit()
    assert audit.ok, audit.text()
    assert "whose numbers disagree by" in audit.line()


def test_exactly_redundant_linkages_keep_their_numbers():
    for name in ("parallelogram", "bennett", "sarrus", "bricard", "spatial-four-bar", "cardan-shaft", "pantograph"):
        assert lw.load(EXAMPLES / f"{name}.yaml").start.fit is None


def test_the_number_that_was_rounded_is_the_one_that_changes():
    model = load_rounded(truss(7))
    changed = model.start.fit
    (number,) = changed.values
    assert number == pytest.approx(math.sqrt(2), abs=1e-15)
    assert changed.change == pytest.approx(2.7e-8, rel=0.05)


def test_what_contradicts_by_more_than_the_tolerance_is_said_at_once():
    text = parallelogram(1e-4)
    with pytest.raises(StartError, match=r"contradict each other.*give more digits or allow fit: 1e-04"):
        _ = lw.loads(text).start
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert lw.loads(text).with_fit(1e-3).simulate(0.1).outcome == "reached t = 0.1"
        asked = "SolverParams: {Integration: {fit: 1e-3}}\n" + text
        assert lw.loads(asked).start.fit is not None
    with pytest.raises(StartError, match="contradict each other"):
        _ = lw.loads(truss(7)).with_fit(0).start


@pytest.mark.parametrize("seed", range(6))
def test_random_rows_of_parallel_bars_move_like_exact_ones(seed):
    rng = np.random.default_rng(seed)
    digits, count = int(rng.choice([6, 8, 10])), int(rng.integers(3, 6))
    shares, length, tilt = np.sort(rng.uniform(0, 1, count)), rng.uniform(0.3, 1.0), rng.uniform(0.4, 2.6)
    end = length * np.array([math.cos(tilt), math.sin(tilt)])

    def make(rounded):
        def number(x):
            return round(float(x), digits) if rounded else float(x)

        start = number(shares[0])
        places = [(), *((number(number(x) - start),) for x in shares[1:])]
        wide = float(shares[-1] - shares[0])
        coupler = lw.Rigid(
            name="C", points=[f"B{i}" for i in range(count)], geometry=places, centroid=(wide / 2,), mass=1, inertia=0.1
        )
        bars = [lw.Rigid.rod(f"R{i}", number(length + i * 1e-17), 1, points=(f"A{i}", f"B{i}")) for i in range(count)]
        # each bar is off in its last digit by itself
        if rounded:
            off = 10.0**-digits
            bars = [lw.Rigid.rod(f"R{i}", number(length + off * rng.integers(-1, 2)), 1, points=(f"A{i}", f"B{i}"))
                    for i in range(count)]  # fmt: skip
        return lw.Mechanism(
            fixed={f"A{i}": (number(x), 0) for i, x in enumerate(shares)},
            rigids=[coupler, *bars],
            gravity=(0, -9.81),
            start=lw.InitialValues(positions={f"B{i}": (float(x) + end[0], end[1]) for i, x in enumerate(shares)}),
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        one, two = (lw.Model(make(rounded)).simulate(0.4) for rounded in (True, False))
    assert one.stats.redundant == two.stats.redundant == count - 2
    assert np.max(np.abs(one.final.q - two.final.q)) <= 1000 * 10.0**-digits
    assert one.audit().ok


@pytest.mark.parametrize("more", [False, True])  # a fourth bar, which repeats the others exactly
@pytest.mark.parametrize("off", [1e-7, -1e-6, 3e-6, 1e-5])
def test_what_contradicts_by_less_than_the_tolerance_moves_like_the_exact_linkage(off, more):
    """Near zero there are many singular values of rounded numbers, and none between them and those of exact ones."""

    def make(off):
        bars = "OA, QB, RC, SD" if more else "OA, QB, RC"
        coupler = "ABCD: {Geom: [[1], [%r], [0.5]]" if more else "ABC: {Geom: [[1], [%r]]"
        return f"""
PartData:
  Fixed: {{O: [], Q: [1], R: [0.333333], S: [0.5]}}
  Rigids:
    {bars}: {{Geom: [[0.5]], Dyna: [[0.25], 1]}}
    {coupler % round(0.333333 + off, 9)}, Dyna: [[0.5], 1, 0.1]}}
AppliedForces: {{Gravity: }}
ProblemData: {{tend: 0.5, positions: {{A: [0.3, 0.4], B: [1.3, 0.4]}}}}
"""

    model, exact = load_rounded(make(off)), lw.loads(make(0.0))
    assert model.structure().mobility.freedom == exact.structure().mobility.freedom == 1
    motion, wanted = model.simulate(), exact.simulate()
    assert motion.stats.redundant == wanted.stats.redundant == 1 + more
    assert np.max(np.abs(motion.final["B"] - wanted.final["B"])) <= 100 * abs(off)
    assert motion.audit().ok
