"""Whether a run is held up by stiffness: steps far shorter than what is seen to move, and implicit ones that are not.

Asked after so many steps, never by the clock, so that the answer is the same every time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.native import Chunk, Request, Status, Stepper

LOOKS = {  # steps of a method after which it is asked whether another would be better
    "taylor": tuple(128 * 4**k for k in range(12)),  # the first chunk of steps ends there anyway
    "rk8": tuple(128 * 4**k for k in range(12)),
    "hht": tuple(256 * 4**k for k in range(12)),
    "radau": tuple(256 * 4**k for k in range(12)),
}
IMPLICIT = ("hht", "radau")  # methods that are tried
LOOSE = 1e-5  # tolerances from which on steps of order 2 are tried, and below others
RECENT = 64  # steps that are looked at
SLOW = (
    0.01  # of the mechanism's size, and of the speed: steps that move and change less are held up by something unseen
)
TRIAL = 48  # implicit steps that show how long these become,
BACK = 16  # and explicit steps: if these are as long they are better, for all the digits they give
WORTH = {"hht": 4.0, "radau": 16.0}  # times as long as explicit steps must they be: they cost more
REACH = 5.0  # sizes, or changes of speeds, that a step of `radau` goes if its error is one
HOPE = 1.25  # times as long as the motion seems to allow may they turn out
PART = 0.1  # of the tolerance for one step of order 2: where all is stiff and damped few errors add up
MANY = 1000  # steps to come, below which a change is not worth while


@dataclass
class Stiffness:
    """What was asked so far of the method in use, and of which step on it is."""

    method: str
    since: int = 0
    looks: int = 0

    def next_look(self, count: int) -> int | None:
        """How many steps there may be before the next question; None: it is not asked any more."""
        looks = LOOKS[self.method]
        return looks[self.looks] + self.since - count if self.looks < len(looks) else None

    def is_due(self, count: int) -> bool:
        """Whether to ask now; asked once at each place."""
        left = self.next_look(count)
        if left is not None and left <= 0:
            self.looks += 1
            return True
        return False

    def change(self, method: str, count: int) -> None:
        """From this step on another method is used."""
        self.method, self.since, self.looks = method, count, 0


def _find_changes(chunk: Chunk, scales: Floats) -> tuple[float, float]:
    """How far things move in the last steps of a chunk, in sizes, and by how much speeds change, beside themselves."""
    last = slice(-RECENT, None)
    h = chunk.h[last]
    u, half_a = (np.max(np.abs(chunk.q(k)[last, : len(scales)]) / scales, axis=1) for k in (1, 2))
    return float(np.median(h * u)), float(np.median(2.0 * h * half_a / np.maximum(u, 1e-300)))


def is_suspicious(chunk: Chunk, scales: Floats, left: float) -> bool:
    """Whether in the last steps of a chunk next to nothing moves or changes its speed, and many more are left."""
    return max(_find_changes(chunk, scales)) < SLOW and left > MANY * float(np.median(chunk.h[-RECENT:]))


def find_implicit(tol: float, switches: bool) -> str:
    """The implicit method to try: that of order 2 for few digits and for laws that switch."""
    return "hht" if tol >= LOOSE or switches else "radau"


def make_implicit(request: Request, method: str, order: int) -> Request:
    """The same by implicit steps, whose polynomials are of this order."""
    return replace(request, method=method, order=order, part=PART)


def may_be_worth_it(chunk: Chunk, scales: Floats, jerk: float, implicit: Request) -> bool:
    """Whether implicit steps as long as the motion seems to allow would be worth while: a trial is expensive.

    `jerk` is that of the coordinates the machine works in; the change of accelerations in points shows less of what
    vibrates unseen, but more of what turns.
    """
    last, worth = slice(-RECENT, None), WORTH[implicit.method]
    if implicit.method == "radau":
        # of the time in which the motion changes as a whole
        allowed = REACH * implicit.tol ** (1 / (implicit.stages + 1))
        return bool(allowed > worth * max(_find_changes(chunk, scales)))
    # errors of order 2 in places, |cq| h³ jerk = part tol
    t, a = chunk.t[last], 2.0 * chunk.q(2)[last, : len(scales)] / scales
    seen = float(np.max(np.abs(a[-1] - a[0]))) / float(t[-1] - t[0])
    allowed = float(np.cbrt(implicit.part * implicit.tol / (find_error(implicit.rho) * max(min(seen, jerk), 1e-300))))
    return HOPE * allowed > worth * float(np.median(chunk.h))


def find_error(rho: float) -> float:
    """What an implicit step leaves of h³ jerk as an error of places: cq in hht.c."""
    ahead = (rho - 1.0) / (rho + 1.0)
    return abs(1.0 / 6.0 - 0.25 * (1.0 - ahead) ** 2 - 0.5 * ahead)


def try_method(machine: Stepper, request: Request, steps: int) -> Floats:
    """How long the steps of a request are from where a machine is; it has to begin again afterwards."""
    q, u, _, _ = (x.copy() for x in machine.end)
    if machine.begin(replace(request, watch=False), machine.t, q, u) is not Status.FINISHED:
        return np.zeros(1)
    status, chunk = machine.advance(np.inf, steps)
    return chunk.h if status in (Status.MORE, Status.FINISHED) and len(chunk.h) else np.zeros(1)
