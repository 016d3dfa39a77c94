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
from linkwork.model.laws import Force, Moment, Relation, VelocityConstraint, quantity_or_word
from linkwork.model.mechanism import Mechanism
from linkwork.model.start import InitialValues
from linkwork.model.tree import ENTRIES, Load, Tree, TreeBody, rate_symbol
from linkwork.model.values import compute_parameters
from linkwork.symbolic import ONE, ZERO, Expr, Number, add, differentiate, evaluate, free_symbols, substitute
from linkwork.vectors import Frame as Triad
from linkwork.vectors import Point, Vector, VectorError, components, cross, dot, entries, nominal, position, velocity
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
            meanings |= _meanings(body, kind)
    laws = _Laws(tree, meanings)
    forces = [force for load in tree.loads for force in laws.forces(load, frames)]
    moments = [laws.moment(load) for load in tree.loads if load.at is None]
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


def _meanings(body: TreeBody, kind: str) -> dict[Expr, Expr]:
    """What coordinates and their rates are by quantities of a joint."""
    words = {"revolute": [("angle", "omega")], "prismatic": [("travel", "speed")]}
    words["cylindrical"] = [*words["prismatic"], *words["revolute"]]
    found: dict[Expr, Expr] = {}
    for freedom, (place, rate) in zip(body.freedoms, words.get(kind, ()), strict=False):
        found[freedom.coordinate] = quantity_or_word(f"{joint_of(body)}.{place}")
        speed = quantity_or_word(f"{joint_of(body)}.{rate}")
        found[freedom.speed] = found[rate_symbol(freedom.coordinate)] = speed
    return found


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

    def moment(self, load: Load) -> Moment:
        """A moment on one body against another."""
        one, other, sign = load.on, load.against, 1
        if one.parent is None:
            one, other, sign = other, one, -1
        against = None if other.parent is None else other.name
        return Moment(body=one.name, components=[sign * x for x in self.along(load)], other=against)

    def forces(self, load: Load, frames: dict[str, dict[str, Frame]]) -> Iterable[Force]:
        """A force at a point, and its opposite at another one."""
        for point, sign in ((load.at, 1), (load.at_other, -1)):
            if point is not None and point.frame.parent is not None:
                name = f"p{len(frames[point.frame.name])}"
                frames[point.frame.name][name] = Frame(components(point.offset, point.frame))
                yield Force(point=f"{point.frame.name}.{name}", components=[sign * x for x in self.along(load)])


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
