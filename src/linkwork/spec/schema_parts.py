"""The format of parts: fixed points, rigid parts, bodies, springs, dampers and particles."""

from __future__ import annotations

from linkwork.spec.schema_words import DYNAMICS, Schema, either, list_of, listing, named, of, record, ref, row_of, says


def part_keys() -> dict[str, Schema]:
    """What PartData has."""
    return {
        "Fixed": named(
            "fixed",
            "Points that do not move, with their coordinates [m]: `{O: [], Q: [d, 0]}`. Missing coordinates are zero.",
            of("vector", "Where the point is [m]: `[x, y]`, in 3D `[x, y, z]`."),
            ref("point"),
        ),
        "Rigids": listing(
            "rigid",
            "Rods and bodies, named by their points: `{OA: {Geom: [[l]], Dyna: [[l/2], m]}}`. "
            "Equal parts share a line: `AC, BD: {...}`.",
            _rigid(),
            ref("part"),
        ),
        "Springs": listing(
            "spring",
            "`{AB: [k, l]}`: stiffness [N/m] and rest length [m]; `{AB: [k, l, m]}`: with a mass [kg] spread evenly; "
            "or by key: `{AB: {stiffness: k, length: l, damping: c}}`.",
            _spring(),
            ref("pair"),
        ),
        "Dampers": listing(
            "damper",
            "`{AB: c}`: resists with c [N s/m] times the rate of the distance AB; "
            "or with any law: `{AB: {force: c*AB.rate*abs(AB.rate)}}`.",
            _damper(),
            ref("pair"),
        ),
        "Particles": named(
            "particle", "Point masses [kg]: `{B: m}`.", of("value", "The mass [kg], zero or positive."), ref("point")
        ),
    }


def _rigid() -> Schema:
    places = "Geom is a list of lists of coordinates. Write Geom: $places"
    inertia = either(
        "Moment of inertia about the centroid [kg m²]; of a body in 3D `[Ixx, Iyy, Izz]` or "
        "`[Ixx, Iyy, Izz, Ixy, Ixz, Iyz]`.",
        ref("value"),
        list_of(ref("value"), 1) | says(count="the inertia is an empty list. Write its values, or leave it out"),
    )
    centroid = of("vector", "The centroid in the part's frame [m].") | says(type=DYNAMICS)
    keys = {
        "points": _points_of(),
        "Geom": {
            "description": "Local coordinates [m] of all points but the first, which is the origin: `[[l]]` for a rod, "
            "`[[l], [x, y]]` for a body of three points. The second point is on the local x axis.",
            **list_of(ref("vector") | says(type=places)),
            **says(type=places, missing="Geom is missing. Write Geom: $places"),
        },
        "Dyna": {
            "description": "Centroid [m], mass [kg] and inertia about the centroid [kg m²]: `[[l/2], m, m*l**2/12]`. "
            "Left out: massless. A rod without inertia is uniform: `[[l/2], m]`.",
            **row_of(centroid, of("value", "The mass [kg]."), inertia, least=2),
            "type": ["array", "null"],
            **says(type=DYNAMICS, count=DYNAMICS),
        },
    }
    return record("A rod or body: `{Geom: [[l]], Dyna: [[l/2], m]}`.", keys) | {"required": ["Geom"]}


def _points_of() -> Schema:
    wrong = "points is a list of names. Write points: [O, A]"
    return {
        "description": "The points of a part whose name does not list them: `[O, A]`.",
        **list_of(ref("name")),
    } | says(type=wrong, missing=wrong)


def body() -> Schema:
    """A body by its frames."""
    inertia = either(
        "Moment of inertia about the mass centre [kg m²]; in 3D `[Ixx, Iyy, Izz]` or `[Ixx, Iyy, Izz, Ixy, Ixz, Iyz]`; "
        "zero if left out.",
        ref("value"),
        list_of(ref("value"), 1) | says(count="the inertia is an empty list. Write its values, or leave it out"),
    )
    keys = {
        "at": of("vector", "Its origin in the axes of the body [m]: `[a]`."),
        "angle": of("value", "In 2D, from the body's x axis to its own [rad]: `pi/2`."),
        "z": of("vector", "In 3D, its z axis, which is the axis of a joint there, in the axes of the body."),
        "x": of("vector", "In 3D, a direction across it, from which angles count."),
    }
    frame = either(
        "Where a frame is, `[a]`, or `{at: [a], angle: pi/2}`, in 3D `{at: [a], z: [0, 1, 0]}`.",
        ref("vector"),
        record("A frame by key.", keys),
        {"type": "null"},
    ) | says(type="expected the place of a frame, not $value. Write [x, y] or {at: [x, y], angle: a}")
    body = {
        "mass": of("value", "The mass [kg]; zero if left out."),
        "centre": of("vector", "The mass centre in the axes of the body [m]; its origin if left out."),
        "inertia": inertia,
        "frames": named("", "Places of the body by name: `{o: [], pin: [a]}`.", frame),
    }
    return record("A body: `{mass: m, centre: [a/2], inertia: J, frames: {o: [], pin: [a]}}`.", body)


def _spring() -> Schema:
    missing = "the {} is missing. Write {{stiffness: k, length: l}}"
    keys = {
        "points": _points_of(),
        "stiffness": of("value", "Force per stretch [N/m].") | says(missing=missing.format("stiffness")),
        "length": of("value", "Length at rest [m].") | says(missing=missing.format("length")),
        "mass": of("value", "Mass [kg], spread evenly; zero if left out."),
        "damping": of("law", "Force per rate of the length [N s/m]; zero if left out."),
    }
    remedy = "Write [k, l] or [k, l, mass]"
    wrong = f"expected [stiffness, rest length] or [stiffness, rest length, mass], not $value. {remedy}"
    return either(
        "`[stiffness, rest length]`, `[stiffness, rest length, mass]` or `{stiffness: k, length: l, damping: c}`.",
        list_of(ref("value"), 2, 3) | says(count=f"$count values instead of two or three. {remedy}"),
        record("A spring by key.", keys) | {"required": ["stiffness", "length"]},
    ) | says(type=wrong, missing=wrong)


def _damper() -> Schema:
    keys = {
        "points": _points_of(),
        "coefficient": of("law", "Force per rate of the length [N s/m]."),
        "force": of("law", "The force [N], positive where it resists separation: `c*AB.rate*abs(AB.rate)`."),
    }
    one = "give either the coefficient or the force. Write c or {force: c*AB.rate}"
    return either(
        "The coefficient [N s/m], or `{force: law}` [N], positive where it resists separation.",
        ref("law"),
        record("A damper by key.", keys)
        | {"allOf": [{"oneOf": [{"required": ["coefficient"]}, {"required": ["force"]}]}]}
        | says(together=one),
    )
