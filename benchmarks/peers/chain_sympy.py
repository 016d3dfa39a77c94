"""A chain of n rods by SymPy's KanesMethod: the least processor time in which M and f of M u' = f are expressions.

python benchmarks/peers/chain_sympy.py n

Without simplification, and with its cache of results emptied before each run.
"""

from __future__ import annotations

import sys
import time

from sympy import symbols
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

ENOUGH = 20, 10  # runs, seconds


def derive_chain(n: int) -> object:
    """M and f."""
    clear_cache()
    q, u = dynamicsymbols(f"q:{n}"), dynamicsymbols(f"u:{n}")
    l, m, J, g = symbols("l m J g")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    before, at, bodies, loads = N, O, [], []
    for i in range(n):
        frame = before.orientnew(f"B{i}", "Axis", [q[i], N.y])
        frame.set_ang_vel(N, sum(u[: i + 1]) * N.y)
        centre = at.locatenew(f"C{i}", l / 2 * frame.x)
        centre.v2pt_theory(at, N, frame)
        end = at.locatenew(f"P{i}", l * frame.x)
        end.v2pt_theory(at, N, frame)
        bodies.append(RigidBody(f"b{i}", centre, frame, m, (inertia(frame, 0, J, 0), centre)))
        loads.append((centre, -m * g * N.z))
        before, at = frame, end
    rates = [a.diff() - b for a, b in zip(q, u, strict=True)]
    kane = KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=rates)
    kane.kanes_equations(bodies, loads)
    return kane.mass_matrix, kane.forcing


def main() -> None:
    n = int(sys.argv[1])
    derive_chain(2)  # what is imported first
    times: list[float] = []
    while len(times) < ENOUGH[0] and sum(times) < ENOUGH[1]:
        begin = time.process_time()
        derive_chain(n)
        times.append(time.process_time() - begin)
    print(f"derived in {min(times):.4f} s", flush=True)


if __name__ == "__main__":
    main()
