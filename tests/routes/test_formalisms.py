"""Two formalisms, one motion: every example and random mechanisms in points and in absolute coordinates agree."""

import numpy as np
import pytest

import linkwork as lw
from conftest import ROOT
from formalisms import EXAMPLES, SPANS, assert_one_motion, both
from jointed import jointed_bodies, rough_bodies
from mechanisms import random_mechanism, rough_mechanism

BATCH = 10
# some are refused in words: only with more of each there are two hundred that move
BATCHES = [*range(6), *(pytest.param(batch, marks=pytest.mark.long) for batch in range(6, 20))]


# -- motions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_moves_alike_in_points_and_absolute_coordinates(name):
    mechanism = lw.load(ROOT / "examples" / name).mechanism
    until = mechanism.compute(mechanism.start.tend)
    _, one, other = both(mechanism, min(until, SPANS.get(name, np.inf)))
    assert_one_motion(one, other, name)
    assert [event.name for event in one.events] == [event.name for event in other.events]
    np.testing.assert_allclose([e.t for e in one.events], [e.t for e in other.events], atol=1e-9 * until)


def agree_all(make, seeds):
    """All that move do so alike; what is refused in points is refused here, for the same reason."""
    moved = 0
    for seed in seeds:
        mechanism = make(seed)
        try:
            absolute, one, other = both(mechanism, 0.15)
        except (lw.InputError, lw.StartError, lw.SolveError) as error:
            with pytest.raises(type(error)):
                both(mechanism, 0.15)
            continue
        assert_one_motion(one, other, f"seed {seed}")
        moved += absolute is not None
    return moved


@pytest.mark.parametrize("batch", BATCHES)
def test_random_mechanisms_move_alike_in_points_and_absolute_coordinates(batch):
    assert agree_all(random_mechanism, range(BATCH * batch, BATCH * (batch + 1))) >= BATCH / 3


@pytest.mark.parametrize("batch", BATCHES)
def test_random_bodies_joined_by_all_kinds_move_alike_in_both(batch):
    assert agree_all(jointed_bodies, range(BATCH * batch, BATCH * (batch + 1))) == BATCH


@pytest.mark.parametrize("batch", range(2))
def test_laws_of_reactions_and_accelerations_move_random_mechanisms_alike_in_both(batch):
    for make, least in ((rough_mechanism, 2), (rough_bodies, 8)):
        assert agree_all(make, range(8 * batch, 8 * (batch + 1))) >= least


def test_values_in_laws_are_the_same_in_both_and_the_audit_finds_them_again():
    for mechanism in (rough_bodies(5), rough_bodies(2), rough_mechanism(5), rough_mechanism(10)):
        absolute, one, other = both(mechanism, 0.1)
        assert absolute is not None and mechanism.algebra
        assert other.audit().ok, other.audit().text()
        for name in mechanism.algebra:
            size = max(1.0, float(np.max(np.abs(one[name]))))
            np.testing.assert_allclose(one.at(0.07)[name], other.at(0.07)[name], atol=1e-8 * size)


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree", "auto"])
def test_reactions_at_points_that_parts_share_twice_are_refused_in_words(formulation):
    """Two bars that share both points pull at both as they like."""
    bars = [lw.Rigid.rod("AB", 1, 1), lw.Rigid.rod("BA", 1, 1, points=("B", "A"))]
    model = lw.Model(
        lw.Mechanism(
            rigids=bars,
            gravity=(0, -9.81),
            forces=[lw.Force(point="A", components=("-AB.A.fx", 0))],
            start=lw.InitialValues(positions={"A": (0, 0), "B": (1, 0)}),
        )
    )
    with pytest.raises(lw.InputError, match=r"law of AB\.A\.fx: AB and BA share A and B: .* along AB is open"):
        model.formulated(formulation).simulate(0.1)


