"""Constraints are typed: what a row is about is said by its maker, and names mean nothing."""

import numpy as np
import pytest

import linkwork as lw
from conftest import ROOT
from linkwork.errors import InputError, LinkworkError, Ref
from linkwork.results import record

EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
FLAT = "(x'**2 + y'**2)/2 - (x - 1)**2"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_row_and_every_instance_belongs_to_something_described(path):
    model = lw.load(path)
    m = model.mechanism
    known = {part.ref for part in (*m.parts, *m.states)}
    known |= {Ref(x.kind, x.name) for x in m.footings.values()}
    absolute = None if m.algebra else model.formulated("absolute").absolute
    for system in (model.whole, *([] if absolute is None else [absolute.system])):
        owners = {row: owner for term in system.terms for owner, rows in zip(term.owners, term.rows, strict=True)
                  for row in rows.tolist()}  # fmt: skip
        assert {owner for term in system.terms for owner in term.owners} <= known
        assert [owners[i] for i in range(system.m)] == [row.owner for row in system.rows]
        held = np.concatenate([term.rows[:, term.kernel.holonomic_count :].ravel() for term in system.terms])
        assert {i for i, row in enumerate(system.rows) if row.level == "velocity"} == set(held.tolist())
        assert {row.unit for row in system.rows} <= {"m", "rad"}


def test_a_constraint_called_like_a_driver_is_none():
    tied = {"constraints": {"motion_x": "y - 2*x"}, "start": {"x": 0.5, "x'": 1}, "points": {"P": ("x", "y")}}
    free = lw.lagrangian("x y", FLAT, **tied).simulate(1)
    with pytest.raises(LinkworkError, match="'x' is not prescribed"):
        free.driving("x")
    assert not [curve for curve in record(free).curves if curve.group == "Driving"]


def test_a_constraint_called_like_the_rate_of_a_state_is_told_by_its_name():
    moving = lw.lagrangian("x y", FLAT, constraints={"rate_x": "y - 2*x - t"}, start={"x": 0.5})
    with pytest.raises(InputError, match=r"^rate_x does not rest"):
        moving.linearize("equilibrium")


def test_redundant_joints_of_any_kind_are_told_by_their_axes():
    text = (ROOT / "examples" / "spatial-four-bar.yaml").read_text()
    (usual,) = lw.loads(text).structure().as_dict()["redundant"]

    @lw.joint_kind("my_hinge_2", dimension=3, free=1)
    def my_hinge_2(i, j):
        """A hinge under another name."""
        zero = [*(j.o - i.o), lw.dot(i.x, j.z), lw.dot(i.y, j.z)]
        return lw.Conditions(zero=zero, positive={"axes": lw.dot(i.z, j.z)}, angle=lw.turn(i, j))

    (other,) = lw.loads(text.replace("kind: revolute", "kind: my_hinge_2")).structure().as_dict()["redundant"]
    assert "the axes of joints" in usual["words"]
    assert other["words"] == usual["words"]


def test_a_part_feels_what_others_do_whatever_they_are_called():
    # a spring and a particle with names that a rod has too
    def model(spring, mass):
        return lw.Model(
            lw.Mechanism(
                fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 2)], gravity=(0, -9.81),
                springs=[lw.Spring(name=spring, points=("O", "A"), stiffness=30, rest_length=0.5)],
                particles=[lw.Particle(point="A", mass=mass)], start=lw.InitialValues(positions={"A": (1, 0)}),
            )
        )  # fmt: skip

    one, other = (model(name, 1).simulate(1) for name in ("OA", "rope"))
    for point in "OA":
        np.testing.assert_allclose(one.reaction("OA", point), other.reaction("OA", point), atol=1e-12)
