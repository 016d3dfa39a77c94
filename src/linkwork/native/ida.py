"""SUNDIALS' IDA behind the face of a machine: stabilised index 2, residuals and Jacobian from compiled kernels.

    q̇ = u − Gᵀμ,   r(q, u, u̇, λ, t) = 0,   ġ(q, u, t) = 0 or h = 0,   g(q, t) = 0        y = (q, u, λ, μ, w)

with the values w in laws, if there are any, as in `ida_values`.

Backward differences of orders 1 to 5 by scikit-sundae (`pip install "linkwork[stiff]"`), one step a call; a step is
handed over as the polynomial through q, u and u̇ at its ends. For systems without followers: mechanisms in points.
"""

from __future__ import annotations

import ctypes
import math
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from linkwork.arrays import Floats, Ints
from linkwork.errors import InputError, Problem
from linkwork.native.ida_values import IdaValues
from linkwork.native.machine import Machine
from linkwork.native.motion import Chunk, Crossing, Request, Side, Status, Tally
from linkwork.native.tangents import Point

END, RESIDUAL = 3, 9  # rows of `room`, as in implicit.h
ORDER = 5  # of the polynomials handed over
YIELD = 1e-12  # softens redundant constraints, as SOFT in saddle.h
DENSE = 150  # unknowns up to which a matrix with all its zeros is quicker
FREE = 1e30  # multipliers are judged by what they do
LEFT_OUT = 4.0  # errors of speeds, as in series.h
MOST, CLOSED = 20, 1e-13  # times that values are corrected at the end of a step, until so little is left, relative
ENDS = 3  # of steps, up to the begin of this one, through which values go
SHARE, LEAST = 3e-4, 1e-11  # of the error allowed: errors of many steps add up; never less: rounding fails steps


