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


def test_mechanism1_may_fix_what_the_paper_says(examples):
    """Section 7: one of C, D, E's coordinates, and one of F's."""
    structure = lw.load(examples / "mechanism1a.yaml").structure()
    assert structure.sentence() == "one of Cx, Cy, Dx, Dy, Ex, Ey and one of Fx, Fy; the same for velocities"


@pytest.mark.parametrize(
    ("name", "freedom", "count"), [("bennett", 1, -2), ("spatial-four-bar", 1, -2), ("andrews", 1, 1)]
)
def test_true_mobility_and_redundancy_are_found(examples, name, freedom, count):
    mobility = lw.load(examples / f"{name}.yaml").structure().mobility
    assert (mobility.freedom, mobility.count) == (freedom, count)
    assert bool(mobility.redundant) == (freedom != count)
