"""The points formalism: a planar Mechanism in, a System over the world positions of its moving points out.

Coordinates are x and y of every moving point, in lexicographic order of their names, followed by the turn angles.
A pin joint is a shared point and costs nothing. Knows no solver and no file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwork.equations import planar
from linkwork.equations.kernel import Kernel
from linkwork.equations.laws import (
    Build,
    damping_between,
    dissipating,
    following,
    force_at,
    force_in_plane_frame,
    law_kernel,
    law_program,
    on_line,
    torque_on,
)
from linkwork.equations.system import System, Term, Watch
from linkwork.model import Mechanism, Rigid, Torque
from linkwork.model.connections import Collinear
from linkwork.model.laws import Event, Force, Motion, is_constant, quantity
from linkwork.symbolic import Expr

AXES = "xy"


def formulate_points(mechanism: Mechanism) -> System:
    """The equations of a planar mechanism in the coordinates of its points."""
    return _Formulation(mechanism).system()


@dataclass(slots=True)
class _Rows:
    """Instances of one kernel, as they are found."""

    kernel: Kernel
    names: list[str] = field(default_factory=list)
    coordinates: list[Sequence[int]] = field(default_factory=list)
    rows: list[Sequence[int]] = field(default_factory=list)
    parameters: list[Sequence[float]] = field(default_factory=list)

    def term(self) -> Term:
        k = self.kernel
        return Term(
            kernel=k,
            names=tuple(self.names),
            coordinates=np.array(self.coordinates, dtype=np.int64).reshape(len(self.names), len(k.coordinates)),
            rows=np.array([list(r) for r in self.rows], dtype=np.int64).reshape(len(self.names), k.constraint_count),
            parameters=np.array(self.parameters, dtype=np.float64).reshape(len(self.names), len(k.parameters)),
        )


class _Formulation:
    """Walks the parts of a mechanism once and collects instances and constraints."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        moving, fixed = mechanism.moving_points, tuple(mechanism.fixed)
        self.names = [f"{point}{axis}" for point in moving for axis in AXES] + list(mechanism.turn_angles)
        first_frozen = len(self.names)
        self.points = {point: (2 * i, 2 * i + 1) for i, point in enumerate(moving)}
        self.points |= {point: (first_frozen + 2 * i, first_frozen + 2 * i + 1) for i, point in enumerate(fixed)}
        self.angles = {part: 2 * len(moving) + i for i, part in enumerate(mechanism.turn_angles)}
        self.frozen = np.array([self.number(x) for point in fixed for x in mechanism.fixed[point]])
        self.gravity = [self.number(x) for x in mechanism.gravity] if mechanism.gravity else [0.0, 0.0]
        self.constraints: list[str] = []
        self.instances: dict[str, _Rows] = {}
        self.extent = 0.0

    def number(self, value: Expr) -> float:
        return self.mechanism.compute(value)

    def system(self) -> System:
        """Collect everything."""
        for rigid in self.mechanism.rigids:
            self.rigid(rigid)
        for spring in self.mechanism.springs:
            self.spring(spring.name, spring.points, [spring.stiffness, spring.rest_length], spring.mass)
        for particle in self.mechanism.particles:
            self.particle(particle.point, self.number(particle.mass))
        for torque in self.mechanism.torques:
            self.torque(torque)
        self.applied_laws()
        size = max(self.extent, self.spread()) or 1.0
        scales = np.array([size] * (len(self.names) - len(self.angles)) + [1.0] * len(self.angles))
        return System(
            coordinates=tuple(self.names),
            frozen=self.frozen,
            constraints=tuple(self.constraints),
            terms=tuple(rows.term() for rows in self.instances.values()),
            scales=scales,
            points=self.points,
            angles=self.angles,
            watches=tuple(self.watch(event) for event in self.mechanism.events),
        )

    def spread(self) -> float:
        """The largest distance of a point whose place is given from the middle of them all; turns do not change it."""
        guesses = self.mechanism.start.positions.values()
        places = [[self.number(guess.value) for guess in place] for place in guesses]
        known = np.array([*self.frozen.reshape(-1, 2).tolist(), *places]).reshape(-1, 2)
        return float(np.max(np.linalg.norm(known - known.mean(axis=0), axis=1))) if len(known) else 0.0

    def add(
        self,
        kernel: Kernel,
        name: str,
        coordinates: Iterable[int],
        parameters: Iterable[float],
        constraints: Sequence[str] = (),
    ) -> None:
        """One more instance of a kernel, with the names of the constraints it brings."""
        rows = self.instances.setdefault(kernel.name, _Rows(kernel))
        rows.names.append(name)
        rows.coordinates.append(tuple(coordinates))
        rows.parameters.append(tuple(parameters))
        first = len(self.constraints)
        rows.rows.append(range(first, first + len(constraints)))
        self.constraints.extend(constraints)

    def of(self, *points: str) -> list[int]:
        """The coordinates of points, one after another."""
        return [c for point in points for c in self.points[point]]

    def is_moving(self, point: str) -> bool:
        return point not in self.mechanism.fixed

    # -- parts ----------------------------------------------------------------------------------------------------

    def rigid(self, rigid: Rigid) -> None:
        """A body: its energy, the distance of its reference points, the places of its further points."""
        a, b, *others = rigid.points
        local = [complex(*(self.number(x) for x in place)) for place in rigid.geometry]
        side = local[1] - local[0]
        length = abs(side)
        self.extent = max(self.extent, length)
        self.body(rigid, (a, b), local[0], side)
        self.hold(rigid, (a, b), length)
        for point, place in zip(others, local[2:], strict=True):
            zeta = (place - local[0]) / side
            if self.is_moving(point):
                names = [f"{point}{axis}_{a}{b}" for axis in AXES]
                self.add(planar.placement, rigid.name, self.of(a, b, point), [zeta.real, zeta.imag], names)

    def body(self, rigid: Rigid, ends: tuple[str, str], origin: complex, side: complex) -> None:
        mass, inertia = self.number(rigid.mass), self.number(rigid.inertia[0])
        if mass == 0.0 and inertia == 0.0 or not any(map(self.is_moving, ends)):
            return
        centroid = complex(*(self.number(x) for x in rigid.centroid))
        zeta = (centroid - origin) / side
        values = [zeta.real, zeta.imag, abs(side), mass, inertia, *self.gravity]
        self.add(planar.body, rigid.name, self.of(*ends), values)

    def hold(self, rigid: Rigid, ends: tuple[str, str], length: float) -> None:
        """Keep the reference points apart; if a torque acts on the body, track its turn as well."""
        if rigid.name in self.angles:
            local = [*self.of(*ends), self.angles[rigid.name]]
            names = [f"{axis}_{rigid.name}" for axis in AXES]
            self.add(planar.turning, rigid.name, local, [length], names)
        elif any(map(self.is_moving, ends)):
            self.add(planar.distance, rigid.name, self.of(*ends), [length], [f"l_{rigid.name}"])

    def spring(self, name: str, ends: Sequence[str], law: Sequence[Expr], mass: Expr) -> None:
        if not any(map(self.is_moving, ends)):
            return
        stiffness, rest = (self.number(x) for x in law)
        self.extent = max(self.extent, rest)
        if rest:
            self.add(planar.spring, name, self.of(*ends), [stiffness, rest])
        else:
            self.add(planar.plain_spring, name, self.of(*ends), [stiffness])
        if weight := self.number(mass):
            self.add(planar.spring_mass, name, self.of(*ends), [weight, *self.gravity])

    def particle(self, point: str, mass: float) -> None:
        if self.is_moving(point) and mass:
            self.add(planar.particle, point, self.of(point), [mass, *self.gravity])

    # -- forces, torques, motions, lines ---------------------------------------------------------------------------

    def torque(self, torque: Torque) -> None:
        """A constant torque is a potential; any other is an effort on the angular velocity."""
        if not is_constant(torque.value):
            angles = [torque.part] if torque.other is None else [torque.part, torque.other]
            self.law(f"torque {torque.part}", "torque", [torque.value], torque_on(torque.part, torque.other), angles=angles)
            return
        value = self.number(torque.value)
        self.add(planar.torque, torque.part, [self.angles[torque.part]], [value])
        if torque.other is not None:
            self.add(planar.torque, torque.other, [self.angles[torque.other]], [-value])

    def applied_laws(self) -> None:
        """Everything that is said by a law."""
        m = self.mechanism
        for force in m.forces:
            self.force(force)
        for damper in m.dampers:
            a, b = damper.points
            self.law(f"damper {damper.name}", "damper", [damper.force], damping_between(a, b), points=[a, b])
        for dissipation in m.dissipations:
            self.law(f"dissipation {dissipation.name}", "dissipation", [dissipation.function], dissipating())
        for motion in m.motions:
            self.motion(motion)
        for line in m.collinears:
            self.collinear(line)

    def force(self, force: Force) -> None:
        if not self.is_moving(force.point):
            return
        build, points = force_at(force.point), [force.point]
        if force.part is not None:
            a, b = self.mechanism.find_rigid(force.part).points[:2]
            build, points = force_in_plane_frame(force.point, a, b), [force.point, a, b]
        self.law(f"force {force.point}", "force", force.components, build, points=points)

    def motion(self, motion: Motion) -> None:
        """A driver: the quantity minus its law is a constraint."""
        target = quantity(motion.target)
        assert target is not None
        angles = [target.of] if target.what == "angle" else []
        self.law(
            f"motion {motion.target}",
            "motion",
            [motion.law],
            following(motion.target),
            points=target.points,
            angles=angles,
            constraints=[f"motion_{motion.target}"],
        )

    def collinear(self, line: Collinear) -> None:
        """Every further point lies on the line through two points, of one body if there are such."""
        a, b = self.base(line.points)
        for c in line.points:
            if c not in (a, b):
                name = f"line_{a}{b}{c}"
                self.law(f"line {line.name}", "line", [], on_line(a, b, c), points=[a, b, c], constraints=[name])

    def base(self, points: Sequence[str]) -> tuple[str, str]:
        """Two of the points that keep their distance, or else the first two."""
        groups = [set(rigid.points) for rigid in self.mechanism.rigids] + [set(self.mechanism.fixed)]
        for i, a in enumerate(points):
            for b in points[i + 1 :]:
                if any(a in group and b in group for group in groups):
                    return a, b
        return points[0], points[1]

    def watch(self, event: Event) -> Watch:
        program, made = law_program(event.when, dimension=2)
        return Watch(
            name=event.name,
            program=program,
            coordinates=np.array([*self.of(*made.points), *(self.angles[a] for a in made.angles)], dtype=np.int64),
            parameters=np.array([self.mechanism.values[p] for p in made.parameters]),
            stop=event.stop,
            direction=event.direction,
        )

    def law(
        self,
        name: str,
        purpose: str,
        laws: Sequence[Expr],
        build: Build,
        *,
        points: Sequence[str] = (),
        angles: Sequence[str] = (),
        constraints: Sequence[str] = (),
    ) -> None:
        """One more instance of the kernel of a law."""
        made = law_kernel(purpose, laws, build, dimension=2, points=points, angles=angles)
        coordinates = [*self.of(*made.points), *(self.angles[angle] for angle in made.angles)]
        self.add(made.kernel, name, coordinates, [self.mechanism.values[p] for p in made.parameters], constraints)
