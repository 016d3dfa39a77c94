"""What a user reads when a file is wrong: the literal text, with file, line, part and remedy."""

import pytest

import linkwork as lw
from linkwork.spec import parse_mechanism
from tools import check_mistake, messages

GOOD = """\
Title: T
PhysicalParams: {l: 1, m: 2, k: 3}
Dimension: 2
PartData:
  Fixed: {O: []}
  Rigids:
    OA: {Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}
  Springs:
    AB: [k, l]
  Particles: {B: m}
AppliedForces:
  Gravity:
  ConstTorques: {OA: 1}
ProblemData:
  t0: 0
  tend: 1
  positions: {A: [[l, fixed], 0], B: [1, 1]}
SolverParams: {Integration: {tol: 1e-9, order: 17}}
"""


def test_the_file_without_mistakes_is_read():
    parse_mechanism(GOOD)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # keys
        ("PartData:", "PartsData:", "4: unknown key 'PartsData'. Did you mean 'PartData'?"),
        ("Springs", "Spring", "8: PartData: unknown key 'Spring'. Did you mean 'Springs'?"),
        ("  Springs:", "  Joints:", "8: PartData: unknown key 'Joints'. It belongs in Connections"),
        (
            "tol:",
            "tolerance:",
            "18: Integration: unknown key 'tolerance'. Known keys are tol, order, max_step, every, method, step, "
            "alpha, beta, rho, fit",
        ),
        ("tend: 1", "t0: 1", "16: ProblemData: the key 't0' is already on line 15. Remove one of the two"),
        ("k: 3", "k: 3, k: 4", "2: PhysicalParams: the key 'k' is already on line 2. Remove one of the two"),
        # parameters
        ("m: 2", "m: 2*mm", "2: parameter 'm': unknown name 'mm' in '2*mm'. Did you mean 'm'?"),
        ("m: 2", "m: m + 1", "2: parameter 'm': depends on itself. Give it a number"),
        (
            "l: 1, m: 2",
            "l: m/2, m: k*l",
            "2: parameter 'l': depends on itself: l -> m -> l. Give it a number",
        ),
        ("m: 2", "m: 1/0", "2: parameter 'm': division by zero in '1/0'"),
        (
            "m: 2",
            "z: 0, m: k/z",
            "2: parameter 'm': division by zero: k/z at k = 3, z = 0. Check the formula and its parameters",
        ),
        ("m: 2", "m: nan", "2: parameter 'm': unknown name 'nan' in 'nan'. Use a finite number"),
        (
            "m: 2",
            "m: .inf",
            "2: parameter 'm': unexpected character '.' in '.inf'. Use a finite number such as 0.5",
        ),
        ("m: 2", "m: ", "2: parameter 'm': a value is missing. Write a number or a formula"),
        ("m: 2", "m: [2]", "2: parameter 'm': expected a number or a formula, not a list"),
        (
            "k: 3",
            "k: 3, k-2: 1",
            "2: parameter 'k-2': this name cannot be used in formulas. Use letters, digits and _, "
            "starting with a letter",
        ),
        ("m: 2", "m: 1e300*1e300", "2: parameter 'm': the number is too large. Use numbers up to 1e308"),
        ("m: 2", "m: 9**9**9**9", "2: parameter 'm': 9**387420489 is too large in '9**9**9**9'"),
        ("m: 2", "m: 2^2", "2: parameter 'm': unexpected character '^' in '2^2'. Use ** for a power"),
        # dimension
        ("Dimension: 2", "Dimension: 4", "3: Dimension: expected 2 or 3, not '4'"),
        ("Dimension: 2", "Dimension: foo", "3: Dimension: expected 2 or 3, not 'foo'"),
        # rigid parts
        (
            "OA: {Geom",
            "O_A, OA: {Geom",
            "7: rigid 'O_A': this is not the name of a part or point. Name a part by its points, each "
            "a letter with or without digits, as in OA or P1P2",
        ),
        ("OA: {Geom", "OA, OA: {Geom", "7: rigid 'OA': already defined on line 7. Remove one of the two"),
        ("OA: {Geom", "OA, AA: {Geom", "7: rigid 'AA': point 'A' occurs twice. Name each point once"),
        ("{Geom: [[l]], ", "{", "7: rigid 'OA': Geom is missing. Write Geom: [[l]]"),
        (
            "Geom: [[l]]",
            "Geom: l",
            "7: rigid 'OA': Geom is a list of lists of coordinates. Write Geom: [[l]]",
        ),
        (
            "Geom: [[l]]",
            "Geom: [[l], [1]]",
            "7: rigid 'OA': the number of places in Geom is 2, but there are 1 to give (A). 'O' is the "
            "origin; write Geom: [[l]]",
        ),
        ("Geom: [[l]]", "Geom: [[l, 0, 0]]", "7: rigid 'OA': 3 coordinates in dimension 2. Give at most 2"),
        (
            "Geom: [[l]]",
            "Geom: [[0]]",
            "7: rigid 'OA': points 'O' and 'A' coincide. Give each point its own place; a rod needs a positive length",
        ),
        (
            "Geom: [[l]]",
            "Geom: [[-l]]",
            "7: rigid 'OA': 'A' is at (-1, 0), not on the positive local x axis. Place 'A' at "
            "(distance from 'O', 0) and turn the other points with it",
        ),
        (
            "[[l/2], m, m*l**2/12]",
            "[m, 1]",
            "7: rigid 'OA': Dyna is a list of centroid, mass and inertia. Write Dyna: [[x, y], mass, inertia]",
        ),
        ("[l/2], m,", "[l/2], -m,", "7: rigid 'OA': mass is negative (-2). Make it zero or positive"),
        ("m*l**2/12", "-1", "7: rigid 'OA': inertia is negative (-1). Make it zero or positive"),
        (
            "[l/2]",
            "[l/(l-1)]",
            "7: rigid 'OA': centroid: division by zero: l/(1 - l) at l = 1. Check the formula and its parameters",
        ),
        # springs and particles
        (
            "[k, l]",
            "k",
            "9: spring 'AB': expected [stiffness, rest length] or [stiffness, rest length, mass], not "
            "'k'. Write [k, l] or [k, l, mass]",
        ),
        ("[k, l]", "[-k, l]", "9: spring 'AB': stiffness is negative (-3). Make it zero or positive"),
        ("[k, l]", "[k, -l]", "9: spring 'AB': rest length is negative (-1). Make it zero or positive"),
        (
            "AB: [k",
            "ABC: [k",
            "9: spring 'ABC': the name stands for 3 points, not two points. Name a part by its points, "
            "each a letter with or without digits, as in OA or P1P2",
        ),
        (
            "Particles: {B: m}",
            "Particles:",
            "9: spring 'AB': no mass at point 'B'. Add a particle at 'B' or give the spring a mass",
        ),
        ("{B: m}", "{B: -m}", "10: particle 'B': mass is negative (-2). Make it zero or positive"),
        # forces
        ("Gravity:", "Gravity: 9.81", "12: gravity: expected a list such as [x, y], not '9.81'"),
        ("{OA: 1}", "{OB: 1}", "13: torque 'OB': no rigid part named 'OB'. Did you mean 'OA'?"),
        ("{OA: 1}", "{'OA, XY': 1}", "13: torque 'OA': no rigid part named 'XY'. Rigid parts are OA"),
        # initial values
        (
            "[l, fixed]",
            "[l, fixd]",
            "17: position of 'A': expected the word 'fixed', not 'fixd'. Did you mean 'fixed'?",
        ),
        (
            "[[l, fixed], 0]",
            "[l, fixed]",
            "17: position of 'A': 'fixed' stands alone. Put each fixed coordinate into its own "
            "brackets: [[x, fixed], [y, fixed]]",
        ),
        ("B: [1, 1]", "B: 1", "17: position of 'B': expected a list such as [x, y], not '1'"),
        ("B: [1, 1]", "O: [1, 1]", "17: position of 'O': point 'O' is fixed. Remove it here or from Fixed"),
        ("B: [1, 1]", "B1: [1, 1]", "17: position of 'B1': no part has a point 'B1'. Did you mean 'B'?"),
        ("B: [1, 1]", "AB: 1", "17: angle of 'AB': no turn angle named 'AB'. Did you mean 'OA'?"),
        ("tend: 1", "tend: -1", "16: ProblemData: tend (-1) is before t0 (0). Give a later tend"),
        # settings
        ("1e-9", "1e-30", "18: Integration: tol 1e-30 is out of range. Use 1e-16 to 0.01"),
        ("order: 17", "order: 61", "18: Integration: order 61 is out of range. Use 4 to 60"),
        ("order: 17", "order: 2.5", "18: Integration: order 2.5 is not a whole number"),
        ("tol: 1e-9", "step: 0", "18: Integration: step 0 is not positive. Give a time in seconds"),
        ("tol: 1e-9", "rho: 1.5", "18: Integration: rho 1.5 is out of range. Use 0 to 1"),
        ("tol: 1e-9", "method: tailor", "18: method: no method is called 'tailor'. Did you mean 'taylor'?"),
        ("tol: 1e-9", "tol: k", "18: tol: expected a number, not 'k'"),
        # YAML
        (
            "[[l]]",
            "[[l]",
            "7: not valid YAML: did not find expected ',' or ']'. Close the bracket '[' with ']'",
        ),
        (
            "  Springs:",
            "\tSprings:",
            "8: not valid YAML: found character that cannot start any token. Indent with spaces; put "
            "quotes around text that starts with a special sign",
        ),
        (
            "Title: T",
            "Title: a: b",
            "1: not valid YAML: mapping values are not allowed in this context. Check the indentation; "
            "put quotes around text with a colon",
        ),
        (
            "Title: T",
            "Title: !!python/object/apply:os.system ['ls']",
            "1: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not allowed. Remove the tag",
        ),
        (
            "m: 2",
            "m: \"__import__('os').system('ls')\"",
            "2: parameter 'm': unknown function '__import__' in '__import__('os').system('ls')'. Known "
            "functions are sin, cos, tan, asin, acos, atan, atan2, exp, log, abs, sign, min, max, "
            "tanh, sqrt, select",
        ),
    ],
)
def test_one_mistake_gives_one_message(old, new, message):
    check_mistake(GOOD, old, new, message)


