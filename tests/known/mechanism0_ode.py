"""Mechanism 0 of seed 001 without constraints, by two routes that share nothing but the data of Fig. 3.

Out: positions and velocities of A and B and the turn angle of OA at given times. Uses nothing of linkwork.

- `solve_hamilton`: coordinates (θ, r, φ) of section 4.4 and their momenta, DOP853 in double precision;
- `solve_taylor`: coordinates (θ, X), X a fixed mixture of B and A that decouples the equations, Taylor series
  in decimal arithmetic of 34 digits, so that rounding and truncation are far below double precision.

On [0, 10] the first converges to the second as its tolerance falls, down to 3e-13 of the motion's size (run
this file to see it); changing one number of the data by one rounding error changes the end by 2e-14 of it.
The second is the reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext

import numpy as np
from scipy.integrate import solve_ivp

g, L, M, k, l, m, mu, tau, v0 = 9.80665, 11.137, 2.059, 35.24, 11.88, 1.416, 2.715, 6.46, 12.34

Motion = dict[str, np.ndarray]
TIGHTEST = 2.3e-14  # SciPy accepts no relative tolerance below 100 eps


# ---- route 1: section 4.4 ------------------------------------------------------------
#
#   A = L (sin θ, -cos θ),   B = A + r (sin φ, -cos φ),   with Δ = φ - θ and c = μ/2 + m, e = μ/3 + m:
#
#       p = 𝓜 q̇,   𝓜 = [ (M/3 + μ + m) L²   c L sin Δ   c L r cos Δ ]
#                       [ c L sin Δ           e           0           ]
#                       [ c L r cos Δ         0           e r²        ]
#
#       ṗ_θ = -c L θ̇ (cos Δ ṙ - r sin Δ φ̇) - (M/2 + μ + m) g L sin θ + τ
#       ṗ_r =  c L cos Δ θ̇ φ̇ + e r φ̇² + c g cos φ - k (r - l)
#       ṗ_φ =  c L θ̇ (cos Δ ṙ - r sin Δ φ̇) - c g r sin φ


def mass_matrix(theta: float, r: float, phi: float) -> np.ndarray:
    """𝓜 of equation (4.8), (3, 3)."""
    c, e, sine, cosine = mu / 2 + m, mu / 3 + m, math.sin(phi - theta), math.cos(phi - theta)
    return np.array(
        [
            [(M / 3 + mu + m) * L**2, c * L * sine, c * L * r * cosine],
            [c * L * sine, e, 0.0],
            [c * L * r * cosine, 0.0, e * r**2],
        ]
    )


def hamilton(t: float, y: np.ndarray) -> np.ndarray:
    """(q̇, ṗ) at y = (q, p), q = (θ, r, φ)."""
    theta, r, phi = y[:3]
    rates = np.linalg.solve(mass_matrix(theta, r, phi), y[3:])
    w, dr, f = rates
    c, e, sine, cosine = mu / 2 + m, mu / 3 + m, math.sin(phi - theta), math.cos(phi - theta)
    turn = c * L * w * (cosine * dr - r * sine * f)
    forces = [
        -turn - (M / 2 + mu + m) * g * L * math.sin(theta) + tau,
        c * L * cosine * w * f + e * r * f**2 + c * g * math.cos(phi) - k * (r - l),
        turn - c * g * r * math.sin(phi),
    ]
    return np.array([*rates, *forces])


def start_hamilton() -> np.ndarray:
    """(q, p) at t = 0: A on the circle at A_x = 5L/13 with Ȧ_x = v0, B = A + l (0.6, -0.8) at rest."""
    theta, phi = math.atan2(5, 12), math.atan2(0.6, 0.8)
    w = v0 / (L * math.cos(theta))
    dA = L * w * np.array([math.cos(theta), math.sin(theta)])
    dr = -dA @ [math.sin(phi), -math.cos(phi)]
    f = -dA @ [math.cos(phi), math.sin(phi)] / l
    return np.array([theta, l, phi, *(mass_matrix(theta, l, phi) @ [w, dr, f])])


def solve_hamilton(times: Sequence[float], tol: float = TIGHTEST) -> Motion:
    """Motion at the times, by DOP853 with relative and absolute tolerance tol."""
    end = max(times)
    solution = solve_ivp(hamilton, (0.0, end), start_hamilton(), "DOP853", rtol=tol, atol=tol, t_eval=times)
    rows = [describe_polar(y) for y in solution.y.T]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def describe_polar(y: np.ndarray) -> dict[str, object]:
    """Points and velocities from (q, p), equation (4.6)."""
    theta, r, phi = y[:3]
    w, dr, f = np.linalg.solve(mass_matrix(theta, r, phi), y[3:])
    n, s = np.array([math.sin(theta), -math.cos(theta)]), np.array([math.sin(phi), -math.cos(phi)])
    A, dA = L * n, L * w * np.array([-n[1], n[0]])
    B, dB = A + r * s, dA + dr * s + r * f * np.array([-s[1], s[0]])
    return {"A": A, "B": B, "A'": dA, "B'": dB, "OA": theta - math.pi / 2, "OA'": w}


# ---- route 2: cartesian, decoupled, in decimal arithmetic ----------------------------
#
#   With n = (sin θ, -cos θ), t = (cos θ, sin θ), A = L n, D = B - A and the spring's pull h = k (1 - l/|D|):
#
#       T = M/6 |Ȧ|² + μ/6 (|Ȧ|² + Ȧ·Ḃ + |Ḃ|²) + m/2 |Ḃ|²
#
#       e B̈ + μ/6 Ä                   = F = -(μ/2 + m) g ŷ - h D,                         e = μ/3 + m
#       (M + μ)/3 L² θ̈ + μ/6 L t·B̈  = Q = τ - (M + μ)/2 g L sin θ + h L t·D
#
#   The first says that X = B + a A, a = μ/(6 e), is free: e Ẍ = F. Since t·Ä = L θ̈, the second becomes
#
#       I θ̈ = Q - a L t·F,   I = L² ((M + μ)/3 - a μ/6),   and D = X - (1 + a) A.
#
#   Taylor coefficients: s' = c θ', c' = -s θ' for sin θ, cos θ; z = (D·D)^(-½) from (D·D) z' = -½ z (D·D)'.

DIGITS, ORDER, TRUNCATION = 34, 30, Decimal("1e-28")
ZERO = Decimal(0)
State = tuple[Decimal, ...]  # θ, X_x, X_y and their rates


def product(a: list[Decimal], b: list[Decimal], n: int) -> Decimal:
    """Coefficient n of the product of two series."""
    return sum((a[j] * b[n - j] for j in range(n + 1)), ZERO)


def derivative_product(a: list[Decimal], b: list[Decimal], n: int) -> Decimal:
    """Coefficient n of the integral of a' b."""
    return sum((j * a[j] * b[n - j] for j in range(1, n + 1)), ZERO) / n


