"""The tables of format.md, made of the schema: `make docs` writes them, the tests compare.

A table stands between <!-- table: NAME --> and <!-- end -->; NAME is a section such as PartData/Rigids, whose entries
it explains, or one of `sections`, `joint kinds` and `table kinds`.
"""

import re
from pathlib import Path

from linkwork.model import JOINT_KINDS
from linkwork.spec.schema import make_schema

PAGE = Path(__file__).with_name("format.md")
TABLE = re.compile(r"(<!-- table: (.*?) -->\n).*?(<!-- end -->)", re.S)


def fill(page: str) -> str:
    """The page with all its tables as the schema has them."""
    return TABLE.sub(lambda found: found[1] + make_table(found[2]) + found[3], page)


def make_table(name: str) -> str:
    if name in KINDS:
        return KINDS[name]()
    schema = find(name)
    needed = set(schema.get("required", ()))
    rows = [
        (f"`{key}`{', needed' if key in needed else ''}", text(inner)) for key, inner in schema["properties"].items()
    ]
    return write(("key", "value"), rows)


def make_sections() -> str:
    rows = []
    for section, schema in make_schema()["properties"].items():
        rows.append((f"`{section}`", schema.get("x-key", ""), text(schema)))
        rows += [("", f"`{key}`", text(inner)) for key, inner in schema.get("properties", {}).items()]
    return write(("section", "key", "value"), rows)


def make_joint_kinds() -> str:
    kinds = find("Connections/Joints")["properties"]["kind"]["oneOf"]
    rows = [(f"`{k['const']}`", k["description"], "yes" if JOINT_KINDS[k["const"]].turns else "") for k in kinds]
    return write(("kind", "leaves free", "angle"), rows)


def make_table_kinds() -> str:
    kinds = [kind for kind in find("Tables")["properties"]["kind"]["oneOf"] if "const" in kind]
    return write(("kind", "between the points"), [(f"`{kind['const']}`", kind["description"]) for kind in kinds])


KINDS = {"sections": make_sections, "joint kinds": make_joint_kinds, "table kinds": make_table_kinds}


def find(path: str) -> dict:
    """The map of known keys that a section is, or that its entries are."""
    schema = make_schema()
    for key in path.split("/"):
        schema = schema["properties"][key]
    while "properties" not in schema:
        inner = schema.get("additionalProperties") or next(kind for kind in schema["anyOf"] if "properties" in kind)
        schema = inner
    return schema


def text(schema: dict) -> str:
    words = [branch["const"] for branch in schema.get("oneOf", ()) if "const" in branch]
    listed = f" One of {', '.join(f'`{word}`' for word in words)}." if words else ""
    return (schema["description"] + listed).replace("|", r"\|")


def write(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n".replace("|  |", "| |") for row in (head, ("---",) * len(head), *rows))


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
