"""Readings: what a motion says of a mechanism at some times, and by what its errors are to be judged.

Plain arrays by name: the only thing an audit knows of a motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from linkwork.arrays import Floats

PLACES = 100.0  # times the tolerance: errors of places and speeds that are allowed between steps
FORCES = 300.0  # times the tolerance: errors of forces, which follow from accelerations
COARSE = 0.02  # relative errors of forces that no tolerance allows
ROUNDING = 1e-11  # relative errors of places that are rounding
ROUGH = 1e-8  # of forces, which may be small differences of large ones


def share_of_forces(tol: float) -> float:
    """The relative error of forces that is allowed."""
    return min(FORCES * tol, COARSE) + ROUGH


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """A motion at k times, each inside a step.

    t, h           the times, and how long the steps are that contain them   (k,)
    points         numbers of the points
    x, v, a        places, velocities and accelerations of the points   (k, points, dimension)
    turns          turn angles and their rates, by part or joint   (k,)
    states         values and rates of first-order states   (k,)
    inputs         values of inputs   (k,)
    driving        forces and torques that keep prescribed motions by target, "relation R" and "velocity V"   (k,)
    order, tol     of the series; size: by what the tolerance is to be multiplied to be a length
    damped         whether steps go over fast vibrations: errors of places and speeds count in stiff forces
    """

    t: Floats
    h: Floats
    points: Mapping[str, int]
    x: Floats
    v: Floats
    a: Floats
    turns: Mapping[str, tuple[Floats, Floats]]
    states: Mapping[str, tuple[Floats, Floats]]
    inputs: Mapping[str, Floats]
    driving: Mapping[str, Floats]
    order: int
    tol: float
    size: float
    damped: bool = False

    def head(self, count: int) -> Readings:
        """The first of these times."""
        return replace(
            self,
            t=self.t[:count],
            h=self.h[:count],
            x=self.x[:count],
            v=self.v[:count],
            a=self.a[:count],
            turns={name: (angle[:count], rate[:count]) for name, (angle, rate) in self.turns.items()},
            states={name: (value[:count], rate[:count]) for name, (value, rate) in self.states.items()},
            inputs={name: value[:count] for name, value in self.inputs.items()},
            driving={name: value[:count] for name, value in self.driving.items()},
        )

    @property
    def place(self) -> float:
        """The error of a place that is allowed [m]."""
        return self.size * (PLACES * self.tol + ROUNDING)

    @property
    def speed(self) -> Floats:
        """The error of a velocity that is allowed: that of a place in a fraction of a step.   (k,)"""
        fastest = np.max(np.abs(self.v), axis=(1, 2), initial=0.0)
        within = self.order * self.size * PLACES * self.tol / self.h
        return np.asarray(within + ROUNDING * (fastest + self.size / self.h))

    @property
    def quickness(self) -> Floats:
        """The error of an acceleration that is allowed.   (k,)"""
        return np.asarray(self.order**2 * self.size * PLACES * self.tol / self.h**2)

    def at(self, point: str) -> Floats:
        """Where a point is.   (k, dimension)"""
        return self.x[:, self.points[point]]

    def velocity(self, point: str) -> Floats:
        """How fast it moves.   (k, dimension)"""
        return self.v[:, self.points[point]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """Energies at k times: kinetic, all of it, how large its parts are, the power of all that is not conservative.

    `slack` is the energy that places and velocities with the errors allowed may be off by.   all (k,)
    """

    kinetic: Floats
    energy: Floats
    size: Floats
    power: Floats
    slack: Floats

    def tail(self, first: int) -> Weight:
        """Without the first of these times."""
        return Weight(**{field.name: getattr(self, field.name)[first:] for field in fields(self)})
