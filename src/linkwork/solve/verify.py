"""What a start must be before it is handed out: a System at a state in, nothing or a StartError in words out.

Inertia and constraints must have values, and a constraint must have a direction: where the derivatives of g vanish on
all its solutions, as those of a square do, G says nothing of it and no force can keep it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import System
from linkwork.errors import StartError
from linkwork.native.numbers import compute_matrices
from linkwork.solve.closing import CLOSED, close
from linkwork.solve.wanted import Wanted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FLAT = 1e-5  # of the derivatives around: smaller ones vanish
AROUND = 8  # places around a start that are looked at
NEAR = 0.02  # how far away they are, in scales


def check_values(system: System, q: Floats, t: float) -> None:
    """Inertia and the derivatives of constraints must be finite; name what is not."""
    M, G = (A.tocoo() for A in compute_matrices(system, q, t))
    rows = np.unique(G.row[~np.isfinite(G.data)])
    masses = np.unique(M.row[~np.isfinite(M.data)])
    names = [system.constraints[i] for i in rows] or [f"inertia of {system.coordinates[i]}" for i in masses]
    if names:
        raise StartError(f"not finite at the start: {', '.join(names[:5])}. Start elsewhere, or check the formulas")


def check_directions(wanted: Wanted, q: Floats) -> None:
    """The derivatives of a constraint may vanish at the start, but not wherever it is met."""
    flat = _find_flat(wanted, q)
    if len(flat) == 0:
        return
    names = [wanted.system.constraints[wanted.constraints.rows[i]] for i in flat]
    which = f"{', '.join(names[:5])} vanish where {'it is' if len(names) == 1 else 'they are'} met"
    raise StartError(
        f"the derivatives of {which}, as those of a square or of a sum of squares do: no force can keep that. "
        "Write each condition by itself, f = 0 instead of f**2 = 0",
        conflict=names,
    )


def _find_flat(wanted: Wanted, q: Floats) -> Ints:
    """Constraints without a direction at q, although they have one around it, and at other solutions near it."""
    c, scales = wanted.constraints.plain, wanted.system.scales
    if c.m == 0:
        return np.zeros(0, dtype=np.int64)
    shifts = NEAR * np.random.default_rng(3).uniform(-1.0, 1.0, (len(q), AROUND))
    around = q[:, None] + scales[:, None] * shifts
    size, usual = c.row_sizes(q[:, None])[:, 0], np.median(np.nan_to_num(c.row_sizes(around), posinf=0.0), axis=1)
    flat = (usual > 0) & (size <= FLAT * usual)
    if not flat.any():
        return np.zeros(0, dtype=np.int64)
    Q, gaps = close(c, around, np.arange(len(q)), scales)
    met = Q[:, gaps <= CLOSED]
    others = c.row_sizes(met) > FLAT * usual[:, None]
    return np.flatnonzero(flat & ~others.any(axis=1))
