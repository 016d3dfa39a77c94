"""Branches: all of them found, in the order of their distance from the guess, each a start of its own."""

import cmath
import itertools
import json
import re

import numpy as np
import pytest

import linkwork as lw


def example(name):
    return lw.load(f"examples/{name}.yaml")


def places(assembly, branch, points):
    """The points of a branch as complex numbers, rounded for comparison."""
    at = [assembly.system.chart.points[p] for p in points]
    return tuple(np.round(complex(branch.q[i], branch.q[j]), 9) for i, j in at)


def meet(a, r, b, s):
    """Both points at distance r from a and s from b, if there are any."""
    d = abs(b - a)
    if not abs(r - s) <= d <= r + s:
        return []
    x = (r * r - s * s + d * d) / (2 * d)
    h = (r * r - x * x) ** 0.5
    return [a + (b - a) / d * complex(x, y) for y in (h, -h)]


def andrews_branches(p, beta):
    """Places of E, G, H for a crank angle, by intersecting circles."""
    A, B, F = complex(p["xa"], p["ya"]), complex(p["xb"], p["yb"]), cmath.rect(p["rr"], beta)
    for E in meet(F, p["d"], B, p["ss"]):
        for G, H in itertools.product(meet(A, p["zt"], E, p["e"]), meet(A, p["u"], E, p["zf"])):
            yield tuple(np.round(z, 9) for z in (F, E, G, H))


def test_andrews_mechanism_has_the_four_branches_of_the_paper():
    """Nedialkov and Pryce, 4.7: G and/or H can flip to the other side of line AE, for any crank angle."""
    assembly = example("andrews")
    branches = assembly.branches()
    assert branches.held == ("Fx", "Fy")
    found = [places(assembly, branch, "FEGH") for branch in branches]
    assert len(found) == 4
    assert set(found) == set(andrews_branches(assembly.parameters, assembly.parameters["beta0"]))
    assert branches.start == 1


def test_andrews_mechanism_has_four_branches_at_the_mirrored_crank_too():
    """With Fy alone the crank may stand on either side: twice four."""
    file = example("andrews").mechanism
    text = open_text("andrews").replace("F: [rr*cos(beta0), [", "F: [0.9*rr, [")
    assembly = lw.loads(text)
    found = {places(assembly, branch, "FEGH") for branch in assembly.branches()}
    beta = file.values["beta0"]
    assert found == {*andrews_branches(file.values, beta), *andrews_branches(file.values, cmath.pi - beta)}
    assert len(found) == 8


def open_text(name):
    with open(f"examples/{name}.yaml") as file:
        return file.read()


def test_the_branches_of_mechanism1b_are_those_of_its_circles():
    """C at a fixed x, D where two circles meet, E by the plate, F at a fixed x."""
    assembly = example("mechanism1b")
    l, L = assembly.parameters["l"], assembly.parameters["L"]
    wanted = set()
    for side in (1, -1):
        C = complex(-l / 2**0.5, side * l / 2**0.5)
        for D in meet(C, l * 2**0.5, complex(L), l):
            E = C + (0.5 - 0.5j) * (D - C)
            wanted |= {
                tuple(np.round(z, 9) for z in (C, D, E, complex(0, E.imag + up * (l * l - E.real**2) ** 0.5)))
                for up in (1, -1)
                if abs(E.real) <= l
            }
    assert {places(assembly, branch, "CDEF") for branch in assembly.branches()} == wanted
    assert len(wanted) == 6


def test_a_four_bar_in_space_has_the_branches_of_that_in_the_plane():
    """Turned joints would make it sixteen: a joint put together upside down is no branch."""
    plane, space = example("four-bar"), example("spatial-four-bar")
    found = [[branch.q[list(a.system.chart.points["B"])][:2] for branch in a.branches()] for a in (plane, space)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
    A = 1j * plane.parameters["a"]
    both = meet(A, plane.parameters["b"], 1 + 0j, plane.parameters["c"])
    assert {tuple(np.round(b, 9)) for b in found[0]} == {(round(z.real, 9), round(z.imag, 9)) for z in both}


def test_a_branch_that_can_still_be_moved_is_told():
    """Where A and B of Peaucellier's inversor coincide, P swings about them."""
    branches = example("peaucellier").branches()
    assert sorted(branch.loose for branch in branches) == [0, 0, 0, 0, 1, 1]
    assert branches.text().count("can still be moved") == 2


def test_branches_come_in_the_order_of_their_distance_and_always_the_same():
    one, other = example("mechanism1b").branches(), example("mechanism1b").branches()
    distances = [branch.distance for branch in one]
    assert distances == sorted(distances)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.q, b.q)


