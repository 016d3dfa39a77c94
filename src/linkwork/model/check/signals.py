"""What can be wrong with variables, states and inputs: their names, and where states start."""

from __future__ import annotations

from collections.abc import Iterator

from linkwork.errors import Ref
from linkwork.model.check.findings import Findings, suggest
from linkwork.model.controllers import FORM
from linkwork.model.functions import FUNCTION_NAME, RESERVED, registered_functions
from linkwork.model.laws import is_constant
from linkwork.model.signals import LARGEST_SCALE, SMALLEST_SCALE, inputs_in
from linkwork.symbolic import Expr

ANOTHER = "Use another name"


def check_signals(findings: Findings) -> None:
    mechanism = findings.mechanism
    taken = dict(_taken(findings))
    variables = [*mechanism.variables, *mechanism.implicits]
    names = [("variable", name) for name in variables] + [("state", s.name) for s in mechanism.states]
    # a friction without a proper name is told already
    ways = {name for friction in mechanism.frictions for name in (friction.sliding, *friction.leads)}
    names += [("input", name) for name in mechanism.inputs if name not in ways or FUNCTION_NAME.fullmatch(name)]
    for kind, name in names:
        part = Ref(kind, name)
        if not FUNCTION_NAME.fullmatch(name):
            findings.report(part, "this is no name", "Use letters, digits and _, starting with a letter")
        elif name in taken:
            findings.report(part, f"there is already {taken[name]} of this name", ANOTHER)
        taken[name] = "an input" if kind == "input" else f"a {kind}"
    for name, (what, divisor) in mechanism.divisors.items():
        if is_constant(divisor):
            check_divisor(findings, Ref("controller", name), what, divisor)
    states = [state.name for state in mechanism.states]
    for name, value in mechanism.start.states.items():
        part = Ref("start of", name)
        findings.number(value, part, "value")
        if name not in states:
            findings.report(part, f"no state named '{name}'", suggest(name, states, "States"))
    for name, value in mechanism.inputs.items():
        findings.number(value, Ref("input", name), "value")
    for name, implicit in mechanism.implicits.items():
        findings.number(implicit.guess, Ref("variable", name), "guess")
        if name not in inputs_in(implicit.formula):
            what = f"the equation does not depend on {name}, so it cannot determine it"
            findings.report(Ref("variable", name), what, f"Name it, as in {name} + {name}**3 - A.x", detail="implicit")
    for state in mechanism.states:
        part = Ref("state", state.name)
        findings.number(state.start, part, "start")
        scale = findings.number(state.scale, part, "scale")
        if scale is not None and scale < SMALLEST_SCALE:
            told = "not positive" if scale <= 0 else f"less than {SMALLEST_SCALE:g}"
            findings.report(part, f"scale {scale:g} is {told}", "Give the size it usually has", detail="scale")
        elif scale is not None and not scale <= LARGEST_SCALE:
            findings.report(
                part, f"scale {scale:g} is more than {LARGEST_SCALE:g}", "Give the size it usually has", detail="scale"
            )


def check_divisor(findings: Findings, part: Ref, what: str, divisor: Expr) -> None:
    """A filter time is positive, a denominator begins with something."""
    value = findings.number(divisor, part, what)
    findings.bounds.append((divisor, "<=" if what == "filter" else "=="))
    if value is not None and what == "filter" and value <= 0:
        findings.report(part, f"the filter time is {value:g}", "Give a positive time")
    elif value == 0:
        findings.report(part, "the denominator begins with zero", FORM)


def _taken(findings: Findings) -> Iterator[tuple[str, str]]:
    """The names that mean something else in laws or in results."""
    mechanism = findings.mechanism
    axes = "xyz"[: mechanism.dimension]
    words = ("energy", "work", "power", "residuals", "driving", "kinetic", "potential")  # of plots and tables
    yield from ((name, "something built in") for name in (*RESERVED, "t", *words))
    yield from ((name, "a function") for name in registered_functions())
    yield from ((name, "a table") for name in mechanism.tables)
    yield from ((name, "a parameter") for name in mechanism.parameters)
    yield from ((name, "a point") for name in findings.points)
    yield from ((f"{point}{axis}", "a coordinate") for point in mechanism.moving_points for axis in axes)
    yield from ((name, "a part") for name in findings.rigids)
    yield from ((name, "a joint") for name in findings.joints)
