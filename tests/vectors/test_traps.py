"""Traps of trees and small quantities: what is remembered changes nothing, nothing is neglected too early."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.equations.kane import Kane
from linkwork.symbolic import atan2, evaluate, symbol
from linkwork.vectors import cross, dot


def branched() -> lw.Tree:
    tree = lw.Tree("branches")
    A = tree.add_body("A", rotate="zxz", mass=1, inertia=(1, 1, 1))
    B = tree.add_body("B", parent=A, rotate="y", mass=1, inertia=(1, 1, 1))
    tree.add_body("C", parent=B, rotate="x", mass=1, inertia=(1, 1, 1))
    D = tree.add_body("D", parent=A, rotate="z", mass=1, inertia=(1, 1, 1))
    tree.add_body("E", parent=D, rotate="xyz", mass=1, inertia=(1, 1, 1))
    return tree


def test_products_that_are_remembered_are_those_found_anew() -> None:
    tree, fresh = branched(), branched()
    values = {f"q{i}": 0.3 * i for i in range(1, 10)}

    def axes(one: lw.Tree) -> list:
        return [axis for body in one.bodies for axis in body.axes]

    for i, j in np.ndindex(len(axes(tree)), len(axes(tree))):
        for axis in (*axes(fresh), *fresh.ground.axes):
            axis.cosines.clear()
            axis.crosses.clear()
        (a, b), (c, d) = ((axes(one)[i], axes(one)[j]) for one in (tree, fresh))
        assert evaluate(dot(a, b), values) == pytest.approx(evaluate(dot(c, d), values), abs=1e-14)
        for mine, theirs in zip(cross(a, b).terms.values(), cross(c, d).terms.values(), strict=True):
            assert evaluate(mine, values) == pytest.approx(evaluate(theirs, values), abs=1e-14)


def test_atan2_loses_a_common_factor_and_keeps_its_quadrant() -> None:
    x, y = symbol("x"), symbol("y")
    assert atan2(2 * y, 2 * x) is atan2(y, x) and atan2(2 * y, 4 * x) is atan2(y, 2 * x)
    assert atan2(y / 3, x) is atan2(y, 3 * x)
    assert atan2(-y, -x) is not atan2(y, x) and atan2(-2 * y / 3, 2 * x) is atan2(-y, 3 * x)
    for factor in (2, -1, -3):
        found = evaluate(atan2(factor * y, factor * x), {"x": 0.4, "y": 0.7})
        assert found == pytest.approx(math.atan2(factor * 0.7, factor * 0.4), rel=1e-15)


def test_a_body_without_freedom_takes_mass_away() -> None:
    """A disc with a hole about its rim, and the same as one body."""
    holed, whole = (lw.Tree(name, gravity=9.81) for name in ("holed", "whole"))
    disc = holed.add_body("disc", rotate="y", mass=3, inertia=(0, 2, 0))
    holed.add_body("hole", parent=disc, joint_at=(0.5, 0, 0), mass=-1, inertia=(0, -0.2, 0))
    whole.add_body("disc", rotate="y", mass=2, inertia=(0, 2 - 0.2 - 0.25 - 2 * 0.25**2, 0), centre=(-0.25, 0, 0))
    for q in (0.3, 1.7):
        one, other = (Kane(tree=tree) for tree in (holed, whole))
        assert evaluate(one.mass[0, 0], {"q1": q}) == pytest.approx(evaluate(other.mass[0, 0], {"q1": q}))
        assert evaluate(one.forces[0], {"q1": q, "u1": 2}) == pytest.approx(
            evaluate(other.forces[0], {"q1": q, "u1": 2})
        )


def test_axes_are_shared_whether_or_not_turns_are_small() -> None:
    tree = lw.Tree("small")
    A = tree.add_body("A", rotate="xyz", mass=1, inertia=(1, 1, 1), small=True)
    B = tree.add_body("B", parent=A, rotate="z", mass=1, inertia=(1, 1, 1))
    assert B.z is A.z


def test_a_steady_force_across_a_small_turn_keeps_its_moment() -> None:
    """A push F along y on a slider along x that has turned by a small angle q1: its moment F q2 and its part F q1."""
    tree = lw.Tree("turned")
    arm = tree.add_body("arm", rotate="z", mass=1, inertia=(0, 0, 1), small=True)
    slider = tree.add_body("slider", parent=arm, translate="x", mass=1, inertia=0, small=True)
    tree.add_force("push", along=tree.ground.y, magnitude="F", at=slider)
    loads = Kane(tree=tree, keep=2).loads
    F, q1, q2 = symbol("F"), *(symbol(f"q{i}", kind="coordinate") for i in (1, 2))
    assert loads == [F * q2, F * q1]
