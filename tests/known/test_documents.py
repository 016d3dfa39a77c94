"""What documents promise runs: the snippets of the README, the examples, the doctests of the package."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import linkwork as lw

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


def snippets(language, page="README.md"):
    path = ROOT / page
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.S | re.M) if path.exists() else []


def test_there_are_the_four_examples_of_the_paper():
    assert {"andrews", "mechanism0", "mechanism1a", "mechanism1b"} <= {path.stem for path in EXAMPLES}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_moves_and_keeps_its_promises(path):
    assembly = lw.load(path)
    motion = assembly.simulate(min(assembly.mechanism.compute(assembly.mechanism.start.tend), 10.0), tol=1e-10)
    assert motion.outcome.startswith("reached") or "by event" in motion.outcome
    assert motion.residuals.position < 1e-12
    assert motion.energy.drift < 1e-7


def test_the_snippets_of_the_readme_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    linkages, programs = snippets("yaml"), snippets("python")
    assert linkages and programs
    for text in linkages:
        assert yaml.safe_load(text)["Title"]
        Path("fourbar.yaml").write_text(text)
    space = {}
    for text in programs:
        exec(compile(text, "README.md", "exec"), space)
    assert space["motion"].outcome == "reached t = 10"


def test_the_snippets_on_control_run_one_after_the_other(monkeypatch):
    monkeypatch.chdir(ROOT)
    space = {}
    for text in snippets("python", "docs/control.md"):
        exec(compile(text, "control.md", "exec"), space)
    assert space["best"]


def test_the_snippets_of_the_page_of_kinematics_run_one_after_the_other(tmp_path, monkeypatch):
    programs = snippets("python", "docs/kinematics.md")
    assert len(programs) > 5
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    space = {}
    for text in programs:
        exec(compile(text, "docs/kinematics.md", "exec"), space)
    assert space["path"].snaps[0].value == pytest.approx(9.949917, abs=1e-6)


def test_the_snippets_of_the_page_of_formalisms_run_one_after_the_other(monkeypatch):
    monkeypatch.chdir(ROOT)
    space = {}
    for text in snippets("python", "docs/formalisms.md"):
        exec(compile(text, "docs/formalisms.md", "exec"), space)
    assert space["work"]


def test_the_cart_learns_to_balance_its_pole():
    spec = importlib.util.spec_from_file_location("learn_balance", ROOT / "examples" / "learn_balance.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    gains, rewards = example.learn()
    assert max(rewards) > 250 > rewards[0] and (gains > 0).all()


def test_the_doctests_of_the_package_pass():
    options = "-q --doctest-modules --import-mode=importlib -p no:cacheprovider -o addopts= src"
    words = [sys.executable, "-m", "pytest", *options.split()]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_package_is_imported_lazily():
    code = "import linkwork, sys; print(sorted({'numpy', 'scipy', 'yaml', 'typer'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_can_be_had():
    for name in lw.__all__:
        assert getattr(lw, name) is not None
    assert set(lw.__all__) <= set(dir(lw))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lw.nothing  # noqa: B018


def test_the_readme_counts_the_examples_and_the_list_names_them_all():
    readme, lagrangians = (ROOT / "README.md").read_text(), sorted((ROOT / "examples" / "lagrangian").glob("*.py"))
    for page, kind, paths in (("examples", "mechanisms", EXAMPLES), ("lagrangian", "Lagrangians", lagrangians)):
        assert f"[{len(paths)} {kind}](docs/{page}.md" in readme
        listed = (ROOT / "docs" / f"{page}.md").read_text()
        assert [path.name for path in paths if path.name not in listed] == []


def test_every_extra_is_imported_somewhere():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    source = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    modules = {"pillow": "PIL", "imageio-ffmpeg": "imageio_ffmpeg", "scikit-sundae": "sksundae"}
    for extra in set(extras) - {"test", "lint", "dev"}:
        for package in (re.match(r"[\w-]+", words)[0] for words in extras[extra]):
            module = modules.get(package, package)
            assert re.search(rf"(import|from) {module}\b|\"{module}\"", source), package
