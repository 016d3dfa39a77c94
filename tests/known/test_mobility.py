"""Known mobilities: linkages that move against all counting, singular positions, and what people forget."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.analysis.structure.graph import find_graph
from linkwork.analysis.structure.picture import FORMATS
from linkwork.native.numbers import compute_levels, compute_matrices

ROD = "{Geom: [[1]], Dyna: [[1/2], 1]}"


def structure_of(text):
    return lw.loads(text).structure()


# -- linkages that move against all counting ---------------------------------------------------------------------------

# Grübler's count: 3 for a body and 2 for a pin in the plane; 6 for a body and 5 for a hinge in space
KNOWN = {
    "parallelogram": (4 * 3 - 6 * 2, 1),  # a third parallel bar is one length too many
    "bennett": (3 * 6 - 4 * 5, 1),
    "spatial-four-bar": (3 * 6 - 4 * 5, 1),  # parallel axes: a plane linkage, each loop of which wastes 3 equations
    "sarrus": (5 * 6 - 6 * 5, 1),
    "bricard": (5 * 6 - 6 * 5, 1),
    "four-bar": (3 * 3 - 4 * 2, 1),
    "andrews": (7 * 3 - 10 * 2, 1),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_mobilities(load_example, name):
    count, mobility = KNOWN[name]
    structure = load_example(name).structure()
    m = structure.mobility
    assert structure.graph.count == m.count == count
    assert m.freedom == m.motion == mobility
    # what is counted and does not count
    assert sum(group.surplus for group in m.redundant) == sum(group.always for group in m.redundant) == mobility - count
    assert structure.reduced.index == 3 and structure.reduced.degrees_of_freedom == 2 * mobility


def second_order(system, q, t=0.0):
    """ω·g̈ for the left null vectors ω of G and all free velocities, by the singular vectors of G as it is."""
    G = compute_matrices(system, q, t)[1].toarray()
    U, sigma, Vt = np.linalg.svd(G)
    rank = int(np.sum(sigma > 1e-8 * sigma[0]))
    free = Vt[rank:].T
    pairs = [free[:, i] + free[:, j] for i in range(free.shape[1]) for j in range(i + 1)]
    bend = compute_levels(
        system, np.tile(q[:, None], len(pairs)), np.array(pairs).T, np.zeros((len(q), len(pairs))), t
    )[2]
    return float(np.max(np.abs(U[:, rank:].T @ bend), initial=0.0))


@pytest.mark.parametrize("name", ["parallelogram", "bennett", "spatial-four-bar", "sarrus", "bricard"])
def test_what_is_found_to_move_moves_to_second_order(load_example, name):
    """An independent route: a freedom of motion can be continued, so what is redundant stays so along it."""
    assembly = load_example(name)
    assert second_order(assembly.system, assembly.start.q) < 1e-9


def swing(inertia, moment, angle, t):
    """θ(t) of J(θ) θ̈ + ½ J′(θ) θ̇² = moment(θ) from rest, by scipy; inertia gives J and J′."""

    def f(_, y):
        J, dJ = inertia(y[0])
        return [y[1], (moment(y[0]) - dJ * y[1] ** 2 / 2) / J]

    return solve_ivp(f, (0, t[-1]), [angle, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t).y[0]


def test_the_parallelogram_swings_in_spite_of_its_third_bar(load_example):
    # three bars of mass m about their ends, a coupler of mass M that only translates
    a, m, M, g = 0.5, 1.0, 2.0, 9.80665
    t = np.linspace(0, 5, 101)
    J, moment = m * a**2 + M * a**2, (3 * m / 2 + M) * a * g
    theta = swing(lambda _: (J, 0.0), lambda x: -moment * math.cos(x), -math.acos(0.6), t)
    found = load_example("parallelogram").simulate(tol=1e-12).at(t)["A"]
    np.testing.assert_allclose(found, a * np.column_stack([np.cos(theta), np.sin(theta)]), rtol=0, atol=1e-8)


def test_sarrus_leads_his_table_straight_up_and_down(load_example):
    # lower plates turn about their ends; the centroid of an upper one is at (a/2 cos θ, 3a/2 sin θ),
    # the table at 2a sin θ
    a, m, k, l, g = 0.5, 1.0, 200.0, 0.9, 9.80665

    def inertia(x):
        s2 = math.sin(x) ** 2
        upper = m * (a**2 / 4 * s2 + 9 * a**2 / 4 * (1 - s2)) + m * a**2 / 12
        J = 2 * (m * a**2 / 3 + upper) + 3 * m * 4 * a**2 * (1 - s2)
        return J, math.sin(2 * x) * (-4 * m * a**2 - 12 * m * a**2)

    def moment(x):
        stretch = 2 * a * math.sin(x) - l
        return -math.cos(x) * (2 * a * k * stretch + m * g * (2 * a / 2 + 2 * 3 * a / 2 + 3 * 2 * a))

    t = np.linspace(0, 5, 101)
    theta = swing(inertia, moment, 0.8, t)
    state = load_example("sarrus").simulate(tol=1e-12).at(t)
    height = 2 * a * np.sin(theta)
    assert np.ptp(height) > 0.1
    for point, x, y in (("W", 0, 0), ("P", 0, 0.4), ("Q", 0.4, 0)):
        np.testing.assert_allclose(state[point], np.column_stack([x + 0 * t, y + 0 * t, height]), rtol=0, atol=1e-8)


def test_bricards_hinges_stay_at_right_angles_while_it_tumbles(load_example):
    state = load_example("bricard").simulate(tol=1e-12).at(np.linspace(0, 5, 101))
    corners = [np.zeros((101, 3)), *(state[p] for p in "ABCD"), np.tile([0.0, 0.0, 1.0], (101, 1))]
    rods = [(b - a) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
    np.testing.assert_allclose([np.linalg.norm(rod, axis=1) for rod in rods], 1, atol=1e-12)
    # the hinge between two rods is across both of them, and across the next hinge
    hinges = [np.array([[0.0, -1.0, 0.0]]) + 0 * rods[0]]
    for before, rod in itertools.pairwise(rods):
        hinges.append(np.cross(hinges[-1], before))
        np.testing.assert_allclose(np.sum(hinges[-1] * rod, axis=1), 0, atol=1e-11)
    assert np.ptp(state["A"], axis=0).max() > 1


def test_redundant_constraints_are_named():
    words = structure_of(DOOR).as_dict()["redundant"][0]["words"]
    assert (
        words == "joints lower and upper and the shape of BCU repeat each other: 5 of their 11 equations are redundant"
    )


def test_the_parallel_axes_repeat_each_other(load_example):
    (group,) = load_example("spatial-four-bar").structure().as_dict()["redundant"]
    wanted = "the axes of joints crank, near, far and rocker repeat each other: 3 of their 8 equations are redundant"
    assert group["words"] == wanted
    assert len(group["spare"]) == 3 and set(group["spare"]) < set(group["constraints"])


@pytest.mark.parametrize("name", ["parallelogram", "bennett", "spatial-four-bar", "sarrus", "bricard", "cardan-shaft"])
def test_without_the_spare_constraints_the_others_are_independent(load_example, name):
    structure = load_example(name).structure()
    spare = {i for group in structure.mobility.redundant for i in group.spare}
    kept = [i for i in range(structure.system.m) if i not in spare]
    G = compute_matrices(structure.system, structure.q, structure.t)[1].toarray()
    assert np.linalg.matrix_rank(G[kept]) == len(kept) == np.linalg.matrix_rank(G)


def test_the_report_explains_where_structure_and_numbers_differ(load_example):
    text = load_example("parallelogram").structure().text()
    assert "Grübler      4 bodies × 3 - 6 pins × 2 = 0" in text
    assert "Grübler's count is 1 less: it counts 1 redundant constraint" in text
    assert "the structure alone says 0: it cannot see that constraints repeat each other" in text
    assert "the motion is the same without them" in text


# -- positions in which rank is lost -----------------------------------------------------------------------------------

STRETCHED = f"""
PartData:
  Fixed: {{O: [], Q: [2]}}
  Rigids: {{"OA, AQ": {ROD}}}
