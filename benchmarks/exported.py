"""Right-hand sides beside Pinocchio, MuJoCo, Drake, CasADi and heyoka: the same trees, the same states, one core.

python benchmarks/exported.py            the chapter
python benchmarks/exported.py own        our own models alone: operations, nanoseconds in a loop of C, seconds of cc
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import linkwork as lw
from common import HERE, UnavailableError, find_python, number, read_lines, run_quietly, table
from linkwork.native.compiler import FLAGS as COMPILER_FLAGS
from linkwork.native.compiler import TUNING, Source
from robots import Link, arm, chain, humanoid, make_tree, write_links

EXAMPLES = HERE.parent / "examples"
FLAGS = ["-O3", "-march=native", "-ffp-contract=fast"]
CALLS, ROUNDS = 100_000, 15
MOTION = "vx", "vy", "vz", "wx", "wy", "wz"  # of a body
AGREE = 1e-9  # accelerations and their derivatives, relative to the largest
STATES, MANY = 3, 1000
SIZES = (16, 64, 256, 1024)
# what its own build asks for
PINOCCHIO = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)  # fmt: skip
LARGEST = {"pinocchio": 256}  # its data take 32 n³ bytes

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


# -- our own models ----------------------------------------------------------------------------------------------------


def measure_own(model: lw.Model) -> list[str]:
    """Operations, nanoseconds a call in a loop of C, seconds of the compiler for rhs."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = model.export("c", Path(scratch) / "c")
        name = next(p.stem for p in folder.glob("*.c") if p.stem not in ("main", "integrate"))
        words = {"name": name, "NAME": name.upper(), "calls": CALLS, "rounds": ROUNDS}
        (folder / "loop.c").write_text(LOOP.format(**words))
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(["cc", *FLAGS, "-c", f"{name}.c"], cwd=folder, check=True)
        compiling = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
        subprocess.run(["cc", *FLAGS, "-o", "loop", "loop.c", f"{name}.o", "-lm"], cwd=folder, check=True)
        each = subprocess.run(["./loop"], cwd=folder, check=True, capture_output=True, text=True).stdout.split()[0]
    rhs = next(c for c in model.count_operations().functions if c.words == "rhs")
    return [str(rhs.add), str(rhs.mul), str(rhs.div), str(rhs.function), f"{float(each):.0f}", f"{compiling:.2f}"]


def make_model(links: list[Link]) -> lw.Model:
    tree, values = make_tree(links)
    start = {f.coordinate.name: 0.05 * (i + 1) % 1 for i, f in enumerate(tree.freedoms)}
    return tree.model(parameters=values, start=start, tend=1)


def own_section() -> str:
    models: dict[str, Callable[[], lw.Model]] = {
        "slider-crank": lambda: lw.load(EXAMPLES / "slider-crank.yaml"),
        "Andrews' mechanism": lambda: lw.load(EXAMPLES / "andrews.yaml"),
        "bicycle, in absolute coordinates": lambda: lw.load(EXAMPLES / "bicycle.yaml"),
        "arm of seven joints (`lw.Tree`)": lambda: make_model(arm()),
        "humanoid of 33 freedoms (`lw.Tree`)": lambda: make_model(humanoid()),
    }
    rows = [[title, *measure_own(make())] for title, make in models.items()]
    head = ["model", "add", "multiply", "divide", "functions", "ns a call", "seconds of cc, all functions"]
    return table(head, rows)


# -- beside the peers --------------------------------------------------------------------------------------------------


