"""The audit: is a motion what mechanics says of the description? Knows no equations of motion and no solver.

A layer below `equations`, so that it cannot use what it judges.

mechanism     the audit of a mechanism; lagrangian: of a Lagrangian; findings: what was found, in numbers and in words
readings      what a motion says; layout: velocities by which everything moves; bodies: rigid parts as frames and twists
loads, laws   inertia, weight and forces by Newton and Euler; laws as numbers; energy: energies of all parts
ties          pins, lines, joints, drivers; relations: laws that stay zero; rolling, contacts: what touches;
              rubbing: what only pushes, and friction
glance        a quick look at a conservative mechanism of the plane
"""

from linkwork.audit.findings import Audit, Finding, worst
from linkwork.audit.lagrangian import (
    SPREAD,
    STENCIL,
    Course,
    Formulas,
    audit_held,
    audit_lagrangian,
    find_rough_formula,
    weigh_course,
)
from linkwork.audit.mechanism import (
    Subject,
    audit_mechanism,
    audit_reactions,
    audit_shape,
    audit_values,
    drive_rates,
    find_rough_law,
    weigh_energy,
    weigh_power,
)
from linkwork.audit.readings import PLACES, ROUNDING, Readings, Weight

__all__ = [
    "PLACES",
    "ROUNDING",
    "SPREAD",
    "STENCIL",
    "Audit",
    "Course",
    "Finding",
    "Formulas",
    "Readings",
    "Subject",
    "Weight",
    "audit_held",
    "audit_lagrangian",
    "audit_mechanism",
    "audit_reactions",
    "audit_shape",
    "audit_values",
    "drive_rates",
    "find_rough_formula",
    "find_rough_law",
    "weigh_course",
    "weigh_energy",
    "weigh_power",
    "worst",
]
