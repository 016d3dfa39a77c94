"""What a kind of joint is: a function of two frames in, its conditions out; and the table of all kinds.

    @joint_kind("pin_slot", dimension=2, free=2, words="turning, and sliding along the first frame's x axis")
    def pin_slot(i, j):
        d = j.o - i.o
        return Conditions(zero=[dot(d, i.y)], travel=dot(d, i.x), angle=turn(i, j))

Frames are vectors of the world; how they follow from coordinates is the business of a formalism. Everything else about
a joint follows from its conditions f = 0 by differentiation: the velocities and accelerations it forbids, its wrench on
either part, F = λ ∂f/∂o and C = λ Σ e × ∂f/∂e over the axes e, and its rank.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from types import SimpleNamespace
from typing import Any, TypeAlias, TypeVar

from linkwork.errors import ExpressionError, InputError, Problem, Ref, show_value
from linkwork.given import as_list, as_map, as_object, as_part, as_text, is_among
from linkwork.model.convert import Scalar, as_expr, as_value
from linkwork.model.functions import FUNCTION_NAME
from linkwork.symbolic import ZERO, Expr, Symbol, free_symbols, substitute, symbol
from linkwork.symbolic.vector import Vector, dot

DIMENSIONS = (2, 3)
FREEDOMS = {2: 3, 3: 6}
NOWHERE = Vector()
HOME = "linkwork.model.joints."
# keys of a joint in a file that parameters cannot be called by
KEYS = frozenset({"kind", "frames", "parts", "points", "point", "axes", "axis", "references", "reference"})
TURN = symbol("turn of the joint", kind="coordinate")


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingFrame:
    """One side of a joint in the world: its origin, its axes and, in the plane, how far it has turned.

    In space the axis of a joint is z; an angle is that from the x axis of the first frame to that of the second.
    """

    o: Vector
    x: Vector
    y: Vector
    z: Vector = NOWHERE
    angle: Expr = ZERO


def turn(i: MovingFrame, j: MovingFrame) -> Expr:
    """How far the second frame has turned against the first, whole turns included; in space about the axis."""
    one, two = (as_object(x, MovingFrame, Ref("turn"), "Give the two frames of a joint") for x in (i, j))
    return TURN if len(one.o) == 3 else two.angle - one.angle


@dataclass(frozen=True, kw_only=True, init=False)
class Conditions:
    """What a joint demands and leaves free.

    zero      expressions that vanish
    positive  expressions that are positive besides, since equations of directions cannot tell one from its opposite
    travel    a length that is free: where the second origin is along the first frame
    angle     an angle that is free: `turn(i, j)`
    more      further free quantities by name
    until     expressions that are positive all the way, by what it means if one vanishes: there the run ends
    """

    zero: tuple[Expr, ...]
    positive: Mapping[str, Expr]
    travel: Expr | None
    angle: Expr | None
    more: Mapping[str, Expr]
    until: Mapping[str, Expr]

    def __init__(
        self,
        *,
        zero: Iterable[Any],
        positive: Mapping[str, Expr] | Sequence[Expr] = (),
        travel: Expr | None = None,
        angle: Expr | None = None,
        more: Mapping[str, Expr] | None = None,
        until: Mapping[str, Expr] | None = None,
    ) -> None:
        part = Ref("conditions")
        sides = positive if isinstance(positive, Mapping) else as_list(positive, part, "positive")
        listed = sides if isinstance(sides, Mapping) else {f"side{i + 1}": x for i, x in enumerate(sides)}
        # what vanishes because both sides have the same origin is no condition
        put = object.__setattr__
        put(self, "zero", tuple([x for x in map(as_expr, as_list(zero, part, "zero")) if x is not ZERO]))
        put(self, "positive", {name: as_expr(x) for name, x in as_map(listed, part, "positive").items()})
        put(self, "travel", None if travel is None else as_expr(travel))
        put(self, "angle", None if angle is None else as_expr(angle))
        put(self, "more", {name: as_expr(x) for name, x in as_map(more, part, "more").items()})
        put(self, "until", {name: as_expr(x) for name, x in as_map(until, part, "until").items()})


Define: TypeAlias = Callable[..., Conditions]
F = TypeVar("F", bound=Define)


@dataclass(frozen=True, kw_only=True, eq=False)
class JointKind:
    """A kind of joint: its name, what it leaves free, what it has to be told besides its frames.

    parameters   further numbers, with what they are if not given (None: they must be given)
    """

    name: str
    dimension: int
    freedom: int
    words: str
    define: Define
    parameters: Mapping[str, Expr | None] = field(default_factory=dict)

    def conditions(self, i: MovingFrame, j: MovingFrame, parameters: Mapping[str, Expr]) -> Conditions:
        """What the joint demands of two frames."""
        return self.define(i, j, SimpleNamespace(**parameters)) if self.parameters else self.define(i, j)

    @cached_property
    def usual(self) -> Conditions:
        """The same for two frames of symbols."""
        i, j = (symbolic_frame(tag, self.dimension) for tag in "ij")
        return self.conditions(i, j, {name: symbol(name) for name in self.parameters})

    @property
    def is_own(self) -> bool:
        """Whether it is one of the package's own."""
        return self.define.__module__.startswith(HOME)

    @cached_property
    def _used(self) -> frozenset[str]:
        c = self.usual
        return frozenset(s.name.split(" ")[0] for s in free_symbols(*c.zero, *c.positive.values()))

    @property
    def axes(self) -> bool:
        """Whether it needs axes in its parts: a thin rod of space has none."""
        return any(name[-1:] in "xyz" and len(name) == 2 for name in self._used) or self.turns

    @property
    def references(self) -> bool:
        """Whether it needs directions across its axis."""
        return self.axes and (self.turns or bool(self._used & {"ix", "iy", "jx", "jy"}))

    @property
    def places(self) -> int:
        """How many of its conditions are about the places of its frames."""
        return self.keeps.count("place")

    @cached_property
    def keeps(self) -> tuple[str, ...]:
        """What each of its conditions is about: a "place", an "axis", or a "direction" if not all are of axes.

        An axis is held by its components along the directions across the other one.
        """
        used = [{s.name.split(" ")[0] for s in free_symbols(x)} for x in self.usual.zero]
        others = [names for names in used if not names & {"io", "jo"}]
        what = "axis" if all(names & {"iz", "jz"} for names in others) else "direction"
        return tuple(["place" if names & {"io", "jo"} else what for names in used])

    @cached_property
    def alike(self) -> tuple[int, ...]:
        """Which directions of its frames point the same way: of z, x, y in space, of x, y in the plane, by number."""
        i, j = (symbolic_frame(tag, self.dimension) for tag in "ij")
        ways = ("z", "x", "y") if self.dimension == 3 else ("x", "y")
        products = [dot(getattr(i, way), getattr(j, way)) for way in ways]
        return tuple(k for k, product in enumerate(products) if product in self.usual.positive.values())

    @property
    def travels(self) -> bool:
        """Whether one origin stays on a line or plane of the other frame."""
        return self.usual.travel is not None or "along" in self.usual.more

    @property
    def meets(self) -> bool:
        """Whether it holds the origins of its frames together."""
        i, j = (_components(f"{tag}o", self.dimension) for tag in "ij")
        return set(j - i) <= set(self.usual.zero)

    @cached_property
    def left(self) -> tuple[int, ...]:
        """Which of its conditions say something where the origins of its frames are one."""
        i, j = (_components(f"{tag}o", self.dimension) for tag in "ij")
        same: dict[Expr, Expr] = dict(zip(j, i, strict=True))
        return tuple(k for k, x in enumerate(self.usual.zero) if substitute(x, same) is not ZERO)

    @property
    def turns(self) -> bool:
        """Whether it has one angle."""
        return self.usual.angle is not None

    @property
    def tracks(self) -> bool:
        """Whether its conditions need the angle."""
        used = free_symbols(*self.usual.zero)
        return TURN in used or any(s.name.split(" ")[0] in ("iangle", "jangle") for s in used)

    @property
    def quantities(self) -> tuple[str, ...]:
        """The names of what is free, apart from the angle."""
        c = self.usual
        return (*(["travel"] if c.travel is not None else []), *c.more)


