"""Try many hostile inputs in processes that may hang or die: kinds and seeds in, findings out.

python tests/fuzz/hunt.py file 4711            one input, with what it is
python tests/fuzz/hunt.py file 0 5000          seeds 0 to 4999
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

PATIENCE = 60.0  # seconds without an answer after which a process is ended
FOLDER = Path(__file__).parent
sys.path.append(str(FOLDER.parent))  # helpers that other tests use, too


class Worker:
    """A process that answers each line `kind seed` with a line; made anew after it had to be ended."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="linkwork-fuzz-")
        path = os.pathsep.join([str(FOLDER), *sys.path])
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "TMPDIR": self.folder.name}
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.answers: queue.Queue[str] = queue.Queue()
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put("")

    def ask(self, kind: str, seed: int) -> str | None:
        """The finding; None if there is no answer."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{kind} {seed}\n")
            self.process.stdin.flush()
            return self.answers.get(timeout=PATIENCE) or None
        except (queue.Empty, OSError):
            return None

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.listener.join()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self.folder.cleanup()


def hunt(kind: str, seeds: Iterable[int]) -> Iterator[str]:
    """The findings, each with the words that make it again."""
    worker = Worker()
    try:
        for seed in seeds:
            answer = worker.ask(kind, seed)
            if answer is None:
                code = worker.process.poll()
                worker.end()
                worker = Worker()
                yield f"{kind} {seed}: " + (
                    f"no end in {PATIENCE:g} s" if code is None else f"the process died with {code}"
                )
            elif answer.strip() != "well":
                yield f"{kind} {seed}: {answer.strip()}"
    finally:
        worker.end()


def _answer() -> None:
    """Be the process: read inputs, write findings, and nothing else."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    from judge import judge

    for line in sys.stdin:
        kind, seed = line.split()
        out.write((" ".join(judge(kind, int(seed)).split()) or "well") + "\n")
        out.flush()


def show(made: Any) -> str:
    """What was made, be there objects in it that cannot be shown."""
    from linkwork.errors import show_value

    given = made[-1] if isinstance(made, tuple) and isinstance(made[-1], dict) else {}
    return f"{made[0]} {', '.join(f'{k}={show_value(v)}' for k, v in given.items())}" if given else repr(made)


def _show(kind: str, seed: int) -> None:
    import inputs
    from calls import make_call
    from judge import KINDS, judge

    makers = {"file": inputs.make_file, "lagrangian": inputs.make_lagrangian, "command": inputs.make_command}
    maker = {**makers, "call": make_call}.get(kind)
    if maker is not None:
        made = maker(seed)
        print(made if isinstance(made, str) else show(made))
    print("-> " + (judge(kind, seed) or "well"))
    KINDS[kind](seed)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        _answer()
    elif len(sys.argv) == 3:
        _show(sys.argv[1], int(sys.argv[2]))
    else:
        for finding in hunt(sys.argv[1], range(int(sys.argv[2]), int(sys.argv[3]))):
            print(finding, flush=True)
