"""Sampled controllers in exports: by formulas as ours, and as stubs that are asked at the same instants."""

import math
import re
import subprocess

import numpy as np
import pytest

import linkwork as lw
from exports import build, compare, need

FILES = {"c": "external.c", "fortran": "external.f90", "python": "external.py", "rust": "external.rs"}
FILES |= {"matlab": "external.m", "julia": "external.jl"}
STOPS = {
    "c": r"fputs\(.*\n    exit\(1\);", "fortran": r"set = 0.0_dp\n      error stop .*", "python": r"sys.exit\(.*\)",
    "rust": r"crate::fail\(.*\)", "matlab": r"error\('.*'\);", "julia": r'error\(".*"\)',
}  # fmt: skip
WORK = {
    "c": "set[0] = -3.0*read[0] - 4.0*read[1] + sin(3.0*t);",
    "fortran": "set(1) = -3*read(1) - 4*read(2) + sin(3*t)",
    "python": "return [-3 * x1 - 4 * x2 + __import__('math').sin(3 * t)]",
    "rust": "vec![-3.0 * read[0] - 4.0 * read[1] + (3.0 * t).sin()]",
    "matlab": "value = -3*read(1) - 4*read(2) + sin(3*t);",
    "julia": "return [-3*read[1] - 4*read[2] + sin(3*t)]",
}


def feedback(t, x, v):
    return -3 * x - 4 * v + math.sin(3 * t)


def slider(late=None):
    """A mass that two controllers push: a function that answers late, and formulas that read what that has set."""
    late = late or lw.Sampled(
        "late", period="T", offset=0.05, delay=1.75, reads=["A.x", "A.vx"], sets=["F"], call=feedback,
        quantum={"F": 0.125},
    )  # fmt: skip
    slow = lw.Sampled(
        "slow", period="3*T/2", reads={"f": "F", "a": "A.vx"}, outputs={"G": "-a - f/8 + mean/4"},
        memory={"mean": "(mean + f)/2"},
    )  # fmt: skip
    return lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=2)], forces=[lw.Force(point="A", components=("F", "G"))],
            controllers=[late, slow], parameters={"T": 0.1}, title="slider",
            start=lw.InitialValues(positions={"A": (1, 0)}, tend=2.013),
        )
    )  # fmt: skip


@pytest.mark.parametrize("target", [*FILES])
def test_a_sampled_servo_turns_an_exported_arm_as_ours(load_example, tmp_path, target):
    model = load_example("sampled-servo")
    folder = model.export(target, tmp_path / target)
    # the arm is kept where it would fall, so that differences grow
    names, table = compare(model, folder, target, "--end", 0.7373, "--samples", 7)
    seen = model.simulate(0.7373, tol=1e-13).at(table[:, 0])
    for name in ("tau", "sum", "angle"):
        np.testing.assert_array_equal(table[:, names.index(name)], seen[name])


@pytest.mark.parametrize("target", ["rust", "matlab", "julia"])
def test_formulas_that_answer_late_and_remember_do_so_in_exports(tmp_path, target):
    late = lw.Sampled(
        "late", period="T", offset=0.05, delay=1.75, reads={"x": "A.x", "v": "A.vx"},
        outputs={"F": "-3*x - 4*v + sin(3*t)"}, quantum={"F": 0.125},
    )  # fmt: skip
    model = slider(late)
    names, table = compare(model, model.export(target, tmp_path / target), target, "--samples", 11)
    seen = model.simulate(2.013, tol=1e-13).at(table[:, 0])
    for name in ("F", "G", "mean"):
        np.testing.assert_allclose(table[:, names.index(name)], seen[name], atol=1e-12)


@pytest.mark.parametrize("target", [*FILES])
def test_a_stub_of_a_controller_is_asked_when_ours_is(tmp_path, target):
    model = slider()
    folder = model.export(target, tmp_path / target)
    done = subprocess.run(build(folder, target), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"the function late in {FILES[target]} is to be filled in" in done.stderr
    path = folder / FILES[target]
    text, count = re.subn(STOPS[target], WORK[target], path.read_text())
    assert count == 1
    path.write_text(text.replace("#include <stdio.h>", "#include <math.h>\n#include <stdio.h>"))
    for made in folder.glob("slider"):
        made.unlink()
    names, table = compare(model, folder, target, "--samples", 11)
    seen = model.simulate(2.013, tol=1e-13).at(table[:, 0])
    for name in ("F", "G", "mean"):
        np.testing.assert_allclose(table[:, names.index(name)], seen[name], atol=1e-12)


def test_an_exported_controller_is_clean_under_sanitizers(load_example, tmp_path):
    folder = load_example("sampled-servo").export("c", tmp_path / "c")
    flags = "CFLAGS=-O1 -g -std=c99 -fsanitize=address,undefined -fno-sanitize-recover=all"
    done = subprocess.run(
        ["make", "-s", flags, f"CC={need('c')}"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    done = subprocess.run(["./sampled_servo", "--end", "0.2"], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
