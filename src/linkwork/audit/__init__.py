"""The audit: is a motion what mechanics says of the description? Knows no equations of motion and no solver.

A layer below `equations`, so that it cannot use what it judges.
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
    "worst",
]
