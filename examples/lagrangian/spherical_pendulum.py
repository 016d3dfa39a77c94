"""The spherical pendulum, in Cartesian coordinates with a constraint and in angles without one."""

import linkwork as lw
from linkwork.symbolic import cos, sin

PARAMETERS = {"m": 1, "l": 1.5, "g": 9.81}


def in_space() -> lw.Model:
    """x, y, z on a sphere; z up."""
    return lw.lagrangian(
        "x y z",
        "m/2*(x'**2 + y'**2 + z'**2) - m*g*z",
        constraints={"sphere": "x**2 + y**2 + z**2 - l**2"},
        parameters=PARAMETERS,
        start={"x": "l*sin(1)", "y": 0, "z": "-l*cos(1)", "y'": 2},
        points={"O": (0, 0, 0), "P": ("x", "y", "z")},
        lines=["OP"],
        title="spherical pendulum",
    )


def in_angles() -> lw.Model:
    """theta from the downward vertical, phi around it."""

    def energy(q, u, p):
        x, y = p.l * sin(q.theta) * cos(q.phi), p.l * sin(q.theta) * sin(q.phi)
        z = -p.l * cos(q.theta)
        return p.m / 2 * (lw.rate(x) ** 2 + lw.rate(y) ** 2 + lw.rate(z) ** 2) - p.m * p.g * z

    return lw.lagrangian(
        "theta phi",
        energy,
        parameters=PARAMETERS,
        start={"theta": 1, "phi'": "2/(l*sin(1))"},
        points={"O": (0, 0, 0), "P": ("l*sin(theta)*cos(phi)", "l*sin(theta)*sin(phi)", "-l*cos(theta)")},
        lines=["OP"],
        title="spherical pendulum in angles",
    )


if __name__ == "__main__":
    one, other = in_space().simulate(10, tol=1e-13), in_angles().simulate(10, tol=1e-13)
    print(one, other, f"they differ by {abs(one.final['P'] - other.final['P']).max():.1e} m at the end", sep="\n")
