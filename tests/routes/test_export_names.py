"""Whatever an exported program calls its own may be the name of a coordinate, a parameter or a function of a model."""

import keyword
import re
import subprocess
from importlib.resources import files

import pytest

import linkwork as lw
from exports import SUFFIXES, build, need, run
from linkwork.model.functions import RESERVED

TEMPLATES = {"c": ["c", "fmu"], "fortran": ["fortran"], "python": ["python"], "rust": ["plain", "rs.txt"],
             "matlab": ["plain", "m.txt"], "julia": ["plain", "jl.txt"]}  # fmt: skip
WORD = re.compile(r"[A-Za-z]\w*")
X = "first_place"


def everything(total="0", holds=True, **more):
    """A mass that all that exports know of acts on, functions of all kinds among it; constraints may come and go."""
    law = f"sign({X}) + {X}**0.3 + atan2({X}, 2) + select({X} < 2, 1, max({X}, 2)) + min(abs({X}), 2) + sqrt({X} + 9)"
    law += "".join(f" + {f}(0.1*{X})" for f in ("sin", "cos", "tan", "exp", "log", "asin", "acos", "atan", "tanh"))
    return lw.lagrangian(
        X, f"{X}'**2/2", forces={X: f"-({law}) - held_force - ({total})"}, start={X: 1}, tend=0.01, title="machine",
        events=[lw.Event(name="turned", when=f"{X} - 0.99", direction="falling", then={f"{X}'": "0"})],
        stops=[lw.Stop(name="floor", gap=X, restitution=0.5)] if holds else (),
        frictions=[lw.Friction(name="rub", speed=f"{X}'", limit="0.1")] if holds else (),
        controllers=[lw.Sampled("servo", period=0.004, reads={"seen": X}, outputs={"held_force": "-seen"})], **more,
    )  # fmt: skip


def read_templates(target):
    """All words of the templates of a target."""
    places = [files("linkwork.export").joinpath(f"templates/{name}") for name in TEMPLATES[target]]
    texts = [file.read_text() for place in places for file in (place.iterdir() if place.is_dir() else [place])]
    return {word for text in texts for word in WORD.findall(text)}


@pytest.fixture(scope="module", params=[*TEMPLATES])
def known(request, tmp_path_factory):
    """A target, and all words that its programs have, as far as they may be names in a model."""
    target = request.param
    folder = everything().export(target, tmp_path_factory.mktemp("machine") / target)
    texts = [path.read_text() for path in folder.iterdir() if path.suffix in (*SUFFIXES, ".h")]
    words = read_templates(target) | {word for text in texts for word in WORD.findall(text)}
    more = {"MACHINE_STATES", "linux", "EXIT_SUCCESS", "FP_NAN", "HUGE_VAL", "SEEK_SET", "RAND_MAX", "BUFSIZ"}
    own = re.compile(rf"{X}|held_force|seen|turned|floor|rub|servo|sum_\d|kinetic|t$")
    return target, sorted(word for word in (words | more) - RESERVED if not own.match(word))


def add_up(terms):
    """Sums of sums, since no formula may be too long."""
    terms = list(terms)
    return {f"sum_{i}_of": " + ".join(terms[i : i + 100]) for i in range(0, len(terms), 100)}


@pytest.mark.parametrize("holds", [False, True])
def test_coordinates_may_have_the_names_of_all_that_a_program_has(known, tmp_path, holds):
    target, words = known
    # where constraints come and go there are matrices of all coordinates: those that may hide constants are enough
    words = [word for word in words if word.isupper()] if holds else words
    model = everything(holds=holds, states={word: f"-{word}/8" for word in words})
    names, table = run(model.export(target, tmp_path / target), target, "--samples", 1)
    assert set(words) <= set(names) and table[-1, 0] == 0.01


def test_parameters_may_have_the_names_of_all_that_a_program_has(known, tmp_path):
    target, words = known
    sums = add_up(words)
    model = everything(" + ".join(sums), variables=sums, parameters=dict.fromkeys(words, 1e-3))
    folder = model.export(target, tmp_path / target)
    if target == "c":
        assert (model.export("fmu", tmp_path / "fmu") / "machine.fmu").exists()
    arguments = ["parameters", "parameters.txt"] if target == "matlab" else ["parameters.txt"]
    assert run(folder, target, *arguments)[1][-1, 0] == 0.01


def test_functions_and_their_arguments_may_have_the_names_of_all_that_a_program_has(
    known, tmp_path, functions_stay_in_their_test
):
    target, words = known
    for word in words:
        name = "x" if keyword.iskeyword(word) else word
        lw.function(word, eval(f"lambda {name}, {name}_2: {name}", {}), opaque=True)
    sums = add_up(f"{word}({X}, t)" for word in words)
    folder = everything(" + ".join(sums), variables=sums).export(target, tmp_path / target)
    done = subprocess.run(build(folder, target), cwd=folder, capture_output=True, text=True)
    assert done.returncode != 0 and "is to be filled in" in done.stderr


@pytest.mark.parametrize("title", ["look", "instance", "size_t"])
def test_a_unit_may_be_called_like_what_its_sources_define(title, tmp_path):
    need("c")
    model = lw.lagrangian("x", "x'**2/2", forces={"x": "-2*x"}, start={"x": 1}, title=title)
    assert (model.export("fmu", tmp_path / "o") / f"{title}_.fmu").exists()


def test_names_that_disturb_nobody_stay_as_they_are(tmp_path):
    names = ["g", "c", "M", "k", "x", "n"]
    for target in TEMPLATES:
        model = lw.lagrangian(
            "X Y", "X'**2 + Y'**2", forces={"X": f"-X*({'+'.join(names)})"}, parameters=dict.fromkeys(names, 1)
        )
        folder = model.export(target, tmp_path / target)
        text = max((path.read_text() for path in folder.iterdir() if path.suffix in SUFFIXES), key=len)
        assert not re.search(r"\b[A-Za-z]_\b", text), target
