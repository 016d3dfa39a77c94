"""Motions as numbers by name and as files: memory within its budget, files whole or not at all, published columns."""

import errno
import math
import os
import tempfile

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations import Contribution
from linkwork.errors import InputError, LinkworkError
from linkwork.native import Chunk
from linkwork.results import Store, read_recording, write_results
from linkwork.results.store import _horner
from linkwork.solve import Options, integrate
from linkwork.symbolic import sqrt
from tools import make_kernel, make_start, make_system


@pytest.fixture(scope="module")
def motion(load_example):
    return load_example("andrews").simulate(0.01, tol=1e-9)


@pytest.fixture(scope="module")
def swing(load_example):
    return load_example("mechanism1a").simulate(1.0, tol=1e-9)


# -- values by name --------------------------------------------------------------------------------------------------


def test_a_point_is_its_two_coordinates(motion):
    assert motion["E"].shape == (len(motion.t), 2)
    assert np.array_equal(motion["E"][:, 1], motion["Ey"])
    assert np.array_equal(motion.velocity("E")[:, 0], motion.velocity("Ex"))
    assert motion["OF"].shape == motion.t.shape
    assert motion.at(0.005)["E"].shape == (2,)
    assert motion.at([0.001, 0.002, 0.003])["E"].shape == (3, 2)
    assert motion.at([0.001, 0.002, 0.003])["OF"].shape == (3,)


def test_a_fixed_point_stays_where_it_is(motion):
    assert np.array_equal(motion["A"], np.broadcast_to([-0.06934, -0.00227], (len(motion.t), 2)))
    assert not motion.velocity("A").any()
    assert motion.at(0.002)["A"] == pytest.approx([-0.06934, -0.00227])


def test_velocities_and_accelerations_are_derivatives(swing):
    t, h = 0.4, 1e-5
    before, now, after = (swing.at(t + s) for s in (-h, 0, h))
    np.testing.assert_allclose((after["E"] - before["E"]) / (2 * h), now.velocity("E"), rtol=1e-7)
    np.testing.assert_allclose((after.velocity("E") - before.velocity("E")) / (2 * h), now.acceleration("E"), rtol=1e-6)
    for name in ("q", "u", "a", "lam"):
        np.testing.assert_allclose(getattr(swing.at(swing.t[3]), name), getattr(swing, name)[3], rtol=1e-9, atol=1e-9)


@pytest.fixture(scope="module")
def thrown():
    """Two coordinates with points; the name of one component is that of a coordinate."""
    points = {"P": ("x", "2*x + y**2"), "Q": ("x", "y", "x*y"), "O": (0, 1)}
    start = {"x": 1, "x'": 2, "Qy": 3, "y": 0.5, "y'": 1}
    return lw.lagrangian("x y Qy", "(x'**2 + y'**2 + Qy'**2)/2 - 9.81*y", points=points, start=start).simulate(1)


def test_components_of_the_points_of_a_lagrangian(thrown):
    for of in (thrown, thrown.at([0.2, 0.7]), thrown.at(0.3)):
        for i, axis in enumerate("xy"):
            assert np.array_equal(of[f"P{axis}"], of["P"][..., i])
            assert np.array_equal(of.velocity(f"P{axis}"), of.velocity("P")[..., i])
            assert np.array_equal(of.acceleration(f"P{axis}"), of.acceleration("P")[..., i])
    assert np.array_equal(thrown["Qy"], thrown.q[:, 2])
    assert np.array_equal(thrown["Qz"], thrown["x"] * thrown["y"])
    with pytest.raises(LinkworkError, match="no point, angle or coordinate named 'Pz'"):
        thrown["Pz"]


def test_points_of_a_lagrangian_are_columns_behind_its_coordinates(thrown, tmp_path):
    head, rows = read_csv(write_results(thrown, tmp_path / "a.csv"))
    names = ["x", "y", "Qy", "Px", "Py", "Qx", "Qz", "Ox", "Oy"]
    assert head == ["t", *(f"{name}{prime}" for name in names for prime in ("", "'")), "T", "V"]
    column = dict(zip(head, rows.T, strict=True))
    np.testing.assert_allclose(column["Py"], 2 * column["x"] + column["y"] ** 2, rtol=1e-14)
    np.testing.assert_allclose(column["Py'"], 2 * column["x'"] + 2 * column["y"] * column["y'"], rtol=1e-14)
    head, _ = read_csv(write_results(thrown, tmp_path / "b.csv", columns={"P": 2, "x": 1}))
    assert head == ["t", "Px", "Px'", "Py", "Py'", "x", "T", "V"]