ProblemData: {{positions: {{A: [1, 0]}}}}
"""

FLAT = f"""
PartData:
  Fixed: {{O: [], Q: [1.5]}}
  Rigids: {{"OA, QB": {ROD}, AB: {{Geom: [[1.5]], Dyna: [[0.75], 1]}}}}
ProblemData: {{positions: {{A: [1, 0], B: [2.5, 0]}}}}
"""


@pytest.mark.parametrize("height", ["0", "0.1"])
def test_a_stretched_pair_of_rods_can_shake_but_not_move(height):
    assembly = lw.loads(STRETCHED.replace("A: [1, 0]", f"A: [1, {height}]"))
    m = assembly.structure().mobility
    assert (m.count, m.freedom, m.motion, m.choices) == (0, 1, 0, ())
    assert [(group.surplus, group.always) for group in m.redundant] == [(1, 0)]
    assert second_order(assembly.system, np.array([1.0, 0.0])) > 0.1
    assert "it can shake but not move" in assembly.structure().text()


def test_a_line_of_rods_at_full_stretch_can_shake_in_many_ways_but_not_move():
    names, places = "PBCDQ", range(5)
    rods = ", ".join(f"{a}{b}" for a, b in itertools.pairwise(names))
    structure = structure_of(f"""
PartData:
  Fixed: {{P: [], Q: [4]}}
  Rigids: {{"{rods}": {ROD}}}
