"""The same mechanisms described by their parts and by their Lagrangian: how the motions differ, and the time of both.

Solver only, compiled, the best of several runs, tol 1e-14. In the same coordinates (pendula) the Lagrangian costs
the same; Andrews' mechanism in angles has fewer unknowns but a mass matrix that changes, and takes fewer steps.
"""

from __future__ import annotations

import importlib.util
from types import ModuleType

import numpy as np

import linkwork as lw
from common import EXAMPLES, table

RUNS = 30
TOL = 1e-14


def chain_by_parts(count: int) -> lw.Model:
    """The chain of examples/lagrangian/pendula.py as massless rods with particles."""
    places = {f"P{i}": (float(i), 0.0, 0.0) for i in range(1, count + 1)}
    return lw.Model(
        lw.Mechanism(
            dimension=3,
            fixed={"P0": ()},
            rigids=[lw.Rigid.rod(f"P{i}P{i + 1}", 1) for i in range(count)],
            particles=[lw.Particle(point=f"P{i}", mass=1) for i in range(1, count + 1)],
            gravity=(0, 0, "-9.81"),
            start=lw.InitialValues(
                positions=places, velocities={f"P{i}": (0.0, 0.1 * i, 0.0) for i in range(1, count + 1)}
            ),
        )
    )


def example(name: str) -> ModuleType:
    """A module of examples/lagrangian; benchmarks have modules of the same names."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / "lagrangian" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases() -> list[tuple[str, lw.Model, lw.Model, float, str, str]]:
    """Name, by parts, by Lagrangian, how long, and the point to compare on each."""
    by_angles, chain = example("andrews"), example("pendula")
    return [
        ("Andrews, 7 angles", lw.load(EXAMPLES / "andrews.yaml"), by_angles.andrews(), 0.03, "E", "E"),
        ("3 pendula in space", chain_by_parts(3), chain.pendula(3), 1.0, "P3", "P3"),
        ("40 pendula in space", chain_by_parts(40), chain.pendula(40), 0.2, "P40", "P40"),
    ]


def best(assembly: lw.Model, until: float) -> lw.Trajectory:
    return min((assembly.simulate(until, tol=TOL) for _ in range(RUNS)), key=lambda motion: motion.stats.seconds)


def section() -> str:
    """The chapter of RESULTS.md."""
    rows = []
    for name, by_parts, by_lagrangian, until, point, other in cases():
        one, two = best(by_parts, until), best(by_lagrangian, until)
        apart = float(np.abs(one.final[point] - two.final[other]).max() / by_parts.system.scales[0])
        times = [1e3 * motion.stats.seconds for motion in (one, two)]
        rows.append(
            [
                name,
                f"{times[0]:.3g}",
                one.stats.steps,
                f"{times[1]:.3g}",
                two.stats.steps,
                f"{times[1] / times[0]:.2g}",
                f"{apart:.0e}",
            ]
        )
    head = ["mechanism", "parts, ms", "steps", "Lagrangian, ms", "steps", "ratio", "difference"]
    return "\n".join(["## Lagrangians", "", (__doc__ or "").split("\n\n", 1)[1], table(head, rows)])


if __name__ == "__main__":
    print(section())
