"""The file format as one JSON Schema (draft 2020-12): its sections, keys, kinds of values, names and words.

Nobody else knows the format: `shape.py` checks files by the schema, `fmt` takes the order of keys from it, editors
complete and explain by it (`linkwork schema`), and the tables of docs/format.md are made of its descriptions.
"""

from __future__ import annotations

import math
from functools import lru_cache

from linkwork.model.joints.kinds import joint_kinds, kinds_version, parameter_names
from linkwork.model.settings import FORMULATIONS
from linkwork.model.tables import TABLE_KINDS
from linkwork.spec.schema_parts import body, part_keys
from linkwork.spec.schema_settings import solver_keys, start_keys
from linkwork.spec.schema_words import (
    Schema,
    anything,
    define_values,
    either,
    list_of,
    named,
    number,
    of,
    optional_word,
    pattern,
    record,
    ref,
    says,
    section,
    word,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"

TABLE_CURVES = {
    "spline": "natural cubic spline, smooth up to the second derivative; the default",
    "monotone": "cubic that never overshoots (PCHIP), smooth up to the first derivative",
    "linear": "straight lines, with a corner at every point",
}


def make_schema() -> Schema:
    """The schema, with the kinds of joints known so far; everybody shares this one, so nobody may change it.

    >>> list(make_schema()["properties"])[:3]
    ['Title', 'PhysicalParams', 'Dimension']
    """
    return _make_schema(kinds_version())


@lru_cache(maxsize=4)
def _make_schema(version: int) -> Schema:
    sections = _sections()
    connections = sections["Connections"]["properties"]
    in_space = {name: {"type": "null"} for name, schema in connections.items() if "x-dimension" in schema}
    about = (
        "A mechanism for linkwork: its parts, what joins and drives them, where they start. Units are SI and radians."
    )
    return {
        "$schema": DRAFT,
        "title": "MechSpec",
        **record(about, sections),
        "if": {"properties": {"Dimension": {"const": 3}}, "required": ["Dimension"]},
        "else": {"properties": {"Connections": {"properties": in_space}}},
        "$defs": define_values(),
    }


def find_names(part: str) -> tuple[str, int, float]:
    """What an entry of a section of PartData is called, and how many points its name lists, at least and at most.

    >>> find_names("Springs")
    ('spring', 2, 2)
    """
    schema = make_schema()
    entries = schema["properties"]["PartData"]["properties"][part]
    names = entries.get("x-names", entries["propertyNames"])
    least, most = schema["$defs"][names["$ref"].removeprefix("#/$defs/")]["x-points"]
    return entries["x-entry"], least, math.inf if most is None else most


def _sections() -> dict[str, Schema]:
    return {
        "Title": of("text", "What the mechanism is called, any text: `Title: Four-bar linkage`."),
        "PhysicalParams": named(
            "parameter",
            "Parameters by name, in SI units: `{l: 0.4, m: 2, I: m*l**2/12}`. They may use each other in any order.",
            ref("value"),
            ref("parameter"),
        )
        | {"x-key": "name"},
        "Dimension": {
            "description": "`2` for a mechanism in the plane (the default), `3` for one in space.",
            "enum": [2, 3],
            **says(choice="expected 2 or 3, not $value"),
        },
        "Formulation": {
            "description": "How motions are integrated: `points` (the places of all points), `absolute` (bodies by "
            "their poses), `tree` (bodies by their joints, loops closed by equations), `auto` (the default: what is "
            "faster). The results are the same.",
            "enum": list(FORMULATIONS),
            **says(choice="expected points, absolute, tree or auto, not $value"),
        },
        "Tables": named(
            "table",
            "Curves through points, called in formulas: `{ramp: {x: [0, 1], y: [0, 5]}}` makes `ramp(t)` known.",
            _table(),
            ref("parameter"),
        )
        | {"x-key": "name"},
        "PartData": record(
            "The parts. A part is named by its points, one after the other; parts that name the same point are pinned "
            "together there.",
            part_keys(),
        )
        | {"type": ["object", "null"]},
        "Bodies": named(
            "body",
            "Rigid bodies by name, with frames to join them by: `{crank: {mass: m, centre: [a/2], inertia: J, frames: "
            "{o: [], pin: [a]}}}`. The origin of a frame is the point `crank.pin`. The body `world` does not move.",
            body(),
        )
        | {"x-key": "name"},
        "Connections": section(
            "What shared points do not say: points on lines and in planes, and joints.", _connections()
        ),
        "Variables": named(
            "variable",
            "Names for laws, to be used in other laws and in results: `{error: target - OA.angle}`; or numbers given "
            "by equations: `{v: {implicit: v + v**3 - A.x, guess: 0}}`.",
            _variable(),
            ref("parameter"),
        )
        | {"x-key": "name"},
        "States": named(
            "state",
            "Quantities with a given rate, a law: `{X: (OA.omega - X)/tau}` starts at 0; "
            "or `{X: {rate: (OA.omega - X)/tau, start: 0.2}}`. In laws `X` is its value and `X'` its rate.",
            _state(),
            ref("parameter"),
        )
        | {"x-key": "name"},
        "Inputs": named(
            "input",
            "Numbers that are held until something from outside changes them: `{tau: 0}`. All laws may use them but "
            "those of places.",
            of("value", "Its value until something changes it: `0`."),
            ref("parameter"),
        )
        | {"x-key": "name"},
        "Controllers": named(
            "controller",
            "Variables with states of their own: `{servo: {kind: pid, error: target - OA.angle, P: 40, I: 30, D: 5}}`, "
            "`{smooth: {kind: transfer, input: A.x, numerator: [1], denominator: [tau, 1]}}`.",
            _controller(),
            ref("parameter"),
        )
        | {"x-key": "name"},
        "AppliedForces": section("What acts on the mechanism.", _forces()),
        "Motions": named(
            "motion",
            "Prescribed motions [m, rad], laws of the time only: `{OA.angle: w*t, A.x: a*sin(t), AB.length: l + v*t}`; "
            "or prescribed speeds: `{OA.omega: w, A.vx: v*cos(t), guide.speed: v}`, whose places begin where the "
            "start has them. The force or torque that drives each is a result.",
            of("law", "The prescribed place [m], length [m], angle [rad] or speed as a function of the time: `w*t`."),
        )
        | {"x-key": "target"},
        "Events": named(
            "event",
            "Laws that are recorded every time they cross zero: `{touch: A.y - h}`; "
            "or `{touch: {when: A.y - h, do: stop, direction: falling}}`.",
            _event(),
        )
        | {"x-key": "name"},
        "ProblemData": section("When and where the motion starts.", start_keys()),
        "SolverParams": section("How to solve and what to write; all of it may be left out.", solver_keys()),
        "Animation": anything(
            "What the picture shows: `{view: [-5, 27], traces: [D]}`. What is not understood is ignored with a "
            "warning.",
            view="Where one looks from: `[azimuth, elevation]` in degrees, to the right of the front and above.",
            physParamsToShow="Parameters named in the corner: `[$beta0, $mom]`.",
            traces="Points whose paths are drawn: `[C, D]`.",
        ),
        "Skeleton": anything(
            "How thick parts are drawn: `{fleshoutwid: 0.0015, zscale: 0.0005}`.",
            zscale="Half the thickness of a part [m].",
            fleshoutwid="Half the width of an arm [m].",
        ),
        "Skels": anything(
            "Parts drawn as arms along a path, with further points in the part's frame [m]: "
            "`{BED: {path: XBEXDX, newpts: [X, [sa, sb]]}}`."
        ),
    }


# -- Tables ----------------------------------------------------------------------------------------------------------


def _table() -> Schema:
    keys = {
        "x": _numbers("x", "Where the curve is known, increasing, 2 values or more: `[0, 0.5, 1]`."),
        "y": _numbers("y", "What it is there, as many values: `[0, 2, 5]`."),
        "kind": optional_word("How to go between the points.", {kind: TABLE_CURVES[kind] for kind in TABLE_KINDS})
        | says(choice="no kind of table is called $value. Use " + ", ".join(TABLE_KINDS)),
        "file": of("text", "Instead of x and y: a text file of numbers in columns, beside this file or below it."),
        "columns": {
            "description": "Which two columns of the file are x and y, by heading or number; `[1, 2]` unless said.",
            **list_of(ref("text"), least=2, most=2),
        }
        | says(type="columns are two. Write columns: [1, 2]", count="$count columns. Write columns: [1, 2]"),
    }
    choices = [{"oneOf": [{"required": [key]}, {"required": ["file"]}]} for key in ("x", "y")]
    return record("A curve: `{x: [0, 1, 2], y: [0, 3, 1], kind: spline}`, `{file: road.csv}`.", keys) | {
        "allOf": choices
    }


def _numbers(key: str, description: str) -> Schema:
    wrong = f"{key} is a list of numbers. Write {key}: [0, 1, 2]"
    return {"description": description, **list_of(ref("value"))} | says(type=wrong, missing=wrong)


# -- Connections -----------------------------------------------------------------------------------------------------


def _connections() -> dict[str, Schema]:
    in_space = "{} is for dimension 3. Use Collinear; points with the same name are pinned together anyway"
    line = "Three or more points each that stay on a line: `[ABC, QRD]`. A pin in a slot, a piston, a sliding rod."
    plane = "Four or more points each that stay in a plane: `[ABCD]`. 3D only."
    joints = (
        "Joints by name, between frames: `{big: {kind: revolute, frames: [crank.pin, rod.big]}}`; or between points of "
        "parts: `{hinge: {kind: revolute, parts: [world, OAB], point: O, axis: [0, 0, 1]}}`."
    )
    wrong = "expected a list of points such as [{}], not $value"
    return {
        "Collinear": _point_lists("collinear", line, wrong.format("ABC")) | says(type=wrong.format("ABC")),
        "Coplanar": _point_lists("coplanar", plane, wrong.format("ABCD"))
        | {"x-dimension": 3}
        | says(type=wrong.format("ABCD"), dimension=in_space.format("Coplanar")),
        "Joints": named("joint", joints, _joint()),
        "Rolling": named(
            "rolling",
            "Wheels and balls that roll without slipping: `{rear: {wheel: rear.axle, radius: R}}` on the ground, "
            "`{marble: {ball: marble.c, radius: r, on: table.top}}` on a plane of a body.",
            _rolling(),
            ref("parameter"),
        ),
        "KnifeEdge": named(
            "edge",
            "Skates and blades, by the frame that moves along its x axis and not along its y axis: "
            "`{skate: sleigh.edge}`.",
            of("name", "The frame: `sleigh.edge`."),
            ref("parameter"),
        ),
        "Relations": named(
            "relation",
            "Formulas that stay zero: `{gear: 20*a.angle + 40*b.angle}`.",
            _held("A formula of places, angles and time."),
            ref("parameter"),
        ),
        "Velocity": named(
            "velocity",
            "Formulas linear in speeds that stay zero: `{skate: A.vx*sin(OA.angle) - A.vy*cos(OA.angle)}`.",
            _held("A formula of speeds, each with a factor of places, parameters and time."),
            ref("parameter"),
        ),
        "Stops": named(
            "stop",
            "What a mechanism runs against: `{floor: A.y - r}`, `{floor: {gap: A.y - r, restitution: 0.8}}`; ratchets: "
            "`{pawl: {speed: OA.omega}}`.",
            _stop(),
            ref("parameter"),
        ),
        "Contacts": named(
            "contact",
            "Shapes that may touch: `{floor: {ball: b.c, radius: r, on: world.floor, stiffness: k, friction: mu}}`, "
            "`{clash: {ball: a.c, radius: r, on: {ball: b.c, radius: r}, restitution: 0.9}}`.",
            _contact(),
            ref("parameter"),
        ),
    }


def _active() -> Schema:
    words = {"yes": "it does; the default", "no": "not until an event switches it on"}
    return optional_word("Whether it holds from the start on.", words) | says(choice="expected yes or no, not $value")


def _held(formula: str) -> Schema:
    keys = {"formula": of("law", formula) | says(missing="the formula is missing"), "active": _active()}
    by_key = record("The same by key.", keys) | {"required": ["formula"]}
    return either(f"{formula} Or `{{formula: ..., active: no}}`.", ref("law"), by_key)


def _stop() -> Schema:
    keys = {
        "gap": of("law", "What cannot become negative: a formula of places, angles and time [m or rad]."),
        "speed": of("law", "The same of a speed, for a ratchet: `OA.omega`."),
        "restitution": of("law", "Relative speed after an impact over that before, 0 to 1; 0 if left out."),
    }
    one: list[Schema] = [
        {"oneOf": [{"required": ["gap"]}, {"required": ["speed"]}]},
        {"not": {"required": ["speed", "restitution"]}},
    ]
    return either(
        "A gap that cannot become negative, or `{gap: A.y - r, restitution: e}`, or `{speed: OA.omega}`.",
        ref("law"),
        record("A stop by key.", keys) | {"allOf": one},
    )


def _contact() -> Schema:
    surface = {
        "point": of("vector", "A point of a plane, in the world [m]; the origin if left out."),
        "normal": of("vector", "The direction that is up, of any length; z, in 2D y, if left out."),
        "ball": of("name", "The frame or point at the centre of a ball that is touched from outside."),
        "bowl": of("name", "The same of a hollow one that is touched from inside."),
        "cam": of("name", "The frame about which a cam is: a closed curve in its xy plane."),
        "radius": of("law", "The radius of the ball [m]; of a cam, a formula of the angle phi: `R + e*cos(phi)`."),
        "points": {
            "description": "Or points of the cam, in numbers, in order round the frame: `[[1, 0], [0, 1.2], ...]`.",
            **list_of(list_of(of("value", "A coordinate [m]."), 2, 2)),
        },
    }
    kinds = ("ball", "bowl", "cam")
    pairs = [("ball", "bowl"), ("ball", "cam"), ("bowl", "cam"), ("radius", "points"), ("normal", "radius")]
    pairs += [(key, kind) for key in ("point", "normal") for kind in kinds] + [("points", key) for key in kinds[:2]]
    apart: list[Schema] = [{"not": {"required": list(pair)}} for pair in pairs]
    keys = {
        "point": of("name", "What touches: a frame, `rod.tip`, or a point, `A`."),
        "ball": of("name", "The same at the centre of a ball (in 2D: a circle)."),
        "disc": of(
            "name", "The frame at the centre of a disc whose rim touches; in 3D its z axis is that of the disc."
        ),
        "radius": of("value", "The radius of the ball or disc [m]."),
        "on": either(
            "What it touches: the xy plane (in 2D: the x axis) of a frame, `table.top`; a plane of the world, "
            "`{point: [0, 0, h], normal: [sin(a), 0, cos(a)]}`; a ball, `{ball: b.c, radius: R}`; the inside of one, "
            "`{bowl: b.c, radius: R}`; a cam, `{cam: shaft.o, radius: R + e*cos(phi)}`. "
            "The ground, z = 0 (in 2D y = 0), if left out.",
            ref("name"),
            record("A plane, a ball (in 2D a line, a circle) or a cam.", surface) | {"allOf": apart},
            {"type": "null"},
        )
        | says(type="expected a frame, a plane or a ball, not $value. Write table.top or {ball: b.c, radius: R}"),
        "kept": optional_word("Whether they never part.", {"yes": "a constraint", "no": "they may; the default"})
        | says(choice="expected yes or no, not $value"),
        "stiffness": of(
            "value", "The factor k of the force k δⁿ at the depth δ [N/mⁿ]. Without it the contact is rigid."
        ),
        "exponent": of("value", "The power n of the depth, 1 to 10; 3/2 if left out."),
        "damping": of("value", "The factor c of k δⁿ (1 + c δ') [s/m]; 0 if left out."),
        "restitution": of("value", "Relative speed after an impact over that before, 0 to 1."),
        "impact_speed": of("value", "The speed at which a contact with stiffness has this restitution [m/s]."),
        "friction": of("value", "The coefficient of friction while it slides; 0 if left out."),
        "slip_speed": of("value", "The speed up to which what sticks creeps [m/s]; 0.001 if left out."),
        "static": of("value", "The coefficient of friction at rest, if it is another."),
        "stribeck": of("value", "The speed by which friction drops from one to the other [m/s]."),
    }
    return record("A contact: `{ball: b.c, radius: r, on: world.floor, stiffness: k}`.", keys)


def _point_lists(entry: str, description: str, wrong: str) -> Schema:
    one = ref("points") | {"x-entry": entry} | says(type=wrong, missing=wrong)
    return either(description, list_of(one), one, {"type": "null"})


def _joint() -> Schema:
    remedy = "Write {kind: revolute, parts: [world, OAB], point: O, axis: [0, 0, 1]}"
    kinds = {name: kind.words for d in (2, 3) for name, kind in joint_kinds(d).items()}
    unknown = "no kind of joint is called $value. Kinds are " + ", ".join(kinds)
    own = {name: of("value", f"The {name} of a joint whose kind has one.") for name in parameter_names()}
    keys = {
        "kind": word("What the joint leaves free.", kinds)
        | says(choice=unknown, missing=f"the kind is missing. {remedy}"),
        "frames": _pair(
            "frames",
            "The two frames it joins: `[crank.pin, rod.big]`, `[world.O, crank.o]`.",
            "Write {kind: revolute, frames: [crank.pin, rod.big]}",
        ),
        "parts": _pair("parts", "The two parts it joins; one may be the `world`: `[world, OAB]`.", remedy),
        "points": _pair("points", "Where it is, a point of each part: `[A, C]`.", remedy),
        "point": of("name", "The same for a point that both parts share: `A`."),
        "axes": _directions("axes", "Its axis in the frame of each part, of any length; the local z axes if left out."),
        "axis": of("vector", "The same if it has equal coordinates in both: `[0, 0, 1]`."),
        "references": _directions(
            "references",
            "A direction across the axis in the frame of each part; the angle is that from the first to the second. "
            "The local x axes, or y where x is along the axis, if left out.",
        ),
        "reference": of("vector", "The same if it has equal coordinates in both: `[1, 0, 0]`."),
        "active": _active(),
        **own,
    }
    together: list[Schema] = [
        {"oneOf": [{"required": ["frames"]}, {"required": ["parts"]}]},
        {"not": {"required": ["points", "point"]}},
        {"not": {"required": ["axes", "axis"]}},
        {"not": {"required": ["references", "reference"]}},
    ]
    about = "A joint: `{kind: revolute, parts: [world, OAB], point: O, axis: [0, 0, 1]}`."
    return record(about, keys) | {"required": ["kind"], "allOf": together}


def _rolling() -> Schema:
    remedy = "Write {wheel: rear.axle, radius: R}"
    plane = {
        "point": of("vector", "A point of the plane, in the world [m]; the origin if left out."),
        "normal": of("vector", "The direction that is up, of any length; z, in 2D y, if left out."),
    }
    keys = {
        "wheel": of("name", "The frame at the centre of a wheel; in 3D its z axis is the axle: `rear.axle`.")
        | says(missing=f"the wheel or ball is missing. {remedy}"),
        "ball": of("name", "The same of a ball: `marble.c`.") | says(missing=f"the wheel or ball is missing. {remedy}"),
        "radius": of("value", "The radius of the wheel or ball [m].")
        | says(missing=f"the radius is missing. {remedy}"),
        "tread": of("value", "In 3D, the radius of a wheel's round tread [m]; a thin disc if left out."),
        "on": either(
            "What it rolls on: the xy plane (in 2D: the x axis) of a frame, `table.top`, or a plane of the world, "
            "`{point: [0, 0, h], normal: [sin(a), 0, cos(a)]}`. The ground, z = 0 (in 2D y = 0), if left out.",
            ref("name"),
            record("A plane, or in 2D a line.", plane),
            {"type": "null"},
        )
        | says(
            type="expected a frame or a plane, not $value. Write table.top or {point: [0, 0, 0], normal: [0, 0, 1]}"
        ),
    }
    about = "What rolls: `{wheel: rear.axle, radius: R}`."
    together: list[Schema] = [
        {"oneOf": [{"required": ["wheel"]}, {"required": ["ball"]}]},
        {"not": {"required": ["ball", "tread"]}},
    ]
    return record(about, keys) | {"required": ["radius"], "allOf": together}


def _pair(key: str, description: str, remedy: str) -> Schema:
    wrong = f"{key} is a list of two names. {remedy}"
    two = list_of(ref("name") | says(type=wrong, missing=wrong), 2, 2)
    return {"description": description, **two} | says(
        type=wrong, count=wrong, missing=f"the {key} are missing. {remedy}"
    )


def _directions(key: str, description: str) -> Schema:
    wrong = f"{key} is a list of two directions. Write {key}: [[0, 0, 1], [0, 0, 1]]"
    two = list_of(ref("vector") | says(type=wrong), 2, 2)
    return {"description": description, **two, "type": ["array", "null"]} | says(type=wrong, count=wrong)


# -- AppliedForces, Events -------------------------------------------------------------------------------------------


def _forces() -> dict[str, Schema]:
    turned = pattern(
        "[^,]*(?:,[^,]*)?",
        "a torque acts on one or two parts, not $names. "
        "Write one part, or two for a torque on the first relative to the second",
    )
    pushed = pattern(
        r"\s*[\w.]+(?:\s+in\s+\w+)?\s*",
        "this does not name a point. Write A for the world frame, or A in OA for the frame of OA",
    )
    bodies = pattern(
        r"\s*\w+(?:\s*,\s*\w+)?(?:\s+in\s+\w+)?\s*",
        "this does not name one or two bodies. Write a for a moment on a, a, b for its opposite on b as well, "
        "and a in a for components in the axes of a",
    )
    return {
        "Gravity": either(
            "Acceleration [m/s²]. Empty: 9.80665 downward, that is -y in 2D and -z in 3D, whatever the parameters are "
            "called; or a vector: `[gx, gy]`. No key: no gravity.",
            ref("vector"),
            {"type": "null"},
        )
        | {"x-part": "gravity"},
        "ConstTorques": named(
            "torque",
            "Constant torques [N m]: `{OA: tau}` on OA; `{'OA, AB': tau}` on OA, and its opposite on AB; "
            "in 3D `{hinge: tau}` about the axis of a joint.",
            of("value", "The torque [N m], counter-clockwise."),
            turned,
        ),
        "Torques": named(
            "torque",
            "The same with laws [N m]: `{OA: -c*OA.omega}`.",
            of("law", "The torque [N m], counter-clockwise: `-c*OA.omega`."),
            turned,
        ),
        "Forces": named(
            "force",
            "Forces at points [N], each component a law: `{A: [-c*A.vx, 0]}` in the world frame, "
            "`{A in OA: [F]}` in the frame of the part OA.",
            of("laws", "Components of the force [N], each a law: `[-c*A.vx, 0]`."),
            pushed,
        ),
        "Moments": named(
            "moment",
            "Moments on bodies in 3D [N m], each component a law: `{rotor: [mx, my, mz]}` in the world frame, "
            "`{rotor in rotor: [0, 0, mz]}` in the axes of the body; `{'a, b': [mx, my, mz]}` on a, its opposite on b.",
            of("laws", "Components of the moment [N m], each a law: `[0, 0, -c*rotor.wz]`."),
            bodies,
        ),
        "Efforts": named(
            "effort",
            "Forces [N] and torques [N m] along free quantities of joints and others: "
            "`{guide.travel: -c*guide.speed, hinge.angle: tau}`; or on their rates, and on angular velocities in 3D: "
            "`{rotor.wz: tau}`.",
            of("law", "The force or torque, a law."),
        )
        | {"x-key": "quantity"},
        "Friction": named(
            "friction",
            "Dry friction that slides and sticks: `{brake: {speed: OA.omega, limit: mu*N*r}}`, "
            "`{belt: {speed: A.vx - v, limit: mu*m*g, hold: 1.3*mu*m*g}}`.",
            _friction(),
            ref("parameter"),
        ),
        "Dissipation": named(
            "dissipation",
            "Rayleigh functions R of speeds [W]: `{oil: c/2*OA.omega**2}`; their forces are -∂R/∂u.",
            of("law", "Half the power that is lost [W]: `c/2*(A.vx**2 + A.vy**2)`."),
        ),
    }


def _friction() -> Schema:
    keys = {
        "speed": either(
            "The relative speed it acts against: `OA.omega`, `guide.speed`, `A.vx - v`; two at right angles: "
            "`[A.vx, A.vy]`.",
            ref("law"),
            list_of(ref("law"), 1, 2),
        )
        | says(missing="the speed is missing. Write speed: and a formula such as OA.omega"),
        "limit": of("law", "Its force or torque while it slides [N, N m], never negative: `mu*N`.")
        | says(missing="the limit is missing. Write limit: and the force of sliding"),
        "hold": of("law", "The largest with which it sticks; as `limit` if left out."),
    }
    return record("Dry friction.", keys) | {"required": ["speed", "limit"]}


def _names(description: str) -> Schema:
    return either(description, ref("name"), list_of(ref("name")), {"type": "null"})


def _event() -> Schema:
    actions = {"stop": "the run ends there", "record": "the time is written down; the default"}
    ways = {"rising": "from below zero", "falling": "from above zero", "either": "both ways; the default"}
    unknown = "expected a word, not $value. Write "
    keys = {
        "when": of("law", "What crosses zero: `A.y - h`, `t - 2`, `OA.omega`.")
        | says(missing="'when' is missing. Write when: and an expression that crosses zero"),
        "do": optional_word("What happens then.", actions) | says(choice=unknown + " or ".join(actions)),
        "direction": optional_word("Which crossings count.", ways) | says(choice=unknown + " or ".join(ways)),
        "then": named(
            "",
            "Speeds, states and inputs that change at once: `{A.vy: -e*A.vy, count: count + 1}`.",
            of("law", "What it becomes, by a formula of what was before."),
        ),
        "on": _names("Joints, relations and velocity constraints that hold from then on: `[latch]`."),
        "off": _names("Those that do not hold any more: `[latch]`."),
    }
    return either(
        "A law that is recorded every time it crosses zero, or `{when: law, do: stop, direction: falling}`.",
        ref("law"),
        record("An event by key.", keys) | {"required": ["when"]},
    )


# -- States, Controllers ---------------------------------------------------------------------------------------------


def _variable() -> Schema:
    keys = {
        "implicit": of("law", "What vanishes for the right number, which it names: `v + v**3 - A.x`.")
        | says(missing="the equation is missing. Write implicit: and a law that vanishes"),
        "guess": of("value", "About what it is at the start; 0 if left out."),
    }
    return either(
        "What the name stands for, a law: `target - OA.angle`; or `{implicit: law, guess: value}`.",
        ref("law"),
        record("A variable by an equation.", keys) | {"required": ["implicit"]},
    )


def _state() -> Schema:
    keys = {
        "rate": of("law", "How fast it changes, per second: `(OA.omega - X)/tau`.")
        | says(missing="the rate is missing. Write rate: and a law"),
        "start": of("value", "Its value at the start; 0 if left out."),
        "scale": of("value", "Its usual size, by which errors are judged; 1 if left out."),
    }
    return either(
        "The rate, a law, or `{rate: law, start: value}`.",
        ref("law"),
        record("A state by key.", keys) | {"required": ["rate"]},
    )


def _controller() -> Schema:
    kinds = {
        "pid": "P e + I ∫e dt + D ė of an error e",
        "transfer": "a quotient of polynomials in s, of an input",
        "sampled": "formulas that are looked at in instants, and held between",
    }
    unknown = "no kind of controller is called $value. Kinds are " + ", ".join(kinds)
    keys = {
        "kind": word("What it does.", kinds)
        | says(choice=unknown, missing="the kind is missing. Write kind: pid, transfer or sampled"),
        "error": of("law", "What a pid controller makes small: `target - OA.angle`."),
        "P": of("law", "Its proportional gain."),
        "I": of("law", "Its integral gain; the integral is the state NAME_I."),
        "D": of("law", "Its derivative gain."),
        "filter": of("value", "The time [s] over which the derivative is smoothed; the exact rate if left out."),
        "input": of("law", "What a transfer function is applied to: `A.x`."),
        "numerator": _coefficients("numerator", "Coefficients of powers of s, highest first: `[1]`."),
        "denominator": _coefficients("denominator", "The same: `[tau, 1]`. The states are NAME_1, NAME_2, ..."),
        "period": of("value", "The time [s] between the instants of a sampled controller."),
        "offset": of("value", "When the first one is [s]; 0 if left out."),
        "reads": named("", "What it measures, by names of its own: `{y: OA.angle}`.", of("law", "What is measured.")),
        "memory": named(
            "",
            "What it remembers, an input: `{sum: sum + y}`; it starts as `Inputs` say, or with 0.",
            of("law", "What it becomes, by a formula of what was before."),
        ),
        "outputs": named(
            "",
            "What it sets, an input: `{tau: -k*y - c*sum}`; it starts as `Inputs` say, or with 0.",
            of("law", "What it becomes, by a formula of the instant, of what is read and of what was remembered."),
        ),
        "quantum": named(
            "", "Steps in which values are read and set: `{y: 2*pi/4096, tau: 0.1}`.", of("value", "The step.")
        ),
        "delay": number("Periods, whole or not, until what it sets is set; 0 if left out.", minimum=0, maximum=1000),
    }
    return record("A controller: `{kind: pid, error: target - OA.angle, P: 40}`.", keys) | {"required": ["kind"]}


def _coefficients(key: str, description: str) -> Schema:
    wrong = f"{key} is a list of values. Write {key}: [tau, 1]"
    return {"description": description, **list_of(ref("value"), 1)} | says(type=wrong, missing=wrong, count=wrong)