def test_energies_and_residuals_can_be_read(thrown):
    assert repr(thrown.at(0.0).energy) == "Energy [J]: kinetic 2.5, potential 4.905, total 7.405"
    assert repr(thrown.energy).startswith(f"Energy [J] at {len(thrown.t)} times, at the last: kinetic ")
    assert repr(thrown.residuals).startswith("Residuals (relative): position 0.0e+00, velocity")


def test_an_unknown_name_is_an_error_with_a_suggestion(motion):
    with pytest.raises(LinkworkError, match=r"no point, angle or coordinate named 'OE'\. Did you mean"):
        motion["OE"]
    with pytest.raises(LinkworkError, match="no constraint named"):
        motion.final.multiplier("nothing")


def test_multipliers_are_found_by_the_name_of_their_constraint(motion):
    for i, name in enumerate(motion.system.constraints):
        assert motion.final.multiplier(name) == motion.final.lam[i]


@pytest.mark.parametrize("t", [-1e-6, 0.0101, math.nan, math.inf])
def test_a_time_outside_the_motion_is_an_error(motion, t):
    with pytest.raises(LinkworkError, match="outside the motion"):
        motion.at(t)


def test_the_ends_of_the_motion_are_inside(motion):
    assert np.array_equal(motion.at(0.0).q, motion.q[0])
    assert np.array_equal(motion.at(0.01).q, motion.final.q)
    assert motion.at(motion.t[-1])["OF"] == motion.final["OF"]


def test_a_run_of_no_time_is_the_start(load_example):
    motion = load_example("mechanism1a").simulate(0.0)
    assert len(motion.t) == 1
    np.testing.assert_allclose(motion.at(0.0).q, load_example("mechanism1a").start.q, rtol=0, atol=1e-15)
    assert motion.energy.drift == 0.0
    assert motion.table()["t"].tolist() == [0.0]


def test_the_run_says_why_it_ended(load_example):
    assembly = load_example("mechanism1a")
    assert assembly.simulate(0.5).outcome == "reached t = 0.5"
    short = assembly.simulate(100.0, max_steps=7)
    assert short.stats.steps == 7
    assert short.outcome.startswith(f"stopped at t = {short.final.t:g}")
    assert "after 7 steps, the most that were allowed" in short.outcome
    assert short.at(short.final.t / 2)["C"] == pytest.approx(
        assembly.simulate(1.0).at(short.final.t / 2)["C"], abs=1e-8
    )


def test_progress_is_told(load_example):
    told = []
    load_example("mechanism1a").simulate(1.0, progress=told.append)
    assert told[-1] == 1.0


@pytest.mark.parametrize("until", [math.nan, math.inf, -1.0])
def test_an_impossible_end_is_an_error(load_example, until):
    with pytest.raises(InputError, match="cannot simulate until"):
        load_example("mechanism1a").simulate(until)


@pytest.mark.parametrize(
    "options", [{"tol": 0.0}, {"tol": -1.0}, {"tol": math.nan}, {"tol": 1.0}, {"order": 1}, {"order": 1000},
                {"max_step": 0.0}, {"max_step": -1.0}, {"max_step": math.nan}]
)  # fmt: skip
def test_impossible_options_are_errors(load_example, options):
    with pytest.raises(InputError):
        load_example("mechanism1a").simulate(1.0, **options)


def test_no_step_is_longer_than_the_largest_allowed(load_example):
    motion = load_example("mechanism1a").simulate(1.0, max_step=0.01)
    assert np.max(np.diff(motion.t)) <= 0.01 * (1 + 1e-12)


def test_a_coordinate_without_inertia_is_named():
    mechanism = lw.Mechanism(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", 1)], gravity=(0, -10),
        start=lw.InitialValues(positions={"A": (1, 0), "B": (2, 0.1)}),
    )  # fmt: skip
    for compiled in (None, False):
        with pytest.raises(InputError, match=r"part 'AB'.* 'B[xy]' can move without moving any mass"):
            lw.Model(mechanism).simulate(1.0, compiled=compiled)


