"""Dense linear algebra in one thread: small matrices take many times as long in several, most of all on a busy machine.

The number of threads belongs to the whole process: it is one while work on a small system goes on, and then again what
it was.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar, cast

OWN = ("scipy.linalg", "sksundae")  # packages that have a library of their own, which may be loaded later
SMALL = 1000  # coordinates; the matrices of larger systems gain by several threads

F = TypeVar("F", bound=Callable[..., Any])


class _Threads:
    """The numbers of threads of the libraries that are loaded, and how many pieces of work need them to be one."""

    def __init__(self) -> None:
        self.lock, self.working, self.before = Lock(), 0, list[tuple[Any, int]]()

    def enter(self) -> None:
        """Begin a piece of work; the first one sets the numbers."""
        with self.lock:
            self.working += 1
            if self.working == 1:
                self.before = [(library, library.get_num_threads()) for library in find_libraries()]
                self._set(one=True)

    def leave(self) -> None:
        """End a piece of work; the last one puts the numbers back."""
        with self.lock:
            self.working -= 1
            if not self.working:
                self._set(one=False)

    def _set(self, one: bool) -> None:
        for library, count in self.before:
            if count != 1:
                library.set_num_threads(1 if one else count)


_threads = _Threads()


def find_libraries() -> list[Any]:
    """The libraries of NumPy and SciPy for dense matrices, as threadpoolctl finds them."""
    return _look(tuple(name in sys.modules for name in OWN))


@functools.cache
def _look(loaded: tuple[bool, ...]) -> list[Any]:
    environment = os.environ.copy()
    from threadpoolctl import ThreadpoolController

    for name in os.environ.keys() - environment.keys():
        del os.environ[name]  # its import sets a variable for the processes to come
    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


@contextmanager
def one_thread(size: int = 0) -> Iterator[None]:
    """What is done inside for a system of so many coordinates uses one thread, if it is small."""
    if size > SMALL:
        yield
        return
    _threads.enter()
    try:
        yield
    finally:
        _threads.leave()


def in_one_thread(size: Callable[[Any], int]) -> Callable[[F], F]:
    """A function whose first argument has so many coordinates uses one thread, if these are few."""

    def wrap(function: F) -> F:
        @functools.wraps(function)
        def wrapped(subject: Any, *args: Any, **kwargs: Any) -> Any:
            with one_thread(size(subject)):
                return function(subject, *args, **kwargs)

        return cast(F, wrapped)

    return wrap
