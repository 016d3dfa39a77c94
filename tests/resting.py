"""Random machines that come to rest, by a seed: stops, contacts, ratchets, locks, friction, sampled servos; files out.

All are damped, so that motions end in an equilibrium; springs and gravity see to it that there is one.
"""

import numpy as np

KINDS = ("hanging", "pendulum", "chain", "block", "ball", "servo")


def write_machine(seed):
    """The text of a machine, and what it has of what holds."""
    rng = np.random.default_rng([seed, 29])
    kind = KINDS[seed % len(KINDS)]
    return MAKERS[kind](Dice(rng))


class Dice:
    """Random numbers, and the sections of a file."""

    def __init__(self, rng):
        self.rng = rng

    def number(self, low, high):
        return round(float(self.rng.uniform(low, high)), 3)

    def maybe(self, chance=0.5):
        return bool(self.rng.random() < chance)


def hanging(d):
    """Two masses on springs over floors and beside walls, tied to each other."""
    k, c, gap = d.number(5, 30), d.number(4, 10), d.number(0.05, 0.6)
    stops = [f"low: {{gap: B.y + {gap}, restitution: {d.number(0, 0.7)}}}"]
    stops += [f"side: {d.number(0.02, 0.4)} - A.x"] if d.maybe() else []
    stops += [f"apart: B.x - A.x - {d.number(0.3, 1)}"] if d.maybe() else []
    friction = f", Friction: {{rub: {{speed: B.vx, limit: {d.number(0.2, 3)}}}}}" if d.maybe() else ""
    return f"""
PartData: {{Particles: {{A: {d.number(1, 3)}, B: {d.number(1, 3)}}}}}
Connections: {{Stops: {{{", ".join(stops)}}}}}
AppliedForces:
  Gravity: [0, -9.81]
  Forces:
    A: [{d.number(-5, 10)} - {k}*A.x - {c}*A.vx, 12 - {k}*A.y - {c}*A.vy]
    B: [{k}*(1.2 - B.x) - {c}*B.vx, -{k}*B.y*(1 + B.y**2) - {c}*B.vy - 2*(B.y - A.y)]
  Friction: {{}}
ProblemData: {{tend: 1, positions: {{A: [0, 0], B: [1.4, 0.2]}}}}
""".replace("\n  Friction: {}", friction and f"\n  {friction[2:]}")


def pendulum(d):
    """A rod with a stop of its angle, a ratchet, a brake or a lock."""
    hold = d.rng.integers(4)
    ways = [
        f"Stops: {{limit: OA.angle + {d.number(0.1, 1.2)}}}",
        "Stops: {pawl: {speed: OA.omega}}",
        "",
        f"Relations: {{lock: {{formula: OA.angle + {d.number(0.1, 1.0)}, active: no}}}}",
    ]
    brake = f"  Friction: {{brake: {{speed: OA.omega, limit: {d.number(0.1, 1.5)}}}}}" if hold == 2 else ""
    angle = d.number(0.2, 1.0)
    start = f"[{np.cos(angle):.17g}, {np.sin(angle):.17g}]"
    lock = ways[3].split("formula: ")[-1].split(",")[0]
    event = f"Events: {{shut: {{when: {lock}, direction: falling, on: [lock]}}}}\n" if hold == 3 else ""
    return f"""
PartData: {{Fixed: {{O: []}}, Rigids: {{OA: {{Geom: [[1]], Dyna: [[0.5], {d.number(0.5, 2)}]}}}}}}
Connections: {{{ways[hold]}}}
AppliedForces:
  Gravity: [0, -9.81]
  Torques: {{OA: -{d.number(3, 8)}*OA.omega}}
{brake}
{event}ProblemData: {{tend: 1, positions: {{A: {start}}}}}
"""


