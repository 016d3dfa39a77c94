"""What holds where a model is asked about: its start, or a state of a motion in, a Mode out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.equations import System
from linkwork.errors import LinkworkError, Ref
from linkwork.given import as_object
from linkwork.results import Snapshot
from linkwork.solve.mode import Mode, begin_mode, has_modes

if TYPE_CHECKING:
    from linkwork.pipeline.model import Model

STATE = "Give a state of this model: motion.final, or motion.at(t) with one time"


def find_whole(model: Model) -> System:
    """All constraints, with the numbers of the start."""
    fit = model.start.fit
    return fit.apply(model.whole) if fit else model.whole


def find_mode(model: Model, at: Snapshot | None = None) -> Mode:
    """What holds at the start or in a state, which knows it."""
    whole, start = find_whole(model), model.start
    if at is not None:
        check_state(model, at)
        return Mode(whole=whole, t=float(at.t), q=at.q, u=at.u[: whole.n], off=at.off, turns=at.turns.known())
    if not has_modes(whole):
        return Mode(whole=whole, t=start.t, q=start.q, u=start.u, off=frozenset())
    tend = model.mechanism.start.tend
    span = 1.0 if tend is None else model.mechanism.compute(tend) - start.t
    return begin_mode(whole, start.t, start.q, start.u, span)


def check_state(model: Model, at: Snapshot) -> None:
    """Refuse what is no state of this model at one time."""
    as_object(at, Snapshot, Ref("at"), STATE)
    if (
        np.ndim(at.t)
        or at.system.coordinates != model.whole.coordinates
        or [*at.system.inputs] != [*model.whole.inputs]
    ):
        raise LinkworkError(f"at: no state of this model at one time. {STATE}")
