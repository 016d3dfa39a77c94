"""Forces that push, hold or rub, all of an instant together: accelerations s = b + W z of places in, forces z out.

Each place has a set Z of forces that it can have, and the law of all of them is one: z is the point of Z nearest to
z − r s, whatever r > 0 is. Spelled out,

    pushing   Z: z ≥ 0        z ≥ 0, s ≥ 0, z s = 0: what opens does not push
    rubbing   Z: |z| ≤ h      s = 0, or |z| = h against s: what moves is braked as much as can be (two numbers: a disc)

W is symmetric and not negative, so that this is the minimum of ½ zᵀWz + bᵀz over the sets: it exists where no
constraint drives into what only pushes, and s is unique; z is not where holds are redundant. Each place is brought to
W = 1 first. It is solved place after place (projected Gauss-Seidel), and by Newton's method on  z − Z(z − s) = 0,
which ends exactly as soon as it is known who pushes, who holds and who slides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats

SWEEPS, NEWTON, ROUNDS = 20, 12, 40  # of places one after the other, of all at once, of both in turn
MET = 1e-13  # of the forces: what is left of the law
FIRM = 1e-12  # of the mobility it would have if everything moved: a place that nothing can move


@dataclass(frozen=True, slots=True)
class Pushing:
    """A place that pushes and never pulls."""

    first: int
    size: int = 1

    def nearest(self, x: Floats) -> Floats:
        """The point of the set nearest to some other."""
        return np.maximum(x, 0.0)

    def slope(self, x: Floats) -> Floats:
        """How the nearest point moves with x."""
        return np.diag((x > 0.0).astype(float))

    def resized(self, scale: float) -> Pushing:
        """The same for forces measured in other units."""
        return self

    def against(self, s: Floats) -> Floats:
        """The force where nothing that happens depends on it."""
        return np.zeros_like(s)


@dataclass(frozen=True, slots=True)
class Rubbing:
    """A place with friction of one speed, or of two at right angles, that can hold so much."""

    first: int
    size: int
    hold: float

    def nearest(self, x: Floats) -> Floats:
        """The point of the set nearest to some other."""
        length = _length(x)
        return x if length <= self.hold else x * (self.hold / length)

    def slope(self, x: Floats) -> Floats:
        """How the nearest point moves with x."""
        length = _length(x)
        if length <= self.hold:
            return np.eye(self.size)
        e = x / length
        return np.asarray((np.eye(self.size) - np.outer(e, e)) * (self.hold / length))

    def resized(self, scale: float) -> Rubbing:
        """The same for forces measured in other units."""
        return Rubbing(self.first, self.size, self.hold * scale)

    def against(self, s: Floats) -> Floats:
        """The force where nothing that happens depends on it: against what happens."""
        length = _length(s)
        return np.zeros_like(s) if length == 0.0 else s * (-self.hold / length)


Place = Pushing | Rubbing


def _length(x: Floats) -> float:
    return abs(float(x[0])) if len(x) == 1 else float(np.linalg.norm(x))


def solve_complementary(W: Floats, b: Floats, places: Sequence[Place], alone: Floats, noise: Floats) -> Floats:
    """z.   W: (n, n), b: (n,); alone: the diagonal of W if everything moved (n,); noise of s (n,)"""
    z = np.zeros(len(b))
    moved, scale = list[Place](), np.ones(len(b))
    for place in places:
        at = slice(place.first, place.first + place.size)
        mobility = float(np.max(np.diagonal(W)[at]))
        if mobility > FIRM * float(np.max(alone[at])):
            scale[at] = 1.0 / np.sqrt(mobility)
            moved.append(place.resized(float(np.sqrt(mobility))))
        elif (np.abs(b[at]) > noise[at]).any():
            z[at] = place.against(b[at])
    # what nothing can move takes no part
    loose = [i for place in moved for i in range(place.first, place.first + place.size)]
    if loose:
        own = np.ix_(loose, loose)
        first = {i: k for k, i in enumerate(loose)}
        own_places = [_at(place, first[place.first]) for place in moved]
        to = scale[loose]
        z[loose] = to * _solve(W[own] * np.outer(to, to), b[loose] * to, own_places)
    return z


def solve_pushing(W: Floats, b: Floats) -> Floats:
    """The same where all only push."""
    return solve_complementary(W, b, [Pushing(i) for i in range(len(b))], np.diagonal(W), np.zeros(len(b)))


def _at(place: Place, first: int) -> Place:
    return Pushing(first) if isinstance(place, Pushing) else Rubbing(first, place.size, place.hold)


def _solve(W: Floats, b: Floats, places: Sequence[Place]) -> Floats:
    """The same where each place has W = 1."""
    best, least = np.zeros(len(b)), np.inf
    z = best.copy()
    size = float(np.max(np.abs(b)))
    for _ in range(ROUNDS):
        for _ in range(SWEEPS):
            for place in places:
                at = slice(place.first, place.first + place.size)
                z[at] = place.nearest(z[at] - (b[at] + W[at] @ z))
        y = z.copy()
        for _ in range(NEWTON):
            left = _miss(W, b, places, y)
            missed = float(np.max(np.abs(left)))
            if missed < least:
                best, least = y.copy(), missed
            if missed <= MET * max(size, float(np.max(np.abs(y)))):
                return y
            y = y - np.linalg.lstsq(_slope(W, b, places, y), left, rcond=1e-13)[0]
    return best


def _miss(W: Floats, b: Floats, places: Sequence[Place], z: Floats) -> Floats:
    s, left = b + W @ z, z.copy()
    for place in places:
        at = slice(place.first, place.first + place.size)
        left[at] -= place.nearest(z[at] - s[at])
    return left


def _slope(W: Floats, b: Floats, places: Sequence[Place], z: Floats) -> Floats:
    # z − Z(z − s):  1 − Z' (1 − W)
    s, n = b + W @ z, len(b)
    slope = np.eye(n)
    for place in places:
        at = slice(place.first, place.first + place.size)
        slope[at] -= place.slope(z[at] - s[at]) @ (np.eye(n)[at] - W[at])
    return slope
