"""Branches of a tree: parts that hang on one another in, an instance of the kernel of each branch out."""

from __future__ import annotations

from collections.abc import Iterator

from linkwork.equations.branches import Shape, branch_kernel
from linkwork.equations.collect import Collector
from linkwork.equations.parts.pose import tensor
from linkwork.symbolic import Expr


def add_branches(f: Collector) -> None:
    """The inertia and weight of all parts that hang on one another, and how they move."""
    for parts in _branches(f):
        kernel = branch_kernel(Shape(f.dimension, *f.tree_of(parts)))
        carried = [f.carried[part] for part in parts]
        places = [*(i for each in carried for i in each.coordinates), *(i for each in carried for i in each.followers)]
        values = [x for part in parts for x in _numbers(f, part)]
        f.add(kernel, f.mechanism.find_rigid(parts[0]).ref, places, [*values, *f.gravity])


def _branches(f: Collector) -> Iterator[list[str]]:
    """The parts of a tree by what stands on the ground, each behind the one it hangs on."""
    found: dict[str, list[str]] = {}
    for part in f.holds:
        found.setdefault(f.path(part)[0], []).append(part)
    yield from found.values()


def _numbers(f: Collector, part: str) -> list[Expr]:
    """How a part hangs, its mass, mass centre and inertia."""
    rigid = f.mechanism.find_rigid(part)
    return [*f.holds[part].columns, rigid.mass, *f.carried[part].centre, *tensor(rigid)]
