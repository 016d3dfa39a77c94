"""Linear models as files: a Linear and a path in; JSON, NumPy's .npz or Matlab's .mat out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.linear.model import MATRICES
from linkwork.errors import LinkworkError
from linkwork.results.files import write_whole

if TYPE_CHECKING:
    from linkwork.analysis.linear.model import Linear


def write_linear(linear: Linear, path: str | os.PathLike[str]) -> Path:
    """Write a model; the ending of the name says how."""
    target = Path(path)
    if target.suffix not in WRITERS:
        raise LinkworkError(f"'{target}': the name must end in {', '.join(WRITERS)}")
    return write_whole(target, lambda file: WRITERS[target.suffix](linear, file))


NAMED = ("states", "speeds", "first_order", "inputs", "outputs")


def _arrays(linear: Linear) -> dict[str, Any]:
    numbers = {name: getattr(linear, name) for name in (*MATRICES, "eigenvalues")}
    words = {name: np.array(getattr(linear, name), dtype=object) for name in NAMED}
    shapes = np.array([mode.coordinates for mode in linear.modes]).T
    found = np.array([mode.eigenvalue for mode in linear.modes])
    return {**numbers, **words, "x": linear.values, "xdot": linear.rates, "shapes": shapes, "modes": found}


def _write_mat(linear: Linear, file: IO[bytes]) -> None:
    from scipy.io import savemat

    savemat(file, _arrays(linear))  # type: ignore[arg-type]  # an open file will do


def _write_npz(linear: Linear, file: IO[bytes]) -> None:
    plain = {name: x.astype(str) if x.dtype == object else x for name, x in _arrays(linear).items()}
    np.savez(file, **plain)


def _write_json(linear: Linear, file: IO[bytes]) -> None:
    file.write(json.dumps(linear.as_dict(), indent=1, allow_nan=False).encode())


def _write_text(linear: Linear, file: IO[bytes]) -> None:
    file.write(linear.text().encode())


WRITERS: dict[str, Callable[[Linear, IO[bytes]], None]] = {
    ".mat": _write_mat,
    ".npz": _write_npz,
    ".json": _write_json,
    ".txt": _write_text,
}
