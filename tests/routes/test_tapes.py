"""Implicit steps by tapes, which C reads line by line, and by compiled code: the same numbers, bit by bit."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.native import code, find_compiler
from linkwork.native.tape import OPERATIONS, can_be_read
from linkwork.program import Builder
from linkwork.program.ops import OPS

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler")

# every operation in a force: what a compiler does with functions of the same argument included
LAWS = """
Title: two masses under all kinds of forces
PhysicalParams: {m: 0.7, k: 3e4}
PartData:
  Particles: {A: m, B: 1.3, C: 0.4}
  Springs: {AB: {points: [A, B], stiffness: k, length: 1.1, damping: 120}, BC: {stiffness: k/3, length: 0.8}}
AppliedForces:
  Forces:
    A:
      - sin(3*A.x)*cos(3*A.x) + tan(0.1*A.vx) - exp(-A.y**2) + (2 + A.x**2)**1.3 - sqrt(1 + B.x**2)/(2 + A.y**2)
      - atan2(A.y + 3, B.x + 2) + asin(0.1*sin(t)) - acos(0.2*cos(B.y)) + atan(A.vy) + tanh(3*A.x) - log(2 + B.x**2)
    B: ["min(A.x, B.vx) - 2*max(A.y, 0.3) + abs(B.y)", "sign(B.vx)*0.01 + select(B.x < 1, 2*B.y, B.y + 1)"]
ProblemData:
  tend: 0.3
  positions: {A: [0, 0], B: [1, 0.2], C: [1.2, 1]}
  velocities: {A: [0.3, -0.1], C: [-1, 0.4]}
"""


def run(monkeypatch, source, method, read):
    monkeypatch.setattr(code, "READ", read)
    motion = lw.load(source).simulate(method=method, tol=1e-8)
    return [np.concatenate([chunk.q(k) for chunk in motion.store.chunks]) for k in range(3)]


def check_same(monkeypatch, source, method):
    by_code, by_tape = (run(monkeypatch, source, method, read) for read in (0, 10**9))
    for one, other in zip(by_code, by_tape, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("method", ["radau", "hht"])
def test_steps_by_tapes_and_by_code_are_the_same_bit_by_bit(monkeypatch, tmp_path, method):
    file = tmp_path / "laws.yaml"
    file.write_text(LAWS)
    check_same(monkeypatch, file, method)


def test_so_they_are_of_bodies_in_space(monkeypatch, examples):
    check_same(monkeypatch, examples / "hydraulic-boom.yaml", "radau")


def test_a_long_run_goes_on_by_code_and_gives_the_same(monkeypatch, examples):
    compiled, compile_all = [], code.ImplicitCode.compile_all
    monkeypatch.setattr(code.ImplicitCode, "compile_all", lambda self: compiled.append(self) or compile_all(self))
    file = examples / "slider-crank.yaml"
    changed = run(monkeypatch, file, "hht", 100)
    assert len(compiled) == 1
    unchanged = run(monkeypatch, file, "hht", 10**9)
    assert len(compiled) == 1
    assert all(one.tobytes() == other.tobytes() for one, other in zip(changed, unchanged, strict=True))


def test_a_tape_knows_every_operation_but_curves_and_calls():
    assert set(OPERATIONS) == OPS.keys() - {"curve", "side", "call"}
    b = Builder()
    assert can_be_read(b.program(F=[b.emit("sin", b.input("q", 0))]))
