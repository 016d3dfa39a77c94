"""Pauses between the occurrences of an event: when it acts faster and faster, infinitely often in a finite time.

A ball that an event of the user turns back at a floor bounces after pauses that shrink by the same factor e. Their sum
is finite, and what comes after it no event can say. Knows times only.
"""

from __future__ import annotations

from dataclasses import dataclass

ENDLESS = 1e-6  # of a time: pauses so short that have always shrunk lead nowhere
REST = 1e-9  # of a time: all pauses that are left, together, where they shrink fast
BRIEF = 1e-3  # of a time: the same where it cannot be seen any more which way a value goes
SAME = 0.1  # of a factor: what counts as the same
OFTEN = 3  # factors that are the same


@dataclass(frozen=True, slots=True)
class Pauses:
    """When an event acted last, the pause before, by which factor it was shorter than the one before, and how often so.

    >>> pauses = Pauses(t=0.0)
    >>> for t in (1.0, 1.5, 1.75, 1.875):
    ...     pauses = pauses.after(t)
    >>> (pauses.pause, pauses.factor, pauses.count)
    (0.125, 0.5, 3)
    """

    t: float
    pause: float = 0.0
    factor: float = 0.0
    count: int = 0

    def after(self, t: float) -> Pauses:
        """These and another occurrence."""
        pause = t - self.t
        factor = pause / self.pause if self.pause > 0.0 else 0.0
        same = 0.0 < factor < 1.0 and abs(factor - self.factor) <= SAME * self.factor
        return Pauses(t, pause, factor, self.count + 1 if same else int(factor > 0.0))

    def are_endless(self, resolved: bool) -> bool:
        """Whether the event would go on infinitely often in no time; `resolved`: its value is seen to rise or fall."""
        scale = max(abs(self.t), 1e-3)
        if not (0.0 < self.factor < 1.0 and self.pause <= BRIEF * scale):
            return False
        rest = self.pause * self.factor / (1.0 - self.factor)
        short = (self.count >= OFTEN and self.pause <= ENDLESS * scale) or (self.count >= 2 and rest <= REST * scale)
        return short or not resolved
