"""Row by row: which tests hold the rules, operations, laws and traps of the language; and tests without another place.

The list is that of the language's specification: rules when an object is made, operations, laws, traps.
"""

from __future__ import annotations

import re

import pytest

import linkwork as lw
from conftest import ROOT
from linkwork.equations.kane import Kane
from linkwork.symbolic import ZERO, acos, asin, cos, evaluate, sin, symbol, to_text
from linkwork.symbolic.simplify import canonical, expand, simplify
from linkwork.vectors import VectorError, dot

A, B, C, D, E = (symbol(name) for name in "ABCDE")
x = symbol("x")

SCALAR, EXPORTS = "unit/test_symbolic_scalar.py", "routes/test_exports.py"
LANGUAGE, SMALL, LAWS, TRAPS = (f"vectors/test_{name}.py" for name in ("language", "small", "laws", "traps"))
LISTINGS, HERE, SATELLITE = "vectors/test_listings.py", "vectors/test_rows.py", "known/test_satellite.py"
TREES, SPEEDS, FILES = "laws/test_trees.py", "laws/test_tree_speeds.py", "routes/test_tree_files.py"

ROWS = {
    # rules when an object is made
    "a function of its inverse": f"{SCALAR} functions_know_their_symmetry_and_inverse",
    "never the inverse of a function": f"{HERE} an_inverse_of_a_function_stays",
    "a number as an argument": f"{SCALAR} functions_fold_exactly_where_they_can",
    "a small argument": f"{SMALL} functions_of_a_small_argument",
    "a small part of an argument": f"{SMALL} a_small_part_of_an_argument_is_seen",
    "factors of atan2": f"{TRAPS} atan2_loses_a_common_factor_and_keeps_its_quadrant",
    "powers of powers": f"{SCALAR} powers_are_right_for_real_numbers",
    "powers of numbers": f"{SCALAR} roots_of_numbers_stay_exact",
    "powers with small terms, only when asked for": f"{HERE} powers_are_not_multiplied_out_unasked",
    "products: 0, 1, like bases": f"{SCALAR} like_terms_and_like_bases_combine",
    "products and sums: flat, sorted": f"{SCALAR} long_sums_and_products_are_flat_and_sorted",
    "sums: trigonometric identities": f"{LANGUAGE} trigonometric_identities",
    "the same in vectors and dyadics": f"{LANGUAGE} components_in_another_frame",
    "sums: sign": f"{HERE} of_a_difference_and_its_opposite_one_is_the_negative_of_the_other",
    "sums: sign as factors": f"{SCALAR} sums_as_factors_have_no_common_divisor_and_a_positive_lead",
    "common factors on request": f"{LANGUAGE} common_factors",
    "no cancellation is lost": f"{HERE} no_cancellation_is_lost",
    # operations
    "add, sub, neg, mul, div, inv": f"{LAWS} identities_of_vectors_and_dyadics",
    "what has no sum, product, quotient": f"{LANGUAGE} what_does_not_go_together_is_told_with_the_line",
    "dot": f"{LANGUAGE} dot_products_of_unit_vectors",
    "cross": f"{LANGUAGE} cross_products_stay_over_the_axes_of_the_second",
    "outer, identity, vector x dyadic": f"{LANGUAGE} dyads",
    "magnitude, direction, project": f"{LANGUAGE} length_direction_projection",
    "angle": f"{LANGUAGE} signed_angles",
    "dt": f"{LANGUAGE} rates_of_unit_vectors_seen_from_frames",
    "dt in speeds": f"{SATELLITE} velocities_are_those_of_table_8",
    "partial by speeds": f"{SATELLITE} partial_velocities",
    "partial by coordinates": f"{LANGUAGE} partial_derivatives",
    "nominal, is_constant, constant_part": f"{LANGUAGE} nominal_and_constant_parts",
    "gcf, collect": f"{LANGUAGE} common_factors",
    "coordinates, components, express": f"{LANGUAGE} components_in_another_frame",
    "position, velocity, acceleration": f"{LANGUAGE} points_and_velocities",
    "points that move": f"{LANGUAGE} a_point_that_moves_in_its_frame",
    "angular velocity and acceleration": f"{LANGUAGE} points_and_velocities",
    # laws
    "identities on random vectors": f"{LAWS} identities_of_vectors_and_dyadics",
    "Leibniz, two frames": f"{LAWS} rates_obey_leibniz_and_two_observers_differ_by_their_spin",
    "dot by climbing and by matrices": f"{LAWS} dot_products_by_climbing_are_those_of_matrices_to_the_ground",
    "with and without memory": f"{TRAPS} products_that_are_remembered_are_those_found_anew",
    "shared unit vectors": f"{LANGUAGE} parallel_axes_are_one_unit_vector",
    "Table 8: cosines": f"{LANGUAGE} cosine_matrices",
    "Table 8: directions": f"{LANGUAGE} directions_of_successive_turns",
    "Table 8: velocities": f"{SATELLITE} velocities_are_those_of_table_8",
    "Eqs 12-23": f"{LISTINGS} constants_are_one_symbol_and_values_are_known_again",
    "Eqs 12-23: factors": f"{LISTINGS} the_constant_factor_of_a_sum_is_split_off",
    "composites on and off": f"{TREES} the_mass_matrix_by_composites_is_the_derivative_of_the_balance",
    "slopes 2, 3 and 6": f"{TREES} accelerations_of_a_skew_chain_are_wrong_by_what_is_left_out",
    "slopes of the satellite": f"{SATELLITE} error_of_neglecting_falls_with_the_order_kept",
    "full and small state matrices": f"{SATELLITE} small_and_full_models_have_one_linear_model_at_the_start",
    "rotating blade": f"{TREES} a_rotating_blade_keeps_its_stiffness_by_centrifugal_force",
    "small pendulum": f"{TREES} a_small_pendulum_keeps_its_restoring_force",
    "three formalisms: motions": f"{FILES} trees_with_loops_and_what_rolls_move_alike_in_all_formalisms",
    "three formalisms: start": f"{FILES} accelerations_along_a_tree_are_those_in_points_and_in_absolute_coordinates",
    "momentum": f"{SATELLITE} without_thrusters_momentum_and_angular_momentum_stay_zero",
    "exported run and own run": f"{EXPORTS} exported_thrusters_fire_as_ours_do",
    "text and hashes": f"{EXPORTS} text_is_the_same_from_processes_with_other_hashes",
    "operations of the satellite": f"{SATELLITE} an_evaluation_takes_no_more_operations_than_composites_by_hand",
    # traps
    "1: when terms are dropped": f"{SMALL} orders",
    "2: cos to 1 too soon": f"{SMALL} restoring_force_survives_if_differentiated_first",
    "3: velocities cut too soon": f"{TRAPS} a_steady_force_across_a_small_turn_keeps_its_moment",
    "4: M stays symmetric": f"{HERE} the_small_mass_matrix_keeps_its_first_order_in_both_halves",
    "5: how small it was": f"{SATELLITE} slew_of_the_small_model_is_that_of_the_full_one_but_for_what_is_neglected",
    "6: small divisors": f"{SMALL} what_has_no_series_is_told",
    "7: angle about what does not turn it": f"{LANGUAGE} signed_angles",
    "8: partial and dt need a frame": f"{LANGUAGE} partial_derivatives",
    "9: frames added later": f"{HERE} frames_that_come_later_change_nothing_and_none_is_moved",
    "10: Eq. 9, atan2": f"{LANGUAGE} cosine_matrices",
    "11: memory in laws": f"{SATELLITE} thrusters_hold_the_attitude_as_located_events_of_another_program_do",
    "12: variable mass": f"{TREES} mass_that_varies_and_points_that_move_do_as_the_rule_of_newton_for_bodies_says",
    "12: negative mass": f"{TRAPS} a_body_without_freedom_takes_mass_away",
    "12: no inertia left": f"{HERE} inertia_that_is_negative_is_told",
    "13: pole of angles": f"{SPEEDS} what_passes_a_pole_moves_as_its_mechanism_does",
    "13: shared axes of small turns": f"{TRAPS} axes_are_shared_whether_or_not_turns_are_small",
    "14: Fortran": f"{EXPORTS} exported_code_reproduces_our_run",
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_every_row_has_its_test(row):
    file, name = ROWS[row].split()
    assert re.search(rf"^def test_{name}\(", (ROOT / "tests" / file).read_text(), re.MULTILINE)


# -- rules -------------------------------------------------------------------------------------------------------------


def test_an_inverse_of_a_function_stays():
    assert asin(sin(x)) is not x and acos(cos(x)) is not x
    assert evaluate(asin(sin(x)), {"x": 3.0}) == pytest.approx(3.141592653589793 - 3)


def test_powers_are_not_multiplied_out_unasked():
    assert to_text((A + x) ** 2) == "(A + x)**2" and expand((A + x) ** 2) is A**2 + 2 * A * x + x**2


def test_of_a_difference_and_its_opposite_one_is_the_negative_of_the_other():
    assert -(A - B) is B - A and -A - B - C is -(A + B + C)
    assert D * (A - B) is -D * (B - A) and D * (-A - B) is -D * (A + B)


def test_no_cancellation_is_lost():
    """A(B + C) + DE - AB: factors are taken out on request only, and what cancels is found."""
    mixed = A * (B + C) + D * E - A * B
    assert simplify(mixed) is A * C + D * E and canonical(mixed - A * C - D * E) is ZERO
    assert A * B + A * C - A * B is A * C


# -- traps -------------------------------------------------------------------------------------------------------------


def test_the_small_mass_matrix_keeps_its_first_order_in_both_halves():
    """A cart that is not small under a pendulum that is: M21 = m l cos q2 and M11, M22, each to first order."""
    tree = lw.Tree("crane")
    cart = tree.add_body("cart", translate="x", mass="M", inertia=0)
    tree.add_body("rod", parent=cart, rotate="y", mass="m", inertia=0, centre=("a", 0, "l"), small=True)
    M, values = Kane(tree=tree, keep=2).mass, {"M": 2.0, "m": 3.0, "a": 0.5, "l": 0.7, "q2": 0.1}
    assert evaluate(M[1, 0], values) == pytest.approx(3 * (0.7 - 0.5 * 0.1))
    assert (evaluate(M[0, 0], values), evaluate(M[1, 1], values)) == pytest.approx((5, 3 * (0.5**2 + 0.7**2)))
    assert {*M} == {(0, 0), (1, 0), (1, 1)}  # one half is stored, and stands for both


def test_frames_that_come_later_change_nothing_and_none_is_moved():
    tree = lw.Tree("later")
    one = tree.add_body("P", rotate="z", mass=1, inertia=(1, 1, 1))
    two = tree.add_body("Q", parent=one, rotate="x", mass=1, inertia=(1, 1, 1))
    before = dot(two.y, tree.ground.x)
    three = tree.add_body("R", parent=one, rotate="y", mass=1, inertia=(1, 1, 1))
    assert dot(two.y, tree.ground.x) is before
    assert dot(two.y, three.x) is -sin(symbol("q2", "coordinate")) * sin(symbol("q3", "coordinate"))
    for name in ("parent", "rows", "shift", "axes"):
        with pytest.raises(VectorError, match=f"the {name} of frame 'Q' cannot be changed"):
            setattr(two, name, three)


def test_inertia_that_is_negative_is_told():
    tree = lw.Tree("hollow")
    disc = tree.add_body("disc", rotate="y", mass=1, inertia=(0, 1, 0))
    tree.add_body("hole", parent=disc, joint_at=(2, 0, 0), mass=-1, inertia=0)
    tree.add_moment("spring", along=disc.y, magnitude="-q1", on=disc)
    with pytest.raises(lw.InputError, match="coordinate 'q1' has negative inertia"):
        tree.model(start={"q1": 1}).simulate(1)
