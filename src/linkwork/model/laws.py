"""Laws: expressions of the moving mechanism and of time, for forces, prescribed motions and events.

A law may name, besides parameters and functions,

    t                                    time
    A.x  A.y  A.z   A.vx  A.vy  A.vz     place and velocity of a point
    AB.length  AB.rate                   distance of two points and its rate
    OA.angle  OA.omega                   turn angle of a part and its rate
    OA.xx  OA.xy  OA.zx  OA.vxx ...      components of the axes of a part in the world, and their rates
    OA.wx  OA.wy  OA.wz                  its angular velocity in space

and the variables and states of the mechanism (signals.py).
Knows nothing of equations: a quantity is a symbol with a telling name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from linkwork.errors import ExpressionError, InputError, Problem, Ref, show_line, show_value
from linkwork.given import as_flag, as_list, as_map, as_name, as_names, as_part, is_among
from linkwork.model.convert import Scalar, as_expr, name_points, refused, split_points
from linkwork.model.functions import registered_functions
from linkwork.model.part import Part, set_field
from linkwork.symbolic import ONE, ZERO, Expr, Symbol, add, derivatives, free_symbols, substitute, symbol, total_rate
from linkwork.symbolic.parse import parse

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

TIME = symbol("t", kind="time")
PLACES, SPEEDS = ("x", "y", "z"), ("vx", "vy", "vz")
OF_PAIRS = {"length": "coordinate", "rate": "speed"}
OF_PARTS = {"angle": "coordinate", "omega": "speed"}
AXES = tuple(axis + component for axis in PLACES for component in PLACES)  # "xy": the y component of the x axis
AXIS_RATES = tuple(f"v{axis}" for axis in AXES)
SPINS = ("wx", "wy", "wz")
TURNS = (*OF_PARTS, *SPINS)  # what a torque drives
OF_BODIES = (*AXES, *AXIS_RATES, *SPINS)
RATES = {
    **dict(zip(PLACES, SPEEDS, strict=True)),
    **dict(zip(AXES, AXIS_RATES, strict=True)),
    "length": "rate",
    "angle": "omega",
}
FORCES, TORQUES = ("fx", "fy", "fz"), ("tx", "ty", "tz")
SIZES = {"force": FORCES, "torque": TORQUES}  # of what has components
REACTIONS = (*FORCES, *TORQUES, *SIZES)
ACCELERATIONS = {"ax": "vx", "ay": "vy", "az": "vz"}
INTEGRAL = {speed: place for place, speed in RATES.items()}
OF_SPEED = frozenset({*SPEEDS, *AXIS_RATES, *SPINS, "rate", "omega"})
DIRECTIONS = {"rising": 1, "falling": -1, "either": 0, "both": 0, 1: 1, -1: -1, 0: 0}
PART_OR_JOINT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
FRAME_POINT = re.compile(r"[A-Za-z][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*")  # of a body: `crank.pin`
BETWEEN = ":"  # joins two names of points that cannot be told apart otherwise


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a dotted name stands for: `what` of the points or of the part `of`."""

    of: str
    what: str

    @property
    def points(self) -> tuple[str, ...]:
        """The points it is measured on (none for angles and axes)."""
        if self.what in OF_PARTS or self.what in OF_BODIES:
            return ()
        return split_pair(self.of) if self.what in OF_PAIRS else (self.of,)


@lru_cache(maxsize=1 << 14)
def quantity(name: str) -> Quantity | None:
    """The quantity a dotted name stands for, or None if it is no such name.

    >>> quantity("AB.length")
    Quantity(of='AB', what='length')
    """
    of, _, what = name.rpartition(".")
    if what in OF_PARTS or what in OF_BODIES:
        return Quantity(of, what) if PART_OR_JOINT.fullmatch(of) else None
    if what in OF_PAIRS:
        return Quantity(of, what) if len(split_pair(of)) == 2 else None
    single = what in PLACES + SPEEDS and (len(split_points(of)) == 1 or FRAME_POINT.fullmatch(of))
    return Quantity(of, what) if single else None


