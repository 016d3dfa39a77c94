"""What a person waits for: `import linkwork`, `linkwork run` of a small file, and the first run of every example.

Bytecode of the package lies in a folder of its own and is made before, as by an installation.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from common import EXAMPLES, ONE_THREAD, UnavailableError, run_quietly, table

REPETITIONS = 7
FIRST_RUNS = 2  # of each file, of which the best counts
SHOWN = 8  # files with the most expensive first runs
TARGETS = {"import": 0.3, "run": 1.0, "first": 3.0}
COMMAND = Path(sys.executable).with_name("linkwork")


def best_wall(command: list[object], folder: str, environment: Mapping[str, str]) -> float:
    """Shortest wall time of a command in a folder, after one warm-up."""
    run_quietly(command, environment, cwd=folder)
    times = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        run_quietly(command, environment, cwd=folder)
        times.append(time.perf_counter() - begin)
    return min(times)


@contextmanager
def installed() -> Iterator[dict[str, str]]:
    """An environment in which bytecode is kept."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {**os.environ, **ONE_THREAD, "PYTHONPYCACHEPREFIX": folder}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        yield kept


# -- first runs ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Seconds: of processors, in the process and its compilers, and on the wall."""

    processor: float
    wall: float

    def best(self, other: Cost) -> Cost:
        """The smaller of each."""
        return Cost(processor=min(self.processor, other.processor), wall=min(self.wall, other.wall))


def run_once(file: Path, environment: Mapping[str, str]) -> Cost:
    """What `linkwork run` of a file costs in a fresh process."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [COMMAND, "run", file.name, "--quiet"], cwd=file.parent, env=environment, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise UnavailableError(f"linkwork run {file.name} failed")
    return Cost(processor=used.ru_utime + used.ru_stime, wall=time.perf_counter() - begin)


def run_twice(example: Path, environment: Mapping[str, str]) -> tuple[Cost, Cost]:
    """The first run of a file, with an empty cache, and the second."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(shutil.copy(example, folder))
        private = {**environment, "LINKWORK_CACHE": f"{folder}/cache"}
        return run_once(file, private), run_once(file, private)


def measure_first_runs(examples: list[Path]) -> dict[str, tuple[Cost, Cost]]:
    """For each example the best first and second run, the most expensive first."""
    found: dict[str, tuple[Cost, Cost]] = {}
    with installed() as environment:
        run_twice(examples[0], environment)  # makes bytecode
        for _ in range(FIRST_RUNS):
            for example in examples:
                first, second = run_twice(example, environment)
                known = found.get(example.stem, (first, second))
                found[example.stem] = first.best(known[0]), second.best(known[1])
    return dict(sorted(found.items(), key=lambda item: -item[1][0].processor))


def first_runs() -> str:
    """What the first run of each example costs."""
    found = measure_first_runs(sorted(EXAMPLES.glob("*.yaml")))
    middle = [statistics.median(cost) for cost in zip(*map(_numbers, found.values()), strict=True)]
    rows = [[name, *map("{:.2f}".format, _numbers(costs))] for name, costs in [*found.items()][:SHOWN]]
    rows.append([f"median of {len(found)} files", *map("{:.2f}".format, middle)])
    words = (
        "`linkwork run FILE` for every file of `examples/`, in a fresh process, with an empty cache of kernels and "
        f"again after that; best of {FIRST_RUNS}. Processor time is that of the process and its compilers "
        f"(target of the first run: {TARGETS['first']:g} s). The {SHOWN} most expensive files:"
    )
    head = ["file", "first run, processor s", "wall s", "second run, processor s", "wall s"]
    reasons = (
        "What the second run costs, the first one pays as well: deriving, starting and auditing in space takes about "
        "a second in Python. The rest is the compiler's: inner loops for the size in use (`core.c`, all "
        "optimisation), the rest of the runtime (`-Og`; events, switches and algebraic values only where there are "
        "any), kernels (`-O1`: as fast as with `-O3`), and where `auto` takes an implicit method its file (`-O2`, "
        "loops over stages written out) and tangents of kernels, in parts of a few hundred lines. Tried and given up: "
        "`-O2` for inner loops (a tenth slower, hardly quicker to make), fewer variants of stages and other flags "
        "(compile no faster)."
    )
    return "\n\n".join(["### First run of a file", words, table(head, rows), reasons])


def _numbers(costs: tuple[Cost, Cost]) -> list[float]:
    return [seconds for cost in costs for seconds in (cost.processor, cost.wall)]


def section() -> str:
    """The chapter of RESULTS.md."""
    with tempfile.TemporaryDirectory() as folder, installed() as environment:
        shutil.copy(EXAMPLES / "andrews.yaml", folder)
        bare = best_wall([sys.executable, "-c", "pass"], folder, environment)
        imported = best_wall([sys.executable, "-c", "import linkwork"], folder, environment)
        run = best_wall([COMMAND, "run", "andrews.yaml"], folder, environment)
    rows = [
        ["`python -c pass`", f"{bare:.3f}", ""],
        ['`python -c "import linkwork"`', f"{imported:.3f}", TARGETS["import"]],
        ["`linkwork run andrews.yaml`, warm cache", f"{run:.3f}", TARGETS["run"]],
    ]
    return "\n\n".join(
        [
            "## Start-up",
            f"Best of {REPETITIONS}, wall time.",
            table(["command", "seconds", "target below"], rows),
            first_runs(),
        ]
    )


if __name__ == "__main__":
    print(section())
