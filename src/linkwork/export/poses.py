"""What the entries of a state are where poses carry parts, in words: their names in, units and words out."""

from __future__ import annotations

import re
from typing import NamedTuple


class Told(NamedTuple):
    """What an entry of the state of a part is, and its rate."""

    unit: str
    place: str
    speed: str


AXES = str.maketrans("012", "xyz")
# by how its name ends
OF_POSES = {
    r"[xyz]": Told("m", "place of its mass centre", "speed"),
    r"w([xyz])": Told("rad", "the speed summed up; nothing depends on it", "spin about its own {0} axis"),
    r"turn": Told("rad", "angle seen from the ground", "speed"),
    r"angle": Told("rad", "angle of its joint", "speed"),
    r"travel\d": Told("m", "travel of its joint", "speed"),
    r"c": Told("", "cosine of its angle", ""),
    r"s": Told("", "sine of its angle", ""),
    r"r(\d)(\d)": Told("", "component along {0} of its {1} axis (rotation matrix)", ""),
    r"f\d[xyz]": Told("m", "its travel, over the axes of the ground", ""),
}


def tell_pose(name: str) -> Told | None:
    """What an entry of the state of a part that poses carry is, by its name."""
    _, dot, last = name.rpartition(".")
    for pattern, told in OF_POSES.items() if dot else ():
        if found := re.fullmatch(pattern, last):
            axes = [axis.translate(AXES) for axis in found.groups()]
            return Told(*(words.format(*axes) for words in told))
    return None