ProblemData: {{positions: {{{", ".join(f"{p}: [{x}]" for p, x in zip(names[1:4], places[1:4], strict=True))}}}}}
""")
    assert (structure.graph.count, structure.mobility.freedom, structure.mobility.motion) == (2, 3, 0)
    assert "Grübler's count is 2 more: it cannot see that the dimensions leave no way to move" in structure.text()


def test_what_can_shake_does_not_count_beside_what_can_move():
    text = STRETCHED.replace("OA, AQ", "OA, AQ, AB").replace("A: [1, 0]", "A: [1, 0], B: [1.6, -0.8]")
    structure = structure_of(text)
    assert (structure.mobility.freedom, structure.mobility.motion) == (2, 1)
    assert structure.still == ("OA", "AQ")
    assert structure.sentence() == "one of Bx, By; the same for velocities"


def test_a_flat_parallelogram_is_in_a_singular_position():
    structure = structure_of(FLAT)
    m = structure.mobility
    assert (m.freedom, m.motion) == (2, 1)
    assert [(group.surplus, group.always) for group in m.redundant] == [(1, 0)]
    text = structure.text()
    assert "2 at this instant, 1 of motion: a singular position" in text
    assert "1 of their 3 equations is redundant, at this position only" in " ".join(text.split())


def test_a_braced_square_is_rigid_and_has_a_redundant_bar():
    structure = structure_of(f"""
PartData:
  Fixed: {{O: [], Q: [1]}}
  Rigids: {{"OA, AB, QB": {ROD}, "OB, QA": {{Geom: [[sqrt(2)]], Dyna: [[sqrt(2)/2], 1]}}}}
