"""Rigid parts in the plane: a Rigid in, instances of planar kernels out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from linkwork.equations.collect import Collector, keep
from linkwork.equations.kernel import Contribution
from linkwork.equations.kernels import planar
from linkwork.equations.kinematics import Local
from linkwork.equations.laws import kernel_of, value_program
from linkwork.equations.parts.standing import with_fixed_first
from linkwork.model import Rigid
from linkwork.symbolic import Expr, atan2


def add_plane_rigid(f: Collector, rigid: Rigid) -> None:
    """A body: its energy, the distance of its reference points, the places of its further points."""
    owner = rigid.ref
    f.reach(_length(rigid))
    standing = with_fixed_first(f, rigid)
    a, b, *others = standing.points
    _add_body(f, standing)
    if rigid.name in f.angles:
        _track(f, rigid)
    elif f.is_moving(a, b):
        rows = keep(owner, {f"l_{rigid.name}": "length"})
        f.add_on(planar.distance, owner, [a, b], [_length(standing)], rows)
    for point, place in zip(others, standing.geometry[2:], strict=True):
        # a fixed point holds the body, unless one of the first two does already
        if f.is_moving(point) or (f.is_moving(a) and f.is_moving(b)):
            rows = keep(owner, {f"{point}{axis}_{a}{b}": "place" for axis in f.axes})
            f.add_on(planar.placement, owner, [a, b, point], _zeta(standing, place), rows)


def _length(rigid: Rigid) -> Expr:
    """How far apart the reference points are: the first is the origin, the second on the x axis."""
    return rigid.geometry[1][0]


def _zeta(rigid: Rigid, place: Sequence[Expr]) -> list[Expr]:
    """ξ and η of a place, relative to the reference points."""
    return [_over(x, _length(rigid)) for x in place]


@lru_cache(maxsize=256)
def _over(x: Expr, length: Expr) -> Expr:
    return x / length  # many parts are alike


def _add_body(f: Collector, rigid: Rigid) -> None:
    mass, inertia = rigid.mass, rigid.inertia[0]
    ends = rigid.points[:2]
    if f.formulas.is_zero(mass, inertia):
        return
    values = [*_zeta(rigid, rigid.centroid), _length(rigid), mass, inertia, *f.gravity]
    f.add_on(planar.body, rigid.ref, ends, values)


def _track(f: Collector, rigid: Rigid) -> None:
    """Keep the reference points apart and track the turn of the body."""
    (a, b), owner = rigid.points[:2], rigid.ref
    rows = keep(owner, {f"{axis}_{rigid.name}": "turn" for axis in f.axes})
    f.add_on(planar.turning, owner, [a, b], [_length(rigid)], rows, [rigid.name])
    (ax, ay), (bx, by) = (_LINE.place(p) for p in "ab")
    f.add_hint(rigid.name, value_program(_DIRECTION, atan2(by - ay, bx - ax)), [a, b])


_LINE = Local(2, "ab", ())
_DIRECTION = kernel_of("direction", _LINE.coordinates, (), Contribution())
