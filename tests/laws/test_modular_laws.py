"""Laws of modular models: labels, complements, orders and nesting of composition, free bodies."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import composed
import linkwork as lw
import pendulums
from linkwork import modular as md
from linkwork.modular.rotations import times
from linkwork.symbolic import ZERO, evaluate, evaluate_all, free_symbols, symbol

LABELS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=4, unique=True)


@st.composite
def matrices(draw, rows=None, columns=None):
    down, across = rows or draw(LABELS), columns or draw(LABELS)
    entry = st.integers(-3, 3)
    return md.Labelled(down, across, [[draw(entry) for _ in across] for _ in down])


def same(X, Y):
    return {*X.rows} == {*Y.rows} and {*X.columns} == {*Y.columns} and X.entries == Y.entries


@given(matrices(), matrices(), matrices())
def test_sums_by_label_commute_and_associate(X, Y, Z):
    assert same(X + Y, Y + X)
    assert same((X + Y) + Z, X + (Y + Z))


@given(
    matrices(columns=["a", "b"]),
    matrices(rows=["b", "a"], columns=["c", "d"]),
    matrices(rows=["a", "b"], columns=["d", "c"]),
    matrices(rows=["d", "c"]),
)
def test_products_by_label_associate_and_distribute_whatever_the_order_of_labels(X, Y, W, Z):
    assert same((X @ Y) @ Z, X @ (Y @ Z))
    assert same((X @ Y).T, Y.T @ X.T)
    assert same(X @ (Y + W), X @ Y + X @ W)


@given(matrices(rows=["r", "s", "t"]))
def test_parts_of_a_matrix_add_up_to_it(X):
    assert same(X[["r"], :] + X[["s", "t"], :], X)


def test_matrices_of_the_paper():
    X = md.Labelled(["r1", "r2"], ["a", "b"], [[1, 2], [3, 4]])
    assert evaluate_all((X + md.Labelled(["r2"], ["b", "c"], [[10, 20]]))["r2", :].array[0], {}) == [3, 14, 20]
    assert float(X["r2", "b"]) == 4
    column = md.Labelled.column({"b": 5, "a": 7})
    assert [float(row[0]) for row in (X @ column).array] == [17, 41]
    with pytest.raises(lw.InputError, match="a, b and r2"):
        X @ md.Labelled(["r2"], ["c"], [[1]])
    x, y = symbol("x", kind="coordinate"), symbol("y", kind="coordinate")
    K, H = md.Labelled.column({"1": 2 + 3 * x - y, "2": x}).coefficients([x, y])
    assert [float(row[0]) for row in K.array] == [2, 0]
    assert [[float(e) for e in row] for row in H.array] == [[3, -1], [1, 0]]
    assert [[str(e) for e in row] for row in md.jacobian([x**2 + y, x * y], [x, y]).array] == [["2*x", "1"], ["y", "x"]]
    C = md.Labelled(["1"], ["x", "y", "z"], [[1, 2, 3]]).complement(["y", "z"])
    assert [[float(e) for e in row] for row in C.array] == [[-2, -3], [1, 0], [0, 1]]
    twice = md.Labelled(["1", "2"], ["x", "y", "z"], [[1, 2, 3], [2, 4, 6]])
    with pytest.raises(lw.InputError, match="follow from others"):
        twice.complement(["y", "z"])
    assert same(twice.complement(["y", "z"], how="least squares"), C)
    coefficients = md.Labelled(["1", "2"], ["1", "2"], [[1 + x, 2], [0, x - y]]).matrix_coefficients([x, y])
    assert [[float(e) for e in row] for row in coefficients["y"].array] == [[0, 0], [0, -1]]
    Z = md.Labelled(["1", "2"], ["u", "v"], [["m", 1], [0, "k"]]).solve(md.Labelled.column({"2": "k", "1": 3}))
    assert [str(row[0]) for row in Z.array] == ["2/m", "1"]
    assert "a" in X.latex
    assert X.plot() is not None


@given(matrices(rows=["1", "2"], columns=["a", "b", "c", "d"]), st.sampled_from(["least squares", "null space"]))
def test_every_complement_is_one(A, how):
    C = A.complement(how="least squares" if how == "null space" else how)
    assert all(float(e) == 0 for row in (A @ C).array for e in row)
    numbers = A.evaluate({})
    assert len(C.columns) == 4 - np.linalg.matrix_rank(numbers)
    assert np.linalg.matrix_rank(C.evaluate({})) == len(C.columns)


@given(matrices(rows=["1", "2", "3"], columns=["a", "b"]), matrices(rows=["1", "2", "3"], columns=["c"]))
def test_least_squares_are_least(J, R):
    X = J.least_squares(R)
    wanted = np.linalg.lstsq(J.evaluate({}), -R.evaluate({}), rcond=None)[0]
    if np.linalg.matrix_rank(J.evaluate({})) == 2:
        np.testing.assert_allclose(X.evaluate({}), wanted, atol=1e-9)


def test_rotations_of_the_paper():
    R = md.rotation("x", "y", "z")(*(symbol(n, kind="coordinate") for n in ("psi", "phi", "theta")))
    values = {"psi": 0.3, "phi": 0.5, "theta": 0.7, "psi'": 1.1, "phi'": 1.3, "theta'": 1.7}
    c, s = np.cos, np.sin
    wanted = [
        1.1 * c(0.5) * c(0.7) + 1.3 * s(0.7),
        1.3 * c(0.7) - 1.1 * c(0.5) * s(0.7),
        1.1 * s(0.5) + 1.7,
    ]
    assert evaluate_all(md.angular_velocity(R), values) == pytest.approx(wanted, abs=1e-14)
    assert md.unskew(md.skew((1, 2, 3))) == tuple(md.rotation("z")(0)[2][2] * k for k in (1, 2, 3))
    with pytest.raises(lw.InputError, match="skew"):
        md.unskew(((0, 1, 0), (1, 0, 0), (0, 0, 0)))
    H = md.homogeneous("Rz", "Tx")("th", "l")
    assert [str(row[3]) for row in H] == ["l*cos(th)", "l*sin(th)", "0", "1"]


def test_a_matrix_is_a_function_of_places():
    H = md.homogeneous("Rz", "Tx", "Ry")("a", "l", "b")
    values = {"a": 0.3, "l": 1.2, "b": 0.7, "x": 0.2, "y": -0.4, "z": 0.9}
    moved = evaluate_all(md.transformation(H)(("x", "y", "z")), values)
    wanted = np.array([[evaluate(e, values) for e in row] for row in H]) @ [0.2, -0.4, 0.9, 1.0]
    np.testing.assert_allclose(moved, wanted[:3], atol=1e-15)
    R = md.Labelled("xyz", "xyz", md.rotation("z")("a"))
    np.testing.assert_allclose(evaluate_all(md.transformation(R)((1, 0, 0)), values), [np.cos(0.3), np.sin(0.3), 0])
    with pytest.raises(lw.InputError, match="moves no places"):
        md.transformation([[1, 2], [3, 4]])


def test_what_is_shown_has_dots_deviations_and_short_sines():
    angle, rate = symbol("theta1", kind="coordinate"), symbol("theta1'", kind="speed")
    assert md.latex(md.deviation(rate)) == r"\delta \dot{\theta_{1}}"
    assert md.latex("2*sin(phi)*cos(phi)", short=True) == r"2 c_{\phi} s_{\phi}"
    X = md.Labelled(["δtheta1''", "a b"], ["x'"], [[angle], [1e-14 * angle + 1.00000000000002]])
    assert r"\delta \ddot{\theta_{1}} & \theta_{1}" in X.latex
    assert r"\text{a b}" in X.latex
    assert r"\dot{x}" in X.latex
    assert str(X.rounded["a b", "x'"]) == "1"
    assert str(X.rounded["δtheta1''", "x'"]) == "theta1"


def test_curves_are_drawn_with_legends():
    from matplotlib import pyplot

    axes = md.plot([f"sin({n}*t)" for n in range(1, 9)], ("t", 0, 3), labels=("t [s]", "x"), title="sines")
    assert len(axes.lines) == len(axes.get_legend().get_texts()) == 8
    np.testing.assert_allclose(axes.lines[1].get_ydata()[-1], np.sin(6.0))
    with pytest.raises(lw.InputError, match="9 curves"):
        md.plot(["t"] * 9, ("t", 0, 1))
    pyplot.close("all")


# -- free bodies -------------------------------------------------------------------------------------------------------

SEQUENCES = ["".join(a) for a in product("xyz", repeat=3) if a[0] != a[1] and a[1] != a[2]]


@pytest.mark.parametrize("axes", SEQUENCES)
def test_rates_of_angles_turn_the_body_as_its_angular_velocity_says(axes):
    body = md.newton_euler("B", orientation=f"{axes} Euler Angles")
    w = md.angular_velocity(body.frames["B"], body.kinematics)
    values = {"psi_B": 0.3, "phi_B": 0.5, "theta_B": 0.7, "w_Bx": 1.1, "w_By": 1.3, "w_Bz": 1.7}
    assert evaluate_all(w, values) == pytest.approx([1.1, 1.3, 1.7], abs=1e-14)


USUAL = ("zxz", "xyz redundant")
OTHERS = [f"{axes}{more}" for axes in SEQUENCES for more in ("", " redundant") if f"{axes}{more}" not in USUAL]


@pytest.mark.parametrize(
    "orientation", ["quaternion", *USUAL, *(pytest.param(word, marks=pytest.mark.long) for word in OTHERS)]
)
def test_angular_momentum_of_a_free_body_is_constant(orientation):
    body = md.newton_euler("B", orientation=orientation, gravity="none")
    start = {"w_Bx": 0.4, "w_By": 0.5, "w_Bz": 0.3}
    start |= {"q_Bt": 1} if orientation == "quaternion" else {"psi_B": 0.4, "phi_B": 0.8, "theta_B": 0.3}
    model = body.model(parameters={"m_B": 2, "Ix_B": 1, "Iy_B": 2, "Iz_B": 2.5}, start=start)
    motion = model.simulate(1.5, tol=1e-13)
    (R,), w = body.frames.values(), [symbol(f"w_B{x}", kind="speed") for x in "xyz"]
    L = times(R, [symbol(f"I{x}_B") * s for x, s in zip("xyz", w, strict=True)])
    state = motion.at(np.linspace(0, 1.5, 9))
    names = {s.name for row in R for s in free_symbols(*row)}
    columns = {name: state[name] for name in (*names, "w_Bx", "w_By", "w_Bz")} | {"Ix_B": 1, "Iy_B": 2, "Iz_B": 2.5}
    for component in L:
        assert np.ptp(evaluate(component, columns)) < 1e-11


def test_the_heavy_top_is_that_of_lagrange():
    top = md.newton_euler("T", orientation="zxz redundant", gravity="-z", inertia="central")
    R, (x, y, z) = top.frames["T"], ("p_Tx", "p_Ty", "p_Tz")
    held = {n: symbol(n) - symbol("l") * row[2] for n, row in zip((x, y, z), R, strict=True)}
    S = md.compose("S", top, constraints={0: held})
    parameters = {"m_T": 1.5, "Ix_T": 0.2, "Iy_T": 0.25, "Iz_T": 0.1, "g": 9.81, "l": 0.4}
    start = {"psi_T": 0.2, "phi_T": 0.6, "theta_T": 0.1, "psi_T'": 1.0, "phi_T'": 0.3, "theta_T'": 12.0}
    ours = S.model(parameters=parameters, start=start).simulate(1, tol=1e-12)
    wx = "(psi'*sin(phi)*sin(theta) + phi'*cos(theta))"
    wy = "(psi'*sin(phi)*cos(theta) - phi'*sin(theta))"
    wz = "(psi'*cos(phi) + theta')"
    energy = f"(A*{wx}**2 + B*{wy}**2 + C*{wz}**2)/2 - m*g*l*cos(phi)"
    known = {"A": 0.2 + 1.5 * 0.16, "B": 0.25 + 1.5 * 0.16, "C": 0.1, "m": 1.5, "g": 9.81, "l": 0.4}
    values = {name.replace("_T", ""): value for name, value in start.items()}
    other = lw.lagrangian("psi phi theta", energy, parameters=known, start=values).simulate(1, tol=1e-12)
    for name in ("psi", "phi", "theta"):
        assert ours.at(1.0)[f"{name}_T"] == pytest.approx(other.at(1.0)[name], abs=1e-10)


@pytest.mark.parametrize(
    "inertia", ["spherical", "Cx", "cylindrical y", "cz", "central", "xy", "xz plane", "x", "full"]
)
@pytest.mark.parametrize("gravity", ["default", "none", "+x", "-x", "+y", "-y", "z", "-z", (1, 2, "g")])
def test_every_body_obeys_newton_and_euler(inertia, gravity):
    B = md.newton_euler("B", "none", gravity, inertia, torque=("T1", 0, 2), force=(0, "F", 1))
    rng = np.random.default_rng(1)
    values = dict(zip(sorted({s.name for s in B.assembled.symbols}), rng.random(60), strict=False))
    number = {**{s: values.get(s, 0.0) for s in ("T1", "F", "g", "xi", "m_B")}}
    word = {"Cx": "cylindrical x", "cz": "cylindrical z", "xy": "xy plane", "x": "yz plane"}.get(inertia, inertia)
    from linkwork.modular.bodies import INERTIAS

    x, y, z, xy, xz, yz = (values.get(f"{n}_B", 0.0) if n else 0.0 for n in INERTIAS[word])
    J = np.array([[x, xy, xz], [xy, y, yz], [xz, yz, z]])
    v1 = np.array([values[f"v_B{a}'"] for a in "xyz"])
    w, w1 = (np.array([values.get(f"w_B{a}{p}", 0.0) for a in "xyz"]) for p in ("", "'"))
    g, xi = number["g"], number["xi"]
    directions = {"default": (g * np.sin(xi), 0, g * np.cos(xi)), "none": (0, 0, 0), "+x": (g, 0, 0)}
    directions |= {"-x": (-g, 0, 0), "+y": (0, g, 0), "-y": (0, -g, 0), "z": (0, 0, g), "-z": (0, 0, -g)}
    directions[1, 2, "g"] = 1, 2, g
    force = number["m_B"] * (np.array(directions[gravity]) - v1) + [0, number["F"], 1]
    torque = np.array([number["T1"], 0, 2]) - J @ w1 - np.cross(w, J @ w)
    found = [evaluate(B.assembled[f"{k}_B{a}"], values) for k in "vw" for a in "xyz"]
    np.testing.assert_allclose(found, [*force, *torque], atol=1e-14)


@pytest.mark.parametrize("options", [{"gravity": "-zz"}, {"inertia": "sferical"}, {"orientation": "quaternions"}])
def test_unknown_words_of_bodies_are_told_with_a_suggestion(options):
    with pytest.raises(lw.InputError, match="Did you mean"):
        md.newton_euler("B", **options)
    with pytest.raises(lw.InputError, match="two, not three"):
        md.newton_euler("B", orientation="xxy")


# -- composition -------------------------------------------------------------------------------------------------------


def rods(n):
    return [md.newton_euler(str(k), plane="xy", gravity="-y") for k in range(1, n + 1)]


def pins(k, label=""):
    """The end of rod k − 1 is the beginning of rod k; the first begins at the origin."""
    at = {a: f"p_{k}{a} - l/2*{f}(theta_{k})" for a, f in (("x", "cos"), ("y", "sin"))}
    if k > 1:
        at = {
            a: f"{e} - p_{k - 1}{a} - l/2*{f}(theta_{k - 1})"
            for (a, e), f in zip(at.items(), ("cos", "sin"), strict=True)
        }
    return {f"{label}{k}{a}": e for a, e in at.items()}


def chain_values(n):
    rng = np.random.default_rng(3)
    angles, rates = rng.random(n), rng.random(n)
    values, end, moving = {"l": 0.7, "g": 9.81}, np.zeros(2), np.zeros(2)
    for k in range(1, n + 1):
        d = 0.35 * np.array([np.cos(angles[k - 1]), np.sin(angles[k - 1])])
        e = rates[k - 1] * np.array([-d[1], d[0]])
        for a, p, v in zip("xy", end + d, moving + e, strict=True):
            values |= {f"p_{k}{a}": p, f"v_{k}{a}": v}
        end, moving = end + 2 * d, moving + 2 * e
        values |= {f"theta_{k}": angles[k - 1], f"w_{k}": rates[k - 1], f"m_{k}": 1.0 + k, f"I_{k}": 0.1 * k}
    return values


@st.composite
def nestings(draw, labels=(1, 2, 3, 4)):
    """The labels in some order, bracketed somehow: (3, ((1, 4), 2))."""
    order = draw(st.permutations(labels))

    def split(part):
        if len(part) == 1:
            return part[0]
        cuts = draw(st.sets(st.integers(1, len(part) - 1), min_size=1))
        edges = [0, *sorted(cuts), len(part)]
        return tuple(split(part[i:j]) for i, j in pairwise(edges))

    return split(order)


def members(nesting):
    return {nesting} if isinstance(nesting, int) else set().union(*map(members, nesting))


def composed_as(nesting, bodies, rows, name="S"):
    """The chain by brackets: each pin is told where both of its rods are first together."""
    if isinstance(nesting, int):
        return bodies[nesting]
    parts = [composed_as(part, bodies, rows, f"{name}{i}") for i, part in enumerate(nesting)]
    inside = [members(part) for part in nesting]
    here = {
        k: pins for k, pins in rows.items()
        if {k, max(1, k - 1)} <= members(nesting) and not any({k, max(1, k - 1)} <= one for one in inside)
    }  # fmt: skip
    if name == "S" and 1 in members(nesting):
        here[1] = rows[1]
    return md.compose(name, parts, constraints={0: {n: e for pins in here.values() for n, e in pins.items()}})


@settings(max_examples=12, deadline=None)
@given(nestings())
def test_composition_does_not_depend_on_order_or_nesting(nesting):
    bodies, rows, values = dict(enumerate(rods(4), 1)), {k: pins(k) for k in (1, 2, 3, 4)}, chain_values(4)
    flat = composed_as((1, 2, 3, 4), bodies, rows)
    other = composed_as(nesting, bodies, rows)
    wanted, found = flat.compute_accelerations(values), other.compute_accelerations(values)
    assert found.keys() == wanted.keys()
    largest = max(map(abs, wanted.values()))
    for name, x in wanted.items():
        assert found[name] == pytest.approx(x, abs=1e-12 * largest)
    C, D = (S.total_complement for S in (flat, other))
    joined = np.hstack([C.evaluate(values), D[C.rows, :].evaluate(values)])
    assert np.linalg.matrix_rank(joined, tol=1e-9) == 4
    # the balance of each way to move, projected level by level, is that of the whole
    accelerations = values | found
    assert np.max(np.abs(other.balance.evaluate(accelerations))) < 1e-11 * largest


def test_the_choice_of_independent_speeds_does_not_change_the_equations():
    values = {**pendulums.PARAMETERS, **pendulums.START}
    found = []
    spins = ["w_Px", "w_Py", "w_Pz"]
    for independent, how in (
        (None, "exact"),
        (["v_Px", "v_Py", *spins], "exact"),
        (["v_Py", "v_Pz", *spins], "exact"),
        (None, "null space"),
        (None, "least squares"),
    ):
        S = pendulums.figure2(independent=independent, how=how)
        assert S.freedoms == 5
        numbers = (S.A @ S.C).evaluate(values)
        assert np.max(np.abs(numbers)) < 1e-14
        C, M, F = (X.evaluate(values) for X in (S.total_complement, S.mass, S.loads))
        A = S.jacobian.evaluate(values)
        gamma = np.array([[evaluate(S._drift()[row], values)] for row in S.jacobian.rows])
        c = np.linalg.lstsq(A, -gamma, rcond=None)[0]
        found.append(c + C @ np.linalg.solve(C.T @ M @ C, C.T @ (F - M @ c)))
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], atol=1e-13)
    assert found[0][0, 0] == pytest.approx(-5.032272379293531, rel=1e-13)


def parallelogram(cranks):
    """A bar on parallel cranks, of which two are enough."""
    bodies = [md.newton_euler(str(k), plane="xy", gravity="-y") for k in range(cranks)]
    bar = md.newton_euler("B", plane="xy", gravity="-y")
    rows = {}
    for k in range(cranks):
        for a, f in (("x", "cos"), ("y", "sin")):
            rows[f"{k}{a}"] = f"p_{k}{a} - r/2*{f}(theta_{k})" + (f" - {k}*d" if a == "x" else "")
            rows[f"bar {k}{a}"] = f"p_B{a} - r*{f}(theta_{k}) - {1 - k}*d*{f}(theta_B)" + (
                f" - {k}*d" if a == "x" else ""
            )
    return md.compose("L", [*bodies, bar], constraints={0: rows}, how="least squares", at={"r": 1.0, "d": 2.0})


def test_a_third_parallel_crank_is_redundant_and_changes_nothing():
    S = parallelogram(3)
    assert len(S.redundant) == 1
    assert S.rank == 11
    assert S.freedoms == 1
    ends = []
    for cranks in (2, 3):
        # cranks turn alike, so that a third one is as good as a heavier first
        first = {2: {"m_0": 2.0, "I_0": 0.5}, 3: {"m_0": 1.0, "I_0": 0.2, "m_2": 1.0, "I_2": 0.3}}[cranks]
        names = first | {"m_1": 1.0, "I_1": 0.2}
        start = {f"theta_{k}": 0.3 for k in range(cranks)}
        start |= {"p_Bx": np.cos(0.3) + 1 * 2, "p_By": np.sin(0.3), "theta_B": 0.0}
        for k in range(cranks):
            start |= {f"p_{k}x": 0.5 * np.cos(0.3) + 2 * k, f"p_{k}y": 0.5 * np.sin(0.3)}
        model = parallelogram(cranks).model(
            parameters=names | {"m_B": 2, "I_B": 0.4, "r": 1, "d": 2, "g": 9.81}, start=start
        )
        ends.append(model.simulate(0.8, tol=1e-12).at(0.8)["p_By"])
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)


def test_a_driven_pivot_is_felt():
    P = md.newton_euler("P", orientation="position", gravity="-z")
    rows = {"x": "p_Px - b*sin(w*t) - a*sin(th)", "y": "p_Py", "z": "p_Pz + a*cos(th)"}
    S = md.compose("S", P, coordinates="th", constraints={0: rows})
    found = S.explicit()["th''"]
    values = {"a": 1.2, "b": 0.3, "w": 2.0, "t": 0.4, "th": 0.5, "th'": 0.7, "g": 9.81, "m_P": 2.0}
    wanted = (-9.81 * np.sin(0.5) + 0.3 * 4 * np.sin(0.8) * np.cos(0.5)) / 1.2
    assert evaluate(found, values) == pytest.approx(wanted, rel=1e-14)


def test_a_module_is_used_twice_under_other_names():
    leg = md.compose(
        "L",
        md.newton_euler("B", plane="xy", gravity="-y"),
        coordinates="s",
        constraints={0: {"x": "p_Bx - s", "y": "p_By"}},
    )
    left, right = leg.copy("l"), leg.rename({"L": "R", "B": "r", "s": "sr"})
    both = md.compose("S", [left, right], constraints={0: {"tie": "sl + sr - 1"}}, forces={"sl'": "F"})
    assert {s.name for s in both.coordinates} >= {"sl", "sr", "p_Blx", "p_rx"}
    assert both.parameters == ("F", "I_B", "I_r", "g", "m_B", "m_r")
    assert str(both.explicit()["sl''"]) == "F/(m_B + m_r)"


def test_equal_forces_of_two_subsystems_are_both_counted():
    P = md.newton_euler("P", plane="xy", gravity="none")
    inner = md.compose("A", P, forces={"v_Px": "F"})
    S = md.compose("S", inner, forces={"v_Px": "F"})
    assert str(S.explicit()["v_Px'"]) == "2*F/m_P"
    assert evaluate(S.balance["v_Px"], {"F": 3, "m_P": 1, "v_Px'": 0}) == 6


def test_the_linear_complement_is_that_of_finite_differences():
    """C(q) of a five-bar, changed along each coordinate on its own."""
    module, parameters, start, _ = composed.five_bar()
    linear = module.linearize(start, rules=parameters)
    values = {**parameters, **start}
    C = md.compose(
        "again", module.subsystems, constraints={0: dict(module.own_constraints[0])}, independent=linear.independent
    ).total_complement[linear.total.rows, :]
    np.testing.assert_allclose(linear.total.evaluate({}), C.evaluate(values), atol=1e-12)
    for q in module.coordinates:
        up, down = (C.evaluate(values | {q.name: values[q.name] + h}) for h in (1e-5, -1e-5))
        slope = linear.total_slopes.get(q)
        found = slope.evaluate({}) if slope is not None else np.zeros_like(up)
        np.testing.assert_allclose(found, (up - down) / 2e-5, atol=1e-7)


def test_subsystems_are_renamed_where_they_are_composed_and_steps_are_told():
    one, two = md.newton_euler("B", plane="xy", gravity="none"), md.newton_euler("C", plane="xy", gravity="none")
    S = md.compose("S", [one, two], rename={"B": "left", "v_Cx": "forth"}, constraints={0: {"x": "p_leftx - p_Cx"}})
    assert {"v_leftx", "forth"} <= {s.name for s in S.speeds}
    told = []
    times = S.derive(explicit=True, progress=told.append)
    steps = ("constraints", "Jacobian", "complement", "balance", "explicit equations")
    assert told[::2] == [f"S: {name}" for name in steps]
    assert told[1::2] == [f"S: {name} in {times[name]:.3f} s" for name in steps]
    assert all(t >= 0 for t in times.values())
    told.clear()
    now = md.compose("S", [one, two], constraints={0: {"x": "p_Bx - p_Cx"}}, explicit=True, progress=told.append)
    assert told[-2] == "S: explicit equations"
    assert now.explicit() == md.compose("S", [one, two], constraints={0: {"x": "p_Bx - p_Cx"}}).explicit()
    with pytest.raises(lw.InputError, match="no label or variable named 'D'"):
        md.compose("S", [one, two], rename={"D": "E"})


# -- rows of the specification, one by one -----------------------------------------------------------------------------


def test_matrices_take_scalars_on_either_side_rules_and_functions():
    X = md.Labelled(["r"], ["a", "b"], [[1, "k"]])
    assert same(2 * X, X * 2)
    assert same(-X, X * -1)
    assert same(X - X, X * 0)
    assert str(X.substitute({"k": "3*c"})["r", "b"]) == "3*c"
    assert str(X.apply(lambda e: e**2)["r", "b"]) == "k**2"
    x, y, k = symbol("x", kind="coordinate"), symbol("y", kind="coordinate"), symbol("k")
    K, H = md.Labelled.column({"1": k + 3 * x - y}).coefficients([x, y], rules={k: 2})
    assert (str(K["1"]), str(H["1", "x"]), str(H["1", "y"])) == ("2", "3", "-1")
    assert {s.name for s in md.Labelled.column({"1": "m*x1 + k*x"}).symbols} == {"m", "x1", "k", "x"}


def test_a_null_space_has_columns_that_are_labelled_by_the_system():
    A = md.Labelled(["1"], ["x", "y", "z"], [[1, 2, 3]])
    assert A.complement(how="null space", label="S").columns == ("S_1", "S_2")


def test_linear_expressions_are_those_of_the_paper():
    x, v = symbol("x", kind="coordinate"), symbol("x'", kind="speed")
    theta = symbol("theta", kind="coordinate")
    assert str(md.linearize(x * v, {x: 1})) == "δx'"
    from math import pi

    from linkwork.symbolic import cos

    found = md.linearize(cos(theta), {"theta": pi / 2})
    assert evaluate(found, {"δtheta": 0.3}) == pytest.approx(-0.3, abs=1e-15)
    still = md.reference_motion(md.newton_euler("P", plane="xy"), {"p_Px": "a"})
    assert {s.name: str(e) for s, e in still.items() if str(e) != "0"} == {"p_Px": "a"}
    assert {"p_Py", "v_Px", "w_P'"} <= {s.name for s in still}


def test_angular_velocities_of_zxz_are_those_of_the_paper_and_singular_where_they_say():
    names = ("psi", "phi", "theta")
    angles = [symbol(n, kind="coordinate") for n in names]
    c, s = np.cos, np.sin
    values = {"psi": 0.3, "phi": 0.5, "theta": 0.7, "psi'": 1.1, "phi'": 1.3, "theta'": 1.7}
    w = md.angular_velocity(md.rotation("z", "x", "z")(*angles))
    wanted = [
        1.1 * s(0.5) * s(0.7) + 1.3 * c(0.7),
        1.1 * s(0.5) * c(0.7) - 1.3 * s(0.7),
        1.1 * c(0.5) + 1.7,
    ]
    assert evaluate_all(w, values) == pytest.approx(wanted, abs=1e-14)
    rates = [symbol(f"{n}'", kind="speed") for n in names]
    for axes, det in (("zxz", -s(0.5)), ("xyz", c(0.5))):
        W = md.jacobian(md.angular_velocity(md.rotation(*axes)(*angles)), rates)
        assert np.linalg.det(W.evaluate(values)) == pytest.approx(det, abs=1e-14)


def test_angular_velocities_of_angles_by_name_are_those_of_coordinates():
    names = ("psi", "phi", "theta")
    angles = [symbol(n, kind="coordinate") for n in names]
    values = {n: 0.3 + i for i, n in enumerate(names)} | {f"{n}'": 1.1 * i - 0.4 for i, n in enumerate(names)}
    for axes in ("zxz", "xyz", "zyx"):
        by_name, typed = (md.angular_velocity(md.rotation(*axes)(*given)) for given in (names, angles))
        assert evaluate_all(by_name, values) == pytest.approx(evaluate_all(typed, values), abs=1e-14)
    # beside a coordinate a name is a parameter
    assert md.angular_velocity(md.rotation("z", "x")(angles[0], "tilt"))[0] is ZERO


def test_turns_and_shifts_go_along_any_axis():
    R = md.rotation((1, 2, 2))("a")
    numbers = np.array([[evaluate(e, {"a": 0.4}) for e in row] for row in R])
    np.testing.assert_allclose(numbers @ [1, 2, 2], [1, 2, 2], atol=1e-15)
    np.testing.assert_allclose(numbers @ numbers.T, np.eye(3), atol=1e-15)
    assert np.trace(numbers) == pytest.approx(1 + 2 * np.cos(0.4))
    H = md.homogeneous(("T", (0, 3, 4)), "Rx")("s", "b")
    assert [evaluate(row[3], {"s": 5, "b": 1}) for row in H] == pytest.approx([0, 3, 4, 1])


@pytest.mark.parametrize("plane", ["xy", "yz", "xz", "zx"])
@pytest.mark.parametrize("gravity", ["default", "none", "-x", "y", "-z", (1, "g"), (1, 2, "g")])
def test_every_body_in_a_plane_obeys_newton_and_euler(plane, gravity):
    B = md.newton_euler("B", plane=plane, gravity=gravity, torque="T", force=("F", 2), inclination="slope")
    values = {"m_B": 2.0, "I_B": 0.3, "g": 9.81, "slope": 0.2, "F": 1.5, "T": 0.7, "w_B'": 0.4}
    values |= {f"v_B{a}'": x for a, x in zip(plane, (0.1, 0.2), strict=True)}
    space = {"default": (9.81 * np.sin(0.2), 0, 9.81 * np.cos(0.2)), "none": (0, 0, 0), "-x": (-9.81, 0, 0)}
    space |= {"y": (0, 9.81, 0), "-z": (0, 0, -9.81), (1, 2, "g"): (1, 2, 9.81)}
    g = [space[gravity]["xyz".index(a)] for a in plane] if gravity != (1, "g") else [1, 9.81]
    found = [evaluate(B.assembled[f"v_B{a}"], values) for a in plane] + [evaluate(B.assembled["w_B"], values)]
    wanted = [2 * (g[0] - 0.1) + 1.5, 2 * (g[1] - 0.2) + 2, 0.7 - 0.3 * 0.4]
    assert found == pytest.approx(wanted, abs=1e-14)


def test_words_of_bodies_may_be_long_short_or_in_capitals():
    plain = md.newton_euler("B", "zxz redundant", "-z", "central")
    for word in ("ZXZ Redundant", "zxz Euler Angles redundant", " zxz  redundant"):
        assert md.newton_euler("B", word, "-Z", "XYZ").assembled.entries == plain.assembled.entries
    assert md.newton_euler("B", "Position Only").coordinates == md.newton_euler("B", "position").coordinates
    assert md.newton_euler("B").coordinates == ()
    assert plain.independent == ("v_Bx", "v_By", "v_Bz", "psi_B'", "phi_B'", "theta_B'")
    assert len(plain.speeds) == 9


def test_forces_that_feel_accelerations_are_inertia():
    """An added mass: the body falls as a heavier one, explicitly and in its motion."""
    body = md.newton_euler("P", plane="xy", gravity="-y")
    S = md.compose("S", body, forces={"v_Py": "-added*v_Py'"})
    assert str(S.explicit()["v_Py'"]) == "-m_P*g/(m_P + added)"
    motion = S.model(parameters={"m_P": 2, "I_P": 1, "g": 9.81, "added": 1}).simulate(1, tol=1e-12)
    assert float(motion.at(1.0)["p_Py"]) == pytest.approx(-9.81 / 3, abs=1e-12)


def test_nested_systems_have_the_explicit_equations_of_all_levels():
    """A double pendulum inside a pendulum's system: the constraints of both levels, 8 accelerations."""
    bodies, rows, values = dict(enumerate(rods(2), 1)), {k: pins(k) for k in (1, 2)}, chain_values(2)
    inner = md.compose("A", bodies[1], constraints={0: rows[1]})
    nested = md.compose("S", [inner, bodies[2]], constraints={0: rows[2]})
    flat = md.compose("S", list(bodies.values()), constraints={0: rows[1] | rows[2]})
    found, wanted = nested.explicit(), flat.explicit()
    assert found.keys() == wanted.keys()
    assert len(found) == 6
    for name, e in wanted.items():
        assert evaluate(found[name], values) == pytest.approx(evaluate(e, values), rel=1e-11)


