"""Composition: systems and the constraints among them in, the model of the whole out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwork.errors import InputError, Problem, Ref, did_you_mean, show_value
from linkwork.garbage import rarely_collected
from linkwork.given import as_finite, as_list, as_map, is_word
from linkwork.modular.identities import check_rules
from linkwork.modular.module import Module
from linkwork.modular.names import Names, acceleration, as_label, listed, refuse
from linkwork.modular.renaming import connect_inputs
from linkwork.modular.rules import Rule, Rules
from linkwork.symbolic import Expr, Symbol, add, free_symbols, symbol

KINDS = {0: {"speed", "acceleration"}, 1: {"acceleration"}, 2: set[str]()}
HOW = ("exact", "least squares", "null space")
PAIRS = 'Give {"sum": "what it is equal to"}'
WORDS = ("positions", "speeds", "accelerations")


@rarely_collected()
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
    how           "exact"; "least squares" if some constraints follow from others; "null space" for independent speeds
                  with names of their own
    at            {name: number} of parameters, and of variables near a place: where rows and rules are judged
    rename        {old: new} of labels and variables of the subsystems
    explicit      whether the accelerations are derived now, not when they are asked for
    progress      called with the name of each step of what is derived now, and with its time: progress=print
    """
    name = as_label(label)
    given = {"kinematics": kinematics, "constraints": constraints, "forces": forces, "at": at}
    maps = _as_maps(name, given | {"rename": rename, "inputs": inputs})
    added = _read_added(coordinates, speeds, maps["kinematics"])
    parts, names = _read_parts(name, subsystems, added, rename=maps["rename"], inputs=maps["inputs"])
    whole = Module(
        label=name,
        description=description,
        subsystems=parts,
        own_coordinates=added.coordinates,
        own_speeds=added.speeds,
        own_kinematics=_read_rates(added, maps["kinematics"], names),
        own_constraints=_read_constraints(maps["constraints"], names, name),
        own_applied=_read_forces(maps["forces"], names),
        own_independent=None if independent is None else _read_independent(independent, names),
        how=_as_how(how, names.part),
        at=_read_numbers(maps["at"], names),
        rules=_read_rules(rules, names),
        short={f"{name}.{s.name}": s for s in (*added.coordinates, *added.speeds)},
    )
    _check_whole(whole, names)
    if explicit or progress is not None:
        whole.derive(explicit=explicit, progress=progress)
    return whole


@dataclass(frozen=True, slots=True)
class _Added:
    """The variables of a system's own: coordinates, the rates among them that are speeds, all speeds."""

    coordinates: tuple[Symbol, ...]
    moved: dict[Symbol, Symbol]
    speeds: tuple[Symbol, ...]


def _read_added(coordinates: Any, speeds: Any, kinematics: Mapping[str, Any]) -> _Added:
    names = listed(coordinates, "coordinates")
    if primed := [q for q in names if q.endswith("'")]:
        raise refuse("coordinates", f"{primed[0]} is a rate", "Name it among the speeds")
    added = tuple(symbol(q, kind="coordinate") for q in names)
    moved = {q: symbol(f"{q.name}'", kind="speed") for q in added if q.name not in kinematics}
    wanted = listed(speeds, "speeds") if speeds is not None else ()
    rates = dict.fromkeys([*(s.name for s in moved.values()), *wanted])
    return _Added(added, moved, tuple(symbol(s, kind="speed") for s in rates))


def _names(label: str, parts: Sequence[Module], added: _Added) -> Names:
    """What formulas of the whole may name."""
    symbols = [s for part in parts for s in (*part.coordinates, *part.speeds)]
    symbols += [*added.coordinates, *added.speeds]
    symbols += [acceleration(s) for s in symbols if s.kind == "speed"]
    _check_parameters(label, parts, symbols)
    short = {name: e for part in parts for name, e in part.names.items()}

    def find(name: str) -> Expr | None:
        found = (part.find(name) for part in parts)
        return next((e for e in found if e is not None), None)

    return Names(symbols, short, f"system '{label}'", find)


def _read_rates(added: _Added, given: Mapping[str, Any], names: Names) -> dict[Symbol, Expr]:
    """The rates of new coordinates."""
    rates: dict[Symbol, Expr] = {**added.moved}
    for q, formula in given.items():
        if q not in {s.name for s in added.coordinates}:
            raise refuse(names.part, f"kinematics of '{q}', which is no new coordinate", "Name it among them")
        rates[symbol(q, kind="coordinate")] = names.read(formula, f"kinematics of '{q}'")
    return rates


