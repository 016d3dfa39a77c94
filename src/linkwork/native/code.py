"""Compiled code of a system: kernels in, the runtime and the functions of each kernel out."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from linkwork.equations import Kernel, System
from linkwork.native.algebra import AlgebraTable
from linkwork.native.compiler import BRIEF, Source, load
from linkwork.native.stiff import LAW_DIGEST, ImplicitRow, Stiff, implicit_source
from linkwork.native.structures import KinematicsRow, RunRow, SystemRow, TermRow
from linkwork.native.tableau import write_header
from linkwork.native.watch import Cursor, WatchProgram, WatchStep, WatchTable
from linkwork.program import emit_kernel, emit_rates
from linkwork.program.emit_c import is_large

RUNTIME = (  # what runtime.c includes
    "runtime.h", "curve.h", "saddle.h", "followers.h", "series.h", "handover.h", "pace.h", "inside.h", "invariants.h",
    "points.h", "knots.h", "values.h", "algebra.h", "kernel.h", "roots.h", "watch.h", "switching.h",
)  # fmt: skip
METHODS = "implicit.h", "rk.h"  # and with methods other than Taylor series


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
    return f"{source.head}\n{source.body}"


def _source(k: Kernel, lanes: int) -> Source:
    d = k.derived
    head, body = emit_kernel(
        name=LAW_DIGEST.sub("", k.name),  # the same code may serve laws with other data
        lanes=lanes,
        inputs=k.local_count,
        plan=d.plan,
        columns=d.dynamics.columns if d.dynamics else 0,
        matrix=d.matrix.body if d.matrix else None,
        matrix_columns=d.matrix.columns if d.matrix else 0,
    )
    return Source(body, head, BRIEF if d.plan is not None and is_large(d.plan) else ())


def _lanes(count: int, width: int) -> int:
    """Instances in a block: the smallest power of two that holds all of them, up to the width of the processor."""
    return min(width, 1 << (count - 1).bit_length())


def _text(name: str) -> str:
    return (files("linkwork.native") / name).read_text(encoding="utf-8")


def load_runtime(all_methods: bool = False) -> ctypes.CDLL:
    """The runtime; it knows for which processor the compiler makes code. Most runs need Taylor series alone."""
    headers = {name: _text(name) for name in RUNTIME}
    if all_methods:
        headers |= {**{name: _text(name) for name in METHODS}, "tableau.h": write_header()}
    main = Source(_text("runtime.c"), "#define ALL_METHODS" if all_methods else "")
    runtime = load([main], headers)[main]
    if all_methods:
        runtime.lw_accelerate.restype = ctypes.c_long
    for function in (runtime.lw_width, runtime.lw_begin, runtime.lw_integrate):
        function.restype = ctypes.c_long
    tables = (
        TermRow, SystemRow, RunRow, Cursor, KinematicsRow, Stiff, ImplicitRow, WatchTable, WatchProgram, WatchStep,
        AlgebraTable,
    )  # fmt: skip
    sizes = (ctypes.c_long * len(tables))()
    runtime.lw_layout(sizes)
    assert [ctypes.sizeof(table) for table in tables] == list(sizes), "the tables here are not those of runtime.h"
    return runtime


def load_code(system: System) -> tuple[ctypes.CDLL, list[int], list[Code | None]]:
    """The runtime, the instances in a block of each term, and the code of its kernel."""
    runtime = load_runtime()
    lanes = [_lanes(term.count, runtime.lw_width()) for term in system.terms]
    return runtime, lanes, _compile([t.kernel for t in system.terms], lanes)


def load_rates(system: System, runtime: ctypes.CDLL) -> tuple[list[int], list[Code]]:
    """The same of what moves the followers."""
    lanes = [_lanes(term.count, runtime.lw_width()) for term in system.kinematics]
    return lanes, _compile_rates([t.kernel for t in system.kinematics], lanes)


def _compile(kernels: Sequence[Kernel], lanes: Sequence[int]) -> list[Code | None]:
    """For each kernel its code (None if it has nothing to compute)."""
    header = {name: _text(name) for name in ("kernel.h", "curve.h")}
    sources = [
        _source(k, width) if k.derived.plan or k.derived.matrix else None
        for k, width in zip(kernels, lanes, strict=True)
    ]
    libraries = load(filter(None, sources), header)
    return [Code(source, libraries[source]) if source else None for source in sources]


def compile_implicit(kernels: Sequence[Kernel], lanes: Sequence[int]) -> list[Code | None]:
    """For each kernel the code of its part of implicit steps."""
    sources = [implicit_source(k, width) for k, width in zip(kernels, lanes, strict=True)]
    libraries = load(filter(None, sources), {name: _text(name) for name in ("kernel.h", "curve.h")})
    return [Code(source, libraries[source]) if source else None for source in sources]


def _compile_rates(kernels: Sequence[Kernel], lanes: Sequence[int]) -> list[Code]:
    """For each kernel the code of the rates of its followers."""
    if not kernels:
        return []
    sources = [_rate_source(k, width) for k, width in zip(kernels, lanes, strict=True)]
    libraries = load(sources, {name: _text(name) for name in ("kernel.h", "curve.h")})
    return [Code(source, libraries[source]) for source in sources]


def _rate_source(k: Kernel, lanes: int) -> Source:
    d = k.derived
    assert d.rates is not None and d.rate_plan is not None
    inputs = len(k.coordinates) + len(k.followers)
    head, body = emit_rates(name=k.name, lanes=lanes, inputs=inputs, plan=d.rate_plan, columns=d.rates.columns)
    return Source(body, head)
