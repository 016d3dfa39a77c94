"""A sheet as a Python script that defines the equations for SymPy: symbols, energies, lists of equations.

Names become variables that are no keywords and hide nothing; everything from a file is either such a name or quoted.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from linkwork.analysis.printed.derivation import Derivation
from linkwork.analysis.printed.names import Names, plain
from linkwork.analysis.printed.sheet import Section, Sheet, Statement
from linkwork.analysis.printed.text import with_signs, wrapped
from linkwork.equations.kernel import TIME
from linkwork.quoting import python_comment, python_string
from linkwork.symbolic import FUNCTIONS, Lookup, Symbol, free_symbols, postorder, to_sympy
from linkwork.symbolic.printing import SYMPY

IMPORTS: Final = tuple(
    sorted(
        {*(SYMPY.get(name, name) for name in FUNCTIONS), "Function", "Piecewise", "Rational", "Symbol", "ff", "sympify"}
    )
)
LISTS: Final = (
    "coordinates",
    "speeds",
    "accelerations",
    "states",
    "rates",
    "multipliers",
    "values",
    "forces",
    "followers",
)
EQUATIONS: Final = {
    "constraints": "constraints",
    "velocity_constraints": "velocity_constraints",
    "motion": "equations",
    "states": "state_equations",
}
RESERVED: Final = frozenset({*IMPORTS, *LISTS, "piecewise", *EQUATIONS.values(), *keyword.kwlist, *keyword.softkwlist})

Variables = Mapping[str, str]  # of names


def write_sympy(sheet: Sheet, derivation: Derivation) -> str:
    """The script."""
    groups = _groups(sheet, derivation)
    variables = _variables(sheet, groups)
    lines = list(_declarations(sheet, groups, variables))
    lines += [f"{name} = []" for key, name in EQUATIONS.items() if key not in sheet.sections and key != "states"]
    lines += [] if "forces" in sheet.sections else ["forces = {}"]
    for key, section in sheet.sections.items():
        lines += ["", f"# {python_comment(section.title)}"]
        if key in EQUATIONS:
            lines += [f"{EQUATIONS[key]} = [", *_items(section, variables), "]"]
        else:
            lines += [row for line in section.statements for row in _definition(line, variables)]
        if key == "forces":
            pairs = (f"{variables[line.of]}: {variables[line.name]}" for line in section.statements)
            lines += _collection("forces", pairs, "{}")
        lines += [f"# left out: {python_comment(section.missing)}"] if section.missing else []
    body = "\n".join(lines) + "\n"
    used = [name for name in IMPORTS if re.search(rf"\b{name}\b", body)]
    head = [f"# {python_comment(sheet.title) or 'Equations'}", f"# {python_comment(sheet.summary)}"]
    return "\n".join([*head, f"from sympy import {', '.join(used)}", body])


def _groups(sheet: Sheet, d: Derivation) -> dict[str, list[Symbol]]:
    """The symbols of each list: those of the printed equations and constraints, and whatever else occurs."""
    moving = {line.name for line in sheet.sections["motion"].statements}
    kinds = [sheet.sections[key].statements for key in ("constraints", "velocity_constraints") if key in sheet.sections]
    by_name = {symbol.name: symbol for symbol in d.lam}
    states = list(d.system.states.values())
    places = [j for j, name in enumerate(d.labels) if name in moving and j not in states]
    groups = {
        "coordinates": [d.q[j] for j in places if j not in d.plain_speeds],
        "speeds": [d.u[j] for j in places],
        "accelerations": [d.a[j] for j in places],
        "multipliers": [by_name[f"lam_{line.name}"] for lines in kinds for line in lines],
        "values": [*sheet.parameters, *sheet.called],
    }
    if d.moved:
        groups |= {"followers": [*d.moved]}
    if states:
        groups |= {"states": [d.u[j] for j in states], "rates": [d.a[j] for j in states]}
    known = {symbol for group in groups.values() for symbol in group}
    others = [s for s in (TIME, *d.q, *d.u, *d.a, *d.lam) if s in sheet.symbols and s not in known]
    return groups | {"": others}


def _variables(sheet: Sheet, groups: Mapping[str, Sequence[Symbol]]) -> Variables:
    """A variable for each name."""
    names, found = Names(RESERVED), {}
    defined = (line.name for s in sheet.sections.values() if not s.equations for line in s.statements)
    for name in (*(symbol.name for group in groups.values() for symbol in group), *defined):
        wish = name.replace("''", "_ddot").replace("'", "_dot").replace(".", "_")
        found[name] = names.take(wish)
    for lookup in _lookups(sheet):
        found[f"{lookup.name}()"] = names.take(plain(lookup.curve.name) + "_prime" * lookup.order)
    return found


# -- tables ----------------------------------------------------------------------------------------------------------

MOST_PIECES: Final = 1_000  # a longer table stays a function without a formula
PIECEWISE: Final = (
    """
