"""Work: the power of every law, damper and driver, integrated over the dense output of a motion.

In: a Trajectory; out: work by name, at the steps or as a function of any time between them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.legendre import leggauss, legint, legvander

from linkwork.arrays import Bools, Floats
from linkwork.errors import LinkworkError
from linkwork.native.numbers import compute_power, has_power

if TYPE_CHECKING:
    from linkwork.results.trajectory import Trajectory

Work = Callable[[Floats, Bools], dict[str, Floats]]

GAUSS = 14  # points of the quadrature of power over a step
BLOCK = 1_000_000  # numbers of states looked at together


def compute_work(motion: Trajectory) -> dict[str, Floats]:
    """The work since the start, at the steps.   each (k,)"""
    check_whole(motion)
    if not has_power(motion.system) or len(motion.t) < 2:
        return {name: np.zeros(len(motion.t)) for name in motion.power}
    weight = leggauss(GAUSS)[1]
    each = {name: (p @ weight) * np.diff(motion.t) / 2 for name, p in _inner_power(motion).items()}
    return {name: np.concatenate([[0.0], np.cumsum(w)]) for name, w in each.items()}


def check_whole(motion: Trajectory) -> None:
    """Refuse to add up power over steps that were not kept."""
    if not motion.whole and has_power(motion.system):
        raise LinkworkError("work needs all steps, and not all were kept. Simulate without every= and save=")


def find_work(motion: Trajectory) -> Work:
    """The work since the start at any times: power in Legendre series, integrated.

    The function takes times and whether the value just before each is meant, which matters at a switch.
    """
    if not has_power(motion.system) or len(motion.t) < 2:
        return lambda t, before: {name: np.zeros(len(t)) for name in motion.power}
    x, weight = leggauss(GAUSS)
    begin, h = motion.t[:-1], np.diff(motion.t)
    # c_k = (2k + 1)/2 ∫ P_k p dx, by the rule that gives the work of whole steps as well
    basis = legvander(x, GAUSS - 1) * weight[:, None] * (np.arange(GAUSS) + 0.5)
    series = {name: legint(p @ basis, lbnd=-1, axis=1) * h[:, None] / 2 for name, p in _inner_power(motion).items()}

    def work(t: Floats, before: Bools) -> dict[str, Floats]:
        side = np.where(before, np.searchsorted(begin, t), np.searchsorted(begin, t, side="right"))
        step = np.maximum(side - 1, 0)
        s = np.where(h[step] > 0, 2 * (t - begin[step]) / np.where(h[step] > 0, h[step], 1.0) - 1, -1.0)
        shape, end = legvander(s, GAUSS), t >= motion.t[step + 1]
        found: dict[str, Floats] = {}
        for name, c in series.items():
            known = motion.work[name]
            # at the end of a step it is that of the whole step, to the last bit
            found[name] = np.where(end, known[step + 1], known[step] + np.sum(shape * c[step], axis=1))
        return found

    return work


def _inner_power(motion: Trajectory) -> dict[str, Floats]:
    """The power at the points of the quadrature inside every step, so many steps at a time that memory stays bounded.

    each (steps, GAUSS)
    """
    x = leggauss(GAUSS)[0]
    h = np.diff(motion.t)[:, None]
    when = motion.t[:-1, None] + h * (x + 1) / 2
    rows = max(1, BLOCK // (GAUSS * max(1, motion.system.n + motion.system.m)))
    found: dict[str, Floats] = {}
    for i in range(0, len(when), rows):
        state = motion.at(when[i : i + rows].ravel())
        power = compute_power(motion.system, state.q.T, state.u.T, state._lam.T, state.t)
        for name, values in power.items():
            found.setdefault(name, np.empty(when.shape))[i : i + rows] = values.reshape(-1, GAUSS)
    return found
