"""Machines for the motions of a model: in points or poses, with switches, without forces, compiled or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import strip_forces
from linkwork.errors import InputError, Problem
from linkwork.native import (
    BareMachine,
    PosedMachine,
    Stepper,
    SwitchedMachine,
    borrow_machine,
    make_ida,
    make_machine,
    make_posed,
    weigh,
)
from linkwork.solve import Options, Start

if TYPE_CHECKING:
    from linkwork.pipeline.model import Model


@contextmanager
def borrow(model: Model, start: Start, options: Options) -> Iterator[Stepper]:
    """A machine that is not at work; if it is said whether it is compiled, a new one."""
    compiled, whole = options.compiled, model.whole
    if options.kinematic:
        with _borrow_bare(model, start, options) as machine:
            yield machine
    elif options.method == "ida" and not whole.switches:
        yield make_ida(model.fitted, start.q, compiled=compiled)
    elif whole.switches:
        with ExitStack() as stack:
            off = whole.off if start.off is None else start.off
            yield SwitchedMachine(whole, lambda off: _make_phase(model, stack, off, start.q, options), off)
    elif compiled is None:
        system = model.fitted if model.posed is None else model.posed.system
        with borrow_machine(system, model.weights) as machine:
            yield machine if model.posed is None else PosedMachine(model.posed, machine)
    elif model.posed is None:
        yield make_machine(model.fitted, start.q, compiled=compiled)
    else:
        yield make_posed(model.posed, start.q, compiled=compiled)


@contextmanager
def _borrow_bare(model: Model, start: Start, options: Options) -> Iterator[Stepper]:
    """The same of the constraints alone, in points."""
    system, compiled = strip_forces(model.fitted), options.compiled
    if compiled is None:
        with borrow_machine(system, weigh(system, start.q)) as machine:
            yield BareMachine(machine)
    else:
        yield BareMachine(make_machine(system, start.q, compiled=compiled))


def _make_phase(model: Model, stack: ExitStack, off: frozenset[int], q: Floats, options: Options) -> Stepper:
    """A machine without some of the constraints, borrowed until the stack is closed."""
    compiled = options.compiled
    if options.method == "ida":
        return make_ida(model.whole.restricted(off), q, compiled=compiled)
    posed = None if model.posed is None else model.posed.restricted(off)
    if posed is not None:
        system, at = posed.system, posed.place(q, np.zeros_like(q))[0]
    else:
        system, at = model.whole.restricted(off), q
    if compiled is None:
        machine = stack.enter_context(borrow_machine(system, weigh(system, at)))
    else:
        machine = make_machine(system, at, compiled=compiled)
    return machine if posed is None else PosedMachine(posed, machine)


def check_driven(model: Model, start: Start) -> None:
    """A kinematic motion needs as many prescribed motions as there are freedoms, and nothing that switches."""
    from linkwork.analysis.structure.driven import check_driven as check_freedoms

    if model.whole.switches or model.whole.algebra:
        what = "stops, friction, events that act and laws of reactions need forces, which a kinematic motion has not"
        raise InputError([Problem(what=what, remedy="Leave them out, or simulate with masses")])
    check_freedoms(model.fitted, start.q, start.t, start.u)
