"""What can be wrong with constraints of velocities: formulas, rolling wheels, knife edges."""

from __future__ import annotations

from linkwork.model.findings import Findings
from linkwork.model.laws import PART_OR_JOINT, is_linear, quantity, speeds_in
from linkwork.model.signals import states_in
from linkwork.symbolic import free_symbols


def check_velocity_constraints(findings: Findings) -> None:
    for held in findings.mechanism.velocity_constraints:
        part, law = f"velocity '{held.name}'", held.formula
        check_name(findings, held.name, part)
        if states_in(law):
            findings.report(part, "formula depends on a state", "Give a formula of speeds, places and time")
        elif not all("." not in s.name or quantity(s.name) for s in free_symbols(law)):
            continue  # reported with the laws
        elif not speeds_in(law) and not findings.is_broken(law):
            remedy = "Name speeds, as in A.vx - 2*B.vx; a formula of places belongs under Relations"
            findings.report(part, "formula does not depend on a speed", remedy)
        elif not is_linear(law):
            remedy = "Write it as a sum of speeds with factors of places, parameters and time, as in A.x*A.vy - v"
            findings.report(part, "formula is not linear in the speeds", remedy)


def check_name(findings: Findings, name: str, part: str) -> None:
    if not PART_OR_JOINT.fullmatch(name):
        findings.report(part, "this is no name", "Use letters, digits and _, starting with a letter")
