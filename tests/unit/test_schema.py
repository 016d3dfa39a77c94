"""The schema of the file format: valid, explained, and of one mind with the reader on every file."""

import json
import math
import re
import runpy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from linkwork.errors import InputError
from linkwork.model import joint_kinds
from linkwork.model.tables import TABLE_KINDS
from linkwork.spec import parse_mechanism
from linkwork.spec.check import check_shape
from linkwork.spec.nodes import compose
from linkwork.spec.report import Report
from linkwork.spec.schema import make_schema

ROOT = Path(__file__).parents[2]
SCHEMA = make_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
RANGES = {"minimum", "maximum", "exclusiveMinimum"}  # numbers are judged by the model, not by the shape

PAGES = [(ROOT / name).read_text(encoding="utf-8") for name in ("docs/format.md", "README.md")]
FILES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.yaml"))}
FILES |= {
    f"documented {n}": text for n, text in enumerate(re.findall(r"^```yaml\n(.*?)^```", "\n".join(PAGES), re.S | re.M))
}
FILES["named"] = """\
Title: Parts with names of their own
PhysicalParams: {k: 10, l: 1, m: 1}
PartData:
  Fixed: {O: []}
  Rigids: {lower_arm: {points: [O, B], Geom: [[l]], Dyna: [[l/2], m]}}
  Springs: {suspension: {points: [O, A], stiffness: k, length: l}}
  Dampers: {absorber: {points: [O, A], coefficient: 0.1}}
  Particles: {A: m}
"""
FILES["everything"] = """\
Title: Everything at once
PhysicalParams: {l: 1, m: 2, k: 30}
Dimension: 3
Tables: {curve: {x: [0, 1, 2], y: [0, 1, 4], kind: linear}}
PartData:
  Fixed: {O: [], Q: [2]}
  Rigids:
    OAB, ACD: {Geom: [[l], [0, l]], Dyna: [[l/3, l/3], m, [1, 1, 1, 0.1, 0, 0]]}
    DE: {Geom: [[l]]}
  Springs: {QB: {stiffness: k, length: l, mass: m, damping: 2}, QE: [k, l]}
  Dampers: {OB: {force: 3*OB.rate}, OE: 2, QD: {coefficient: 1}}
  Particles: {E: m}
Connections:
  Collinear: OQE
  Coplanar: [OADQ]
  Joints:
    hinge: {kind: revolute, parts: [world, OAB], point: O, axes: [[0, 1, 0], [0, 0, 1]], reference: [1]}
    ball: {kind: spherical, parts: [OAB, ACD], points: [A, A]}
AppliedForces:
  Gravity: [0, 0, -9.81]
  ConstTorques: {hinge: 1}
  Torques: {hinge: -hinge.omega}
  Forces: {E in DE: [1], A: [0, -A.vy, 0]}
  Dissipation: {oil: 2*A.vx**2}
Variables: {gap: OB.length - 1}
States: {X: {rate: gap - X, start: 1, scale: 2}, Y: X'}
Controllers:
  servo: {kind: pid, error: gap, P: 1, I: 2, D: 3, filter: 0.1}
  lag: {kind: transfer, input: gap, numerator: [1], denominator: [0.1, 1]}
Motions: {QE.length: 1 + t}
Events:
  late: t - 2
  touch: {when: A.y, do: stop, direction: rising}
ProblemData: {t0: 0, tend: 1, positions: {A: [[1, fixed], 0, [0]], hinge: [0.1, fixed]}, velocities: {hinge: 3}}
SolverParams:
  Mode: solve
  Integration: {tol: 1e-9, order: 17, max_step: 0.1}
  OutFile: {tformat: "%.3e", qformat: "%.3e", points: [A: 2, B: 1], angles: {hinge: 3}}
  Display: {any: [thing, 1]}
Animation: {view: [-5, 27]}
Skeleton:
Skels: {AG: {path: XAG}}
"""

NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def instance_of(node):
    """The plain data that an editor (YAML 1.2, core schema) sees."""
    if node.kind == "list":
        return [instance_of(item) for item in node.items]
    if node.kind == "map":
        return {key.text: instance_of(value) for key, value in node.pairs}
    if node.empty:
        return None
    if node.plain and node.text in ("true", "false"):
        return node.text == "true"
    return float(node.text) if node.plain and NUMBER.fullmatch(node.text) else node.text


def shape_problems(root, instance):
    report = Report("file.yaml")
    dimension = instance.get("Dimension") if isinstance(instance, dict) else 2
    report.dimension = 3 if dimension == 3 else 2
    check_shape(report, root)
    return report.problems


