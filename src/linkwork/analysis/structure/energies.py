"""Who contributes to the energies: a System in, for each coordinate the parts by which it enters T, V and power out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwork.analysis.structure.dependence import Dependence, find_dependence
from linkwork.equations import System, Term

POWER = ("P", "D")  # results of the energy program that are not conservative


@dataclass(slots=True)
class Share:
    """The parts through which a coordinate enters the kinetic energy, each kind of potential, and power."""

    kinetic: list[str] = field(default_factory=list)
    potential: dict[str, list[str]] = field(default_factory=dict)
    power: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether neither mass nor load is there."""
        return not (self.kinetic or self.potential or self.power)


def find_shares(system: System) -> list[Share]:
    """What each coordinate contributes to."""
    shares = [Share() for _ in system.coordinates]
    for term in system.terms:
        energy = term.kernel.derived.energy
        for dependence in find_dependence(term, energy, "T"):
            for i, name in _contributors(system, term, dependence):
                _note(shares[i].kinetic, name)
        kinds = term.kernel.contribution.potential
        for kind, dependence in zip(kinds, find_dependence(term, energy, "V"), strict=True):
            for i, name in _contributors(system, term, dependence):
                _note(shares[i].potential.setdefault(kind, []), name)
        for group in POWER:
            for dependence in find_dependence(term, energy, group):
                for i, name in _contributors(system, term, dependence):
                    _note(shares[i].power, name)
    return shares


def _contributors(system: System, term: Term, dependence: Dependence) -> list[tuple[int, str]]:
    """(coordinate, instance) of everything that enters a result."""
    found = []
    for local, order in dependence.items():
        places = term.coordinates[:, local]
        there = np.flatnonzero((np.broadcast_to(order, term.count) >= 0) & (places < system.n))
        found += [(int(places[k]), term.names[k]) for k in there]
    return found


def _note(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)
