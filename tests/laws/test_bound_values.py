"""Other values for a model: the same as the file with these values in it, to the last bit, and quicker."""

import pickle
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError, Ref, SolveError, StartError
from linkwork.native import compiler, machine
from linkwork.pipeline import model as pipeline

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.yaml"))
CHANGES = (0.0, 0.5, 1.0 + 2.0**-20, -1.0)  # factors: what is zero or negative changes structures or is refused


def with_value(text, name, value):
    """The text of a file with another number for a parameter."""
    changed, count = re.subn(rf"(?<![\w.]){name}: *[-+.\deE*/]+", f"{name}: {float(value)!r}", text, count=1)
    assert count == 1
    return changed


def outcome(make):
    """What comes out: structure, numbers, start and motion, or words."""
    try:
        model = make()
        s = model.system
        numbers = [s.numbers, s.frozen, s.scales, *(term.parameters for term in s.terms)]
        structure = s.coordinates, s.constraints, [term.kernel.name for term in s.terms]
        start = model.start
        motion = model.simulate(start.t + 0.01, tol=1e-9, max_steps=400)
        end = motion.final
        found = [x.tobytes() for x in (*numbers, start.q, start.u, end.q, end.u, end.lam)]
        return structure, found, motion.outcome
    except InputError as error:
        return [(p.part, p.what, p.remedy) for p in error.problems]
    except (StartError, SolveError) as error:
        return type(error).__name__, re.sub(r"^\S*\.yaml", "", str(error))


def compare_all(tmp_path, name, chosen):
    """The parameters of an example, in an order of its own, of which some are changed."""
    text = (ROOT / "examples" / f"{name}.yaml").read_text()
    model = lw.load(ROOT / "examples" / f"{name}.yaml")
    names = [p for p, expr in model.mechanism.parameters.items() if not lw.symbolic.free_symbols(expr)]
    for parameter in np.random.default_rng(len(name)).permutation(names)[chosen].tolist():
        for factor in CHANGES:
            value = factor * model.parameters[parameter]
            path = tmp_path / f"{name}.yaml"
            path.write_text(with_value(text, parameter, value))
            bound = outcome(lambda p=parameter, x=value: model.with_parameters(**{p: x}))
            assert bound == outcome(lambda path=path: lw.load(path)), (parameter, value)


@pytest.mark.filterwarnings("ignore::linkwork.errors.ModelWarning", "ignore::linkwork.errors.AccuracyWarning")
@pytest.mark.parametrize("name", EXAMPLES)
def test_bound_values_give_what_the_file_with_them_gives_to_the_last_bit(tmp_path, name):
    space = "Dimension: 3" in (ROOT / "examples" / f"{name}.yaml").read_text()
    compare_all(tmp_path, name, slice(0, 1 if space else 3))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::linkwork.errors.ModelWarning", "ignore::linkwork.errors.AccuracyWarning")
@pytest.mark.parametrize("name", EXAMPLES)
def test_so_do_all_other_values(tmp_path, name):
    compare_all(tmp_path, name, slice(1, None))


def start_of(model):
    """The bytes of a start, or why there is none."""
    try:
        start = model.start
        return start.q.tobytes(), start.u.tobytes(), start.regular, [(v.name, v.status) for v in start.values]
    except StartError as error:
        return re.sub(r"^\S*\.yaml", "", str(error))


# lengths, fixed points and fixed values, from hardly different to ones with which it cannot be put together
@pytest.mark.parametrize(("name", "parameter"), [
    ("andrews", "rr"), ("andrews", "ss"), ("andrews", "xb"), ("andrews", "beta0"),
    ("four-bar", "a"), ("four-bar", "c"), ("four-bar", "d"), ("slider-crank", "b"), ("chebyshev", "a"),
])  # fmt: skip
def test_a_start_next_to_a_known_one_is_that_of_the_file_to_the_last_bit(name, parameter):
    text = (ROOT / "examples" / f"{name}.yaml").read_text()
    model = lw.loads(text)
    value = model.parameters[parameter]
    assert model.start is not None
    for change in (1e-12, 1e-9, -1e-6, 3e-5, 1e-3, -0.004, 0.01, 0.02, -0.02, 0.1, 0.11, -0.3, -0.302, 1.5, 0.0):
        x = value * (1 + change)
        assert start_of(model.with_parameters(**{parameter: x})) == start_of(lw.loads(with_value(text, parameter, x)))


def test_a_start_next_to_a_known_one_needs_no_search(monkeypatch):
    model = lw.load(ROOT / "examples" / "andrews.yaml")
    assert model.start is not None
    assemble = import_module("linkwork.solve.start.assemble")
    monkeypatch.setattr(assemble, "close", None)
    for change in (1e-9, 1e-4, 1e-2):
        assert model.with_parameters(rr=model.parameters["rr"] * (1 + change)).start.regular


# B slides along a line on which two places are allowed; with b = a they are one, and no force can keep it there
DOUBLE = """
PhysicalParams: {a: 0.5, b: 0.9}
Dimension: 2
PartData: {Fixed: {O: []}, Particles: {B: 1}}
Connections:
  Relations: {line: B.y, place: (B.x - a)*(B.x - b)}
ProblemData: {tend: 1, positions: {B: [0.51, 0]}}
"""


