"""What can be wrong with sampled controllers: their times, their steps, and what they set."""

from __future__ import annotations

from linkwork.model.check.findings import Findings, suggest
from linkwork.model.sampled import Sampled


def check_sampled(findings: Findings, sampled: Sampled) -> None:
    part = sampled.ref
    period = findings.number(sampled.period, part, "period")
    findings.bounds += [(x, "<=") for x in (sampled.period, *sampled.quantum.values())]
    if period is not None and not period > 0:
        findings.report(part, f"the period is {period:g}", "Give a positive time", detail="period")
    findings.number(sampled.offset, part, "offset")
    known = (*sampled.read_names, *sampled.targets)
    for name, step in sampled.quantum.items():
        value = findings.number(step, part, f"quantum of {name}")
        if value is not None and not value > 0:
            findings.report(part, f"the quantum of {name} is {value:g}", "Give a positive step", detail="quantum")
        if name not in known:
            what = f"quantum: it neither reads nor sets '{name}' by name"
            findings.report(part, what, suggest(name, known, "Names"), detail="quantum")
    others = [other for other in findings.mechanism.controllers if other is not sampled]
    for name in sorted({*sampled.held} & {name for other in others for name in other.held}):
        findings.report(part, f"another controller has '{name}', too", "Let one of them set it")
