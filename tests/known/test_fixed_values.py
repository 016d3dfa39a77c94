"""Fixed initial values are kept to the last bit: in the start, in the motion's first state and in its files."""

import csv

import numpy as np
import pytest

import linkwork as lw

TEXT = """
PhysicalParams: {a: 0.4, b: 1.1, c: 0.83, d: 1.013}
PartData:
  Fixed: {O: [], Q: [d]}
  Rigids:
    OA: {Geom: [[a]], Dyna: [[a/2], 1.3]}
    AB: {Geom: [[b]], Dyna: [[b/2], 2.1]}
    QB: {Geom: [[c]], Dyna: [[c/2], 1.7]}
AppliedForces: {Gravity: [0, -9.80665]}
ProblemData:
  tend: 0.2
  positions: {A: [[%r, fixed], 0.3], B: [1, 0.8]}
  velocities: {A: [[%r, fixed], 0]}
"""


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("compiled", [None, False])
def test_fixed_values_are_those_of_the_first_state(seed, compiled):
    x, v = np.random.default_rng(seed).uniform(-0.3, 0.3, 2).tolist()
    assembly = lw.loads(TEXT % (x, v))
    motion = assembly.simulate(compiled=compiled)
    i = assembly.system.index["Ax"]
    assert (assembly.start.q[i], assembly.start.u[i]) == (x, v)
    assert (motion.q[0, i], motion.u[0, i]) == (x, v)
    first = motion.at(0.0)
    assert (first["A"][0], first.velocity("A")[0]) == (x, v)
    assert motion.residuals.position < 1e-14 and motion.residuals.velocity < 1e-13


def test_fixed_values_are_those_of_the_file(tmp_path):
    x, v = 0.1234567890123456, -0.7654321098765432
    lw.write_results(lw.loads(TEXT % (x, v)).simulate(), tmp_path / "a.csv")
    with open(tmp_path / "a.csv", newline="") as file:
        first = next(csv.DictReader(file))
    assert float(first["Ax"]) == x
