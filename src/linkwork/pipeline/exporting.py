"""What is exported of a model. Imported when it is asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.export import (
    UNITS,
    Origin,
    check_folder,
    check_target_name,
    describe,
    has_modes,
    write_folder,
    write_texts,
)

if TYPE_CHECKING:
    from linkwork.pipeline.model import Model


def find_origin(model: Model) -> Origin:
    """The equations, their start and their name."""
    m, start, tend = model.mechanism, model.start, model.mechanism.start.tend
    source = Path(model.file).name if model.file else "a model"
    stem = Path(model.file).stem if model.file else m.title or "model"
    end = start.t + 1.0 if tend is None else m.compute(tend)
    # where constraints come and go all of them are needed, in points
    system, posed = (model.whole, None) if has_modes(model.whole) else (model.fitted, model.posed)
    return Origin(m, system, start.t, start.q, start.u, end, stem, source, posed)


def write_export(model: Model, target: str, folder: str | os.PathLike[str] | None, force: bool, jacobian: bool) -> Path:
    """Source code in a folder."""
    chosen, origin = check_target_name(target), find_origin(model)
    place = Path(folder) if folder is not None else Path(f"{origin.name}-{chosen}")
    check_folder(place, force)
    # who runs a unit fills nothing in: it has inputs instead
    exported = describe(origin, jacobian, calls=chosen not in UNITS)
    # long equations nobody reads, and they take long to print
    equations = model.equations().text() if exported.is_small else ""
    write_folder(place, write_texts(exported, chosen, equations), force)
    return place
