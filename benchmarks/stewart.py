"""The Stewart platform of `examples/stewart-bodies.yaml` by its points, as every version of linkwork reads it."""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path

LEGS, HEIGHT, ARM, HALF = 6, 1.1, 0.1, 0.5
SHIFT, ROUND, WIDE = pi / 15, 2 * pi / 3, 0.6

Place = list[float]


def find_ends() -> list[tuple[Place, Place]]:
    """The foot and the ball of each leg: feet in pairs 24 degrees wide on a circle, balls in pairs between them."""
    ends = []
    for i in range(LEGS):
        pair, side = i // 2, 1 if i % 2 else -1
        foot, ball = pair * ROUND + side * SHIFT, pair * ROUND + side * (pi / 3 - SHIFT)
        ends.append(([cos(foot), sin(foot), 0.0], [WIDE * cos(ball), WIDE * sin(ball), HEIGHT]))
    return ends


def lay_leg(i: int, foot: Place, ball: Place) -> tuple[dict[str, Place], str, str, str]:
    """Places of its points, its two parts, its joints and its servo."""
    length = sum((b - a) ** 2 for a, b in zip(foot, ball, strict=True)) ** 0.5
    x = [(b - a) / length for a, b in zip(foot, ball, strict=True)]
    level = (x[0] ** 2 + x[1] ** 2) ** 0.5
    z = [x[1] / level, -x[0] / level, 0.0]  # the first arm of the cross, at right angles to the leg and level
    y = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]]
    at = {
        f"T{i}": [a + HALF * c for a, c in zip(foot, x, strict=True)],
        f"U{i}": [a + ARM * c for a, c in zip(foot, y, strict=True)],
        f"R{i}": [b - HALF * c for b, c in zip(ball, x, strict=True)],
        f"B{i}": ball,
        f"W{i}": [b - HALF * c + ARM * d for b, c, d in zip(ball, x, y, strict=True)],
    }
    tube, rod = f"F{i}T{i}U{i}", f"R{i}B{i}W{i}"
    parts = (
        f"    {tube}: {{Geom: [[a], [0, h]], Dyna: [[a/2], m1, [i1, J1, J1]]}}\n"
        f"    {rod}: {{Geom: [[b], [0, h]], Dyna: [[b/2], m2, [i2, J2, J2]]}}\n"
    )
    joints = (
        f"    hook{i}: {{kind: universal, parts: [world, {tube}], point: F{i}, axes: [{z}, [0, 1, 0]]}}\n"
        f"    leg{i}: {{kind: prismatic, parts: [{tube}, {rod}], points: [T{i}, R{i}], axis: [1, 0, 0], "
        "reference: [0, 1, 0]}\n"
    )
    leg = f"F{i}B{i}"
    servo = f"    {leg}: {{force: 'k*({leg}.length - l0 - lift*sin(w*t + f{i})) + c*{leg}.rate'}}\n"
    return at, parts, joints, servo


def write_stewart(path: Path) -> None:
    """Six legs of two bodies each on universal joints, balls at the plate, a servo along every leg."""
    ends = find_ends()
    places: dict[str, Place] = {"C": [0.0, 0.0, HEIGHT], "D": [0.3, 0.0, HEIGHT]}
    parts = joints = servos = ""
    for i, (foot, ball) in enumerate(ends, 1):
        at, *words = lay_leg(i, foot, ball)
        places |= at
        parts, joints, servos = (a + b for a, b in zip((parts, joints, servos), words, strict=True))
    order = [2, 3, 4, 5, 6, 1]  # the third point of a part is above its x axis
    plate = "CD" + "".join(f"B{i}" for i in order)
    geometry = [[0.3], *(ends[i - 1][1][:2] for i in order)]
    feet = ", ".join(f"F{i}: {foot}" for i, (foot, _) in enumerate(ends, 1))
    positions = "".join(f"    {name}: {place}\n" for name, place in places.items())
    path.write_text(
        "Title: Stewart platform\n"
        "PhysicalParams: {M: 20, J: 1.2, m1: 2, m2: 1, a: 0.5, b: 0.5, h: 0.1, J1: m1*a**2/12, J2: m2*b**2/12, "
        "i1: 1e-3, i2: 5e-4, l0: 1.26459, k: 2e4, c: 400, lift: 0.08, w: 6, f1: 0, f2: 1, f3: 2, f4: 3, f5: 4, f6: 5}\n"
        "Dimension: 3\n"
        f"PartData:\n  Fixed: {{{feet}}}\n  Rigids:\n"
        f"    {plate}: {{Geom: {geometry}, Dyna: [[], M, [J, J, 2*J]]}}\n{parts}"
        f"  Dampers:\n{servos}"
        f"Connections:\n  Joints:\n{joints}"
        "AppliedForces: {Gravity: }\n"
        f"ProblemData:\n  tend: 2\n  positions:\n{positions}"
    )
