"""Opaque functions: called while a mechanism moves, with the motion of their traced twins."""

import ctypes
import ctypes.util
import math
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError, LinkworkError, SolveError
from linkwork.model.opaque import make_call, make_opaque

TWINS = {"opaque_drag": lambda v, c: -c * v * abs(v), "opaque_cubic": lambda x: x - x**3 / 6}


def bump(x):
    """Stairs: nothing that could be differentiated."""
    return float(math.floor(4 * x))


def failing(x):
    if x < 0.5:
        raise ValueError("too low")
    return 1.0


def hypot():
    """A function of C."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.hypot.argtypes, library.hypot.restype = [ctypes.c_double] * 2, ctypes.c_double
    return library.hypot


@pytest.fixture(autouse=True)
def functions(functions_stay_in_their_test):
    for name, definition in TWINS.items():
        lw.function(name, definition, opaque=True)
        lw.function(name.replace("opaque", "plain"), definition)
    lw.function("opaque_bump", bump, opaque=True)
    lw.function("opaque_failing", failing, opaque=True)
    lw.function("opaque_hypot", hypot(), opaque=True)


def arm(law, **changes):
    return lw.Model(
        lw.Mechanism(
            **{
                "parameters": {"c": 0.3}, "fixed": {"O": ()}, "gravity": (0, -9.81),
                "rigids": [lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", 1, 1)],
                "forces": [lw.Force(point="B", components=(law, 0))],
                "start": lw.InitialValues(positions={"A": (1, 0), "B": (2, 0)}),
                **changes,
            }
        )
    )  # fmt: skip


LAWS = (
    "{}_drag(B.vx, c)",
    "{0}_drag({0}_cubic(B.vx), c*{0}_cubic(1 + B.y**2))",
    "3*{}_cubic(B.x) - {}_drag(B.vx, c)*t",
)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("how", [{}, {"compiled": False}, {"method": "baumgarte"}])
def test_an_opaque_function_moves_things_as_its_traced_twin_does(law, how):
    opaque, plain = (arm(law.format(kind, kind)) for kind in ("opaque", "plain"))
    end = 1.0 if how.get("compiled", True) else 0.3
    motion, other = opaque.simulate(end, **how), plain.simulate(end)
    np.testing.assert_allclose(motion.final["B"], other.final["B"], atol=1e-7)
    assert motion.method.name == how.get("method", "rk8") and motion.audit().ok
    assert abs(motion.work["force B"][-1] - other.work["force B"][-1]) < 1e-6


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("formulation", ["absolute", "tree"])
def test_an_opaque_function_is_called_in_all_formulations(formulation, compiled):
    model = arm(LAWS[1].format("opaque"))
    end = 0.5 if compiled else 0.1
    one, other = (model.formulated(name).simulate(end, compiled=compiled) for name in ("points", formulation))
    assert model.formulated(formulation).absolute is not None
    np.testing.assert_allclose(one.final["B"], other.final["B"], atol=1e-7)
    assert other.audit().ok


@pytest.mark.filterwarnings("ignore::linkwork.AccuracyWarning")
@pytest.mark.parametrize("method", ["hht", "radau"])
def test_implicit_steps_find_its_slopes_by_differences(method):
    bent = {"start": lw.InitialValues(positions={"A": (0.6, -0.8), "B": (1.6, -0.8)})}
    law, how, off = "-2e4*{}_cubic(B.x - 1.5) - 200*B.vx", {"method": method, "step": 1e-3, "tol": 1e-10}, []
    for compiled in (True, False):
        models = (arm(law.format(kind), **bent) for kind in ("opaque", "plain"))
        one, twin = (model.simulate(0.1 if compiled else 0.02, compiled=compiled, **how).final["B"] for model in models)
        off.append(np.max(np.abs(one - twin)))
    assert max(off) < 1e-7  # the stiffness by which places close is that of the rest alone


@pytest.mark.parametrize("derivatives", [(), (lambda x: 1 - x**2 / 2,), lambda x: 1 - x**2 / 2])
def test_backward_differences_take_its_slopes_declared_or_by_differences(derivatives):
    pytest.importorskip("sksundae")
    lw.function("opaque_known", TWINS["opaque_cubic"], opaque=True, derivatives=derivatives)
    bent = {"start": lw.InitialValues(positions={"A": (0.6, -0.8), "B": (1.6, -0.8)})}
    law = "-2e4*{}(B.x - 1.5) - 200*B.vx"
    models = (arm(law.format(name), **bent) for name in ("opaque_known", "plain_cubic"))
    one, twin = (model.simulate(0.2, method="ida", tol=1e-8) for model in models)
    np.testing.assert_allclose(one.final["B"], twin.final["B"], atol=1e-6)
    assert one.stats.steps < 1.3 * twin.stats.steps and one.audit().ok


def test_the_choice_of_a_method_tells_why():
    motion = arm("opaque_drag(B.vx, c)").simulate(0.1)
    assert str(motion.method) == "rk8: the laws call 'opaque_drag', which cannot be traced"


def test_a_stiff_function_is_noticed():
    law, bent = "-2e8*{}_cubic(B.x - 1.5) - 2e6*B.vx", {"positions": {"A": (0.6, -0.8), "B": (1.6, -0.8)}}
    models = (arm(law.format(kind), start=lw.InitialValues(**bent)) for kind in ("opaque", "plain"))
    one, twin = (model.simulate(0.5, tol=1e-8) for model in models)
    assert "radau: stiff" in str(one.method) and "those of rk8" in str(one.method)
    np.testing.assert_allclose(one.final["B"], twin.final["B"], atol=1e-6)


def test_a_function_of_c_is_called_from_compiled_code():
    motion = arm("-c*B.vx*opaque_hypot(B.vx, B.vy)").simulate(1)
    twin = arm("-c*B.vx*sqrt(B.vx**2 + B.vy**2 + 1e-30)").simulate(1, method="rk8")
    np.testing.assert_allclose(motion.final["B"], twin.final["B"], atol=1e-12)
    assert motion.audit().ok


def test_what_knows_itself_as_a_function_of_c_is_one():
    class Compiled:  # as numba.cfunc gives
        ctypes = hypot()

        def __call__(self, *_):
            raise AssertionError("called from Python")

    lw.function("opaque_compiled", Compiled(), opaque=True)
    one, two = (arm(f"-c*B.vx*opaque_{name}(B.vx, B.vy)").simulate(1) for name in ("compiled", "hypot"))
    np.testing.assert_array_equal(one.final["B"], two.final["B"])


def test_values_and_parameters_follow():
    model = arm("brake", variables={"brake": "opaque_drag(B.vx, c)"})
    motion = model.with_parameters(c=0.9).simulate(1)
    np.testing.assert_allclose(motion["brake"], -0.9 * motion["B.vx"] * np.abs(motion["B.vx"]), atol=1e-9)
    twin = arm("plain_drag(B.vx, c)").with_parameters(c=0.9).simulate(1)
    np.testing.assert_allclose(motion.final["B"], twin.final["B"], atol=1e-7)


def test_a_state_may_have_an_opaque_rate_and_an_angle_is_tracked_for_it():
    state = lw.State(name="X", rate="opaque_cubic(OA.angle) - X")
    twin = lw.State(name="X", rate="plain_cubic(OA.angle) - X")
    one, two = (arm("0", states=[x]).simulate(1).final["X"] for x in (state, twin))
    assert abs(one - two) < 1e-8


def test_stairs_are_climbed():
    # what jumps is found by the error of steps alone: few digits, and all of them by themselves
    motion = lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=1)], forces=[lw.Force(point="A", components=("opaque_bump(t)", 0))],
            start=lw.InitialValues(positions={"A": (0, 0)}),
        )
    ).simulate(1, tol=1e-6, max_step=0.01)  # fmt: skip
    assert abs(motion.final["A.vx"] - (0 + 1 + 2 + 3) / 4) < 1e-4


def test_a_function_that_fails_is_named_and_the_motion_is_kept():
    model = arm("opaque_failing(2 + B.y)")
    with pytest.raises(
        SolveError, match=r"[Ff]unction 'opaque_failing' failed with 0\..*: ValueError: too low"
    ) as caught:
        model.simulate(2)
    motion = caught.value.motion
    assert motion.final.t > 0.1 and abs(motion.final["B.y"] + 1.5) < 1e-2
    with pytest.raises(SolveError, match="too low"):
        model.simulate(2, compiled=False)


def test_a_stepper_and_a_copy_know_opaque_functions():
    model = arm("opaque_bump(1 + B.x)*c")
    stepper = model.stepper()
    stepper.step(0.1)
    saved = stepper.state
    stepper.step(0.1)
    end, stepper.state = stepper.state, saved
    stepper.step(0.1)
    np.testing.assert_array_equal(stepper.state.q, end.q)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(copy.simulate(0.2).final["B"], model.simulate(0.2).final["B"], atol=1e-12)


REFUSED = {
    "taylor": (lambda m: m.simulate(1, method="taylor"), "taylor needs its slopes"),
    "slowest modes": (lambda m: m.slowest(1), "whose slopes are not known"),
    "an output": (lambda m: m.linearize(outputs=["brake"]), "whose slopes are not known there"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_needs_slopes_is_refused_in_words(what):
    work, message = REFUSED[what]
    with pytest.raises(InputError, match=message):
        work(arm("brake", variables={"brake": "opaque_drag(B.vx, c)"}))


BENT = {"start": lw.InitialValues(positions={"A": (0.6, -0.8), "B": (1.6, -0.8)}, velocities={"A": (0.3, 0.1)})}


@pytest.mark.parametrize("law", ["{0}_drag({0}_cubic(B.vx), c*{0}_cubic(1 + B.y**2))", "3*{0}_cubic(B.x)*c"])
def test_linear_models_see_through_calls(law):
    wanted = {"states": ["A.x", "B.y"], "inputs": ["c"], "outputs": ["Bx''"]}
    one, twin = (arm(law.format(kind), **BENT).linearize(**wanted) for kind in ("opaque", "plain"))
    for name in "ABCD":
        size = np.max(np.abs(getattr(twin, name)))
        np.testing.assert_allclose(getattr(one, name), getattr(twin, name), atol=1e-9 * size)


def test_equilibria_balance_what_calls_give():
    one, twin = (arm(f"8*{kind}_cubic(1 + B.x)", **BENT) for kind in ("opaque", "plain"))
    for at, wanted in (("equilibrium", ["A.x", "B.x"]), ("start", ["A.x", "B.x"])):
        found, known = (model.linearize(at, states=wanted) for model in (one, twin))
        np.testing.assert_allclose(found.at.q[:4], known.at.q[:4], atol=1e-9)
        np.testing.assert_allclose(found.A, known.A, atol=1e-7)
    assert one.equilibrium().stable and twin.equilibrium().stable
    state, same = (lw.State(name="X", rate=f"{kind}_cubic(OA.angle) - X") for kind in ("opaque", "plain"))
    found, known = (arm("3*X", states=[x], **BENT).linearize("equilibrium") for x in (state, same))
    np.testing.assert_allclose(found.A, known.A, atol=1e-7)


WRONG = {
    "too many": (lambda: lw.function("opaque_nine", lambda a, b, c, d, e, f, g, h, i: 0, opaque=True), "9 arguments"),
    "none": (lambda: lw.function("opaque_none", lambda: 0, opaque=True), "0 arguments"),
    "untyped": (lambda: lw.function("opaque_raw", ctypes.CFUNCTYPE(None)(), opaque=True), "function of numbers"),
    "a count": (lambda: arm("opaque_drag(B.vx)"), "the number of values for opaque_drag is 1"),
    "a place": (
        lambda: arm("0", relations=[lw.Relation(name="r", formula="A.x - opaque_bump(B.x)")]), "slopes are not known",
    ),
    "an energy": (
        lambda: arm("0", dissipations=[lw.Dissipation(name="d", function="opaque_bump(B.vx)")]),
        "slopes are not known",
    ),
    "an acceleration": (lambda: arm("opaque_bump(B.ax)"), "follows from the forces"),
    "derivatives": (
        lambda: lw.function("f", lambda x, y: x, opaque=True, derivatives=[lambda x, y: 1]), "derivatives by 1",
    ),
    "a flag": (lambda: lw.function("f", abs, opaque="yes"), "opaque"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_mistakes_are_explained(what):
    work, message = WRONG[what]
    with pytest.raises(LinkworkError, match=message):
        work()


def test_what_laws_do_not_call_has_no_value():
    with pytest.raises(LinkworkError, match=r"opaque_bump is opaque.*Variables"):
        arm("opaque_drag(B.vx, c)").simulate(0.1)["opaque_bump(B.x)"]


TABLED = """
Title: pushed
Tables: {{ramp: {{x: [0, 1], y: [0, {0}]}}}}
PartData: {{Particles: {{A: 1}}}}
AppliedForces: {{Forces: {{A: ["opaque_bump(ramp(t))"]}}}}
"""


def test_calls_with_tables_of_one_name_are_told_apart():
    low, high = (lw.loads(TABLED.format(height)).rhs() for height in (1, 3))
    np.testing.assert_array_equal([f(0.5, f.start)[2] for f in (low, high)], [2, 6])


def test_many_calls_in_one_process_have_names_of_their_own():
    x, count = lw.symbolic.symbol("x"), 20000
    twin = make_opaque("twin", lambda x: x)
    assert len({make_call(twin, (k * x,)) for k in range(1, count + 1)}) == count


def test_a_call_without_a_value_is_told_as_people_write_it():
    lw.function("opaque_root", lambda x: x**0.5, opaque=True)
    model = lw.lagrangian("x", "x'**2/2", forces={"x": "opaque_root(2*x)"}, start={"x": -1}, title="x")
    with pytest.raises(lw.SolveError, match=r"Function 'opaque_root' failed.*force on x: 'opaque_root\(2\*x\)' is not"):
        model.simulate(2)
