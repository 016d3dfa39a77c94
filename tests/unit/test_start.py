"""Consistent starts: fixed values kept, weights obeyed, points nobody mentioned placed, impossible starts explained."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.native.numbers import compute_levels
from linkwork.solve.start.guess import guess_positions

FOURBAR = [lw.Rigid.rod("OA", 0.4, 1), lw.Rigid.rod("AB", 1.0, 1), lw.Rigid.rod("BQ", 0.8, 1)]


def assemble(positions=None, velocities=None, rigids=FOURBAR, fixed=None, gravity=(0, -10), **more):
    start = lw.InitialValues(positions=positions or {}, velocities=velocities or {})
    grounds = {"O": (), "Q": (1,)} if fixed is None else fixed
    return lw.Model(lw.Mechanism(fixed=grounds, rigids=rigids, gravity=gravity, start=start, **more))


def value(assembly, name):
    return assembly.start.q[assembly.system.index[name]]


def speed(assembly, name):
    return assembly.start.u[assembly.system.index[name]]


def check_consistent(assembly):
    start = assembly.start
    g, g1, _ = compute_levels(assembly.system, start.q, start.u, np.zeros_like(start.q))
    assert np.max(np.abs(g)) < 1e-12
    assert np.max(np.abs(g1)) < 1e-12


def test_fixed_values_are_kept_to_the_last_bit():
    a = assemble({"A": (lw.fix(0.123), 0.3)}, {"A": (lw.fix(0.7), 0)})
    check_consistent(a)
    assert value(a, "Ax") == 0.123
    assert speed(a, "Ax") == 0.7


@pytest.mark.parametrize("positions", [{}, {"A": (0.4, 0)}, {"B": (1, 1)}, {"A": (-3, 5), "B": (7, -7)}, {"A": (0, 0)}])
def test_a_four_bar_closes_from_any_guess_or_none(positions):
    check_consistent(assemble(positions))


def test_the_branch_is_the_one_nearest_to_the_guess():
    up, down = assemble({"A": (0.4, 0), "B": (0.5, 1)}), assemble({"A": (0.4, 0), "B": (0.5, -1)})
    assert value(up, "By") > 0 > value(down, "By")


def test_the_start_moves_along_the_shortest_way():
    # a point guessed off a circle goes radially
    a = assemble({"A": (3, 4)}, rigids=[lw.Rigid.rod("OA", 1, 1)], fixed={"O": ()})
    assert [value(a, "Ax"), value(a, "Ay")] == pytest.approx([0.6, 0.8], abs=1e-12)
    assert "Ay 4 -> 0.8" in a.start.report()
    assert [move.name for move in a.start.moved] == ["Ax", "Ay"]


def test_velocities_lose_what_the_constraints_forbid():
    # of (3, 4) on a circle at (1, 0) only the part along y remains
    a = assemble({"A": (1, 0)}, {"A": (3, 4)}, rigids=[lw.Rigid.rod("OA", 1, 1)], fixed={"O": ()})
    assert [speed(a, "Ax"), speed(a, "Ay")] == pytest.approx([0, 4], abs=1e-13)


def test_values_nobody_gave_do_not_pull_at_those_that_were_given():
    # the corner C is not mentioned; A's velocity is consistent as it stands
    plate = lw.Rigid(name="OAC", geometry=[(), (1,), (0, 5)], centroid=(0.3, 1), mass=1, inertia=1)
    a = assemble({"A": (1, 0)}, {"A": (0, 2)}, rigids=[plate], fixed={"O": ()})
    assert speed(a, "Ay") == pytest.approx(2, abs=1e-11)
    assert [speed(a, "Cx"), speed(a, "Cy")] == pytest.approx([-10, 0], abs=1e-10)
    assert not a.start.moved


def test_a_turn_angle_nobody_gave_follows_its_part():
    a = assemble(
        {"A": (0, 1)}, {"A": (-3, 0)}, rigids=[lw.Rigid.rod("OA", 1, 1)], fixed={"O": ()},
        torques=[lw.Torque(part="OA", value=1)],
    )  # fmt: skip
    assert value(a, "OA") == pytest.approx(math.pi / 2, abs=1e-14)
    assert speed(a, "OA") == pytest.approx(3, abs=1e-11)
    assert speed(a, "Ax") == pytest.approx(-3, abs=1e-11)
    assert not a.start.moved


def test_a_weight_keeps_its_value_nearer_to_the_guess():
    # B can be had exactly, but not together with A
    guess = {"A": (0.5, 0.1), "B": (1, 0.8)}
    plain = assemble(guess).simulate(0.0).final
    held = assemble(guess).simulate(0.0, weights={"B": 1e4}).final

    def gap(state, point):
        return np.linalg.norm(state[point] - guess[point])

    assert gap(held, "B") < 0.1 * gap(plain, "B")
    assert gap(held, "A") > gap(plain, "A")


@pytest.mark.parametrize(
    ("weights", "words"), [({"X": 1.0}, "no moving point"), ({"A": -1.0}, "positive"), ({"A": math.nan}, "positive")]
)
def test_a_wrong_weight_is_an_error(weights, words):
    with pytest.raises(lw.StartError, match=words):
        assemble({"A": (0.4, 0)}).simulate(0.0, weights=weights)


def test_too_many_fixed_values_are_named():
    with pytest.raises(lw.StartError, match=r"too many fixed position values: 2 \(Ax, By\) for 1 degree of freedom"):
        assert assemble({"A": (lw.fix(0.1), 0), "B": (0, lw.fix(0.2))}).start
    with pytest.raises(lw.StartError, match=r"velocit.*Ax', By'"):
        assert assemble({"A": (0, 0.4)}, {"A": (lw.fix(0.1), 0), "B": (0, lw.fix(0.2))}).start


def test_a_mechanism_that_cannot_be_assembled_says_what_stays_open_and_by_how_much():
    # rods of 0.1 cannot bridge 5: 4.7 missing, shared by three rods
    rods = [lw.Rigid.rod(name, 0.1, 1) for name in ("OA", "AB", "BQ")]
    with pytest.raises(lw.StartError, match=r"l_OA stays open by [\d.]+ m") as caught:
        assert assemble(rigids=rods, fixed={"O": (), "Q": (5,)}).start
    assert "cannot be assembled" in str(caught.value)


def test_a_fixed_value_out_of_reach_is_explained():
    with pytest.raises(lw.StartError, match=r"the rod OA of length 0\.4 and the fixed Ax = 2 contradict each other"):
        assert assemble({"A": (lw.fix(2.0), 0)}).start


def test_a_velocity_that_cannot_be_is_explained():
    # at the end of the rod's circle Ax cannot move
    with pytest.raises(lw.StartError, match="cannot be met together: the rod OA of length 1 and the fixed Ax' = 1"):
        assert assemble(
            {"A": (1, 0)}, {"A": (lw.fix(1.0), 0)}, rigids=[lw.Rigid.rod("OA", 1, 1)], fixed={"O": ()}
        ).start


def test_points_nobody_mentioned_hang_down_by_their_parts():
    mechanism = lw.Mechanism(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 2, 1), lw.Rigid.rod("AB", 1, 1)], gravity=(0, -10)
    )
    assembly = lw.Model(mechanism)
    guess = guess_positions(mechanism, assembly.system)
    assert not guess.given.any()
    x = dict(zip(assembly.system.coordinates, guess.values, strict=True))
    assert math.hypot(x["Ax"], x["Ay"]) == pytest.approx(2)
    assert x["Ay"] < -1.9 and x["By"] < -2.8


@pytest.mark.parametrize("n", [20, 200])
@pytest.mark.parametrize("part", [0.01, 0.3, 0.99])
def test_a_chain_with_both_ends_fixed_closes_without_any_guess(n, part):
    rods = [lw.Rigid.rod(f"P{i}P{i + 1}", 1, 1) for i in range(n)]
    chain = assemble(rigids=rods, fixed={"P0": (), f"P{n}": (part * n,)})
    check_consistent(chain)
    assert chain.start.attempts == 1


def test_the_time_of_the_start_is_the_given_one():
    start = lw.InitialValues(t0=5, tend=6, positions={"A": (1, 0)})
    a = lw.Model(lw.Mechanism(fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 1)], gravity=(0, -10), start=start))
    motion = a.simulate()
    assert (motion.t[0], motion.t[-1]) == (5.0, 6.0)
    other = lw.Model(lw.Mechanism(fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 1)], gravity=(0, -10),
                                     start=lw.InitialValues(positions={"A": (1, 0)})))  # fmt: skip
    np.testing.assert_allclose(motion.at(5.7)["A"], other.simulate(1.0).at(0.7)["A"], atol=1e-9)


def test_how_long_to_simulate_must_be_said_somewhere():
    with pytest.raises(lw.LinkworkError, match="until"):
        assemble({"A": (0.4, 0)}).simulate()


def test_velocities_wished_for_where_nothing_can_move_are_zero_and_no_contradiction():
    rods = [lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("QA", 1, 1)]
    start = lw.InitialValues(positions={"A": (0.6, 0.8)}, velocities={"A": (0.3, 0.7)})
    mechanism = lw.Mechanism(fixed={"O": (), "Q": (1.2, 0)}, rigids=rods, start=start)
    assert not lw.Model(mechanism).start.u.any()


@pytest.mark.parametrize("order", [("world.o", "bar.p"), ("bar.p", "world.o")])
def test_the_turn_of_a_joint_of_the_plane_says_where_its_body_starts(order):
    sign = 1 if order[0] == "world.o" else -1
    model = lw.Model(
        lw.Mechanism(
            bodies=[
                lw.Body("world", frames={"o": lw.Frame((), angle=0.2)}),
                lw.Body("bar", mass=1, centre=(0.5,), inertia=0.1, frames={"p": lw.Frame((), angle=0.5), "q": (1,)}),
            ],
            joints=[lw.Joint(name="pin", kind="revolute", frames=order)],
            start=lw.InitialValues(angles={"pin": lw.fix(0.3)}, rates={"pin": 2.0}),
        )
    )
    begin = model.simulate(0.01).at(0.0)
    assert float(begin["pin.angle"]) == pytest.approx(0.3, abs=1e-12)
    assert float(begin["pin.omega"]) == pytest.approx(2.0, abs=1e-12)
    turned = sign * 0.3 + 0.2 - 0.5
    assert float(begin["bar.q.x"]) == pytest.approx(math.cos(turned), abs=1e-12)
    assert float(begin["bar.q.y"]) == pytest.approx(math.sin(turned), abs=1e-12)


def test_the_turn_of_a_joint_between_two_bodies_follows_from_those_of_others_or_else_is_a_guess():
    def chain(**angles):
        bar = {"mass": 1, "centre": (0.5,), "inertia": 0.1, "frames": {"p": (), "q": (1,)}}
        return lw.Mechanism(
            bodies=[lw.Body("world", frames={"o": ()}), lw.Body("a", **bar), lw.Body("b", **bar)],
            joints=[
                lw.Joint(name="one", kind="revolute", frames=("world.o", "a.p")),
                lw.Joint(name="two", kind="revolute", frames=("a.q", "b.p")),
            ],
            start=lw.InitialValues(angles=angles),
        )

    begin = lw.Model(chain(a=0.4, two=0.3)).start.q
    system = lw.Model(chain(a=0.4, two=0.3)).system
    assert begin[system.chart.angles["b"]] == pytest.approx(0.7)
    # in whatever order joints are given
    both = lw.Model(chain(two=0.3, one=0.4)).start.q
    assert both[system.chart.angles["b"]] == pytest.approx(0.7)
    # nothing else is known: the first body is upright
    alone = lw.Model(chain(two=0.3)).start.q
    assert alone[system.chart.angles["b"]] - alone[system.chart.angles["a"]] == pytest.approx(0.3)
    with pytest.raises(lw.InputError, match="Its bodies turn: give angles of a and b, or of one of them besides"):
        chain(a=0.1, b=0.2, two=0.3)
    kept = lw.Model(chain(a=lw.fix(0.4), two=lw.fix(0.3))).start
    assert kept.q[system.chart.angles["b"]] == pytest.approx(0.7, abs=1e-15)
