"""What the schema is written with: kinds of JSON Schema as functions, kinds of values, and messages used twice.

Keywords of our own, which other readers of the schema skip:

    x-entry      what an entry of a map is called in messages: "rigid" for rigid 'OA'
    x-part       what a section is called in messages, where not by its key
    x-key        what the keys of a map are, for the tables of the documentation
    x-points     how many points the names of a map list, [least, most]
    x-dimension  the section is for this dimension only
    x-says       messages by mistake: what is wrong, a full stop, what to do; `$value` and the like are filled in
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from linkwork.model.convert import PART_NAME, POINT_NAME
from linkwork.model.functions import FUNCTION_NAME
from linkwork.model.laws import FRAME_POINT

Schema: TypeAlias = dict[str, Any]

SCALAR = ["number", "string", "boolean"]  # a parameter may be called `true`

FORMULA = "expected a number or a formula, not $value"
COORDINATES = "$count coordinates in dimension $dimension. Give at most $dimension"
LIST = "expected a list such as [x, y], not $value"
DYNAMICS = "Dyna is a list of centroid, mass and inertia. Write Dyna: [$vector, mass, $inertia]"
PART_NAMES = "Name a part by its points, each a letter with or without digits, as in OA or P1P2"


def says(**messages: str) -> Schema:
    """What to say about each kind of mistake."""
    return {"x-says": messages}


def ref(definition: str) -> Schema:
    """A value of a kind that is defined once for all."""
    return {"$ref": f"#/$defs/{definition}"}


def of(definition: str, description: str) -> Schema:
    """The same with a description of its own."""
    return {"description": description, **ref(definition)}


def record(description: str, keys: Mapping[str, Schema]) -> Schema:
    """A map with these keys and no others."""
    return {"description": description, "type": "object", "properties": dict(keys), "additionalProperties": False}


def section(description: str, keys: Mapping[str, Schema]) -> Schema:
    """The same, or nothing."""
    return {**record(description, keys), "type": ["object", "null"]}


def named(entry: str, description: str, value: Schema, names: Schema | None = None) -> Schema:
    """A map with names of the user's own, all with values of one kind, or nothing."""
    map_: Schema = {"description": description, "type": ["object", "null"], "additionalProperties": value}
    return map_ | {"propertyNames": names or {"minLength": 1}} | ({"x-entry": entry} if entry else {})


def listing(entry: str, description: str, value: Schema, names: Schema) -> Schema:
    """The same for parts whose names list their points, or that say them under `points` and have ordinary names."""
    (definition,) = names.values()
    listed = define_values()[definition.removeprefix("#/$defs/")]["pattern"]
    others = {"patternProperties": {listed: True}, "additionalProperties": {"type": "object", "required": ["points"]}}
    map_ = named(entry, description, value, {"anyOf": [names, ref("parameter")]})
    return map_ | {"allOf": [others], "x-names": names}


def either(description: str, *kinds: Schema) -> Schema:
    """One of several kinds."""
    return {"description": description, "anyOf": list(kinds)}


def list_of(items: Schema, least: int = 0, most: int | None = None) -> Schema:
    """A list of values of one kind."""
    sizes = ({"minItems": least} if least else {}) | ({"maxItems": most} if most is not None else {})
    return {"type": "array", "items": items, **sizes}


def row_of(*items: Schema, least: int) -> Schema:
    """A list whose values mean different things, of which the last may be left out."""
    return {"type": "array", "prefixItems": list(items), "minItems": least, "maxItems": len(items)}


def word(description: str, words: Mapping[str, str]) -> Schema:
    """One of a few words, each explained."""
    return {"description": description, "oneOf": [{"const": key, "description": text} for key, text in words.items()]}


def optional_word(description: str, words: Mapping[str, str]) -> Schema:
    """The same, or nothing for the default."""
    known = word(description, words)
    return {**known, "oneOf": [*known["oneOf"], {"type": "null", "description": "the default"}]}


def pattern(form: str, message: str) -> Schema:
    """A text of a form; editors show what to do (`patternErrorMessage`) instead of the form."""
    return {"pattern": f"^{form}$", "patternErrorMessage": message.partition(". ")[2]} | says(pattern=message)


