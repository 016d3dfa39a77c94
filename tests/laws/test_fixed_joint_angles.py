"""A fixed angle of a joint between two moving bodies holds at the start, exactly, wherever the bodies are."""

from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw

FORMALISMS = ("points", "absolute", "tree")


def _bar(name, length):
    frames = {"p": lw.Frame(at=(0,), angle=0.2), "q": lw.Frame(at=(length,), angle=-0.3)}
    return lw.Body(name, mass=1, centre=(length / 2,), inertia=0.1, frames=frames)


def _joint(name, one, two, random):
    frames = (one, two) if random.random() < 0.5 else (two, one)
    return lw.Joint(name=name, kind="revolute", frames=frames)


def _chain(random, count, closed, angles, rates):
    """Bars one behind the other from the ground, or back to it; joints and bodies in any order."""
    names = [f"b{i}" for i in range(count)]
    bodies = [lw.Body("world", frames={"o": (), "e": (0.8,)}), *(_bar(name, random.uniform(0.7, 1)) for name in names)]
    pairs = [("world.o", "b0.p"), *((f"{a}.q", f"{b}.p") for a, b in pairwise(names))]
    pairs += [(f"{names[-1]}.q", "world.e")] if closed else []
    joints = [_joint(f"j{i}", *pair, random) for i, pair in enumerate(pairs)]
    bodies, joints = ([several[i] for i in random.permutation(len(several))] for several in (bodies, joints))
    start = lw.InitialValues(angles=angles, rates=rates)
    return lw.Model(lw.Mechanism(bodies=bodies, joints=joints, start=start, gravity=(0, "-9.8")))


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_angles_and_rates_of_joints_are_those_given_in_any_order_and_formalism(seed, closed):
    random = np.random.default_rng(seed)
    count = int(random.integers(3, 6))
    # of the joints between bodies that move as many as there are freedoms, at angles that can be
    chosen = [f"j{i}" for i in 1 + random.permutation(count - 1)[: count - 2 if closed else count - 1]]
    guesses = {f"b{i}": float(random.uniform(-2, 2)) for i in range(count)}
    possible = _chain(np.random.default_rng(seed), count, closed, guesses, {}).simulate(0.001).at(0.0)
    turns = {name: float(possible[f"{name}.angle"]) for name in chosen}
    rates = {name: float(random.uniform(-2, 2)) for name in chosen}
    fixed = [{name: lw.fix(x) for name, x in values.items()} for values in (turns, rates)]
    model = _chain(np.random.default_rng(seed), count, closed, *fixed)
    for formalism in FORMALISMS:
        begin = model.formulated(formalism).simulate(0.001).at(0.0)
        for name in chosen:
            assert float(begin[f"{name}.angle"]) == pytest.approx(turns[name], abs=1e-12)
            assert float(begin[f"{name}.omega"]) == pytest.approx(rates[name], abs=1e-12)


def test_the_angle_is_kept_beside_guesses_which_give_way_and_a_fixed_value_beats_a_guess():
    def begin(**angles):
        start = _chain(np.random.default_rng(1), 3, False, angles, {})
        return start.simulate(0.001).at(0.0)

    joint = begin(j1=lw.fix(0.3), b0=0.4)
    assert float(joint["j1.angle"]) == pytest.approx(0.3, abs=1e-12)
    assert float(joint["b0.angle"]) == pytest.approx(0.4, abs=1e-9)
    # two guesses that contradict it move alike
    both = begin(j1=lw.fix(0.3), b0=0.0, b1=0.0)
    assert float(both["j1.angle"]) == pytest.approx(0.3, abs=1e-12)
    assert float(both["b0.angle"]) == pytest.approx(-float(both["b1.angle"]), abs=1e-9)
    firm = begin(j1=lw.fix(0.3), b0=lw.fix(0.4), b1=2.0)
    assert (float(firm["b0.angle"]), float(firm["j1.angle"])) == (0.4, pytest.approx(0.3, abs=1e-14))


