"""Mechanisms whose linear models are known."""

import linkwork as lw
from linkwork.symbolic import cos, sin

PENDULUM = """
PhysicalParams: {l: 2, m: 3, tau: 0}
PartData:
  Fixed: {O: [], Q: [3, 1]}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m]}}
AppliedForces: {Gravity: [0, -9.81], ConstTorques: {OA: tau}}
ProblemData: {positions: {A: [1, -2]}}
"""

CART_POLE = """
PhysicalParams: {l: 1.2, F: 0}
PartData:
  Fixed: {P: [-5], Q: [5]}
  Rigids: {AB: {Geom: [[l]], Dyna: [[l/2], 0.6]}}
  Particles: {A: 2}
Connections: {Collinear: [PQA]}
AppliedForces: {Gravity: [0, -9.81], Forces: {A: [F]}}
ProblemData: {positions: {A: [[0.3, fixed], 0], B: [[0.3, fixed], SIGN*l]}}
"""

DOUBLE_PENDULUM = """
PartData:
  Fixed: {O: []}
  Rigids:
    OA: {Geom: [[0.7]], Dyna: [[0.35], 1]}
    AB: {Geom: [[1.1]], Dyna: [[0.55], 2]}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {positions: {A: [0.4, -0.5], B: [1, -1]}}
"""

FOUR_BAR = """
PhysicalParams: {a: 0.4, b: 1.0, c: 0.8, d: 1.0, rho: 2.0}
PartData:
  Fixed: {O: [], D: [d], E: [0, 1.5]}
  Rigids:
    OA: {Geom: [[a]], Dyna: [[a/2], rho*a]}
    AC: {Geom: [[b]], Dyna: [[b/2], rho*b]}
    DC: {Geom: [[c]], Dyna: [[c/2], rho*c]}
  Springs: {EC: [30, 0.5]}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {positions: {A: [[0.1, fixed], a], C: [d, c]}}
"""

TOP = """
PhysicalParams: {m: 0.5, l: 0.1, r: 0.05, s: 100, I1: m*r**2/4, I3: m*r**2/2}
Dimension: 3
PartData:
  Fixed: {O: []}
  Rigids: {OAU: {Geom: [[l], [0, r]], Dyna: [[l], m, [I3, I1, I1]]}}
AppliedForces: {Gravity: [0, 0, -9.81]}
ProblemData:
  positions: {A: [[0, fixed], [0, fixed], l], U: [r, [0, fixed], 0]}
  velocities: {A: [0, 0, 0], U: [0, r*s, 0]}
"""


def disc(speed):
    """A thin disc rolling upright; radius 0.5."""

    def energy(q, u, p):
        centre = u.x**2 + u.y**2 + lw.rate(p.R * cos(q.alpha)) ** 2
        forward, axis, up = u.alpha, u.psi + u.phi * sin(q.alpha), u.phi * cos(q.alpha)
        turning = p.m * p.R**2 / 4 * (forward**2 + up**2) + p.m * p.R**2 / 2 * axis**2
        return p.m / 2 * centre + turning / 2 - p.m * p.g * p.R * cos(q.alpha)

    def no_slip(q, u, p):
        along, across = p.R * (u.psi + u.phi * sin(q.alpha)), p.R * u.alpha * cos(q.alpha)
        return [
            u.x - along * cos(q.phi) - across * sin(q.phi),
            u.y - along * sin(q.phi) + across * cos(q.phi),
        ]

    return lw.lagrangian(
        "x y phi alpha psi",
        energy,
        velocity_constraints=no_slip,
        parameters={"m": 1.3, "R": 0.5, "g": 9.81},
        start={"psi'": lw.fix(speed / 0.5), "phi'": lw.fix(0), "alpha'": lw.fix(0)},
    )


def top_in_angles(spin):
    """The same top: tilts a about x, then b about the new y, then the spin."""

    def energy(q, u, p):
        A, C = p.m * p.r**2 / 4 + p.m * p.l**2, p.m * p.r**2 / 2
        across = (u.a * cos(q.b)) ** 2 + u.b**2
        axis = u.c + u.a * sin(q.b)
        return A / 2 * across + C / 2 * axis**2 - p.m * p.g * p.l * cos(q.a) * cos(q.b)

    return lw.lagrangian(
        "a b c",
        energy,
        parameters={"m": 0.5, "l": 0.1, "r": 0.05, "g": 9.81},
        start={"a": 0, "b": 0, "c": 0, "a'": 0, "b'": 0, "c'": spin},
    )
