"""Overhead around the solver: processor time of whole calls beside the solver's own time.

Everything is compiled and cached; the shortest of several calls counts, with one BLAS thread.

python benchmarks/around.py
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import linkwork as lw
from common import EXAMPLES, number, table

SECONDS, LEAST = 1.0, 3  # spent on a row, at least; repetitions
MEMBERS, STEP = 50, 1e-3
FREEDOMS = 33

LEG = """
Title: Leg with a rigid contact
PhysicalParams: {a: 0.15, b: 0.25, w: 0.06, m: 2, ml: 0.1, mu: 0.8}
Bodies:
  hull: {mass: m, inertia: 0.01, frames: {left: [-w/2], right: [w/2], o: []}}
  world: {frames: {rail: {at: [0, 0], angle: pi/2}}}
PartData:
  Rigids:
    LK: {points: [hull.left, K], Geom: [[a]], Dyna: [[a/2], ml]}
    RN: {points: [hull.right, N], Geom: [[a]], Dyna: [[a/2], ml]}
    KF: {points: [K, F], Geom: [[b]], Dyna: [[b/2], ml]}
    NF: {points: [N, F], Geom: [[b]], Dyna: [[b/2], ml]}
Connections:
  Joints: {slide: {kind: translational, frames: [world.rail, hull.o]}}
  Contacts: {ground: {point: F, restitution: 0, friction: mu}}
Inputs: {tl: 0, tr: 0}
AppliedForces: {Gravity: [0, -9.81], Torques: {LK: tl, RN: tr}}
ProblemData: {tend: 1, positions: {hull.o: [0, 0.45], K: [-0.13, 0.37], N: [0.13, 0.37], F: [0, 0.16]}}
"""


def write_vehicle(formulation: str, count: int = FREEDOMS - 1) -> str:
    """A body that rolls on a rail and carries a tree of arms in space, two on each."""
    rail, frame = "{at: [0, 0, 0], z: [1, 0, 0], x: [0, 1, 0]}", "{at: [%s, 0, 0], z: [0, 1, 0], x: [1, 0, 0]}"
    frames = f"{{rail: {rail}, a: {frame % 0}, l: {frame % 0.5}, r: {frame % 0.3}}}"
    lines = ["Title: Carried arms", "Dimension: 3", f"Formulation: {formulation}", "Bodies:"]
    lines += [f"  world: {{frames: {{rail: {rail}}}}}"]
    for i in range(count + 1):
        lines += [f"  b{i}: {{mass: {1 + i % 3}, centre: [0.25, 0, 0], inertia: [0.1, 0.2, 0.25], frames: {frames}}}"]
    lines += ["Connections:", "  Joints:", "    rail: {kind: prismatic, frames: [world.rail, b0.rail]}"]
    for i in range(1, count + 1):
        lines += [f"    j{i}: {{kind: revolute, frames: [b{(i - 1) // 2}.{'lr'[i % 2]}, b{i}.a]}}"]
    starts = ", ".join(f"j{i}: {0.1 * (i % 5) + 0.2}" for i in range(1, count + 1))
    return "\n".join(
        [*lines, "AppliedForces: {Gravity: [0, 0, -9.81]}", f"ProblemData: {{tend: 0.2, positions: {{{starts}}}}}"]
    )


def shortest(work: Callable[[], object]) -> float:
    """Shortest processor time of a call [ms]."""
    times: list[float] = []
    end = time.process_time() + SECONDS
    while len(times) < LEAST or time.process_time() < end:
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1e3 * min(times)


def load(name: str) -> lw.Model:
    return lw.load(EXAMPLES / f"{name}.yaml")


def solver_time(run: Callable[[], lw.Trajectory]) -> float:
    """Shortest time in the solver [ms]."""
    return 1e3 * min(run().stats.seconds for _ in range(10))


def measure_runs() -> list[list[str]]:
    """Whole calls of `simulate`, members of `bind`, first motions."""
    cart, stewart, thruster = load("cart-pole"), load("stewart-bodies"), load("thruster")
    rows = []
    for name, run, goal in (
        ("a run of a cart-pole for 2 s", lambda: cart.simulate(2.0), 0.3),
        ("a run of a Stewart platform", stewart.simulate, 10),
        ("a run of a thruster, 152 events", thruster.simulate, 5),
    ):
        rows.append([name, shortest(run), solver_time(run), goal])
    members = cart.bind({"m": np.linspace(0.1, 0.2, MEMBERS)})
    rows.append(
        ["a member of `bind`, cart-pole", shortest(lambda: list(members.simulate(2.0))) / MEMBERS, rows[0][2], 0.3]
    )
    whole = {}
    for formulation in ("absolute", "tree"):
        text = write_vehicle(formulation)
        lw.loads(text).simulate()
        whole[formulation] = shortest(lambda text=text: lw.loads(text).simulate())
    solver = solver_time(lw.loads(write_vehicle("tree")).simulate)
    rows.append(
        [f"file to motion, {FREEDOMS} bodies, tree (absolute: {whole['absolute']:.0f})", whole["tree"], solver,
         1.5 * whole["absolute"]]
    )  # fmt: skip
    return rows


def measure_looks() -> list[list[str]]:
    """Pages, audits and linear models of finished motions."""
    rows = []
    for name, goal in (("stewart-bodies", 100), ("governor", 100)):
        motion = load(name).simulate()
        solver = 1e3 * motion.stats.seconds
        with tempfile.TemporaryDirectory() as folder:
            show = partial(motion.show, Path(folder) / "page.html", browser=False)
            rows.append([f"page of {name}", shortest(show), solver, goal])
        again = load(name)
        motions = [again.simulate() for _ in range(LEAST)]
        times = []
        for each in motions:
            begin = time.process_time()
            each.audit()
            times.append(1e3 * (time.process_time() - begin))
        rows.append([f"audit of {name}", min(times), solver, 30])
    cart = load("cart-pole")
    run = cart.simulate(1.0)
    rows.append(["`linearize` at a state of a cart-pole", shortest(lambda: cart.linearize(run.final)), 0.0, 5])
    return rows


def measure_steps() -> list[list[str]]:
    """Steps of steppers, and going back to a state."""
    rows = []
    leg = lw.loads(LEG).stepper()
    leg.step(STEP)
    rows.append(["a step of 1 ms with a rigid contact", shortest(lambda: leg.step(STEP)), 0.0, 0.05])
    cart = load("cart-pole").stepper()
    cart.step(STEP)
    state = cart.state

    def back() -> None:
        cart.state = state
        cart.step(STEP)

    rows.append(["a stepper set back, and a step", shortest(back), 0.0, 0.2])
    return rows


def section() -> str:
    """The chapter of RESULTS.md."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [*measure_runs(), *measure_looks(), *measure_steps()]
    shown = [
        [
            name,
            number(whole),
            number(solver) if solver else "–",
            number(whole / solver) if solver else "–",
            number(goal),
        ]
        for name, whole, solver, goal in rows
    ]
    return "\n\n".join(
        [
            "## Around the solver",
            "Processor time of whole calls with everything compiled and cached, the least of several, milliseconds; "
            "the solver's own time, and how many times as long the call takes.",
            table(["call", "whole", "solver", "times", "goal"], shown),
        ]
    )


if __name__ == "__main__":
    print(section())
