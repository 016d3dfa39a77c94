"""Andrews' squeezing mechanism as the peers get it: data, start, digits of an answer. Knows no solver.

Seen from the pin E the mechanism is four arms that meet there: crank and coupler O-F-E, the plate B-E (with
the spring at D), and the two arms A-G-E and A-H-E. Every arm is a pendulum of one or two links, so the
absolute angles b of the links, measured from the x axis,

    b = (OF, FE, BE, GE, AG, HE, AH)

make a mass matrix of 2 x 2 blocks and three loop closures P_OFE(b) = P_k(b).
Data: Hairer & Wanner, Solving Ordinary Differential Equations II, section VII.7; seed 001, appendix B.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np

T_END = 0.03

DATA = {
    "m1": 0.04325, "m2": 0.00365, "m3": 0.02373, "m4": 0.00706, "m5": 0.07050, "m6": 0.00706, "m7": 0.05498,
    "i1": 2.194e-6, "i2": 4.410e-7, "i3": 5.255e-6, "i4": 5.667e-7, "i5": 1.169e-5, "i6": 5.667e-7,
    "i7": 1.912e-5, "xa": -0.06934, "ya": -0.00227, "xb": -0.03635, "yb": 0.03273, "xc": 0.014, "yc": 0.072,
    "c0": 4530.0, "l0": 0.07785, "d": 0.028, "da": 0.0115, "e": 0.02, "ea": 0.01421, "rr": 0.007,
    "ra": 0.00092, "ss": 0.035, "sa": 0.01874, "sb": 0.01043, "sc": 0.018, "sd": 0.02, "ta": 0.02308,
    "tb": 0.00916, "u": 0.04, "ua": 0.01228, "ub": 0.00449, "zf": 0.02, "zt": 0.04, "fa": 0.01421,
    "mom": 0.033,
}  # fmt: skip

# the seven relative angles of the literature: beta, Theta, gamma, Phi, delta, Omega, epsilon
START = np.array(
    [
        -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
        0.222668390165885884674473185609, 0.487364979543842550225598953530,
        -0.222668390165885884674473185609, 1.23054744454982119249735015568,
    ]
)  # fmt: skip
START_ACCELERATION = np.array([14222.4439199541139, -10666.8329399655854, 0, 0, 0, 0, 0])
START_MULTIPLIERS = np.array([98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0])
# the literature measures some links from their other end or from their normal
TURNED = math.pi * np.array([0.0, 1.0, -0.5, -0.5, 0.0, 0.0, -0.5])


def read_reference() -> np.ndarray:
    """The seven relative angles at t = 0.03, recomputed in extended precision (the file names its source)."""
    path = Path(__file__).resolve().parents[2] / "tests" / "known" / "reference.json"
    return np.array(json.loads(path.read_text())["andrews"]["t0.03_angles"]["q"])


def link_angles(q):
    """Absolute angles b of the links from the relative angles q."""
    beta, Theta, gamma, Phi, delta, Omega, epsilon = q
    return np.array([beta, beta + Theta, gamma, Phi + delta, delta, Omega + epsilon, epsilon]) + TURNED


def relative_angles(b):
    """The inverse of `link_angles`."""
    crank, coupler, gamma, outer_G, delta, outer_H, epsilon = b - TURNED
    return np.array([crank, coupler - crank, gamma, outer_G - delta, delta, outer_H - epsilon, epsilon])


def correct_digits(q) -> float:
    """-log10 of the largest relative error of the seven relative angles at t = 0.03."""
    reference = read_reference()
    error = np.max(np.abs((np.asarray(q) - reference) / reference))
    return float(-np.log10(max(error, 1e-17))) if np.isfinite(error) else 0.0
