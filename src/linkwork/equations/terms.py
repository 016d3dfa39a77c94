"""What a System is made of: typed rows, terms (a kernel and its instances), watches. Data only, for machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats, Ints
from linkwork.equations.kernel import Kernel
from linkwork.errors import Ref
from linkwork.model.opaque import Opaque
from linkwork.program import Builder, Program
from linkwork.program.passes import copy_node

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """Followers that a coordinate q tells, which must not come apart from it.

        nine    the axes R K(q) of a part on a hinge, by rows;  K(q) = K0 + K1 cos q + K2 sin q
        d       what a travel q adds to a place, q R a
        two     the axes cos q, sin q of a part that turns in the plane by an angle q; there are no columns

    parent   the followers that are the axes R of the part it hangs on; none of the ground
    columns  the formulas of K0, K1 and K2, each by columns, or of a
    """

    followers: tuple[int, ...]
    parent: tuple[int, ...]
    coordinate: int
    columns: Ints

    @property
    def turns(self) -> bool:
        """Whether they are the axes of a part in the plane."""
        return not len(self.columns)

    def find(self, q: float, R: Floats, numbers: Floats) -> Floats:
        """What they are.   R: (d, d)"""
        if self.turns:
            return np.array([np.cos(q), np.sin(q)])
        if len(self.followers) == 9:
            K = numbers[self.columns].reshape(3, 3, 3)
            return np.asarray(R @ (K[0] + K[1] * np.cos(q) + K[2] * np.sin(q)).T).ravel()
        return np.asarray(q * (R @ numbers[self.columns]))


def no_columns() -> Ints:
    """Where there are no formulas."""
    return np.zeros(0, dtype=np.int64)


Level = Literal["position", "velocity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A constraint: one scalar equation.

    level  of positions (g) or of velocities (h)
    owner  what of the description asks for it
    kind   what it keeps: a "length", a "place", an "axis", a "turn", a "motion", ...
    unit   of what it is open by: "m", "rad", or none; of velocities per second
    """

    name: str
    level: Level = "position"
    owner: Ref
    kind: str
    unit: str = ""


class Own(dict[object, object]):
    """What was found out with some numbers; not part of copies."""

    def __reduce__(self) -> tuple[type[Own], tuple[()]]:
        return Own, ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A kernel applied to instances.

    names        of the instances, for messages
    owners       what of the description each is an equation of
    coordinates  (instances, local): global coordinate of each local one, then of each local follower; n + j stands for
                 frozen coordinate j, n + frozen + k for follower k
    rows         (instances, constraints): global constraint of each local one
    parameters   (instances, parameters)
    columns      (instances, parameters): the formula of each parameter, by its place in System.formulas; none if the
                 numbers are all there is
    own          what was found out with these numbers; systems whose numbers differ elsewhere share the term
    """

    kernel: Kernel
    names: tuple[str, ...]
    owners: tuple[Ref, ...]
    coordinates: Ints
    rows: Ints
    parameters: Floats
    columns: Ints = field(default_factory=no_columns)
    own: Own = field(init=False, default_factory=Own, repr=False, compare=False)

    @property
    def count(self) -> int:
        """The number of instances."""
        return len(self.names)

    @property
    def kind(self) -> str:
        """What its instances are: a "spring", a "force", a "distance"."""
        return self.kernel.kind

    def remember(self, key: object, make: Callable[[], T]) -> T:
        """What `make` finds out with these numbers, found once."""
        if key not in self.own:
            self.own[key] = make()
        return self.own[key]  # type: ignore[return-value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """An expression to look at along a motion: a program (output group "v") over some coordinates and parameters.

    columns are the formulas of the parameters, as in Term.
    """

    name: str
    program: Program
    coordinates: Ints
    parameters: Floats
    stop: bool
    direction: int
    columns: Ints = field(default_factory=no_columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Algebraic:
    """An algebraic value: an input whose number is found wherever forces are needed, so that its program vanishes.

    program  output group "v", over places of the whole system: q, u, a and e have the numbers of Term.coordinates, and
             multipliers count behind all of these
    implicit whether it is a variable given by an equation, not a reaction or acceleration minus itself
    columns  are the formulas of the parameters, as in Term
    """

    name: str
    program: Program
    parameters: Floats
    implicit: bool = False
    columns: Ints = field(default_factory=no_columns)

    def without_rows(self, places: int, number: Ints, stays: NDArray[np.bool_]) -> Algebraic:
        """The same where constraints are lost, whose multipliers are zero, and the others have new numbers."""
        b, new = Builder(), list[int]()
        for node in self.program.nodes:
            source = node.source
            if source is not None and source.kind == "lam":
                row = source.index - places
                new.append(b.input("lam", places + int(number[row])) if stays[row] else b.zero)
            else:
                new.append(copy_node(b, node, tuple(new[a] for a in node.args), self.program.labels))
        return replace(self, program=b.program(v=[new[self.program.outputs["v"][0]]]))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueValue:
    """A call of an opaque function: an input whose number is found wherever forces are needed, from its arguments."""

    name: str
    function: Opaque
    arguments: tuple[Algebraic, ...]


def multiplier_name(row: Row) -> str:
    """What the multiplier of a constraint is called."""
    return f"lam_{row.name}"
