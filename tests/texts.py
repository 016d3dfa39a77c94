"""Texts that would like to be something else, models that have them wherever a user may write, and what remains of code
when comments and the contents of strings are left out."""

import ast
import io
import re
import subprocess
import sys
import tempfile
import unicodedata
import xml.dom.minidom
import zipfile

import linkwork as lw
from linkwork.errors import show_line
from linkwork.export.names import escape

CODE = (".c", ".h", ".f90", ".py", ".jl", ".m", ".rs")
ASCII = "".join(map(chr, range(32, 127)))
BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
CONTROLS = "".join(chr(i) for i in range(32)) + "".join(chr(i) for i in range(127, 160))
ODD = "\xad\u061c\u200b\u200d\u200e\u202a\u202e\u2066\u2069\ufeff\ufff9\ufdd0\ufffe\uffff\U0001fffe\U000e0041"
HALVES = "\ud800 \udfff \udc80"
# what ends or begins a comment, a string, an attribute; what continues a line; directives; gaps of our templates
SPECIAL = [
    "*/ x = 1; /*", "*\\ x \\*", "*\\", "\\", "/", "*", "/*", "//", "// \\", "??/", "*??/", "??)", "/**/", "'", '"',
    '"""', "'''", '\\"""', '"""; import os; """', '" + evil() + "', '"//&', "&", "& evil()", "!", "!$omp x", "! &",
    "%{", "%}", "%", "%s%n%d", "...", "#", "#{", "#=", "=#", "#!", "#define x", "#line 1", '_Pragma("x")', "`", "```",
    "~~~", "$", "$x$", "$(evil)", "${evil}", "$(shell evil)", "$$", "{", "}", "{0}", "{evil}", "{{x}}",
    "\\N{DIGIT ONE}",
    "\\u0022\\x22", "\\042", "]]>", "<!--", "-->", "&quot;&#34;", "<b onclick=x>", "</script><script>", "&lt;",
    "@name@", "@data@", "@title@", "@if stubs", "@end", "@",
    "coding: utf-7", "-*- coding=ascii -*-", "vim: set fileencoding=x :",
    "| a | b |", "[a](b)", "![a](b)", "# a", "_a_ *b*", "a: b", "- a", "=1+1", "\\input{x}", "^^5c", "~", "^x_y",
    "Ω é 日本 🦀 ﬁ", "e\u0301", "x" * 300, "long " * 60, "''" * 60, '""' * 60, "\\" * 99, "*/" * 50,
]  # fmt: skip
WILD = [*SPECIAL, *(f"a{b}x = evil()" for b in BREAKS), f"a{CONTROLS}b", f"a{ODD}b", f"a{HALVES}b", ASCII, ASCII[::-1]]


def plain(text):
    """A harmless text of which the same identifiers are made behind a word."""
    return escape(f"t {show_line(text)}")[2:]


def make_model(title, texts, unit="kg"):
    """A model that has texts wherever any text may be: title, events, constraints, controllers, stops, frictions."""
    return lw.lagrangian(
        "x y", "m*(x'**2 + y'**2)/2", title=f"t {title}", parameters={"m": 2.0}, units={"m": unit},
        start={"x": 1, "y": 1}, constraints={f"g {show_line(texts[0])}": "x - y"}, tend=0.1,
        forces={"x": "F - pull(x, 2*x)"}, inputs={"F": 0},
        events=[lw.Event(name=f"{text} {i}", when=f"x - {i + 5}") for i, text in enumerate(texts)],
        controllers=[lw.Sampled("asked", period=0.05, reads=["x"], sets=["F"], call=hold)],
    )  # fmt: skip


def make_switched(title, texts):
    """One whose constraints come and go."""
    return lw.lagrangian(
        "x", "m*x'**2/2", title=f"t {title}", parameters={"m": 2.0}, start={"x": 1}, tend=0.1, forces={"x": "-9.81"},
        stops=[lw.Stop(name=f"stop {texts[0]}", gap="x", restitution=0.5)],
        frictions=[lw.Friction(name="rub", speed="x'", limit=1)],
        events=[lw.Event(name=f"{text} {i}", when=f"x - {i + 5}") for i, text in enumerate(texts)],
    )  # fmt: skip


def make_tree(title, texts):
    """A tree of bodies whose outputs have long names."""
    tree = lw.Tree(f"t {title}", gravity=9.81, parameters={"l": 1, "m": 2})
    tree.add_body("upper", rotate="y", mass="m", inertia=0, centre=("l", 0, 0))
    for i, text in enumerate(texts):
        tree.add_output(f"o{i}", "2*q1", long_name=f"t {text}")
    return tree.model(start={"q1": 1})


def hold(t, x):
    return 0.0


# -- code without comments and the contents of strings -----------------------------------------------------------------

STRING = {
    "c": r'"(?:[^"\\\n]|\\.)*"', "fortran": r'"(?:[^"\n]|"")*"' + r"|'(?:[^'\n]|'')*'", "rust": r'"(?:[^"\\]|\\.)*"',
    "matlab": r"(?<![\w.)\]}'])'(?:[^'\n]|'')*'",
}  # fmt: skip
COMMENT = {
    "c": r"/\*.*?\*/|//[^\n]*", "fortran": r"![^\n]*", "rust": r"//[^\n]*", "matlab": r"(?:%|\#)[^\n]*",
}  # fmt: skip


