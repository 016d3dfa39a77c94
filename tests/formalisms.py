"""Formalisms beside one another: a mechanism in, its motions out, and how far they are apart."""

import warnings

import numpy as np

import linkwork as lw
from conftest import ROOT

EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.yaml"))
# where nearby motions part quickly, or a fast spin turns errors of time into errors of place, a shorter time
SPANS = {"mechanism1b.yaml": 3.0, "mechanism1a.yaml": 20.0, "gyroscope.yaml": 0.5}
TOL, CLOSE, AT_START = 1e-12, 1e-9, 1e-11


def both(mechanism, until, tol=TOL, formalism="absolute"):
    """The System of a formalism, if it takes part, and the motions in points and by it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [lw.Model(mechanism).formulated(name) for name in ("points", formalism)]
        return models[1].absolute, *(model.simulate(until, tol=tol) for model in models)


def disagreement(one, other):
    """How far two motions are apart: places relative to sizes, accelerations at the start relative to the largest."""
    scales = one.system.scales
    t = np.linspace(one.t[0], one.t[-1], 40)
    n = len(scales)  # behind the coordinates there may be inputs
    places = float(np.max(np.abs(one.at(t).q - other.at(t).q)[:, :n] / scales))
    a, b, u = one.a[0][:n], other.a[0][:n], one.u[0][:n]
    size = max(float(np.max(np.abs(a) / scales)), float(np.max(np.abs(u) / scales)) ** 2, 1.0)
    return places, float(np.max(np.abs(a - b) / scales)) / size


def assert_one_motion(one, other, who):
    places, start = disagreement(one, other)
    assert one.outcome == other.outcome, who
    assert places < CLOSE and start < AT_START, f"{who}: {places:.1e} on the way, {start:.1e} at the start"
