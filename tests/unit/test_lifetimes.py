"""What is no longer used is let go, and what is different stays different however it is called."""

import gc
import weakref

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations import Contribution
from linkwork.equations.collect import Instances
from linkwork.equations.formulas import FormulaList
from linkwork.equations.laws import kernel_of
from linkwork.equations.tangent import derive_stiffness
from linkwork.errors import Ref
from linkwork.native import Machine, Request
from linkwork.symbolic import symbol
from tools import make_kernel, make_start


def law(power):
    x = symbol("x", kind="coordinate")
    return kernel_of("law", ("x",), (), Contribution(potential={"v": x**power}))


def test_equal_laws_share_a_kernel_while_it_is_in_use():
    assert law(3) is law(3)
    assert law(3) is not law(4)


def test_a_kernel_nobody_uses_is_let_go():
    kernel = law(5)
    derive_stiffness(kernel)
    watched = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert watched() is None


def test_two_kernels_of_one_name_stay_two():
    def soft(q, u, p):
        return Contribution(potential={"v": q.x**2})

    def hard(q, u, p):
        return Contribution(potential={"v": 100 * q.x**2})

    instances = Instances(FormulaList({}))
    for name, define in {"soft": soft, "hard": hard}.items():
        instances.add(make_kernel("spring", "x", "", define), Ref("spring", name), [0], [])
    assert [term.names for term in instances.terms(np.zeros(0))] == [("soft",), ("hard",)]


@pytest.mark.needs_compiler
def test_beginning_again_keeps_nothing_more():
    system = lw.lagrangian("x", lambda q, u, p: u.x**2 / 2 - q.x**2 / 2, start={"x": 1}).system
    start = make_start([1.0], [0.0])
    machine = Machine(system, np.zeros(0))
    request = Request(t_end=1.0, tol=1e-8, order=10)
    machine.begin(request, 0.0, start.q, start.u)
    kept = len(machine._keep)
    for _ in range(3):
        machine.begin(request, 0.0, start.q, start.u)
    assert len(machine._keep) == kept
