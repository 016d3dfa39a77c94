"""The pace of a run: whether it stands still, or would need endlessly many steps to arrive.

A run that makes no progress ends in words instead of crawling on.
"""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.solve.outcome import describe_pace

IDLE = 100  # attempts after which a run that does not move on is ended
WINDOW, HOPELESS = 10_000, 1e11  # steps after which it is asked how many more it would take, and too many at once
# MANY more are too many if in three windows in a row such a part of the steps failed, tiny beside the longest one
PATIENCE, LABOUR, TINY, MANY = 3, 0.2, 1e-3, 1e6


@dataclass
class Pace:
    """What was seen of the pace of a run so far."""

    end: float  # of the run
    then: float  # at the last look: the time,
    count: int = 0  # steps kept
    rejected: int = 0  # and steps in vain
    idle: int = 0  # looks in a row at which it had not moved
    slow: int = 0  # windows in a row in which it crawled
    words: str = ""  # how fast it was, if that was hopeless

    def stands_still(self, now: float, before: float) -> bool:
        """Whether time has not moved on in many attempts, the last of which began at the time `before`."""
        self.idle = 0 if now > before else self.idle + 1
        return self.idle > IDLE

    def is_due(self, count: int) -> bool:
        """Whether there are enough new steps to judge its pace by."""
        return count - self.count >= WINDOW

    def is_crawling(self, now: float, count: int, rejected: int, longest: float) -> bool:
        """Whether the new steps led next to nowhere: endlessly many would follow, or many and a good part in vain."""
        steps, then = count - self.count, self.then
        more = steps * (self.end - now) / max(now - then, 1e-300)
        tiny = now - then < TINY * steps * longest
        labours = tiny and rejected - self.rejected > LABOUR * steps and more > MANY
        self.slow = self.slow + 1 if labours else 0
        self.count, self.then, self.rejected = count, now, rejected
        if more <= HOPELESS and self.slow < PATIENCE:
            return False
        self.words = describe_pace(steps, then, now, more)
        return True
