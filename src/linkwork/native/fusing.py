"""Small systems as one kernel: all terms in, the programs and the compiled code of the whole out.

Each instance of a term is built once more on the slots of its unknowns; its columns of parameters are numbered through,
so that other values need nothing new. What is compiled depends on the structure alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System, Term
from linkwork.equations.kernel import OFFSETS
from linkwork.native.code import load_kernel
from linkwork.native.interpreter import run_program
from linkwork.native.sparsity import Pattern
from linkwork.native.structures import FOREVER, TermRow
from linkwork.native.tables import Layout, aligned
from linkwork.program import Builder, Hoisted, Input, Plan, Program, emit_factors, emit_fused, hoist, plan_taylor
from linkwork.program.passes import inline

LARGEST = 40  # unknowns of systems that are worth it
LONGEST = 400  # steps of a plan from which a compiler takes seconds
DENSEST = 2500  # products in the factorisation up to which it is straight code


def can_fuse(system: System) -> bool:
    """Whether a system is small and has nothing that kernels are asked for one by one."""
    derived = [(term.kernel.derived, term.count) for term in system.terms]
    plans = [(d.plan, count) for d, count in derived if d.plan is not None]
    apart = bool(system.algebra or system.opaque) or any(d.cursors for d, _ in derived)
    return (
        0 < sum(len(plan.steps) * count for plan, count in plans) <= LONGEST
        and system.n + system.m <= LARGEST
        and not (apart or any(plan.hiding for plan, _ in plans))
    )


@dataclass(frozen=True, kw_only=True)
class Fusion:
    """All terms of a system in one program each for stages and for the matrix.

    `slots` are where the results of each group go, `places` where entries of the matrix do.
    """

    stage: Hoisted
    plan: Plan
    slots: dict[str, list[int]]
    matrix: Hoisted
    places: list[int]


class _Sums:
    """Results by their places, added up."""

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.nodes: dict[int, int] = {}

    def add(self, place: int, node: int) -> None:
        self.nodes[place] = self.b.add(self.nodes.get(place, self.b.zero), node)


def _inline(b: Builder, program: Program, slots: Sequence[int], first: int) -> dict[str, list[int]]:
    """The results of a kernel's program for one instance, whose columns of parameters begin somewhere."""

    def source(at: Input) -> int:
        if at.kind == "t":
            return b.input("t", 0)
        return b.input(at.kind, first + at.index if at.kind == "p" else slots[at.index])

    return inline(b, program, source)


def fuse_terms(terms: Sequence[Term], slots: Ints, multipliers: Ints, unknowns: int, places: Sequence[Ints]) -> Fusion:
    """Build all terms on the slots of their unknowns.

    slots, multipliers   of coordinates and of multipliers
    places               for each term where the entries of its instances go
    """
    stage, matrix = Builder(), Builder()
    results, entries = {name: _Sums(stage) for name in OFFSETS}, _Sums(matrix)
    stage_column = matrix_column = 0
    for term, targets in zip(terms, places, strict=True):
        d, own = term.kernel.derived, len(term.kernel.coordinates)
        for i in range(term.count):
            rows = multipliers[term.rows[i]].tolist()
            local = [*slots[term.coordinates[i]].tolist(), *rows]
            if d.dynamics is not None:
                found = _inline(stage, d.dynamics.body, local, stage_column)
                stage_column += d.dynamics.columns
                goals = iter([*local[:own], *rows])
                for name, group in found.items():
                    for node in group:
                        goal = next(goals)
                        if goal < unknowns:
                            results[name].add(goal, node)
            if d.matrix is not None:
                found = _inline(matrix, d.matrix.body, local, matrix_column)
                matrix_column += d.matrix.columns
                for place, node in zip(targets[i].tolist(), found["F"], strict=True):
                    entries.add(place, node)
    made = {name: sums.nodes for name, sums in results.items() if sums.nodes}
    stages = hoist(stage.program(**{name: list(nodes.values()) for name, nodes in made.items()}))
    return Fusion(
        stage=stages,
        plan=plan_taylor(stages.body, {name: OFFSETS[name] for name in made}),
        slots={name: list(nodes) for name, nodes in made.items()},
        matrix=hoist(matrix.program(F=list(entries.nodes.values()))),
        places=list(entries.nodes),
    )


@dataclass(frozen=True, slots=True)
class FusedText:
    """The one term of a fused system as C; `stored`: numbers kept of an order, `straight`: its functions that solve."""

    head: str
    body: str
    stored: int
    straight: tuple[str, ...]


def write_fused(fusion: Fusion, pattern: Pattern, slots: int, width: int) -> FusedText:
    """The C text for rows of so many slots, and registers of so many numbers."""
    head, body, stored = emit_fused(
        plan=fusion.plan,
        width=width,
        slots=fusion.slots,
        stride=slots,
        unknowns=pattern.unknowns,
        matrix=fusion.matrix.body,
        places=fusion.places,
    )
    factors = {}
    if len(pattern.update) <= DENSEST:
        tables = pattern.column, pattern.row, pattern.update, pattern.multiplier
        factors = emit_factors(*tables, stride=slots, width=width, inverts=pattern.count_groups(width) > 0)
    return FusedText(head=head, body=body + "".join(factors.values()), stored=stored, straight=tuple(factors))


class FusedTerm:
    """The one term of a fused system, as the runtime sees it: its code and its tables."""

    def __init__(self, fusion: Fusion, text: FusedText, unknowns: int, order: int) -> None:
        self.fusion, self.unknowns = fusion, unknowns
        code = load_kernel(text.body, text.head)
        self.straight = {name: code.address(name) for name in text.straight}
        # numbers of stages stand behind the weights of constraints, by slot
        self.stage_par = aligned((unknowns + fusion.stage.columns + 1,))
        self.matrix_par = aligned((fusion.matrix.columns + 1,))
        self.work = aligned((text.stored * (order + 1),))
        self.row = TermRow(
            stage=code.address("lw_stage"),
            matrix=code.address("lw_matrix"),
            blocks=1,
            last_stage=FOREVER,
            stage_par=self.stage_par.ctypes.data,
            matrix_par=self.matrix_par.ctypes.data,
            work=self.work.ctypes.data,
            stored=text.stored,
            lanes=1,
            instances=1,
        )

    def fill(self, terms: Sequence[Term], layouts: Sequence[Layout], weights: Floats) -> None:
        """Put in the numbers that the tables of the terms hold; weights by slot."""
        self.stage_par[: self.unknowns] = weights
        dynamics = [term.kernel.derived.dynamics for term in terms]
        for hoisted, programs, table in (
            (self.fusion.stage, dynamics, self.stage_par[self.unknowns :]),
            (self.fusion.matrix, [term.kernel.derived.matrix for term in terms], self.matrix_par),
        ):
            known = [
                layout.columns(program.setup, term.count).ravel()
                for term, layout, program in zip(terms, layouts, programs, strict=True)
                if program is not None
            ]
            numbers = run_program(hoisted.setup, {"p": list(np.concatenate(known)) if known else []})["p"]
            table[: len(numbers)] = numbers
