"""Hanging chains beside MuJoCo and Exudyn: one simulated second, time against the error of the tip.

The chain has N uniform thin rods, 1 m and 1 kg together, and starts horizontal: planar from rest, spatial (ball joints)
turning about the vertical at 2 rad/s. The reference is linkwork at its smallest tolerance; the peers converge to it.
"""

from __future__ import annotations

import math

import linkwork as lw
from common import HERE, UnavailableError, find_python, number, read_lines, run_quietly, table

COUNTS = (4, 16, 64, 256)
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
SPIN = 2.0
LARGEST = {"exudyn": 64}
PEERS = {"planar": {"chain_mujoco": "mujoco", "chain_exudyn": "exudyn"}, "spatial": {"chain_mujoco": "mujoco"}}


def make_chain(count: int, kind: str) -> lw.Model:
    """The chain as a mechanism."""
    spatial = kind == "spatial"
    rods = [lw.Rigid.rod(f"P{i}P{i + 1}", 1.0 / count, 1.0 / count) for i in range(count)]
    places = {f"P{i}": (i / count, 0.0, 0.0)[: 3 if spatial else 2] for i in range(1, count + 1)}
    speeds = {f"P{i}": (0.0, SPIN * i / count, 0.0) for i in range(1, count + 1)} if spatial else {}
    return lw.Model(
        lw.Mechanism(
            dimension=3 if spatial else 2,
            fixed={"P0": ()},
            rigids=rods,
            gravity=(0, 0, -9.81) if spatial else (0, -9.81),
            start=lw.InitialValues(tend=1, positions=places, velocities=speeds),
        )
    )


def tip_of(motion: lw.Trajectory, count: int) -> tuple[float, float, float]:
    """The end of the chain as (x, y, z) with z up."""
    place = motion.final[f"P{count}"].tolist()
    return (place[0], 0.0, place[1]) if len(place) == 2 else tuple(place)


def measure_linkwork(count: int, kind: str) -> tuple[tuple[float, ...], list[tuple[float, float]]]:
    """The reference tip, and (ms, error) at each tolerance."""
    chain = make_chain(count, kind)
    reference = tip_of(chain.simulate(1.0, tol=1e-15), count)
    rows = []
    for tol in TOLERANCES:
        runs = [chain.simulate(1.0, tol=tol) for _ in range(3 if count < 200 else 1)]
        rows.append((1e3 * min(m.stats.seconds for m in runs), math.dist(tip_of(runs[-1], count), reference)))
    return reference, rows


def measure_peer(script: str, environment: str, count: int, kind: str, reference: tuple[float, ...]) -> list[dict]:
    python = find_python(environment)
    lines = read_lines(run_quietly([python, HERE / "peers" / f"{script}.py", count, kind]))
    return [{**line, "error": math.dist(line["tip"], reference)} for line in lines if "tip" in line]


def at_error(rows: list[tuple[float, float]], error: float) -> float | None:
    """Our cheapest milliseconds at no more than this error."""
    return min((ms for ms, found in rows if found <= error), default=None)


def compare(count: int, kind: str) -> list[list[str]]:
    """One row for each setting of each peer, beside ours at the same error or better."""
    reference, ours = measure_linkwork(count, kind)
    best = min(ours, key=lambda row: row[1])
    rows = [[f"{kind} {count}", "linkwork, tightest of five", number(best[0]), f"{best[1]:.1e}", "", ""]]
    for script, environment in PEERS[kind].items():
        if count > LARGEST.get(environment, count):
            continue  # minutes for a single run
        try:
            lines = measure_peer(script, environment, count, kind, reference)
        except UnavailableError as failure:
            rows.append([f"{kind} {count}", f"{environment}: {failure}", "–", "–", "–", "–"])
            continue
        for line in lines:
            mine = at_error(ours, line["error"])
            ratio = f"{line['ms'] / mine:.0f}×" if mine else "–"
            name = f"{line['solver']}, {line['setting']}"
            rows.append([f"{kind} {count}", name, number(line["ms"]), f"{line['error']:.1e}", number(mine), ratio])
    return rows


def section() -> str:
    """The chapter of RESULTS.md."""
    rows = [row for kind in PEERS for count in COUNTS for row in compare(count, kind)]
    head = ["chain", "solver", "ms per simulated second", "tip error [m]", "linkwork ms at that error", "ratio"]
    about = (__doc__ or "").split("\n\n", 1)[1]
    return "\n".join(["## Hanging chains beside MuJoCo and Exudyn", "", about, table(head, rows)])


if __name__ == "__main__":
    print(section())