ProblemData: {{positions: {{A: [0, 1], B: [1, 1]}}}}
""")
    m = structure.mobility
    assert (m.count, m.freedom, m.motion) == (-1, 0, 0)
    assert [(group.surplus, group.always) for group in m.redundant] == [(1, 1)]
    assert "5 constraints act on 4 coordinates" in structure.text()


# -- which values may be fixed -----------------------------------------------------------------------------------------

CHOOSING = ["andrews", "bennett", "bouncing-ball", "double-pendulum-3d", "four-bar", "gyroscope", "mechanism0",
            "mechanism1b", "mult-pend-uj", "parallelogram", "peaucellier", "sarrus", "skew2pend", "slider-crank",
            "spatial-four-bar"]  # fmt: skip


@pytest.mark.parametrize("name", CHOOSING)
def test_every_choice_within_the_groups_is_admissible(load_example, name):
    """Beside the constraints, the fixed coordinates determine all: G over unit rows has full rank, by brute force."""
    assembly = load_example(name)
    system, m = assembly.system, assembly.structure().mobility
    motion = assembly.simulate(0.003 if name == "andrews" else 1.3, tol=1e-8)
    q, t = motion.final.q, float(motion.final.t)
    G = compute_matrices(system, q, t)[1].toarray() * system.scales
    G /= np.linalg.norm(G, axis=1)[:, None]
    assert sum(choice.count for choice in m.choices) == m.freedom == system.n - np.linalg.matrix_rank(G, tol=1e-9)
    sets = [list(itertools.combinations(choice.names, choice.count)) for choice in m.choices]
    every = math.prod(map(len, sets))
    picks = itertools.product(*sets) if every <= 3000 else random_picks(sets, 300)
    for pick in picks:
        rows = [system.index[name] for names in pick for name in names]
        full = np.vstack([G, np.eye(system.n)[rows]])
        assert np.linalg.svd(full, compute_uv=False)[system.n - 1] > 1e-7, pick


def random_picks(sets, count):
    random = np.random.default_rng(3)
    return [[names[random.integers(len(names))] for names in sets] for _ in range(count)]


@pytest.mark.parametrize("name", ["andrews", "bennett", "four-bar", "peaucellier", "slider-crank", "sarrus"])
def test_with_one_freedom_everything_that_moves_may_be_fixed(load_example, name):
    assembly = load_example(name)
    motion = assembly.simulate(0.003 if name == "andrews" else 1.3, tol=1e-8)
    moves = np.abs(motion.final.u / assembly.system.scales) > 1e-6 * np.max(np.abs(motion.final.u))
    (choice,) = assembly.structure().mobility.choices
    assert choice.names == tuple(np.array(assembly.system.coordinates)[moves])


def test_of_a_point_on_a_sphere_any_two_coordinates_may_be_fixed(load_example):
    sentence = load_example("double-pendulum-3d").structure().sentence()
    assert sentence == "two of Ax, Ay, Az and two of Bx, By, Bz; the same for velocities"


def test_what_stands_still_for_a_moment_is_not_to_be_fixed(load_example):
    """The crank of the four-bar starts upright: A goes sideways."""
    structure = load_example("four-bar").structure()
    assert structure.mobility.resting == ("Ay",)
    assert "but at this position not Ay, which stands still for a moment" in structure.text()


def test_a_driven_mechanism_says_what_it_would_be_without(load_example):
    structure = load_example("pantograph").structure()
    assert (structure.mobility.freedom, structure.mobility.undriven) == (0, 2)
    assert "freedom      0, and 2 if nothing were prescribed" in structure.text()
    assert structure.sentence() == "nothing: every coordinate is determined"


# -- constraints of velocities, systems without parts ------------------------------------------------------------------


def test_a_knife_edge_takes_away_a_velocity_but_no_position():
    sleigh = lw.lagrangian(
        "x y theta", "(x'**2 + y'**2 + theta'**2)/2",
        velocity_constraints={"edge": "cos(theta)*y' - sin(theta)*x'"}, start={"theta": 0.3, "x'": 1},
    )  # fmt: skip
    structure = sleigh.structure()
    m = structure.mobility
    assert (m.freedom, m.velocity_freedom) == (3, 2)
    assert (structure.signature.index, structure.signature.degrees_of_freedom) == (2, 5)
    assert structure.sentence() == "positions: x and y and theta; velocities: one of x, y and theta"
    assert structure.graph is None and "Grübler" not in structure.text()


def test_an_inertia_that_is_not_finite_is_named():
    with pytest.raises(lw.StartError, match="not finite at the start: inertia of y"):
        lw.lagrangian("x y", "x'**2/2 + y'**2/(2*y)", start={"x": 1, "y": 0}).structure().text()


def test_a_coordinate_without_inertia_is_named():
    structure = lw.lagrangian("x z", "x'**2/2 - z", start={"x": 1}).structure()
    assert structure.mobility.weightless == (("z",),)
    assert structure.signature is None and structure.reduced is None
    assert "z can move without moving a mass" in structure.text()


# -- what people forget ------------------------------------------------------------------------------------------------

DOOR = """
Dimension: 3
PartData:
  Fixed: {O: [], Q: [0, 0, 2]}
  Rigids: {BCU: {Geom: [[2], [0.5, 1]], Dyna: [[1, 0.5], 10, [1, 1, 1]]}}
Connections:
  Joints:
    lower: {kind: revolute, parts: [world, BCU], points: [O, B], axes: [[0, 0, 1], [1, 0, 0]]}
    upper: {kind: revolute, parts: [world, BCU], points: [Q, C], axes: [[0, 0, 1], [1, 0, 0]]}
