"""Variables, States, Inputs, Controllers -> names for laws and quantities with rates."""

from __future__ import annotations

from collections.abc import Mapping

from linkwork.errors import Ref
from linkwork.model.algebra import Implicit
from linkwork.model.controllers import Controller, Pid, Transfer
from linkwork.model.functions import FUNCTION_NAME
from linkwork.model.sampled import MOST_DELAY, Sampled
from linkwork.model.signals import State
from linkwork.spec.nodes import Node
from linkwork.spec.report import HOLE, Entry, Report
from linkwork.symbolic import ONE, ZERO, Expr, symbol

# what each kind of controller is made of: needed keys, other keys
KINDS = {
    "pid": ({"error"}, {"P", "I", "D", "filter"}),
    "transfer": ({"input", "numerator", "denominator"}, set[str]()),
    "sampled": ({"period", "outputs"}, {"offset", "delay", "reads", "memory", "quantum"}),
}


def name_signals(report: Report, keys: Mapping[str, Node]) -> None:
    """Make the names of variables, states, inputs and controllers known to laws, before any law is read."""
    named = {section: [entry.key for entry in report.entries(keys.get(section))] for section in SECTIONS}
    states, held = [*named["States"]], [*named["Inputs"]]
    for entry in report.entries(keys.get("Controllers")):
        if _is_sampled(report, entry):
            own = report.section(entry.value)
            held += [each.key for key in ("reads", "memory", "outputs") for each in report.entries(own.get(key))]
            held.append(f"{entry.key}_count")
        else:
            states += _own_states(report, entry)
    names = [*named["Variables"], *named["Controllers"], *held, *states, *(f"{state}'" for state in states)]
    report.signals = {name: symbol(name) for name in names if name and name not in report.names}


SECTIONS = ("Variables", "States", "Inputs", "Controllers")


def _is_sampled(report: Report, entry: Entry) -> bool:
    return report.text(report.section(entry.value).get("kind")) == "sampled"


def _own_states(report: Report, entry: Entry) -> list[str]:
    keys = report.section(entry.value)
    if report.text(keys.get("kind")) == "transfer":
        count = len(keys["denominator"].items) - 1 if "denominator" in keys else 0
        return [f"{entry.key}_{i + 1}" for i in range(count)]
    return [f"{entry.key}_{letter}" for letter, key in (("I", "I"), ("F", "filter")) if key in keys]


def read_variables(
    report: Report, variables: Node | None, controllers: Node | None
) -> dict[str, Expr | Controller | Implicit]:
    """`Variables: {error: target - OA.angle}` and `Controllers: {servo: {kind: pid, error: error, P: 40}}`."""
    found: dict[str, Expr | Controller | Implicit] = {}
    for name, line, value in _named(report, variables):
        part = Ref("variable", name)
        if value.kind == "scalar":
            report.locate(part, line, {"formula": value})
            found[name] = report.law(value, part)
            continue
        keys = report.section(value)
        report.locate(part, line, keys)
        law = report.law(keys["implicit"], part) if "implicit" in keys else HOLE
        guess = report.expression(keys["guess"], part) if "guess" in keys else ZERO
        found[name] = HOLE if law is HOLE else Implicit(formula=law, guess=guess)
    for entry in _named(report, controllers):
        if _is_sampled(report, entry):
            continue
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
    if kind not in KINDS or not _has_keys(report, entry, part, kind):
        return HOLE
    _, others = KINDS[kind]
    if kind == "pid":
        gains = {key: report.law(keys[key], part) for key in others if key in keys}
        return Pid(report.law(keys["error"], part), **gains)
    if not keys["numerator"].items or not keys["denominator"].items:
        return HOLE
    numerator, denominator = (
        [report.expression(item, part) for item in keys[key].items] for key in ("numerator", "denominator")
    )
    return Transfer(report.law(keys["input"], part), numerator=numerator, denominator=denominator)


def _has_keys(report: Report, entry: Entry, part: Ref, kind: str) -> bool:
    """Whether all keys are there that a kind of controller needs; what is missing or too much is reported."""
    (needed, others), keys = KINDS[kind], report.section(entry.value)
    for key in sorted(needed - keys.keys()):
        report.add(entry.line, f"the {key} is missing", f"A {kind} controller has {', '.join(sorted(needed))}", part)
    for key in sorted(keys.keys() - needed - others - {"kind"}):
        report.add(keys[key].line, f"a {kind} controller has no {key}", "Remove it", part)
    return not needed - keys.keys()


def read_sampled(report: Report, node: Node | None) -> tuple[Sampled, ...]:
    """`Controllers: {servo: {kind: sampled, period: 0.01, outputs: {tau: -k*OA.angle}}}`."""
    found = []
    for entry in _named(report, node):
        part, keys = Ref("controller", entry.key), report.section(entry.value)
        if not _is_sampled(report, entry):
            continue
        report.locate(part, entry.line, keys)
        if not _has_keys(report, entry, part, "sampled") or not report.entries(keys["outputs"]):
            continue
        laws = {
            key: {each.key: report.law(each.value, part) for each in _named(report, keys.get(key))}
            for key in ("reads", "memory", "outputs")
        }
        steps = {each.key: report.expression(each.value, part) for each in report.entries(keys.get("quantum"))}
        times = {key: report.expression(keys[key], part) for key in ("period", "offset") if key in keys}
        delay = _read_delay(report, keys.get("delay"), part)
        found.append(Sampled(entry.key, **laws, **times, quantum=steps, delay=delay))  # type: ignore[arg-type]
    return tuple(found)


def _read_delay(report: Report, node: Node | None, part: Ref) -> float:
    given = "0" if node is None else report.text(node) or ""
    try:
        delay = float(given)
    except ValueError:
        delay = -1.0
    if node is not None and not 0.0 <= delay <= MOST_DELAY:
        what = f"a delay of '{given}' is not a number of periods"
        report.add(node.line, what, f"Give a number from 0 to {MOST_DELAY}", part)
        return 0.0
    return delay


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