def find_tokens(text, target):
    """The code of a file, to be compared with that of another."""
    if target == "python":
        return _find_python(text)
    if target == "julia":
        return _find_julia(text)
    if target == "c":
        # as a compiler sees it: trigraphs first, then lines that go on
        text = re.sub(r"\?\?/", r"\\", text)
        text = re.sub(r"\\[ \t]*\n", "", text)
    lexer = re.compile(f"(?P<string>{STRING[target]})|(?P<comment>{COMMENT[target]})|(?P<other>\\w+|\\s+|.)", re.DOTALL)
    found = []
    for match in lexer.finditer(text):
        if match.lastgroup == "string":
            found.append("S")
        elif match.lastgroup == "other" and not match[0].isspace():
            found.append(match[0])
    joined = " ".join(found)
    if target == "fortran":
        joined = re.sub(r"S(?: / / S)+", "S", joined.replace(" & ", " "))
        joined = re.sub(r"character \( len = \d+ \)", "character ( len = n )", joined)
    return joined.replace(" . . . ", " ")


def _find_python(text):
    tree = ast.parse(text.encode())
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


def _find_julia(text):
    import tree_sitter
    import tree_sitter_julia

    tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language())).parse(text.encode())
    assert not tree.root_node.has_error
    found, open_nodes = [], [tree.root_node]
    while open_nodes:
        node = open_nodes.pop()
        if "comment" in node.type:
            continue
        if node.type == "string_literal":
            inner = [child for child in node.children if "interpolation" in child.type]
            found.append("S")
            open_nodes += inner
        elif node.children:
            open_nodes += reversed(node.children)
        else:
            found.append(node.text.decode())
    return " ".join(found)


def read_export(model, target):
    """The texts of an export by name, those inside a unit as well, without digests."""
    with tempfile.TemporaryDirectory() as folder:
        files = {path.name: path.read_bytes() for path in model.export(target, f"{folder}/x").iterdir()}
    for name in [name for name in files if name.endswith(".fmu")]:
        with zipfile.ZipFile(io.BytesIO(files.pop(name))) as unit:
            files |= {inner: unit.read(inner) for inner in unit.namelist() if not inner.startswith("binaries")}
    texts = {name: content.decode() for name, content in files.items() if name != ".linkwork-export"}
    return {name: re.sub(r"\{[0-9a-f-]{36}\}", "", text) for name, text in texts.items()}


def compare_exports(wild, tame, target):
    """What differs but texts; nothing if nothing does."""
    if len(wild) != len(tame):
        return f"{sorted(wild)} instead of {sorted(tame)}"
    target = "c" if target.startswith("fmu") else target
    # the names of files are made from the title: the same letters in both
    for (name, text), other in zip(sorted(wild.items()), (tame[name] for name in sorted(tame)), strict=True):
        if not is_visible(text):
            return f"{name} has what is obeyed"
        if name.endswith(CODE) and find_tokens(text, target) != find_tokens(other, target):
            return f"{name} has other code"
        if name == "Makefile" and text != other:
            return f"{name} differs"
        if name.endswith(".xml") and find_shape(text) != find_shape(other):
            return f"{name} has other elements"
    return ""


def find_shape(text):
    """Elements of XML with the names of their attributes, without what these say."""

    def shape(node):
        inner = [shape(child) for child in node.childNodes if child.nodeType == child.ELEMENT_NODE]
        return node.tagName, sorted(node.attributes.keys()), inner

    return shape(xml.dom.minidom.parseString(text.encode()).documentElement)


# -- compilers ---------------------------------------------------------------------------------------------------------

CHECKS = {
    ".c": ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-but-set-variable", "-fsyntax-only"],
    ".f90": ["gfortran", "-std=f2018", "-Wall", "-Werror", "-fsyntax-only"],
}


def check(folder, target, files):
    """Compile or read the files of an export, without any warning."""
    if target == "c":
        command = [*CHECKS[".c"], *(name for name in files if name.endswith(".c"))]
    elif target == "fortran":
        inner = [name for name in files if name not in ("main.f90", "external.f90", "modes.f90")]
        rest = [name for name in ("modes.f90", "external.f90", "main.f90") if name in files]
        command = [*CHECKS[".f90"], *(name for name in [*inner, *rest] if name.endswith(".f90"))]
    elif target == "rust":
        name = next(name for name in files if name.endswith(".rs") and name != "external.rs")
        command = ["rustc", "-D", "warnings", "--emit=metadata", name]
    elif target == "matlab":
        code = "; ".join(f"nargin('{name[:-2]}');" for name in files if name.endswith(".m"))
        command = ["octave", "--no-gui", "--quiet", "--eval", code]
    else:
        command = [sys.executable, "-W", "error", "-m", "py_compile", *(name for name in files if name.endswith(".py"))]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    # Octave may say something when it ends
    assert done.returncode == 0 and (target == "matlab" or not done.stderr), done.stderr[:2000]


def is_visible(text):
    """Whether there is nothing in a text that is obeyed instead of shown."""
    # Arabic and Syriac signs of this kind are seen
    kinds = {unicodedata.category(c) for c in text if c not in "\n\t\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f"}
    return not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
