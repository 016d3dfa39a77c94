"""What a call of exported right-hand sides costs: nanoseconds in a loop of C, operations, seconds of the compiler.

python benchmarks/exported.py            linkages, a bicycle, an arm of seven joints, a humanoid
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import linkwork as lw

EXAMPLES = Path(__file__).parents[1] / "examples"
FLAGS = ["-O3", "-march=native", "-ffp-contract=fast"]
CALLS, ROUNDS = 100_000, 15

LOOP = """
#include "{name}.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void)
{{
    {name} m;
    double y[{NAME}_STATES], dy[{NAME}_STATES], lambda[{NAME}_MULTIPLIERS + 1], best = 1e9, sum = 0.0;
    {name}_defaults(&m);
    {name}_init(&m);
    memcpy(y, {name}_start, sizeof y);
    for (int round = 0; round < {rounds}; round++) {{
        const clock_t start = clock();
        for (int i = 0; i < {calls}; i++) {{
            y[0] += 1e-12;
            {name}_rhs(&m, 0.0, y, dy, lambda);
            sum += dy[{NAME}_STATES - 1];
        }}
        const double each = (double)(clock() - start)/CLOCKS_PER_SEC/{calls}*1e9;
        best = each < best ? each : best;
    }}
    printf("%.1f %g\\n", best, sum);
    return 0;
}}
"""


def arm() -> lw.Model:
    """Seven bodies on joints that turn about z and y in turns, as arms have them."""
    tree = lw.Tree("arm", gravity=9.81)
    parent, values = None, {}
    for i in range(1, 8):
        at = {} if parent is None else {"parent": parent, "joint_at": (0, 0, f"l{i}")}
        inertia, centre = [f"J{i}", f"J{i}", f"K{i}"], (0, 0, f"c{i}")
        parent = tree.add_body(f"B{i}", rotate="zy"[i % 2], mass=f"m{i}", inertia=inertia, centre=centre, **at)
        values |= {f"l{i}": 0.3, f"c{i}": 0.15, f"m{i}": 8.0 - i, f"J{i}": 0.05, f"K{i}": 0.01}
    known = {name: value for name, value in values.items() if name != "l1"}
    return tree.model(parameters=known, start={f"q{i}": 0.1 * i for i in range(1, 8)}, tend=1)


LIMBS = {"leg": "zxyyyx", "arm": "yxzyzyx"}


def humanoid() -> lw.Model:
    """A trunk that is free, two legs of six joints, two arms of seven, a head: 33 freedoms."""
    tree = lw.Tree("humanoid", gravity=9.81)
    trunk = tree.add_body("T", translate=(1, 2, 3), rotate="123", mass="mT", inertia=["AT", "BT", "CT"])
    values = {"mT": 20.0, "AT": 1.0, "BT": 1.2, "CT": 0.8}

    def add_limb(name: str, axes: str, at: tuple[float, float, float]) -> None:
        parent = trunk
        for i, axis in enumerate(axes):
            b = f"{name}{i}"
            place = at if i == 0 else (0, 0, f"l{b}")
            inertia, centre = [f"J{b}", f"J{b}", f"K{b}"], (0, 0, f"c{b}")
            parent = tree.add_body(
                b, parent=parent, joint_at=place, rotate=axis, mass=f"m{b}", inertia=inertia, centre=centre
            )
            values.update({f"m{b}": 2.0, f"J{b}": 0.02, f"K{b}": 0.01, f"c{b}": -0.1} | ({f"l{b}": -0.2} if i else {}))

    for side, y in (("L", 1), ("R", -1)):
        add_limb(f"leg{side}", LIMBS["leg"], (0, 0.1 * y, -0.2))
        add_limb(f"arm{side}", LIMBS["arm"], (0, 0.2 * y, 0.4))
    add_limb("head", "z", (0, 0, 0.5))
    return tree.model(parameters=values, start={f"q{i}": 0.05 * i % 1 for i in range(1, 34)}, tend=1)


def measure(model: lw.Model) -> str:
    """One line of figures."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = model.export("c", Path(scratch) / "c")
        name = next(p.stem for p in folder.glob("*.c") if p.stem not in ("main", "integrate"))
        words = {"name": name, "NAME": name.upper(), "calls": CALLS, "rounds": ROUNDS}
        (folder / "loop.c").write_text(LOOP.format(**words))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(["cc", *FLAGS, "-c", f"{name}.c"], cwd=folder, check=True)
        compiling = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        subprocess.run(["cc", *FLAGS, "-o", "loop", "loop.c", f"{name}.o", "-lm"], cwd=folder, check=True)
        each = subprocess.run(["./loop"], cwd=folder, check=True, capture_output=True, text=True).stdout.split()[0]
    rhs = next(c for c in model.count_operations().functions if c.words == "rhs")
    return f"{rhs.add:6d}{rhs.mul:6d}{rhs.div:5d}{rhs.function:6d}{float(each):10.0f}{compiling:12.2f}"


def main() -> None:
    """Print a table."""
    models = {"slider-crank": "slider-crank.yaml", "Andrews": "andrews.yaml", "bicycle": "bicycle.yaml"}
    print(f"{'':16}{'add':>6}{'mul':>6}{'div':>5}{'func':>6}{'ns a call':>10}{'compiler s':>12}")
    for title, file in models.items():
        print(f"{title:16}{measure(lw.load(EXAMPLES / file))}", flush=True)
    print(f"{'arm of 7 joints':16}{measure(arm())}", flush=True)
    print(f"{'humanoid':16}{measure(humanoid())}")


if __name__ == "__main__":
    sys.exit(main())
