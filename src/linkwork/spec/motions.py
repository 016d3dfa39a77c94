"""Motions, Events -> prescribed motions and what to notice."""

from __future__ import annotations

from linkwork.errors import did_you_mean
from linkwork.model.laws import Event, Motion
from linkwork.spec.nodes import Node
from linkwork.spec.report import HOLE, Report

DIRECTIONS = {"rising": 1, "falling": -1, "either": 0}
ACTIONS = {"stop": 1, "record": 0}


def read_motions(report: Report, node: Node | None) -> tuple[Motion, ...]:
    """`Motions: {OA.angle: omega*t, A.x: a*sin(t), AB.length: l + v*t}`."""
    motions = []
    for target, line, value in report.entries(node, "Motions"):
        part = f"motion '{target}'"
        report.locate(part, line, law=value)
        motions.append(Motion(target=target, law=report.law(value, part)))
    return tuple(motions)


def read_events(report: Report, node: Node | None) -> tuple[Event, ...]:
    """`Events: {touch: {when: A.y - h, do: stop, direction: falling}}`, or `{touch: A.y - h}` to record only."""
    return tuple([_read_event(report, name, line, value) for name, line, value in report.entries(node, "Events")])


def _read_event(report: Report, name: str, line: int, node: Node) -> Event:
    part = f"event '{name}'"
    report.locate(part, line)
    if node.kind == "scalar":
        return Event(name=name, when=report.law(node, part))
    keys = report.section(node, part, ("when", "do", "direction"))
    report.locate(part, line, **keys)
    if "when" not in keys and node.kind == "map":
        report.add(line, "'when' is missing", "Write when: and an expression that crosses zero", part)
    when = report.law(keys["when"], part) if "when" in keys else HOLE
    stop = bool(_read_word(report, keys.get("do"), ACTIONS, 0, part))
    return Event(
        name=name, when=when, stop=stop, direction=_read_word(report, keys.get("direction"), DIRECTIONS, 0, part)
    )


def _read_word(report: Report, node: Node | None, words: dict[str, int], default: int, part: str) -> int:
    """The meaning of one of a few words."""
    if node is None or node.empty:
        return default
    if node.kind == "scalar" and node.text in words:
        return words[node.text]
    listed = "Write " + " or ".join(words)
    report.add(node.line, f"expected a word, not {node}", did_you_mean(node.text[:20], words) or listed, part)
    return default
