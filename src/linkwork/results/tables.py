"""Results as tables: a motion in, columns by name out, and these as .csv, .parquet, .mat or .xlsx."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.errors import LinkworkError, ModelWarning
from linkwork.quoting import csv_head
from linkwork.results.evidence import name_energies
from linkwork.results.names import list_columns, list_contacts
from linkwork.results.sheets import write_sheets
from linkwork.results.summary import summarise
from linkwork.results.trajectory import Trajectory

MOST_NUMBERS = 20_000_000  # of a table whose rows nobody has asked for: some 400 MB as text
Table = dict[str, Floats]
Formats = tuple[str, str]  # of times, of values


def make_table(motion: Trajectory, times: Floats | None, columns: Mapping[str, int] | None) -> Table:
    """t, each coordinate followed by its derivative, T, V; one row per step or requested time."""
    if times is None:
        times = _some_steps(motion)
    return motion.table(times) if columns is None else _selected(motion, times, columns)


def _some_steps(motion: Trajectory) -> Floats | None:
    """Steps evenly left out where all of them would make a file that nobody can use; None: all."""
    wide = 2 * motion.system.n + 3
    every = -(-len(motion.t) * wide // MOST_NUMBERS)
    if every <= 1:
        return None
    words = f"of {len(motion.t)} steps the table has every {every}th, so that it is not too large for use"
    warnings.warn(f"{words}. Say how many rows with points", ModelWarning, stacklevel=4)
    return np.append(motion.t[:-1:every], motion.t[-1])


def _selected(motion: Trajectory, times: Floats | None, columns: Mapping[str, int]) -> Table:
    """Columns of the points and angles a file asks for, with derivatives; states, variables, contacts, inputs, T, V."""
    state = motion if times is None else motion.at(times)
    chosen: Table = {"t": np.asarray(state.t)}
    for name, count in columns.items():
        state[name]  # an unknown name is an error in words
        for coordinate in list_columns(motion.system, name):
            levels = (state.__getitem__, state.velocity, state.acceleration)[:count]
            chosen |= {coordinate + "'" * i: level(coordinate) for i, level in enumerate(levels)}
    variables = () if motion.mechanism is None else motion.mechanism.variables
    others = (*motion.system.states, *variables, *list_contacts(motion.mechanism), *motion.system.inputs)
    chosen |= {name: state[name] for name in others}
    return chosen | name_energies(state.energy, chosen)


def write_csv(motion: Trajectory, table: Table, file: IO[bytes], formats: Formats) -> None:
    """Names in the first line, then numbers that give back the very same ones when read."""
    line = ",".join([formats[0]] + [formats[1]] * (len(table) - 1))
    file.write((csv_head(table) + "\n").encode())
    for row in np.column_stack(list(table.values())).tolist():
        file.write((line % tuple(row) + "\n").encode())


def write_parquet(motion: Trajectory, table: Table, file: IO[bytes], formats: Formats) -> None:
    """One column of 64-bit numbers for each name; title and outcome in the file's metadata."""
    import pyarrow
    import pyarrow.parquet

    about = {"title": motion.title, "outcome": motion.outcome}
    whole = pyarrow.table({name: np.ascontiguousarray(values) for name, values in table.items()})
    pyarrow.parquet.write_table(whole.replace_schema_metadata(about), file)


def write_mat(motion: Trajectory, table: Table, file: IO[bytes], formats: Formats) -> None:
    """The numbers as a matrix `table`, one column for each of the names `columns`; t and the words of the run."""
    from scipy.io import savemat
    from scipy.io.matlab import MatWriteError

    content = {
        "columns": _cell(table),
        "table": np.column_stack(list(table.values())),
        "t": table["t"],
        "title": motion.title,
        "outcome": motion.outcome,
        "summary": _cell(f"{label}: {text}" for label, text in summarise(motion)),
    }
    try:
        savemat(file, content, oned_as="column", do_compression=True)  # type: ignore[arg-type]  # an open file will do
    except (MatWriteError, OverflowError) as error:
        raise LinkworkError(f"a .mat file cannot hold so much ({error}). Give fewer points, or write .npz") from error


def _cell(words: Iterable[str]) -> NDArray[Any]:
    """A cell array of texts."""
    return np.array([*words, None], dtype=object)[:-1, None]


def write_xlsx(motion: Trajectory, table: Table, file: IO[bytes], formats: Formats) -> None:
    """A worksheet with the numbers, names in its first row, and one with the words of the run."""
    rows = np.column_stack(list(table.values())).tolist()
    write_sheets(file, {"motion": [list(table), *rows], "run": summarise(motion)})


WRITERS: dict[str, Callable[[Trajectory, Table, IO[bytes], Formats], None]] = {
    ".csv": write_csv,
    ".parquet": write_parquet,
    ".mat": write_mat,
    ".xlsx": write_xlsx,
}
