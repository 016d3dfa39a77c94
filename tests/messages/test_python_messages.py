"""What a user reads who gives Python what does not belong there: an InputError with part, what and remedy."""

import numpy as np
import pytest

import linkwork as lw

ROD = lw.Rigid.rod("OA", 1, 1)
ARM = "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[1/2], 1]}}}"

WRONG = [
    (lambda: lw.Body("b", frames={"c": None}), "body 'b': frame 'c': None is no list. Write a list of coordinates"),
    (lambda: lw.Body("b", frames=3), "body 'b': frames: 3 is no list. Write a list"),
    (lambda: lw.Body(None), "body 'None': None is no name for a body. Use letters, digits "
     "and _, starting with a letter"),
    (lambda: lw.Joint(name="j", kind="revolute", frames=(1, 2)), "joint 'j': 1 is no text. Give a text"),
    (lambda: lw.Joint(name="j", kind=None, frames=("a.b", "c.d")), "joint 'j': kind: None is no name. Give a text"),
    (lambda: lw.Effort(on=None, value=1), "effort 'None': name: None is no name. Give a text"),
    (lambda: lw.Rigid(name="OA", geometry=5), "rigid 'OA': geometry: 5 is no list. Write a list"),
    (
        lambda: lw.Rigid(name="OA", geometry=[(), (1,)], mass=[]),
        "rigid 'OA': mass: [] is not a number. Give a number, a text or an expression",
    ),
    (
        lambda: lw.Spring(name="AB", stiffness="k +", rest_length=1),
        "spring 'AB': stiffness: a number or a name is missing at the end. Complete the expression",
    ),
    (lambda: lw.Force(point="A", components="A.x"), "force 'A': components: a text where a list belongs. Write a list"),
    (lambda: lw.Table("ramp", x=3, y=[1]), "table 'ramp': x: 3 is no list. Write a list"),
    (lambda: lw.fix(None), "initial value: None is not a number. Give a number, a text or an expression"),
    (
        lambda: lw.InitialValues(positions={"A": 3}),
        "position of 'A': 3 is no list. Write a list",
    ),
    (
        lambda: lw.InitialValues(positions=[1]),
        "ProblemData: positions: [1] does not say what belongs to which name. Write {name: value}",
    ),
    (
        lambda: lw.Mechanism(bodies=lw.Body("b")),
        "bodies: Body(name='b', mass=0, centre=(), inertia=(), frames={}) is no list. "
        "Write bodies=[Body(name='b', mass=0, centre=(), inertia=(), frames={})]",
    ),
    (lambda: lw.Mechanism(rigids=None), "rigids: None is no list. Give a list of lw.Rigid"),
    (lambda: lw.Mechanism(rigids=["OA"]), "rigids: 'OA' is out of place. Give a list of lw.Rigid"),
    (lambda: lw.Mechanism(rigid=[ROD]), "Mechanism: a mechanism has no 'rigid'. Did you mean 'rigids'?"),
    (lambda: lw.Mechanism(rigids=[ROD], start=3), "start: 3 is out of place. Give lw.InitialValues(...)"),
    (
        lambda: lw.Mechanism(parameters=["l"]),
        "parameter: ['l'] does not say what belongs to which name. Write {name: value}",
    ),
    (lambda: lw.Mechanism(gravity="up"), "gravity: a text where a list belongs. Write a list of coordinates"),
    (lambda: lw.Mechanism(dimension="3"), "Dimension: '3' is not a dimension. Use 2 or 3"),
    (lambda: lw.Mechanism(title=5), "Title: 5 is no text. Give a text"),
    (lambda: lw.loads(None), "loads: None is no text. Give a text"),
    (lambda: lw.load(None), "load: None is no file name. Give a text such as 'arm.yaml'"),
    (
        lambda: lw.Model("arm.yaml"),
        "mechanism: 'arm.yaml' is out of place. Give lw.Mechanism(...); lw.load reads a file, "
        "lw.lagrangian takes energies",
    ),
    (lambda: lw.loads(ARM).simulate("long"), "until: 'long' is no number. Give the time of the end, in seconds"),
    (lambda: lw.loads(ARM).branches(3), "hold: 3 is no list. Write a list of names"),
    (lambda: lw.loads(ARM).with_branch("2"), "branch: '2' is out of place. Give a number of branches(), "
     "counted from 1, or None"),
    (lambda: lw.loads(ARM).vary("l", None), "vary l: no list of finite numbers. As in 0:10:41"),
    (
        lambda: lw.loads(ARM).show_mode(None),
        "mode: None is out of place. Give one of the modes of a linear model, as in model.linearize().modes[0]",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_what_does_not_belong_there_is_refused_in_words(call, message):
    with pytest.raises(lw.InputError) as caught:
        call()
    assert str(caught.value) == message
    (problem,) = caught.value.problems
    assert problem.part and problem.what and problem.remedy


def test_all_lists_that_are_none_are_told_at_once():
    with pytest.raises(lw.InputError) as caught:
        lw.Mechanism(rigids=None, springs=3, others=[ROD, object()])
    assert [problem.part for problem in caught.value.problems] == ["rigids", "springs", "others"]


def test_whatever_is_a_list_of_numbers_is_welcome():
    listed = lw.Mechanism(fixed={"O": np.zeros(2)}, rigids=iter([ROD]), gravity=np.array([0, -9.81]), parameters={})
    plain = lw.Mechanism(fixed={"O": (0, 0)}, rigids=[ROD], gravity=(0, -9.81))
    assert (listed.fixed, listed.rigids, listed.gravity) == (plain.fixed, plain.rigids, plain.gravity)


def test_an_object_that_cannot_be_shown_is_refused_all_the_same():
    class Shy:
        def __repr__(self):
            raise RuntimeError

    with pytest.raises(lw.InputError, match="rigid 'OA': mass: a Shy is not a number"):
        lw.Rigid(name="OA", geometry=[(), (1,)], mass=Shy())
