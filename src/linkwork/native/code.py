"""Compiled code of a system: kernels in, the runtime and the functions of each kernel out."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Literal
from weakref import WeakKeyDictionary

from linkwork.equations import Kernel, System, Term
from linkwork.native.algebra import AlgebraTable
from linkwork.native.compiler import BRIEF, LARGEST_UNIT, LEAN, Source, load
from linkwork.native.opaque import OpaqueTable
from linkwork.native.sparsity import Pattern
from linkwork.native.stiff import LAW_DIGEST, ImplicitRow, RadauRow, Stiff, implicit_source, read_implicit
from linkwork.native.structures import KinematicsRow, RunRow, SystemRow, TermRow
from linkwork.native.tableau import write_header
from linkwork.native.tape import LINE, TapeRow
from linkwork.native.watch import Cursor, WatchProgram, WatchStep, WatchTable
from linkwork.program import emit_kernel, emit_rates

QUICK = ("-Og",)  # of what runs a few times a step
PLAIN = ("-O2",)  # of methods: their inner loops are written for it
CORE = "runtime.h", "core.h", "curve.h", "saddle.h", "followers.h", "series.h", "handover.h"  # what core.c includes
METHOD = "runtime.h", "core.h", "curve.h", "base.h", "method.h", "pace.h", "inside.h"  # what files of methods include
IMPLICIT = "implicit.h", "slopes.h", "tape.h"  # and those of implicit ones
RUNTIME = (  # what runtime.c includes
    "runtime.h", "core.h", "curve.h", "base.h", "pace.h", "inside.h", "invariants.h", "points.h", "knots.h", "values.h",
    "slopes.h", "algebra.h", "opaque.h", "kernel.h", "lanes.h", "roots.h", "watch.h", "switching.h", "passing.h",
)  # fmt: skip
FILES = {"rk8": "rk", "baumgarte": "rk", "hht": "hht", "ida": "hht", "radau": "radau"}  # of methods
LANES = "lanes.h", "sine.h", "library.h"  # what numbers side by side include
KERNEL = "kernel.h", "lanes.h", "curve.h"  # what kernels include
READ = 500  # implicit steps after which compiling costs less than reading tapes


@dataclass(frozen=True, slots=True)
class Code:
    """A kernel's source and the library it is in."""

    source: Source
    library: ctypes.CDLL

    def address(self, name: str) -> int | None:
        """Where a function of the kernel is."""
        return ctypes.cast(getattr(self.library, self.source.symbol(name)), ctypes.c_void_p).value


def kernel_source(k: Kernel, lanes: int = 1) -> str:
    """The C text of a kernel for blocks of so many instances."""
    source = _source(k, lanes)
    return f"{source.head}\n{source.body}" if source else ""


def _lanes(count: int, width: int) -> int:
    """Instances in a block: the smallest power of two that holds all of them, up to the width of the processor."""
    return min(width, 1 << (count - 1).bit_length())


@functools.cache
def _text(name: str) -> str:
    return (files("linkwork.native") / name).read_text(encoding="utf-8")


def _headers(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, _text(name)) for name in names)


def lanes_headers() -> tuple[tuple[str, str], ...]:
    """What code of numbers side by side includes."""
    return _headers(LANES)


Extent = Literal["plain", "programs"]  # of the runtime: see runtime.c; the second holds the first


def has_programs(system: System) -> bool:
    """Whether values are found on the way: of events, of switches of laws, algebraic ones."""
    switches = (term.kernel.derived.switches.outputs["s"] for term in system.terms)
    return bool(system.watches or system.algebra or system.opaque or any(switches))


