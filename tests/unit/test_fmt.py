"""linkwork fmt: a file in order says the same, keeps its comments, and is in order."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.errors import InputError
from linkwork.spec import loaders, parse_mechanism
from linkwork.spec.layout import find_comments
from linkwork.spec.nodes import compose
from linkwork.spec.rewrite import rewrite

ROOT = Path(__file__).parents[2]
EXAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.yaml"))}

MESSY = """\
# an arm

ProblemData :   {tend: 1 ,positions: { A: [[1,fixed],0 ] } }   # where it starts
"Title":    An arm


PartData:

    # what moves
    Rigids:
        AB:   {Dyna: [[l/2], m, m], Geom: [[l]]}  # second
        OA: {Geom: [ [ l ] ],Dyna: [[l/2],m]} # first
        # the end of the rods
    Fixed: { O : [ ] }   # the ground
    # the end of the parts
PhysicalParams: {l: 1,   # length
  # the mass
  m: 2
  }
# the end
"""
TIDY = """\
# an arm

Title: An arm
PhysicalParams: {l: 1,  # length
                 # the mass
                 m: 2}

PartData:
  Fixed: {O: []}  # the ground
  # what moves
  Rigids:
    AB: {Geom: [[l]], Dyna: [[l/2], m, m]}  # second
    OA: {Geom: [[l]], Dyna: [[l/2], m]}     # first
    # the end of the rods
  # the end of the parts
ProblemData: {tend: 1, positions: {A: [[1, fixed], 0]}}  # where it starts
# the end
"""


def comments(text):
    return sorted(comment.text for comment in find_comments(text + "\n"))


def check(text):
    """A text in order says the same, has the same comments, and stays as it is."""
    made = rewrite(text)
    assert repr(parse_mechanism(made)) == repr(parse_mechanism(text))
    assert comments(made) == comments(text)
    assert rewrite(made) == made
    assert not re.search(r"[ \t]$|\n\n\n|\A\n|\n\n\Z", made, re.M)
    return made


def test_sections_keys_spaces_and_columns_are_put_in_order():
    assert check(MESSY) == TIDY


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_examples_keep_their_meaning_and_their_comments(text):
    check(text)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_in_order(command, name):
    assert command("fmt", "--check", ROOT / "examples" / f"{name}.yaml") == (0, "", "")


COLUMNS = """\
PartData:
  Particles: {A: 1}
