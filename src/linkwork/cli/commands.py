"""All commands as one, and how one ends: with an exit code and words."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import typer

from linkwork.cli import (  # noqa: F401 - a command registers itself
    check,
    count,
    equations,
    export,
    fmt,
    inverse,
    linearize,
    modes,
    new,
    plot,
    run,
    schema,
    statics,
    view,
)
from linkwork.cli.common import app
from linkwork.cli.haste import hurried
from linkwork.cli.progress import compiling_shown
from linkwork.errors import InputError, LinkworkError, ModelWarning, SolveError, StartError, TimeLimitError, show_text

__all__ = ["app", "perform"]

INTERRUPTED = 130  # what the command library makes of Ctrl-C


def perform() -> int:
    """Run the command that the arguments of the process ask for.   →  exit code"""
    try:
        with hurried(), compiling_shown(), _warnings_shown():
            code = app(standalone_mode=False)
        sys.stdout.flush()
    except typer.Exit as leave:
        return int(leave.exit_code)
    except (InputError, StartError) as error:
        return _complain(error, 2)
    except (SolveError, TimeLimitError) as error:
        return _complain(error, 1)
    except LinkworkError as error:
        return _complain(error, 2)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", 1)
    except OSError as error:
        return _output_failed(error)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return _complain(error.format_message() or "see linkwork --help", 2)
    return _complain("interrupted", 1) if code == INTERRUPTED else code or 0


def _output_failed(error: OSError) -> int:
    """The terminal or pipe we print to is gone or full: say so where we still can."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - lives until the process ends
    where = "print" if error.filename is None else f"use '{error.filename}'"
    return _complain(f"cannot {where}: {error.strerror}", 1)


@contextmanager
def _warnings_shown() -> Iterator[None]:
    """Print warnings of models, and what libraries log, as lines of ours."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        with suppress(OSError):
            sys.stderr.write(f"linkwork: warning: {show_text(str(message))}\n")

    log, handler = logging.getLogger(), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("linkwork: %(message)s"))
    if nobody_listens := not log.handlers:
        log.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", ModelWarning)
            warnings.showwarning = show
            yield
    finally:
        if nobody_listens:
            log.removeHandler(handler)


def _complain(message: object, code: int) -> int:
    """Print every line of a message as ours."""
    with suppress(OSError):  # there may be nobody to tell
        for line in show_text(str(message)).splitlines():
            sys.stderr.write(f"linkwork: {line}\n")
    return code