ProblemData: {positions: {C: [0, 0, 2], U: [0.5, 0.9, 0.5]}}
"""

DYAD = f"""
PartData:
  Fixed: {{O: [], Q: [2]}}
  Rigids: {{OA: {ROD}, "AX, XQ": {{Geom: [[1.2]]}}}}
AppliedForces: {{Gravity: }}
ProblemData: {{positions: {{A: [[0, fixed], 1], X: [1, 1]}}}}
"""


def test_a_rod_that_dangles_without_mass_makes_the_motion_undefined():
    dangling = lw.loads(f"""
PartData:
  Fixed: {{O: []}}
  Rigids: {{OA: {ROD}, AB: {{Geom: [[1]]}}}}
AppliedForces: {{Gravity: }}
ProblemData: {{positions: {{A: [1, 0], B: [1.5, 0.8]}}}}
""")
    structure = dangling.structure()
    assert structure.mobility.weightless == (("Bx", "By"),)
    assert structure.idle == ()
    text = structure.text()
    assert str(structure) == text
    assert "undefined    B can move without moving a mass" in text and "masses are missing" in text
    with pytest.raises(lw.InputError, match="can move without moving any mass"):
        dangling.simulate(1.0)


def test_a_dyad_without_mass_and_load_is_idle_and_may_be_taken_away():
    with_it = lw.loads(DYAD)
    assert with_it.structure().idle == ("AX", "XQ")
    alone = lw.loads(DYAD.replace(', "AX, XQ": {Geom: [[1.2]]}', "").replace(", X: [1, 1]", ""))
    assert alone.structure().idle == ()
    t = np.linspace(0, 0.5, 6)
    one, other = (a.simulate(0.5, tol=1e-12).at(t)["A"] for a in (with_it, alone))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_dyad_that_bears_a_load_is_not_idle():
    loaded = DYAD.replace("AppliedForces: {Gravity: }", "AppliedForces: {Gravity: , Forces: {X: [1, 0]}}")
    assert structure_of(loaded).idle == ()


def test_parts_that_cannot_move_are_named():
    structure = structure_of(f"""
PartData:
  Fixed: {{O: [], Q: [1]}}
  Rigids: {{OQT: {{Geom: [[1], [0.5, 0.5]], Dyna: [[0.5, 0.2], 1, 1]}}, TA: {ROD}}}
ProblemData: {{positions: {{A: [0.5, -0.5]}}}}
""")
    assert structure.still == ("OQT",)
    text = structure.text()
    assert "OQT cannot move" in text
    # two pins hold OQT twice: 2 x 3 - 3 pins x 2 = 0, and its length between fixed points is no constraint
    assert structure.graph.count == 0 and structure.mobility.freedom == structure.mobility.count == 1
    assert "Grübler's count is 1 less: it counts 1 constraint between fixed points" in text


def test_a_body_between_two_ball_joints_spins_by_itself():
    structure = structure_of(f"""
Dimension: 3
PartData:
  Fixed: {{O: [], Q: [3]}}
  Rigids: {{OA: {ROD}, QB: {ROD}, ABU: {{Geom: [[2], [0.5, 0.3]], Dyna: [[1], 1, [0.01, 0.3, 0.3]]}}}}
ProblemData: {{positions: {{A: [0.5, 0, 0.9], B: [2.5, 0.1, 0.85]}}}}
""")
    assert structure.spinning == (("ABU", ("A", "B")),)
    assert "ABU turns about the line through A and B by itself" in structure.text()


def test_parts_that_are_not_connected_are_told_apart():
    structure = structure_of(f"""
PartData:
  Fixed: {{O: [], Q: [3]}}
  Rigids: {{"OA, AB, QC, DE": {ROD}}}
  Particles: {{Z: 2}}
  Springs: {{CF: [1, 1, 1]}}