def test_what_may_lose_its_direction_is_not_followed():
    model = lw.loads(DOUBLE)
    assert model.start is not None
    for b in (0.6, 0.501, 0.5 + 1e-6, 0.5 + 1e-9, 0.5):
        assert start_of(model.with_parameters(b=b)) == start_of(lw.loads(with_value(DOUBLE, "b", b)))


# springs, a particle and a rod whose parts come and go with their values; three points of the body are fixed
CHANGING = """
PhysicalParams: {m: 1, M: 2, k: 50, l0: 0.5, s: 0, h: 1, x: 0.3}
Dimension: 2
PartData:
  Fixed: {O: [], P: [2, 0], Q: [1, h]}
  Rigids:
    OPQ: {Geom: [[2], [1, h]], Dyna: [[1, x], M, 0.1]}
    OA: {Geom: [[1]], Dyna: [[1/2], m]}
  Springs: {AB: [k, l0, s]}
  Particles: {B: m}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {tend: 1, positions: {A: [0.6, -0.8], B: [1, -1]}}
"""


@pytest.mark.parametrize("change", [{"m": 0.5}, {"s": 0.2}, {"l0": 0}, {"M": 0}, {"k": 0}, {"h": 1.5}, {"x": 0.1}])
def test_values_that_change_the_structure_give_what_a_fresh_file_gives(change):
    ((name, value),) = change.items()
    model = lw.loads(CHANGING)
    model.simulate()
    wanted = outcome(lambda: lw.loads(with_value(CHANGING, name, value)))
    assert outcome(lambda: model.with_parameters(**change)) == wanted
    assert outcome(lambda: model.bind({name: [1.0, value]})[1]) == wanted


@pytest.mark.parametrize("change", [{"m": -1}, {"k": -1}, {"h": 1e80}, {"s": -0.1}], ids=lambda x: str(x))
def test_bad_values_are_refused_in_the_words_for_the_file(change):
    ((name, value),) = change.items()
    model = lw.loads(CHANGING)
    with pytest.raises(InputError) as wanted:
        model.mechanism.remake(lw.model.convert.as_exprs(change, Ref("parameter")))
    with pytest.raises(InputError) as found:
        model.with_parameters(**change)
    assert str(found.value) == str(wanted.value)
    with pytest.raises(InputError) as of_member:
        model.bind({name: [1.0, value]})
    assert all(str(p).startswith(f"member 1 ({name} = {value:g}): ") for p in of_member.value.problems)
    assert [p.what for p in of_member.value.problems] == [p.what for p in wanted.value.problems]


# which points carry the equations of a body depends on where its frames are
BODIES = """
PhysicalParams: {a: 1, b: 3, m: 1, J: 0.2, r: 0.1, g: 9.81}
Dimension: 2
Bodies:
  crank: {mass: m, centre: [a/2], inertia: J, frames: {o: [], pin: [a], side: [0, r]}}
  rod: {mass: m, centre: [b/2], inertia: J, frames: {big: [r], small: [b, r/2]}}
PartData: {Fixed: {O: []}}
Connections:
  Joints:
    base: {kind: revolute, frames: [world.O, crank.o]}
    big: {kind: revolute, frames: [crank.pin, rod.big]}
AppliedForces: {Gravity: [0, -g]}
ProblemData: {tend: 1}
"""


@pytest.mark.parametrize("name", ["a", "b", "m", "J", "r", "g"])
def test_bodies_with_other_values_are_those_of_the_file(name):
    model = lw.loads(BODIES)
    model.simulate(0.1)
    for factor in (*CHANGES, 40.0):
        value = factor * model.parameters[name]
        wanted = outcome(lambda x=value: lw.loads(with_value(BODIES, name, x)))
        assert outcome(lambda x=value: model.with_parameters(**{name: x})) == wanted, value


def test_numbers_that_are_none_are_refused_with_their_member():
    with pytest.raises(InputError, match=r"^member 2 \(m = nan\): parameter 'm': the number nan cannot be"):
        lw.loads(CHANGING).bind({"m": [1.0, 2.0, np.nan]})


def test_inertia_that_was_left_open_is_asked_for_again():
    text = """
PhysicalParams: {l: 2, c: 1}
Dimension: 2
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[l]], Dyna: [[c], 1]}}}
ProblemData: {tend: 1}
"""
    model = lw.loads(text)
    assert outcome(lambda: model.with_parameters(l=4, c=2)) == outcome(
        lambda: lw.loads(text.replace("l: 2, c: 1", "l: 4, c: 2"))
    )
    with pytest.raises(InputError, match="centroid is not in the middle"):
        model.with_parameters(c=1.5)


