"""The language of vectors: each operation by its example, in the frames of the spacecraft of the AUTOSIM paper."""

from __future__ import annotations

import pytest

from linkwork.symbolic import Expr, abs, atan2, cos, sin, sqrt, symbol
from linkwork.symbolic.simplify import canonical, collect, expand, factored, gcf, trigonometric
from linkwork.vectors import (
    Frame,
    VectorError,
    acceleration,
    angle,
    angular_acceleration,
    angular_velocity,
    components,
    constant_part,
    coordinates,
    cross,
    direction,
    dot,
    dt,
    entries,
    express,
    identity,
    is_constant,
    magnitude,
    matrix,
    nominal,
    outer,
    partial,
    position,
    project,
    velocity,
)

Q = {i: symbol(f"q{i}", kind="coordinate") for i in range(1, 11)}
S, C_ = {i: sin(q) for i, q in Q.items()}, {i: cos(q) for i, q in Q.items()}
L = {i: symbol(f"L{i}") for i in range(1, 9)}


@pytest.fixture
def frames() -> dict[str, Frame]:
    N = Frame("N")
    B = N.turned_by("B", [Q[4], Q[5], Q[6]], "123")
    C = B.turned("C", Q[7], "z")
    D = C.turned("D", Q[8], 1)
    E = B.turned("E", Q[9], 3)
    F = E.turned("F", Q[10], "x")
    return {"N": N, "B": B, "C": C, "D": D, "E": E, "F": F}


def same(a: Expr, b: Expr) -> bool:
    return canonical(a - b) is symbol("x") - symbol("x")


# ---- unit vectors --------------------------------------------------------------------------------


def test_parallel_axes_are_one_unit_vector(frames: dict[str, Frame]) -> None:
    B, C, D, E, F = (frames[name] for name in "BCDEF")
    assert C.z is B.z and D.x is C.x and E.z is B.z and F.x is E.x
    assert B[1] is B.x and B[3] is B.z
    assert Frame("A", B).axes == B.axes  # no turn at all


def test_dot_products_of_unit_vectors(frames: dict[str, Frame]) -> None:
    N, B, C, D, E, F = (frames[name] for name in "NBCDEF")
    assert dot(B.x, C.x) is C_[7]
    assert dot(N.x, B.x) is C_[5] * C_[6]
    assert dot(N.y, B.x) is C_[4] * S[6] + S[4] * S[5] * C_[6]
    assert dot(D.z, B.y) is -S[8] * C_[7]
    assert dot(C.x, E.x) is C_[7] * C_[9] + S[7] * S[9]
    assert same(dot(D.y, F.y), (C_[7] * C_[9] + S[7] * S[9]) * C_[8] * C_[10] + S[8] * S[10])
    assert dot(D.y, F.y) is dot(F.y, D.y)


def test_cosine_matrices(frames: dict[str, Frame]) -> None:
    N, B, C, D = (frames[name] for name in "NBCD")
    c4, c5, c6, s4, s5, s6 = C_[4], C_[5], C_[6], S[4], S[5], S[6]
    expected = (
        (c5 * c6, c4 * s6 + s4 * s5 * c6, s4 * s6 - c4 * s5 * c6),
        (-c5 * s6, c4 * c6 - s4 * s5 * s6, s4 * c6 + c4 * s5 * s6),
        (s5, -s4 * c5, c4 * c5),
    )
    assert matrix(B, N) == expected
    assert matrix(C, B) == ((C_[7], S[7], 0 * S[7]), (-S[7], C_[7], 0 * S[7]), (0 * S[7], 0 * S[7], 0 * S[7] + 1))
    assert matrix(D, C)[1][1] is C_[8] and matrix(D, C)[1][2] is S[8] and matrix(D, C)[2][1] is -S[8]


def test_directions_of_successive_turns(frames: dict[str, Frame]) -> None:
    N, B = frames["N"], frames["B"]
    found = B.directions([Q[4], Q[5], Q[6]], [0, 1, 2])
    assert found == [N.x, C_[6] * B.y + S[6] * B.x, B.z]


# ---- products ------------------------------------------------------------------------------------


def test_cross_products_stay_over_the_axes_of_the_second(frames: dict[str, Frame]) -> None:
    B, C = frames["B"], frames["C"]
    assert cross(B.x, C.y) == C_[7] * B.z
    assert cross(B.z, C.y) == -C.x
    assert cross(B.x, B.y) == B.z and cross(B.y, B.x) == -B.z


