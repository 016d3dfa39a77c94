"""Where a model rests: its equilibrium, and sequences of them over values. Imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from linkwork.analysis.statics.equilibrium import find_equilibrium
from linkwork.analysis.statics.following import Setting, come_to_rest
from linkwork.analysis.statics.holding import check_holds, hold_inputs, rest_on_friction
from linkwork.analysis.statics.rest import find_rest
from linkwork.analysis.statics.sequence import (
    Equilibrium,
    Statics,
    follow_friction,
    follow_rests,
    follow_values,
    hold_still,
    make_equilibrium,
    read_values,
)
from linkwork.errors import InputError, Problem, Ref, did_you_mean
from linkwork.given import as_map
from linkwork.pipeline.mode import find_mode
from linkwork.solve.mode import Mode

if TYPE_CHECKING:
    from linkwork.pipeline.model import Model


def rest(model: Model) -> Mode:
    """What holds in the equilibrium; the speeds vanish but for those that are first-order states."""
    mode = find_mode(model)
    if model.system.states:
        return mode.at(*find_rest(model.mechanism, mode.system, mode.t, mode.q, mode.u))
    return mode.at(find_equilibrium(mode.system, mode.t, mode.q), np.zeros_like(mode.u))


def find_balance(model: Model, slide: bool) -> Equilibrium:
    """The equilibrium downhill from the start; with `slide` friction lets go of what it cannot hold."""
    setting = _find_setting(model, model.start.t)
    if not model.whole.grips:
        return make_equilibrium(come_to_rest(setting, model.start.q, model.start.u))
    _check_stateless(model)
    q, holds = rest_on_friction(setting.system, setting.off, setting.t, model.start.q[: model.system.n], slide)
    check_holds(holds)
    return make_equilibrium(hold_still(setting, q, 0.0), holds)


def follow_equilibria(model: Model, over: Mapping[str, ArrayLike], snap: bool) -> Statics:
    """Equilibria over the values of a parameter, of an input, or of time."""
    given = as_map(over, Ref("statics"), "over")
    if len(given) != 1:
        what, remedy = f"{len(given)} names to go over", 'Give one, as in statics({"load": [0, 1, 2]})'
        raise InputError([Problem(part="statics", what=what, remedy=remedy)])
    ((name, numbers),) = given.items()
    values, q = read_values(name, numbers), model.start.q[: model.system.n]
    make = partial(_find_setting_of, model, name)
    if not model.whole.grips and (model.system.states or model.system.algebra):
        return Statics(name, model.mechanism, *follow_rests(make, values, q, model.start.u))
    _check_stateless(model)
    follow = follow_friction if model.whole.grips else follow_values
    return Statics(name, model.mechanism, *follow(make, values, q, snap))


def _check_stateless(model: Model) -> None:
    """What sticks stays where it is, whatever states would have it do."""
    if model.whole.grips and model.system.states:
        what, remedy = "equilibria of states with friction that sticks are not sought", "Simulate until it rests"
        raise InputError([Problem(part="equilibrium", what=what, remedy=remedy)])


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


def _find_setting(model: Model, t: float) -> Setting:
    """The equations at rest: those of the start or, if there is friction, all of them."""
    whole = model.whole
    if not whole.grips:
        return Setting(model.system if model.is_varied else model.fitted, t, model.mechanism)
    return Setting(whole, t, model.mechanism, whole.off - {row for grip in whole.grips for row in grip.rows})
