"""Singular positions: where constraints lose rank, the directions that are left and the velocities that lead somewhere.

Let Y be the left and N the right null vectors of G. The velocities G u = −b of the instant are too many: along a way of
moving the second derivatives of the constraints must agree as well, for which there is an acceleration only if

    Yᵀ γ(u) = 0,      γ(u) = g_qq u u + 2 g_qt u + g_tt        (k quadratic equations for the part of u along N)

Where constraints repeat each other at every position they always agree.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.arrays import Bools, Floats
from linkwork.equations import System
from linkwork.errors import StartError
from linkwork.native.numbers import compute_dense, compute_levels
from linkwork.native.rank import Split, split
from linkwork.solve.start.velocities import Speeds, measure_gaps
from linkwork.solve.start.wanted import Wanted

LARGEST = 400  # coordinates and constraints up to which singular positions are looked at
WEAK = 3e-3  # singular values below this fraction of the largest count as lost at a start
AGREE = 1e-9  # second derivatives below this, beside the square of the speeds, vanish
ROUNDS = 60
FASTEST = 1e100  # in sizes per second: squares of speeds stay finite
NOTHING = 1e-6  # of the speed: what shrinks to less goes to zero


def decompose(system: System, q: Floats, t: float) -> Split:
    """The matrix of all constraints at a state, over coordinates in their scales. That of the last is remembered."""
    key, last = (q.tobytes(), t), system.own.get("decomposed")
    if not isinstance(last, tuple) or last[0] != key:
        last = system.own["decomposed"] = key, split(compute_dense(system, q, t)[1] * system.scales)
    found: Split = last[1]
    return found


def find_light(system: System, q: Floats, t: float) -> Bools:
    """Coordinates without mass, which constraints alone determine."""
    return system.remember("light", lambda: system.mechanical & ~compute_dense(system, q, t)[0].any(axis=1))


def count_firm(system: System, q: Floats, t: float, cut: float) -> int:
    """How many constraints are independent, and how many of the coordinates without mass they determine."""
    here, light = decompose(system, q, t), find_light(system, q, t)
    if not light.any():
        return here.count(cut)
    k = len(here.sigma)
    J = (here.U[:, :k] * here.sigma) @ here.Vt[:k]  # rows of length one
    return here.count(cut) + int(np.sum(np.linalg.svd(J[:, light], compute_uv=False) > cut))


def count_wanted(system: System, q: Floats, t: float) -> int:
    """What that is in a regular position."""
    return system.m + int(np.sum(find_light(system, q, t)))


def is_regular(system: System, q: Floats, t: float) -> bool:
    """Whether constraints are clearly independent and coordinates determined (large systems are not looked at)."""
    return not is_small(system) or count_firm(system, q, t, WEAK) == count_wanted(system, q, t)


def is_small(system: System) -> bool:
    """Whether a system has constraints, few enough to look at."""
    return system.m > 0 and system.n + system.m <= LARGEST


def find_admissible(wanted: Wanted, q: Floats, speeds: Speeds) -> Speeds:
    """Velocities near those found with which the mechanism can move on from a singular position."""
    system = wanted.system
    if not is_small(system) or not np.any(speeds.u[system.mechanical]):
        return speeds
    here = decompose(system, q, wanted.t)
    if here.rank == system.m:
        return speeds
    u = _Branch(wanted, q, here).follow(speeds.u)
    if not np.any(speeds.b) and not np.any(wanted.velocity.fixed & system.mechanical) and np.any(u != speeds.u):
        # without prescribed motions any multiple will do: the nearest
        weight = wanted.weights(wanted.velocity)
        u = np.where(system.mechanical, u * float(weight @ (u * speeds.u)) / max(float(weight @ u**2), 1e-300), u)
    return replace(speeds, u=u, gaps=measure_gaps(system, speeds.G, speeds.b, u))


class _Branch:
    """Gauss–Newton steps along N that make the second derivatives of dependent constraints agree."""

    def __init__(self, wanted: Wanted, q: Floats, here: Split) -> None:
        self.wanted, self.q, self.scales = wanted, q, wanted.system.scales
        self.Y = here.left
        # fixed velocities and states stay as they are
        free = ~wanted.velocity.fixed
        held = np.vstack([here.Vt[: here.rank], np.eye(wanted.system.n)[~free]])
        self.N = split(held).right

    def open(self, u: Floats) -> Floats:
        """Yᵀ γ(u)."""
        gamma = compute_levels(self.wanted.system, self.q, u, np.zeros_like(u), self.wanted.t)[2]
        return np.asarray(self.Y.T @ gamma)

    def follow(self, u: Floats) -> Floats:
        start, speed = u, float(np.max(np.abs(u / self.scales)))
        if not speed < FASTEST:
            raise self._complain(start)
        for _ in range(ROUNDS):
            if np.max(np.abs(self.open(u))) <= AGREE * speed**2:
                break
            u = u - self._step(u, speed, 1e-12)
            if not np.isfinite(u).all():
                raise self._complain(start)
        else:
            raise self._complain(start)
        # what only shrinks is not allowed at all
        rest = u - self.scales * (self.N @ (self.N.T @ (u / self.scales)))
        moved = float(np.max(np.abs((u - rest) / self.scales), initial=0.0))
        agrees = np.max(np.abs(self.open(rest))) <= AGREE * speed**2
        return rest if moved <= 1e-3 * speed and agrees and not self._is_kept(start, u) else self._polish(u, speed)

    def _is_kept(self, start: Floats, u: Floats) -> bool:
        return bool(np.max(np.abs((u - start) / self.scales)) <= NOTHING * np.max(np.abs(start / self.scales)))

    def _polish(self, u: Floats, speed: float) -> Floats:
        """One more step, so that rounding is removed."""
        polished = u - self._step(u, speed, 1e-6)
        return polished if np.isfinite(polished).all() else u

    def _step(self, u: Floats, speed: float, cut: float) -> Floats:
        """The least step along N that closes what is open, to first order; nan where that has no value."""
        slopes, left = self._slopes(u, speed), self.open(u)
        if not (np.isfinite(slopes).all() and np.isfinite(left).all()):
            return np.full_like(u, np.nan)
        U, sigma, Vt = np.linalg.svd(slopes, full_matrices=False)
        # slopes of constraints that agree everywhere are rounding, beside the speed
        steep = sigma > max(cut * np.max(sigma, initial=0.0), AGREE * speed)
        w = Vt[steep].T @ (U.T[steep] @ left / sigma[steep])
        return np.asarray(self.scales * (self.N @ w))

    def _slopes(self, u: Floats, speed: float) -> Floats:
        """∂(Yᵀγ)/∂w along N; differences are exact, for γ is quadratic.   (k, f)"""
        steps = speed * self.scales[:, None] * self.N
        slopes = [(self.open(u + step) - self.open(u - step)) / (2 * speed) for step in steps.T]
        return np.array(slopes).reshape(self.N.shape[1], self.Y.shape[1]).T

    def _complain(self, u: Floats) -> StartError:
        s = self.wanted.system
        names = [f"{s.coordinates[i]}'" for i in np.flatnonzero(self.wanted.velocity.fixed & s.mechanical)]
        who = f"the fixed {', '.join(names[:5])}" if names else "the given velocities"
        return StartError(
            f"from this singular position no way of moving has {who}: the constraints would part at once. "
            "Give the velocities of a way in which it can move, or start elsewhere"
        )
