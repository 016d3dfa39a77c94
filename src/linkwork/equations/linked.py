"""A tree of bodies in numbers: a Tree and the values of its parameters in, links out. Derives nothing.

A link has one joint: it turns about its own z or slides along it, turns as a ball does, or is free. A body of several
freedoms is several links, all but the last without mass; one that does not move belongs to its parent's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.model.convert import as_expr
from linkwork.model.tree import Tree, TreeBody
from linkwork.model.tree.inertia import find_composite_centre
from linkwork.model.values import compute_parameters
from linkwork.symbolic import Expr, ExprLike, Symbol, evaluate, free_symbols, substitute_all
from linkwork.vectors import Frame, components
from linkwork.vectors import Vector as Arrow
from linkwork.vectors.products import entries

TURN, SLIDE, BALL, FREE = range(4)
LINK = np.dtype(
    [
        ("parent", "i8"), ("kind", "i8"), ("place", "i8"), ("axes", "i8", 3), ("R", "f8", (3, 3)), ("r", "f8", 3),
        ("m", "f8"), ("h", "f8", 3), ("J", "f8", 6), ("c", "f8", 3),
    ]
)  # fmt: skip
ALIKE = 1e-12  # directions that are the axes of the ground
REMEDY = "Use tree.model(...).rhs(), which derives the equations"


class Mount(NamedTuple):
    """How a frame sits on a link (none: the ground): its axes over those of the link, by columns, and its origin."""

    link: int
    axes: Floats
    origin: Floats


class Linked(NamedTuple):
    """A tree as links, with the names of coordinates and speeds, gravity, and where its bodies are mounted."""

    links: Any
    names: tuple[str, ...]
    gravity: Floats
    mounts: dict[str, Mount]


def find_linked(tree: Tree, values: Mapping[str, Any]) -> Linked:
    """The links of a tree whose bodies do not change and that nothing but gravity pulls at."""
    _check(tree)
    given = {name: as_expr(value) for name, value in {**tree.values, **values}.items()}
    found, _ = compute_parameters(given)
    linking = _Linking(tree, found)
    links = linking.run()
    known = {*tree.used, *tree.values, *linking.read, *(s.name for s in free_symbols(*given.values()))}
    for name in values:
        if name not in known:
            raise InputError([Problem(what=f"no parameter named '{name}'", remedy=did_you_mean(name, known))])
    return links


def _check(tree: Tree) -> None:
    wrong = {
        "forces and moments": bool(tree.loads),
        "constraints": bool(tree.constraints or tree.velocity_constraints),
        "small quantities": bool(tree.small),
        "implicit variables": bool(tree.implicits),
    }
    found = [words for words, there in wrong.items() if there]
    if found:
        what = f"functions along the links cannot have {', '.join(found)}"
        raise InputError([Problem(part=f"tree '{tree.title}'", what=what, remedy=REMEDY)])


class _Linking:
    """How links are made, body by body."""

    def __init__(self, tree: Tree, values: Mapping[str, float]) -> None:
        self.tree, self.values = tree, values
        self.links: list[dict[str, Any]] = []
        self.mounts: dict[Frame, Mount] = {tree.ground: Mount(-1, np.eye(3), np.zeros(3))}
        self.count = 0
        self.read = set[str]()  # names of parameters

    def run(self) -> Linked:
        tree = self.tree
        for body in tree.bodies:
            self._add(body)
        links = np.zeros(len(self.links), LINK)
        for row, one in zip(links, self.links, strict=True):
            for key, value in one.items():
                row[key] = value if key != "J" else value[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        names = [f.coordinate.name for f in tree.freedoms] + [f.speed.name for f in tree.freedoms]
        gravity = self._numbers(components(tree.gravity, tree.ground), "gravity") if tree.gravity else np.zeros(3)
        mounts = {frame.name: mount for frame, mount in self.mounts.items()}
        return Linked(links, tuple(names), gravity, mounts)

    def _numbers(self, exprs: Sequence[Expr], what: str) -> Floats:
        names = {s.name for s in free_symbols(*exprs)}
        self.read |= names
        if unknown := names - self.values.keys():
            name = sorted(unknown)[0]
            raise InputError([Problem(part=what, what=f"it depends on {name}, which has no value", remedy=REMEDY)])
        return np.array([evaluate(x, self.values) for x in exprs], dtype=np.float64)

    def _add(self, body: TreeBody) -> None:
        parent = body.parent
        assert parent is not None
        under = self.mounts[parent]
        slides = [f.coordinate for f in body.freedoms if f.kind == "translation"]
        joint, directions = self._shift(body, parent, slides)
        part = f"body '{body.name}'"
        triad = np.array([self._numbers(components(axis, parent), part) for axis in body.unturned]).T
        at, rest = under.origin + under.axes @ joint, under.axes @ triad
        if body.drift is not None:
            self.mounts[body] = self._free(body, at, rest, directions)
        else:
            self.mounts[body] = self._jointed(body, under, at, rest, [under.axes @ d for d in directions])
        self._add_mass(body, self.mounts[body])

    def _shift(self, body: TreeBody, parent: Frame, slides: Sequence[Symbol]) -> tuple[Floats, list[Floats]]:
        """Where the joint is in the parent, and the directions of sliding."""
        shift, part = components(body.shift, parent), f"joint of '{body.name}'"
        none: dict[Expr, ExprLike] = dict.fromkeys(slides, 0)
        start = self._numbers(substitute_all(shift, none), part)
        found = [self._numbers(substitute_all(shift, none | {q: 1}), part) - start for q in slides]
        return start, found

    def _link(self, parent: int, kind: int, R: Floats, r: Floats, wide: int, **more: Any) -> int:
        nothing = {"m": 0.0, "h": np.zeros(3), "J": np.zeros((3, 3))}
        self.links.append(nothing | {"parent": parent, "kind": kind, "place": self.count, "R": R, "r": r} | more)
        self.count += wide
        return len(self.links) - 1

    def _free(self, body: TreeBody, at: Floats, rest: Floats, directions: list[Floats]) -> Mount:
        """A free body: its link has its axes, and its origin where its composite's mass centre is."""
        part = f"body '{body.name}'"
        if not np.allclose(directions, np.eye(3), rtol=0, atol=ALIKE):
            raise InputError([Problem(part=part, what="it slides along other directions than x, y, z", remedy=REMEDY)])
        centre: Arrow = find_composite_centre(body)
        c = self._numbers(components(centre, body), part)
        link = self._link(-1, FREE, rest, at, 6, axes=body.sequence, c=c)
        return Mount(link, np.eye(3), -c)

    def _jointed(self, body: TreeBody, under: Mount, at: Floats, rest: Floats, directions: list[Floats]) -> Mount:
        # axes over those of the parent's link, as long as nothing moves; the joint is the origin of the first link
        link, axes = under.link, np.eye(3)
        for d in directions:
            new = _with_z(d)
            link = self._link(link, SLIDE, axes.T @ new, at, 1)
            axes, at = new, np.zeros(3)
        if len(body.sequence) == 3 and self.tree.speed_choice == "body":
            link = self._link(link, BALL, axes.T @ rest, axes.T @ at, 3, axes=body.sequence)
            return Mount(link, np.eye(3), np.zeros(3))
        turned = axes.T @ rest
        for k in body.sequence:
            order = np.eye(3)[:, [(k + 1) % 3, (k + 2) % 3, k]]
            link = self._link(link, TURN, turned @ order, at, 1)
            turned, at = order.T, np.zeros(3)
        if body.turning is not body:
            rows = [self._numbers(components(axis, body), f"body '{body.name}'") for axis in body.turning.axes]
            turned = turned @ np.array(rows)
        return Mount(link, turned, at)

    def _add_mass(self, body: TreeBody, mount: Mount) -> None:
        if mount.link < 0:
            return
        part = f"body '{body.name}'"
        (m,) = self._numbers([body.mass], part)
        if m < 0:
            raise InputError([Problem(part=part, what=f"its mass is {m:g}", remedy="Give a mass that is not negative")])
        c = mount.origin + mount.axes @ self._numbers(components(body.centre.offset, body), part)
        J = self._numbers([x for row in entries(body.inertia, body) for x in row], part).reshape(3, 3)
        link = self.links[mount.link]
        link["m"] += m
        link["h"] = link["h"] + m * c
        link["J"] = link["J"] + mount.axes @ J @ mount.axes.T + m * (c @ c * np.eye(3) - np.outer(c, c))


def _with_z(d: Floats) -> Floats:
    """A frame whose z is a direction, by columns."""
    z = d / np.linalg.norm(d)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
