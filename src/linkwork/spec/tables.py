"""Tables -> curves that expressions can call by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from linkwork.errors import ExpressionError, InputError, Ref
from linkwork.model.functions import FUNCTION_NAME, check_function_name, traced
from linkwork.model.tables import TABLE_KINDS, Table
from linkwork.model.values import compute_number, compute_parameters
from linkwork.spec.nodes import Node, shorten
from linkwork.spec.points import read_points
from linkwork.spec.report import HOLE, Entry, Report
from linkwork.symbolic import Expr, free_symbols


def read_tables(report: Report, node: Node | None, parameters: Mapping[str, Expr]) -> dict[str, Table]:
    """`Tables: {curve: {x: [0, 1, 2], y: [0, 3, 1], kind: spline}}`; from here on formulas may say curve(argument).

    `{road: {file: road.csv}}` has its points in a file.
    """
    entries = report.entries(node)
    values = compute_parameters(parameters)[0] if entries else {}
    tables: dict[str, Table] = {}
    for entry in entries:
        table = _read_table(report, entry, values)
        if table is not None:
            tables[entry.key] = table
    # a table that could not be read gives no further messages where it is used
    unread = {entry.key: lambda argument: HOLE for entry in entries if entry.key not in tables}
    known = {name: traced(name, table.law) for name, table in tables.items()}
    report.functions = {**report.functions, **unread, **known}
    return tables


def _read_table(report: Report, entry: Entry, values: Mapping[str, float]) -> Table | None:
    part = Ref("table", entry.key)
    keys = report.section(entry.value)
    report.locate(part, entry.line, keys)
    x, y = (
        _read_file(report, keys["file"], keys.get("columns"), part)
        if "file" in keys
        else (_read_numbers(report, keys.get(key), key, part, values) for key in ("x", "y"))
    )
    kind = report.text(keys.get("kind")) or "spline"
    if x is None or y is None or kind not in TABLE_KINDS or not FUNCTION_NAME.fullmatch(entry.key):
        return None
    try:
        check_function_name(entry.key, str(part))
        return Table(entry.key, x, y, kind=kind)
    except InputError as error:
        for problem in error.problems:
            report.add(report.find_line(part, problem.detail), problem.what, problem.remedy, part)
        return None


def _read_file(
    report: Report, node: Node, columns: Node | None, part: Ref
) -> tuple[Sequence[float] | None, Sequence[float] | None]:
    """The points of a file; what is wrong in it is reported with its own line, what is wrong with it with ours."""
    if report.folder is None:
        what = "a file of points needs a mechanism that is a file itself"
        report.add(node.line, what, "Give x and y, or save the mechanism", part)
        return None, None
    wanted = [report.text(item) or "" for item in columns.items] if columns is not None else ["1", "2"]
    if len(wanted) != 2:
        return None, None  # reported already
    name = report.text(node) or ""
    try:
        x, y = read_points(report.folder, name, wanted)
    except InputError as error:
        for problem in error.problems:
            if problem.line is not None:
                report.problems.append(replace(problem, part=str(part)))
            else:
                report.add(node.line, f"file '{shorten(name)}': {problem.what}", problem.remedy, part)
        return None, None
    return x.tolist(), y.tolist()


def _read_numbers(
    report: Report, node: Node | None, key: str, part: Ref, values: Mapping[str, float]
) -> list[float] | None:
    """The numbers of a list, computed from the parameters; None if one is missing."""
    if node is None or node.kind != "list":
        return None
    numbers: list[float] = []
    for item in node.items:
        expr = report.expression(item, part)
        if any(s is HOLE or (s.name in report.names and s.name not in values) for s in free_symbols(expr)):
            continue  # reported already
        try:
            numbers.append(compute_number(expr, values))
        except ExpressionError as error:
            report.add(item.line, f"{key}: {error.what}", error.remedy, part)
    return numbers if len(numbers) == len(node.items) else None
