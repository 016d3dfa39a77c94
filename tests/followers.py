"""Systems with followers made by hand: rigid bodies whose rotation is a matrix, Euler parameters or Euler angles.

The speeds are the body rates ω; J ω' + ω × J ω = torque is a balance. Everything else is written down independently of
the package: rotation matrices of sequences, the motion as a first-order system for SciPy.
"""

import numpy as np

from linkwork import symbolic as sy
from linkwork.equations import Contribution, System, Term, accelerations, kernel
from linkwork.native import Request, Status

RATES = "wx wy wz"
MATRIX = " ".join(f"r{i}{j}" for i in range(3) for j in range(3))
SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
AXES = "xyz"


def omega(u):
    return [u.wx, u.wy, u.wz]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def matrix_of(q, prefix="r"):
    return [[getattr(q, f"{prefix}{i}{j}") for j in range(3)] for i in range(3)]


def matrix_rates(q, u):
    """Ṙ = R ω^, row by row: the rows of R turn against ω."""
    rates = {}
    for i, row in enumerate(matrix_of(q)):
        for j, rate in enumerate(cross(row, omega(u))):
            rates[f"r{i}{j}"] = rate
    return rates


def quaternion_rates(q, u):
    """ė = ½ e ∘ (0, ω)."""
    w, x, y, z = q.e0, q.e1, q.e2, q.e3
    a, b, c = omega(u)
    return {
        "e0": (-x * a - y * b - z * c) / 2,
        "e1": (w * a + y * c - z * b) / 2,
        "e2": (w * b + z * a - x * c) / 2,
        "e3": (w * c + x * b - y * a) / 2,
    }


def symbolic_turn(axis, c, s):
    """The rotation about one axis as nested lists."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = [[sy.Number(int(a == b)) for b in range(3)] for a in range(3)]
    R[i][i], R[i][j], R[j][i], R[j][j] = c, -s, s, c
    return R


def multiply(A, B):
    return [[sum((A[i][k] * B[k][j] for k in range(3)), sy.Number(0)) for j in range(3)] for i in range(3)]


def sequence_rates(sequence):
    """φ' = N ω of R = R₁(φ₁) R₂(φ₂) R₃(φ₃): ω = (R₂R₃)ᵀ i₁ φ₁' + R₃ᵀ i₂ φ₂' + i₃ φ₃', inverted by Cramer's rule."""
    first, second, third = (AXES.index(name) for name in sequence)

    def rates(q, u):
        turns = [
            symbolic_turn(axis, sy.cos(angle), sy.sin(angle))
            for axis, angle in zip((first, second, third), (q.f1, q.f2, q.f3), strict=True)
        ]
        columns = [
            multiply(turns[1], turns[2])[first],
            turns[2][second],
            [sy.Number(int(i == third)) for i in range(3)],
        ]
        cofactors = [cross(columns[(i + 1) % 3], columns[(i + 2) % 3]) for i in range(3)]
        # the determinant is ± cos or ± sin of the middle angle alone, so the sines of the third are not left in it
        inside = 1 if len(set(sequence)) == 3 else 0
        middle = sy.cos(q.f2) if inside else sy.sin(q.f2)
        sign = determinant_sign(sequence)
        return {
            f"f{i + 1}": sum((c * w for c, w in zip(cofactors[i], omega(u), strict=True)), sy.Number(0)) * sign / middle
            for i in range(3)
        }

    return rates


def determinant_sign(sequence):
    """det(columns) at the angles (0, ½, 0), divided by cos ½ or sin ½."""
    first, second, third = (AXES.index(name) for name in sequence)
    tail = turn(second, 0.5)
    columns = np.array([tail[first], np.eye(3)[second], np.eye(3)[third]])
    return int(np.sign(np.linalg.det(columns)))


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def rotation_of_matrix(e):
    return np.asarray(e).reshape(3, 3)


