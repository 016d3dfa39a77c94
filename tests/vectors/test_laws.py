"""Laws of vectors and dyadics on random trees: identities, Leibniz, two observers, climbing against matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork.symbolic import Expr, evaluate, symbol
from linkwork.vectors import (
    Dyadic,
    Frame,
    Vector,
    angular_velocity,
    components,
    cross,
    dot,
    dt,
    entries,
    identity,
    matrix,
    outer,
    position,
    velocity,
)

AXES = "xyz"


@dataclass
class World:
    """A random tree of frames, with a value for each of its angles and their rates."""

    frames: list[Frame]
    values: dict[str, float]

    def number(self, x: Expr) -> float:
        return evaluate(x, self.values)

    def numbers(self, v: Vector) -> np.ndarray:
        return np.array([self.number(c) for c in components(v, self.frames[0])])

    def entries(self, d: Dyadic) -> np.ndarray:
        return np.array([[self.number(c) for c in row] for row in entries(d, self.frames[0])])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    frames, values = [Frame("N")], {}
    for i in range(draw(st.integers(1, 6))):
        parent = draw(st.sampled_from(frames))
        angle = symbol(f"q{i}", kind="coordinate")
        values |= {f"q{i}": draw(st.floats(-3, 3)), f"q{i}'": draw(st.floats(-2, 2)), f"q{i}''": draw(st.floats(-2, 2))}
        if draw(st.booleans()):
            about: object = draw(st.sampled_from(AXES))
        else:
            x, y, z = (draw(st.integers(-2, 2)) for _ in range(3))
            about = x * parent.x + y * parent.y + (z or 1) * parent.z
        shift = (1 + angle) * draw(st.sampled_from(parent.axes)) if draw(st.booleans()) else 0
        frames.append(parent.turned(f"F{i}", angle, about, shift=shift))
    return World(frames, values)


@st.composite
def vectors(draw: st.DrawFn, world: World) -> Vector:
    total = Vector({})
    for _ in range(draw(st.integers(1, 3))):
        frame = draw(st.sampled_from(world.frames))
        factor: Expr | int = draw(st.integers(-3, 3))
        if draw(st.booleans()) and world.values:
            factor = factor + symbol(draw(st.sampled_from([n for n in world.values if "'" not in n])), "coordinate")
        total = total + factor * draw(st.sampled_from(frame.axes))
    return total


def close(a: object, b: object) -> None:
    one, two = np.asarray(a, float), np.asarray(b, float)
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-11 * max(1, np.max(np.abs(two))))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_dot_products_by_climbing_are_those_of_matrices_to_the_ground(data: st.DataObject) -> None:
    world = data.draw(worlds())

    def to_ground(frame: Frame) -> np.ndarray:
        if frame.parent is None:
            return np.eye(3)
        rows = [
            [world.number(row.terms.get(axis, 0 * symbol("x"))) for axis in frame.parent.axes] for row in frame.rows
        ]
        return np.array(rows) @ to_ground(frame.parent)

    a, b = data.draw(st.sampled_from(world.frames)), data.draw(st.sampled_from(world.frames))
    found = [[world.number(x) for x in row] for row in matrix(a, b)]
    close(found, to_ground(a) @ to_ground(b).T)
    close(np.array(found) @ np.array(found).T, np.eye(3))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_identities_of_vectors_and_dyadics(data: st.DataObject) -> None:
    world = data.draw(worlds())
    a, b, c = (data.draw(vectors(world)) for _ in range(3))
    x, y, z = (world.numbers(v) for v in (a, b, c))
    close(world.number(dot(a, b)), x @ y)
    close(world.numbers(cross(a, b)), np.cross(x, y))
    close(world.numbers(cross(a, cross(b, c))), world.numbers(b * dot(a, c) - c * dot(a, b)))
    jacobi = cross(a, cross(b, c)) + cross(b, cross(c, a)) + cross(c, cross(a, b))
    close(world.numbers(jacobi), np.zeros(3))
    pair = outer(a, b) + 2 * outer(b, c)
    close(world.entries(pair), np.outer(x, y) + 2 * np.outer(y, z))
    close(world.numbers(dot(pair, c)), world.entries(pair) @ z)
    close(world.numbers(dot(c, pair)), z @ world.entries(pair))
    close(world.entries(dot(pair, pair)), world.entries(pair) @ world.entries(pair))
    close(world.numbers(dot(dot(pair, pair), a)), world.numbers(dot(pair, dot(pair, a))))
    close(world.entries(identity(world.frames[-1])), np.eye(3))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_rates_obey_leibniz_and_two_observers_differ_by_their_spin(data: st.DataObject) -> None:
    world = data.draw(worlds())
    a, b = (data.draw(vectors(world)) for _ in range(2))
    one, two = data.draw(st.sampled_from(world.frames)), data.draw(st.sampled_from(world.frames))
    close(world.number(dt(dot(a, b), one)), world.number(dot(dt(a, one), b) + dot(a, dt(b, one))))
    close(world.numbers(dt(a, one) - dt(a, two)), world.numbers(cross(angular_velocity(two, one), a)))
    pair = outer(a, b)
    close(world.entries(dt(pair, one)), world.entries(outer(dt(a, one), b) + outer(a, dt(b, one))))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_rates_are_those_of_components(data: st.DataObject) -> None:
    world = data.draw(worlds())
    v, frame = data.draw(vectors(world)), data.draw(st.sampled_from(world.frames))
    by_parts = [world.number(dt(c, frame)) for c in components(v, frame)]
    close([world.number(c) for c in components(dt(v, frame), frame)], by_parts)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_velocity_seen_from_a_frame_lacks_what_the_frame_carries_along(data: st.DataObject) -> None:
    world = data.draw(worlds())
    one, two = data.draw(st.sampled_from(world.frames)), data.draw(st.sampled_from(world.frames))
    p = one.point("P", (1, 2, symbol("q0", "coordinate")))
    carried = velocity(two) + cross(angular_velocity(two), position(p, two))
    close(world.numbers(velocity(p, frame=two)), world.numbers(velocity(p) - carried))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_text_makes_the_same_vector_again(data: st.DataObject) -> None:
    world = data.draw(worlds())
    v = data.draw(vectors(world))
    d = outer(v, v)
    names = {f.name: f for f in world.frames} | {n: symbol(n, "coordinate") for n in world.values} | {"outer": outer}
    assert eval(str(v), {}, names) == v  # our own text, in a test
    assert eval(str(d), {}, names) == d