Skels:
%s"""


@pytest.mark.parametrize(
    ("rows", "made"),
    [
        # equal keys
        (["OF: {a: [x], b: 1}", "BED: {a: [x, y], b: 2}"], ["OF:  {a: [x],    b: 1}", "BED: {a: [x, y], b: 2}"]),
        # only the last key is another
        (["OF: {a: 1, b: 1}", "BED: {a: 10, c: 2}"], ["OF:  {a: 1,  b: 1}", "BED: {a: 10, c: 2}"]),
        # other keys
        (["OF: {a: 1, b: 1}", "BED: {b: 10, c: 2}"], ["OF: {a: 1, b: 1}", "BED: {b: 10, c: 2}"]),
        (["OF: {a: 1}", "BED: {b: 10}"], ["OF: {a: 1}", "BED: {b: 10}"]),
        # a gap of more than sixteen spaces, and what comes after it
        (
            ["OF: {a: 1, b: 1, c: 1, d: 1}", "BED: {a: 10, b: 123456789012345678, c: 10, d: 10}"],
            ["OF:  {a: 1,  b: 1, c: 1, d: 1}", "BED: {a: 10, b: 123456789012345678, c: 10, d: 10}"],
        ),
    ],
)
def test_maps_that_are_alike_stand_in_columns(rows, made):
    text, wanted = (COLUMNS % "".join(f"  {row}\n" for row in some) for some in (rows, made))
    assert check(text) == wanted


def test_columns_that_would_be_too_wide_are_left_alone():
    wide = "0." + "1" * 90
    text = f"PhysicalParams: {{w: {wide}}}\nPartData:\n  Rigids:\n    OA: {{Geom: [[{wide}]], Dyna: [[0], 1, 1]}}\n"
    text += "    AB: {Geom: [[1]], Dyna: [[0], 1, 1]}\n"
    assert "    AB: {Geom: [[1]], Dyna: [[0], 1, 1]}\n" in check(text)


def test_the_order_of_parts_is_the_users():
    text = "PartData: {Particles: {C: 1, A: 2, B: 3}}\n"
    assert check(text) == text


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("PartData:\n  Particles: {A: 1}\nTitle: >\n    two\n    lines\n", "Title: >\n  two\n  lines\n"),
        ("Title: |+2 # kept\n    more\n\n  less\n\n", "Title: |+2 # kept\n    more\n\n  less\n\n"),
        ("Title: two\n  lines\n", "Title: two lines\n"),
        ("Title: 'two\n\n  lines'\n", 'Title: "two\\nlines"\n'),
        ("Title: two\n\n  lines\n", 'Title: "two\\nlines"\n'),
        ("Title: # beside\n  # above\n  x\n", "# beside\nTitle: x  # above\n"),
        ("Title: ':' # odd\n", "Title: ':'  # odd\n"),
        ("'Title' : \"#no comment\" #yes\n", 'Title: "#no comment"  #yes\n'),
        ("? Title\n: x\n", "Title: x\n"),
        ("SolverParams: {OutFile: {points: [A: 1,\n # why\n A: 2]}}\n", None),
        ("SolverParams: {OutFile: {points:\n    [ # all\n    A: 1 # one\n    ]}}\n", None),
        ("SolverParams:\n  OutFile:\n    points:\n    # first\n    - # why\n      A: 1 # one\n", None),
        ("Animation:\n- 1\n", None),
        ("Animation: {'a b': [1, 2], \"y\": y, 3: [x, ], ? z , w: }\n", None),
        ("Skels: &x {a: &y [1, 2], b: *y}\n", "Skels: &x {a: &y [1, 2], b: *y}\n"),
        ("Skels: {a: !!str 1, !!str b: ! c}\n", "Skels: {a: !!str 1, !!str b: ! c}\n"),
        ("Title: 'Länge ½\u2028𝄞'  # ü\n", None),
    ],
)
def test_all_of_yaml_can_be_put_in_order(text, made):
    text += "" if "PartData" in text else "PartData: {Particles: {A: 1}}\n"
    if text.startswith("Animation:\n-"):
        with pytest.raises(InputError):
            rewrite(text)
        return
    found = check(text)
    assert made is None or found == made + "PartData: {Particles: {A: 1}}\n" or made in found


def test_document_marks_and_windows_lines_go():
    assert check("%YAML 1.1\n--- # start\nPartData: {Particles: {A: 1}}\r\n...\n# end\n") == (
        "# start\nPartData: {Particles: {A: 1}}\n# end\n"
    )


def test_what_is_referred_to_stays_before_what_refers_to_it():
    text = "PartData:\n  Rigids: {AB: &rod {Geom: [[1]], Dyna: [[0.5], 1, 1]}, BC: *rod}\nTitle: x\n"
    assert check(text) == text


def test_the_parser_in_python_lays_out_the_same_as_the_one_in_c(monkeypatch):
    fast = [rewrite(text) for text in (MESSY, *EXAMPLES.values())]
    monkeypatch.setattr(loaders, "FAST", loaders.SLOW)
    assert [rewrite(text) for text in (MESSY, *EXAMPLES.values())] == fast


# -- layouts of all sorts --------------------------------------------------------------------------------------------


class Writer:
    """Writes a tree in any layout, with numbered comments wherever they may be."""

    def __init__(self, draw):
        self.draw, self.count = draw, 0

    def chance(self, of=4):
        return self.draw(st.integers(1, of)) == 1

    def spaces(self, least=0):
        return " " * self.draw(st.integers(least, 3))

    def comment(self):
        self.count += 1
        return f"#{self.spaces()}c{self.count}: [x, {{'\""

    def above(self):
        """Empty lines and comments at any column."""
        count = self.draw(st.integers(1, 2)) if self.chance() else 0
        return "".join("\n" if self.chance(2) else f"{self.spaces() * 3}{self.comment()}\n" for _ in range(count))

    def beside(self):
        return self.spaces(1) + self.comment() if self.chance() else self.spaces()

    def scalar(self, node):
        text = node.text
        if node.plain and (node.empty or re.fullmatch(r"[\w.*/+$-]+( [\w.*/+-]+)*", text)):
            return text
        return f"'{text}'" if self.chance(2) and "'" not in text else f'"{text}"'

    def key(self, node):
        return f"'{node.text}'" if self.chance(6) or not re.fullmatch(r"[\w.]+", node.text) else node.text

    def gap(self, indent):
        """Space within brackets: nothing, spaces, or a new line after a comment."""
        if not self.chance(8):
            return self.spaces()
        return self.beside() + "\n" + self.above() + " " * indent + self.spaces()

    def brackets(self, node, indent):
        if node.kind == "scalar":
            return self.scalar(node)
        if node.kind == "list":
            items = [self.brackets(item, indent) for item in node.items]
        else:
            pairs = node.pairs
            items = [f"{self.key(key)}{self.spaces()}: {self.brackets(value, indent)}" for key, value in pairs]
        left, right = "[]" if node.kind == "list" else "{}"
        inner = "".join(f"{',' if n else ''}{self.gap(indent)}{item} " for n, item in enumerate(items))
        return f"{left}{inner}{self.gap(indent)}{right}"

    def block(self, node, indent):
        text = ""
        pairs = self.draw(st.permutations(node.pairs)) if node.kind == "map" and not indent else node.pairs
        step = self.draw(st.integers(1, 4))
        for entry in pairs or node.items:
            key, value = entry if pairs else (None, entry)
            text += self.above() + " " * indent + (f"{self.key(key)}:" if pairs else "-")
            if value.kind == "scalar" or not (value.items or value.pairs) or self.chance(2):
                text += f" {self.brackets(value, indent + 1)}{self.beside()}\n"
            else:
                text += f"{self.beside()}\n{self.block(value, indent + step)}"
        return text


def check_layout(draw):
    writer = Writer(draw)
    root = compose(draw(st.sampled_from([MESSY, *EXAMPLES.values()])), "")
    text = writer.block(root, 0)
    made = check(text)
    assert made.count("#") >= writer.count
    assert sorted(re.findall(r"#( *c\d+:)", made)) == sorted(re.findall(r"#( *c\d+:)", text))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_layout_keeps_its_meaning_and_its_comments(data):
    check_layout(data.draw)


@pytest.mark.long
@settings(max_examples=2000, deadline=None)
@given(st.data())
def test_many_layouts_keep_their_meaning_and_their_comments(data):
    check_layout(data.draw)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_text_is_put_in_order_or_refused_as_the_reader_refuses_it(data):
    text = data.draw(st.sampled_from([MESSY, TIDY, *EXAMPLES.values()]))
    place, cut = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 6))
    piece = data.draw(
        st.sampled_from([*"[]{}:,&*!|>'\"%#-?@\t\n ", "# x", " #", "\n\n", "|\n", "*a ", "&a ", "!!str ", "- ", "é"])
    )
    damaged = text[:place] + piece + text[place + cut :]
    try:
        parse_mechanism(damaged)
    except InputError as error:
        with pytest.raises(InputError) as caught:
            rewrite(damaged)
        assert str(caught.value) == str(error)
    else:
        check(damaged)


# -- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def command(command, empty_folder):
    return command


def test_a_file_is_put_in_order_once(command):
    Path("arm.yaml").write_text(MESSY)
    assert command("fmt", "arm.yaml") == (0, "", "")
    assert Path("arm.yaml").read_text() == TIDY
    written = Path("arm.yaml").stat()
    assert command("fmt", "arm.yaml") == (0, "", "")
    assert Path("arm.yaml").stat().st_ino == written.st_ino  # a file in order is not written
    assert os.listdir() == ["arm.yaml"]


def test_check_tells_and_changes_nothing(command):
    Path("arm.yaml").write_text(MESSY)
    Path("tidy.yaml").write_text(TIDY)
    assert command("fmt", "--check", "arm.yaml", "tidy.yaml") == (1, "", "linkwork: arm.yaml would change\n")
    assert command("fmt", "--check", "tidy.yaml") == (0, "", "")
    assert Path("arm.yaml").read_text() == MESSY


def test_a_file_with_errors_is_left_as_it_is_and_the_others_are_done(command):
    bad = MESSY.replace("m: 2", "m: n")
    Path("bad.yaml").write_text(bad)
    Path("arm.yaml").write_text(MESSY)
    code, out, err = command("fmt", "bad.yaml", "arm.yaml", "none.yaml")
    assert (code, out) == (2, "")
    assert "bad.yaml:18: parameter 'm': unknown name 'n' in 'n'. Define a parameter with this name" in err
    assert "none.yaml: there is no such file" in err
    assert Path("bad.yaml").read_text() == bad
    assert Path("arm.yaml").read_text() == TIDY


def test_a_link_stays_a_link_and_permissions_stay(command):
    Path("real.yaml").write_text(MESSY)
    Path("real.yaml").chmod(0o640)
    Path("link.yaml").symlink_to("real.yaml")
    assert command("fmt", "link.yaml")[0] == 0
    assert Path("link.yaml").is_symlink()
    assert Path("real.yaml").read_text() == TIDY
    assert stat.S_IMODE(Path("real.yaml").stat().st_mode) == 0o640


@pytest.mark.parametrize(("text", "code", "made"), [(MESSY, 0, TIDY), (TIDY, 0, TIDY), ("Title: x\n", 2, "")])
def test_the_input_can_be_put_in_order_on_its_way(text, code, made):
    words = [sys.executable, "-c", "from linkwork.cli import main; main()", "fmt", "-"]
    environment = {**os.environ, "PYTHONPATH": str(Path(lw.__file__).parents[1]), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        words, input=text.replace("an arm", "ein Ärmchen").encode(), capture_output=True, env=environment
    )
    assert done.returncode == code
    assert done.stdout.decode() == made.replace("an arm", "ein Ärmchen")
    assert (b"<input>:1: PartData: there are no parts" in done.stderr) == (code == 2)
