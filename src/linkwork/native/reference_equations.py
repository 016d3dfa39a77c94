"""Equations of the reference machine at points of implicit steps: what they lack, and matrices with all their zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import Term
from linkwork.equations.implicit import derive_implicit
from linkwork.native.interpreter import run_program
from linkwork.native.opaque import find_opaque
from linkwork.program import Hoisted

if TYPE_CHECKING:
    from linkwork.native.reference import ReferenceMachine


class PlainEquations:
    """Residuals and matrices of a machine's equations at points, as `hht.c` has them.

    Points are rows of slots: places and multipliers, speeds, accelerations.
    """

    def __init__(self, machine: ReferenceMachine) -> None:
        self.machine, self.system = machine, machine.system

    def _run(self, term: Term, hoisted: Hoisted, X: Floats, t: float, c: tuple[float, ...]) -> dict[str, list[Floats]]:
        at, count = term.coordinates.T, len(term.kernel.coordinates)
        rows = self.machine.first + term.rows.T
        unused = [np.zeros(term.count)] * term.kernel.constraint_count
        p = run_program(hoisted.setup, {"p": [*term.parameters.T, *unused]})["p"]
        places = [X[0, i] for i in (*at, *rows)]
        inputs = {"q": places, "e": places, "lam": places, "s": [np.asarray(x) for x in c], "p": p}
        inputs |= {"u": [X[1, i] for i in at[:count]], "a": [X[2, i] for i in at[:count]]}
        return run_program(hoisted.body, inputs, t)

    def residuals(self, X: Floats, t: float) -> tuple[Floats, Floats, Floats]:
        """r (n,), g and ġ or h (m,); g is zero for constraints of velocities."""
        s = self.system
        r, g, v = np.zeros(X.shape[1]), np.zeros(s.m), np.zeros(s.m)
        for term in s.terms:
            hoisted = derive_implicit(term.kernel).residual
            if hoisted is None:
                continue
            found = self._run(term, hoisted, X, t, (0.0, 0.0, 0.0))
            for i, values in enumerate(found["r"]):
                np.add.at(r, term.coordinates[:, i], values)
            for to, name in ((g, "g"), (v, "v")):
                for i, values in enumerate(found[name]):
                    to[term.rows[:, i]] = values
        return r[: s.n], g, v

    def matrix(self, X: Floats, t: float, c: tuple[float, ...]) -> Floats:
        """[S Gᵀ; G 0] in the order of coordinates and multipliers."""
        s, width = self.system, X.shape[1]
        A = np.zeros((width + s.m, width + s.m))
        for term in s.terms:
            d = derive_implicit(term.kernel)
            for hoisted, entries in ((d.matrix, d.entries), (d.constant, d.constant_entries)):
                if hoisted is None or not entries:
                    continue
                for (kind, i, j), values in zip(entries, self._run(term, hoisted, X, t, c)["F"], strict=True):
                    row = term.coordinates[:, i] if kind == "S" else width + term.rows[:, i]
                    at = (term.coordinates[:, j], row) if kind == "T" else (row, term.coordinates[:, j])
                    np.add.at(A, at, values)
        mine = np.r_[: s.n, width : width + s.m]
        return np.asarray(A[np.ix_(mine, mine)])

    @property
    def values(self) -> Ints:
        """Places of values in laws: of calls of opaque functions, then of algebraic values."""
        names = [*(call.name for call in self.system.opaque), *(value.name for value in self.system.algebra)]
        return np.array([self.system.inputs[name] for name in names], dtype=np.int64)

    def lack(self, X: Floats, t: float) -> Floats:
        """What vanishes, of calls of opaque functions and of algebraic values."""
        m, s = self.machine, self.system
        S, calls = X * np.array([[1.0], [1.0], [0.5]]), len(s.opaque)
        find_opaque(s, t, S[0, : m.first], S[1, : m.first])
        called = (S[0] - X[0])[self.values[:calls]]
        return called if m.loops is None else np.concatenate([called, m.loops.rest(0, t, S)])

    def find_rates(self, X: Floats, t: float) -> None:
        """Rates of followers and rates of these."""
        m = self.machine
        at = m.followers.places
        if not len(at):
            return
        S = np.zeros((m.order + 1, X.shape[1]))
        S[:3] = X * np.array([[1.0], [1.0], [0.5]])
        m.followers.stage(-1, t, S)
        m.followers.stage(0, t, S)
        m.followers.correct(1, S)
        X[1, at], X[2, at] = S[1, at], 2 * S[2, at]


def solve_scaled(A: Floats, rhs: Floats) -> Floats:
    """A x = b in rows and columns of size one; the smallest solution where constraints are redundant."""
    size = np.sqrt(np.abs(A).max(axis=1, initial=0.0))
    scale = 1 / np.where(size > 0, size, 1.0)
    scaled = scale[:, None] * A * scale[None, :]
    try:
        if np.linalg.cond(scaled, 1) < 1e13:
            return np.asarray(scale[:, None] * np.linalg.solve(scaled, scale[:, None] * rhs))
    except np.linalg.LinAlgError:  # singular
        pass
    return np.asarray(scale[:, None] * np.linalg.lstsq(scaled, scale[:, None] * rhs, rcond=1e-11)[0])
