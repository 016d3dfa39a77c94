"""The signature matrices the paper prints (seed 001, section 4.2), what the points contribute, and blocks."""

import re

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis import find_pattern, find_signature

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

# with a torque, section 4.3: θ_OA joins q, A = L e^{iθ} replaces the length, V gets −τθ
WITH_TORQUE = """
2  0  2  0  -  0  -  -  -  0
0  2  0  2  -  -  0  -  -  0
2  0  2  0  -  -  -  -  -  0
0  2  0  2  -  -  -  -  -  0
-  -  -  -  0  0  0  -  -  0
0  -  -  -  0  -  -  -  -  2
-  0  -  -  0  -  -  -  -  2
1  1  1  1  -  -  -  0  -  0
0  0  0  0  0  -  -  -  0  0
"""


def signature_of(assembly):
    return find_signature(find_pattern(assembly.system))


def without_torque(path):
    return re.sub(r"^\s*ConstTorques:.*\n", "", path.read_text(), flags=re.M)


def printed(signature):
    """The rows of the tableau without their number and name."""
    return [line.split()[1:-1] for line in signature.tableau().splitlines()[1 : len(signature.names) + 1]]


def test_mechanism0_without_torque_has_the_tableau_of_the_paper(examples):
    signature = signature_of(lw.loads(without_torque(examples / "mechanism0.yaml")))
    assert printed(signature) == [line.split() for line in PAPER.strip().splitlines()]
    assert signature.names == ("Ax", "Ay", "Bx", "By", "l_OA", "T", "V")
    assert signature.d.tolist() == [2, 2, 2, 2, 0, 0, 0]
    assert (signature.index, signature.degrees_of_freedom) == (3, 6)
    assert signature.tableau().splitlines()[-1] == "Index = 3, 6 values free"


def test_mechanism0_with_torque_has_one_coordinate_and_one_equation_more(examples):
    signature = signature_of(lw.load(examples / "mechanism0.yaml"))
    orders = [[cell.rstrip("*") for cell in row] for row in printed(signature)]
    assert orders == [line.split() for line in WITH_TORQUE.strip().splitlines()]
    assert signature.names == ("Ax", "Ay", "Bx", "By", "OA", "x_OA", "y_OA", "T", "V")
    assert signature.d.tolist() == [2, 2, 2, 2, 2, 0, 0, 0, 0]
    assert (signature.index, signature.degrees_of_freedom) == (3, 6)


@pytest.mark.parametrize(("name", "freedom"), [("mechanism1a", 4), ("andrews", 2), ("four-bar", 2), ("chain", 16)])
def test_degrees_of_freedom_count_positions_and_velocities(load_example, name, freedom):
    assert signature_of(load_example(name)).degrees_of_freedom == freedom


def test_mechanism1_may_fix_what_the_paper_says(load_example):
    """Section 7: one of C, D, E's coordinates, and one of F's."""
    structure = load_example("mechanism1a").structure()
    assert structure.sentence() == "one of Cx, Cy, Dx, Dy, Ex, Ey and one of Fx, Fy; the same for velocities"


# -- energies ----------------------------------------------------------------------------------------------------------


def test_the_points_of_mechanism0_contribute_as_in_equation_4_2(load_example):
    structure = load_example("mechanism0").structure()
    shares = dict(zip(structure.system.coordinates, structure.energies, strict=True))
    assert sorted(shares["Ax"].kinetic) == ["AB", "OA"] and sorted(shares["Bx"].kinetic) == ["AB", "B"]
    # gravity acts along y only
    assert {kind: sorted(names) for kind, names in shares["Ay"].potential.items()} == {
        "gravity": ["AB", "OA"],
        "spring": ["AB"],
    }
    assert shares["Ax"].potential == {"spring": ["AB"]}
    assert shares["OA"].kinetic == [] and shares["OA"].potential == {"torque": ["OA"]}


def test_energy_shares_are_those_the_numbers_have(load_example):
    """A coordinate enters an energy if and only if the energy changes with it."""
    from linkwork.native.numbers import compute_energy

    random = np.random.default_rng(2)
    for name in ("mechanism0", "andrews", "slider-crank", "gyroscope", "double-pendulum-3d"):
        structure = load_example(name).structure()
        system = structure.system
        q, u = structure.q + 0.01 * system.scales * random.standard_normal(system.n), random.standard_normal(system.n)
        T, V = compute_energy(system, q, u)
        for i, share in enumerate(structure.energies):
            moved = np.eye(system.n)[i]
            T1 = compute_energy(system, q, u + moved)[0]
            V1 = compute_energy(system, q + moved, u)[1]
            assert (T1 != T) == bool(share.kinetic), system.coordinates[i]
            assert {kind for kind in V if V1[kind] != V[kind]} == set(share.potential), system.coordinates[i]


# -- blocks ------------------------------------------------------------------------------------------------------------


def blocks_of(structure):
    names = structure.reduced.names
    return [({names[i] for i in b.variables}, {names[i] for i in b.equations}) for b in structure.blocks]


def test_a_driven_linkage_is_solved_group_by_group(load_example):
    """The pantograph: the driven point, then the two dyads, then the forces backward."""
    blocks = blocks_of(load_example("pantograph").structure())
    one = {"Ax", "Ay", "Bx", "By"}, {"l_OBA", "Ax_OB", "Ay_OB", "l_AC"}
    two = {"Dx", "Dy", "Px", "Py"}, {"l_BPD", "Dx_BP", "Dy_BP", "l_DC"}
    assert blocks[:2] == [({"Cx"}, {"motion_C.x"}), ({"Cy"}, {"motion_C.y"})]
    assert blocks[2:6] == [one, two, two[::-1], one[::-1]]


def test_a_linkage_that_is_not_driven_is_one_block(load_example):
    structure = load_example("four-bar").structure()
    assert [len(variables) for variables, _ in blocks_of(structure)] == [9, 1, 1]


def test_a_point_without_mass_is_solved_apart(load_example):
    blocks = blocks_of(load_example("andrews").structure())
    assert ({"Dx"}, {"Dx_BE"}) in blocks and ({"Dx_BE"}, {"Dx"}) in blocks


def test_too_many_constraints_for_some_coordinates_are_named(load_example):
    structure = load_example("bennett").structure()
    assert structure.signature is None
    assert len(structure.misfit.crowded) == len(structure.misfit.on) + 2
    assert (structure.reduced.index, structure.reduced.degrees_of_freedom) == (3, 2)
