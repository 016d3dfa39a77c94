"""Sentences that must be true: angles by name, what is prescribed, counts, why a driven linkage stops."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import LinkworkError, ModelWarning, SolveError
from linkwork.model.tracked import find_turn_angles

SPATIAL = "spatial-four-bar"


@pytest.mark.parametrize("name", ["near", "far", "rocker"])
def test_an_angle_that_nothing_tracks_is_that_of_the_tracked_joint(load_example, examples, name):
    plain = load_example(SPATIAL)
    text = (examples / f"{SPATIAL}.yaml").read_text() + f"\nEvents: {{turned: {name}.angle - 100}}\n"
    tracked = lw.loads(text)
    assert name in find_turn_angles(tracked.mechanism)
    assert name not in find_turn_angles(plain.mechanism)
    motion, other = plain.simulate(0.5), tracked.simulate(0.5)
    times = np.linspace(0, 0.5, 7)
    mine, theirs = motion.at(times), other.at(times)
    turned = (mine[f"{name}.angle"] - theirs[f"{name}.angle"] + np.pi) % (2 * np.pi) - np.pi
    assert np.allclose(turned, 0, atol=1e-8)
    assert np.allclose(mine[f"{name}.omega"], theirs[f"{name}.omega"], atol=1e-7)


def test_no_name_is_proposed_in_its_own_place(load_example):
    motion = load_example(SPATIAL).simulate(0.1)
    for name in ("OAU.angle", "ABV.angle", "crank.angles", "nearr.angle"):
        with pytest.raises(LinkworkError) as caught:
            motion[name]
        assert f"Did you mean '{name}'" not in str(caught.value)


def test_what_is_not_prescribed_is_said_in_words(load_example):
    motion = load_example("four-bar").simulate(0.1)
    with pytest.raises(LinkworkError, match=r"'OA.angle' is not prescribed. Nothing is"):
        motion.driving("OA.angle")
    driven = lw.loads(
        "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}\nMotions: {OA.angle: t}\n"
        "ProblemData: {tend: 1, positions: {A: [1]}}"
    ).simulate()
    assert len(driven.driving("OA.angle")) == len(driven.t)
    with pytest.raises(LinkworkError, match=r"'OA.angel' is not prescribed. Did you mean 'OA.angle'"):
        driven.driving("OA.angel")


def test_several_constraints_between_fixed_points_are_counted_in_the_plural():
    rods = "{OQ: {Geom: [[1]]}, OR: {Geom: [[1]]}}"
    parts = f"{{Fixed: {{O: [], Q: [1], R: [0, 1]}}, Rigids: {rods}, Particles: {{A: 1}}}}"
    text = lw.loads(f"PartData: {parts}\nProblemData: {{positions: {{A: [1, 1]}}}}").structure().text()
    assert "2 constraints between fixed points" in text
    assert "pointss" not in text


def test_a_dead_point_is_called_one_and_no_spring_is_blamed(tmp_path, command):
    crank = """\
PhysicalParams: {a: 0.9, b: 1.0, c: 0.8, d: 1.5}
PartData:
  Fixed: {O: [], Q: [d]}
  Rigids:
    OA: {Geom: [[a]], Dyna: [[a/2], 1]}
    AB: {Geom: [[b]], Dyna: [[b/2], 1]}
    QB: {Geom: [[c]], Dyna: [[c/2], 1]}
