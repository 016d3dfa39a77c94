"""Vector mechanics without bases: frames that turn against each other, vectors and dyadics over their unit vectors.

N = Frame("N")
B = N.turned("B", q, about="z")
dt(L*B.x)                          L*q'*B.y
dot(N.x, B.y)                      -sin(q)

quantity   vectors and dyadics and their linear algebra
frames     the tree of frames, and what it remembers
products   cosines that climb the tree; dot, cross, outer; lengths, angles, components
points     points and where they are
motion     time derivatives, velocities, partial derivatives
printing   text and LaTeX
"""

from linkwork.vectors.frames import Frame, matrix
from linkwork.vectors.motion import (
    acceleration,
    angular_acceleration,
    angular_velocity,
    constant_part,
    dt,
    material_velocity,
    nominal,
    partial,
    velocity,
)
from linkwork.vectors.points import Point, coordinates, point, position
from linkwork.vectors.products import (
    angle,
    collect,
    components,
    cosine,
    cross,
    direction,
    dot,
    entries,
    express,
    gcf,
    identity,
    magnitude,
    outer,
    project,
)
from linkwork.vectors.quantity import Dyadic, UnitVector, Vector, VectorError, is_constant

__all__ = [
    "Dyadic",
    "Frame",
    "Point",
    "UnitVector",
    "Vector",
    "VectorError",
    "acceleration",
    "angle",
    "angular_acceleration",
    "angular_velocity",
    "collect",
    "components",
    "constant_part",
    "coordinates",
    "cosine",
    "cross",
    "direction",
    "dot",
    "dt",
    "entries",
    "express",
    "gcf",
    "identity",
    "is_constant",
    "magnitude",
    "material_velocity",
    "matrix",
    "nominal",
    "outer",
    "partial",
    "point",
    "position",
    "project",
    "velocity",
]
