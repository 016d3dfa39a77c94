"""What can be wrong with calls of opaque functions: nobody knows their slopes, which constraints and energies need."""

from __future__ import annotations

from linkwork.errors import Ref
from linkwork.model.algebra import list_algebraic
from linkwork.model.check.findings import Findings
from linkwork.model.signals import inputs_in
from linkwork.symbolic import free_symbols

PLACES = "Call it in forces, torques, moments, efforts, states and variables"
ALLOWED = ("force", "torque", "moment", "effort", "controller")  # parts whose laws are needed as they are


def check_calls(findings: Findings) -> None:
    """Calls where slopes would be needed, or of what follows from forces."""
    m = findings.mechanism
    names = {call.name: call.function.name for call in m.opaque}
    for part in m.parts if names else ():
        for label, law in part.laws():
            called = [names[name] for name in inputs_in(law) if name in names]
            if called and part.WORD not in ALLOWED:
                findings.report(part.ref, f"{label} calls '{called[0]}', whose slopes are not known", PLACES)
    for call in m.opaque:
        if found := list_algebraic(free_symbols(*call.arguments), m.words):
            what = f"it is called with {found[0]}, which follows from the forces that it is called for"
            findings.report(Ref("function", call.function.name), what, "Use places, speeds and time")