FOUR_BAR = """
PhysicalParams: {turn: -0.9}
Bodies:
  world: {frames: {o: [], g: [1]}}
  crank: {mass: 1, centre: [0.2], inertia: 0.1, frames: {p: [], q: [0.4]}}
  rod: {mass: 1, centre: [0.5], inertia: 0.1, frames: {p: [], q: [1.1]}}
  rocker: {mass: 1, centre: [0.4], inertia: 0.1, frames: {p: [], q: [0.8]}}
Connections:
  Joints:
    top: {kind: revolute, frames: [rod.q, rocker.q]}
    elbow: {kind: revolute, frames: [crank.q, rod.p]}
    main: {kind: revolute, frames: [world.o, crank.p]}
    side: {kind: revolute, frames: [world.g, rocker.p]}
AppliedForces: {Gravity: [0, -9.8]}
ProblemData: {tend: 1, positions: {elbow: [[turn, fixed]]}}
"""


def test_a_fixed_angle_follows_its_parameter_and_whole_turns_make_no_new_branches():
    first = lw.loads(FOUR_BAR)
    for turn in (-0.9, -0.8999, -0.5):
        changed = first.with_parameters(turn=turn)
        assert float(changed.simulate(0.001).at(0.0)["elbow.angle"]) == pytest.approx(turn, abs=1e-12)
    assert len(first.branches()) == 2
    # it is among what is proposed
    assert "elbow: [[-0.9, fixed]]" in first.proposal().text
    # and what is fixed is let go where something is driven
    assert first.driven({"crank.angle": "0.3 + t"}).simulate(0.01, kinematic=True).outcome == "reached t = 0.01"


def test_what_cannot_hold_together_is_refused_by_all_its_names():
    def refuse(closed=False, count=3, rates=None, **angles):
        with pytest.raises(lw.StartError) as caught:
            _ = _chain(np.random.default_rng(3), count, closed, angles, rates or {}).start
        return str(caught.value)

    fixed = lw.fix
    told = refuse(j1=fixed(0.3), b0=fixed(0.2), b1=fixed(0.4))
    assert "the fixed j1.angle = 0.3, the fixed b0 = 0.2 and the fixed b1 = 0.4 contradict each other" in told
    told = refuse(rates={"j1": fixed(2), "b0": fixed(1), "b1": fixed(1)})
    assert "the fixed j1.omega = 2, the fixed b0' = 1 and the fixed b1' = 1 contradict each other" in told
    # more than there are freedoms: by the names that were given
    told = refuse(closed=True, j0=fixed(0.3), j1=fixed(0.4))
    assert "too many fixed position values: 2 (b0 by j0, b1 by j1) for 1 degree of freedom" in told
    told = refuse(closed=True, j1=fixed(0.3), j2=fixed(0.4))
    assert "too many fixed position values: 2 (" in told and "j1" in told and "j2" in told
    # beyond the reach of a loop
    with pytest.raises(lw.StartError, match=r"the fixed top.angle = 3 contradict each other") as caught:
        _ = lw.loads(FOUR_BAR.replace("elbow: [[turn", "top: [[3")).start
    assert caught.value.parts[-1] == lw.errors.Ref("angle of", "top")


SPACE = """
Dimension: 3
Bodies:
  world: {frames: {o: {at: [], z: [0, 1, 0], x: [1]}}}
  a: {mass: 1, centre: [0.5], inertia: [1, 1, 1], frames: {p: {at: [], z: [0, 1, 0]}, q: {at: [1], z: [0, 0.6, 0.8]}}}
  b: {mass: 1, centre: [0.5], inertia: [0.1, 0.1, 0.1], frames: {p: {at: [], z: [0, 1, 0]}, q: [1]}}
Connections:
  Joints:
    one: {kind: revolute, frames: [world.o, a.p]}
    elbow: {kind: revolute, frames: [a.q, b.p]}
AppliedForces: {Gravity: [0, 0, -9.8]}
ProblemData:
  tend: 0.1
  positions: {elbow: [[0.3, fixed]]}
  velocities: {elbow: [[-2, fixed]]}
"""


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_in_space_too(formalism):
    begin = lw.loads(SPACE).formulated(formalism).simulate(0.001).at(0.0)
    assert float(begin["elbow.angle"]) == pytest.approx(0.3, abs=1e-12)
    assert float(begin["elbow.omega"]) == pytest.approx(-2.0, abs=1e-12)
