"""Long functions are written in pieces: they say the same, to the last bit where nothing is contracted."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.export import pieces


def chain(n):
    """Links one on the other, about axes in turn."""
    tree, parent = lw.Tree(gravity=9.81), None
    for i in range(n):
        tree.add_body(
            f"B{i}", parent=parent, joint_at=(0.1, 0.2, -0.3) if parent else (0, 0, 0), rotate="xyz"[i % 3],
            mass=1 + i, inertia=(0.1, 0.2, 0.15), centre=(0.05, 0, -0.1),
        )  # fmt: skip
        parent = tree.bodies[-1]
    return tree


def rates(monkeypatch, long):
    monkeypatch.setattr(pieces, "LONG", long)
    f = chain(6).model(tend=1).rhs(compiled=True)
    text = f._part("rhs").write().text
    x = np.random.default_rng(3).uniform(-1, 1, (20, len(f.names)))
    return f(0.0, x), text


def test_a_function_in_pieces_gives_what_it_gives_in_one(monkeypatch):
    one, whole = rates(monkeypatch, 1_000_000)
    cut, text = rates(monkeypatch, 100)
    assert "_APART" not in whole
    assert text.count("static MODEL_APART void model_rhs_") > 3
    np.testing.assert_allclose(cut, one, rtol=0, atol=1e-13 * np.abs(one).max())


def test_pieces_read_nothing_that_was_not_kept_before(monkeypatch):
    monkeypatch.setattr(pieces, "LONG", 100)
    f = chain(5).model(tend=1).rhs(compiled=False)
    (rhs,) = (function for function in f._part("rhs")._x.code.functions if function.name == "rhs")
    found = pieces.cut(rhs)
    assert found is not None
    known = set()
    for piece in found.pieces:
        for section in piece.sections:
            for s in section.statements:
                read = pieces._names([s.tree])
                assert read <= known, s.name
                known.add(s.name)
        known &= {*found.kept}  # what is not handed on is forgotten
    assert pieces._names(tree for trees in found.last.results.values() for tree in trees) <= known
    statements = [s.name for piece in found.pieces for part in piece.sections for s in part.statements]
    assert statements == [s.name for part in rhs.sections for s in part.statements]


@pytest.mark.parametrize("size", [1, 50, 10_000])
def test_pieces_are_of_the_size_asked_for_or_one_statement(monkeypatch, size):
    monkeypatch.setattr(pieces, "LONG", 0)
    monkeypatch.setattr(pieces, "PIECE", size)
    (rhs,) = (f for f in chain(3).model(tend=1).rhs(compiled=False)._part("rhs")._x.code.functions if f.name == "rhs")
    for piece in pieces.cut(rhs).pieces:
        statements = [s for part in piece.sections for s in part.statements]
        assert len(statements) == 1 or sum(s.tree.size for s in statements) <= size
