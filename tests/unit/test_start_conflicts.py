"""Starts that cannot be: the smallest set of what contradicts is named, and the closest attempt is kept."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.results import Snapshot
from linkwork.solve.start.conflicts import Claim, _reduce, _Remembered

FOURBAR = {"OA": 0.4, "AB": 1.0, "BQ": 0.8}


def assemble(rods, positions=None, velocities=None, fixed=None, **more):
    start = lw.InitialValues(positions=positions or {}, velocities=velocities or {})
    rigids = [lw.Rigid.rod(name, length, 1) for name, length in rods.items()]
    grounds = {"O": (), "Q": (1,)} if fixed is None else fixed
    return lw.Model(lw.Mechanism(fixed=grounds, rigids=rigids, gravity=(0, -10), start=start, **more))


def refused(assembly):
    with pytest.raises(lw.StartError) as caught:
        assert assembly.start
    return caught.value


def test_the_rods_that_cannot_meet_are_named_and_no_others():
    """OC and CQ do not bridge O and Q; the four-bar beside them is sound, and so is CD."""
    rods = {**FOURBAR, "OC": 0.1, "CQ": 0.2, "CD": 1}
    error = refused(assemble(rods))
    assert set(error.conflict) == {"the rod OC", "the rod CQ"}
    assert "the distance OQ is 1, the others together are 0.3" in str(error)
    # each of the two is needed for the conflict, and together they are one by themselves
    for name in ("OC", "CQ"):
        assert assemble({n: l for n, l in rods.items() if n != name}).start
    refused(assemble({"OC": 0.1, "CQ": 0.2}))


@pytest.mark.parametrize("lengths", [(0.5, 0.4, 3.0), (0.5, 3.0, 0.4), (3.0, 0.5, 0.4), (0.2, 0.2, 0.2)])
def test_a_polygon_with_one_side_too_long(lengths):
    error = refused(assemble(dict(zip(("OA", "AB", "BQ"), lengths, strict=True))))
    assert len(error.conflict) == 3
    sides = {"OA": lengths[0], "AB": lengths[1], "BQ": lengths[2], "OQ": 1.0}
    longest = max(sides, key=sides.get)
    assert f"{longest} is {sides[longest]:g}, the others together are" in str(error)


def test_a_fixed_value_takes_part_in_a_conflict_and_its_nearest_value_is_told():
    """B on its circle about Q reaches x = 0.36, where OAB is folded, not further."""
    error = refused(assemble(FOURBAR, {"B": (lw.fix(0.3), 0)}))
    assert set(error.conflict) == {"the rod OA", "the rod AB", "the rod BQ", "the fixed Bx = 0.3"}
    assert "The nearest value Bx can have is 0.36" in str(error)
    assert assemble(FOURBAR, {"B": (lw.fix(0.3600001), 0)}).start
    assert refused(assemble(FOURBAR, {"B": (lw.fix(0.3599999), 0)}))


def test_what_cannot_be_reached_by_one_part_alone_blames_only_that_part():
    error = refused(assemble(FOURBAR, {"A": (lw.fix(2.0), 0)}))
    assert set(error.conflict) == {"the rod OA", "the fixed Ax = 2"}
    assert "The nearest value Ax can have is 0.4" in str(error)


def test_the_closest_attempt_is_a_state_to_look_at():
    error = refused(assemble({"OA": 0.1, "AB": 0.1, "BQ": 0.1}, fixed={"O": (), "Q": (5,)}))
    assert isinstance(error.closest, Snapshot)
    # the rods share what is missing: in the order of the chain, and nearly on the line
    x = [0.0, error.closest["A"][0], error.closest["B"][0], 5.0]
    assert x == sorted(x)
    assert np.abs([error.closest["A"][1], error.closest["B"][1]]).max() < 0.2


def test_motions_lines_and_plates_take_part():
    error = refused(assemble(FOURBAR, motions=[lw.Driver(target="B.x", law="5 + t")]))
    assert set(error.conflict) == {"the rod BQ", "the motion B.x"}
    line = {"rods": {"OA": 0.1, "AB": 0.2}, "fixed": {"O": (), "Q": (1, 3), "R": (2, 3)}}
    error = refused(assemble(**line, collinears=[lw.Collinear("BQR")]))
    assert set(error.conflict) == {"the rod OA", "the rod AB", "the line BQR"}
    plate = lw.Rigid(name="ABC", geometry=[(), (1,), (0, 1)], centroid=(0.3, 0.3), mass=1, inertia=1)
    rods = [lw.Rigid.rod("OA", 0.1, 1), lw.Rigid.rod("QB", 0.1, 1), plate]
    error = refused(lw.Model(lw.Mechanism(fixed={"O": (), "Q": (3,)}, rigids=rods, gravity=(0, -1))))
    assert set(error.conflict) == {"the rod OA", "the rod QB", "the part ABC"}


def test_joints_take_part():
    """A hinge holds the plate in the plane z = 0; a rod from above that is too short."""
    plate = lw.Rigid(name="OAU", geometry=[(), (1,), (0, 0.1)], centroid=(0.5,), mass=1, inertia=(0, 0.1, 0.1))
    hinge = lw.Joint(name="hinge", kind="revolute", parts=("world", "OAU"), points=("O", "O"))
    mechanism = lw.Mechanism(
        dimension=3, fixed={"O": (), "Q": (0, 0, 2)}, rigids=[plate, lw.Rigid.rod("QA", 1.5, 1)], joints=[hinge]
    )
    error = refused(lw.Model(mechanism))
    assert set(error.conflict) == {"the part OAU", "the joint 'hinge'", "the rod QA"}


def test_conflicting_velocities():
    rod = {"rods": {"OA": 1.0}, "fixed": {"O": ()}}
    error = refused(assemble(**rod, positions={"A": (1, 0)}, velocities={"A": (lw.fix(1.0), 0)}))
    assert set(error.conflict) == {"the rod OA", "the fixed Ax' = 1"}
    np.testing.assert_allclose(error.closest["A"], [1, 0], atol=1e-12)
    # two chains side by side, and only one of them has a conflict: B at its dead centre cannot move along x
    two = {"OA": 1.0, "QB": 1.0}
    error = refused(assemble(two, {"A": (0.6, 0.8), "B": (2, 0)}, {"A": (lw.fix(1.0), 0), "B": (lw.fix(1.0), 0)}))
    assert set(error.conflict) == {"the rod QB", "the fixed Bx' = 1"}


def test_constraints_of_velocities_take_part():
    error = refused(
        lw.lagrangian(
            "x y", "(x'**2 + y'**2)/2", velocity_constraints={"skate": "x' - y'", "rail": "x' + y' - 1"},
            start={"x": 0, "y": 0, "x'": lw.fix(2)},
        )
    )  # fmt: skip
    assert "too many fixed velocity values: 1 (x') for 0 degrees of freedom" in str(error)
    error = refused(
        lw.lagrangian(
            "x y", "(x'**2 + y'**2)/2", velocity_constraints={"one": "x' - 1", "two": "x' - 2"}, start={"x": 0, "y": 0}
        )
    )  # fmt: skip
    assert set(error.conflict) == {"the constraint 'one'", "the constraint 'two'"}


def test_contradictory_equations_are_found_among_many():
    names = {f"c{i}": f"x{i} - {i}" for i in range(1, 9)} | {"odd": "x3 + x5 - 9"}
    error = refused(
        lw.lagrangian("x[8]", " + ".join(f"x{i}'**2" for i in range(1, 9)), constraints=names, start={"x1": 0})
    )
    assert set(error.conflict) == {"the constraint 'c3'", "the constraint 'c5'", "the constraint 'odd'"}


def test_repeated_constraints_are_no_conflict():
    """A third parallel bar repeats what two say."""
    bars = {"OA": 1, "AB": 1, "BQ": 1, "AM": 0.5, "MB": 0.5}
    assert assemble(bars, {"A": (0.5, 0.8), "B": (1.5, 0.8), "M": (1, 0.8)}).start


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "fixed", "cylindrical", "planar"])
@pytest.mark.parametrize("corner", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_a_joint_is_put_together_the_right_way_round(kind, corner):
    """Whatever is guessed for one point of it, the part's axis (and reference) points along that of the world."""
    part = lw.Rigid(name="AUV", geometry=[(), (1,), (0, 1)], centroid=(0.1,), mass=1, inertia=(1, 1, 1))
    joint = lw.Joint(name="j", kind=kind, parts=("world", "AUV"), points=("O", "A"))
    start = lw.InitialValues(positions={"U": (corner[0], corner[1] * 0.1, 0.2)})
    assembly = lw.Model(lw.Mechanism(dimension=3, fixed={"O": ()}, rigids=[part], joints=[joint], start=start))
    at = {p: assembly.start.q[list(assembly.system.chart.points[p])] for p in "AUV"}
    x, y = at["U"] - at["A"], at["V"] - at["A"]
    np.testing.assert_allclose(np.cross(x, y), [0, 0, 1], atol=1e-11)
    if kind in ("prismatic", "fixed"):
        np.testing.assert_allclose(x, [1, 0, 0], atol=1e-11)


