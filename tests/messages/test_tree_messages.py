"""Wrong vectors and trees: told in words with the line of the script, in a script, a notebook and at a prompt."""

import code
import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.vectors import Frame, VectorError, angle, nominal

SETTING = """\
import numpy as np
import linkwork as lw
from linkwork.symbolic import log, symbol
from linkwork.vectors import *
q, L = symbol("q", kind="coordinate"), symbol("L")
N = Frame("N")
F = N.turned("F", q, "z")
M = Frame("M")
tree = lw.Tree("tree", gravity=9.81)
B = tree.add_body("B", rotate="z", mass=1, inertia=(1, 1, 1), centre=(1, 0, 0))
tree.add_output("bend", "q1")
other = lw.Tree().add_body("B", rotate="z", mass=1, inertia=0)
"""
LINE = SETTING.count("\n") + 1

WRONG = {
    # vectors
    "F.x + 3": "a vector and a scalar have no sum",
    "L - F.x": "a vector and a scalar have no sum",
    "'a' + F.x": "'a': a vector and a str have no sum",
    "1/F.x": "nothing can be divided by F.x, a vector",
    "L/F.x": "nothing can be divided by F.x, a vector",
    "F.x**2": "F.x, a vector, has no powers. Use dot, cross or outer",
    "L**F.x": "is no exponent",
    "3 @ F.x": "3, a scalar, has no dot product with a vector",
    "abs(F.x)": "Use magnitude",
    "F.x/(L - L)": "F.x cannot be divided by zero",
    "F.x/0": "F.x cannot be divided by zero",
    "F.x*float('nan')": "Use a finite number",
    "np.ones(2)*F.x": "a ndarray. Give a scalar",
    "dot(F, F.x)": "must be a vector",
    "identity('B')": "must be a frame; 'B' is a str",
    "express(F.x, 'N')": "must be a frame",
    "components(F.x, None)": "must be a frame",
    "components(F.x, M)": "belong to two trees",
    "entries(F.x, F)": "Give a dyadic",
    "matrix(F, 'N')": "must be a frame",
    "angle(0, F.x)": "a vector of no length makes no angle",
    "angle(F.x, N.x, about=N.x)": "does not turn to",
    "dt(F.x, 'N')": "must be a frame",
    "dt(F.x, M)": "belong to two trees",
    "angular_velocity('F')": "must be a frame",
    "angular_acceleration(None)": "must be a frame",
    "velocity(F, of=M)": "belong to two trees",
    "velocity(F, frame='N')": "must be a frame",
    "coordinates(F, 'N')": "must be a frame",
    "partial(F.x, q)": "who looks. Name the frame",
    "partial(F.x, q, frame='N')": "must be a frame",
    "nominal(L*log(q))": "has no value where all coordinates are zero",
    "constant_part('q')": "must be a scalar; 'q' is a str",
    "collect('q')": "must be a scalar",
    "gcf(None)": "must be a scalar",
    # frames
    "Frame(3)": "3 is no name of a frame",
    "Frame('Z', 'N')": "the parent of 'Z' must be a frame",
    "N.turned('F', q, 'x')": "there is a frame 'F' already",
    "N.turned('Z', q, F.x)": "the direction of a turn moves in 'N'",
    "N.turned('Z', q, M.x)": "belong to two trees",
    "N.turned_by('Z', q, 'x')": "is no list of angles",
    "F.point('P', 'abc')": "Give three coordinates",
    # trees
    "lw.Tree(parameters=[1])": "does not say what belongs to which name",
    "lw.Tree(parameters={'t': 1})": "t is the time",
    "lw.Tree(inputs=['fire'])": "does not say what belongs to which name",
    "lw.Tree(gravity=N.z)": "gravity must be a scalar; N.z is a vector",
    "tree.add_body('')": "is no name of a body",
    "tree.add_body('B', rotate='z')": "there is a frame 'B' already",
    "tree.add_body('C', parent='C')": "the parent of 'C', 'C', is no body of this tree",
    "tree.add_body('C', parent=other)": "is no body of this tree",
    "tree.add_body('C', parent=B.turned('K', q, 'x'))": "is no body of this tree",
    "tree.add_body('C', rotate=B.x)": "the direction of a turn moves in 'N'",
    "tree.add_body('C', translate=B.x)": "a direction of sliding moves in 'N'",
    "tree.add_body('C', rotate=True)": "True, a scalar, is no axis",
    "tree.add_body('C', translate='xx')": "the directions of sliding N.x, N.x repeat each other",
    "tree.add_body('C', translate=['x', 'y', (1, 1, 0)])": "repeat each other",
    "tree.add_body('C', translate={'x': 1})": "is no list of directions",
    "tree.add_body('C', mass=float('nan'))": "Use a finite number",
    "tree.add_body('C', mass=1, inertia=identity(N))": "inertia of 'C': .* belongs to another tree",
    "tree.add_body('C', mass=1, inertia=0, centre=N.x)": "centre of 'C': N.x belongs to another tree",
    "tree.add_body('C', mass=1, inertia=0, joint_at=F.x)": "joint_at of 'C': F.x belongs to another tree",
    "tree.add_force('f', along=F.x, magnitude=1, at=B)": "force 'f': F.x belongs to another tree",
    "tree.add_moment(3, along=B.x, magnitude=1, on=B)": "3, a scalar, is no name of a force or moment",
    "tree.add_output('bend', 'u1')": "there is something called 'bend' already",
    "tree.add_output('q1', 'u1')": "there is something called 'q1' already",
    "tree.add_constraint('c', 'q1'); tree.add_constraint('c', 'q1 - 1')": "there is a constraint 'c' already",
    "tree.add_input('a'); tree.add_input('a')": "there is something called 'a' already",
    "tree.declare_small('x', 0)": "'x' cannot be small of order 0",
    "tree.declare_small(3)": "3, a scalar, is no name",
    "tree.add_call(['a'], None, ['t'])": "None, a NoneType, cannot be called",
    "tree.add_call(['a'], lambda x: float(x), ['t'], opaque=False)": "does not work with expressions",
    "tree.choose_speeds(['v'], instead_of=['u1'])": "does not say what belongs to which name",
    "tree.model(parameters=['a'])": "does not say what belongs to which name",
    "tree.model(start={'q9': 1})": "there is no coordinate 'q9'. Did you mean 'q1'",
    """tree.model(start={'u1': 1, "q1'": 1})""": "'u1' is a speed and 'q1'' a rate. Give speeds, or rates",
    "tree.model(points={'P': F})": "is no point",
    "tree.mechanism(start={'q9': 1})": "there is no coordinate 'q9'",
    "tree.add_moment('m', along=B.z, magnitude='q9', on=B); tree.model()": "no value for q9",
    "tree.equations(small='much')": "'much' is out of place",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_told_with_the_line_of_the_script(wrong):
    space = {"__name__": "__main__"}
    with pytest.raises(lw.LinkworkError, match=WRONG[wrong]) as told:
        exec(compile(SETTING + wrong, "/home/somebody/arm.py", "exec"), space)
    assert str(told.value).startswith(f"arm.py:{LINE}: ")
    if ";" not in wrong:  # nothing is left behind
        tree = space["tree"]
        assert (len(tree.bodies), [*tree.outputs], tree.loads, tree.used) == (1, ["bend"], [], {})


PLACES = {
    "/tmp/ipykernel_123/987.py": "notebook cell",
    "<ipython-input-3-1f0c>": "notebook cell",
    "C:\\work\\arm.py": "arm.py",
    "<string>": "<string>",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("space", [{}, {"__name__": "__main__"}])
def test_the_line_is_that_of_wherever_the_script_is(place, space):
    with pytest.raises(VectorError) as told:
        exec(compile(SETTING + "F.x + 3", place, "exec"), space)
    assert told.value.place == f"{PLACES[place]}:{LINE}"


def test_the_line_at_a_prompt(capsys):
    prompt = code.InteractiveInterpreter()
    hook, sys.excepthook = sys.excepthook, sys.__excepthook__
    try:
        for line in (*SETTING.splitlines(), "F.x + 3"):
            assert prompt.runsource(line, "<stdin>") is False
    finally:
        sys.excepthook = hook
    assert "VectorError: <stdin>:1: F.x + 3: a vector and a scalar have no sum" in capsys.readouterr().err


def test_a_small_divisor_is_told_with_the_line_of_its_load():
    tree = lw.Tree("small")
    body = tree.add_body("B", rotate="z", mass=1, inertia=(1, 1, 1), small=True)
    tree.add_moment("spring", along=body.z, magnitude="-k*q1", on=body)
    added = tree.add_moment("odd", along=body.z, magnitude="k/q1", on=body)
    with pytest.raises(
        VectorError, match=f"'odd', added in {added.place}: a small quantity alone is a divisor"
    ) as told:
        tree.model(small=True, parameters={"k": 1})
    assert told.value.place != added.place and "test_tree_messages.py:" in added.place
    assert tree.model(parameters={"k": 1}, start={"q1": 1}).simulate(0.01, compiled=False).audit().ok


def test_what_looks_wrong_and_is_not():
    """What looks wrong and is not: an angle of nothing, arrays of numbers, a joint at the origin of a body."""
    N = Frame("N")
    assert str(angle(N.x, N.x, about=N.z)) == "0" and str(nominal(3)) == "3"
    tree = lw.Tree("arrays", gravity=np.array([0, 0, -9.81]))
    body = tree.add_body("B", rotate="y", mass=np.float64(1), inertia=np.eye(3), centre=np.array([1.0, 0, 0]))
    assert tree.gravity == -9.81 * tree.ground.z
    tree.add_body("C", parent=body, joint_at=body, rotate="y", mass=1, inertia=0, centre=(1, 0, 0))
    assert tree.model(points={"B": body}).simulate(0.01, compiled=False).audit().ok