def test_other_values_derive_formulate_analyse_and_compile_nothing(load_example, monkeypatch):
    model = load_example("andrews")
    model.simulate(0.01)
    calls = []

    def forbid(where, name):
        monkeypatch.setattr(where, name, lambda *a, **k: calls.append(name))

    forbid(import_module("linkwork.equations.kernel"), "derive")
    forbid(pipeline, "formulate")
    forbid(machine, "analyse")
    forbid(machine, "load_code")
    forbid(machine, "load_runtime")
    forbid(compiler, "load")
    for name in ("mom", "rr", "m3", "xa"):
        model.with_parameters(**{name: 1.001 * model.parameters[name]}).simulate(0.01)
    model.bind({"mom": [0.03, 0.04]}).simulate(0.01)
    assert calls == []


# -- many at once ------------------------------------------------------------------------------------------------------


def test_columns_give_what_single_values_give(load_example):
    model = load_example("andrews")
    columns = {"mom": [0.03, 0.034], "rr": [0.007, 0.0071], "c0": 4500}
    bound, told = model.bind(columns), []
    assert len(bound) == 2 and [m.parameters["c0"] for m in bound] == [4500, 4500]
    motions = bound.simulate(0.01, tol=1e-9, progress=told.append)
    assert told == [0.5, 1.0]
    for i, motion in enumerate(motions):
        alone = model.with_parameters(mom=columns["mom"][i], rr=columns["rr"][i], c0=4500).simulate(0.01, tol=1e-9)
        assert motion.final.q.tobytes() == alone.final.q.tobytes()
    assert bound[-1].parameters["mom"] == 0.034 and [m.parameters["mom"] for m in bound[1:]] == [0.034]
    with pytest.raises(IndexError):
        bound[2]


def test_parameters_that_follow_from_others_follow_in_columns():
    text = CHANGING.replace("x: 0.3", "x: 0.3*h, y: 2*x").replace("m: 1,", "m: y,")
    model = lw.loads(text)
    for h, member in zip((1.0, 1.25, 0.7), model.bind({"h": [1.0, 1.25, 0.7]}), strict=True):
        assert outcome(lambda m=member: m) == outcome(lambda h=h: lw.loads(with_value(text, "h", h)))


def test_a_lagrangian_is_bound_as_well():
    swing = lw.lagrangian(
        "theta", "m*l**2*theta'**2/2 + m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81}, start={"theta": "l/2"}
    )
    for l, motion in zip((1.0, 3.0), swing.bind({"l": [1.0, 3.0]}).simulate(1), strict=True):
        new = lw.lagrangian(
            "theta", "m*l**2*theta'**2/2 + m*g*l*cos(theta)",
            parameters={"m": 1, "l": l, "g": 9.81}, start={"theta": "l/2"},
        )  # fmt: skip
        assert motion.final.q.tobytes() == new.simulate(1).final.q.tobytes()


def test_a_member_that_fails_is_named(load_example):
    with pytest.raises(StartError, match=r"^member 1 \(l1 = 100\): .*cannot be assembled"):
        load_four_bar().bind({"l1": [1, 100]}).simulate(0.1)


def load_four_bar():
    return lw.loads(
        """
PhysicalParams: {l1: 1, l2: 2, l3: 1.5}
Dimension: 2
PartData:
  Fixed: {O: [], C: [2, 0]}
  Rigids: {OA: {Geom: [[l1]]}, AB: {Geom: [[l2]], Dyna: [[l2/2], 1]}, BC: {Geom: [[l3]]}}
ProblemData: {tend: 1, positions: {A: [0, 1], B: [2, 1.5]}}
"""
    )


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({}, "bind: {} is no mapping of columns"),
        ({"mommy": [1]}, "no parameter named 'mommy'. Did you mean 'mom'?"),
        ({"mom": ["x"]}, "column 'mom': ['x'] are no numbers"),
        ({"mom": [[1.0]]}, "column 'mom': it is a table, not a column"),
        ({"mom": [1, 2], "rr": [1, 2, 3]}, "bind: columns of different lengths: 2 of mom, 3 of rr"),
    ],
)
def test_columns_that_are_none_are_refused_in_words(load_example, columns, words):
    with pytest.raises(InputError) as caught:
        load_example("andrews").bind(columns)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("name", ["andrews", "spatial-four-bar", "pendulum-stop", "inverted-pendulum"])
def test_a_system_and_a_model_survive_pickling(load_example, name):
    model = load_example(name)
    model.simulate(model.start.t + 0.01)
    system = pickle.loads(pickle.dumps(model.system))
    assert [t.kernel.name for t in system.terms] == [t.kernel.name for t in model.system.terms]
    assert [t.kernel for t in system.terms] == [t.kernel for t in model.system.terms]
    parameter = next(iter(model.parameters))
    values = {**model.parameters, parameter: 1.001 * model.parameters[parameter]}
    assert system.bind(values).numbers.tobytes() == model.system.bind(values).numbers.tobytes()
    copy = pickle.loads(pickle.dumps(model.with_parameters(**{parameter: values[parameter]})))
    assert copy.parameters == values
    assert copy.system.numbers.tobytes() == system.bind(values).numbers.tobytes()


def test_the_page_on_parameters_runs(capsys):
    text = (ROOT / "docs" / "parameters.md").read_text()
    program = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
    exec(compile(program, "parameters.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["reached t = 0.01", "5"]
    assert len(printed[2].split(",")) == 5
