"""The spacecraft of the AUTOSIM paper (M. W. Sayers, 1991): bus, clock, camera and an elastic boom; ten freedoms.

The clock and the camera follow a commanded slew by springs and dampers, the bus turns the other way, and thrusters keep
its attitude within a dead band of 2.5 mrad. Full and small model come from one description.

    python examples/satellite.py             the slew: attitude, pulses, full against small
    python examples/satellite.py FOLDER      and a page that moves (satellite.html) and the picture (satellite.png)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import linkwork as lw
from linkwork.model.tree import TreeBody
from linkwork.symbolic import Expr, max, min, symbol
from linkwork.vectors import Vector, angular_velocity, cross, dot, position, velocity

VALUES = {
    "MB": 410, "MC": 6.8, "MD": 57.5, "MF": 10.7,
    "L1": 1.5, "L2": 0.75, "L3": 0.1, "L5": 0.22, "L6": 0.2, "L7": 1.2, "L8": 3.3,
    "KB": 2000, "DB": 10, "KC": 3500, "DC": 20,
    "IB11": 115, "IB12": -14, "IB13": 14, "IB22": 316, "IB23": -34.6, "IB33": 440, "IC": 0.35,
    "ID11": 4.85, "ID12": 0.41, "ID13": -0.07, "ID22": 2.2, "ID23": -0.54, "ID33": 5.5, "IF1": 27.2, "IF2": 0.2,
}  # fmt: skip
THRUSTERS = {"LTT1": 0.23, "LTT2": 0.21, "LTT3": 0.31, "G": 2, "dead": 0.0025, "least": 0.02}
UNITS = {"fire": "N", "off": "s", "pulses": "1"}  # of each thruster
START = {"q7": 4 - math.pi, "q8": -0.5}


class Satellite(NamedTuple):
    """The tree and its bodies."""

    tree: lw.Tree
    B: TreeBody
    C: TreeBody
    D: TreeBody
    E: TreeBody
    F: TreeBody


def satellite(clock: Expr | float = 0, camera: Expr | float = 0, speeds: str = "body") -> Satellite:
    """The spacecraft with commanded angles of clock and camera, without thrusters."""
    tree = lw.Tree("satellite", speeds=speeds)
    B = tree.add_body("B", translate=(1, 2, 3), rotate="123", mass="MB", inertia=_six("IB"), small=True)
    C = tree.add_body("C", parent=B, rotate=3, mass="MC", inertia=["IC", "IC", 0], centre=(0, 0, "-L2"))
    D = tree.add_body(
        "D", parent=C, joint_at=(0, "L3", "-L1"), rotate=1, mass="MD", centre=(0, "-L5", "-L6"), inertia=_six("ID")
    )
    E = tree.add_body("E", parent=B, joint_at=(0, "-L7", 0), rotate=3, mass=0, inertia=0, small=True)
    F = tree.add_body(
        "F", parent=E, rotate=1, mass="MF", centre=(0, "-L8", 0), inertia=["IF1", "IF2", "IF1"], small=True
    )
    q7, u7, q8, u8 = (tree.read(name, "a law") for name in ("q7", "u7", "q8", "u8"))
    kc, dc = symbol("KC"), symbol("DC")
    tree.add_moment("boom sideways", along=E.z, magnitude="-KB*q9 - DB*u9", on=F, against=B)
    tree.add_moment("boom up", along=F.x, magnitude="-KB*q10 - DB*u10", on=F, against=B)
    tree.add_moment("clock", along=C.z, magnitude=kc * (clock - q7) - dc * u7, on=C, against=B)
    tree.add_moment("camera", along=D.x, magnitude=kc * (camera - q8) - dc * u8, on=D, against=C)
    return Satellite(tree, B, C, D, E, F)


def command() -> tuple[Expr, Expr]:
    """The commanded angles: held for a second, then slowly moved for ten."""
    t = symbol("t", kind="time")
    ramp = max(0, min(10, t - 1))
    return 4 - math.pi - 0.025 * ramp, -0.5 + 0.01 * ramp


def _six(name: str) -> list[str]:
    return [f"{name}{place}" for place in ("11", "12", "13", "22", "23", "33")]


# -- thrusters ---------------------------------------------------------------------------------------------------------


def add_thrusters(craft: Satellite) -> list[lw.Event]:
    """Thrusters about the three axes of the bus, and the logic that fires them.

    Of each axis `fire` is 1, -1 or 0, `off` the time before which it may not end, `pulses` how often it began. It fires
    when the error, angle + G rate, is outside of its band, and stops when it is back but not sooner than `least`.
    """
    tree, B = craft.tree, craft.B
    events = []
    for k, axis in enumerate(B.axes, 1):
        for name, unit in UNITS.items():
            tree.add_input(f"{name}{k}")
            tree.declare_unit(f"{name}{k}", unit)
        tree.add_output(f"error{k}", f"q{k + 3} + G*u{k + 3}", unit="rad")
        tree.add_moment(f"thruster {k}", along=axis, magnitude=f"LTT{k}*fire{k}", on=B)
        events += _logic(f"error{k}", f"fire{k}", f"off{k}", f"pulses{k}", str(k))
    return events


def _logic(error: str, fire: str, off: str, pulses: str, axis: str) -> list[lw.Event]:
    begins = {"below": f"{fire} < 1", "above": f"{fire} > -1"}
    then = {
        name: {off: f"select({new}, t + least, {off})", pulses: f"select({new}, {pulses} + 1, {pulses})"}
        for name, new in begins.items()
    }
    return [
        lw.Event(name=f"below{axis}", when=f"{error} + dead", direction="falling", then={fire: 1, **then["below"]}),
        lw.Event(name=f"above{axis}", when=f"{error} - dead", direction="rising", then={fire: -1, **then["above"]}),
        lw.Event(
            name=f"back{axis}", when=f"abs({error}) - dead", direction="falling",
            then={fire: f"select(t < {off}, {fire}, 0)"},
        ),
        lw.Event(
            name=f"over{axis}", when=f"t - {off}", direction="rising",
            then={fire: f"select(abs({error}) > dead, {fire}, 0)"},
        ),
    ]  # fmt: skip


def add_momenta(craft: Satellite) -> None:
    """Momentum and angular momentum about the origin of the ground, by components: px ... hz."""
    ground = craft.tree.ground
    p, h = Vector({}), Vector({})
    for body in craft.tree.bodies:
        push, w = body.mass * velocity(body.centre), angular_velocity(body)
        p, h = p + push, h + cross(position(body.centre), push) + dot(body.inertia, w)
    for axis, word in zip(ground.axes, "xyz", strict=True):
        craft.tree.add_output(f"p{word}", dot(p, axis), long_name=f"momentum along {word}", unit="N·s")
        craft.tree.add_output(f"h{word}", dot(h, axis), long_name=f"angular momentum about {word}", unit="N·m·s")


def slewing(*, small: bool = False, thrusters: bool = True) -> lw.Model:
    """The slew, from rest at the commanded angles; `small` neglects products of what is small."""
    craft = satellite(*command())
    events = add_thrusters(craft) if thrusters else []
    add_momenta(craft)
    points, lines = _drawn(craft)
    values = {**VALUES, **THRUSTERS} if thrusters else VALUES
    return craft.tree.model(
        small=small, parameters=values, start=START, tend=30, events=events, points=points, lines=lines
    )


def _drawn(craft: Satellite) -> tuple[dict, list[tuple[str, ...]]]:
    """The bus as a box, the clock, the camera as a pyramid, the boom."""
    _, B, C, D, _, F = craft
    corners = [(x, y, z) for z in (-0.35, 0.35) for x, y in ((-0.6, -0.6), (0.6, -0.6), (0.6, 0.6), (-0.6, 0.6))]
    points = {f"b{i}": B.point(f"b{i}", at) for i, at in enumerate(corners)}
    points |= {"hub": C.origin, "arm": C.point("arm", (0, 0, "-L1")), "pivot": D.origin}
    window = [(-0.15, -0.6, -0.35), (0.15, -0.6, -0.35), (0.15, -0.6, -0.05), (-0.15, -0.6, -0.05)]
    points |= {f"c{i}": D.point(f"c{i}", at) for i, at in enumerate(window)}
    points |= {"root": F.origin, "tip": F.point("tip", (0, "-2*L8", 0))}
    lines = [
        ("b0", "b1", "b2", "b3", "b0"),
        ("b4", "b5", "b6", "b7", "b4"),
        *((f"b{i}", f"b{i + 4}") for i in range(4)),
    ]
    lines += [("hub", "arm", "pivot"), ("c0", "c1", "c2", "c3", "c0"), *(("pivot", f"c{i}") for i in range(4))]
    return points, [*lines, ("root", "tip")]


# -- what is shown -----------------------------------------------------------------------------------------------------


def draw(full: lw.Trajectory, small: lw.Trajectory, path: str) -> None:
    """Command, attitude of both models and firings over time."""
    from matplotlib.figure import Figure

    t = np.linspace(0, 30, 3001)
    seen, other = full.at(t), small.at(t)
    figure = Figure(figsize=(7.5, 7.5), layout="constrained")
    top, middle, bottom = figure.subplots(3, 1, sharex=True, gridspec_kw={"height_ratios": [1, 2.4, 1]})
    for name, word, color in (("q7", "clock", "tab:purple"), ("q8", "camera", "tab:brown")):
        top.plot(t, np.degrees(seen[name] - START[name]), color=color, label=f"{word}: angle")
    ramp = np.clip(t - 1, 0, 10)
    top.plot(t, np.degrees(-0.025 * ramp), "k:", linewidth=1.2, label="command")
    top.plot(t, np.degrees(0.01 * ramp), "k:", linewidth=1.2)
    top.set_ylabel("slew [deg]")
    for i, (name, color) in enumerate((("q4", "tab:blue"), ("q5", "tab:red"), ("q6", "tab:green")), 1):
        middle.plot(t, 1000 * seen[name], color=color, label=f"about axis {i}: full")
        middle.plot(t, 1000 * other[name], "--", color="black", linewidth=0.9, label="small" if i == 3 else None)
        bottom.step(t, seen[f"fire{i}"] + 3 * (3 - i), color=color, linewidth=0.8)
    for border in (-2.5, 2.5):
        middle.axhline(border, color="gray", linestyle=":", linewidth=0.8)
    middle.set_ylabel("attitude of the bus [mrad]")
    bottom.set_yticks([6, 3, 0], ["axis 1", "axis 2", "axis 3"])
    bottom.set_ylabel("thrusters")
    bottom.set_xlabel("t [s]")
    top.legend(loc="center right", fontsize=8)
    middle.set_ylim(-2.8, 2.8)
    middle.legend(loc="lower left", bbox_to_anchor=(0.42, 0.04), fontsize=8)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    import sys

    both = [slewing(small=small).simulate(tol=1e-11) for small in (False, True)]
    for word, motion in zip(("full", "small"), both, strict=True):
        for at in (11, 30):
            angles = ", ".join(f"{float(motion.at(at)[name]):.9f}" for name in ("q4", "q5", "q6"))
            print(f"{word:5} model, attitude at {at} s: {angles}")
        counts = "/".join(f"{motion.final[f'pulses{k}']:.0f}" for k in (1, 2, 3))
        print(f"{word:5} model, pulses about the three axes: {counts}; {motion.audit()}")
    for folder in sys.argv[1:]:
        both[0].show(f"{folder}/satellite.html", browser=False)
        draw(*both, f"{folder}/satellite.png")
