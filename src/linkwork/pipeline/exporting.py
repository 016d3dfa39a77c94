"""What is exported of a model. Imported when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.export import (
    UNITS,
    Origin,
    as_folder,
    check_folder,
    check_target_name,
    describe,
    write_folder,
    write_texts,
)
from linkwork.export.modes import needs_modes
from linkwork.pipeline.mode import find_mode
from linkwork.quoting import file_name
from linkwork.results import Snapshot

if TYPE_CHECKING:
    from linkwork.pipeline.model import Model

NO_FILE = "<text>"  # what messages call the file of a text
SHIFT = 1e-4  # of a value, with which the start may move
STILL = 1e-10  # of its size: what counts as not moving
MOST_MAKERS = 500  # parameters that are tried; the rest may make the start


def find_origin(model: Model) -> Origin:
    """The equations, their start and their name."""
    m, start, tend = model.mechanism, model.start, model.mechanism.start.tend
    file = None if model.file in (None, "", NO_FILE) else Path(model.file)
    source, stem = (file.name, file.stem) if file else ("", m.title or "model")
    end = start.t + 1.0 if tend is None else m.compute(tend)
    # where constraints come and go all of them are needed, in points
    system, posed = (model.whole, None) if needs_modes(model.whole) else (model.fitted, model.posed)
    return Origin(m, system, start.t, start.q, start.u, end, stem, source, posed)


def find_mode_origin(model: Model, at: Snapshot | None) -> Origin:
    """The equations as long as nothing comes or goes: with what holds at the start, or in a state of a motion."""
    origin = find_origin(model)
    if at is None and not needs_modes(origin.system):
        return origin
    mode, system = find_mode(model, at), origin.system
    if needs_modes(system):
        system = mode.whole.in_mode(mode.off)
    return origin._replace(t=mode.t, q=mode.q, u=mode.u[: system.n], system=system)


def find_makers(model: Model, names: Iterable[str]) -> frozenset[str]:
    """The parameters that make the start: those with which it moves, or is none."""
    first, values = model.start, model.mechanism.values
    sizes = [(x, 1.0 + float(np.max(np.abs(x), initial=0.0))) for x in (first.q, first.u)]

    def makes(name: str) -> bool:
        try:
            other = model.with_parameters(**{name: values[name] * (1.0 + SHIFT) or SHIFT}).start
        except LinkworkError:
            return True
        pairs = zip(sizes, (other.q, other.u), strict=True)
        moved = any(np.max(np.abs(x - before), initial=0.0) > STILL * size for (before, size), x in pairs)
        return moved or other.t != first.t

    return frozenset(name for i, name in enumerate(names) if i >= MOST_MAKERS or makes(name))


def write_export(model: Model, target: str, folder: str | os.PathLike[str] | None, force: bool, jacobian: bool) -> Path:
    """Source code in a folder."""
    chosen, origin = check_target_name(target), find_origin(model)
    place = as_folder(f"{file_name(origin.name)}-{chosen}" if folder is None else folder)
    check_folder(place, force)
    # who runs a unit fills nothing in: it has inputs instead
    exported = describe(origin, jacobian, calls=chosen not in UNITS)
    exported = exported.marked(find_makers(model, (n.name for n in exported.parameters)))
    # long equations nobody reads, and they take long to print
    equations = model.equations().text() if exported.is_small else ""
    write_folder(place, write_texts(exported, chosen, equations), force)
    return place
