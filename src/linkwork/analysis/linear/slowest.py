"""The slowest modes of a large mechanism: a model at a state in, its slowest modes out, without the matrix A.

The eigenvalues are those of the linear model in the same states, found by a Krylov space of (A − τ)⁻¹ with a small real
shift τ, so that zeros do no harm: mechanisms of thousands of bodies take seconds where all modes would take hours. Of a
small mechanism all modes are found, and of one that is not too large if the search fails, and the slowest kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, norm, schur

from linkwork.analysis.linear.deflate import find_eigenvectors
from linkwork.analysis.linear.krylov import Krylov, reduce_to_slowest
from linkwork.analysis.linear.linearize import Task, read_wanted, sizes_of
from linkwork.analysis.linear.measures import measure_speeds, measure_states
from linkwork.analysis.linear.model import Setting, lasts
from linkwork.analysis.linear.modes import Mode, Modes, clean, find_unit, is_stable, order_modes
from linkwork.analysis.linear.pencil import Pencil
from linkwork.arrays import Complexes, Floats
from linkwork.errors import InputError, Problem, SolveError, show_value
from linkwork.model import Lagrangian, Mechanism, Scalar
from linkwork.solve.mode import Mode as Holding

SMALL = 300  # states up to which all modes are found at once
MEDIUM = 1500  # and up to which they are if the search fails
ROUNDS = 20  # shifts that are tried
BELOW, FAR = 2.0, 100.0  # how much larger than the shift the slowest eigenvalue that is not zero is, at least, at most
UNCLEAR = 0.05  # at first sight eigenvalues below this fraction of the shift are not told apart from zero
SPREAD = 1e3  # speeds are measured by modes up to so many times faster than the slowest
NEAR = 1e4  # eigenvalues up to so many times the shift are looked at when zeros are told apart
ZERO = 1e-10  # what is below this fraction of the slowest modes counts as zero
BLUR = 3e-8  # and what is below this fraction of the fastest: rounding in stiffnesses, squares of frequencies
ROUNDING = 1e-10  # real parts below this fraction of an eigenvalue count as zero


@dataclass(frozen=True, kw_only=True)
class Slowest(Setting):
    """The slowest modes at a state of the mechanism; `fastest` is about how fast the fastest mode of all is.

    The modes of up to 300 states are those of the Linear model, with participation and outputs. Of more states they are
    searched: these are empty, and modes of coordinates count as zero that are slower than 3e-8 of the fastest, or than
    1e-5 of the fastest wanted one (or the eighth, if fewer are wanted) with none in between.
    """

    fastest: float
    notes: tuple[str, ...]  # what the user should know
    count: int
    pencil: Pencil
    task: Task

    @property
    def balanced(self) -> bool:
        """Whether no speed changes, now or later: an equilibrium or a steady motion."""
        z = len(self.states)
        signs = np.random.default_rng(1).choice([-1.0, 1.0], (len(self.sizes), 4))
        reach = np.max(np.abs(self.pencil.rates(signs * self.sizes[:, None])), axis=1)[z:]
        return lasts(self.rates, self.pencil.rates(self.rates[:, None])[z:, 0], reach, self.sizes)

    @property
    def still(self) -> bool:
        """True if all speeds are zero."""
        return self.is_still(self.fastest)

    @property
    def eigenvalues(self) -> Complexes:
        """Those of the modes, slowest first."""
        return self.modes.eigenvalues

    @cached_property
    def modes(self) -> Modes:
        """The slowest modes."""
        return _find_modes(self)

    def text(self) -> str:
        """The report for people."""
        from linkwork.analysis.linear.report import write_modes

        return write_modes(self)


def find_slowest(
    model: Mechanism | Lagrangian,
    mode: Holding,
    count: int,
    *,
    states: Iterable[Scalar] = (),
    where: str = "",
) -> Slowest:
    """The `count` slowest modes with what holds at a consistent state, a pair of conjugate eigenvalues being one."""
    system = mode.system
    if type(count) is not int or count < 1:
        raise InputError(
            [Problem(part="count", what=f"{show_value(count)} is no number of modes", remedy="Give 1 or more")]
        )
    if system.algebra:
        what = f"the slowest modes alone are not found where laws use {system.algebra[0].name}"
        raise InputError([Problem(part="count", what=what, remedy="Ask for all modes")])
    if model.controllers:
        what = f"the slowest modes alone are not found with the sampled controller '{model.controllers[0].name}'"
        raise InputError([Problem(part="count", what=what, remedy="Ask for all modes")])
    task = Task(model, mode, read_wanted(model, system, states, (), (), ()))
    found = _make(task, count, where)
    other = task.steadier(found.balanced)
    steady = found if other is None else _make(other, count, where)
    return steady if steady.balanced else found


def _make(task: Task, count: int, where: str) -> Slowest:
    model, system = task.model, task.system
    S = measure_states(system, task.S, task.at, model.values)
    W = measure_speeds(system, task.W, task.at, model.values)
    pencil = Pencil(task.matrix, task.tangents, task.basis(S, W, []))
    task.take_notes([], np.zeros((0, 0)))
    sizes = np.concatenate([sizes_of(S.by["s_q"], system), sizes_of(W.by["w_u"], system)])
    return Slowest(
        title=model.title, system=system, at=task.at, where=where, **task.names(),
        rates=np.concatenate([S.values["s1"], W.values["w1"]]), sizes=sizes,
        fastest=_find_fastest(pencil, sizes, len(task.S)), notes=tuple(task.notes), count=count, pencil=pencil,
        task=task,
    )  # fmt: skip


def _find_fastest(pencil: Pencil, sizes: Floats, z: int) -> float:
    """About the frequency of the fastest mode: √‖A²‖ on positions, by a few products."""
    x, squares = np.random.default_rng(1).standard_normal((z, 1)), 0.0
    for _ in range(3):
        whole = np.zeros((pencil.z, 1))
        whole[:z] = x / norm(x.ravel(), check_finite=False) * sizes[:z, None]
        x = pencil.rates(pencil.rates(whole))[:z] / sizes[:z, None]
        squares = float(norm(x.ravel(), check_finite=False))
        if squares == 0:
            break
    return float(np.sqrt(squares))


def _find_modes(slowest: Slowest) -> Modes:
    """The modes as the user sees them, by the way that suits the size."""
    if slowest.pencil.z <= SMALL:
        return _select_modes(slowest)
    try:
        return _search_modes(slowest)
    except SolveError:
        if slowest.pencil.z > MEDIUM:
            raise
        return _select_modes(slowest)


def _select_modes(slowest: Slowest) -> Modes:
    """The slowest among all modes."""
    every = slowest.task.linear(slowest.where).modes
    return _collect([replace(mode, linear=slowest) for mode in every.found[: slowest.count]])


def _collect(found: list[Mode]) -> Modes:
    """Modes with the eigenvalues of pairs both."""
    pairs = [z for mode in found for z in (mode.eigenvalue, mode.eigenvalue.conjugate())[: 1 + mode.oscillates]]
    return Modes(eigenvalues=np.array(pairs, dtype=np.complex128), found=tuple(found))


def _search_modes(slowest: Slowest) -> Modes:
    """The slowest modes without the others."""
    spectrum = _Search(slowest).spectrum()
    values = clean(spectrum.eigenvalues, ROUNDING)
    _, kept = order_modes(values)
    kept = kept[: slowest.count]
    right = spectrum.right[:, kept]
    both = slowest.pencil.spread(np.hstack([right.real, right.imag]))
    q, u = (x[:, : len(kept)] + 1j * x[:, len(kept) :] for x in both)
    found = []
    for j, value in enumerate(values[kept].tolist()):
        unit = find_unit(slowest, q[:, j], right[:, j])
        stable = is_stable(value, float(np.max(np.abs(values))))
        shape, coordinates, speeds = (x[:, j] / unit for x in (right, q, u))
        found.append(
            Mode(eigenvalue=value, stable=stable, states=shape, coordinates=coordinates, speeds=speeds, linear=slowest)
        )
    return _collect(found)


@dataclass(frozen=True, slots=True)
class _Found:
    """Eigenvalues with right eigenvectors as columns."""

    eigenvalues: Complexes
    right: Complexes


class _Search:
    """Comes down with the shift from the fastest mode until it is well below the slowest that is not zero."""

    def __init__(self, slowest: Slowest) -> None:
        self.pencil, self.sizes, self.count = slowest.pencil, slowest.sizes, slowest.count
        self.z = len(slowest.states)
        self.first_order = np.array([name in slowest.first_order for name in slowest.names])
        self.shift = self.speed = slowest.fastest or 1.0
        self.floor = BLUR * slowest.fastest

    def spectrum(self) -> _Found:
        """The slowest eigenvalues."""
        for _ in range(ROUNDS):
            found = self._at()
            if found is not None:
                return found
        raise SolveError("the slowest modes could not be found. Linearise in other states, or ask for all modes")

    def _at(self) -> _Found | None:
        """The slowest modes with the shift where it is; None if it had to be moved."""
        # speeds are measured by the fastest of the wanted modes, so that faster ones fade in the Krylov space
        d = np.concatenate([self.sizes[: self.z], self.speed * self.sizes[self.z :]])[:, None]
        try:
            apply = self.pencil.inverse(self.shift)
            space = Krylov(lambda x: apply(d * x) / d, self.pencil.z, self.shift)
            space.grow(4 * self.count)
        except SolveError:  # on top of an eigenvalue
            self.shift *= 0.9
            return None
        seen = np.abs(space.look()[0])
        if self._moved(seen[seen > max(UNCLEAR * self.shift, self.floor)]):
            return None
        slow = reduce_to_slowest(space, self.count)
        values, vectors = self._eigenvectors(slow.small)
        sizes, shapes = np.abs(values), slow.V @ vectors
        if self._moved(np.sort(sizes[sizes > self.floor])):
            return None
        # real parts as small as rounding in the squares makes them
        damped = np.abs(values.real) * sizes > self.floor**2
        sharp = np.where(damped, values.real, 0.0) + 1j * values.imag
        sharp = np.where(sizes > self.floor, sharp, 0.0)
        return _Found(np.where(self._are_first_order(shapes), values, sharp), d * shapes)

    def _eigenvectors(self, small: Floats) -> tuple[Complexes, Complexes]:
        """Eigenvalues and vectors; zeros are told apart among the slowest alone, where faster ones do not blur them."""

        def is_near(re: float, im: float = 0.0) -> bool:
            return abs(complex(re, im)) <= NEAR * self.shift

        T, Y, k = schur(small, sort=is_near)
        zero = max(ZERO * max(self.shift, float(np.linalg.norm(T[:k, :k]))), self.floor**2 / self.speed)
        values, vectors = find_eigenvectors(T[:k, :k], zero)
        others, columns = eig(small)
        rest = np.argsort(np.abs(others), kind="stable")[k:]
        return np.concatenate([values, others[rest]]), np.hstack([Y[:, :k] @ vectors, columns[:, rest]])

    def _are_first_order(self, shapes: Complexes) -> NDArray[np.bool_]:
        """Modes of first-order states rather than of coordinates: no squares, so that rounding does not blur them."""
        own = self.speed * np.max(np.abs(shapes[self.first_order]), axis=0, initial=0.0)
        return np.asarray(own > np.max(np.abs(shapes[: self.z]), axis=0, initial=0.0))

    def _moved(self, seen: Floats) -> bool:
        """Move the shift if it is not well below the slowest of these eigenvalues."""
        if len(seen) == 0 or BELOW * self.shift <= seen[0] <= FAR * self.shift:
            return False
        last = float(seen[min(max(2 * self.count, 16), len(seen)) - 1])
        self.shift, self.speed = 0.1 * float(seen[0]), min(last, SPREAD * float(seen[0]))
        return True
