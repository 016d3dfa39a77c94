"""The versions that are said to be enough are those that are tested, and what libraries return differently is taken."""

import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def numbers(text):
    return [int(x) for x in re.findall(r"\d+", text)]


def test_the_lowest_versions_that_are_tested_are_those_that_are_allowed():
    lines = (ROOT / "tests" / "lowest.txt").read_text().splitlines()
    tested = dict(re.fullmatch(r"([\w-]+)==([\d.]+)", line).groups() for line in lines if not line.startswith("#"))
    extras = PROJECT["optional-dependencies"]
    for asked in (*PROJECT["dependencies"], *extras["test"], *extras["plot"], *extras["sympy"], *extras["stiff"]):
        name, least = re.match(r"([\w-]+)>=([\d.]+)", asked).groups()
        assert numbers(tested[name])[: len(numbers(least))] == numbers(least), asked
        assert not any(numbers(tested[name])[len(numbers(least)) :]) or name == "imageio-ffmpeg", asked


def test_this_python_is_among_those_that_are_supported():
    names = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert names == [f"3.{k}" for k in range(11, 15)] and PROJECT["requires-python"] == ">=3.11"
    assert sys.version_info >= (3, 11)


@pytest.mark.parametrize("kind", ["complex", "as they are"])
def test_eigenvalues_may_be_complex_though_they_are_real(monkeypatch, load_example, kind):
    """NumPy from 2.5 on returns complex ones always, before it did where one had an imaginary part."""
    from linkwork.native import radau

    def always(find):
        def found(*args):
            values = find(*args)
            complex_ = [x.astype(complex) for x in (values if isinstance(values, tuple) else (values,))]
            return (
                (type(values)(*complex_) if isinstance(values, tuple) else complex_[0]) if kind == "complex" else values
            )

        return found

    for name in ("eig", "eigvals"):
        monkeypatch.setattr(np.linalg, name, always(getattr(np.linalg, name)))
    radau.find_radau.cache_clear()
    model = load_example("four-bar")
    motion = model.simulate(0.05, method="radau", compiled=False)
    assert motion.outcome == "reached t = 0.05" and motion.final.q.dtype == np.float64
    linear = model.linearize("start")
    assert {x.dtype for x in (linear.A, linear.B, linear.C, linear.D)} == {np.dtype(np.float64)}
    assert model.slowest(1, "start").modes
    pendulum = lw.lagrangian("x", "x'**2/2 - 2*x**2", start={"x": 1}, tend=1)
    assert sorted(pendulum.linearize("start").eigenvalues.imag) == pytest.approx([-2, 2])
