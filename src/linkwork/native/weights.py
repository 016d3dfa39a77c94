"""The weights W that make the first block M + Gᵀ W G of the system matrix definite and well scaled.

Where masses alone make it definite a constraint gets no weight, and the matrix stays as sparse as M.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array

from linkwork.equations import System
from linkwork.native.numbers import compute_matrices
from linkwork.native.sparsity import find_edges

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
STIFF = 100.0
FLAT = 1e-20  # of the largest row, squared: derivatives that vanish but for rounding
ASIDE = 0.1  # of the scales: where derivatives that vanish are looked at instead
DOMINANT = 0.9  # off the diagonal, in rows scaled to a diagonal of ones, there may be this much in a mass matrix


def find_helpers(system: System, q: Floats) -> Bools:
    """Which constraints must help to make M + Gᵀ W G definite: those with a coordinate whose masses do not suffice.

    They suffice in a group of coordinates coupled by a constant part of M with a dominant diagonal.
    """
    M, _ = compute_matrices(system, q)
    M.eliminate_zeros()
    mass = M.diagonal()
    if (mass < 0).any() or system.m == 0:
        return np.ones(system.m, dtype=bool)
    scale = diags_array(1.0 / np.sqrt(np.where(mass > 0, mass, 1.0)))
    rest = abs(scale @ M @ scale - diags_array((mass > 0).astype(float)))
    heavy = (mass > 0) & (np.asarray(rest.sum(axis=1)).ravel() <= DOMINANT)
    for term in system.terms:
        if not term.kernel.derived.constant_mass:
            touched = term.coordinates[term.coordinates < system.n]
            heavy[touched] = False
    # what is coupled to a coordinate that needs help may need it, too
    rows, light = M.tocsr(), ~heavy
    front = light
    while front.any():
        near = np.zeros_like(light)
        near[rows[np.flatnonzero(front)].indices] = True
        front = near & ~light
        light = light | front
    # by what constraints may depend on, not by numbers: at this position some may be zero
    row, column = find_edges(system)
    helpers = np.zeros(system.m, dtype=bool)
    helpers[row[light[column]]] = True
    return helpers


def choose_weights(system: System, q: Floats) -> Floats:
    """W by constraint, such that Gᵀ W G is about as large as the masses the constraint acts on.

    The solution does not depend on W; its rounding error does, mildly.
    """
    M, G = compute_matrices(system, q)
    mass = M.diagonal()
    square = G.multiply(G).tocsr()
    pattern = square.astype(bool)
    # the largest mass among a constraint's coordinates; massless ones borrow the mean of all
    typical = float(mass[mass > 0].mean()) if (mass > 0).any() else 1.0
    # where a constraint makes up for negative inertia, it must outweigh it
    stiff = STIFF if (mass < 0).any() else 1.0
    near = np.asarray(pattern.multiply(mass[None, :]).max(axis=1).todense()).ravel() if system.m else np.zeros(0)
    size = np.asarray(square.sum(axis=1)).ravel()
    flat = size <= FLAT * np.max(size, initial=0.0)
    if flat.any():
        aside = q + ASIDE * system.scales * np.random.default_rng(5).uniform(-1.0, 1.0, len(q))
        size[flat] = np.asarray(compute_matrices(system, aside)[1].power(2).sum(axis=1)).ravel()[flat]
    return np.asarray(stiff * np.where(near > 0, near, typical) / np.where(size > 0, size, 1.0), dtype=np.float64)
