"""What a user reads when there is no file to read, or not one of text."""

import os
from pathlib import Path

import pytest

from linkwork.errors import InputError
from linkwork.spec import read_mechanism
from linkwork.spec.source import MAX_BYTES


def message(path):
    with pytest.raises(InputError) as caught:
        read_mechanism(path)
    return str(caught.value)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_missing_file_is_named_with_its_neighbour(here):
    (here / "fourbar.yaml").write_text("")
    assert message("fourbr.yaml") == "fourbr.yaml: there is no such file. Did you mean 'fourbar.yaml'?"
    assert message("no/such.yaml") == "no/such.yaml: there is no such file. Check the path"


def test_a_directory_is_not_a_file(here):
    (here / "arms").mkdir()
    assert message("arms") == "arms: is a directory. Name a file in it"


def test_a_file_that_may_not_be_read_is_named(here, monkeypatch):
    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    # root may read everything, so the permission is taken away here
    (here / "arm.yaml").write_text("")
    monkeypatch.setattr(Path, "open", refuse)
    assert message("arm.yaml") == "arm.yaml: may not be read. Change its permissions"


def test_a_file_that_is_not_utf8_is_named_with_the_line(here):
    (here / "arm.yaml").write_bytes("Title: arm\nPhysicalParams: {l: 1} # Länge\n".encode("latin-1"))
    assert message("arm.yaml") == "arm.yaml:2: is not UTF-8 text (byte 0xe4). Save the file as UTF-8"


def test_a_binary_file_is_named(here):
    (here / "arm.bin").write_bytes(b"\x7fELF\x02\x01\x01\x00\x00\x00")
    assert message("arm.bin") == "arm.bin: is a binary file. Name a text file in YAML"


def test_a_large_file_is_refused_before_it_is_read(here):
    with open("arm.yaml", "wb") as stream:
        stream.truncate(50 * 2**20)
    assert MAX_BYTES < 50 * 2**20
    assert message("arm.yaml") == "arm.yaml: is too large (50 MB). The limit is 32 MB"


def test_an_empty_file_is_named(here):
    (here / "arm.yaml").write_text("")
    assert message(here / "arm.yaml").endswith("arm.yaml: the file is empty. Describe a mechanism in it")


def test_a_byte_order_mark_and_windows_line_ends_are_fine(here):
    text = "\ufeffPartData:\r\n  Rigids:\r\n    OA: {Geom: [[1]], Dyna: [[0.5], 1, 1]}\r\n"
    (here / "arm.yaml").write_bytes(text.encode())
    assert read_mechanism("arm.yaml").moving_points == ("A", "O")


def test_a_name_that_cannot_be_a_path_is_refused_in_words():
    assert message("a\0b").startswith(r"a\x00b: cannot be read: ")
    assert message("x" * 5000).endswith(": cannot be read: File name too long")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes by name are of Unix")
def test_a_pipe_by_name_is_refused_and_not_waited_for(here):
    os.mkfifo("pipe.yaml")
    assert (
        message("pipe.yaml") == "pipe.yaml: is no regular file. Name a file that is, or give its text to linkwork.loads"
    )


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="there are no files of descriptors")
def test_what_a_shell_pipes_in_is_read():
    out, into = os.pipe()
    os.write(into, b"PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[1/2], 1]}}}")
    os.close(into)
    assert read_mechanism(f"/dev/fd/{out}").moving_points == ("A",)
    os.close(out)


def test_a_script_is_told_as_such(tmp_path):
    script = tmp_path / "arm.py"
    script.write_text("import linkwork as lw")
    assert "is a script, no description. Run it with python; models have simulate()" in message(script)
