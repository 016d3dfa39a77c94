"""A five-bar parallel robot from models of its rods: one rod is a module, four of them and five pins make the robot.

Two cranks stand on the ground and carry two rods that meet in a pin, the tool. Springs at the cranks hold it up.

    python examples/modular_robot.py             freedoms, constraints, frequencies about the rest, the motion
    python examples/modular_robot.py FOLDER      and a page that moves (robot.html), the pattern of the Jacobian and the
                                                 path of the tool (robot.png)
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

import linkwork as lw
from linkwork import modular as md

LENGTHS = {"left": 0.8, "right": 0.8, "upleft": 1.1, "upright": 1.1}
GROUND = 0.5  # from the middle to each crank
PARAMETERS = {"g": 9.81, "d": GROUND, "k": 150.0, "c": 1.5, "a": 2.0, "b": math.pi - 2.0}


def rod(label: str) -> md.Module:
    """A rod in the plane with places for pins at both of its ends."""
    body = md.newton_euler(label, plane="xy", gravity="-y")
    ends = {}
    for end, sign in (("s", "-"), ("e", "+")):
        for x, f in (("x", "cos"), ("y", "sin")):
            ends[f"{end}{x}"] = f"{end}{x}_{label} - (p_{label}{x} {sign} h_{label}*{f}(theta_{label}))"
    places = " ".join(f"{end}{x}_{label}" for end in "se" for x in "xy")
    return md.compose(f"rod_{label}", body, coordinates=places, constraints={0: ends})


def pin(name: str, one: str, two: str) -> dict[str, str]:
    """Two ends at one place: "el" is the end e of the rod l, and what has a comma a place of the ground."""
    return {f"{name} {x}": f"{_place(one, i)} - ({_place(two, i)})" for i, x in enumerate("xy")}


def _place(end: str, i: int) -> str:
    return end.split(",")[i] if "," in end else f"{end[0]}{'xy'[i]}_{end[1:]}"


def robot() -> md.Module:
    """The whole of it."""
    pins = pin("A", "sleft", "-d,0") | pin("B", "sright", "d,0")
    pins |= pin("C", "supleft", "eleft") | pin("D", "supright", "eright") | pin("tool", "eupleft", "eupright")
    springs = {"w_left": "k*(a - theta_left) - c*w_left", "w_right": "k*(b - theta_right) - c*w_right"}
    return md.compose("robot", [rod(label) for label in LENGTHS], constraints={0: pins}, forces=springs)


def model() -> lw.Model:
    """The robot with its numbers, somewhere to the right of where its springs would have it."""
    values, start = dict(PARAMETERS), {}
    for label, length in LENGTHS.items():
        values |= {f"h_{label}": length / 2, f"m_{label}": length, f"I_{label}": length**3 / 12}
    elbows = [(x + 0.8 * math.cos(t), 0.8 * math.sin(t)) for x, t in ((-GROUND, 1.7), (GROUND, 0.8))]
    way = math.dist(*elbows)
    slope = math.atan2(elbows[1][1] - elbows[0][1], elbows[1][0] - elbows[0][0])
    turn = math.acos(way / 2 / 1.1)
    begins = dict(zip(LENGTHS, ((-GROUND, 0.0), (GROUND, 0.0), *elbows), strict=True))
    for label, angle in zip(LENGTHS, (1.7, 0.8, slope + turn, slope + math.pi - turn), strict=True):
        x, y = begins[label]
        along = LENGTHS[label] * math.cos(angle), LENGTHS[label] * math.sin(angle)
        start |= {f"theta_{label}": angle, f"p_{label}x": x + along[0] / 2, f"p_{label}y": y + along[1] / 2}
        start |= {f"sx_{label}": x, f"sy_{label}": y, f"ex_{label}": x + along[0], f"ey_{label}": y + along[1]}
    points = {"A": ("-d", 0), "B": ("d", 0), "C": ("ex_left", "ey_left"), "D": ("ex_right", "ey_right")}
    return robot().model(
        parameters=values,
        start=start,
        points=points | {"tool": ("ex_upleft", "ey_upleft")},
        lines=[("A", "C", "tool", "D", "B")],
        title="Five-bar robot of modules",
    )


def main(folder: str | None) -> None:
    """Print what there is to know, and draw it."""
    whole = robot()
    print(f"{whole.freedoms} freedoms: {', '.join(whole.independent)}; {len(whole.jacobian.rows)} constraints")
    machine = model()
    rest = machine.equilibrium()
    place = {q.name: float(rest.state[q.name]) for q in whole.coordinates}
    linear = whole.linearize(place, rules=machine.parameters)
    print("about its rest:", ", ".join(f"{z:.4g}" for z in linear.eigenvalues() if z.imag >= 0))
    motion = machine.simulate(4, tol=1e-10)
    print(f"{motion.outcome}; audited: {motion.audit().ok}; the tool is at {motion.final['tool'].round(4)}")
    if folder is not None:
        from matplotlib import pyplot

        figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 5), width_ratios=(3, 2), layout="constrained")
        whole.A.plot(left)
        right.plot(*motion.at(np.linspace(0, 4, 800))["tool"].T)
        right.set(title="the path of the tool", xlabel="x [m]", ylabel="y [m]")
        figure.savefig(Path(folder) / "robot.png", dpi=120)
        motion.show(str(Path(folder) / "robot.html"), browser=False)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
