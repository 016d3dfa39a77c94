"""The rotor and stator of Negrut and Ortiz (2006), seen from the ground and from the rotor.

A rotor turns freely in a stator that stands on a soft bushing. Its frequencies split with the speed of the rotor; an
observer on the rotor sees each of them shifted by that speed. Data as in the paper; where it is silent (the bushing
about the vertical, damping of rotations, the stator's centre of mass) round numbers are chosen.
"""

import numpy as np

import linkwork as lw
from linkwork.symbolic import cos, sin

PARAMETERS = {
    "mr": 1300, "Ir": 500, "Jr": 1000, "h": 0.75,        # rotor: mass, inertia across and along, height of its centre
    "ms": 200, "Is": 50, "Js": 10,                       # stator, centre at the bushing
    "k": 1000, "d": 1, "kt": 10000, "dt": 10,            # bushing: along and about all axes
    "speed": 0,                                          # of the rotor [Hz]
    "shake": 0,                                          # amplitude of the ground [m]
    "ramp": 0,                                           # growth of a prescribed speed [Hz/s]
}  # fmt: skip

GROUND = ["x", "y", "z", "a", "b", "c", "psi"]
ROTOR = [
    "X = x*cos(psi) + y*sin(psi)", "Y = y*cos(psi) - x*sin(psi)", "z",
    "A = a*cos(psi) + b*sin(psi)", "B = b*cos(psi) - a*sin(psi)", "c", "psi",
]  # fmt: skip


def rotor_stator(driven: bool = False, tones: int = 60, **changes: float) -> lw.Model:
    """x, y, z and the angles a, b, c (about x, y, z in turn) of the stator, the spin psi of the rotor in it.

    `driven`: the speed is prescribed and grows, and the ground shakes with many tones up to 1.6 Hz.
    """
    rng = np.random.default_rng(5)
    frequencies = 2 * np.pi * 1.6 * (np.arange(tones) + rng.random(tones)) / tones
    phases = 2 * np.pi * rng.random(tones)

    def ground(p, t):
        return p.shake * sum((sin(f * t + s) for f, s in zip(frequencies.tolist(), phases.tolist(), strict=True)), 0)

    def energy(q, u, p, t):
        w1 = u.a * cos(q.b) * cos(q.c) + u.b * sin(q.c)
        w2 = u.b * cos(q.c) - u.a * cos(q.b) * sin(q.c)
        w3 = u.a * sin(q.b) + u.c
        axis = (sin(q.b), -sin(q.a) * cos(q.b), cos(q.a) * cos(q.b))
        centre = [lw.rate(place + p.h * e) for place, e in zip((q.x, q.y, q.z), axis, strict=True)]
        rotor = p.mr * sum(v**2 for v in centre) + p.Ir * (w1**2 + w2**2) + p.Jr * (w3 + u.psi) ** 2
        stator = p.ms * (u.x**2 + u.y**2 + u.z**2) + p.Is * (w1**2 + w2**2) + p.Js * w3**2
        push = ground(p, t) if driven else 0
        spring = p.k * ((q.x - push) ** 2 + (q.y - push) ** 2 + q.z**2) + p.kt * (q.a**2 + q.b**2 + q.c**2)
        return (rotor + stator - spring) / 2

    def dissipation(u, p):
        return (p.d * (u.x**2 + u.y**2 + u.z**2) + p.dt * (u.a**2 + u.b**2 + u.c**2)) / 2

    return lw.lagrangian(
        "x y z a b c psi",
        energy,
        dissipation=dissipation,
        constraints=["psi - pi*ramp*t**2"] if driven else (),
        parameters={**PARAMETERS, **changes},
        start={} if driven else {"psi'": "2*pi*speed"},
        title="rotor and stator",
    )


def gyroscopic_model(speed: float, **changes: float) -> np.ndarray:
    """Eigenvalues of the horizontal motion by hand: with z = x + i y and φ = b − i a

    [m, m_r h; m_r h, I + m_r h²] (z̈, φ̈) + [d, 0; 0, d_t − i J Ω] (ż, φ̇) + [k, 0; 0, k_t] (z, φ) = 0
    """
    p = {**PARAMETERS, **changes}
    M = np.array([[p["mr"] + p["ms"], p["mr"] * p["h"]], [p["mr"] * p["h"], p["Ir"] + p["Is"] + p["mr"] * p["h"] ** 2]])
    D = np.diag([p["d"], p["dt"] - 2j * np.pi * speed * p["Jr"]])
    K = np.diag([p["k"], p["kt"]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    return np.linalg.eigvals(A)


def frequencies(states: list[str], count: int = 41) -> tuple[np.ndarray, np.ndarray]:
    """Speeds from 0 to 1 Hz, and the frequencies of the modes there [Hz]."""
    study = rotor_stator().vary("speed", np.linspace(0, 1, count), states=states)
    return study.values, study.frequencies


def shaken(until: float = 2500.0) -> lw.Trajectory:
    """The numerical experiment of the paper: the speed grows by 0.0005 Hz/s while the ground shakes."""
    return rotor_stator(driven=True, shake=2e-4, ramp=0.0005).simulate(until, tol=1e-9)


def draw(folder: str) -> None:
    """Draw both figures of the paper, and the spectra of the experiment below the lines."""
    from matplotlib.figure import Figure
    from scipy.signal import spectrogram

    motion = shaken()
    t = np.arange(0, 2500, 0.2)
    state = motion.at(t)
    x, a, b, psi = (state[name] for name in ("x", "a", "b", "psi"))
    signals = {"ground": (x, "x"), "rotor": (b * np.cos(psi) - a * np.sin(psi), "the tilt seen by the rotor")}
    for frame, states in (("ground", GROUND), ("rotor", ROTOR)):
        signal, label = signals[frame]
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        speeds, lines = frequencies(states)
        f, times, power = spectrogram(signal, fs=5.0, nperseg=700, noverlap=600, window="hann")
        right.pcolormesh(0.0005 * times, f, np.log10(power + 1e-30), shading="gouraud", vmin=np.log10(power.max()) - 5)
        for axes, style in (
            (left, {"linewidth": 1.5}),
            (right, {"color": "white", "linewidth": 0.7, "linestyle": ":"}),
        ):
            axes.plot(speeds, lines, **style)
            axes.set_xlabel("speed of the rotor [Hz]")
        left.set_title(f"eigenvalues in the {frame}'s frame")
        right.set_title(f"spectrum of {label}")
        left.set_ylabel("frequency [Hz]")
        left.set_ylim(0, 1.6)
        left.set_xlim(0, 1)
        right.set_xlim(0, 1)
        figure.savefig(f"{folder}/rotor-stator-{frame}.png", dpi=110)


if __name__ == "__main__":
    import sys

    for states, frame in ((GROUND, "ground"), (ROTOR, "rotor")):
        for speed, line in zip(*frequencies(states, 5), strict=True):
            print(f"{frame}, rotor at {speed:.2f} Hz: {np.sort(line[np.isfinite(line)]).round(4)} Hz")
    for folder in sys.argv[1:]:
        draw(folder)