def hinged(law="sqrt(OQA.O.fx**2 + OQA.O.fy**2 + 0.1)"):
    """A body that two fixed points make a hinge of, with friction by what they carry across; another one on it."""
    turning = (1, 1, 1)
    plate = lw.Rigid(name="OQA", geometry=[(), (1,), (0.5, 1)], centroid=(0.5, 0.6, 0), mass=2, inertia=turning)
    blade = lw.Rigid(name="ABC", geometry=[(), (0.8,), (0, 0.5)], centroid=(0.3, 0.1, 0), mass=1, inertia=turning)
    return lw.Mechanism(
        dimension=3,
        parameters={"mu": 0.05},
        fixed={"O": (), "Q": (0, 0, 1)},
        rigids=[plate, blade],
        gravity=(0, -9.81, 0),
        efforts=[
            lw.Effort(on="OQA.wz", value=f"-mu*{law}*tanh(OQA.wz)"),
            lw.Effort(on="ABC.wx", value="0.2 - 0.03*ABC.A.force*tanh(ABC.wx)"),
        ],
        forces=[lw.Force(point="C", components=("-0.01*OQA.Q.fx", "-0.02*ABC.A.fy", 0))],
        start=lw.InitialValues(tend=0.5, positions={"A": (1, 0, 0.5), "B": (1.8, 0, 0.5), "C": (1, 0.5, 0.5)}),
    )


def test_reactions_across_a_hinge_of_two_fixed_points_are_the_same_in_all():
    model = lw.Model(hinged())
    one, *others = (model.formulated(f).simulate(0.3, tol=1e-11) for f in ("points", "absolute", "tree"))
    for other in others:
        for name in model.mechanism.algebra:
            assert float(other.final[name]) == pytest.approx(float(one.final[name]), abs=1e-8)
        assert other.audit().ok, other.audit().text()
    # what carries both bodies: their momentum changes by it and their weight
    t, h = 0.15, 1e-4
    momentum = [_momentum(one.at(s)) for s in (t - h, t + h)]
    carried = float(one.at(t)["OQA.O.fx"] + one.at(t)["OQA.Q.fx"])
    push = -0.01 * float(one.at(t)["OQA.Q.fx"])
    assert carried + push == pytest.approx((momentum[1] - momentum[0]) / (2 * h), rel=1e-5)


def _momentum(at):
    """The momentum of both bodies along x."""
    va, vb, vc = (np.array([float(at[f"{p}.v{k}"]) for k in "xyz"]) for p in "ABC")
    # O and Q stand still: the mass centre of the plate is 0.6 of the way to A
    return 2 * 0.6 * va[0] + (va + 0.3 / 0.8 * (vb - va) + 0.1 / 0.5 * (vc - va))[0]


def test_what_pulls_along_a_hinge_of_two_fixed_points_is_refused_in_words():
    model = lw.Model(hinged("OQA.O.force"))
    with pytest.raises(
        lw.InputError, match=r"law of OQA\.O\.fz: OQA and the ground share O and Q: .* along OQ is open"
    ):
        model.simulate(0.1)


# -- forces ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 200))])
def test_reactions_that_are_unique_agree(seed):
    _, one, other = both(jointed_bodies(seed), 0.1)
    if one.stats.redundant:
        return  # forces of redundant joints are not unique
    size = np.max(np.abs(one.lam)) if one.system.m else 0.0
    for joint in one.system.chart.joints:
        for mine, theirs in zip(one.wrench(joint), other.wrench(joint, t=one.t), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-8 * max(1.0, size))


def test_multipliers_that_a_run_does_not_make_balance_the_forces():
    from linkwork.native.numbers import compute_residual

    _, _, motion = both(lw.load(ROOT / "examples" / "andrews.yaml").mechanism, 0.01)
    state = motion.at(np.linspace(0.001, 0.009, 5))
    assert np.isnan(state._lam).any() and np.isfinite(state.lam).all()
    r = compute_residual(motion.system, state.q.T, state.u.T, state.a.T, state.lam.T, state.t)
    forces = compute_residual(motion.system, state.q.T, state.u.T, 0 * state.a.T, 0 * state.lam.T, state.t)
    assert np.max(np.abs(r)) < 1e-9 * np.max(np.abs(forces))


def test_drivers_need_the_same_force_in_both():
    mechanism = lw.load(ROOT / "examples" / "driven-crank-with-damper.yaml").mechanism
    _, one, other = both(mechanism, 1.0)
    targets = [motion.target for motion in mechanism.motions]
    t = np.linspace(0, 1, 20)
    for target in targets:
        name = f"motion_{target}"
        mine, theirs = one.at(t).multiplier(name), other.at(t)._lam[:, one.system.constraints.index(name)]
        np.testing.assert_allclose(mine, theirs, atol=1e-8 * np.max(np.abs(mine)))


