"""No input ends in a traceback, hangs beyond its time or succeeds wrongly: some every time, many with fresh seeds."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hunt import hunt

from tools import share

# inputs of each kind, chosen by how long one takes
SOME = {"formula": 400, "file": 60, "lagrangian": 80, "command": 30, "archive": 100, "call": 500, "text": 60}
MANY = {
    "formula": 50_000,
    "file": 12_000,
    "lagrangian": 15_000,
    "command": 3_000,
    "archive": 20_000,
    "call": 30_000,
    "text": 5_000,
}


@pytest.mark.parametrize("kind", SOME)
def test_hostile_inputs_are_refused_in_words_or_give_what_they_claim(kind):
    assert list(hunt(kind, range(SOME[kind]))) == []


@pytest.mark.long
@pytest.mark.parametrize("kind", MANY)
def test_so_are_many_that_nobody_has_tried(kind):
    first = int(time.time()) * 1000  # seeds of their own for every run; a finding names its seed
    assert list(hunt(kind, range(first, first + share(MANY[kind])))) == []
