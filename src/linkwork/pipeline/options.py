"""What a simulation is asked for: arguments as they were given in, options that are checked out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from linkwork.errors import InputError, Problem, Ref, show_value
from linkwork.given import as_number, is_word
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.settings import Settings
from linkwork.solve import Options

PLAIN = (int, float, bool, str, type(None))


def read_end(mechanism: Mechanism | Lagrangian, until: float | None) -> float:
    """When to end: as asked or, if nothing is, as the file says."""
    if until is None:
        if mechanism.start.tend is None:
            what, remedy = "how long to simulate is not said", "Give until, or tend in the file's ProblemData"
            raise InputError([Problem(what=what, remedy=remedy)])
        until = mechanism.compute(mechanism.start.tend)
    return as_number(until, Ref("until"), "Give the time of the end, in seconds")


def read_options(said: Settings, given: Mapping[str, Any], **others: Any) -> Options:
    """What is given, else what the file says, else the defaults; the file says nothing of others."""
    method = given["method"]
    method = method if method is not None else said.method or "auto"
    # said of one method alone
    own = () if is_word(method, ["baumgarte"]) else ("alpha", "beta")
    own = own if is_word(method, ["auto", "taylor"]) else (*own, "order")
    known = {name: getattr(said, name) for name in given if name not in own}
    chosen = {name: value if value is not None else known.get(name) for name, value in given.items()}
    found = {name: value for name, value in chosen.items() if value is not None}
    return _check_once(**{**found, "method": method, **others})


def _check_once(**values: Any) -> Options:
    """Options that are checked when they are first asked for; what cannot be remembered is checked each time."""
    if any(type(value) not in PLAIN for value in values.values()):
        return Options(**values)
    return _remembered(**values)


@lru_cache(maxsize=64, typed=True)
def _remembered(**values: Any) -> Options:
    return Options(**values)


def check_weights(weights: Any) -> None:
    """Weights of initial values are numbers by name."""
    remedy = "Give weights as {name: number}"
    if weights is not None and not isinstance(weights, Mapping):
        raise InputError([Problem(part="weights", what=f"{show_value(weights)} is no mapping", remedy=remedy)])
    for name, weight in (weights or {}).items():
        shown = name if isinstance(name, str) else show_value(name)
        as_number(weight, Ref(f"weight of {shown}"), remedy)


def find_interval(every: float | None, save: object, said: float | None) -> float | None:
    """How far apart the states are that are kept: infinitely if only the end is; as a file says unless asked here."""
    if save not in ("all", "end") or (save == "end" and every is not None):
        what = f"save = {show_value(save)} is not known" if every is None else "save and every contradict each other"
        raise InputError([Problem(what=what, remedy='Give save="all" or save="end", or every=')])
    return math.inf if save == "end" else said if every is None else every


def check_progress(progress: Any) -> None:
    """What is told the time reached can be called."""
    if progress is not None and not callable(progress):
        what, remedy = f"{show_value(progress)} cannot be called", "Give a function of the time reached"
        raise InputError([Problem(part="progress", what=what, remedy=remedy)])