def load_runtime(extent: Extent) -> ctypes.CDLL:
    """The runtime; it knows for which processor the compiler makes code. Most runs need little of it."""
    main = Source(_text("runtime.c"), flags=QUICK, headers=_headers(RUNTIME))
    if extent == "programs":
        main = replace(main, head="#define PROGRAMS")
    runtime = load([main])[main]
    for function in (runtime.lw_width, runtime.lw_begin, runtime.lw_integrate):
        function.restype = ctypes.c_long
    tables = (
        TermRow, SystemRow, RunRow, Cursor, KinematicsRow, Stiff, ImplicitRow, RadauRow, AlgebraTable, OpaqueTable,
        TapeRow,
        *(() if extent == "plain" else (WatchTable, WatchProgram, WatchStep)),
    )  # fmt: skip
    expected = [ctypes.sizeof(table) for table in tables]
    expected.insert(1 + tables.index(TapeRow), LINE.itemsize)
    sizes = (ctypes.c_long * len(expected))()
    runtime.lw_layout(sizes)
    assert expected == list(sizes), "the tables here are not those of runtime.h"
    return runtime


def load_method(name: str, stages: int = 0) -> ctypes.CDLL:
    """What makes the steps of a method other than Taylor series; that of radau is made for a number of stages."""
    file = FILES[name]
    match file:
        case "rk":
            source = Source(_text("rk.c"), headers=(*_headers(METHOD), ("tableau.h", write_header())))
        case "hht":
            source = Source(_text("hht.c"), flags=PLAIN, headers=_headers((*METHOD, *IMPLICIT)))
        case _:
            head = f"#define STAGES {stages}"
            source = Source(_text("radau.c"), head, PLAIN, headers=_headers((*METHOD, *IMPLICIT)))
    method = load([source])[source]
    if file == "hht":
        method.lw_accelerate.restype = ctypes.c_long
    return method


def _core_source(groups: int, by_factors: bool) -> Source:
    head = f"#define GROUPS {groups}\n" + ("#define BY_FACTORS\n" if by_factors else "")
    return Source(_text("core.c"), head, headers=_headers(CORE))


@functools.cache
def load_core(groups: int, by_factors: bool = False) -> int:
    """Where the inner loops are, for inverses of so many registers a row.

    By factors: as much is solved by factors as by the inverse, by explicit methods.
    """
    core = _core_source(groups, by_factors and groups > 0)
    return ctypes.addressof(ctypes.c_char.in_dll(load([core])[core], "lw_core_table"))


@dataclass(frozen=True, slots=True)
class Loaded:
    """The runtime, and for each term of a system, and each that moves followers, the instances in a block and its code.

    A kernel that has nothing to compute has none. `groups`: of the inner loops made along with it.
    """

    runtime: ctypes.CDLL
    groups: int
    lanes: list[int]
    code: list[Code | None]
    rate_lanes: list[int]
    rate_code: list[Code]


def load_code(system: System, pattern: Pattern) -> Loaded:
    """All compiled code of a system; the inner loops for its size are made along with it."""
    runtime = load_runtime("programs" if has_programs(system) else "plain")
    lanes, rate_lanes = (
        [_lanes(term.count, runtime.lw_width()) for term in terms] for terms in (system.terms, system.kinematics)
    )
    kernels = [_source(t.kernel, width) for t, width in zip(system.terms, lanes, strict=True)]
    rates = [_rate_source(t.kernel, width) for t, width in zip(system.kinematics, rate_lanes, strict=True)]
    groups = pattern.count_groups(runtime.lw_width())
    core = _core_source(groups, False)
    libraries = load(filter(None, (core, *kernels, *rates)))
    code = [Code(source, libraries[source]) if source else None for source in kernels]
    return Loaded(runtime, groups, lanes, code, rate_lanes, [Code(source, libraries[source]) for source in rates])