def split_pair(of: str) -> tuple[str, ...]:
    """The two points of a length: `AB`, or `crank.pin:rod.big`."""
    return tuple(of.split(BETWEEN)) if BETWEEN in of else split_points(of)


def join_pair(points: Iterable[str]) -> str:
    """What two points are called together: `AB`; with a colon between them if that would not tell them apart."""
    given = tuple(points)
    plain = "".join(given)
    return plain if split_points(plain) == given else BETWEEN.join(given)


def quantity_symbol(name: str, found: Quantity) -> Symbol:
    """The symbol of a quantity: a coordinate or a speed."""
    return symbol(name, kind="speed" if found.what in OF_SPEED else "coordinate")


def quantity_symbol_of(name: str) -> Symbol:
    """The symbol of a quantity by its name."""
    found = quantity(name)
    assert found is not None, name
    return quantity_symbol(name, found)


def quantity_or_word(name: str) -> Symbol:
    """The symbol of a name in a law, be it a quantity or not."""
    found = quantity(name)
    return symbol(name) if found is None else quantity_symbol(name, found)


class LawNames(Mapping[str, Expr]):
    """Every name a law may use, as a symbol of its kind: time, quantities, and parameters.

    Whether the points and parts exist is for the mechanism to say. Without `parameters` every plain name is one.
    """

    def __init__(self, parameters: Mapping[str, Expr] | None = None) -> None:
        self.parameters = parameters

    def __getitem__(self, name: str) -> Expr:
        if name == "t":
            return TIME
        found = quantity(name)
        if found is not None:
            return quantity_symbol(name, found)
        return symbol(name) if self.parameters is None or "." in name else self.parameters[name]

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if self.parameters is None:
            return name != "pi"
        return name == "t" or "." in name or name in self.parameters

    def __iter__(self) -> Iterator[str]:
        return iter(() if self.parameters is None else (*self.parameters, "t"))

    def __len__(self) -> int:
        return 0 if self.parameters is None else len(self.parameters) + 1


OPEN_NAMES = LawNames()


def as_law(value: Scalar) -> Expr:
    """A law from a number, a text such as "-c*A.vx*sin(t)" or an expression.

    >>> as_law("2*A.x + t")
    t + 2*A.x
    """
    return parse(value, OPEN_NAMES, registered_functions()) if isinstance(value, str) else as_expr(value)


def read_law(value: Scalar, part: Ref, label: str) -> Expr:
    """The same as `as_law`, with the part and what of it in the words of an InputError."""
    try:
        return as_law(value)
    except ExpressionError as error:
        raise refused(error, part, label) from None


def read_laws(values: Iterable[Scalar], part: Ref, label: str) -> tuple[Expr, ...]:
    """A list of laws."""
    return tuple([read_law(value, part, label) for value in as_list(values, part, label)])


def quantities(law: Expr) -> list[tuple[Symbol, Quantity]]:
    """The quantities a law depends on, in order of their names."""
    symbols = sorted((s for s in free_symbols(law) if "." in s.name), key=lambda s: s.name)
    return [(s, found) for s in symbols if (found := quantity(s.name)) is not None]


def law_rate(law: Expr) -> Expr:
    """The time derivative of a law of places, time and states; that of a state X is X'.

    >>> law_rate(as_law("2*A.x - t"))
    2*A.vx - 1
    """
    return total_rate(law, _rate_of)


def is_algebraic(name: str) -> bool:
    """Whether a name is one of a reaction or an acceleration, of something that may exist."""
    of, _, what = name.rpartition(".")
    return bool(of) and (what in REACTIONS or what in ACCELERATIONS or what.endswith("'"))


def _rate_of(s: Symbol) -> Expr:
    found = quantity(s.name)
    if s is TIME:
        return ONE
    if s.kind == "state":
        return symbol(f"{s.name}'")
    if found is None and not is_algebraic(s.name):
        return ZERO
    if found is None or found.what not in RATES:
        raise ExpressionError(f"the rate of {s.name} would need accelerations", "Give a filter time")
    return symbol(f"{found.of}.{RATES[found.what]}", kind="speed")