class Case:
    """A tree with states, ours and as texts for the peers."""

    def __init__(self, links: list[Link], folder: Path) -> None:
        self.links, self.folder = links, folder
        tree, values = make_tree(links, symbolic=len(links) < 100)
        self.tree, self.values = tree, values
        self.f = tree.rhs(parameters=values)
        n = len(self.f.names) // 2
        self.x = np.random.default_rng(0).uniform(-0.5, 0.5, (STATES, 2 * n))
        self.n, self.free, self.last = n, links[0].joint == "free", f"B{len(links) - 1}"
        write_links(links, folder / "links.txt")
        (folder / "states.json").write_text(json.dumps([self.neutral(x) for x in self.x]))

    def neutral(self, x: np.ndarray) -> dict:
        """A state as all understand it."""
        first, n = 6 if self.free else 0, self.n
        state = {"q": x[first:n].tolist(), "u": x[n + first :].tolist()}
        if self.free:
            pose = self.f.frame(x, "B0")
            state |= {"R": pose.axes.tolist(), "p": pose.place.tolist(), "v": (pose.axes.T @ pose.velocity).tolist()}
            state |= {"w": x[n + 3 : n + 6].tolist()}
        return state

    def accelerations(self, dx: np.ndarray) -> np.ndarray:
        """Ours as all understand them: of a free link those of its origin, over its own axes."""
        a = dx[:, self.n :].copy()
        if self.free:
            c = -self.f._mounts["B0"].origin
            a[:, :3] -= np.cross(a[:, 3:6], c)
        return a

    def check(self, found: list[list[float]], who: str) -> None:
        """Refuse times of what computes something else."""
        ours = self.accelerations(self.f(0.0, self.x))
        error = float(np.abs(np.array(found) - ours).max() / np.abs(ours).max())
        if not error <= AGREE:
            raise UnavailableError(f"{who} differs by {error:.1e}")


def least(call: Callable[[], object], calls: int = 1, enough: float = 0.3) -> float:
    """The least processor's time of a call, in microseconds, over turns of a millisecond at least."""
    call()
    found, spent = [], 0.0
    while len(found) < 5 or spent < enough:
        begin = time.process_time()
        for _ in range(calls):
            call()
        took = time.process_time() - begin
        if took < 1e-3:  # too short for the clock
            calls *= 2
            continue
        found.append(took / calls)
        spent += took
    return 1e6 * min(found)


