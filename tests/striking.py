"""Models that strike, stick, slide and switch, and the events that exported programs tell of them."""

import math
from itertools import pairwise

import linkwork as lw

G = 10.0


def particle(**more):
    """A particle A of 2 kg in the plane, thrown over a floor."""
    given = {"particles": [lw.Particle(point="A", mass=2)], "gravity": (0, -G)}
    start = lw.InitialValues(positions={"A": (0, 1)}, velocities={"A": (1, 0)})
    return lw.Model(lw.Mechanism(**{**given, "start": start, **more}))


def ball():
    """It bounces until it rests."""
    return particle(parameters={"e": 0.6}, stops=[lw.Stop(name="floor", gap="A.y", restitution="e")])


def block(force="0", speed=0.0, limit="4", hold=None):
    """A block of 2 kg on a rail, with friction and a force along it."""
    rub = lw.Friction(name="dry", speed="A.vx", limit=limit, hold=hold)
    return lw.Model(lw.Mechanism(
        particles=[lw.Particle(point="A", mass=2)], relations=[lw.Relation(name="rail", formula="A.y")],
        forces=[lw.Force(point="A", components=(force, 0))], frictions=[rub],
        start=lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (speed, 0)}),
    ))  # fmt: skip


def pendulum():
    """Between a peg and its turning point."""
    return lw.Model(lw.Mechanism(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1.5, 0)], particles=[lw.Particle(point="A", mass=1)],
        gravity=(0, -G), stops=[lw.Stop(name="peg", gap="OA.angle + pi/2 + 0.3", restitution=0.9)],
        start=lw.InitialValues(positions={"A": (1.5 * math.sin(1), -1.5 * math.cos(1))}),
    ))  # fmt: skip


def counted():
    """A ball whose bounces are counted where it comes up again."""
    up = lw.Event(name="up", when="A.y", direction="rising", then={"count": "count + 1"})
    floor = lw.Stop(name="floor", gap="A.y", restitution=0.6)
    return particle(stops=[floor], events=[up], inputs={"count": 0})


def row_of_balls():
    """Two balls run into three that touch."""
    names, gap = "ABCDE", 0.1
    stops = [lw.Stop(name=a + b, gap=f"{b}.x - {a}.x - d", restitution=1) for a, b in pairwise(names)]
    positions = {name: (gap * i - (0.2 if i < 2 else 0.0), 0) for i, name in enumerate(names)}
    start = lw.InitialValues(positions=positions, velocities=dict.fromkeys("AB", (1, 0)))
    balls = [lw.Particle(point=name, mass=1.5) for name in names]
    return lw.Model(lw.Mechanism(parameters={"d": gap}, particles=balls, stops=stops, start=start))


def catcher():
    """A falls into a cup, which lets it go again where it comes back."""
    cup = [lw.Relation(name=f"cup_{x}", formula=f"A.{x} - B.{x}", active=False) for x in "xy"]
    catch = lw.Event(name="catch", when="A.y - B.y", direction="falling", on=["cup_x", "cup_y"], then={"held": 1})
    drop = lw.Event(name="drop", when="B.vy + 6.1", direction="falling", off=["cup_x", "cup_y"], then={"A.vx": "0.5"})
    start = lw.InitialValues(positions={"A": (0, 2), "B": (0, 0)}, velocities={"A": (0, -1), "B": (0, 3)})
    particles = [lw.Particle(point="A", mass=1), lw.Particle(point="B", mass=3)]
    return lw.Model(lw.Mechanism(
        particles=particles, gravity=(0, -G), relations=cup, events=[catch, drop], inputs={"held": 0}, start=start,
    ))  # fmt: skip


def ratchet():
    """A wheel that a pawl lets turn one way only."""
    return lw.Model(lw.Mechanism(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 3)], torques=[lw.Torque(part="OA", value="cos(t) + 0.2")],
        stops=[lw.Stop(name="pawl", speed="OA.omega")], start=lw.InitialValues(positions={"A": (1, 0)}),
    ))  # fmt: skip


def puck():
    """Thrown across an incline it turns downhill, and stops."""
    rub = lw.Friction(name="rub", speed=["x'", "y'"], limit="mu*m*g*c")
    return lw.lagrangian(
        "x y", "m*(x'**2 + y'**2)/2 - m*g*s*y", parameters={"m": 2, "g": 10, "s": 0.3, "c": 0.95, "mu": 0.5},
        frictions=[rub], start={"x'": 2, "y'": 1}, tend=1.5, title="puck",
    )  # fmt: skip


CRANK = """
PartData:
  Fixed: {O: [], Q: [1], R: [2]}
  Rigids: {OA: {Geom: [[0.2]], Dyna: [[0.1], 1]}, AB: {Geom: [[0.6]], Dyna: [[0.3], 1]}}
  Particles: {B: 1}
Connections: {Collinear: [BQR]}
AppliedForces: {Friction: {guide: {speed: B.vx, limit: 0.4}}, Efforts: {OA.angle: push}}
Inputs: {push: 0, done: 0}
Events: {add: {when: t - 0.2, then: {done: 1}}}
ProblemData: {tend: 3, positions: {A: [[0.17, fixed], 0.1], B: [0.75, 0]}, velocities: {A: [[-0.5, fixed], 0.8]}}
"""


def driven(law):
    """A weight that a beam holds up, and a block that is moved along a law of time, on a lever with friction."""
    return lw.loads(f"""
    PartData: {{Fixed: {{O: [], P: [1]}}, Particles: {{A: 2, B: 1}}}}
    Connections: {{Collinear: [OPA], Relations: {{rail: B.y - 1}}}}
    Motions: {{A.x: {law}}}
    AppliedForces:
      Forces: {{B: [30*(A.x - B.x), 0]}}
      Friction: {{dry: {{speed: A.vx, limit: 3}}, by: {{speed: B.vx - A.vx, limit: 1}}}}
    ProblemData: {{tend: 1, positions: {{A: [0, 0], B: [0.05, 1]}}}}
    """)


MODELS = {
    "ball": (ball, 3),
    "block that stops": (lambda: block(speed=3.0), 4),
    "block that breaks loose": (lambda: block(force="2*t", limit="3", hold="5"), 4),
    "block on a spring": (lambda: block(force="-8*A.x + 9", limit="1.1"), 12),
    "pendulum": (pendulum, 8),
    "counted": (counted, 1.6),
    "row of balls": (row_of_balls, 1),
    "catcher": (catcher, 1.5),
    "ratchet": (ratchet, 7),
    "puck": (puck, 1.5),
    "crank beyond dead centres": (lambda: lw.loads(CRANK), 2.0),
    "friction under a driver": (lambda: driven("0.3*sin(2*t)"), 3),
    "friction under a driver from rest": (lambda: driven("0.2*t**2"), 1.2),
}


# what it says where there is no screen, and on its way out
OCTAVE = ("octave: ", "error: ignoring const execution_exception& while preparing to exit")


def read_events(text):
    """Names and times as programs tell them."""
    found = []
    for line in text.splitlines():
        if not line.startswith("t = "):
            assert line.startswith(OCTAVE), line
            continue
        time, _, name = line.removeprefix("t = ").partition(": ")
        found.append((name.strip(), float(time)))
    return sorted(found, key=lambda event: (round(event[1], 7), event[0]))
