"""What a user of modules reads when the input is wrong."""

from pathlib import Path

import pytest

import linkwork as lw
from linkwork import modular as md

EXAMPLES = Path(__file__).parents[2] / "examples"


def body(label="P"):
    return md.newton_euler(label, plane="xy", gravity="-y")


def refused(words):
    return pytest.raises(lw.InputError, match=words)


def test_two_systems_of_one_label_are_both_named():
    inner = md.compose("A", body("P"))
    with refused(r"labelled 'P': one is in 'A', the other in 'P'.*rename"):
        md.compose("S", [inner, body("P")])


def test_a_variable_of_two_subsystems_is_told_with_both():
    one, two = (md.compose(n, body(n.lower()), coordinates="x") for n in "AB")
    with refused(r"'x' is a variable of 'A' and of 'B'.*rename"):
        md.compose("S", [one, two])
    md.compose("S", [one, two.rename({"x": "y"})])


def test_a_variable_that_is_a_parameter_elsewhere_is_told():
    with refused(r"'m_P' is a variable here and a parameter of a subsystem"):
        md.compose("S", body(), coordinates="m_P")


def test_new_names_must_be_new():
    with refused(r"new name 'v_Px' is in use"):
        body().rename({"v_Py": "v_Px"})
    with refused(r"no label or variable named 'Q'"):
        body().rename({"Q": "R"})


def test_a_dependent_set_of_independent_speeds_is_refused():
    S = md.compose("S", body(), constraints={0: {"line": "p_Px - p_Py"}}, independent=["v_Px", "v_Py"])
    with refused(r"system 'S': the independent ones are not independent.*v_Px, v_Py"):
        _ = S.C
    few = md.compose("S", body(), constraints={0: {"line": "p_Px - p_Py"}}, independent=["v_Px"])
    with refused(r"have 2 independent ones, not 1"):
        _ = few.C
    with refused(r"the independent 'vx' is no speed"):
        md.compose("S", body(), independent=["vx"])


def test_constraints_that_contradict_each_other_are_named_on_both_sides_and_by_how_much():
    rows = {"one": "p_Px - 1", "two": "p_Px - 2", "third": "p_Py - 3"}
    both = r"S\.one stays open by 0\.5, S\.two stays open by 0\.5 where they are nearest to holding"
    with refused(rf"1 follow from others: S\.two'; no place was found where all constraints hold: {both}\."):
        _ = md.compose("S", body(), constraints={0: rows}).C
    for how in ("least squares", "null space"):
        with refused(rf"the constraints contradict each other: {both}\. Change or leave out"):
            _ = md.compose("S", body(), constraints={0: rows}, how=how).C
    with refused(rf"the constraints contradict each other: {both}"):
        md.compose("S", body(), constraints={0: rows}).explicit()
    with refused(r"the constraints contradict each other: S\.[ab] stays open by 0\.5, S\.[ab] stays open by 0\.5"):
        md.compose("S", body(), constraints={2: {"a": "v_Px' - 1", "b": "v_Px' - 2"}}).explicit()
    with pytest.raises(lw.StartError, match=r"'S\.one' and the constraint 'S\.two' contradict.* open by 0\.5"):
        _ = md.compose("S", body(), constraints={0: rows}).model(parameters={"m_P": 1, "I_P": 1, "g": 1}).start


def test_constraints_of_two_levels_that_contradict_each_other_are_named():
    inner = md.compose("A", body(), constraints={0: {"one": "p_Px - a"}})
    with refused(r"A\.one stays open by .*, S\.two stays open by .* for a = "):
        _ = md.compose("S", inner, constraints={0: {"two": "p_Px + a"}}).C