class ImplicitCode:
    """What kernels add to implicit steps: tapes, and code as soon as so many steps were made that compiling pays.

    Both give the same numbers, so it does not matter to a run which it meets. A kernel that no tape can hold has code.
    """

    def __init__(self, terms: Sequence[Term], lanes: Sequence[int]) -> None:
        self.kernels, self.lanes = [term.kernel for term in terms], lanes
        self.tapes = [read_implicit(k) for k in self.kernels]
        self.left = READ // self._count_readings(terms)  # steps to be made by tapes, by all machines together
        self.whole = False  # whether all of it is compiled
        self.code = self._compile([tapes is None for tapes in self.tapes])

    def _count_readings(self, terms: Sequence[Term]) -> int:
        """How often a line is read at each point: once for each block, on the average."""
        lines = [sum(len(tape.lines) for tape in tapes or () if tape) for tapes in self.tapes]
        read = sum(many * -(-t.count // wide) for many, t, wide in zip(lines, terms, self.lanes, strict=True))
        return max(1, round(read / max(1, sum(lines))))

    def compile_all(self) -> None:
        """Have code for all kernels."""
        if not self.whole:
            self.code, self.whole = self._compile([True] * len(self.kernels)), True

    def _compile(self, wanted: Sequence[bool]) -> list[Code | None]:
        chosen = zip(self.kernels, self.lanes, wanted, strict=True)
        sources = [_implicit_source(k, width) if want else None for k, width, want in chosen]
        libraries = load(filter(None, sources))
        return [Code(source, libraries[source]) if source else None for source in sources]


_WRITTEN: WeakKeyDictionary[Kernel, dict[int, Source | None]] = WeakKeyDictionary()  # by lanes


def _source(k: Kernel, lanes: int) -> Source | None:
    """The C text of a kernel, written once while it is in use."""
    known = _WRITTEN.setdefault(k, {})
    if lanes not in known:
        known[lanes] = _write(k, lanes)
    return known[lanes]


def _write(k: Kernel, lanes: int) -> Source | None:
    d = k.derived
    if d.plan is None and d.matrix is None:
        return None
    head, body = emit_kernel(
        name=LAW_DIGEST.sub("", k.name),  # the same code may serve laws with other data
        lanes=lanes,
        inputs=k.local_count,
        plan=d.plan,
        columns=d.dynamics.columns if d.dynamics else 0,
        matrix=d.matrix.body if d.matrix else None,
        matrix_columns=d.matrix.columns if d.matrix else 0,
    )
    return Source(body, head, BRIEF if len(body) <= LARGEST_UNIT else LEAN, _headers(KERNEL))


def load_kernel(body: str, head: str) -> Code:
    """The code of one kernel, from its text."""
    source = Source(body, head, BRIEF, _headers(KERNEL))
    return Code(source, load([source])[source])


def load_beside(body: str, head: str) -> Future[Code]:
    """The same while something else goes on, in a thread of its own: one that is kept would not outlive a fork."""
    pool = ThreadPoolExecutor(1, "linkwork compiles")
    coming = pool.submit(load_kernel, body, head)
    pool.shutdown(wait=False)
    return coming


def _rate_source(k: Kernel, lanes: int) -> Source:
    d = k.derived
    assert d.rates is not None and d.rate_plan is not None
    inputs = len(k.coordinates) + len(k.followers)
    head, body = emit_rates(name=k.name, lanes=lanes, inputs=inputs, plan=d.rate_plan, columns=d.rates.columns)
    return Source(body, head, BRIEF, _headers(KERNEL))


def _implicit_source(k: Kernel, lanes: int) -> Source | None:
    source = implicit_source(k, lanes)
    return source and replace(source, headers=_headers(KERNEL))


@functools.cache
def load_recursion(many: bool) -> tuple[Any, Any, Any]:
    """Of recursion.c, for one state after the other or for many side by side: how much memory a function takes; what
    calls it; and what calls it where it is so quick that other threads may wait."""
    headers = _headers((*LANES, "recursion.h", "recursion_slopes.h"))
    # sums and products each by themselves: both have the same numbers, on all processors. Where gcc 12 looks for
    # neighbouring sums and differences of products it makes one instruction of them all the same
    flags = "-ffp-contract=off", "-fno-tree-slp-vectorize"
    source = Source(_text("recursion.c"), "" if many else "#define LANES 1\n", flags, headers)
    library = load([source])[source]
    size, call = library[source.symbol("size")], library[source.symbol("call")]
    size.argtypes, size.restype = [ctypes.c_ssize_t] * 3, ctypes.c_ssize_t
    call.argtypes, call.restype = [ctypes.c_void_p], None
    return size, call, ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(ctypes.cast(call, ctypes.c_void_p).value or 0)
