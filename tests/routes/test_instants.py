"""Numbers at one state by compiled tables against the interpreter."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.native.instant import Instants

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("M", "G", "g", "rates", "bias", "f", "T", "watches", "readings")


def full(x):
    return np.asarray(x.todense()) if hasattr(x, "todense") else np.asarray(x)


@pytest.mark.parametrize(
    "name", ["newtons-cradle", "stick-slip", "stewart-bodies", "andrews", "hydraulic-boom", "mechanism1a", "bicycle"]
)
def test_compiled_and_interpreted_numbers_of_a_state_agree(name):
    model = lw.load(EXAMPLES / f"{name}.yaml")
    system, q = model.whole, model.start.q
    u = np.random.default_rng(1).normal(size=system.n)
    one, other = (Instants(system, compiled).at(0.3, q, u) for compiled in (True, False))
    for key in NAMES:
        x, y = full(getattr(one, key)), full(getattr(other, key))
        scale = float(np.max(np.abs(y), initial=1.0))
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-13 * scale, err_msg=key)


def test_slopes_of_given_speeds_are_their_changes_with_unit_speeds():
    bar = lw.Body(name="bar", mass=1, centre=(0, 0), inertia=1, frames={"c": (0, 0), "end": (-1, 0.3)})
    event = lw.Event(name="turn", when="bar.end.y", then={"bar.omega": "2", "bar.end.vx": "1 - bar.end.vx"})
    start = lw.InitialValues(positions={"bar.c": (0, 1), "bar.end": (-0.9, 0.8)})
    model = lw.Model(lw.Mechanism(bodies=[bar], events=[event], gravity=(0, -9.8), start=start))
    system, q = model.whole, model.start.q
    for compiled in (True, False):
        instants = Instants(system, compiled)
        rest = instants.at(0.0, q, np.zeros(system.n))
        assert len(rest.slopes) == 2
        for k in range(system.n):
            unit = instants.at(0.0, q, np.eye(system.n)[k])
            for i, slope in rest.slopes.items():
                assert slope[k] == pytest.approx(unit.readings[i] - rest.readings[i], abs=1e-14)
