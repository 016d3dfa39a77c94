"""Trees of links and states for the peers, from the texts that the benchmark writes; and how calls are timed."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import NamedTuple


class Link(NamedTuple):
    parent: int
    joint: int  # 0 x, 1 y, 2 z, 3 free
    at: list[float]
    mass: float
    centre: list[float]
    inertia: list[float]


def read_links(path: str) -> list[Link]:
    rows = [line.split() for line in Path(path).read_text().splitlines()[1:]]
    numbers = [[float(x) for x in row] for row in rows]
    return [Link(int(v[0]), int(v[1]), v[2:5], v[5], v[6:9], v[9:12]) for v in numbers]


def read_states(path: str) -> list[dict]:
    """States: q and u of the joints that turn; of a free link R, p, and v and w over its own axes."""
    return json.loads(Path(path).read_text())


def best_microseconds(call, enough: float = 0.25) -> float:
    """The least processor's time of a call."""
    count = 1
    while True:
        begin = time.process_time()
        for _ in range(count):
            call()
        seconds = time.process_time() - begin
        if seconds > 0.02:
            break
        count *= 4
    least, spent = seconds / count, seconds
    while spent < enough:
        begin = time.process_time()
        for _ in range(count):
            call()
        seconds = time.process_time() - begin
        least, spent = min(least, seconds / count), spent + seconds
    return 1e6 * least
