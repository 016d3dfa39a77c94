"""Sine and cosine of lanes against arithmetic of many digits, and of a library where they are far."""

import ctypes

import numpy as np
import pytest
from mpmath import mp, mpf

from linkwork.native.code import lanes_headers
from linkwork.native.compiler import BRIEF, Source, load

BODY = """
void KERNEL(turn_each)(long count, const double *x, double *s, double *c)
{
    for (long i = 0; i + LANES <= count; i += LANES) {
        v here, sine, cosine;
        memcpy(&here, x + i, sizeof here);
        swing(here, &sine, &cosine);
        memcpy(s + i, &sine, sizeof here);
        memcpy(c + i, &cosine, sizeof here);
    }
}
"""
COUNT = 2000  # a multiple of all lanes


def turn(x, lanes):
    source = Source(BODY, f'#define LANES {lanes}\n#include "sine.h"', BRIEF, lanes_headers())
    function = load([source])[source][source.symbol("turn_each")]
    found = np.empty((2, len(x)))
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, found[0], found[1])]
    function(ctypes.c_long(len(x)), *pointers)
    return found


def angles(seed):
    """All sizes, and next to where a sine or a cosine vanishes."""
    rng = np.random.default_rng(seed)
    near = np.round(rng.uniform(-6e4, 6e4, COUNT // 4)) * np.pi / 2
    off = near * (1 + rng.uniform(-1e-9, 1e-9, len(near)))
    return np.concatenate([rng.uniform(-4, 4, COUNT // 4), rng.uniform(-1e5, 1e5, COUNT // 4), near, off])


@pytest.mark.needs_compiler
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_sines_and_cosines_are_right_to_a_unit_in_the_last_place(lanes):
    x = angles(lanes)
    with mp.workprec(200):
        exact = [[function(mpf(float(one))) for one in x] for function in (mp.sin, mp.cos)]
        for row, values in zip(turn(x, lanes), exact, strict=True):
            error = np.array([float(abs(mpf(float(y)) - e)) for y, e in zip(row, values, strict=True)])
            assert (error <= np.spacing([abs(float(e)) for e in values])).all()


@pytest.mark.needs_compiler
def test_any_number_of_lanes_gives_the_same_numbers():
    x = angles(7)
    x[::97] = 1e6 * np.arange(1, len(x[::97]) + 1)
    x[3], x[12], x[25], x[38] = np.inf, np.nan, -0.0, 1e300
    with np.errstate(invalid="ignore"):
        expected = np.array([np.sin(x), np.cos(x)])
    one = turn(x, 1)
    np.testing.assert_allclose(one, expected, rtol=0, atol=2.3e-16)
    for lanes in (2, 4, 8):
        np.testing.assert_array_equal(turn(x, lanes), one)
