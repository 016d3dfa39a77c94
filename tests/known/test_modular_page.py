"""The page about modules: its programs run one after the other, and what their comments say comes out."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "modular.md"


def test_programs_of_the_page_run_and_print_what_they_say(capsys):
    programs = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.S | re.M)
    assert len(programs) == 11
    space: dict = {}
    for program in programs:
        exec(compile(program, "modular.md", "exec"), space)
        printed = capsys.readouterr().out
        for words in re.findall(r"^print\(.*?\) +# (.*[*/].*)$", program, re.M):
            assert words in printed
    assert space["motion"].outcome == "reached t = 10"
    assert space["motion"].audit().ok
    assert space["linear"].eigenvalues(
        {"a1": 1, "a2": 0.8, "m_1": 2, "m_2": 1, "g": 9.81} | dict.fromkeys(space["D"].parameters[:6], 1)
    )[-1].imag == pytest.approx(5.12145724, abs=1e-8)
    assert space["swing"].audit().ok
    assert str(space["S"].explicit()["v_Px'"]) == "p_Px*(g*p_Pz - v_Px**2 - v_Py**2 - v_Pz**2)/a**2"
