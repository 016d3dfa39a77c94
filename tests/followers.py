"""Systems with followers made by hand: rigid bodies whose rotation is a matrix, Euler parameters or Euler angles.

The speeds are the body rates ω; J ω' + ω × J ω = torque is a balance. Everything else is written down independently of
the package: rotation matrices of sequences, the motion as a first-order system for SciPy.
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

import tools
from linkwork import symbolic as sy
from linkwork.equations import Contribution, accelerations, kernel
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
    plain = tools.make_system(*placed, n=n, frozen=frozen, scales=scales)
    return replace(
        plain,
        followers=tuple(f"e{i}" for i in range(followers)) if isinstance(followers, int) else tuple(followers),
        kinematics=tuple(plain.terms[i] for i in kinematics),
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


# -- bodies whose centre and rotation are held by constraints ----------------------------------------------------------

POSE = "px py pz wx wy wz"


def place_of(q, arm):
    """p + R s, the place of a point of the body."""
    centre, R = [q.px, q.py, q.pz], matrix_of(q)
    return [centre[i] + sum((R[i][j] * arm[j] for j in range(3)), sy.Number(0)) for i in range(3)]


@kernel(POSE, "m Jx Jy Jz g", MATRIX)
def body(q, u, p):
    """A rigid body under gravity along −z: Newton and Euler."""
    a, J = accelerations(u), [p.Jx, p.Jy, p.Jz]
    newton = {name: p.m * getattr(a, name) for name in ("px", "py", "pz")}
    moving = p.m * (u.px**2 + u.py**2 + u.pz**2) / 2
    turning = sum((j * w**2 for j, w in zip(J, omega(u), strict=True)), sy.Number(0)) / 2
    return Contribution(
        kinetic=moving + turning,
        balance=newton | gyroscope(u, J),
        potential={"gravity": p.m * p.g * q.pz},
        kinematics=matrix_rates(q, u),
    )


@kernel(POSE, "sx sy sz", MATRIX)
def pin(q, u, p):
    """A point of the body at the origin: linear in the followers."""
    return Contribution(constraints=place_of(q, [p.sx, p.sy, p.sz]), kinematics=matrix_rates(q, u))


@kernel(POSE, "sx sy sz length k", MATRIX)
def tether(q, u, p):
    """A point of the body at a distance from the origin, and a spring to (1, 0, 0): products of followers."""
    x, y, z = place_of(q, [p.sx, p.sy, p.sz])
    spring = p.k * ((x - 1) ** 2 + y**2 + z**2) ** 2 / 8
    return Contribution(
        constraints=[x**2 + y**2 + z**2 - p.length**2], potential={"spring": spring}, kinematics=matrix_rates(q, u)
    )


def pinned_system(weights, arm):
    """A body (m, Jx, Jy, Jz, g) with one of its points pinned to the origin."""
    places = range(15)
    return make_system(
        (body, places, weights), (pin, places, arm), n=6, followers=9, kinematics=[0], invariants=[tuple(range(9))]
    )


def pinned_state(R, w, arm):
    """q with followers and u of a pinned body."""
    arm = np.asarray(arm)
    q = np.concatenate([-R @ arm, np.zeros(3), R.ravel()])
    return q, np.concatenate([-R @ np.cross(w, arm), w])


def top_equations(weights, arm):
    """ω' of a pinned body and the moment of inertia about the pin, as functions of R and ω."""
    m, *J, g = weights
    r = -np.asarray(arm)
    about_pin = np.diag(J) + m * (r @ r * np.eye(3) - np.outer(r, r))

    def acceleration(R, w):
        torque = np.cross(r, R.T @ np.array([0.0, 0.0, -m * g]))
        return np.linalg.solve(about_pin, torque - np.cross(w, about_pin @ w))

    return acceleration


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


PAIR = " ".join(f"{name}{side}" for side in "ij" for name in POSE.split())
PAIR_MATRIX = " ".join(f"{name}{side}" for side in "ij" for name in MATRIX.split())


def side_of(q, u, side):
    """What belongs to one of two bodies, under the names it has for a body alone."""
    places = {name: getattr(q, name + side) for name in (*POSE.split(), *MATRIX.split())}
    return SimpleNamespace(**places), SimpleNamespace(**{name: getattr(u, name + side) for name in POSE.split()})


@kernel(PAIR, "ax ay az bx by bz", PAIR_MATRIX)
def ball_joint(q, u, p):
    """A point of one body at a point of another."""
    (i, ui), (j, uj) = side_of(q, u, "i"), side_of(q, u, "j")
    ends = zip(place_of(i, [p.ax, p.ay, p.az]), place_of(j, [p.bx, p.by, p.bz]), strict=True)
    rates = {
        f"{name}{side}": rate
        for side, x, y in (("i", i, ui), ("j", j, uj))
        for name, rate in matrix_rates(x, y).items()
    }
    return Contribution(constraints=[a - b for a, b in ends], kinematics=rates)


def chain_system(count, weights, half):
    """So many equal bodies on ball joints, one after another, the first on the world: a body with frozen places."""
    n, frozen = 6 * count, [0.0] * 6 + [*np.eye(3).ravel()]
    poses = [[*range(6 * i, 6 * i + 6)] for i in range(count)] + [[*range(n, n + 6)]]
    turns = [[*range(n + 15 + 9 * i, n + 24 + 9 * i)] for i in range(count)] + [[*range(n + 6, n + 15)]]
    bodies = [poses[i] + turns[i] for i in range(count)]
    joints = [poses[i - 1] + poses[i] + turns[i - 1] + turns[i] for i in range(count)]
    below = [[0, 0, 0 if i == 0 else -half, 0, 0, half] for i in range(count)]
    return make_system(
        (body, bodies, [weights] * count), (ball_joint, joints, below), n=n, frozen=frozen, followers=9 * count,
        kinematics=[0], invariants=[tuple(range(9 * i, 9 * i + 9)) for i in range(count)],
    )  # fmt: skip


def chain_state(count, half, seed=3):
    """q with followers and u of a chain in a random shape."""
    rng = np.random.default_rng(seed)
    end, speed, arm = np.zeros(3), np.zeros(3), np.array([0.0, 0.0, half])
    poses, turns, speeds = [], [], []
    for _ in range(count):
        R = turn(0, rng.uniform(-2, 2)) @ turn(1, rng.uniform(-1, 1)) @ turn(2, rng.uniform(-3, 3))
        w = rng.uniform(-2, 2, 3)
        swing = R @ np.cross(w, arm)
        poses += [*(end - R @ arm), 0.0, 0.0, 0.0]
        speeds += [*(speed - swing), *w]
        turns += [*R.ravel()]
        end, speed = end - 2 * R @ arm, speed - 2 * swing
    return np.array(poses + turns), np.array(speeds)