def test_all_mistakes_are_reported_together_in_the_order_of_lines():
    text = GOOD.replace("m: 2", "m: -2").replace("tend: 1", "tend: -1").replace("[k, l]", "[q, l]")
    assert messages(text) == [
        "arm.yaml:7: rigid 'OA': mass is negative (-2). Make it zero or positive",
        "arm.yaml:7: rigid 'OA': inertia is negative (-0.166667). Make it zero or positive",
        "arm.yaml:9: spring 'AB': unknown name 'q' in 'q'. Define a parameter with this name",
        "arm.yaml:10: particle 'B': mass is negative (-2). Make it zero or positive",
        "arm.yaml:16: ProblemData: tend (-1) is before t0 (0). Give a later tend",
    ]


def test_a_mistake_is_reported_once_and_not_again_in_what_follows_from_it():
    assert messages(GOOD.replace("{l: 1", "{l: 1/0")) == ["arm.yaml:2: parameter 'l': division by zero in '1/0'"]


def test_every_knot_of_parameters_is_named():
    text = GOOD.replace("k: 3", "k: 3, a: b, b: c, c: a, d: d, e: d + a")
    assert messages(text) == [
        "arm.yaml:2: parameter 'a': depends on itself: a -> b -> c -> a. Give it a number",
        "arm.yaml:2: parameter 'd': depends on itself. Give it a number",
    ]


