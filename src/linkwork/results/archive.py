"""Results as .npz archives: a motion in, a file that keeps it; a file in, what a picture needs of it out.

A file may come from anybody. Nothing in it is run, nothing is believed before it is checked, and no array is made that
is larger than what the file really holds.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.model import Lagrangian, Mechanism
from linkwork.results.files import as_path, write_whole
from linkwork.results.record.check_drawing import check_drawing
from linkwork.results.record.knots import Knots, compute_knots
from linkwork.results.record.recording import (
    ARROW_KINDS,
    Arrow,
    Curve,
    Recording,
    Sampler,
    draw,
    energy_curves,
    prepare_knots,
    record_arrows,
    record_curves,
)
from linkwork.results.record.samples import find_breaks
from linkwork.results.record.shown import locate_bodies, show_markers
from linkwork.results.state import Snapshot
from linkwork.results.summary import is_early, summarise
from linkwork.results.trajectory import Trajectory
from linkwork.spec.source import find_neighbour

LONG = 100_000  # numbers in a motion beyond which a file keeps the steps only
LARGEST = 1 << 29  # bytes of one array that are read
DENSEST = 1100  # bytes that one byte of a packed file can stand for
TEXTS = 100_000_000  # characters of the description of a drawing
WRONG = (
    ArithmeticError, EOFError, LookupError, MemoryError, NotImplementedError, OSError, RecursionError, RuntimeError,
    SyntaxError, TypeError, ValueError, lzma.LZMAError, struct.error, tokenize.TokenError, zipfile.BadZipFile,
    zlib.error,
)  # what comes of reading a damaged file  # fmt: skip


def write_npz(motion: Trajectory, path: Path, *, times: Floats | None = None) -> Path:
    """Arrays t, q, u, a, lam, T, V at the steps and the names of coordinates and constraints.

    First-order states are in x, by the names `states`; variables in v, by the names `variables`; inputs in w, by the
    names `inputs`; constraints that do not hold at the end are named in `off`.

    For the viewer: knots_t, knots_q, knots_u, knots_a (record/knots.py), the curves beside the motion (curves_times_I,
    curves_values_I; record/samples.py), its arrows in the same way (arrows_values_I, single precision) and `about`, a
    JSON text with the drawing and the names of curves and arrows.
    """
    if times is None:
        t, q, u, a, lam, energy = motion.t, motion.q, motion.u, motion.a, motion.lam, motion.energy
    else:
        state = motion.at(times)
        t, q, u, a, lam, energy = state.t, state.q, state.u, state.a, state.lam, state.energy
    names = {"coordinates": np.array(motion.system.coordinates), "constraints": np.array(motion.system.constraints)}
    names |= _signals(motion, motion if times is None else state)
    q, u, a = (x[:, : motion.system.n] for x in (q, u, a))  # inputs go by their names
    arrays = {"t": t, "q": q, "u": u, "a": a, "lam": lam, "T": energy.kinetic, "V": energy.potential, **names}
    texts = {
        "title": np.array(motion.title),
        "outcome": np.array(motion.outcome),
        "method": np.array(str(motion.method)),
    }
    if motion.final.off:
        texts |= {"off": np.array([motion.system.constraints[i] for i in sorted(motion.final.off)])}
    content = {**arrays, **texts, **_for_viewer(motion)}
    return write_whole(path, lambda file: np.savez_compressed(file, allow_pickle=False, **content))


def _signals(motion: Trajectory, at: Trajectory | Snapshot) -> dict[str, Any]:
    """Names and values of states, variables and inputs, if there are any."""
    found: dict[str, Any] = {}
    variables = () if motion.mechanism is None else motion.mechanism.variables
    s = motion.system
    groups = {("states", "x"): s.states, ("variables", "v"): variables, ("inputs", "w"): s.inputs}
    for (key, letter), names in groups.items():
        if chosen := tuple(names):
            found |= {key: np.array(chosen), letter: np.stack([at[name] for name in chosen], axis=-1)}
    return found


def _for_viewer(motion: Trajectory) -> dict[str, Any]:
    motion, lines = locate_bodies(motion)
    if (
        motion.mechanism is None
        or not motion.whole
        or (isinstance(motion.mechanism, Lagrangian) and not motion.system.chart.markers)
    ):
        return {}
    knots, notes = _knots_to_keep(motion)
    start, breaks = motion.t if knots is None else knots.t, find_breaks(motion)
    sampler = Sampler(motion, start, breaks)
    curves, arrows = record_curves(sampler), record_arrows(sampler)
    series = {id(t): t for t in (*(curve.t for curve in curves), *(arrow.t for arrow in arrows))}
    numbers = {key: i for i, key in enumerate(series)}
    drawing = draw(motion, motion.mechanism, lines)
    about = {
        "drawing": {**drawing, "notes": [*drawing["notes"], *notes]},
        "summary": summarise(motion),
        "early": is_early(motion),
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
    return {**arrays, **shown, "about": np.array(json.dumps(about, allow_nan=False))}


def _knots_to_keep(motion: Trajectory) -> tuple[Knots | None, list[str]]:
    """Knots of a motion, with notes; a very long one has so many steps that they may serve, which are there already."""
    if len(motion.t) * len(motion.shown.names) <= LONG:
        return prepare_knots(motion, compute_knots(motion))
    if not motion.system.chart.markers:
        return None, []
    q, u, a = show_markers(motion.system, motion.q, motion.u, motion.a, motion.t)
    return prepare_knots(motion, Knots(t=motion.t, q=q, u=u, a=a, accuracy=None))


class Archive:
    """The arrays of an .npz file by name, each read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self.series: dict[int, Floats] = {}
        self.file = path.open("rb")
        try:
            self.zip = zipfile.ZipFile(self.file)
            self.members = {info.filename.removesuffix(".npy"): info for info in self.zip.infolist()}
            if len(self.members) < len(self.zip.infolist()):
                raise ValueError("two arrays of one name")
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.file.close()

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def __getitem__(self, name: str) -> NDArray[Any]:
        """An array of numbers or texts, if the file holds as much as it says."""
        info = self.members[name]
        if info.file_size > min(LARGEST, DENSEST * (info.compress_size + 1)):
            raise ValueError("an array is larger than it can be")
        content = self.zip.read(info)
        member = io.BytesIO(content)
        shape, by_columns, kind = HEADERS[npy.read_magic(member)](member)
        if kind.kind not in "fiuU" or math.prod(shape) * kind.itemsize != len(content) - member.tell():
            raise ValueError("an array of another kind or size")
        flat = np.frombuffer(content, dtype=kind, offset=member.tell())
        return flat.reshape(shape, order="F" if by_columns else "C")

    def numbers(self, name: str) -> Floats:
        """An array of numbers."""
        found = self[name]
        if found.dtype.kind == "U":
            raise ValueError("texts where numbers should be")
        return np.asarray(found, dtype=np.float64)

    def times(self, number: int) -> Floats:
        """A series of times, read once however many curves use it."""
        if number not in self.series:
            self.series[number] = self.numbers(f"curves_times_{number}")
        return self.series[number]

    def texts(self, name: str) -> list[str]:
        """An array of texts, all different."""
        found = self[name]
        if found.dtype.kind != "U" or found.ndim != 1 or len(set(found.tolist())) < len(found):
            raise ValueError("no list of different texts")
        return [str(text) for text in found]

    def text(self, name: str) -> str:
        """A single text."""
        found = self[name]
        if found.dtype.kind != "U" or found.ndim or found.dtype.itemsize > 4 * TEXTS:
            raise ValueError("no text")
        return str(found)


