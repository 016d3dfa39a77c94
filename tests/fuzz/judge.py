"""One hostile input, tried: a kind and a seed in, what is wrong with linkwork out; nothing if it did well.

Well is a result that obeys the laws it claims to obey, or a refusal in words, within the time that was given. Any other
exception, any warning that is not ours, a text that a terminal would obey, or a success that is none, is a finding.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from unittest import mock

import inputs
import numpy as np
from calls import make_call

import linkwork as lw
import texts
from linkwork.cli import main
from linkwork.errors import AccuracyWarning, InputError, LinkworkError, ModelWarning
from linkwork.results.archive import read_recording
from linkwork.spec.rewrite import rewrite
from linkwork.symbolic import Expr, evaluate, free_symbols, symbol, to_text
from linkwork.symbolic.parse import parse
from linkwork.view.scene import describe_scene

SECONDS = 2.0  # that work is given
SLOW = 15.0  # seconds after which work that was given SECONDS hangs
STEPS = 300
FOREIGN = re.compile(r"Traceback|object at 0x|<class |\x1b|\bnumpy\b|\bndarray\b|\bKeyError\b|\bIndexError\b")

Finding = str


def judge(kind: str, seed: int) -> Finding:
    """What is wrong with one input; empty if nothing is."""
    began = time.monotonic()
    try:
        with _strict():
            found = KINDS[kind](seed)
    except LinkworkError as error:
        found = _check_words(str(error))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        found = f"{type(error).__name__}: {str(error)[:200]} in {Path(where.filename).name}:{where.lineno}"
    elapsed = time.monotonic() - began
    return found or (f"took {elapsed:.0f} s of {SECONDS:g}" if elapsed > SLOW else "")


@contextlib.contextmanager
def _strict() -> Iterator[None]:
    """Warnings are findings, but for ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ours in (ModelWarning, AccuracyWarning):
            warnings.simplefilter("ignore", ours)
        yield


def _check_words(message: str) -> Finding:
    if not message.strip():
        return "an error without words"
    if found := FOREIGN.search(message):
        return f"'{found[0]!a}' in the message: {message[:200]!a}"
    return ""


# -- kinds -------------------------------------------------------------------------------------------------------------


def _try_file(seed: int) -> Finding:
    text = inputs.make_file(seed)
    pick = random.Random(f"do {seed}")
    found = _try_rewrite(text)
    with lw.time_limit(SECONDS):
        return found or _use(lw.loads(text), pick)


def _try_rewrite(text: str) -> Finding:
    """A file in order says what it said, and stays as it is."""
    try:
        made = rewrite(text)
    except InputError as error:
        return _check_words(str(error))
    return "" if rewrite(made) == made else "fmt does not come to rest"


def _use(assembly: lw.Model, pick: random.Random) -> Finding:
    """One of the things that are done with a model."""
    use = pick.choice([_simulate, _simulate, _simulate, _structure, _linearize, _print, _rest])
    return use(assembly)


def _simulate(assembly: lw.Model) -> Finding:
    t0, tend = assembly.mechanism.start.t0, assembly.mechanism.start.tend
    begin = assembly.mechanism.compute(t0)
    end = begin + 0.2 if tend is None else min(assembly.mechanism.compute(tend), begin + 0.5)
    motion = assembly.simulate(end, compiled=False, max_steps=STEPS)
    if motion.doubts or not motion.outcome.startswith("reached"):
        return _check_words(motion.outcome)
    if not (np.isfinite(motion.q).all() and np.isfinite(motion.u).all()):
        return f"'{motion.outcome}' with values that are not finite"
    if not np.isfinite(motion.energy.drift):
        return f"'{motion.outcome}' with an energy that is not finite"
    worst = max(motion.residuals.position, motion.residuals.velocity)
    if not worst < 1e-6:
        return f"'{motion.outcome}' with constraints off by {worst:.1e}"
    audit = motion.audit()
    return _check_words(audit.text()) if audit.ok else f"'{motion.outcome}' and an audit that {audit.line()}"


def _structure(assembly: lw.Model) -> Finding:
    return _check_words(assembly.structure().text())


def _linearize(assembly: lw.Model) -> Finding:
    return _check_words(assembly.linearize().text())


def _rest(assembly: lw.Model) -> Finding:
    return _check_words(assembly.linearize("equilibrium").text())


def _print(assembly: lw.Model) -> Finding:
    equations = assembly.equations()
    equations.latex(), equations.sympy()
    return _check_words(equations.text())


