"""The tutorial from two frames to a satellite: every block runs, one after the other, and asserts what it says."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tree-tutorial.md"


def test_every_block_of_the_tutorial_runs(capsys):
    programs = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)
    assert len(programs) == 7
    space: dict = {}
    for i, program in enumerate(programs):
        code = compile(program, "tree-tutorial.md", "exec")
        if i < 6:
            exec(code, space)
        else:
            with pytest.warns(match="body 'B': no body has this inertia: its principal moments are 113.6, 307.5 and"):
                exec(code, space)
    assert space["bus"].largest(space["small"])["q2"] == pytest.approx(0.003)
    assert 1e-3 < space["craft"].largest(space["slew"])["q5"] < 1e-2
    printed = capsys.readouterr().out
    assert "f[1] = p3*u3**2" in printed or "f[1] = p2*u3**2" in printed, printed
