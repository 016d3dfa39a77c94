"""The commands. Thin: words in, calls to the pipeline, words out; one module per command.

run, check, view, plot, new, fmt, schema, equations, linearize, modes, statics, inverse, export, count
              the commands
app           what they share; progress: a bar; haste: what makes a short command short

Exit code 0: done, 1: the run failed or was interrupted, 2: bad input.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

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
from linkwork.cli.app import app
from linkwork.cli.haste import hurry
from linkwork.cli.progress import compiling_shown
from linkwork.errors import InputError, LinkworkError, ModelWarning, SolveError, StartError, TimeLimitError, show_text


def main() -> None:
    """Run a command; every error ends in words, never in a traceback."""
    logging.basicConfig(format="linkwork: %(message)s", level=logging.WARNING)
    # whoever ends us kindly gets what was computed, as with Ctrl-C
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        hurry()
        with compiling_shown(), _warnings_shown():
            code = app(standalone_mode=False)
        sys.stdout.flush()
    except typer.Exit as leave:
        sys.exit(leave.exit_code)
    except (InputError, StartError) as error:
        _complain(error, 2)
    except (SolveError, TimeLimitError) as error:
        _complain(error, 1)
    except LinkworkError as error:
        _complain(error, 2)
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted", 1)
    except OSError as error:
        _output_failed(error)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        _complain(error.format_message() or "see linkwork --help", 2)
    sys.exit(1 if code == INTERRUPTED else code or 0)


INTERRUPTED = 130  # what the command library makes of Ctrl-C


def _output_failed(error: OSError) -> None:
    """The terminal or pipe we print to is gone or full: say so where we still can."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - lives until the process ends
    _complain(f"cannot print: {error.strerror}", 1)


@contextmanager
def _warnings_shown() -> Iterator[None]:
    """Print warnings of models as lines of ours."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        sys.stderr.write(f"linkwork: warning: {show_text(str(message))}\n")

    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        warnings.showwarning = show
        yield


def _complain(message: object, code: int) -> None:
    """Print every line of a message as ours and leave."""
    for line in show_text(str(message)).splitlines():
        sys.stderr.write(f"linkwork: {line}\n")
    sys.exit(code)
