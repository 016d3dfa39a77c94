"""The page about vectors and trees: its programs run one after the other, and its comments are what comes out."""

import re
from pathlib import Path

import pytest

import linkwork.vectors as vectors

PAGE = Path(__file__).parents[2] / "docs" / "vectors.md"


def test_programs_of_the_page_run_and_its_comments_are_true():
    text = PAGE.read_text()
    programs = re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)
    assert len(programs) == 5
    space: dict = {}
    for program in programs:
        exec(compile(program, "vectors.md", "exec"), space)
    told = [line.split("#", 1) for program in programs for line in program.splitlines() if "#" in line]
    checked = 0
    for code, comment in told:
        if re.match(r"(dot|dt|position|velocity|express)\(", code):
            names = {**space, **{f.name: f for f in space["N"].memory.frames.values()}}
            expected = re.sub(r"(q\d)'", r"\1_rate", comment)
            names |= {f"q{i}_rate": vectors.dt(space[f"q{i}"]) for i in (1, 2)}
            names |= {f: getattr(__import__("linkwork.symbolic", fromlist=[f]), f) for f in ("sin", "cos")}
            difference = eval(code, names) - eval(expected, names)
            assert str(difference) == "0", code
            checked += 1
    assert checked == 6
    units = space["door"].units
    assert [units[name] for name in ("k", "c", "J", "kappa")] == ["N·m/rad", "N·m·s/rad", "kg·m²", "N·m/V"]
    assert space["swing"].largest(space["motion"])["u1"] == pytest.approx(0.1 * (9.81 / 2) ** 0.5, rel=1e-3)


def test_the_motion_of_the_page_is_audited():
    text = PAGE.read_text()
    space: dict = {}
    exec(compile(re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)[2], "vectors.md", "exec"), space)
    assert space["motion"].audit().ok
    assert space["motion"].energy.drift < 1e-8
    assert space["motion"]["u2"] == pytest.approx(space["motion"]["q2'"])
