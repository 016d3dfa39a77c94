"""The schema -> Shapes, one per value, that say what a scalar, a list or a map may be there.

Understands as much of JSON Schema as `schema.py` uses. Alternatives always differ in kind (nothing, scalar, list, map),
so who walks through a file by its shape has nothing to try out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from linkwork.model.joints.kinds import kinds_version
from linkwork.spec.nodes import Node
from linkwork.spec.schema import make_schema
from linkwork.spec.schema_words import SCALAR, Schema

Says: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Scalars: one of the choices, or a text of this form and length; the choices say whether they are numbers."""

    choices: Mapping[str, bool]
    pattern: re.Pattern[str] | None
    least: int
    length: int
    entry: str

    def allow(self, node: Node) -> bool:
        text = node.text
        if self.choices:
            return text in self.choices and (node.plain or not self.choices[text])
        return self.pattern is None or (len(text) <= self.length and self.pattern.fullmatch(text) is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Lists: shapes of the first items, shape of the others, least and greatest number."""

    first: tuple[Shape, ...]
    others: Shape | None
    least: int
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Maps: shapes by key, shape of all other keys, and which keys go together."""

    shapes: Mapping[str, Shape]
    others: Shape | None  # None: no other keys
    free: bool  # anything goes
    names: Schema  # what other keys look like
    entry: str
    required: tuple[str, ...]
    one_of: tuple[tuple[str, ...], ...]  # exactly one of these keys
    at_most_one_of: tuple[tuple[str, ...], ...]
    least: int
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a value may be: nothing, a scalar, a list, a map; None where it may not."""

    null: bool
    words: Words | None
    items: Items | None
    keys: Keys | None
    part: str
    dimension: int
    says: Says


def find_shape() -> Shape:
    """The shape of a whole file."""
    return _find_shape(kinds_version())


@lru_cache(maxsize=4)
def _find_shape(version: int) -> Shape:
    schema = make_schema()
    return _make_shape(schema, schema["$defs"])


# -- schema -> shapes ------------------------------------------------------------------------------------------------


def _make_shape(schema: Schema, definitions: Schema) -> Shape:
    schema = _resolve(schema, definitions)
    branches = [_resolve(branch, definitions) for branch in schema.get("anyOf", [schema])]
    kinds = {kind: branch for branch in branches for kind in _kinds(branch)}
    says: dict[str, str] = {}
    for branch in branches:
        says |= branch.get("x-says", {})
    return Shape(
        null="null" in kinds,
        words=_make_words(kinds["scalar"]) if "scalar" in kinds else None,
        items=_make_items(kinds["array"], definitions) if "array" in kinds else None,
        keys=_make_keys(kinds["object"], definitions) if "object" in kinds else None,
        part=schema.get("x-part", ""),
        dimension=schema.get("x-dimension", 0),
        says=says | schema.get("x-says", {}),
    )


def _resolve(schema: Schema, definitions: Schema) -> Schema:
    """A definition with what is said beside the reference to it."""
    if "$ref" not in schema:
        return schema
    base = definitions[schema["$ref"].removeprefix("#/$defs/")]
    return {**base, **schema, "x-says": {**base.get("x-says", {}), **schema.get("x-says", {})}}


def _kinds(schema: Schema) -> set[str]:
    if "const" in schema or "enum" in schema:
        return {"scalar"}
    if "oneOf" in schema:
        return {kind for branch in schema["oneOf"] for kind in _kinds(branch)}
    given = schema.get("type", [*SCALAR, "null", "array", "object"])
    types = given if isinstance(given, list) else [given]
    return {"scalar" if name in SCALAR else name for name in types}


def _make_words(schema: Schema) -> Words:
    branches = schema.get("oneOf", [schema])
    choices = [*schema.get("enum", ()), *(branch["const"] for branch in branches if "const" in branch)]
    return Words(
        choices={str(choice): not isinstance(choice, str) for choice in choices},
        pattern=re.compile(schema["pattern"]) if "pattern" in schema else None,
        least=schema.get("minLength", 0),
        length=schema.get("maxLength", 10**9),
        entry=schema.get("x-entry", ""),
    )


def _make_items(schema: Schema, definitions: Schema) -> Items:
    return Items(
        first=tuple([_make_shape(item, definitions) for item in schema.get("prefixItems", ())]),
        others=_make_shape(schema["items"], definitions) if "items" in schema else None,
        least=schema.get("minItems", 0),
        most=schema.get("maxItems", float("inf")),
    )


def _make_keys(schema: Schema, definitions: Schema) -> Keys:
    others = schema.get("additionalProperties", True)
    clauses = schema.get("allOf", ())
    return Keys(
        shapes={key: _make_shape(value, definitions) for key, value in schema.get("properties", {}).items()},
        others=_make_shape(others, definitions) if isinstance(others, dict) else None,
        free=others is True,
        names=_resolve(schema.get("x-names") or schema.get("propertyNames") or {}, definitions),
        entry=schema.get("x-entry", ""),
        required=tuple(schema.get("required", ())),
        one_of=tuple([_names_of(clause["oneOf"]) for clause in clauses if "oneOf" in clause]),
        at_most_one_of=tuple([tuple(clause["not"]["required"]) for clause in clauses if "not" in clause]),
        least=schema.get("minProperties", 0),
        most=schema.get("maxProperties", float("inf")),
    )


def _names_of(branches: Iterable[Schema]) -> tuple[str, ...]:
    return tuple([branch["required"][0] for branch in branches])
