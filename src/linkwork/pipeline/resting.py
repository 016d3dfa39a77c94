"""Where a model rests: its equilibrium, and sequences of them over values. Imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.statics.equilibrium import check_still, find_equilibrium
from linkwork.analysis.statics.following import come_to_rest
from linkwork.analysis.statics.holding import check_holds
from linkwork.analysis.statics.rest import find_rest
from linkwork.analysis.statics.sequence import (
    Equilibrium,
    Statics,
    follow_rests,
    follow_values,
    make_equilibrium,
    read_values,
)
from linkwork.analysis.statics.setting import Setting, hold_inputs
from linkwork.errors import InputError, Problem, Ref, did_you_mean
from linkwork.given import as_map
from linkwork.pipeline.mode import check_state, find_whole
from linkwork.results import Snapshot
from linkwork.solve import Start
from linkwork.solve.mode import Mode, has_modes

if TYPE_CHECKING:
    from linkwork.pipeline.model import Model


def rest(model: Model) -> Mode:
    """What holds in the equilibrium; the speeds vanish but for those that are first-order states."""
    start, setting = model.start, _find_setting(model, model.start.t)
    if not setting.has_sides and not model.mechanism.controllers:
        mode = Mode(whole=setting.system, t=start.t, q=start.q, u=start.u, off=setting.off)
        system, q = mode.system, start.q[: model.system.n]
        if system.states:
            return mode.at(*find_rest(model.mechanism, system, start.t, q, start.u))
        return mode.at(find_equilibrium(system, start.t, q), np.zeros_like(start.u))
    point = come_to_rest(setting, start.q, start.u)
    mode = Mode(whole=point.system, t=point.t, q=point.system.with_inputs(point.q, {}), u=point.u, off=point.off)
    check_still(mode.system, mode.t, point.q)
    return mode


def find_balance(model: Model, at: Snapshot | None, slide: bool) -> Equilibrium:
    """The equilibrium near the start or a state; with `slide` friction lets go of what it cannot hold."""
    begin: Snapshot | Start = model.start if at is None else at
    point = come_to_rest(_find_setting(model, float(begin.t), at), begin.q, begin.u[: model.system.n], slide=slide)
    check_holds(point.holds)
    return make_equilibrium(point)


def follow_equilibria(model: Model, over: Mapping[str, ArrayLike], snap: bool) -> Statics:
    """Equilibria over the values of a parameter, of an input, or of time."""
    given = as_map(over, Ref("statics"), "over")
    if len(given) != 1:
        what, remedy = f"{len(given)} names to go over", 'Give one, as in statics({"load": [0, 1, 2]})'
        raise InputError([Problem(part="statics", what=what, remedy=remedy)])
    ((name, numbers),) = given.items()
    values, q = read_values(name, numbers), model.start.q[: model.system.n]
    make = partial(_find_setting_of, model, name)
    if model.whole.grips or model.system.states or model.system.algebra or model.mechanism.controllers:
        return Statics(name, model.mechanism, *follow_rests(make, values, q, model.start.u))
    return Statics(name, model.mechanism, *follow_values(make, values, q, snap))


def _find_setting_of(model: Model, name: str, value: float) -> Setting:
    """What is in equilibrium at a value of a parameter, of an input or of time."""
    if name in model.mechanism.parameters:
        return _find_setting(model.with_parameters(**{name: value}), model.start.t)
    if name in model.system.inputs:
        setting = _find_setting(model, model.start.t)
        return replace(setting, system=hold_inputs(setting.system, {name: value}))
    if name == "t":
        return _find_setting(model, value)
    known = [*model.mechanism.parameters, *model.system.inputs, "t"]
    what, remedy = f"no parameter or input named '{name}'", did_you_mean(name, known)
    raise InputError([Problem(part="statics", what=what, remedy=remedy or f"There are {', '.join(known)}")])


def _find_setting(model: Model, t: float, at: Snapshot | None = None) -> Setting:
    """The equations at rest: where constraints come and go all of them, but for what events have switched off."""
    whole = model.whole if model.is_varied else find_whole(model)
    if at is not None:
        check_state(model, at)
        own = {name for grip in whole.grips for name in (grip.sliding, *grip.leads)}
        given = zip(whole.inputs, whole.inputs_in(at.q).tolist(), strict=True)
        whole = hold_inputs(whole, {name: value for name, value in given if name not in own})
    if not has_modes(whole):
        return Setting(whole, t, model.mechanism)
    found = {row for grip in whole.grips for row in grip.rows} | {barrier.row for barrier in whole.barriers}
    return Setting(whole, t, model.mechanism, (whole.off if at is None else at.off) - found)
