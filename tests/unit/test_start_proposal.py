"""What may be fixed: the proposal of every example, pasted into its file, gives the same start; tables of starts."""

from pathlib import Path

import numpy as np
import pytest
import yaml

import linkwork as lw
from linkwork.native.numbers import compute_dense

EXAMPLES = sorted(Path("examples").glob("*.yaml"))


def paste(text, proposal):
    """A file with the positions and velocities of its ProblemData replaced by those of a proposal."""
    root = {key.value: value for key, value in yaml.compose(text).value}
    for key, value in reversed(root["ProblemData"].value):
        if key.value in ("positions", "velocities"):
            # a block at the end of its section takes its indentation along
            begin = key.start_mark.index - (key.start_mark.column if value.end_mark.column == 0 else 0)
            text = text[:begin] + text[value.end_mark.index :]
    return text.replace("ProblemData:\n", proposal + "\n")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_proposal_pasted_into_the_file_gives_the_same_start(path):
    assembly = lw.load(path)
    proposal = assembly.proposal()
    freedom = assembly.structure().mobility.freedom
    assert len(proposal.positions) == freedom
    # what rolls can go to more places than it has ways to move at once: so many as all constraints leave
    system = assembly.system
    G = compute_dense(system, assembly.start.q, assembly.start.t)[1][:, system.mechanical]
    ways = int(system.mechanical.sum()) - np.linalg.matrix_rank(G, tol=1e-6) if system.m else freedom
    assert len(proposal.velocities) == ways
    assert ways < freedom if not system.holonomic.all() else ways == freedom
    again = lw.loads(paste(path.read_text(), proposal.text))
    old, new = assembly.start, again.start
    np.testing.assert_allclose(new.q, old.q, rtol=0, atol=1e-11 * assembly.system.scales.max())
    np.testing.assert_allclose(new.u, old.u, rtol=0, atol=1e-9 * max(1.0, np.abs(old.u).max(initial=0.0)))
    # exactly so many values are fixed, and with them nothing is left open
    states = assembly.system.states  # these always start where they are told
    fixed = [value.name for value in new.values if value.status == "fixed" and value.name not in states]
    assert sorted(fixed) == sorted([*proposal.positions, *(f"{name}'" for name in proposal.velocities)])
    assert again.proposal().remaining().startswith("nothing")


def test_a_proposal_keeps_what_is_fixed_and_says_what_is_left_open():
    text = Path("examples/mechanism1a.yaml").read_text()
    assert lw.loads(text).proposal().open_positions == ()
    part = lw.loads(text.replace("F: [[0, fixed]", "F: [0").replace("F: [[1, fixed]", "F: [1")).proposal()
    assert part.positions.keys() >= {"Cx"} and part.open_positions == ("Fx",)
    assert len(part.open_velocities) == 1 and part.open_velocities[0] in ("Fx", "Fy")
    assert part.remaining() == f"Fx, {part.open_velocities[0]}': as near to the guess as the constraints allow"


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, np.pi / 2])
def test_a_proposal_is_well_conditioned(angle):
    """Of a rod's end the coordinate that moves is proposed, never the one at its dead centre."""
    rod = lw.Mechanism(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 1)], gravity=(0, -1),
        start=lw.InitialValues(positions={"A": (np.cos(angle), np.sin(angle))}),
    )  # fmt: skip
    (name,) = lw.Model(rod).proposal().positions
    assert name == ("Ay" if np.cos(angle) > np.sin(angle) else "Ax")


def test_the_proposal_of_a_lagrangian_is_its_argument():
    circle = lw.lagrangian("x y", "(x'**2 + y'**2)/2", constraints="x**2 + y**2 - 1", start={"x": 1, "y": 0, "y'": 2})
    proposal = circle.proposal()
    assert proposal.text == 'start={"x": 1, "y": lw.fix(0.0), "y\'": lw.fix(2.0)}'


def test_a_rolling_wheel_has_fewer_velocities_to_fix_than_positions():
    sleigh = lw.lagrangian(
        "x y theta", "(x'**2 + y'**2 + theta'**2)/2", velocity_constraints="x'*sin(theta) - y'*cos(theta)",
        start={"x": 0, "y": 0, "theta": 0.5, "x'": 1, "theta'": 1},
    )  # fmt: skip
    proposal = sleigh.proposal()
    assert (len(proposal.positions), len(proposal.velocities)) == (3, 2)


def test_the_table_tells_what_was_given_kept_moved_and_found():
    table = lw.load("examples/four-bar.yaml").start.table()
    rows = {line.split()[0]: line.split()[1:] for line in table.splitlines()[1:]}
    assert table.splitlines()[0].split() == ["given", "start", "moved"]
    assert rows["Ax"] == ["0", "0", "fixed"]
    assert rows["Ay"] == ["0.4", "0.4", "kept"]
    assert rows["Bx"] == ["0.9", "0.918328056", "0.0183", "moved"]
    assert rows["OA"] == ["1.57079633", "free"]
    assert rows["Ax'"] == ["-3", "-3", "fixed"]
    assert rows["By'"][-1] == "free"
    assert lw.load("examples/chain.yaml").start.table(limit=3).endswith("and 29 more")
