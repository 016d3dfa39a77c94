"""Tables whose points are in a file: what is read, what is refused, and in which words."""

import os

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError

CAR = """PartData:
  Particles: {A: 1}
Tables:
  road: {file: road.csv}
AppliedForces:
  Forces: {A: [-road(A.x), 0]}
ProblemData: {tend: 1, positions: {A: [1, 0]}}
"""


@pytest.fixture
def car(tmp_path):
    """A function that reads a car on the road given, or on what the table says instead."""

    def read(road, table="{file: road.csv}"):
        if road is not None:
            (tmp_path / "road.csv").write_bytes(road if isinstance(road, bytes) else road.encode())
        (tmp_path / "car.yaml").write_text(CAR.replace("{file: road.csv}", table))
        return lw.load(tmp_path / "car.yaml").mechanism.tables["road"]

    return read


@pytest.mark.parametrize(
    "text",
    [
        "0,1\n1,3\n2,-4.5e0\n",
        "0;1\r\n1;3\r\n2;-4.5\r\n",
        "0\t1\n1\t3\n2\t-4.5",
        "# a road\n\n  0   1\n1 3 # here\n\n2 -4.5\n",
        "x [m], y [m]\n0, 1\n1, 3\n2, -4.5\n",
        b"\xef\xbb\xbfdistance;height\n0;1\n1;3\n2;-4.5\n",
        "0,1,9\n1,3,8\n2,-4.5\n",
    ],
)
def test_two_columns_of_numbers_are_points(car, text):
    table = car(text)
    assert (table.x, table.y) == ((0, 1, 2), (1, 3, -4.5))
    assert table.kind == "spline"


@pytest.mark.parametrize("columns", ["[time, z]", "[1, 3]", "['time', 3]"])
def test_columns_are_chosen_by_heading_or_number(car, columns):
    table = car("time,y,z\n0,7,1\n1,7,2\n", f"{{file: road.csv, columns: {columns}, kind: linear}}")
    assert (table.x, table.y, table.kind) == ((0, 1), (1, 2), "linear")


def test_a_file_may_lie_below_the_mechanism(car, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a road.txt").write_text("0 0\n1 1\n")
    assert car(None, "{file: data/a road.txt}").y == (0, 1)


def test_a_table_of_a_file_is_the_table_of_its_numbers(tmp_path):
    x = np.linspace(0, 3, 100)
    np.savetxt(tmp_path / "road.csv", np.stack([x, np.sin(3 * x)], axis=1), delimiter=",", fmt="%.17g")
    (tmp_path / "car.yaml").write_text(CAR)
    table = lw.load(tmp_path / "car.yaml").mechanism.tables["road"]
    assert table == lw.Table("road", x, np.sin(3 * x))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n1,x\n", "road.csv:2: table 'road': 'x' is not a number. Give numbers only, below a line of headings"),
        ("0;1\n1;2,5\n", "road.csv:2: table 'road': '2,5' is not a number. Write decimals with a point"),
        ("a,b\n\n0,1\n1\n", "road.csv:4: table 'road': there is no column 2. Give x and y on each line"),
        ("0,1\n2,1\n# no\n1,1\n", "road.csv:4: table 'road': x does not increase: 1 follows 2. Sort the points by x"),
        ("0,1\n1,nan\n", "road.csv:2: table 'road': y is nan. Use finite numbers"),
        ("0,1\ninf,1\n", "road.csv:2: table 'road': x is inf. Use finite numbers"),
        ("0,1\n", "car.yaml:4: table 'road': 1 points. Give 2 to 1,000,000"),
        ("", "car.yaml:4: table 'road': 0 points. Give 2 to 1,000,000"),
        (b"0,1\n\xff\n", "road.csv:2: table 'road': is not UTF-8 text (byte 0xff). Save the file as UTF-8"),
        (None, "car.yaml:4: table 'road': file 'road.csv': there is no such file."),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_line(car, tmp_path, text, message):
    with pytest.raises(InputError) as caught:
        car(text)
    found = str(caught.value).replace(f"{tmp_path}{os.sep}", "")
    assert found.startswith(message)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("{file: ../road.csv}", "file '../road.csv': it is not in the folder of the mechanism. Put it beside"),
        ("{file: /etc/hostname}", "file '/etc/hostname': it is not in the folder of the mechanism. Put it beside"),
        ("{file: .}", "file '.': it is no ordinary file. Name a text file"),
        ("{file: link.csv}", "file 'link.csv': it is not in the folder of the mechanism"),
        ("{file: pipe}", "file 'pipe': it is no ordinary file"),
        ("{file: road.csv, x: [0, 1], y: [1, 2]}", "both 'file' and 'x' are given. Remove one of the two"),
        ("{}", "x is a list of numbers. Write x: [0, 1, 2]"),
        ("{file: road.csv, columns: 3}", "columns are two. Write columns: [1, 2]"),
        ("{file: road.csv, columns: [1]}", "1 columns. Write columns: [1, 2]"),
        ("{file: road.csv, columns: [x, heigth]}", "has no column 'heigth'. Did you mean 'height'?"),
        ("{file: road.csv, columns: [0, 1]}", "has no column '0'. Its columns are x, height"),
    ],
)
def test_files_elsewhere_and_wrong_columns_are_refused(car, tmp_path, table, message):
    (tmp_path / "link.csv").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError) as caught:
        car("x,height\n0,1\n1,2\n", table)
    assert str(caught.value).replace(f"{tmp_path}{os.sep}", "").startswith("car.yaml:4: table 'road': ")
    assert message in str(caught.value).replace(f"{tmp_path}{os.sep}", "")


def test_a_text_that_is_no_file_has_no_files_beside_it():
    with pytest.raises(InputError, match="table 'road': a file of points needs a mechanism that is a file itself"):
        lw.spec.parse_mechanism(CAR)
