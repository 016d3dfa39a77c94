"""Helpers of the tests: systems of one kernel made by hand, first steps of machines, messages about a file."""

import os
from dataclasses import fields

import numpy as np
import pytest

from linkwork.equations import Row, System, Term, kernel
from linkwork.errors import InputError, Ref
from linkwork.native import Machine, ReferenceMachine, Request, choose_weights
from linkwork.solve import Start
from linkwork.spec import parse_mechanism


def share(count):
    """How many of so many seeds are tried: all, or the part that `make test-long SHARE=0.1` asks for; one at least."""
    return max(1, round(count * float(os.environ.get("LINKWORK_SHARE", "1"))))


def messages(text):
    """What is wrong with a text, one line each."""
    with pytest.raises(InputError) as caught:
        parse_mechanism(text, "arm.yaml")
    return str(caught.value).split("\n")


def check_mistake(good, old, new, message):
    """One mistake in a good text gives one message."""
    assert good.count(old) == 1
    assert messages(good.replace(old, new)) == [f"arm.yaml:{message}"]


def make_kernel(name, coordinates, parameters, define):
    """A kernel of a lambda, under a name of its own."""
    define.__name__ = name
    return kernel(coordinates, parameters)(define)


def make_system(*placed, n, frozen=(), scales=None, angles=()):
    """A system of terms (kernel, coordinates (instances, local), parameters (instances, ...))."""
    terms, levels, m = [], [], 0
    for k, coordinates, parameters in placed:
        coordinates = np.atleast_2d(np.array(coordinates, dtype=np.int64))
        count = len(coordinates)
        rows = m + np.arange(count * k.constraint_count, dtype=np.int64).reshape(count, k.constraint_count)
        m += rows.size
        values = np.array(parameters, dtype=float).reshape(count, len(k.parameters))
        names = tuple(f"{k.name}{i}" for i in range(count))
        owners = tuple(Ref("part", name) for name in names)
        found = Term(kernel=k, names=names, owners=owners, coordinates=coordinates, rows=rows, parameters=values)
        terms.append(found)
        levels += (["position"] * k.holonomic_count + ["velocity"] * (k.constraint_count - k.holonomic_count)) * count
    return System(
        coordinates=tuple(f"q{i}" for i in range(n)),
        frozen=np.array(frozen, dtype=float),
        rows=tuple(
            Row(name=f"g{i}", level=level, owner=Ref("constraint", f"g{i}"), kind="constraint")
            for i, level in enumerate(levels)
        ),
        terms=tuple(terms),
        scales=np.ones(n) if scales is None else np.array(scales, dtype=float),
        turns=tuple(angles),
    )


def make_start(q, u, t=0.0):
    """A start that moved nothing."""
    none = np.zeros(0, dtype=np.int64)
    known = {"t": t, "q": np.array(q, dtype=float), "u": np.array(u, dtype=float), "attempts": 1, "fixed": (none, none)}
    rest = {field.name: {} if field.name == "placed" else () for field in fields(Start) if field.name not in known}
    return Start(**known, **rest)


def machines(system, q):
    """The compiled machine and its oracle."""
    return Machine(system, choose_weights(system, np.asarray(q, dtype=float))), ReferenceMachine(system)


def expand(machine, q, u, order, t=0.0, h=1e-3, fused=False):
    """Taylor coefficients at a consistent state, q: (order + 1, n) and λ: (order − 1, m), read off one short step."""
    request = Request(t_end=t + h, tol=1e-2, order=order, h_max=h, fused=fused)
    status = machine.begin(request, t, np.asarray(q, dtype=float), np.asarray(u, dtype=float))
    assert status.name == "FINISHED", status
    status, chunk = machine.advance(10.0, 1)
    assert len(chunk.t) == 1, status
    q, lam = (np.array([get(k)[0] for k in range(order + 1)]) for get in (chunk.q, chunk.lam))
    return q, lam[: order - 1]


def assert_series_equal(one, other, rtol=1e-9):
    """Coefficients agree, each order measured by its own size and by what the orders before it let grow."""
    for k, (a, b) in enumerate(zip(one, other, strict=True)):
        size = np.max(np.abs(b), initial=0.0)
        growth = max(
            (np.max(np.abs(row), initial=0.0) ** (k / max(i, 1)) for i, row in enumerate(other[:k])), default=0
        )
        np.testing.assert_allclose(a, b, rtol=0, atol=rtol * max(size, growth, 1e-3), err_msg=f"order {k}")


def distance(one, other):
    """Largest difference."""
    return float(np.max(np.abs(np.asarray(one) - np.asarray(other)), initial=0.0))


def digits(found, wanted):
    """The number of correct significant digits of an array, by its largest entry."""
    wanted = np.asarray(wanted, dtype=float)
    error = distance(found, wanted) / np.max(np.abs(wanted))
    return 17.0 if error == 0 else -np.log10(error)
