"""No test lasts for ever: after its time it fails, and if that is not heard of, as in a loop of C, its process ends.

A test has SECONDS, one marked `long` has LONG; @pytest.mark.limit(seconds) gives one another time. Each of setting up,
calling and tearing down has that time. With pytest-xdist a worker that ends so is replaced, and its test has failed.
"""

import faulthandler
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

SECONDS = 180.0
LONG = 6 * 3600.0
AGAIN = 5.0  # seconds until a test that went on is told again
GRACE = 30.0  # seconds after which the process of a test that still goes on ends


class Limits:
    """Watches the tests of a run."""

    def __init__(self) -> None:
        self.output = os.dup(2)  # where stacks are told, though tests have other streams

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        with self.limited(item):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        with self.limited(item):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        with self.limited(item):
            return (yield)

    def pytest_unconfigure(self) -> None:
        os.close(self.output)

    @contextmanager
    def limited(self, item: pytest.Item) -> Iterator[None]:
        """What is done inside ends in time."""
        seconds = find_limit(item)

        def end(*_: object) -> None:
            pytest.fail(f"not done in {seconds:g} s")

        before = signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
        faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=self.output)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.cancel_dump_traceback_later()
            signal.signal(signal.SIGALRM, before)


def find_limit(item: pytest.Item) -> float:
    """How many seconds a test has."""
    marker = item.get_closest_marker("limit")
    return float(marker.args[0]) if marker else LONG if item.get_closest_marker("long") else SECONDS
