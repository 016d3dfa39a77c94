"""The car axis: two wheels on springs, one on an even road, one on a wavy one.

The problem "Car axis" of the Test Set for Initial Value Problem Solvers (F. Mazzia, C. Magherini, University of Bari),
in its own units: the masses carry a factor eps**2.
"""

import linkwork as lw
from linkwork.symbolic import sin, sqrt


def car_axis() -> lw.Model:
    """Ends (xl, yl) and (xr, yr) of the axis; the left wheel stands at the origin, the right one follows the road."""

    def road(p, t):
        height = p.r * sin(p.w * t)
        return sqrt(p.l**2 - height**2), height

    def energy(q, u, p, t):
        xb, yb = road(p, t)
        K = p.eps**2 * p.M / 2
        left = sqrt(q.xl**2 + q.yl**2)
        right = sqrt((q.xr - xb) ** 2 + (q.yr - yb) ** 2)
        kinetic = K / 2 * (u.xl**2 + u.yl**2 + u.xr**2 + u.yr**2)
        return kinetic - (left - p.l0) ** 2 / 2 - (right - p.l0) ** 2 / 2 - K * (q.yl + q.yr)

    def constraints(q, p, t):
        xb, yb = road(p, t)
        return {"upright": q.xl * xb + q.yl * yb, "axis": (q.xl - q.xr) ** 2 + (q.yl - q.yr) ** 2 - p.l**2}

    return lw.lagrangian(
        "xl yl xr yr",
        energy,
        constraints=constraints,
        parameters={"l": 1, "l0": 0.5, "eps": 0.01, "M": 10, "r": 0.1, "w": 10},
        start={"xl": 0, "yl": 0.5, "xr": 1, "yr": 0.5, "xl'": -0.5, "yl'": 0, "xr'": -0.5, "yr'": 0},
        tend=3,
        points={"O": (0, 0), "L": ("xl", "yl"), "R": ("xr", "yr"), "B": road},
        lines=["OL", "LR", "BR"],
        title="car axis",
    )


if __name__ == "__main__":
    motion = car_axis().simulate(tol=1e-14)
    for name in motion.system.coordinates:
        print(f"{name} = {motion.final[name]:.15f}   {name}' = {motion.final.velocity(name):.15f}")
