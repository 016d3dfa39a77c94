"""The weights W that make the first block M + Gᵀ W G of the system matrix definite and well scaled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import System
from linkwork.native.numbers import compute_matrices

Floats = NDArray[np.float64]
STIFF = 100.0


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
    return np.asarray(stiff * np.where(near > 0, near, typical) / np.where(size > 0, size, 1.0), dtype=np.float64)
