"""Whether rules are true: a module and its rules in; an error that names one that does not hold along every motion out.

A rule is tried at points on the constraints. What rules say of parameters alone is believed, and the points obey it; a
rule with a parameter that nothing else names only tells what that one means.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from linkwork.modular.elimination import Point, values_at
from linkwork.modular.names import refuse
from linkwork.modular.rules import Rule, Rules
from linkwork.modular.samples import find_samples
from linkwork.symbolic import free_symbols

if TYPE_CHECKING:
    from linkwork.modular.module import Module

GAP = 1e-8  # beside the sides of a rule and one, the size of the numbers it is tried with
SHOWN = 6  # names that are told with their numbers
REMEDY = "Rules are for what is equal along every motion: mend it, or demand it as a constraint"


def check_rules(module: Module, rules: Rules) -> None:
    """An error if a rule does not hold somewhere on the constraints."""
    believed = [rule for rule in (module.all_rules + rules).rules if not _is_of_motion(rule)]
    known = {*module.parameters, *(name for rule in believed for name in _named(rule))}
    tried = [rule for rule in rules.rules if _is_of_motion(rule) and _named(rule, "parameter") <= known]
    if not tried:
        return
    told = [rule.old - rule.new for rule in believed]
    for point in find_samples(module, module.judged_at, told=told):
        at = _with_accelerations(module, tried, point)
        for rule in tried:
            (old,), (new,) = values_at([rule.old, rule.new], [at])
            if isfinite(old) and isfinite(new) and abs(old - new) > GAP * (1 + abs(old) + abs(new)):
                numbers = ", ".join(f"{name} = {at[name]:.3g}" for name in sorted(_named(rule))[:SHOWN])
                what = f"rule {rule} is wrong: {old:.6g} is not {new:.6g} where all constraints hold, {numbers}"
                raise refuse(f"system '{module.label}'", what, REMEDY)


def _named(rule: Rule, kind: str = "") -> set[str]:
    return {s.name for s in free_symbols(rule.old, rule.new) if not kind or s.kind == kind}


def _is_of_motion(rule: Rule) -> bool:
    """Whether it says something of variables, not of parameters alone."""
    return _named(rule) != _named(rule, "parameter")


def _with_accelerations(module: Module, rules: Sequence[Rule], point: Point) -> Point:
    """A point, with the accelerations of the motion there if rules name some."""
    if not any(_named(rule, "acceleration") for rule in rules):
        return point
    moving = [s.name for s in (*module.coordinates, *module.speeds)]
    at = {name: point[name] for name in (*moving, *module.parameters, *module.inputs, "t")}
    return ChainMap(module.compute_accelerations(at), point)  # type: ignore[arg-type]