def test_a_failed_run_carries_what_was_computed():
    # V = sqrt(x) pulls ever harder towards x = 0, where the force has no value
    well = make_kernel(
        "root_well", "x", "", lambda q, u, p: Contribution(kinetic=u.x**2 / 2, potential={"V": sqrt(q.x)})
    )
    for compiled in (None, False):
        with pytest.raises(lw.SolveError) as caught:
            integrate(make_system((well, [0], []), n=1), make_start([1.0], [0.0]), 10.0, Options(compiled=compiled))
        part = caught.value.motion
        # ẋ² = 2 (1 − √x) gives t = ∫ dx / ẋ = 4 √2 / 3
        assert part.final.t == pytest.approx(4 * math.sqrt(2) / 3, abs=1e-3)
        assert part.energy.drift < 1e-3  # the last steps are taken where digits are already lost
        assert part.outcome.startswith("stopped at t = 1.88")
        assert part.at(1.0).q.shape == (1,)


def test_a_spring_pulled_straight_through_its_end_stops_where_the_force_jumps_or_passes_rightly():
    # the force turns round at once where the spring has no length, and from there the motion is its mirror image
    mechanism = lw.Mechanism(
        fixed={"O": ()}, particles=[lw.Particle(point="A", mass=1)],
        springs=[lw.Spring(name="OA", stiffness=10, rest_length=0.5)],
        start=lw.InitialValues(positions={"A": (1.5, 0)}),
    )  # fmt: skip
    for compiled in (None, False):
        try:
            motion = lw.Model(mechanism).simulate(3.0, tol=1e-10, compiled=compiled)
        except lw.SolveError as caught:
            assert "a force jumps there (spring OA)" in str(caught)
            part = caught.motion
            assert part.final["A"] == pytest.approx([0, 0], abs=1e-4)
            assert part.energy.drift < 1e-4  # the last step kept may reach across the jump
        else:
            quarter = 2 * math.pi / 3 / math.sqrt(10)  # 1.5 to 0
            turned = motion.t % (4 * quarter)
            since = np.minimum(turned % (2 * quarter), 2 * quarter - turned % (2 * quarter))
            side = np.where((turned > quarter) & (turned < 3 * quarter), -1, 1)
            exact = side * (0.5 + np.cos(math.sqrt(10) * since))
            np.testing.assert_allclose(motion["A"][:, 0], exact, atol=1e-8)


def test_a_spring_without_rest_length_swings_through_its_end():
    mechanism = lw.Mechanism(
        fixed={"O": ()}, particles=[lw.Particle(point="A", mass=1)],
        springs=[lw.Spring(name="OA", stiffness=10, rest_length=0)],
        start=lw.InitialValues(positions={"A": (1.5, 0)}),
    )  # fmt: skip
    motion = lw.Model(mechanism).simulate(10.0, tol=1e-12)
    np.testing.assert_allclose(motion["A"][:, 0], 1.5 * np.cos(math.sqrt(10) * motion.t), atol=1e-10)


# -- memory ----------------------------------------------------------------------------------------------------------


def test_a_small_budget_goes_to_disk_and_gives_the_same_motion(load_example, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assembly = load_example("mechanism1a")
    here, there = assembly.simulate(3.0), assembly.simulate(3.0, memory=0)
    assert there.store.on_disk and not here.store.on_disk
    assert not list(tmp_path.iterdir())  # a file without a name, which a killed program cannot leave behind
    t = np.linspace(0, 3, 50)
    assert np.array_equal(here.at(t).q, there.at(t).q)
    assert np.array_equal(here.at(t).lam, there.at(t).lam)
    assert np.array_equal(here.lam, there.lam)
    assert here.energy.drift == there.energy.drift


def random_chunk(rng, t, steps, order=6, n=3, m=2):
    places = rng.permutation(n + m)
    return Chunk(
        t=t + np.arange(steps), h=np.ones(steps), series=rng.normal(size=(steps, order + 1, n + m)),
        coordinate=places[:n], multiplier=places[n:],
    )  # fmt: skip


@pytest.mark.parametrize("where", [(tempfile, "TemporaryFile"), (np, "memmap")])
def test_a_full_disk_ends_a_run_in_words_and_keeps_what_was_computed(load_example, monkeypatch, where):
    whole = load_example("andrews").simulate()

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*where, full)
    with pytest.raises(lw.SolveError, match=r"stopped at t = .*cannot be kept in .*: No space left.* TMPDIR") as caught:
        load_example("andrews").simulate(memory=0)
    motion = caught.value.motion
    assert len(motion.t) > 1
    np.testing.assert_allclose(motion.final.q, whole.at(float(motion.final.t)).q, rtol=1e-9, atol=1e-9)


