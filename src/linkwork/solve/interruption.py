"""Ctrl-C during a run: asked once, it ends after the current slice; asked twice, at once."""

from __future__ import annotations

import signal
import threading


class Interruption:
    """Ctrl-C ends a long run after the current slice, with everything kept; a second one ends it at once.

    It is listened for from the end of the first slice on, where nobody watches: a run that is over by then has no use
    for it.
    """

    def __init__(self) -> None:
        self.asked = self._listens = False

    def __enter__(self) -> Interruption:
        return self

    def listen(self) -> None:
        """From now on; in other threads than the main one nobody can."""
        if not self._listens and threading.current_thread() is threading.main_thread():
            self._before, self._listens = signal.signal(signal.SIGINT, self._ask), True

    def _ask(self, number: int, frame: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *_: object) -> None:
        if self._listens:
            signal.signal(signal.SIGINT, self._before)
