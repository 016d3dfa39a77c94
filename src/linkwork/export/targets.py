"""The languages that a model can be exported to, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from linkwork.errors import InputError, Problem, did_you_mean, show_value
from linkwork.export.c import write_c
from linkwork.export.exported import Exported
from linkwork.export.fmu import write_fmu, write_fmu3
from linkwork.export.fortran import write_fortran
from linkwork.export.others import write_julia, write_matlab, write_rust
from linkwork.export.python import write_python

Texts = Mapping[str, str | bytes]  # by file name

TARGETS: Mapping[str, Callable[[Exported, str], Texts]] = {
    "c": write_c,
    "fortran": write_fortran,
    "python": write_python,
    "julia": write_julia,
    "matlab": write_matlab,
    "rust": write_rust,
    "fmu": write_fmu,
    "fmu3": write_fmu3,
}
UNITS = ("fmu", "fmu3")


def check_target_name(target: object) -> str:
    """The name of a target, or words."""
    if isinstance(target, str) and target.lower() in TARGETS:
        return target.lower()
    known = f"Targets are {', '.join(TARGETS)}"
    hint = did_you_mean(target, TARGETS) if isinstance(target, str) else ""
    raise InputError([Problem(what=f"no target named {show_value(target)}", remedy=hint or known)])


def write_texts(exported: Exported, target: str, equations: str = "") -> Texts:
    """All files of an export; `equations` are those for reading."""
    name = check_target_name(target)
    return TARGETS[name](exported, equations)
