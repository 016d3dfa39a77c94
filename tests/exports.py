"""Helpers of the tests of exports: write, build and run them, and read what they print."""

import csv
import functools
import io
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

COMPILERS = {"c": ("cc", "gcc", "clang"), "fortran": ("gfortran",), "rust": ("rustc",), "matlab": ("octave",)}
SUFFIXES = (".c", ".py", ".f90", ".rs", ".m", ".jl")


def need(target):
    """A compiler of a language, or a reason to skip."""
    found = next((path for name in COMPILERS[target] if (path := shutil.which(name)) and runs(path)), None)
    if found is None:
        pytest.skip(f"no compiler of {target} here")
    return found


@functools.cache
def runs(path):
    """Whether a compiler is more than a name: that of Rust may lack its tools."""
    return subprocess.run([path, "--version"], capture_output=True).returncode == 0


def stem(folder):
    """The name of the exported model: that of its largest source."""
    inner = ("main", "integrate", "external", "solve", "modes")
    sources = [p for p in folder.iterdir() if p.suffix in SUFFIXES and p.stem not in inner]
    return max(sources, key=lambda p: p.stat().st_size).stem


def build(folder, target):
    """Build an export without any warning; the command that runs it."""
    if target == "python":
        return [sys.executable, "-W", "error", f"{stem(folder)}.py"]
    if target == "julia":
        for name in ("tree_sitter", "tree_sitter_julia"):
            pytest.importorskip(name, reason="Julia is read with tree-sitter")
        return [sys.executable, "-W", "error", str(Path(__file__).with_name("julia.py")), f"{stem(folder)}.jl"]
    compiler = need(target)
    if target == "matlab":
        return [compiler, "--no-gui", "--quiet", "--eval", stem(folder)]
    if target == "rust":
        command = [compiler, "-O", "-D", "warnings", f"{stem(folder)}.rs"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return [f"./{stem(folder)}"]
    variable = {"c": "CC", "fortran": "FC"}[target]
    done = subprocess.run(["make", "-s", f"{variable}={compiler}"], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return [f"./{stem(folder)}"]


def tell(folder, target, *arguments):
    """Build an export and run it to its end: all that it prints."""
    command = [*build(folder, target), *map(str, arguments)]
    if target == "matlab":
        words = ["tend" if a == "--end" else a for a in arguments]
        pairs = ", ".join(repr(a.lstrip("-")) if isinstance(a, str) else str(a) for a in words)
        command = [*command[:4], f"{stem(folder)}({pairs});"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done


def run(folder, target, *arguments):
    """The table that an export prints: names, and one row for each time."""
    done = tell(folder, target, *arguments)
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert all(rows[0]) and {len(row) for row in rows} == {len(rows[0])}
    return rows[0], np.array(rows[1:], dtype=float)


def expected(model, names, times, **options):
    """The same table by our own run."""
    motion = model.simulate(float(times[-1]), tol=1e-13, **options)
    state = motion.at(times)
    columns = {f"{name}'": state.u[:, i] for i, name in enumerate(motion.system.coordinates)}
    columns |= {name: state.q[:, i] for i, name in enumerate(motion.system.labels)}
    columns |= {name: state.u[:, i] for name, i in motion.system.states.items()}
    columns |= {name: state.lam[:, i] for name, i in motion.system.multipliers.items()}
    # speeds of their own are variables of the motion
    columns |= {name: state[name] for name in names if name in model.mechanism.variables}
    return {name: columns[name] for name in names if name in columns}


def compare(model, folder, target, *arguments, bound=1e-10, multipliers=True, **options):
    """The table of an export, which must be that of our run relative to the size of each kind of quantity."""
    names, table = run(folder, target, *arguments)
    wanted = expected(model, names, table[:, 0], **options)
    own = getattr(model.mechanism, "own", None)
    speeds = {} if own is None else own.equations.definitions
    named = [name for name in model.mechanism.variables if name not in speeds]  # often forces
    kinds = {"lam": [], "speed": [], "place": [], "value": []}
    for name, values in wanted.items():
        forced = "lam" if name.startswith("lam_") else "value" if name in named else ""
        kind = forced or ("speed" if name.endswith("'") or name in speeds else "place")
        kinds[kind].append((table[:, names.index(name)], values))
    for kind, pairs in kinds.items():
        if pairs and (kind != "lam" or multipliers):
            found, ours = (np.array(side) for side in zip(*pairs, strict=True))
            error = np.max(np.abs(found - ours)) / (np.max(np.abs(ours)) or 1.0)
            assert error <= bound * (100 if kind in ("lam", "value") else 1), (kind, error)
    return names, table
