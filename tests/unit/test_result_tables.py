"""Results as tables: every format holds the very numbers of the motion, under the same names."""

import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError, LinkworkError
from linkwork.results import write_results
from linkwork.results.sheets import write_sheets


@pytest.fixture(scope="module")
def motion(load_example):
    return load_example("driven-crank-with-damper").simulate()


def read_csv(path):
    head, *rows = path.read_text().splitlines()
    return dict(zip(head.split(","), np.array([row.split(",") for row in rows], dtype=float).T, strict=True))


def read_parquet(path):
    from pyarrow.parquet import read_table

    table = read_table(path)
    assert table.schema.metadata[b"outcome"].startswith(b"reached")
    return {name: table[name].to_numpy() for name in table.column_names}


def read_mat(path):
    from scipy.io import loadmat

    found = loadmat(path, simplify_cells=True)
    assert found["outcome"].startswith("reached") and np.array_equal(found["t"], found["table"][:, 0])
    return dict(zip([name.strip() for name in found["columns"]], found["table"].T, strict=True))


def read_xlsx(path):
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True)
    head, *rows = book["motion"].iter_rows(values_only=True)
    words = {row[0]: row[1] for row in book["run"].iter_rows(values_only=True)}
    assert words["outcome"].startswith("reached")
    book.close()
    return dict(zip(head, np.array(rows, dtype=float).T, strict=True))


READERS = {".csv": read_csv, ".parquet": read_parquet, ".mat": read_mat, ".xlsx": read_xlsx}


@pytest.mark.parametrize("ending", READERS)
def test_every_format_gives_back_the_very_numbers_of_the_motion(motion, tmp_path, ending):
    found = READERS[ending](write_results(motion, tmp_path / f"a{ending}"))
    wanted = motion.table()
    assert list(found) == list(wanted)
    for name, values in wanted.items():
        assert np.array_equal(found[name], values), name


@pytest.mark.parametrize("ending", READERS)
def test_rows_may_be_equally_spaced_and_columns_chosen(motion, tmp_path, ending):
    point = next(iter(motion.mechanism.moving_points))
    found = READERS[ending](write_results(motion, tmp_path / f"a{ending}", points=7, columns={point: 2}))
    assert list(found) == ["t", f"{point}x", f"{point}x'", f"{point}y", f"{point}y'", "T", "V"]
    times = np.linspace(motion.t[0], motion.t[-1], 7)
    assert np.array_equal(found["t"], times)
    assert np.array_equal(found[f"{point}y"], motion.at(times)[f"{point}y"])


@pytest.mark.parametrize("points", [1, 0, -3, 10**9, 2.5, "7", True])
def test_a_wrong_number_of_points_is_an_error_in_words(motion, tmp_path, points):
    with pytest.raises(InputError, match="Give a whole number from 2 to 1,000,000"):
        write_results(motion, tmp_path / "a.csv", points=points)
    with pytest.raises(InputError, match="Give one of the two"):
        write_results(motion, tmp_path / "a.csv", points=3, times=motion.t)


def test_a_missing_library_is_named_with_the_way_to_get_it(motion, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(LinkworkError, match=r"need pyarrow.*pip install \"linkwork\[table\]\""):
        write_results(motion, tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())


def test_texts_of_a_worksheet_stay_texts_and_what_is_no_number_is_empty(tmp_path):
    from openpyxl import load_workbook

    path = tmp_path / "a.xlsx"
    with path.open("wb") as file:
        write_sheets(file, {"one": [["=1+1\x07", 'a<b>&"c"'], [1.5, float("nan")], [0.1, -1e-300]], "two": []})
    sheet = load_workbook(path)["one"]
    assert [cell.value for row in sheet for cell in row] == ["=1+1\\x07", 'a<b>&"c"', 1.5, None, 0.1, -1e-300]
    assert sheet["A1"].data_type == "s" and sheet.freeze_panes == "B2"


def test_the_same_motion_gives_the_same_workbook(motion, tmp_path):
    one, other = (write_results(motion, tmp_path / name).read_bytes() for name in ("a.xlsx", "b.xlsx"))
    assert one == other


def test_too_many_rows_for_a_worksheet_are_refused_in_words(motion, tmp_path, monkeypatch):
    monkeypatch.setattr("linkwork.results.sheets.MOST_ROWS", 5)
    with pytest.raises(LinkworkError, match="too many for the worksheet 'motion'"):
        write_results(motion, tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_fixed_value_is_in_the_table_as_it_was_written(tmp_path):
    text = """
    PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}
    AppliedForces: {Gravity: }
    ProblemData: {tend: 1, positions: {A: [[0.1234567890123, fixed], 0.9]}, velocities: {A: [[0.7, fixed]]}}
    """
    head, first, *_ = write_results(lw.loads(text).simulate(), tmp_path / "a.csv").read_text().splitlines()
    row = dict(zip(head.split(","), first.split(","), strict=True))
    assert (row["Ax"], row["Ax'"]) == ("0.1234567890123", "0.7")
