"""Variables, States, Inputs, Controllers -> names for laws and quantities with rates."""

from __future__ import annotations

from collections.abc import Mapping

from linkwork.errors import Ref
from linkwork.model.controllers import Controller, Pid, Transfer
from linkwork.model.functions import FUNCTION_NAME
from linkwork.model.signals import State
from linkwork.spec.nodes import Node
from linkwork.spec.report import HOLE, Entry, Report
from linkwork.symbolic import ONE, ZERO, Expr, symbol

# what each kind of controller is made of: needed keys, other keys
KINDS = {"pid": ({"error"}, {"P", "I", "D", "filter"}), "transfer": ({"input", "numerator", "denominator"}, set[str]())}


def name_signals(report: Report, keys: Mapping[str, Node]) -> None:
    """Make the names of variables, states, inputs and controllers known to laws, before any law is read."""
    named = {section: [entry.key for entry in report.entries(keys.get(section))] for section in SECTIONS}
    states = [*named["States"]]
    for entry in report.entries(keys.get("Controllers")):
        states += _own_states(report, entry)
    names = [*named["Variables"], *named["Controllers"], *named["Inputs"], *states, *(f"{state}'" for state in states)]
    report.signals = {name: symbol(name) for name in names if name not in report.names}


SECTIONS = ("Variables", "States", "Inputs", "Controllers")


def _own_states(report: Report, entry: Entry) -> list[str]:
    keys = report.section(entry.value)
    if report.text(keys.get("kind")) == "transfer":
        count = len(keys["denominator"].items) - 1 if "denominator" in keys else 0
        return [f"{entry.key}_{i + 1}" for i in range(count)]
    return [f"{entry.key}_{letter}" for letter, key in (("I", "I"), ("F", "filter")) if key in keys]


def read_variables(report: Report, variables: Node | None, controllers: Node | None) -> dict[str, Expr | Controller]:
    """`Variables: {error: target - OA.angle}` and `Controllers: {servo: {kind: pid, error: error, P: 40}}`."""
    found: dict[str, Expr | Controller] = {}
    for name, line, value in _named(report, variables):
        part = Ref("variable", name)
        report.locate(part, line, {"formula": value})
        found[name] = report.law(value, part)
    for entry in _named(report, controllers):
        part = Ref("controller", entry.key)
        report.locate(part, entry.line, report.section(entry.value))
        if entry.key in found:
            report.add(entry.line, "there is already a variable of this name", "Use another name", part)
            continue
        # what becomes of it in the model is a variable
        report.locate(Ref("variable", entry.key), entry.line)
        found[entry.key] = _read_controller(report, entry, part)
    return found


def _named(report: Report, node: Node | None) -> list[Entry]:
    """The entries with names that formulas can use; others are reported already."""
    return [entry for entry in report.entries(node) if FUNCTION_NAME.fullmatch(entry.key)]


def _read_controller(report: Report, entry: Entry, part: Ref) -> Expr | Controller:
    keys = report.section(entry.value)
    kind = report.text(keys.get("kind"))
    if kind not in KINDS:
        return HOLE
    needed, others = KINDS[kind]
    for key in sorted(needed - keys.keys()):
        report.add(entry.line, f"the {key} is missing", f"A {kind} controller has {', '.join(sorted(needed))}", part)
    for key in sorted(keys.keys() - needed - others - {"kind"}):
        report.add(keys[key].line, f"a {kind} controller has no {key}", "Remove it", part)
    if needed - keys.keys():
        return HOLE
    if kind == "pid":
        gains = {key: report.law(keys[key], part) for key in others if key in keys}
        return Pid(report.law(keys["error"], part), **gains)
    if not keys["numerator"].items or not keys["denominator"].items:
        return HOLE
    numerator, denominator = (
        [report.expression(item, part) for item in keys[key].items] for key in ("numerator", "denominator")
    )
    return Transfer(report.law(keys["input"], part), numerator=numerator, denominator=denominator)


def read_states(report: Report, node: Node | None) -> tuple[State, ...]:
    """`States: {X: (OA.omega - X)/tau}`, or `{X: {rate: (OA.omega - X)/tau, start: 0.2}}`."""
    states = []
    for name, line, value in _named(report, node):
        part = Ref("state", name)
        keys = {"rate": value} if value.kind == "scalar" else report.section(value)
        report.locate(part, line, keys)
        states.append(
            State(
                name=name,
                rate=report.law(keys["rate"], part) if "rate" in keys else HOLE,
                start=report.expression(keys["start"], part) if "start" in keys else ZERO,
                scale=report.expression(keys["scale"], part) if "scale" in keys else ONE,
            )
        )
    return tuple(states)


def read_inputs(report: Report, node: Node | None) -> dict[str, Expr]:
    """`Inputs: {tau: 0}`: numbers that are held until something from outside changes them."""
    found = {}
    for name, line, value in _named(report, node):
        part = Ref("input", name)
        report.locate(part, line, {"value": value})
        found[name] = report.expression(value, part)
    return found
