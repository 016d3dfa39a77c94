"""The tree formalism of files: every example and random mechanisms move along a tree as in points."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from conftest import ROOT
from formalisms import EXAMPLES, SPANS, TOL, assert_one_motion, both
from jointed import jointed_bodies, rough_bodies
from linkwork.equations.kernel import known_kernel
from linkwork.native.numbers import compute_dense, compute_levels
from mechanisms import random_mechanism
from treed import Treed, treed

SHORT = 2.0  # seconds of an example by default
SEEDS = range(3), range(3, 100)
# of each kind of joint, force and event one; the others take longer
USUAL = (
    "andrews-bodies", "bicycle", "bouncing-balls", "bricard", "brake-shoe", "bushings", "chain", "mechanism1a",
    "mult-pend-uj", "pendulum-stop", "quick-return", "slider-crank-bodies", "stewart-bodies", "turntable",
)  # fmt: skip


def seeds():
    short, rest = SEEDS
    return [*short, *(pytest.param(seed, marks=pytest.mark.long) for seed in rest)]


@pytest.mark.parametrize(
    "name", [name if name[:-5] in USUAL else pytest.param(name, marks=pytest.mark.long) for name in EXAMPLES]
)
def test_every_example_moves_along_a_tree_as_in_points(name):
    mechanism = lw.load(ROOT / "examples" / name).mechanism
    until = mechanism.compute(mechanism.start.tend)
    _, one, other = both(mechanism, min(until, SPANS.get(name, SHORT)), formalism="tree")
    assert_one_motion(one, other, name)
    assert [event.name for event in one.events] == [event.name for event in other.events]
    np.testing.assert_allclose([e.t for e in one.events], [e.t for e in other.events], atol=1e-9 * until)


@pytest.mark.parametrize("seed", seeds())
def test_bodies_joined_by_all_kinds_move_along_a_tree_as_in_points(seed):
    _, one, other = both(jointed_bodies(seed), 0.15, formalism="tree")
    assert_one_motion(one, other, f"seed {seed}")


@pytest.mark.parametrize("seed", seeds())
def test_random_mechanisms_move_along_a_tree_as_in_points(seed):
    mechanism = random_mechanism(seed)
    try:
        _, one, other = both(mechanism, 0.15, formalism="tree")
    except (lw.InputError, lw.StartError, lw.SolveError) as error:
        with pytest.raises(type(error)):
            lw.Model(mechanism).simulate(0.15, tol=TOL)
        return
    assert_one_motion(one, other, f"seed {seed}")


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(8, 15))])
def test_friction_by_the_forces_of_joints_moves_bodies_along_a_tree_as_in_points(seed):
    mechanism = rough_bodies(seed)
    tree, one, other = both(mechanism, 0.1, formalism="tree")
    assert tree is not None and len(tree.system.algebra) == len(mechanism.algebra)
    assert_one_motion(one, other, f"seed {seed}")
    for name in mechanism.algebra:
        size = max(1.0, float(np.max(np.abs(one[name]))))
        np.testing.assert_allclose(one.at(0.07)[name], other.at(0.07)[name], atol=1e-8 * size)
    assert other.audit().ok, other.audit().text()


# -- coordinates and constraints ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "coordinates", "equations"),
    [
        ("andrews", 7, 6),  # the coordinates and constraints of the book
        ("andrews-bodies", 7, 6),
        ("chain", 8, 0),
        ("four-bar", 3, 2),
        ("slider-crank-bodies", 3, 2),
        ("skew2pend", 2, 0),
        ("spatial-four-bar", 3, 5),
        ("governor", 4, 0),
    ],
)
def test_a_tree_has_joint_coordinates_and_equations_of_its_loops_alone(name, coordinates, equations):
    system = lw.load(ROOT / "examples" / f"{name}.yaml").formulated("tree").absolute.system
    assert (system.n, system.m) == (coordinates, equations)


# -- random trees ------------------------------------------------------------------------------------------------------


def assert_one_motion_in_all(seed, until, **how):
    """Of up to thirty bodies on all kinds of joints, with loops and what rolls; of the first few seeds fewer."""
    mechanism = treed(seed, most=8 if seed < 6 else 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [lw.Model(mechanism).formulated(name) for name in ("points", "tree", "absolute")]
        one, *others = (model.simulate(until, **how) for model in models)
    for other in others:
        assert_one_motion(one, other, f"seed {seed}")


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(6, 200))])
def test_trees_with_loops_and_what_rolls_move_alike_in_all_formalisms(seed):
    assert_one_motion_in_all(seed, 0.03, tol=TOL)


SEEN = (*range(6), 48)  # small gears, pinned together


@pytest.mark.parametrize(
    "seed", [seed if seed in SEEN else pytest.param(seed, marks=pytest.mark.long) for seed in range(200)]
)
def test_accelerations_along_a_tree_are_those_in_points_and_in_absolute_coordinates(seed):
    """At the start, without compiling."""
    assert_one_motion_in_all(seed, 1e-6, tol=1e-4, compiled=False)


@pytest.mark.filterwarnings("ignore:.*its inertia .* is that of a mass")
def test_gears_of_any_size_mesh_where_they_are():
    """Two wheels held by a pin besides: their places are given, and the start is there."""
    made = Treed(0, 2)
    for kind, parent in (("revolute", "world"), ("gear", "b0")):
        made.add_body(kind, parent)
    made.join("revolute", "b0", "b1")
    for size in (1, 0.01):
        mechanism = scaled(made.mechanism(), size)
        model = lw.Model(mechanism)
        for point, place in made.places.items():
            found = [model.start.q[model.system.index[f"{point}{c}"]] for c in "xy"]
            np.testing.assert_allclose(found, size * place, atol=1e-9 * size)


def scaled(mechanism, size):
    """The same mechanism with other lengths."""
    frames = {
        b.name: {n: replace(f, at=[size * x for x in f.at]) for n, f in b.frames.items()} for b in mechanism.bodies
    }
    bodies = [replace(b, frames=frames[b.name], centre=[size * x for x in b.centre]) for b in mechanism.bodies]
    places = {p: [size * g.value for g in guess] for p, guess in mechanism.start.positions.items()}
    return lw.Mechanism(bodies=bodies, joints=mechanism.joints, start=lw.InitialValues(positions=places))


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_mass_matrix_by_composites_is_that_of_the_balance(seed):
    """M by composite bodies, and the derivative of Newton's and Euler's equations by the accelerations."""
    model = lw.Model(treed(seed, most=8)).formulated("tree")
    if model.absolute is None:
        return  # all is welded
    system, q = model.absolute.system, model.absolute.place(model.start.q, model.start.u)[0]
    for term in (term for term in system.terms if term.kernel.kind == "branch" and term.kernel.coordinates):
        k = term.kernel
        plain = known_kernel(
            f"{k.name}_plain", k.coordinates, k.parameters, replace(k.contribution, mass={}), k.followers, k.kind
        )
        one, other = (compute_dense(replace(system, terms=(replace(term, kernel=x),)), q)[0] for x in (k, plain))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-13 * np.max(np.abs(one)))


# -- what stays together, and what every method can do -----------------------------------------------------------------


def slider_on_a_wheel():
    """A slider on a spring along a line of a turning wheel."""
    frames = {"rail": lw.Frame((0.1, 0.2), angle=0.3), "hub": lw.Frame((0, 0)), "rim": lw.Frame((0, 1))}
    ends = {"f": lw.Frame((0, 0.1)), "g": lw.Frame((1, 0))}
    return lw.Mechanism(
        bodies=[
            lw.Body("wheel", mass=1, inertia=0.5, frames=frames),
            lw.Body("slider", mass=0.5, inertia=0.01, centre=(0.1, 0), frames=ends),
            lw.Body("world", frames={"o": lw.Frame((0, 0))}),
        ],
        joints=[
            lw.Joint(name="axle", kind="revolute", frames=("world.o", "wheel.hub")),
            lw.Joint(name="guide", kind="translational", frames=("wheel.rail", "slider.f")),
        ],
        efforts=[lw.Effort(on="guide.travel", value="-40*guide.travel")],
        gravity=(0, -9.81),
        start=lw.InitialValues(angles={"wheel": 0.2}, rates={"wheel": 3.0}),
    )  # fmt: skip


@pytest.mark.parametrize("model", [lw.load(ROOT / "examples" / "skew2pend.yaml"), lw.Model(slider_on_a_wheel())])
def test_joints_of_a_tree_are_as_closed_after_long_as_at_first(model):
    """Axes and travels follow the speeds; without being tied to their coordinates they came apart."""
    motion = model.formulated("tree").simulate(60, tol=1e-7)

    def apart(t):
        state = motion.at(np.linspace(t, t + 5, 200))
        return np.max(np.abs(compute_levels(motion.system, state.q.T, state.u.T, state.a.T, state.t)[0]))

    assert apart(55) < 3 * apart(0) < 1e-8


@pytest.mark.parametrize("method", ["taylor", "rk8", "hht"])
@pytest.mark.parametrize("compiled", [True, False])
def test_methods_and_machines_move_along_a_tree_alike(method, compiled):
    model = lw.load(ROOT / "examples" / "slider-crank-bodies.yaml")
    tol = {"hht": 1e-6}.get(method, 1e-9)
    one, other = (
        model.formulated(name).simulate(0.02, tol=tol, method=method, compiled=compiled) for name in ("points", "tree")
    )
    t = np.linspace(0, 0.02, 9)
    assert np.max(np.abs(one.at(t).q - other.at(t).q)) < 100 * tol


# -- forces and values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 60))])
def test_wrenches_of_joints_that_a_tree_has_no_equations_of_are_those_in_points(seed):
    _, one, other = both(jointed_bodies(seed), 0.1, formalism="tree")
    if one.stats.redundant:
        return  # forces of redundant joints are not unique
    size = np.max(np.abs(one.lam)) if one.system.m else 0.0
    for joint in one.system.chart.joints:
        for mine, theirs in zip(one.wrench(joint), other.wrench(joint, t=one.t), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-8 * max(1.0, size))
    assert other.audit().ok, other.audit()


@pytest.mark.parametrize(
    ("name", "changes"), [("skew2pend", {"alpha": 0.3, "l": 1.1}), ("slider-crank-bodies", {"a": 0.3})]
)
def test_a_tree_with_other_values_is_that_of_a_new_description(name, changes):
    model = lw.load(ROOT / "examples" / f"{name}.yaml")
    tree = model.formulated("tree")
    tree.simulate(0.01)
    one, other = (x.with_parameters(**changes).simulate(0.05, tol=1e-12) for x in (model.formulated("points"), tree))
    assert np.max(np.abs(one.final.q - other.final.q)) < 1e-11


WELDED = """
Dimension: 3
PhysicalParams: {g: 9.81}
Bodies:
  one: {mass: 1, inertia: [1, 2, 2.5], centre: [0.2, 0.1, -0.3], frames: {o: [0, 0, 0], e: [0, 0, 1]}}
  two: {mass: 2, inertia: [1, 1.5, 2], centre: [0.1, 0, 0.2], frames: {o: [0, 0, 0], flat: {z: [1, 0, 0]}}}
  world: {frames: {o: [0, 0, 0]}}
Connections:
  Joints:
    hip: {kind: spherical, frames: [world.o, one.o]}
    weld: {kind: fixed, frames: [one.e, two.o]}
    square: {kind: perpendicular, frames: [one.e, two.flat]}
AppliedForces: {Gravity: [0, 0, -g]}
"""


def test_a_joint_between_parts_that_the_tree_has_made_one_asks_nothing():
    tree, one, other = both(lw.loads(WELDED).mechanism, 0.5, formalism="tree")
    assert (tree.system.n, tree.system.m) == (3, 0)
    assert_one_motion(one, other, "welded")


def test_a_tree_that_is_welded_to_the_ground_stands_still():
    """It has no coordinates: what stands still is made in points."""
    made = Treed(7, 3)
    made.add_body("fixed", "world")
    model = lw.Model(made.mechanism()).formulated("tree")
    assert model.absolute is None and model.simulate(0.1).outcome == "reached t = 0.1"
