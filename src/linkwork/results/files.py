"""Results as files: CSV in the paper's column order, npz that can be read back. Files appear whole or not at all."""

from __future__ import annotations

import json
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError, LinkworkError, Problem, no_folder, show_value
from linkwork.results.evidence import name_energies
from linkwork.results.knots import Knots, compute_knots
from linkwork.results.names import list_columns
from linkwork.results.recording import (
    ARROW_KINDS,
    Arrow,
    Curve,
    Recording,
    draw,
    energy_curves,
    record_arrows,
    record_curves,
)
from linkwork.results.samples import find_breaks
from linkwork.results.state import State
from linkwork.results.summary import summarise
from linkwork.results.trajectory import Trajectory
from linkwork.spec.source import find_neighbour

Floats = NDArray[np.float64]
DEFAULT_FORMAT = "%.17g"
LONG = 100_000  # numbers in a motion beyond which a file keeps the steps only


def write_results(motion: Trajectory, path: str | os.PathLike[str], **options: object) -> Path:
    """Write a motion as .csv or .npz, by the name's ending."""
    target = as_path(path)
    if target.suffix not in WRITERS:
        raise LinkworkError(f"cannot write '{target.name}': the name must end in {' or '.join(WRITERS)}")
    return WRITERS[target.suffix](motion, target, **options)


def write_csv(
    motion: Trajectory,
    path: Path,
    *,
    times: Floats | None = None,
    columns: Mapping[str, int] | None = None,
    time_format: str | None = None,
    value_format: str | None = None,
) -> Path:
    """t, each coordinate followed by its derivative, T, V; one row per step (or per requested time).

    `columns` selects points and angles and how many levels of each: 1 values, 2 also velocities, 3 also accelerations.
    """
    table = motion.table(times) if columns is None else _selected(motion, times, columns)
    formats = [check_format(time_format)] + [check_format(value_format)] * (len(table) - 1)
    rows = np.column_stack(list(table.values()))
    line = ",".join(formats)

    def write(file: IO[bytes]) -> None:
        file.write((",".join(table) + "\n").encode())
        for row in rows.tolist():
            file.write((line % tuple(row) + "\n").encode())

    return write_whole(path, write)


def write_npz(motion: Trajectory, path: Path, *, times: Floats | None = None, **_: object) -> Path:
    """Arrays t, q, u, a, lam, T, V at the steps and the names of coordinates and constraints.

    First-order states are in x, by the names `states`; variables in v, by the names `variables`.

    For the viewer: knots_t, knots_q, knots_u, knots_a (results/knots.py), the curves beside the motion (curves_times_I,
    curves_values_I; results/samples.py), its arrows in the same way (arrows_values_I, single precision) and `about`, a
    JSON text with the drawing and the names of curves and arrows.
    """
    if times is None:
        t, q, u, a, lam, energy = motion.t, motion.q, motion.u, motion.a, motion.lam, motion.energy
    else:
        state = motion.at(times)
        t, q, u, a, lam, energy = state.t, state.q, state.u, state.a, state.lam, state.energy
    names = {"coordinates": np.array(motion.system.coordinates), "constraints": np.array(motion.system.constraints)}
    names |= _signals(motion, motion if times is None else state)
    arrays = {"t": t, "q": q, "u": u, "a": a, "lam": lam, "T": energy.kinetic, "V": energy.potential, **names}
    texts = {"title": np.array(motion.title), "outcome": np.array(motion.outcome)}
    content = {**arrays, **texts, **_for_viewer(motion)}
    return write_whole(path, lambda file: np.savez_compressed(file, allow_pickle=False, **content))


def _signals(motion: Trajectory, at: Trajectory | State) -> dict[str, Any]:
    """Names and values of states and variables, if there are any."""
    found: dict[str, Any] = {}
    variables = () if motion.mechanism is None else motion.mechanism.variables
    for key, letter, chosen in (("states", "x", tuple(motion.system.states)), ("variables", "v", tuple(variables))):
        if chosen:
            found |= {key: np.array(chosen), letter: np.stack([at[name] for name in chosen], axis=-1)}
    return found


def _for_viewer(motion: Trajectory) -> dict[str, Any]:
    # a very long motion has so many steps that they may serve as knots
    knots = compute_knots(motion) if len(motion.t) * len(motion.shown.names) <= LONG else None
    if motion.mechanism is None or (knots is None and motion.system.markers):
        return {}
    start, breaks = motion.t if knots is None else knots.t, find_breaks(motion)
    curves, arrows = record_curves(motion, start, breaks), record_arrows(motion, start, breaks)
    series = {id(t): t for t in (*(curve.t for curve in curves), *(arrow.t for arrow in arrows))}
    numbers = {key: i for i, key in enumerate(series)}
    about = {
        "drawing": draw(motion, motion.mechanism),
        "summary": summarise(motion),
        "doubts": list(motion.doubts),
        "events": [[event.name, event.t] for event in motion.events],
        "accuracy": knots.accuracy if knots else None,
        "curves": [[curve.group, curve.name, curve.unit, numbers[id(curve.t)]] for curve in curves],
        "arrows": [[arrow.kind, arrow.name, arrow.point, arrow.part, numbers[id(arrow.t)]] for arrow in arrows],
    }
    arrays = {f"knots_{name}": getattr(knots, name) for name in "tqua"} if knots else {}
    shown = {"shown": np.array(motion.shown.names), "scales": motion.shown.scales}
    arrays |= {f"curves_times_{i}": t for i, t in enumerate(series.values())}
    arrays |= {f"curves_values_{i}": curve.values for i, curve in enumerate(curves)}
    arrays |= {f"arrows_values_{i}": arrow.values.astype(np.float32) for i, arrow in enumerate(arrows)}
    return {**arrays, **shown, "about": np.array(json.dumps(about))}


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """What a .npz file keeps of a motion: its knots, energies and drawing. Never runs anything from the file."""
    source = as_path(path)
    try:
        with np.load(source, allow_pickle=False) as file:
            content = {name: file[name] for name in file.files}
    except FileNotFoundError:
        problem = Problem(file=str(path), what="there is no such file", remedy=find_neighbour(source))
        raise InputError([problem]) from None
    except OSError as error:
        raise LinkworkError(f"cannot read '{path}': {error.strerror or 'not a results file'}") from error
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError) as error:
        raise LinkworkError(f"'{path}' is not a results file of linkwork") from error
    if "about" not in content:
        raise LinkworkError(f"'{path}' holds no drawing. Write it anew: linkwork run FILE.yaml --out {source.name}")
    try:
        return _recording(content)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise LinkworkError(f"'{path}' is damaged or from another version of linkwork") from error


