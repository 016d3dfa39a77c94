"""Random trees of bodies with loops and what rolls: a seed in, a Mechanism that closes at its start out.

One to thirty bodies, few more often; each hangs on the world or on another one by any kind of joint, or floats. Some
that float roll. Further joints close loops, as long as freedoms are left.
"""

from dataclasses import replace

import numpy as np

import linkwork as lw
from jointed import Jointed
from linkwork.model import joint_kinds

MOST = 30
LOOPS = {2: ("distance", "pin_slot", "revolute"), 3: ("distance", "in_plane", "in_line", "perpendicular", "spherical")}


class Treed(Jointed):
    """Bodies in the making, with what rolls and the freedoms that are left."""

    def __init__(self, seed, d):
        super().__init__(seed, d)
        self.rng = np.random.default_rng([seed, d, 14])
        self.rolling, self.freedom = [], 0

    def grow(self, kinds):
        """One more body: on a joint, or afloat, and then some roll."""
        kind = str(self.rng.choice(kinds)) if self.rng.random() < 0.85 or len(self.at) == 1 else None
        name, left = f"b{len(self.at) - 1}", {2: 3, 3: 6}[self.d]
        parents = list(self.at)[-4:]  # long rather than wide
        self.add_body(kind, str(self.rng.choice(parents)))
        self.freedom += left if kind is None else joint_kinds(self.d)[kind].freedom
        if kind is None and self.rng.random() < 0.7:
            self.roll(name)

    def roll(self, name):
        """A ball or wheel about the origin of a body, on a slope beneath it."""
        n = self.rng.normal(size=self.d)
        n, radius = n / np.linalg.norm(n), float(self.rng.uniform(0.2, 0.5))
        place = self.at[name][0]
        centre = self.add_frame(name, place, np.eye(self.d))
        on = lw.Plane(point=(place - radius * n).tolist(), normal=n.tolist())
        shape = {"ball": f"{name}.{centre}"} if self.d == 3 else {"wheel": f"{name}.{centre}"}
        self.rolling.append(lw.Rolling(name=f"roll{len(self.rolling)}", radius=radius, on=on, **shape))
        self.freedom -= self.d

    def close(self):
        """One more joint between two bodies, if freedoms are left."""
        kind = str(self.rng.choice(LOOPS[self.d]))
        asked = {2: 3, 3: 6}[self.d] - joint_kinds(self.d)[kind].freedom
        bodies = [name for name in self.at if name != "world"]
        if len(bodies) > 2 and self.freedom > asked + 1:
            one, two = self.rng.choice(bodies, 2, replace=False)
            self.join(kind, str(one), str(two))
            self.freedom -= asked

    def mechanism(self):
        made = super().mechanism()
        return replace(made, rollings=self.rolling) if self.rolling else made


def treed(seed, most=MOST):
    """A tree of up to so many bodies, of the plane and of space in turns."""
    d = 2 + seed % 2
    made = Treed(seed, d)
    kinds = [*joint_kinds(d)]
    for _ in range(1 + int((most - 1) * made.rng.random() ** 2.5)):
        made.grow(kinds)
    for _ in range(made.rng.integers(0, 3)):
        made.close()
    return made.mechanism()
