"""Trees link by link against the same trees as derived equations, and against differences."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import LinkworkError

pytestmark = pytest.mark.needs_compiler
FULL = [[0.5, 0.02, -0.03], [0.02, 0.7, 0.04], [-0.03, 0.04, 0.6]]


def arm():
    """Turns and slides about and along any direction, a joint of two turns, a body that does not move."""
    tree = lw.Tree("arm", gravity=9.81)
    A = tree.add_body("A", rotate="z", mass=2, inertia=FULL, centre=(0.1, 0.2, 0.3))
    B = tree.add_body("B", parent=A, joint_at=(0, 0.3, 1), translate=[(0.6, 0, 0.8)], mass=1, inertia=[1, 2, 2])
    C = tree.add_body("C", parent=B, joint_at=("l", 0, 0.1), rotate="xy", mass="m", inertia=FULL, centre=(0, 0.4, 0.1))
    D = tree.add_body("D", parent=C, joint_at=(0.3, 0, 0), mass=0.3, inertia=[0.1, 0.1, 0.1], centre=(0.2, 0, 0))
    tree.add_body("E", parent=D, joint_at=(0.1, 0.2, 0), rotate="y", mass=0.5, inertia=FULL)
    tree.add_body("F", parent=A, joint_at=(0.4, 0, 0), rotate="x", mass=0.7, inertia=FULL, centre=(0, 0, -0.5))
    return tree


def walker():
    """A free trunk with a wheel, which its composite carries, a ball joint and a leg."""
    tree = lw.Tree("walker", gravity=9.81)
    T = tree.add_body("T", translate="xyz", rotate="zxy", mass=5, inertia=FULL, centre=(0.1, -0.1, 0.2))
    tree.add_body("W", parent=T, joint_at=(0.2, 0.1, 0), rotate="z", mass=1, inertia=[0.1, 0.1, 0.2])
    B = tree.add_body("B", parent=T, joint_at=(0, 0.4, -0.2), rotate="xyz", mass=1, inertia=FULL, centre=(0, 0, -0.3))
    tree.add_body("K", parent=B, joint_at=(0, 0, -0.6), rotate="y", mass=0.8, inertia=FULL, centre=(0, 0.1, -0.2))
    return tree


TREES = {"arm": (arm, {"l": 0.7, "m": 1.3}), "walker": (walker, {})}


@pytest.fixture(scope="module", params=[*TREES])
def both(request):
    """The functions by links, and those that are derived."""
    make, values = TREES[request.param]
    tree = make()
    return tree.rhs(parameters=values), tree.model(parameters=values, tend=1).rhs(compiled=False)


def states(f, count, seed=0):
    return np.random.default_rng(seed).uniform(-0.8, 0.8, (count, len(f.names)))


def test_rates_mass_matrix_forces_and_jacobian_are_those_of_the_derived_equations(both):
    links, derived = both
    assert links.names == derived.names
    x, n = states(links, 6), len(links.names) // 2
    np.testing.assert_allclose(links(0.0, x), derived(0.0, x), rtol=0, atol=1e-11 * np.abs(derived(0.0, x)).max())
    np.testing.assert_allclose(links.mass_matrix(0.0, x), derived.mass_matrix(0.0, x), rtol=0, atol=1e-12)
    a = states(links, 6, seed=1)[:, :n]
    forces = derived.inverse_dynamics(0.0, x, a)
    np.testing.assert_allclose(links.inverse_dynamics(0.0, x, a), forces, rtol=0, atol=1e-12 * np.abs(forces).max())
    J = derived.jacobian(0.0, x)
    np.testing.assert_allclose(links.jacobian(0.0, x), J, rtol=0, atol=1e-11 * np.abs(J).max())


def test_forces_that_accelerations_need_make_these_accelerations(both):
    links, _ = both
    x, n = states(links, 4, seed=2), len(links.names) // 2
    a = states(links, 4, seed=3)[:, :n]
    forces = links.inverse_dynamics(0.0, x, a)
    np.testing.assert_allclose(links(0.0, x, forces)[:, n:], a, rtol=0, atol=1e-11)
    np.testing.assert_array_equal([links(0.0, one, f) for one, f in zip(x, forces, strict=True)], links(0.0, x, forces))


@pytest.mark.parametrize("count", [2, 3, 8, 13])
def test_each_of_many_states_has_the_numbers_of_one_alone(both, count):
    links, _ = both
    x, n = states(links, count, seed=7), len(links.names) // 2
    x[0] = np.nan  # which is not told to others
    x[1, n - 1] = 3e6  # an angle of which the library finds the sine
    name = "E" if "E" in links._mounts else "K"
    for compute in (
        lambda x: links(0.0, x),
        lambda x: links.inverse_dynamics(0.0, x, x[..., :n]),
        lambda x: links.mass_matrix(0.0, x),
        lambda x: links.jacobian(0.0, x, x[..., n:]),
        *(lambda x, i=i: links.frame(x, name, (0.1, 0.2, 0.3))[i] for i in range(5)),
    ):
        together = compute(x)
        np.testing.assert_array_equal(together, [compute(one) for one in x])
        assert np.isfinite(together[1:]).all()


def test_what_needs_much_memory_side_by_side_is_computed_one_after_the_other(both, monkeypatch):
    links, _ = both
    x = states(links, 5)
    together = links(0.0, x), links.jacobian(0.0, x)
    monkeypatch.setattr("linkwork.export.along.MEMORY", 0)
    np.testing.assert_array_equal(links(0.0, x), together[0])
    np.testing.assert_array_equal(links.jacobian(0.0, x), together[1])


def test_jacobian_under_forces_is_the_limit_of_differences(both):
    links, _ = both
    x, h = states(links, 1, seed=4)[0], 1e-6
    forces, steps = np.linspace(-3, 3, len(x) // 2), h * np.eye(len(x))
    differences = ((links(0.0, x + steps, forces) - links(0.0, x - steps, forces)) / (2 * h)).T
    J = links.jacobian(0.0, x, forces)
    np.testing.assert_allclose(J, differences, rtol=0, atol=1e-7 * np.abs(J).max())


@pytest.mark.parametrize("name", TREES)
def test_frames_are_where_vectors_say_and_move_as_their_jacobian_says(name):
    from linkwork.symbolic import evaluate
    from linkwork.vectors import components, position, velocity

    make, values = TREES[name]
    tree = make()
    f, at = tree.rhs(parameters=values), (0.3, -0.2, 0.1)
    x = states(f, 3, seed=5)
    known = [values | dict(zip(f.names, row, strict=True)) for row in x]
    for body in tree.bodies:
        point, found = body.point("tip", at), f.frame(x, body.name, at)
        for k, numbers in enumerate(known):
            where, how = (
                [evaluate(c, numbers) for c in components(v, tree.ground)] for v in (position(point), velocity(point))
            )
            np.testing.assert_allclose(found.place[k], where, rtol=0, atol=1e-13)
            np.testing.assert_allclose(found.velocity[k], how, rtol=0, atol=1e-12)
            axes = [[evaluate(c, numbers) for c in components(e, tree.ground)] for e in body.axes]
            np.testing.assert_allclose(found.axes[k].T, axes, rtol=0, atol=1e-13)
        u = x[:, len(f.names) // 2 :]
        moved = np.einsum("kij,kj->ki", found.jacobian, u)
        np.testing.assert_allclose(moved, np.hstack([found.velocity, found.spin]), rtol=0, atol=1e-12)


WORDS = [f"{v}{c}" for v in ("", "v", "w") for c in "xyz"] + [a + c for c in "xyz" for a in "xyz"]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("name", TREES)
def test_words_of_bodies_are_where_links_are_and_speeds_move_them_so(name, compiled):
    make, values = TREES[name]
    tree = make()
    links, derived = tree.rhs(parameters=values), tree.model(parameters=values, tend=1).rhs(compiled=compiled)
    x = states(links, 5, seed=6)
    for body in tree.bodies:
        words, pose = [f"{body.name}.{word}" for word in WORDS], links.frame(x, body.name)
        found = derived.values(0.0, x, words)
        told = np.hstack([pose.place, pose.velocity, pose.spin, pose.axes.reshape(5, 9)])
        np.testing.assert_allclose(found, told, rtol=0, atol=1e-13)
        J = derived.slopes(0.0, x, words[3:9], by="speeds")
        np.testing.assert_allclose(J, pose.jacobian, rtol=0, atol=1e-13)
        np.testing.assert_array_equal(derived.slopes(0.0, x[2], words[3:9], by="speeds"), J[2])
        by_state = derived.slopes(0.0, x, words[3:9])
        np.testing.assert_allclose(by_state[..., len(links.names) // 2 :], J, rtol=0, atol=1e-14)


def test_motions_of_trees_have_the_words_of_their_bodies():
    tree, values = arm(), {"l": 0.7, "m": 1.3}
    motion = tree.model(parameters=values, start={"q1": 0.2, "q5": -0.4}, tend=0.1).simulate()
    at = motion.at(0.07)
    links = tree.rhs(parameters=values)
    pose = links.frame(np.array([float(at[name]) for name in links.names]), "E")
    np.testing.assert_allclose([at["E.y"], at["E.vz"], at["E.zx"]], [pose.place[1], pose.velocity[2], pose.axes[0, 2]])
    with pytest.raises(LinkworkError, match=r"unknown name 'EE\.x'. Did you mean 'E\.x'"):
        motion["EE.x"]


def test_slopes_by_something_else_are_refused():
    f = arm().model(parameters={"l": 0.7, "m": 1.3}, tend=1).rhs(compiled=False)
    with pytest.raises(LinkworkError, match="by='time' is neither of 'state', 'speeds'"):
        f.slopes(0.0, f.start, "E.x", by="time")


def test_energy_of_a_long_chain_changes_as_gravity_works():
    tree, parent = lw.Tree("chain", gravity=9.81), None
    for i in range(300):
        at = {} if parent is None else {"parent": parent, "joint_at": (0, 0, -0.2)}
        parent = tree.add_body(
            f"B{i}", rotate="zyx"[i % 3], mass=1, inertia=[0.02, 0.02, 0.01], centre=(0, 0, -0.1), **at
        )
    f = tree.rhs()
    n = len(f.names) // 2
    x = np.random.default_rng(0).uniform(-0.3, 0.3, 2 * n)
    a, M = f(0.0, x)[n:], f.mass_matrix(0.0, x)
    # M a and what speeds and gravity ask for balance
    rest = f.inverse_dynamics(0.0, x, np.zeros(n))
    np.testing.assert_allclose(M @ a, -rest, rtol=0, atol=1e-9 * np.abs(rest).max())
    np.testing.assert_allclose(M, M.T, rtol=0, atol=0)


def test_what_links_cannot_have_is_told_in_words():
    tree = arm()
    with pytest.raises(LinkworkError, match="it depends on l, which has no value"):
        tree.rhs(parameters={"m": 1})
    f = tree.rhs(parameters={"l": 1, "m": 1})
    with pytest.raises(LinkworkError, match="Did you mean"):
        f.frame(f.start, "AA")
    with pytest.raises(LinkworkError, match=r"x has the shape \(3,\); its last axis has 12 entries"):
        f(0.0, [1, 2, 3])
    with pytest.raises(LinkworkError, match="no coordinate or speed 'q11'"):
        tree.rhs(parameters={"l": 1, "m": 1}, start={"q11": 1})
    tree.add_moment("drive", along=tree.bodies[0].z, magnitude=1, on=tree.bodies[0])
    with pytest.raises(LinkworkError, match="cannot have forces and moments"):
        tree.rhs(parameters={"l": 1, "m": 1})


WRONG = {
    r"x: 'x' is no array of numbers": lambda f, x: f(0.0, "x"),
    r"x: \[\[1\], \[1, 2\]\] is no array": lambda f, x: f(0.0, [[1], [1, 2]]),
    r"x: .* is no array": lambda f, x: f(0.0, x[0] + 1j),
    r"forces has the shape \(2,\); its last axis has 6 entries": lambda f, x: f(0.0, x[0], [1, 2]),
    r"forces has the shape \(1, 3\); its last axis has 6": lambda f, x: f(0.0, x, [[1, 2, 3]]),
    r"forces has the shape \(\); its last axis has 6": lambda f, x: f(0.0, x[0], 1.0),
    r"forces has the shape \(1,\); its last axis has 6": lambda f, x: f(0.0, x[0], [1.0]),
    r"as many states: t \(\), x \(12,\), forces \(2, 6\)": lambda f, x: f(0.0, x[0], np.ones((2, 6))),
    r"as many states: t \(\), x \(3, 12\), forces \(2, 6\)": lambda f, x: f(0.0, x, np.ones((2, 6))),
    "forces: 'x' is no array of numbers": lambda f, x: f.jacobian(0.0, x[0], "x"),
    r"t: 'now' is no array": lambda f, x: f("now", x[0]),
    r"t: None is no array": lambda f, x: f.mass_matrix(None, x),
    r"as many states: t \(4,\), x \(3, 12\)": lambda f, x: f(np.zeros(4), x),
    r"a: 'x' is no array": lambda f, x: f.inverse_dynamics(0.0, x, "x"),
    r"t \(\), x \(3, 12\), a \(4, 6\)": lambda f, x: f.inverse_dynamics(0.0, x, np.ones((4, 6))),
    r"at has the shape \(2,\); its last axis has 3 entries": lambda f, x: f.frame(x, "B", (1, 2)),
    r"at has the shape \(4,\); its last axis has 3 entries": lambda f, x: f.frame(x, "B", (1, 2, 3, 4)),
    r"at has the shape \(2, 3\)\. Give three numbers": lambda f, x: f.frame(x, "B", np.ones((2, 3))),
    r"at: 'tip' is no array": lambda f, x: f.frame(x, "B", "tip"),
    r"\['B'\] is no name": lambda f, x: f.frame(x, ["B"]),
}


@pytest.fixture(scope="module")
def links():
    return arm().rhs(parameters={"l": 1, "m": 1})


@pytest.mark.parametrize("words", WRONG)
def test_arrays_that_do_not_fit_links_are_told_in_words(links, words):
    with pytest.raises(LinkworkError, match=words):
        WRONG[words](links, states(links, 3))


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (r"\[1\] does not say what belongs to which name", {"parameters": [1]}),
        ("no parameter named 'll'. Did you mean 'l'", {"parameters": {"l": 1, "m": 1, "ll": 1}}),
        ("body 'C': its mass is -2. Give a mass that is not negative", {"parameters": {"l": 1, "m": -2}}),
        ("start of 'q1': 'abc' is no number", {"start": {"q1": "abc"}}),
        ("start of 'q1': None is no number", {"start": {"q1": None}}),
        ("start of 'q1': .* is no number", {"start": {"q1": lw.fix(1)}}),
        ("start of 'q1': nan is no finite number", {"start": {"q1": float("nan")}}),
        ("'q1' does not say what belongs to which name", {"start": "q1"}),
    ],
)
def test_values_that_links_cannot_have_are_told_in_words(words, given):
    with pytest.raises(LinkworkError, match=words):
        arm().rhs(**{"parameters": {"l": 1, "m": 1}, **given})


def test_parameters_of_formulas_and_outputs_are_known_to_links():
    tree = arm()
    tree.add_output("power", "c*u1")
    f = tree.rhs(parameters={"l": "2*k", "k": 0.5, "m": 1, "c": 3})
    np.testing.assert_array_equal(f(0.0, f.start), tree.rhs(parameters={"l": 1, "m": 1})(0.0, f.start))


def test_no_states_give_empty_arrays(links):
    none = np.zeros((0, 12))
    assert links(0.0, none).shape == (0, 12)
    assert links(0.0, none, np.zeros((0, 6))).shape == (0, 12)
    assert links.inverse_dynamics(0.0, none, np.zeros((0, 6))).shape == (0, 6)
    assert links.jacobian(0.0, none).shape == (0, 12, 12)
    assert links.frame(none, "B").place.shape == (0, 3)


def test_one_state_by_a_list_or_a_whole_time_is_the_same(links):
    x, forces = states(links, 1)[0], np.arange(6.0)
    np.testing.assert_array_equal(links(0, [*x], [*forces]), links(0.0, x, forces))
    np.testing.assert_array_equal(links(np.zeros(2), x, forces), [links(0.0, x, forces)] * 2)
