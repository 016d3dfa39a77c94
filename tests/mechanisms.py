"""Random mechanisms of every kind for the audit: a seed in, a Mechanism that closes at the places it is built from out.

Points are scattered, parts are put on them in any order of points, and everything else (ties, drivers, springs, laws)
is made to fit these places. Some are locked, redundant or nearly singular; what is simulated must be right anyway.
"""

from dataclasses import replace

import numpy as np

import linkwork as lw
from linkwork.model.connections import Joint

# laws differ in numbers only, so that few kernels are compiled
FORCES = (
    ("f*sin(w*t)", "-c*{p}.vy", "f"),
    ("-f*tanh({p}.vx/s)", "f*exp(-((t - s)/s)**2)", "-c*{p}.vx"),
    ("-c*{p}.x", "-f*{p}.vx*abs({p}.vx)", "f*cos(w*t)"),
)
LISTS = (
    "rigids", "springs", "particles", "torques", "forces", "dampers", "dissipations", "motions", "collinears",
    "coplanars", "joints", "states", "moments", "rollings", "knife_edges", "velocity_constraints", "stops", "frictions",
    "events", "contacts",
)  # fmt: skip
JOINTS = ("spherical", "revolute", "universal", "cylindrical", "prismatic", "planar", "fixed")


class Recipe:
    """A mechanism in the making: places of points, and lists of what has been put on them."""

    def __init__(self, seed, dimension):
        self.rng, self.d, self.seed = np.random.default_rng([seed, dimension]), dimension, seed
        self.late = np.random.default_rng([seed, dimension, 12])
        self.latest = np.random.default_rng([seed, dimension, 13])
        self.size = 10 ** self.rng.uniform(-1, 1)
        self.places, self.fixed = {}, {}
        self.lists = {name: [] for name in LISTS}
        self.parameters = {"f": self.number(0.1, 3), "c": self.number(0.05, 1), "w": self.number(1, 6), "s": 0.2}
        self.variables, self.inputs = {}, {}

    # -- dice ---------------------------------------------------------------------------------------------------------

    def number(self, low, high):
        return round(float(self.rng.uniform(low, high)), 3)

    def maybe(self, chance):
        return bool(self.rng.random() < chance)

    def some(self, things, count=1):
        things = list(things)
        picked = self.rng.permutation(len(things))[:count]
        return [things[i] for i in picked]

    def point(self, near=None, place=None):
        """A new point, anywhere or near another."""
        name = f"P{len(self.places)}"
        if place is None:
            center = np.zeros(self.d) if near is None else self.places[near]
            place = center + self.size * self.rng.uniform(-1, 1, self.d)
        self.places[name] = np.asarray(place, dtype=float)
        return name

    def fix(self, name):
        self.fixed[name] = self.places[name].tolist()
        return name

    @property
    def moving(self):
        used = [p for rigid in self.lists["rigids"] for p in rigid.points]
        used += [p.point for p in self.lists["particles"]] + [p for s in self.lists["springs"] for p in s.points]
        return [p for p in dict.fromkeys(used) if p not in self.fixed]

    @property
    def turning(self):
        """Parts that may turn: at most one of their points is fixed."""
        return [r for r in self.lists["rigids"] if sum(p in self.fixed for p in r.points) < 2]

    # -- parts --------------------------------------------------------------------------------------------------------

    def frame(self, points):
        """Axes as columns, as a part with these points has them."""
        at = [self.places[p] for p in points]
        x = (at[1] - at[0]) / np.linalg.norm(at[1] - at[0])
        if self.d == 2:
            return np.array([[x[0], -x[1]], [x[1], x[0]]])
        y = (at[2] if len(at) > 2 else at[0] + np.eye(3)[np.argmin(np.abs(x))]) - at[0]
        y = y - (x @ y) * x
        y = y / np.linalg.norm(y)
        return np.stack([x, y, np.cross(x, y)], axis=1)

    def body(self, points, massless=False):
        """A part through these points, in any order that makes a frame."""
        points = self.some(points, len(points))
        Q, o = self.frame(points), self.places[points[0]]
        local = np.array([Q.T @ (self.places[p] - o) for p in points])
        local[1, 1:] = 0.0
        local[0] = 0.0
        if self.d == 3 and len(points) > 2:
            local[2, 2] = 0.0
        mass = 0.0 if massless else self.number(0.2, 3)
        centroid = (
            local.mean(axis=0)
            if len(points) > 2
            else np.array([self.number(0.2, 0.8) * local[1, 0]] + [0.0] * (self.d - 1))
        )
        spread = mass * float(np.mean(np.sum((local - centroid) ** 2, axis=1)))
        if self.d == 2 or len(points) == 2:
            inertia = 0.7 * spread
        else:
            a, b, c = self.rng.uniform(0.5, 1, 3) * spread
            turn = np.linalg.qr(self.rng.normal(size=(3, 3)))[0]
            I = turn @ np.diag([a + b, b + c, a + c]) @ turn.T
            inertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        rigid = lw.Rigid(
            name=f"B{len(self.lists['rigids'])}", points=points, geometry=local.tolist(),
            centroid=centroid.tolist(), mass=mass, inertia=inertia,
        )  # fmt: skip
        self.lists["rigids"].append(rigid)
        return rigid

    def chain(self):
        """Bodies that hang on fixed points and on each other by any of their points."""
        first = self.fix(self.point())
        self.body([first, *(self.point(first) for _ in range(self.rng.integers(self.d - 1, 5)))])
        for _ in range(self.rng.integers(0, 3)):
            joined = self.some(self.moving or [first])
            count = 1 if self.d == 3 and self.maybe(0.3) else int(self.rng.integers(self.d - 1, 4))
            self.body([*joined, *(self.point(joined[0]) for _ in range(count))], massless=self.maybe(0.1))

    def close(self):
        """A rod from a point to the ground, or to another point."""
        if self.maybe(0.5):
            a = self.some(self.moving)[0]
            other = (
                self.fix(self.point(a)) if self.maybe(0.7) else self.some([p for p in self.moving if p != a] or [a])[0]
            )
            if other != a and self.d * len(self.moving) > 4:
                self.body([a, other])

    # -- what acts ----------------------------------------------------------------------------------------------------

    def dress(self):
        """Springs, particles, dampers, forces, torques, states."""
        taken = {particle.point for particle in self.lists["particles"]}
        for p in self.some(self.moving, self.rng.integers(0, 3)):
            if self.maybe(0.5) and p not in taken:
                self.lists["particles"].append(lw.Particle(point=p, mass=self.number(0.1, 2)))
            other = self.fix(self.point(p)) if self.maybe(0.5) else self.point(p)
            if other not in self.fixed:
                self.lists["particles"].append(lw.Particle(point=other, mass=self.number(0.1, 2)))
            length = float(np.linalg.norm(self.places[p] - self.places[other]))
            self.lists["springs"].append(lw.Spring(
                name=f"{p}{other}", points=(p, other), stiffness=self.number(1, 50),
                rest_length=self.number(0, 1) * length, mass=self.number(0, 0.3) if self.maybe(0.3) else 0,
            ))  # fmt: skip
            if self.maybe(0.5):
                self.lists["dampers"].append(lw.Damper(name=f"{p}{other}", points=(p, other), coefficient="c"))
        for p in self.some(self.moving, self.rng.integers(0, 2)):
            laws = [law.format(p=p) for law in self.some(FORCES)[0][: self.d]]
            part = next((r.name for r in self.lists["rigids"] if p in r.points[self.d :]), None)
            self.lists["forces"].append(lw.Force(point=p, components=laws, part=part if self.maybe(0.3) else None))
        if self.maybe(0.2):
            p = self.some(self.moving)[0]
            self.lists["dissipations"].append(lw.Dissipation(name="air", function=f"c*{p}.vx**2/2 + c*{p}.vy**2/4"))
        if self.maybe(0.2):
            p = self.some(self.moving)[0]
            self.lists["states"].append(lw.State(name="lag", rate=f"({p}.vx - lag)/s"))
            self.lists["forces"].append(lw.Force(point=p, components=["-c*lag"] + [0] * (self.d - 1)))

    def slide(self):
        """A point on a line through two others, or in a plane through three."""
        known = [*self.moving, *self.fixed]
        if self.maybe(0.35) and len(known) > 1:
            a, b = self.some(known, 2)
            if np.linalg.norm(self.places[a] - self.places[b]) < 1e-3 * self.size:
                return
            c = self.point(place=self.places[a] + self.number(0.2, 0.8) * (self.places[b] - self.places[a]))
            self.lists["collinears"].append(lw.Collinear(f"{a}{b}{c}", points=(a, b, c)))
            self.carry(c)
        if self.d == 3 and self.maybe(0.3) and len(known) > 2:
            a, b, c = self.some(known, 3)
            A, B, C = (self.places[p] for p in (a, b, c))
            if np.linalg.norm(np.cross(B - A, C - A)) < 1e-3 * self.size**2:
                return  # points of a joint in one place, which no plane goes through
            e = self.point(place=A + self.number(0.2, 0.6) * (B - A) + self.number(0.2, 0.6) * (C - A))
            self.lists["coplanars"].append(lw.Coplanar(f"{a}{b}{c}{e}", points=(a, b, c, e)))
            self.carry(e)

    def carry(self, point):
        """Something with mass at a point: a particle, or a body that has it anywhere among its points."""
        if self.maybe(0.5):
            self.lists["particles"].append(lw.Particle(point=point, mass=self.number(0.1, 2)))
        else:
            self.body([point, *(self.point(point) for _ in range(self.rng.integers(self.d - 1, 4)))])

    def drive(self):
        """A prescribed place, length or angle; places of any point of a body."""
        if not self.maybe(0.3):
            return
        what = self.some(["place", "length", "angle"])[0]
        law, target, begin = "x0 + s*sin(w*t)", None, 0.0
        if what == "place":
            p, axis = self.some(self.moving)[0], int(self.rng.integers(self.d))
            target, begin = f"{p}.{'xyz'[axis]}", self.places[p][axis]
        elif what == "length" and len(self.moving) > 1:
            a, b = self.some([*self.moving, *self.fixed], 2)
            target, begin = f"{a}{b}.length", float(np.linalg.norm(self.places[a] - self.places[b]))
            apart = not any(a in rigid.points and b in rigid.points for rigid in self.lists["rigids"])
            target = target if apart and not (a in self.fixed and b in self.fixed) else None
        elif what == "angle" and self.d == 2 and self.turning:
            rigid = self.some(self.turning)[0]
            x = self.places[rigid.points[1]] - self.places[rigid.points[0]]
            target, begin, law = f"{rigid.name}.angle", float(np.arctan2(x[1], x[0])), "x0 + w*t"
        if target is not None:
            self.parameters |= {"s": self.number(0.02, 0.1) * self.size, "x0": float(begin)}
            self.lists["motions"].append(lw.Driver(target=target, law=law))

    def torque(self):
        """A torque on a part in the plane, constant or by a law."""
        if self.d == 2 and self.maybe(0.4):
            names = [r.name for r in self.some(self.lists["rigids"], 2)]
            other = names[1] if len(names) > 1 and self.maybe(0.5) else None
            law = self.some(
                [self.number(-2, 2), f"-c*{names[0]}.omega", f"f*sin({names[0]}.angle) - c*{names[0]}.omega"]
            )[0]
            self.lists["torques"].append(lw.Torque(part=names[0], value=law, other=other))

    # -- joints -------------------------------------------------------------------------------------------------------

    def joint(self):
        """A body on the world or on another body by one of the seven kinds, sometimes with a torque on its angle."""
        bodies = [r for r in self.lists["rigids"] if len(r.points) > 2]
        one = self.some(bodies)[0].name if bodies and self.maybe(0.6) else "world"
        kind = self.some(JOINTS)[0]
        p1 = self.fix(self.point()) if one == "world" else self.some(self.find(one).points)[0]
        z = self.unit()
        if self.maybe(0.5):
            p2 = p1
        else:
            axis_free = {"cylindrical", "prismatic"}
            z = self.unit()
            d = (
                self.number(0.1, 0.6)
                * self.size
                * (z if kind in axis_free else np.cross(z, self.unit()) if kind == "planar" else 0 * z)
            )
            p2 = self.point(place=self.places[p1] + d)
        rigid = self.body([p2, *(self.point(p2) for _ in range(self.rng.integers(2, 4)))])
        across = self.unit()
        x = np.cross(z, across) / np.linalg.norm(np.cross(z, across))
        axes = (z, np.cross(z, x)) if kind == "universal" else (z, z)
        frames = [np.eye(3) if part == "world" else self.frame(self.find(part).points) for part in (one, rigid.name)]
        self.lists["joints"].append(Joint(
            name=f"j{len(self.lists['joints'])}", kind=kind, parts=(one, rigid.name), points=(p1, p2),
            axes=[(Q.T @ v).tolist() for Q, v in zip(frames, axes, strict=True)],
            references=[(Q.T @ x).tolist() for Q in frames],
        ))  # fmt: skip
        name = self.lists["joints"][-1].name
        if kind in ("revolute", "cylindrical", "planar") and self.maybe(0.4):
            law = self.some([self.number(-1, 1), f"-c*{name}.omega", f"f*sin({name}.angle)"])[0]
            self.lists["torques"].append(lw.Torque(part=name, value=law))
        elif kind == "revolute" and self.maybe(0.2):
            self.lists["motions"].append(lw.Driver(target=f"{name}.angle", law="w*t"))

    # -- contacts, moments, speeds ------------------------------------------------------------------------------------

    def extras(self):
        """Now and then one of these, by dice of their own: the rest is what it is without them."""
        self.rng, rng = self.late, self.rng
        if self.maybe(0.3):
            self.some([self.roll, self.skate, self.hold, self.twist, self.speed])[0]()
        self.rng = rng

    def contact(self, chance):
        """Now and then two shapes that touch or are about to, by dice of their own as well."""
        self.rng, rng = self.latest, self.rng
        if self.maybe(chance) and self.bodies():
            rigid, point = self.some(self.bodies())[0]
            others = [(r, p) for r, p in self.bodies() if r is not rigid and p not in rigid.points]
            shape = self.some(["point", "ball", "disc"])[0]
            meets = [self.on_plane, self.on_ball, self.in_bowl] + ([self.on_cam] if others else [])
            meet = self.on_plane if shape == "disc" else self.some(meets)[0]
            radius = 0.0 if shape == "point" else self.number(0.1, 0.3) * self.size
            self.parameters |= {"rr": radius, "rk": self.number(50, 500) / self.size**0.5, "rm": self.number(0.1, 0.6)}
            self.parameters |= {"rc": self.number(0, 0.3) / self.size, "rv": 0.2 * self.size}
            on = meet(rigid, point, radius, others)
            given = {shape: f"{rigid.name}.{point}", **({} if shape == "point" else {"radius": "rr"})}
            law = {"stiffness": "rk", "damping": "rc"} | ({"friction": "rm", "slip_speed": "rv"} if radius else {})
            self.lists["contacts"].append(lw.Contact(name="touch", on=on, **given, **law))
        self.rng = rng

    def harden(self):
        """Contacts that gave way are rigid: they strike, and push while they touch."""
        for k, c in enumerate(self.lists["contacts"]):
            given = {c.shape: c.frame} | ({} if c.shape == "point" else {"radius": "rr"})
            self.parameters["re"] = (0.0, 0.3, 0.7)[self.seed % 3]
            rough = self.d == 3 and self.seed % 4 == 3 and not isinstance(c.on, lw.Ball | lw.Cam)
            more = {"friction": "rm"} if rough else {}
            self.lists["contacts"][k] = lw.Contact(name=c.name, on=c.on, restitution="re", **given, **more)

    @property
    def depth(self):
        return self.number(-0.05, 0.02) * self.size

    def on_plane(self, rigid, point, radius, others):
        """The plane below a point, ball or rim."""
        n, arm = self.unit()[: self.d], radius
        n = n / np.linalg.norm(n)
        axes = self.frame(rigid.points)
        if self.d == 3:
            arm = radius * float(np.hypot(n @ axes[:, 0], n @ axes[:, 1]))
        o = self.places[point] - (max(arm, radius) - self.depth) * n
        names = [f"r{k}{i}" for k in "on" for i in range(self.d)]
        self.parameters |= dict(zip(names, map(float, [*o, *n]), strict=True))
        return lw.Plane(point=names[: self.d], normal=names[self.d :])

    def on_ball(self, rigid, point, radius, others):
        """A ball on another body, or one that stands still."""
        if others and self.maybe(0.6):
            centre, place = (f"{others[0][0].name}.{others[0][1]}", self.places[others[0][1]])
        else:
            centre, place = (name := self.fix(self.point(point))), self.places[name]
        distance = float(np.linalg.norm(self.places[point] - place))
        self.parameters["rb"] = max(distance - radius + self.depth, 0.05 * self.size)
        return lw.Ball(frame=centre, radius="rb")

    def in_bowl(self, rigid, point, radius, others):
        """A bowl that stands still about a point."""
        centre = self.fix(self.point(point))
        distance = float(np.linalg.norm(self.places[point] - self.places[centre]))
        self.parameters["rb"] = max(distance + radius - self.depth, 1.2 * radius)
        return lw.Ball(frame=centre, radius="rb", hollow=True)

    def on_cam(self, rigid, point, radius, others):
        """A cam on another body, as large as it takes."""
        part, centre = others[0]
        d = (self.places[point] - self.places[centre]) @ self.frame(part.points)
        size = float(np.hypot(d[0], d[1])) / (1 + 0.15 * np.cos(2 * np.arctan2(d[1], d[0])))
        self.parameters["rb"] = max(size - radius + self.depth, 0.2 * self.size)
        return lw.Cam(frame=f"{part.name}.{centre}", radius="rb*(1 + 0.15*cos(2*phi))")

    def bodies(self):
        """Parts that have axes and may move, each with a point that does."""
        parts = [r for r in self.turning if len(r.points) >= self.d]
        return [(r, p) for r in parts for p in r.points if p not in self.fixed]

    def roll(self):
        """A wheel, one with a round tread or a ball on a plane that it touches, or in the plane on a line."""
        if not self.bodies():
            return
        rigid, point = self.some(self.bodies())[0]
        n, radius = self.unit()[: self.d], self.number(0.1, 0.5) * self.size
        n = n / np.linalg.norm(n)
        tread = self.some([0, 0.3 * radius, radius])[0] if self.d == 3 else 0
        arm = radius * n
        if self.d == 3:
            axle = self.frame(rigid.points)[:, 2]
            up = n - (n @ axle) * axle
            arm = (radius - tread) * up / np.linalg.norm(up) + tread * n
        plane = lw.Plane(point=(self.places[point] - arm).tolist(), normal=n.tolist())
        self.lists["rollings"].append(
            lw.Rolling(name="wheel", wheel=f"{rigid.name}.{point}", radius=radius, tread=tread, on=plane)
        )

    def skate(self):
        if self.bodies():
            rigid, point = self.some(self.bodies())[0]
            self.lists["knife_edges"].append(lw.KnifeEdge(name="skate", frame=f"{rigid.name}.{point}"))

    def hold(self):
        """Speeds of two points, and a law of time."""
        one, two = self.some(self.moving)[0], self.some(self.moving)[0]
        drift = self.some(["0", "s*cos(w*t)"])[0]
        law = f"{self.number(0.2, 1)}*{one}.vx + c*{two}.x*{two}.vy/{self.size} - {drift}"
        self.lists["velocity_constraints"].append(lw.VelocityConstraint(name="held", formula=law))

    def twist(self):
        """A moment on a body in space, against another or not, in the world or in the body."""
        names = list(dict.fromkeys(r.name for r, _ in self.bodies()))
        if self.d == 2 or not names:
            return
        body, other = (self.some(names, 2) * 2)[:2]
        self.lists["moments"].append(lw.Moment(
            body=body, other=other if other != body and self.maybe(0.5) else None,
            frame=body if self.maybe(0.5) else None, components=("f*sin(w*t)", f"-c*{body}.wy", "-f"),
        ))  # fmt: skip

    def speed(self):
        """A prescribed speed of something that is not prescribed already."""
        point, axis = self.some(self.moving)[0], "xyz"[int(self.rng.integers(self.d))]
        names = list(dict.fromkeys(r.name for r, _ in self.bodies()))
        targets = [f"{point}.v{axis}", *(f"{name}.{'omega' if self.d == 2 else 'wz'}" for name in names)]
        if not self.lists["motions"]:
            self.lists["motions"].append(lw.Driver(target=self.some(targets)[0], law="0.3*s*cos(w*t)"))

    # -- what happens at once -----------------------------------------------------------------------------------------

    def happen(self):
        """Stops that are soon run into, dry friction, events that act; by dice of their own."""
        self.rng, rng = np.random.default_rng([self.seed, self.d, 13]), self.rng
        for _ in range(int(self.rng.integers(1, 4))):
            self.stop()
        for _ in range(int(self.rng.integers(0, 3))):
            self.rub()
        if self.maybe(0.4):
            self.act()
        self.rng = rng

    def named(self, letter, value):
        """A parameter: laws that differ in numbers only share their compiled code."""
        name = f"{letter}{len(self.parameters)}"
        self.parameters[name] = float(value)
        return name

    def stop(self):
        """A wall near a point, a rope or a buffer between two points, a ratchet."""
        name, e = f"stop{len(self.lists['stops'])}", self.named("e", self.some([0, 0.3, 0.7, 1])[0])
        what, near = self.some(["wall", "rope", "ratchet"])[0], self.number(0.01, 0.2) * self.size
        sign = self.some([1, -1])[0]
        if what == "ratchet" and self.d == 2 and self.turning:
            part, slack = self.some(self.turning)[0].name, self.named("o", self.number(0, 2))
            self.lists["stops"].append(lw.Stop(name=name, speed=f"{sign}*{part}.omega + {slack}"))
        elif what == "rope" and len(self.moving) > 1:
            a, b = self.some([*self.moving, *self.fixed], 2)
            length = float(np.linalg.norm(self.places[a] - self.places[b]))
            known = any(a in r.points and b in r.points for r in self.lists["rigids"]) or length < 1e-3 * self.size
            if not known and not (a in self.fixed and b in self.fixed):
                gap = f"{sign}*({a}{b}.length - {self.named('g', length - sign * near)})"
                self.lists["stops"].append(lw.Stop(name=name, gap=gap, restitution=e))
        else:
            p, axis = self.some(self.moving)[0], int(self.rng.integers(self.d))
            gap = f"{sign}*({p}.{'xyz'[axis]} - {self.named('g', self.places[p][axis] - sign * near)})"
            self.lists["stops"].append(lw.Stop(name=name, gap=gap, restitution=e))

    def rub(self):
        """Dry friction on a point, or between a part and the ground."""
        limit, name = self.number(0.05, 5) * (self.size if self.maybe(0.5) else 1), f"rub{len(self.lists['frictions'])}"
        p, axis = self.some(self.moving)[0], "xyz"[int(self.rng.integers(self.d))]
        speed = [f"{p}.v{axis}"]
        if self.seed % 2:
            speed.append(f"{p}.v{'xyz'[('xyz'.index(axis) + 1) % self.d]}")
        if self.d == 2 and self.turning and self.maybe(0.5):
            speed, limit = f"{self.some(self.turning)[0].name}.omega", limit * self.size
        law = self.named("l", limit)
        more = {"hold": f"1.5*{law}"} if self.maybe(0.3) else {}
        if not more and self.maybe(0.3):
            law = f"{law} + c*abs({p}.x)/{self.named('r', self.size)}"
        self.lists["frictions"].append(lw.Friction(name=name, speed=speed, limit=law, **more))

    def act(self):
        """An event that turns a speed round, counts, and changes a state."""
        p, axis = self.some(self.moving)[0], "xyz"[int(self.rng.integers(self.d))]
        then = {f"{p}.v{axis}": f"-0.5*{p}.v{axis}", "hits": "hits + 1"}
        if self.lists["states"]:
            then["lag"] = "0.5*lag"
        self.inputs = {"hits": 0}
        border = self.named("b", self.number(-1, 1) * self.size)
        when = f"t - {self.number(0.02, 0.2)}" if self.maybe(0.5) else f"{p}.v{axis} - {border}"
        self.lists["events"].append(lw.Event(name="act", when=when, then=then, direction="rising"))

    def find(self, name):
        return next(r for r in self.lists["rigids"] if r.name == name)

    def unit(self):
        v = self.rng.normal(size=3)
        return v / np.linalg.norm(v)

    # -- the whole ----------------------------------------------------------------------------------------------------

    def also_fixed(self):
        """Now and then one more point of a body is fixed, which may hold it altogether."""
        if self.maybe(0.15) and len(self.moving) > 2:
            self.fix(self.some(self.moving)[0])

    def mechanism(self):
        used = {p for r in self.lists["rigids"] for p in r.points} | {p.point for p in self.lists["particles"]}
        used |= {p for s in self.lists["springs"] for p in s.points}
        moving = [p for p in self.places if p in used and p not in self.fixed]
        speeds = {p: (self.size * self.rng.uniform(-1, 1, self.d)).round(3).tolist() for p in self.some(moving, 2)}
        down = [0.0] * (self.d - 1) + [-9.81]
        return lw.Mechanism(
            dimension=self.d, parameters=self.parameters, fixed=self.fixed, variables=self.variables,
            inputs=self.inputs,
            gravity=down if self.maybe(0.8) else None, **self.lists,
            start=lw.InitialValues(positions={p: self.places[p].tolist() for p in moving}, velocities=speeds),
        )  # fmt: skip


