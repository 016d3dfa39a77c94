"""Model modes: all of them found, in the order of their distance from the guess, each a start of its own."""

import cmath
import itertools
import json
import re

import numpy as np
import pytest

import linkwork as lw


def example(name):
    return lw.load(f"examples/{name}.yaml")


def places(assembly, mode, points):
    """The points of a mode as complex numbers, rounded for comparison."""
    at = [assembly.system.points[p] for p in points]
    return tuple(np.round(complex(mode.q[i], mode.q[j]), 9) for i, j in at)


def meet(a, r, b, s):
    """Both points at distance r from a and s from b, if there are any."""
    d = abs(b - a)
    if not abs(r - s) <= d <= r + s:
        return []
    x = (r * r - s * s + d * d) / (2 * d)
    h = (r * r - x * x) ** 0.5
    return [a + (b - a) / d * complex(x, y) for y in (h, -h)]


def andrews_modes(p, beta):
    """Places of E, G, H for a crank angle, by intersecting circles."""
    A, B, F = complex(p["xa"], p["ya"]), complex(p["xb"], p["yb"]), cmath.rect(p["rr"], beta)
    for E in meet(F, p["d"], B, p["ss"]):
        for G, H in itertools.product(meet(A, p["zt"], E, p["e"]), meet(A, p["u"], E, p["zf"])):
            yield tuple(np.round(z, 9) for z in (F, E, G, H))


def test_andrews_mechanism_has_the_four_modes_of_the_paper():
    """Nedialkov and Pryce, 4.7: G and/or H can flip to the other side of line AE, for any crank angle."""
    assembly = example("andrews")
    modes = assembly.assembly_modes()
    assert modes.held == ("Fx", "Fy")
    found = [places(assembly, mode, "FEGH") for mode in modes]
    assert len(found) == 4
    assert set(found) == set(andrews_modes(assembly.parameters, assembly.parameters["beta0"]))
    assert modes.start == 1


def test_andrews_mechanism_has_four_modes_at_the_mirrored_crank_too():
    """With Fy alone the crank may stand on either side: twice four."""
    file = example("andrews").mechanism
    text = open_text("andrews").replace("F: [rr*cos(beta0), [", "F: [0.9*rr, [")
    assembly = lw.loads(text)
    found = {places(assembly, mode, "FEGH") for mode in assembly.assembly_modes()}
    beta = file.values["beta0"]
    assert found == {*andrews_modes(file.values, beta), *andrews_modes(file.values, cmath.pi - beta)}
    assert len(found) == 8


def open_text(name):
    with open(f"examples/{name}.yaml") as file:
        return file.read()


def test_the_modes_of_mechanism1b_are_those_of_its_circles():
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
    assert {places(assembly, mode, "CDEF") for mode in assembly.assembly_modes()} == wanted
    assert len(wanted) == 6


def test_a_four_bar_in_space_has_the_modes_of_that_in_the_plane():
    """Turned joints would make it sixteen: a joint put together upside down is no mode."""
    plane, space = example("four-bar"), example("spatial-four-bar")
    found = [[mode.q[list(a.system.points["B"])][:2] for mode in a.assembly_modes()] for a in (plane, space)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
    A = 1j * plane.parameters["a"]
    both = meet(A, plane.parameters["b"], 1 + 0j, plane.parameters["c"])
    assert {tuple(np.round(b, 9)) for b in found[0]} == {(round(z.real, 9), round(z.imag, 9)) for z in both}


def test_a_mode_that_can_still_be_moved_is_told():
    """Where A and B of Peaucellier's inversor coincide, P swings about them."""
    modes = example("peaucellier").assembly_modes()
    assert sorted(mode.loose for mode in modes) == [0, 0, 0, 0, 1, 1]
    assert modes.text().count("can still be moved") == 2


def test_modes_come_in_the_order_of_their_distance_and_always_the_same():
    one, other = example("mechanism1b").assembly_modes(), example("mechanism1b").assembly_modes()
    distances = [mode.distance for mode in one]
    assert distances == sorted(distances)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.q, b.q)