HEADERS: Mapping[tuple[int, int], Callable[..., Any]] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
}


def read_last(path: str | os.PathLike[str], system: System, mechanism: Mechanism | Lagrangian) -> Snapshot:
    """The last state that a .npz file keeps of a motion of this mechanism, to go on from."""
    name, remedy = as_path(path), "Give results of this mechanism: linkwork run FILE.yaml --out NAME.npz"
    try:
        with Archive(name) as archive:
            coordinates, inputs = archive.texts("coordinates"), archive.texts("inputs") if "inputs" in archive else []
            if coordinates != [*system.coordinates] or inputs != [*system.inputs]:
                raise LinkworkError(f"'{name}': these are results of another mechanism. {remedy}")
            t, q, u, a, lam = (archive.numbers(key)[-1] for key in ("t", "q", "u", "a", "lam"))
            if inputs:
                q = np.append(q, archive.numbers("w")[-1])
                u, a = (np.append(x, np.zeros(len(inputs))) for x in (u, a))
            off = archive.texts("off") if "off" in archive else []
            shapes = t.shape, q.shape, u.shape, a.shape, lam.shape
            if shapes != ((), *3 * ((system.n + len(inputs),),), (system.m,)) or not {*off} <= {*system.constraints}:
                raise ValueError("arrays that do not fit")
    except FileNotFoundError as error:
        raise LinkworkError(f"'{name}': there is no such file. {remedy}") from error
    except WRONG as error:
        raise LinkworkError(f"'{name}': this is no file of results, or it is damaged. {remedy}") from error
    held = frozenset(system.constraints.index(row) for row in off)
    return Snapshot(system, np.asarray(t), (q, u, a, lam), mechanism, off=held)


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """What a .npz file keeps of a motion: its knots, energies and drawing. Never runs anything from the file."""
    source = as_path(path)
    try:
        archive = Archive(source)
    except FileNotFoundError:
        problem = Problem(file=str(path), what="there is no such file", remedy=find_neighbour(source))
        raise InputError([problem]) from None
    except OSError as error:
        raise LinkworkError(f"cannot read '{path}': {error.strerror or 'not a results file'}") from error
    except WRONG as error:
        raise LinkworkError(f"'{path}' is not a results file of linkwork") from error
    with archive:
        if "about" not in archive:
            raise LinkworkError(f"'{path}' holds no drawing. Write it anew: linkwork run FILE.yaml --out {source.name}")
        try:
            return _recording(archive)
        except WRONG as error:
            raise LinkworkError(
                f"'{path}' is damaged or from another version of linkwork. Write it anew: linkwork run FILE.yaml "
                f"--out {source.name}"
            ) from error


