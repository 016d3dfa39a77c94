"""Finished models joined: models and the constraints among them in, the model of the whole out, ready to move.

Each model keeps its equations, its constraints, its values and its start; what joins them are rows with multipliers.
Nothing is eliminated and models that are alike are instances of the same kernels, so that the cost is in proportion to
their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from linkwork.errors import Ref, StartError, show_value
from linkwork.garbage import rarely_collected
from linkwork.given import as_list, as_map
from linkwork.modular.compose import compose, rename_parts
from linkwork.modular.module import Module
from linkwork.modular.names import as_label, refuse
from linkwork.modular.others import Suffix, make_module
from linkwork.modular.told import Line, Told, as_model, rate_symbol, tell
from linkwork.pipeline import Model
from linkwork.symbolic import Expr, Symbol, free_symbols, substitute

NEED = "Give {label: model}, or a list of models and modules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A module and what a finished model has besides: its start, its points, its variables, values of its inputs."""

    module: Module
    start: Mapping[Symbol, float] = field(default_factory=dict)
    points: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    variables: Mapping[str, Expr] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)

    def renamed(self, module: Module) -> Part:
        """The same over the names of the module after a renaming."""
        old, new = ([*m.coordinates, *m.speeds] for m in (self.module, module))
        names: dict[Expr, Expr] = {a: b for a, b in zip(old, new, strict=True) if a is not b}

        def written(expr: Expr) -> Expr:
            return substitute(expr, {s: names[s] for s in free_symbols(expr) if s in names})

        return Part(
            module=module,
            start={s: x for a, x in self.start.items() if isinstance(s := names.get(a, a), Symbol)},
            points={name: tuple(map(written, place)) for name, place in self.points.items()},
            lines=self.lines,
            variables={name: written(e) for name, e in self.variables.items()},
            inputs=self.inputs,
        )