def number(description: str, **bounds: float) -> Schema:
    """A number or a formula without parameters, or nothing for the default."""
    return {"description": description, "type": [*SCALAR, "null"], **bounds} | says(type=FORMULA)


def anything(description: str, **wishes: str) -> Schema:
    """A map of whatever the user likes, or nothing; keys that are understood are explained."""
    known: Schema = {"properties": {key: {"description": text} for key, text in wishes.items()}} if wishes else {}
    return {"description": description, "type": ["object", "null"], **known}


# -- kinds of values -------------------------------------------------------------------------------------------------


def define_values() -> Schema:
    """Kinds of values and names, for `ref`."""
    return {
        "value": _formula("A number or a formula over the parameters, in SI units: `0.4`, `m*l**2/12`."),
        "law": _formula(
            "A formula that may also use the time `t` and the motion: `-c*A.vx`, `k*sin(w*t)`; quantities are "
            "`A.x`, `A.vx`, `AB.length`, `AB.rate`, `OA.angle`, `OA.omega` and the like."
        ),
        "text": {"description": "Any text.", "type": [*SCALAR, "null"]},
        "name": {"description": "The name of a part or point.", "type": SCALAR, "minLength": 1},
        "vector": {
            "description": "Coordinates; missing ones at the end are zero: `[]` is `[0, 0]`, `[l]` is `[l, 0]`.",
            **list_of(ref("value"), most=3),
            **says(count=COORDINATES),
        },
        "laws": {
            "description": "Components, each a law; missing ones at the end are zero: `[-c*A.vx, -c*A.vy]`.",
            **list_of(ref("law"), most=3),
            **says(count=COORDINATES),
        },
        "initial": _initial(),
        "points": {
            "description": "Points, one after the other: `ABC`.",
            "type": "string",
            "maxLength": 1000,
            **pattern(PART_NAME.pattern, f"this is not a list of points. {PART_NAMES}"),
        },
        "point": _names(1, 1, "one point", rf"|{FRAME_POINT.pattern}"),
        "pair": _names(2, 2, "two points"),
        "part": _names(2, None, "two or more points"),
        "parameter": pattern(
            FUNCTION_NAME.pattern,
            "this name cannot be used in formulas. Use letters, digits and _, starting with a letter",
        ),
    }


def _formula(description: str) -> Schema:
    missing = "a value is missing. Write a number or a formula"
    return {"description": description, "type": SCALAR} | says(type=FORMULA, missing=missing)


def _initial() -> Schema:
    """Initial values of a point or a turn angle; which of them it is depends on the name."""
    fixed: Schema = {"const": "fixed", "description": "Keep the value exactly as it is given."}
    fixed |= says(choice="expected the word 'fixed', not $value. Write [x, fixed] or x")
    held = row_of(ref("value"), fixed, least=1)
    held |= says(count="a coordinate with $count values. Write x, [x] or [x, fixed] for each coordinate")
    coordinate = either("`x` or `[x]`: a guess; `[x, fixed]`: kept exactly.", ref("value"), held)
    return either(
        "For a point its coordinates, each `x` (a guess) or `[x, fixed]` (kept exactly): `[[0.4, fixed], 0]`. "
        "For a turn angle one value: `0.3` or `[0.3, fixed]`.",
        ref("value"),
        list_of(coordinate, most=3) | says(count=COORDINATES),
    )


def _names(least: int, most: int | None, words: str, more: str = "") -> Schema:
    """Names of parts that list so many points; several equal parts share a line: `AC, BD`."""
    one = f"(?:(?:{POINT_NAME.pattern}){{{least},{most or ''}}}{more})"
    wrong = f"this is not the name of a part or point. {PART_NAMES}"
    wrong_count = f"the name stands for $points points, not {words}. {PART_NAMES}"
    listed = pattern(rf"\s*{one}\s*(?:,\s*{one}\s*)*", wrong)
    return {**listed, "x-points": [least, most], **says(pattern=wrong, count=wrong_count)}
