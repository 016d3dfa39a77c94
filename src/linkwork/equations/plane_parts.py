"""Rigid parts in the plane: a Rigid in, instances of planar kernels out."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.equations import planar
from linkwork.equations.collect import Collector
from linkwork.equations.kernel import Contribution
from linkwork.equations.known import Known
from linkwork.equations.laws import Local, kernel_of, value_program
from linkwork.model import Rigid
from linkwork.symbolic import Expr, atan2


def add_plane_rigid(f: Collector, rigid: Rigid) -> None:
    """A body: its energy, the distance of its reference points, the places of its further points."""
    a, b, *others = rigid.points
    length = Known(abs(_side(f, rigid)), lambda: rigid.geometry[1][0])
    f.extent = max(f.extent, length)
    _add_body(f, rigid, length)
    _hold(f, rigid, length)
    for point, place in zip(others, rigid.geometry[2:], strict=True):
        if f.is_moving(point):
            names = [f"{point}{axis}_{a}{b}" for axis in f.axes]
            f.add(planar.placement, rigid.name, f.of(a, b, point), _zeta(f, rigid, place), names)


def _side(f: Collector, rigid: Rigid) -> complex:
    """The place of the second reference point, on the x axis; the first one is the origin."""
    return complex(*(f.number(x) for x in rigid.geometry[1]))


def _zeta(f: Collector, rigid: Rigid, place: Sequence[Expr]) -> list[float]:
    """ξ and η of a place, relative to the reference points."""
    zeta = complex(*(f.number(x) for x in place)) / _side(f, rigid)
    length = rigid.geometry[1][0]
    return [Known(zeta.real, lambda: place[0] / length), Known(zeta.imag, lambda: place[1] / length)]


def _add_body(f: Collector, rigid: Rigid, length: float) -> None:
    mass, inertia = f.number(rigid.mass), f.number(rigid.inertia[0])
    ends = rigid.points[:2]
    if (mass == 0.0 and inertia == 0.0) or not f.is_moving(*ends):
        return
    values = [*_zeta(f, rigid, rigid.centroid), length, mass, inertia, *f.gravity]
    f.add(planar.body, rigid.name, f.of(*ends), values)


def _hold(f: Collector, rigid: Rigid, length: float) -> None:
    """Keep the reference points apart; if a torque acts on the body, track its turn as well."""
    a, b = rigid.points[:2]
    if rigid.name in f.angles:
        names = [f"{axis}_{rigid.name}" for axis in f.axes]
        f.add(planar.turning, rigid.name, [*f.of(a, b), f.angles[rigid.name]], [length], names)
        (ax, ay), (bx, by) = (_LINE.place(p) for p in "ab")
        f.add_hint(rigid.name, value_program(_DIRECTION, atan2(by - ay, bx - ax)), [a, b])
    elif f.is_moving(a, b):
        f.add(planar.distance, rigid.name, f.of(a, b), [length], [f"l_{rigid.name}"])


_LINE = Local(2, "ab", ())
_DIRECTION = kernel_of("direction", _LINE.coordinates, (), Contribution())