# -- the schema itself -----------------------------------------------------------------------------------------------


def test_the_schema_is_a_valid_schema_of_the_draft_it_names():
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def every_schema(schema, path=""):
    """(path, schema) of every schema within the schema."""
    if isinstance(schema, list):
        for inner in schema:
            yield from every_schema(inner, path)
    elif isinstance(schema, dict):
        yield path, schema
        for key, inner in schema.items():
            if key not in ("if", "else", "allOf", "x-says"):
                yield from every_schema(inner, f"{path}/{key}")


def test_every_key_is_explained_in_a_sentence():
    keys = [(path, schema) for path, schema in every_schema(SCHEMA) if re.search(r"/properties/\w+$", path)]
    assert len(keys) > 50
    for path, schema in keys:
        text = schema.get("description", "")
        assert re.fullmatch(r"[A-Z`0-9].*\.", text, re.S), path
        assert text.count("`") % 2 == 0, path


def test_the_words_of_the_schema_are_those_of_the_model():
    joint = SCHEMA["properties"]["Connections"]["properties"]["Joints"]["additionalProperties"]["properties"]
    table = SCHEMA["properties"]["Tables"]["additionalProperties"]["properties"]
    assert [kind["const"] for kind in joint["kind"]["oneOf"]] == list({**joint_kinds(2), **joint_kinds(3)})
    assert [kind["const"] for kind in table["kind"]["oneOf"] if "const" in kind] == list(TABLE_KINDS)


def test_every_reference_has_a_definition():
    text = json.dumps(SCHEMA)
    used = set(re.findall(r'"#/\$defs/(\w+)"', text))
    assert used == set(SCHEMA["$defs"])


def test_the_tables_of_the_documentation_are_those_of_the_schema():
    page = ROOT / "docs" / "format.md"
    tables = runpy.run_path(str(ROOT / "docs" / "tables.py"))
    text = page.read_text(encoding="utf-8")
    assert tables["fill"](text) == text, "run: make docs"
    assert text.count("<!-- table: ") >= 9
    assert "| | `Springs` | `{AB: [k, l]}`: stiffness [N/m]" in text
    assert tables["fill"](text.replace("stiffness [N/m]", "stiffness")) == text


# -- schema and reader -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_every_file_that_is_read_is_valid(text):
    parse_mechanism(text)
    assert [error.message for error in VALIDATOR.iter_errors(instance_of(compose(text, "")))] == []


@pytest.mark.parametrize(
    "damage",
    [
        "Tittle: x",
        "Dimension: 4",
        "Dimension: '3'",
        "Dimension:",
        "PhysicalParams: [1]",
        "PhysicalParams: {a-b: 1}",
        "PhysicalParams: {a: }",
        "Tables: {c: }",
        "Tables: {c: {x: [1, 2], y: 3}}",
        "Tables: {c: {x: [1, 2], y: [1, 2], kind: cubic}}",
        "Connections: {Joints: {h: {kind: revolute}}}",
        "Connections: {Coplanar: [ABCD]}",
        "Connections: {Collinear: {A: 1}}",
        "AppliedForces: {Gravity: 9.81}",
        "AppliedForces: {Torques: {'OA, AB, BC': 1}}",
        "AppliedForces: {Forces: {A on B: [1]}}",
        "AppliedForces: {Forces: {A: [1, 2, 3, 4]}}",
        "Events: {e: {do: stop}}",
        "Events: {e: {when: A.x, do: jump}}",
        "ProblemData: {positions: {A: [[1, fixd]]}}",
        "ProblemData: {positions: {A: [[1, fixed, 2]]}}",
        "SolverParams: {Integration: {tol: [1]}}",
        "SolverParams: {OutFile: {points: [A: 4]}}",
        "Animation: 3",
    ],
)
def test_what_the_schema_refuses_the_reader_refuses_too(damage):
    text = "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}\n" + damage
    root = compose(text, "")
    assert not VALIDATOR.is_valid(instance_of(root))
    assert shape_problems(root, instance_of(root))
    with pytest.raises(InputError) as caught:
        parse_mechanism(text)
    assert all(problem.line == 2 for problem in caught.value.problems)


