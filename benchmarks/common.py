"""What all benchmarks share: environments of the peers, child processes, tables. Measures nothing itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
EXAMPLES = ROOT / "examples"
REFERENCE = ROOT / "tests" / "known" / "reference.json"

# every peer in an environment of its own: their binary packages do not always like each other
ENVIRONMENTS = {
    "sundae": ["numpy", "scikit-sundae>=1.1"],
    "heyoka": ["numpy", "heyoka>=7"],
    "numbalsoda": ["numpy", "numba", "numbalsoda>=0.3.4"],  # built here: it needs cmake and gfortran
    "exudyn": ["numpy", "scipy", "exudyn>=1.13"],
    "mujoco": ["numpy", "mujoco>=3.3"],
    "pinocchio": ["numpy", "pin>=3.4", "cmeel-eigen"],
    "casadi": ["numpy", "casadi>=3.6"],
    "drake": ["numpy", "drake>=1.30"],
}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class UnavailableError(Exception):
    """A peer cannot be installed or run here; the message says why."""


def find_python(environment: str | None) -> Path:
    """The interpreter of a peer's environment, made from PyPI if it is not there; None means this one."""
    if environment is None:
        return Path(sys.executable)
    folder = HERE / f".venv-{environment}"
    python, stamp = folder / "bin" / "python", folder / ".installed"
    if not stamp.exists():
        print(f"installing {environment} ...", file=sys.stderr, flush=True)
        run_quietly([sys.executable, "-m", "venv", folder])
        run_quietly([python, "-m", "pip", "install", "--quiet", *ENVIRONMENTS[environment]])
        stamp.touch()
    return python


def run_quietly(command: Sequence[object], environment: Mapping[str, str] = os.environ, **options) -> str:
    """Standard output of a command; its last line of complaint becomes the exception."""
    words = [str(word) for word in command]
    environment = {**environment, **ONE_THREAD}
    try:
        done = subprocess.run(words, capture_output=True, text=True, env=environment, **options)
    except OSError as failure:
        raise UnavailableError(str(failure)) from failure
    if done.returncode:
        complaint = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise UnavailableError(complaint[-1])
    return done.stdout


def read_lines(output: str) -> list[dict]:
    """The JSON lines among whatever a child printed."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; numbers are right-aligned."""
    lines = [f"| {' | '.join(head)} |", "|" + "|".join(["---", *["---:"] * (len(head) - 1)]) + "|"]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)


def number(value: float | None, digits: int = 3) -> str:
    """A measured number with a few significant digits, or a dash."""
    return "–" if value is None else f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:.0f}"


def best_run(simulate: Callable[[], Any], repeats: int, enough: float) -> tuple[Any, float]:
    """A motion and the least time inside its solver; where that is long, the processor's time for all of it counts.

    Runs again until it has run so often or so long.
    """
    seconds: list[float] = []
    while len(seconds) < repeats and sum(seconds) < enough:
        begin = time.process_time()
        motion = simulate()
        seconds.append(min(motion.stats.seconds, time.process_time() - begin))
    return motion, min(seconds)
