"""The choice of a method: what is asked and what the equations need in, a method and the reason for it out."""

from __future__ import annotations

import math
from dataclasses import replace

from linkwork.equations import System
from linkwork.errors import InputError, Problem
from linkwork.native import Request, Status, Stepper
from linkwork.native.radau import find_degree
from linkwork.results import Method
from linkwork.solve.options import Options
from linkwork.solve.start.consistent import Start

AUTO = "auto"
KINEMATIC = "kinematic, by constraints and prescribed motions alone"
DAMPING = (
    0.3  # alpha and beta in steps: far from the limit of stability, and errors of constraints decay in a few steps
)
PART = 0.5  # errors of tol in the time in which a motion changes as a whole, like those of series
SHORTEST = 1e-300  # seconds that are no time at all
LEAST = 5e-13  # error of a step: rounding leaves no less, so that the motion is as right as for 1e-8
TRIAL = 100  # steps by which their length is judged
ORDERS = {"rk8": 8, "baumgarte": 8, "hht": 5, "ida": 5}  # of polynomials, of other methods than Taylor's


def choose_method(system: System, options: Options) -> Method:
    """The method that is asked for or, if that is left to us, the one that suits the equations."""
    numbers = {} if options.step is None else {"step": float(options.step)}
    if system.opaque and options.kinematic:
        what = f"the laws call '{system.opaque[0].function.name}', which kinematic motions do not know"
        raise InputError([Problem(part="kinematic", what=what, remedy="Leave it out")])
    if system.opaque and options.method == "taylor":
        called = system.opaque[0].function.name
        what = f"the laws call '{called}', which cannot be traced: {options.method} needs its slopes"
        raise InputError([Problem(part="method", what=what, remedy="Use rk8, or register it without opaque=True")])
    if system.opaque and options.method == AUTO:
        return Method("rk8", f"the laws call '{system.opaque[0].function.name}', which cannot be traced", numbers)
    if options.method != AUTO:
        why = f"as asked{', ' + KINEMATIC if options.kinematic else ''}"
        return Method(options.method, why, find_numbers(options.method, options) | numbers)
    return Method("taylor", KINEMATIC if options.kinematic else "the laws are smooth", numbers)


def find_order(method: str, options: Options) -> int:
    """The order of the polynomials that a method makes of its steps."""
    if method == "radau":
        return find_degree(options.stages)
    return ORDERS.get(method) or options.chosen_order


def find_part(tol: float) -> float:
    """The part of the tolerance that one step of order 2 may be wrong by, where errors of all of them add up.

    An error of h³ in each of 1/h steps makes one of h² in the motion: for that to go with tol, h³ has to go with its
    power 3/2.
    """
    return min(1.0, max(PART * math.sqrt(tol), LEAST / tol))


def find_numbers(method: str, options: Options) -> dict[str, float]:
    """The numbers of a method that a motion tells."""
    if method == "radau":
        return {"order": 2.0 * options.stages - 1.0}
    return {"rho": float(options.rho)} if method == "hht" else {}


def add_damping(
    method: Method, machine: Stepper, request: Request, start: Start, options: Options
) -> tuple[Method, Request]:
    """Baumgarte's alpha and beta: those given or, if there are none, ones that suit the steps the motion needs.

    A number per second means nothing without the time scale of the mechanism, so the length of the steps sets it.
    """
    given = [x for x in (options.alpha, options.beta) if x is not None]
    why = method.why if given else f"{method.why}, alpha and beta by the steps"
    common = float(given[0]) if given else DAMPING / (options.step or _find_step(machine, request, start))
    alpha, beta = (common if x is None else float(x) for x in (options.alpha, options.beta))
    numbers = {"alpha": alpha, "beta": beta, **method.numbers}
    return Method(method.name, why, numbers), replace(request, alpha=alpha, beta=beta)


def _find_step(machine: Stepper, request: Request, start: Start) -> float:
    """The mean length of the first steps of a run that is projected; a hundredth of the run if there are none.

    It is infinite where no time passes, as at the begin of a stepper: nothing drifts.
    """
    if not request.t_end - start.t > SHORTEST:
        return math.inf
    trial = replace(request, method="rk8", watch=False)
    if machine.begin(trial, start.t, start.q, start.u) is Status.FINISHED:
        _, chunk = machine.advance(math.inf, TRIAL)
        if len(chunk.h):
            return float(chunk.h.mean())
    return (request.t_end - start.t) / TRIAL