Motions: {OA.angle: 1 + 3*t}
ProblemData: {tend: 3, positions: {B: [1.2, 0.8]}}
"""
    for tol in (1e-6, 1e-10, 1e-13):
        with pytest.raises(SolveError, match=r"a dead point.*OA\.angle cannot follow") as caught:
            lw.loads(crank).simulate(tol=tol)
        assert "spring" not in str(caught.value)
        # the rods AB and QB are in line there
        at = caught.value.motion.final
        A, B, Q = at["A"], at["B"], np.array([1.5, 0.0])
        cross = (B - A)[0] * (Q - B)[1] - (B - A)[1] * (Q - B)[0]
        assert abs(cross) < 1e-2


def test_what_is_not_there_is_not_blamed():
    root = "PartData: {Particles: {A: 1}}\nAppliedForces: {Forces: {A: [sqrt(-A.x)]}}\n"
    with pytest.raises(LinkworkError) as caught:
        lw.loads(root + "ProblemData: {tend: 1, positions: {A: [1]}}").simulate()
    assert "A law may divide by zero" in str(caught.value)
    assert "spring" not in str(caught.value)


# -- notes ------------------------------------------------------------------------------------------------------------

BODY = """\
Dimension: 3
PartData:
  Fixed: {O: []}
  Rigids: {OAB: {Geom: [[1], [0, 1]], Dyna: [[0.5], 1, [1, 1, 3]]}}
SolverParams: {Mode: simulate, Display: {a: 1}}
Animation: {trace: [A], view: [1, 2]}
Skeleton: {width: 1}
ProblemData: {tend: 0.1, positions: {A: [1], B: [0, 1]}}
"""
NOTES = [
    "SolverParams: Mode 'simulate' is ignored",
    "SolverParams: Display is for other programs and ignored here",
    "Animation: unknown key 'trace' is ignored. Did you mean 'traces'?",
    "Skeleton: unknown key 'width' is ignored",
    "rigid 'OAB': inertia is not physical: principal moments 1, 1 and 3",
]


def test_what_is_ignored_or_not_physical_is_warned_of_with_its_line():
    with pytest.warns(ModelWarning) as caught:
        assembly = lw.loads(BODY)
    told = [str(warning.message) for warning in caught]
    for line, note in zip((5, 5, 6, 7, 4), NOTES, strict=True):
        assert any(text.startswith(f"<text>:{line}: {note}") for text in told), (note, told)
    assembly.with_parameters().with_branch(None)  # told once
    assert assembly.simulate().outcome == "reached t = 0.1"
    with pytest.warns(ModelWarning, match="not physical"):
        lw.Model(assembly.mechanism)


def test_the_command_prints_notes_as_lines_and_goes_on(empty_folder, command):
    (empty_folder / "body.yaml").write_text(BODY)
    code, out, err = command("run", "body.yaml")
    assert code == 0
    assert "reached t = 0.1" in out
    for note in NOTES:
        assert note in err


def test_the_run_tells_freedoms_and_what_floats(empty_folder, command):
    rod = "{Geom: [[1]], Dyna: [[0.5], 1]}"
    (empty_folder / "arm.yaml").write_text(
        f"PartData: {{Fixed: {{O: []}}, Rigids: {{oa: {rod}, AB: {rod}, OA: {rod}}}}}\nProblemData: {{tend: 0.1}}"
    )
    code, out, _ = command("run", "arm.yaml")
    lines = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert code == 0
    assert lines["freedom"] == "5"
    assert lines["floating"] == "nothing ties oa to a fixed point. Did you mean A and O where it says a and o?"
    assert lines["freedom"] == str(lw.load("arm.yaml").structure().mobility.freedom)


def test_freedom_is_one_word_for_one_number(load_example):
    text = load_example("four-bar").structure().text()
    assert "freedom      1" in text
    assert "DOF" not in text
    assert "2 values free" in text


# -- springs on driven points -----------------------------------------------------------------------------------------

DRIVEN = """\
PartData: {{Particles: {{A: 1{mass}}}, Springs: {{PA: [40, 0.3]}}}}
Motions: {{{motions}}}
ProblemData: {{tend: 1, positions: {{A: [0, 0.3]}}}}
"""


def test_a_spring_on_a_driven_point_needs_no_mass_there():
    motions = "P.x: 0, P.y: 0.1*sin(3*t)"
    light, heavy = (lw.loads(DRIVEN.format(mass=mass, motions=motions)).simulate() for mass in ("", ", P: 0.5"))
    assert np.allclose(light.final["A"], heavy.final["A"], atol=1e-12)
    with pytest.raises(LinkworkError, match="no mass at point 'P'"):
        lw.loads(DRIVEN.format(mass="", motions="P.x: 0"))
