"""Another use of a finished module: labels and variables under new names, so that one model stands in many places."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from linkwork.errors import Ref, did_you_mean
from linkwork.given import as_map
from linkwork.modular.module import Module, Orders
from linkwork.modular.names import Find, as_label, as_variable, refuse
from linkwork.symbolic import Expr, Symbol, free_symbols, substitute, symbol

AXIS = r"(?=[xyzt]?'{0,2}$)"


def rename_module(module: Module, names: Mapping[str, str], *, share: bool = False) -> Module:
    """The module with other labels and variables; with `share`, parameters keep their names."""
    part = f"system '{module.label}'"
    names, labels = as_map(names, Ref(part), "rename"), {m.label for m in module.levels}
    known = labels | {s.name for s in (*module.coordinates, *module.speeds)}
    names = {old: as_label(new) if old in labels else as_variable(new, f"{part}: rename") for old, new in names.items()}
    for old in names:
        if old not in known:
            remedy = did_you_mean(old, known) or f"There are: {', '.join(sorted(known))}"
            raise refuse(f"system '{module.label}'", f"no label or variable named '{old}'", remedy)
    names = {old: new for old, new in names.items() if old != new}
    taken = {*names.values()} & ({*known, *module.parameters} - names.keys())
    if taken or len({*names.values()}) < len(names):
        clash = sorted(taken or {n for n in names.values() if [*names.values()].count(n) > 1})[0]
        raise refuse(f"system '{module.label}'", f"the new name '{clash}' is in use", "Choose another")
    symbols = _symbols(module, names, share)
    return _renamed(module, names, symbols)


def copy_module(module: Module, suffix: str, *, share: bool = True) -> Module:
    """The module with a suffix behind every label and every variable that carries none."""
    end = as_label(suffix)
    names = {m.label: m.label + end for m in module.levels}
    carried = _symbols(module, names, share)
    for s in module.coordinates:
        if s not in carried:
            names[s.name] = s.name + end
    rates = {f"{s.name}'" for s in module.coordinates}
    for s in module.speeds:
        if s not in carried and s.name not in rates:
            names[s.name] = s.name + end
    return rename_module(module, names, share=share)


def _symbols(module: Module, names: Mapping[str, str], share: bool) -> dict[Expr, Expr]:
    """What each symbol becomes."""
    found: dict[Expr, Expr] = {}
    variables = [*module.coordinates, *module.speeds]
    parameters = [] if share else [symbol(name) for name in module.parameters]
    for s in (*variables, *parameters):
        new = _new_name(s.name, names)
        if new != s.name:
            found[s] = symbol(new, kind=s.kind)
            if s.kind == "speed":
                found[symbol(f"{s.name}'", kind="acceleration")] = symbol(f"{new}'", kind="acceleration")
            if s.kind == "coordinate":
                found.setdefault(symbol(f"{s.name}'", kind="speed"), symbol(f"{new}'", kind="speed"))
    return found


def _new_name(name: str, names: Mapping[str, str]) -> str:
    primes = "'" * (len(name) - len(name.rstrip("'")))
    base = name.rstrip("'")
    if name in names:
        return names[name]
    if base in names and not re.search(rf"_{re.escape(base)}{AXIS}", base):
        return names[base] + primes
    for old, new in names.items():
        changed = re.sub(rf"_{re.escape(old)}{AXIS}", f"_{new}", name)
        if changed != name:
            return changed
    return name


def _renamed(module: Module, names: Mapping[str, str], symbols: Mapping[Expr, Expr]) -> Module:
    label = names.get(module.label, module.label)

    def new(expr: Expr) -> Expr:
        return _written(expr, symbols)

    def one(s: Symbol) -> Symbol:
        found = symbols.get(s, s)
        assert isinstance(found, Symbol)
        return found

    def orders(given: Orders) -> dict[int, dict[str, Expr]]:
        return {k: {_row(name, module.label, label): new(e) for name, e in rows.items()} for k, rows in given.items()}

    speed = {s.name: one(s).name for s in module.speeds}
    chosen = module.own_independent
    return replace(
        module,
        label=label,
        subsystems=tuple(_renamed(sub, names, symbols) for sub in module.subsystems),
        own_coordinates=tuple(map(one, module.own_coordinates)),
        own_speeds=tuple(map(one, module.own_speeds)),
        own_kinematics={one(q): new(e) for q, e in module.own_kinematics.items()},
        definitions=orders(module.definitions),
        own_constraints=orders(module.own_constraints),
        own_inertia={speed[name]: new(e) for name, e in module.own_inertia.items()},
        own_applied={speed[name]: new(e) for name, e in module.own_applied.items()},
        own_independent=None if chosen is None else tuple(speed[name] for name in chosen),
        rules=module.rules.renamed(symbols),
        kinetic=None if module.kinetic is None else new(module.kinetic),
        potential=None if module.potential is None else new(module.potential),
        own_frames={names.get(k, k): tuple(tuple(map(new, row)) for row in R) for k, R in module.own_frames.items()},
        short={_short(key, module.label, label): new(e) for key, e in module.short.items()},
        words=None if module.words is None else Renamed(module.words, module.label, label, symbols),
        bodies=tuple(_short(name, module.label, label) for name in module.bodies),
        values={_plain(name, symbols): x for name, x in module.values.items()},
        at={_plain(name, symbols): x for name, x in module.at.items()},
    )


def _written(expr: Expr, symbols: Mapping[Expr, Expr]) -> Expr:
    return substitute(expr, {s: symbols[s] for s in free_symbols(expr) if s in symbols})


@dataclass(frozen=True, slots=True)
class Renamed:
    """Words under another label and over other symbols."""

    words: Find
    old: str
    label: str
    symbols: Mapping[Expr, Expr]

    def __call__(self, name: str) -> Expr | None:
        """What a name stands for."""
        head = f"{self.label}."
        found = self.words(f"{self.old}.{name.removeprefix(head)}") if name.startswith(head) else None
        return None if found is None else _written(found, self.symbols)


def _plain(name: str, symbols: Mapping[Expr, Expr]) -> str:
    """What a parameter or variable of this name is called then."""
    kinds = (symbol(name, kind=kind) for kind in ("parameter", "coordinate", "speed"))
    return next((str(symbols[s]) for s in kinds if s in symbols), name)


def connect_inputs(module: Module, formulas: Mapping[Expr, Expr]) -> Module:
    """The module with formulas in place of its inputs."""
    return _renamed(module, {}, formulas)


def _row(name: str, old: str, new: str) -> str:
    """A constraint under the label of its system."""
    if old == new:
        return name
    head = f"{old}."
    return f"{new}.{name.removeprefix(head)}" if name.startswith(head) else f"{name}_{new}"


def _short(name: str, old: str, new: str) -> str:
    head = f"{old}."
    return f"{new}.{name.removeprefix(head)}" if name.startswith(head) else name