def random_mechanism(seed):
    """The mechanism of a seed, in the plane or in space."""
    return make_recipe(seed, 2 + seed % 2).mechanism()


def rough_mechanism(seed):
    """The same with forces at points that depend on the reactions of parts and on accelerations."""
    m = random_mechanism(seed)
    rigids, joints = m.given
    named = [r for r in m.rigids if not {".", "_"} & set("".join([r.name, *r.points]))]
    forces, zeros = [*m.forces], (0,) * (m.dimension - 1)
    for rigid in named[:2]:
        point = next((p for p in rigid.points if p not in m.fixed), None)
        if point is not None:
            loads = " + ".join(f"{rigid.name}.{p}.fx - 0.3*{rigid.name}.{p}.fy" for p in rigid.points[:2])
            law = f"-0.02*({loads})*tanh({point}.vx) - 0.01*{point}.ax"
            forces.append(lw.Force(point=point, components=(law, *zeros)))
    return replace(m, rigids=rigids, joints=joints, forces=forces)


def striking_mechanism(seed):
    """The same with stops, dry friction and events that act; more contacts, half of them rigid."""
    recipe = make_recipe(seed, 2 + seed % 2, contacts=0.3)
    if seed // 2 % 2:
        recipe.harden()
    recipe.happen()
    return recipe.mechanism()


