"""Operation counts: each technique makes them fewer, and what is counted is what is exported."""

from dataclasses import replace

import linkwork as lw
from linkwork.export.count import _count_full


def test_each_technique_leaves_fewer_operations(load_example):
    found = load_example("andrews").count_operations()
    totals = [c.add + c.mul + c.div for c in found.techniques]
    assert totals == sorted(totals, reverse=True)
    last, rhs = found.techniques[-1], next(c for c in found.functions if c.words == "rhs")
    assert (last.add, last.mul, last.div) == (rhs.add, rhs.mul, rhs.div)


def swing(small: bool):
    tree = lw.Tree("swing", gravity="g")
    A = tree.add_body("A", rotate="y", mass="m", inertia=["J", "J", 0], centre=(0, 0, "-l"))
    tree.add_body(
        "B",
        parent=A,
        joint_at=(0, 0, "-l"),
        rotate="x",
        mass="m",
        inertia=["J", "J", 0],
        centre=("c", 0, 0),
        small=True,
    )
    return tree.model(small=small, parameters={"g": 9.81, "m": 1, "J": 0.1, "l": 1, "c": 0.2}, start={"q1": 0.1})


def test_small_terms_are_counted_before_and_after_they_are_neglected():
    whole, small = swing(False).count_operations().techniques, swing(True).count_operations().techniques
    used, neglected = small[3:5]
    assert (used, neglected.words) == (whole[3], "small terms neglected")
    assert neglected.add + neglected.mul < used.add + used.mul
    assert whole[4] == replace(whole[3], words="small terms: nothing is small")


def test_what_nothing_needs_is_counted_before_it_is_left_out(load_example):
    zeros, used = load_example("slider-crank").count_operations().techniques[2:4]
    assert used.words == "what nothing needs left out"
    assert used.add + used.mul < zeros.add + zeros.mul


def test_a_full_matrix_of_two_takes_as_many_operations_as_by_hand():
    # l = b/a, d = c - l b; x: y2 - l y1, y1/a, y2/d, x1 - l x2
    assert _count_full(2) == (1 + 2, 1 + 1 + 2 + 2, 2, 0)


def test_the_command_prints_a_table(command, examples):
    code, out, _ = command("count", examples / "slider-crank.yaml")
    assert code == 0
    assert out.splitlines()[-1].split()[0] == "events"
