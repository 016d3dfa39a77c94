"""Whatever titles, names, units, descriptions and names of files contain stays text in every exported language."""

import re
import shutil
import xml.dom.minidom

import pytest

import linkwork as lw
from exports import COMPILERS, need, run
from linkwork.errors import show_line
from linkwork.export.names import escape
from texts import (
    ASCII,
    SPECIAL,
    WILD,
    check,
    compare_exports,
    is_visible,
    make_model,
    make_switched,
    make_tree,
    plain,
    read_export,
)

LANGUAGES = ["c", "fortran", "python", "julia", "matlab", "rust"]


@pytest.fixture(autouse=True)
def functions(functions_stay_in_their_test):
    lw.function("pull", lambda x, y: 0 * x * y, opaque=True)


def read(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name != ".linkwork-export"}


def both(make, target, place, title, texts):
    """An export with wild texts, and one with harmless ones."""
    wild = read(make(title, texts).export(target, place / "wild"))
    tame = read(make(plain(title), [*map(plain, texts)]).export(target, place / "tame"))
    return wild, tame


@pytest.mark.parametrize("target", LANGUAGES)
@pytest.mark.parametrize("make", [make_model, make_switched, make_tree])
def test_code_with_wild_texts_is_that_with_harmless_ones(target, make, tmp_path):
    if target == "julia":
        pytest.importorskip("tree_sitter_julia", reason="Julia is read with tree-sitter")
    wild, tame = both(make, target, tmp_path, " ".join(WILD), WILD)
    assert compare_exports(wild, tame, target) == ""
    if target in COMPILERS:
        need(target)
    if target != "julia":
        check(tmp_path / "wild", target, wild)


@pytest.mark.long
@pytest.mark.parametrize("text", WILD)
@pytest.mark.parametrize("target", LANGUAGES)
def test_each_wild_text_alone_is_text(target, text, tmp_path):
    wild, tame = both(make_model, target, tmp_path, text, [text])
    assert compare_exports(wild, tame, target) == ""
    if target in COMPILERS:
        need(target)
    if target != "julia":
        check(tmp_path / "wild", target, wild)


@pytest.mark.parametrize("target", ["c", "python", "julia", "matlab", "rust", "fortran"])
def test_an_export_with_wild_texts_runs_and_prints_its_names(target, tmp_path):
    texts = [show_line(text).strip()[:150].strip() for text in [ASCII, *SPECIAL[::9]]]
    name = texts[0]
    model = lw.lagrangian(
        "x y", "(x'**2 + y'**2)/2", title=ASCII, start={"x": 1, "y": 1}, constraints={name: "x - y"}, tend=0.1,
        events=[lw.Event(name=f"{text} {i}", when=f"x - 1 - t/2 + {i + 1}/1000") for i, text in enumerate(texts)],
    )  # fmt: skip
    names, _ = run(model.export(target, tmp_path / target), target, "--samples", 1)
    assert f"lam_{name}".replace('"', "'") in names


@pytest.mark.parametrize("name", ["a\nb; x", "*\\ x \\*", '"""', "$(evil)", "\\", "?" * 9, "a\udc80b", "@data@", "é'"])
@pytest.mark.parametrize("target", LANGUAGES)
def test_names_of_files_stay_text(name, target, tmp_path, examples):
    source, tame = tmp_path / f"t {name}.yaml", tmp_path / f"{escape(f't {name}')}.yaml"
    for path in (source, tame):
        shutil.copy(examples / "four-bar.yaml", path)
    found = [read(lw.load(path).export(target, tmp_path / str(i))) for i, path in enumerate((source, tame))]
    assert compare_exports(*found, target) == ""


@pytest.mark.parametrize("unit", ["kg\r        import os\r        s", "kg\x0bm", "kg\u2028m", "kg\n*/ m"])
@pytest.mark.parametrize("target", LANGUAGES)
def test_units_stay_text(unit, target, tmp_path):
    try:
        wild = read(make_model("t", ["e"], unit).export(target, tmp_path / "wild"))
    except lw.InputError:
        return  # no unit
    tame = read(make_model("t", ["e"]).export(target, tmp_path / "tame"))
    assert compare_exports(wild, tame, target) == ""


# -- units of FMI ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "target"), [(make_model, "fmu"), (make_switched, "fmu3"), (make_tree, "fmu3")])
def test_descriptions_of_units_have_texts_in_their_attributes(make, target):
    title = " ".join(WILD)
    wild = read_export(make(title, WILD), target)
    assert compare_exports(wild, read_export(make(plain(title), [*map(plain, WILD)]), target), target) == ""
    described = xml.dom.minidom.parseString(wild["modelDescription.xml"].encode()).documentElement
    assert described.getAttribute("modelName") == show_line(f"t {title}")


# -- documents ---------------------------------------------------------------------------------------------------------


def test_a_document_with_wild_texts_has_the_form_of_one_with_harmless_ones(tmp_path):
    markdown_it = pytest.importorskip("markdown_it")
    reader = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table")
    texts = [text for text in WILD if text.strip()]
    wild, tame = both(make_model, "python", tmp_path, " ".join(WILD), texts)
    pages = [reader.parse(each["README.md"]) for each in (wild, tame)]
    forms = [[token.type for token in page] for page in pages]
    assert forms[0] == forms[1]
    inside = {child.type for token in pages[0] for child in token.children or ()}
    assert inside <= {"text", "code_inline", "softbreak", "text_special"}
    title = next(token for token, before in zip(pages[0][1:], pages[0], strict=False) if before.type == "heading_open")
    assert "".join(child.content for child in title.children) == show_line(f"t {' '.join(WILD)}")
    assert [token.content for token in pages[0] if token.type == "html_block"] == []


def test_the_equations_of_an_export_leave_their_block_in_no_document(tmp_path):
    model = lw.lagrangian("x y", "(x'**2 + y'**2)/2", constraints={"``` <b>": "x - y"}, title="```\n# evil")
    page = (model.export("python", tmp_path / "x") / "README.md").read_text()
    assert page.count("```") == 4  # how it is called, and the equations


@pytest.mark.parametrize("kind", ["text", "latex", "sympy"])
def test_printed_equations_with_wild_texts_are_those_with_harmless_ones(kind):
    texts = [text for text in WILD if text.strip()]
    printed = []
    for some in (texts, [plain(text) for text in texts]):
        model = lw.lagrangian("x y", "(x'**2 + y'**2)/2", constraints={some[i]: "x - y" for i in (0, 3)}, title=some[3])
        printed.append((model, getattr(model.equations(), kind)()))
    assert is_visible(printed[0][1])
    if kind == "sympy":
        names = {}
        exec(compile(printed[0][1].encode(), "script", "exec"), names)  # defines what it says, and nothing else
        assert "evil" not in names
    if kind == "latex":
        assert len(re.findall(r"(?<!\\)[{]", printed[0][1])) == len(re.findall(r"(?<!\\)[}]", printed[0][1]))


@pytest.mark.parametrize("coding", ["coding: utf-7", "-*- coding: unicode_escape -*-", "vim: set fileencoding=utf-7 :"])
def test_a_title_chooses_no_encoding_for_a_script(coding):
    script = lw.lagrangian("x", "x'**2/2", title=f"{coding} +ACI- \\x0aevil = 1").equations().sympy()
    names = {}
    exec(compile(script.encode(), "script", "exec"), names)
    assert "evil" not in names and "x" in names
