"""Trees whose places depend on time or coordinates, or both: motions and functions are those of Lagrange."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations.kane import rate_of
from linkwork.model import Lagrangian
from linkwork.symbolic import add, symbol, total_rate
from linkwork.vectors import components, dot, position

PLACES = {
    "centre of time": {"centre": ("0.3 + 0.2*t", 0.1, 0)},
    "centre of an earlier coordinate": {"centre": ("0.2 + 0.3*q1", 0.1, 0)},
    "centre of its own coordinate": {"centre": ("0.2*q2", 0.1, "0.1*sin(q2)")},
    "centre of both": {"centre": ("0.4*t*q1", 0.1, 0)},
    "joint of time": {"joint_at": ("1 + sin(3*t)", 0, 0)},
    "joint of a coordinate": {"joint_at": ("1 + 0.3*q1**2", 0, 0.2)},
    "joint of both": {"joint_at": ("1 + t*q1", "t", 0)},
    "both": {"joint_at": ("1 + 0.5*t", "0.2*q1", 0), "centre": (0.1, "0.3*t", "0.1*q1")},
}
TURNS = ("x", "xyz")


def make(places, rotate, speeds):
    """Two bodies on the ground, one of which slides besides."""
    tree = lw.Tree("t", gravity=9.81, speeds=speeds)
    a = tree.add_body("a", rotate="y", mass=1, inertia=[0.1, 0.1, 0.1], joint_at=(0, 0, "0.1*t**2"), centre=(0, 0, 0.2))
    b = tree.add_body("b", parent=a, rotate=rotate, mass=1.5, inertia=[0.1, 0.2, 0.15], **places)
    tree.add_body("c", parent=b, translate="z", mass=0.5, inertia=0, joint_at=("0.2*t", 0.1, 0))
    return tree


def lagrange(tree, start):
    """The same by kinetic energy and potential, from places alone: v is the derivative of the place."""
    parts = []
    for body in tree.bodies:
        place = components(position(body.centre), tree.ground)
        v = [total_rate(x, rate_of) for x in place]
        spin = tree.in_rates(tree_spin(body))
        parts += [body.mass * add(*(x * x for x in v)) / 2, dot(spin, dot(body.inertia, spin)) / 2]
        parts.append(-9.81 * body.mass * place[2])
    names = [freedom.coordinate.name for freedom in tree.freedoms]
    return lw.Model(Lagrangian(names, add(*parts), start=start))


def tree_spin(body):
    from linkwork.vectors import angular_velocity

    return angular_velocity(body)


@pytest.mark.parametrize("speeds", ["rates", "body"])
@pytest.mark.parametrize("rotate", TURNS)
@pytest.mark.parametrize("name", PLACES)
def test_motions_functions_and_energies_are_those_of_lagrange(name, rotate, speeds):
    tree = make(PLACES[name], rotate, speeds)
    names = [freedom.coordinate.name for freedom in tree.freedoms]
    start = {q: 0.3 - 0.1 * i for i, q in enumerate(names)} | {f"{q}'": 0.5 + 0.2 * i for i, q in enumerate(names)}
    model = tree.model(start=start)
    motion, other = model.simulate(0.2, compiled=False), lagrange(tree, start).simulate(0.2, compiled=False)
    end, right = motion.final, other.final
    for q in names:
        assert float(end[q]) == pytest.approx(float(right[q]), abs=1e-11)
        assert float(end[f"{q}''"]) == pytest.approx(float(right[f"{q}''"]), abs=1e-9)
    assert motion.audit().ok
    # rates of coordinates and speeds, along the motion, against differences of it
    f, h = model.rhs(compiled=False), 1e-4

    def state(t):
        return np.array([float(motion.at(t)[entry]) for entry in f.names])

    slope = (8 * (state(0.1 + h) - state(0.1 - h)) - (state(0.1 + 2 * h) - state(0.1 - 2 * h))) / (12 * h)
    np.testing.assert_allclose(f(0.1, state(0.1)), slope, rtol=0, atol=1e-8 * np.abs(slope).max())


FREE = {
    "of time": ("0.1*sin(2*t)", "0.2*t", 0),
    "of a coordinate": ("0.7*sin(q1)", 0, "0.1*q1**2"),
    "of both": ("0.3*t*q1", "0.1*t**2", "0.2*q1"),
}


@pytest.mark.parametrize("speeds", ["rates", "body"])
@pytest.mark.parametrize("place", FREE)
def test_a_free_body_counted_from_a_place_that_moves_is_that_of_lagrange(place, speeds):
    tree = lw.Tree("t", gravity=9.81, speeds=speeds)
    tree.add_body("a", translate="x", mass=2, inertia=0)
    free = {"translate": "xyz", "rotate": "zxy", "mass": 1, "inertia": [0.1, 0.2, 0.25], "centre": (0.1, 0, 0.05)}
    b = tree.add_body("b", joint_at=FREE[place], **free)
    tree.add_body(
        "c", parent=b, rotate="y", mass=0.4, inertia=[0.02, 0.03, 0.02], joint_at=(0, 0.2, 0), centre=(0.1, 0, 0)
    )
    names = [freedom.coordinate.name for freedom in tree.freedoms]
    start = {q: 0.3 - 0.1 * i for i, q in enumerate(names)} | {f"{q}'": 0.5 - 0.1 * i for i, q in enumerate(names)}
    model = tree.model(start=start)
    motion, other = model.simulate(0.2, compiled=False), lagrange(tree, start).simulate(0.2, compiled=False)
    assert [float(motion.final[q]) for q in names] == pytest.approx([float(other.final[q]) for q in names], abs=1e-11)
    assert motion.audit().ok
    f, h = model.rhs(compiled=False), 1e-4
    x = f.start + 0.01 * np.arange(len(f.start))
    rates, words = f(0.3, x), ["b.x", "b.y", "b.z"]
    slope = (f.values(0.3 + h, x + h * rates, words) - f.values(0.3 - h, x - h * rates, words)) / (2 * h)
    np.testing.assert_allclose(slope, f.values(0.3, x, ["b.vx", "b.vy", "b.vz"]), rtol=0, atol=1e-7)


@pytest.mark.filterwarnings("ignore::linkwork.AccuracyWarning")
@pytest.mark.parametrize("wrong", ["move as their places", "turn as their axes"])
def test_an_audit_tells_bodies_that_do_not_move_as_their_places_say(wrong):
    tree = lw.Tree("t")
    body = tree.add_body("b", translate="xyz", rotate="xyz", mass=1, inertia=[0.1, 0.2, 0.25])
    right = body.drift
    if wrong == "turn as their axes":
        body.spin = 1.1 * body.spin
    else:
        body.drift = lambda: right() + symbol("t", kind="time") * tree.ground.x
    audit = tree.model(start={"q1'": 0.5, "q4'": 0.5}).simulate(1, compiled=False).audit()
    assert f"bodies {wrong} say: b is off by" in audit.text() and not audit.ok


def test_a_mass_that_depends_on_a_place_is_pulled_along_its_weight_alone():
    tree = lw.Tree("t", gravity=9.81)
    a = tree.add_body("a", translate="x", mass=1, inertia=0)
    tree.add_body("b", parent=a, translate="z", mass="1 + q1", inertia=0)
    model = tree.model(start={"q1": 0.5, "q2": 1.0})
    final = model.simulate(0.3, compiled=False).final
    assert float(final["q1"]) == pytest.approx(0.5, abs=1e-13)
    assert float(final["q2"]) == pytest.approx(1 - 9.81 * 0.3**2 / 2, rel=1e-12)
    f = model.rhs(compiled=False)
    np.testing.assert_allclose(f(0.0, f.start), [0, 0, 0, -9.81], atol=1e-14)


def test_a_mass_may_depend_on_the_coordinate_of_its_own_body():
    tree = lw.Tree("t", gravity=9.81)
    tree.add_body("a", translate="z", mass="1 + 0.2*q1", inertia=0)
    assert float(tree.model(tend=0.5).simulate(compiled=False).final["q1"]) == pytest.approx(-9.81 / 8, rel=1e-12)
    with pytest.raises(lw.LinkworkError):
        tree.add_body("b", rotate="x", mass="2*q2*", inertia=0)
    assert [body.name for body in tree.bodies] == ["a"]
