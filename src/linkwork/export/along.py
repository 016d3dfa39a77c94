"""The dynamics of a tree of bodies as functions of arrays, link by link: as many operations as there are links.

    ẋ = f(t, x, forces)        x: coordinates, then speeds; forces along the speeds beside gravity

Nothing is derived, and nothing is compiled but the loops themselves, once for all trees (native/recursion.c).
Batches go along the first axis.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike

from linkwork.arrays import Floats
from linkwork.equations.linked import Linked
from linkwork.errors import LinkworkError, Ref, did_you_mean
from linkwork.export.rows import Lead, as_array, as_rows, find_lead, spread
from linkwork.given import as_finite, as_name
from linkwork.native.code import load_recursion

Address = ctypes.c_void_p
FLOATS = np.dtype(np.float64)
MEMORY = 1 << 28  # bytes: what needs more for many states side by side takes one after the other


class _Tree(ctypes.Structure):
    _fields_ = (
        ("links", ctypes.c_long),
        ("speeds", ctypes.c_long),
        ("gravity", ctypes.c_double * 3),
        ("link", ctypes.c_void_p),
    )


class Pose(NamedTuple):
    """A frame in space: its place (..., 3), axes as columns (..., 3, 3), velocity and angular velocity (..., 3).

    jacobian: (..., 6, s): the velocity, then the angular velocity, by the speeds
    """

    place: Floats
    axes: Floats
    velocity: Floats
    spin: Floats
    jacobian: Floats


class _Place(NamedTuple):
    """Where one state is computed: the state, forces, its rates, memory for links, and what computes there."""

    x: Floats
    forces: Floats
    dx: Floats
    memory: Any
    compute: Any


class TreeFunctions:
    """The dynamics of a tree: `tree.rhs()` returns them; called, they give the rates of the state.

    names   of the entries of the state x: coordinates, then speeds; `start`: their values at first
    """

    def __init__(self, linked: Linked, start: Mapping[str, float]) -> None:
        self._links, self.names, self._mounts = np.ascontiguousarray(linked.links), linked.names, linked.mounts
        unknown = next((name for name in start if name not in self.names), None)
        if unknown is not None:
            raise LinkworkError(f"no coordinate or speed '{unknown}'. {did_you_mean(unknown, self.names)}".rstrip())
        values = {name: as_finite(value, Ref("start of", name)) for name, value in start.items()}
        self.start: Floats = np.array([values.get(name, 0.0) for name in self.names])
        self._n = len(self.names) // 2
        gravity = (ctypes.c_double * 3)(*linked.gravity)
        self._tree = _Tree(len(self._links), self._n, gravity, self._links.ctypes.data)
        self._at = ctypes.addressof(self._tree)
        self._none = np.zeros(self._n)
        self._shape, self._wide = self.start.shape, self._none.shape
        self._idle: list[_Place] = []
        self.abreast = True  # many states go side by side

    def __call__(self, t: ArrayLike, x: ArrayLike, forces: ArrayLike | None = None) -> Floats:
        """The rates of the state.   x: (2s,) or (k, 2s), forces: (s,) or (k, s)  →  as x"""
        now: Any = t
        one: Any = x
        tau: Any = forces
        # one state and no more is quick, in a place that nobody else uses meanwhile
        if (
            type(now) is float
            and type(one) is ndarray
            and one.dtype is FLOATS
            and one.shape == self._shape
            and (tau is None or (type(tau) is ndarray and tau.dtype is FLOATS and tau.shape == self._wide))
        ):
            idle = self._idle
            place = idle.pop() if idle else self._make_place()
            here, push, there, _, compute = place
            here[...] = one
            push[...] = self._none if tau is None else tau
            compute()
            found: Floats = there.copy()
            idle.append(place)
            return found
        lead, states, push, step = self._forced(t, x, forces)
        rates = np.empty_like(states)
        self._call("many_forward", 5 * self._n, len(states), states, push, step, rates)
        return rates.reshape(*lead, 2 * self._n)

    def inverse_dynamics(self, t: ArrayLike, x: ArrayLike, a: ArrayLike) -> Floats:
        """The forces along the speeds that accelerations need beside gravity.   a: (s,) or (k, s)  →  as a"""
        given = as_rows(a, "a", self._n)
        lead, states = self._states(x, t, a=given)
        tau = np.empty((len(states), self._n))
        self._call("many_inverse", 4 * self._n, len(states), states, _flatten(given, lead), tau)
        return tau.reshape(*lead, self._n)

    def mass_matrix(self, t: ArrayLike, x: ArrayLike) -> Floats:
        """M, by the speeds.   → (s, s) or (k, s, s)"""
        lead, states = self._states(x, t)
        M = np.empty((len(states), self._n, self._n))
        self._call("many_mass", 2 * self._n + self._n**2, len(states), states, M)
        return M.reshape(*lead, self._n, self._n)

    def jacobian(self, t: ArrayLike, x: ArrayLike, forces: ArrayLike | None = None) -> Floats:
        """The derivatives of the rates by the state.   → (2s, 2s) or (k, 2s, 2s)"""
        lead, states, tau, step = self._forced(t, x, forces)
        J = np.empty((len(states), 2 * self._n, 2 * self._n))
        self._call("many_slopes", 3 * self._n + 4 * self._n**2, len(states), states, tau, step, J, slopes=True)
        return J.reshape(*lead, 2 * self._n, 2 * self._n)

    def frame(self, x: ArrayLike, body: str, at: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """The axes of a body at one of its points, in space, and how speeds move them.   at: over its own axes"""
        if as_name(body, Ref("frame"), "body") not in self._mounts:
            raise LinkworkError(f"no body named '{body}'. {did_you_mean(body, self._mounts)}".rstrip())
        mount = self._mounts[body]
        lead, states = self._states(x)
        point = as_rows(at, "at", 3)
        if point.ndim > 1:
            raise LinkworkError(f"at has the shape {point.shape}. Give three numbers, one point for all states")
        place = np.ascontiguousarray(mount.origin + mount.axes @ point)
        out, J = np.empty((len(states), 18)), np.empty((len(states), 6, self._n))
        if mount.link >= 0:
            axes = np.ascontiguousarray(mount.axes)
            numbers = 8 * self._n + 18 + len(self._links)
            self._call("many_frames", numbers, len(states), states, mount.link, place, axes, out, J)
        else:
            out[:, :3], out[:, 3:12], out[:, 12:], J[...] = place, mount.axes.ravel(), 0.0, 0.0
        axes = out[:, 3:12].reshape(*lead, 3, 3)
        parts = (out[:, :3], out[:, 12:15], out[:, 15:18])
        where, velocity, spin = (part.reshape(*lead, 3) for part in parts)
        return Pose(where, axes, velocity, spin, J.reshape(*lead, 6, self._n))

    # -- how ------------------------------------------------------------------------------------------------------

    def _call(self, name: str, numbers: int, count: int, *given: Any, slopes: bool = False) -> None:
        """A function of C for so many states, each of which takes so many numbers: arrays by their addresses."""
        library = _load(self.abreast and count > 1)
        if self._measure(library, numbers, slopes) > MEMORY:
            library = _load(many=False)
        memory = np.empty(self._measure(library, numbers, slopes) // 8 + 1)
        words = [
            ctypes.c_void_p(g.ctypes.data) if isinstance(g, np.ndarray) else ctypes.c_long(g)
            for g in (count, *given, memory)
        ]
        library[name](ctypes.c_void_p(self._at), *words)

    def _measure(self, library: Mapping[str, Any], numbers: int = 0, slopes: bool = False) -> int:
        """How many bytes a function works in."""
        size: int = library["size"](ctypes.c_void_p(self._at), ctypes.c_long(numbers), ctypes.c_long(slopes))
        return size

    def _make_place(self) -> _Place:
        library = _load(many=False)
        x, forces, dx = np.zeros(2 * self._n), np.zeros(self._n), np.zeros(2 * self._n)
        memory = np.empty(self._measure(library) // 8 + 1)
        addresses = (self._at, *(array.ctypes.data for array in (x, forces, dx, memory)))
        function = library["forward"]
        function.argtypes, function.restype = [Address] * 5, None
        return _Place(x, forces, dx, memory, partial(function, *addresses))

    def _states(self, x: ArrayLike, t: ArrayLike = 0.0, **others: Floats) -> tuple[Lead, Floats]:
        """The axes in front, and states in rows; times and others must be for as many."""
        array = as_rows(x, "x", 2 * self._n)
        lead = find_lead(as_array(t, "t"), {"x": array}, others)
        return lead, _flatten(array, lead)

    def _forced(self, t: ArrayLike, x: ArrayLike, forces: ArrayLike | None) -> tuple[Lead, Floats, Floats, int]:
        """The same with forces in rows, and how far it is from one to the next."""
        if forces is None:
            return *self._states(x, t), self._none, 0
        given = as_rows(forces, "forces", self._n)
        lead, states = self._states(x, t, forces=given)
        return lead, states, _flatten(given, lead), self._n


@cache
def _load(many: bool) -> dict[str, Any]:
    """What computes one state after the other, or many side by side."""
    library = load_recursion(many)
    library["size"].restype = ctypes.c_long
    return library


def _flatten(rows: Floats, lead: Lead) -> Floats:
    """A row for each state, one after the other."""
    return spread(rows, lead).reshape(math.prod(lead), rows.shape[-1])
