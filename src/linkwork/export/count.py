"""What an evaluation of the accelerations costs, before and after each technique that makes it cheap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.export.code import count_flops
from linkwork.export.document import count_operations
from linkwork.export.exported import Exported, Origin, check_exportable, describe, prepare
from linkwork.export.modes import needs_modes
from linkwork.export.solved import Solved
from linkwork.model import Lagrangian
from linkwork.program import Program, count_written, hoist
from linkwork.program.builder import find_ancestors
from linkwork.program.factored import factor_program

KINDS = ("add", "mul", "div", "function")
COUNTED = {"add": "add", "sub": "add", "mul": "mul", "div": "div", "neg": ""}


@dataclass(frozen=True, slots=True)
class Count:
    """Additions, products, divisions and functions of something."""

    words: str
    add: int
    mul: int
    div: int
    function: int


@dataclass(frozen=True, slots=True)
class Counts:
    """The techniques one after the other, and the functions that are exported."""

    techniques: tuple[Count, ...]
    functions: tuple[Count, ...]

    def __str__(self) -> str:
        solved = ["accelerations and multipliers", *_rows(self.techniques), ""] if self.techniques else []
        parts = [*solved, "functions as exported", *_rows(self.functions)]
        return "\n".join(parts)


def count(origin: Origin) -> Counts:
    """Count the operations of a model."""
    check_exportable(origin)
    if needs_modes(origin.system):
        return Counts((), tuple(_count_functions(describe(origin))))
    own = origin.mechanism.own if isinstance(origin.mechanism, Lagrangian) else None
    whole = own.whole if own is not None else None
    first = _Derived(prepare(origin, own=whole)[0])
    last = first if whole is None else _Derived(prepare(origin)[0])
    small = "small terms: nothing is small" if whole is None else "small terms neglected"
    short = factor_program(last.needed)
    techniques = (
        Count("every result written out", *_count_written(first.needed, first.needed.outputs["x"])),
        Count("each value once, full matrix", *first.count_full()),
        Count("zeros of the matrix dropped", *first.count_all()),
        Count("what nothing needs left out", *count_flops(first.needed.nodes)),
        Count(small, *count_flops(last.needed.nodes)),
        Count("common factors taken out", *count_flops(short.nodes)),
        Count("constants once", *count_flops(hoist(short).body.nodes)),
    )
    return Counts(techniques, tuple(_count_functions(describe(origin))))


class _Derived:
    """The accelerations and what was derived on the way to them.

    needed   the program of the results
    dead     operations of values that no function of the model needs: products with what turned out zero, entries that
             cancel, derivatives that were only looked at
    """

    def __init__(self, solved: Solved) -> None:
        self.fused = f = solved.fused
        b, rates = f.b, [node for i, node in enumerate(f.rates) if node != f.u[i]]
        entries = [*f.M.values(), *f.G.values(), *f.rest, *f.gamma, *f.n, *rates]
        results = [*solved.a, *solved.lam, *f.n, *rates]
        self.needed, self.parts = b.program(x=results), b.program(x=entries)
        asked = [node for some in f.asked.values() for node in some]
        others = [*f.r, *f.g, *f.g1, *f.watches, *f.readings, *f.switches, *f.energy.values(), *f.values.values()]
        alive = find_ancestors(b.nodes, [*results, *entries, *others, *asked, *f.bends])
        self.dead = count_flops(node for i, node in enumerate(b.nodes) if i not in alive)

    def count_full(self) -> list[int]:
        """Each value once, as if all entries of the matrix were there."""
        size = self.fused.system.n + self.fused.system.m
        return [sum(some) for some in zip(count_flops(self.parts.nodes), _count_full(size), self.dead, strict=True)]

    def count_all(self) -> list[int]:
        """What is needed, and what was derived on the way."""
        return [sum(some) for some in zip(count_flops(self.needed.nodes), self.dead, strict=True)]


def _count_functions(x: Exported) -> list[Count]:
    found = []
    for f in (x.code.init, *x.code.functions):
        found.append(Count(f.name, *count_operations(f).values()))
    return found


def _count_full(n: int) -> tuple[int, int, int, int]:
    """Factorising a full symmetric matrix and solving with it."""
    pairs = sum((n - k - 1) * (n - k) // 2 for k in range(n))
    below = n * (n - 1) // 2
    return pairs + 2 * below, pairs + below + 2 * below + n, n, 0


def _count_written(program: Program, results: Sequence[int]) -> list[int]:
    """Operations of expressions that share nothing."""
    found = count_written(program, results)
    del found["total"]
    return [sum(n for op, n in found.items() if COUNTED.get(op, "function") == kind) for kind in KINDS]


def _rows(counts: Sequence[Count]) -> list[str]:
    heads = ("", "add", "multiply", "divide", "function")
    cells = [heads, *((c.words, *(_short(n) for n in (c.add, c.mul, c.div, c.function))) for c in counts)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    first = widths[0]
    return ["  " + row[0].ljust(first) + "".join("  " + row[i].rjust(widths[i]) for i in range(1, 5)) for row in cells]


def _short(n: int) -> str:
    return str(n) if n < 10**9 else f"{float(n):.1e}" if n < 10**300 else "beyond number"
