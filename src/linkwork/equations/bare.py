"""A System without masses and forces: its constraints, states and events alone.

Where prescribed motions leave no freedom the constraints alone say how it moves,

    g(q, t) = 0,   G u = −∂g/∂t,   G u̇ = −γ        with as many independent rows as coordinates,

whatever the masses are; solvers are used to some, so every coordinate has its own.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from linkwork.equations.kernel import Contribution, Kernel, kernel, known_kernel
from linkwork.equations.system import System
from linkwork.equations.terms import Term
from linkwork.errors import Ref


@kernel("x", "mass")
def own_mass(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """T = ½ m ẋ²."""
    return Contribution(kinetic=p.mass * u.x**2 / 2)


def strip_forces(system: System) -> System:
    """The same rows, states and watches without forces, and masses of its own; nothing goes on or off there."""
    made = system.once("without forces", lambda: _strip(system))
    if made.numbers is system.numbers:
        return made
    return system.remember("without forces", lambda: made.with_numbers(system.numbers, system.parameters))


def _strip(system: System) -> System:
    kernels = {term.kernel: _strip_kernel(term.kernel) for term in system.terms}
    terms = tuple(replace(term, kernel=bare) for term in system.terms if (bare := kernels[term.kernel]) is not None)
    kinematics = tuple(replace(term, kernel=bare) for term in system.kinematics if (bare := kernels[term.kernel]))
    return replace(
        system, terms=(*terms, _weigh(system)), kinematics=kinematics, readings=(), acts={}, barriers=(), grips=()
    )


def _weigh(system: System) -> Term:
    """A mass for each coordinate, such that all of them move as one of their scales does."""
    places, names = np.flatnonzero(system.mechanical), system.places
    return Term(
        kernel=own_mass,
        names=names,
        owners=tuple(Ref("coordinate", name) for name in names),
        coordinates=places[:, None],
        rows=np.zeros((len(names), 0), dtype=np.int64),
        parameters=1.0 / system.scales[places, None] ** 2,
    )


def _strip_kernel(k: Kernel) -> Kernel | None:
    """What is left of a kernel; None if nothing is."""
    c = k.contribution
    left = Contribution(
        constraints=c.constraints,
        velocity_constraints=c.velocity_constraints,
        rates=c.rates,
        kinematics=c.kinematics,
    )
    if not (c.constraints or c.velocity_constraints or c.rates or c.kinematics):
        return None
    if left == c:
        return k
    name = f"{k.name} without forces"
    return known_kernel(name, k.coordinates, k.parameters, left, k.followers, k.kind)
