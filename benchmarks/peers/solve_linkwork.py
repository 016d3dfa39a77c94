"""linkwork on the same mechanism, from its YAML file. The angles come from the points of the answer."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
from measure import BUDGET, best_seconds, report, report_failure
from model import DATA, T_END, correct_digits

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.solve.options import Options

FILE = Path(__file__).resolve().parents[2] / "examples" / "andrews.yaml"
INSIDE, WHOLE = "linkwork, seconds in the solver", "linkwork, whole simulate() call"


def angle(start, end) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])


def find_relative_angles(values) -> np.ndarray:
    """beta, Theta, gamma, Phi, delta, Omega, epsilon from the points E, F, G, H and the turn angle OF."""
    A, B = (DATA["xa"], DATA["ya"]), (DATA["xb"], DATA["yb"])
    E, F, G, H = (values[name] for name in "EFGH")
    beta, quarter = float(np.ravel(values["OF"])[0]), math.pi / 2
    gamma, delta, epsilon = angle(B, E) + quarter, angle(A, G), angle(A, H) + quarter
    Phi, Omega = angle(G, E) + quarter - delta, angle(H, E) - epsilon
    return np.array([beta, angle(E, F) - beta, gamma, Phi, delta, Omega, epsilon])


def best_inside(run, budget: float = BUDGET, fewest: int = 5) -> float:
    """The shortest time the solver itself reports."""
    best, end, count = math.inf, time.perf_counter() + budget, 0
    while count < fewest or time.perf_counter() < end:
        best, count = min(best, run().stats.seconds), count + 1
    return best


def main() -> None:
    mechanism = lw.load(str(FILE))
    for exponent in range(3, 16):
        tol = 10.0**-exponent
        # the file asks for one order, which suits its own tolerance; this is what is taken if it does not
        order = Options(tol=tol).chosen_order

        def run(tol=tol, order=order):
            return mechanism.simulate(until=T_END, tol=tol, order=order, fused=True)

        try:
            motion = run()
            digits = correct_digits(find_relative_angles(motion.at(T_END)))
        except LinkworkError as failure:
            report_failure(INSIDE, f"tol {tol:g}", failure)
            continue
        report(INSIDE, f"tol {tol:g}", best_inside(run), digits, steps=int(motion.stats.steps))
        report(WHOLE, f"tol {tol:g}", best_seconds(run), digits)


if __name__ == "__main__":
    main()
