"""Friction of a force that passes zero: closed forms, in all formulations, by several methods."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw

PRESSED = """
Formulation: {form}
Bodies:
  block: {{mass: 1, inertia: 1, frames: {{o: []}}}}
  world: {{frames: {{rail: []}}}}
Connections: {{Joints: {{guide: {{kind: translational, frames: [world.rail, block.o]}}}}}}
AppliedForces:
  Forces: {{block.o: [0, {press}]}}
  Friction: {{rub: {{speed: guide.speed, limit: 0.3*abs(guide.fy)}}}}
ProblemData: {{tend: 1.5, velocities: {{block.o: [[5, fixed]]}}}}
"""

PUMP = """
Formulation: {form}
PhysicalParams: {{a: 0.1, b: 0.35, w: 10, m: 0.5, mu: 0.3}}
Bodies:
  crank: {{mass: 1.2, centre: [], inertia: 1e-3, frames: {{o: [], pin: [a]}}}}
  rod: {{mass: 0, inertia: 0, frames: {{big: [], small: [b]}}}}
  piston: {{mass: m, inertia: 2e-4, frames: {{pin: []}}}}
  world: {{frames: {{o: [], rail: []}}}}
Connections:
  Joints:
    main: {{kind: revolute, frames: [world.o, crank.o]}}
    big: {{kind: revolute, frames: [crank.pin, rod.big]}}
    small: {{kind: revolute, frames: [rod.small, piston.pin]}}
    guide: {{kind: translational, frames: [world.rail, piston.pin]}}
AppliedForces:
  Friction: {{rub: {{speed: guide.speed, limit: mu*abs(guide.fy)}}}}
Motions: {{main.angle: w*t}}
ProblemData: {{tend: 3, positions: {{crank.pin: [a], piston.pin: [a + b]}}}}
"""

FORMS, METHODS = ("points", "absolute", "tree"), ("taylor", "rk8", "radau")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("press", "when"), [("3*t - 2", 2 / 3), ("3*t - 1.7", 1.7 / 3)])
def test_a_block_that_is_pressed_from_above_then_from_below(press: str, when: float, form: str, method: str) -> None:
    motion = lw.loads(PRESSED.format(form=form, press=press)).simulate(method=method, tol=1e-9)
    lost = 0.3 * 1.5 * (when**2 + (1.5 - when) ** 2)  # ∫ 0.3 |3 (t − when)| dt
    assert abs(motion.final["block.o.vx"] - (5 - lost)) < 1e-8


def _lost(w: float, until: float) -> float:
    """∫ μ |N x'| dt of a pump whose rod has no mass: m x'' = P − μ |N| sign x', N = P tan φ."""
    a, b, m, mu = 0.1, 0.35, 0.5, 0.3
    nodes, weights = np.polynomial.legendre.leggauss(20)
    ends = np.linspace(0.0, until, 4001)
    h = np.diff(ends)[:, None] / 2
    angle = w * (ends[:-1, None] + h * (1 + nodes))
    s, c = np.sin(angle), np.cos(angle)
    root = np.sqrt(b**2 - (a * s) ** 2)
    first = -a * s - a**2 * s * c / root
    second = -a * c - a**2 * (c**2 - s**2) / root - a**4 * (s * c) ** 2 / root**3
    along, slant = m * second * w**2, np.abs(a * s / root)
    push = along / (1 - mu * np.sign(along) * np.sign(first) * slant)
    return float(np.sum(mu * np.abs(push) * slant * np.abs(first) * w * weights * h))


@pytest.mark.parametrize("method", METHODS[:2])
@pytest.mark.parametrize("form", FORMS)
def test_a_driven_pump_rubs_by_the_force_of_its_guide(form: str, method: str) -> None:
    motion = lw.loads(PUMP.format(form=form)).simulate(method=method, tol=1e-9)
    assert math.isclose(motion.work["friction rub"][-1], -_lost(10.0, 3.0), rel_tol=1e-6)
    assert motion.audit()


@pytest.mark.parametrize("method", METHODS[:2])
def test_without_a_compiler(method: str) -> None:
    model = lw.loads(PRESSED.format(form="points", press="3*t - 2"))
    motion = model.simulate(method=method, tol=1e-9, compiled=False)
    assert abs(motion.final["block.o.vx"] - 4.4875) < 1e-8
