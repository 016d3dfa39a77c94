"""A tree of bodies as a mechanism: bodies with frames, joints between them, forces and moments as laws.

What a tree says by coordinates, a mechanism says by quantities of its joints: the angle and travel of one that turns
and slides. Where a mechanism has no joint or no quantity for what a tree says, that is an error in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from linkwork.model.bodies import Body, Frame
from linkwork.model.connections import Joint
from linkwork.model.convert import Scalar, as_expr
from linkwork.model.joints.words import RATE
from linkwork.model.laws import Force, Moment, Relation, VelocityConstraint, quantity_or_word
from linkwork.model.mechanism import Mechanism
from linkwork.model.start import InitialValues
from linkwork.model.tree import ENTRIES, Freedom, Load, Tree, TreeBody, rate_symbol
from linkwork.model.tree.inertia import find_composite_centre
from linkwork.model.values import compute_parameters
from linkwork.symbolic import ONE, ZERO, Expr, Number, Symbol, add, differentiate, evaluate, free_symbols, substitute
from linkwork.vectors import Frame as Triad
from linkwork.vectors import (
    Point,
    Vector,
    VectorError,
    components,
    cross,
    dot,
    entries,
    is_constant,
    nominal,
    position,
    velocity,
)
from linkwork.vectors.products import CYCLES

WORLD: Final = "world"
Axes = Sequence[Vector]
# kinds of joints by how many translations and rotations they leave
KINDS = {
    (0, 0): "fixed", (0, 1): "revolute", (1, 0): "prismatic", (1, 1): "cylindrical", (2, 1): "planar",
    (0, 2): "universal", (0, 3): "spherical", (3, 3): "",
}  # fmt: skip
# three points of a body tell where it is and how it is turned
MARKS: Final = {"o": (0, 0, 0), "ox": (1, 0, 0), "oy": (0, 1, 0)}


def make_mechanism(
    tree: Tree, values: Mapping[str, Any], start: Mapping[str, Any], t0: Scalar = 0, tend: Scalar | None = None
) -> Mechanism:
    """The mechanism of a tree; `start` has coordinates and, with a prime, their rates."""
    frames: dict[str, dict[str, Frame]] = {WORLD: {}}
    frames |= {body.name: {name: Frame(at) for name, at in MARKS.items()} for body in tree.bodies}
    joints, meanings = [], dict[Expr, Expr]()
    for body in tree.bodies:
        kind = _find_kind(body)
        if kind:
            joints.append(_join(body, kind, frames))
        meanings |= _meanings(tree, body, kind)
    laws = _Laws(tree, meanings)
    forces = [force for load in tree.loads for force in laws.forces(load, frames)]
    moments = [moment for load in tree.loads for moment in laws.moments(load)]
    given = {**tree.values, **values}
    return Mechanism(
        title=tree.title, dimension=3, parameters=given, gravity=components(tree.gravity, tree.ground),
        bodies=[*(_body(body, frames[body.name]) for body in tree.bodies), Body(WORLD, frames=frames[WORLD])],
        joints=joints, forces=forces, moments=moments,
        relations=[Relation(name=n, formula=laws.told(x, f"constraint '{n}'")) for n, x in tree.constraints.items()],
        velocity_constraints=[
            VelocityConstraint(name=n, formula=laws.told(x, f"velocity constraint '{n}'"))
            for n, x in tree.velocity_constraints.items()
        ],
        variables={name: x for name, output in tree.outputs.items() if (x := laws.known(output.expr)) is not None},
        inputs=tree.inputs, start=_start(tree, given, start, t0, tend),
    )  # fmt: skip


# -- bodies and joints -------------------------------------------------------------------------------------------------


def _body(body: TreeBody, frames: Mapping[str, Frame]) -> Body:
    J = entries(body.inertia, body)
    diagonal, others = [J[i][i] for i in range(3)], [J[i][j] for i, j in ENTRIES if i != j]
    centre = components(body.centre.offset, body)
    return Body(body.name, mass=body.mass, centre=centre, inertia=[*diagonal, *others], frames=frames)


def joint_of(body: TreeBody) -> str:
    """What the joint is called that a body hangs on its parent by."""
    return f"{body.name}_joint"


def _find_kind(body: TreeBody) -> str:
    """The kind of joint between a body and its parent; none if it is free."""
    slides, axes = _lines(body), _axes(body)
    kind = KINDS.get((len(slides), len(axes)))
    if kind == "cylindrical" and cross(slides[0], axes[0]):
        kind = None
    if kind == "planar" and any(dot(line, axes[0]) is not ZERO for line in slides):
        kind = None
    if kind is None:
        what = f"body '{body.name}': no joint leaves it {len(slides)} translations and {len(axes)} rotations as here"
        raise VectorError(what, "Put another body with mass between")
    if body.mass is ZERO:
        raise VectorError(f"body '{body.name}' has no mass", "A mechanism is made of bodies with mass")
    return kind


def _lines(body: TreeBody) -> list[Vector]:
    """The directions along which it slides, over the axes of its parent."""
    found = (f.coordinate for f in body.freedoms if f.kind == "translation")
    return [body.shift.mapped(lambda c, q=q: differentiate(c, q)) for q in found]  # type: ignore[misc]


def _axes(body: TreeBody) -> list[Vector]:
    """What it turns about; of three turns its own axes."""
    speeds = [f.speed for f in body.freedoms if f.kind == "rotation"]
    return [body.spin.mapped(lambda c, u=u: differentiate(c, u)) for u in speeds]  # type: ignore[misc]


def _join(body: TreeBody, kind: str, frames: dict[str, dict[str, Frame]]) -> Joint:
    parent, (before, after) = _parent(body), _sides(body, kind)
    place = body.shift - sum((q * d for q, d in zip(_places(body), _lines(body), strict=True)), Vector({}))
    frames[_part(parent)][f"to_{body.name}"] = _frame(parent, place, before)
    frames[body.name]["joint"] = _frame(body, Vector({}), after)
    ends = (f"{_part(parent)}.to_{body.name}", f"{body.name}.joint")
    return Joint(name=joint_of(body), kind=kind, frames=ends)


def _sides(body: TreeBody, kind: str) -> tuple[Axes, Axes]:
    """The z axes and, where they matter, x axes of a joint in the parent and in the body."""
    rows, axes = [nominal(row) for row in body.rows], _axes(body)  # rows: its axes before it turns
    if kind == "universal":
        return axes[:1], axes[1:]
    if kind == "prismatic":
        return _lines(body), _lines(body)
    if kind == "planar":
        along = _lines(body)[0]  # what it slides along first, in the parent and in the body before it turns
        own = sum((dot(along, row) * axis for row, axis in zip(rows, body.axes, strict=True)), Vector({}))
        return [axes[0], along], [axes[0], own]
    if body.turning is not body:
        return [body.unturned[2], body.unturned[0]], [body.turning.z, body.turning.x]
    k = body.axes.index(next(iter(axes[0].terms))) if len(axes) == 1 else 2
    i = CYCLES[k][0]
    return [rows[k], rows[i]], [body.axes[k], body.axes[i]]


def _frame(owner: Triad, place: Vector, axes: Axes) -> Frame:
    z, x = (*(components(axis, owner) for axis in axes), ())[:2]
    return Frame(components(place, owner), z=z, x=x)


def _places(body: TreeBody) -> list[Expr]:
    return [f.coordinate for f in body.freedoms if f.kind == "translation"]


def _parent(body: TreeBody) -> Triad:
    assert body.parent is not None
    return body.parent


def _part(frame: Triad) -> str:
    return WORLD if frame.parent is None else frame.name


def _meanings(tree: Tree, body: TreeBody, kind: str) -> dict[Expr, Expr]:
    """What coordinates and speeds are by quantities of a joint or, of what turns any way, of the body."""
    slides, turns = (_of_kind(body, what) for what in ("translation", "rotation"))
    found = _slide(body, kind, slides) if kind else _float(tree, body, slides)
    if kind in ("revolute", "cylindrical", "planar"):
        found |= _means(turns[0], *(_of_joint(body, word) for word in ("angle", "omega")))
    elif len(turns) == 3 and tree.speed_choice == "body":
        found |= {f.speed: w for f, w in zip(turns, _spin(body), strict=True)}
    return found


def _of_kind(body: TreeBody, kind: str) -> list[Freedom]:
    return [freedom for freedom in body.freedoms if freedom.kind == kind]


def _means(freedom: Freedom, place: Expr, rate: Expr) -> dict[Expr, Expr]:
    """What a coordinate and its rate are, where the speed is this rate."""
    return {freedom.coordinate: place, freedom.speed: rate, rate_symbol(freedom.coordinate): rate}


def _of_joint(body: TreeBody, word: str) -> Symbol:
    return quantity_or_word(f"{joint_of(body)}.{word}")


def _slide(body: TreeBody, kind: str, slides: list[Freedom]) -> dict[Expr, Expr]:
    """Travels of a joint: along its axis, or in the plane across it."""
    if kind == "planar":
        # along = q1 + q2 c and across = q2 s, with the cosine and sine of the angle between both lines
        first, second = _lines(body)
        c, s = dot(first, second), dot(cross(first, second), _axes(body)[0])
        places, rates = ([_of_joint(body, f"{w}{end}") for w in ("along", "across")] for end in ("", RATE))
        solved = [(x - y * c / s, y / s) for x, y in (places, rates)]
        pairs = zip(slides, *solved, strict=True)
        return {name: x for freedom, place, rate in pairs for name, x in _means(freedom, place, rate).items()}
    # a shaft may slide against the direction that it turns about
    sign = dot(_lines(body)[0], _axes(body)[0]) if kind == "cylindrical" else ONE
    words = [sign * _of_joint(body, word) for word in ("travel", "speed")]
    return {name: x for freedom in slides for name, x in _means(freedom, *words).items()}


def _float(tree: Tree, body: TreeBody, slides: list[Freedom]) -> dict[Expr, Expr]:
    """Of a body free on the ground: its place, and the speeds of the tree's choice."""
    if body.parent is not tree.ground or any(c is not ONE for line in _lines(body) for c in line.terms.values()):
        return {}
    origin = [[_of_body(body, f"o.{v}{c}") for c in "xyz"] for v in ("", "v")]
    at = [tree.ground.axes.index(next(iter(line.terms))) for line in _lines(body)]
    found: dict[Expr, Expr] = {}
    for freedom, i in zip(slides, at, strict=True):
        found |= _means(freedom, origin[0][i], origin[1][i])
    if tree.speed_choice == "body":
        # v of the composite's centre, in the axes of the body: v of the origin + ω × r
        w, r = _spin(body), components(find_composite_centre(body), body)
        for freedom, axis, (i, j, _) in zip(slides, body.axes, CYCLES.values(), strict=True):
            along = add(*(v * e for v, e in zip(origin[1], _in_world(axis), strict=True)))
            found[freedom.speed] = along + w[i] * r[j] - w[j] * r[i]
    return found