def _recording(archive: Archive) -> Recording:
    about = json.loads(archive.text("about"), parse_constant=_refuse)
    if not isinstance(about, dict):
        raise ValueError("no description of a drawing")
    shown = tuple(archive.texts("shown"))
    scales = archive.numbers("scales")
    if scales.shape != (len(shown),) or not (np.isfinite(scales) & (scales > 0)).all():
        raise ValueError("no scales")
    drawing = check_drawing(about["drawing"], shown)
    return Recording(
        title=archive.text("title"),
        outcome=archive.text("outcome"),
        early=bool(about.get("early", False)),
        doubts=tuple(str(doubt) for doubt in about.get("doubts", ())),
        coordinates=shown,
        scales=scales,
        knots=_knots(archive, about, shown),
        drawing=drawing,
        summary=tuple((str(label), str(text)) for label, text in about["summary"]),
        events=tuple((str(name), _finite(when)) for name, when in about["events"]),
        curves=_curves(archive, about),
        arrows=_arrows(archive, about),
    )


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def _finite(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise ValueError("no number")
    return float(given)


def _knots(archive: Archive, about: Mapping[str, Any], shown: tuple[str, ...]) -> Knots:
    """The knots of a file; where they are the steps of the run, the columns that are shown."""
    stored = "knots_" if "knots_t" in archive else ""
    t, q, u, a = (archive.numbers(f"{stored}{name}") for name in "tqua")
    if not stored:
        index = {name: i for i, name in enumerate(archive.texts("coordinates"))}
        q, u, a = (x[:, [index[name] for name in shown]] for x in (q, u, a))
    if t.ndim != 1 or not len(t) or any(x.shape != (len(t), len(shown)) for x in (q, u, a)):
        raise ValueError("knots of different lengths")
    if not all(np.isfinite(x).all() for x in (t, q, u, a)) or (np.diff(t) < 0).any():
        raise ValueError("knots without a value or out of order")
    accuracy = about["accuracy"]
    return Knots(t=t, q=q, u=u, a=a, accuracy=None if accuracy is None else _finite(accuracy))


def _curves(archive: Archive, about: Mapping[str, Any]) -> tuple[Curve, ...]:
    """The curves of a file; one written before curves were kept has the energies of its rows."""
    if "curves" not in about:
        t, T, V = (archive.numbers(name) for name in "tTV")
        if t.ndim != 1 or not t.shape == T.shape == V.shape:
            raise ValueError("energies of another length")
        return tuple(energy_curves(t, T, {"potential": V}))
    found = []
    for i, (group, name, unit, number) in enumerate(about["curves"]):
        t, values = _series(archive, int(number), f"curves_values_{i}", ())
        found.append(Curve(group=str(group), name=str(name), unit=str(unit), t=t, values=values))
    return tuple(found)


def _arrows(archive: Archive, about: Mapping[str, Any]) -> tuple[Arrow, ...]:
    """The arrows of a file; one written before arrows were kept has none."""
    found, dimension = [], int(about["drawing"]["dimension"])
    known = {*about["drawing"]["moving"], *about["drawing"]["fixed"]}
    for i, (kind, name, point, part, number) in enumerate(about.get("arrows", ())):
        if kind not in ARROW_KINDS or point not in known:
            raise ValueError("an arrow of an unknown kind or place")
        width = 1 if dimension == 2 and "torque" in kind else dimension
        t, values = _series(archive, int(number), f"arrows_values_{i}", (width,))
        found.append(Arrow(kind=kind, name=str(name), point=point, part=str(part), t=t, values=values))
    return tuple(found)


def _series(archive: Archive, number: int, key: str, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Times and values of a curve or an arrow, if they fit."""
    t, values = archive.times(number), archive.numbers(key)
    matching = t.ndim == 1 and len(t) and values.shape == (*t.shape, *shape)
    if not matching or not np.isfinite(t).all() or (np.diff(t) < 0).any():
        raise ValueError("times and values do not match")
    return t, values
