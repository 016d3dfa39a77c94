"""A drawing that was read from a file, checked against what a picture relies on. docs/scene.md describes its keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from linkwork.results.record.drawing import Drawing, empty_drawing

Check = Callable[[Any], bool]


def check_drawing(given: Any, shown: Collection[str]) -> Drawing:
    """The drawing, with empty lists for what files of old do not have; ValueError if it is none."""
    if not isinstance(given, dict) or given.get("dimension") not in (2, 3):
        raise ValueError("no drawing")
    drawing = {**empty_drawing("", given["dimension"]), **given}
    rules = _rules(drawing, set(shown))
    wrong = [key for key, check in rules.items() if not check(drawing[key])]
    if wrong:
        raise ValueError(f"a drawing with wrong {wrong[0]}")
    return {key: drawing[key] for key in ("dimension", *rules)}


def _rules(drawing: Drawing, shown: set[str]) -> dict[str, Check]:
    """What each key must hold."""
    d = drawing["dimension"]
    fixed = drawing["fixed"] if isinstance(drawing["fixed"], dict) else {}
    moving = drawing["moving"] if _listed(_text)(drawing["moving"]) else []
    known = {*fixed, *moving}
    place = _listed(_number, d)
    point: Check = lambda x: isinstance(x, str) and x in known  # noqa: E731
    pair = {"name": _text, "points": _listed(point, 2)}
    several = {"name": _text, "points": lambda x: _listed(point)(x) and len(x) > 1}
    rigid = {
        **several, "geometry": _listed(place), "centroid": place, "mass": _number,
        "arms": _maybe(_listed(_listed(place, 2))),
    }  # fmt: skip
    joint = {
        "name": _text, "kind": _text, "parts": _listed(_text, 2), "points": _listed(point, 2), "axes": _listed(place),
    }  # fmt: skip
    wheel = {
        "name": _text, "part": _text, "centre": place, "axle": _listed(_number, 3), "radius": _number, "tread": _number,
    }  # fmt: skip
    surface = {
        "name": _text, "part": _text, "point": lambda x: x == "" or point(x), "lines": _listed(_listed(place, 2)),
        "plane": _maybe(_listed(place, d)),
    }  # fmt: skip
    return {
        "title": _text,
        "fixed": lambda x: isinstance(x, dict) and all(place(each) for each in x.values()),
        "moving": lambda x: _listed(_text)(x) and all({f"{p}{axis}" for axis in "xyz"[:d]} <= shown for p in x),
        "rigids": lambda x: _records(x, rigid) and all(len(r["geometry"]) == len(r["points"]) for r in x),
        "springs": lambda x: _records(x, {**pair, "stiffness": _number, "rest": _number, "mass": _number}),
        "dampers": lambda x: _records(x, pair),
        "drivers": lambda x: _records(x, pair),
        "particles": lambda x: _records(x, {"point": point, "mass": _number}),
        "lines": lambda x: _records(x, several),
        "planes": lambda x: _records(x, several),
        "joints": lambda x: _records(x, joint),
        "wheels": lambda x: _records(x, wheel),
        "surfaces": lambda x: _records(x, surface),
        "gravity": _maybe(place),
        "forces": _listed(_text),
        "torques": _listed(_text),
        "motions": _listed(_text),
        "parameters": _listed(lambda x: isinstance(x, list) and len(x) == 2 and _text(x[0]) and _number(x[1])),
        "traces": _listed(lambda x: isinstance(x, str) and x in moving),
        "view": _maybe(_listed(_number, 2)),
        "width": _maybe(lambda x: _number(x) and x > 0),
        "thickness": _maybe(lambda x: _number(x) and x > 0),
        "notes": _listed(_text),
    }


def _text(given: Any) -> bool:
    return isinstance(given, str)


def _number(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)


def _maybe(check: Check) -> Check:
    return lambda given: given is None or check(given)


def _listed(check: Check, count: int | None = None) -> Check:
    """A list of things of one kind, of so many if that is said."""
    return lambda given: isinstance(given, list) and count in (None, len(given)) and all(check(x) for x in given)


def _records(given: Any, checks: Mapping[str, Check]) -> bool:
    """A list of records, each with these keys."""
    return isinstance(given, list) and all(
        isinstance(record, dict) and all(key in record and check(record[key]) for key, check in checks.items())
        for record in given
    )
