"""Row by row: which tests hold what the specification of modular modelling asks for, its checks 1 to 16 and its traps.

Times (15) are measured by benchmarks/modular.py, never in a test.
"""

from __future__ import annotations

import re

import pytest

from conftest import ROOT

KNOWN, LAWS = "known/test_modular.py", "laws/test_modular_laws.py"
ROUTES, JOINED = "routes/test_modular_routes.py", "routes/test_joined_routes.py"
TOLD, PAGE = "messages/test_modular_messages.py", "known/test_modular_page.py"

CHECKS = {
    "1: printed equations, by symbols": f"{KNOWN} explicit_equations_are_those_printed_and_not_longer",
    "1: the check point": f"{KNOWN} accelerations_at_the_check_point_have_fourteen_digits",
    "2: figures 2 to 4 move alike": f"{KNOWN} three_descriptions_of_the_spherical_pendulum_move_alike",
    "2: and as other formalisms": f"{KNOWN} each_composed_pendulum_moves_as_those_of_other_formalisms",
    "3: figure 5, by symbols": f"{KNOWN} the_linear_double_pendulum_is_that_of_figure_5",
    "3: figure 5, by numbers": f"{KNOWN} the_linear_double_pendulum_has_the_frequencies_of_its_motion",
    "3: without constraint forces": f"{KNOWN} without_constraint_forces_the_double_pendulum_has_no_stiffness",
    "3: larger mechanisms": f"{ROUTES} linear_models_are_those_found_by_numbers_and_need_constraint_forces",
    "4: order and nesting": f"{LAWS} composition_does_not_depend_on_order_or_nesting",
    "5: A C = 0": f"{LAWS} every_complement_is_one",
    "5: exactly": f"{LAWS} the_complement_of_the_models_of_the_paper_is_one_exactly",
    "5: the same equations": f"{LAWS} the_choice_of_independent_speeds_does_not_change_the_equations",
    "5: the same motion": f"{ROUTES} the_choice_of_a_complement_does_not_change_the_motion",
    "6: a third parallel crank": f"{LAWS} a_third_parallel_crank_is_redundant_and_changes_nothing",
    "7: torque-free bodies": f"{LAWS} angular_momentum_of_a_free_body_is_constant",
    "8: the heavy top": f"{LAWS} the_heavy_top_is_that_of_lagrange",
    "9: inertia and gravity words": f"{LAWS} every_body_obeys_newton_and_euler",
    "9: in the plane": f"{LAWS} every_body_in_a_plane_obeys_newton_and_euler",
    "9: unknown words": f"{LAWS} unknown_words_of_bodies_are_told_with_a_suggestion",
    "10: linear complement": f"{LAWS} the_linear_complement_of_random_constraints_is_that_of_finite_differences",
    "11: sums": f"{LAWS} sums_by_label_commute_and_associate",
    "11: products and transposes": f"{LAWS} products_by_label_associate_and_distribute_whatever_the_order_of_labels",
    "11: partitions": f"{LAWS} parts_of_a_matrix_add_up_to_it",
    "12: rheonomic constraints": f"{LAWS} a_driven_pivot_is_felt",
    "13: equal labels": f"{TOLD} two_systems_of_one_label_are_both_named",
    "13: equal variables": f"{TOLD} a_variable_of_two_subsystems_is_told_with_both",
    "13: equal forces count twice": f"{LAWS} equal_forces_of_two_subsystems_are_both_counted",
    "14: wrong reference": f"{KNOWN} a_reference_off_the_constraints_is_refused_with_its_residual",
    "16: used twice": f"{LAWS} a_module_is_used_twice_under_other_names",
}  # fmt: skip
ROWS = CHECKS | {
    # traps, by their own numbers
    "trap 1: quaternions by body components": f"{LAWS} rates_of_angles_turn_the_body_as_its_angular_velocity_says",
    "trap 2: constraints of all levels": f"{LAWS} nested_systems_have_the_explicit_equations_of_all_levels",
    "trap 3: null spaces of several levels": f"{LAWS} null_spaces_of_several_levels_do_not_count_anything_twice",
    "trap 5: rows nobody knows": f"{TOLD} a_row_of_dynamics_that_is_no_speed_is_told",
    "trap 9: deviations are marked": f"{LAWS} what_is_shown_has_dots_deviations_and_short_sines",
    "trap 11: singular sets": f"{ROUTES} the_motion_goes_on_where_the_independent_speeds_are_singular",
    "trap 11: poles of angles": f"{ROUTES} the_motion_goes_on_where_angles_have_their_pole",
    # what a user can do, and bad input
    "matrices": f"{LAWS} matrices_of_the_paper",
    "rotations and transforms": f"{LAWS} rotations_of_the_paper",
    "linear expressions": f"{LAWS} linear_expressions_are_those_of_the_paper",
    "known linear subsystems": f"{KNOWN} a_known_linear_subsystem_is_used_as_it_is",
    "constraints not linear in speeds": f"{ROUTES} a_constraint_not_linear_in_speeds_is_kept",
    "constraints of accelerations": f"{ROUTES} a_constraint_of_accelerations_is_obeyed",
    "a file as a subsystem": f"{ROUTES} a_file_is_a_subsystem",
    "a Lagrangian as a subsystem": f"{ROUTES} a_lagrangian_is_a_subsystem",
    "(A, B, C, D) as a subsystem": f"{ROUTES} a_linear_model_is_a_subsystem",
    "larger mechanisms move": f"{ROUTES} long_motions_of_larger_mechanisms_keep_energy_and_constraints",
    "Bricard's linkage": f"{ROUTES} bricards_linkage_of_free_bodies_moves_as_that_of_the_file",
    "long chains by kernels": f"{ROUTES} bodies_that_are_alike_are_instances_of_one_kernel",
    "finished models joined": f"{JOINED} joined_rods_move_as_the_chain_of_one_file",
    "contradictions": f"{TOLD} constraints_that_contradict_each_other_are_named_on_both_sides_and_by_how_much",
    "hidden contradictions": f"{TOLD} contradictions_of_constraints_that_are_independent_elsewhere_are_found",
    "dependent independent variables": f"{TOLD} a_dependent_set_of_independent_speeds_is_refused",
    "rules that are wrong": f"{TOLD} a_rule_that_constraints_contradict_is_named",
    "rules without end": f"{TOLD} a_rule_without_end_is_named",
    "the page": f"{PAGE} programs_of_the_page_run_and_print_what_they_say",
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_every_row_has_its_test(row):
    file, name = ROWS[row].split()
    assert re.search(rf"^def test_{name}\(", (ROOT / "tests" / file).read_text(), re.MULTILINE)


def test_every_check_has_a_row():
    assert {int(row.split(":")[0]) for row in CHECKS} | {15} == {*range(1, 17)}
