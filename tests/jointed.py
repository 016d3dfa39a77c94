"""Random bodies with frames, joined by any kind of joint: a seed in, a Mechanism that closes at its start out.

Bodies are put anywhere; each is joined to the world or to one before it. The frames of a joint are placed such that its
conditions hold there: how the second stands against the first is what the kind leaves free.
"""

import numpy as np

import linkwork as lw
from linkwork.model import joint_kinds

RADIUS, PITCH, TEETH = 0.3, 0.4, (20, 35)


def turn(axis, angle):
    """The rotation about an axis, or in the plane without one."""
    c, s = np.cos(angle), np.sin(angle)
    if axis is None:
        return np.array([[c, -s], [s, c]])
    a = np.asarray(axis) / np.linalg.norm(axis)
    K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + s * K + (1 - c) * K @ K


class Free:
    """What a kind leaves free of the second frame against the first: a place and a rotation, in the first frame."""

    def __init__(self, rng, d):
        self.rng, self.d = rng, d
        self.angle = rng.uniform(-1, 1)
        self.some = rng.uniform(-0.5, 0.5, d)
        self.none = np.zeros(d)
        self.along = np.eye(d)[0 if d == 2 else 2] * rng.uniform(-0.5, 0.5)
        self.across = self.some * [1, 1, 0][:d]
        self.same = np.eye(d)
        self.any = turn(None, self.angle) if d == 2 else turn(rng.normal(size=3), rng.uniform(0.2, 1))

    def of(self, kind):
        return getattr(self, kind if kind in ("distance", "fixed", "parallel", "revolute") else f"{kind}{self.d}")()

    def fixed(self):
        return self.none, self.same

    def revolute(self):
        return self.none, turn(None if self.d == 2 else (0, 0, 1), self.angle)

    def parallel(self):
        return self.some, self.same if self.d == 2 else turn((0, 0, 1), self.angle)

    def distance(self):
        return self.some, self.any

    def translational2(self):
        return self.along, self.same

    def double_translational2(self):
        return self.some, self.same

    def pin_slot2(self):
        return self.along, self.any

    def rack_pinion2(self):
        return self.some, self.any

    def gear2(self):
        return self.some, self.any

    def gear3(self):
        return self.some, turn((0, 0, 1), self.angle)

    def spherical3(self):
        return self.none, self.any

    def perpendicular3(self):
        return self.some, turn((0, 0, 1), self.angle) @ turn((1, 0, 0), np.pi / 2) @ turn((0, 0, 1), self.rng.uniform())

    def universal3(self):
        return self.none, self.perpendicular3()[1]

    def cylindrical3(self):
        return self.along, turn((0, 0, 1), self.angle)

    def screw3(self):
        return self.cylindrical3()

    def prismatic3(self):
        return self.along, self.same

    def planar3(self):
        return self.across, turn((0, 0, 1), self.angle)

    def in_line3(self):
        return self.along, self.any

    def in_plane3(self):
        return self.across, self.any

    def constant_velocity3(self):
        return self.none, turn((np.cos(3 * self.angle), np.sin(3 * self.angle), 0), 0.7)


