"""Motions, Events -> prescribed motions and what to notice."""

from __future__ import annotations

from linkwork.errors import Ref
from linkwork.model.laws import DIRECTIONS, Driver, Event
from linkwork.spec.nodes import Node
from linkwork.spec.report import HOLE, Report


def read_motions(report: Report, node: Node | None) -> tuple[Driver, ...]:
    """`Motions: {OA.angle: omega*t, A.x: a*sin(t), AB.length: l + v*t}`."""
    motions = []
    for target, line, value in report.entries(node):
        part = Ref("motion", target)
        report.locate(part, line, {"law": value})
        motions.append(Driver(target=target, law=report.law(value, part)))
    return tuple(motions)


def read_events(report: Report, node: Node | None) -> tuple[Event, ...]:
    """`Events: {hit: {when: A.y, direction: falling, then: {A.vy: -e*A.vy}}}`, or `{touch: A.y - h}` to record only."""
    return tuple([_read_event(report, name, line, value) for name, line, value in report.entries(node)])


def _read_event(report: Report, name: str, line: int, node: Node) -> Event:
    part = Ref("event", name)
    keys = {"when": node} if node.kind == "scalar" else report.section(node)
    report.locate(part, line, keys)
    return Event(
        name=name,
        when=report.law(keys["when"], part) if "when" in keys else HOLE,
        stop=report.text(keys.get("do")) == "stop",
        direction=DIRECTIONS.get(report.text(keys.get("direction")) or "either", 0),
        then={target: report.law(law, part) for target, _, law in report.entries(keys.get("then"))},
        on=_read_names(report, keys.get("on")),
        off=_read_names(report, keys.get("off")),
    )


def _read_names(report: Report, node: Node | None) -> list[str]:
    """One name or a list of them."""
    nodes = [] if node is None or node.empty else node.items if node.kind == "list" else [node]
    return [name for each in nodes if (name := report.text(each)) is not None]
