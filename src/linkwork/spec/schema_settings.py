"""The format of what a run begins with and how it is made: ProblemData and SolverParams."""

from __future__ import annotations

from linkwork.model.check.mechanism import FITS, ORDERS, TOLERANCES
from linkwork.model.settings import METHODS
from linkwork.spec.schema_words import (
    Schema,
    anything,
    either,
    list_of,
    named,
    number,
    of,
    optional_word,
    ref,
    says,
    section,
)


def start_keys() -> dict[str, Schema]:
    """What ProblemData has."""
    return {
        "t0": of("value", "The time at the start [s]; 0 if left out."),
        "tend": of("value", "The time at the end [s]; may equal `t0` to compute the start only."),
        "positions": named(
            "position of",
            "Where points [m] and turn angles [rad] start: `{A: [[0, fixed], a], OA: 0.3}`. "
            "What is not fixed is a guess; what is not mentioned is found.",
            ref("initial"),
        ),
        "velocities": named(
            "velocity of",
            "Velocities of points [m/s] and rates of turn angles [rad/s]: `{A: [[-3, fixed]], OA: 2}`. "
            "What is not fixed is a guess; what is not mentioned is zero.",
            ref("initial"),
        ),
        "states": named(
            "start of",
            "Values with which states start, those of controllers among them: `{servo_I: 0.2}`.",
            of("value", "The value at the start."),
        ),
    }


def solver_keys() -> dict[str, Schema]:
    """What SolverParams has."""
    integration = {
        "tol": number(
            "Accuracy, relative to the mechanism's size and speed: `1e-9`; from 1e-16 to 0.01. "
            "Motions are off by [some of it](solvers.md).",
            minimum=TOLERANCES[0],
            maximum=TOLERANCES[1],
        ),
        "order": number(
            "Order of the Taylor series: `17`; from 4 to 60; of `radau` 5, 9, 13; chosen by the tolerance if left out.",
            minimum=ORDERS[0],
            maximum=ORDERS[1],
        ),
        "max_step": number(
            "Longest step [s]: `0.01`, for laws with short pulses in time; no limit if left out.", exclusiveMinimum=0
        ),
        "every": number(
            "Time [s] between states that are kept of a long run: `0.1`; all steps if left out.", exclusiveMinimum=0
        ),
        "method": optional_word("How to integrate.", METHODS)
        | says(choice="no method is called $value. Use " + ", ".join(METHODS)),
        "step": number(
            "Length of all steps [s], whatever their errors: `0.001`; chosen by the tolerance if left out.",
            exclusiveMinimum=0,
        ),
        "alpha": number(
            "Of `baumgarte`, [1/s]: constraints obey g'' + 2 alpha g' + beta² g = 0; beta if left out.", minimum=0
        ),
        "beta": number("The same; alpha if left out, and both by the length of the steps if both are.", minimum=0),
        "rho": number(
            "What a step of `hht` leaves of vibrations that are much faster than it: `0.8` if left out; from 0, all "
            "numerical damping, to 1, none.",
            minimum=0,
            maximum=1,
        ),
        "fit": number(
            "By how much redundant constraints may contradict each other, relative to the mechanism's size, for their "
            "numbers to count as rounded and be made to agree: `1e-5` if left out; from 0 to 0.001.",
            minimum=FITS[0],
            maximum=FITS[1],
        ),
    }
    output = {
        "tformat": of("text", "How times are written: `'% .17e'`."),
        "qformat": of("text", "How all other numbers are written: `'% .17e'`."),
        "points": _columns("Which points are written: `[A: 2]`; 1 place, 2 with velocity, 3 with acceleration."),
        "angles": _columns("Which turn angles are written: `[OA: 1]`; 1 angle, 2 with rate, 3 with acceleration."),
    }
    return {
        "Mode": of("text", "`solve`; anything else is ignored with a warning."),
        "Integration": section("How to integrate: `{tol: 1e-12, order: 20, max_step: 0.01}`.", integration),
        "OutFile": section("What `linkwork run` writes into a CSV file, and how.", output),
        "Display": anything("For other programs; ignored here with a warning."),
    }


def _columns(description: str) -> Schema:
    count = {"enum": [1, 2, 3]} | says(choice="expected 1, 2 or 3 for '$name', not $value")
    by_name = named("", "How much is written, by name.", count)
    return either(description, by_name, list_of(by_name))
