"""Like terms of energies brought together: the energies of parts in, one sum over products of speeds or places out.

Most kinetic energies are quadratic forms ½ Σ M u u with a constant M and most weights are linear in the places; added
up, they have one term for each product instead of one for each part. What is not of that form stays as it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from linkwork.symbolic import ZERO, Expr, Kind, Symbol, add, derivatives, free_symbols, substitute

Form = Mapping[tuple[Symbol, Symbol], Expr]  # M by pairs of speeds


def collect_kinetic(parts: Iterable[tuple[Expr, Form | None]], bodies: Mapping[Symbol, str]) -> Expr:
    """The sum of kinetic energies, each with its quadratic form if it has one.

    Products of speeds with equal masses share a term if they belong to the same points, said by `bodies`.
    """
    masses: dict[tuple[Symbol, Symbol], Expr] = {}
    others: list[Expr] = []
    for kinetic, form in parts:
        if form is None:
            others.append(kinetic)
            continue
        for pair, mass in form.items():
            masses[pair] = masses.get(pair, ZERO) + mass
    groups: dict[tuple[Hashable, Expr], list[Expr]] = {}
    for (u, v), mass in masses.items():
        where = (bodies.get(u, u), bodies.get(v, v))
        groups.setdefault((where, mass / 2 if u is v else mass), []).append(u * v)
    return add(ZERO, *(mass * add(ZERO, *products) for (_, mass), products in groups.items()), *others)


def find_form(kinetic: Expr, speeds: Sequence[Symbol]) -> Form | None:
    """M of ½ Σ M u v, each pair once; None if M is not constant or if there is more than that."""
    if any(symbol.kind not in (Kind.SPEED, Kind.PARAMETER) for symbol in free_symbols(kinetic)):
        return None
    form: dict[tuple[Symbol, Symbol], Expr] = {}
    at_rest: dict[Expr, Expr] = dict.fromkeys(speeds, ZERO)
    for i, (u, momentum) in enumerate(zip(speeds, derivatives(kinetic, speeds), strict=True)):
        masses = derivatives(momentum, speeds[i:])
        if substitute(momentum, at_rest) is not ZERO or not all(map(is_constant, masses)):
            return None
        form |= {(u, v): mass for v, mass in zip(speeds[i:], masses, strict=True) if mass is not ZERO}
    return form


def collect_potential(parts: Iterable[tuple[Expr, Sequence[Symbol]]]) -> Expr:
    """The sum of potential energies, each with its coordinates."""
    weights: dict[Symbol, Expr] = {}
    others: list[Expr] = []
    for potential, places in parts:
        slopes = derivatives(potential, places)
        if not all(map(is_constant, slopes)):
            others.append(potential)
            continue
        for q, slope in zip(places, slopes, strict=True):
            weights[q] = weights.get(q, ZERO) + slope
        others.append(substitute(potential, dict.fromkeys(places, ZERO)))
    return add(ZERO, *(weight * q for q, weight in weights.items()), *others)


def is_constant(expr: Expr) -> bool:
    """Whether it depends on parameters alone."""
    return all(symbol.kind == Kind.PARAMETER for symbol in free_symbols(expr))
