"""The signature matrices the paper prints (seed 001, section 4.2)."""

import re

import pytest

import linkwork as lw
from linkwork.analysis import find_signature

# Mechanism0 without torque, as in section 4.2: orders, offsets, transversal
PAPER = """
2  0  2* 0  0  -  -  0
0  2  0  2  0* -  -  0
2* 0  2  0  -  -  -  0
0  2  0  2* -  -  -  0
0  0* -  -  -  -  -  2
1  1  1  1  -  0* -  0
0  0  0  0  -  -  0* 0
"""


def without_torque(path):
    return re.sub(r"^\s*ConstTorques:.*\n", "", path.read_text(), flags=re.M)


def test_mechanism0_without_torque_has_the_tableau_of_the_paper(examples):
    signature = find_signature(lw.loads(without_torque(examples / "mechanism0.yaml")).system)
    printed = [line.split()[1:-1] for line in signature.tableau().splitlines()[1:8]]
    assert printed == [line.split() for line in PAPER.strip().splitlines()]
    assert signature.d.tolist() == [2, 2, 2, 2, 0, 0, 0]
    assert (signature.index, signature.degrees_of_freedom) == (3, 6)


def test_a_torque_adds_one_coordinate_and_one_equation(examples):
    signature = find_signature(lw.load(examples / "mechanism0.yaml").system)
    assert len(signature.names) == 9
    assert (signature.index, signature.degrees_of_freedom) == (3, 6)


@pytest.mark.parametrize(("name", "freedom"), [("mechanism1a", 4), ("andrews", 2), ("four-bar", 2), ("chain", 16)])
def test_degrees_of_freedom_count_positions_and_velocities(examples, name, freedom):
    assert find_signature(lw.load(examples / f"{name}.yaml").system).degrees_of_freedom == freedom
