"""Published problems: appendix A of seed 001, the IVP test set's Andrews mechanism, and the ODE of section 4.4."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from known.mechanism0_ode import solve_hamilton, solve_taylor
from tools import digits

KNOWN = json.loads((Path(__file__).parent / "reference.json").read_text())
TIGHT = 1e-14


def read(state, name):
    return state.velocity(name[:-1]) if name.endswith("'") else state[name]


@pytest.mark.parametrize("name", ["mechanism1a", "mechanism1b", "andrews"])
def test_the_start_is_the_published_one_to_twelve_digits(name, load_example):
    assembly = load_example(name)
    motion = assembly.simulate(assembly.start.t)
    for quantity, wanted in KNOWN[name]["t0"].items():
        np.testing.assert_allclose(read(motion.final, quantity), wanted, rtol=0, atol=1e-12, err_msg=quantity)


def worst_digits(state, wanted, names):
    return min(digits(read(state, name), wanted[name]) for name in names)


def test_mechanism_1a_has_nine_digits_after_200_seconds(load_example):
    final = load_example("mechanism1a").simulate(200.0, tol=TIGHT).final
    assert worst_digits(final, KNOWN["mechanism1a"]["t200"], ["C", "D", "F", "C'", "D'", "F'"]) >= 9


def test_chaotic_mechanism_1b_has_four_digits_after_20_seconds(load_example):
    # it multiplies errors by 1e9; only the tightest tolerance leaves rounding as the largest of them
    final = load_example("mechanism1b").simulate(20.0, tol=1e-15).final
    assert worst_digits(final, KNOWN["mechanism1b"]["t20"], ["C", "D", "F", "C'", "D'", "F'"]) >= 4


def relative_angles(state):
    """beta, Theta, gamma, Phi, delta, Omega, epsilon of the IVP test set from the points."""

    def angle(a, b):
        dx, dy = state[b] - state[a]
        return math.atan2(dy, dx)

    beta, quarter = float(state["OF"]), math.pi / 2
    gamma, delta, epsilon = angle("B", "E") + quarter, angle("A", "G"), angle("A", "H") + quarter
    Phi, Omega = angle("G", "E") + quarter - delta, angle("H", "E") - epsilon
    return np.array([beta, angle("E", "F") - beta, gamma, Phi, delta, Omega, epsilon])


def test_andrews_angles_have_ten_digits_at_the_classical_end(load_example):
    found = relative_angles(load_example("andrews").simulate(0.03, tol=TIGHT).final)
    wanted = np.array(KNOWN["andrews"]["t0.03_angles"]["q"])
    assert np.max(np.abs((found - wanted) / wanted)) < 1e-10


def test_andrews_crank_speed_has_ten_digits_at_the_classical_end(load_example):
    found = load_example("andrews").simulate(0.03, tol=TIGHT).final.velocity("OF")
    assert found == pytest.approx(KNOWN["andrews"]["t0.03_angles"]["v"][0], rel=1e-10)


def test_andrews_crank_angle_after_a_thousand_turns_is_the_published_one(load_example):
    # ours converges to a value 6e-12 off the published one, whose angle was never reduced
    motion = load_example("andrews").simulate(1.0, tol=1e-15, order=20)
    assert motion.final["OF"] == pytest.approx(KNOWN["andrews"]["t1"]["OF"], rel=1e-11)
    # the integral of the energy of its one freedom, by Gauss's rule in 34 digits: docs/decisions/turn-angles.md
    assert motion.final["OF"] == pytest.approx(5988.59965506588927401571, rel=2e-13)
    assert motion.energy.drift < 1e-11  # rounding of thirty thousand steps


@pytest.fixture(scope="module")
def mechanism0():
    times = [float(t) for t in range(1, 11)]
    return times, solve_taylor(times)


def mechanism0_error(assembly, tol, mechanism0):
    times, reference = mechanism0
    state = assembly.simulate(10.0, tol=tol).at(times)
    size = max(np.abs(reference[name]).max() for name in "AB")
    return max(np.abs(state[name] - reference[name]).max() for name in "AB") / size


def test_the_two_independent_solutions_of_mechanism_0_agree(mechanism0):
    times, reference = mechanism0
    other = solve_hamilton(times)
    for name, values in reference.items():
        np.testing.assert_allclose(other[name], values, rtol=0, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
def test_mechanism_0_approaches_its_unconstrained_equations_as_the_tolerance_falls(tol, load_example, mechanism0):
    assert mechanism0_error(load_example("mechanism0"), tol, mechanism0) < 300 * tol


def test_mechanism_0_meets_its_unconstrained_equations_to_eleven_digits(load_example, mechanism0):
    assert mechanism0_error(load_example("mechanism0"), TIGHT, mechanism0) < 1e-11


def test_mechanism_0_turns_and_moves_at_the_stored_rates(load_example):
    motion = load_example("mechanism0").simulate(10.0, tol=TIGHT)
    for t, key in ((1.0, "t1"), (10.0, "t10")):
        for name, wanted in KNOWN["mechanism0"][key].items():
            np.testing.assert_allclose(read(motion.at(t), name), wanted, rtol=1e-10, atol=1e-10, err_msg=name)
