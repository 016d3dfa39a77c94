"""A tree of bodies and the mechanism it makes: one motion, in joint coordinates, points and absolute coordinates."""

import pytest

import linkwork as lw
from linkwork.vectors import VectorError

MARKS = {"P": ("D", "ox"), "R": ("F", "oy"), "S": ("G", "oy"), "T": ("H", "ox")}


def arm() -> lw.Tree:
    """Bodies on every kind of joint that a tree and a mechanism share, pushed and twisted."""
    tree = lw.Tree("arm", gravity="g", parameters={"g": 9.81, "l": 1.2, "k": 3})
    A = tree.add_body("A", rotate="z", mass=2, inertia=(0.3, 0.4, 0.5), centre=("l/2", 0, 0.1))
    B = tree.add_body("B", parent=A, joint_at=("l", 0, 0), rotate="y", mass=1, inertia=(0.1, 0.2, 0.25))
    C = tree.add_body("C", parent=B, joint_at=("l", 0, 0.1), translate="x", mass=0.5, inertia=(0.1, 0.1, 0.1))
    skew = C.x + 2 * C.y
    tree.add_body(
        "D", parent=C, joint_at=(0, 0.2, 0), rotate=skew, mass=0.7, inertia=(0.1, 0.2, 0.25), centre=(0.1, 0, 0)
    )
    E = tree.add_body("E", parent=A, joint_at=(0, 0.5, 0), rotate="xyz", mass=0.7, inertia=(0.1, 0.2, 0.25))
    tree.add_body(
        "F", parent=E, joint_at=(0, 0, 0.3), rotate="xy", mass=0.6, inertia=(0.1, 0.2, 0.25), centre=(0.1, 0, 0.3)
    )
    G = tree.add_body("G", translate="xyz", rotate="xyz", mass=0.6, inertia=(0.1, 0.2, 0.25), centre=(0.1, 0.05, 0.3))
    H = tree.add_body("H", parent=G, translate="z", rotate="z", mass=0.4, inertia=(0.1, 0.2, 0.25), centre=(0.2, 0, 0))
    tree.add_body("K", parent=H, joint_at=(0.5, 0, 0), mass=0.1, inertia=(0.1, 0.2, 0.25))
    tree.add_moment("spring", along=B.y, magnitude="-k*q2 - 0.3*u2", on=B, against=A)
    tree.add_moment("twist", along=E.z, magnitude="0.2*q3", on=E)
    P, Q = C.point("P", (0, 0.1, 0.2)), E.point("Q", (0, 0, 0.1))
    tree.add_force("push", along=tree.ground.x + B.z, magnitude="2*cos(t)", at=P, against=Q)
    tree.add_output("bend", "q2")
    return tree


def test_a_tree_and_its_mechanism_have_one_motion_in_all_formalisms():
    tree = arm()
    start = {f.coordinate.name: 0.1 * i for i, f in enumerate(tree.freedoms, 1)}
    start |= {f"{f.coordinate.name}'": 0.2 - 0.03 * i for i, f in enumerate(tree.freedoms)}
    bodies = {body.name: body for body in tree.bodies}
    unit = {"ox": (1, 0, 0), "oy": (0, 1, 0)}
    points = {name: bodies[body].point(f"{body}_{mark}", unit[mark]) for name, (body, mark) in MARKS.items()}
    how = {"tol": 1e-10, "compiled": False}
    one = tree.model(start=start, points=points).simulate(0.1, **how)
    mechanism = tree.mechanism(start=start)
    for formalism in ("points", "absolute", "tree"):
        other = lw.Model(mechanism).formulated(formalism).simulate(0.1, **how)
        for name, (body, mark) in MARKS.items():
            for axis in "xyz":
                mine, theirs = one.final[f"{name}.{axis}"], other.final[f"{body}.{mark}.{axis}"]
                assert float(mine) == pytest.approx(float(theirs), abs=1e-9), (formalism, name)
        assert float(one.final["bend"]) == pytest.approx(float(other.final["bend"]), abs=1e-9)


@pytest.mark.parametrize(
    ("grow", "words"),
    [
        (lambda t: t.add_body("B", translate="xy", mass=1, inertia=0), "'B': no joint leaves it 2 translations"),
        (lambda t: t.add_body("B", translate="x", rotate="z", mass=1, inertia=0), "1 translations and 1 rotations"),
        (lambda t: t.add_body("B", rotate="z", mass=0, inertia=0), "'B' has no mass"),
        (lambda t: t.add_constraint("c", "q3 - t"), "constraint 'c': no joint has a quantity for q3"),
    ],
)
def test_what_a_mechanism_cannot_say_of_a_tree_is_told_in_words(grow, words):
    tree = lw.Tree()
    A = tree.add_body("A", rotate="xyz", mass=1, inertia=(1, 1, 1))
    assert A.parent is tree.ground
    grow(tree)
    with pytest.raises(VectorError, match=words):
        tree.mechanism()
