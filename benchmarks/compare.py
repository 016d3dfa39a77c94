"""This code beside another version of it: `python benchmarks/compare.py ../other [case ...]` prints a table.

`space` stands for the cases by which the formalisms in space are judged.

The other version is a checkout (`git worktree add ../other COMMIT`). Both run in turns, in short pieces and in several
launches, and the shortest processor time of each in the solver counts, so that a busy machine hardly shows.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from common import EXAMPLES, ONE_THREAD, ROOT, table

TOLERANCES = ["1e-8", "1e-10", "1e-12"]
FINEST = "1e-15"  # what digits are counted by
LAUNCHES, SECONDS, PIECE = 3, 1.0, 0.01
CASES = {
    "andrews": 0.03, "chain": 1.0, "chain of 10": 5.0, "chain of 100": 2.0, "chain of 1000": 1.0, "chain of 10000": 0.3,
    "pendulum of 40": 2.0, "pendulum of 250": 0.2, "four-bar": 10.0, "spatial-four-bar": 5.0, "double-pendulum-3d": 5.0,
    "gyroscope": 2.0, "bricard": 5.0, "stewart": 2.0,
}  # fmt: skip
GROUPS = {"space": ["spatial-four-bar", "bricard", "stewart"]}


# -- one version, in a process of its own ----------------------------------------------------------------------------


def make_case(name: str):
    import linkwork as lw

    if not hasattr(lw, "Model"):
        lw.Model = lw.Assembly  # what older versions call it
    from chains import write_chain
    from multi_pendulum import make_pendulum
    from stewart import write_stewart

    kind, _, count = name.partition(" of ")
    if kind == "pendulum":
        return make_pendulum(int(count))
    if not count and kind != "stewart":
        return lw.load(str(EXAMPLES / f"{name}.yaml"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{kind}.yaml"
        if kind == "stewart":
            write_stewart(path)
        else:
            write_chain(int(count), path)
        return lw.load(str(path))


def count_time(machine: type) -> Callable[[], float]:
    """Have a machine note its processor time; what it has used since this was last asked."""
    advance, spent = machine.advance, [0.0]

    def timed(*arguments):
        begin = time.thread_time()
        try:
            return advance(*arguments)
        finally:
            spent[0] += time.thread_time() - begin

    def take() -> float:
        used, spent[0] = spent[0], 0.0
        return used

    machine.advance = timed
    return take


def serve() -> None:
    """For each line "repeats tol case" the best seconds, the steps and where it ended, as a line of JSON."""
    from linkwork.native.machine import Machine

    take, cases = count_time(Machine), {}
    for line in sys.stdin:
        repeats, tol, name = line.rstrip().split(" ", 2)
        case = cases.get(name) or cases.setdefault(name, make_case(name))
        best = math.inf
        for _ in range(int(repeats)):
            take()
            motion = case.simulate(CASES[name], tol=float(tol))
            best = min(best, take())
        print(json.dumps([best, int(motion.stats.steps), motion.final.q.tolist()]), flush=True)


# -- both of them ----------------------------------------------------------------------------------------------------


class Version:
    """A running version of the code."""

    def __init__(self, root: Path, cache: str) -> None:
        folders = {"PYTHONPATH": str(root / "src"), "LINKWORK_CACHE": cache}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "serve"],
            env={**os.environ, **ONE_THREAD, **folders},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, name: str, tol: str, repeats: int = 1) -> tuple[float, int, list[float]]:
        """Best seconds, steps, where it ended."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{repeats} {tol} {name}\n")
        self.process.stdin.flush()
        return tuple(json.loads(self.process.stdout.readline()))

    def end(self) -> None:
        """Close and wait."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def count_digits(q: list[float], exact: list[float]) -> float:
    return -math.log10(max(1e-16, max(abs(a - b) for a, b in zip(q, exact, strict=True))))


def race(versions: list[Version], name: str, tol: str) -> list[float]:
    """The best seconds of each, in turns."""
    best = [version.run(name, tol, 2)[0] for version in versions]
    repeats, end = max(1, int(PIECE / best[0])), time.monotonic() + SECONDS
    while time.monotonic() < end:
        best = [min(b, version.run(name, tol, repeats)[0]) for b, version in zip(best, versions, strict=True)]
    return best


def compare(other: Path, names: list[str]) -> list[list[object]]:
    """A row for each case and tolerance."""
    seconds: dict[tuple[str, str], list[float]] = {}
    facts: dict[tuple[str, str], list[object]] = {}
    with tempfile.TemporaryDirectory() as caches:
        for _ in range(LAUNCHES):
            versions = [Version(root, f"{caches}/{i}") for i, root in enumerate((other, ROOT))]
            for name in names:
                exact = versions[1].run(name, FINEST)[2]
                for tol in TOLERANCES:
                    mine = race(versions, name, tol)
                    seconds[name, tol] = [*map(min, seconds.get((name, tol), mine), mine)]
                    ends = [version.run(name, tol) for version in versions]
                    digits = " → ".join(f"{count_digits(q, exact):.1f}" for _, _, q in ends)
                    facts[name, tol] = [" → ".join(str(steps) for _, steps, _ in ends), digits]
            for version in versions:
                version.end()
    return [
        [name, tol, *facts[name, tol], f"{1e3 * a:.3g} → {1e3 * b:.3g}", f"{b / a:.3f}"]
        for (name, tol), (a, b) in seconds.items()
    ]


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    elif sys.argv[1:]:
        asked = [name for word in sys.argv[2:] or CASES for name in GROUPS.get(word, [word])]
        rows = compare(Path(sys.argv[1]).resolve(), asked)
        print(table(["case", "tol", "steps", "digits", "ms in the solver", "ratio"], rows))
    else:
        sys.exit(__doc__)