def test_a_tracked_turn_is_the_turn_and_not_half_a_turn_off():
    part = lw.Rigid(name="OAU", geometry=[(), (1,), (0, 0.1)], centroid=(0.5,), mass=1, inertia=(0, 0.1, 0.1))
    hinge = lw.Joint(name="hinge", kind="revolute", parts=("world", "OAU"), points=("O", "O"))
    for turn in (0.3, 2.0, -2.5):
        start = lw.InitialValues(angles={"hinge": lw.fix(turn)}, positions={"A": (-np.cos(turn), -np.sin(turn), 0)})
        assembly = lw.Model(
            lw.Mechanism(
                dimension=3, fixed={"O": ()}, rigids=[part], joints=[hinge], start=start,
                torques=[lw.Torque(part="hinge", value=1)],
            )
        )  # fmt: skip
        A = assembly.start.q[list(assembly.system.chart.points["A"])]
        np.testing.assert_allclose(A, [np.cos(turn), np.sin(turn), 0], atol=1e-11)


def test_a_chain_that_is_far_too_short_is_refused_in_words_and_time():
    n = 150
    rods = {f"P{i}P{i + 1}": 1.0 for i in range(n)}
    error = refused(assemble(rods, fixed={"P0": (), f"P{n}": (200.0,)}))
    assert "the distance P0P150 is 200, the others together are 150" in str(error)
    # the rods share what is missing
    x = [0.0, *(float(error.closest[f"P{i}"][0]) for i in range(1, n)), 200.0]
    assert x == sorted(x)


