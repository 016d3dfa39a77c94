"""How fast equations of motion are derived, beside SymPy's KanesMethod: a chain of n rods and Whipple's bicycle.

python benchmarks/derivation.py [seconds that SymPy is given for each]

Processor time. Of the chain both make M and f of M u' = f as expressions, SymPy without simplification and with its
cache of results emptied; ours also as the recursion of Newton and Euler, which has M only as a product. What SymPy
does not finish in the time it is given is told as more than that.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable

import linkwork as lw
from common import HERE, table
from linkwork.equations.kane import Kane
from linkwork.equations.recursion import recurse
from linkwork.program import Builder, lower, nest_sums
from linkwork.symbolic import Expr, free_symbols

SIZES = (5, 10, 20, 40)
LONGEST = 60  # seconds that SymPy is given for each model
EXAMPLES = HERE.parent / "examples"


def make_chain(n: int) -> lw.Tree:
    """n rods in a plane, each on the end of the one before."""
    tree = lw.Tree("chain", gravity="g")
    body = None
    for i in range(n):
        place = ("l", 0, 0) if i else (0, 0, 0)
        body = tree.add_body(
            f"B{i}", parent=body, joint_at=place, rotate="y", mass="m", inertia=(0, "J", 0), centre=("l/2", 0, 0)
        )
    return tree


def derive_recursion(n: int) -> list[Expr]:
    """What inertia asks for, by recursion."""
    return list(recurse(make_chain(n)).values())


def derive_matrices(n: int) -> list[Expr]:
    """M and f of M u' = f."""
    kane = Kane(tree=make_chain(n))
    return [*kane.mass.values(), *kane.forces]


def processor_time(work: Callable[[int], object], n: int) -> float:
    """Seconds of processor time, the least of many where it is quick."""
    times: list[float] = []
    while len(times) < 3 or (len(times) < 50 and sum(times) < 1):
        begin = time.process_time()
        work(n)
        times.append(time.process_time() - begin)
    return min(times)


def count_nodes(exprs: list[Expr]) -> int:
    """Instructions of the program that computes them."""
    b = Builder()
    symbols = sorted({s for e in exprs for s in free_symbols(e)}, key=lambda s: s.name)
    nodes = {s: b.input("q", i, s.name) for i, s in enumerate(symbols)}
    memo, nested = {}, nest_sums(exprs)
    return len(b.program(r=[lower(b, e, nodes, memo, nested) for e in exprs]).nodes)


def run_chain(n: int) -> None:
    """From the description to a machine at work, with all code compiled before."""
    model = make_chain(n).model(parameters={"g": 9.81, "l": 1, "m": 1, "J": 0.1}, start={"q1": 0.3})
    model.stepper().step(1e-3)


def linearize_bicycle(_: int) -> None:
    """From the file to the linear model, with all code compiled before."""
    states = ["lean", "delta", "hub.angle", "spin.angle", "heading", "frame.axle.x", "frame.axle.y"]
    _ = lw.load(EXAMPLES / "bicycle.yaml").with_parameters(v=5).linearize(states=states).eigenvalues


def run_sympy(script: str, *arguments: object, limit: float) -> dict[str, float]:
    """The seconds that a script of peers tells, by what was done; what takes longer than the limit is missing."""
    command = [sys.executable, str(HERE / "peers" / script), *map(str, arguments)]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=limit).stdout
    except subprocess.TimeoutExpired as late:
        told = (late.stdout or b"").decode()
    return {word: float(x) for word, x in re.findall(r"(derived|linearised) in ([\d.]+) s", told)}


def compare_chains(limit: float) -> list[list[object]]:
    """The rows of the table; a chain longer than one that took SymPy too long takes it longer still."""
    rows, late = list[list[object]](), False
    for n in SIZES:
        fast, full = processor_time(derive_recursion, n), processor_time(derive_matrices, n)
        told = {} if late else run_sympy("chain_sympy.py", n, limit=limit)
        late = not told
        slow, more = (limit, "> ") if late else (told["derived"], "")
        beside = [f"{more}{1e3 * slow:.0f}", f"{more}{slow / full:.0f}", f"{more}{slow / fast:.0f}"]
        rows.append([n, f"{1e3 * fast:.1f}", count_nodes(derive_recursion(n)), f"{1e3 * full:.1f}", *beside])
    return rows


def describe_bicycle(limit: float) -> str:
    """Ours beside SymPy's, in words."""
    linearize_bicycle(0)
    own, theirs = processor_time(linearize_bicycle, 0), run_sympy("bicycle_sympy.py", limit=limit)
    total = sum(theirs.values())
    late = f"has no linear model after {limit:.0f} s, {limit / own:.0f} times as long"
    took = f"has a linear model after {total:.0f} s, {total / own:.0f} times as long" if len(theirs) > 1 else late
    derived = f"derives in {theirs['derived']:.1f} s and " if theirs else ""
    return f"Whipple's bicycle, from the file to its linear model at 5 m/s: {1e3 * own:.0f} ms; SymPy {derived}{took}."


def section(limit: float = LONGEST) -> str:
    """The chapter of RESULTS.md."""
    run_chain(SIZES[1])
    head = ["rods", "recursion, ms", "its program", "M and f, ms", "SymPy, ms", "to M and f", "to recursion"]
    rows = compare_chains(limit)
    spent = 1e3 * processor_time(run_chain, 10)
    ready = f"Ten rods from their description to the first step, code compiled before: {spent:.0f} ms."
    text = (__doc__ or "").split("\n\n", 2)[2]
    return "\n".join(["## Derivation", "", text, table(head, rows), "", ready, "", describe_bicycle(limit)])


if __name__ == "__main__":
    print(section(float(sys.argv[1]) if len(sys.argv) > 1 else LONGEST))