def test_dyads(frames: dict[str, Frame]) -> None:
    N, B = frames["N"], frames["B"]
    pair = outer(N.x, B.y)
    assert dot(pair, B.y) == N.x
    assert dot(B.y, pair) == dot(B.y, N.x) * B.y
    assert pair.transposed == outer(B.y, N.x)
    assert dot(pair, outer(B.y, B.z)) == outer(N.x, B.z)
    assert dot(identity(B), 2 * B.x - B.z) == 2 * B.x - B.z
    assert cross(B.x, outer(B.y, N.x)) == outer(B.z, N.x)
    assert cross(outer(N.x, B.y), B.z) == outer(N.x, B.x)


def test_length_direction_projection(frames: dict[str, Frame]) -> None:
    N, B = frames["N"], frames["B"]
    v = 3 * B.x + 4 * B.y + 12 * B.z
    assert magnitude(v) is symbol("x") / symbol("x") * 13
    assert direction(v) == v / 13
    assert project(v, normal=B.z) == 3 * B.x + 4 * B.y
    between = magnitude(L[2] * B.x - L[1] * N.x)
    assert between is sqrt(L[1] ** 2 + L[2] ** 2 - 2 * L[1] * L[2] * dot(N.x, B.x))


def test_signed_angles(frames: dict[str, Frame]) -> None:
    B, C = frames["B"], frames["C"]
    assert angle(B.x, C.x, about=B.z) is atan2(S[7], C_[7])
    assert angle(B.x, C.x, about=-2 * B.z) is atan2(-S[7], C_[7])
    assert angle(B.x, C.x) is atan2(abs(S[7]), C_[7])
    with pytest.raises(VectorError, match="does not turn to"):
        angle(B.x, C.x, about=B.x)


def test_components_in_another_frame(frames: dict[str, Frame]) -> None:
    B, E = frames["B"], frames["E"]
    assert express(E.x, B) == C_[9] * B.x + S[9] * B.y
    assert components(E.x, B) == (C_[9], S[9], 0 * S[9])
    ic = symbol("IC")
    turned = ic * (outer(E.x, E.x) + outer(E.y, E.y))
    assert express(turned, B) == ic * (outer(B.x, B.x) + outer(B.y, B.y))
    assert entries(turned, B)[0] == (ic, 0 * ic, 0 * ic)


# ---- motion --------------------------------------------------------------------------------------


def test_rates_of_unit_vectors_seen_from_frames(frames: dict[str, Frame]) -> None:
    N, B, C = (frames[name] for name in "NBC")
    q7d = symbol("q7'", kind="speed")
    assert dt(C.x, B) == q7d * C.y
    assert dt(B.x, B) == 0
    assert dt(C.x, N) == cross(angular_velocity(C, N), C.x)
    assert dt(symbol("L1") * C.x, C) == 0
    assert dt(Q[7]) is q7d and dt(q7d) is symbol("q7''", kind="acceleration")


def test_points_and_velocities() -> None:
    N = Frame("N")
    x, q = symbol("x", kind="coordinate"), symbol("q", kind="coordinate")
    xd, qd = symbol("x'", kind="speed"), symbol("q'", kind="speed")
    l = symbol("l")
    A = N.turned("A", 0, "z", shift=x * N.x)
    B = A.turned("B", q, "z", shift=l * A.y)
    P = B.point("P", (l, 0, 0))
    assert position(P) == x * N.x + l * N.y + l * B.x
    assert position(P, A) == l * N.y + l * B.x and position(A, P) == -position(P, A)
    assert velocity(P) == xd * N.x + l * qd * B.y
    assert velocity(P, of=A.origin) == l * qd * B.y
    assert velocity(P, frame=B) == 0 and velocity(P, frame=A) == l * qd * B.y
    qdd, xdd = symbol("q''", kind="acceleration"), symbol("x''", kind="acceleration")
    assert acceleration(P) == xdd * N.x + l * qdd * B.y - l * qd**2 * B.x
    assert angular_acceleration(B) == qdd * N.z
    assert coordinates(P, B) == (l, 0 * l, 0 * l)
    assert coordinates(P, A) == (l * cos(q), l + l * sin(q), 0 * l)


def test_a_point_that_moves_in_its_frame() -> None:
    N = Frame("N")
    q1, q2 = (symbol(name, kind="coordinate") for name in ("q1", "q2"))
    B = N.turned("B", q2, "z")
    P = B.point("P", (q1, 0, 0))
    assert velocity(P, frame=B) == symbol("q1'", kind="speed") * B.x
    assert velocity(P) == symbol("q1'", kind="speed") * B.x + q1 * symbol("q2'", kind="speed") * B.y


def test_partial_derivatives(frames: dict[str, Frame]) -> None:
    B, C = frames["B"], frames["C"]
    q7d = symbol("q7'", kind="speed")
    assert partial(angular_velocity(C), q7d) == B.z
    assert partial(L[1] * C.x, Q[7], frame=B) == express(L[1] * C.y, B)
    assert partial(Q[7] ** 2, Q[7]) is 2 * Q[7]
    with pytest.raises(VectorError, match="who looks"):
        partial(C.x, Q[7])