def test_andrews_of_bodies_has_the_published_coordinates_turn_and_joint_forces():
    # checklist of the second paper: 21 coordinates, 20 equations; forces [N] of O on OF, OF on FE, FE on BED, B on BED
    model = lw.load(ROOT / "examples" / "andrews-bodies.yaml")
    assert (model.absolute.system.n, model.absolute.system.m) == (21, 20)
    motion = model.simulate()
    assert float(motion.final["k1.angle"]) == pytest.approx(15.81077119515, abs=1e-10)
    known = {"O": (98.6150, -5.3441), "F": (98.5801, -5.9090), "E2": (98.5669, -6.1227), "B": (-45.5758, 107.1190)}
    for joint in model.system.chart.joints:
        force = motion.wrench(joint)[0][0]
        # at the dead centre the joints of the other four carry nothing
        np.testing.assert_allclose(force, known.get(joint, (0, 0)), atol=6e-5)
    energy = motion.energy.total - motion.energy.supplied
    assert np.ptp(energy) < 1e-12 * np.max(motion.energy.kinetic)


def test_a_translational_joint_passes_zero_travel_smoothly_in_both():
    mechanism = lw.Mechanism(
        bodies=[
            lw.Body("slider", mass=1, centre=(0.1, 0.05), inertia=0.1, frames={"f": lw.Frame((0.2, 0.1), angle=0.3)}),
            lw.Body("world", frames={"rail": lw.Frame((0.1, 0.2), angle=0.5)}),
        ],
        joints=[lw.Joint(name="guide", kind="translational", frames=("world.rail", "slider.f"))],
        gravity=(0, -9.81),
        start=lw.InitialValues(positions={"slider.f": (0.6, 0.47)}, velocities={"slider.f": (0.3, 0.1)}),
    )
    _, one, other = both(mechanism, 1.0)
    assert_one_motion(one, other, "slider")
    travel = one["guide.travel"]
    assert travel[0] > 0.1 and travel[-1] < -0.1
    # along the rail gravity alone acts
    np.testing.assert_allclose(
        travel, travel[0] + one.t * one["guide.speed"][0] - 9.81 / 2 * np.sin(0.5) * one.t**2, atol=1e-11
    )
    across = 9.81 * np.cos(0.5) * np.array([-np.sin(0.5), np.cos(0.5)])
    for motion in (one, other):
        np.testing.assert_allclose(
            motion.wrench("guide", on="slider")[0], np.tile(across, (len(motion.t), 1)), atol=1e-9
        )


def test_a_redundant_parallelogram_moves_alike_with_reactions_of_least_norm():
    _, one, other = both(lw.load(ROOT / "examples" / "parallelogram.yaml").mechanism, 1.0)
    assert one.stats.redundant == other.stats.redundant == 1
    t = np.linspace(0, 1, 10)
    mine, theirs = one.at(t).lam, other.at(t).lam
    np.testing.assert_allclose(mine, theirs, atol=1e-9 * np.max(np.abs(mine)))


# -- the machine -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["four-bar.yaml", "mult-pend-uj.yaml"])
def test_compiled_and_interpreted_poses_move_alike(name):
    model = lw.load(ROOT / "examples" / name).formulated("absolute")
    one, other = model.simulate(0.3, tol=1e-10), model.simulate(0.3, tol=1e-10, compiled=False)
    assert one.stats.compiled and not other.stats.compiled
    np.testing.assert_allclose(one.final.q, other.final.q, atol=1e-10)


def test_poses_of_a_start_give_back_its_points():
    for name in ("andrews.yaml", "bricard.yaml", "sarrus.yaml"):
        model = lw.load(ROOT / "examples" / name).formulated("absolute")
        start, absolute = model.start, model.absolute
        x, v = absolute.place(start.q, start.u)
        np.testing.assert_allclose(absolute.A @ x + absolute.offset, start.q, atol=1e-12)
        R = x[absolute.parts.followers]
        assert R.shape[1] in (2, 9)
        norms = np.sum(R**2, axis=1)
        np.testing.assert_allclose(norms, 1.0 if R.shape[1] == 2 else 3.0, atol=1e-13)
        assert v.shape == (absolute.system.n,)


def test_other_values_are_bound_and_not_formulated_again():
    model = lw.load(ROOT / "examples" / "andrews.yaml").formulated("absolute")
    model.simulate(0.001)
    changed = model.with_parameters(mom=0.04)
    assert changed.formulation.name == "absolute"
    assert changed.absolute.system.shared is model.absolute.system.shared
    fresh = lw.Model(changed.mechanism).formulated("absolute")
    np.testing.assert_array_equal(changed.simulate(0.01).final.q, fresh.simulate(0.01).final.q)


# -- the choice --------------------------------------------------------------------------------------------------------


