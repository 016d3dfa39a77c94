"""What can be wrong with reactions and accelerations in laws: that there are none, or that they make no sense."""

from __future__ import annotations

from linkwork.errors import Ref, did_you_mean
from linkwork.model.algebra import Reaction, find_reaction, find_speed
from linkwork.model.check.findings import Findings, Flaw, suggest
from linkwork.symbolic import Expr, free_symbols

# laws that constraints are made of, by part and label
CONSTRAINTS = {
    ("velocity", "formula"),
    ("relation", "formula"),
    ("motion", "law"),
    ("stop", "law"),
    ("friction", "speed"),
}
LISTED = "Forces are pin.fx of a joint, OA.A.fx of a part at its point, rail.force of a relation"


def check_algebra(findings: Findings, law: Expr, part: Ref, label: str) -> list[str]:
    """Report the reactions and accelerations of a law that do not exist; the names of those that it may use."""
    names = sorted(s.name for s in free_symbols(law) if s.kind == "input" and s.name in findings.mechanism.algebra)
    if names and (part.kind, label) in CONSTRAINTS:
        what = f"{label}: a constraint cannot depend on {names[0]}, which follows from the forces of constraints"
        findings.report(part, what, "Use places, speeds and time", detail=label)
        return []
    good, told = list[str](), set[str]()
    for name in names:
        reaction = find_reaction(name, findings.mechanism.words)
        flaw = Flaw() if reaction is None else find_reaction_problem(findings, reaction)
        if flaw.what in told:
            continue
        if flaw.what:
            told.add(flaw.what)
            findings.report(part, f"{label}: {flaw.what} (in '{name}')", flaw.remedy, detail=label, absent=flaw.absent)
        else:
            good.append(name)
    return good


def find_reaction_problem(findings: Findings, reaction: Reaction) -> Flaw:
    """Why there is no such reaction."""
    m = findings.mechanism
    if m.dimension == 2 and reaction.what == "fz":
        return Flaw("there is no z in dimension 2", "Use fx and fy, or Dimension: 3")
    if not reaction.point:
        known = [*findings.joints, *m.words.formulas]
        if reaction.of in known or reaction.of in findings.wrong:
            return Flaw()
        hint = did_you_mean(reaction.of, known) or LISTED
        return Flaw(f"no joint, relation or stop named '{reaction.of}'", hint, absent=True)
    if "t" in reaction.what[:1]:
        return Flaw("a part has a force at a point, and no torque there", "Name a joint, as in pin.torque")
    guides = {str(x.ref.name): tuple(x.ends) for x in (*m.collinears, *m.coplanars)}
    points = {**guides, **{name: rigid.points for name, rigid in findings.rigids.items()}}
    if reaction.of not in points:
        return Flaw(f"no rigid part named '{reaction.of}'", suggest(reaction.of, points, "Parts"), absent=True)
    if m.words.own_point(reaction.of, reaction.point) not in points[reaction.of]:
        remedy = suggest(reaction.point, points[reaction.of], "Its points")
        return Flaw(f"'{reaction.point}' is not a point of '{reaction.of}'", remedy, absent=True)
    return Flaw()


def list_speeds(findings: Findings, names: list[str]) -> list[str]:
    """The quantities whose rates accelerations are."""
    laws = (find_speed(name, findings.mechanism.words) for name in names)
    return sorted({s.name for law in laws if law is not None for s in free_symbols(law) if "." in s.name})
