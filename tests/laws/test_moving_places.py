"""Trees whose places depend on time or coordinates, or both: motions and functions are those of Lagrange."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations.kane import rate_of
from linkwork.model import Lagrangian
from linkwork.symbolic import add, symbol, total_rate
from linkwork.vectors import components, cross, dot, position, velocity

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


ACTING = {
    "time": ("0.3 + 0.5*t", 0.1, 0),
    "a coordinate": ("q2", 0.2, 0),
    "several": ("0.3*q1", "0.2*t*q2", "sin(q3)"),
}


def loaded(place, speeds, replaced):
    """Bodies with a force at a place of one against a place of another; replaced: by a force and moments at origins."""
    tree = make({}, "xyz", speeds)
    a, b, c = tree.bodies
    here, there = b.point("here", place), a.point("there", c.x + c.y * tree.read("q2", "place"))
    along, size = tree.ground.x + 2 * b.y - c.z, "3 + t*q1"
    if not replaced:
        tree.add_force("push", along=along, magnitude=size, at=here, against=there)
        return tree
    tree.add_force("push", along=along, magnitude=size, at=b, against=a)
    tree.add_moment("turn", along=cross(here.offset, along), magnitude=size, on=b)
    tree.add_moment("turn back", along=-cross(there.offset, along), magnitude=size, on=a)
    return tree


@pytest.mark.parametrize("speeds", ["rates", "body"])
@pytest.mark.parametrize("name", ACTING)
def test_force_at_a_moving_point_acts_on_the_matter_there(name, speeds):
    one, two = (loaded(ACTING[name], speeds, replaced) for replaced in (False, True))
    start = {"q1": 0.3, "q2": 0.2, "q3": -0.4, "q2'": 0.5}
    (f, g), x = (tree.model(start=start).rhs() for tree in (one, two)), np.linspace(-0.6, 0.7, 10)
    assert f.names == g.names and len(x) == len(f.names)
    np.testing.assert_allclose(f(0.7, x), g(0.7, x), rtol=1e-11, atol=1e-11)
    motion = one.model(start=start).simulate(0.5)
    assert motion.audit().ok and "forces are those of the loads" in [x.law for x in motion.audit().findings]


def test_momentum_is_kept_under_inner_forces_at_moving_points():
    tree = lw.Tree("rail and bead", speeds="rates")
    rail = tree.add_body("rail", translate="x", mass=10, inertia=(1, 1, 1))
    bead = tree.add_body("bead", parent=rail, translate="x", mass=1, inertia=(1, 1, 1))
    tree.add_force("push", along=rail.x, magnitude=3, at=bead, against=rail.point("here", ("q2", 0, 0)))
    np.testing.assert_allclose(tree.model().rhs()(0.0, np.zeros(4))[2:], [-0.3, 3.3], rtol=1e-14)
    motion = tree.model().simulate(1)
    assert np.abs(10 * motion["u1"] + motion["u1 + u2"]).max() < 1e-12


def test_mechanism_of_a_tree_has_forces_at_moving_points():
    tree = lw.Tree("beam", speeds="rates")
    beam = tree.add_body("beam", rotate="z", mass=1, inertia=(1, 1, 1))
    tree.add_body("car", parent=beam, translate="x", mass=1, inertia=(1, 1, 1))
    tree.add_force("load", along=beam.x + beam.y, magnitude=2, at=beam.point("c", ("q2", 0, 0)))
    end = tree.model(start={"q2": 0.7}).simulate(1).final
    other = lw.Model(tree.mechanism(start={"q2": 0.7})).simulate(1).final
    np.testing.assert_allclose(other["car.o"][0], end["q2"] * np.cos(end["q1"]), rtol=1e-9)


@pytest.mark.parametrize("mass", [1.5, "1.5 + 0.1*q1"], ids=["a potential", "weights as loads"])
def test_the_audit_has_loads_of_its_own(mass, monkeypatch):
    def made():
        tree = lw.Tree("beam", gravity=9.81)
        beam = tree.add_body("beam", rotate="y", mass=mass, inertia=(0, 1, 0), centre=(0.5, 0, 0))
        tree.add_body("car", parent=beam, translate="x", mass=1, inertia=0)
        tree.add_force("load", along=beam.x + beam.z, magnitude=2, at=beam.point("c", ("q2", 0, 0)))
        return tree.model(start={"q2": 0.7}).simulate(0.5)

    assert made().audit().ok
    monkeypatch.setattr("linkwork.equations.kane.material_velocity", velocity)
    with pytest.warns(lw.AccuracyWarning):
        worst = made().audit().findings[0]
    assert worst.law == "forces are those of the loads"
