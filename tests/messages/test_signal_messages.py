"""What is said about variables, states and controllers that cannot be."""

import pytest

import linkwork as lw

FILE = """\
PhysicalParams: {l: 1, m: 2}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m]}}
%s
ProblemData: {tend: 1, positions: {A: [1, 0]}}
"""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("Variables: {error: target - OA.angle}",
         "<text>:5: variable 'error': unknown name 'target' in 'target - OA.angle'. Define a parameter with this name"),
        ("Variables: {a: b, b: 2*a}", "<text>:5: variable 'a': depends on itself: a -> b -> a. Break the circle"),
        ("Variables: {A: 1}", "<text>:5: variable 'A': there is already a point of this name. Use another name"),
        ("Variables: {Ax: 1}", "<text>:5: variable 'Ax': there is already a coordinate of this name. Use another name"),
        ("Variables: {sin: 1}",
         "<text>:5: variable 'sin': there is already something built in of this name. Use another name"),
        ("Variables: [a]", "<text>:5: Variables: expected a map such as {key: value}, not a list"),
        ("States: {X: X'}", "<text>:5: state 'X': depends on itself. Break the circle"),
        ("States: {X: {start: 1}}", "<text>:5: state 'X': the rate is missing. Write rate: and a law"),
        ("States: {X: {rate: 1, start: OA.angle}}", "<text>:5: state 'X': unknown name 'OA.angle' in 'OA.angle'"),
        ("States: {X: {rate: 1, scale: -1}}",
         "<text>:5: state 'X': scale -1 is not positive. Give the size it usually has"),
        ("States: {l: 1}", "<text>:5: state 'l': there is already a parameter of this name. Use another name"),
        ("States: {OA: 1}", "<text>:5: state 'OA': there is already a part of this name. Use another name"),
        ("States: {t: 1}", "<text>:5: state 't': there is already something built in of this name. Use another name"),
        ("States: {2X: 1}", "<text>:5: state '2X': this name cannot be used in formulas."),
        ("States: {X: 1}\nMotions: {OA.angle: X}",
         "<text>:6: motion 'OA.angle': law depends on X, not on time alone."),
        ("States: {X: Y + 1, Yy: 2}", "<text>:5: state 'X': unknown name 'Y' in 'Y + 1'. Did you mean 'Yy'?"),
        ("Controllers: {c: {kind: pod, error: OA.angle}}",
         "<text>:5: controller 'c': no kind of controller is called 'pod'. Did you mean 'pid'?"),
        ("Controllers: {c: {error: OA.angle}}",
         "<text>:5: controller 'c': the kind is missing. Write kind: pid, transfer or sampled"),
        ("Controllers: {c: {kind: pid}}", "<text>:5: controller 'c': the error is missing. A pid controller has error"),
        ("Controllers: {c: {kind: pid, error: t, input: t}}",
         "<text>:5: controller 'c': a pid controller has no input. Remove it"),
        ("Controllers: {c: {kind: pid, error: OA.omega, D: 1}}",
         "<text>:5: controller 'c': the rate of OA.omega would need accelerations. Give a filter time"),
        ("Controllers: {c: {kind: pid, error: d, D: 1}, d: {kind: pid, error: OA.angle, P: 1}}",
         "<text>:5: controller 'c': the rate of d would need accelerations. Give a filter time"),
        ("Controllers: {c: {kind: pid, error: c, P: 1}}",
         "<text>:5: variable 'c': depends on itself. Break the circle"),
        ("Controllers: {c: {kind: transfer, input: t, numerator: [1, 2], denominator: [1]}}",
         "<text>:5: controller 'c': the numerator has a higher power of s than the denominator."),
        ("Controllers: {c: {kind: transfer, input: t, numerator: [1], denominator: [0, 1]}}",
         "<text>:5: controller 'c': the denominator begins with zero."),
        ("Controllers: {c: {kind: transfer, input: t, numerator: 1, denominator: [1]}}",
         "<text>:5: controller 'c': numerator is a list of values. Write numerator: [tau, 1]"),
        ("Variables: {c: 1}\nControllers: {c: {kind: pid, error: t, P: 1}}",
         "<text>:6: controller 'c': there is already a variable of this name. Use another name"),
        ("States: {c_I: 1}\nControllers: {c: {kind: pid, error: t, I: 1}}",
         "<text>:5: state 'c_I': there is already a state of this name. Use another name"),
        ("Controllers: {c: {kind: pid, error: t, D: 1, filter: -0.1}}",
         "<text>:5: controller 'c': the filter time is -0.1. Give a positive time"),
        ("Controllers: {c: {kind: pid, error: t, D: 1, filter: l - 1}}",
         "<text>:5: controller 'c': the filter time is 0. Give a positive time"),
        ("Controllers: {c: {kind: transfer, input: t, numerator: [1], denominator: [l - 1, 1]}}",
         "<text>:5: controller 'c': the denominator begins with zero."),
        ("Controllers: {c: {kind: pid, error: t, P: 1, filter: 0.1}}",
         "<text>:5: controller 'c': a filter is for the derivative, and there is none. Give D or leave out the filter"),
        ("AppliedForces: {Torques: {OA: [max(OA.angle, 0)]}}", "expected a number or a formula, not a list"),
        ("AppliedForces: {Forces: {A: [max(A.x, 0)]}}", "a formula with commas needs quotes: ['max(x, 0)']"),
    ],
)  # fmt: skip
def test_what_cannot_be(given, message):
    with pytest.raises(lw.InputError) as caught:
        lw.loads(FILE % given)
    assert message in str(caught.value)
    if "quotes" not in message:
        assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("rate", "words"),
    [("X**2 + 1", ["t = 1.5708", "state X"]), ("sqrt(-1 - OA.angle**2)", ["not finite", "state X"])],
)
def test_a_state_that_leaves_all_bounds_is_named(rate, words):
    with pytest.raises(lw.SolveError) as caught:
        lw.loads(FILE % f"States: {{X: '{rate}'}}\nAppliedForces: {{Torques: {{OA: 0*OA.angle - OA.omega}}}}").simulate(
            3
        )
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"states": "X"}, "states: 'X' is no state. Give states=[lw.State("),
        ({"states": {"X": "1"}}, "states: 'X' is no state"),
        ({"states": 5}, "states: 5 is no state"),
        ({"variables": ["a"]}, "variables: ['a'] does not say what belongs to which name"),
        ({"variables": {1: "2"}}, "variables: 1 is no name"),
        ({"variables": {"a": "2*"}}, "variable 'a': a number or a name is missing"),
    ],
)
def test_wrong_types_are_told(given, words):
    with pytest.raises(lw.InputError) as caught:
        lw.Mechanism(particles=[lw.Particle(point="A", mass=1)], **given)
    assert words in str(caught.value)


