"""Results as files, by the name's ending. Files appear whole or not at all; nothing is imported before it is needed."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import InputError, LinkworkError, Problem, Ref, no_folder, show_value
from linkwork.given import as_object

if TYPE_CHECKING:
    from linkwork.results.trajectory import Trajectory

DEFAULT_FORMAT = "%r"  # as few digits as give back the very same number
ENDINGS = (".csv", ".npz", ".parquet", ".mat", ".xlsx")
MOST_POINTS = 1_000_000  # lines of a table asked for by their number


def write_results(
    motion: Trajectory,
    path: str | os.PathLike[str],
    *,
    times: Floats | None = None,
    points: int | None = None,
    columns: Mapping[str, int] | None = None,
    time_format: str | None = None,
    value_format: str | None = None,
) -> Path:
    """Write a motion as .csv, .npz (which `linkwork view` reads back), .parquet, .mat or .xlsx, by the name's ending.

    One row per step, per requested time, or for so many `points` equally spaced in time. `columns` selects points and
    angles of a table and how many levels of each: 1 values, 2 also velocities, 3 also accelerations.
    """
    from linkwork.results.archive import write_npz
    from linkwork.results.tables import WRITERS, make_table
    from linkwork.results.trajectory import Trajectory

    as_object(motion, Trajectory, Ref("motion"), "Give what simulate returns")
    target = as_path(path)
    check_results(target)
    if points is not None:
        if times is not None:
            raise InputError([Problem(part="points", what="times are given as well", remedy="Give one of the two")])
        times = np.linspace(motion.t[0], motion.t[-1], check_points(points))
    if target.suffix == ".npz":
        return write_npz(motion, target, times=times)
    formats = check_format(time_format), check_format(value_format)
    table = make_table(motion, times, columns)
    return write_whole(target, lambda file: WRITERS[target.suffix](motion, table, file, formats))


def check_results(path: Path) -> None:
    """Refuse what cannot be written: another ending, or a library that is missing."""
    if path.suffix not in ENDINGS:
        raise LinkworkError(f"cannot write '{path}': the name must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
    if path.suffix == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise LinkworkError('.parquet results need pyarrow. Install it: pip install "linkwork[table]"') from error


def check_points(points: object) -> int:
    """A number of rows."""
    if isinstance(points, bool) or not isinstance(points, int) or not 2 <= points <= MOST_POINTS:
        remedy = f"Give a whole number from 2 to {MOST_POINTS:,}"
        raise InputError([Problem(part="points", what=f"{show_value(points)} is no number of rows", remedy=remedy)])
    return points


def check_format(text: str | None) -> str:
    """A printf format for one number; anything else is refused."""
    chosen = text or DEFAULT_FORMAT
    if text and not re.fullmatch(r"%[ +-]?\d{0,3}(\.\d{1,2})?[efgEFG]", chosen):
        raise LinkworkError(f"number format '{chosen}' is not of the form '%.17e'")
    return chosen


def as_path(path: object) -> Path:
    """The path of a file, or an error in words."""
    try:
        return Path(path)  # type: ignore[arg-type]
    except TypeError:
        raise LinkworkError(f"{show_value(path)} is no file name. Give a text such as 'results.csv'") from None


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> Path:
    """Write to a temporary file beside the target, then rename. Makes no folders."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except FileNotFoundError:
        raise LinkworkError(f"cannot write '{path}': {no_folder(path)}") from None
    except (OSError, ValueError) as error:
        raise LinkworkError(f"cannot write '{path}': {_reason(error)}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        raise LinkworkError(f"cannot write '{path}': {error.strerror}") from error
    finally:
        if os.path.exists(name):
            os.unlink(name)
    return path


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeError):
        return "this is no name for a file"
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
