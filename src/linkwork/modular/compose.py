"""Composition: systems and the constraints among them in, the model of the whole out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from linkwork.errors import InputError, Problem, did_you_mean, show_value
from linkwork.modular.module import Module
from linkwork.modular.names import Names, acceleration, as_label, listed, refuse
from linkwork.modular.renaming import connect_inputs
from linkwork.modular.rules import Rule, Rules
from linkwork.symbolic import Expr, Symbol, free_symbols, symbol

KINDS = {0: {"speed", "acceleration"}, 1: {"acceleration"}, 2: set[str]()}
WORDS = ("positions", "speeds", "accelerations")


def compose(
    label: str,
    subsystems: Module | Iterable[Module],
    *,
    coordinates: str | Iterable[str] = "",
    speeds: str | Iterable[str] | None = None,
    kinematics: Mapping[str, Any] | None = None,
    constraints: Mapping[int, Any] | None = None,
    forces: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    independent: Iterable[str] | None = None,
    rules: Mapping[str, Any] | Iterable[tuple[Any, Any]] = (),
    rename: Mapping[str, str] | None = None,
    how: str = "exact",
    at: Mapping[str, float] | None = None,
    explicit: bool = False,
    progress: Callable[[str], object] | None = None,
    description: str = "",
) -> Module:
    """The system of some subsystems with constraints among them.

    coordinates   new ones, and `speeds` beside them: x' of x if nothing else is said
    kinematics    rates of new coordinates that are no speeds of their own, by speeds
    constraints   {order: {name: formula that is zero}}: 0 of positions, 1 of speeds, 2 of accelerations
    forces        {speed: force}: added to what the subsystems have
    inputs        {input of a subsystem: formula}: what goes into it
    independent   speeds that stay free; left out, the plainest are found
    rules         {sum: what it is equal to}, with which equations are shortened
    how           "exact"; "least squares" if some constraints follow from others, judged `at` values of parameters;
                  "null space" for independent speeds with names of their own
    rename        {old: new} of labels and variables of the subsystems
    explicit      whether the accelerations are derived now, not when they are asked for
    progress      called with the name of each step of what is derived now, and with its time: progress=print
    """
    name = as_label(label)
    _check_maps(
        name, kinematics=kinematics, constraints=constraints, forces=forces, inputs=inputs, rename=rename, at=at
    )
    parts = _as_modules(subsystems, name)
    if rename:
        parts = _renamed(name, parts, rename)
    _check_labels(name, parts)
    added = [symbol(q, kind="coordinate") for q in listed(coordinates, "coordinates")]
    moved = {q: symbol(f"{q.name}'", kind="speed") for q in added if q.name not in (kinematics or {})}
    wanted = [s.name for s in moved.values()] if speeds is None else listed(speeds, "speeds")
    own_speeds = tuple(symbol(s, kind="speed") for s in dict.fromkeys([*(s.name for s in moved.values()), *wanted]))
    _check_variables(name, parts, [*added, *own_speeds])
    everything = [*(s for part in parts for s in (*part.coordinates, *part.speeds)), *added, *own_speeds]
    everything += [acceleration(s) for s in everything if s.kind == "speed"]
    names = _names(name, parts, everything)
    if inputs:
        parts = _connected(parts, inputs, names)
        names = _names(name, parts, everything)
    rates: dict[Symbol, Expr] = {**moved}
    for q, given in (kinematics or {}).items():
        if q not in {s.name for s in added}:
            raise refuse(f"system '{name}'", f"kinematics of '{q}', which is no new coordinate", "Name it among them")
        rates[symbol(q, kind="coordinate")] = names.read(given, f"kinematics of '{q}'")
    known = {s.name for s in everything if s.kind == "speed"}
    pushes = {s: names.read(e, f"force on '{s}'") for s, e in (forces or {}).items()}
    for s in pushes:
        if s not in known:
            remedy = did_you_mean(s, known) or f"Speeds are {', '.join(sorted(known))}"
            raise refuse(f"system '{name}'", f"the dynamics have a row '{s}', which is no speed", remedy)
    known_parameters = {p for part in parts for p in part.parameters}
    for variable in everything:
        if variable.name in known_parameters:
            what = f"'{variable.name}' is a variable here and a parameter of a subsystem"
            raise refuse(f"system '{name}'", what, f'Give one another name: rename({{"{variable.name}": ...}})')
    chosen = None if independent is None else tuple(_speed(names, s, known) for s in independent)
    whole = Module(
        label=name,
        description=description,
        subsystems=parts,
        own_coordinates=tuple(added),
        own_speeds=own_speeds,
        own_kinematics=rates,
        own_constraints=_read_constraints(constraints or {}, names, name),
        own_applied=pushes,
        own_independent=chosen,
        how=how,
        at=dict(at or {}),
        rules=_read_rules(rules, names),
        short={f"{name}.{s.name}": s for s in (*added, *own_speeds)},
    )
    if explicit or progress is not None:
        whole.derive(explicit=explicit, progress=progress)
    return whole


def _check_maps(label: str, **given: Any) -> None:
    """What is given by name is a mapping."""
    for word, x in given.items():
        if x is not None and not isinstance(x, Mapping):
            example = '{0: {"name": "formula"}}' if word == "constraints" else '{"name": ...}'
            raise refuse(f"system '{label}'", f"{word}: {show_value(x)} is no mapping", f"Give {example}")


def _as_modules(given: Any, label: str) -> tuple[Module, ...]:
    several = (given,) if isinstance(given, Module) else tuple(given)
    for part in several:
        if not isinstance(part, Module):
            raise refuse(
                f"system '{label}'", f"{show_value(part)} is no module", "Make one with newton_euler or compose"
            )
    return several


def _renamed(label: str, parts: tuple[Module, ...], names: Mapping[str, str]) -> tuple[Module, ...]:
    """The subsystems under other names, each with those of its own."""
    known = [{m.label for m in part.levels} | {s.name for s in (*part.coordinates, *part.speeds)} for part in parts]
    everywhere = set[str]().union(*known)
    for old in names:
        if old not in everywhere:
            remedy = did_you_mean(old, everywhere) or f"There are: {', '.join(sorted(everywhere))}"
            raise refuse(f"system '{label}'", f"no label or variable named '{old}'", remedy)
    pairs = zip(parts, known, strict=True)
    return tuple(part.rename({old: new for old, new in names.items() if old in own}) for part, own in pairs)


def _names(label: str, parts: Sequence[Module], symbols: Sequence[Symbol]) -> Names:
    """What formulas of the whole may name."""
    short = {name: e for part in parts for name, e in part.names.items()}
    return Names(symbols, short, f"system '{label}'")


def _connected(parts: tuple[Module, ...], inputs: Mapping[str, Any], names: Names) -> tuple[Module, ...]:
    """The subsystems with what goes into them."""
    open_inputs = {name for part in parts for name in part.inputs}
    formulas: dict[Expr, Expr] = {}
    for name, given in inputs.items():
        s = names.known.get(name, symbol(name, kind="input"))
        if not isinstance(s, Symbol) or s.name not in open_inputs:
            remedy = did_you_mean(name, open_inputs) or f"Inputs are: {', '.join(sorted(open_inputs)) or 'none'}"
            raise refuse(names.part, f"no input named '{name}'", remedy)
        formulas[s] = names.read(given, f"input '{name}'")
    return tuple(connect_inputs(part, formulas) for part in parts)


def _check_labels(label: str, parts: Sequence[Module]) -> None:
    owner: dict[str, str] = {label: label}
    for part in parts:
        for m in part.levels:
            if m.label in owner:
                first, second = owner[m.label], part.label
                what = f"two systems are labelled '{m.label}': one is in '{first}', the other in '{second}'"
                raise refuse(
                    f"system '{label}'", what, f'Give one another label: {part.label}.rename({{"{m.label}": ...}})'
                )
            owner[m.label] = part.label


def _check_variables(label: str, parts: Sequence[Module], added: Sequence[Symbol]) -> None:
    owner: dict[str, str] = {}
    problems = []
    groups = [(part.label, [*part.coordinates, *part.speeds]) for part in parts] + [(label, list(added))]
    for name, symbols in groups:
        for s in symbols:
            if s.name in owner:
                what = f"'{s.name}' is a variable of '{owner[s.name]}' and of '{name}'"
                remedy = f'Give one another name: rename({{"{s.name}": ...}})'
                problems.append(Problem(part=f"system '{label}'", what=what, remedy=remedy))
            owner[s.name] = name
    if problems:
        raise InputError(problems)


def _speed(names: Names, given: Any, known: set[str]) -> str:
    meant = names.known.get(given) if isinstance(given, str) else given
    found = meant.name if isinstance(meant, Symbol) else str(given)
    if found not in known:
        remedy = did_you_mean(found, known) or f"Speeds are {', '.join(sorted(known))}"
        raise refuse(names.part, f"the independent '{found}' is no speed", remedy)
    return found


def _read_constraints(given: Mapping[int, Any], names: Names, label: str) -> dict[int, dict[str, Expr]]:
    found: dict[int, dict[str, Expr]] = {}
    used: set[str] = set()
    for order, formulas in given.items():
        if order not in KINDS:
            remedy = "Use 0 for positions, 1 for speeds, 2 for accelerations"
            raise refuse(names.part, f"constraints of order {show_value(order)}", remedy)
        named = (
            formulas
            if isinstance(formulas, Mapping)
            else {f"{label}_{order}_{i}": e for i, e in enumerate(_several(formulas), 1)}
        )
        found[order] = {}
        for key, formula in named.items():
            e = names.read(formula, f"constraint '{key}'")
            name = str(key) if str(key) not in used else f"{key}_{order}"
            used.add(name)
            _check_constraint(names.part, name, e, order)
            found[order][f"{label}.{name}"] = e
    return found


def _several(given: Any) -> list[Any]:
    return [given] if isinstance(given, str | Expr) else list(given)


def _check_constraint(part: str, name: str, e: Expr, order: int) -> None:
    kinds = {str(s.kind): s.name for s in sorted(free_symbols(e), key=lambda s: s.name)}
    wrong = sorted(KINDS[order] & kinds.keys())
    if wrong:
        what = f"constraint '{name}' of {WORDS[order]} has '{kinds[wrong[0]]}' in it"
        raise refuse(part, what, f"Give it with order {order + 1}")
    if not kinds.keys() & {"coordinate", "speed", "acceleration"}:
        raise refuse(part, f"constraint '{name}' has no variable in it", "Check the names: other names are parameters")


def _read_rules(given: Any, names: Names) -> Rules:
    pairs = given.items() if isinstance(given, Mapping) else given
    found = []
    for old, new in pairs:
        rule = Rule(names.read(old, "rule"), names.read(new, "rule"))
        if rule.old is rule.new or not free_symbols(rule.old):
            raise refuse(names.part, f"rule {rule} replaces nothing", "Leave it out")
        found.append(rule)
    return Rules(found)
