"""A mode as a moving picture: a Mode in, a Recording for the viewer out.

The mechanism moves along the shape, q = q₀ + amplitude · Re(shape e^{i(phase + ωt)}), slowed down (or quickened) to a
period of two seconds, whatever its eigenvalue; at every knot the constraints are closed: rods keep their length.
"""

from __future__ import annotations

import numpy as np

from linkwork.analysis.linear.modes import Mode
from linkwork.analysis.statics.closing import Closing
from linkwork.arrays import Floats
from linkwork.errors import InputError, LinkworkError, Problem, Ref
from linkwork.given import as_finite, as_object
from linkwork.model import Lagrangian, Mechanism
from linkwork.results import Recording
from linkwork.results.record.drawing import describe_drawing
from linkwork.results.record.knots import Knots

PERIOD, PERIODS, KNOTS = 2.0, 5, 24  # seconds of a period on the screen, how many, knots in each


def record_mode(mechanism: Mechanism | Lagrangian, mode: Mode, amplitude: float = 0.1, phase: float = 0.0) -> Recording:
    """The motion along a mode; `amplitude` is relative to the mechanism's size."""
    if isinstance(mechanism, Lagrangian):
        raise LinkworkError("this mode has no parts to draw: only a mechanism of parts and points can be shown")
    as_object(mode, Mode, Ref("mode"), "Give one of the modes of a linear model, as in model.linearize().modes[0]")
    amplitude, phase = as_finite(amplitude, Ref("amplitude")), as_finite(phase, Ref("phase"))
    if not 0 < amplitude <= 1:
        raise InputError([Problem(part="amplitude", what=f"{amplitude!r} is none", remedy="Give a number up to 1")])
    system, q0 = mode.linear.system, mode.linear.at.q[: mode.linear.system.n]
    turn = np.exp(1j * (phase + 2 * np.pi * np.arange(KNOTS) / KNOTS))
    places = q0 + amplitude * np.real(np.outer(turn, mode.coordinates))
    closing = Closing(system, mode.linear.at.t, q0)
    places = np.array([closing.close(q) for q in places])
    knots = Knots(
        t=PERIOD * np.arange(KNOTS * PERIODS + 1) / KNOTS,
        q=_repeated(places),
        u=_repeated(_rates(places, 1)),
        a=_repeated(_rates(places, 2)),
        accuracy=None,
    )
    what = f"{mode.frequency:.4g} Hz, shown with a period of {PERIOD:g} s" if mode.oscillates else f"kind {mode.kind}"
    return Recording(
        title=f"{mode.linear.title or 'mechanism'}: mode of {what}",
        outcome=f"eigenvalue {mode.eigenvalue:.6g}",
        coordinates=system.coordinates,
        scales=system.scales,
        knots=knots,
        drawing=describe_drawing(mechanism),
        summary=(("mode", what), ("amplitude", f"{amplitude:g} of the size"), ("phase", f"{phase:g} rad")),
    )


def _rates(places: Floats, order: int) -> Floats:
    """Time derivatives of a periodic motion from its values over one period, by Fourier series.   (knots, n)"""
    k = np.fft.fftfreq(KNOTS, 1 / KNOTS)
    k[KNOTS // 2] = 0.0  # the highest one has no sign
    factor = (2j * np.pi * k / PERIOD) ** order
    rates: Floats = np.fft.ifft(factor[:, None] * np.fft.fft(places, axis=0), axis=0).real
    return rates


def _repeated(one: Floats) -> Floats:
    return np.concatenate([np.tile(one, (PERIODS, 1)), one[:1]])