def _try_formula(seed: int) -> Finding:
    """A formula has the value that Python finds for it step by step, and reads the same when it is printed."""
    pick = random.Random(f"formula {seed}")
    text = inputs.make_formula(pick, ["x", "y"], 5)
    values = {name: pick.choice([0.0, 0.3, -1.2, 2.0, 1e-5, 1e9]) for name in "xy"}
    expr = parse(text, {name: symbol(name) for name in values})
    again = parse(to_text(expr), {name: symbol(name) for name in values})
    try:
        value = evaluate(expr, values)
    except LinkworkError as error:
        return _check_words(str(error))
    try:
        other = evaluate(again, values)
    except LinkworkError:
        other = value
    extreme = "1e200" in text or "1e-200" in text  # of which sines are anything
    if again is expr or np.isclose(value, other, rtol=1e-6) or extreme or not _is_steady(expr, values, value):
        return ""
    return f"{text}: {value} is printed as {other}"


def _is_steady(expr: Expr, values: dict[str, float], value: float) -> bool:
    """Whether a value is of an ordinary size and rounding hardly changes it."""
    if not free_symbols(expr) or not 1e-6 < abs(value) < 1e6:
        return False
    try:
        moved = evaluate(expr, {name: x + 1e-12 * (1 + abs(x)) for name, x in values.items()})
    except LinkworkError:
        return False
    return bool(np.isclose(value, moved, rtol=1e-7))


def _try_lagrangian(seed: int) -> Finding:
    coordinates, energy, options = inputs.make_lagrangian(seed)
    with lw.time_limit(SECONDS):
        return _use(lw.lagrangian(coordinates, energy, **options), random.Random(f"do {seed}"))


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="linkwork-fuzz-"))
    for name, text in (("good", inputs.SMALL[0]), ("body", inputs.SMALL[3]), ("wrong", "PartData: {Rigids: {OA: 1}}")):
        (folder / f"{name}.yaml").write_text(text)
    lw.write_results(lw.load(folder / "good.yaml").simulate(0.2, compiled=False), folder / "good.npz")
    return folder


def _try_command(seed: int) -> Finding:
    """A command ends with 0, 1 or 2 and says why."""
    words = inputs.make_command(seed)
    out, err, code = (*(io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)), 0)
    before, argv = Path.cwd(), sys.argv
    os.chdir(_folder())
    sys.argv = (
        ["linkwork", *words, "--max-seconds", str(SECONDS)] if words[0] in ("run", "check") else ["linkwork", *words]
    )
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as leave:
        code = leave.code or 0
    finally:
        os.chdir(before)
        sys.argv = argv
    if code not in (0, 1, 2):
        return f"exit code {code!r} of {words}"
    printed, complained = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    if code and not complained.strip():
        return f"exit code {code} without words of {words}"
    return _check_words(printed + complained or "nothing")


def _try_archive(seed: int) -> Finding:
    """A damaged results file is read or refused."""
    path = _folder() / "damaged.npz"
    path.write_bytes(inputs.make_archive(seed, (_folder() / "good.npz").read_bytes()))
    describe_scene(read_recording(path))
    return ""


def _try_text(seed: int) -> Finding:
    """Code with wild texts is that with harmless ones."""
    pick = random.Random(f"export {seed}")
    lw.function("pull", lambda x, y: 0 * x * y, opaque=True)
    title, *some = inputs.make_texts(seed, texts.SPECIAL)
    target = pick.choice(["c", "fortran", "python", "julia", "matlab", "rust", "fmu", "fmu3"])
    make = pick.choice([texts.make_model, texts.make_switched, texts.make_tree])
    with mock.patch("linkwork.export.fmu.find_compiler", return_value=None):  # the sources will do
        found = [
            texts.read_export(make(head, each), target)
            for head, each in ((title, some), (texts.plain(title), [texts.plain(text) for text in some]))
        ]
    return texts.compare_exports(*found, target)


def _try_call(seed: int) -> Finding:
    """A call of the Python interface gives a result or refuses in words."""
    _, target, arguments = make_call(seed)
    before = Path.cwd()
    os.chdir(_folder())
    try:
        with lw.time_limit(SECONDS):
            target(**arguments)
    finally:
        os.chdir(before)
    return ""


KINDS: dict[str, Callable[[int], Finding]] = {
    "file": _try_file,
    "formula": _try_formula,
    "lagrangian": _try_lagrangian,
    "command": _try_command,
    "archive": _try_archive,
    "call": _try_call,
    "text": _try_text,
}