def test_constraints_that_repeat_each_other_are_named_with_those_that_they_follow_from():
    with refused(r"1 follow from others: S\.two'; those that take part: S\.one', S\.two'\. Leave them out"):
        _ = md.compose("S", body(), constraints={0: {"one": "p_Px - 1", "two": "2*p_Px - 2"}}).C
    rows = {"a": "p_Px - p_Py", "b": "p_Py - theta_P", "c": "p_Px - theta_P"}
    with refused(r"follow from others: S\.c'; those that take part: S\.a', S\.b', S\.c'"):
        _ = md.compose("S", body(), constraints={0: rows}).C


def test_constraints_of_the_wrong_order_are_told_where_they_belong():
    with refused(r"constraint 'c' of positions has 'v_Px' in it\. Give it with order 1"):
        md.compose("S", body(), constraints={0: {"c": "v_Px"}})
    with refused(r"has no variable in it"):
        md.compose("S", body(), constraints={0: {"c": "px - a"}})
    with refused(r"order 3"):
        md.compose("S", body(), constraints={3: {"c": "p_Px"}})
    with refused(r"no variable named 'P\.pz'\. Did you mean 'P\.p[xy]'\?"):
        md.compose("S", body(), constraints={0: {"c": "P.pz"}})


def test_a_row_of_dynamics_that_is_no_speed_is_told():
    with refused(r"the dynamics have a row 'v_Pz', which is no speed\. Did you mean 'v_P"):
        md.compose("S", body(), forces={"v_Pz": "F"})


@pytest.mark.parametrize(
    "rules", [{"h*v_Px": "h*v_Px + h*p_Px - h*p_Py"}, {"h": "h + 1"}, {"g*p_Px": "g*p_Py", "g*p_Py": "g*p_Px"}]
)
def test_a_rule_without_end_is_named(rules):
    line, force = {0: {"line": "p_Px - p_Py"}}, {"v_Px": "h*v_Px + h + g*p_Px"}
    S = md.compose("S", body(), constraints=line, forces=force, rules=rules)
    with refused(r"rule .* -> .*never comes to an end"):
        S.explicit()


ROUND = {"round": "p_Px**2 + p_Py**2 - a**2"}


@pytest.mark.parametrize(
    ("rules", "wrong"),
    [
        ({"p_Px**2": "a**2"}, r"p_Px\*\*2 -> a\*\*2 is wrong: \S+ is not \S+ where all constraints hold, a = "),
        ({"p_Px*v_Px": "p_Py*v_Py"}, r"p_Px\*v_Px -> p_Py\*v_Py is wrong"),
        ({"p_Px*v_Px'": "v_Px**2 + v_Py**2 - p_Py*v_Py'"}, r"p_Px\*v_Px' -> .* is wrong"),
        ({"a": "b + c", "p_Px**2 + p_Py**2": "b**2 + c**2"}, r"p_Px\*\*2 \+ p_Py\*\*2 -> b\*\*2 \+ c\*\*2 is wrong"),
    ],
)
def test_a_rule_that_constraints_contradict_is_named(rules, wrong):
    with refused(rf"system 'S': rule {wrong}.*equal along every motion"):
        md.compose("S", body(), constraints={0: ROUND}, rules=rules)
    added = md.Rules([md.Rule(old, new) for old, new in rules.items()])
    with refused(f"rule {wrong}"):
        md.compose("S", body(), constraints={0: ROUND}).explicit(added)


@pytest.mark.parametrize(
    "rules",
    [
        {"p_Px*v_Px": "-p_Py*v_Py"},
        {"p_Px*v_Px'": "-v_Px**2 - v_Py**2 - p_Py*v_Py'"},
        {"a**2": "b**2 + c**2", "p_Px**2 + p_Py**2": "b**2 + c**2"},
        {"v_Px**2 + v_Py**2": "2*E/m_P - 2*g*p_Py"},
    ],
)
def test_rules_that_hold_on_the_constraints_are_taken(rules):
    """Of motions, of accelerations, of parameters that rules tie; and one that only tells what E is."""
    md.compose("S", body(), constraints={0: ROUND}, rules=rules)