def _read_forces(given: Mapping[str, Any], names: Names) -> dict[str, Expr]:
    """Forces by speed, whose short name may be given."""
    known = _speeds(names)
    found: dict[str, list[Expr]] = {}
    for name, formula in given.items():
        meant = names.known.get(name)
        row = meant.name if isinstance(meant, Symbol) else name
        if row not in known:
            remedy = did_you_mean(row, known) or f"Speeds are {', '.join(sorted(known))}"
            raise refuse(names.part, f"the dynamics have a row '{row}', which is no speed", remedy)
        found.setdefault(row, []).append(names.read(formula, f"force on '{name}'"))
    return {row: add(*forces) for row, forces in found.items()}


def _read_numbers(given: Any, names: Names) -> dict[str, float]:
    """Numbers by name, of parameters and of variables, whose short names may be given."""
    found = {}
    for name, x in as_map(given, Ref(names.part), "at").items():
        meant = names.known.get(name)
        found[meant.name if isinstance(meant, Symbol) else name] = as_finite(x, Ref(f"{names.part}: at", name))
    return found


def _check_whole(whole: Module, names: Names) -> None:
    """What can be told only of the whole: whether there is something to move, who is named, which rules are true."""
    if not whole.coordinates and not whole.speeds:
        what = "it has no subsystems, and no coordinates or speeds of its own"
        raise refuse(names.part, what, "Give modules: those of newton_euler, compose or from_model")
    known = {*names.known, *(whole.parameters if whole.at else ())}
    for name in whole.at:
        if name not in known:
            remedy = did_you_mean(name, known) or f"There are: {', '.join(sorted(known))}"
            raise refuse(names.part, f"at: no parameter or variable named '{name}'", remedy)
    if whole.rules:
        check_rules(whole, whole.rules)


def _as_how(given: Any, part: str) -> str:
    if not is_word(given, HOW):
        remedy = did_you_mean(given, HOW) or f"Use {', '.join(HOW)}"
        raise refuse(part, f"no complement is called {show_value(given)}", remedy)
    return str(given)


def _check_parameters(label: str, parts: Sequence[Module], symbols: Sequence[Symbol]) -> None:
    """No variable is a parameter elsewhere."""
    known = {p for part in parts for p in part.parameters}
    for variable in symbols:
        if variable.name in known:
            what = f"'{variable.name}' is a variable here and a parameter of a subsystem"
            raise refuse(f"system '{label}'", what, f'Give one another name: rename({{"{variable.name}": ...}})')


def _read_parts(
    label: str, given: Any, added: _Added, *, rename: Mapping[str, str], inputs: Mapping[str, Any]
) -> tuple[tuple[Module, ...], Names]:
    """The subsystems under their names, all different, with what goes into them; and what formulas may name."""
    parts = _as_modules(given, label)
    if rename:
        parts = rename_parts(label, parts, rename)
    _check_labels(label, parts)
    _check_variables(label, parts, (*added.coordinates, *added.speeds))
    names = _names(label, parts, added)
    if not inputs:
        return parts, names
    parts = _connected(parts, inputs, names)
    return parts, _names(label, parts, added)


def _as_maps(label: str, given: Mapping[str, Any]) -> dict[str, Mapping[Any, Any]]:
    """What is given by name, each a mapping."""
    for word, x in given.items():
        if x is not None and not isinstance(x, Mapping):
            example = '{0: {"name": "formula"}}' if word == "constraints" else '{"name": ...}'
            raise refuse(f"system '{label}'", f"{word}: {show_value(x)} is no mapping", f"Give {example}")
    return {word: x if x is not None else {} for word, x in given.items()}


def _as_modules(given: Any, label: str) -> tuple[Module, ...]:
    remedy = "Give modules: those of newton_euler, compose or from_model"
    several = (given,) if isinstance(given, Module) else tuple(as_list(given, Ref(f"system '{label}'"), remedy=remedy))
    for part in several:
        if not isinstance(part, Module):
            raise refuse(
                f"system '{label}'", f"{show_value(part)} is no module", "Make one with newton_euler or compose"
            )
    return several