def make_recipe(seed, dimension, contacts=0.15):
    """All that goes into it; `contacts`: how often there is one."""
    r = Recipe(seed, dimension)
    if r.d == 3 and r.maybe(0.5):
        for _ in range(r.rng.integers(1, 3)):
            r.joint()
    else:
        r.chain()
        r.close()
    r.slide()
    r.also_fixed()
    r.dress()
    r.torque()
    r.drive()
    r.extras()
    r.contact(contacts)
    return r


def nearly_singular(seed):
    """A parallelogram, or one that is off by 10⁻¹ … 10⁻⁹, doubled now and then by a bar rounded to ten digits."""
    rng = np.random.default_rng([seed, 7])
    off = 0.0 if rng.random() < 0.3 else 10 ** rng.uniform(-9, -1)
    tilt, share = rng.uniform(0.3, 2.8), rng.uniform(0.2, 0.8)
    end = np.array([np.cos(tilt), np.sin(tilt)])
    rods = [("A0", "B0", 1.0), ("A1", "B1", 1.0), ("B0", "B1", 1.0 + off)]
    places, fixed = {"B0": end, "B1": end + np.array([1, 0])}, {"A0": (0, 0), "A1": (1, 0)}
    rigids = [lw.Rigid.rod(f"{a}{b}", round(length, 17), 1, points=(a, b)) for a, b, length in rods]
    if rng.random() < 0.5:
        # a third crank in the middle, redundant up to its tenth digit
        x = round(float(share), 10)
        fixed["A2"], places["M"] = (x, 0), end + np.array([x, 0])
        rigids[2] = lw.Rigid(
            name="B0B1M", geometry=[(), (1 + off,), (x * (1 + off),)], centroid=(0.5,), mass=1, inertia=0.1
        )
        rigids.append(lw.Rigid.rod("A2M", 1, 1, points=("A2", "M")))
    return lw.Mechanism(
        fixed=fixed, rigids=rigids, gravity=(0, -9.81),
        start=lw.InitialValues(positions={p: z.tolist() for p, z in places.items()}, velocities={"B0": (0.7, 0)}),
    )  # fmt: skip


