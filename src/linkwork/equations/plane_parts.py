"""Rigid parts in the plane: a Rigid in, instances of planar kernels out."""

from __future__ import annotations

from linkwork.equations import planar
from linkwork.equations.collect import Collector
from linkwork.equations.kernel import Contribution
from linkwork.equations.laws import Local, kernel_of, value_program
from linkwork.model import Rigid
from linkwork.symbolic import atan2


def add_plane_rigid(f: Collector, rigid: Rigid) -> None:
    """A body: its energy, the distance of its reference points, the places of its further points."""
    a, b, *others = rigid.points
    local = [complex(*(f.number(x) for x in place)) for place in rigid.geometry]
    origin, side = local[0], local[1] - local[0]
    f.extent = max(f.extent, abs(side))
    _add_body(f, rigid, origin, side)
    _hold(f, rigid, abs(side))
    for point, place in zip(others, local[2:], strict=True):
        zeta = (place - origin) / side
        if f.is_moving(point):
            names = [f"{point}{axis}_{a}{b}" for axis in f.axes]
            f.add(planar.placement, rigid.name, f.of(a, b, point), [zeta.real, zeta.imag], names)


def _add_body(f: Collector, rigid: Rigid, origin: complex, side: complex) -> None:
    mass, inertia = f.number(rigid.mass), f.number(rigid.inertia[0])
    ends = rigid.points[:2]
    if (mass == 0.0 and inertia == 0.0) or not f.is_moving(*ends):
        return
    zeta = (complex(*(f.number(x) for x in rigid.centroid)) - origin) / side
    values = [zeta.real, zeta.imag, abs(side), mass, inertia, *f.gravity]
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
_DIRECTION = kernel_of("direction", _LINE, (), Contribution())
