"""Laws that stay zero, and efforts on laws: how they go into rows and loads, by the slopes over what they name.

    f(A.x, OA.xx, OA.angle, ...) = 0     row = Σ ∂f/∂A.x e_x·v_A + Σ ∂f/∂(axis e) · (ω × e) + ∂f/∂angle ω

Joints of any kind are such laws over the quantities of their points and parts. Laws A u + b of speeds go the same way,
by their slopes over the speeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from linkwork.arrays import Floats
from linkwork.audit.bodies import cross
from linkwork.audit.laws import Laws
from linkwork.audit.layout import Layout, Loads, Rows
from linkwork.model import WORLD, Joint, Mechanism, find_kind
from linkwork.model.joints.kinds import TURN
from linkwork.model.joints.words import quantity_frame
from linkwork.model.laws import (
    INTEGRAL,
    OF_SPEED,
    PLACES,
    SPINS,
    Quantity,
    at_rest,
    flow_of,
    quantities,
    quantity_symbol_of,
)
from linkwork.symbolic import Expr, derivatives, substitute

Gap = tuple[str, Floats, str]
OnPoint = Callable[[str, Floats], None]
OnPart = Callable[[int, Floats], None]


def add_row(lay: Layout, laws: Laws, rows: Rows, label: str, law: Expr, rate: Floats | None = None) -> Gap:
    """The row of a law that stays zero, and how far it is off: as a length if it is about places."""
    row = rows.new(label, rate)
    size, places = np.zeros(lay.k), False
    for found, slope in _slopes(laws, law):
        places = places or bool(found.points)
        size = np.maximum(size, np.abs(slope))
        _spread(lay, laws, found, slope, lambda p, n: rows.point(row, p, n), lambda i, n: rows.spin(row, i, n))
    (value,) = laws.values([law])
    return label, np.abs(value) / np.where(size > 0, size, 1.0), "m" if places else "rad"


def measure_rate(laws: Laws, law: Expr) -> float:
    """The largest slope of a law of speeds, by which its row is divided."""
    return max((float(np.max(np.abs(slope), initial=0.0)) for _, slope in _slopes(laws, law)), default=0.0) or 1.0


def add_rate_row(lay: Layout, laws: Laws, rows: Rows, label: str, law: Expr) -> None:
    """The row of a law A u + b of speeds that stays zero, as large as a velocity: A V = −b."""
    size = measure_rate(laws, law)
    row = rows.new(label, -laws.values([at_rest(law)])[0] / size)
    for found, slope in _slopes(laws, law):
        _spread(lay, laws, found, slope / size, lambda p, n: rows.point(row, p, n), lambda i, n: rows.spin(row, i, n))


def add_effort(lay: Layout, laws: Laws, loads: Loads, law: Expr, value: Floats) -> Floats:
    """An effort along a law of places, or on one of speeds; returns its power."""
    for found, slope in _slopes(laws, law):
        _spread(lay, laws, found, slope * value, loads.push, loads.turn)
    return np.asarray(value * laws.values([flow_of(law)])[0])


def _slopes(laws: Laws, law: Expr) -> Iterator[tuple[Quantity, Floats]]:
    named, slopes = _derive(law)
    yield from zip(named, laws.values(slopes), strict=True)


@lru_cache(maxsize=4096)
def _derive(law: Expr) -> tuple[tuple[Quantity, ...], tuple[Expr, ...]]:
    """The quantities that a law names, of speeds if there are any, and its derivatives by them."""
    named = quantities(law)
    named = [(s, found) for s, found in named if found.what in OF_SPEED] or named  # a law of speeds is linear in them
    return tuple(found for _, found in named), tuple(derivatives(law, [s for s, _ in named]))


def _spread(lay: Layout, laws: Laws, found: Quantity, slope: Floats, point: OnPoint, part: OnPart) -> None:
    """A slope along a quantity or its rate, as something at points and parts."""
    if found.what in SPINS:
        i = lay.part[found.of]
        part(i, slope[:, None] * np.eye(3)[SPINS.index(found.what)])
        return
    found = Quantity(found.of, INTEGRAL.get(found.what, found.what))
    if found.what in PLACES:
        point(found.of, slope[:, None] * np.eye(lay.d)[PLACES.index(found.what)])
    elif found.what == "length":
        a, b = found.points
        along = slope[:, None] * laws.between(a, b)[0]
        point(b, along)
        point(a, -along)
    elif found.what == "angle":
        _turn(lay, found.of, slope, part)
    else:
        axis, component = (PLACES.index(c) for c in found.what)
        i = lay.part[found.of]
        e = lay.bodies.R[:, i, :, axis]
        n = np.broadcast_to(np.eye(lay.d)[component], e.shape)
        part(i, slope[:, None] * cross(e, n))  # n · (ω × e) = ω · (e × n)


def _turn(lay: Layout, name: str, slope: Floats, part: OnPart) -> None:
    if name in lay.part and lay.d == 2:
        part(lay.part[name], slope[:, None])
        return
    joint = lay.mechanism.find_joint(name)
    axis = joint_axis(lay.mechanism, lay, name)
    for each, sign in zip(joint.parts, (-1.0, 1.0), strict=True):
        if each != WORLD:
            part(lay.part[each], sign * slope[:, None] * axis)


def joint_axis(m: Mechanism, lay: Layout, name: str) -> Floats:
    """The axis of a joint in the world, of length 1, as its first part has it.   (k, 3)"""
    joint = m.find_joint(name)
    axis = np.array([m.compute(x) for x in joint.axes[0]])
    axis = axis / np.linalg.norm(axis)
    part = joint.parts[0]
    return np.tile(axis, (lay.k, 1)) if part == WORLD else np.asarray(lay.bodies.R[:, lay.part[part]] @ axis)


def tie_joint(m: Mechanism, lay: Layout, laws: Laws, rows: Rows, joint: Joint) -> Iterator[Gap]:
    """The conditions of a joint of any kind, and that it is on the right side."""
    kind = find_kind(m.dimension, joint.kind)
    assert kind is not None
    i, j = (quantity_frame(joint, side, m.dimension) for side in (0, 1))
    conditions = kind.conditions(i, j, joint.parameters)
    turn: dict[Expr, Expr] = {}
    if m.dimension == 3 and kind.turns and joint.name in lay.readings.turns:
        turn = {TURN: quantity_symbol_of(f"{joint.name}.angle")}
    label = f"joint {joint.name}"
    for law in conditions.zero:
        yield add_row(lay, laws, rows, label, substitute(law, turn) if turn else law)
    for value in laws.values([substitute(x, turn) if turn else x for x in conditions.positive.values()]):
        yield label, np.where(value > 0, 0.0, 1.0), "rad"
