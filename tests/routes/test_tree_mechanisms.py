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


def plates(speeds: str) -> lw.Tree:
    """Plates on plates and what hangs on them: loads and outputs name every coordinate that a joint or body tells."""
    tree = lw.Tree("plates", gravity="g", parameters={"g": 9.81, "k": 3}, speeds=speeds)
    J = (0.1, 0.2, 0.25)
    A = tree.add_body("A", translate="xy", rotate="z", mass=2, inertia=(0.3, 0.4, 0.5), centre=(0.1, 0.2, 0.3))
    B = tree.add_body("B", parent=A, joint_at=(0.5, 0.1, 0.2), translate="zx", rotate="y", mass=1, inertia=J)
    skew = [B.y + B.z, B.y - 3 * B.z]
    C = tree.add_body("C", parent=B, joint_at=(0.1, 0, 0.2), translate=skew, rotate="x", mass=1, inertia=J)
    D = tree.add_body("D", parent=C, translate=-C.z, rotate="z", mass=1, inertia=J, centre=(0.2, 0.1, 0))
    E = tree.add_body("E", parent=A, rotate="zxz", mass=1, inertia=J, centre=(0.2, 0.1, 0))
    G = tree.add_body("G", translate="yzx", rotate="xyz", mass=1, inertia=J, centre=(0.2, 0.1, 0.3))
    tree.add_force("hold", along=tree.ground.x, magnitude="-k*q1 - 0.2*u1", at=A)
    tree.add_moment("twist", along=A.z, magnitude="-k*q3 - 0.1*u3 + 0.2*q2*u2", on=A)
    tree.add_moment("bend", along=B.y, magnitude="-k*q6 - 0.1*u6*q4 + 0.3*u5", on=B, against=A)
    tree.add_force("push", along=B.z, magnitude="-k*q4 + q5*u4", at=B, against=A.point("r", (0.5, 0.1, 0.2)))
    tree.add_force("skew", along=C.x + B.y, magnitude="-k*q7 + q8 + 0.1*u7 - 0.3*u8 + q9", at=C)
    tree.add_force("shaft", along=C.z, magnitude="k*q10 + 0.1*u10 - q11", at=D, against=C)
    tree.add_force("pull", along=G.y, magnitude="-q15 - 2*q16 - 0.3*q17 + u15 + 0.2*u16*u17", at=G.centre)
    if speeds == "body":
        tree.add_moment("ball", along=E.x, magnitude="-0.1*u12 + 0.2*u13*u14", on=E, against=A)
        tree.add_moment("spin", along=G.y, magnitude="-0.1*u18 + 0.2*u19*u20", on=G)
    for i in range(1, 21):
        tree.add_output(f"place{i}", f"q{i}")
        tree.add_output(f"speed{i}", f"u{i} + q1'")
    return tree


@pytest.mark.parametrize("speeds", ["body", pytest.param("rates", marks=pytest.mark.long)])
def test_loads_and_outputs_name_coordinates_of_plates_shafts_balls_and_what_floats(speeds):
    tree = plates(speeds)
    start = {f"q{i}": 0.1 * i - 0.04 * (i % 3) * i for i in range(1, 21)}
    start |= {f"q{i}'": 0.3 - 0.1 * i * (i % 2) for i in range(1, 21)}
    how = {"tol": 1e-10, "compiled": False}
    points = {body.name: body.point(f"{body.name}_ox", (1, 0, 0)) for body in tree.bodies}
    one, mechanism = tree.model(start=start, points=points).simulate(0.02, **how), tree.mechanism(start=start)
    assert [joint.kind for joint in mechanism.joints] == ["planar"] * 3 + ["cylindrical", "spherical"]
    # three angles, and speeds that are their rates, no mechanism has
    assert len(mechanism.variables) == (34 if speeds == "body" else 28)
    for formalism in ("points", "absolute", "tree"):
        other = lw.Model(mechanism).formulated(formalism).simulate(0.02, **how)
        seen = {f"{name}.{c}": f"{name}.ox.{c}" for name in points for c in "xyz"}
        for mine, theirs in (seen | {name: name for name in mechanism.variables}).items():
            found = float(other.final[theirs])
            assert float(one.final[mine]) == pytest.approx(found, rel=1e-9, abs=1e-9), (formalism, mine)


def test_a_plate_of_a_tree_is_a_body_in_the_plane():
    """A sledge on a spring, as a tree, its mechanism in space, and a mechanism of the plane."""
    tree = lw.Tree("sledge", parameters={"k": 3})
    A = tree.add_body("A", translate="xy", rotate="z", mass=2, inertia=(0.3, 0.4, 0.5), centre=(0.1, 0.2, 0.3))
    tree.add_force("spring", along=tree.ground.x + A.y, magnitude="-k*q1 - 0.1*u2", at=A.point("P", (0.5, 0, 0)))
    tree.add_moment("twist", along=A.z, magnitude="-k*q3 + 0.1*u3", on=A)
    start = {"q1": 0.3, "q2": -0.2, "q3": 0.4, "q1'": 1, "q2'": 0.5, "q3'": -2}
    one = tree.model(start=start).simulate(1)
    law = "(-k*A.o.x - 0.1*A.o.vy)"
    plane = lw.Mechanism(
        bodies=[lw.Body("A", mass=2, inertia=0.5, centre=(0.1, 0.2), frames={"o": (0, 0), "P": (0.5, 0)})],
        forces=[lw.Force(point="A.P", components=[f"{law}*(1 - sin(A.angle))", f"{law}*cos(A.angle)"])],
        torques=[lw.Torque(part="A", value="-k*A.angle + 0.1*A.omega")],
        parameters={"k": 3},
        start=lw.InitialValues(
            positions={"A.o": (0.3, -0.2)}, angles={"A": 0.4}, velocities={"A.o": (1, 0.5)}, rates={"A": -2}
        ),
    )
    for mechanism in (tree.mechanism(start=start), plane):
        other = lw.Model(mechanism).simulate(1)
        for mine, theirs in (("q1", "A.o.x"), ("q2", "A.o.y")):
            assert float(one.final[mine]) == pytest.approx(float(other.final[theirs]), abs=1e-9)


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