def test_the_name_of_a_state_is_a_text():
    with pytest.raises(lw.InputError, match="state '5': name: 5 is no name"):
        lw.State(name=5, rate=1)


def test_a_transfer_function_wants_lists():
    with pytest.raises(lw.InputError, match="numerator: 5 is no list of values"):
        lw.Transfer("t", numerator=5, denominator=[1])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"states": {"x": "1"}}, "state 'x': this name is used twice"),
        (
            {"variables": {"Px": "7"}, "points": {"P": ("x", "0")}},
            "a state, variable or input is called 'Px'",
        ),
        ({"states": {"P": "1"}, "points": {"P": ("x", "0")}}, "a state, variable or input is called 'P'"),
        ({"variables": {"c": lw.Pid("x", P=1)}}, "variable 'c': controllers belong to mechanisms of parts"),
    ],
)
def test_names_of_a_lagrangian_are_told_apart(given, words):
    with pytest.raises(lw.InputError) as caught:
        lw.lagrangian("x", "x'**2/2 - x**2/2", **given)
    assert words in str(caught.value)


def test_one_wrong_name_is_one_problem():
    with pytest.raises(lw.InputError) as caught:
        lw.Mechanism(
            fixed={"O": ()},
            rigids=[lw.Rigid.rod("OA", 1, 1)],
            variables={"error": "target - OA.angle", "more": "2*error"},
            states=[lw.State(name="X", rate="more")],
            torques=[lw.Torque(part="OA", value="error + X")],
        )
    assert [problem.part for problem in caught.value.problems] == ["variable 'error'"]
