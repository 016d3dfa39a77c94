"""The order of elimination: blocks of columns are what the solver takes them for, and nothing more is filled in."""

import math
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations import formulate
from linkwork.native.sparsity import analyse, find_edges

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def chain(count, dimension=2):
    """Rods with masses at their ends: coordinates that meet only in constraints."""
    places = {f"P{i}": (i * math.cos(0.3), i * math.sin(0.3), 0)[:dimension] for i in range(1, count + 1)}
    return lw.Model(
        lw.Mechanism(
            dimension=dimension,
            fixed={"P0": ()},
            rigids=[lw.Rigid.rod(f"P{i}P{i + 1}", 1) for i in range(count)],
            particles=[lw.Particle(point=f"P{i}", mass=1) for i in range(1, count + 1)],
            start=lw.InitialValues(positions=places),
        )
    )


@pytest.fixture(params=[*EXAMPLES, 30, 130], ids=lambda p: p.stem if isinstance(p, Path) else f"chain-{p}")
def system(request):
    if isinstance(request.param, Path):
        return formulate(lw.load(str(request.param)).mechanism)
    return formulate(chain(request.param, 3).mechanism)


@pytest.fixture(params=[True, False], ids=["weights", "none"])
def pattern(request, system):
    return analyse(system, np.full(system.m, request.param))


def columns_of(pattern):
    return [pattern.row[a:b].tolist() for a, b in zip(pattern.column, pattern.column[1:], strict=False)]


def test_columns_of_a_block_have_the_same_rows_below_it(pattern):
    columns, first = columns_of(pattern), 0
    for width, tied, count in pattern.stretch.tolist():
        for last in range(first + width - 1, first + width * count, width):
            inside = range(last - width + 1, last + 1)
            assert width <= 4
            for j in inside:
                assert columns[j] == [*(range(j + 1, last + 1) if tied else ()), *columns[last]]
        first += width * count
    assert first == pattern.unknowns


def test_every_multiplier_comes_after_its_coordinates(system, pattern):
    row, column = find_edges(system)
    assert np.all(pattern.multiplier[row] > pattern.coordinate[column])
    slots = np.concatenate([pattern.coordinate, pattern.multiplier])
    assert sorted(slots) == list(range(pattern.unknowns))


def test_what_is_left_of_a_column_is_within_its_parent(pattern):
    # elimination of a column fills in all pairs of its rows: those with the first row must be there
    columns = columns_of(pattern)
    for rows in columns:
        assert rows == sorted(rows)
        assert not rows or set(rows[1:]) <= set(columns[rows[0]])