@rarely_collected()
def join(
    label: str,
    models: Mapping[str, Any] | Iterable[Any],
    *,
    constraints: Mapping[Any, Any] | None = None,
    coordinates: str | Iterable[str] = "",
    forces: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    rename: Mapping[str, str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    start: Mapping[str, Any] | None = None,
    points: Mapping[str, Iterable[Any]] | None = None,
    lines: Iterable[Iterable[str]] = (),
    variables: Mapping[str, Any] | None = None,
    **options: Any,
) -> Model:
    """The model of finished models with constraints among them.

    models        {label: model}: what lw.load, lw.lagrangian, Tree.model or Module.model return, a mechanism, a tree, a
                  file, or a module; of a list, modules have their labels and models are "m1", "m2", ... by their places
    constraints   {name: formula that is zero}, of positions or speeds; by order as for `compose`, too
    coordinates   new ones; forces {speed: force} and inputs {input: formula} are added as for `compose`
    rename        {old: new} of labels and variables
    parameters    values of what is new, or instead of those that the models have
    start         the models begin as near to their own starts as the constraints allow, and to what is said here
    points        {name: (x, y, z)} besides those of the models, `lines` between them, `variables` as results
    and title, t0, tend, events, scales, settings as for a Lagrangian

    >>> import linkwork as lw
    >>> cart = lw.lagrangian("x", "m*x'**2/2 - k*x**2/2", parameters={"m": 2, "k": 50}, start={"x": 0.1})
    >>> two = join("two", {"a": cart, "b": cart}, constraints={"tie": "a.x - b.x"})
    >>> two.simulate(1).outcome
    'reached t = 1'
    """
    name = as_label(label)
    parts = _read_parts(name, models, rename)
    whole = compose(
        name,
        [part.module for part in parts],
        coordinates=coordinates,
        constraints=_by_order(constraints),
        forces=forces,
        inputs=inputs,
        how="least squares",
    )
    told = _tell_all(parts, whole)
    own = {"start": start, "points": points, "variables": variables}
    for key, given in own.items():
        told[key] |= as_map(given, Ref(f"system '{name}'"), key)
    told["start"] = {_full_name(whole, s): x for s, x in told["start"].items()}
    told["lines"] += as_list(lines, Ref(f"system '{name}'"), "lines", 'Give [("O", "P")]')
    return whole.model(parameters=parameters, **told, **options)


def _tell_all(parts: Sequence[Part], whole: Module) -> dict[str, Any]:
    """What finished models have besides, as it is told of the whole; inputs that are still open."""
    still_open = {*whole.inputs}
    return {
        "start": {s.name: x for part in parts for s, x in part.start.items()},
        "points": {n: place for part in parts for n, place in part.points.items()},
        "lines": [line for part in parts for line in part.lines],
        "variables": {n: e for part in parts for n, e in part.variables.items()},
        "inputs": {n: x for part in parts for n, x in part.inputs.items() if n in still_open},
    }


def _full_name(whole: Module, name: str) -> str:
    """The name of a variable whose short name may be given."""
    found = whole.names.get(name)
    return found.name if isinstance(found, Symbol) else name


def _by_order(given: Mapping[Any, Any] | None) -> Mapping[Any, Any] | None:
    """Constraints by order; those by name alone are of the order that their formulas ask for."""
    if not isinstance(given, Mapping) or any(isinstance(key, int) for key in given):
        return given
    return {None: given}


def _read_parts(label: str, models: Any, rename: Mapping[str, str] | None) -> list[Part]:
    """All parts under their names."""
    parts = _ask_models(label, models)
    if not rename:
        return parts
    names = as_map(rename, Ref(f"system '{label}'"), "rename")
    modules = rename_parts(label, tuple(part.module for part in parts), names)
    return [part.renamed(module) for part, module in zip(parts, modules, strict=True)]


def _ask_models(label: str, models: Any) -> list[Part]:
    """What each of the models tells; one that is there several times is asked once."""
    if isinstance(models, str | bytes | Module | Model) or not isinstance(models, Iterable):
        raise refuse(f"system '{label}'", f"{show_value(models)} are no models", NEED)
    known: dict[int, tuple[Model, Told, dict[Symbol, float]]] = {}
    pairs = models.items() if isinstance(models, Mapping) else ((f"m{k}", x) for k, x in enumerate(models, 1))
    found = []
    for key, given in pairs:
        if isinstance(given, Module):
            found.append(_named_part(given, key if isinstance(models, Mapping) else given.label))
            continue
        name = as_label(key)
        if id(given) not in known:
            model = as_model(name, given)
            told = tell(name, model)
            known[id(given)] = model, told, _find_start(name, model, told)
        _, told, start = known[id(given)]
        found.append(_part(name, told, start))
    if not found:
        raise refuse(f"system '{label}'", "no models", NEED)
    return found


def _named_part(module: Module, label: str) -> Part:
    """A module under the label that it is given for."""
    name = as_label(label)
    return Part(module=module if module.label == name else module.rename({module.label: name}))


def _part(label: str, told: Told, start: Mapping[Symbol, float]) -> Part:
    new = Suffix(label, told)
    return Part(
        module=make_module(label, told),
        start={new.symbol(s): x for s, x in start.items()},
        points={new.name(name): tuple(map(new, place)) for name, place in told.points.items()},
        lines=tuple(tuple(map(new.name, line)) for line in told.lines),
        variables={new.name(name): new(e) for name, e in told.variables.items() if not _is_speed(e, told)},
        inputs={new.name(name): x for name, x in told.inputs.items()},
    )


def _is_speed(expr: Expr, told: Told) -> bool:
    """Whether a variable is a speed of its own, a result anyway."""
    return expr in told.names


def _find_start(label: str, model: Model, told: Told) -> dict[Symbol, float]:
    """Where a model begins, by its own symbols; a state by its speed."""
    try:
        begin, system = model.start, model.system
    except StartError as error:
        words = f"system '{label}' alone: {error}"
        raise StartError(words, error.closest, error.conflict, error.parts) from None
    found: dict[Symbol, float] = {}
    moving = [j for j, place in enumerate(system.mechanical) if place]
    for s, j in zip(told.q, moving, strict=True):
        found |= {rate_symbol(s): float(begin.u[j])}
        if rate_symbol(s) not in told.names:
            found[s] = float(begin.q[j])
    return found | {s: float(begin.u[j]) for s, j in zip(told.states, system.states.values(), strict=True)}
