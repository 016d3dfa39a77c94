"""What the reader of an exported program's arguments and parameters is told; half a number is none."""

import subprocess
from pathlib import Path

import pytest

import linkwork as lw
from exports import build, run, stem

TARGETS = ["c", "fortran", "python", "rust", "matlab", "julia"]
MOST = 1_000_000_000


class Program:
    """An exported program that is built once."""

    def __init__(self, folder, target):
        self.folder, self.target, self.command = folder, target, build(folder, target)

    def say(self, *arguments):
        """Its exit status and what it says beside the table."""
        command = [*self.command, *arguments]
        if self.target == "matlab":
            words = [a.removeprefix("--").replace("end", "tend") if a.startswith("--") else a for a in arguments]
            words = ["parameters", *words] if len(words) == 1 else words
            values = ", ".join([f"'{words[0]}'", *(w if words[0] != "parameters" else f"'{w}'" for w in words[1:])])
            command = [*self.command[:4], f"{stem(self.folder)}({values});"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60)
        # Octave has its own troubles when it ends
        return done.returncode, "" if self.target == "matlab" and done.returncode == 0 else done.stderr

    def read(self, text, name="given.txt"):
        """The same for a file of parameters."""
        (self.folder / name).write_bytes(text.encode())
        return self.say(name)


def pendulum():
    energy = "m*(l*phi')**2/2 + m*g*l*cos(phi)"
    return lw.lagrangian("phi", energy, parameters={"m": 1, "l": 0.5, "g": 9.81}, start={"phi": 1}, tend=0.1)


