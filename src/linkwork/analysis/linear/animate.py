"""A mode as a moving picture: a Mode in, a Recording for the viewer out.

The mechanism moves along the shape, q = q₀ + amplitude · Re(shape e^{i(phase + ωt)}), slowed down to a period of two
seconds; a mode that does not oscillate decays or grows in three seconds. Displacements are straight: keep them small.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.linear.modes import Mode
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.drawing import describe_drawing
from linkwork.results import Recording
from linkwork.results.knots import Knots

Floats = NDArray[np.float64]

PERIOD, PERIODS, KNOTS = 2.0, 5, 24  # seconds of a period on the screen, how many, knots in each


def record_mode(mechanism: Mechanism | Lagrangian, mode: Mode, amplitude: float = 0.1, phase: float = 0.0) -> Recording:
    """The motion along a mode; `amplitude` is relative to the mechanism's size."""
    if isinstance(mechanism, Lagrangian):
        raise LinkworkError("this mode has no parts to draw: only a mechanism of parts and points can be shown")
    if not (np.isfinite([amplitude, phase]).all() and 0 < amplitude <= 1):
        raise InputError([Problem(part="amplitude", what=f"{amplitude!r} is none", remedy="Give a number up to 1")])
    system, q0 = mode.linear.system, mode.linear.at.q
    t = np.linspace(0, PERIOD * PERIODS, KNOTS * PERIODS + 1)
    rate = _rate(mode)
    moving = (
        amplitude
        * mode.coordinates[None, :]
        * np.exp(1j * phase + rate * (t - (t[-1] if rate.real > 0 else 0)))[:, None]
    )
    knots = Knots(t=t, q=q0 + moving.real, u=(rate * moving).real, a=(rate**2 * moving).real, accuracy=None)
    what = f"{mode.frequency:.4g} Hz, shown with a period of {PERIOD:g} s" if mode.oscillates else mode.kind
    return Recording(
        title=f"{mode.linear.title or 'mechanism'}: mode of {what}",
        outcome=f"eigenvalue {mode.eigenvalue:.6g}",
        coordinates=system.coordinates,
        scales=system.scales,
        knots=knots,
        drawing=describe_drawing(mechanism),
        summary=(("mode", what), ("amplitude", f"{amplitude:g} of the size"), ("phase", f"{phase:g} rad")),
    )


def _rate(mode: Mode) -> complex:
    """The exponent on the screen."""
    if mode.oscillates:
        return 2j * np.pi / PERIOD
    return complex(np.sign(mode.eigenvalue.real) / 3.0) if not mode.rigid else 2j * np.pi / PERIOD
