"""A thin disc that rolls on a plane without slipping: two constraints of velocities that cannot be integrated."""

from math import pi

import linkwork as lw
from linkwork.symbolic import cos, sin

CORNERS = 16  # of the rim in pictures


def disc(speed: float = 3.0, lean: float = 0.1) -> lw.Model:
    """x, y of the centre, heading phi, lean alpha from upright, spin psi."""

    def energy(q, u, p):
        centre = u.x**2 + u.y**2 + lw.rate(p.R * cos(q.alpha)) ** 2
        # angular velocity along the heading, the disc's axis, and the diameter that points up
        forward, axis, up = u.alpha, u.psi + u.phi * sin(q.alpha), u.phi * cos(q.alpha)
        turning = p.m * p.R**2 / 4 * (forward**2 + up**2) + p.m * p.R**2 / 2 * axis**2
        return p.m / 2 * centre + turning / 2 - p.m * p.g * p.R * cos(q.alpha)

    def no_slip(q, u, p):
        along, across = p.R * (u.psi + u.phi * sin(q.alpha)), p.R * u.alpha * cos(q.alpha)
        return {
            "x_slip": u.x - along * cos(q.phi) - across * sin(q.phi),
            "y_slip": u.y - along * sin(q.phi) + across * cos(q.phi),
        }

    def rim(i):
        """A point of the rim, for pictures."""

        def place(q, p):
            turned = 2 * pi * i / CORNERS - q.psi
            along, up = p.R * cos(turned), p.R * sin(turned)
            return [
                q.x + along * cos(q.phi) + up * sin(q.alpha) * sin(q.phi),
                q.y + along * sin(q.phi) - up * sin(q.alpha) * cos(q.phi),
                (p.R + up) * cos(q.alpha),
            ]

        return place

    return lw.lagrangian(
        "x y phi alpha psi",
        energy,
        velocity_constraints=no_slip,
        parameters={"m": 1, "R": 0.5, "g": 9.81},
        start={"x": 0, "y": 0, "phi": 0, "alpha": lean, "psi": 0, "psi'": lw.fix(speed / 0.5), "phi'": 0, "alpha'": 0},
        points={"S": ("x", "y", "R*cos(alpha)"), **{f"R{i}": rim(i) for i in range(CORNERS)}},
        lines=[[f"R{i % CORNERS}" for i in range(CORNERS + 1)], *(["S", f"R{i}"] for i in range(0, CORNERS, 4))],
        title="rolling disc",
    )


if __name__ == "__main__":
    motion = disc().simulate(10, tol=1e-13)
    print(motion, f"energy kept to {motion.energy.drift:.1e}", sep="\n")