def _recording(content: Mapping[str, Any]) -> Recording:
    about = json.loads(str(content["about"]))
    stored = "knots_" if "knots_t" in content else ""
    t, q, u, a = (np.asarray(content[f"{stored}{name}"], dtype=np.float64) for name in "tqua")
    coordinates = tuple(str(name) for name in content["shown"])
    if t.ndim != 1 or not len(t) or any(x.shape != (len(t), len(coordinates)) for x in (q, u, a)):
        raise ValueError("knots of different lengths")
    return Recording(
        title=str(content["title"]),
        outcome=str(content["outcome"]),
        coordinates=coordinates,
        scales=np.asarray(content["scales"], dtype=np.float64),
        knots=Knots(t=t, q=q, u=u, a=a, accuracy=about["accuracy"]),
        drawing=about["drawing"],
        summary=tuple((str(label), str(text)) for label, text in about["summary"]),
        doubts=tuple(str(doubt) for doubt in about.get("doubts", ())),
        events=tuple((str(name), float(when)) for name, when in about["events"]),
        curves=_curves(content, about),
        arrows=_arrows(content, about),
    )


def _curves(content: Mapping[str, Any], about: Mapping[str, Any]) -> tuple[Curve, ...]:
    """The curves of a file; one written before curves were kept has the energies of its rows."""
    if "curves" not in about:
        return tuple(energy_curves(content["t"], content["T"], {"potential": content["V"]}))
    found = []
    for i, (group, name, unit, number) in enumerate(about["curves"]):
        t, values = _series(content, int(number), f"curves_values_{i}", ())
        found.append(Curve(group=str(group), name=str(name), unit=str(unit), t=t, values=values))
    return tuple(found)


def _arrows(content: Mapping[str, Any], about: Mapping[str, Any]) -> tuple[Arrow, ...]:
    """The arrows of a file; one written before arrows were kept has none."""
    found, dimension = [], int(about["drawing"]["dimension"])
    known = {*about["drawing"]["moving"], *about["drawing"]["fixed"]}
    for i, (kind, name, point, part, number) in enumerate(about.get("arrows", ())):
        if kind not in ARROW_KINDS or point not in known:
            raise ValueError("an arrow of an unknown kind or place")
        width = 1 if dimension == 2 and "torque" in kind else dimension
        t, values = _series(content, int(number), f"arrows_values_{i}", (width,))
        found.append(Arrow(kind=kind, name=str(name), point=point, part=str(part), t=t, values=values))
    return tuple(found)


def _series(content: Mapping[str, Any], number: int, key: str, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Times and values of a curve or an arrow, if they fit."""
    t, values = (np.asarray(content[name], dtype=np.float64) for name in (f"curves_times_{number}", key))
    if t.ndim != 1 or not len(t) or values.shape != (*t.shape, *shape) or (np.diff(t) < 0).any():
        raise ValueError("times and values do not match")
    return t, values


WRITERS: dict[str, Callable[..., Path]] = {".csv": write_csv, ".npz": write_npz}


def _selected(motion: Trajectory, times: Floats | None, columns: Mapping[str, int]) -> dict[str, Floats]:
    """The columns of the points and angles a file asks for, each with its derivatives; states, variables, T, V."""
    state = motion if times is None else motion.at(times)
    chosen: dict[str, Floats] = {"t": np.asarray(state.t)}
    for name, count in columns.items():
        state[name]  # an unknown name is an error in words
        for coordinate in list_columns(motion.system, name):
            levels = (state.__getitem__, state.velocity, state.acceleration)[:count]
            chosen |= {coordinate + "'" * i: level(coordinate) for i, level in enumerate(levels)}
    variables = () if motion.mechanism is None else motion.mechanism.variables
    chosen |= {name: state[name] for name in (*motion.system.states, *variables)}
    return chosen | name_energies(state.energy, chosen)


def check_format(text: str | None) -> str:
    """A printf format for one number; anything else is refused."""
    chosen = text or DEFAULT_FORMAT
    if not re.fullmatch(r"%[ +-]?\d{0,3}(\.\d{1,2})?[efgEFG]", chosen):
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
    except OSError as error:
        raise LinkworkError(f"cannot write '{path}': {error.strerror}") from error
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


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
