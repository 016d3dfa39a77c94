"""Overhead around the solver: processor time of whole calls, in milliseconds and as multiples of the solver's own time.

A call is repeated with everything compiled and cached; the shortest processor time counts, with one BLAS thread.

python benchmarks/around.py [case ...]
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import linkwork as lw
from common import EXAMPLES
from stewart import write_stewart

SECONDS = 1.5  # spent on a row, at least
LEAST = 3  # repetitions

LEG = """
Title: Leg with a rigid contact
PhysicalParams: {m: 2, mu: 0.8}
Bodies:
  hull: {mass: m, inertia: 0.01, frames: {hip: []}}
  foot: {mass: 0.2, inertia: 1e-3, frames: {hip: [0, 0.2], toe: []}}
  world: {frames: {ground: []}}
Connections:
  Joints: {knee: {kind: revolute, frames: [hull.hip, foot.hip]}}
  Contacts: {floor: {point: foot.toe, on: world.ground, friction: mu}}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {tend: 1, positions: {foot.toe: [0, 0.1], hull.hip: [0, 0.3]}}
"""


def shortest(work: Callable[[], object]) -> float:
    """Shortest processor time of a call [ms]."""
    times: list[float] = []
    end = time.process_time() + SECONDS
    while len(times) < LEAST or time.process_time() < end:
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1e3 * min(times)


def load(name: str) -> lw.Model:
    return lw.load(EXAMPLES / f"{name}.yaml")


def load_stewart() -> lw.Model:
    with tempfile.TemporaryDirectory() as folder:
        write_stewart(path := Path(folder) / "stewart.yaml")
        return lw.load(path)
