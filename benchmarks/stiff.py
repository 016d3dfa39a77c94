"""Stiff machines: time against error of implicit methods, on half a car whose arms are held by rubber bushings.

The same equations of nine freedoms for all: linkwork from its example without the bump, SciPy from a right-hand side
written out by hand, Exudyn from bodies and connectors. The error is the largest of five heights at the end.
"""

from __future__ import annotations

import math
import time

import numpy as np
from scipy.integrate import solve_ivp

import linkwork as lw
from common import EXAMPLES, HERE, UnavailableError, find_python, number, read_lines, run_quietly, table

T_END = 0.5
SEEN = ("car.c", "front.hub", "rear.hub", "front.eye", "rear.eye")
REPEATS = 7
LEVELS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
LADDER = tuple(10.0 ** (-k / 2) for k in range(4, 23))  # tolerances, for all the same
METHODS = ("hht", "ida", "taylor", "Radau", "BDF")
Point = tuple[float, float]  # seconds, error


def make_model() -> lw.Model:
    return lw.load(EXAMPLES / "bushings.yaml").with_parameters(bump=0.0)


def measure_linkwork(model: lw.Model, exact: np.ndarray, method: str, tol: float) -> Point:
    """The best time inside the solver, and the error."""
    motions = [model.simulate(T_END, method=method, tol=tol) for _ in range(REPEATS)]
    heights = np.array([motions[0].final[point][1] for point in SEEN])
    return min(motion.stats.seconds for motion in motions), float(np.max(np.abs(heights - exact)))


# -- SciPy ----------------------------------------------------------------------------------------------------


def make_rates(p: dict[str, float]):
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


def measure_scipy(p: dict[str, float], exact: np.ndarray, method: str, tol: float) -> Point:
    rates = make_rates(p)
    v = p["v"]
    start = np.array([0, 0.5, 0, 1.35, 0.3, 0, -1.15, 0.3, 0, v, 0, 0, v, 0, 0, v, 0, 0], dtype=float)
    best = math.inf
    for _ in range(3):
        begin = time.process_time()
        found = solve_ivp(rates, (0.0, T_END), start, method=method, rtol=tol, atol=tol)
        best = min(best, time.process_time() - begin)
    q = found.y[:9, -1]
    heights = [q[1], q[4] + 0.05 * math.sin(q[5]), q[7] + 0.05 * math.sin(q[8])]
    heights += [q[4] - 0.35 * math.sin(q[5]), q[7] - 0.35 * math.sin(q[8])]
    return best, float(np.max(np.abs(np.array(heights) - exact)))


# -- all of them ----------------------------------------------------------------------------------------------------


def measure_exudyn(p: dict[str, float], exact: np.ndarray) -> list[Point]:
    words = [
        find_python("exudyn"),
        HERE / "peers" / "stiff_exudyn.py",
        T_END,
        *(p[n] for n in ("kb", "cb", "ks", "cs")),
    ]
    lines = read_lines(run_quietly([*words, *(p[n] for n in ("kt", "ct", "y0", "v"))]))
    return [(line["seconds"], float(np.max(np.abs(np.array(line["heights"]) - exact)))) for line in lines]


def find_seconds(points: list[Point], level: float) -> float | None:
    """The shortest time of a setting that is as good as that."""
    return min((seconds for seconds, error in points if error <= level), default=None)


def section() -> str:
    """The chapter of RESULTS.md."""
    model = make_model()
    p = dict(model.mechanism.values)
    final = model.simulate(T_END, tol=1e-14, method="taylor").final
    exact = np.array([final[point][1] for point in SEEN])
    found: dict[str, list[Point]] = {}
    for name in METHODS:
        measure, what = (measure_scipy, p) if name in ("Radau", "BDF") else (measure_linkwork, model)
        found[name] = [measure(what, exact, name, tol) for tol in LADDER]
    note = ""
    try:
        found["Exudyn generalised-alpha"] = measure_exudyn(p, exact)
    except UnavailableError as failure:
        note = f"\n\nExudyn was not measured: {failure}"
    words = "Milliseconds to be as good as an error of the heights [m], and × beside the better of hht and ida."
    rows = [[name, *(show(found, points, level) for level in LEVELS)] for name, points in found.items()]
    return (
        f"## Stiff: half a car on bushings\n\n{words}\n\n{table(['method', *map('{:g}'.format, LEVELS)], rows)}{note}"
    )


def show(found: dict[str, list[Point]], points: list[Point], level: float) -> str:
    """The time of a method at a level of errors, and how many times ours it is."""
    seconds, ours = find_seconds(points, level), [find_seconds(found[method], level) for method in ("hht", "ida")]
    best = min((s for s in ours if s is not None), default=None)
    ratio = f" (×{number(seconds / best, 2)})" if seconds is not None and best is not None else ""
    return number(None if seconds is None else 1e3 * seconds) + ratio


if __name__ == "__main__":
    print(section())
