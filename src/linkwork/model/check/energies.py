"""What can be wrong with a Lagrangian whose formulas have been read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from linkwork.errors import Problem, did_you_mean, show_value
from linkwork.model.check.findings import LARGEST
from linkwork.model.formulas import is_scale
from linkwork.model.signals import LARGEST_SCALE, SMALLEST_SCALE, inputs_in
from linkwork.symbolic import derivatives, free_symbols, symbol

if TYPE_CHECKING:
    from linkwork.model.lagrangian import Lagrangian


def find_problems(model: Lagrangian) -> Iterator[Problem]:
    """Everything wrong with energies, constraints, scales, start and lines."""
    yield from check_values(model)
    speeds = {symbol(f"{name}'", kind="speed") for name in model.coordinates}
    for name, g in model.constraints.items():
        used = sorted(s.name for s in free_symbols(g) if s.kind == "speed")
        if used:
            remedy = "Give it as a velocity constraint"
            yield Problem(part=f"constraint '{name}'", what=f"it contains the speed {used[0]}", remedy=remedy)
        elif held := [name for name in inputs_in(g) if name in model.inputs]:
            what = f"it contains the input {held[0]}: places cannot follow when it jumps"
            yield Problem(part=f"constraint '{name}'", what=what, remedy="Give it as a velocity constraint")
        elif not any(s.kind == "coordinate" for s in free_symbols(g)):
            yield Problem(part=f"constraint '{name}'", what="it contains no coordinate", remedy="Check the formula")
    for name, h in model.velocity_constraints.items():
        slopes = derivatives(h, sorted(free_symbols(h) & speeds, key=lambda s: s.name))
        if not slopes:
            yield Problem(part=f"velocity constraint '{name}'", what="it contains no speed", remedy="Check the formula")
        elif any(s.kind == "speed" for slope in slopes for s in free_symbols(slope)):
            remedy = "Only constraints A(q, t) u + b(q, t) = 0 are possible"
            yield Problem(part=f"velocity constraint '{name}'", what="it is not linear in the speeds", remedy=remedy)
    repeated = model.constraints.keys() & model.velocity_constraints.keys()
    for name in sorted(repeated):
        yield Problem(part=f"constraint '{name}'", what="two constraints have this name", remedy="Rename one")
    for name, scale in model.scales.items():
        if name not in model.coordinates or not is_scale(scale):
            remedy = "Give {coordinate: positive number}, the size it usually has"
            yield Problem(
                part="scales", what=f"'{name}': {show_value(scale)} is no scale of a coordinate", remedy=remedy
            )
    for name in model.off:
        if name not in model.known.switched:
            remedy = did_you_mean(name, model.known.switched) or "Name a constraint"
            yield Problem(part="off", what=f"no constraint named '{name}'", remedy=remedy)
    yield from check_scales(model)
    yield from check_start(model)
    for line in model.lines:
        for point in line:
            if point not in model.points:
                yield Problem(part="lines", what=f"no point named '{point}'", remedy=did_you_mean(point, model.points))


def check_values(model: Lagrangian) -> Iterator[Problem]:
    """Energies, constraints and places do not depend on what follows from forces, nor on calls without slopes."""
    calls = {call.name: call.function.name for call in model.opaque}
    told = {name: f"on {name}, which follows from the forces" for name in model.algebra}
    told |= {name: f"on a call of '{function}', whose slopes are not known" for name, function in calls.items()}
    laws = {"L": [model.energy], "dissipation": [model.dissipation]}
    laws |= {f"constraint '{name}'": [g] for name, g in model.constraints.items()}
    laws |= {f"velocity constraint '{name}'": [h] for name, h in model.velocity_constraints.items()}
    laws |= {f"stop '{stop.name}'": [stop.law] for stop in model.stops}
    laws |= {f"friction '{friction.name}'": [*friction.speeds] for friction in model.frictions}
    laws |= {f"point '{name}'": list(place) for name, place in model.points.items()}
    for part, exprs in laws.items():
        for name in [name for x in exprs for name in inputs_in(x) if name in told][:1]:
            yield Problem(
                part=part, what=f"it cannot depend {told[name]}", remedy="Use it in forces, states and events"
            )
    for call in model.opaque:
        for name in [name for x in call.arguments for name in inputs_in(x) if name in model.algebra][:1]:
            what = f"it is called with {name}, which follows from the forces that it is called for"
            yield Problem(part=f"function '{call.function.name}'", what=what, remedy="Use places, speeds and time")


def check_start(model: Lagrangian) -> Iterator[Problem]:
    """Initial values are numbers of a size that floats can work with."""
    start = model.start
    values = {**start.angles, **{f"{name}'": guess for name, guess in start.rates.items()}}
    for name, guess in values.items():
        if abs(value := model.compute(guess.value)) > LARGEST:
            what, remedy = f"{value:g} is out of range", f"Use numbers up to {LARGEST:g}"
            yield Problem(part=f"start of '{name}'", what=what, remedy=remedy)


def check_scales(model: Lagrangian) -> Iterator[Problem]:
    """So are the scales of states."""
    for state in model.states:
        if not is_scale(scale := model.compute(state.scale)):
            what = f"scale {scale:g} is not a number from {SMALLEST_SCALE:g} to {LARGEST_SCALE:g}"
            yield Problem(part=f"state '{state.name}'", what=what, remedy="Give the size it usually has")
