"""Starts from poor guesses: whatever the guess, a consistent start is found, and fixed values stay as given."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import Guess
from linkwork.native.numbers import compute_levels, compute_matrices
from tools import share

EXAMPLES = sorted(Path("examples").glob("*.yaml"))


def guess_anew(mechanism, size, random):
    """The same mechanism with random guesses of all places and velocities; what is fixed stays."""

    def guesses(given, scale):
        free = {p: [Guess(value=0)] * mechanism.dimension for p in mechanism.moving_points}
        return {
            point: [g if g.fixed else Guess(value=float(x)) for g, x in zip(old, scale * draw(len(old)), strict=True)]
            for point, old in (free | dict(given)).items()
        }

    def draw(count):
        return random.uniform(-3, 3, count)

    old = mechanism.start
    new = lw.InitialValues(
        t0=old.t0,
        tend=old.tend,
        positions=guesses(old.positions, size),
        velocities=guesses(old.velocities, size),
        angles={name: g for name, g in old.angles.items() if g.fixed},
        rates={name: g for name, g in old.rates.items() if g.fixed},
    )
    return replace(mechanism, start=new)


def check_start(assembly):
    """Positions and velocities meet the constraints, to rounding; fixed values are kept to the last bit."""
    start, system = assembly.start, assembly.system
    g, g1, _ = compute_levels(system, start.q, start.u, np.zeros_like(start.q), start.t)
    _, G = compute_matrices(system, start.q, start.t)
    rows = np.sqrt(np.asarray(G.multiply(G) @ system.scales**2).ravel()) + 1e-300
    speed = np.max(np.abs(start.u) / system.scales, initial=1e-300)
    assert np.max(np.abs(g) / rows, initial=0) < 1e-12
    assert np.max(np.abs(g1) / rows, initial=0) < 1e-9 * speed
    for value in start.values:
        assert value.status != "fixed" or value.found == value.given


def check_nearest(assembly):
    """No way along the constraints leads nearer to what was given: its gradient is a combination of theirs."""
    start, system = assembly.start, assembly.system
    positions = start.values[: int(system.mechanical.sum())]
    free = [i for i, value in enumerate(positions) if value.status != "fixed"]
    slope = np.array([positions[i].moved / system.scales[i] for i in free])
    G = compute_matrices(system, start.q, start.t)[1].toarray()[:, free] * system.scales[free]
    across = G.T @ np.linalg.lstsq(G.T, slope, rcond=1e-9)[0]
    assert np.linalg.norm(slope - across) <= 1e-7 * max(1.0, np.linalg.norm(slope))


def try_guesses(path, count, seed):
    original = lw.load(path)
    size, random = float(original.system.scales.max()), np.random.default_rng(seed)
    for _ in range(count):
        assembly = lw.Model(guess_anew(original.mechanism, size, random))
        check_start(assembly)
        check_nearest(assembly)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_any_guess_leads_to_a_consistent_start_that_is_nearest_to_it(path):
    space = "Dimension: 3" in path.read_text()
    try_guesses(path, 2 if space else 12, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(share(10)))
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_each_of_a_thousand_guesses_leads_to_a_consistent_start(path, hundred):
    try_guesses(path, 100, seed=2 + hundred)


@pytest.mark.parametrize("far", ["9", "1e3", "1e9", "1e100", "1e308"])
def test_a_guess_out_of_this_world_is_no_harm(far):
    text = Path("examples/four-bar.yaml").read_text()
    assembly = lw.loads(text.replace("B: [0.9, 0.8]", f"B: [{far}, {far}]"))
    check_start(assembly)
    np.testing.assert_allclose(assembly.start.q, lw.loads(text).start.q, atol=1e-12)


def test_what_no_constraint_touches_stays_where_it_was_guessed_however_far():
    orbit = lw.Mechanism(
        particles=[lw.Particle(point="A", mass=1)], start=lw.InitialValues(positions={"A": (6.4e12, 1)})
    )
    assert lw.Model(orbit).start.q.tolist() == [6.4e12, 1.0]


def test_many_parts_without_constraints_start_where_they_are():
    many = [lw.Particle(point=f"P{i}", mass=1) for i in range(120)]
    places = {f"P{i}": (float(i), 0.5) for i in range(120)}
    start = lw.Model(lw.Mechanism(particles=many, start=lw.InitialValues(positions=places))).start
    assert not start.moved
