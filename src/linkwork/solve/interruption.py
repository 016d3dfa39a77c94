"""Ctrl-C during a run: asked once, it ends after the current slice; asked twice, at once."""

from __future__ import annotations

import signal
import threading


class Interruption:
    """Ctrl-C ends the run after the current slice, with everything kept; a second one ends it at once."""

    def __init__(self) -> None:
        self.asked = False

    def __enter__(self) -> Interruption:
        self.mine = threading.current_thread() is threading.main_thread()
        if self.mine:
            self.before = signal.signal(signal.SIGINT, self._ask)
        return self

    def _ask(self, number: int, frame: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *_: object) -> None:
        if self.mine:
            signal.signal(signal.SIGINT, self.before)