def _spin(body: TreeBody) -> list[Expr]:
    """Its angular velocity against its parent, in its own axes."""
    parent = _parent(body)
    w = [_of_body(body, f"w{c}") - (ZERO if parent.parent is None else _of_body(parent, f"w{c}")) for c in "xyz"]
    return [add(*(x * e for x, e in zip(w, _in_world(axis), strict=True))) for axis in body.axes]


def _of_body(body: Triad, word: str) -> Symbol:
    return quantity_or_word(f"{body.name}.{word}")


# -- laws --------------------------------------------------------------------------------------------------------------


class _Laws:
    """What a tree says of coordinates as laws of a mechanism."""

    def __init__(self, tree: Tree, meanings: Mapping[Expr, Expr]) -> None:
        self.tree, self.meanings = tree, meanings

    def known(self, expr: Expr) -> Expr | None:
        """An expression by quantities of joints; None if there are none for it."""
        return None if self._unknown(expr) else substitute(expr, self.meanings)

    def _unknown(self, expr: Expr) -> list[str]:
        moving = (s for s in free_symbols(expr) if s.kind in ("coordinate", "speed", "acceleration"))
        return sorted(s.name for s in moving if s not in self.meanings)

    def told(self, expr: Expr, what: str) -> Expr:
        """The same, and an error if there are none."""
        found = self.known(expr)
        if found is None:
            names = ", ".join(self._unknown(expr))
            raise VectorError(f"{what}: no joint has a quantity for {names}", "Use coordinates of hinges and sliders")
        return found

    def along(self, load: Load) -> list[Expr]:
        """The components of a load in the world."""
        size = self.told(load.magnitude, f"load '{load.name}'")
        parts = [(c, _in_world(axis)) for axis, c in load.along.terms.items()]
        return [size * add(*(self.told(c, load.name) * e[i] for c, e in parts)) for i in range(3)]

    def moments(self, load: Load) -> Iterable[Moment]:
        """A moment on one body against another; of a force what it turns where its place in a body changes."""
        if load.at is not None:
            for point, sign in _ends(load):
                if not _stays(point):
                    yield self._turned(load, point, sign)
            return
        one, other, sign = load.on, load.against, 1
        if one.parent is None:
            one, other, sign = other, one, -1
        against = None if other.parent is None else _known(other, load)
        yield Moment(body=_known(one, load), components=[sign * x for x in self.along(load)], other=against)

    def _turned(self, load: Load, point: Point, sign: int) -> Moment:
        """The moment of a force about the origin of its body."""
        at = [(self.told(c, f"the place of load '{load.name}'"), _in_world(e)) for e, c in point.offset.terms.items()]
        r, F = [add(*(c * e[i] for c, e in at)) for i in range(3)], self.along(load)
        turns = [r[i] * F[j] - r[j] * F[i] for i, j, _ in CYCLES.values()]
        return Moment(body=_known(point.frame, load), components=[sign * x for x in turns])

    def forces(self, load: Load, frames: dict[str, dict[str, Frame]]) -> Iterable[Force]:
        """A force at a point, and its opposite at another one; at the origin where the place in the body changes."""
        for point, sign in _ends(load):
            owner, name = _known(point.frame, load), "o"
            if _stays(point):
                name = f"p{len(frames[owner])}"
                frames[owner][name] = Frame(components(point.offset, point.frame))
            yield Force(point=f"{owner}.{name}", components=[sign * x for x in self.along(load)])


