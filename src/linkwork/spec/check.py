"""A tree of nodes -> where it does not have the shape of the schema, in the words of the schema, with lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from linkwork.errors import did_you_mean
from linkwork.model.convert import split_points
from linkwork.model.functions import FUNCTION_NAME
from linkwork.spec.nodes import NULL_TEXTS, Node, shorten
from linkwork.spec.report import MAX_NAME, Report
from linkwork.spec.schema_words import LIST
from linkwork.spec.shape import Items, Keys, Says, Shape, Words, find_shape

MAP = "expected a map such as {key: value}, not $value"
SINGLE = "expected a single value, not $value"
MISSING = "a value is missing. Write it after the colon"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: what messages call it, the line of its key, the name of the entry it belongs to."""

    part: str
    line: int
    name: str = ""


def check_shape(report: Report, root: Node) -> None:
    """Report everything in a file that is not where, or not of the kind, that the schema says."""
    _check(report, root, find_shape(), _Place("", root.line))


def _check(report: Report, node: Node, shape: Shape, place: _Place) -> None:
    if node.kind == "list" and shape.items is not None:
        _check_items(report, node, shape, shape.items, place)
    elif node.kind == "map" and shape.keys is not None:
        _check_keys(report, node, shape, shape.keys, place)
    elif node.plain and node.text in NULL_TEXTS:
        if not shape.null:
            _check_nothing(report, node, shape, place)
    elif node.kind == "scalar" and shape.words is not None and len(node.text) < shape.words.least:
        _check_nothing(report, node, shape, place)
    elif node.kind == "scalar" and shape.words is not None:
        if not shape.words.allow(node):
            _check_word(report, node, shape, shape.words, place)
    else:
        _refuse_kind(report, node, shape, place)


def _refuse_kind(report: Report, node: Node, shape: Shape, place: _Place) -> None:
    usual = SINGLE if shape.words else LIST if shape.items else MAP
    if usual is MAP:
        report.incomplete = True  # there may have been parts in it
    report.say(node, shape.says.get("type", usual), place.part, places=_places(report, place))


def _check_nothing(report: Report, node: Node, shape: Shape, place: _Place) -> None:
    """A value that is missing, or a map without anything in it."""
    if "missing" in shape.says or shape.words is not None:
        report.say(node, shape.says.get("missing", MISSING), place.part, places=_places(report, place))
        report.incomplete = report.incomplete or not place.name
    elif shape.keys is not None and shape.items is None:
        _check_keys(report, Node("map", node.line), shape, shape.keys, place)
    else:
        _refuse_kind(report, node, shape, place)


def _check_word(report: Report, node: Node, shape: Shape, words: Words, place: _Place) -> None:
    if words.choices:
        remedy = "Remove the quotes" if node.text in words.choices else did_you_mean(node.text[:20], words.choices)
        report.say(node, shape.says["choice"], place.part, remedy, name=shorten(place.name))
    else:
        report.say(node, shape.says["pattern"], f"{words.entry} '{shorten(node.text)}'")


def _check_items(report: Report, node: Node, shape: Shape, items: Items, place: _Place) -> None:
    if not items.least <= len(node.items) <= items.most:
        report.say(node, shape.says["count"], place.part)
        return
    for known, item in zip(items.first, node.items, strict=False):
        _check(report, item, known, place)
    for item in node.items if not items.first else ():
        if items.others is not None:
            _check(report, item, items.others, place)
        else:
            _check_anything(report, item, place.part)


def _check_keys(report: Report, node: Node, shape: Shape, keys: Keys, place: _Place) -> None:
    found: dict[str, Node] = {}
    for key, value in node.pairs:
        if not _check_key(report, key, found, place.part):
            continue
        found[key.text] = key
        if key.text in keys.shapes:
            _check_property(report, key, value, keys.shapes[key.text], place)
        elif keys.others is not None:
            _check_entry(report, key, value, keys, keys.others, place)
        elif keys.free:
            _check_anything(report, value, place.part)
        else:
            report.incomplete = True
            home = "" if place.name else _find_home(key.text)
            remedy = f"It belongs in {home}" if home else did_you_mean(key.text, keys.shapes)
            remedy = remedy or "Known keys are " + ", ".join(keys.shapes)
            report.add(key.line, f"unknown key '{shorten(key.text)}'", remedy, place.part)
    if keys.shapes and len(found) == len(node.pairs) and found.keys() <= keys.shapes.keys():
        # otherwise what is missing may be what is misspelt
        _check_together(report, node, found, shape, keys, place)


def _find_home(key: str) -> str:
    """The section in which a key stands."""
    sections = find_shape().keys
    assert sections is not None
    return next((name for name, s in sections.shapes.items() if s.keys is not None and key in s.keys.shapes), "")