def constants() -> tuple[Decimal, ...]:
    """(e, a, I) as above."""
    L_, M_, m_, mu_ = map(Decimal, (L, M, m, mu))
    e = mu_ / 3 + m_
    a = mu_ / 6 / e
    return e, a, L_**2 * ((M_ + mu_) / 3 - a * mu_ / 6)


def expand(state: State, sine: Decimal, cosine: Decimal) -> dict[str, list[Decimal]]:
    """Taylor coefficients 0..ORDER of the motion through a state."""
    g_, L_, M_, k_, l_, m_, mu_, tau_ = map(Decimal, (g, L, M, k, l, m, mu, tau))
    e, a, inertia = constants()
    th, x, y = ([state[i], state[i + 3]] for i in range(3))
    s, c, Dx, Dy, DD, z, h, hx, hy = [sine], [cosine], [], [], [], [], [], [], []
    for n in range(ORDER - 1):
        if n:
            s.append(derivative_product(th, c, n))
            c.append(-derivative_product(th, s, n))
        Dx.append(x[n] - (1 + a) * L_ * s[n])
        Dy.append(y[n] + (1 + a) * L_ * c[n])
        DD.append(product(Dx, Dx, n) + product(Dy, Dy, n))
        z.append(next_inverse_root(DD, z, n))
        h.append((k_ if n == 0 else ZERO) - k_ * l_ * z[n])
        hx.append(product(h, Dx, n))
        hy.append(product(h, Dy, n))
        # F = (-hx, -hy - weight): t·F = -h t·D - weight sin θ
        weight = (mu_ / 2 + m_) * g_
        pull = product(c, hx, n) + product(s, hy, n)
        turn = (tau_ if n == 0 else ZERO) - (M_ + mu_) / 2 * g_ * L_ * s[n] + L_ * pull
        turn += a * L_ * (pull + weight * s[n])
        up = Decimal((n + 1) * (n + 2))
        th.append(turn / inertia / up)
        x.append(-hx[n] / e / up)
        y.append((-hy[n] - (weight if n == 0 else ZERO)) / e / up)
    return {"th": th, "x": x, "y": y}


