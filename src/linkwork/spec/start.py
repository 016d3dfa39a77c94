"""ProblemData -> time span and initial values."""

from __future__ import annotations

from linkwork.errors import Ref
from linkwork.model.convert import split_points
from linkwork.model.start import Guess, InitialValues
from linkwork.spec.nodes import Node
from linkwork.spec.report import HOLE, Entry, Report
from linkwork.spec.schema_words import LIST
from linkwork.symbolic import ZERO, Expr

FREE_ZERO = Guess(value=ZERO)
UNKNOWN = Guess(value=HOLE)


def read_start(report: Report, node: Node | None, joints: frozenset[str] = frozenset()) -> InitialValues:
    """`ProblemData: {t0: 0, tend: 10, positions: {A: [[1, fixed], 0]}, velocities: {}}`; `joints` turn too."""
    keys = report.section(node)
    if node is not None:
        report.locate(Ref("ProblemData"), node.line, {key: keys[key] for key in ("t0", "tend") if key in keys})
    positions, angles = _read_guesses(report, keys.get("positions"), ("position", "angle"), joints)
    velocities, rates = _read_guesses(report, keys.get("velocities"), ("velocity", "rate"), joints)
    return InitialValues(
        t0=report.expression(keys["t0"], Ref("ProblemData")) if "t0" in keys else ZERO,
        tend=report.expression(keys["tend"], Ref("ProblemData")) if "tend" in keys else None,
        positions=positions,
        velocities=velocities,
        angles=angles,
        rates=rates,
        states=_read_states(report, keys.get("states")),
    )


def _read_states(report: Report, node: Node | None) -> dict[str, Expr]:
    """`states: {servo_I: 0.2}`."""
    found = {}
    for name, line, value in report.entries(node):
        part = Ref("start of", name)
        report.locate(part, line)
        found[name] = report.expression(value, part)
    return found


def _read_guesses(
    report: Report, node: Node | None, words: tuple[str, str], joints: frozenset[str]
) -> tuple[dict[str, tuple[Guess, ...]], dict[str, Guess]]:
    """Guesses by point and, for names of joints and of several points, turn angles."""
    of_point, of_turn = words
    points: dict[str, tuple[Guess, ...]] = {}
    turns: dict[str, Guess] = {}
    for entry in report.entries(node):
        named = entry._replace(key=entry.key.removesuffix(".angle" if of_turn == "angle" else ".omega"))
        if named.key in joints or len(split_points(named.key)) > 1:
            turns[named.key] = _read_turn(report, named, Ref(f"{of_turn} of", named.key))
        else:
            points[entry.key] = _read_point(report, entry, Ref(f"{of_point} of", entry.key))
    return points, turns


def _read_point(report: Report, entry: Entry, part: Ref) -> tuple[Guess, ...]:
    report.locate(part, entry.line)
    node = entry.value
    if node.kind != "list":
        if node.kind == "scalar" and not node.empty:
            report.say(node, LIST, part)
        return (UNKNOWN,) * report.dimension
    report.check_size(node, part)
    guesses = tuple([_read_guess(report, item, part) for item in node.items[: report.dimension]])
    return guesses + (FREE_ZERO,) * (report.dimension - len(guesses))


def _read_turn(report: Report, entry: Entry, part: Ref) -> Guess:
    report.locate(part, entry.line)
    node = entry.value
    if node.kind == "list" and len(node.items) == 1:
        node = node.items[0]
    count = len(node.items) if node.kind == "list" else 1
    if count not in (1, 2) or (count == 2 and node.items[1].text != "fixed"):
        remedy = "Write x, [x] or [x, fixed]; a place is that of a point or frame"
        report.add(node.line, f"a turn angle with {count} values", remedy, part)
        return UNKNOWN
    return _read_guess(report, node, part)


def _read_guess(report: Report, node: Node, part: Ref) -> Guess:
    """`expr`, `[expr]` or `[expr, fixed]`."""
    if node.kind != "list":
        if node.text == "fixed" and "fixed" not in report.names:
            remedy = "Put each fixed coordinate into its own brackets: [[x, fixed], [y, fixed]]"
            report.add(node.line, "'fixed' stands alone", remedy, part)
            return UNKNOWN
        return Guess(value=report.expression(node, part))
    if not 1 <= len(node.items) <= 2:
        return UNKNOWN
    return Guess(value=report.expression(node.items[0], part), fixed=len(node.items) == 2)
