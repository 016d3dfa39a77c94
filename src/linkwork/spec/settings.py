"""SolverParams, Animation, Skeleton, Skels -> settings and plain data for the viewer."""

from __future__ import annotations

import math
import re

from linkwork.errors import ExpressionError, Ref, did_you_mean
from linkwork.model.settings import FORMULATIONS, METHODS, Display, Plain, Settings
from linkwork.model.values import compute_number
from linkwork.spec.nodes import Node, shorten
from linkwork.spec.report import HOLE, Report
from linkwork.spec.schema import make_schema

SOLVE = "solve"
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


def read_settings(report: Report, node: Node | None, formulation: Node | None = None) -> Settings:
    """`SolverParams: {Integration: {tol: 1e-9, order: 17, max_step: 0.1}, OutFile: {...}, Display: {...}}`."""
    keys = report.section(node)
    if (mode := report.text(keys.get("Mode"))) is not None and mode != SOLVE:
        report.note(keys["Mode"].line, f"Mode '{shorten(mode)}' is ignored", f"There is only '{SOLVE}'", "SolverParams")
    if report.entries(keys.get("Display")):
        report.note(keys["Display"].line, "Display is for other programs and ignored here", part=Ref("SolverParams"))
    integration = report.section(keys.get("Integration"))
    output = report.section(keys.get("OutFile"))
    for section, entries in (("Integration", integration), ("OutFile", output)):
        if section in keys:
            report.locate(Ref(section), keys[section].line, entries)
    order = _read_number(report, integration.get("order"), "order")
    if order is not None and order != int(order):
        report.add(integration["order"].line, f"order {order:g} is not a whole number", part=Ref("Integration"))
        order = None
    return Settings(
        mode=mode,
        formulation=_read_formulation(report, formulation),
        method=_read_method(report, integration.get("method")),
        step=_read_number(report, integration.get("step"), "step"),
        alpha=_read_number(report, integration.get("alpha"), "alpha"),
        beta=_read_number(report, integration.get("beta"), "beta"),
        rho=_read_number(report, integration.get("rho"), "rho"),
        tol=_read_number(report, integration.get("tol"), "tol"),
        order=None if order is None else int(order),
        max_step=_read_number(report, integration.get("max_step"), "max_step"),
        every=_read_number(report, integration.get("every"), "every"),
        fit=_read_number(report, integration.get("fit"), "fit"),
        time_format=report.text(output.get("tformat")),
        value_format=report.text(output.get("qformat")),
        output_points=_read_counts(report, output.get("points")),
        output_angles=_read_counts(report, output.get("angles")),
        display=_read_plain_map(report, keys.get("Display")),
    )


def _read_formulation(report: Report, node: Node | None) -> str | None:
    if node is None:
        return None
    report.locate(Ref("Formulation"), node.line)
    return node.text if node.text in FORMULATIONS else None


def _read_method(report: Report, node: Node | None) -> str | None:
    """The name of a method; the schema says what is wrong with another."""
    return node.text if node is not None and node.text in METHODS else None


def read_display(report: Report, keys: dict[str, Node]) -> Display:
    """What the viewer may use, unchanged; a key that it does not know is noted."""
    for section in ("Animation", "Skeleton"):
        known = make_schema()["properties"][section]["properties"]
        for key, line, _ in report.entries(keys.get(section)):
            if key not in known:
                remedy = did_you_mean(key, known) or f"Known keys are {', '.join(known)}"
                report.note(line, f"unknown key '{shorten(key)}' is ignored", remedy, section)
    return Display(
        animation=_read_plain_map(report, keys.get("Animation")),
        skeleton=_read_plain_map(report, keys.get("Skeleton")),
        skeletons=_read_plain_map(report, keys.get("Skels")),
    )


def _read_number(report: Report, node: Node | None, key: str) -> float | None:
    """A number or a formula without parameters' problems; None if absent or wrong."""
    if node is None or node.empty:
        return None
    expr = report.expression(node, Ref(key))
    if expr is HOLE:
        return None
    try:
        return compute_number(expr, {})
    except ExpressionError:
        report.add(node.line, f"expected a number, not {node}", part=key)
        return None


def _read_counts(report: Report, node: Node | None) -> dict[str, int] | None:
    """`[D: 2, E: 2]` or `{D: 2, E: 2}`: how many derivatives of each to write, counting the value itself."""
    if node is None or node.empty:
        return None
    counts: dict[str, int] = {}
    for item in node.items if node.kind == "list" else [node]:
        for name, _, value in report.entries(item):
            if INTEGER.fullmatch(value.text):
                counts[name] = int(value.text)
    return counts


def _read_plain_map(report: Report, node: Node | None) -> dict[str, Plain]:
    return {entry.key: _plain(report, entry.value) for entry in report.entries(node)}


def _plain(report: Report, node: Node) -> Plain:
    if node.kind == "list":
        return [_plain(report, item) for item in node.items]
    if node.kind == "map":
        return _read_plain_map(report, node)
    if node.empty:
        return None
    if node.plain and INTEGER.fullmatch(node.text):
        return int(node.text)
    if node.plain and DECIMAL.fullmatch(node.text) and math.isfinite(float(node.text)):
        return float(node.text)
    return node.text
