"""What a user reads when an export cannot be written, and that nothing of others is overwritten."""

import pytest

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.export.names import Identifiers, escape


@pytest.fixture
def model(load_example):
    return load_example("four-bar")


def test_an_unknown_target_is_told_with_what_it_may_be(model, tmp_path):
    with pytest.raises(LinkworkError, match=r"no target named 'pyhton'. Did you mean 'python'"):
        model.export("pyhton", tmp_path / "x")
    with pytest.raises(LinkworkError, match="Targets are c, "):
        model.export(3, tmp_path / "x")


def test_a_folder_of_somebody_else_is_left_alone_unless_forced(model, tmp_path):
    (tmp_path / "main.c").write_text("mine")
    with pytest.raises(LinkworkError, match="exists and was not written by export; choose another, or --force"):
        model.export("c", tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["main.c"]
    model.export("c", tmp_path, force=True)
    assert (tmp_path / "main.c").read_text() != "mine"


def test_a_folder_of_ours_is_written_again_and_what_others_put_there_stays(model, tmp_path):
    folder = model.export("c", tmp_path / "x")
    (folder / "notes.txt").write_text("mine")
    model.export("python", folder)
    assert (folder / "notes.txt").read_text() == "mine"
    assert not (folder / "main.c").exists()


def test_what_cannot_be_exported_is_told_in_words_and_nothing_is_written(load_example, tmp_path):
    model = load_example("stick-slip")
    with pytest.raises(LinkworkError, match="exported code cannot have derivatives with stops, friction that sticks"):
        model.export("c", tmp_path / "x", jacobian=True)
    assert not (tmp_path / "x").exists()


def test_a_mode_is_that_of_one_state_of_the_same_model(load_example):
    model, other = load_example("stick-slip"), load_example("four-bar")
    with pytest.raises(LinkworkError, match="is out of place"):
        model.rhs(at=1.0)
    with pytest.raises(LinkworkError, match="no state of this model at one time"):
        model.rhs(at=other.simulate(0.1).final)
    with pytest.raises(LinkworkError, match="no state of this model at one time"):
        model.rhs(at=model.simulate(0.1).at([0.0, 0.1]))


def test_a_file_or_a_missing_folder_is_told_in_words(model, tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(LinkworkError, match="is a file; choose a folder"):
        model.export("c", tmp_path / "x")
    with pytest.raises(LinkworkError, match="there is no folder"):
        model.export("c", tmp_path / "none" / "x")


def test_names_that_would_clash_stay_apart():
    ids = Identifiers(["double"], folds=True)
    names = ["A.x", "a_x", "double", "M", "m", "x''"]
    assert [ids.make(name) for name in names] == ["A_x", "a_x_2", "double_", "M", "m_2", "x_ddot"]
    assert escape("φ_1 (left)") == "phi_1_left"


@pytest.mark.parametrize("law", ["sqrt(-x)", "log(x - 1)", "1/(x - 1)"])
def test_a_law_without_a_value_at_the_start_is_no_lack_of_inertia(law, tmp_path):
    model = lw.lagrangian("x", "x'**2/2", forces={"x": law}, start={"x": 1}, title="x")
    for ask in (model.rhs, lambda: model.export("c", tmp_path / "x")):
        with pytest.raises(LinkworkError, match=r"at the start what acts along x is not finite. Change the law or"):
            ask()