def next_inverse_root(DD: list[Decimal], z: list[Decimal], n: int) -> Decimal:
    """Coefficient n of DD^(-1/2), given the earlier ones."""
    if n == 0:
        return 1 / DD[0].sqrt()
    return sum(((j / Decimal(-2) - (n - j)) * DD[j] * z[n - j] for j in range(1, n + 1)), ZERO) / (n * DD[0])


def evaluate(a: list[Decimal], t: Decimal) -> tuple[Decimal, Decimal]:
    """Value and derivative of a series at t, by Horner's rule."""
    value, slope = ZERO, ZERO
    for coefficient in reversed(a):
        slope = slope * t + value
        value = value * t + coefficient
    return value, slope


def sine_and_cosine(angle: Decimal) -> tuple[Decimal, Decimal]:
    """(sin, cos) by their series, after halving the angle eight times."""
    small, term, s, c = angle / 256, Decimal(1), ZERO, ZERO
    for j in range(40):
        s, c = (s + term * (-1) ** (j // 2), c) if j % 2 else (s, c + term * (-1) ** (j // 2))
        term *= small / (j + 1)
    for _ in range(8):
        s, c = 2 * s * c, c * c - s * s
    return s, c


def start_taylor() -> State:
    """(θ, X, θ', X') at t = 0, where tan θ = 5/12: the angle by Newton's method."""
    L_, l_, v0_ = map(Decimal, (L, l, v0))
    _, a, _ = constants()
    theta = Decimal(math.atan2(5, 12))
    for _ in range(3):
        s, c = sine_and_cosine(theta)
        theta -= s * 12 / 13 - c * 5 / 13
    s, c = Decimal(5) / 13, Decimal(12) / 13
    w = v0_ / (L_ * c)
    A, dA = (L_ * s, -L_ * c), (L_ * w * c, L_ * w * s)
    B = (A[0] + l_ * 3 / 5, A[1] - l_ * 4 / 5)
    return theta, B[0] + a * A[0], B[1] + a * A[1], w, a * dA[0], a * dA[1]


def solve_taylor(times: Sequence[float]) -> Motion:
    """Motion at the times (ascending), correct to every digit of double precision."""
    rows = []
    with localcontext() as context:
        context.prec = DIGITS
        t, state, wanted = ZERO, start_taylor(), [Decimal(time) for time in times]
        while wanted:
            series = expand(state, *sine_and_cosine(state[0]))
            last = max(max(abs(a[-1]), abs(a[-2])) for a in series.values())
            step = (TRUNCATION / last) ** (1 / Decimal(ORDER))
            while wanted and wanted[0] <= t + step:
                rows.append(describe_cartesian(advance(series, wanted.pop(0) - t)))
            state, t = advance(series, step), t + step
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


def advance(series: dict[str, list[Decimal]], t: Decimal) -> State:
    """The state a time t after the point of expansion."""
    values = [evaluate(a, t) for a in series.values()]
    return tuple(value for value, _ in values) + tuple(slope for _, slope in values)


def describe_cartesian(state: State) -> dict[str, object]:
    """Points and velocities from (θ, X, θ', X')."""
    theta, x, y, w, dx, dy = state
    (s, c), L_, (_, a, _) = sine_and_cosine(theta), Decimal(L), constants()
    A, dA = (L_ * s, -L_ * c), (L_ * w * c, L_ * w * s)
    B, dB = (x - a * A[0], y - a * A[1]), (dx - a * dA[0], dy - a * dA[1])
    return {"A": A, "B": B, "A'": dA, "B'": dB, "OA": float(theta) - math.pi / 2, "OA'": w}


if __name__ == "__main__":
    times = [0.0, 1.0, 2.0, 5.0, 10.0]
    reference = solve_taylor(times)
    for tol in (1e-8, 1e-10, 1e-12, TIGHTEST):
        motion = solve_hamilton(times, tol)
        difference = max(np.abs(motion[name] - reference[name]).max() for name in ("A", "B", "A'", "B'"))
        print(f"tol {tol:.1e}   largest difference {difference:.1e}")
    for name, values in reference.items():
        print(f"{name:4} at t = 10:", *(repr(float(value)) for value in np.atleast_1d(values[-1])))