def test_a_detail_on_a_line_of_its_own_is_reported_on_that_line():
    text = GOOD.replace("{Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}", "\n      Geom: [[l]]\n      Dyna: [[l/2], -m, 0]")
    assert messages(text) == ["arm.yaml:9: rigid 'OA': mass is negative (-2). Make it zero or positive"]


def test_fixed_points_of_one_part_must_be_as_far_apart_as_in_the_part():
    text = "PartData: {Fixed: {O: [], A: [2]}, Rigids: {OAB: {Geom: [[1], [0, 1]]}}}"
    assert messages(text) == [
        "arm.yaml:1: rigid 'OAB': fixed points 'O' and 'A' are 2 apart, but 1 in the part. "
        "Make both distances equal or free one of the points"
    ]


def test_fixed_points_of_one_part_must_not_be_mirrored():
    text = "PartData: {Fixed: {O: [], A: [1], B: [0, -1]}, Rigids: {OABC: {Geom: [[1], [0, 1], [1, 1]]}}}"
    assert messages(text) == [
        "arm.yaml:1: rigid 'OABC': fixed point 'B' is not where the part has it. Move or free 'B'"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "arm.yaml: the file is empty. Describe a mechanism in it"),
        ("# later\n", "arm.yaml: the file is empty. Describe a mechanism in it"),
        ("hello", "arm.yaml:1: expected a map such as {key: value}, not 'hello'"),
        ("- 1", "arm.yaml:1: expected a map such as {key: value}, not a list"),
        (
            "Title: x",
            "arm.yaml:1: PartData: there are no parts. Add a part with a point that is not in Fixed",
        ),
        (
            "PartData: {Fixed: {O: [], A: [1]}, Rigids: {OA: {Geom: [[1]]}}}",
            "arm.yaml:1: PartData: nothing can move: all points are fixed. "
            "Add a part with a point that is not in Fixed",
        ),
        (GOOD + "---\n", "arm.yaml:19: a second document starts here. Remove everything from '---' on"),
        ("a: &a [*a]", "arm.yaml:1: the alias 'a' contains itself. Remove the alias"),
        ("a: *b", "arm.yaml:1: nothing is anchored as 'b'. Write &name before *name"),
        ("Title: \x07", "arm.yaml:1: the character '\\x07' is not allowed in YAML. Remove it"),
        ("Title: \ud800", "arm.yaml:1: the character '\\ud800' is not allowed in YAML. Remove it"),
        ("? " + "x" * 2000 + "\n: 1", "arm.yaml:1: a name of 2,000 characters. The limit is 1,000"),
        (
            "Title: 'open\n",
            "arm.yaml:2: not valid YAML: found unexpected end of stream "
            "(while scanning a quoted scalar that starts on line 1). Close the quote",
        ),
    ],
)
def test_a_text_that_is_no_mechanism_is_refused_in_words(text, message):
    assert messages(text) == [message]


