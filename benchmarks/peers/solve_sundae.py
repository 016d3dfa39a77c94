"""SUNDIALS through scikit-sundae: CVODE (Adams) on the index-1 ODE, IDA on the stabilised index-2 form."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from compiled import make_dae, make_ode
from measure import best_seconds, report, report_failure
from model import (
    START,
    START_ACCELERATION,
    START_MULTIPLIERS,
    T_END,
    correct_digits,
    link_angles,
    relative_angles,
)
from sksundae.cvode import CVODE
from sksundae.ida import IDA

NAME = f"scikit-sundae {version('scikit-sundae')}"
SPAN = np.array([0.0, T_END])
B0 = link_angles(START)
W0 = np.zeros(7)
A0 = link_angles(START_ACCELERATION) - link_angles(np.zeros(7))
MANY = 1_000_000


def measure_solver(name: str, tol: float, run) -> None:
    """Time one setting, or say why it has no answer."""
    try:
        solution = run()
        if not solution.success or solution.t[-1] < T_END:
            raise RuntimeError(solution.message)
    except Exception as failure:
        report_failure(name, f"tol {tol:g}", failure)
        return
    report(name, f"tol {tol:g}", best_seconds(run), correct_digits(relative_angles(solution.y[-1][:7])))


def measure_cvode(tol: float) -> None:
    y0 = np.concatenate([B0, W0])
    solver = CVODE(make_ode(), rtol=tol, atol=tol, method="Adams", max_num_steps=MANY)
    measure_solver(f"{NAME} CVODE Adams, compiled ODE", tol, lambda: solver.solve(SPAN, y0))


def measure_ida(tol: float) -> None:
    residual, jacobian = make_dae()
    y0 = np.concatenate([B0, W0, START_MULTIPLIERS, np.zeros(6)])
    yp0 = np.concatenate([W0, A0, np.zeros(12)])
    # multipliers stay out of the error test: they are of the second index
    atol = np.concatenate([np.full(14, tol), np.full(12, 1e10)])
    solver = IDA(
        residual,
        jacfn=jacobian,
        rtol=tol,
        atol=atol,
        algebraic_idx=list(range(14, 26)),
        max_num_steps=MANY,
        first_step=1e-8,
    )
    name = f"{NAME} IDA, stabilised index 2, compiled"
    measure_solver(name, tol, lambda: solver.solve(SPAN, y0, yp0))


def main() -> None:
    for exponent in range(4, 14):
        measure_cvode(10.0**-exponent)
    for exponent in range(3, 13):
        measure_ida(10.0**-exponent)


if __name__ == "__main__":
    main()
