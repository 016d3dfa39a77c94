"""The same motion in points, in absolute coordinates and along a tree: processor time of the integration alone.

`python benchmarks/formalisms.py` measures all examples, as the rule of `Formulation: auto` needs them;
`python benchmarks/formalisms.py chains` hanging chains of links, in the plane and in space.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from common import EXAMPLES, number, table

if TYPE_CHECKING:
    from linkwork import Model

CHAPTER = ["spatial-four-bar", "bricard", "stewart-bodies", "mult-pend-uj", "andrews", "andrews-bodies", "chain"]
FORMALISMS = "points", "absolute", "tree"
REACTIONS = ("brake-shoe",)  # whose laws are known in points alone
TOL, LONGEST, SHORTEST, REPEATS = 1e-12, 5.0, 0.03, 5


def measure(path: Path, formulation: str) -> dict[str, float]:
    """Seconds of one run in a machine that is ready, the least of several; steps; unknowns."""
    import linkwork as lw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return measure_model(lw.load(path).formulated(formulation))


def measure_model(model: Model) -> dict[str, float]:
    """The same of a model."""
    from linkwork.native import Request, Status
    from linkwork.pipeline.machines import borrow
    from linkwork.solve import Options

    m, start = model.mechanism, model.start
    until = min(m.compute(m.start.tend), start.t + LONGEST)
    request = Request(t_end=until, tol=TOL, order=Options(tol=TOL).chosen_order)
    system = model.system if model.posed is None else model.posed.system
    best = float("inf")
    with borrow(model, start, Options(tol=TOL)) as machine:
        for _ in range(REPEATS):
            begun, count = time.process_time(), 0
            while count == 0 or time.process_time() - begun < SHORTEST:
                machine.begin(request, start.t, start.q, start.u)
                while machine.advance(60.0, 1 << 30)[0] is Status.MORE:
                    pass
                count += 1
            best = min(best, (time.process_time() - begun) / count)
        return {"seconds": best, "steps": machine.tally.steps, "unknowns": system.n + system.m}


def compare(names: list[str]) -> str:
    rows = []
    for name in names:
        found = {formalism: measure(EXAMPLES / f"{name}.yaml", formalism) for formalism in FORMALISMS}
        rows.append([
            name, *(int(x["unknowns"]) for x in found.values()), *(int(x["steps"]) for x in found.values()),
            *(number(1e3 * x["seconds"]) for x in found.values()), fastest(found),
        ])  # fmt: skip
        print(*rows[-1], file=sys.stderr, flush=True)
    words = [f"{what} {name}" for what in ("unknowns:", "steps:", "ms:") for name in FORMALISMS]
    return table(["file", *words, "fastest"], rows)


def fastest(found: dict[str, dict[str, float]]) -> str:
    """Who is within a twentieth of the best."""
    best = min(x["seconds"] for x in found.values())
    return ", ".join(name for name, x in found.items() if x["seconds"] < 1.05 * best)


def make_chain(links: int, dimension: int) -> Model:
    """Uniform links that hang by pins, or in space by hinges at right angles to one another, thrown."""
    import linkwork as lw

    at = [[1.0, *[0.0] * (dimension - 1)], [0.0] * dimension]
    bodies, joints, places = [lw.Body("world", frames={"o": lw.Frame(at[1])})], [], {}
    for i in range(links):
        axes = {} if dimension == 2 else {"z": ([0, 1, 0], [0, 0, 1])[i % 2]}
        turned = {} if dimension == 2 else {"z": ([0, 0, 1], [0, 1, 0])[i % 2]}
        frames = {"a": lw.Frame(at[1], **axes), "b": lw.Frame(at[0], **turned), "c": lw.Frame([*at[1][1:], 0.3])}
        inertia = 1 / 12 if dimension == 2 else [0.01, 1 / 12, 1 / 12]
        centre = [0.5, *at[1][1:]]
        bodies.append(lw.Body(f"k{i}", mass=1, inertia=inertia, centre=centre, frames=frames))
        before = "world.o" if i == 0 else f"k{i - 1}.b"
        joints.append(lw.Joint(name=f"j{i}", kind="revolute", frames=(before, f"k{i}.a")))
        places |= {f"k{i}.a": [i, *at[1][1:]], f"k{i}.b": [i + 1, *at[1][1:]], f"k{i}.c": [i, *at[1][2:], 0.3]}
    if dimension == 3:
        bodies[0] = lw.Body("world", frames={"o": lw.Frame(at[1], z=[0, 1, 0])})
    start = lw.InitialValues(positions=places, tend=LONGEST)
    gravity = [0.0] * (dimension - 1) + [-9.81]
    return lw.Model(lw.Mechanism(dimension=dimension, bodies=bodies, joints=joints, gravity=gravity, start=start))


def chains(lengths: tuple[int, ...] = (2, 5, 10, 20)) -> str:
    """Microseconds of a step of hanging chains."""
    rows = []
    for dimension in (2, 3):
        for links in lengths:
            model = make_chain(links, dimension)
            found = {name: measure_model(model.formulated(name)) for name in FORMALISMS}
            per_step = [1e6 * x["seconds"] / x["steps"] for x in found.values()]
            unknowns = [int(x["unknowns"]) for x in found.values()]
            rows.append([("plane", "space")[dimension - 2], links, *unknowns, *map(number, per_step), fastest(found)])
            print(*rows[-1], file=sys.stderr, flush=True)
    words = [f"{what} {name}" for what in ("unknowns:", "µs a step:") for name in FORMALISMS]
    return table(["", "links", *words, "fastest"], rows)


def section() -> str:
    return "\n\n".join(
        [
            "## Formalisms",
            f"The same motion in points, in absolute coordinates and along a tree at tol {TOL:g}, over the file's time "
            f"or {LONGEST:g} s: processor time of the integration with kernels compiled, chunks handed over in points.",
            compare(CHAPTER),
            "Bodies that hang on one another by pins, in space by hinges:",
            chains(),
        ]
    )


if __name__ == "__main__":
    names = sys.argv[1:] or sorted(path.stem for path in EXAMPLES.glob("*.yaml"))
    print(chains() if names == ["chains"] else compare([name for name in names if name not in REACTIONS]))
