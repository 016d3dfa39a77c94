"""Stiff machines: time against error of implicit methods, on half a car, a governor and a hydraulic boom.

The same equations for all: linkwork from its examples, SciPy from a right-hand side in minimal coordinates written out
by hand, Exudyn from bodies, joints and connectors, with functions in Python for what it has no element for. The error
is the largest of some quantities at the end, each of which is about one in the units given.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw
from common import EXAMPLES, HERE, UnavailableError, best_run, find_python, number, read_lines, run_quietly, table
from linkwork.solve import run

REPEATS, ENOUGH = 40, 0.2  # times, or seconds
LEVELS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
LADDER = tuple(10.0 ** (-k / 2) for k in range(4, 23))  # tolerances, for all the same
LONG = 0.5  # seconds: what takes longer is not asked for more digits
OURS = ("hht", "radau", "ida")
METHODS = (*OURS, "taylor", "Radau", "BDF")
Point = tuple[float, float]  # seconds, error
Numbers = dict[str, float]
Rates = Callable[[float, np.ndarray], list[float]]


@dataclass(frozen=True, kw_only=True)
class Stiff:
    """A stiff machine: as an example with other values, and as equations by hand.

    seen    quantities of the motion that are compared, with their units
    rates   of the equations by hand; start: their y; read: what is seen of it
    """

    title: str
    example: str
    until: float
    seen: dict[str, float]
    rates: Callable[[Numbers], Rates]
    start: Callable[[Numbers], list[float]]
    read: Callable[[Numbers, np.ndarray], list[float]]
    values: dict[str, float]

    def model(self) -> lw.Model:
        return lw.load(EXAMPLES / f"{self.example}.yaml").with_parameters(**self.values)

    def look(self, motion: lw.Trajectory) -> np.ndarray:
        return np.array([float(motion.final[name]) / unit for name, unit in self.seen.items()])


def measure_linkwork(stiff: Stiff, model: lw.Model, exact: np.ndarray, method: str, tol: float) -> Point:
    """The best time of the processor inside the solver, and the error."""
    with patch.object(run.time, "perf_counter", time.thread_time):
        motion, seconds = best_run(lambda: model.simulate(stiff.until, method=method, tol=tol), REPEATS, ENOUGH)
    return seconds, float(np.max(np.abs(stiff.look(motion) - exact)))


def measure_scipy(stiff: Stiff, model: lw.Model, exact: np.ndarray, method: str, tol: float) -> Point:
    p = dict(model.mechanism.values)
    rates, start, best = stiff.rates(p), np.array(stiff.start(p), dtype=float), math.inf
    # states have sizes of their own
    atol = tol * np.maximum(1.0, np.abs(start))
    spent = 0.0
    while spent < ENOUGH:
        begin = time.process_time()
        found = solve_ivp(rates, (0.0, stiff.until), start, method=method, rtol=tol, atol=atol)
        best, spent = min(best, time.process_time() - begin), spent + time.process_time() - begin
    seen = np.array(stiff.read(p, found.y[:, -1])) / np.array(list(stiff.seen.values()))
    return best, float(np.max(np.abs(seen - exact)))


# -- the machines -----------------------------------------------------------------------------------------------------


def drive_car(p: Numbers) -> Rates:
    """ẏ of y = (x, y, angle of car, front and rear arm; their rates), as plain numbers."""
    kb, cb, ks, cs, kt, ct, y0 = (p[name] for name in ("kb", "cb", "ks", "cs", "kt", "ct", "y0"))
    masses, inertias = (700.0, 20.0, 20.0), (1100.0, 0.5, 0.5)
    g, rest = 9.80665, 0.7

    def rates(t: float, y: np.ndarray) -> list[float]:
        q, u = y[:9].tolist(), y[9:].tolist()
        F = [0.0] * 9
        sines = [(math.cos(q[i]), math.sin(q[i])) for i in (2, 5, 8)]

        def point(b: int, x: float, z: float) -> tuple[float, ...]:
            c, s = sines[b]
            dx, dy, w = c * x - s * z, s * x + c * z, u[3 * b + 2]
            return q[3 * b] + dx, q[3 * b + 1] + dy, u[3 * b] - w * dy, u[3 * b + 1] + w * dx, dx, dy

        def push(b: int, at: tuple[float, ...], fx: float, fy: float) -> None:
            F[3 * b] += fx
            F[3 * b + 1] += fy
            F[3 * b + 2] += at[4] * fy - at[5] * fx

        for b, side in ((1, 1.0), (2, -1.5)):
            # an arm has its mass centre 0.35 from its eye, and its hub 0.05 beyond
            eye, hub = point(b, -0.35, 0.0), point(b, 0.05, 0.0)
            seat, top = point(0, side, -0.2), point(0, side + 0.4, 0.4)
            fx, fy = (kb * (eye[i] - seat[i]) + cb * (eye[i + 2] - seat[i + 2]) for i in (0, 1))
            push(b, eye, -fx, -fy)
            push(0, seat, fx, fy)
            dx, dy = hub[0] - top[0], hub[1] - top[1]
            length = math.hypot(dx, dy)
            rate = (dx * (hub[2] - top[2]) + dy * (hub[3] - top[3])) / length
            pull = (ks * (length - rest) + cs * rate) / length
            push(0, top, pull * dx, pull * dy)
            push(b, hub, -pull * dx, -pull * dy)
            push(b, hub, 0.0, -kt * (hub[1] - y0) - ct * hub[3])
        for b in range(3):
            F[3 * b] /= masses[b]
            F[3 * b + 1] = F[3 * b + 1] / masses[b] - g
            F[3 * b + 2] /= inertias[b]
        return u + F

    return rates


def read_heights(p: Numbers, q: np.ndarray) -> list[float]:
    hubs = [q[1], q[4] + 0.05 * math.sin(q[5]), q[7] + 0.05 * math.sin(q[8])]
    return [*hubs, q[4] - 0.35 * math.sin(q[5]), q[7] - 0.35 * math.sin(q[8])]


def turn_governor(p: Numbers) -> Rates:
    """ẏ of y = (turn of the spindle, angles of the arms below the horizon, height of the sleeve; their rates)."""
    k, c, l0, a, top, throttle, load = (p[n] for n in ("k", "c", "l0", "arm", "top", "throttle", "load"))
    g, ball, m = 9.80665, 0.1, 1.0  # moment of inertia and mass of an arm

    def rates(t: float, y: np.ndarray) -> list[float]:
        _, one, two, z, w, v1, v2, vz = y.tolist()
        inertia, drag, lift = 50.0 + 0.15, 0.0, 0.0
        turns = []
        for angle, v in ((one, v1), (two, v2)):
            cos, sin, half = math.cos(angle), math.sin(angle), a / 2
            x, h = half * cos, top - half * sin - z
            length = math.hypot(x, h)
            # how the length of the spring depends on the angle and on the height
            by_angle, by_height = (-x * half * sin - h * half * cos) / length, -h / length
            force = k * (length - l0) + c * (by_angle * v + by_height * vz)
            moment = m * g * a * cos - m * a * a * cos * sin * w * w - force * by_angle
            turns.append(moment / (m * a * a + ball))
            inertia += ball + m * a * a * cos * cos
            drag += 2.0 * m * a * a * cos * sin * v * w
            lift -= force * by_height
        torque = throttle * (0.05 - z) - load * math.sin(2.0 * t)
        return [w, v1, v2, vz, (torque + drag) / inertia, *turns, lift - g]

    return rates


def lift_boom(p: Numbers) -> Rates:
    """ẏ of y = (angle, its rate; pressures s1, s2, p1, p2)."""
    l, m, pay, a, b, beta, pipe = (p[n] for n in ("l", "m", "pay", "a", "b", "beta", "pipe"))
    A1, A2, V1, V2, orifice, valve, leak = (p[n] for n in ("A1", "A2", "V1", "V2", "orifice", "valve", "leak"))
    g, inertia = 9.80665, m * l * l / 3.0 + pay * l * l

    def rates(t: float, y: np.ndarray) -> list[float]:
        angle, w, s1, s2, p1, p2 = y.tolist()
        x, z = l / 3 * math.cos(angle) - a, l / 3 * math.sin(angle) + b
        length = math.hypot(x, z)
        slope = l / 3 * (-x * math.sin(angle) + z * math.cos(angle)) / length
        rate, travel = slope * w, length - b
        pull = -(A1 * p1 - A2 * p2) + 200.0 * rate
        turn = (-pull * slope - (m / 2 + pay) * l * g * math.cos(angle)) / inertia
        opening = p["opening"] * (1.0 - math.cos(p["w"] * t)) / 2
        q1, q2 = valve * opening * (p["pump"] - s1), valve * opening * (s2 - p["tank"])
        out1, out2, through = orifice * (s1 - p1), orifice * (s2 - p2), leak * (p1 - p2)
        return [
            w, turn, beta / pipe * (q1 - out1), beta / pipe * (-q2 - out2),
            beta / (V1 + A1 * travel) * (out1 - through - A1 * rate),
            beta / (V2 - A2 * travel) * (out2 + through + A2 * rate),
        ]  # fmt: skip

    return rates


MACHINES = (
    Stiff(
        title="half a car on bushings", example="bushings", until=0.5, values={"bump": 0.0},
        seen={f"{point}.y": 1.0 for point in ("car.c", "front.hub", "rear.hub", "front.eye", "rear.eye")},
        rates=drive_car, read=read_heights,
        start=lambda p: [0, 0.5, 0, 1.35, 0.3, 0, -1.15, 0.3, 0, p["v"], 0, 0, p["v"], 0, 0, p["v"], 0, 0],
    ),
    Stiff(
        title="a governor with stiff spring-dampers", example="governor", until=1.0, values={},
        seen={"bearing.omega": 10.0, "guide.travel": 0.1}, rates=turn_governor,
        start=lambda p: [0, math.pi / 4, math.pi / 4, 0.05, 11.0174, 0, 0, 0], read=lambda p, y: [y[4], y[3]],
    ),
    Stiff(
        title="a boom on a hydraulic cylinder", example="hydraulic-boom", until=2.0, values={},
        seen={"E.y": 1.0, "p1": 1e7}, rates=lift_boom, start=lambda p: [0, 0, 4.6e6, 2e6, 4.6e6, 2e6],
        read=lambda p, y: [p["l"] * math.sin(y[0]), y[4]],
    ),
)  # fmt: skip


# -- all of them ------------------------------------------------------------------------------------------------------


def measure_exudyn(stiff: Stiff, model: lw.Model, exact: np.ndarray) -> list[Point]:
    values = json.dumps({name: float(value) for name, value in model.mechanism.values.items()})
    words = [find_python("exudyn"), HERE / "peers" / "stiff_exudyn.py", stiff.example, stiff.until, values]
    units = np.array(list(stiff.seen.values()))
    lines = read_lines(run_quietly(words))
    return [(line["seconds"], float(np.max(np.abs(np.array(line["seen"]) / units - exact)))) for line in lines]


def find_seconds(points: list[Point], level: float) -> float | None:
    """The shortest time of a setting that is as good as that."""
    return min((seconds for seconds, error in points if error <= level), default=None)


def chapter(stiff: Stiff) -> str:
    """The table of one machine."""
    model = stiff.model()
    exact = stiff.look(model.simulate(stiff.until, tol=1e-14, method="taylor"))
    found: dict[str, list[Point]] = {}
    for name in METHODS:
        measure = measure_scipy if name in ("Radau", "BDF") else measure_linkwork
        found[name] = []
        for tol in LADDER:
            found[name].append(measure(stiff, model, exact, name, tol))
            if found[name][-1][0] > LONG:
                break
    note = ""
    try:
        found["Exudyn generalised-alpha"] = measure_exudyn(stiff, model, exact)
    except UnavailableError as failure:
        note = f"\n\nExudyn was not measured: {failure}"
    rows = [[name, *(show(found, points, level) for level in LEVELS)] for name, points in found.items()]
    units = ", ".join(f"{name} in {unit:g}" for name, unit in stiff.seen.items() if unit != 1.0)
    words = f"Of {', '.join(stiff.seen)} at t = {stiff.until:g}{f' ({units})' if units else ''}."
    return f"**{stiff.title}.** {words}\n\n{table(['method', *map('{:g}'.format, LEVELS)], rows)}{note}"


def section() -> str:
    """The chapter of RESULTS.md."""
    words = (
        "Milliseconds of the processor to be as good as an error, and × beside the best of hht, radau and ida. SciPy "
        "has equations in as many coordinates as there are freedoms, derived by hand (4 for the governor, which here "
        "has 46 and 42 constraints, or 22 and 18 in poses, in which it is integrated); Exudyn bodies, joints and "
        "connectors, and for the torque of the governor and the pressures of the boom functions in Python."
    )
    return "\n\n".join([f"## Stiff machines\n\n{words}", *map(chapter, MACHINES)])


def show(found: dict[str, list[Point]], points: list[Point], level: float) -> str:
    """The time of a method at a level of errors, and how many times ours it is."""
    seconds, ours = find_seconds(points, level), [find_seconds(found[method], level) for method in OURS]
    best = min((s for s in ours if s is not None), default=None)
    ratio = f" (×{number(seconds / best, 2)})" if seconds is not None and best is not None else ""
    return number(None if seconds is None else 1e3 * seconds) + ratio


if __name__ == "__main__":
    print(section())
