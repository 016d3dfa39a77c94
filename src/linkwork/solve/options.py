"""Options of an integration: what a user may ask of it, valid from birth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real

from linkwork.errors import InputError, Problem, did_you_mean, show_value
from linkwork.given import is_float, is_word
from linkwork.model.settings import METHODS
from linkwork.native.machine import IMPLICIT
from linkwork.native.radau import ORDERS, find_stages
from linkwork.results import MEMORY

DEFAULT_TOL, DEFAULT_RHO = 1e-10, 0.8
SMALLEST_TOL, LARGEST_TOL = 1e-16, 1e-2
MOST_KEPT = 50_000_000  # states at intervals
SMALLEST_ORDER, LARGEST_ORDER = 4, 60
FIXED_ORDERS = ("rk8", "baumgarte", "hht", "ida")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the integrator.

    method     one of METHODS
    tol        accuracy of the motion: positions are off by some hundred times this at most, relative to the size of the
               mechanism (for angles: radians), velocities relative to the speed of what moves
    order      of the series, or of `radau` (5, 9 or 13); None chooses it by the tolerance
    max_step   largest step [s]
    step       length of all steps [s], whatever their errors; None: as long as the tolerance allows
    alpha      of `baumgarte` [1/s]: constraints obey g'' + 2 alpha g' + beta² g = 0; None: by the steps
    beta       the same
    rho        of `hht`: what a step leaves of vibrations that are much faster than it, 0 .. 1
    max_steps  give up after so many steps
    memory     bytes of polynomials kept in memory; more goes to a temporary file
    every      keep the states at such intervals [s] only; None: all steps, infinity: start and end
    kinematic  the motion of constraints and prescribed motions alone, which must leave no freedom
    compiled   None: if there is a compiler
    fused      all terms of a small system as one kernel, compiled for it; None: in long runs
    """

    method: str = "auto"
    tol: float = DEFAULT_TOL
    order: int | None = None
    max_step: float = math.inf
    step: float | None = None
    alpha: float | None = None
    beta: float | None = None
    rho: float = DEFAULT_RHO
    max_steps: int = 50_000_000
    memory: int = MEMORY
    every: float | None = None
    kinematic: bool = False
    compiled: bool | None = None
    fused: bool | None = None

    def __post_init__(self) -> None:
        given = [name for name in ("step", "alpha", "beta", "every") if getattr(self, name) is not None]
        problems = [*self._wrong("a number", Real, "tol", "max_step", "rho", *given)]
        whole = [] if self.order is None else ["order"]
        problems += self._wrong("a whole number", Integral, "max_steps", "memory", *whole)
        flags: dict[str, object] = {"compiled": self.compiled, "fused": self.fused}
        for name, when in (("compiled", "if there is a compiler"), ("fused", "in long runs")):
            if not isinstance(flags[name], bool | None):
                what = f"{name} = {show_value(flags[name])} is not True or False"
                problems.append(Problem(what=what, remedy=f"Leave it out: {name} {when}"))
        if problems:
            raise InputError(problems)
        if not SMALLEST_TOL <= self.tol <= LARGEST_TOL:
            problems.append(Problem(what=f"tol = {self.tol:g} is outside {SMALLEST_TOL:g} .. {LARGEST_TOL:g}"))
        if self.order is not None and not SMALLEST_ORDER <= self.order <= LARGEST_ORDER:
            problems.append(Problem(what=f"order = {self.order} is outside {SMALLEST_ORDER} .. {LARGEST_ORDER}"))
        if not 0 <= self.rho <= 1:
            problems.append(Problem(what=f"rho = {self.rho:g} is outside 0 .. 1"))
        if self.order is not None and self.method in FIXED_ORDERS:
            what = f"order is of Taylor series; that of {self.method} is its own"
            problems.append(Problem(what=what, remedy="Leave it out, or use method taylor"))
        if self.order is not None and self.method == "radau" and self.order not in ORDERS:
            what = f"order = {self.order} is none of radau"
            problems.append(Problem(what=what, remedy=f"Give one of {', '.join(map(str, ORDERS))}, or leave it out"))
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if value is not None and not (value >= 0 and math.isfinite(value)):
                problems.append(Problem(what=f"{name} = {value:g} is not 0 or a positive number"))
            elif value is not None and self.method != "baumgarte":
                what = f"{name} is of the method baumgarte, not of {show_value(self.method)}"
                problems.append(Problem(what=what, remedy='Give method="baumgarte"'))
        if self.max_steps < 0:
            problems.append(Problem(what=f"max_steps = {self.max_steps} is negative", remedy="Give a number of steps"))
        if not self.max_step > 0:
            problems.append(Problem(what=f"max_step = {self.max_step:g} is not positive"))
        if self.every is not None and not self.every > 0:
            problems.append(Problem(what=f"every = {self.every:g} is not a positive time", remedy="Give seconds"))
        if self.step is not None and not (self.step > 0 and math.isfinite(self.step)):
            problems.append(Problem(what=f"step = {self.step:g} is not a positive time", remedy="Give seconds"))
        elif self.step is not None and self.step > self.max_step:
            problems.append(Problem(what=f"step = {self.step:g} is longer than max_step = {self.max_step:g}"))
        if not is_word(self.method, METHODS):
            hint = did_you_mean(self.method, METHODS) or f"Use {', '.join(METHODS)}"
            problems.append(Problem(what=f"{show_value(self.method)} is no method", remedy=hint))
        elif self.kinematic and self.method in IMPLICIT:
            what = f"method {self.method} is for stiff forces, and a kinematic motion has none"
            problems.append(Problem(what=what, remedy="Use auto, taylor or rk8"))
        if problems:
            raise InputError(problems)

    def check_length(self, seconds: float) -> None:
        """Refuse to divide a run of so many seconds into more steps, or states to keep, than are allowed."""
        if self.every is not None and seconds / self.every > MOST_KEPT:
            what = f"{seconds:g} s every {self.every:g} s are {seconds / self.every:.3g} states, more than can be kept"
            raise InputError([Problem(what=what, remedy=f"Keep one every {seconds / MOST_KEPT:.2g} s or less often")])
        if self.step is not None and seconds / self.step > self.max_steps:
            what = f"{seconds:g} s in steps of {self.step:g} s are {seconds / self.step:.3g} steps, more than max_steps"
            remedy = f"Give a step of {seconds / self.max_steps:.2g} s or more, or a larger max_steps"
            raise InputError([Problem(what=what, remedy=remedy)])

    def _wrong(self, wanted: str, kind: type, *names: str) -> Iterator[Problem]:
        """The options that are of another kind."""
        for name in names:
            value = getattr(self, name)
            if not isinstance(value, kind) or isinstance(value, bool) or not is_float(value):
                yield Problem(what=f"{name} = {show_value(value)} is not {wanted}", remedy=f"Give {wanted}")

    @property
    def stages(self) -> int:
        """How many stages `radau` has."""
        return (self.order + 1) // 2 if self.order and self.method == "radau" else find_stages(self.tol)

    @property
    def chosen_order(self) -> int:
        """The given order, or one that makes this tolerance cheap: a flat optimum, measured in benchmarks/orders.py."""
        return self.order or max(8, min(30, round(5.0 - 1.5 * math.log10(self.tol))))
