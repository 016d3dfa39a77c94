"""The dynamics of a tree of bodies as functions of arrays, link by link: as many operations as there are links.

    ẋ = f(t, x, forces)        x: coordinates, then speeds; forces along the speeds beside gravity

Nothing is derived, and nothing is compiled but the loops themselves, once for all trees (native/recursion.c).
Batches go along the first axis.
"""

from __future__ import annotations

import ctypes
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike

from linkwork.arrays import Floats
from linkwork.equations.linked import Linked, Mount
from linkwork.errors import LinkworkError, Ref, did_you_mean
from linkwork.export.rows import Lead, as_array, as_rows, find_lead, spread
from linkwork.given import as_finite, as_name
from linkwork.native.code import load_recursion

FLOATS = np.dtype(np.float64)
MEMORY = 1 << 28  # bytes: what needs more for many states side by side takes one after the other
SMALL = 64  # speeds up to which other threads may wait for one state
ORIGIN = (0.0, 0.0, 0.0)

FUNCTIONS = "forward", "inverse", "mass", "slopes", "frames"  # of recursion.c by their numbers

Arrays = tuple[Floats, ...]
Shape = tuple[int, ...]


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
    """Where a function is computed at one state: what it is given, with shapes, what it finds, by what, its memory."""

    given: tuple[tuple[Floats, Shape], ...]
    found: tuple[Floats, ...]
    compute: Callable[[], Any]
    memory: Any