def _check_key(report: Report, key: Node, found: Mapping[str, Node], part: str) -> bool:
    """Whether a key is a name that is not there already; YAML allows more."""
    name = key.text
    if key.kind == "scalar" and name in found:
        what = f"the key '{shorten(name)}' is already on line {found[name].line}"
        report.add(key.line, what, "Remove one of the two", part)
    elif key.kind != "scalar":
        report.incomplete = True
        report.add(key.line, f"expected a name before the colon, not {key}", part=part)
    elif len(name) > MAX_NAME:
        report.incomplete = True
        report.add(key.line, f"a name of {len(name):,} characters", f"The limit is {MAX_NAME:,}", part)
    else:
        return True
    return False


def _check_property(report: Report, key: Node, value: Node, shape: Shape, place: _Place) -> None:
    if place.name:  # messages name the entry
        _check(report, value, shape, place)
    elif shape.dimension <= report.dimension:
        _check(report, value, shape, _Place(shape.part or key.text, key.line))
    elif not value.empty:
        report.incomplete = True
        report.say(value, shape.says["dimension"], place.part)


def _check_entry(report: Report, key: Node, value: Node, keys: Keys, shape: Shape, place: _Place) -> None:
    if not key.text:
        report.incomplete = True
        part = f"{keys.entry} ''" if keys.entry else place.part
        report.add(key.line, "the name is missing", "Write one before the colon", part)
        return
    ordinary = "x-points" in keys.names and _has_points(value) and FUNCTION_NAME.fullmatch(key.text)
    if "pattern" in keys.names and not ordinary and not re.fullmatch(keys.names["pattern"], key.text):
        report.incomplete = True
        _check_name(report, key, keys)
    part = f"{keys.entry} '{shorten(key.text)}'" if keys.entry else place.part
    _check(report, value, shape, _Place(part, key.line, key.text))


def _has_points(node: Node) -> bool:
    """Whether a part says which points it has, so that its name need not list them."""
    return any(key.text == "points" for key, _ in node.pairs)


def _check_name(report: Report, key: Node, keys: Keys) -> None:
    """Say what is wrong with a name, of several on a line with each."""
    says: Says = keys.names["x-says"]
    names = [name.strip() for name in key.text.split(",")]
    if "x-points" not in keys.names:
        report.say(key, says["pattern"], f"{keys.entry} '{shorten(key.text)}'", names=len(names))
        return
    least, most = keys.names["x-points"]
    for name in names:
        count, part = len(split_points(name)), f"{keys.entry} '{shorten(name)}'"
        if not count:
            report.say(key, says["pattern"], part)
        elif count < least or (most is not None and count > most):
            report.say(key, says["count"], part, points=count)


def _check_together(
    report: Report, node: Node, found: Mapping[str, Node], shape: Shape, keys: Keys, place: _Place
) -> None:
    """Keys that are missing, too few or too many, or exclude each other."""
    missing = [key for key in keys.required if key not in found]
    missing += [names[0] for names in keys.one_of if not any(name in found for name in names)]
    for key in missing:
        report.incomplete = report.incomplete or not place.name
        says, places = keys.shapes[key].says["missing"], _places(report, place)
        report.say(node, says, place.part or key, line=place.line, places=places)
    for both, same in (*keys.one_of, *keys.at_most_one_of):
        if both in found and same in found:
            what = f"both '{same}' and '{both}' are given"
            report.add(found[same].line, what, "Remove one of the two", place.part)
    if not keys.least <= len(found) <= keys.most:
        report.say(node, shape.says["together"], place.part, line=place.line)


def _check_anything(report: Report, node: Node, part: str) -> None:
    """Only that the keys of maps are names, each there once."""
    found: dict[str, Node] = {}
    for key, value in node.pairs:
        if _check_key(report, key, found, part):
            found[key.text] = key
            _check_anything(report, value, part)
    for item in node.items:
        _check_anything(report, item, part)


def _places(report: Report, place: _Place) -> str:
    return example_places(place.name.partition(",")[0], report.dimension)


def example_places(name: str, dimension: int) -> str:
    """How the places of the points of a part are written; the third of a body in space is in its xy plane.

    >>> example_places("OA", 2), example_places("OABC", 3)
    ('[[l]]', '[[l], [x, y], [x, y, z]]')
    """
    count = len(split_points(name)) - 1
    if count <= 1:
        return "[[l]]"
    places = ["[x, y]"] * min(count, 3) if dimension == 2 else ["[l]", "[x, y]", "[x, y, z]"][:count]
    return "[" + ", ".join(places) + "]"