def chain(d):
    """Two rods, one of whose joints rubs, with a stop between them or under the end."""
    stop = f"floor: B.y + {d.number(0.6, 1.7)}" if d.maybe() else f"bend: AB.angle - OA.angle + {d.number(0.7, 1.1)}"
    return f"""
PartData:
  Fixed: {{O: []}}
  Rigids:
    OA: {{Geom: [[1]], Dyna: [[0.5], {d.number(0.5, 2)}]}}
    AB: {{Geom: [[0.8]], Dyna: [[0.4], {d.number(0.5, 2)}]}}
Connections: {{Stops: {{{stop}}}}}
AppliedForces:
  Gravity: [0, -9.81]
  Torques: {{OA: -{d.number(6, 9)}*OA.omega, AB: {{value: -{d.number(4, 6)}*(AB.omega - OA.omega)}}}}
  Friction: {{elbow: {{speed: AB.omega - OA.omega, limit: {d.number(0.05, 3)}}}}}
ProblemData: {{tend: 1, positions: {{A: [0.8, 0.6], B: [1.6, 0.6]}}}}
""".replace("{value: ", "").replace("omega)}}", "omega)}")


def block(d):
    """A point with mass that falls on an inclined table with friction, held back by a spring."""
    slope = d.number(-0.5, 0.5)
    normal = [-np.sin(slope), np.cos(slope)]
    at = d.number(0.2, 1.0)
    return f"""
PartData: {{Particles: {{A: {d.number(0.5, 2)}}}}}
Connections:
  Contacts: {{table: {{point: A, on: {{point: [0, 0], normal: [{normal[0]:.17g}, {normal[1]:.17g}]}},
                      friction: {d.number(0.05, 0.6)}, restitution: {d.number(0, 0.5)}}}}}
AppliedForces:
  Gravity: [0, -9.81]
  Forces: {{A: [{d.number(2, 9)}*(0.1 - A.x) - {d.number(3, 6)}*A.vx, -{d.number(1, 4)}*A.vy]}}
ProblemData: {{tend: 1, positions: {{A: [{at}, {at * np.tan(slope) + d.number(0.05, 0.4):.17g}]}}}}
"""


def ball(d):
    """A disc that rolls in a bowl, kept there, or falls into it."""
    x = d.number(-0.3, 0.3)
    kept = d.maybe()
    y = -np.sqrt(0.81 - x * x) + (0.0 if kept else 0.05)
    more = "kept: yes, " if kept else ""
    return f"""
Bodies: {{world: {{frames: {{o: []}}}}, b: {{mass: {d.number(1, 3)}, inertia: 0.02, frames: {{c: []}}}}}}
Connections:
  Contacts: {{dish: {{ball: b.c, radius: 0.1, on: {{bowl: world.o, radius: 1}}, {more}friction: {d.number(0.2, 0.6)}}}}}
AppliedForces:
  Gravity: [0, -9.81]
  Torques: {{b: -{d.number(0.5, 1)}*b.omega}}
  Forces: {{b.c: [-9*b.c.vx, -9*b.c.vy]}}
ProblemData: {{tend: 1, positions: {{b.c: [{x}, {y:.17g}]}}}}
"""


def servo(d):
    """A slider or rod with a digital servo, perhaps against a stop."""
    T, delay = d.number(0.02, 0.06), [0, 0.5, 1][int(d.rng.integers(3))]
    integral = f", memory: {{sum: sum + {T}*({0.3} - x)}}" if d.maybe() else ""
    law = f"-{d.number(10, 20)}*(x - 0.3) - {d.number(6, 9)}*v" + (" + 5*sum" if integral else "")
    stop = f", Stops: {{wall: A.x - {d.number(0.35, 0.45)}}}" if d.maybe(0.4) and not integral else ""
    return f"""
PartData: {{Particles: {{A: {d.number(1.5, 3)}}}, Fixed: {{O: [], Q: [1]}}}}
Connections: {{Collinear: [OQA]{stop}}}
Controllers:
  servo: {{kind: sampled, period: {T}, reads: {{x: A.x, v: A.vx}}{integral}, outputs: {{F: {law}}}, delay: {delay}}}
AppliedForces: {{Forces: {{A: [F - {d.number(0, 2)}, 0]}}}}
ProblemData: {{tend: 1, positions: {{A: [{d.number(0.5, 0.9)}, 0]}}}}
"""


MAKERS = {f.__name__: f for f in (hanging, pendulum, chain, block, ball, servo)}