def test_values_to_hold_can_be_named():
    assembly = example("andrews")
    assert set(assembly.assembly_modes(hold=["OF"]).held) == {"Fy", "OF"}
    assert len(assembly.assembly_modes(hold=["OF"])) == 4
    assert len(assembly.assembly_modes(hold=["G"])) == 2
    with pytest.raises(lw.StartError, match=r"hold 'GX'.*Did you mean 'G'"):
        assembly.assembly_modes(hold=["GX"])


def test_freedom_nobody_fixed_is_held_where_the_start_has_it():
    """Two rods and nothing given: with A held, B is free to be held as well, and there is one mode."""
    rods = [lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", 1, 1)]
    modes = lw.Model(lw.Mechanism(fixed={"O": ()}, rigids=rods, gravity=(0, -1))).assembly_modes()
    assert modes.held == ("Ax", "Ay", "Bx", "By")
    assert len(modes) == 1


def test_a_mode_is_a_start_by_its_number():
    assembly = example("four-bar")
    modes = assembly.assembly_modes()
    for mode in modes:
        chosen = assembly.with_mode(mode.number)
        np.testing.assert_array_equal(chosen.start.q, mode.q)
        motion = chosen.simulate(0.1)
        assert motion.energy.drift < 1e-9
        np.testing.assert_allclose(motion.at(0.0)["B"], mode.q[[2, 3]], atol=1e-12)
        # fixed velocities are kept in every mode, and other parameters keep the mode
        assert chosen.start.u[0] == -3.0
        assert np.sign(chosen.with_parameters(rho=3).start.q[3]) == np.sign(mode.q[3])
    np.testing.assert_array_equal(assembly.with_mode(2).with_mode(None).start.q, assembly.start.q)


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_mode_that_is_not_there_is_an_error(number):
    with pytest.raises(lw.StartError, match=f"no mode {number}: 2 assembly modes, numbered from 1"):
        assert example("four-bar").with_mode(number).start


def test_modes_of_a_lagrangian():
    """Two circles meet in two points."""
    two = lw.lagrangian(
        "x y", "(x'**2 + y'**2)/2", constraints=["x**2 + y**2 - 1", "(x - 1)**2 + y**2 - 1"], start={"x": 0.4, "y": 1}
    )
    found = [mode.q.tolist() for mode in two.assembly_modes()]
    np.testing.assert_allclose(found, [[0.5, 0.75**0.5], [0.5, -(0.75**0.5)]], atol=1e-12)


def test_commands_list_modes_and_run_one(tmp_path, command):
    code, out, _ = command("check", "examples/four-bar.yaml", "--modes")
    assert code == 0 and "2 assembly modes, with Ax, Ay held\n  1  B (0.9183, 0.7958) (the start)" in out
    data = json.loads(command("check", "examples/four-bar.yaml", "--modes", "--json")[1])
    assert data["modes"]["start"] == 1 and len(data["modes"]["positions"]) == 2
    target = tmp_path / "x.csv"
    code, out, _ = command("run", "examples/four-bar.yaml", "--mode", 2, "--until", 0, "--out", target)
    assert code == 0 and "By 0.8 -> -0.519958" in out
    code, _, complaint = command("run", "examples/four-bar.yaml", "--mode", 7, "--out", target)
    assert code == 2 and "no mode 7" in complaint


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
    assert len(line.assembly_modes()) == 2
    ring = lw.lagrangian("theta", "theta'**2", constraints="sin(theta) - 1/2", start={"theta": 0})
    np.testing.assert_allclose([mode.q[0] for mode in ring.assembly_modes()], [np.pi / 6, 5 * np.pi / 6], atol=1e-12)


def test_the_page_about_starts_runs():
    with open("docs/starts.md") as page:
        programs = re.findall(r"^```python\n(.*?)^```", page.read(), re.S | re.M)
    assert programs
    for text in programs:
        exec(compile(text, "docs/starts.md", "exec"), {})
