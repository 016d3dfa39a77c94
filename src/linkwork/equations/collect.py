"""Collecting instances: kernels, coordinates and formulas of parameters as they are found, a System at the end.

What every formulation in points shares; knows nothing of particular parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations.chart import Chart, Joined, Turner
from linkwork.equations.formulas import FormulaList
from linkwork.equations.happenings import Happenings, fill_watch, find_happenings
from linkwork.equations.holds import Hold
from linkwork.equations.kernel import Kernel
from linkwork.equations.kinematics import POSES, Local, Pose
from linkwork.equations.laws import Build, Subject, law_kernel, law_program, lift
from linkwork.equations.limbs import Limb, Make, make_limbs
from linkwork.equations.system import System
from linkwork.equations.terms import Row, Term, Tie, Watch, no_columns
from linkwork.errors import Ref
from linkwork.model import Mechanism, Rigid
from linkwork.model.connections import WORLD, Joint
from linkwork.model.joints import JointKind, find_kind
from linkwork.model.laws import quantities
from linkwork.model.signals import integral_name
from linkwork.model.tracked import find_turn_angles
from linkwork.program import Program
from linkwork.symbolic import ZERO, Expr, symbol
from linkwork.symbolic.vector import difference

SWITCHED = ("joint", "relation", "velocity", "stop", "friction")  # owners whose constraints may go on and off
MOVERS = ("plane_pose", "space_pose", "branch")  # kinds of kernels that move followers
FAR = 10  # times all parts together: guesses so far from the ground to which something is pinned are off as a whole
BEYOND = 1000  # times the reach of all parts together
FEW = 50  # points up to which lists are quicker than arrays


@dataclass(slots=True)
class _Found:
    """Instances of one kernel, as they are found."""

    kernel: Kernel
    names: list[str] = field(default_factory=list)
    owners: list[Ref] = field(default_factory=list)
    coordinates: list[Sequence[int]] = field(default_factory=list)
    rows: list[Sequence[int]] = field(default_factory=list)
    columns: list[Sequence[int]] = field(default_factory=list)

    def term(self, numbers: Floats) -> Term:
        k, count = self.kernel, len(self.names)
        columns = np.array(self.columns, dtype=np.int64).reshape(count, len(k.parameters))
        return Term(
            kernel=k,
            names=tuple(self.names),
            owners=tuple(self.owners),
            coordinates=np.array(self.coordinates, dtype=np.int64).reshape(
                count, len(k.coordinates) + len(k.followers)
            ),
            rows=np.array([list(r) for r in self.rows], dtype=np.int64).reshape(count, k.constraint_count),
            parameters=numbers[columns],
            columns=columns,
        )


# what instances are called: parts by their names alone, others with what they are
PARTS = ("rigid", "joint", "spring", "particle")
CALLED = {"collinear": "line", "coplanar": "plane"}


def name_instance(owner: Ref) -> str:
    """What an instance is called in messages and in the balance of power."""
    if owner.name is None or owner.kind in PARTS:
        return owner.name or owner.kind
    return f"{CALLED.get(owner.kind, owner.kind)} {owner.name}"


def keep(owner: Ref, kinds: Mapping[str, str], unit: str = "m") -> list[Row]:
    """The constraints of an owner, by name with what they keep."""
    return [Row(name=name, owner=owner, kind=kind, unit=unit) for name, kind in kinds.items()]


class Instances:
    """Instances of kernels, and the constraints they bring, as they are found."""

    def __init__(self, formulas: FormulaList) -> None:
        self.formulas = formulas
        self.constraints: list[Row] = []
        self.found: dict[Kernel, _Found] = {}

    def add(
        self,
        kernel: Kernel,
        owner: Ref,
        coordinates: Iterable[int],
        parameters: Iterable[Expr],
        rows: Sequence[Row] = (),
        name: str = "",
    ) -> None:
        """One more instance of a kernel, with the constraints it brings; its name is that of its owner unless said."""
        found = self.found.setdefault(kernel, _Found(kernel))
        found.names.append(name or name_instance(owner))
        found.owners.append(owner)
        found.coordinates.append(tuple(coordinates))
        found.columns.append(self.formulas.places(parameters))
        first = len(self.constraints)
        found.rows.append(range(first, first + len(rows)))
        # those of velocities are behind those of positions
        places = kernel.holonomic_count if rows else 0
        self.constraints += [*rows[:places], *(replace(row, level="velocity") for row in rows[places:])]

    @property
    def repetition(self) -> float:
        """How many instances a kernel has, on the average."""
        return sum(len(each.names) for each in self.found.values()) / max(1, len(self.found))

    def terms(self, numbers: Floats) -> tuple[Term, ...]:
        """Kernels with all their instances, given the numbers of all formulas."""
        return tuple(each.term(numbers) for each in self.found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pivot:
    """Where a part turns about a fixed point: that point, and what the part calls it."""

    fixed: str
    own: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A part that is carried by its pose: the numbers of its coordinates and followers, and where its points are.

    at      the places of points from the mass centre, or from the pivot, in the axes of the part
    centre  the place of the mass centre, likewise
    pivot   the fixed point it turns about, whose coordinates are then those of its pose
    hold    how it hangs on another part or on the ground, if it is of a tree; then `at` is from the joint
    """

    coordinates: tuple[int, ...]
    followers: tuple[int, ...]
    at: dict[str, tuple[Expr, ...]]
    centre: tuple[Expr, ...]
    pivot: Pivot | None
    hold: Hold | None = None


