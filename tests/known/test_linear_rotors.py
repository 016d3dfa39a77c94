"""Rotating machines: the rotor and stator of Negrut and Ortiz, and a rotating blade beside the known beam."""

import importlib.util
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

EXAMPLES = Path(__file__).parents[2] / "examples" / "lagrangian"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


rotor, blades = load("rotor_stator"), load("rotating_blade")


def nearest(values, wanted):
    return [values[np.argmin(np.abs(values - z))] for z in wanted]


@pytest.mark.parametrize("speed", [0.0, 0.1, 0.35, 0.7, 1.0])
def test_eigenvalues_follow_the_gyroscopic_model_and_the_frames_differ_by_the_speed(speed):
    machine = rotor.rotor_stator(speed=speed)
    known = rotor.gyroscopic_model(speed)
    for states, shift in ((rotor.GROUND, 0.0), (rotor.ROTOR, speed)):
        linear = machine.linearize(states=states)
        wanted = known - 2j * np.pi * shift
        np.testing.assert_allclose(nearest(linear.eigenvalues, wanted), wanted, rtol=1e-10)
        assert linear.balanced
        # seven degrees of freedom, one of them free
        assert (len(linear.states), sum(mode.rigid for mode in linear.modes)) == (7, 2)


def test_simulated_signals_peak_at_those_frequencies():
    """A kick at half a turn per second: spectra on the ground and on the rotor."""
    speed, until = 0.5, 600.0
    machine = rotor.rotor_stator(speed=speed, d=0.0, dt=0.0)
    kicked = machine.mechanism.start.rates | {"a": 0.003, "x": 0.004}
    motion = lw.Model(
        replace(machine.mechanism, start=lw.InitialValues(rates={"psi": 2 * np.pi * speed, **kicked}))
    ).simulate(until, tol=1e-10)
    t = np.arange(0, until, 0.1)
    state = motion.at(t)
    x, y, a, b, psi = (state[name] for name in ("x", "y", "a", "b", "psi"))
    known = np.abs(rotor.gyroscopic_model(speed, d=0.0, dt=0.0).imag) / (2 * np.pi)
    turned = np.abs(rotor.gyroscopic_model(speed, d=0.0, dt=0.0).imag / (2 * np.pi) - speed)
    assert_peaks(t, x, known)
    assert_peaks(t, y * np.cos(psi) - x * np.sin(psi), turned)
    assert_peaks(t, b * np.cos(psi) - a * np.sin(psi), turned[np.abs(known - 0.127) > 0.01])


def assert_peaks(t, signal, wanted):
    """The spectrum has a peak within half a line of each frequency."""
    window = np.blackman(len(t))
    power = np.abs(np.fft.rfft(window * (signal - signal.mean())))
    lines = np.fft.rfftfreq(len(t), t[1] - t[0])
    peaks = lines[1:-1][(power[1:-1] > power[:-2]) & (power[1:-1] > power[2:]) & (power[1:-1] > 1e-3 * power.max())]
    for frequency in wanted:
        assert np.min(np.abs(peaks - frequency)) < 2 * lines[1], frequency


def test_the_beam_of_the_example_has_the_published_frequencies():
    """Wright, Smith, Thresher and Wang, J. Appl. Mech. 49 (1982), clamped, no hub: flap at η = 0, 3, 6, 12."""
    published = {0: (3.5160, 22.0345), 3: (4.7973, 23.3203), 6: (7.3604, 26.8091), 12: (13.1702, 37.6031)}
    for speed, wanted in published.items():
        np.testing.assert_allclose(blades.beam(speed)[:2], wanted, atol=6e-5)


@pytest.mark.parametrize("speed", [0.0, 6.0])
def test_flap_and_lag_approach_the_rotating_beam_as_segments_increase(speed):
    errors = []
    for segments in (4, 8, 16):
        linear = blades.blade(segments, speed).linearize(states=blades.states(segments))
        assert linear.balanced
        found = np.array([mode.omega for mode in linear.modes.vibrations])
        known = np.sort([*blades.beam(speed)[:2], *blades.beam(speed, lag=True)[:2]])
        errors.append(np.abs(found[:4] / known - 1))
    # second order: a quarter of the error with twice the segments
    for coarse, fine in pairwise(errors):
        assert np.all((coarse / fine > 3.0) & (coarse / fine < 5.0))
    assert np.max(errors[-1]) < 0.01