def test_values_to_hold_can_be_named():
    assembly = example("andrews")
    assert set(assembly.branches(hold=["OF"]).held) == {"Fy", "OF"}
    assert len(assembly.branches(hold=["OF"])) == 4
    assert len(assembly.branches(hold=["G"])) == 2
    with pytest.raises(lw.StartError, match=r"hold 'GX'.*Did you mean 'G'"):
        assembly.branches(hold=["GX"])


def test_freedom_nobody_fixed_is_held_where_the_start_has_it():
    """Two rods and nothing given: with A held, B is free to be held as well, and there is one branch."""
    rods = [lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", 1, 1)]
    branches = lw.Model(lw.Mechanism(fixed={"O": ()}, rigids=rods, gravity=(0, -1))).branches()
    assert branches.held == ("Ax", "Ay", "Bx", "By")
    assert len(branches) == 1


def test_a_branch_is_a_start_by_its_number():
    assembly = example("four-bar")
    branches = assembly.branches()
    for branch in branches:
        chosen = assembly.with_branch(branch.number)
        np.testing.assert_array_equal(chosen.start.q, branch.q)
        motion = chosen.simulate(0.1)
        assert motion.energy.drift < 1e-9
        np.testing.assert_allclose(motion.at(0.0)["B"], branch.q[[2, 3]], atol=1e-12)
        # fixed velocities are kept in every branch, and other parameters keep the branch
        assert chosen.start.u[0] == -3.0
        assert np.sign(chosen.with_parameters(rho=3).start.q[3]) == np.sign(branch.q[3])
    np.testing.assert_array_equal(assembly.with_branch(2).with_branch(None).start.q, assembly.start.q)


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_branch_that_is_not_there_is_an_error(number):
    with pytest.raises(lw.StartError, match=f"no branch {number}: 2 branches, numbered from 1"):
        assert example("four-bar").with_branch(number).start


def test_branches_of_a_lagrangian():
    """Two circles meet in two points."""
    two = lw.lagrangian(
        "x y", "(x'**2 + y'**2)/2", constraints=["x**2 + y**2 - 1", "(x - 1)**2 + y**2 - 1"], start={"x": 0.4, "y": 1}
    )
    found = [branch.q.tolist() for branch in two.branches()]
    np.testing.assert_allclose(found, [[0.5, 0.75**0.5], [0.5, -(0.75**0.5)]], atol=1e-12)


def test_commands_list_branches_and_run_one(tmp_path, command):
    code, out, _ = command("check", "examples/four-bar.yaml", "--branches")
    assert code == 0 and "2 branches, with Ax, Ay held\n  1  B (0.9183, 0.7958) (the start)" in out
    data = json.loads(command("check", "examples/four-bar.yaml", "--branches", "--json")[1])
    assert data["branches"]["start"] == 1 and len(data["branches"]["positions"]) == 2
    target = tmp_path / "x.csv"
    code, out, _ = command("run", "examples/four-bar.yaml", "--branch", 2, "--until", 0, "--out", target)
    assert code == 0 and "By 0.8 -> -0.519958" in out
    code, _, complaint = command("run", "examples/four-bar.yaml", "--branch", 7, "--out", target)
    assert code == 2 and "no branch 7" in complaint


def test_check_shows_the_start_and_what_may_be_pasted(command):
    code, out, _ = command("check", "examples/mechanism1a.yaml")
    assert code == 0
    assert lw.load("examples/mechanism1a.yaml").start.table() in out
    assert "still open   nothing" in out
    assert "C: [[-0.7071067811865476, fixed], -0.908857]" in out
    data = json.loads(command("check", "examples/andrews.yaml", "--json")[1])
    assert data["open"] == ["OF'"] and list(data["fixed"]["positions"]) == ["Fy"]
    assert data["start"][0]["status"] == "free"


def test_a_coordinate_that_is_no_angle_is_not_taken_for_one():
    """x = −π and x = π are two places; θ and θ + 2π on a circle are one."""
    line = lw.lagrangian("x", "x'**2", constraints="(x - pi)*(x + pi)", start={"x": 3})
    assert len(line.branches()) == 2
    ring = lw.lagrangian("theta", "theta'**2", constraints="sin(theta) - 1/2", start={"theta": 0})
    np.testing.assert_allclose([branch.q[0] for branch in ring.branches()], [np.pi / 6, 5 * np.pi / 6], atol=1e-12)


def test_the_page_about_starts_runs():
    with open("docs/starts.md") as page:
        programs = re.findall(r"^```python\n(.*?)^```", page.read(), re.S | re.M)
    assert programs
    for text in programs:
        exec(compile(text, "docs/starts.md", "exec"), {})