def rename_parts(label: str, parts: tuple[Module, ...], names: Mapping[str, str]) -> tuple[Module, ...]:
    """The subsystems under other names, each with those of its own."""
    known = [{m.label for m in part.levels} | {s.name for s in (*part.coordinates, *part.speeds)} for part in parts]
    everywhere = set[str]().union(*known)
    for old in names:
        if old not in everywhere:
            remedy = did_you_mean(old, everywhere) or f"There are: {', '.join(sorted(everywhere))}"
            raise refuse(f"system '{label}'", f"no label or variable named '{old}'", remedy)
    pairs = zip(parts, known, strict=True)
    return tuple(part.rename({old: new for old, new in names.items() if old in own}) for part, own in pairs)


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


def _read_independent(given: Any, names: Names) -> tuple[str, ...]:
    """Names of speeds, each once."""
    known = _speeds(names)
    found = [_speed(names, s, known) for s in as_list(given, Ref(names.part), "independent", "Write a list of speeds")]
    if twice := [s for s in found if found.count(s) > 1]:
        raise refuse(names.part, f"the independent '{twice[0]}' is there twice", "Name each once")
    return tuple(found)


def _speeds(names: Names) -> set[str]:
    return {s.name for s in names.symbols if s.kind == "speed"}


def _speed(names: Names, given: Any, known: set[str]) -> str:
    meant = names.known.get(given) if isinstance(given, str) else given
    found = meant.name if isinstance(meant, Symbol) else str(given)
    if found not in known:
        remedy = did_you_mean(found, known) or f"Speeds are {', '.join(sorted(known))}"
        raise refuse(names.part, f"the independent '{found}' is no speed", remedy)
    return found


def _read_constraints(given: Mapping[Any, Any], names: Names, label: str) -> dict[int, dict[str, Expr]]:
    """Constraints by order; of the order None, each of the one its formula asks for."""
    found: dict[int, dict[str, Expr]] = {}
    used: set[str] = set()
    for order, formulas in given.items():
        if order is not None and (isinstance(order, bool) or order not in KINDS):
            remedy = "Use 0 for positions, 1 for speeds, 2 for accelerations"
            raise refuse(names.part, f"constraints of order {show_value(order)}", remedy)
        for key, formula in _by_name(formulas, label, order, names.part).items():
            e = names.read(formula, f"constraint '{key}'")
            level = _order_of(e) if order is None else order
            name = str(key) if str(key) not in used else f"{key}_{level}"
            used.add(name)
            _check_constraint(names.part, name, e, level)
            found.setdefault(level, {})[f"{label}.{name}"] = e
    return found


def _by_name(given: Any, label: str, order: Any, part: str) -> Mapping[Any, Any]:
    """Formulas by name; those of a list get one."""
    if isinstance(given, Mapping):
        return given
    several = [given] if isinstance(given, str | Expr) else given
    if not isinstance(several, Iterable):
        raise refuse(part, f"constraints: {show_value(given)} is no formula", 'Give {"name": "formula"}')
    return {f"{label}_{order}_{i}": e for i, e in enumerate(several, 1)}


def _order_of(expr: Expr) -> int:
    """The highest order that a formula has."""
    kinds = {str(s.kind) for s in free_symbols(expr)}
    return 2 if "acceleration" in kinds else 1 if "speed" in kinds else 0


def _check_constraint(part: str, name: str, e: Expr, order: int) -> None:
    kinds = {str(s.kind): s.name for s in sorted(free_symbols(e), key=lambda s: s.name)}
    wrong = sorted(KINDS[order] & kinds.keys())
    if wrong:
        what = f"constraint '{name}' of {WORDS[order]} has '{kinds[wrong[0]]}' in it"
        raise refuse(part, what, f"Give it with order {order + 1}")
    if not kinds.keys() & {"coordinate", "speed", "acceleration"}:
        raise refuse(part, f"constraint '{name}' has no variable in it", "Check the names: other names are parameters")


def _read_rules(given: Any, names: Names) -> Rules:
    pairs = given.items() if isinstance(given, Mapping) else as_list(given, Ref(names.part), "rules", PAIRS)
    found = []
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise refuse(names.part, f"rules: {show_value(pair)} is no rule", PAIRS)
        old, new = pair
        rule = Rule(names.read(old, "rule"), names.read(new, "rule"))
        if rule.old is rule.new or not free_symbols(rule.old):
            raise refuse(names.part, f"rule {rule} replaces nothing", "Leave it out")
        found.append(rule)
    return Rules(found)