def rotation_of_quaternion(e):
    w, x, y, z = e
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def rotation_of_sequence(sequence):
    axes = [AXES.index(name) for name in sequence]

    def rotation(e):
        R = np.eye(3)
        for axis, angle in zip(axes, e, strict=True):
            R = R @ turn(axis, angle)
        return R

    return rotation


class Carrier:
    """A way to carry a rotation: names of followers, their rates, the rotation they stand for, what is invariant."""

    def __init__(self, name, followers, rates, rotation, invariant):
        self.name, self.followers, self.rates = name, followers, rates
        self.rotation, self.invariant = rotation, invariant


CARRIERS = {
    "matrix": Carrier("matrix", MATRIX, matrix_rates, rotation_of_matrix, True),
    "quaternion": Carrier("quaternion", "e0 e1 e2 e3", quaternion_rates, rotation_of_quaternion, True),
    **{
        s: Carrier(s, "f1 f2 f3", sequence_rates(s), rotation_of_sequence(s), False)
        for s in SEQUENCES
    },
}  # fmt: skip


def gyroscope(u, J):
    """J ω' + ω × J ω of principal moments, by coordinate."""
    a = accelerations(u)
    spin = [j * w for j, w in zip(J, omega(u), strict=True)]
    turning = [j * getattr(a, name) for j, name in zip(J, RATES.split(), strict=True)]
    return {name: x + y for name, x, y in zip(RATES.split(), turning, cross(omega(u), spin), strict=True)}


def rotor_kernel(carrier):
    """A free rotor; the kinetic energy is evidence."""

    def rotor(q, u, p):
        J = [p.Jx, p.Jy, p.Jz]
        energy = sum((j * w**2 for j, w in zip(J, omega(u), strict=True)), sy.Number(0)) / 2
        return Contribution(kinetic=energy, balance=gyroscope(u, J), kinematics=carrier.rates(q, u))

    rotor.__name__ = f"rotor_{carrier.name}"
    return kernel(RATES, "Jx Jy Jz", carrier.followers)(rotor)


def make_system(*placed, n, followers=(), kinematics=(), invariants=(), frozen=(), scales=None):
    """A system of terms (kernel, places (instances, local), parameters); kinematics are numbers of such terms."""
    terms, m = [], 0
    for k, places, parameters in placed:
        places = np.atleast_2d(np.array(places, dtype=np.int64))
        count = len(places)
        rows = m + np.arange(count * k.constraint_count, dtype=np.int64).reshape(count, k.constraint_count)
        m += rows.size
        values = np.array(parameters, dtype=float).reshape(count, len(k.parameters))
        names = tuple(f"{k.name}{i}" for i in range(count))
        terms.append(Term(kernel=k, names=names, coordinates=places, rows=rows, parameters=values))
    return System(
        coordinates=tuple(f"q{i}" for i in range(n)),
        frozen=np.array(frozen, dtype=float),
        constraints=tuple(f"g{i}" for i in range(m)),
        terms=tuple(terms),
        scales=np.ones(n) if scales is None else np.array(scales, dtype=float),
        points={},
        angles={},
        followers=tuple(f"e{i}" for i in range(followers)) if isinstance(followers, int) else tuple(followers),
        kinematics=tuple(terms[i] for i in kinematics),
        invariants=tuple(invariants),
    )


def rotor_system(carrier, J):
    count = len(carrier.followers.split())
    invariants = [tuple(range(count))] if carrier.invariant else []
    places = [0, 1, 2, *range(3, 3 + count)]
    return make_system((rotor_kernel(carrier), places, J), n=3, followers=count, kinematics=[0], invariants=invariants)


def run(machine, q, u, until, tol=1e-13, order=24, t=0.0):
    """Integrate to the end; all chunks."""
    request = Request(t_end=until, tol=tol, order=order)
    status = machine.begin(request, t, np.asarray(q, dtype=float), np.asarray(u, dtype=float))
    assert status is Status.FINISHED, status
    chunks, status = [], Status.MORE
    while status is Status.MORE:
        status, chunk = machine.advance(10.0, 100_000)
        chunks.append(chunk)
    assert status is Status.FINISHED, status
    return chunks
