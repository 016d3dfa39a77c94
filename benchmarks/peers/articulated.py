"""Forward dynamics by articulated inertias over any scalars: links in, accelerations out as expressions of a package.

As a person would write it for CasADi or heyoka; zeros are not written down. A free link has the velocity of its origin
and its angular velocity over its own axes, and stands as a rotation matrix says.
"""

from __future__ import annotations


def is_zero(x) -> bool:
    return isinstance(x, float | int) and x == 0


def plus(a, b):
    return b if is_zero(a) else a if is_zero(b) else a + b


def minus(a, b):
    return a if is_zero(b) else -b if is_zero(a) else a - b


def times(a, b):
    return 0.0 if is_zero(a) or is_zero(b) else a * b


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total = plus(total, times(x, y))
    return total


def add(a, b):
    return [plus(x, y) for x, y in zip(a, b, strict=True)]


def cross(a, b):
    return [minus(times(a[i - 2], b[i - 1]), times(a[i - 1], b[i - 2])) for i in range(3)]


def matrix(A, v):
    return [dot(row, v) for row in A]


def product(A, B):
    columns = list(zip(*B, strict=True))
    return [[dot(row, column) for column in columns] for row in A]


def transposed(A):
    return [list(row) for row in zip(*A, strict=True)]


def skew(r):
    return [[0.0, minus(0.0, r[2]), r[1]], [r[2], 0.0, minus(0.0, r[0])], [minus(0.0, r[1]), r[0], 0.0]]


def motion_transform(E, r):
    """Velocities over the parent's axes at its origin to those of the link; E: the link's axes as columns."""
    back = transposed(E)
    low = product(back, [[minus(0.0, x) for x in row] for row in skew(r)])
    zero = [[0.0] * 3 for _ in range(3)]
    return [a + b for a, b in zip(back, zero, strict=True)] + [a + b for a, b in zip(low, back, strict=True)]


def motion_cross(v, m):
    return cross(v[:3], m[:3]) + add(cross(v[3:], m[:3]), cross(v[:3], m[3:]))


def force_cross(v, f):
    return add(cross(v[:3], f[:3]), cross(v[3:], f[3:])) + cross(v[:3], f[3:])


def rigid(link):
    """The inertia of a link about its origin, (6, 6)."""
    m, c = link.mass, link.centre
    square = dot(c, c)
    C = skew(c)
    top = [
        [(link.inertia[i] if i == j else 0.0) + m * ((square if i == j else 0.0) - c[i] * c[j]) for j in range(3)]
        + [m * C[i][j] for j in range(3)]
        for i in range(3)
    ]
    return top + [[m * C[j][i] for j in range(3)] + [m if i == j else 0.0 for j in range(3)] for i in range(3)]


def turned(axis, s, c):
    i, j = (axis + 1) % 3, (axis + 2) % 3
    E = [[1.0 if a == b else 0.0 for b in range(3)] for a in range(3)]
    E[i][i] = E[j][j] = c
    E[i][j], E[j][i] = -s, s
    return E


def forward(links, q, u, sin, cos, free=None, gravity=9.81):
    """Accelerations by link: one of a joint; of a free link six, angular ones first.   free: R, and (w, v) in u"""
    X, v, c, I, p = [], [], [], [], []
    for k, link in enumerate(links):
        if link.joint == 3:
            E, mine = free, u[k]
        else:
            E = turned(link.joint, sin(q[k]), cos(q[k]))
            mine = [u[k] if i == link.joint else 0.0 for i in range(6)]
        X.append(motion_transform(E, link.at))
        velocity = mine if link.parent < 0 else add(matrix(X[k], v[link.parent]), mine)
        v.append(velocity)
        c.append([0.0] * 6 if link.joint == 3 else motion_cross(velocity, mine))
        I.append(rigid(link))
        p.append(force_cross(velocity, matrix(I[k], velocity)))
    U, d, left = [None] * len(links), [None] * len(links), [None] * len(links)
    for k in reversed(range(len(links))):
        link = links[k]
        if link.joint == 3:
            continue
        U[k] = [row[link.joint] for row in I[k]]
        d[k], left[k] = 1.0 / U[k][link.joint], minus(0.0, p[k][link.joint])
        if link.parent < 0:
            continue
        share = [times(x, d[k]) for x in U[k]]
        A = [[minus(I[k][i][j], times(share[i], U[k][j])) for j in range(6)] for i in range(6)]
        force = add(add(p[k], matrix(A, c[k])), [times(x, left[k]) for x in share])
        back = transposed(X[k])
        I[link.parent] = [add(*rows) for rows in zip(I[link.parent], product(back, product(A, X[k])), strict=True)]
        p[link.parent] = add(p[link.parent], matrix(back, force))
    a, found = [], []
    for k, link in enumerate(links):
        base = [0.0, 0.0, 0.0, 0.0, 0.0, gravity] if link.parent < 0 else a[link.parent]
        here = add(matrix(X[k], base), c[k])
        if link.joint == 3:
            moved = solve(I[k], [minus(0.0, x) for x in p[k]])
            found.append([minus(x, y) for x, y in zip(moved, here, strict=True)])
            a.append(moved)
        else:
            found.append(times(minus(left[k], dot(U[k], here)), d[k]))
            a.append(add(here, [found[k] if i == link.joint else 0.0 for i in range(6)]))
    return found


def solve(A, b):
    """x with A x = b, A symmetric."""
    n, A, x = len(b), [list(row) for row in A], list(b)
    for k in range(n):
        for i in range(k + 1, n):
            f = times(A[i][k], 1.0 / A[k][k])
            for j in range(k + 1, n):
                A[i][j] = minus(A[i][j], times(f, A[k][j]))
            x[i] = minus(x[i], times(f, x[k]))
    for k in reversed(range(n)):
        x[k] = times(minus(x[k], dot(A[k][k + 1 :], x[k + 1 :])), 1.0 / A[k][k])
    return x
