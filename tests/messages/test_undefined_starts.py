"""What a user reads where inertia, constraints or scales are undefined, empty or without direction."""

import pytest

import linkwork as lw

FREE = "x'**2/2 + y'**2/2"


@pytest.mark.parametrize(
    ("energy", "parameters", "start"),
    [("x'**2*(1 + log(k))/2", {"k": -1}, {}), ("x'**2/x/2", {}, {"x": 0})],
)
def test_inertia_without_a_value_is_named(energy, parameters, start):
    model = lw.lagrangian("x", energy, parameters=parameters, start=start)
    for use in (lambda: model.simulate(1), model.structure, model.linearize):
        with pytest.raises(lw.StartError, match=r"not finite at the start: inertia of x. Start elsewhere"):
            use()


@pytest.mark.parametrize("formula", ["y'*exp(x/l)", "y'*log(x)"])
def test_velocity_constraints_without_a_value_are_named(formula):
    model = lw.lagrangian("x y", FREE, velocity_constraints=[formula], parameters={"l": 0}, start={"x": 0})
    with pytest.raises(lw.StartError, match=r"not finite at .*: h1"):
        _ = model.start


@pytest.mark.parametrize("kind", ["constraints", "velocity_constraints"])
def test_a_constraint_that_says_nothing_is_said_to_say_nothing(kind):
    formula = "m*x" if kind == "constraints" else "m*x'"
    model = lw.lagrangian("x y z", FREE + " + z'**2/2", parameters={"m": 0}, start={"x'": 1}, **{kind: [formula]})
    text = model.structure().text()
    assert "says nothing" in text and "1 constraint acts on 0 coordinates" in text
    assert model.structure().mobility.freedom == 3
    assert model.simulate(1).final["x"] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    "formula",
    ["(x**2 + y**2 - 1)**2", "(x - y)**3", "(x - 1)**2 + (y - 2)**2", "1 - cos(x - y)", "x**2*(x - y)**2"],
)
def test_a_constraint_whose_derivatives_vanish_where_it_is_met_is_refused(formula):
    model = lw.lagrangian("x y", FREE + " - y", constraints=[formula], start={"x": 1})
    with pytest.raises(lw.StartError, match=r"derivatives of g1 vanish where it is met.*f = 0 instead of"):
        model.simulate(1, max_seconds=60)


@pytest.mark.parametrize(
    "formula",
    ["abs(x - y)", "abs(x**2 + y**2 - 1)", "max(x - y, y - x)", "select(x < y, y - x, x - y)", "max(x - y, 0)"],
)
def test_a_constraint_whose_derivatives_jump_where_it_is_met_is_refused(formula):
    model = lw.lagrangian("x y", FREE + " - y", constraints=[formula], start={"x": 1})
    with pytest.raises(lw.StartError, match=r"derivatives of g1 jump where it is met.*f = 0 instead of abs"):
        model.simulate(1, max_seconds=60)


@pytest.mark.parametrize("x", [0.0, 1.0])
@pytest.mark.parametrize("formula", ["abs(x) - y", "abs(x - y) - 0.5", "max(x - y, x - 2*y)", "abs(x*y + 1) - 3"])
def test_a_constraint_may_have_a_corner_elsewhere(formula, x):
    model = lw.lagrangian("x y", FREE, constraints=[formula], start={"x": x, "y": x})
    assert model.structure().mobility.freedom >= 1


def test_a_constraint_may_lose_its_direction_at_a_crossing():
    model = lw.lagrangian("x y", FREE, constraints=["x*y"], start={"x": 0, "y": 0, "x'": 1})
    assert model.start.u == pytest.approx([1, 0])


@pytest.mark.parametrize("scale", [float("inf"), 1e300, float("nan"), 0, -1])
def test_a_scale_is_a_size_that_something_can_have(scale):
    with pytest.raises(lw.InputError, match=r"is no scale of a coordinate"):
        lw.lagrangian("x", "x'**2/2 - x**2/2", start={"x": 1}, scales={"x": scale})