@pytest.fixture(scope="module", params=TARGETS)
def program(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("arguments") / request.param
    return Program(pendulum().export(request.param, folder), request.param)


@pytest.mark.parametrize(
    "line",
    ["l = 1,5", "l = 0.7 m", "l = 5.0000.3", "l = 7e", "l = 1 2", "l = 2*3", "l = 1+5", "l = +", "l =", "l = 1 = 2",
     "l = nan", "l = 1e999", "l = '1'", "l = 1/2", "l = 1;", "l = .", "l = 0x10", "l = 0x1p3", "l = 1_0", "l = ١٢",
     "l = inf", "l = 1d2", "l = 1e5.5", "l = e5", "l = 1e+", "l = +-1", "l = 1e2e2", "l = 1f", "l = 2r",
     "l = 1\u00a02"],
)  # fmt: skip
def test_half_a_number_is_refused_with_file_and_line(program, line):
    status, said = program.read(f"# one\nm = 2\n{line}  # three\n")
    assert status != 0 and f"given.txt:3: no number: {line}" in said, said


def test_a_line_that_gives_nothing_is_refused_with_file_and_line(program):
    status, said = program.read("\n\nl 3\n")
    assert status != 0 and "given.txt:3: no NAME = VALUE: l 3" in said
    status, said = program.read("mass = 1\n")
    assert status != 0 and "given.txt:1: no parameter named mass" in said


def test_remarks_blanks_tabs_and_ends_of_lines_of_others_are_no_harm(program):
    remark = "# " + 2000 * "l = 7 "
    short = "# half a number: 1,5 m"
    status, said = program.read(f"{short}\n\tl\t=\t1.5e+0 {short}\r\n  \t\r\nm=.5\n g = +9.\n#\n{remark}\nl = 1E-1")
    assert (status, said) == (0, "")


@pytest.mark.parametrize("written", ["2.", ".5e1", "+2E+0", "-2e-0", "007", "2\r"])
def test_all_targets_take_the_same_decimal_numbers(program, written):
    assert program.read(f"l = 1\nm = {written}\n", "numbers.txt") == (0, "")


def test_a_mark_of_the_order_of_bytes_is_no_part_of_the_first_line(program):
    assert program.read("\ufeffl = 1\n") == (0, "")
    status, said = program.read("\ufeff# l = 7\nm = 1,5\n")
    assert status != 0 and "given.txt:2: no number: m = 1,5" in said


def test_zero_bytes_are_told_as_such(program):
    told = "a zero byte: this is no text in UTF-8"
    status, said = program.read("m = 2\nl = 1\0\n")
    assert status != 0 and f"given.txt:2: {told}" in said, said
    (program.folder / "wide.txt").write_bytes("l = 1\n".encode("utf-16"))
    status, said = program.say("wide.txt")
    assert status != 0 and f"wide.txt:1: {told}" in said, said


@pytest.mark.parametrize("key", ["--help", "-h"])
def test_help_is_printed_and_is_no_failure(program, key):
    command = [*program.command, key]
    if program.target == "matlab":
        command = [*program.command[:4], f"{stem(program.folder)}('{key}');"]
    done = subprocess.run(command, cwd=program.folder, capture_output=True, text=True, timeout=60)
    # Octave has its own troubles when it ends
    assert done.returncode == 0 and (program.target == "matlab" or not done.stderr)
    assert done.stdout.startswith("usage: ")
    for word in ("samples", "tolerance", "step", "from 1e-16 to 0.01", "NAME = VALUE", "0.1 unless given"):
        assert word in done.stdout
    assert "phi" not in done.stdout


def test_a_line_that_is_too_long_is_not_read_in_part(program):
    status, said = program.read(f"l = {3000 * '0'}1,5\n")
    assert status != 0 and "given.txt:1: " in said and ("too long" in said or "no number" in said)


def test_a_folder_is_no_file_of_parameters(program):
    for path in ("/", str(program.folder), "."):
        status, said = program.say(path)
        assert status != 0 and f"cannot read {path}" in said


@pytest.mark.parametrize(
    ("key", "values", "needs"),
    [
        ("--step", ["-1", "0", "nan", "inf", "1e-12"], "a number above 0"),
        ("--samples", ["0", "-3", "1.5", "1e10", "nan", "inf"], f"a whole number from 1 to {MOST}"),
        ("--end", ["0", "-1", "nan", "inf"], "a number above "),
        ("--tolerance", ["0", "-1", "nan", "inf", "1e-30", "9.9e-17", "0.011", "10"], "a number from 1e-16 to 0.01"),
    ],
)
def test_a_number_out_of_range_is_refused_by_what_is_needed(program, key, values, needs):
    for value in values:
        status, said = program.say(key, value)
        wanted = f"these would be more than {MOST} steps" if value == "1e-12" else f"takes {needs}"
        assert status != 0 and key.strip("-") in said and wanted in said, (value, said)


def test_half_a_number_is_no_argument_either(program):
    if program.target == "matlab":
        pytest.skip("its arguments are numbers, not texts")
    for key in ("--step", "--samples", "--end", "--tolerance"):
        for value in ("1,5", "0.7m", "7e", "1.0.3", ""):
            status, said = program.say(key, value)
            assert status != 0 and f"{key}" in said and f"not {value}".strip() in said


def test_the_least_and_the_largest_tolerance_are_taken(program):
    for value in ("1e-16", "0.01"):
        assert program.say("--tolerance", value) == (0, "")


def test_arguments_are_taken_as_they_are_written(tmp_path):
    folder = pendulum().export("c", tmp_path / "c")
    _, table = run(folder, "c", "--end", "2e-1", "--samples", "2e1", "--tolerance", "1e-9", "--step", ".01")
    assert table.shape[0] == 21 and table[-1, 0] == 0.2


@pytest.mark.parametrize("target", TARGETS)
def test_a_parameter_that_becomes_zero_is_told_in_a_sentence(load_example, tmp_path, target):
    program = Program(load_example("four-bar").export(target, tmp_path / target), target)
    status, said = program.read("a = 0\n")
    assert status != 0 and "a value is negative, or next to nothing, or no longer zero" in said
    assert target == "julia" or "Traceback" not in said


@pytest.mark.parametrize("target", ["fortran", "c"])
def test_help_of_a_program_with_a_long_name(target, tmp_path):
    model = lw.lagrangian("x", "x'**2/2", parameters={"unused": 1}, tend=0.1, title="a name that is long " + 30 * "x")
    program = Program(model.export(target, tmp_path / target), target)
    assert program.say("--help") == (0, "")


@pytest.mark.parametrize("target", TARGETS)
def test_a_parameter_may_have_any_name(target, tmp_path):
    model = lw.lagrangian("x", "N*x'**2/2", forces={"x": "most_rows"}, parameters={"N": 2, "most_rows": 3}, tend=0.1)
    folder = model.export(target, tmp_path / target)
    assert Path(folder / "parameters.txt").read_text().endswith("N = 2.0\nmost_rows = 3.0\n")
    assert Program(folder, target).say("parameters.txt") == (0, "")