def symbolic_frame(tag: str, dimension: int) -> MovingFrame:
    """A frame whose components are symbols, named "ix 0" and the like."""
    axes = {e: _components(f"{tag}{e}", dimension) for e in "oxyz"[: 1 + dimension]}
    return MovingFrame(**axes, angle=symbol(f"{tag}angle", kind="coordinate"))


def _components(name: str, dimension: int) -> Vector:
    return Vector(symbol(f"{name} {k}", kind="coordinate") for k in range(dimension))


# -- the table ---------------------------------------------------------------------------------------------------------

_table: dict[tuple[int, str], JointKind] = {}
_version = [0]
_lock = Lock()


def joint_kinds(dimension: int) -> dict[str, JointKind]:
    """The kinds of a dimension by name."""
    return {name: kind for (d, name), kind in _table.items() if d == dimension}


def find_kind(dimension: int, name: str) -> JointKind | None:
    """The kind of a name."""
    return _table.get((dimension, name))


def parameter_names() -> list[str]:
    """What joints of any kind may be given besides their frames."""
    return list(dict.fromkeys(name for kind in _table.values() for name in kind.parameters))


def kinds_version() -> int:
    """A number that changes with the table."""
    return _version[0]


def joint_kind(
    name: str,
    *,
    dimension: int,
    free: int,
    words: str = "",
    parameters: Mapping[str, Scalar | None] | None = None,
) -> Callable[[F], F]:
    """Register a function of two frames as a kind of joint; a second one of the same name replaces it.

    free        how many of the 3 (plane) or 6 (space) freedoms of one part against the other it leaves
    words       what it leaves free, for messages and documentation
    parameters  numbers that a joint of this kind must be given (None) or may be given (their default); the function
                then has a third argument with these as attributes

    >>> from linkwork.symbolic.vector import dot
    >>> @joint_kind("ring", dimension=2, free=2)
    ... def ring(i, j):
    ...     d = j.o - i.o
    ...     return Conditions(zero=[dot(d, d) - 1])
    >>> find_kind(2, "ring").usual.zero[0]
    (io 0 - jo 0)**2 + (io 1 - jo 1)**2 - 1
    """
    part = str(as_part("kind of joint", name))
    _check(part, name, dimension, free)
    as_text(words, Ref(part), "words")
    needed = as_map(parameters, Ref(part), "parameters")
    for key in needed:
        if key in KEYS or not FUNCTION_NAME.fullmatch(key):
            what, remedy = (
                f"'{key}' cannot be the name of a parameter",
                "Use letters, digits and _, and no key of joints",
            )
            raise InputError([Problem(part=part, what=what, remedy=remedy)])

    def register(define: F) -> F:
        known = _table.get((dimension, name))
        if known is not None and known.is_own and not define.__module__.startswith(HOME):
            what = f"dimension {dimension} has a kind of this name already"
            raise InputError([Problem(part=part, what=what, remedy="Use another name")])
        defaults = {key: None if value is None else as_value(value, Ref(part), key) for key, value in needed.items()}
        kind = JointKind(
            name=name,
            dimension=dimension,
            freedom=free,
            words=words or (inspect.getdoc(define) or "").partition("\n")[0].rstrip("."),
            define=define,
            parameters=defaults,
        )
        _try(kind, part)
        with _lock:
            _table[dimension, name] = kind
            _version[0] += 1
        return define

    return register


