"""`make bench`: run every benchmark and write benchmarks/RESULTS.md, where every number is measured."""

from __future__ import annotations

import importlib
import os
import platform
import subprocess
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

from common import HERE, ONE_THREAD

CHAPTERS = [
    "andrews", "processors", "accuracy", "chains", "chain_peers", "multi_pendulum", "structure", "lagrangian", "linear",
    "startup", "values", "around", "formalisms", "stiff", "events", "derivation", "modular", "exported",
]  # fmt: skip


def describe_processor() -> str:
    """The processor's own name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def describe_compiler() -> str:
    try:
        output = subprocess.run([os.environ.get("CC", "cc"), "--version"], capture_output=True, text=True).stdout
        return output.splitlines()[0]
    except (OSError, IndexError):
        return "no C compiler"


def describe_machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("linkwork", "numpy", "scipy"))
    return "\n".join(
        [
            f"- processor: {describe_processor()}, {os.cpu_count()} logical cores; one thread used",
            f"- system: {platform.system()} {platform.machine()}, Python {platform.python_version()}",
            f"- compiler: {describe_compiler()}",
            f"- packages: {packages}; the peers' versions are in their rows",
            f"- date: {date.today().isoformat()}; command: `make bench`",
        ]
    )


def write_chapter(name: str) -> str:
    """One chapter, or the reason it is missing: a failing benchmark must not hide the others."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    try:
        return importlib.import_module(name).section()
    except Exception as failure:
        return f"## {name}\n\nNot measured: {type(failure).__name__}: {failure}"


def main() -> None:
    os.environ.update(ONE_THREAD)
    chosen = sys.argv[1:] or CHAPTERS
    chapters = [write_chapter(name) for name in chosen]
    text = "\n\n".join(["# Benchmarks", describe_machine(), *chapters]) + "\n"
    print(text)
    if chosen == CHAPTERS:
        (HERE / "RESULTS.md").write_text(text)


if __name__ == "__main__":
    main()