class Tree:
    """A file as nested lists that can be damaged and written again."""

    def __init__(self, node):
        self.kind, self.text, self.plain = node.kind, node.text, node.plain
        self.items = [Tree(item) for item in node.items]
        self.pairs = [[key.text, Tree(value)] for key, value in node.pairs]

    def all(self):
        yield self
        for child in [*self.items, *(value for _, value in self.pairs)]:
            yield from child.all()

    def become(self, other):
        self.__dict__ = other.__dict__

    def write(self):
        if self.kind == "list":
            return f"[{', '.join(item.write() for item in self.items)}]"
        if self.kind == "map":
            return "{" + ", ".join(f"{json.dumps(key)}: {value.write()}" for key, value in self.pairs) + "}"
        if self.plain and not self.text:
            return "~"
        return self.text if self.plain and re.fullmatch(r"[\w.+*/~-]+", self.text) else json.dumps(self.text)


OBJECTS = [set(schema["properties"]) for _, schema in every_schema(SCHEMA) if "properties" in schema]
STRANGE = ["x", "OA", "A", "ABC", "a-b", "O_A", "1", "Geom", "kind"]
VALUES = ["1", "l", "~", "'2'", "'3'", "fixed", "stop", "solve", "[]", "[1]", "[[1]]", "[1, 2]", "[A, B]", "{}", "4e9"]
VALUES += ["{A: 1}", "{A: [1, 2]}", "[1, 2, 3, 4]", "[[1, fixed]]", "[[1, 2, 3], x]", "{Geom: [[1]]}", "spline", "ABC"]


def other_keys(tree):
    """Keys that a map could have instead of or beside its own."""
    own = {key for key, _ in tree.pairs}
    known = {key for keys in OBJECTS if keys & own for key in keys}
    return [key for key in (*sorted(known), *STRANGE) if key not in own]


def damages(tree):
    """All single changes: a key renamed, removed or added, a value replaced, wrapped, cut or doubled."""
    for part in tree.all():
        for pair in part.pairs:
            yield lambda part=part, pair=pair: part.pairs.remove(pair)
            for key in other_keys(part):
                yield lambda pair=pair, key=key: pair.__setitem__(0, key)
        if part.kind == "map":
            for key in other_keys(part):
                for value in ("1", "A", "[A, B]", "[[1], [2]]", "{A: 1}"):
                    yield lambda part=part, key=key, value=value: part.pairs.append([key, Tree(compose(value, ""))])
        for value in VALUES:
            yield lambda part=part, value=value: part.become(Tree(compose(value, "")))
        yield lambda part=part: part.become(Tree(compose(f"[{part.write()}]", "")))
        if part.items:
            yield lambda part=part: part.items.pop()
            yield lambda part=part: part.items.append(part.items[-1])


def check_agreement(text):
    """Schema and reader find fault with the shape of a file, or neither does; the reader reports it with the rest."""
    root = compose(text, "")
    if root is None or root.empty:
        with pytest.raises(InputError, match="the file is empty"):
            parse_mechanism(text)
        return
    instance = instance_of(root)
    errors = list(VALIDATOR.iter_errors(instance))
    misshapen = [error for error in errors if error.validator not in RANGES]
    problems = shape_problems(root, instance)
    assert bool(misshapen) == bool(problems), (text, problems, [error.message for error in misshapen])
    try:
        mechanism = parse_mechanism(text)
    except InputError as error:
        found = {(problem.part, problem.what) for problem in error.problems}
        assert len(found) > 100 or {(problem.part, problem.what) for problem in problems} <= found
    else:
        assert not errors
        assert "?" not in repr(mechanism)  # nothing was passed over


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_schema_and_reader_agree_on_damaged_files(data):
    tree = Tree(compose(data.draw(st.sampled_from(list(FILES.values()))), ""))
    for _ in range(data.draw(st.integers(1, 3))):
        data.draw(st.sampled_from(list(damages(tree))))()
    check_agreement(tree.write())


@pytest.mark.long
def test_schema_and_reader_agree_on_every_single_damage_to_a_file_with_everything_in_it():
    count = len(list(damages(Tree(compose(FILES["everything"], "")))))
    for n in range(count):
        tree = Tree(compose(FILES["everything"], ""))
        list(damages(tree))[n]()
        check_agreement(tree.write())


def test_numbers_out_of_range_are_refused_by_both():
    for key, value in (("tol", 1.0), ("tol", 1e-20), ("order", 3), ("order", 61), ("max_step", 0), ("max_step", -1)):
        text = f"PartData: {{Particles: {{A: 1}}}}\nSolverParams: {{Integration: {{{key}: {value}}}}}\n"
        assert not VALIDATOR.is_valid(instance_of(compose(text, "")))
        with pytest.raises(InputError, match=key):
            parse_mechanism(text)
    assert math.isclose(parse_mechanism(text.replace("-1", "1/8")).settings.max_step, 0.125)
