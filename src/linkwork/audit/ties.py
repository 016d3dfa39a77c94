"""Ties: pins, fixed points, lines, planes, joints and drivers of a description. Readings in, gaps and rows out.

A gap says how far a tie is open; a row over the velocities of the parts is what the tie forbids, and the directions in
which its force may act.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linkwork.arrays import Floats
from linkwork.audit.bodies import cross
from linkwork.audit.laws import Laws
from linkwork.audit.layout import Layout, Rows
from linkwork.audit.readings import ROUNDING
from linkwork.audit.relations import Gap, add_rate_row, add_row, joint_axis, tie_joint
from linkwork.audit.rolling import tie_edges, tie_rollings
from linkwork.model import WORLD, Joint, Mechanism
from linkwork.model.laws import TIME, law_rate, speeds_in
from linkwork.symbolic import differentiate


def tie(m: Mechanism, layout: Layout, laws: Laws, rows: Rows) -> list[Gap]:
    """All ties: their gaps, with their rows added to `rows`."""
    _pin(m, layout, rows)
    gaps = [*_fixed(m, layout), *_lines(m, layout, rows), *_planes(m, layout, rows)]
    for joint in m.joints:
        known = m.dimension == 3 and (joint.kind in KINDS or joint.kind in ("spherical", "universal"))
        gaps.extend(_joint(m, layout, rows, joint) if known else tie_joint(m, layout, laws, rows, joint))
    for relation in m.relations:
        rate = -laws.values([differentiate(relation.formula, TIME)])[0]
        gaps.append(add_row(layout, laws, rows, f"relation {relation.name}", relation.formula, rate))
    for held in m.velocity_constraints:
        add_rate_row(layout, laws, rows, f"velocity {held.name}", held.formula)
    gaps += tie_rollings(m, layout, rows)
    tie_edges(m, layout, rows)
    return [*gaps, *_drivers(m, layout, laws, rows), *_turns(m, layout)]


def _axes(layout: Layout) -> list[Floats]:
    return [np.broadcast_to(axis, (layout.k, layout.d)) for axis in np.eye(layout.d)]


def _pin(m: Mechanism, lay: Layout, rows: Rows) -> None:
    """Parts that have a point in common move alike there; a fixed point does not move."""
    axes = _axes(lay)
    for point, owners in lay.owners.items():
        fixed = point in m.fixed
        for part in owners if fixed else owners[1:]:
            for axis in axes:
                row = rows.new(f"point {point}")
                rows.point(row, point, axis, part)
                if not fixed:
                    rows.point(row, point, -axis)


def _fixed(m: Mechanism, lay: Layout) -> Iterator[Gap]:
    for point in m.fixed:
        if point in lay.readings.points:
            place = np.array([m.compute(x) for x in m.fixed[point]])
            yield f"fixed point {point}", np.linalg.norm(lay.readings.at(point) - place, axis=1), "m"


# -- lines and planes --------------------------------------------------------------------------------------------------


def _lines(m: Mechanism, lay: Layout, rows: Rows) -> Iterator[Gap]:
    """c = a + s (b − a): the velocity across the line follows that of a and b."""
    for line in m.collinears:
        a, b = _base(lay, line.points)
        along, length = Laws(m, lay.readings, lay.bodies).between(a, b)
        for c in line.points:
            if c in (a, b):
                continue
            d = lay.readings.at(c) - lay.readings.at(a)
            s = np.sum(d * along, axis=1)
            off = d - s[:, None] * along
            share = (s / np.where(length > 0, length, 1.0))[:, None]
            for across in _across(along):
                row = rows.new(f"line {line.name}")
                rows.point(row, c, across)
                rows.point(row, a, -(1 - share) * across)
                rows.point(row, b, -share * across)
            yield f"line {line.name}", np.linalg.norm(off, axis=1), "m"


def _base(lay: Layout, points: Sequence[str]) -> tuple[str, str]:
    """The two points of a line that come least close to each other."""
    pairs = [(a, b) for i, a in enumerate(points) for b in points[i + 1 :]]
    nearest = [float(np.min(np.linalg.norm(lay.readings.at(a) - lay.readings.at(b), axis=1))) for a, b in pairs]
    return pairs[int(np.argmax(nearest))]


def _across(along: Floats) -> list[Floats]:
    """Directions across one: one in the plane, three that span two in space."""
    if along.shape[1] == 2:
        return [np.stack([-along[:, 1], along[:, 0]], axis=1)]
    return [axis - along * along[:, [i]] for i, axis in enumerate(np.eye(3))]


def _planes(m: Mechanism, lay: Layout, rows: Rows) -> Iterator[Gap]:
    """d = a + s (b − a) + r (c − a): the velocity out of the plane follows that of a, b, c."""
    for plane in m.coplanars:
        a, b, c, *others = plane.points
        A, B, C = (lay.readings.at(p) for p in (a, b, c))
        normal = cross(B - A, C - A)
        square = np.sum(normal * normal, axis=1)
        unit = normal / np.sqrt(np.where(square > 0, square, 1.0))[:, None]
        for point in others:
            d = lay.readings.at(point) - A
            s = np.sum(cross(d, C - A) * normal, axis=1) / np.where(square > 0, square, 1.0)
            r = np.sum(cross(B - A, d) * normal, axis=1) / np.where(square > 0, square, 1.0)
            row = rows.new(f"plane {plane.name}")
            for p, share in ((point, np.ones_like(s)), (a, s + r - 1), (b, -s), (c, -r)):
                rows.point(row, p, share[:, None] * unit)
            yield f"plane {plane.name}", np.abs(np.sum(unit * d, axis=1)), "m"


# -- joints ------------------------------------------------------------------------------------------------------------


def _joint(m: Mechanism, lay: Layout, rows: Rows, joint: Joint) -> Iterator[Gap]:
    """What a kind of joint forbids: (points, axes across, turn about the axis)."""
    p1, p2 = (lay.readings.at(p) for p in joint.points)
    d = p2 - p1
    label = f"joint {joint.name}"
    if joint.kind == "spherical":
        _hold_points(lay, rows, joint, list(np.eye(3)))
        yield label, np.linalg.norm(d, axis=1), "m"
        return
    z1, z2 = joint_axis(m, lay, joint.name), _direction(m, lay, joint, 1, joint.axes)
    x1, x2 = _reference(m, lay, joint, 0), _reference(m, lay, joint, 1)
    across, vague = _across(z1), _vague(lay, [part for part in joint.parts if part != WORLD])
    if joint.kind == "universal":
        _hold_points(lay, rows, joint, list(np.eye(3)))
        _hold_turns(lay, rows, joint, [cross(z1, z2)])
        yield label, np.linalg.norm(d, axis=1), "m"
        yield label, np.maximum(np.abs(np.sum(z1 * z2, axis=1)) - vague, 0.0), "rad"
        return
    along = np.sum(d * z1, axis=1)
    gaps = {
        "across": np.linalg.norm(d - along[:, None] * z1, axis=1),
        "along": np.abs(along),
        "all": np.linalg.norm(d, axis=1),
    }
    points, turns = KINDS[joint.kind]
    directions = {"across": across, "along": [z1], "all": list(np.eye(3))}
    _hold_points(lay, rows, joint, directions[points])
    _hold_turns(lay, rows, joint, directions[turns])
    yield label, gaps[points], "m"
    yield label, np.maximum(np.linalg.norm(z2 - z1, axis=1) - vague, 0.0), "rad"
    if turns == "all":
        yield label, np.maximum(np.linalg.norm(x2 - x1, axis=1) - vague, 0.0), "rad"


# which relative velocities of the points and which relative turns a joint with parallel axes forbids
KINDS = {
    "revolute": ("all", "across"),
    "cylindrical": ("across", "across"),
    "prismatic": ("across", "all"),
    "planar": ("along", "across"),
    "fixed": ("all", "all"),
}


def _direction(m: Mechanism, lay: Layout, joint: Joint, i: int, of: Sequence[Sequence[object]]) -> Floats:
    """The i-th of two directions given in the frames of the parts, in the world, of length 1.   (k, 3)"""
    local = np.array([m.compute(x) for x in of[i]])  # type: ignore[arg-type]
    local = local / np.linalg.norm(local)
    part = joint.parts[i]
    return np.tile(local, (lay.k, 1)) if part == WORLD else np.asarray(lay.bodies.R[:, lay.part[part]] @ local)


def _reference(m: Mechanism, lay: Layout, joint: Joint, i: int) -> Floats:
    """A reference made perpendicular to its own axis."""
    x, z = _direction(m, lay, joint, i, joint.references), _direction(m, lay, joint, i, joint.axes)
    x = x - np.sum(x * z, axis=1, keepdims=True) * z
    size = np.linalg.norm(x, axis=1, keepdims=True)
    return np.asarray(x / np.where(size > 0, size, 1.0))


def _hold_points(lay: Layout, rows: Rows, joint: Joint, directions: Sequence[Floats]) -> None:
    """The second point moves as what is at its place on the first part."""
    one, two = joint.parts
    place = lay.readings.at(joint.points[1])
    for direction in directions:
        row, n = rows.new(f"joint {joint.name}"), np.broadcast_to(direction, (lay.k, 3))
        if two != WORLD:
            rows.place(row, lay.part[two], place, n)
        if one != WORLD:
            rows.place(row, lay.part[one], place, -n)


def _hold_turns(lay: Layout, rows: Rows, joint: Joint, directions: Sequence[Floats]) -> None:
    """Both parts turn alike about some axes."""
    for direction in directions:
        row, n = rows.new(f"joint {joint.name}"), np.broadcast_to(direction, (lay.k, 3))
        for part, sign in zip(joint.parts, (-1.0, 1.0), strict=True):
            if part != WORLD:
                rows.spin(row, lay.part[part], sign * n)


# -- drivers and turns -------------------------------------------------------------------------------------------------


def _drivers(m: Mechanism, lay: Layout, laws: Laws, rows: Rows) -> Iterator[Gap]:
    if not m.motions:
        return
    rates = laws.values([law_rate(motion.law) for motion in m.motions])
    for motion, rate in zip(m.motions, rates, strict=True):
        meant, label = m.meaning(motion.target), f"motion {motion.target}"
        if speeds_in(meant):
            add_rate_row(lay, laws, rows, label, meant - motion.law)
        else:
            yield add_row(lay, laws, rows, label, meant - motion.law, rate)


def _turns(m: Mechanism, lay: Layout) -> Iterator[Gap]:
    """Turn angles are those of the parts, and their rates the angular velocities."""
    for name, (angle, _) in lay.readings.turns.items():
        parts = [name] if m.dimension == 2 else [part for part in m.find_joint(name).parts if part != WORLD]
        if m.dimension == 2:
            R = lay.bodies.R[:, lay.part[name]]
            cosine, sine = R[:, 0, 0], R[:, 1, 0]
        else:
            joint = m.find_joint(name)
            x1, x2 = _reference(m, lay, joint, 0), _reference(m, lay, joint, 1)
            cosine = np.sum(x1 * x2, axis=1)
            sine = np.sum(cross(joint_axis(m, lay, name), x1) * x2, axis=1)
        gap = np.hypot(cosine - np.cos(angle), sine - np.sin(angle))
        yield f"angle of {name}", np.maximum(gap - _vague(lay, parts), 0.0), "rad"


def _vague(lay: Layout, parts: Sequence[str]) -> float:
    """By how much the directions of short parts are off where places are off by rounding [rad]."""
    shortest = min(float(lay.bodies.drawn[lay.part[part]]) for part in parts)
    return ROUNDING * max(0.0, lay.readings.size / shortest - 1.0) if shortest > 0.0 else 0.0
