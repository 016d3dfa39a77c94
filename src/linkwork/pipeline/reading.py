"""Files, texts and Lagrangians in, models out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from linkwork.errors import Ref
from linkwork.given import as_text
from linkwork.model import Event, Formula, Formulas, Friction, Implicit, Lagrangian, Sampled, Scalar, Stop
from linkwork.model.start import Start as InitialValue
from linkwork.pipeline.model import Model, tell
from linkwork.spec import parse_marked, read_marked


def load(path: str | os.PathLike[str]) -> Model:
    """Read a mechanism from a YAML file.

    >>> load("examples/andrews.yaml").mechanism.title
    'Andrews Squeezing Mechanism'
    """
    mechanism, marks = read_marked(path)
    tell([*marks.notes, *map(marks.locate, mechanism.notes)])
    return Model(mechanism, marks=marks, told=mechanism.notes)


def loads(text: str) -> Model:
    """Read a mechanism from YAML text."""
    mechanism, marks = parse_marked(as_text(text, Ref("loads")))
    tell([*marks.notes, *map(marks.locate, mechanism.notes)])
    return Model(mechanism, marks=marks, told=mechanism.notes)


def lagrangian(
    coordinates: str | Iterable[str],
    energy: Formula,
    *,
    constraints: Formulas = (),
    velocity_constraints: Formulas = (),
    variables: Mapping[str, Formula | Implicit] | None = None,
    states: Mapping[str, Formula] | None = None,
    forces: Mapping[str, Formula] | Callable[..., object] | None = None,
    dissipation: Formula = 0,
    parameters: Mapping[str, Scalar] | None = None,
    start: Mapping[str, InitialValue] | None = None,
    t0: Scalar = 0,
    tend: Scalar | None = None,
    points: Mapping[str, Formulas] | None = None,
    lines: Iterable[Iterable[str]] = (),
    events: Event | Iterable[Event] = (),
    stops: Stop | Iterable[Stop] = (),
    frictions: Friction | Iterable[Friction] = (),
    controllers: Sampled | Iterable[Sampled] = (),
    inputs: Mapping[str, Scalar] | None = None,
    off: str | Iterable[str] = (),
    scales: Mapping[str, float] | None = None,
    title: str = "",
    units: Mapping[str, str] | None = None,
) -> Model:
    """A system given by its Lagrangian, ready to be worked with.

    Formulas are texts, expressions, or functions of some of q (coordinates), u (speeds), p (parameters) and t.
    Constraints are equations g(q, t) = 0, velocity constraints A(q, t) u + b(q, t) = 0; variables are names for
    formulas; states are quantities of their own with a given rate, X' = f(q, u, X, t) (controllers, filters); forces
    are by coordinate, the dissipation is a Rayleigh function; `start` has values by coordinate or state and, with a
    prime, by speed. Inputs are numbers that are held until events, sampled controllers or a stepper change them;
    constraints in `off` do not hold at the start. `units` of some names tell those of others, in plots and exports.

    >>> swing = lagrangian("theta", "theta'**2/2 + g*cos(theta)", parameters={"g": 9.81}, start={"theta": 1})
    >>> swing.simulate(2).outcome
    'reached t = 2'
    """
    return Model(
        Lagrangian(
            coordinates, energy, constraints=constraints, velocity_constraints=velocity_constraints,
            variables=variables, states=states, forces=forces,
            dissipation=dissipation, parameters=parameters, start=start, t0=t0, tend=tend, points=points, lines=lines,
            events=events, stops=stops, frictions=frictions, controllers=controllers, inputs=inputs, off=off,
            scales=scales, title=title, units=units,
        )
    )  # fmt: skip
