"""Inputs: what acts on a mechanism. An input, parameter or quantity in, the change of its equations per unit out.

An input of the model changes the laws that name it. A parameter changes whatever is made of it: forces, masses,
lengths, fixed points, axes of joints. A quantity stands for a force (or a torque) that works along its rate: its
generalised force is the gradient of the quantity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.linear.measures import measure_states
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.words import Wording
from linkwork.model import Lagrangian, Mechanism
from linkwork.native.loops import compute_slopes
from linkwork.native.opaque import compute_call_changes, compute_call_slopes
from linkwork.native.tangents import Point, Tangents, compute_along_parameters, see_through_calls
from linkwork.symbolic import Expr, differentiate, free_symbols, symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How r (n,), g, g1, g2 (m,) and the values of parameters and inputs change with one unit of an input.

    rest is how the equations of algebraic values change.
    """

    name: str
    r: Floats
    g: Floats
    g1: Floats
    g2: Floats
    parameters: Mapping[str, float]
    rest: Floats

    @property
    def idle(self) -> bool:
        """Whether it changes nothing."""
        return not any(np.any(x) for x in (self.r, self.g, self.g1, self.g2, self.rest))


def change_by_effort(system: System, wording: Wording, at: Point, values: Mapping[str, float]) -> Change:
    """A force along a quantity."""
    gradient = measure_states(system, [wording], at, values).by["s_q"].toarray()[0]
    zero, rest = np.zeros(system.m), np.zeros(len(system.algebra))
    return Change(name=wording.name, r=-gradient, g=zero, g1=zero, g2=zero, parameters={}, rest=rest)


def change_by_input(system: System, name: str, tangents: Tangents, at: Point) -> Change:
    """An input of the model, which is a frozen coordinate."""
    by = [system.inputs[name]]
    r, g, g1, g2 = (x[:, by].toarray()[:, 0] for x in (tangents.r_q, tangents.g_q, tangents.g1_q, tangents.g2_q))
    rest = compute_slopes(system, at).q[:, system.inputs[name]]
    return Change(name=name, r=r, g=g, g1=g1, g2=g2, parameters={name: 1.0}, rest=rest)


def change_by_parameter(
    model: Mechanism | Lagrangian, system: System, name: str, at: Point, tangents: Tangents
) -> Change:
    """A parameter and all that is computed from it."""
    rates = _Rates(model, name)
    changes = rates.of_formulas(system)
    terms = [changes[t.columns] if len(t.columns) else np.zeros(t.parameters.shape) for t in system.terms]
    r, levels = compute_along_parameters(system, at, terms)
    fixed = changes[system.frozen_columns] if len(system.frozen_columns) else np.zeros(len(system.frozen))
    r = r + tangents.r_q[:, system.n :] @ fixed
    if system.opaque:
        called = [system.inputs[value.name] for value in system.opaque]
        own = compute_call_slopes(system, at.t, at.q, at.u)[0][:, called]
        change = compute_call_changes(system, at.t, at.q, at.u, changes)
        r = r + tangents.r_q[:, called] @ see_through_calls(own, change)
    g = levels[0] + tangents.g_q[:, system.n :] @ fixed
    g1 = levels[1] + tangents.g1_q[:, system.n :] @ fixed
    g2 = levels[2] + tangents.g2_q[:, system.n :] @ fixed
    by = compute_slopes(system, at)
    rest = by.q[:, system.n : system.first_follower] @ fixed
    rest += [float(p @ changes[value.columns]) for p, value in zip(by.p, system.algebra, strict=True)]
    return Change(name=name, r=r, g=g, g1=g1, g2=g2, parameters=rates.known, rest=rest)


class _Rates:
    """The derivatives of numbers by one parameter, through their formulas."""

    def __init__(self, model: Mechanism | Lagrangian, name: str) -> None:
        self.model = model
        self.known: dict[str, float] = {name: 1.0}
        # parameters that are formulas of others follow, whatever their order
        pending = [p for p in model.parameters if p != name]
        while pending:
            ready = [p for p in pending if not any(s.name in pending for s in free_symbols(model.parameters[p]))]
            for p in ready:
                self.known[p] = self.of_formula(model.parameters[p])
            pending = [p for p in pending if p not in ready]

    def of_formula(self, formula: Expr) -> float:
        total = 0.0
        for s in free_symbols(formula):
            rate = self.known.get(s.name, 0.0)
            if rate:
                total += rate * self.model.compute(differentiate(formula, symbol(s.name)))
        return total

    def of_formulas(self, system: System) -> Floats:
        """The derivatives of all numbers of a system.   (formulas,)"""
        return np.array([self.of_formula(formula) for formula in system.formulas.exprs], dtype=np.float64)
