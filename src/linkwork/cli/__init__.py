"""The commands. Thin: words in, calls to the pipeline, words out; one module per command.

run, check, view, plot, new, fmt, schema, equations, linearize, modes, statics, inverse, export, count
              the commands
commands      runs one of them, and says its errors
common        what they share; progress: a bar; haste: what makes a short command short
surroundings  signals, streams and threads of the process, as commands need them

Exit code 0: done, 1: the run failed or was interrupted, 2: bad input.
"""

from __future__ import annotations

import sys

from linkwork.cli.surroundings import one_thread, signals_heard, streams_open


def main() -> None:
    """Run a command; every error ends in words, never in a traceback."""
    # commands are imported inside, so that Ctrl-C is heard from the first millisecond on
    with streams_open(), one_thread(), signals_heard() as imported:
        from linkwork.cli.commands import perform

        imported()
        code = perform()
    sys.exit(code)


def __getattr__(name: str) -> object:
    if name != "app":
        raise AttributeError(f"module 'linkwork.cli' has no attribute '{name}'")
    from linkwork.cli.commands import app

    return app