ProblemData: {{positions: {{A: [1], B: [1, 1], C: [3, 1], D: [5], E: [6], Z: [8, 8], F: [3, 3]}}}}
""")
    groups = [(set(group.names), group.attached) for group in structure.groups]
    assert groups == [({"OA", "AB"}, True), ({"QC", "F"}, True), ({"DE"}, False), ({"Z"}, False)]
    text = structure.text()
    assert "4 groups that do not feel each other" in text and "nothing ties DE and Z to a fixed point" in text


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.fixture
def check(command, tmp_path):
    """Run `linkwork check` on a text: exit code, what it printed, what it complained."""

    def run(text, *options):
        path = tmp_path / "mechanism.yaml"
        path.write_text(text, encoding="utf-8")
        return command("check", path, *options)

    return run


def test_the_command_prints_the_report_plain_data_and_a_picture(check, tmp_path):
    pytest.importorskip("matplotlib")
    code, out, _ = check(FLAT, "--picture", tmp_path / "flat.svg")
    assert code == 0 and structure_of(FLAT).text() in out
    assert "<svg" in (tmp_path / "flat.svg").read_text(encoding="utf-8")
    code, out, _ = check(FLAT, "--json")
    assert code == 0 and json.loads(out)["freedom"] == 2


def test_of_what_cannot_be_assembled_the_command_says_what_it_can(check):
    code, out, err = check(STRETCHED.replace("Q: [2]", "Q: [5]"))
    assert code == 2 and "cannot be assembled" in err
    assert "Grübler      2 bodies × 3 - 3 pins × 2 = 0" in out and "index        3 by structure" in out


def test_a_wrong_kind_of_picture_is_bad_input(check):
    code, _, err = check(FLAT, "--picture", "flat.jpg")
    assert code == 2 and "flat.jpg: unknown kind of picture" in err


# -- counting, plain data, pictures ------------------------------------------------------------------------------------


def test_coordinates_minus_constraints_is_what_gruebler_counts(examples, load_example):
    """Two ways of counting: by parts and joints, and by equations; no example has a part between fixed points."""
    for path in sorted(examples.glob("*.yaml")):
        assembly = load_example(path.stem)
        count = int(assembly.system.mechanical.sum()) - assembly.system.m
        assert find_graph(assembly.mechanism).count == count, path.stem


def test_plain_data_is_json_and_documented(examples, load_example):
    page = (examples.parent / "docs" / "structure.md").read_text(encoding="utf-8")
    for name in ("mechanism0", "bennett", "scotch-yoke"):
        data = load_example(name).structure().as_dict()
        assert json.loads(json.dumps(data)) == data
        assert [key for key in data if f"`{key}`" not in page] == []


def test_the_report_on_the_page_is_the_one_that_is_printed(examples, load_example):
    page = (examples.parent / "docs" / "structure.md").read_text(encoding="utf-8")
    assert load_example("parallelogram").structure().text() in page


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_picture_is_written_and_always_the_same(load_example, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    for path in (one, other):
        load_example("slider-crank").structure().draw(path)
    assert one.read_bytes() == other.read_bytes()
    assert one.stat().st_size > 5000


@pytest.mark.parametrize("name", ["bricard", "cardan-shaft", "chain", "driven-crank-with-damper", "mechanism0"])
def test_every_kind_of_part_and_link_can_be_drawn(load_example, tmp_path, name):
    pytest.importorskip("matplotlib")
    load_example(name).structure().draw(tmp_path / "picture.png")


def test_a_system_without_parts_can_be_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    lw.lagrangian("x z", "x'**2/2 - z", start={"x": 1}).structure().draw(tmp_path / "picture.png")


def test_a_picture_without_matplotlib_says_what_to_install(load_example, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(lw.LinkworkError, match=r'pip install "linkwork\[plot\]"'):
        load_example("four-bar").structure().draw(tmp_path / "picture.png")


def test_an_unknown_kind_of_picture_and_a_missing_folder_are_told(load_example, tmp_path):
    with pytest.raises(lw.LinkworkError, match=r"ends in \.png, \.svg, \.pdf"):
        load_example("four-bar").structure().draw(tmp_path / "picture.jpg")
    pytest.importorskip("matplotlib")
    with pytest.raises(lw.LinkworkError, match="cannot write"):
        load_example("four-bar").structure().draw(tmp_path / "nowhere" / "picture.png")


def test_plain_data_calls_coordinates_of_bodies_by_names_that_people_know(load_example):
    data = load_example("bushings").structure().as_dict()
    assert {"car.xx", "car.xy"} <= {*data["coordinates"]} & {*data["energies"]}
    assert not any("._" in name for choice in data["choices"] for name in choice["names"])
