"""The linear model of a mechanism: matrices with names, and what follows from them.

ẋ = A x + B w,  y = C x + D w        x: changes of the states S and of their rates W;  w: inputs, y: outputs
M̂ Ẇ + Ĉ W + K S + E X = Q̂            M̂ = Ψᵀ M Ψ,  K = −M̂ ∂Ẇ/∂S,  Ĉ = −M̂ ∂Ẇ/∂W,  Q̂ = M̂ Ẇ at the point

W is Ṡ unless other speeds were asked for; X are first-order states, which act on the mechanism by E = −M̂ ∂Ẇ/∂X.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.linear.notes import FROZEN
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.native.tangents import Point

if TYPE_CHECKING:
    from linkwork.analysis.linear.modes import Modes
    from linkwork.analysis.linear.response import FrequencyResponse, StepResponse


MATRICES = ("A", "B", "C", "D", "mass", "damping", "stiffness", "coupling")
LASTING = 1e-6  # of what a motion at this speed could change: less than this is no change
STILL = 1e-8  # accelerations and speeds below this, beside what the model makes of states of full size, count as none


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A state of the mechanism and what its changes are expressed in.

    states, speeds  names of S (z0) and W (z1)
    first_order     names of X: x = (S, W, X)
    rates, sizes    ẋ at the point;  what is a change of full size of each x
    """

    title: str
    system: System
    at: Point
    where: str
    states: tuple[str, ...]
    speeds: tuple[str, ...]
    first_order: tuple[str, ...]
    rates: Floats
    sizes: Floats

    @property
    def names(self) -> tuple[str, ...]:
        """All of x: states, speeds, first-order states."""
        return (*self.states, *self.speeds, *self.first_order)

    @property
    def residual(self) -> dict[str, float]:
        """How fast speeds and first-order states change at the point; not at all in an equilibrium or steady motion."""
        z = len(self.states)
        return dict(zip(self.names[z:], self.rates[z:].tolist(), strict=True))

    def is_still(self, fastest: float) -> bool:
        """Whether nothing moves there, beside a mode as fast as this."""
        quiet = np.abs(self.at.u) <= STILL * max(1e-6, fastest) * self.system.scales
        return bool(np.all(quiet[self.system.mechanical]))