def _check(part: str, name: str, dimension: int, free: int) -> None:
    if not FUNCTION_NAME.fullmatch(name):
        remedy = "Use letters, digits and _, starting with a letter"
        raise InputError([Problem(part=part, what="this is no name", remedy=remedy)])
    if not is_among(dimension, DIMENSIONS):
        raise InputError([Problem(part=part, what=f"dimension {show_value(dimension)}", remedy="Use 2 or 3")])
    if not is_among(free, range(FREEDOMS[dimension])):
        what = f"free is {show_value(free)}"
        remedy = f"Give how many of the {FREEDOMS[dimension]} freedoms it leaves, 0 to {FREEDOMS[dimension] - 1}"
        raise InputError([Problem(part=part, what=what, remedy=remedy)])


def _try(kind: JointKind, part: str) -> None:
    """Call the function once, so that what is wrong with it is said here and not in a file that uses it."""
    try:
        found = kind.usual
    except ExpressionError as error:
        raise InputError([Problem(part=part, what=error.what, remedy=error.remedy)]) from error
    except Exception as error:
        words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        what = f"its function failed: {words}"
        remedy = "It is called with two frames, whose o, x, y (and z) are vectors, and parameters if it has any"
        raise InputError([Problem(part=part, what=what, remedy=remedy)]) from error
    if type(found) is not Conditions:
        what = f"its function returned {type(found).__name__}"
        raise InputError([Problem(part=part, what=what, remedy="Return lw.Conditions(zero=[...], ...)")])
    rows, wanted = len(found.zero), FREEDOMS[kind.dimension] - kind.freedom
    if rows != wanted:
        what = f"{rows} conditions leave {FREEDOMS[kind.dimension] - rows} freedoms, not {kind.freedom}"
        raise InputError([Problem(part=part, what=what, remedy=f"Give {wanted} conditions, or the right `free`")])
    taken = next((name for name in found.more if not FUNCTION_NAME.fullmatch(str(name))), None)
    if taken is not None:
        what = f"'{taken}' cannot be the name of a quantity of it"
        remedy = "Use letters, digits and _, starting with a letter"
        raise InputError([Problem(part=part, what=what, remedy=remedy)])
    strange = _strange(kind, found)
    if strange:
        what = f"its conditions use '{strange}', which is neither of its frames nor a parameter"
        raise InputError([Problem(part=part, what=what, remedy="List it in `parameters`, or use i and j only")])


def _strange(kind: JointKind, found: Conditions) -> str:
    frames = {s for tag in "ij" for s in _symbols(symbolic_frame(tag, kind.dimension))}
    known = frames | {TURN} | {symbol(name) for name in kind.parameters}
    free = [x for x in (found.travel, found.angle, *found.more.values(), *found.until.values()) if x is not None]
    used = free_symbols(*found.zero, *found.positive.values(), *free)
    return next((s.name for s in sorted(used, key=lambda s: s.name) if s not in known), "")


def _symbols(frame: MovingFrame) -> list[Symbol]:
    parts = [*frame.o, *frame.x, *frame.y, *frame.z, frame.angle]
    return [s for s in parts if isinstance(s, Symbol)]
