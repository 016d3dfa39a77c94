"""Files that are written replace a link by their name; what a link leads to stays as it is."""

import pytest

import linkwork as lw


@pytest.fixture(scope="module")
def model():
    return lw.loads(
        "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 2]}}}\n"
        "AppliedForces: {Gravity: }\nProblemData: {tend: 0.1, positions: {A: [1]}}\n"
    )


WRITERS = {
    "a.csv": lambda model, path: lw.write_results(model.simulate(), path),
    "a.npz": lambda model, path: lw.write_results(model.simulate(), path),
    "a.xlsx": lambda model, path: lw.write_results(model.simulate(), path),
    "a.png": lambda model, path: model.simulate().plot("A", path=path),
    "b.svg": lambda model, path: model.structure().draw(path),
    "d.html": lambda model, path: model.simulate().show(str(path), browser=False),
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_a_link_leads_to_is_not_written(model, name, tmp_path):
    if name.endswith(("png", "svg")):
        pytest.importorskip("matplotlib")
    victim, path = tmp_path / "victim.txt", tmp_path / name
    victim.write_text("precious")
    path.symlink_to(victim)
    try:
        WRITERS[name](model, path)
    except lw.LinkworkError as error:
        if "the viewer is not built" not in str(error):
            raise
        pytest.skip(str(error))
    assert not path.is_symlink() and victim.read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["victim.txt", name])