def measure_links(case: Case, abreast: bool) -> dict[str, float]:
    """Ours, link by link: in a loop of C, one state after the other or several at once, and from Python."""
    f, count = case.f, max(1, MANY * 33 // case.n)
    x, X = case.x[0].copy(), np.tile(case.x[0], (count, 1))
    few, a = X[: max(1, count // 5)], np.zeros((count, case.n))
    f.abreast = abreast
    return {
        "loop": least(lambda: f(0.0, X)) / count,
        "python": least(lambda: f(0.0, x), 500),
        "inverse": least(lambda: f.inverse_dynamics(0.0, X, a)) / count,
        "mass": least(lambda: f.mass_matrix(0.0, few)) / len(few),
        "slopes": least(lambda: f.jacobian(0.0, few)) / len(few) if case.n <= 256 else float("nan"),
        "frame": least(lambda: f.frame(X, case.last)) / count,
    }


def measure_straight(case: Case) -> list[dict[str, float]]:
    """Ours, derived: straight code, compiled anew; one state after the other, and several at once."""
    f = case.tree.model(parameters=case.values, tend=1).rhs()
    assert f.names == case.f.names
    ours = f(0.0, case.x)
    error = np.abs(ours - case.f(0.0, case.x)).max() / np.abs(ours).max()
    assert error <= AGREE, error
    x, X, a = case.x[0].copy(), np.tile(case.x[0], (MANY, 1)), np.zeros((MANY, case.n))
    few, motion = X[: MANY // 5], [f"{case.last}.{word}" for word in MOTION]
    error = np.abs(f.slopes(0.0, x, motion, by="speeds") - case.f.frame(x, case.last).jacobian).max()
    assert error <= AGREE, error
    found = []
    for abreast in (False, True):
        for part in (*map(f._part, ("rhs", "residual", "mass", "jacobian")), f._formulas.find(motion, "speeds")):
            part.abreast = abreast
        found.append(
            {
                "loop": least(lambda: f(0.0, X)) / MANY,
                "inverse": least(lambda: f.inverse_dynamics(0.0, X, a)) / MANY,
                "mass": least(lambda: f.mass_matrix(0.0, X)) / MANY,
                "slopes": least(lambda: f.jacobian(0.0, few)) / len(few),
                "frame": least(lambda: f.slopes(0.0, X, motion, by="speeds")) / MANY,
                "compiling": time_compiler(f._part("rhs").write(abreast)),
            }
        )
    found[0]["python"] = least(lambda: f(0.0, x), 500)
    return found


def time_compiler(source: Source) -> float:
    """Seconds of the processor for the text that runs, with the flags it is compiled with."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in (("rhs.c", f"{source.head}\n{source.text}"), *source.headers):
            (Path(scratch) / name).write_text(content)
        words = ["cc", *COMPILER_FLAGS, TUNING, *source.flags, "rhs.c", "-o", "rhs.so"]
        return min(time_children(words, scratch) for _ in range(3))


def time_children(words: list[str], folder: str) -> float:
    """Seconds of the processor that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_peer(case: Case, name: str) -> dict:
    """A peer's figures, if it computes what we compute."""
    python = find_python(name)
    words = [python, HERE / "peers" / f"dynamics_{name}.py", case.folder / "links.txt", case.folder / "states.json"]
    more = {"casadi": [case.folder], "mujoco": [case.folder / "model.mjb"]}.get(name, [])
    (found,) = read_lines(run_quietly([*words, *more]))
    case.check(found["accelerations"], found["solver"])
    found["python"] = found.pop("forward")
    if name == "pinocchio":
        check_slopes(case, found)
        found["loops"] = read_lines(run_quietly([build_pinocchio(python), case.folder / "links.txt"]))[0]
        found["loop"] = found["loops"].pop("forward")
    if name == "mujoco":
        found["loop"] = read_lines(run_quietly([build_mujoco(python), case.folder / "model.mjb"]))[0]["forward"]
    return found


def check_slopes(case: Case, found: dict) -> None:
    """Derivatives of accelerations of joints that turn, by them, and of its motion by speeds: where nothing floats."""
    if case.free or not found["by_q"]:
        return
    x, n = case.x[0], case.n
    theirs = np.hstack([found["by_q"], found["by_u"]])
    for what, ours, other in (
        ("derivatives", case.f.jacobian(0.0, x)[n:], theirs),
        ("the last link's Jacobian", case.f.frame(x, case.last).jacobian, np.array(found["moves"])),
    ):
        error = np.abs(ours - other).max() / np.abs(other).max()
        if not error <= AGREE:
            raise UnavailableError(f"{found['solver']}: {what} differ by {error:.1e}")


def build(name: str, words: list[object]) -> Path:
    """A program of a peer, compiled once."""
    folder = HERE / ".build"
    folder.mkdir(exist_ok=True)
    if not (folder / name).exists():
        run_quietly([*words, "-o", folder / name])
    return folder / name


def build_pinocchio(python: Path) -> Path:
    prefix = next((python.parents[1] / "lib").glob("python*/site-packages/cmeel.prefix"))
    words = ["g++", "-O3", "-march=native", "-std=c++17", "-DNDEBUG", *PINOCCHIO]
    words += [f"-I{prefix}/include", f"-I{prefix}/include/eigen3"]
    words += [HERE / "peers" / "dynamics_pinocchio.cpp", f"-L{prefix}/lib", "-lpinocchio_default"]
    return build("dynamics_pinocchio", [*words, f"-Wl,-rpath,{prefix}/lib"])


def build_mujoco(python: Path) -> Path:
    folder = next((python.parents[1] / "lib").glob("python*/site-packages/mujoco"))
    library = next(folder.glob("libmujoco.so*"))
    words = ["cc", "-O2", f"-I{folder}/include", HERE / "peers" / "dynamics_mujoco.c", library]
    return build("dynamics_mujoco", [*words, f"-Wl,-rpath,{folder}"])


def compare_robot(title: str, links: list[Link]) -> list[list[str]]:
    """Rows of one robot."""
    keys = ("loop", "python", "inverse", "mass", "slopes", "frame", "compiling")
    with tempfile.TemporaryDirectory() as scratch:
        case = Case(links, Path(scratch))
        alone, abreast = measure_straight(case)
        rows = [["linkwork, straight code", alone], ["linkwork, several states at once", abreast]]
        rows.append(["linkwork, link by link", measure_links(case, False)])
        rows.append(["linkwork, link by link, several states at once", {**measure_links(case, True), "python": None}])
        for name in ("pinocchio", "mujoco", "drake", "casadi", "heyoka"):
            try:
                found = run_peer(case, name)
            except UnavailableError as failure:
                rows.append([f"{name}: {failure}", {}])
                continue
            loops = found.get("loops", {})
            rows.append([found["solver"], {**{k: found.get(k) for k in keys}, **{k: loops[k] for k in loops}}])
    return [[title, who, *(number(found.get(key)) for key in keys)] for who, found in rows]


TREES = {"pinocchio": "loop", "mujoco": "loop", "drake": "python"}


def compare_tree(count: int, children: int) -> list[str]:
    """A row of one tree: forward dynamics, microseconds in a loop of C; Drake and ours also from Python."""
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as scratch:
        case = Case(chain(count, children), Path(scratch))
        ours, abreast = measure_links(case, False), measure_links(case, True)
        for name, key in TREES.items():
            try:
                found[name] = "–" if count > LARGEST.get(name, count) else number(run_peer(case, name)[key])
            except UnavailableError as failure:
                found[name] = str(failure)
    title = "chain" if children == 1 else "each with two children"
    row = [ours["loop"], abreast["loop"], found["pinocchio"], found["mujoco"], ours["python"], found["drake"]]
    row += [ours["inverse"], abreast["inverse"]]
    return [f"{count} links, {title}", *(x if isinstance(x, str) else number(x) for x in row)]


ABOUT = (
    "Microseconds a call, one core, the least of many; seconds of the compiler for forward dynamics, of the processor.",
    "Everybody has the same tree of links and the same states; times count only where accelerations, and Pinocchio's",
    "derivatives of them, agree to 1e-9. Loops: ours over 1,000 states, Pinocchio's in C++ (compiled here with the",
    "headers of its wheel), MuJoCo's `mj_forward` in C without contacts and constraints, CasADi's and heyoka's of code",
    "made from articulated inertias over their expressions, heyoka's and two rows of ours with several states at once",
    "in the lanes of the processor. Compiled anew, the least of three, heyoka without what it keeps on disk.",
    "The columns behind are loops, too; MuJoCo's mass matrix is part of its forward",
    "dynamics. Drake's wheel has no headers: all its figures are from Python. The Jacobian of the last link: its",
    "motion by the speeds; ours comes with its pose and velocity where it is found link by link.",
)


def section() -> str:
    """The chapter of RESULTS.md."""
    rows = [*compare_robot("arm, 7 freedoms", arm()), *compare_robot("humanoid, 33 freedoms", humanoid())]
    head = ["robot", "who", "forward, loop of C", "forward, from Python", "inverse", "mass matrix", "∂(rates)/∂(state)"]
    head += ["Jacobian of the last link", "compiler, s"]
    trees = [compare_tree(count, children) for children in (1, 2) for count in SIZES]
    columns = [
        "tree",
        "linkwork",
        "several at once",
        "Pinocchio",
        "MuJoCo",
        "linkwork, from Python",
        "Drake, from Python",
    ]
    return "\n".join(
        [
            "## Right-hand sides beside Pinocchio, MuJoCo, Drake, CasADi and heyoka", "",
            *ABOUT, "",
            table(head, rows), "",
            "Trees of links, forward dynamics in a loop of C, microseconds (ours: `tree.rhs()`, link by link):", "",
            table([*columns, "linkwork, inverse dynamics", "several at once"], trees), "",
            "Pinocchio's data take 32 n³ bytes: 34 GB for 1,024 links. Our own exported models, straight code:", "",
            own_section(),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    print(own_section() if sys.argv[1:] == ["own"] else section())