class IdaMachine:
    """A compiled machine whose steps are made by IDA."""

    def __init__(self, inner: Machine) -> None:
        self.inner, self.system = inner, inner.system
        self.culprit, self.suspicious = "", False
        self.checked: object = None
        self.values = IdaValues(inner.system)
        self.sides: Sequence[Side] = ()  # of watched values, which somebody else looks at
        if self.system.followers:
            raise InputError(
                [Problem(what="ida integrates mechanisms in points only", remedy="Formulate it in points")]
            )

    @property
    def compiled(self) -> bool:
        """Whether it runs in compiled code."""
        return True

    @property
    def watches(self) -> bool:
        """Whether it looks for events and switches itself: somebody else does."""
        return False

    def take_crossings(self) -> list[Crossing]:
        """The events since this was last asked: none, since it does not look."""
        return []

    # -- equations ------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Where everything is: in y, in the rows of the machine, in its matrix and in the Jacobian."""
        machine, s = self.inner, self.system
        p, tables = machine.pattern, machine.implicit
        assert tables is not None
        tables.fill(s, np.zeros(s.m))  # G' W G would be in the way
        tables.take_code()  # nobody counts its steps
        self.holonomic = np.flatnonzero(s.holonomic)
        n, m, k = s.n, s.m, len(self.holonomic)
        self.parts = np.cumsum([0, n, n, m, k, self.values.count])
        self.held = self.values.slots(machine)
        self.at, self.rows = p.coordinate, p.multiplier
        self.room = tables.room
        # (row, column) of all entries of M, C, K and of G, by their places in the matrix
        entries = len(p.row)
        column = np.repeat(np.arange(p.unknowns), np.diff(p.column))
        lower = np.concatenate([np.arange(p.unknowns), p.row, column])
        upper = np.concatenate([np.arange(p.unknowns), column, p.row])
        place = np.arange(p.unknowns + 2 * entries)
        number = np.full(p.unknowns, -1)
        number[p.coordinate] = np.arange(n)
        number[p.multiplier] = n + np.arange(m)
        self._find_jacobian(number[lower], number[upper], place, (n, m, k))

    def _find_jacobian(self, i: Ints, j: Ints, place: Ints, sizes: tuple[int, int, int]) -> None:
        n, m, k = sizes
        q, u, lam, mu, _, _ = self.parts
        square, tall, wide = (i < n) & (j < n), (i >= n) & (j < n), (i < n) & (j >= n)
        held = np.full(m + 1, -1)  # one more, so that there is a first one without constraints
        held[self.holonomic] = np.arange(k)
        hold = tall & (held[np.maximum(i - n, 0)] >= 0)
        push = wide & (held[np.maximum(j - n, 0)] >= 0)
        one, all_m, all_k = np.arange(n), np.arange(m), np.arange(k)
        blocks = {  # name: rows, columns, places
            "cj": (q + one, q + one, one),
            "minus": (q + one, u + one, one),
            "K": (u + i[square], q + j[square], place[square]),
            "C": (u + i[square], u + j[square], place[square]),
            "Gt": (u + i[wide], lam + j[wide] - n, place[wide]),
            "G": (lam + i[tall] - n, u + j[tall], place[tall]),
            "hold": (mu + held[i[hold] - n], q + j[hold], place[hold]),
            "push": (q + i[push], mu + held[j[push] - n], place[push]),
            "soft": (lam + all_m, lam + all_m, all_m),
            "softer": (mu + all_k, mu + all_k, all_k),
        }
        if self.values.count:
            blocks |= {name: (*block, block[0]) for name, block in self.values.blocks(self.parts).items()}
        rows, columns = (np.concatenate([block[x] for block in blocks.values()]) for x in (0, 1))
        size = int(self.parts[-1])
        pattern = coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size)).tocsc()
        pattern.indices, pattern.indptr = pattern.indices.astype(np.int32), pattern.indptr.astype(np.int32)
        self.pattern = pattern
        self.entry = pattern.tocoo().row, pattern.tocoo().col
        keys = self.entry[1].astype(np.int64) * size + self.entry[0]
        found = np.searchsorted(keys, columns.astype(np.int64) * size + rows)
        ends = np.cumsum([len(block[0]) for block in blocks.values()])
        self.targets = dict(zip(blocks, np.split(found, ends[:-1]), strict=True))
        self.places = {name: block[2] for name, block in blocks.items()}

    def _put(self, y: Floats, yp: Floats) -> None:
        n, m = self.system.n, self.system.m
        self.room[END, self.at], self.room[END, self.rows] = y[:n], y[2 * n : 2 * n + m]
        self.room[END + 1, self.at], self.room[END + 2, self.at] = y[n : 2 * n], yp[n : 2 * n]
        self.room[END, self.held] = y[self.parts[4] :]

    def _residual(self, t: float, y: Floats, yp: Floats, res: Floats) -> None:
        n, m, machine, last = self.system.n, self.system.m, self.inner, self.parts[4]
        self._put(y, yp)
        machine.method.lw_find_residuals(*self.tables, ctypes.c_double(t))
        first, second = self.room[RESIDUAL], self.room[RESIDUAL + 1]
        res[:n] = yp[:n] - y[n : 2 * n] + self.Gt @ y[2 * n + m : last]
        res[n : 2 * n] = first[self.at]
        res[2 * n : 2 * n + m] = second[self.rows] - self.soft * y[2 * n : 2 * n + m]
        res[2 * n + m : last] = first[self.rows][self.holonomic] - self.soft[self.holonomic] * y[2 * n + m : last]
        if self.values.count:
            res[last:] = self.values.find_rest(machine, t)

    def _jacobian(self, t: float, y: Floats, yp: Floats, res: Floats, cj: float, JJ: Floats) -> None:
        machine, tables = self.inner, self.inner.implicit
        assert tables is not None
        self._put(y, yp)
        A = tables.arrays[1]
        found = []
        for c1 in (0.0, 1.0):
            machine.method.lw_find_tangents(*self.tables, *map(ctypes.c_double, (t, 1.0 / cj, c1)))
            found.append(A.copy())
        base, stiffness = found[0], found[1] - found[0]
        values = {"cj": cj, "minus": -1.0, "soft": -self.soft, "softer": -self.soft[self.holonomic]}
        values |= {"K": stiffness[self.places["K"]], "C": cj * base[self.places["C"]]}
        values |= {name: base[self.places[name]] for name in ("Gt", "G", "hold", "push")}
        if self.values.count:
            values |= self.values.slopes(self._point(t, y, yp), cj)
        entries = np.zeros(self.pattern.nnz)
        for name, value in values.items():
            np.add.at(entries, self.targets[name], value)
        self._keep_push(values["push"])
        if JJ.ndim == 1:
            JJ[:] = entries
        else:
            JJ[:] = 0.0
            JJ[self.entry] = entries

    def _point(self, t: float, y: Floats, yp: Floats) -> Point:
        n, m = self.system.n, self.system.m
        return Point(t=t, q=self._places(y), u=y[n : 2 * n], a=yp[n : 2 * n], lam=y[2 * n : 2 * n + m])

    def _places(self, y: Floats) -> Floats:
        """Coordinates and inputs."""
        inputs = self._inputs.copy()
        inputs[self.values.behind] = y[self.parts[4] :]
        return np.concatenate([y[: self.system.n], inputs])

    def _keep_push(self, values: Floats) -> None:
        """Gᵀ for the positions: any that is nearly right will do, since μ is nearly zero."""
        n, k = self.system.n, len(self.holonomic)
        rows, columns = self.push
        self.Gt = coo_array((values, (rows, columns)), shape=(n, k)).tocsr()

    # -- the integration ------------------------------------------------------------------------------------------

    def begin(self, request: Request, t: float, q: Floats, u: Floats) -> Status:
        """Start from a consistent state."""
        if request.step > 0:
            what = "ida chooses its steps by their errors"
            raise InputError([Problem(what=what, remedy="Leave out the step, or use method 'hht'")])
        self.request, self.steps, self.rejected = request, 0, 0
        status = self.inner.begin(request, t, q, u)
        self.t, self.span = t, max(request.t_end - t, 1e-300)
        self._state = self.inner.end
        self.fresh = False
        return status

    def foresee(self, request: Request) -> None:
        """There is nothing to get ready."""

    def set_inputs(self, values: Mapping[str, float]) -> None:
        """Hold other values of inputs from here on."""
        self.inner.set_inputs(values)

    def prolong(self, t_end: float) -> None:
        """Go on until another time, from where it is."""
        inputs = dict(zip(self.system.inputs, self.inner.end[0][self.system.n :], strict=True))
        q, u, _, _ = self._state
        self.begin(replace(self.request, t_end=t_end), self.t, self.system.with_inputs(q, inputs), u)

    def _start(self) -> Status:
        """Accelerations and multipliers at the start, and IDA there."""
        machine, s = self.inner, self.system
        status = Status(machine.method.lw_accelerate(ctypes.byref(machine.c), ctypes.byref(machine.run)))
        if status is not Status.FINISHED:
            return status
        self._lay_out()
        self.tables = ctypes.byref(machine.c), ctypes.byref(machine.implicit.c)  # type: ignore[union-attr]
        q, u, a, lam = (x.copy() for x in machine.end)
        self.room[END] = machine.series[machine.run.current, 0]
        self._inputs = q[s.n :]
        i = self.targets["push"]
        self.push = self.entry[0][i], self.entry[1][i] - self.parts[3]
        self.soft = YIELD / np.maximum(machine.units, 1e-300) * (machine.c.redundant > 0)
        self._keep_push(np.zeros(len(i)))
        self._state = q, u, a, lam
        k = len(self.holonomic)
        w = self._inputs[self.values.behind]
        y = np.concatenate([q[: s.n], u[: s.n], lam, np.zeros(k), w])
        yp = np.concatenate([u[: s.n], a[: s.n], np.zeros(s.m + k + len(w))])
        self.solver = self._make_solver(len(y), u[: s.n], a[: s.n])
        self.solver.init_step(self.t, y, yp)
        self.before: list[tuple[float, Floats]] = []  # values in laws and multipliers at the ends of steps, and when
        self.fresh = True
        return Status.FINISHED

    def _make_solver(self, size: int, u: Floats, a: Floats) -> Any:
        from sksundae.ida import IDA  # an extra

        s, tol = self.system, max(SHARE * self.request.tol, LEAST)
        rates = np.max(np.abs(u) / s.scales, initial=0.0), math.sqrt(np.max(np.abs(a) / s.scales, initial=0.0))
        speed = max(1 / self.span, *map(float, rates))
        free = np.full(size - 2 * s.n, FREE)
        atol = np.concatenate([tol * s.scales, LEFT_OUT * tol * speed * s.scales, free])
        options: dict[str, Any] = {"rtol": 1e-15, "atol": atol, "algebraic_idx": [*range(2 * s.n, size)]}
        # the first step is of order 1: ½ a h² is its error
        options["first_step"] = min(0.5 * math.sqrt(tol) / max(float(rates[1]), 1e-150), 1e-3 * self.span)
        limit = self.request.h_max if math.isfinite(self.request.h_max) else 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the Jacobian given is preferred to a guessed one, it says
            if size > DENSE:
                options |= {"linsolver": "sparse", "sparsity": self.pattern}
            return IDA(self._residual, jacfn=self._jacobian, max_step=limit, max_num_steps=100_000, **options)

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """Integrate until the end, or for about so many seconds, or for so many steps."""
        deadline, end = time.perf_counter() + seconds, self.request.t_end
        kept: list[tuple[float, float, Floats]] = []
        if not self.fresh and self.t < end and (status := self._start()) is not Status.FINISHED:
            return status, self._chunk(kept)
        while self.t < end and len(kept) < limit and not (kept and time.perf_counter() > deadline):
            result = self.solver.step(end, method="onestep", tstop=end)
            if not result.success or not result.t > self.t:
                finite = np.isfinite(result.y).all() and np.isfinite(result.yp).all()
                return Status.TOO_SMALL if finite else Status.NOT_FINITE, self._chunk(kept)
            y, yp = np.asarray(result.y), np.asarray(result.yp)
            if self.values.count:
                y = self._close(float(result.t), y, yp)
            kept.append(self._keep(float(result.t), y, yp))
        return Status.FINISHED if self.t >= end else Status.MORE, self._chunk(kept)

    def _close(self, t: float, y: Floats, yp: Floats) -> Floats:
        """y with the values that belong to the rest of it: IDA is content with places and speeds that are right."""
        y, last = y.copy(), self.parts[4]
        for _ in range(MOST):
            self._put(y, yp)
            step = np.linalg.solve(self.values.loop, self.values.find_rest(self.inner, t))
            y[last:] -= step
            if not (np.abs(step) > CLOSED * np.max(np.abs(y[last:]))).any():
                break
        return y

    def _keep(self, t: float, y: Floats, yp: Floats) -> tuple[float, float, Floats]:
        """The step just made, as a polynomial through both ends."""
        n, m, h = self.system.n, self.system.m, t - self.t
        (q0, u0, a0, l0), zeros = self._state, np.zeros(len(self._inputs))
        q1 = self._places(y)
        u1, a1 = (np.concatenate([x, zeros]) for x in (y[n : 2 * n], yp[n : 2 * n]))
        l1 = y[2 * n : 2 * n + m]
        # nothing depends on the integral of a state: it is that of the state itself, whatever its own errors are
        i = [*self.system.states.values()]
        q1[i] = (q0 + h * (u0 + u1) / 2 + h**2 * (a0 - a1) / 12)[i]
        d, v, w = (q1 - q0) / h - u0 - 0.5 * h * a0, u1 - u0 - h * a0, 0.5 * h * (a1 - a0)
        S = np.zeros((ORDER + 1, len(q0) + m))
        S[0], S[1, : len(q0)], S[2, : len(q0)] = np.concatenate([q0, l0]), u0, 0.5 * a0
        S[3, : len(q0)] = (10 * d - 4 * v + w) / h**2
        S[4, : len(q0)] = (7 * v - 15 * d - 2 * w) / h**3
        S[5, : len(q0)] = (6 * d - 3 * v + w) / h**4
        self._keep_values(S, h, np.concatenate([q1, l1]))
        step = self.t, h, S
        self.t, self._state = t, (q1, u1, a1, l1.copy())
        self.steps += 1
        return step

    def _keep_values(self, S: Floats, h: float, end: Floats) -> None:
        """Multipliers and values in laws: polynomials through the ends of this step and of the last ones before."""
        at = np.concatenate([self.system.n + self.values.behind, np.arange(S.shape[1] - self.system.m, S.shape[1])])
        self.before = [(self.t, S[0, at]), *self.before][:ENDS]
        x = np.array([t - self.t for t, _ in self.before])
        # x ÷ h keeps powers near one; at 0 they are what they are
        powers = (np.append(x[1:], h) / h)[:, None] ** np.arange(1, len(x) + 1)
        rest = np.array([*(values for _, values in self.before[1:]), end[at]]) - S[0, at]
        S[1:, at] = 0.0
        S[1 : len(x) + 1, at] = np.linalg.solve(powers, rest) / h ** np.arange(1, len(x) + 1)[:, None]

    def _chunk(self, kept: list[tuple[float, float, Floats]]) -> Chunk:
        width = len(self._state[0]) + self.system.m
        series = np.array([S for _, _, S in kept]).reshape(len(kept), ORDER + 1, width)
        coordinate = np.arange(width - self.system.m)
        t, h = (np.array([step[i] for step in kept]) for i in (0, 1))
        return Chunk(
            t=t, h=h, series=series, coordinate=coordinate, multiplier=len(coordinate) + np.arange(self.system.m)
        )

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the run is."""
        return self._state

    @property
    def jerk(self) -> float:
        """Not known: nobody asks whether another method would take longer steps."""
        return float("nan")

    @property
    def tally(self) -> Tally:
        """What the run has done so far."""
        inner = self.inner.tally
        return Tally(
            steps=self.steps, rejected=self.rejected, factorisations=0, redundant=inner.redundant,
            worst_projection=inner.worst_projection, worst_defect=0.0,
        )  # fmt: skip
