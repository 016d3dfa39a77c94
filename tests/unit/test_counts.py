"""Operation counts: each technique makes them fewer, and what is counted is what is exported."""

from linkwork.export.count import _count_full


def test_each_technique_leaves_fewer_operations(load_example):
    found = load_example("andrews").count_operations()
    totals = [c.add + c.mul + c.div for c in found.techniques]
    assert totals == sorted(totals, reverse=True)
    last, rhs = found.techniques[-1], next(c for c in found.functions if c.words == "rhs")
    assert (last.add, last.mul, last.div) == (rhs.add, rhs.mul, rhs.div)


def test_a_full_matrix_of_two_takes_as_many_operations_as_by_hand():
    # l = b/a, d = c - l b; x: y2 - l y1, y1/a, y2/d, x1 - l x2
    assert _count_full(2) == (1 + 2, 1 + 1 + 2 + 2, 2, 0)


def test_the_command_prints_a_table(command, examples):
    code, out, _ = command("count", examples / "slider-crank.yaml")
    assert code == 0
    assert out.splitlines()[-1].split()[0] == "events"