def test_a_formulation_that_there_is_not_is_refused_in_words():
    model = lw.load(ROOT / "examples" / "four-bar.yaml")
    with pytest.raises(lw.InputError, match=r"'absolut' is no formulation\. Did you mean 'absolute'\?"):
        model.formulated("absolut")


def test_a_file_says_its_formulation_and_a_command_overrules_it(command, tmp_path):
    text = (ROOT / "examples" / "four-bar.yaml").read_text(encoding="utf-8")
    file = tmp_path / "bar.yaml"
    file.write_text(f"Formulation: absolute\n{text}", encoding="utf-8")
    assert str(lw.load(file).formulation) == "absolute: as asked, 3 bodies by their poses"
    assert lw.load(file).formulated("points").formulation.name == "points"
    out = tmp_path / "bar.csv"
    assert "formulation  absolute: as asked" in command("run", file, "--out", out, "--until", "0.1")[1]
    _, said, _ = command("run", file, "--out", out, "--until", "0.1", "--formulation", "points")
    assert "formulation  points: as asked" in said


def test_parts_without_inertia_stay_in_points():
    model = lw.load(ROOT / "examples" / "mult-pend-fp.yaml").formulated("absolute")
    assert model.absolute is None
    assert str(model.formulation) == "points: no body with inertia of its own"


@pytest.mark.parametrize("formulation", ["points", "absolute"])
def test_a_body_that_can_turn_without_inertia_is_named(formulation):
    thin = lw.Rigid(name="OAU", geometry=[(), (1,), (0, 0.1)], centroid=(0.5,), mass=1, inertia=(0, 0.1, 0.1))
    start = lw.InitialValues(positions={"A": (1, 0, 0), "U": (0, 0.1, 0)})
    model = lw.Model(lw.Mechanism(dimension=3, fixed={"O": ()}, rigids=[thin], gravity=(0, 0, -9.81), start=start))
    with pytest.raises(lw.InputError, match=r"part 'OAU': .* can move without moving any mass"):
        model.formulated(formulation).simulate(1.0)


def test_auto_takes_poses_in_space_and_points_in_the_plane():
    chosen = {
        name: lw.load(ROOT / "examples" / f"{name}.yaml").formulation for name in ("bricard", "four-bar", "chain")
    }
    assert str(chosen["bricard"]) == "absolute: 5 bodies in space"
    assert {chosen["four-bar"].name, chosen["chain"].name} == {"points"}


def test_a_body_of_space_that_a_fixed_point_holds_has_no_coordinates_of_place():
    hinge = {"kind": "revolute", "axes": ((0, 0, 1), (0, 0, 1))}
    inertia = (0.1, 0.2, 0.25, 0.01, 0, 0)
    rigid = lw.Rigid(name="OAU", geometry=[(), (1,), (0, 1)], centroid=(0.4, 0.1, 0.2), mass=2, inertia=inertia)
    shared = lw.Mechanism(
        dimension=3,
        fixed={"O": (0.3, 0.2, -0.1)},
        rigids=[rigid],
        joints=[lw.Joint(name="j", parts=("world", "OAU"), points=("O", "O"), **hinge)],
        gravity=(1, -9.81, 2),
        start=lw.InitialValues(positions={"A": (1.3, 0.2, -0.1)}, velocities={"A": (0, 1, 0)}),
    )
    body = lw.Body("b", mass=2, centre=(0.4, 0.1, 0.2), inertia=inertia, frames={"o": (), "A": (1,)})
    world = lw.Body("world", frames={"p": (0.3, 0.2, -0.1)})
    framed = lw.Mechanism(
        dimension=3,
        bodies=[body, world],
        joints=[lw.Joint(name="j", kind="revolute", frames=("world.p", "b.o"))],
        gravity=(1, -9.81, 2),
        start=lw.InitialValues(positions={"b.A": (1.3, 0.2, -0.1)}, velocities={"b.A": (0, 1, 0)}),
    )
    ends = []
    for mechanism, point in ((shared, "A"), (framed, "b.A")):
        absolute, one, other = both(mechanism, 2.0)
        assert (absolute.system.n, absolute.system.m) == (3, 2)
        assert_one_motion(one, other, point)
        for a, b in zip(one.wrench("j"), other.wrench("j"), strict=True):
            np.testing.assert_allclose(a[0], b[0], atol=1e-9)
        ends.append([float(other.final[f"{point}.{axis}"]) for axis in "xyz"])
    np.testing.assert_allclose(*ends, atol=1e-10)
