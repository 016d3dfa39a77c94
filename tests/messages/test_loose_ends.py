"""Small things that nobody should meet as a traceback, or without a name and a line."""

import pytest

import linkwork as lw
from linkwork import cli
from linkwork.cli import commands

FREE = """
Bodies: {b: {mass: 1, inertia: 1, frames: {c: []}}}
ProblemData: {tend: 20, positions: {b.c: [1, 0]}, velocities: {b.c: [0.5, 0]}}
"""


@pytest.mark.parametrize("section", ["Inputs: {'': 0}", "Variables: {'': 1}", "States: {'': 1}"])
def test_a_signal_without_a_name_is_told_with_its_line(section):
    with pytest.raises(lw.InputError, match=r"<text>:4: \w+ ''"):
        lw.loads(FREE + section)


def test_more_states_than_can_be_kept_are_refused_in_words():
    with pytest.raises(lw.InputError, match=r"20 s every 1e-09 s are 2e\+10 states, more than can be kept"):
        lw.loads(FREE).simulate(every=1e-9)


def test_a_negative_number_of_steps_is_refused():
    with pytest.raises(lw.InputError, match="max_steps = -1 is negative"):
        lw.loads(FREE).simulate(max_steps=-1)


def test_an_interruption_before_anything_is_read_ends_in_words(monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "hurried", interrupt)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 1
    assert capsys.readouterr().err == "linkwork: interrupted\n"


def test_a_frame_that_nobody_uses_is_told_with_its_line(tmp_path):
    file = tmp_path / "spare.yaml"
    bodies = "Bodies:\n  b: {mass: 1, inertia: 1, frames: {c: []}}\n  a: {mass: 1, frames: {c: [], spare: [1]}}\n"
    file.write_text(bodies + "ProblemData: {tend: 1, positions: {b.c: [1, 0], a.c: []}}\n")
    with pytest.warns(lw.ModelWarning, match=r"spare.yaml:3: body 'a': frame 'spare': nothing is joined to it"):
        lw.load(file).warn_of_unused()


@pytest.mark.parametrize("method", ["auto", "hht", "radau"])
def test_a_function_that_fails_is_named_whatever_the_method(method):
    @lw.function("fails_beyond_one", opaque=True)
    def fails(x):
        if x > 1.2:
            raise RuntimeError("beyond")
        return 1.0

    text = FREE + 'AppliedForces: {Forces: {b.c: ["fails_beyond_one(b.c.x)", 0]}}'
    with pytest.raises(lw.SolveError, match=r"Function 'fails_beyond_one' failed with 1\.2: RuntimeError: beyond"):
        lw.loads(text).simulate(3, method=method)
