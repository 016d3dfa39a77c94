"""linkwork new and linkwork schema: files to start from, and what editors know about them."""

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import linkwork as lw
from linkwork.spec.rewrite import rewrite
from linkwork.spec.schema import make_schema
from linkwork.spec.template import list_templates, read_template

TEMPLATES = list_templates()


@pytest.fixture
def command(command, empty_folder):
    return command


# -- templates -------------------------------------------------------------------------------------------------------


def test_there_is_something_to_start_from():
    wanted = {
        "pendulum",
        "double-pendulum",
        "four-bar",
        "slider-crank",
        "spring-mass",
        "pendulum-3d",
        "hinges-3d",
        "servo",
    }
    assert wanted <= set(TEMPLATES)
    assert all(what.endswith(".") and len(what) < 100 for what in TEMPLATES.values())


@pytest.mark.parametrize("like", TEMPLATES)
def test_every_start_runs_keeps_its_constraints_and_balances_its_energy(command, like):
    code, out, err = command("new", "mine", "--like", like)
    assert (code, err) == (0, "")
    assert "linkwork run mine.yaml" in out
    assert command("run", "mine.yaml")[0] == 0
    motion = lw.load("mine.yaml").simulate(tol=1e-10)
    assert motion.outcome.startswith("reached")
    assert motion.residuals.position < 1e-12
    assert motion.energy.drift < 1e-8


@pytest.mark.parametrize("like", TEMPLATES)
def test_every_start_is_explained_and_in_order(like):
    text = read_template(like)
    assert text.count("# ") >= 3
    assert rewrite(text) == text


# -- new -------------------------------------------------------------------------------------------------------------


def test_starts_are_listed_with_what_they_are(command):
    code, out, _ = command("new", "--like", "list")
    assert code == 0
    for name, what in TEMPLATES.items():
        assert f" {name}  {what}\n" in out
    assert os.listdir() == []


@pytest.mark.parametrize(("name", "file"), [("arm", "arm.yaml"), ("arm.yaml", "arm.yaml"), ("v1.2", "v1.2.yaml")])
def test_the_file_is_called_as_one_says(command, name, file):
    assert command("new", name)[0] == 0
    assert os.listdir() == [file]
    assert Path(file).read_text(encoding="utf-8") == read_template("pendulum")


def test_a_file_in_another_folder_is_written_there(command):
    Path("arms").mkdir()
    assert command("new", "arms/left", "--like", "four-bar")[0] == 0
    assert Path("arms/left.yaml").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["new"], "how the file is to be called is not said. Write linkwork new NAME --like four-bar"),
        (["new", ""], "how the file is to be called is not said. Write linkwork new NAME --like four-bar"),
        (["new", "old"], "'old.yaml' exists already and is left as it is. Choose another name"),
        (["new", "arm", "--like", "fourbar"], "nothing like 'fourbar' to start from. Did you mean 'four-bar'?"),
        (["new", "arm", "--like", "../pendulum"], "nothing like '../pendulum' to start from. Did you mean 'pendulum'?"),
        (["new", "arm", "--like", "zzz"], "nothing like 'zzz' to start from. There are double-pendulum, four-bar,"),
        (["new", "no/arm"], "there is no folder 'no'. Make it first, or choose another"),
        (["new", "old.yaml/arm"], "there is no folder 'old.yaml'. Make it first, or choose another"),
        (["new", "arms/"], "'arms/' is not a good name for a file. Use letters, digits, - and _"),
        (["new", ".."], "'..' is not a good name for a file"),
        (["new", ".arm"], "'.arm' is not a good name for a file"),
        (["new", "a\0b"], "is not a good name for a file"),
        (["new", "a\nb"], "is not a good name for a file"),
        (["new", "x" * 300], "is not a good name for a file"),
        (["new", "--", "-arm"], "'-arm' is not a good name for a file"),
    ],
)
def test_bad_names_are_refused_in_words_and_nothing_is_written(command, words, message):
    Path("old.yaml").write_text("mine")
    code, out, err = command(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert os.listdir() == ["old.yaml"]
    assert Path("old.yaml").read_text() == "mine"


def test_a_link_to_nowhere_is_not_followed(command):
    Path("arm.yaml").symlink_to("elsewhere.yaml")
    assert command("new", "arm")[0] == 2
    assert os.listdir() == ["arm.yaml"]


# -- schema ----------------------------------------------------------------------------------------------------------


def test_the_schema_is_printed_or_written(command):
    code, out, _ = command("schema")
    assert code == 0
    assert json.loads(out) == make_schema()
    code, said, err = command("schema", "-o", "linkwork.schema.json")
    assert (code, err) == (0, "")
    assert said.startswith("linkwork.schema.json (")
    assert Path("linkwork.schema.json").read_text(encoding="utf-8") == out
    Draft202012Validator.check_schema(json.loads(out))


def test_a_schema_that_cannot_be_written_is_told(command):
    Path("file").write_text("")
    code, _, err = command("schema", "-o", "file/schema.json")
    assert code == 2
    assert "cannot write" in err


@pytest.mark.parametrize(("name", "place"), [("arm", ""), ("arms/left/arm", "../../")])
def test_new_files_tell_editors_of_a_schema_beside_or_above_them(command, name, place):
    Path("arms/left").mkdir(parents=True)
    assert command("new", "before")[0] == 0
    assert not Path("before.yaml").read_text(encoding="utf-8").startswith("# yaml")
    command("schema", "-o", "linkwork.schema.json")
    command("new", name)
    path = Path(f"{name}.yaml")
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema={place}linkwork.schema.json"
    assert (path.parent / first.partition("=")[2]).samefile("linkwork.schema.json")
    assert command("fmt", "--check", path)[0] == 0


def test_the_schema_replaces_no_mechanism(command):
    Path("arm.yaml").write_text("Title: arm")
    code, _, err = command("schema", "-o", "arm.yaml")
    assert code == 2 and "looks like a mechanism" in err
    assert Path("arm.yaml").read_text() == "Title: arm"
