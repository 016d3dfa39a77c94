"""The structure of a mechanism in words: a System and its start in, a report for people and programs out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.mobility import Mobility, find_mobility
from linkwork.analysis.signature import Signature, find_signature
from linkwork.equations import System

WIDEST = 40  # variables up to which the signature matrix is printed


@dataclass(frozen=True)
class Structure:
    """Index, degrees of freedom, redundancy and free choices; `text` for people, `as_dict` for programs."""

    system: System
    q: NDArray[np.float64]
    t: float

    @cached_property
    def signature(self) -> Signature | None:
        """The structural analysis; None if the constraints outnumber what they could determine."""
        try:
            return find_signature(self.system)
        except ValueError:
            return None

    @cached_property
    def mobility(self) -> Mobility:
        """The numbers at the start."""
        return find_mobility(self.system, self.q, self.t)

    def text(self) -> str:
        """The report."""
        s, m, signature = self.system, self.mobility, self.signature
        index = "structurally singular: some constraints are redundant" if signature is None else str(signature.index)
        lines = [
            f"coordinates  {s.n}",
            f"constraints  {s.m}",
            f"index        {index}",
            f"freedom      {m.freedom}"
            + (f" (coordinates minus constraints: {m.count})" if m.freedom != m.count else ""),
            f"may be fixed {self.sentence()}",
        ]
        lines += [f"redundant    {', '.join(group)} repeat each other" for group in m.redundant]
        if signature is not None and len(signature.names) <= WIDEST:
            lines += ["", signature.tableau()]
        return "\n".join(lines)

    def sentence(self) -> str:
        """Which initial values may be fixed."""
        if not self.mobility.choices:
            return "nothing: every coordinate is determined"
        groups = [f"one of {', '.join(g)}" if len(g) > 1 else g[0] for g in self.mobility.choices]
        return " and ".join(groups) + "; the same for velocities"

    def as_dict(self) -> dict[str, object]:
        """The report as plain data."""
        s, m = self.signature, self.mobility
        return {
            "coordinates": list(self.system.coordinates),
            "constraints": list(self.system.constraints),
            "index": None if s is None else s.index,
            "structural_freedom": None if s is None else s.degrees_of_freedom,
            "freedom": m.freedom,
            "count": m.count,
            "redundant": [list(group) for group in m.redundant],
            "choices": [list(group) for group in m.choices],
            "c": [] if s is None else s.c.tolist(),
            "d": [] if s is None else s.d.tolist(),
        }