def _ends(load: Load) -> Iterable[tuple[Point, int]]:
    """Where a force acts on bodies, and with which sign."""
    ends = ((load.at, 1), (load.at_other, -1))
    return [(point, sign) for point, sign in ends if point is not None and point.frame.parent is not None]


def _stays(point: Point) -> bool:
    """Whether a point is fixed in its body."""
    return all(is_constant(c) for c in components(point.offset, point.frame))


def _known(frame: Triad, load: Load) -> str:
    """The name of the body that a load acts on."""
    if isinstance(frame, TreeBody):
        return frame.name
    raise VectorError(f"load '{load.name}': the frame '{frame.name}' is no body", "Let it act on a body")


def _in_world(axis: Any) -> list[Expr]:
    """The components of an axis of a body in the world."""
    if axis.frame.parent is None:
        return [ONE if i == axis.axis else ZERO for i in range(3)]
    return [quantity_or_word(f"{axis.frame.name}.{'xyz'[axis.axis]}{c}") for c in "xyz"]


# -- start -------------------------------------------------------------------------------------------------------------


def _start(
    tree: Tree, given: Mapping[str, Any], start: Mapping[str, Any], t0: Scalar, tend: Scalar | None
) -> InitialValues:
    """Where three points of each body are, and how they move."""
    values, _ = compute_parameters({name: as_expr(x) for name, x in given.items()})
    at: dict[str, float] = dict(values) | {"t": evaluate(as_expr(t0), values)}
    for freedom in tree.freedoms:
        q = freedom.coordinate
        at |= {name: evaluate(as_expr(start.get(name, 0)), values) for name in (q.name, rate_symbol(q).name)}
    places, speeds = {}, {}
    for body in tree.bodies:
        for name, mark in MARKS.items():
            point = Point(name, body, Vector({a: Number(x) for a, x in zip(body.axes, mark, strict=True)}))
            moving = tree.in_rates(velocity(point))
            places[f"{body.name}.{name}"] = [evaluate(x, at) for x in components(position(point), tree.ground)]
            speeds[f"{body.name}.{name}"] = [evaluate(x, at) for x in components(moving, tree.ground)]
    return InitialValues(positions=places, velocities=speeds, t0=t0, tend=tend)
