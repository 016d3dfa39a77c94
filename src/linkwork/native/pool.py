"""Machines that are not at work: a system and its weights in, a machine that runs it out, for a while.

Systems bound from one share their machines: the tables of one that is idle get the numbers of the next.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from linkwork.equations import System
from linkwork.errors import CompilerError
from linkwork.native.compiler import find_compiler
from linkwork.native.machine import Machine
from linkwork.native.reference import ReferenceMachine
from linkwork.native.weights import Weights

MOST = 4  # idle machines that are kept
log = logging.getLogger("linkwork")


class Pool:
    """The idle machines of systems of one structure."""

    def __init__(self) -> None:
        self.idle: list[Machine | ReferenceMachine] = []
        self.lock = threading.Lock()
        self.failed = False  # there is no way to compile these kernels

    def take(self, system: System, weights: Weights) -> Machine | ReferenceMachine:
        """A machine for a system: one that has run it, else one that can be bound to it, else a new one."""
        with self.lock:
            machine = next((m for m in self.idle if m.system is system), None) or self._find_fitting(weights)
            if machine is not None:
                self.idle.remove(machine)
        if machine is None:
            machine = self._make(system, weights)
        elif isinstance(machine, Machine):
            machine.bind(system, weights.units)
        return machine

    def _find_fitting(self, weights: Weights) -> Machine | None:
        """One that solves for the same unknowns."""
        compiled = (m for m in self.idle if isinstance(m, Machine))
        return next((m for m in compiled if np.array_equal(m.helpers, weights.helpers)), None)

    def give(self, machine: Machine | ReferenceMachine) -> None:
        """Back, for the next one."""
        with self.lock:
            self.idle = [machine, *self.idle][:MOST]

    def _make(self, system: System, weights: Weights) -> Machine | ReferenceMachine:
        try:
            machine = None if self.failed else make_compiled(system, weights)
        except CompilerError as error:
            machine, self.failed = None, True
            log.warning("running in Python, slower: %s", error)
        return machine or ReferenceMachine(system)


def make_compiled(system: System, weights: Weights) -> Machine | None:
    """A compiled machine; None if there is no compiler."""
    if find_compiler() is None:
        log.warning("no C compiler found: running in Python, slower. Install one, or: pip install 'linkwork[compiler]'")
        return None
    return Machine(system, weights.units, weights.helpers)


@contextmanager
def borrow_machine(system: System, weights: Weights) -> Iterator[Machine | ReferenceMachine]:
    """A machine that nobody else uses meanwhile."""
    pool = system.once("pool", Pool)
    machine = pool.take(system, weights)
    try:
        yield machine
    finally:
        pool.give(machine)
