"""Compiled kernels and the C runtime behind one object: a System in, steps of its motion out.

The tables that the runtime reads are laid out here; their structures are those of `structures.py`.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from linkwork.arrays import Floats, Ints
from linkwork.equations import System, Term
from linkwork.native.algebra import Algebra
from linkwork.native.code import (
    Code,
    ImplicitCode,
    has_programs,
    load_beside,
    load_code,
    load_core,
    load_method,
    load_runtime,
)
from linkwork.native.fusing import FusedTerm, FusedText, Fusion, can_fuse, fuse_terms, write_fused
from linkwork.native.motion import STATUS, Chunk, Crossing, Handover, Request, Side, Status, Tally
from linkwork.native.numbers import is_driven, is_quick
from linkwork.native.opaque import OpaqueCalls
from linkwork.native.rank import DENSE, FAINT, split
from linkwork.native.sparsity import analyse
from linkwork.native.stiff import Implicit
from linkwork.native.structures import FOREVER, KinematicsRow, RunRow, SystemRow, TermRow
from linkwork.native.tableau import EXPLICIT, RATES
from linkwork.native.tables import Layout, aligned, in_blocks, spread
from linkwork.native.watch import (
    ROUNDED,
    SMALLEST_NOISE,
    Cursor,
    Quantities,
    Watching,
    switch_groups,
    watch_groups,
)

RECORD_BYTES = 16e6  # a chunk of steps handed over at once
FIRST_RECORDS = 128
COPIED = 1e6  # bytes up to which a copy costs less than memory that the system hands out anew
HOLONOMIC, VELOCITY, VALUE = 1, 2, 3  # kinds of multipliers, and algebraic values, as in runtime.h
NUMBERS = {"taylor": 0, "rk8": 1, "baumgarte": 2, "hht": 3, "ida": 3, "radau": 3}  # of methods, as in runtime.h
IMPLICIT = frozenset({"hht", "ida", "radau"})  # methods whose matrix has stiffness and damping
BENDS = 3  # order of the polynomials by which accelerations of followers change in implicit steps of order 2
HOPPED = 16  # steps of a hop between looks
SHORT_OF = 64.0  # a hop is the begin of a run so many times as long: its first step is not held short
TINY = 1e-300  # seconds: a run without length has a span all the same


class Room(NamedTuple):
    """Where steps are written: their times, lengths and series, and the addresses of these."""

    t: Floats
    h: Floats
    series: Floats
    addresses: tuple[int, int, int]


def make_room(shape: tuple[int, int, int]) -> Room:
    """Memory for so many steps of so many orders and unknowns."""
    t, h, series = np.empty(shape[0]), np.empty(shape[0]), np.empty(shape)
    return Room(t, h, series, (t.ctypes.data, h.ctypes.data, series.ctypes.data))


class Machine:
    """A system compiled, laid out in memory and ready to run.

    `units` make constraints comparable, by constraint; W is the same for the `helpers` (all, unless said) and else 0.
    What follows from the structure of the system alone is found once for all systems bound from one; `bind` puts the
    numbers of another of them into the tables.
    """

    def __init__(self, system: System, units: Floats, helpers: NDArray[np.bool_] | None = None) -> None:
        self.system = system
        self.helpers = np.ones(system.m, dtype=bool) if helpers is None else helpers
        self.implicit: Implicit | None = None
        self.algebra: Algebra | None = None
        self.opaque: OpaqueCalls | None = None
        self.fused: FusedTerm | None = None
        self._arrange(implicit=False)
        self.loaded = system.once("code", lambda: load_code(system, self.pattern))
        self.runtime = self.loaded.runtime
        self.method = self.runtime  # what makes the steps
        self.driven = system.once("driven", lambda: is_driven(system))
        self.hiding = any(d.plan.hiding for d in (t.kernel.derived for t in system.terms) if d.plan)
        self.order = 0
        self.events: Watching | None = None
        self.known_sides: Sequence[Side] = ()  # of watched values, before there is what watches them
        self.switches: Watching | None = None
        self.watched: object = None  # for which order these were made
        self._room: Room | None = None  # where the steps of a short run are written
        self.asked: Request | None = None  # what was asked last, for which all is set up
        self.handover: Handover | None = None
        self.observed: System | None = None
        self._keep: list[object] = []
        self._layouts: list[Layout] = []
        self._rate_layouts: list[Layout] = []
        self._take(system, units)

    def _take(self, system: System, units: Floats) -> None:
        self.system, self.units = system, units
        self.weights = np.where(self.helpers, units, 0.0)
        self.checked: object = None  # the start that a run was last found to begin at without further ado
        self.watched = self.asked = None

    def bind(self, system: System, units: Floats) -> None:
        """Run another system of the same structure from now on."""
        if system is not self.system or units is not self.units:
            # a term without changed numbers is the same object
            terms, weights = {id(term) for term in self.system.terms}, self.weights
            self._take(system, units)
            same = weights == self.weights
            if self.order:
                self._fill({id(term) for term in system.terms if id(term) in terms and same[term.rows].all()})

    # -- tables ---------------------------------------------------------------------------------------------------

    def _arrange(self, *, implicit: bool) -> None:
        """Give each unknown its slot; where the matrix has stiffness and damping, more of them are coupled."""
        system, key = self.system, ("pattern", self.helpers.tobytes(), implicit)
        self.pattern = system.once(key, lambda: analyse(system, self.helpers, implicit))
        self.slots = self._slots()
        self.places = np.concatenate([self.pattern.coordinate, np.arange(self.pattern.unknowns, self.moving)])

    def _slots(self) -> Ints:
        """The slot of each coordinate, frozen ones and followers included."""
        first = self.pattern.unknowns + len(self.system.followers)
        frozen = np.arange(self.moving, self.width - 1)
        inputs, followers = np.arange(first, self.moving), np.arange(self.pattern.unknowns, first)
        return np.concatenate([self.pattern.coordinate, frozen, inputs, followers])

    @property
    def lanes(self) -> list[int]:
        """The instances in a block, by term."""
        return self.loaded.lanes

    @property
    def moving(self) -> int:
        """The slots of unknowns, followers and inputs, which move by jumps between steps."""
        return self.pattern.unknowns + len(self.system.followers) + len(self.system.inputs)

    @property
    def multipliers(self) -> Ints:
        """The slots of multipliers."""
        return self.pattern.multiplier

    @property
    def width(self) -> int:
        """All slots: unknowns, followers, inputs, other frozen coordinates and one that nobody reads."""
        return self.moving + len(self.system.frozen) - len(self.system.inputs) + 1

    def pointer(self, array: NDArray[np.generic]) -> int:
        """Where an array is, which is kept as long as the tables."""
        self._keep.append(array)
        return int(array.ctypes.data)

    def prepare(self, order: int, *, implicit: bool = False) -> None:
        """Lay out all tables for expansions of an order, and those of implicit steps if asked, unless that is done."""
        # a series S is (orders, slots): coefficients q_k, e_k and λ_k of all that moves, with frozen places and a slot
        # that nobody reads behind. Stage k of an expansion runs every term once: a term gathers from S by its table
        # `from` and adds its results of order k to R by `stage_to`; then
        #     [ H  Gᵀ ] [ (k+1)(k+2) q_{k+2} ]   [ −r_k                ]
        #     [ G  0  ] [ λ'_k               ] = [ −(k+1)(k+2) g_{k+2} ]      λ = λ' − W γ
        # is solved with the matrix of order 0: its constant part is summed up here, the rest is added at each
        # point by `matrix_to`. Followers move first in each stage, by tables of their own.
        if order == self.order and implicit == (self.implicit is not None):
            return
        self._arrange(implicit=implicit)
        self.asked = None
        self._keep.clear()
        self.addresses: list[list[Floats]] = []
        self._layouts.clear()
        self._rate_layouts.clear()
        p, s = self.pattern, self.system
        # implicit steps solve little by these loops: those that are there will do
        self.groups = self.loaded.groups if implicit else p.count_groups(self.runtime.lw_width())
        self.order = order
        self._constant, self._K = np.zeros(p.unread + 1), np.zeros(p.unread + 1)
        self._moving: list[int] = []
        self._terms = (TermRow * max(1, len(s.terms)))()
        for i, term in enumerate(s.terms):
            self._terms[i] = self._term(term, self.loaded.code[i], self.lanes[i], order)
        n = p.unknowns
        self._weight, self._unit, self._per_size = np.zeros(n), np.ones(n), np.ones(self.moving)
        self._root, self._per_root = np.ones(n), np.ones(n)
        self._per_size[p.multiplier] = 0.0
        kind = np.zeros(self.moving, dtype=np.uint8)
        kind[p.multiplier] = np.where(s.holonomic, HOLONOMIC, VELOCITY)
        self.acceleration = np.zeros(self.moving)
        self.c = self._system_row(kind, order)
        self._prepare_series(order)
        self._prepare_followers(order)
        self._prepare_algebra(kind, order)
        self._prepare_opaque(kind)
        self.implicit = self._prepare_implicit() if implicit else None
        self.fused = None
        self._fill()

    def _system_row(self, kind: NDArray[np.uint8], order: int) -> SystemRow:
        """What C knows of the system: how large it is, its matrix and room to solve with it."""
        p, s, room = self.pattern, self.system, self.runtime.lw_width()
        n = p.unknowns
        wide = (n, self.groups * room) if self.groups else None
        return SystemRow(
            coordinates=s.n, multipliers=s.m, unknowns=n, slots=self.width, terms=len(s.terms), capacity=order + 1,
            moving=self.moving, quick=is_quick(s),
            coordinate=self.pointer(self.places.astype(np.int32)),
            multiplier=self.pointer(p.multiplier.astype(np.int32)),
            kind=self.pointer(kind), term=ctypes.addressof(self._terms),
            column=self.pointer(p.column), row=self.pointer(p.row), update=self.pointer(p.update),
            stretches=len(p.stretch), stretch=self.pointer(p.stretch),
            constant=self.pointer(self._constant), weight=self.pointer(self._weight), unit=self.pointer(self._unit),
            root=self.pointer(self._root), per_root=self.pointer(self._per_root),
            per_size=self.pointer(self._per_size),
            F=self.pointer(np.zeros(p.unread + 1)), K=self.pointer(self._K),
            x=self.pointer(np.zeros(self.moving + room)), r=self.pointer(np.zeros(self.moving + room)),
            inverse=self.pointer(np.zeros(n)),
            full=self.pointer(aligned(wide)) if wide else None, whole=self.pointer(aligned(wide)) if wide else None,
            reach=self.pointer(np.zeros(n)), R=self.pointer(np.zeros(self.width + room)),
        )  # fmt: skip

    def _prepare_series(self, order: int) -> None:
        """Room for the series of two steps, for how far angles have turned, and for where curves were read last."""
        s = self.system
        self.series = aligned((2, order + 1, self.width))
        self.turns = np.zeros((2, len(s.periodic)))
        self.c.S[0], self.c.S[1] = (series.ctypes.data for series in self.series)
        self.c.turns[0], self.c.turns[1] = (turns.ctypes.data for turns in self.turns)
        self.c.angles = len(s.periodic)
        self.c.angle = self.pointer(self.pattern.coordinate[s.periodic].astype(np.int32))
        self.c.cursors, self.c.cursor = len(self._moving), self.pointer(np.array(self._moving, dtype=np.uintp))

    def _method(self, request: Request) -> ctypes.CDLL:
        """What makes the steps: the runtime, or methods other than Taylor series, when one of them is asked for."""
        name, stages = request.method, request.stages
        if name == "taylor":
            return self.runtime
        return self.system.once(("method", name, stages), lambda: load_method(name, stages))

    def _runtime(self) -> ctypes.CDLL:
        """The runtime, with programs of values if anything of them is watched."""
        if self.observed is not None and self.observed.watches and not has_programs(self.system):
            return self.system.once("programs", lambda: load_runtime("programs"))
        return self.loaded.runtime

    def make_ready(self, request: Request) -> None:
        """Lay out all tables for a request: where each unknown is depends on the method."""
        self.prepare(request.order, implicit=request.method in IMPLICIT)
        self._fuse(request.fused and request.method not in IMPLICIT)
        if request.method in EXPLICIT and not self.c.stages:
            self.c.stages = self.pointer(np.zeros((RATES, self.width)))
            self.c.drift = self.pointer(np.zeros(self.system.m))

    def foresee(self, request: Request) -> Future[Code] | None:
        """Begin to compile, beside the run, what going on with another request takes; where it is found then."""
        if not request.fused or self.fused is not None or not can_fuse(self.system):
            return None
        text = self._write_fused(self._find_fusion())
        return load_beside(text.body, text.head)

    def _fuse(self, asked: bool) -> None:
        """Run all terms as one kernel, if asked and possible, or each by itself."""
        if asked and self.fused is None and can_fuse(self.system):
            fusion = self._find_fusion()
            text = self._write_fused(fusion)
            self.fused = FusedTerm(fusion, text, self.pattern.unknowns, self.order)
            self.fused.fill(self.system.terms, self._layouts, self._weight)
        self.c.fused = asked and self.fused is not None
        self.c.terms = 1 if self.c.fused else len(self.system.terms)
        self.c.term = ctypes.addressof(self.fused.row if self.c.fused and self.fused else self._terms)
        straight = self.fused.straight if self.c.fused and self.fused else {}
        for place in ("eliminate", "solve", "invert", "order"):
            setattr(self.c, place, straight.get(f"lw_{place}"))

    def _find_fusion(self) -> Fusion:
        s, p = self.system, self.pattern

        def places(term: Term) -> Ints:
            coordinates, rows = self.slots[term.coordinates], p.multiplier[term.rows]
            return self._places(coordinates, rows, term.kernel.derived.matrix_entries)

        return s.once(
            ("fusion", self.helpers.tobytes()),
            lambda: fuse_terms(s.terms, self.slots, p.multiplier, p.unknowns, [*map(places, s.terms)]),
        )

    def _write_fused(self, fusion: Fusion) -> FusedText:
        return write_fused(fusion, self.pattern, self.width, self.runtime.lw_width())

    def _prepare_implicit(self) -> Implicit:
        terms = self.system.terms
        return Implicit(self, self.system.once("implicit", lambda: ImplicitCode(terms, self.lanes)))

    def _prepare_followers(self, order: int) -> None:
        s, n = self.system, self.pattern.unknowns
        kinematics = (KinematicsRow * max(1, len(s.kinematics)))()
        for i, term in enumerate(s.kinematics):
            kinematics[i] = self._kinematics(term, self.loaded.rate_code[i], self.loaded.rate_lanes[i], order)
        self._keep.append(kinematics)
        self.c.kinematics, self.c.kinematic = len(s.kinematics), ctypes.addressof(kinematics)
        groups = [number for group in s.invariants for number in (len(group), *(n + i for i in group))]
        self.c.invariants, self.c.invariant = len(s.invariants), self.pointer(np.array(groups, dtype=np.int32))
        self.c.moved = self.pointer(np.zeros((2, self.width)))
        slots = [
            number
            for tie in s.ties
            for number in (
                len(tie.followers),
                int(self.slots[tie.coordinate]),
                -1 if tie.turns else len(tie.parent),
                *(n + i for i in (*tie.followers, *tie.parent)),
            )
        ]
        self._tied = np.zeros(sum(len(tie.columns) for tie in s.ties))
        self.c.ties, self.c.tie = len(s.ties), self.pointer(np.array(slots, dtype=np.int32))
        self.c.tied = self.pointer(self._tied)

    def _prepare_algebra(self, kind: NDArray[np.uint8], order: int) -> None:
        if not self.system.algebra:
            return
        slots = np.concatenate([self.slots, self.pattern.multiplier])
        self.algebra = Algebra(self.system, slots, self.pattern.unknowns, self.width, order)
        self.c.algebra = self.algebra.address
        kind[self.algebra.slots] = VALUE
        self._per_size[self.algebra.slots] = 0.0

    def _prepare_opaque(self, kind: NDArray[np.uint8]) -> None:
        if not self.system.opaque:
            return
        self.opaque = OpaqueCalls(self.system, np.concatenate([self.slots, self.pattern.multiplier]))
        self.c.opaque = self.opaque.address
        kind[self.opaque.slots] = VALUE
        self._per_size[self.opaque.slots] = 0.0

    def _kinematics(self, term: Term, code: Code, lanes: int, order: int) -> KinematicsRow:
        d = term.kernel.derived
        assert d.rates is not None and d.rate_plan is not None
        blocks, places = -(-term.count // lanes), self.slots[term.coordinates]
        own = places[:, len(term.kernel.coordinates) :]
        row = KinematicsRow(blocks=blocks, correct=code.address("lw_correct"), advance=code.address("lw_advance"))
        setattr(row, "from", self.pointer(in_blocks(places, places[-1], lanes)))
        row.to = self.pointer(in_blocks(own, np.full(own.shape[1], self.width - 1), lanes))
        layout = Layout([], lanes)
        self._rate_layouts.append(layout)
        row.par = self.pointer(layout.add(d.rates, blocks))
        row.work = self.pointer(aligned((blocks * len(d.rate_plan.storage) * (order + 1) * lanes + lanes,)))
        return row

    def _fill(self, same: Collection[int] = ()) -> None:
        """Put the numbers of the system into the tables, but for terms (by their ids) that are the same as before."""
        p, s = self.pattern, self.system
        self._weight[p.multiplier], self._unit[p.multiplier] = self.weights, self.units
        np.sqrt(self._unit, out=self._root)
        np.divide(1.0, self._root, out=self._per_root)
        self._per_size[p.coordinate] = 1.0 / s.scales
        changed = [i for i, term in enumerate(s.terms) if id(term) not in same]
        for i in changed:
            self._layouts[i].fill(s.terms[i], self.weights)
        if any(self._layouts[i].places.size for i in changed):
            self._constant[:] = 0.0
            for layout in self._layouts:
                layout.add_constant(self._constant)
        for term, layout in zip(s.kinematics, self._rate_layouts, strict=True):
            layout.fill(term, self.weights)
        if s.ties:
            self._tied[:] = s.numbers[np.concatenate([tie.columns for tie in s.ties])]
        if self.implicit is not None:
            self.implicit.fill(s, self.weights)
        if self.algebra is not None:
            self.algebra.fill(s)
        if self.opaque is not None:
            self.opaque.fill(s)
        if self.fused is not None:
            self.fused.fill(s.terms, self._layouts, self._weight)

    def _term(self, term: Term, code: Code | None, lanes: int, order: int) -> TermRow:
        d = term.kernel.derived
        blocks = -(-term.count // lanes)
        coordinates, rows = self.slots[term.coordinates], self.pattern.multiplier[term.rows]
        unknowns = np.hstack([coordinates, rows])
        unread = self.width - 1
        own = coordinates[:, : len(term.kernel.coordinates)]
        targets = np.hstack([np.where(own < self.pattern.unknowns, own, unread), rows])
        cursors = self._make_cursors(term)
        self.addresses.append([*map(_addresses, cursors)])
        layout = Layout(self.addresses[-1], lanes, d.constant, self._places(coordinates, rows, d.constant_entries))
        self._layouts.append(layout)
        row = TermRow(blocks=blocks, last_stage=FOREVER)
        if code is None:
            return row
        setattr(row, "from", self.pointer(in_blocks(unknowns, unknowns[-1], lanes)))
        if d.plan is not None and d.dynamics is not None:
            row.stage = code.address("lw_stage")
            row.last_stage = 0 if d.plan.constant_results else FOREVER
            to = in_blocks(targets, np.full(targets.shape[1], unread), lanes)
            row.stage_to = self.pointer(spread(to, unread, self.runtime.lw_width()))
            row.stage_par = self.pointer(layout.add(d.dynamics, blocks))
            row.work = self.pointer(aligned((blocks * len(d.plan.storage) * (order + 1) * lanes + lanes,)))
            hiding = [d.plan.storage[step] for step in d.plan.hiding]
            row.stored, row.lanes, row.instances, row.hiding = len(d.plan.storage), lanes, term.count, len(hiding)
            row.argument = self.pointer(np.array(hiding, dtype=np.int32))
            self._follow(term, cursors, row, order)
        if d.matrix is not None:
            row.matrix = code.address("lw_matrix")
            places = self._places(coordinates, rows, d.matrix_entries)
            row.matrix_to = self.pointer(in_blocks(places, np.full(places.shape[1], self.pattern.unread), lanes))
            row.matrix_par = self.pointer(layout.add(d.matrix, blocks))
        return row

    def _make_cursors(self, term: Term) -> list[ctypes.Array[Cursor]]:
        """For each curve and argument of a kernel the cursors of its instances."""
        tables = []
        for curve in term.kernel.derived.cursors:
            knots, origins, coefficients = map(self.pointer, (curve.knots, curve.origins, curve.coefficients))
            known = knots, origins, coefficients, len(curve.knots), curve.degree, -1
            again = {"period": curve.period, "turn": curve.turn}
            table = (Cursor * term.count)(*(Cursor(*known, **again) for _ in term.names))
            self._keep.append(table)
            tables.append(table)
        return tables

    def _follow(self, term: Term, cursors: Sequence[ctypes.Array[Cursor]], row: TermRow, order: int) -> None:
        """Tell cursors where the series of their arguments will be."""
        d = term.kernel.derived
        assert d.plan is not None and d.dynamics is not None
        for cursor, (step, known) in d.plan.curve_arguments(d.dynamics.cursors, order).items():
            for i, one in enumerate(cursors[cursor]):
                block, lane = divmod(i, row.lanes)
                place = (block * (order + 1) * row.stored + d.plan.storage[step]) * row.lanes + lane
                one.series, one.stride, one.known = row.work + 8 * place, row.stored * row.lanes, known
                self._moving.append(ctypes.addressof(one))

    def _places(self, coordinates: Ints, rows: Ints, entries: Sequence[tuple[str, int, int]]) -> Ints:
        """Where the matrix entries of each instance go.   (instances, entries)"""
        found = np.empty((len(coordinates), len(entries)), dtype=np.int64)
        for e, (kind, i, j) in enumerate(entries):
            one = coordinates[:, i] if kind == "H" else rows[:, i]
            found[:, e] = self.pattern.places(one, coordinates[:, j])
        return found

    # -- running --------------------------------------------------------------------------------------------------

    def begin(self, request: Request, t: float, q: Floats, u: Floats, handover: Handover | None = None) -> Status:
        """Start from a consistent state, to hand over steps as they are or otherwise.

        q: (n + followers [+ inputs],), u: (n,) or longer
        """
        if handover is self.handover and request == self.asked:
            ctypes.memmove(ctypes.byref(self.run), self._asked_run, len(self._asked_run))
        else:
            self._ask(request, handover)
        self.series[:] = 0.0
        self.turns[:] = 0.0
        if self.fused is not None:
            self.fused.work[:] = 0.0  # what a run left that ended nowhere
        n, s = self.moving, self.system
        self.series[:, 0, n : self.width - 1] = s.frozen[: len(s.frozen) - len(s.inputs)]
        self.series[0, 0, self.places] = s.with_inputs(q, {}) if s.inputs else q
        self.changed = False
        self.series[0, 1, self.pattern.coordinate] = u[: self.system.n]
        self.records = min(FIRST_RECORDS, self.most_records)
        self.run.t, self.run.span = t, max(request.span or request.t_end - t, TINY)
        if request.watch:
            self._watch(request)
        if self.algebra is not None:
            self.algebra.begin()
        status: int = self.runtime.lw_begin(ctypes.byref(self.c), ctypes.byref(self.run))
        return self._status(status)

    def _ask(self, request: Request, handover: Handover | None) -> None:
        """Set up all that does not depend on where a run begins."""
        self.make_ready(request)
        self.runtime = self._runtime()
        self.method = self._method(request)
        self.c.core = load_core(self.groups, request.method in EXPLICIT)
        self.handover = handover
        size = 8.0 * (request.order + 1) * (handover.width if handover else self.moving)
        self.most_records = int(max(1, RECORD_BYTES // size))
        self.run = RunRow(
            t_end=request.t_end,
            tol=request.tol,
            h_max=request.h_max,
            step=request.step,
            origin=request.origin,
            alpha=request.alpha,
            beta=request.beta,
            method=NUMBERS[request.method],
            order=request.order,
            driven=self.driven,
            hiding=self.hiding,
        )
        if self.method is not self.runtime:
            self.run.other = ctypes.addressof(ctypes.c_char.in_dll(self.method, "lw_method_table"))
        self.run.acceleration = self.acceleration.ctypes.data
        if handover:
            self.run.results = len(handover.offset)
            for name in ("begin", "column", "entry", "offset"):
                setattr(self.run, f"handover_{name}", getattr(handover, name).ctypes.data)
        if self.implicit is not None:
            self.implicit.c.rho, self.implicit.c.part = request.rho, request.part
            self.implicit.use_radau(request.stages if request.method == "radau" else 0)
            self.run.implicit = ctypes.addressof(self.implicit.c)
        self.asked, self._asked_run = request, ctypes.string_at(ctypes.addressof(self.run), ctypes.sizeof(self.run))

    # -- watching -------------------------------------------------------------------------------------------------

    def observe(self, points: System) -> None:
        """Watch the events of another system, in whose coordinates steps are handed over."""
        self.observed = points

    def _watch(self, request: Request) -> None:
        """Have the runtime watch events and switches; sides stay as they are."""
        key = request.order, self.implicit is not None
        if self.watched != key:
            events, switches = watch_groups(self.observed or self.system), switch_groups(self.system)
            sides = self.sides
            self.events = Watching(self.runtime, events, self._seen(), request.order) if events else None
            self.sides = sides
            self.switches = Watching(self.runtime, switches, self._known(), request.order) if switches else None
            self.watched = key
        if self.events is not None:
            self.events.table.share = max(request.tol, SMALLEST_NOISE)
            self.run.events = self.events.address
        if self.switches is not None:
            self.switches.table.share, self.switches.sides = ROUNDED, ()
            self.run.switches, self.run.hiding = self.switches.address, True

    def _known(self) -> Quantities:
        """What laws read: coordinates, frozen ones and followers, where the machine holds them."""
        s, count = self.system, len(self.slots)
        sizes = np.concatenate([s.scales, np.zeros(len(s.frozen)), np.ones(len(s.followers))])
        read = csr_array((np.ones(count), (np.arange(count), self.slots)), shape=(count, self.width))
        return Quantities(read=read, fixed=np.zeros(count), sizes=sizes)

    def _seen(self) -> Quantities:
        """What events read: coordinates, frozen ones and inputs, from steps as they are kept."""
        s, n = self.observed or self.system, (self.observed or self.system).n
        inputs = len(s.inputs)
        if self.observed is None:
            width, column = (
                self.moving,
                np.append(self.pattern.coordinate, np.arange(self.moving - inputs, self.moving)),
            )
        else:
            width, column = n + inputs, np.arange(n + inputs)
        row = np.append(np.arange(n), np.arange(s.first_follower - inputs, s.first_follower))
        still = s.frozen[: len(s.frozen) - inputs]
        return Quantities(
            read=csr_array((np.ones(len(row)), (row, column)), shape=(s.first_follower, width)),
            fixed=np.concatenate([np.zeros(n), still, np.zeros(inputs)]),
            sizes=np.concatenate([s.scales, np.zeros(len(s.frozen))]),
        )

    @property
    def watches(self) -> bool:
        """Whether it looks for events and switches itself."""
        return True

    @property
    def sides(self) -> Sequence[Side]:
        """Where the watched values are, by event."""
        return self.events.sides if self.events else self.known_sides

    @sides.setter
    def sides(self, sides: Sequence[Side]) -> None:
        if self.events:
            self.events.sides = sides
        else:
            self.known_sides = sides

    def take_crossings(self) -> list[Crossing]:
        """The events since this was last asked."""
        return self.events.take() if self.events else []

    # -- running --------------------------------------------------------------------------------------------------

    def set_inputs(self, values: Mapping[str, float]) -> None:
        """Hold other values of inputs from here on; to be called between `begin` and any `advance`."""
        S, known = self.series[self.run.current], self.system.inputs
        if not (values.keys() <= known.keys() and all(map(math.isfinite, values.values()))):
            self.system.with_inputs(S[0, self.places], values)  # says what is wrong
        for name, value in values.items():
            S[0, self.slots[known[name]]] = value
        self.changed = True

    def prolong(self, t_end: float) -> None:
        """Go on until another time; to be called where the run has ended."""
        self.run.t_end, self.changed = t_end, True

    def _begin_again(self) -> Status:
        """Go on from the same place with other inputs."""
        self.changed = False
        return self._status(self.runtime.lw_begin(ctypes.byref(self.c), ctypes.byref(self.run)))

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """Integrate until the end, or for about so many seconds, or for so many steps, or until a chunk is full."""
        k, run = min(self.records, limit), self.run
        self._consider_code()
        width = self.handover.width if self.handover else self.moving
        if self.changed and (status := self._begin_again()) is not Status.FINISHED:
            return status, self._chunk(np.empty(0), np.empty(0), np.empty((0, self.order + 1, width)))
        room = self._find_room(k, width)
        run.seconds, run.max_records = seconds, k
        run.record_t, run.record_h, run.record_S = room.addresses
        bends = self._note_accelerations(k, width)
        status = self._status(self.runtime.lw_integrate(ctypes.byref(self.c), ctypes.byref(run)))
        # a short run needs little memory, a long one few calls
        self.records = min(2 * self.records, self.most_records)
        done = run.records
        if self.implicit is not None:
            self.implicit.code.left -= done
        chunk = self._chunk(*self._keep_steps(room, done))
        return status, chunk if bends is None else chunk.bent(bends[:done])

    def _find_room(self, count: int, width: int) -> Room:
        """Memory for steps. That of a first chunk waits for the next run."""
        shape = count, self.order + 1, width
        if self._room is not None and self._room.series.shape == shape:
            return self._room
        room = make_room(shape)
        if count == FIRST_RECORDS:
            self._room = room
        return room

    def _keep_steps(self, room: Room, count: int) -> tuple[Floats, Floats, Floats]:
        """The steps that were made, in memory of their own."""
        t, h, S = room.t, room.h, room.series
        if room is not self._room:
            return t[:count], h[:count], _fitted(S, count)
        if 2 * count < len(t):
            return t[:count].copy(), h[:count].copy(), S[:count].copy()
        self._room = None
        return t[:count], h[:count], S[:count]

    def _consider_code(self) -> None:
        """In a long run the tapes of implicit steps give way to code, which gives the same numbers."""
        if self.implicit is not None and self.implicit.code.left <= 0:
            self.implicit.take_code()

    def _note_accelerations(self, count: int, width: int) -> Floats | None:
        """Where implicit steps of order 2 note how accelerations change: along a line, those of followers bend."""
        if self.implicit is None or self.implicit.c.radau:
            return None
        bends = np.empty((count, BENDS if self.system.followers else 1, width))
        self.implicit.c.accelerations, self.implicit.c.bends = bends.ctypes.data, bends.shape[1]
        return bends

    # -- hops -----------------------------------------------------------------------------------------------------

    def prepare_hops(self) -> None:
        """Remember the run as it has just begun: every hop begins like that, so that nothing but the state matters."""
        run, width = self.run, self.handover.width if self.handover else self.moving
        self._hopped = np.empty(HOPPED), np.empty(HOPPED), np.empty((HOPPED, self.order + 1, width))
        run.seconds, run.max_records = math.inf, HOPPED
        run.record_t, run.record_h, run.record_S = (a.ctypes.data for a in self._hopped)
        self._fresh = ctypes.string_at(ctypes.addressof(run), ctypes.sizeof(run))
        implicit, self._bends = (
            self.implicit.c if self.implicit is not None else None,
            self._note_accelerations(HOPPED, width),
        )
        self._fresh_implicit = b"" if implicit is None else ctypes.string_at(
            ctypes.addressof(implicit), ctypes.sizeof(implicit)
        )  # fmt: skip
        self._tables = ctypes.byref(self.c), ctypes.byref(run)

    def hop(self, t_end: float) -> Status:
        """From where it is to another time, without keeping any steps."""
        run, tables = self.run, self._tables
        self._consider_code()
        t, current = run.t, run.current
        ctypes.memmove(tables[1], self._fresh, len(self._fresh))
        if self._fresh_implicit:
            assert self.implicit is not None
            ctypes.memmove(ctypes.byref(self.implicit.c), self._fresh_implicit, len(self._fresh_implicit))
        run.t, run.t_end, run.current, run.span = t, t_end, current, SHORT_OF * (t_end - t) or TINY
        code, self._hop_is_kept = self.runtime.lw_begin(*tables), True
        while code == 0 and (code := self.runtime.lw_integrate(*tables)) == Status.MORE.value:
            code, self._hop_is_kept = 0, False
        if self.implicit is not None:
            self.implicit.code.left -= run.steps
        if len(self.system.periodic) and (turns := self.turns[run.current]).any():
            self.series[run.current, 0, self.pattern.coordinate[self.system.periodic]] += 2.0 * np.pi * turns
            self.turns[:] = 0.0
        return Status.FINISHED if code == 0 else self._status(code)

    def hopped(self) -> Chunk | None:
        """The steps of the last hop; None if there were more than are kept."""
        done, (t, h, series) = self.run.records, self._hopped
        if not self._hop_is_kept:
            return None
        chunk = self._chunk(t[:done], h[:done], series[:done])
        return chunk if self._bends is None else chunk.bent(self._bends[:done])

    def place(self, t: float, q: Floats, u: Floats) -> None:
        """Hop from here on from another state.   q: (n + followers [+ inputs],), u: (n,) or longer"""
        S = self.series[self.run.current]
        self.run.t, S[0, self.places], S[1, self.pattern.coordinate] = t, q, u[: self.system.n]
        self.turns[:] = 0.0

    def hold(self, number: int, value: float) -> None:
        """Give an input, by its number, another value."""
        self.series[self.run.current, 0, self.moving - len(self.system.inputs) + number] = value

    def _chunk(self, t: Floats, h: Floats, series: Floats) -> Chunk:
        return Chunk(t=t, h=h, series=series, coordinate=self.places, multiplier=self.multipliers)

    def _status(self, code: int) -> Status:
        where, status = "", STATUS[code]
        if status is Status.NO_INERTIA:
            slots = self.pattern.coordinate.tolist()
            where = self.system.coordinates[slots.index(self.run.culprit)]
        elif status is Status.CHATTERS:
            assert self.switches is not None
            where = self.switches.names[self.run.culprit]
        elif status is Status.JAMMED:
            assert self.algebra is not None
            found = self.algebra.table
            where = "" if found.endless and found.determinant > 0.0 else f"{found.determinant:.3g}"
        self.culprit = where
        return status

    @property
    def suspicious(self) -> bool:
        """Whether the last step failed its check and was kept only because the run is lenient: never."""
        return False

    @property
    def t(self) -> float:
        """Where the run is."""
        return float(self.run.t)

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the run is; behind q the followers and inputs, behind u and a their rates."""
        S = self.series[self.run.current]
        q, u, a = S[:3].take(self.places, axis=1)
        if len(self.system.periodic):
            q[self.system.periodic] += 2.0 * np.pi * self.turns[self.run.current]
        return q, u, 2.0 * a, S[0].take(self.pattern.multiplier)

    @property
    def jerk(self) -> float:
        """How large the third derivatives of the coordinates are where the run is, in their sizes."""
        third = self.series[self.run.current][3, self.pattern.coordinate]
        return 6.0 * float(np.max(np.abs(third) / self.system.scales, initial=0.0))

    @property
    def compiled(self) -> bool:
        """Whether it runs in compiled code."""
        return True

    @property
    def tally(self) -> Tally:
        """What the run has done so far."""
        r = self.run
        return Tally(
            steps=r.steps,
            rejected=r.rejected,
            factorisations=r.factorisations,
            redundant=self._count_redundant(),
            worst_projection=r.worst_projection,
            worst_defect=r.worst_defect,
            fused=bool(self.c.fused),
        )

    def _count_redundant(self) -> int:
        """Constraints that follow from others; pivots are a guess at that, the rank of a small matrix tells."""
        m, p = self.system.m, self.pattern
        if not self.c.redundant or m > DENSE:
            return int(max(self.run.redundant, self.c.redundant))
        places = p.places(p.multiplier[:, None], p.coordinate[None, :])
        G = np.where(places == p.unread, 0.0, self._K[places])
        if not np.isfinite(G).all():  # a run that ended nowhere
            return int(self.run.redundant)
        return m - split(G * self.system.scales).count(FAINT)


# -- arrays ----------------------------------------------------------------------------------------------------------


def _addresses(table: ctypes.Array[Cursor]) -> Floats:
    """Where cursors are, as the bits of numbers."""
    places = ctypes.addressof(table) + ctypes.sizeof(Cursor) * np.arange(len(table))
    return places.astype(np.uint64).view(np.float64)


def _fitted(array: Floats, count: int) -> Floats:
    """The first rows, without keeping a much larger array alive."""
    if 2 * count >= len(array):
        return array[:count]
    if count * array[:1].nbytes < COPIED:
        return array[:count].copy()
    array.resize((count, *array.shape[1:]), refcheck=False)
    return array
