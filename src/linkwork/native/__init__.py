"""How numbers are made: compiled kernels and the C runtime, or the reference interpreter where there is no compiler.

runtime.c     the integrator, with its headers by subject; compiler: C text in, loaded libraries out
code          kernels compiled; structures: those of runtime.h; tables: numbers that kernels read
machine       a System ready to run; posed: the same in absolute coordinates; pool: machines that wait
around        what stands around a machine and is one itself: posed, switched, bare (without masses and forces)
motion        what goes to a machine and comes from it: request, status, chunks, events, tally
watch         events and switches of laws as tables of the runtime, which looks for them
reference     the integrator again in NumPy; followers; interpreter: programs and Taylor plans on arrays
numbers       residuals, matrices, energies at states; tangents: their derivatives; measure: any expression
sparsity, weights
              the order of elimination and the weights that make the matrix definite
radau, tableau, stiff, ida
              methods: Radau IIA, Runge-Kutta, implicit steps; SUNDIALS' IDA as a machine, ida_values: values in it
tape          programs of implicit steps that are read, not compiled, as long as a run is short
reference_rk, reference_implicit, reference_radau, reference_algebra
              those methods, and algebraic values, in the reference machine
reference_equations, reference_inside
              equations at points of its implicit steps; what these miss between their ends
algebra, opaque, loops
              tables of algebraic values and of opaque calls; the loops they make at a state
instant       a system at one state, all at once; flat: programs on floats; fusing: small systems as one kernel
rank, saddle  who decides what is redundant; the one saddle-point problem
"""

from __future__ import annotations

import importlib.util
import logging

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import Absolute, System
from linkwork.errors import CompilerError, InputError, Problem
from linkwork.native.bare import BareMachine
from linkwork.native.code import kernel_source
from linkwork.native.compiler import find_compiler
from linkwork.native.ida import IdaMachine
from linkwork.native.machine import Machine
from linkwork.native.motion import Chunk, Crossing, Request, Side, Status, Stepper, Tally
from linkwork.native.pool import borrow_machine, make_compiled
from linkwork.native.posed import PosedMachine
from linkwork.native.reference import ReferenceMachine
from linkwork.native.switched import SwitchedMachine
from linkwork.native.weights import Weights, choose_weights, find_helpers, weigh

log = logging.getLogger("linkwork")


def make_machine(system: System, q: Floats, *, compiled: bool | None = None) -> Machine | ReferenceMachine:
    """The machine that runs a system: compiled if there is a compiler (or if asked for), else interpreted."""
    if compiled is False:
        return ReferenceMachine(system)
    weights = weigh(system, q)
    if compiled:
        return Machine(system, weights.units, weights.helpers)
    try:
        return make_compiled(system, weights) or ReferenceMachine(system)
    except CompilerError as error:
        log.warning("running in Python, slower: %s", error)
        return ReferenceMachine(system)


def make_ida(system: System, q: Floats, *, compiled: bool | None = None) -> IdaMachine:
    """The machine of a system in points whose steps are made by SUNDIALS' IDA; in words what it lacks."""
    if importlib.util.find_spec("sksundae") is None:
        raise InputError([Problem(what="method 'ida' needs scikit-sundae", remedy="pip install 'linkwork[stiff]'")])
    machine = make_machine(system, q, compiled=compiled)
    if not isinstance(machine, Machine):
        remedy = "Install one, or: pip install 'linkwork[compiler]'; method 'hht' runs without"
        raise InputError([Problem(what="method 'ida' needs a C compiler", remedy=remedy)])
    return IdaMachine(machine)


def make_posed(absolute: Absolute, q: Floats, *, compiled: bool | None = None) -> PosedMachine:
    """The machine of a system in points that integrates in absolute coordinates."""
    x, _ = absolute.place(q, np.zeros_like(q))
    return PosedMachine(absolute, make_machine(absolute.system, x, compiled=compiled))


__all__ = [
    "BareMachine",
    "Chunk",
    "Crossing",
    "Machine",
    "PosedMachine",
    "ReferenceMachine",
    "Request",
    "Side",
    "Status",
    "Stepper",
    "SwitchedMachine",
    "Tally",
    "Weights",
    "borrow_machine",
    "choose_weights",
    "find_compiler",
    "find_helpers",
    "kernel_source",
    "make_ida",
    "make_machine",
    "make_posed",
    "weigh",
]