def test_a_scale_of_a_state_is_a_size_that_something_can_have():
    text = "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}\n"
    with pytest.raises(lw.InputError, match=r"state 'X': scale 1e\+30 is more than 1e\+15"):
        lw.loads(text + "States: {X: {rate: 1, scale: 1e30}}\n")
    with pytest.raises(lw.InputError, match=r"is not a number from 1e-75 to 1e.15"):
        lw.lagrangian("x", "x'**2/2", states=[lw.State(name="X", rate=1, scale=1e300)]).simulate(1)


def test_a_state_of_small_scale_is_no_freedom(tmp_path):
    text = "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}\n"
    structure = lw.loads(text + "States: {X: {rate: 1, scale: 1e-9}}\nProblemData: {positions: {A: [1]}}\n").structure()
    assert structure.mobility.freedom == 1
    assert structure.mobility.redundant == ()
    assert structure.text()


@pytest.mark.parametrize("speeds", [{"y'": 1e12}, {}])
def test_great_speeds_elsewhere_do_not_hide_velocities_that_contradict(speeds):
    start = {"x'": lw.fix(2), **speeds}
    model = lw.lagrangian("x y", FREE, velocity_constraints=["x' - 1"], start=start)
    with pytest.raises(lw.StartError, match=r"the constraint 'h1' and the fixed x' = 2 contradict each other"):
        _ = model.start


def test_great_states_do_not_hide_velocities_that_contradict():
    text = """
    PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}
    States: {X: {rate: 1, start: 1e12}}
    ProblemData: {positions: {A: [1]}, velocities: {A: [[0.5, fixed], 0]}}
    """
    with pytest.raises(lw.StartError, match=r"the rod OA of length 1 and the fixed Ax' = 0.5 contradict each other"):
        _ = lw.loads(text).start


def test_a_folder_is_no_file_for_a_linear_model(command, empty_folder):
    (empty_folder / "a.yaml").write_text("PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}\n")
    for name in (".", "..", "/"):
        code, _, err = command("linearize", "a.yaml", "-o", name)
        assert (code, "is a folder; choose another name" in err) == (2, True)


@pytest.mark.parametrize("far", ["2e75", "1e300", "-1e308"])
def test_what_nothing_holds_cannot_start_out_of_range(far):
    text = f"PartData: {{Particles: {{A: 1, B: 1}}}}\nProblemData: {{tend: 1, positions: {{A: [0, {far}]}}}}"
    with pytest.raises(lw.StartError, match=r"<text>:2: Ay would start at .*out of range. Use positions up to 1e.75"):
        _ = lw.loads(text).start
    with pytest.raises(lw.InputError, match=r"velocity of 'A': value: .* is out of range"):
        lw.loads(text.replace("positions", "velocities"))
    for name in ("x", "x'"):
        with pytest.raises(lw.InputError, match=rf"start of '{name}': .* is out of range"):
            lw.lagrangian("x", "x'**2/2", start={name: float(far)})


def test_what_can_be_reached_is_reported_as_it_was_given(load_example, examples):
    text = (examples / "four-bar.yaml").read_text().replace("B: [0.9, 0.8]", "B: [1e100, 7e9]")
    given = {value.name: (value.given, value.status) for value in lw.loads(text).start.values}
    assert given["Bx"] == (1e100, "moved")
    assert given["By"] == (7e9, "moved")


@pytest.mark.parametrize("scale", [1e-300, 1e-76])
def test_a_scale_whose_square_is_zero_is_none(scale):
    with pytest.raises(lw.InputError, match="is no scale of a coordinate"):
        lw.lagrangian("x", "x'**2/2 - x**2/2", start={"x": 1}, scales={"x": scale})
    text = "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}\n"
    with pytest.raises(lw.InputError, match=r"state 'X': scale 1e-.* is less than 1e-75"):
        lw.loads(text + f"States: {{X: {{rate: 1, scale: {scale!r}}}}}\n")
    assert lw.lagrangian("x", "x'**2/2 - x**2/2", start={"x": scale}).linearize("equilibrium").A[1, 0] == -1
