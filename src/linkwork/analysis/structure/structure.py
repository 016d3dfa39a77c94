"""The structure of a mechanism: a System and its start in, all that is known before it moves out.

What there is to know is found when it is first asked for; words, plain data and the picture are made from it.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from scipy.sparse import csc_array

from linkwork.analysis.structure.blocks import Block, Misfit, find_blocks, find_misfit
from linkwork.analysis.structure.choices import Choice
from linkwork.analysis.structure.energies import Share, find_shares
from linkwork.analysis.structure.graph import Graph, find_graph
from linkwork.analysis.structure.idle import Group, find_connected, find_idle, find_spinning, find_still
from linkwork.analysis.structure.mobility import Mobility, State, find_mobility
from linkwork.analysis.structure.signature import Pattern, Signature, find_pattern, find_signature
from linkwork.analysis.structure.words import describe_redundancy
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.bodies import say_hidden


@dataclass(frozen=True)
class Structure:
    """Index, degrees of freedom, redundancy and free choices of a system at a state.

    Grübler's count and the graph of parts and joints need the mechanism as well. `text` is for people, `as_dict` for
    programs, `draw` for the eye. Without a state there is only an `outline`.
    """

    system: System
    q: Floats | None
    t: float
    mechanism: Mechanism | Lagrangian | None = None
    u: Floats | None = None

    # -- structure ---------------------------------------------------------------------------------------------------

    @cached_property
    def pattern(self) -> Pattern:
        """The signature matrix."""
        return find_pattern(self.system)

    @cached_property
    def signature(self) -> Signature | None:
        """The structural analysis; None if the equations are structurally singular."""
        return find_signature(self.pattern)

    @cached_property
    def reduced(self) -> Signature | None:
        """The structural analysis with redundant constraints left out."""
        spare = [i for group in self.mobility.redundant for i in group.spare]
        return find_signature(self.pattern.without(spare)) if spare else self.signature

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Which equations are solved after which, numbered as in the reduced signature."""
        return () if self.reduced is None else find_blocks(self.reduced)

    @cached_property
    def misfit(self) -> Misfit | None:
        """What makes the equations structurally singular, if they are."""
        return find_misfit(self.pattern) if self.signature is None else None

    @cached_property
    def energies(self) -> list[Share]:
        """What each coordinate contributes to T and V."""
        return find_shares(self.system)

    @cached_property
    def graph(self) -> Graph | None:
        """Parts and what links them; None if there are no parts."""
        return find_graph(self.mechanism) if isinstance(self.mechanism, Mechanism) else None

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Parts that are connected."""
        return find_connected(self.system, self.pattern)

    # -- numbers -----------------------------------------------------------------------------------------------------

    @cached_property
    def mobility(self) -> Mobility:
        """Degrees of freedom at the state."""
        assert self.q is not None
        return find_mobility(self.system, self.q, self.t, self.u)

    @cached_property
    def _rates(self) -> csc_array:
        """The scaled constraint matrix at the state."""
        assert self.q is not None
        return State(self.system, self.q, self.t).G

    @cached_property
    def idle(self) -> tuple[str, ...]:
        """Parts without mass and load that bear no force."""
        found = find_idle(self.system, self._rates, self.energies)
        dangling = {name for group in self.mobility.weightless for name in group}
        points = {p for p, at in self.system.chart.points.items() if dangling & {*self._names(at)}}
        return tuple(name for name in found if not points & {*self.system.chart.parts[name]})

    @cached_property
    def spinning(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Parts that turn by themselves about the line through some points."""
        return find_spinning(self.system, self._rates)

    @cached_property
    def still(self) -> tuple[str, ...]:
        """Parts that cannot move."""
        return find_still(self.system, self.mobility.still)

    def _names(self, places: tuple[int, ...]) -> list[str]:
        return [self.system.coordinates[i] for i in places if i < self.system.n]

    # -- out ---------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The report."""
        from linkwork.analysis.structure.report import write_report

        return write_report(self)

    def __str__(self) -> str:
        return self.text()

    def outline(self) -> str:
        """The part of the report that needs no state: what can be said of a mechanism that cannot be assembled."""
        from linkwork.analysis.structure.report import write_outline

        return write_outline(self)

    def sentence(self) -> str:
        """Which initial values may be fixed."""
        from linkwork.analysis.structure.report import describe_choices

        return describe_choices(self)

    def draw(self, path: str | os.PathLike[str]) -> None:
        """A picture of the graph of parts and joints and of the signature matrix: PNG, SVG or PDF by the name's end."""
        from linkwork.analysis.structure.picture import draw_structure

        draw_structure(self, path)

    def as_dict(self) -> dict[str, object]:
        """The report as plain data, in which coordinates have the names that people know."""
        found: dict[str, object] = say_all(self._as_dict())
        return found

    def _as_dict(self) -> dict[str, object]:
        s, m, system = self.reduced, self.mobility, self.system
        names = () if s is None else s.names
        return {
            "coordinates": list(system.places),
            "states": list(system.states),
            "constraints": list(system.constraints),
            "index": None if s is None else s.index,
            "structural_freedom": None if self.signature is None else self.signature.degrees_of_freedom,
            "count": m.count,
            "gruebler": None if self.graph is None else {"count": self.graph.count, "formula": self.graph.formula()},
            "freedom": m.freedom,
            "velocity_freedom": m.velocity_freedom,
            "undriven": m.undriven,
            "motion": m.motion,
            "redundant": [
                {
                    "constraints": [system.constraints[i] for i in group.rows],
                    "surplus": group.surplus,
                    "always": group.always,
                    "spare": [system.constraints[i] for i in group.spare],
                    "words": describe_redundancy(system, group),
                }
                for group in m.redundant
            ],
            "choices": _choices(m.choices),
            "velocity_choices": _choices(m.velocity_choices),
            "resting": list(m.resting),
            "still": list(self.still),
            "weightless": [list(group) for group in m.weightless],
            "idle": list(self.idle),
            "spinning": [{"part": part, "about": list(points)} for part, points in self.spinning],
            "groups": [{"names": list(group.names), "attached": group.attached} for group in self.groups],
            "energies": {name: asdict(share) for name, share in zip(system.labels, self.energies, strict=True)},
            "blocks": [
                {"variables": [names[i] for i in b.variables], "equations": [names[i] for i in b.equations]}
                for b in self.blocks
            ],
            "signature": None if s is None else _signature(s),
        }


def _choices(choices: tuple[Choice, ...] | None) -> list[dict[str, object]] | None:
    return None if choices is None else [{"count": choice.count, "names": list(choice.names)} for choice in choices]


def _signature(s: Signature) -> dict[str, object]:
    p = s.pattern
    entries = zip(p.rows.tolist(), p.columns.tolist(), p.orders.tolist(), strict=True)
    return {
        "names": list(s.names),
        "entries": [list(entry) for entry in entries],
        "transversal": s.match.tolist(),
        "c": s.c.tolist(),
        "d": s.d.tolist(),
    }


def say_all(data: Any) -> Any:
    """Plain data with the names of coordinates that people know."""
    if isinstance(data, dict):
        return {say_all(key): say_all(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [say_all(item) for item in data]
    return say_hidden(data) if isinstance(data, str) else data