def test_contradictions_of_constraints_that_are_independent_elsewhere_are_found():
    """A circle and a line that passes it by: no row follows from others, and yet nothing is on both."""
    apart = r"S\.(circle|line) stays open by .*, S\.(circle|line) stays open by .*tell one nearby as at="
    derivations = {"exact": lambda S: S.C, "least squares": lambda S: S.explicit()}
    for (how, derive), r in zip(derivations.items(), ("1", "r"), strict=True):
        rows = {"circle": f"p_Px**2 + p_Py**2 - {r}**2", "line": f"p_Px - 2*{r}"}
        with refused(f"the constraints contradict each other: {apart}"):
            derive(md.compose("S", body(), constraints={0: rows}, how=how, at={"r": 1} if r == "r" else None))
    rows = {"far": "p_Px**2 + p_Py**2 - 5e5**2", "wave": "sin(p_Px) - 0.3"}
    assert len(md.compose("S", body(), constraints={0: rows}).explicit()) == 3


def test_a_place_nearby_is_told_where_none_is_found():
    rows = {"far": "sqrt(p_Px - 4000) - 1"}
    with refused(r"S\.far has no value .*tell one nearby as at="):
        md.compose("S", body(), constraints={0: rows}).explicit()
    assert "v_Px'" in md.compose("S", body(), constraints={0: rows}, at={"P.px": 4000.5}).explicit()


def test_what_is_named_nowhere_has_no_value():
    values = {"m_P": 1, "I_P": 1, "g": 1}
    with refused(r"system 'P': parameters: nothing names 'm_p'\. Did you mean 'm_P'\?"):
        body().model(parameters=values | {"m_p": 2})
    with refused(r"system 'P': inputs: nothing names 'F'"):
        body().model(parameters=values, inputs={"F": 2})
    cart = lw.lagrangian("x", "m*x'**2/2", parameters={"m": 1})
    with refused(r"system 'J': parameters: nothing names 'm_b'\. Did you mean 'm_a'\?"):
        lw.join("J", {"a": cart}, parameters={"m_b": 2})
    with refused(r"at: no parameter or variable named 'l'"):
        md.compose("S", body(), constraints={0: {"c": "p_Px - L"}}, at={"l": 1})
    with refused(r"rules: no parameter named 'm_Q'\. Did you mean 'm_P'\?"):
        body().linearize(rules={"m_Q": 1})


def test_what_only_events_points_and_starts_name_has_a_value():
    low = lw.Event(name="low", when="p_Px - limit", then={"held": "kick"})
    model = body().model(
        parameters={"m_P": 1, "I_P": 1, "g": 1, "limit": 2, "kick": 3, "r": 0.1, "b": "2*c", "c": 1},
        inputs={"held": 0},
        events=low,
        points={"tip": ("p_Px + r", "p_Py")},
        start={"p_Px": "b"},
    )
    assert model.mechanism.values["b"] == 2


def test_a_system_of_nothing_is_refused():
    with refused(r"system 'S': it has no subsystems, and no coordinates or speeds of its own\. Give modules"):
        md.compose("S", [])


def test_missing_values_are_all_told():
    with refused(r"system 'P': no value for I_P, g"):
        body().model(parameters={"m_P": 1})


def test_an_undetermined_speed_is_named():
    S = md.compose("S", body(), coordinates="z")
    with refused(r"nothing determines the rate of z'"):
        S.explicit()


def test_linear_models_that_do_not_fit_are_refused():
    with refused(r"A has 1 rows and 2 columns"):
        md.linear_module("F", [[1, 2]])
    with refused(r"B is 2 x 1, not 1 x any"):
        md.linear_module("F", [[1]], [[1], [2]])
    with refused(r"no input named 'F\.w2'"):
        md.compose("S", [body(), md.linear_module("F", [[1]], [[1]])], inputs={"F.w2": "p_Px"})


