"""Branches of a tree: parts that hang on one another in, an instance of the kernel of each branch out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linkwork.equations.branches import Shape, branch_kernel
from linkwork.equations.collect import Collector
from linkwork.equations.parts.pose import tensor
from linkwork.equations.terms import Tie
from linkwork.symbolic import Expr
from linkwork.symbolic.vector import dot


def add_branches(f: Collector) -> None:
    """The inertia and weight of all parts that hang on one another, and how they move."""
    for parts in _branches(f):
        kernel = branch_kernel(Shape(f.dimension, *f.tree_of(parts)))
        carried = [f.carried[part] for part in parts]
        places = [*(i for each in carried for i in each.coordinates), *(i for each in carried for i in each.followers)]
        values = [x for part in parts for x in _numbers(f, part)]
        f.add(kernel, f.mechanism.find_rigid(parts[0]).ref, places, [*values, *f.gravity])
    for part in f.holds:
        _add_ties(f, part)


def _add_ties(f: Collector, part: str) -> None:
    """The followers of a part that its coordinates tell: its axes on a hinge, its travels on a moving part."""
    hold, carried, first, d = f.holds[part], f.carried[part], f.first_follower, f.dimension
    size = 0 if hold.make.turn == "none" else 2 if d == 2 else 9
    followers = [i - first for i in carried.followers]
    if hold.make.turn == "hinge":
        columns = [column for K in hold.axes for column in K]
        _add_tie(f, hold.parent, carried.coordinates[-1], followers[:size], columns)
    for k, axis in enumerate(() if hold.make.grounded else hold.travels):
        _add_tie(f, hold.parent, carried.coordinates[k], followers[size + d * k : size + d * k + d], [axis])


def _add_tie(
    f: Collector, parent: str | None, coordinate: int, followers: Sequence[int], columns: Sequence[Sequence[Expr]]
) -> None:
    """Directions in a part, as seen from the next one below that turns."""
    while parent is not None and f.holds[parent].make.turn == "none":
        rest, parent = f.holds[parent].rest, f.holds[parent].parent
        columns = [[dot(row, column) for row in rest] for column in columns]
    size, first = 2 if f.dimension == 2 else 9, f.first_follower
    axes = () if parent is None else tuple(i - first for i in f.carried[parent].followers[:size])
    places = np.array(f.formulas.places(x for column in columns for x in column), dtype=np.int64)
    f.ties.append(Tie(followers=tuple(followers), parent=axes, coordinate=coordinate, columns=places))


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
