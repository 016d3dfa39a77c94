"""Which order of the series is cheapest at which tolerance? Times of whole integrations, best of several.

Run: python benchmarks/orders.py
"""

from __future__ import annotations

import time
from pathlib import Path

import linkwork as lw

EXAMPLES = Path(__file__).parent.parent / "examples"
CASES = {"andrews": 0.03, "mechanism0": 10.0, "mechanism1a": 4.0}
ORDERS = (10, 12, 14, 16, 18, 20, 22, 24, 27, 30)
TOLERANCES = (1e-6, 1e-8, 1e-10, 1e-12, 1e-14)


def measure(assembly: lw.Model, until: float, tol: float, order: int) -> float:
    """Milliseconds inside the solver, best of ten."""
    return min(assembly.simulate(until, tol=tol, order=order).stats.seconds for _ in range(10)) * 1e3


def main() -> None:
    """Print a table: one row per mechanism and tolerance, the cheapest order last."""
    print("mechanism    tol    " + "".join(f"{f'p = {p}':>9}" for p in ORDERS) + "   cheapest")
    for name, until in CASES.items():
        assembly = lw.load(EXAMPLES / f"{name}.yaml")
        for tol in TOLERANCES:
            times = [measure(assembly, until, tol, p) for p in ORDERS]
            cheapest = ORDERS[times.index(min(times))]
            print(f"{name:<12} {tol:.0e}  " + "".join(f"{t:>6.2f} ms" for t in times) + f"   {cheapest}", flush=True)


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"({time.perf_counter() - start:.0f} s)")
