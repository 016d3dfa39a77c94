"""Derivatives as program transformations: nodes in, nodes out. Nothing is ever expanded.

forward    ẏ = Σ ∂y/∂x ẋ            one pass along the instructions
reverse    x̄ = Σ ȳ ∂y/∂x            one pass against them
jacobian   {(i, j): ∂yᵢ/∂xⱼ}        sparse: structural zeros are absent
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwork.program.builder import Builder
from linkwork.program.ops import LEAVES, OPS


def forward(b: Builder, outputs: Sequence[int], seeds: Mapping[int, int]) -> list[int]:
    """The directional derivatives of `outputs` when each node x in `seeds` moves at the rate seeds[x]."""
    rate = dict(seeds)
    for node in sorted(b.ancestors(outputs)):
        instruction = b.nodes[node]
        if node in rate or instruction.op in LEAVES:
            continue
        moving = [(i, rate[arg]) for i, arg in enumerate(instruction.args) if arg in rate]
        if not moving:
            continue
        partials = OPS[instruction.op].partials(b, node, instruction.args, instruction.value)
        terms = [b.mul(p, dx) for i, dx in moving if (p := partials[i]) is not None]
        total = b.total(terms)
        if total != b.zero:
            rate[node] = total
    return [rate.get(node, b.zero) for node in outputs]


def reverse(b: Builder, weights: Mapping[int, int], wrt: Sequence[int]) -> list[int]:
    """The gradient of Σ weights[y] · y with respect to the nodes `wrt`."""
    bar = dict(weights)
    # only nodes that lie between `wrt` and the outputs take part
    reach = _descendants(b, b.ancestors(weights), set(wrt))
    for node in sorted(reach, reverse=True):
        instruction = b.nodes[node]
        if node not in bar or instruction.op in LEAVES or node in set(wrt):
            continue
        partials = OPS[instruction.op].partials(b, node, instruction.args, instruction.value)
        for arg, partial in zip(instruction.args, partials, strict=True):
            if partial is not None and arg in reach:
                bar[arg] = b.add(bar.get(arg, b.zero), b.mul(bar[node], partial))
    return [bar.get(node, b.zero) for node in wrt]


def jacobian(b: Builder, outputs: Sequence[int], wrt: Sequence[int]) -> dict[tuple[int, int], int]:
    """The structurally nonzero entries ∂outputs[i]/∂wrt[j], by one reverse pass per output."""
    entries: dict[tuple[int, int], int] = {}
    for i, output in enumerate(outputs):
        for j, value in enumerate(reverse(b, {output: b.one}, wrt)):
            if value != b.zero:
                entries[i, j] = value
    return entries


def _descendants(b: Builder, among: set[int], roots: set[int]) -> set[int]:
    """The nodes of `among` that depend on a root (roots included)."""
    found = among & roots
    for node in sorted(among):
        if any(arg in found for arg in b.nodes[node].args):
            found.add(node)
    return found
