"""What a person waits for: `import linkwork`, and `linkwork run` of a small file with a warm cache."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from common import EXAMPLES, run_quietly, table

REPETITIONS = 7
TARGETS = {"import": 0.3, "run": 1.0}


def best_wall(command: list[object], folder: str) -> float:
    """Shortest wall time of a command in a folder, after one warm-up."""
    run_quietly(command, cwd=folder)
    times = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        run_quietly(command, cwd=folder)
        times.append(time.perf_counter() - begin)
    return min(times)


def section() -> str:
    """The chapter of RESULTS.md."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(EXAMPLES / "andrews.yaml", folder)
        command = Path(sys.executable).with_name("linkwork")
        bare = best_wall([sys.executable, "-c", "pass"], folder)
        imported = best_wall([sys.executable, "-c", "import linkwork"], folder)
        run = best_wall([command, "run", "andrews.yaml"], folder)
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
        ]
    )


if __name__ == "__main__":
    print(section())