@pytest.mark.parametrize(
    "text", ["a: " + "[" * 10_000 + "]" * 10_000, "[" * 1_000_000, "- " * 100_000, "{a: " * 100_000]
)
def test_deep_nesting_is_refused_without_overflowing_the_stack(text):
    assert messages(text) == ["arm.yaml:1: more than 50 levels of nesting. Check the brackets"]


def test_aliases_of_aliases_are_counted_before_they_fill_the_memory():
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    assert messages("\n".join(lines)) == ["arm.yaml:6: more than 2,000,000 values. Remove aliases that repeat aliases"]


def test_the_list_of_problems_ends_where_nobody_reads_on():
    rods = "".join(f"    P{k}P{k + 1}: {{Geom: [[-1]]}}\n" for k in range(1000))
    found = messages("PartData:\n  Rigids:\n" + rods)
    assert len(found) == 201
    assert found[-1] == "arm.yaml: at least 200 problems. Start with the first ones"


def test_a_part_with_an_ordinary_name_is_told_how_to_say_its_points():
    text = "PartData: {Fixed: {O: []}, Rigids: {crank: {Geom: [[1]], Dyna: [[0.5], 1]}}}\n"
    with pytest.raises(lw.InputError, match=r"If 'crank' is a name .* crank: \{points: \[O, A\], Geom: \.\.\.\}"):
        lw.loads(text)
