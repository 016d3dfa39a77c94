"""Modes: eigenvalues with frequency, damping, shapes and meaning; all those of a Linear model.

A mode is an eigenvalue, or a pair of conjugate ones, of A. Its shape is known in the states and, through the
sensitivities, in all coordinates, so that points, bodies and springs can say what part they have in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from linkwork.analysis.linear.deflate import find_spectrum
from linkwork.analysis.linear.model import Linear, Setting
from linkwork.arrays import Complexes, Floats, Ints
from linkwork.native.tangents import compute_shares

REAL = 1e-9  # imaginary parts below this fraction of the eigenvalue count as zero
STABLE = 1e-9  # real parts below this fraction of the fastest eigenvalue do not make a mode unstable
REACH = 1e-9  # an input that moves a mode by less than this fraction of what it moves at all does not reach it


@dataclass(frozen=True, kw_only=True)
class Mode:
    """One eigenvalue (that with positive imaginary part of a pair) and its shape, largest entry 1.

    states               the shape in x (z0 + z1,), complex: size and phase
    coordinates, speeds  the same in all coordinates and in their speeds (n,)
    participation        how much each x takes part, by name; sums to 1
    inputs, outputs      how strongly each input moves the mode and each output sees it, by name
    """

    eigenvalue: complex
    stable: bool
    states: Complexes
    coordinates: Complexes
    speeds: Complexes
    linear: Setting
    participation: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, float] = field(default_factory=dict)
    outputs: dict[str, float] = field(default_factory=dict)

    @property
    def rigid(self) -> bool:
        """Whether it moves without any stiffness: the eigenvalue is zero."""
        return self.eigenvalue == 0

    @property
    def oscillates(self) -> bool:
        """Whether it is a pair of conjugate eigenvalues."""
        return self.eigenvalue.imag != 0

    @property
    def omega(self) -> float:
        """The undamped angular frequency |λ| [rad/s]."""
        return abs(self.eigenvalue)

    @property
    def frequency(self) -> float:
        """The frequency of oscillation Im λ / 2π [Hz]."""
        return abs(self.eigenvalue.imag) / (2 * math.pi)

    @property
    def damping_ratio(self) -> float:
        """−Re λ / |λ|; NaN for a rigid-body mode."""
        return 0.0 - self.eigenvalue.real / self.omega if self.omega else math.nan

    @property
    def time_to_half(self) -> float:
        """The time in which it decays to one half; negative: in which it doubles; infinite if neither."""
        return -math.log(2) / self.eigenvalue.real if self.eigenvalue.real else math.inf

    @property
    def kind(self) -> str:
        """In a word."""
        if self.rigid:
            return "rigid body"
        if not self.stable:
            return "unstable"
        return "oscillation" if self.oscillates else "decay" if self.eigenvalue.real else "steady"

    def point(self, name: str) -> Complexes:
        """How a point moves, by axis; a fixed one does not."""
        system = self.linear.system
        places = system.chart.points[name]
        return np.array([self.coordinates[i] if i < system.n else 0.0 for i in places])

    @cached_property
    def _shares(self) -> tuple[dict[str, float], dict[str, float]]:
        q, u = self.coordinates[:, None], self.speeds[:, None]
        kinetic, stiff = compute_shares(self.linear.system, self.linear.at, q, u)
        return _share(kinetic), _share(stiff)

    @property
    def kinetic(self) -> dict[str, float]:
        """The share of each body in the kinetic energy of the mode, largest first."""
        return self._shares[0]

    @property
    def strain(self) -> dict[str, float]:
        """The share of each part in the stiffness of the mode, largest first; what softens it is negative.

        Springs and gravity count, and the tension in constraints (the stiffness of a pendulum).
        """
        return self._shares[1]


@dataclass(frozen=True, kw_only=True)
class Modes:
    """Modes, slowest first, and their eigenvalues, those of pairs both."""

    eigenvalues: Complexes
    found: tuple[Mode, ...]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, i: int) -> Mode:
        return self.found[i]

    @property
    def unstable(self) -> tuple[Mode, ...]:
        """Those that grow."""
        return tuple(mode for mode in self if not mode.stable)

    @property
    def vibrations(self) -> tuple[Mode, ...]:
        """Those that oscillate."""
        return tuple(mode for mode in self if mode.oscillates)


def find_modes(linear: Linear) -> Modes:
    """The modes of a linear model."""
    spectrum = find_spectrum(linear.A, linear.sizes)
    values = clean(spectrum.eigenvalues)
    order, kept = order_modes(values)
    make = _Shapes(linear, spectrum.right[:, kept], spectrum.left[:, kept], values[kept])
    found = tuple(make.mode(j, complex(values[i])) for j, i in enumerate(kept))
    return Modes(eigenvalues=values[order], found=found)


def clean(values: Complexes, rounding: float = 1e-13) -> Complexes:
    """Real eigenvalues exactly real, those without damping exactly imaginary."""
    size = np.abs(values)
    noise = rounding * (size + 0.01 * np.max(size, initial=0.0))
    real = np.where(np.abs(values.real) <= noise, 0.0, values.real)
    return real + 1j * np.where(np.abs(values.imag) <= REAL * size, 0.0, values.imag)


def order_modes(values: Complexes) -> tuple[Ints, Ints]:
    """Where the eigenvalues are by size, and of each pair only that with positive imaginary part."""
    order = np.lexsort((-values.imag, values.real, np.round(np.abs(values), 12)))
    return order, order[values[order].imag >= 0]


def is_stable(value: complex, fastest: float) -> bool:
    """Whether an eigenvalue does not grow, beside the rounding of the fastest."""
    return value.real <= STABLE * fastest


def find_unit(setting: Setting, shape: Complexes, v: Complexes) -> complex:
    """The largest entry of a shape, coordinates measured in their scales; that of the states if nothing moves."""
    scaled = shape / setting.system.scales
    return complex(scaled[np.argmax(np.abs(scaled))] if np.any(scaled) else v[np.argmax(np.abs(v))])


class _Shapes:
    """What all eigenvectors mean at once: shapes in coordinates, pull of inputs, view of outputs."""

    def __init__(self, linear: Linear, right: Complexes, left: Complexes, values: Complexes) -> None:
        self.linear, self.right, self.fastest = linear, right, float(np.max(np.abs(values), initial=0.0))
        self.shapes, self.speeds = linear.positions @ right, linear.velocities @ right
        self.weights = np.abs(np.conj(left) * right)
        self.pull = _visible(left.conj().T @ linear.B, right, linear.B)
        self.seen = linear.C @ right
        # what is not moved at once may be moved by what is: a place by its speed
        free = np.flatnonzero(values == 0)
        V, W = right[:, free], left[:, free].conj().T
        pull = W @ linear.B
        for _ in free:
            pull = W @ linear.A @ V @ pull
            found, now = _visible(pull, V, V @ pull), self.pull[free]
            self.pull[free] = np.where(now == 0, found, now)

    def mode(self, j: int, value: complex) -> Mode:
        linear, v, shape = self.linear, self.right[:, j], self.shapes[:, j]
        unit = find_unit(linear, shape, v)
        weight = self.weights[:, j] / (self.weights[:, j].sum() or 1.0)
        return Mode(
            eigenvalue=value,
            stable=is_stable(value, self.fastest),
            states=v / unit,
            coordinates=shape / unit,
            speeds=self.speeds[:, j] / unit,
            linear=linear,
            participation=dict(zip(linear.names, weight.tolist(), strict=True)),
            inputs=dict(zip(linear.inputs, np.abs(self.pull[j] * unit).tolist(), strict=True)),
            outputs=dict(zip(linear.outputs, np.abs(self.seen[:, j] / unit).tolist(), strict=True)),
        )


def _visible(pull: Complexes, right: Complexes, whole: Complexes | Floats) -> Complexes:
    """How inputs move modes with vectors `right`, without what is rounding beside all that they move."""
    reach = np.abs(pull) * np.linalg.norm(right, axis=0)[:, None]
    return np.where(reach <= REACH * np.linalg.norm(whole, axis=0), 0.0, pull)


def _share(forms: dict[str, Floats]) -> dict[str, float]:
    """Fractions of the total, largest first; of the total of absolute values if they cancel."""
    numbers = {name: float(value[0]) for name, value in forms.items()}
    total, size = sum(numbers.values()), sum(map(abs, numbers.values()))
    whole = total if total > 1e-9 * size else size
    if not whole:
        return {}
    found = {name: value / whole for name, value in numbers.items() if abs(value) > 1e-12 * size}
    return dict(sorted(found.items(), key=lambda item: -abs(item[1])))
