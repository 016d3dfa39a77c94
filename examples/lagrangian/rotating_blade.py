"""A rotor blade: a chain of rigid segments with elastic hinges, free to flap and lag, in the frame that turns with it.

The segments are thin rods between points whose places are given in the turning frame; rods keep their length. With more
segments the frequencies approach those of a rotating cantilever beam (Wright and others, J. Appl. Mech. 49, 1982).
"""

from itertools import pairwise

import numpy as np

import linkwork as lw

LENGTH, DENSITY, STIFFNESS = 1.0, 1.0, 1.0  # so that speeds and frequencies are those of the dimensionless beam


def blade(segments: int, speed: float = 0.0) -> lw.Model:
    """x along the blade, y in the plane of rotation (lag), z out of it (flap)."""
    h = LENGTH / segments

    def nodes(q):
        return [(0, 0, 0), *zip(q.x, q.y, q.z, strict=True)]

    def energy(q, u, p):
        places = nodes(q)
        speeds = [(0, 0, 0), *zip(u.x, u.y, u.z, strict=True)]
        # velocities on the ground: v + Ω × r
        ground = [(v[0] - p.Omega * r[1], v[1] + p.Omega * r[0], v[2]) for r, v in zip(places, speeds, strict=True)]
        total = 0
        for v, w in pairwise(ground):
            total += p.rho * p.h / 6 * sum(i * i + i * j + j * j for i, j in zip(v, w, strict=True))
        directions = [(p.h, 0, 0), *([y - x for x, y in zip(a, b, strict=True)] for a, b in pairwise(places))]
        for i, (d, e) in enumerate(pairwise(directions)):
            # the wall holds the middle of the first segment, half a segment away
            hinge = (2 if i == 0 else 1) * p.EI / p.h
            total -= hinge / 2 * sum((y - x) ** 2 for x, y in zip(d, e, strict=True)) / p.h**2
        return total

    def lengths(q, p):
        places = nodes(q)
        return [sum((y - x) ** 2 for x, y in zip(a, b, strict=True)) - p.h**2 for a, b in pairwise(places)]

    return lw.lagrangian(
        f"x[{segments}] y[{segments}] z[{segments}]",
        energy,
        constraints=lengths,
        parameters={"Omega": speed, "EI": STIFFNESS, "rho": DENSITY, "h": h},
        start={f"x{i}": h * i for i in range(1, segments + 1)},
        title=f"rotating blade of {segments} segments",
    )


def states(segments: int) -> list[str]:
    """Flap and lag of all points."""
    return [f"{axis}{i}" for i in range(1, segments + 1) for axis in "zy"]


def beam(speed: float, lag: bool = False, degree: int = 12) -> np.ndarray:
    """Angular frequencies of the rotating beam by Ritz' method with polynomials x² ... x^degree.

    EI ∫ w''² + ½ ρ Ω² ∫ (L² − x²) w'²  (− ρ Ω² ∫ w² for lag)  over  ρ ∫ w²
    """
    x, weight = np.polynomial.legendre.leggauss(3 * degree)
    x, weight = (x + 1) / 2, weight / 2
    shapes = [np.polynomial.Legendre.basis(k, domain=[0, 1]) * np.polynomial.Polynomial([0, 0, 1]).convert(
        kind=np.polynomial.Legendre, domain=[0, 1]) for k in range(degree - 1)]  # fmt: skip
    w, dw, ddw = (np.array([f.deriv(k)(x) if k else f(x) for f in shapes]) for k in range(3))
    M = (w * weight) @ w.T
    K = (ddw * weight) @ ddw.T + speed**2 * (dw * weight * (1 - x**2) / 2) @ dw.T - lag * speed**2 * M
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))


def draw(folder: str) -> None:
    """The Campbell diagram of sixteen segments beside the beam."""
    from matplotlib.figure import Figure

    study = blade(16).vary("Omega", np.linspace(0, 12, 25), states=states(16))
    figure = Figure(figsize=(7.5, 4.8), layout="constrained")
    axes = figure.subplots()
    lines = axes.plot(study.values, 2 * np.pi * study.frequencies, color="tab:blue", linewidth=1.2)
    lines[0].set_label("blade of 16 rigid segments")
    speeds = np.arange(0, 13, 2)
    for lag, mark in ((False, "^"), (True, "s")):
        known = np.array([beam(s, lag)[:3] for s in speeds])
        label = f"beam, {'lag' if lag else 'flap'}"
        axes.plot(speeds, known, mark, color="tab:red" if lag else "tab:green", markersize=5, label=[label, "", ""])
    for k in (1, 2, 3):
        axes.plot([0, 12], [0, 12 * k], ":", color="gray", linewidth=0.8)
        axes.text(11.6, 11.6 * k + 1.2, f"{k}Ω", color="gray", ha="right")
    axes.set_xlabel("speed Ω / √(EI/ρL⁴)")
    axes.set_ylabel("ω / √(EI/ρL⁴)")
    axes.set_ylim(0, 80)
    axes.legend(loc="upper left")
    figure.savefig(f"{folder}/rotating-blade.png", dpi=110)


if __name__ == "__main__":
    import sys

    for turning in (0.0, 6.0):
        for number in (4, 8, 16):
            modes = blade(number, turning).linearize(states=states(number)).modes
            print(f"speed {turning:g}, {number:2} segments: {np.array([mode.omega for mode in modes][:4]).round(3)}")
        print(f"speed {turning:g}, the beam:    {np.sort([*beam(turning)[:2], *beam(turning, lag=True)[:2]]).round(3)}")
    for folder in sys.argv[1:]:
        draw(folder)
