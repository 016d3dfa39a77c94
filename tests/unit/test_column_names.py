"""Names at the heads of tables are one cell each, whatever formula or text they are."""

import csv
import io
import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli import main
from linkwork.errors import LinkworkError
from linkwork.quoting import csv_head
from texts import WILD


def test_the_head_of_a_table_has_a_cell_for_each_name():
    (row,) = csv.reader(io.StringIO(csv_head(WILD)))
    assert len(row) == len(WILD)


def test_formulas_with_commas_are_one_column(tmp_path, monkeypatch, examples):
    out = tmp_path / "a.csv"
    words = ["statics", str(examples / "mult-pend-fp.yaml"), "--over", "t=0:1:2", "--what", "atan2(P5.x, P5.y), P4.x"]
    monkeypatch.setattr(sys, "argv", ["linkwork", *words, "--out", str(out)])
    with pytest.raises(SystemExit) as ended:
        main()
    rows = list(csv.reader(io.StringIO(out.read_text())))
    assert not ended.value.code and {len(row) for row in rows} == {len(rows[0])}
    assert "atan2(P5.x, P5.y)" in rows[0]


def test_names_of_constraints_are_lines_and_no_two_are_alike():
    made = lw.lagrangian("x y", "(x'**2 + y'**2)/2", constraints={"a\n\ud800b": "x - y"})
    assert made.system.constraints == ("a \\ud800b",) and np.isfinite(made.start.q).all()
    try:
        lw.lagrangian("x y", "(x'**2 + y'**2)/2", constraints={"a": "x - y", "a\n": "2*x - y"})
    except LinkworkError as error:
        assert "two of them have the same name" in str(error)
    else:
        raise AssertionError("one of them was lost")