@pytest.mark.parametrize("seed", range(20))
def test_a_remembered_answer_is_the_answer(seed):
    """Sets that contain one of some conflicts cannot be; asked in any order, no more than once."""
    pick = np.random.default_rng(seed)
    claims = [Claim(f"claim {i}", "") for i in range(10)]
    conflicts = [{claims[i] for i in pick.choice(10, size=int(pick.integers(1, 5)), replace=False)} for _ in range(3)]
    asked = []

    def ask(kept):
        asked.append(frozenset(kept))
        return not any(conflict <= set(kept) for conflict in conflicts)

    possible = _Remembered(ask)
    found = _reduce(claims, possible)
    assert not ask(found)
    assert all(ask([c for c in found if c is not claim]) for claim in found)
    del asked[:]
    for _ in range(200):
        kept = [c for c in claims if pick.random() < 0.5]
        assert possible(kept) == ask(kept)


def test_reducing_twice_asks_less_than_twice():
    claims = [Claim(f"claim {i}", "") for i in range(12)]
    conflict, asked = set(claims[4:8]), []

    def ask(kept):
        asked.append(kept)
        return not conflict <= set(kept)

    assert set(_reduce(claims, _Remembered(ask))) == conflict
    assert len(asked) <= len(claims) + len(conflict)


def test_angles_that_contradict_each_other_are_told_in_radians():
    frames = {"a": lw.Frame((0, 0, 0)), "b": lw.Frame((1, 0, 0), z=(0, 0.5, 1))}
    mechanism = lw.Mechanism(
        dimension=3,
        bodies=[
            lw.Body("world", frames=frames),
            lw.Body("bar", mass=1, centre=(0.5,), inertia=(0.1, 0.1, 0.1), frames={"p": (), "q": (1,)}),
        ],
        joints=[
            lw.Joint(name="one", kind="revolute", frames=("world.a", "bar.p")),
            lw.Joint(name="two", kind="revolute", frames=("world.b", "bar.q")),
        ],
    )
    with pytest.raises(lw.StartError) as caught:
        lw.Model(mechanism).start  # noqa: B018
    told = str(caught.value)
    assert "revolute5_one stays open by" in told
    assert told.split("revolute5_one stays open by ")[1].split()[1] == "rad,"
    assert " m," in told  # lengths stay lengths
