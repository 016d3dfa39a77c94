"""Words of joined models: axes, rates and joints of their bodies, in constraints of the whole and of its motion."""

import pickle

import numpy as np
import pytest

import linkwork as lw

BODY = """
Dimension: 3
Bodies: {{world: {{frames: {{o: []}}}}, {0}: {{mass: 1.5, centre: [0.3, 0.1, 0], inertia: [0.1, 0.2, 0.25], frames: {{o: [], e: [1]}}}}}}
{1}
AppliedForces: {{Gravity: [0, -9.81, 0]}}
ProblemData: {{tend: 1, positions: {{{0}.o: [0, 0, 0], {0}.e: [1, 0, 0]}}, velocities: {{{0}.e: [0, 0, {2}]}}}}
"""  # noqa: E501
HINGE = {w: f"A.a.o.{w} - B.b.o.{w}" for w in "xyz"} | {
    f"z{i}": " + ".join(f"A.a.z{c}*B.b.{i}{c}" for c in "xyz") for i in "xy"
}


def body(name, joint="", spin=0):
    return lw.loads(BODY.format(name, joint, spin))


def tree(name):
    made = lw.Tree(name, gravity=(0, -9.81, 0))
    made.add_body(
        name, translate="xyz", rotate="xyz", mass=1.5, centre=(0.3, 0.1, 0), inertia=(0.1, 0.2, 0.25)
    )  # fmt: skip
    return made.model()


def test_bodies_are_hinged_by_their_axes_and_their_poses_are_asked():
    parts = {"A": body("a", spin=0.8), "B": body("b", spin=0.8)}
    whole = lw.join("two", parts, constraints=HINGE)
    motion = whole.simulate(0.3)
    assert motion.outcome == "reached t = 0.3" and motion.audit().ok
    pose = motion.body("A.a")
    np.testing.assert_allclose(pose.rotation[:, 2, 0], motion["A.a.xz"], atol=1e-15)
    np.testing.assert_allclose(pose.omega()[:, 2], motion["A.a.wz"], atol=1e-9)
    np.testing.assert_allclose(pose.position, motion["a_o_A"], atol=1e-15)
    dots = sum(motion[f"A.a.z{c}"] * motion[f"B.b.z{c}"] for c in "xyz")
    np.testing.assert_allclose(dots, 1, atol=1e-11)


@pytest.mark.parametrize("made", [body, tree], ids=["files", "trees"])
def test_words_of_bodies_are_words_of_the_whole(made):
    whole = lw.join("two", {"A": made("a"), "B": made("b")}, variables={"turn": "A.a.wx - B.b.wx", "way": "B.b.xy"})
    motion = whole.simulate(0.1)
    alone = made("a").simulate(0.1)
    for word in ("xx", "yz", "wx", "wy", "x", "vy"):
        np.testing.assert_allclose(motion.at(0.1)[f"A.a.{word}"], alone.at(0.1)[f"a.{word}"], atol=1e-12)
    np.testing.assert_allclose(motion["turn"], 0, atol=1e-12)
    again = pickle.loads(pickle.dumps(whole)).simulate(0.1)
    np.testing.assert_allclose(again.at(0.1)["B.b.xy"], motion.at(0.1)["way"], atol=1e-12)


def test_joints_are_words_of_the_whole_under_new_labels_too():
    joint = "Connections: {Joints: {h: {kind: revolute, frames: [world.o, a.o]}}}"
    one = body("a", joint)
    whole = lw.join("two", {"A": one, "B": one}, forces={"a_ey_B'": "-2*L.h.angle"}, rename={"A": "L"})
    motion = whole.simulate(0.2)
    expected = one.simulate(0.2).at(0.2)["h.angle"]
    assert abs(expected) > 0.01
    np.testing.assert_allclose(motion.at(0.2)["L.h.angle"], expected, rtol=1e-9)


def test_bodies_of_a_tree_have_poses():
    motion = tree("a").simulate(0.3)
    pose = motion.body("a")
    np.testing.assert_allclose(pose.position[-1], [0, -9.81 * 0.045, 0], atol=1e-12)
    np.testing.assert_allclose(pose.rotation[-1], np.eye(3), atol=1e-12)
    with pytest.raises(lw.LinkworkError, match="no part named 'b'"):
        motion.body("b")
