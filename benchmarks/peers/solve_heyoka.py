"""heyoka's adaptive Taylor method on the index-1 ODE: `ode` of andrews.c again, in its expressions."""

from __future__ import annotations

import heyoka as hy
import numpy as np
from measure import best_seconds, report
from model import DATA, START, T_END, correct_digits, link_angles, relative_angles

OF, FE, BE, GE, AG, HE, AH = range(7)
TOLERANCES = [1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13]
LONGEST_STEP = 1e-3  # from rest half of the coefficients vanish, and the step control may be misled by them


def along(length, vector):
    return [length * component for component in vector]


def plus(*vectors):
    return [hy.sum(list(components)) for components in zip(*vectors, strict=True)]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


def derive_ode():
    """(variable, derivative) pairs of the 14 states (b, w)."""
    p = DATA
    b = hy.make_vars(*[f"b{i}" for i in range(7)])
    w = hy.make_vars(*[f"w{i}" for i in range(7)])
    length = [p["rr"], p["d"], p["ss"], p["e"], p["zt"], p["zf"], p["u"]]
    e = [[hy.cos(angle), hy.sin(angle)] for angle in b]
    n = [[-sine, cosine] for cosine, sine in e]

    # the arms: inner and outer link, M_ii, M_oo, coupling
    c4, c6 = p["e"] - p["ea"], p["zf"] - p["fa"]
    arms = [
        (OF, FE, p["i1"] + p["m1"] * p["ra"] ** 2 + p["m2"] * p["rr"] ** 2, p["i2"] + p["m2"] * p["da"] ** 2,
         p["m2"] * p["rr"] * p["da"]),
        (AG, GE, p["i5"] + p["m5"] * (p["ta"] ** 2 + p["tb"] ** 2) + p["m4"] * p["zt"] ** 2,
         p["i4"] + p["m4"] * c4**2, p["m4"] * p["zt"] * c4),
        (AH, HE, p["i7"] + p["m7"] * (p["ua"] ** 2 + p["ub"] ** 2) + p["m6"] * p["u"] ** 2,
         p["i6"] + p["m6"] * c6**2, p["m6"] * p["u"] * c6),
    ]  # fmt: skip
    M3 = p["i3"] + p["m3"] * (p["sa"] ** 2 + p["sb"] ** 2)

    def times_mass(a):
        y = [None] * 7
        for i, o, Mii, Moo, k in arms:
            c = k * dot(e[i], e[o])
            y[i], y[o] = Mii * a[i] + c * a[o], Moo * a[o] + c * a[i]
        y[BE] = M3 * a[BE]
        return y

    # forces: centripetal coupling, torque, spring
    f = [None] * 7
    for i, o, _, _, k in arms:
        s = k * (e[i][1] * e[o][0] - e[i][0] * e[o][1])
        f[i], f[o] = -s * w[o] * w[o], s * w[i] * w[i]
    f[OF] = f[OF] + p["mom"]
    D = plus(along(p["sc"], e[BE]), along(p["sd"], n[BE]))
    CD = [D[0] + (p["xb"] - p["xc"]), D[1] + (p["yb"] - p["yc"])]
    f[BE] = -p["c0"] * (1.0 - p["l0"] / hy.sqrt(dot(CD, CD))) * dot(CD, [-D[1], D[0]])

    def solve_links(i, j, r):
        area = e[i][0] * e[j][1] - e[i][1] * e[j][0]
        return dot(r, e[j]) / (length[i] * area), -dot(r, e[i]) / (length[j] * area)

    def follow_crank(tip, pull):
        """Accelerations of all links but the crank that keep the loops closed."""
        a = [None] * 7
        a[FE], minus_plate = solve_links(FE, BE, plus(pull[BE], along(-1.0, tip)))
        a[BE] = -minus_plate
        E = plus(along(length[BE] * a[BE], n[BE]), pull[BE])
        a[AG], a[GE] = solve_links(AG, GE, plus(E, along(-1.0, plus(pull[AG], pull[GE]))))
        a[AH], a[HE] = solve_links(AH, HE, plus(E, along(-1.0, plus(pull[AH], pull[HE]))))
        return a

    zero = hy.expression(0.0)
    pull = [along(-length[i] * w[i] * w[i], e[i]) for i in range(7)]
    a0 = follow_crank(plus(pull[OF], pull[FE]), pull)
    N = follow_crank(along(length[OF], n[OF]), [[zero, zero]] * 7)
    a0[OF], N[OF] = zero, hy.expression(1.0)
    Ma0, MN = times_mass(a0), times_mass(N)
    crank = hy.sum([N[i] * (f[i] - Ma0[i]) for i in range(7)]) / hy.sum([N[i] * MN[i] for i in range(7)])
    return [(b[i], w[i]) for i in range(7)] + [(w[i], a0[i] + N[i] * crank) for i in range(7)]


def main() -> None:
    ode, y0 = derive_ode(), np.concatenate([link_angles(START), np.zeros(7)])
    for tol in TOLERANCES:
        integrator = hy.taylor_adaptive(ode, y0, tol=tol)

        def run(integrator=integrator):
            integrator.time = 0.0
            integrator.state[:] = y0
            integrator.propagate_until(T_END, max_delta_t=LONGEST_STEP)

        run()
        digits = correct_digits(relative_angles(integrator.state[:7]))
        report(f"heyoka {hy.__version__} Taylor, ODE", f"tol {tol:g}", best_seconds(run), digits)


if __name__ == "__main__":
    main()
