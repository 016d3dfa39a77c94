"""An export writes and removes nothing outside of its folder, and loses nothing in it that others have changed."""

import hashlib
import os

import pytest

from linkwork.errors import LinkworkError
from linkwork.export.folder import OURS, write_folder

TEXTS = {"main.c": "int main(void) { return 0; }\n", "parameters.txt": "m = 2.0\n", "README.md": "# m\n"}


def show(folder):
    """All that is in a folder but its list: links as what they say, files as their content."""
    return {
        p.name: os.readlink(p) if p.is_symlink() else p.read_text()
        for p in sorted(folder.iterdir())
        if p.name != OURS and p.is_file()
    }


def listed(name, text="precious"):
    return f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "ex"
    place.mkdir()
    return place


@pytest.mark.parametrize("name", ["sub/data.c", "../victim/data.c", "./sub/data.c", "sub//data.c", "data.c"])
@pytest.mark.parametrize("line", ["{}\n", "precious"])
def test_a_prepared_list_removes_nothing_through_links_or_outside(folder, name, line):
    victim = folder.parent / "victim"
    victim.mkdir()
    (victim / "data.c").write_text("precious")
    (folder / "sub").symlink_to("../victim")
    (folder / "data.c").symlink_to("../victim/data.c")
    absolute = str(victim / "data.c")
    lines = [line.format(each) if "{" in line else listed(each) for each in (name, absolute)]
    (folder / OURS).write_text("".join(lines))
    write_folder(folder, TEXTS, force=False)
    assert (victim / "data.c").read_text() == "precious" and (folder / "data.c").is_symlink()


@pytest.mark.parametrize("name", ["data.csv", ".bashrc", "notes.txt", "main.c.bak", OURS, "é.c", "a\u2028b.c"])
def test_a_prepared_list_removes_no_file_that_exports_do_not_write(folder, name):
    if name != OURS:
        (folder / name).write_text("precious")
    (folder / OURS).write_text(listed(name))
    write_folder(folder, TEXTS, force=False)
    assert name == OURS or (folder / name).read_text() == "precious"


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("name", ["main.c", "parameters.txt", OURS])
def test_no_link_is_followed_where_files_are_written(folder, name, force):
    victim = folder.parent / "victim.txt"
    victim.write_text("precious")
    (folder / OURS).write_text("")
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(victim)
    if force:
        write_folder(folder, TEXTS, force=True)
        assert show(folder) == TEXTS
    else:
        with pytest.raises(LinkworkError, match="--force"):
            write_folder(folder, TEXTS, force=False)
        assert (folder / name).is_symlink()
    assert victim.read_text() == "precious"


def test_a_pipe_or_a_folder_in_place_of_a_file_is_refused_and_keeps_nobody_waiting(folder):
    write_folder(folder, TEXTS, force=False)
    (folder / "main.c").unlink()
    os.mkfifo(folder / "main.c")
    with pytest.raises(LinkworkError, match=r"main\.c: changed since"):
        write_folder(folder, TEXTS, force=False)
    (folder / "main.c").unlink()
    (folder / "main.c").mkdir()
    with pytest.raises(LinkworkError, match="cannot write"):
        write_folder(folder, TEXTS, force=True)


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_user_changed_is_refused_in_words_and_replaced_only_by_force(folder, name):
    write_folder(folder, TEXTS, force=False)
    (folder / name).write_text("mine\n")
    before = show(folder)
    new = {key: text + "more\n" for key, text in TEXTS.items()}
    words = (
        rf"{name}: changed since, or not from export. Choose another folder, move it away, or let --force replace it"
    )
    with pytest.raises(LinkworkError, match=words):
        write_folder(folder, new, force=False)
    assert show(folder) == before
    write_folder(folder, new, force=True)
    assert show(folder) == new


def test_what_a_user_changed_stays_where_it_is_written_no_more(folder):
    write_folder(folder, TEXTS, force=False)
    (folder / "main.c").write_text("mine")
    write_folder(folder, {"main.f90": "end\n"}, force=False)
    assert show(folder) == {"main.c": "mine", "main.f90": "end\n"}


def test_an_export_again_replaces_what_nobody_changed_and_adds_what_somebody_removed(folder):
    write_folder(folder, TEXTS, force=False)
    (folder / "README.md").unlink()
    new = {"main.c": "new\n", "parameters.txt": TEXTS["parameters.txt"], "README.md": "# n\n"}
    write_folder(folder, new, force=False)
    assert show(folder) == new
    write_folder(folder, new, force=False)


def test_a_file_of_a_user_by_the_name_of_a_new_one_is_refused(folder):
    write_folder(folder, TEXTS, force=False)
    (folder / "modes.c").write_text("mine")
    with pytest.raises(LinkworkError, match=r"modes\.c: changed since, or not from export"):
        write_folder(folder, {**TEXTS, "modes.c": "ours"}, force=False)


def test_an_interrupted_export_is_taken_up_again(folder, monkeypatch):
    write_folder(folder, TEXTS, force=False)
    new = {key: text + "more\n" for key, text in TEXTS.items()}
    replace, count = os.replace, []

    def stop(*given, **named):
        count.append(given)
        if len(count) > 2:  # the list and one of the files
            raise KeyboardInterrupt
        replace(*given, **named)

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, new, force=False)
    monkeypatch.undo()
    assert sorted(show(folder)) == sorted(TEXTS)  # nothing half written is left
    write_folder(folder, new, force=False)
    assert show(folder) == new


@pytest.mark.parametrize("title", ["../../x/y", "/tmp/x", "..", ".", "~", "-rf", "a\0b", ""])
def test_a_title_chooses_no_folder(title, tmp_path, monkeypatch):
    import linkwork as lw

    (tmp_path / "in" / "in").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "in" / "in")
    folder = lw.lagrangian("x", "x'**2/2", title=title, start={"x": 1}).export("python")
    assert folder.absolute().parent == tmp_path / "in" / "in" and not folder.name.startswith("-")
    assert [p.name for p in tmp_path.iterdir()] == ["in"]
