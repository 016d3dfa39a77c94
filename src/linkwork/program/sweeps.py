"""Products of series that share a loop: the steps of a plan in, in what order to make them out.

All products whose factors are known at the same time are summed up in one loop over their coefficients,

    s₁ += a[i] b[n − i] + c[i] d[n − i],   s₂ −= c[i] b[n − i],   ...

so that what several of them read is read once. Sums and differences of such products alone become part of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from linkwork.program.taylor import Plan, Step, reads

FEWEST, MOST = 4, 12  # sums in a loop: that do not wait for each other; that registers can hold
SIGNS = {"add": (1, 1), "sub": (1, -1), "neg": (-1,)}

Product: TypeAlias = tuple[int, int, int]  # a sign and two factors, the first one read upward


@dataclass(frozen=True, slots=True)
class Sweep:
    """A loop: its sums, each under the step that it is."""

    sums: Mapping[int, Sequence[Product]]


def schedule(plan: Plan, offset: int, *, shared: bool) -> list[int | Sweep]:
    """The steps of an offset in an order in which they can be made: that of the plan, unless loops are shared.

    Steps that became part of a sum are left out.
    """
    own = [i for i, step in enumerate(plan.steps) if step.op != "const" and step.offset == offset]
    if not shared:
        return [*own]
    level = _find_levels(plan.steps, own)
    found: list[int | Sweep] = []
    for depth in range(max(level.values(), default=0) + 1):
        here = [i for i in own if level[i] == depth]
        products = [i for i in here if plan.steps[i].op == "mul"]
        if len(products) < FEWEST:
            found += here if depth == 0 else [*products, *(i for i in here if i not in products)]
            continue
        sums = _find_sums(plan, here)
        inside = _find_inside(plan, sums)
        found += _make_sweeps(sums)
        found += [i for i in here if i not in sums and i not in inside]
    return found


def _find_levels(steps: Sequence[Step], own: Sequence[int]) -> dict[int, int]:
    """How many products are made before a step, one after another, itself included."""
    level: dict[int, int] = {}
    for i in own:
        before = max((level[arg] for arg in reads(steps[i]) if arg < i and arg in level), default=0)
        level[i] = before + (steps[i].op == "mul")
    return level


def _find_sums(plan: Plan, here: Collection[int]) -> dict[int, list[Product]]:
    """Products and sums of products alone, each with its products, that are not only part of another one."""
    steps, uses = plan.steps, Counter(arg for step in plan.steps for arg in reads(step))
    results = {s for group in plan.outputs.values() for s in group}
    sums: dict[int, list[Product]] = {}
    for i in here:
        step = steps[i]
        if step.op == "mul":
            a, b = step.args
            sums[i] = [(1, a, b)]
        elif step.op in SIGNS and all(arg in sums and _is_passing(steps, uses, results, arg) for arg in step.args):
            sums[i] = [
                (sign * own, a, b)
                for arg, own in zip(step.args, SIGNS[step.op], strict=True)
                for sign, a, b in sums[arg]
            ]
    whole = {i: made for i, made in sums.items() if not any(i in steps[j].args for j in sums)}
    # few sums would wait for their own products
    return whole if len(whole) >= FEWEST else {i: made for i, made in sums.items() if steps[i].op == "mul"}


def _is_passing(steps: Sequence[Step], uses: Counter[int], results: Collection[int], i: int) -> bool:
    """Whether nobody needs a step but the one that reads it."""
    return uses[i] == 1 and not steps[i].stored and i not in results


def _find_inside(plan: Plan, sums: Mapping[int, object]) -> set[int]:
    """The steps that became part of sums."""
    inside: set[int] = set()
    left = [arg for i in sums if plan.steps[i].op != "mul" for arg in plan.steps[i].args]
    while left:
        i = left.pop()
        inside.add(i)
        if plan.steps[i].op != "mul":
            left += plan.steps[i].args
    return inside


def _make_sweeps(sums: Mapping[int, Sequence[Product]]) -> list[Sweep]:
    """Loops of at most MOST sums."""
    count = -(-len(sums) // MOST)
    size = -(-len(sums) // count)
    names = list(sums)
    return [Sweep(_turn({i: sums[i] for i in names[first : first + size]})) for first in range(0, len(names), size)]


def _turn(sums: Mapping[int, Sequence[Product]]) -> dict[int, list[Product]]:
    """The same with the factors of each product in the order that needs fewer new reads."""
    up: set[int] = set()
    down: set[int] = set()
    turned: dict[int, list[Product]] = {}
    for i, products in sums.items():
        turned[i] = []
        for sign, a, b in products:
            straight, crossed = (a not in up) + (b not in down), (b not in up) + (a not in down)
            first, second = (a, b) if straight <= crossed else (b, a)
            up.add(first)
            down.add(second)
            turned[i].append((sign, first, second))
    return turned
