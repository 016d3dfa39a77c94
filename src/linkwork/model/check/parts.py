"""What can be wrong with springs and particles."""

from __future__ import annotations

from linkwork.model.check.findings import Findings
from linkwork.model.parts import Particle, Spring


def check_spring(findings: Findings, spring: Spring) -> None:
    part = spring.ref
    findings.at_least_zero(spring.stiffness, part, "stiffness")
    findings.at_least_zero(spring.rest_length, part, "rest length")
    findings.at_least_zero(spring.mass, part, "mass")
    if len(spring.points) != 2 or spring.points[0] == spring.points[1]:
        findings.report(part, "a spring joins two different points", "Name it by its ends, as in 'AB'")


def check_particle(findings: Findings, particle: Particle) -> None:
    findings.at_least_zero(particle.mass, particle.ref, "mass")