def test_null_spaces_of_several_levels_do_not_count_anything_twice():
    bodies, rows, values = dict(enumerate(rods(3), 1)), {k: pins(k) for k in (1, 2, 3)}, chain_values(3)
    one = md.compose("A", [bodies[1], bodies[2]], constraints={0: rows[1] | rows[2]}, how="null space")
    whole = md.compose("S", [one, bodies[3]], constraints={0: rows[3]}, how="null space")
    assert one.independent == ("A_1", "A_2")
    assert whole.independent == ("S_1", "S_2", "S_3")
    C = whole.total_complement.evaluate(values)
    assert np.linalg.matrix_rank(C, tol=1e-9) == 3
    A = whole.jacobian[:, whole.total_complement.rows].evaluate(values)
    assert np.max(np.abs(A @ C)) < 1e-13
    accelerations = values | whole.compute_accelerations(values)
    assert np.max(np.abs(whole.balance.evaluate(accelerations))) < 1e-11


@pytest.mark.parametrize("make", [pendulums.figure2, pendulums.figure4])
def test_the_complement_of_the_models_of_the_paper_is_one_exactly(make):
    S = make()
    simplify = md.Rules().simplify
    assert all(str(simplify(e)) == "0" for row in (S.A @ S.C).array for e in row)


def random_entry(rng, q):
    """A formula of coordinates that is not linear in them."""
    i, j, k = rng.integers(len(q), size=3)
    a, b, c, d = rng.normal(size=4).round(3)
    return f"({a} + {b}*{q[i]} + {c}*sin({q[j]}) + {d}*{q[i]}*{q[k]})"


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(k, marks=pytest.mark.long) for k in range(6, 40))])
def test_the_linear_complement_of_random_constraints_is_that_of_finite_differences(seed):
    """C₀ and C_x of A(q) u = 0, by numbers alone: C = [1; −A_r⁻¹ A_i] at places nearby."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    m = int(rng.integers(1, n - 1))
    q = [f"x{i}" for i in range(n)]
    rows = {f"c{i}": " + ".join(f"{random_entry(rng, q)}*{name}'" for name in q) for i in range(m)}
    S = md.compose("S", [], coordinates=q, constraints={1: rows})
    place = dict(zip(q, rng.normal(size=n).tolist(), strict=True))
    linear = S.linearize(place)
    free = [list(S.jacobian.columns).index(name) for name in linear.independent]
    held = [i for i in range(n) if i not in free]

    def complement(at):
        A = S.jacobian.evaluate(at)
        C = np.zeros((n, n - m))
        C[free, range(n - m)] = 1.0
        C[held] = -np.linalg.solve(A[:, held], A[:, free])
        return C

    order = [list(linear.total.rows).index(name) for name in S.jacobian.columns]
    np.testing.assert_allclose(linear.total.evaluate({})[order], complement(place), atol=1e-10)
    size = np.max(np.abs(complement(place)))
    for s in S.coordinates:
        h = 1e-5
        steps = [complement(place | {s.name: place[s.name] + k * h}) for k in (-2, -1, 1, 2)]
        slope = (steps[0] - 8 * steps[1] + 8 * steps[2] - steps[3]) / (12 * h)
        found = linear.total_slopes.get(s)
        ours = np.zeros_like(slope) if found is None else found.evaluate({})[order]
        np.testing.assert_allclose(ours, slope, rtol=1e-6, atol=1e-8 * size**3)


def test_explicit_equations_of_long_chains_come_to_an_end_and_are_right():
    """Beyond what anybody would read, expressions are left as they are, shared."""
    module, values, start = composed.planar_chain(6)
    at = values | start | {s.name: 0.1 * k for k, s in enumerate(module.speeds)}
    at |= {f"theta_{k}": 0.2 * k for k in range(1, 7)}
    found = module.explicit()
    wanted = module.compute_accelerations(at)
    numbers = evaluate_all([*found.values()], at)
    np.testing.assert_allclose(numbers, [wanted[name] for name in found], rtol=1e-8, atol=1e-8)


def test_components_of_bodies_may_be_arrays():
    told = md.newton_euler("A", gravity=np.array([0.0, 0.0, -9.81]), force=np.array([1.0, 2.0, 3.0]))
    same_body = md.newton_euler("A", gravity=(0.0, 0.0, -9.81), force=[1.0, 2.0, 3.0])
    assert str(told.assembled) == str(same_body.assembled)
    flat = md.newton_euler("A", plane="xy", gravity=np.array([0.0, -9.81]), torque=np.array([0.0, 0.0, 2.0]))
    assert str(flat.assembled["w_A"]) == "2.0 - I_A*w_A'"