@dataclass(frozen=True, kw_only=True)
class Linear(Setting):
    """A linear model at a state of the mechanism.

    A, B, C, D            the state space; mass is M̂
    values                x at the point;  y: outputs there
    positions, velocities the changes of all coordinates and of their speeds by x: (n, z)
    noted                 what the user should know, as far as it was at hand
    is_frozen             where it is of no equilibrium and no steady motion: whether it is another one a moment later,
                          which takes one more linearisation
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Floats
    B: Floats
    C: Floats
    D: Floats
    mass: Floats
    values: Floats
    y: Floats
    positions: Floats
    velocities: Floats
    noted: tuple[str, ...]
    is_frozen: Callable[[Linear], bool] = field(repr=False, compare=False)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What the user should know; found when somebody asks."""
        return self.noted if self.balanced or not self.is_frozen(self) else (*self.noted, FROZEN)

    @property
    def _speeds(self) -> slice:
        """Where W is in x."""
        return slice(len(self.states), len(self.states) + len(self.speeds))

    @property
    def stiffness(self) -> Floats:
        """K = −M̂ ∂Ẇ/∂S.   (z1, z0)"""
        return -self.mass @ self.A[self._speeds, : len(self.states)]

    @property
    def damping(self) -> Floats:
        """Ĉ = −M̂ ∂Ẇ/∂W.   (z1, z1)"""
        return -self.mass @ self.A[self._speeds, self._speeds]

    @property
    def coupling(self) -> Floats:
        """E = −M̂ ∂Ẇ/∂X, by which first-order states act on the mechanism.   (z1, first-order states)"""
        return -self.mass @ self.A[self._speeds, len(self.states) + len(self.speeds) :]

    @property
    def force(self) -> Floats:
        """Q̂ = M̂ Ẇ, the unbalanced force at the point.   (z1,)"""
        return self.mass @ self.rates[self._speeds]

    @cached_property
    def balanced(self) -> bool:
        """Whether no speed and no first-order state changes, now or later: an equilibrium or a steady motion."""
        z = len(self.states)
        with np.errstate(over="ignore", invalid="ignore"):  # rates out of range last no longer than any others
            return lasts(self.rates, self.A[z:] @ self.rates, np.abs(self.A[z:]) @ self.sizes, self.sizes)

    @cached_property
    def still(self) -> bool:
        """True if all speeds are zero."""
        return self.is_still(float(np.sqrt(np.abs(self.A[self._speeds]).max(initial=0.0))))

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """All eigenvalues of A, slowest first."""
        return self.modes.eigenvalues

    @cached_property
    def modes(self) -> Modes:
        """Eigenvalues, shapes and what they mean."""
        from linkwork.analysis.linear.modes import find_modes

        return find_modes(self)

    # -- responses ------------------------------------------------------------------------------------------------

    def bode(self, omega: object = None) -> FrequencyResponse:
        """The frequency response at angular frequencies [rad/s]; by default around those of the modes."""
        from linkwork.analysis.linear.response import FrequencyResponse, check_grid, compute_frequency_response

        self._need_inputs()
        grid = self._frequencies() if omega is None else check_grid("omega", omega, 0.0)
        H = compute_frequency_response(self.A, self.B, self.C, self.D, grid)
        return FrequencyResponse(omega=grid, H=H, inputs=self.inputs, outputs=self.outputs)

    def step(self, t: object) -> StepResponse:
        """What the outputs do after each input has jumped by one, at times t."""
        from linkwork.analysis.linear.response import StepResponse, check_grid, compute_step_response

        self._need_inputs()
        grid = check_grid("t", t, 0.0)
        y = compute_step_response(self.A, self.B, self.C, self.D, grid)
        return StepResponse(t=grid, y=y, inputs=self.inputs, outputs=self.outputs)

    def _frequencies(self) -> Floats:
        speeds = [mode.omega for mode in self.modes if not mode.rigid] or [1.0]
        return np.geomspace(0.1 * min(speeds), 10 * max(speeds), 400)

    def _need_inputs(self) -> None:
        if not self.inputs:
            remedy = "Linearise with inputs=[...]: parameters, or quantities to push"
            raise InputError([Problem(what="there are no inputs to respond to", remedy=remedy)])

    # -- words and files ------------------------------------------------------------------------------------------

    def text(self, matrices: bool = True) -> str:
        """The report for people."""
        from linkwork.analysis.linear.report import write_text

        return write_text(self, matrices)

    def as_dict(self) -> dict[str, object]:
        """The report as plain data."""
        from linkwork.analysis.linear.report import make_dict

        return make_dict(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it as .mat, .npz, .json or .txt."""
        from linkwork.analysis.linear.files import write_linear

        return write_linear(self, path)

    def to_control(self) -> Any:
        """The state space of the package python-control; in its names a dot becomes an underscore."""
        names = {kind: [plain_name(name) for name in getattr(self, kind)] for kind in ("inputs", "outputs")}
        states = [plain_name(name) for name in self.names]
        return import_control().ss(self.A, self.B, self.C, self.D, states=states, **names)

    def __repr__(self) -> str:
        return f"Linear({self.title or 'mechanism'}: {len(self.names)} states {', '.join(self.names[:6])})"


def plain_name(name: str) -> str:
    """A name without dots."""
    return name.replace(".", "_")


def import_control() -> Any:
    """The package python-control, or words."""
    try:
        import control
    except ImportError:
        raise LinkworkError("python-control is not installed. Try: pip install 'linkwork[control]'") from None
    return control


@np.errstate(over="ignore", invalid="ignore")
def lasts(rates: Floats, going: Floats, reach: Floats, sizes: Floats) -> bool:
    """Whether speeds do not change and will not: their rates, the last entries of ẋ, and the rates of these are zero.

    rates: ẋ (z,);  going: the last rows of A ẋ;  reach: what these rows make of changes of full size;  sizes: (z,)
    """
    last = slice(len(rates) - len(going), None)
    # what nothing acts on is judged beside what happens elsewhere: its rate is a rounding error of that
    quickest = float(np.max(reach / sizes[last], initial=0.0))
    now = np.abs(rates[last]) <= STILL * np.maximum(reach, sizes[last] * max(1e-6, 1e-5 * quickest))
    moving = float(np.max(np.abs(rates) / sizes, initial=0.0))
    return bool(np.all(now) and np.all(np.abs(going) <= reach * max(LASTING * moving, STILL)))
