"""Linear models as files: a Linear and a path in; JSON, NumPy's .npz or Matlab's .mat out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.linear.model import MATRICES, Linear
from linkwork.errors import LinkworkError
from linkwork.results.files import write_whole

if TYPE_CHECKING:
    from linkwork.analysis.linear.discrete import Discrete


def write_linear(linear: Linear | Discrete, path: str | os.PathLike[str]) -> Path:
    """Write a model; the ending of the name says how."""
    target = Path(path)
    if target.suffix not in WRITERS:
        raise LinkworkError(f"'{target}': the name must end in {', '.join(WRITERS)}")
    return write_whole(target, lambda file: WRITERS[target.suffix](linear, file))


NAMED = ("states", "speeds", "first_order", "inputs", "outputs")


def _arrays(linear: Linear | Discrete) -> dict[str, Any]:
    own = MATRICES if isinstance(linear, Linear) else ("A", "B", "C", "D", "period")
    numbers = {name: np.asarray(getattr(linear, name)) for name in (*own, "eigenvalues")}
    words = {name: np.array(getattr(linear, name), dtype=object) for name in NAMED}
    shapes = np.array([mode.coordinates for mode in linear.modes]).T
    found = np.array([mode.eigenvalue for mode in linear.modes])
    return {**numbers, **words, "x": linear.values, "xdot": linear.rates, "shapes": shapes, "modes": found}


def _write_mat(linear: Linear | Discrete, file: IO[bytes]) -> None:
    from scipy.io import savemat

    savemat(file, _arrays(linear))  # type: ignore[arg-type]  # an open file will do


def _write_npz(linear: Linear | Discrete, file: IO[bytes]) -> None:
    plain = {name: x.astype(str) if x.dtype == object else x for name, x in _arrays(linear).items()}
    np.savez(file, **plain)


def _write_json(linear: Linear | Discrete, file: IO[bytes]) -> None:
    file.write(json.dumps(linear.as_dict(), indent=1, allow_nan=False).encode())


def _write_text(linear: Linear | Discrete, file: IO[bytes]) -> None:
    file.write(linear.text().encode())


WRITERS: dict[str, Callable[[Linear | Discrete, IO[bytes]], None]] = {
    ".mat": _write_mat,
    ".npz": _write_npz,
    ".json": _write_json,
    ".txt": _write_text,
}