class TreeFunctions:
    """The dynamics of a tree: `tree.rhs()` returns them; called, they give the rates of the state.

    names   of the entries of the state x: coordinates, then speeds; `start`: their values at first
    """

    def __init__(self, linked: Linked, start: Mapping[str, float]) -> None:
        self._links, self.names = np.ascontiguousarray(linked.links), linked.names
        self._mounts = {name: Mount(m.link, *map(np.ascontiguousarray, m[1:])) for name, m in linked.mounts.items()}
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
        self._idle: defaultdict[tuple[str, str], list[_Place]] = defaultdict(list)
        self.abreast = True  # many states go side by side

    def __call__(self, t: ArrayLike, x: ArrayLike, forces: ArrayLike | None = None) -> Floats:
        """The rates of the state.   x: (2s,) or (k, 2s), forces: (s,) or (k, s)  →  as x"""
        if found := self._find_one("forward", t, x, self._none if forces is None else forces):
            return found[0]
        lead, states, push, step = self._forced(t, x, forces)
        rates = np.empty_like(states)
        self._run("forward", len(states), states, push, step, rates)
        return rates.reshape(*lead, 2 * self._n)

    def inverse_dynamics(self, t: ArrayLike, x: ArrayLike, a: ArrayLike) -> Floats:
        """The forces along the speeds that accelerations need beside gravity.   a: (s,) or (k, s)  →  as a"""
        if found := self._find_one("inverse", t, x, a):
            return found[0]
        given = as_rows(a, "a", self._n)
        lead, states = self._states(x, t, a=given)
        tau = np.empty((len(states), self._n))
        self._run("inverse", len(states), states, _flatten(given, lead), tau)
        return tau.reshape(*lead, self._n)

    def mass_matrix(self, t: ArrayLike, x: ArrayLike) -> Floats:
        """M, by the speeds.   → (s, s) or (k, s, s)"""
        if found := self._find_one("mass", t, x):
            return found[0]
        lead, states = self._states(x, t)
        M = np.empty((len(states), self._n, self._n))
        self._run("mass", len(states), states, M)
        return M.reshape(*lead, self._n, self._n)

    def jacobian(self, t: ArrayLike, x: ArrayLike, forces: ArrayLike | None = None) -> Floats:
        """The derivatives of the rates by the state.   → (2s, 2s) or (k, 2s, 2s)"""
        if found := self._find_one("slopes", t, x, self._none if forces is None else forces):
            return found[0]
        lead, states, tau, step = self._forced(t, x, forces)
        J = np.empty((len(states), 2 * self._n, 2 * self._n))
        self._run("slopes", len(states), states, tau, step, J)
        return J.reshape(*lead, 2 * self._n, 2 * self._n)

    def frame(self, x: ArrayLike, body: str, at: ArrayLike = ORIGIN) -> Pose:
        """The axes of a body at one of its points, in space, and how speeds move them.   at: over its own axes"""
        if as_name(body, Ref("frame"), "body") not in self._mounts:
            raise LinkworkError(f"no body named '{body}'. {did_you_mean(body, self._mounts)}".rstrip())
        mount = self._mounts[body]
        place = mount.origin if at is ORIGIN else self._locate(mount, at)
        if found := self._find_one("frames", 0.0, x, place, body=body):
            return _cut(found[0], found[1])
        lead, states = self._states(x)
        out, J = np.empty((len(states), 18)), np.empty((len(states), 6, self._n))
        if mount.link >= 0:
            self._run("frames", len(states), states, mount.link, place, mount.axes, out, J)
        else:
            out[:, :3], out[:, 3:12], out[:, 12:], J[...] = place, mount.axes.ravel(), 0.0, 0.0
        return _cut(out.reshape(*lead, 18), J.reshape(*lead, 6, self._n))

    # -- how ------------------------------------------------------------------------------------------------------

    def _find_one(self, name: str, t: ArrayLike, *given: Any, body: str = "") -> list[Floats]:
        """What a function finds at one state, quickly, in a place that nobody else uses meanwhile; else nothing."""
        now: Any = t
        if type(now) is not float:
            return []
        idle = self._idle[name, body]
        place = idle.pop() if idle else self._make_place(name, body)
        if place is None:
            return []
        given_here, found_here, compute, _ = place
        for (here, shape), array in zip(given_here, given):  # noqa: B905  (quick)
            if type(array) is not ndarray or array.dtype is not FLOATS or array.shape != shape:
                idle.append(place)
                return []
            here[...] = array
        compute()
        found = [array.copy() for array in found_here]
        idle.append(place)
        return found

    def _make_place(self, name: str, body: str) -> _Place | None:
        n, x = self._n, np.zeros(2 * self._n)
        if name == "frames":
            mount, at, out, J = self._mounts[body], np.zeros(3), np.zeros(18), np.zeros((6, n))
            words = x, mount.link, at, mount.axes, out, J
            return None if mount.link < 0 else self._bind(name, (x, at), (out, J), *words)
        if name == "mass":
            M = np.zeros((n, n))
            return self._bind(name, (x,), (M,), x, M)
        more = np.zeros(n)
        if name == "inverse":
            tau = np.zeros(n)
            return self._bind(name, (x, more), (tau,), x, more, tau)
        rates = np.zeros(2 * n if name == "forward" else (2 * n, 2 * n))
        return self._bind(name, (x, more), (rates,), x, more, 0, rates)

    def _bind(self, name: str, given: Arrays, found: Arrays, *words: Any) -> _Place:
        """A function at one state, ready to be called again and again."""
        memory = self._take(False, name)
        _, call, quick = load_recursion(many=False)
        call = quick if self._n <= SMALL else call
        arguments = self._write(name, 1, words, memory)
        shaped = tuple((array, array.shape) for array in given)
        return _Place(shaped, found, partial(call, ctypes.addressof(arguments)), (arguments, memory))

    def _run(self, name: str, count: int, *words: Any) -> None:
        """A function for so many states."""
        many = self.abreast and count > 1 and self._measure(True, name) <= MEMORY
        memory = self._take(many, name)
        load_recursion(many)[1](self._write(name, count, words, memory))

    def _write(self, name: str, count: int, words: tuple[Any, ...], memory: Floats) -> Any:
        """A function of C by its number, and its arguments: numbers, and arrays by their addresses."""
        all_words = FUNCTIONS.index(name), self._at, count, *words, memory
        numbers = [w.ctypes.data if isinstance(w, ndarray) else w for w in all_words]
        return (ctypes.c_ssize_t * len(numbers))(*numbers)

    def _measure(self, many: bool, name: str) -> int:
        """How many bytes a function works in."""
        n = self._n
        squares = {"mass": n**2, "slopes": 4 * n**2, "frames": 18 + len(self._links)}
        size: int = load_recursion(many)[0](self._at, 8 * n + squares.get(name, 0), name == "slopes")
        return size

    def _take(self, many: bool, name: str) -> Floats:
        return np.empty(self._measure(many, name) // 8 + 1)

    @staticmethod
    def _locate(mount: Mount, at: ArrayLike) -> Floats:
        """A point of a body over the axes of its link."""
        point = as_rows(at, "at", 3)
        if point.ndim > 1:
            raise LinkworkError(f"at has the shape {point.shape}. Give three numbers, one point for all states")
        return np.ascontiguousarray(mount.origin + mount.axes @ point)

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


def _cut(out: Floats, J: Floats) -> Pose:
    """A pose from its numbers in a row.   out: (..., 18), J: (..., 6, s)"""
    axes = out[..., 3:12].reshape(*out.shape[:-1], 3, 3)
    return Pose(out[..., :3], axes, out[..., 12:15], out[..., 15:18], J)


def _flatten(rows: Floats, lead: Lead) -> Floats:
    """A row for each state, one after the other."""
    return spread(rows, lead).reshape(math.prod(lead), rows.shape[-1])