def test_what_is_no_model_is_told():
    with refused(r"3 is no model"):
        md.from_model("A", 3)
    with refused(r"3 is no module"):
        md.compose("S", [3])
    with refused(r"no label"):
        md.newton_euler("a b")


def test_what_goes_on_and_off_has_no_place_in_a_module():
    ball = lw.lagrangian("y", "y'**2/2 - 9.81*y", stops=[lw.Stop(name="floor", gap="y")], start={"y": 1})
    with refused(r"it has stops: a module is equations that always hold.*S\.model\(stops="):
        md.from_model("B", ball)
    with refused(r"it has stops or contacts"):
        md.from_model("B", EXAMPLES / "newtons-cradle.yaml")
    with refused(r"it has frictions"):
        md.from_model("B", EXAMPLES / "brake-shoe.yaml")
    with refused(r"laws read reactions or accelerations"):
        md.from_model("B", lw.lagrangian("x y", "x'**2 + y'**2", forces={"x": "-0.1*y''"}))


@pytest.mark.parametrize("word", ["kinematics", "constraints", "forces", "inputs", "rename", "at"])
def test_what_is_given_by_name_is_a_mapping(word):
    with refused(rf"{word}: \[1\] is no mapping\. Give \{{"):
        md.compose("S", body(), **{word: [1]})


def test_constraints_that_repeat_others_only_where_all_hold_are_named():
    """Both cranks of a parallelogram and a bar that is told to stay level: elsewhere the rows are independent."""
    bodies = [body(label) for label in "ABC"]
    rows = {f"{n}x": f"p_{n}x - {at} - r/2*cos(theta_{n})" for n, at in (("A", "0"), ("B", "d"))}
    rows |= {f"{n}y": f"p_{n}y - r/2*sin(theta_{n})" for n in "AB"}
    rows |= {"left x": "p_Cx - d/2 - r*cos(theta_A)", "left y": "p_Cy - r*sin(theta_A)", "level": "theta_C"}
    rows |= {"right x": "p_Cx + d/2 - d - r*cos(theta_B)", "right y": "p_Cy - r*sin(theta_B)"}
    tied = r"of 9 rows some follow from others where all constraints hold: .*right x'.*least squares"
    for derive in (lambda S: S.C, lambda S: S.explicit()):
        with refused(tied):
            derive(md.compose("S", bodies, constraints={0: rows}))
    S = md.compose("S", bodies, constraints={0: rows}, how="least squares", at={"r": 1, "d": 2})
    assert (S.rank, S.freedoms) == (8, 1)


def test_the_reference_of_a_quaternion_has_its_length():
    free = md.newton_euler("Q", orientation="quaternion", gravity="none")
    with refused(r"not on constraint 'norm_Q', which is -1 there"):
        free.linearize()
    linear = free.linearize({"q_Qt": 1})
    assert [q.name for q in linear.independent_coordinates] == ["p_Qx", "p_Qy", "p_Qz", "q_Qx", "q_Qy", "q_Qz"]


@pytest.mark.parametrize("name", ["pi", "sin", "select"])
def test_names_that_formulas_know_are_no_names_of_variables(name):
    with refused(f"the name {name} is built in"):
        md.compose("S", body(), coordinates=name)
    with refused(f"the name {name} is built in"):
        body().rename({"p_Px": name})


def test_numbers_that_are_none_are_told():
    with refused(r"system 'P': values 'm_P': nan is no finite number"):
        body().linearize().eigenvalues({"m_P": float("nan"), "I_P": 1, "g": 1})
    with refused(r"system 'F': A: \[\[inf\]\] is no matrix"):
        md.linear_module("F", A=[[float("inf")]])


def test_matrices_tell_what_they_are_drawn_in_and_which_columns_are_there_twice():
    X = md.Labelled(["a"], ["b", "c"], [[2, 1]])
    with refused(r"'picture.png' is out of place\. Give axes of matplotlib"):
        X.plot("picture.png")
    with refused(r"the independent 'b' is there twice"):
        X.complement(["b", "b"])
