"""The mode at a state: which constraints hold there, and which frictions stick. A system and a state in, equations out.

Dynamics decide what holds where a motion begins (`acting`, `gripping`) and carry it along in its states. Equilibria and
linear models ask for it here and work with the equations that are left, `Mode.system`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.equations.acts import Grip
from linkwork.native.instant import Instants
from linkwork.native.loops import close_loops
from linkwork.solve.acting import TOUCH, Acting
from linkwork.solve.gripping import read_hold
from linkwork.solve.impacts import measure_rows

TOL = 1e-12  # of a motion that begins: its smallest speeds
PRESSED = 1e-9  # of the largest force: with less than this nothing is pressed,
NOTHING = 1e-13  # and this is rounding
EDGE = 1e-9  # and of a limit: so near to it friction is at its limit
RESTING = 1e-9  # of the size, per second: a speed that is none
LISTED = 5


@dataclass(frozen=True, kw_only=True)
class Mode:
    """What holds at a state: the constraints of `whole` but for those in `off`; inputs stand behind q.

    turns   how often angles that no coordinate tells have gone round
    """

    whole: System
    t: float
    q: Floats
    u: Floats
    off: frozenset[int]
    turns: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def system(self) -> System:
        """The equations of the mode: constraints that hold are kept, whatever that takes."""
        return self.whole.restricted(self.off)

    @cached_property
    def stuck(self) -> Ints:
        """The rows of `system` by which places stay as they are: speeds that are held, of frictions and ratchets."""
        gripping = {row for grip in self.whole.grips for row in grip.rows}
        ratchets = {barrier.row for barrier in self.whole.barriers if not barrier.is_gap}
        on = [i for i in range(self.whole.m) if i not in self.off]
        return np.array([k for k, i in enumerate(on) if i in gripping | ratchets], dtype=np.int64)

    def at(self, q: Floats, u: Floats) -> Mode:
        """The same constraints and inputs at another place."""
        inputs = dict(zip(self.whole.inputs, self.whole.inputs_in(self.q).tolist(), strict=True))
        return replace(self, q=self.whole.with_inputs(q[: self.whole.n], inputs), u=u)

    @property
    def still(self) -> bool:
        """Whether nothing moves, and nothing that is held would make it."""
        rates = Instants(self.system, False).at(self.t, self.q, np.zeros_like(self.u)).rates
        moving = np.abs(self.u[: self.whole.n]) > RESTING * self.whole.scales
        return not np.any(moving[self.whole.mechanical]) and not np.any(np.abs(rates) > RESTING)

    @property
    def notes(self) -> tuple[str, ...]:
        """What holds and slides, with forces, and what is on a border."""
        if not has_modes(self.whole):
            return ()
        look = self._look
        told = {"what holds here": look.holding, "what slides here": look.sliding}
        return (*(line for what, names in told.items() for line in _list(what, names)), *look.borders)

    @cached_property
    def _look(self) -> _Look:
        return _Look(self)


def has_modes(system: System) -> bool:
    """Whether constraints come and go."""
    switched = any(act.on or act.off for act in system.acts.values())
    return bool(system.barriers or system.grips or system.off or switched)


def begin_mode(whole: System, t: float, q: Floats, u: Floats, span: float = 1.0) -> Mode:
    """The mode in which a motion begins: speeds are those after what is struck at once."""
    after = Acting(whole, False, TOL, span).begin(t, q, u)
    return Mode(whole=whole, t=t, q=after.at.q, u=after.at.u, off=after.off)


class _Look:
    """Forces, gaps and speeds at a mode, in words."""

    def __init__(self, mode: Mode) -> None:
        whole, self.mode = mode.whole, mode
        rows = np.array([i for i in range(whole.m) if i not in mode.off], dtype=np.int64)
        point = close_loops(whole, mode.t, mode.q, mode.u[: whole.n], rows, strict=False)
        self.lam, q = point.lam, point.q if whole.algebra else whole.with_inputs(mode.q, {})
        self.q, self.at = q, Instants(whole, False).at(mode.t, q, mode.u)
        self.sizes = measure_rows(whole, self.at.G)
        force = np.abs(self.at.f) * whole.scales * whole.mechanical
        self.most = float(np.max(np.concatenate([force, np.abs(self.lam) * self.sizes]), initial=0.0))
        self.holding, self.sliding, self.borders = list[str](), list[str](), list[str]()
        self._look_at_barriers()
        for grip in whole.grips:
            self._look_at_grip(grip)
        self._look_at_switches()

    def _look_at_barriers(self) -> None:
        whole, off = self.mode.whole, self.mode.off
        for barrier in whole.barriers:
            i, name = barrier.row, str(whole.rows[barrier.row].owner)
            speed = abs(float(self.at.rates[i])) / self.sizes[i]
            if i not in off:
                self.holding.append(f"{name} (pressed by {-self.lam[i]:.6g})")
                if -self.lam[i] * self.sizes[i] <= PRESSED * self.most:
                    self.borders.append(f"{name} is closed but not pressed: the model keeps it closed")
            elif speed <= RESTING and (not barrier.is_gap or self.at.g[i] <= TOUCH * self.sizes[i]):
                self.borders.append(f"{name} is closed but not pressed: the model leaves it out, as if it were open")

    def _look_at_grip(self, grip: Grip) -> None:
        rows, whole = [row for row in grip.rows if row not in self.mode.off], self.mode.whole
        name = str(whole.rows[grip.rows[0]].owner)
        hold = float(read_hold(whole, grip, np.array([self.mode.t]), self.q[None], self.mode.u[None, : whole.n])[0])
        way = float(whole.inputs_in(self.q)[list(whole.inputs).index(grip.sliding)])
        if rows:
            force = float(np.linalg.norm(self.lam[rows]))
            force = force if force * self.sizes[rows].max() > NOTHING * self.most else 0.0
            self.holding.append(f"{name} (sticks with {force:.6g} of {hold:.6g})")
            if force >= (1.0 - EDGE) * hold:
                self.borders.append(f"{name} is at its limit: the model lets it stick")
        elif way:
            self.sliding.append(name)
            speed = np.linalg.norm(self.at.rates[list(grip.rows)]) / np.max(self.sizes[list(grip.rows)])
            if speed <= RESTING:
                self.borders.append(f"{name} begins to slide: the model lets it slide on")

    def _look_at_switches(self) -> None:
        whole, off = self.mode.whole, self.mode.off
        switched = {row for act in whole.acts.values() for row in act.on | act.off}
        names = [str(whole.rows[i].owner) for i in sorted(switched - off)]
        self.holding += dict.fromkeys(names)


def _list(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"{what}: {', '.join(names[:LISTED])}" + (f" and {len(names) - LISTED} more" if names[LISTED:] else "")
