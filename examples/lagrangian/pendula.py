"""N spherical pendula, each hanging from the one before: equation (1.6) of the DAETS paper."""

import linkwork as lw


def pendula(count: int = 5) -> lw.Model:
    """Bobs of mass m on rods of length l, in Cartesian coordinates with z up; the chain is let go stretched out."""
    bobs = range(count)

    def energy(q, u, p):
        kinetic = sum(u.x[i] ** 2 + u.y[i] ** 2 + u.z[i] ** 2 for i in bobs)
        return p.m / 2 * kinetic - p.m * p.g * sum(q.z)

    def rods(q, p):
        x, y, z = [0, *q.x], [0, *q.y], [0, *q.z]
        return {
            f"rod{i + 1}": (x[i + 1] - x[i]) ** 2 + (y[i + 1] - y[i]) ** 2 + (z[i + 1] - z[i]) ** 2 - p.l**2
            for i in bobs
        }

    places = {f"x{i + 1}": i + 1 for i in bobs} | {f"y{i + 1}": 0 for i in bobs} | {f"z{i + 1}": 0 for i in bobs}
    speeds = {f"y{i + 1}'": 0.1 * (i + 1) for i in bobs}
    return lw.lagrangian(
        f"x[{count}] y[{count}] z[{count}]",
        energy,
        constraints=rods,
        parameters={"m": 1, "l": 1, "g": 9.81},
        start=places | speeds,
        points={"O": (0, 0, 0)} | {f"P{i + 1}": (f"x{i + 1}", f"y{i + 1}", f"z{i + 1}") for i in bobs},
        lines=[["O", *(f"P{i + 1}" for i in bobs)]],
        title=f"{count} spherical pendula",
    )


if __name__ == "__main__":
    motion = pendula().simulate(10, tol=1e-12)
    print(motion, f"energy kept to {motion.energy.drift:.1e}", sep="\n")
