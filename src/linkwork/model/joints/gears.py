"""Gears: two wheels that mesh, held by whatever holds their centres; d runs from the first centre to the second.

With φ₁, φ₂ how far the wheels have turned, ψ the direction of d, and z₁, z₂ teeth, against the line of centres

    z₁ (φ₁ − ψ) + z₂ (φ₂ − ψ) = 0      so that      ψ − φ₁ = z₂ (φ₂ − φ₁)/(z₁ + z₂) = β

which is the direction of d in the first wheel: it has no need of a carrier, and knows whole turns as φ₂ − φ₁ does.
"""

from __future__ import annotations

from types import SimpleNamespace

from linkwork.model.joints.kinds import MovingFrame, turn
from linkwork.symbolic import Expr, cos, sin, sqrt
from linkwork.symbolic.vector import dot

COINCIDENT = 1e-30  # square of a distance, so that centres at one place have no direction instead of no number
TEETH = {"teeth1": None, "teeth2": None, "phase": 0}


MEET = "centres meet"  # and have no line: beyond it the wheels would mesh on the wrong side of it


def mesh(i: MovingFrame, j: MovingFrame, p: SimpleNamespace) -> tuple[Expr, Expr, Expr]:
    """How far d is off the direction β, the cosine of the angle between both (of any wheels), and d along β."""
    d = j.o - i.o
    beta = p.teeth2 / (p.teeth1 + p.teeth2) * turn(i, j) + p.phase
    along, across = dot(i.x, d), dot(i.y, d)
    length = sqrt(along**2 + across**2 + COINCIDENT)
    ahead = along * cos(beta) + across * sin(beta)
    return across * cos(beta) - along * sin(beta), ahead / length, ahead
