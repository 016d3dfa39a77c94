"""Andrews' squeezing mechanism in seven angles and six closing conditions, with the data of examples/andrews.yaml.

The file describes the same mechanism by its points; both ways must lead to the same motion.
"""

from math import atan2
from pathlib import Path

import linkwork as lw
from linkwork.symbolic import cos, sin, sqrt

FILE = Path(__file__).parents[1] / "andrews.yaml"
BODIES = ("OF", "FE", "BED", "EG", "AG", "HE", "AH")  # each turns by its angle from the x axis
MASSES = {"OF": 1, "FE": 2, "BED": 3, "EG": 4, "AG": 5, "HE": 6, "AH": 7}


def at(origin, angle, x, y=0):
    """The place of (x, y) of a body that starts at `origin` and is turned by `angle`."""
    return origin[0] + x * cos(angle) - y * sin(angle), origin[1] + x * sin(angle) + y * cos(angle)


def places(q, p):
    """Where every body starts, and the points that must meet."""
    O, A, B = (0, 0), (p.xa, p.ya), (p.xb, p.yb)
    F, E, H = at(O, q.OF, p.rr), at(B, q.BED, p.ss), at(A, q.AH, p.u)
    starts = {"OF": O, "FE": F, "BED": B, "EG": E, "AG": A, "HE": H, "AH": A}
    meeting = {
        "E": (at(F, q.FE, p.d), E),
        "G": (at(E, q.EG, p.e), at(A, q.AG, p.zt)),
        "H": (at(H, q.HE, p.zf), E),
    }
    return starts, meeting


def energy(q, u, p):
    starts, _ = places(q, p)
    centres = {"OF": (p.ra,), "FE": (p.da,), "BED": (p.sa, p.sb), "EG": (p.ea,), "AG": (p.ta, p.tb)}
    centres |= {"HE": (p.zf - p.fa,), "AH": (p.ua, -p.ub)}
    kinetic = 0
    for body, number in MASSES.items():
        x, y = at(starts[body], q[body], *centres[body])
        kinetic += p[f"m{number}"] / 2 * (lw.rate(x) ** 2 + lw.rate(y) ** 2) + p[f"i{number}"] / 2 * u[body] ** 2
    x, y = at(starts["BED"], q.BED, p.sc, p.sd)
    length = sqrt((x - p.xc) ** 2 + (y - p.yc) ** 2)
    return kinetic - p.c0 / 2 * (length - p.l0) ** 2 + p.mom * q.OF


def closing(q, p):
    return [one - other for pair in places(q, p)[1].values() for one, other in zip(*pair, strict=True)]


def andrews() -> lw.Model:
    """Started where the file starts."""
    by_points = lw.load(FILE)
    start, system = by_points.start, by_points.system

    def place(point):
        return [start.q[i] if i < system.n else system.frozen[i - system.n] for i in system.chart.points[point]]

    angles = {}
    for body in BODIES:
        (ax, ay), (bx, by) = place(body[0]), place(body[1])
        angles[body] = atan2(by - ay, bx - ax)
    return lw.lagrangian(
        " ".join(BODIES),
        energy,
        constraints=closing,
        parameters=by_points.parameters,
        start={**angles, "OF": lw.fix(angles["OF"])},
        tend=0.03,
        points={"F": lambda q, p: places(q, p)[0]["FE"], "E": lambda q, p: places(q, p)[0]["EG"]},
        title="Andrews' mechanism in angles",
    )


if __name__ == "__main__":
    one, other = andrews().simulate(tol=1e-14), lw.load(FILE).simulate(tol=1e-14)
    print(one, other, f"E differs by {abs(one.final['E'] - other.final['E']).max():.1e} m at the end", sep="\n")
    print(f"{one.stats.seconds * 1e3:.2f} ms in angles, {other.stats.seconds * 1e3:.2f} ms in points")
