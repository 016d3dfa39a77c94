"""Trees of links that several packages can build: data in, `lw.Tree` out. Joints turn about an axis of their parent."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import linkwork as lw

AXES = "xyz"


class Link(NamedTuple):
    """A link: the number of its parent (−1: the ground), "x", "y", "z" or "free", and numbers."""

    parent: int
    joint: str
    at: tuple[float, float, float]
    mass: float
    centre: tuple[float, float, float]
    inertia: tuple[float, float, float]


def arm() -> list[Link]:
    """Seven links on joints that turn about z and y in turns, as arms have them."""
    return [
        Link(i - 2, "zy"[i % 2], (0, 0, 0.3 if i > 1 else 0), 8.0 - i, (0, 0, 0.15), (0.05, 0.05, 0.01))
        for i in range(1, 8)
    ]


LIMBS = {"leg": "zxyyyx", "arm": "yxzyzyx"}


def humanoid() -> list[Link]:
    """A trunk that is free, two legs of six joints, two arms of seven, a head: 33 freedoms."""
    links = [Link(-1, "free", (0, 0, 0), 20.0, (0, 0, 0), (1.0, 1.2, 0.8))]

    def add_limb(axes: str, at: tuple[float, float, float]) -> None:
        parent = 0
        for i, axis in enumerate(axes):
            links.append(Link(parent, axis, at if i == 0 else (0, 0, -0.2), 2.0, (0, 0, -0.1), (0.02, 0.02, 0.01)))
            parent = len(links) - 1

    for y in (1, -1):
        add_limb(LIMBS["leg"], (0, 0.1 * y, -0.2))
        add_limb(LIMBS["arm"], (0, 0.2 * y, 0.4))
    add_limb("z", (0, 0, 0.5))
    return links


def chain(count: int, children: int = 1) -> list[Link]:
    """Links one after the other, or each with so many children: branch after branch, which Pinocchio needs."""
    body = 1.0, (0, 0, -0.1), (0.02, 0.02, 0.01)
    # numbers of links that are still to be placed, and of their parents, the next one last
    links, waiting = list[Link](), [(0, -1)]
    while waiting:
        number, parent = waiting.pop()
        links.append(Link(parent, "zyx"[number % 3], (0, 0, -0.2 if number else 0), *body))
        others = range(children * number + children, children * number, -1)
        waiting += [(other, len(links) - 1) for other in others if other < count]
    return links


def make_tree(links: list[Link], symbolic: bool = True) -> tuple[lw.Tree, dict[str, float]]:
    """The tree, whose masses, centres, lengths and inertias are parameters, and their values."""
    tree, bodies, values = lw.Tree("robot", gravity=9.81), [], {}

    def name(key: str, value: float) -> str | float:
        if symbolic and value:
            values[key] = value
            return key
        return value

    for i, l in enumerate(links):
        joint = {"translate": (1, 2, 3), "rotate": "123"} if l.joint == "free" else {"rotate": l.joint}
        inertia = [name(f"J{axis}{i}", x) for axis, x in zip(AXES, l.inertia, strict=True)]
        centre = [name(f"c{axis}{i}", x) for axis, x in zip(AXES, l.centre, strict=True)]
        at = [name(f"l{axis}{i}", x) for axis, x in zip(AXES, l.at, strict=True)]
        parent = {} if l.parent < 0 else {"parent": bodies[l.parent]}
        bodies.append(
            tree.add_body(
                f"B{i}", joint_at=at, mass=name(f"m{i}", l.mass), inertia=inertia, centre=centre, **joint, **parent
            )
        )
    return tree, values


def write_links(links: list[Link], path: Path) -> None:
    """A text for the peers: the count, then parent, kind of joint and numbers."""
    kinds = {"x": 0, "y": 1, "z": 2, "free": 3}
    rows = [" ".join(map(str, (l.parent, kinds[l.joint], *l.at, l.mass, *l.centre, *l.inertia))) for l in links]
    path.write_text("\n".join([str(len(links)), *rows]) + "\n")
