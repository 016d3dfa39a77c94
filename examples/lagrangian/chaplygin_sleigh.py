"""Chaplygin's sleigh: a body on ice that stands on a knife edge, which cannot slip sideways."""

import linkwork as lw
from linkwork.symbolic import cos, sin


def sleigh() -> lw.Model:
    """x, y of the knife edge, theta its heading; the centre of mass lies a distance a ahead of it."""

    def energy(q, u, p):
        x, y = q.x + p.a * cos(q.theta), q.y + p.a * sin(q.theta)
        return p.m / 2 * (lw.rate(x) ** 2 + lw.rate(y) ** 2) + p.J / 2 * u.theta**2

    return lw.lagrangian(
        "x y theta",
        energy,
        velocity_constraints={"edge": "y'*cos(theta) - x'*sin(theta)"},
        parameters={"m": 1, "a": 0.5, "J": 0.2},
        start={"x": 0, "y": 0, "theta": 0, "x'": -1, "theta'": 0.5},
        points={"E": ("x", "y"), "S": ("x + a*cos(theta)", "y + a*sin(theta)")},
        lines=["ES"],
        title="Chaplygin sleigh",
    )


if __name__ == "__main__":
    motion = sleigh().simulate(10, tol=1e-13)
    print(motion, f"energy kept to {motion.energy.drift:.1e}", sep="\n")
