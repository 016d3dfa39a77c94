"""How many digits are right: start values and end values against the references, each with its target."""

from __future__ import annotations

import json
import sys

import numpy as np

import linkwork as lw
from common import EXAMPLES, REFERENCE, ROOT, number, table

sys.path.insert(0, str(ROOT / "tests" / "known"))
from mechanism0_ode import solve_taylor

TIGHT = 1e-14


def relative_error(value, reference) -> float:
    """The largest relative error over components; absolute where the reference is zero."""
    value, reference = np.ravel(value), np.ravel(reference)
    scale = np.where(reference == 0.0, 1.0, np.abs(reference))
    return float(np.max(np.abs(value - reference) / scale))


def read_values(motion, names, index: int) -> dict[str, np.ndarray]:
    """Values (A) and rates (A') of the named quantities at the first or last step."""

    def read(name):
        return motion.velocity(name[:-1]) if name.endswith("'") else motion[name]

    return {name: np.ravel(read(name)[index]) for name in names}


def worst(motion, reference: dict, index: int) -> float:
    """The largest relative error of all referenced quantities."""
    values = read_values(motion, reference, index)
    return max(relative_error(values[name], reference[name]) for name in reference)


def worst_absolute(motion, reference: dict, index: int) -> float:
    values = read_values(motion, reference, index)
    return max(float(np.abs(values[name] - np.ravel(reference[name])).max()) for name in reference)


def digits(error: float) -> float:
    return float(-np.log10(max(error, 1e-17)))


def start_rows(known: dict) -> list[list[object]]:
    """Consistent start values of appendix A.1 to A.3."""
    rows = []
    for name, appendix in (("mechanism1a", "A.1"), ("mechanism1b", "A.2"), ("andrews", "A.3")):
        motion = lw.load(str(EXAMPLES / f"{name}.yaml")).simulate(until=1e-3, tol=TIGHT)
        error = worst_absolute(motion, known[name]["t0"], 0)
        rows.append([f"{name}, start values ({appendix})", f"{error:.1e}", "1e-12 absolute"])
    return rows


def end_rows(known: dict) -> list[list[object]]:
    """End values of the published problems."""
    rows = []
    cases = [("mechanism1a", 200.0, "t200", "9 digits"), ("mechanism1b", 20.0, "t20", "4 digits")]
    for name, until, key, target in cases:
        motion = lw.load(str(EXAMPLES / f"{name}.yaml")).simulate(until=until, tol=TIGHT)
        error = worst(motion, known[name][key], -1)
        case = f"{name} at t = {until:g}, positions and velocities"
        rows.append([case, f"{digits(error):.1f} digits", target])
    motion = lw.load(str(EXAMPLES / "andrews.yaml")).simulate(until=1.0, tol=TIGHT)
    error = relative_error(motion["OF"][-1], known["andrews"]["t1"]["OF"])
    rows.append(["andrews at t = 1, OF", f"{error:.1e}", "1e-11 relative"])
    return rows


def andrews_row() -> list[object]:
    """The seven angles at t = 0.03."""
    sys.path.insert(0, str(ROOT / "benchmarks" / "peers"))
    from model import T_END, correct_digits
    from solve_linkwork import find_relative_angles

    motion = lw.load(str(EXAMPLES / "andrews.yaml")).simulate(until=T_END, tol=TIGHT)
    found = correct_digits(find_relative_angles(motion.at(T_END)))
    return ["andrews at t = 0.03, seven angles", f"{found:.1f} digits", "10 digits"]


def mechanism0_rows() -> list[list[str]]:
    """Tolerance against the largest difference to the unconstrained ODE over t = 1, 2, ..., 10."""
    times = [float(t) for t in range(1, 11)]
    reference = solve_taylor(times)
    size = max(np.abs(reference[name]).max() for name in ("A", "B"))
    mechanism, rows = lw.load(str(EXAMPLES / "mechanism0.yaml")), []
    for exponent in (4, 6, 8, 10, 12, 14):
        motion = mechanism.simulate(until=times[-1], tol=10.0**-exponent)
        found = [motion.at(t) for t in times]
        error = max(np.abs(at[name] - reference[name][i]).max() for i, at in enumerate(found) for name in "AB")
        rows.append([f"1e-{exponent}", f"{error / size:.1e}", number(motion.stats.steps)])
    return rows


def section() -> str:
    """The chapter of RESULTS.md."""
    known = json.loads(REFERENCE.read_text())
    rows = [*start_rows(known), *end_rows(known), andrews_row()]
    parts = [
        "## Accuracy",
        f"At tol {TIGHT:g}. Digits are relative and of the worst component.",
        table(["problem", "found", "target"], rows),
        "Mechanism 0 against its unconstrained ODE (section 4.4 of the paper), integrated independently in "
        "34-digit arithmetic: largest difference of A and B at t = 1, 2, ..., 10, relative to the motion.",
        table(["tol", "difference", "steps"], mechanism0_rows()),
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(section())