class Collector(Instances):
    """Coordinates of a mechanism (of its moving points, turn angles, slides, states) and the instances found so far.

    Parts in `homes` are carried by their poses; a moving point that such a part is the home of has no coordinates of
    its own. In `holds` they hang on one another, each behind the one it hangs on.

    Parameters of kernels are formulas. What is decided by the value of one goes through `formulas.is_zero` or
    `formulas.decide`, so that it is asked again when values change.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        slides: Sequence[str],
        homes: Mapping[str, Sequence[str]] | None = None,
        formulas: FormulaList | None = None,
        pivots: Mapping[str, Pivot] | None = None,
        holds: Mapping[str, Hold] | None = None,
    ) -> None:
        super().__init__(formulas or FormulaList(mechanism.values))
        self.mechanism = mechanism
        self.dimension = mechanism.dimension
        self.axes = "xyz"[: self.dimension]
        self.homes = {point: part for part, points in (homes or {}).items() for point in points}
        self.holds = holds or {}
        self.held = {hold.joint: hold for hold in self.holds.values() if hold.joint}
        self.hinges = {h.joint: part for part, h in self.holds.items() if h.joint and h.make.turn == "hinge"}
        self._number(list(homes or {}), slides, pivots or {})
        self.gravity: tuple[Expr, ...] = mechanism.gravity or (ZERO,) * self.dimension
        self.ties: list[Tie] = []
        self.hints: dict[int, Watch] = {}
        self.sides = Instances(self.formulas)
        self.conditions = Instances(self.formulas)
        self.lengths: list[int] = []  # formulas of how large parts are

    def _number(self, carried: list[str], slides: Sequence[str], pivots: Mapping[str, Pivot]) -> None:
        """Number the coordinates: those that are lengths of points and of poses, then scalars; frozen; followers."""
        m, d = self.mechanism, self.dimension
        moving, fixed = [p for p in m.moving_points if p not in self.homes], tuple(m.fixed)
        tracked = find_turn_angles(m)
        turns = [name for name in tracked if name not in carried and name not in self.hinges]
        states = {integral_name(state.name): state.name for state in m.states}
        going = {part: [] if part in pivots else self._travels(part) for part in carried}
        rotations = {part: self._rotations(part) for part in carried}
        scalars = [*turns, *slides, *states.values(), *(name for each in rotations.values() for name in each)]
        lengths = [f"{p}{axis}" for p in moving for axis in self.axes]
        place_of = {name: len(lengths) + i for i, name in enumerate(x for each in going.values() for x in each)}
        lengths += place_of
        of_poses = [name if name not in carried else f"{name}.turn" for each in rotations.values() for name in each]
        self.names = [*lengths, *turns, *slides, *states, *of_poses]
        n = len(self.names)
        self.points = {point: tuple(range(d * i, d * i + d)) for i, point in enumerate(moving)}
        self.points |= {point: tuple(range(n + d * i, n + d * i + d)) for i, point in enumerate(fixed)}
        self.scalars = {name: len(lengths) + i for i, name in enumerate(scalars)}
        self.angles = {name: i for name, i in self.scalars.items() if name in tracked or name in carried}
        self.angles |= {joint: self.scalars[f"{part}.angle"] for joint, part in self.hinges.items()}
        self.states = {state.name: self.scalars[state.name] for state in m.states}
        self.inputs = {name: n + d * len(fixed) + i for i, name in enumerate(m.all_inputs)}
        self.carried: dict[str, Carried] = {}
        self.turners: dict[Ref, Turner] = {}
        self.followers: list[str] = []
        for part in carried:
            rigid, pivot, hold = m.find_rigid(part), pivots.get(part), self.holds.get(part)
            at = dict(zip(rigid.points, rigid.geometry, strict=True))
            origin = rigid.centroid if pivot is None else at[pivot.own]
            origin = origin if hold is None else hold.own
            where = [place_of[name] for name in going[part]] if pivot is None else self.points[pivot.fixed]
            first = self.first_follower + len(self.followers)
            self.followers += self._following(part)
            self.carried[part] = Carried(
                coordinates=(*where, *(self.scalars[name] for name in rotations[part])),
                followers=tuple(range(first, self.first_follower + len(self.followers))),
                at={p: difference(z, origin) for p, z in at.items()},
                centre=difference(rigid.centroid, origin),
                pivot=pivot,
                hold=hold,
            )

    def _travels(self, part: str) -> list[str]:
        """The names of the coordinates of a carried part that are lengths."""
        make = self.holds[part].make if part in self.holds else None
        if make is None or make.floats:
            return [f"{part}.{axis}" for axis in self.axes]
        return [f"{part}.travel{k + 1}" for k in range(make.travels)]

    def _rotations(self, part: str) -> list[str]:
        """The names of its scalars, by which it turns."""
        turn = self.holds[part].make.turn if part in self.holds else ("turn" if self.dimension == 2 else "ball")
        by_turn = {"turn": [part], "hinge": [f"{part}.angle"], "none": []}
        return by_turn.get(turn, [f"{part}.w{axis}" for axis in self.axes])

    def _following(self, part: str) -> list[str]:
        """The names of its followers."""
        pose = (
            POSES[self.dimension]("")
            if part not in self.holds
            else Limb(0, self.holds[part].make, None, self.dimension)
        )
        return [f"{part}.{name.removesuffix('_0').rstrip('_')}" for name in pose.followers]

    @property
    def first_follower(self) -> int:
        """The number of the first follower."""
        return len(self.names) + self.dimension * len(self.mechanism.fixed) + len(self.inputs)

    def name_place(self, part: str, point: str) -> str:
        """A name for the place where a carried part has a point whose home is elsewhere."""
        name = f"{point} of {part}"
        self.homes[name] = part
        self.carried[part].at[name] = self.carried[part].at[point]
        return name

    def meet(self, joint: Joint, kind: JointKind) -> tuple[str, ...]:
        """The points of a joint; those of one that holds a part at its pivot are the same."""
        for part in joint.parts if kind.meets else ():
            pivot = self.carried[part].pivot if part in self.carried else None
            if pivot is not None and {pivot.fixed, pivot.own} == {*joint.points}:
                return pivot.fixed, pivot.fixed
        return joint.points

    def reach(self, *lengths: Expr) -> None:
        """Parts are as large as this."""
        self.lengths += self.formulas.places(lengths)

    def of(self, *points: str) -> list[int]:
        """The coordinates of points, one after another."""
        return [c for point in points for c in self.points[point]]

    def is_moving(self, *points: str) -> bool:
        """Whether at least one of the points moves."""
        return any(point not in self.mechanism.fixed for point in points)

    # -- kinematics ------------------------------------------------------------------------------------------------

    def see(self, subject: Subject) -> Local:
        """How the points and parts of a law move here."""
        turning = {part: part for part in self.carried} if self.dimension == 2 else self.hinges
        corners = {part: self.corners(part) for part in subject.parts if part not in self.carried}
        points = tuple(dict.fromkeys([*subject.points, *(p for first in corners.values() for p in first)]))
        carriers = [self.homes[p] for p in points if p in self.homes]
        carriers += [part for part in subject.parts if part in self.carried]
        carriers += [turning[name] for name in subject.angles if name in turning]
        return Local(
            self.dimension,
            points,
            [name for name in subject.angles if name not in turning],
            subject.states,
            corners,
            self._poses(dict.fromkeys(carriers)),
            self.homes,
            {name: part for name, part in self.hinges.items() if name in subject.angles},
        )

    def _poses(self, parts: Iterable[str]) -> dict[str, Pose]:
        """How parts move, and with them all they hang on."""
        if not self.holds:
            return {part: POSES[self.dimension](i) for i, part in enumerate(parts)}
        found = list(dict.fromkeys(each for part in parts for each in self.path(part)))
        makes, parents = self.tree_of(found)
        return dict(zip(found, make_limbs(makes, parents, self.dimension), strict=True))

    def path(self, part: str) -> list[str]:
        """A part of a tree and all it hangs on, from the ground."""
        found = [part]
        while (parent := self.holds[found[-1]].parent) is not None:
            found.append(parent)
        return found[::-1]

    def weld(self, part: str) -> str | None:
        """The part of a tree that a part is rigidly one with and that is nearest to the ground; None: the ground."""
        while part in self.holds and self.holds[part].make.rigid:
            parent = self.holds[part].parent
            if parent is None:
                return None
            part = parent
        return None if part == WORLD else part

    def tree_of(self, parts: Sequence[str]) -> tuple[tuple[Make, ...], tuple[int, ...]]:
        """How parts hang and on which of them, by its number."""
        number: dict[str | None, int] = {part: i for i, part in enumerate(parts)}
        holds = [self.holds[part] for part in parts]
        return tuple(hold.make for hold in holds), tuple(number.get(hold.parent, -1) for hold in holds)

    def places(self, local: Local) -> list[int]:
        """The numbers of the coordinates and followers that a kernel sees."""
        poses = [self.carried[part] for part in local.poses]
        return [
            *self.of(*local.own),
            *(self.inputs[name] if name in self.inputs else self.scalars[name] for name in local.angles),
            *(i for pose in poses for i in pose.coordinates),
            *(i for pose in poses for i in pose.followers),
        ]

    def values(self, local: Local) -> list[Expr]:
        """The formulas of the columns that it needs for this."""
        of_parts = [column for part in local.corners for column in self.columns(part)]
        of_parts += [x for part in local.poses if part in self.holds for x in self.holds[part].columns]
        return [*of_parts, *(z for point, part in local.homes.items() for z in self.carried[part].at[point])]

    def corners(self, part: str) -> tuple[str, ...]:
        """The first points of a part, which tell its axes."""
        return self.mechanism.find_rigid(part).points[: self.dimension]

    def columns(self, part: str) -> list[Expr]:
        """How far they are apart: ℓ in the plane, R = (r11, r12, r22) in space."""
        rigid = self.mechanism.find_rigid(part)
        return [rigid.geometry[1][0]] if self.dimension == 2 else triangle(rigid)

    def _is_rigid(self, points: Sequence[str]) -> bool:
        """Whether one carried part has all of the points, so that equations between them say nothing new."""
        homes = {self.homes.get(point) for point in points}
        return len(homes) == 1 and None not in homes

    # -- instances -------------------------------------------------------------------------------------------------

    def add_on(
        self,
        kernel: Kernel,
        owner: Ref,
        points: Sequence[str],
        parameters: Sequence[Expr],
        rows: Sequence[Row] = (),
        angles: Sequence[str] = (),
        name: str = "",
    ) -> None:
        """One more instance of a kernel over the coordinates of points, then angles, whoever carries them."""
        turning = {*self.carried, *self.hinges}
        if all(p not in self.homes for p in points) and all(angle not in turning for angle in angles):
            places = [*self.of(*points), *(self.scalars[angle] for angle in angles)]
            self.add(kernel, owner, places, parameters, rows, name)
            return
        if rows and not angles and self._is_rigid(points):
            return  # points of one carried part
        local = self.see(Subject(points=tuple(points), angles=tuple(angles), states=(), parts=()))
        lifted = lift(kernel, local, points, angles)
        self.add(lifted, owner, self.places(local), [*parameters, *self.values(local)], rows, name)

    def add_law(
        self,
        owner: Ref,
        purpose: str,
        laws: Sequence[Expr],
        build: Build,
        *,
        points: Sequence[str] = (),
        angles: Sequence[str] = (),
        parts: Sequence[str] = (),
        rows: Sequence[Row] = (),
        name: str = "",
    ) -> None:
        """One more instance of the kernel of a law."""
        if rows and not laws and not angles and self._is_rigid(points):
            return  # points of one carried part
        made = law_kernel(purpose, laws, build, self.see, points=points, angles=angles, parts=parts)
        values = [*map(symbol, made.parameters), *self.values(made.local)]
        self.add(made.kernel, owner, self.places(made.local), values, rows, name)
        if made.local.corners and owner.kind != "joint":
            named = (*points, *(p for law in laws for _, q in quantities(law) for p in q.points))
            before = self.turners.get(owner, Turner((), ()))
            both = (*before.parts, *made.local.corners), (*before.points, *named)
            self.turners[owner] = Turner(*(tuple(dict.fromkeys(each)) for each in both))

    def add_condition(self, owner: Ref, law: Expr, build: Build, unit: str) -> None:
        """A law that vanishes at the start alone; starts are made where nothing is carried."""
        if self.carried:
            return
        made = law_kernel("condition", [law], build, self.see)
        values = [*map(symbol, made.parameters), *self.values(made.local)]
        rows = keep(owner, {str(owner.name): "condition"}, unit)
        self.conditions.add(made.kernel, owner, self.places(made.local), values, rows)

    def add_hint(self, scalar: str, program: Program, points: Sequence[str], parameters: Sequence[Expr] = ()) -> None:
        """How to guess an angle or slide from the places of points; starts are made where nothing is carried."""
        if self.carried:
            return
        columns = self.formulas.places(parameters)
        self.hints[self.scalars[scalar]] = make_watch(scalar, program, self.of(*points), columns)

    def watch(self, name: str, law: Expr, stop: bool = False, direction: int = 0) -> Watch:
        """A law as an expression to look at."""
        program, made = law_program(law, self.see)
        columns = self.formulas.places([*map(symbol, made.parameters), *self.values(made.local)])
        return make_watch(name, program, self.places(made.local), columns, stop, direction)

    @property
    def switched(self) -> dict[str, list[int]]:
        """The constraints of what may go on and off, by name."""
        found: dict[str, list[int]] = {}
        for i, row in enumerate(self.constraints):
            if row.owner.kind in SWITCHED:
                found.setdefault(str(row.owner.name), []).append(i)
        return found

    def _inactive(self) -> Iterator[str]:
        """What does not hold at the start."""
        m = self.mechanism
        yield from (joint.name for joint in m.joints if not joint.active)
        yield from (relation.name for relation in m.relations if not relation.active)
        yield from (held.name for held in m.velocity_constraints if not held.active)
        yield from (stop.name for stop in m.stops)
        yield from (friction.name for friction in m.frictions)

    def happenings(self) -> Happenings:
        """Events, stops and friction. Poses are made for the integration alone."""
        if self.carried:
            return Happenings()
        states = {state.name: self.scalars[state.name] for state in self.mechanism.states}
        return find_happenings(self.mechanism, self.watch, self.switched, states)

    def system(self) -> System:
        """Everything collected."""
        m, place = self.mechanism, self.formulas.place
        happenings = self.happenings()
        fixed = np.array([place(x) for where in m.fixed.values() for x in where], dtype=np.int64)
        frozen = np.concatenate([fixed, np.array(self.formulas.places(m.all_inputs.values()), dtype=np.int64)])
        scales = {state.name: place(state.scale) for state in m.states}
        sizes = PointSizes(
            coordinates=len(self.names) - len(self.scalars),
            dimension=self.dimension,
            parts=len(m.rigids) + len(m.springs),
            pinned=any(is_pin(m, joint) for joint in m.joints),
            lengths=np.array(self.lengths, dtype=np.int64),
            fixed=fixed,
            guessed=[self.formulas.places(guess.value for guess in where) for where in m.start.positions.values()],
            scalars=np.array([scales.get(name, -1) for name in self.scalars], dtype=np.int64),
        )
        formulas = self.formulas.freeze(sizes)
        numbers = formulas.compute(m.values)
        terms = self.terms(numbers)
        return System(
            coordinates=tuple(self.names),
            frozen=numbers[frozen],
            rows=tuple(self.constraints),
            terms=terms,
            scales=sizes.compute(numbers),
            turns=tuple(self.angles.values()),
            chart=self._chart(numbers),
            states=self.states,
            inputs=self.inputs,
            **happenings.filled(numbers),
            off=frozenset(row for part in self._inactive() for row in self.switched.get(part, ())),
            parameters=m.values,
            formulas=formulas,
            numbers=numbers,
            frozen_columns=frozen,
            **self._followers(terms),
        )

    def _chart(self, numbers: Floats) -> Chart:
        """What the names of the mechanism mean."""
        return Chart(
            points=self.points,
            angles=self.angles,
            parts={rigid.name: rigid.points for rigid in self.mechanism.rigids},
            joints={joint.name: Joined(*joint.parts, *joint.points) for joint in self.mechanism.joints},
            turners=self.turners,
            hints={i: fill_watch(hint, numbers) for i, hint in self.hints.items()},
            sides=self.sides.terms(numbers),
            side_rows=tuple(self.sides.constraints),
            conditions=self.conditions.terms(numbers),
            condition_rows=tuple(self.conditions.constraints),
        )

    def _followers(self, terms: Sequence[Term]) -> dict[str, Any]:
        """The entries of rotations: their names, what moves them, and which of them make one rotation."""
        first, size = self.first_follower, 2 if self.dimension == 2 else 9
        turning = [x for x in self.carried.values() if x.hold is None or x.hold.make.turn != "none"]
        axes = [tuple(i - first for i in each.followers[:size]) for each in turning]
        # what travels along a part does so along its axes: they come first
        turns = [
            Tie(followers=own, parent=(), coordinate=each.coordinates[-1], columns=no_columns())
            for each, own in zip(turning, axes, strict=True)
            if self.dimension == 2 and each.hold is not None
        ]
        return {
            "followers": tuple(self.followers),
            "kinematics": tuple(term for term in terms if term.kernel.kind in MOVERS and term.kernel.followers),
            "invariants": tuple(axes),
            "ties": (*turns, *self.ties),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PointSizes:
    """The sizes of coordinates of points: the extent of the mechanism; of scalars 1, or the scale of a state.

    pinned: whether a joint pins a part to the ground, so that guesses far from there are no part of the extent;
    lengths, fixed, guessed, scalars are places of formulas, −1 for a scalar without a scale.
    """

    coordinates: int
    dimension: int
    parts: int
    pinned: bool
    lengths: Ints
    fixed: Ints
    guessed: Sequence[Sequence[int]]
    scalars: Ints

    def compute(self, numbers: Floats) -> Floats:
        extent = max(0.0, float(np.max(numbers[self.lengths], initial=0.0)))
        size = max(extent, self._spread(numbers, extent)) or 1.0
        scalars = np.where(self.scalars < 0, 1.0, numbers[self.scalars] if len(numbers) else 1.0)
        return np.concatenate([np.full(self.coordinates, size), scalars])

    def places(self) -> Ints:
        guessed = [np.array(place, dtype=np.int64) for place in self.guessed]
        return np.concatenate([self.lengths, self.fixed, self.scalars[self.scalars >= 0], *guessed])

    def _spread(self, numbers: Floats, extent: float) -> float:
        """How far the points spread that are fixed or guessed; a guess beyond all reach of the parts does not count."""
        fixed = numbers[self.fixed].reshape(-1, self.dimension).tolist()
        guessed = [numbers[place].tolist() for place in self.guessed]
        all_points, apart = _spread([*fixed, *guessed]), max(_spread(fixed), _spread(guessed))
        if self.pinned and all_points > FAR * max(apart, extent * self.parts) > 0.0:
            return apart
        return min(all_points, BEYOND * (_spread(fixed) + extent * self.parts) or math.inf)


def is_pin(m: Mechanism, joint: Joint) -> bool:
    """Whether a joint keeps a moving point at a fixed one."""
    kind = find_kind(m.dimension, joint.kind)
    return kind is not None and kind.meets and len({point in m.fixed for point in joint.points}) == 2


def triangle(rigid: Rigid) -> list[Expr]:
    """R = (r11, r12, r22) of the local coordinates of a body's reference points."""
    # the first point is the origin, the second lies on the x axis and the third in the xy plane
    (x, *_), (xi, eta, _) = rigid.geometry[1:3]
    return [x, xi, eta]