def test_nominal_and_constant_parts(frames: dict[str, Frame]) -> None:
    B, C = frames["B"], frames["C"]
    one = symbol("x") / symbol("x")
    assert nominal(dot(B.x, C.x)) is one
    assert constant_part(L[1] + Q[7]) is L[1] and constant_part(L[1] * Q[7]) is one - one
    assert is_constant(2 * L[1]) and not is_constant(Q[7] * B.x) and is_constant(L[1] * B.x)
    with pytest.raises(VectorError, match="no value"):
        nominal(1 / Q[7])


# ---- scalars on request --------------------------------------------------------------------------


def test_trigonometric_identities() -> None:
    x, a, b = symbol("x", kind="coordinate"), symbol("A"), symbol("B")
    s, c = sin(x), cos(x)
    one = a / a
    assert trigonometric(s**2 + c**2) is one
    assert trigonometric(1 - s**2) is c**2 and trigonometric(1 - c**2) is s**2
    assert trigonometric(a * s**2 + a * c**2) is a
    assert trigonometric(a * s**2 * b + a * b * c**2 + x) is a * b + x
    assert trigonometric(sqrt(4 * s**2 + 4 * c**2)) is 2 * one
    assert trigonometric(s**4 + s**2 * c**2) is s**2
    assert trigonometric(s**2 - c**2) is s**2 - c**2


def test_common_factors() -> None:
    a, b, x, y = (symbol(name) for name in ("A", "B", "x", "y"))
    c = symbol("C")
    assert gcf(2 * b * x, b**2 * y) is b
    assert factored(a * b + a * c) is a * (b + c)
    assert factored(2 * b * x + b**2 * y) is b * (2 * x + b * y)
    assert gcf(6 * x, 4 * y) is 2 * (a / a)
    u1, u5 = (symbol(name, kind="speed") for name in ("u1", "u5"))
    assert collect(u1 + a * u5 - b * u5, u1, u5) is u1 + (a - b) * u5
    assert collect(a * x + a * y + b) is a * (x + y) + b


def test_expansion_and_a_canonical_form() -> None:
    x, y = symbol("x"), symbol("y")
    assert expand((x + 1) * (x - 1)) is x**2 - 1
    assert expand((x + y) ** 3) is x**3 + 3 * x**2 * y + 3 * x * y**2 + y**3
    assert canonical(sin(x + y) - sin(x) * cos(y) - cos(x) * sin(y)) is x - x
    assert canonical(cos(2 * x) - 1 + 2 * sin(x) ** 2) is x - x
    assert canonical(cos(x - y) ** 2 + sin(y - x) ** 2) is x / x


# ---- what cannot be ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda f: f["B"].x + 3, "a vector and a scalar have no sum"),
        (lambda f: 3 - f["B"].x, "a vector and a scalar have no sum"),
        (lambda f: f["B"].x + identity(f["B"]), "a vector and a dyadic have no sum"),
        (lambda f: f["B"].x * f["B"].y, "Use dot, cross or outer"),
        (lambda f: 1 / f["B"].x, "nothing can be divided by B.x"),
        (lambda f: f["B"].x / f["B"].y, "cannot be divided by"),
        (lambda f: dot(f["B"].x, 3), "must be a vector"),
        (lambda f: dot(f["B"].x, Frame("M").x), "two trees"),
        (lambda f: f["B"][4], "numbered 1, 2, 3"),
        (lambda f: f["B"].turned("C", Q[1], "x"), "already in this tree"),
        (lambda f: f["B"].turned("G", f["B"].x, "x"), "must be a scalar"),
        (lambda f: f["B"].turned("G", Q[1], "w"), "is no axis"),
        (lambda f: f["B"].turned("G", Q[1], 0 * f["B"].x), "has no length"),
        (lambda f: f["B"].turned_by("G", [Q[1], Q[2]], "xx"), "twice about one axis"),
        (lambda f: f["B"].turned_by("G", [Q[1]], "xy"), "1 angles for 2 turns"),
        (lambda f: f["B"].point("P", (1, 2)), "three coordinates"),
        (lambda f: position(3), "is no point"),
        (lambda f: direction(0 * f["B"].x), "no direction"),
        (lambda f: project(f["B"].x, normal=0), "has no length"),
        (lambda f: partial(f["B"].x, 3), "Use a symbol"),
        (lambda f: express(3, f["B"]), "has no components"),
    ],
)
def test_what_does_not_go_together_is_told_with_the_line(frames: dict[str, Frame], wrong, words) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(VectorError, match=words) as told:
        wrong(frames)
    assert "test_language.py:" in str(told.value)
