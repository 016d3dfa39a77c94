"""A test that never ends fails, whatever it hangs in, and the others go on."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")

TESTS = Path(__file__).parents[1]
CONFTEST = """
import os, sys
sys.path.insert(0, {tests!r})
import limits
limits.SECONDS, limits.AGAIN, limits.GRACE = 0.5, 0.2, 1.0
def pytest_configure(config):
    config.pluginmanager.register(limits.Limits())
"""
# a lock of C that is taken twice is waited for without end, and no signal is heard
LOCK = "import ctypes; lock = ctypes.create_string_buffer(64); C = ctypes.{}(None)\n"
TWICE = "    for _ in range(2): C.pthread_mutex_lock(lock)"
HANG = {
    "loop": "while True: pass",
    "child": "import subprocess; subprocess.run(['sleep', '60'])",
    "regex": "import re; re.match('(a+)+b', 'a' * 60)",
    "caught": "import time\n    while True:\n        try: time.sleep(60)\n        except BaseException: pass",
    "native": LOCK.format("CDLL") + TWICE,
    "holding": LOCK.format("PyDLL") + TWICE,
}


def run(folder, body, *words):
    (folder / "conftest.py").write_text(CONFTEST.format(tests=str(TESTS)))
    (folder / "test_it.py").write_text(f"def test_hangs():\n    {body}\n\ndef test_works():\n    pass\n")
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, str(folder)]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(line, capture_output=True, text=True, cwd=folder, timeout=60, env=environment)


@pytest.mark.parametrize("kind", ["loop", "child", "regex"])
def test_what_hears_of_its_end_fails_and_the_rest_goes_on(tmp_path, kind):
    done = run(tmp_path, HANG[kind])
    assert done.returncode == 1 and "Failed: not done in 0.5 s" in done.stdout and "1 failed, 1 passed" in done.stdout


@pytest.mark.parametrize("kind", ["caught", "native", "holding"])
def test_what_does_not_hear_of_its_end_ends_with_its_process(tmp_path, kind):
    done = run(tmp_path, HANG[kind])
    assert done.returncode == 1 and "Timeout" in done.stderr and "test_hangs" in done.stderr


@pytest.mark.parametrize("kind", ["loop", "native"])
def test_with_workers_the_rest_goes_on_whatever_hangs(tmp_path, kind):
    done = run(tmp_path, HANG[kind], "-p", "xdist", "-n", "1")
    assert done.returncode == 1 and re.search("1 failed, 1 passed", done.stdout)


def test_a_set_up_that_hangs_fails_too(tmp_path):
    done = run(
        tmp_path, "pass\n\nimport pytest\n@pytest.fixture\ndef it():\n    while True: pass\n\ndef test_it(it): pass"
    )
    assert done.returncode == 1 and "2 passed, 1 error" in done.stdout
