"""Reactions obey statics and Newton's third law."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.connections import Joint


def hanging_rods(count):
    places = {f"P{i}": (0, -i) for i in range(1, count + 1)}
    return lw.Assembly(
        lw.Mechanism(
            fixed={"P0": ()},
            rigids=[lw.Rigid.rod(f"P{i}P{i + 1}", 1, 2) for i in range(count)],
            gravity=(0, -10),
            start=lw.InitialValues(tend=1, positions=places),
        )
    )


def test_a_hanging_chain_carries_the_weight_below():
    motion = hanging_rods(4).simulate(0.1)
    for i in range(4):
        assert motion.reaction(f"P{i}P{i + 1}", f"P{i}") == pytest.approx(
            np.array([[0.0, 20.0 * (4 - i)]] * len(motion.t))
        )
        assert motion.tension(f"P{i}P{i + 1}") == pytest.approx(20.0 * (4 - i) - 10.0)


def test_in_the_frame_of_the_part_a_force_along_it_has_one_component():
    motion = hanging_rods(2).simulate(0.1)
    assert motion.reaction("P0P1", "P0", frame="part", t=0.05) == pytest.approx(np.array([[-40.0, 0.0]]))


@pytest.mark.parametrize("shared", [True, False])
def test_a_weld_carries_weight_and_moment(shared):
    point = "O" if shared else "Q"
    fixed = {"O": ()} if shared else {"Q": ()}
    body = lw.Rigid(name="OAB", geometry=[(), (2,), (0, 1)], centroid=(1, 0.5, 0), mass=3, inertia=(1, 1, 1))
    places = {"A": (2, 0, 0), "B": (0, 1, 0), **({} if shared else {"O": (0, 0, 0)})}
    mechanism = lw.Mechanism(
        dimension=3,
        fixed=fixed,
        rigids=[body],
        gravity=(0, 0, -10),
        joints=[Joint(name="weld", kind="fixed", parts=("world", "OAB"), points=(point, "O"))],
        start=lw.InitialValues(tend=1, positions=places),
    )
    force, torque = lw.Assembly(mechanism).simulate(0.1).joint_reaction("weld")
    # m g upward; c × m g about the weld
    assert force == pytest.approx(np.tile([0.0, 0.0, 30.0], (len(force), 1)), abs=1e-9)
    assert torque == pytest.approx(np.tile([15.0, -30.0, 0.0], (len(force), 1)), abs=1e-9)


def test_reactions_at_a_moving_pin_are_opposite():
    start = lw.InitialValues(tend=1, positions={"P1": (1, 0), "P2": (2, 0), "P3": (3, 0)})
    rods = [lw.Rigid.rod(f"P{i}P{i + 1}", 1, 1 + i) for i in range(3)]
    mechanism = lw.Mechanism(fixed={"P0": ()}, rigids=rods, gravity=(0, -9.81), start=start)
    motion = lw.Assembly(mechanism).simulate(1.0, tol=1e-12)
    for i in (1, 2):
        here, there = motion.reaction(f"P{i - 1}P{i}", f"P{i}"), motion.reaction(f"P{i}P{i + 1}", f"P{i}")
        assert here + there == pytest.approx(np.zeros_like(here), abs=1e-9)
    assert motion.reaction("P2P3", "P3") == pytest.approx(np.zeros((len(motion.t), 2)), abs=1e-9)


def test_an_unknown_part_or_point_is_an_error_in_words():
    motion = hanging_rods(2).simulate(0.1)
    with pytest.raises(lw.LinkworkError, match="no part 'P0P1' with a point 'P2'"):
        motion.reaction("P0P1", "P2")
    with pytest.raises(lw.LinkworkError, match="no joint named"):
        motion.joint_reaction("knee")


def test_at_a_clamp_the_force_is_the_weight_and_a_load_presses_where_it_sits():
    body = lw.Rigid(name="OAU", geometry=[(), (1,), (0, 1)], centroid=(0.5, 0, 0), mass=2, inertia=(1, 1, 1))
    mechanism = lw.Mechanism(
        dimension=3,
        fixed={"O": ()},
        rigids=[body],
        particles=[lw.Particle(point="A", mass=1)],
        gravity=(0, 0, -10),
        joints=[Joint(name="clamp", kind="fixed", parts=("world", "OAU"), points=("O", "O"))],
        start=lw.InitialValues(tend=1, positions={"A": (1, 0, 0), "U": (0, 1, 0)}),
    )
    motion = lw.Assembly(mechanism).simulate(0.1)
    for point, force in (("O", 30.0), ("A", -10.0), ("U", 0.0)):
        assert motion.reaction("OAU", point)[0] == pytest.approx([0.0, 0.0, force], abs=1e-9)
