"""SciPy's explicit Runge-Kutta method of order 8 on the compiled index-1 ODE."""

from __future__ import annotations

import numpy as np
import scipy
from compiled import make_ode
from measure import best_seconds, report
from model import START, T_END, correct_digits, link_angles, relative_angles
from scipy.integrate import solve_ivp

SMALLEST_RTOL = 3e-14  # SciPy warns and clips below 100 eps


def main() -> None:
    ode, y0 = make_ode(), np.concatenate([link_angles(START), np.zeros(7)])
    for exponent in range(3, 15):
        tol = 10.0**-exponent

        def run(tol=tol):
            return solve_ivp(ode, (0.0, T_END), y0, method="DOP853", rtol=max(tol, SMALLEST_RTOL), atol=tol)

        digits = correct_digits(relative_angles(run().y[:7, -1]))
        report(f"SciPy {scipy.__version__} DOP853, compiled ODE", f"tol {tol:g}", best_seconds(run), digits)


if __name__ == "__main__":
    main()
