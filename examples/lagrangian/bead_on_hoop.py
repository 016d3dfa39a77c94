"""A bead on a hoop that turns about its vertical diameter, in one angle and in space with a moving constraint."""

import linkwork as lw

PARAMETERS = {"m": 0.1, "R": 0.5, "W": 6, "g": 9.81}
START = {"theta": 0.4}


def in_angle() -> lw.Model:
    """theta from the lowest point; the hoop's turning enters the kinetic energy."""
    return lw.lagrangian(
        "theta",
        "m*R**2/2*(theta'**2 + W**2*sin(theta)**2) + m*g*R*cos(theta)",
        parameters=PARAMETERS,
        start=START,
        points={"B": ("R*sin(theta)*cos(W*t)", "R*sin(theta)*sin(W*t)", "-R*cos(theta)")},
        title="bead on a rotating hoop",
    )


def in_space() -> lw.Model:
    """x, y, z on a sphere and in the plane of the hoop, which turns with time."""
    return lw.lagrangian(
        "x y z",
        "m/2*(x'**2 + y'**2 + z'**2) - m*g*z",
        constraints={"sphere": "x**2 + y**2 + z**2 - R**2", "plane": "y*cos(W*t) - x*sin(W*t)"},
        parameters=PARAMETERS,
        start={"x": "R*sin(0.4)", "y": 0, "z": "-R*cos(0.4)", "x'": 0, "y'": "W*R*sin(0.4)", "z'": 0},
        points={"B": ("x", "y", "z")},
        title="bead on a rotating hoop, in space",
    )


if __name__ == "__main__":
    one, other = in_angle().simulate(10, tol=1e-13), in_space().simulate(10, tol=1e-13)
    print(one, other, f"they differ by {abs(one.final['B'] - other.final['B']).max():.1e} m at the end", sep="\n")
