"""Trees of bodies ready to be worked with: `lw.Tree`, which makes models and prints their equations.

A room of its own, so that who reads files does not wait for vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from linkwork.analysis.printed.tree import TreeEquations
from linkwork.equations.kane import describe_tree
from linkwork.errors import ExpressionError, InputError, Ref, did_you_mean
from linkwork.given import as_map, as_object
from linkwork.model import Event, Friction, Mechanism, Sampled, Scalar, Stop
from linkwork.model.start import Guess
from linkwork.model.start import Start as InitialValue
from linkwork.model.tree import Tree as BareTree
from linkwork.model.tree import rate_symbol
from linkwork.model.tree.mechanism import make_mechanism
from linkwork.pipeline import Model
from linkwork.results import Trajectory
from linkwork.symbolic import ZERO, Expr, Symbol, free_symbols, substitute, symbol
from linkwork.vectors import Point, VectorError
from linkwork.vectors.quantity import calling_line

if TYPE_CHECKING:
    from linkwork.export.along import TreeFunctions

LOOKS = 16  # at each step, for the largest value of something


class Tree(BareTree):
    """A mechanism told body by body, in vectors: see `linkwork.model.tree`.

    >>> arm = Tree("pendulum", gravity=9.81)
    >>> rod = arm.add_body("A", rotate="y", mass=1, inertia=0, centre=("l", 0, 0))
    >>> arm.model(parameters={"l": 2}, start={"q1": 1}).simulate(1).outcome
    'reached t = 1'
    """

    def model(
        self,
        *,
        small: bool | int = False,
        parameters: Mapping[str, Scalar] | None = None,
        start: Mapping[str, InitialValue] | None = None,
        t0: Scalar = 0,
        tend: Scalar | None = None,
        points: Mapping[str, Point] | None = None,
        lines: Iterable[Iterable[str]] = (),
        events: Event | Iterable[Event] = (),
        stops: Stop | Iterable[Stop] = (),
        frictions: Friction | Iterable[Friction] = (),
        controllers: Sampled | Iterable[Sampled] = (),
        off: str | Iterable[str] = (),
    ) -> Model:
        """The tree ready to be worked with; the speeds u1, u2, ... and all outputs are among the results.

        With `small`, what is of second order in the small quantities is neglected, or of the order given as a number.
        `parameters` adds to the values the tree has, `start` has coordinates and, with a prime, their rates, or the
        speeds u1, u2, ...; `points` and the `lines` between them are drawn. Events, stops, friction and sampled
        controllers name coordinates, speeds and outputs; the constraints in `off` do not hold at the start.
        """
        return _told(
            lambda: Model(
                describe_tree(
                    self, keep=_kept(small), values=as_map(parameters, Ref("parameters")),
                    start=self._started(start, t0), t0=t0, tend=tend, points=self._drawn(points), lines=lines,
                    events=events, stops=stops, frictions=frictions, controllers=controllers, off=off,
                )
            )
        )  # fmt: skip

    def mechanism(
        self,
        *,
        parameters: Mapping[str, Scalar] | None = None,
        start: Mapping[str, Scalar] | None = None,
        t0: Scalar = 0,
        tend: Scalar | None = None,
    ) -> Mechanism:
        """The same bodies as a `Mechanism`: in points and absolute coordinates, along a tree, on the page, in a file.

        Body B has the frames o (its origin), ox and oy, and hangs by the joint B_joint. Forces, moments and outputs
        may name all coordinates and speeds but two or three angles of one body. Small quantities are not neglected.

        >>> rod = Tree("pendulum", gravity=9.81)
        >>> _ = rod.add_body("A", rotate="y", mass=1, inertia=0, centre=(1, 0, 0))
        >>> [joint.kind for joint in rod.mechanism().joints]
        ['revolute']
        """
        values = _told(lambda: as_map(parameters, Ref("parameters")))
        return _told(lambda: make_mechanism(self, values, self._started(start, t0), t0, tend))

    def rhs(
        self, *, parameters: Mapping[str, Scalar] | None = None, start: Mapping[str, float] | None = None
    ) -> TreeFunctions:
        """The dynamics as functions of arrays, ẋ = f(t, x), link by link: for trees of any size, without deriving.

        x has the coordinates and speeds named in `f.names`. Gravity pulls; other forces are given with each call.
        Needs a C compiler.

        >>> rod = Tree("pendulum", gravity=9.81)
        >>> _ = rod.add_body("A", rotate="y", mass=1, inertia=0, centre=(0, 0, -1))
        >>> rod.rhs().names
        ('q1', 'u1')
        """
        from linkwork.equations.linked import find_linked
        from linkwork.export.along import TreeFunctions

        values = _told(lambda: as_map(parameters, Ref("parameters")))
        return TreeFunctions(_told(lambda: find_linked(self, values)), _told(lambda: as_map(start, Ref("start"))))

    def equations(self, small: bool | int = False) -> TreeEquations:
        """M u' = f and q' for reading: constants, shared values, kinematics, dynamics, outputs.

        >>> rod = Tree("pendulum", gravity="g")
        >>> _ = rod.add_body("A", rotate="y", mass="m", inertia=0, centre=("l", 0, 0))
        >>> print(rod.equations().sections()["dynamics"])
        {'M[1,1]': p1, 'f[1]': p2*cos(q1)}
        """
        return TreeEquations(tree=self, keep=_told(lambda: _kept(small)))

    def largest(self, motion: Trajectory) -> dict[str, float]:
        """How large what was taken to be small has become along a motion, by name."""
        as_object(motion, Trajectory, Ref("motion"), "Give what simulate returns")
        named = [s.name for s in self.small if s.kind in ("coordinate", "speed") and not s.name.endswith("'")]
        between = motion.t[:-1, None] + np.diff(motion.t)[:, None] * np.linspace(0, 1, LOOKS, endpoint=False)
        state = motion.at(np.append(between.ravel(), motion.t[-1]))
        return {name: float(np.max(np.abs(state[name]))) for name in named}

    def _started(self, start: Any, t0: Scalar) -> dict[str, Any]:
        """Values of coordinates and their rates; given speeds become rates, those that are left out being zero."""
        given = as_map(start, Ref("start"))
        known = [name for f in self.freedoms for name in (f.coordinate.name, rate_symbol(f.coordinate).name)]
        speeds = [f.speed.name for f in self.freedoms]
        for name in given:
            if name not in known and name not in speeds:
                hint = did_you_mean(name, known) or "Give coordinates and their rates, with a prime, or speeds"
                raise VectorError(f"start: there is no coordinate '{name}'", hint.rstrip("."))
        by_speeds, by_rates = ([name for name in given if name in some] for some in (speeds, known[1::2]))
        if by_speeds and by_rates:
            what = f"start: '{by_speeds[0]}' is a speed and '{by_rates[0]}' a rate"
            raise VectorError(what, "Give speeds, or rates of coordinates")
        return self._in_rates(given, t0) if by_speeds else given

    def _in_rates(self, start: Mapping[str, Any], t0: Scalar) -> dict[str, Any]:
        """A start by speeds as one by rates, q̇ = N(q) u; what is fixed of speeds is fixed of the rates they make."""
        guesses = {name: value if isinstance(value, Guess) else Guess(value=value) for name, value in start.items()}
        values: dict[Expr, Expr] = {s: guesses[s.name].value if s.name in guesses else ZERO for s in self._unknowns()}
        values[symbol("t", kind="time")] = self.read(t0, "t0")
        fixed = {f.speed for f in self.freedoms if f.speed.name in guesses and guesses[f.speed.name].fixed}
        found = {f.coordinate.name: start[f.coordinate.name] for f in self.freedoms if f.coordinate.name in start}
        for freedom in self.freedoms:
            rate = self.ground.memory.rate_of(freedom.coordinate)
            value, holds = substitute(rate, values), not fixed.isdisjoint(free_symbols(rate))
            found[rate_symbol(freedom.coordinate).name] = Guess(value=value, fixed=True) if holds else value
        return found

    def _unknowns(self) -> Iterator[Symbol]:
        for freedom in self.freedoms:
            yield from (freedom.coordinate, freedom.speed)

    def _drawn(self, points: Any) -> dict[str, Point]:
        return {name: self._point(point, f"points: {name}") for name, point in as_map(points, Ref("points")).items()}


T = TypeVar("T")


def _told(make: Callable[[], T]) -> T:
    """What is made; what is wrong with it is told with the line of the script that asked for it."""
    try:
        return make()
    except VectorError:
        raise
    except ExpressionError as error:
        raise VectorError(error.what, error.remedy) from None
    except InputError as error:
        place = calling_line()
        raise InputError([p if p.file else replace(p, file=place) for p in error.problems]) from None


def _kept(small: bool | int) -> int | None:
    """How many orders of small quantities are kept; all if none is small."""
    if isinstance(small, bool):
        return 2 if small else None
    as_object(small, Integral, Ref("small"), "Give True, or how many orders are kept")
    return int(small)
