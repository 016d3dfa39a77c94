"""Kernels compiled alone and kernels compiled together: the same motion, to the last bit."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.native import compiler

pytestmark = pytest.mark.needs_compiler
COUNT = 30


def alone(sources, _):
    return [[source] for source in sources]


def together(sources, _):
    return [[s for s in sources if s.company == company] for company in {s.company for s in sources}]


def different_laws():
    """A chain whose joints have a law each: as many kernels, in which products are added up in many ways."""
    length, points = math.hypot(0.3, 0.1), range(1, COUNT + 1)
    forces = "".join(
        f'    P{i}: ["-{i}*P{i}.x - 0.1*P{i}.vx*P{i}.vy**2*sin({i}*t)*cos(P{i}.x*P{i}.y)",'
        f' "-9.81 - {1 + i / 10}*P{i}.y*exp(-P{i}.x**2)/(1 + P{i}.vx**2*P{i}.y**2)'
        f' - tanh(P{i}.vy*P{i}.x)*sqrt(1 + P{i}.y**2 + P{i}.x**4)*{i}"]\n'
        for i in points
    )
    rods = "".join(f"    P{i - 1}P{i}: {{Geom: [[{length}]], Dyna: [[{length / 2}], 1]}}\n" for i in points)
    places = "".join(f"    P{i}: [{0.3 * i}, {0.1 * i}]\n" for i in points)
    return lw.loads(
        f"PartData:\n  Fixed: {{P0: []}}\n  Rigids:\n{rods}AppliedForces:\n  Gravity:\n  Forces:\n{forces}"
        f"ProblemData:\n  tend: 1\n  positions:\n{places}"
    )


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Simulate with a cache of its own and kernels in the units given; all coefficients, and how many libraries."""

    def simulate(make, until, units):
        folder = tmp_path / units.__name__
        monkeypatch.setenv("LINKWORK_CACHE", str(folder))
        monkeypatch.setattr(compiler, "_units", units)
        compiler._cache_folder.cache_clear()
        motion = make().simulate(until, tol=1e-9)
        libraries = {path.stat().st_ino for path in folder.iterdir()}
        return motion.store.evaluate(np.arange(motion.store.count), motion.store.h), len(libraries)

    yield simulate
    compiler._cache_folder.cache_clear()


@pytest.mark.parametrize("example", [None, "andrews"])
def test_kernels_compiled_alone_and_together_give_the_same_bits(example, run, examples):
    def make():
        return lw.load(examples / f"{example}.yaml") if example else different_laws()

    until = 0.005 if example else 0.3
    (one, many), (other, few) = (run(make, until, units) for units in (alone, together))
    assert many > few >= 2
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