def _spread_few(places: Sequence[Sequence[float]]) -> float:
    """The same of few points, for which arrays are slow."""
    largest = max((abs(x) for place in places for x in place), default=0.0) or 1.0
    known = [[x / largest for x in place] for place in places]
    middle = [math.fsum(row) / len(known) for row in zip(*known, strict=True)]
    return largest * max((math.dist(place, middle) for place in known), default=0.0)


def _spread(places: Sequence[Sequence[float]]) -> float:
    """The largest distance of a point from the middle of them all; turns do not change it."""
    if len(places) <= FEW:
        return _spread_few(places)
    known = np.array(places)
    largest = float(np.max(np.abs(known), initial=0.0)) or 1.0
    known = known / largest  # squares of huge numbers are too large
    return largest * float(np.max(np.linalg.norm(known - known.mean(axis=0), axis=1))) if len(known) else 0.0


def make_watch(
    name: str,
    program: Program,
    places: Sequence[int],
    columns: Sequence[int],
    stop: bool = False,
    direction: int = 0,
) -> Watch:
    """A watch whose parameters have their formulas and not yet their numbers."""
    return Watch(
        name=name,
        program=program,
        coordinates=np.array(places, dtype=np.int64),
        parameters=np.zeros(len(columns)),
        stop=stop,
        direction=direction,
        columns=np.array(columns, dtype=np.int64),
    )
