"""Motions, states and assemblies can be pickled and copied: the copy gives the same numbers."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.results import Store
from linkwork.solve import Options, integrate

COPIES = {
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
}


@pytest.fixture(scope="module")
def swing():
    return lw.lagrangian(
        "theta",
        lambda q, u, p: u.theta**2 / 2 + p.g * lw.symbolic.cos(q.theta),
        parameters={"g": 9.81},
        start={"theta": 1},
        points={"P": ("sin(theta)", "-cos(theta)")},
    )


def check_same(one, other):
    for name in ("t", "q", "u", "a", "lam"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    times = np.linspace(one.t[0], one.t[-1], 41)
    for name in ("q", "u", "a", "lam"):
        assert np.array_equal(getattr(one.at(times), name), getattr(other.at(times), name)), name
    assert np.array_equal(one.energy.total, other.energy.total)
    assert one.residuals == other.residuals
    assert (one.outcome, one.title, one.stats, one.events) == (other.outcome, other.title, other.stats, other.events)
    assert other.about.presenter is not None


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", ["andrews", "driven-crank-with-damper", "gyroscope"])
def test_the_copy_of_a_motion_has_its_numbers(load_example, name, way):
    motion = load_example(name).simulate()
    check_same(motion, COPIES[way](motion))


@pytest.mark.parametrize("way", COPIES)
def test_the_copy_of_a_motion_of_a_lagrangian_has_its_numbers(swing, way):
    motion = swing.simulate(2.0)
    found = COPIES[way](motion)
    check_same(motion, found)
    assert np.array_equal(found["P"], motion["P"])


@pytest.mark.parametrize("way", COPIES)
def test_the_copy_of_a_state_has_its_numbers(load_example, way):
    state = load_example("four-bar").simulate(1.0).at([0.2, 0.7])
    found = COPIES[way](state)
    assert np.array_equal(found["B"], state["B"])
    assert np.array_equal(found.energy.total, state.energy.total)


@pytest.mark.parametrize("way", COPIES)
def test_the_copy_of_an_assembly_moves_as_it_does(load_example, way):
    assembly = load_example("four-bar").with_parameters(tau=0.7).with_branch(2)
    found = COPIES[way](assembly)
    assert found.parameters == assembly.parameters
    assert np.array_equal(found.simulate(0.5).q, assembly.simulate(0.5).q)


def test_the_copy_of_a_motion_that_did_not_fit_into_memory_does_not_need_its_file(load_example):
    motion = load_example("andrews").simulate(memory=0)
    assert motion.store.on_disk
    times = np.linspace(0, 0.03, 50)
    wanted, data = motion.at(times).q, pickle.dumps(motion)
    del motion
    found = pickle.loads(data)
    assert not found.store.on_disk
    assert np.array_equal(found.at(times).q, wanted)


def test_motions_come_back_from_other_processes(load_example):
    assemblies = [load_example("four-bar").with_parameters(tau=torque) for torque in (0.5, 0.7)]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        motions = list(pool.map(lw.Model.simulate, assemblies, [0.5, 0.5]))
    for assembly, motion in zip(assemblies, motions, strict=True):
        wanted = assembly.simulate(0.5)
        np.testing.assert_allclose(motion.at(0.3).q, wanted.at(0.3).q, rtol=1e-9)
        np.testing.assert_allclose(motion["B"], wanted["B"], rtol=1e-9, atol=1e-9)


def test_a_motion_without_its_mechanism_says_so(load_example):
    assembly = load_example("four-bar")
    motion = integrate(assembly.system, assembly.start, 0.1, Options())
    with pytest.raises(LinkworkError, match="does not know its mechanism"):
        pickle.dumps(motion)


def test_an_empty_store_can_be_copied():
    assert pickle.loads(pickle.dumps(Store())).count == 0


def test_errors_come_back_from_other_processes_in_the_same_words():
    with pytest.raises(lw.InputError) as wrong:
        lw.loads("PartData: {Fixed: {O: [x]}}")
    with pytest.raises(lw.StartError) as far:
        lw.loads(TOO_FAR).simulate()
    for error in (wrong.value, far.value):
        found = COPIES["pickle"](error)
        assert (type(found), str(found)) == (type(error), str(error))
    assert COPIES["pickle"](wrong.value).problems == wrong.value.problems
    assert COPIES["pickle"](far.value).conflict == far.value.conflict != ()


TOO_FAR = """
PartData:
  Fixed: {O: [], Q: [5]}
  Rigids:
    OA: {Geom: [[1]]}
    AQ: {Geom: [[1]]}
ProblemData: {tend: 1, positions: {A: [1, 0]}}
"""