def test_a_store_evaluates_chunks_in_memory_and_on_disk_alike():
    rng = np.random.default_rng(1)
    chunks = [random_chunk(rng, t, n) for t, n in ((0.0, 4), (4.0, 1), (5.0, 7))]
    roomy, tight, half = Store(), Store(0), Store(chunks[0].series.nbytes)
    for store in (roomy, tight, half):
        for chunk in chunks:
            store.append(chunk)
    assert half.on_disk and half.bytes > 0
    steps, dt = rng.integers(0, 12, 40), rng.uniform(0, 1, 40)
    for store in (tight, half):
        for one, other in zip(store.evaluate(steps, dt), roomy.evaluate(steps, dt), strict=True):
            assert np.array_equal(one, other)
        assert np.array_equal(store.t, np.arange(12.0))


def test_many_small_chunks_are_few_and_give_what_each_of_them_gives():
    rng = np.random.default_rng(3)
    places = rng.permutation(5)
    chunks = [
        Chunk(t=2.0 * i + np.arange(2), h=np.ones(2), series=rng.normal(size=(2, 7, 5)),
              coordinate=places[:3], multiplier=places[3:])
        for i in range(500)
    ]  # fmt: skip
    store = Store()
    for chunk in chunks:
        store.append(chunk)
    assert len(store.chunks) < 20
    assert store.count == 1000 and np.array_equal(store.t, np.arange(1000.0)) and np.all(store.h == 1)
    steps, dt = rng.integers(0, 1000, 60), rng.uniform(0, 1, 60)
    found = store.evaluate(steps, dt)
    for k, (step, x) in enumerate(zip(steps, dt, strict=True)):
        alone = Store()
        alone.append(chunks[step // 2])
        wanted = alone.evaluate(np.array([step % 2]), np.array([x]))
        assert all(np.array_equal(one[k], other[0]) for one, other in zip(found, wanted, strict=True))
    store.cut(700.5)
    assert store.count == 701 and store.h[-1] == 0.5 and store.h[-2] == 1
    store.drop_last()
    assert store.count == 700 and store.t[-1] == 699


def test_polynomials_and_their_derivatives_are_those_of_numpy():
    rng = np.random.default_rng(2)
    c, x = rng.normal(size=(8, 5, 3)), rng.uniform(-1, 1, (5, 3))
    p, dp, ddp = _horner(c, x)
    for i in range(5):
        for j in range(3):
            poly = np.polynomial.Polynomial(c[:, i, j])
            wanted = [poly(x[i, j]), poly.deriv()(x[i, j]), poly.deriv(2)(x[i, j])]
            np.testing.assert_allclose([p[i, j], dp[i, j], ddp[i, j]], wanted, rtol=1e-12, atol=1e-12)


# -- files -----------------------------------------------------------------------------------------------------------


def read_csv(path):
    head, *rows = path.read_text().splitlines()
    return head.split(","), np.array([[float(x) for x in row.split(",")] for row in rows])


def test_csv_has_the_columns_of_the_paper(swing, tmp_path):
    head, rows = read_csv(write_results(swing, tmp_path / "a.csv"))
    names = [f"{point}{axis}{mark}" for point in "CDEF" for axis in "xy" for mark in ("", "'")]
    assert head == ["t", *names, "T", "V"]
    assert np.array_equal(rows[:, 0], swing.t)
    assert np.array_equal(rows[:, 1], swing["C"][:, 0])
    assert np.array_equal(rows[:, 4], swing.velocity("C")[:, 1])
    np.testing.assert_allclose(rows[:, -1] + rows[:, -2], swing.energy.total, rtol=1e-14)


def test_csv_at_chosen_times_and_of_chosen_columns(motion, tmp_path):
    times = np.linspace(0, 0.01, 5)
    head, rows = read_csv(
        write_results(motion, tmp_path / "a.csv", times=times, columns={"D": 2, "OF": 1, "E": 3}, value_format="%.3e")
    )
    assert head == ["t", "Dx", "Dx'", "Dy", "Dy'", "OF", "Ex", "Ex'", "Ex''", "Ey", "Ey'", "Ey''", "T", "V"]
    np.testing.assert_allclose(rows[:, 5], motion.at(times)["OF"], rtol=1e-3)
    assert np.array_equal(rows[:, 0], times)


def test_npz_gives_back_every_number_and_name(motion, tmp_path):
    path = write_results(motion, tmp_path / "a.npz")
    with np.load(path, allow_pickle=False) as found:
        for name in ("t", "q", "u", "a", "lam"):
            assert np.array_equal(found[name], getattr(motion, name))
        assert tuple(found["coordinates"]) == motion.system.coordinates
        assert tuple(found["constraints"]) == motion.system.constraints
        assert np.array_equal(found["T"], motion.energy.kinetic)
        assert str(found["outcome"]) == motion.outcome
        assert str(found["title"]) == "Andrews Squeezing Mechanism"


@pytest.mark.parametrize("name", ["a.txt", "a", "a.csv.gz", "a.CSV "])
def test_another_ending_is_refused(motion, tmp_path, name):
    with pytest.raises(LinkworkError, match=r"must end in \.csv, \.npz, \.parquet, \.mat or \.xlsx"):
        write_results(motion, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text",
    ["%s", "%d", "%.17e%s", "%n", "{0}", "%(t)s", "%*d", "%.17e\n", "hello", "%99999.1e", "%.999e", "%.17e,%.17e"],
)
def test_a_format_of_anything_but_one_number_is_refused(motion, tmp_path, text):
    with pytest.raises(LinkworkError, match="number format"):
        write_results(motion, tmp_path / "a.csv", value_format=text)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["%.17e", "% .17e", "%+.3f", "%-12.6g", "%E"])
def test_a_format_of_one_number_is_taken(swing, tmp_path, text):
    path = write_results(swing, tmp_path / "a.csv", time_format=text, value_format=text)
    assert path.read_text().splitlines()[1].startswith(text % 0.0)


def test_a_file_that_fails_half_way_leaves_the_old_one(swing, tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    path.write_bytes(b"old")

    def fail(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(LinkworkError, match="No space left"):
        write_results(swing, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_the_way_is_an_error_in_words(swing, tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(LinkworkError, match="cannot write"):
        write_results(swing, tmp_path / "a.csv")
    (tmp_path / "file").write_text("")
    with pytest.raises(LinkworkError, match="cannot write"):
        write_results(swing, tmp_path / "file" / "a.csv")


def test_no_folder_is_made_by_itself(swing, tmp_path):
    with pytest.raises(LinkworkError, match=r"there is no folder '.*new'. Make it first"):
        write_results(swing, tmp_path / "new" / "a.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", [3, None, b"a.csv", ["a.csv"]])
def test_what_is_no_file_name_is_an_error_in_words(swing, path):
    with pytest.raises(LinkworkError, match="is no file name"):
        write_results(swing, path)
    with pytest.raises(LinkworkError, match="is no file name"):
        read_recording(path)


def test_progress_that_cannot_be_called_is_an_error_in_words(load_example):
    with pytest.raises(InputError, match=r"progress: 5 cannot be called\. Give a function"):
        load_example("four-bar").simulate(0.1, progress=5)


def test_a_file_gets_the_rights_of_any_new_file(swing, tmp_path):
    before = os.umask(0o027)
    try:
        path = write_results(swing, tmp_path / "a.csv")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640


def test_constraints_of_what_is_at_rest_are_not_judged_against_rounding():
    still = lw.lagrangian("x y", "x'**2/2 + y'**2/2 - y", velocity_constraints=["y'*(1e-9 - 7/3)"], start={"y": 1})
    motion = still.simulate(0.2)
    assert motion.residuals.velocity < 1e-3
    assert motion.residuals.acceleration < 1e-3
