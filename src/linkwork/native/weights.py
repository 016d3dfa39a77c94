"""The weights W that make the first block M + Gᵀ W G of the system matrix definite and well scaled.

Where masses alone make it definite a constraint gets no weight, and the matrix stays as sparse as M.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, diags_array

from linkwork.arrays import Bools, Floats
from linkwork.equations import System
from linkwork.native.numbers import DENSE, compute_dense, compute_matrices
from linkwork.native.rank import FAINT
from linkwork.native.sparsity import find_edges

STIFF = 100.0
FLAT = 1e-20  # of the largest row, squared: derivatives that vanish but for rounding
ASIDE = 0.1  # of the scales: where derivatives that vanish are looked at instead
DOMINANT = 0.9  # off the diagonal, in rows scaled to a diagonal of ones, there may be this much in a mass matrix


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Units that make constraints comparable, and which of them must help to make the matrix definite.   (m,)"""

    units: Floats
    helpers: Bools


def weigh(system: System, q: Floats) -> Weights:
    """The weights at a position."""
    if system.n + system.m > DENSE:
        M, G = compute_matrices(system, q)
        near, size = _rows(G, M.diagonal())
        return Weights(_units(M.diagonal(), near, _with_size(system, q, size)), _helpers(system, M))
    dense, rows = compute_dense(system, q)
    mass, square = np.diagonal(dense), rows * rows
    near = np.max(np.where(square != 0.0, mass, -np.inf), axis=1, initial=-np.inf)
    return Weights(_units(mass, near, _with_size(system, q, square.sum(axis=1))), _helpers(system, dense))


def find_helpers(system: System, q: Floats) -> Bools:
    """Which constraints must help to make M + Gᵀ W G definite: those with a coordinate whose masses do not suffice.

    They suffice in a group of coordinates coupled by a constant part of M with a dominant diagonal.
    """
    return weigh(system, q).helpers


def choose_weights(system: System, q: Floats) -> Floats:
    """W by constraint, such that Gᵀ W G is about as large as the masses the constraint acts on.

    The solution does not depend on W; its rounding error does, mildly.
    """
    return weigh(system, q).units


def _rows(G: csc_array, mass: Floats) -> tuple[Floats, Floats]:
    """Of each constraint the largest mass among its coordinates, and the sum of squares of its row."""
    square = G.multiply(G).tocsr()
    near = np.full(G.shape[0], -np.inf)
    np.maximum.at(near, square.nonzero()[0], mass[square.nonzero()[1]])
    return near, np.asarray(square.sum(axis=1)).ravel()


def _move_aside(system: System, q: Floats) -> Floats:
    """A position nearby; what follows stays a rotation or a vector of unit length."""
    rng, n = np.random.default_rng(5), system.n
    aside = q.copy()
    aside[:n] += ASIDE * system.scales * rng.uniform(-1.0, 1.0, n)
    for group in system.invariants:
        places = n + np.array(group)
        moved = q[places] + ASIDE * rng.uniform(-1.0, 1.0, len(group))
        if len(group) == 9:
            left, _, right = np.linalg.svd(moved.reshape(3, 3))
            moved = (left @ right).ravel()
        aside[places] = moved / np.linalg.norm(moved) * np.sqrt(3.0 if len(group) == 9 else 1.0)
    return aside


def _with_size(system: System, q: Floats, size: Floats) -> Floats:
    """The squares of the rows, those that vanish at this position as they are around it."""
    flat = size <= FLAT * np.max(size, initial=0.0)
    if flat.any():
        aside = _move_aside(system, q)
        size = np.where(flat, np.asarray(compute_matrices(system, aside)[1].power(2).sum(axis=1)).ravel(), size)
    return size


def _units(mass: Floats, near: Floats, size: Floats) -> Floats:
    """The largest mass among a constraint's coordinates over its squares; massless ones borrow the mean of all."""
    heavy = mass[mass > 0]
    typical = float(heavy.sum() / len(heavy)) if len(heavy) else 1.0
    # where a constraint makes up for negative inertia, it must outweigh it
    stiff = STIFF if (mass < 0).any() else 1.0
    return np.asarray(stiff * np.where(near > 0, near, typical) / np.where(size > 0, size, 1.0), dtype=np.float64)


def _helpers(system: System, M: csc_array | Floats) -> Bools:
    mass = np.asarray(M.diagonal())
    if (mass < 0).any() or system.m == 0:
        return np.ones(system.m, dtype=bool)
    scale = 1.0 / np.sqrt(np.where(mass > 0, mass, 1.0))
    coupled = _coupling(M, scale)
    # beside a mass so small rounding would hide what constraints say of its coordinate
    sizes = mass * system.scales**2
    heavy = (sizes > FAINT * np.max(sizes)) & (np.asarray(coupled.sum(axis=1)).ravel() - (mass > 0) <= DOMINANT)
    heavy &= system.once("constant mass", lambda: _has_constant_mass(system))
    # what is coupled to a coordinate that needs help may need it, too
    light = ~heavy
    front = light
    while front.any():
        near = np.asarray(coupled @ front.astype(float)).ravel() > 0
        front = near & ~light
        light = light | front
    # by what constraints may depend on, not by numbers: at this position some may be zero
    row, column = system.once("edges", lambda: find_edges(system))
    helpers = np.zeros(system.m, dtype=bool)
    helpers[row[light[column]]] = True
    return helpers


def _coupling(M: csc_array | Floats, scale: Floats) -> csc_array | Floats:
    """|M| in rows and columns scaled to a diagonal of ones."""
    if isinstance(M, np.ndarray):
        return np.abs(scale[:, None] * M * scale)
    return abs(csc_array(diags_array(scale) @ M @ diags_array(scale)))


def _has_constant_mass(system: System) -> Bools:
    """The coordinates whose masses do not depend on the position."""
    found = np.ones(system.n, dtype=bool)
    for term in system.terms:
        if not term.kernel.derived.constant_mass:
            found[term.coordinates[term.coordinates < system.n]] = False
    return found
