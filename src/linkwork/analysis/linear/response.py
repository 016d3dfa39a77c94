"""Responses of a linear model: frequency response and step response as arrays by output and input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from linkwork.arrays import Floats
from linkwork.errors import InputError, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyResponse:
    """H(iω) = C (iω − A)⁻¹ B + D.   omega: (k,) [rad/s], H: (k, outputs, inputs)"""

    omega: Floats
    H: NDArray[np.complex128]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def gain(self) -> Floats:
        """|H|."""
        return np.abs(self.H)

    @property
    def phase(self) -> Floats:
        """The phase of H [rad], without jumps along the frequencies."""
        return np.unwrap(np.angle(self.H), axis=0)

    def plot(self, path: Any = None) -> Any:
        """The Bode diagram."""
        from linkwork.analysis.linear.plots import plot_bode

        return plot_bode(self, path)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResponse:
    """The outputs after each input has jumped by one at t = 0.   t: (k,), y: (k, outputs, inputs)"""

    t: Floats
    y: Floats
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def plot(self, path: Any = None) -> Any:
        """The outputs over time."""
        from linkwork.analysis.linear.plots import plot_step

        return plot_step(self, path)


def compute_frequency_response(A: Floats, B: Floats, C: Floats, D: Floats, omega: Floats) -> NDArray[np.complex128]:
    """H at each frequency.   → (k, outputs, inputs)"""
    found = np.full((len(omega), *D.shape), np.inf, dtype=complex)  # at a pole without damping
    for k, w in enumerate(omega):
        try:
            found[k] = C @ np.linalg.solve(1j * w * np.eye(len(A)) - A, B.astype(complex)) + D
        except np.linalg.LinAlgError:
            continue
    return found


def compute_step_response(A: Floats, B: Floats, C: Floats, D: Floats, t: Floats) -> Floats:
    """y at equally spaced or any times from zero on.   → (k, outputs, inputs)"""
    n, m = B.shape
    # x and the constant input together obey one homogeneous equation
    both = np.zeros((n + m, n + m))
    both[:n, :n], both[:n, n:] = A, B
    x, now = np.vstack([np.zeros((n, m)), np.eye(m)]), 0.0
    found, steps = [], dict[float, Floats]()
    for time in t:
        h = round(float(time) - now, 15)
        if h not in steps:
            steps[h] = expm(both * h)
        x, now = steps[h] @ x, float(time)
        found.append(C @ x[:n] + D)
    return np.array(found)


def check_grid(what: str, given: object, least: float) -> Floats:
    """An increasing grid of finite numbers."""
    values = np.atleast_1d(np.asarray(given, dtype=np.float64))
    if values.ndim != 1 or not np.isfinite(values).all() or (values < least).any() or (np.diff(values) <= 0).any():
        raise InputError([Problem(part=what, what="no increasing list of finite numbers", remedy=f"From {least:g} on")])
    return values
