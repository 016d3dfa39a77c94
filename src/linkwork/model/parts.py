"""The parts of a mechanism and the torques on them: frozen data over symbols. Knows no equations, no files.

Numbers, texts such as "m*l**2/12" and expressions are all welcome as values. Points are named; points that
have the same name in two parts are pinned together. A part's points are read off its name ("OA" joins O
and A) unless they are given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from linkwork.given import as_name, as_part
from linkwork.model.convert import Scalar, Vector, as_coordinates, as_value, as_values, as_vectors, name_points
from linkwork.model.laws import read_law
from linkwork.model.part import Part, set_field
from linkwork.symbolic import Expr, Number

HALF, TWELFTH = Number(Fraction(1, 2)), Number(Fraction(1, 12))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Rigid(Part):
    """A rigid body: local coordinates of its points, centroid, mass, and inertia about the centroid.

    The first point is the origin of the local frame, the second lies on its positive x axis and, in 3D, the third in
    the upper half (y > 0) of its xy plane. Coordinates that are left out are zero.

    inertia   2D: one number;  3D, two points (a thin rod): one number, across the rod;
              3D, more points: Ixx Iyy Izz or Ixx Iyy Izz Ixy Ixz Iyz (elements of the matrix, Ixy = −∫xy dm);
              left out: that of a uniform rod for two points, else zero

    >>> Rigid(name="OAB", geometry=[(), (1,), (0, 2)], centroid=(0.3, 0.6), mass=2, inertia=0.1).points
    ('O', 'A', 'B')
    """

    WORD = "rigid"
    VALUES = ("geometry", "centroid", "mass", "inertia")
    POINTS = ("points",)
    PLACES = True

    name: str
    points: tuple[str, ...]
    geometry: tuple[tuple[Expr, ...], ...]
    centroid: tuple[Expr, ...]
    mass: Expr
    inertia: tuple[Expr, ...]

    def __init__(
        self,
        *,
        name: str,
        points: Iterable[str] = (),
        geometry: Iterable[Vector],
        centroid: Vector = (),
        mass: Scalar = 0,
        inertia: Scalar | Vector | None = None,
    ) -> None:
        part = as_part(self.WORD, name)
        set_field(self, "name", name)
        set_field(self, "points", name_points(name, points, part))
        set_field(self, "geometry", as_vectors(geometry, part, "geometry"))
        set_field(self, "centroid", as_coordinates(centroid, part, "centroid"))
        set_field(self, "mass", as_value(mass, part, "mass"))
        set_field(self, "inertia", () if inertia is None else as_values(inertia, part, "inertia"))

    @staticmethod
    def rod(name: str, length: Scalar, mass: Scalar = 0, *, points: Iterable[str] = ()) -> Rigid:
        """A thin uniform rod: centroid at l/2, inertia m l²/12.

        >>> Rigid.rod("OA", 2, mass=3).inertia
        (1,)
        """
        part = as_part(Rigid.WORD, name)
        l, m = as_value(length, part, "length"), as_value(mass, part, "mass")
        middle, inertia = _rod_dynamics(l, m)
        return Rigid(name=name, points=points, geometry=((), (l,)), centroid=middle, mass=m, inertia=inertia)


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Spring(Part):
    """A spring between two points, V = ½ k (|b - a| - l)²; its mass is spread evenly along it.

    >>> Spring(name="AB", stiffness=1000, rest_length=1).points
    ('A', 'B')
    """

    WORD = "spring"
    VALUES = ("stiffness", "rest_length", "mass")
    POINTS = ("points",)
    PLACES = True
    TIES = True

    name: str
    points: tuple[str, ...]
    stiffness: Expr
    rest_length: Expr
    mass: Expr

    def __init__(
        self,
        *,
        name: str,
        points: Iterable[str] = (),
        stiffness: Scalar,
        rest_length: Scalar,
        mass: Scalar = 0,
    ) -> None:
        part = as_part(self.WORD, name)
        set_field(self, "name", name)
        set_field(self, "points", name_points(name, points, part))
        set_field(self, "stiffness", as_value(stiffness, part, "stiffness"))
        set_field(self, "rest_length", as_value(rest_length, part, "rest length"))
        set_field(self, "mass", as_value(mass, part, "mass"))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Particle(Part):
    """A mass at a point.

    >>> Particle(point="B", mass="m").mass
    m
    """

    WORD = "particle"
    NAME = "point"
    VALUES = ("mass",)
    POINTS = ("point",)
    PLACES = True

    point: str
    mass: Expr

    def __init__(self, *, point: str, mass: Scalar) -> None:
        set_field(self, "point", point)
        set_field(self, "mass", as_value(mass, as_part(self.WORD, point), "mass"))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Torque(Part):
    """A torque on a rigid part (2D) against `other` or, without it, the world; or about the axis of a joint (3D).

    A constant one has the potential V = -τ (θ - θ_other); the value may also be a law.

    >>> Torque(part="OA", value="-k*OA.angle").value
    -k*OA.angle
    >>> Torque(part="OA", value=6.46).other is None
    True
    """

    WORD = "torque"
    NAME = "part"
    UNIQUE = False
    LAWS = ("value",)

    part: str
    value: Expr
    other: str | None

    def __init__(self, *, part: str, value: Scalar, other: str | None = None) -> None:
        acted = as_part(self.WORD, part)
        set_field(self, "part", part)
        set_field(self, "value", read_law(value, acted, "value"))
        set_field(self, "other", None if other is None else as_name(other, acted, "other"))


@lru_cache(maxsize=1024)
def _rod_dynamics(l: Expr, m: Expr) -> tuple[tuple[Expr], tuple[Expr]]:
    return (l * HALF,), (m * l**2 * TWELFTH,)
