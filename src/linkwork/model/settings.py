"""What a file asks of solver, output and picture: plain data, all optional. Ignored by the equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from linkwork.errors import Ref
from linkwork.given import as_map, as_text

FORMULATIONS = ("points", "absolute", "tree", "auto")
METHODS = {  # how to integrate, by name
    "auto": "what the model needs",
    "taylor": "Taylor series, for smooth laws",
    "rk8": "explicit Runge-Kutta of order 8",
    "baumgarte": "the same, constraints held by Baumgarte's terms instead of projections",
    "hht": "generalised-alpha, implicit, for stiff springs, dampers and states",
    "radau": "Radau IIA, implicit, for stiff machines and many digits",
    "ida": "backward differences of SUNDIALS, for stiff machines and more digits",
}
Plain: TypeAlias = "str | int | float | list[Plain] | dict[str, Plain] | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to solve and what to write; None means the default.

    The formulation is one of FORMULATIONS, the method one of METHODS.

    >>> Settings(tol=1e-12).order is None
    True
    """

    mode: str | None = None
    formulation: str | None = None
    method: str | None = None
    step: float | None = None  # s, of all steps
    alpha: float | None = None  # 1/s, of `baumgarte`: g'' + 2 alpha g' + beta**2 g = 0
    beta: float | None = None  # 1/s
    rho: float | None = None  # of `hht`: what a step leaves of infinitely fast vibrations
    tol: float | None = None
    order: int | None = None
    max_step: float | None = None  # s
    every: float | None = None  # s, between states that are kept
    fit: float | None = None  # of the size of the mechanism
    time_format: str | None = None
    value_format: str | None = None
    output_points: Mapping[str, int] | None = None
    output_angles: Mapping[str, int] | None = None
    display: Mapping[str, Plain] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("mode", "formulation", "method", "time_format", "value_format"):
            if (text := getattr(self, name)) is not None:
                as_text(text, Ref("settings"), name)
        for name in ("output_points", "output_angles", "display"):
            as_map(getattr(self, name), Ref("settings"), name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """What the viewer may use, as it was written."""

    animation: Mapping[str, Plain] = field(default_factory=dict)
    skeleton: Mapping[str, Plain] = field(default_factory=dict)
    skeletons: Mapping[str, Plain] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("animation", "skeleton", "skeletons"):
            as_map(getattr(self, name), Ref("display"), name)