def piecewise(x, order, pieces):
    """
    + '"""The derivative of this order of a piecewise polynomial; a piece is (end, origin, coefficients)."""'
    + """
    found = []
    for end, origin, coefficients in pieces:
        powers = [(m, c) for m, c in enumerate(coefficients) if m >= order]
        value = sum(ff(m, order)*c*(x - origin)**(m - order) for m, c in powers)
        found.append((value, True if end is None else x < end))
    return Piecewise(*found)
"""
)


def _lookups(sheet: Sheet) -> list[Lookup]:
    """The tables that occur and their derivatives, each once."""
    terms = [term for s in sheet.sections.values() for line in s.statements for term in line.terms]
    found = {node.name: node for node in postorder(terms) if isinstance(node, Lookup)}
    return [found[name] for name in sorted(found)]


def _tables(sheet: Sheet, variables: Variables) -> Iterator[str]:
    """The functions of the tables."""
    lookups = _lookups(sheet)
    if lookups:
        yield from PIECEWISE.splitlines()
    for lookup in lookups:
        name, curve = variables[f"{lookup.name}()"], lookup.curve
        yield from ("", "")
        if len(curve.origins) > MOST_PIECES:
            yield f'{name} = Function("{name}", real=True)  # {len(curve.origins)} pieces: give lambdify a function'
            continue
        yield from (f"def {name}(x):", "    pieces = [")
        rows = zip([*curve.knots.tolist(), None], curve.origins.tolist(), curve.coefficients.tolist(), strict=True)
        yield from (f"        ({end!r}, {origin!r}, {tuple(c)!r})," for end, origin, c in rows)
        yield from ("    ]", f"    return piecewise(x, {lookup.order}, pieces)")


def _declarations(sheet: Sheet, groups: Mapping[str, Sequence[Symbol]], variables: Variables) -> Iterator[str]:
    """The symbols, and the lists of them."""
    for title, group in groups.items():
        yield ""
        for symbol in group:
            call = f"  # {python_comment(sheet.called[symbol])}" if symbol in sheet.called else ""
            yield f"{variables[symbol.name]} = Symbol({python_string(symbol.name)}, real=True){call}"
        if title == "values":
            pairs = (f"{variables[p.name]}: {value!r}" for p, value in sheet.parameters.items())
            yield from _collection(title, pairs, "{}")
        elif title:
            yield from _collection(title, (variables[symbol.name] for symbol in group), "[]")
    yield from _tables(sheet, variables)


def _collection(name: str, items: Iterable[str], brackets: str) -> Iterator[str]:
    pieces = [f"{item}," for item in items] or [","]
    pieces[0] = f"{name} = {brackets[0]}{pieces[0]}"
    pieces[-1] = pieces[-1][:-1] + brackets[1]
    yield from wrapped(pieces)


def _definition(line: Statement, variables: Variables) -> Iterator[str]:
    rows = _formula(line, variables)
    if len(rows) == 1:
        yield f"{variables[line.name]} = {rows[0]}"
    else:
        yield from (f"{variables[line.name]} = (", f"    {rows[0]}", *rows[1:], ")")


def _items(section: Section, variables: Variables) -> Iterator[str]:
    for line in section.statements:
        first, *rest = _formula(line, variables)
        rows = [f"    {first}", *rest]
        yield f"    # {python_comment(line.name)}"
        yield from rows[:-1]
        yield f"{rows[-1]},"


def _formula(line: Statement, variables: Variables) -> list[str]:
    terms = with_signs([to_sympy(term, variables) for term in line.terms])
    if not free_symbols(*line.terms):
        return [f"sympify({' '.join(terms)})"]
    return list(wrapped(terms))