def speeds_in(law: Expr) -> list[Symbol]:
    """The speeds a law depends on, in order of their names."""
    return [s for s, found in quantities(law) if found.what in OF_SPEED]


def flow_of(law: Expr) -> Expr:
    """What a force along a quantity works on: the rate of a law of places, a law of speeds itself."""
    return law if speeds_in(law) else law_rate(law)


def is_linear(law: Expr) -> bool:
    """Whether a law is A(q, t) u + b(q, t) in its speeds u."""
    speeds = speeds_in(law)
    return free_symbols(*derivatives(law, speeds)).isdisjoint(speeds)


@lru_cache(maxsize=1 << 12)
def at_rest(law: Expr) -> Expr:
    """A law with all speeds zero: b of A u + b."""
    still: dict[Expr, Expr] = dict.fromkeys(speeds_in(law), ZERO)
    return substitute(law, still) if still else law


def is_constant(law: Expr) -> bool:
    """Whether a law depends on parameters only."""
    return not any(s is TIME or s.kind in ("state", "input") or "." in s.name for s in free_symbols(law))


# -- what laws are used for -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Force(Part):
    """A force at a point, in the world frame or, if `part` is given, in the frame of that part.

    >>> Force(point="A", components=("-c*A.vx", 0)).part is None
    True
    """

    WORD = "force"
    UNIQUE = False
    LAWS = ("components",)
    POINTS = ("point",)

    point: str
    components: tuple[Expr, ...]
    part: str | None

    def __init__(self, *, point: str, components: Iterable[Scalar], part: str | None = None) -> None:
        pushed = as_part(self.WORD, point)
        set_field(self, "point", point)
        set_field(self, "components", read_laws(components, pushed, "components"))
        set_field(self, "part", None if part is None else as_name(part, pushed, "part"))

    @property
    def name(self) -> str:
        """What messages call it, as files write it: 'A', or 'A in OA'."""
        return self.point if self.part is None else f"{self.point} in {self.part}"


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Moment(Part):
    """A moment on a body in space, in the axes of the world or of a part; its opposite acts on `other`, if given.

    >>> Moment(body="rotor", components=(0, 0, "-c*rotor.wz")).frame is None
    True
    """

    WORD = "moment"
    UNIQUE = False
    LAWS = ("components",)

    body: str
    components: tuple[Expr, ...]
    other: str | None
    frame: str | None

    def __init__(
        self, *, body: str, components: Iterable[Scalar], other: str | None = None, frame: str | None = None
    ) -> None:
        part = as_part(self.WORD, body)
        set_field(self, "body", body)
        set_field(self, "components", read_laws(components, part, "components"))
        set_field(self, "other", None if other is None else as_name(other, part, "other"))
        set_field(self, "frame", None if frame is None else as_name(frame, part, "frame"))

    @property
    def name(self) -> str:
        """What messages call it, as files write it: 'a', 'a, b', 'a in a'."""
        pair = self.body if self.other is None else f"{self.body}, {self.other}"
        return pair if self.frame is None else f"{pair} in {self.frame}"

    @property
    def world(self) -> list[Expr]:
        """Its components in the world, as laws."""
        if self.frame is None:
            return list(self.components)
        axes = [[symbol(f"{self.frame}.{axis}{k}", kind="coordinate") for k in PLACES] for axis in PLACES]
        return [add(*(c * e[k] for c, e in zip(self.components, axes, strict=True))) for k in range(3)]

    def works(self, mechanism: Mechanism) -> Iterable[tuple[Expr, Expr]]:
        """Its components, on the angular velocity against that of the other."""
        return zip(self.world, self.flows, strict=True) if len(self.components) == 3 else ()

    @property
    def flows(self) -> list[Expr]:
        """What its components work on: the angular velocity, against that of the other."""
        return [
            symbol(f"{self.body}.{w}", kind="speed")
            - (ZERO if self.other is None else symbol(f"{self.other}.{w}", kind="speed"))
            for w in SPINS
        ]


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Damper(Part):
    """A force along the line between two points that resists their separation: `force` [N], or c times their rate.

    >>> Damper(name="AB", coefficient="c").force
    c*AB.rate
    """

    WORD = "damper"
    LAWS = ("force",)
    POINTS = ("points",)
    TIES = True

    name: str
    points: tuple[str, ...]
    force: Expr

    def __init__(
        self,
        *,
        name: str,
        points: Iterable[str] = (),
        coefficient: Scalar | None = None,
        force: Scalar | None = None,
    ) -> None:
        part = as_part(self.WORD, name)
        ends = name_points(name, points, part)
        rate = symbol(f"{join_pair(ends)}.rate", kind="speed")
        if force is not None:
            law = read_law(force, part, "force")
        else:
            law = read_law(0 if coefficient is None else coefficient, part, "coefficient") * rate
        set_field(self, "name", name)
        set_field(self, "points", ends)
        set_field(self, "force", law)


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Dissipation(Part):
    """A Rayleigh function R of the speeds; its forces are −∂R/∂u.

    >>> Dissipation(name="air", function="c/2*(A.vx**2 + A.vy**2)").name
    'air'
    """

    WORD = "dissipation"
    LAWS = ("function",)

    name: str
    function: Expr

    def __init__(self, *, name: str, function: Scalar) -> None:
        part = as_part(self.WORD, name)
        set_field(self, "name", show_line(name))
        set_field(self, "function", read_law(function, part, "function"))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Driver(Part):
    """A prescribed motion: a quantity (A.x, AB.length, OA.angle), or a speed (A.vx, OA.omega), follows a law of time.

    >>> Driver(target="OA.angle", law="omega*t").target
    'OA.angle'
    """

    WORD = "motion"
    NAME = "target"
    UNIQUE = False
    LAWS = ("law",)

    target: str
    law: Expr

    def __init__(self, *, target: str, law: Scalar) -> None:
        set_field(self, "law", read_law(law, as_part(self.WORD, target), "law"))
        set_field(self, "target", target)

    @property
    def turns(self) -> bool:
        """Whether it drives an angle or its rate, and is kept by a torque."""
        return self.target.rpartition(".")[2] in TURNS


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Effort(Part):
    """A force or torque along a free quantity: `on` a travel or length a force, on an angle a torque; or on a speed.

    >>> Effort(on="guide.travel", value="-c*guide.speed").on
    'guide.travel'
    """

    WORD = "effort"
    NAME = "on"
    UNIQUE = False
    LAWS = ("value",)

    on: str
    value: Expr

    def __init__(self, *, on: str, value: Scalar) -> None:
        set_field(self, "value", read_law(value, as_part(self.WORD, on), "value"))
        set_field(self, "on", on)

    def works(self, mechanism: Mechanism) -> Iterable[tuple[Expr, Expr]]:
        """The value, on the rate of the quantity."""
        return [(self.value, mechanism.flow(self.on))]


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Relation(Part):
    """A constraint by formula: it stays zero. Gears are relations of angles.

    `contact` tells that it was made for a contact of the same name that is kept.

    >>> Relation(name="gear", formula="20*a.angle + 40*b.angle").name
    'gear'
    """

    WORD = "relation"
    LAWS = ("formula",)

    name: str
    formula: Expr
    active: bool
    contact: bool

    def __init__(self, *, name: str, formula: Scalar, active: bool = True, contact: bool = False) -> None:
        part = as_part(self.WORD, name)
        set_field(self, "name", name)
        set_field(self, "formula", read_law(formula, part, "formula"))
        set_field(self, "active", as_flag("active", active, part))
        set_field(self, "contact", contact)


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class VelocityConstraint(Part):
    """A constraint of velocities by formula: linear in the speeds, it stays zero; what it leaves to places is free.

    >>> VelocityConstraint(name="skate", formula="A.vx*OA.xy - A.vy*OA.xx").name
    'skate'
    """

    WORD = "velocity"
    LAWS = ("formula",)

    name: str
    formula: Expr
    active: bool

    def __init__(self, *, name: str, formula: Scalar, active: bool = True) -> None:
        part = as_part(self.WORD, name)
        set_field(self, "name", name)
        set_field(self, "formula", read_law(formula, part, "formula"))
        set_field(self, "active", as_flag("active", active, part))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Event(Part):
    """Something to notice: `when` crosses zero; then record it, stop, or act.

    The direction that counts is "rising", "falling" or "either", or as a number 1, -1 or 0. `then` gives speeds and
    states new values, by formulas of what was before; `on` and `off` name constraints that hold from then on, or no
    longer.

    >>> Event(name="touch", when="A.y - h", stop=True, direction="falling").direction
    -1
    >>> Event(name="hit", when="A.y", then={"A.vy": "-e*A.vy"}).then[0][0]
    'A.vy'
    """

    WORD = "event"
    LAWS = ("when",)

    name: str
    when: Expr
    stop: bool
    direction: int
    then: tuple[tuple[str, Expr], ...]
    on: tuple[str, ...]
    off: tuple[str, ...]

    def __init__(
        self,
        *,
        name: str,
        when: Scalar,
        stop: bool = False,
        direction: int | str = 0,
        then: Mapping[str, Scalar] | Iterable[tuple[str, Scalar]] = (),
        on: Iterable[str] = (),
        off: Iterable[str] = (),
    ) -> None:
        part = as_part(self.WORD, name)
        if not is_among(stop, (True, False)):
            what, remedy = f"stop is {show_value(stop)}", "Give True to end the run there, or False"
            raise InputError([Problem(ref=part, what=what, remedy=remedy)])
        set_field(self, "name", show_line(name))
        set_field(self, "when", read_law(when, part, "when"))
        set_field(self, "stop", stop)
        set_field(self, "direction", _read_direction(name, direction))
        changes = as_map(_as_pairs(then, part), part, "then")
        read = [(target, read_law(value, part, f"then {target}")) for target, value in changes.items()]
        set_field(self, "then", tuple(read))
        set_field(self, "on", (on,) if isinstance(on, str) else as_names(on, part, "on"))
        set_field(self, "off", (off,) if isinstance(off, str) else as_names(off, part, "off"))

    def laws(self) -> Iterator[tuple[str, Expr]]:
        """What may depend on the motion: when it happens, what changes, and to what."""
        yield "when", self.when
        for target, law in self.then:
            yield f"then {target}", law
            if "." in target:
                yield "then", as_law(target)

    def with_laws(self, change: Callable[[Expr], Expr]) -> Event:
        """The same with other laws."""
        return replace(self, when=change(self.when), then=tuple((target, change(law)) for target, law in self.then))

    @property
    def acts(self) -> bool:
        """Whether it changes anything."""
        return bool(self.then or self.on or self.off)


def _as_pairs(then: Any, part: Ref) -> Mapping[Any, Any]:
    """What becomes of what, from a map or a list of pairs."""
    if isinstance(then, Mapping):
        return then
    try:
        return dict(as_list(then, part, "then"))
    except (TypeError, ValueError):
        what, remedy = f"then: {show_value(then)} does not say what becomes of what", "Write {target: law}"
        raise InputError([Problem(ref=part, what=what, remedy=remedy)]) from None


def _read_direction(event: str, given: Any) -> int:
    """1, -1 or 0 from a number or a word."""
    try:
        return DIRECTIONS[given]
    except (KeyError, TypeError):
        what, remedy = f"direction {show_value(given)} is unknown", "Use 1 (rising), -1 (falling) or 0 (either)"
        raise InputError([Problem(ref=Ref("event", event), what=what, remedy=remedy)]) from None
