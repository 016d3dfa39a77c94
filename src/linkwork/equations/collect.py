"""Collecting instances: kernels, coordinates and parameters as they are found, a System at the end.

What every formulation in points shares; knows nothing of particular parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwork.equations.kernel import Kernel
from linkwork.equations.known import Known
from linkwork.equations.laws import Build, law_kernel, law_program
from linkwork.equations.system import System, Term, Watch
from linkwork.model import Mechanism
from linkwork.model.laws import Event
from linkwork.model.signals import integral_name
from linkwork.program import Program
from linkwork.symbolic import Expr, symbol

BEYOND = 1000  # times the reach of all parts together


@dataclass(slots=True)
class _Rows:
    """Instances of one kernel, as they are found."""

    kernel: Kernel
    names: list[str] = field(default_factory=list)
    coordinates: list[Sequence[int]] = field(default_factory=list)
    rows: list[Sequence[int]] = field(default_factory=list)
    parameters: list[Sequence[float]] = field(default_factory=list)

    def term(self) -> Term:
        k, count = self.kernel, len(self.names)
        return Term(
            kernel=k,
            names=tuple(self.names),
            coordinates=np.array(self.coordinates, dtype=np.int64).reshape(count, len(k.coordinates)),
            rows=np.array([list(r) for r in self.rows], dtype=np.int64).reshape(count, k.constraint_count),
            parameters=np.array(self.parameters, dtype=np.float64).reshape(count, len(k.parameters)),
            known=self.parameters,
        )


class Instances:
    """Instances of kernels, and the names of the constraints they bring, as they are found."""

    def __init__(self) -> None:
        self.constraints: list[str] = []
        self.rows: dict[Kernel, _Rows] = {}

    def add(
        self,
        kernel: Kernel,
        name: str,
        coordinates: Iterable[int],
        parameters: Iterable[float],
        constraints: Sequence[str] = (),
    ) -> None:
        """One more instance of a kernel, with the names of the constraints it brings."""
        rows = self.rows.setdefault(kernel, _Rows(kernel))
        rows.names.append(name)
        rows.coordinates.append(tuple(coordinates))
        rows.parameters.append(tuple(parameters))
        first = len(self.constraints)
        rows.rows.append(range(first, first + len(constraints)))
        self.constraints.extend(constraints)

    @property
    def repetition(self) -> float:
        """How many instances a kernel has, on the average."""
        return sum(len(rows.names) for rows in self.rows.values()) / max(1, len(self.rows))

    def terms(self) -> tuple[Term, ...]:
        """Kernels with all their instances."""
        return tuple(rows.term() for rows in self.rows.values())


class Collector(Instances):
    """Coordinates of a mechanism (of its moving points, turn angles, slides, states) and the instances found so far."""

    def __init__(self, mechanism: Mechanism, slides: Sequence[str]) -> None:
        super().__init__()
        self.mechanism = mechanism
        self.dimension = mechanism.dimension
        self.axes = "xyz"[: self.dimension]
        d, moving, fixed = self.dimension, mechanism.moving_points, tuple(mechanism.fixed)
        scalars = [*mechanism.turn_angles, *slides, *(state.name for state in mechanism.states)]
        names = [*mechanism.turn_angles, *slides, *(integral_name(state.name) for state in mechanism.states)]
        self.names = [f"{p}{axis}" for p in moving for axis in self.axes] + names
        self.points = {point: tuple(range(d * i, d * i + d)) for i, point in enumerate(moving)}
        n = len(self.names)
        self.points |= {point: tuple(range(n + d * i, n + d * i + d)) for i, point in enumerate(fixed)}
        self.angles = {name: d * len(moving) + i for i, name in enumerate(mechanism.turn_angles)}
        self.scalars = {name: d * len(moving) + i for i, name in enumerate(scalars)}
        self.states = {state.name: self.scalars[state.name] for state in mechanism.states}
        self.scales = {state.name: mechanism.compute(state.scale) for state in mechanism.states}
        self.known_frozen = [self.number(x) for point in fixed for x in mechanism.fixed[point]]
        self.frozen = np.array(self.known_frozen, dtype=np.float64)
        self.gravity = [self.number(x) for x in mechanism.gravity] if mechanism.gravity else [0.0] * d
        self.hints: dict[int, Watch] = {}
        self.sides = Instances()
        self.extent = 0.0

    def number(self, value: Expr) -> float:
        """The value of an expression of parameters."""
        return Known(self.mechanism.compute(value), lambda: value)

    def of(self, *points: str) -> list[int]:
        """The coordinates of points, one after another."""
        return [c for point in points for c in self.points[point]]

    def is_moving(self, *points: str) -> bool:
        """Whether at least one of the points moves."""
        return any(point not in self.mechanism.fixed for point in points)

    def add_law(
        self,
        name: str,
        purpose: str,
        laws: Sequence[Expr],
        build: Build,
        *,
        points: Sequence[str] = (),
        angles: Sequence[str] = (),
        numbers: Mapping[str, float] | None = None,
        constraints: Sequence[str] = (),
    ) -> None:
        """One more instance of the kernel of a law; `numbers` are further parameters of the kernel."""
        extra = numbers or {}
        made = law_kernel(
            purpose, laws, build, dimension=self.dimension, points=points, angles=angles, numbers=tuple(extra)
        )
        places = [*self.of(*made.points), *(self.scalars[angle] for angle in made.angles)]
        values = [*(self.number(symbol(p)) for p in made.parameters), *extra.values()]
        self.add(made.kernel, name, places, values, constraints)

    def add_hint(self, scalar: str, program: Program, points: Sequence[str], parameters: Sequence[float] = ()) -> None:
        """How to guess an angle or slide from the places of points."""
        self.hints[self.scalars[scalar]] = make_watch(scalar, program, self.of(*points), parameters)

    def watch(self, event: Event) -> Watch:
        """An event as an expression to look at."""
        program, made = law_program(event.when, dimension=self.dimension)
        places = [*self.of(*made.points), *(self.scalars[a] for a in made.angles)]
        parameters = [self.mechanism.values[p] for p in made.parameters]
        return make_watch(event.name, program, places, parameters, event.stop, event.direction)

    def system(self) -> System:
        """Everything collected."""
        size = max(self.extent, self._size()) or 1.0
        lengths = len(self.names) - len(self.scalars)
        return System(
            coordinates=tuple(self.names),
            frozen=self.frozen,
            constraints=tuple(self.constraints),
            terms=self.terms(),
            scales=np.array([size] * lengths + [self.scales.get(name, 1.0) for name in self.scalars]),
            points=self.points,
            angles=self.angles,
            states=self.states,
            hints=self.hints,
            watches=tuple(self.watch(event) for event in self.mechanism.events),
            parts={rigid.name: rigid.points for rigid in self.mechanism.rigids},
            joints={joint.name: (*joint.parts, *joint.points) for joint in self.mechanism.joints},
            sides=self.sides.terms(),
            side_names=tuple(self.sides.constraints),
            known_frozen=self.known_frozen,
            parameters=self.mechanism.values,
        )

    def _size(self) -> float:
        """How far the points spread that are fixed or guessed; a guess beyond all reach of the parts does not count."""
        m = self.mechanism
        fixed = self.frozen.reshape(-1, self.dimension).tolist()
        guessed = [[self.number(guess.value) for guess in place] for place in m.start.positions.values()]
        reach = _spread(fixed) + self.extent * (len(m.rigids) + len(m.springs))
        return min(_spread([*fixed, *guessed]), BEYOND * reach or math.inf)


def _spread(places: Sequence[Sequence[float]]) -> float:
    """The largest distance of a point from the middle of them all; turns do not change it."""
    known = np.array(places)
    largest = float(np.max(np.abs(known), initial=0.0)) or 1.0
    known = known / largest  # squares of huge numbers are too large
    return largest * float(np.max(np.linalg.norm(known - known.mean(axis=0), axis=1))) if len(known) else 0.0


def make_watch(
    name: str,
    program: Program,
    places: Sequence[int],
    parameters: Sequence[float],
    stop: bool = False,
    direction: int = 0,
) -> Watch:
    return Watch(
        name=name,
        program=program,
        coordinates=np.array(places, dtype=np.int64),
        parameters=np.array(parameters, dtype=np.float64),
        stop=stop,
        direction=direction,
    )