class Jointed:
    """Bodies in the making: where they are, their frames, the joints between them."""

    def __init__(self, seed, d):
        self.rng, self.d = np.random.default_rng([seed, d, 5]), d
        self.at = {"world": (np.zeros(d), np.eye(d), 0.0)}
        self.frames = {"world": {}}
        self.joints, self.efforts, self.torques, self.places = [], [], [], {}

    def add_body(self, kind, parent=None):
        """One more body, joined to the world or to another by a kind; without a kind it floats."""
        name, rng, d = f"b{len(self.at) - 1}", self.rng, self.d
        parent = str(rng.choice(list(self.at))) if parent is None else parent
        angle = rng.uniform(-1, 1)
        R = turn(None, angle) if d == 2 else turn(rng.normal(size=3), rng.uniform(0.3, 2.5))
        self.at[name] = rng.uniform(-1, 1, d), R, angle
        self.frames[name] = {}
        if kind is not None:
            self.join(kind, parent, name)
        for k in range(d):
            self.add_frame(name, self.at[name][0] + R[:, k] * rng.uniform(0.2, 0.6), None)

    def join(self, kind, parent, name):
        """A joint whose frames are where it closes, and now and then something that works in it."""
        rng, d = self.rng, self.d
        place, axes = self.at[parent][0] + rng.uniform(-0.5, 0.5, d), self.random_axes()
        shift, rotation = Free(rng, d).of(kind)
        i, j = self.add_frame(parent, place, axes), self.add_frame(name, place + axes @ shift, axes @ rotation)
        joint = f"j{len(self.joints)}"
        own = self.own(kind, (parent, i), (name, j), shift, rotation)
        self.joints.append(lw.Joint(name=joint, kind=kind, frames=(f"{parent}.{i}", f"{name}.{j}"), parameters=own))
        self.add_effort(joint, joint_kinds(d)[kind])

    def random_axes(self):
        if self.d == 2:
            return turn(None, self.rng.uniform(-1, 1))
        return turn(self.rng.normal(size=3), self.rng.uniform(0.1, 2))

    def add_frame(self, body, place, axes):
        """A frame of a body where it is in the world; without axes a place only."""
        p, R, _ = self.at[body]
        name, at = f"f{len(self.frames[body])}", (R.T @ (place - p)).tolist()
        if axes is None:
            self.frames[body][name] = lw.Frame(at)
        elif self.d == 2:
            own = R.T @ axes
            self.frames[body][name] = lw.Frame(at, angle=float(np.arctan2(own[1, 0], own[0, 0])))
        else:
            own = R.T @ axes
            self.frames[body][name] = lw.Frame(at, z=own[:, 2].tolist(), x=own[:, 0].tolist())
        if body != "world":
            self.places[f"{body}.{name}"] = place
        return name

    def own(self, kind, i, j, shift, rotation):
        """The numbers that a kind needs, such that it closes."""
        if kind == "distance":
            return {"length": float(np.linalg.norm(shift))}
        if kind == "screw":
            angle = np.arctan2(rotation[1, 0], rotation[0, 0])
            return {"pitch": PITCH, "offset": float(shift[2] - PITCH * angle / (2 * np.pi))}
        if kind == "gear":
            # the second centre is where it is in the first wheel, turned back by the share of the second
            turned = np.arctan2(rotation[1, 0], rotation[0, 0])
            if self.d == 2:
                first, second = (self.at[body][2] + float(self.frames[body][frame].angle) for body, frame in (i, j))
                turned = second - first
            phase = np.arctan2(shift[1], shift[0]) - TEETH[1] / sum(TEETH) * turned
            return {"teeth1": TEETH[0], "teeth2": TEETH[1], "phase": float(phase)}
        if kind == "rack_pinion":
            angles = [self.at[body][2] + float(self.frames[body][frame].angle) for body, frame in (i, j)]
            return {"radius": RADIUS, "offset": float((rotation.T @ -shift)[0] + RADIUS * (angles[0] - angles[1]))}
        return {}

    def add_effort(self, joint, kind):
        """Now and then something that works on what is free."""
        if self.rng.random() < 0.3 and kind.quantities:
            on = f"{joint}.{kind.quantities[0]}"
            self.efforts.append(lw.Effort(on=on, value=f"-2*{on}"))
        if self.rng.random() < 0.3 and kind.turns:
            self.torques.append(lw.Torque(part=joint, value=f"1 - 0.3*{joint}.omega"))

    def body(self, name):
        rng, d = self.rng, self.d
        inertia = 0.2
        if d == 3:
            Q, (a, b, c) = turn(rng.normal(size=3), 1.0), rng.uniform(0.1, 0.3, 3)
            I = Q @ np.diag([a + b, b + c, a + c]) @ Q.T
            inertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        centre = rng.uniform(-0.2, 0.2, d).tolist()
        return lw.Body(name, mass=float(rng.uniform(0.5, 2)), centre=centre, inertia=inertia, frames=self.frames[name])

    def mechanism(self):
        rng, d = self.rng, self.d
        bodies = [self.body(name) for name in self.at if name != "world"]
        ends = [str(p) for p in rng.permutation(list(self.places))[:2]]
        spring = lw.Spring(name="spring", points=ends, stiffness=5, rest_length=0.1)
        speeds = {str(p): rng.uniform(-1, 1, d).tolist() for p in rng.permutation(list(self.places))[:2]}
        return lw.Mechanism(
            dimension=d, bodies=[*bodies, lw.Body("world", frames=self.frames["world"])], joints=self.joints,
            springs=[spring] if len({p.partition(".")[0] for p in ends}) == 2 else [],
            efforts=self.efforts, torques=self.torques, gravity=[0.0] * (d - 1) + [-9.81],
            start=lw.InitialValues(positions={p: x.tolist() for p, x in self.places.items()}, velocities=speeds),
        )  # fmt: skip


def jointed_bodies(seed):
    """Two to five bodies; every kind of joint of the plane and of space comes first in one of forty-two seeds.

    A gear turns up in every seventh, as the last one.
    """
    d = 2 + seed % 2
    kinds = [kind for kind in joint_kinds(d) if kind != "gear"]
    made = Jointed(seed, d)
    made.add_body(kinds[seed // 2 % len(kinds)])
    for _ in range(made.rng.integers(1, 4)):
        made.add_body(str(made.rng.choice(kinds)))
    if seed % 7 == 3:
        made.add_body("gear")
    return made.mechanism()


def rough_bodies(seed):
    """Two or three bodies whose joints rub by the forces that they carry."""
    d = 2 + seed % 2
    kinds = [kind for kind in joint_kinds(d) if kind != "gear"]
    made = Jointed(seed, d)
    made.add_body(kinds[seed // 2 % len(kinds)])
    for _ in range(made.rng.integers(1, 3)):
        made.add_body(str(made.rng.choice(kinds)))
    for joint in made.joints:
        kind = joint_kinds(d)[joint.kind]
        if kind.turns:
            law = f"-0.02*{joint.name}.force*tanh({joint.name}.omega)"
            made.torques.append(lw.Torque(part=joint.name, value=law))
        elif kind.quantities:
            on = f"{joint.name}.{kind.quantities[0]}"
            law = f"-0.02*{joint.name}.force*tanh({on}) - 0.01*{joint.name}.torque"
            made.efforts.append(lw.Effort(on=on, value=law))
    return made.mechanism()