HUGE = (1e-300, 1e300, 1e-30, 1e30, 0.0, -1.0)


def hostile_mechanism(seed):
    """A random mechanism in which a few numbers are absurd, or all places are rounded to ten digits."""
    rng = np.random.default_rng([seed, 11])
    r = make_recipe(seed, 2 + seed % 2)
    if rng.random() < 0.4:
        r.places = {p: z.round(10) for p, z in r.places.items()}
        r.fixed = {p: np.round(z, 10).tolist() for p, z in r.fixed.items()}
    for _ in range(rng.integers(0, 3)):
        key, value = rng.choice(["parameters", "masses", "springs", "places", "fixed"]), float(rng.choice(HUGE))
        if key == "parameters":
            r.parameters[str(rng.choice(list(r.parameters)))] = value
        elif key == "masses":
            r.lists["particles"] = [lw.Particle(point=p.point, mass=abs(value)) for p in r.lists["particles"]]
        elif key == "springs":
            r.lists["springs"] = [
                lw.Spring(name=s.name, points=s.points, stiffness=abs(value), rest_length=s.rest_length)
                for s in r.lists["springs"]
            ]
        elif key == "places" or not r.fixed:
            r.places[str(rng.choice(list(r.places)))][0] = value
        else:
            r.fixed[str(rng.choice(list(r.fixed)))][0] = value
    return r.mechanism()
