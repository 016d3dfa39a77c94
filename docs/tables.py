"""The tables of format.md, made of the schema: `make docs` writes them, the tests compare.

A table stands between <!-- table: NAME --> and <!-- end -->; NAME is a section such as PartData/Rigids, whose entries
it explains, or `sections`, or `joint kinds`.
"""

import re
from pathlib import Path

from linkwork.model import joint_kinds
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
    rows: list[tuple[str, ...]] = []
    for section, schema in make_schema()["properties"].items():
        rows.append((f"`{section}`", schema.get("x-key", ""), text(schema)))
        rows += [("", f"`{key}`", text(inner)) for key, inner in schema.get("properties", {}).items()]
    return write(("section", "key", "value"), rows)


def make_joint_kinds() -> str:
    rows = []
    for d in (2, 3):
        for name, kind in joint_kinds(d).items():
            free = [*(["angle"] if kind.turns else []), *kind.quantities]
            needs = ", ".join(f"`{key}`" for key in kind.parameters)
            rows.append((f"`{name}`", f"{d}D", kind.words, ", ".join(f"`{word}`" for word in free), needs))
    return write(("kind", "", "leaves free", "quantities", "parameters"), rows)


KINDS = {"sections": make_sections, "joint kinds": make_joint_kinds}


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
    """The description; words that have no table of their own are explained in passing."""
    words = [branch for branch in schema.get("oneOf", ()) if "const" in branch]
    if len(words) > 3:
        listed = ", ".join(f"`{word['const']}`" for word in words)
    else:
        listed = ", ".join(f"`{word['const']}` ({word['description']})" for word in words)
    return f"{schema['description']} {listed}".strip().replace("|", r"\|")


def write(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
