"""Hairer's DOP853 in Fortran, which numbalsoda brings along, on the compiled ODE: no Python between the steps."""

from __future__ import annotations

import ctypes
from importlib.metadata import version

import numpy as np
from compiled import load_library
from measure import best_seconds, report
from model import START, T_END, correct_digits, link_angles, relative_angles
from numbalsoda import dop853

MOST = 100_000  # steps


def main() -> None:
    ode = ctypes.cast(load_library().ode_at, ctypes.c_void_p).value
    y0, times, none = np.concatenate([link_angles(START), np.zeros(7)]), np.array([0.0, T_END]), np.zeros(1)
    for exponent in range(3, 15):
        tol = 10.0**-exponent

        def run(tol=tol):
            return dop853(ode, y0, times, none, tol, tol, MOST)

        y, success = run()
        if success:
            digits = correct_digits(relative_angles(y[-1][:7]))
            report(
                f"numbalsoda {version('numbalsoda')} DOP853 (Fortran), ODE", f"tol {tol:g}", best_seconds(run), digits
            )


if __name__ == "__main__":
    main()
