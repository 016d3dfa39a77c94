"""The spacecraft of the AUTOSIM paper (Sayers 1991): bus, clock, camera, boom on a massless frame; ten freedoms.

Bodies and numbers of its listing; the camera's and the boom's joints are driven by springs and dampers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from linkwork import Tree
from linkwork.model.tree import TreeBody
from linkwork.symbolic import Expr, max, min, symbol

VALUES = {
    "MB": 410, "MC": 6.8, "MD": 57.5, "MF": 10.7,
    "L1": 1.5, "L2": 0.75, "L3": 0.1, "L5": 0.22, "L6": 0.2, "L7": 1.2, "L8": 3.3,
    "KB": 2000, "DB": 10, "KC": 3500, "DC": 20,
    "IB11": 115, "IB12": -14, "IB13": 14, "IB22": 316, "IB23": -34.6, "IB33": 440, "IC": 0.35,
    "ID11": 4.85, "ID12": 0.41, "ID13": -0.07, "ID22": 2.2, "ID23": -0.54, "ID33": 5.5, "IF1": 27.2, "IF2": 0.2,
}  # fmt: skip
START = {"q7": 4 - math.pi, "q8": -0.5}


class Satellite(NamedTuple):
    """The tree and its bodies."""

    tree: Tree
    B: TreeBody
    C: TreeBody
    D: TreeBody
    E: TreeBody
    F: TreeBody


def satellite(clock: Expr | int = 0, camera: Expr | int = 0, speeds: str = "body") -> Satellite:
    """The spacecraft with commanded angles of clock and camera."""
    tree = Tree("satellite", speeds=speeds)
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
