"""The whole program in one place: read → formulate → start → compile → integrate → results."""

from __future__ import annotations

import math
import os
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property, partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.arrays import Floats
from linkwork.bound import Bound, read_columns
from linkwork.clock import time_limit
from linkwork.equations import (
    Absolute,
    Formulation,
    System,
    check_formulation,
    choose_formulation,
    formulate,
    formulate_absolute,
    formulate_tree,
    strip_forces,
)
from linkwork.errors import (
    AccuracyWarning,
    InputError,
    ModelWarning,
    Problem,
    Ref,
    SolveError,
    StartError,
    did_you_mean,
    show_value,
)
from linkwork.given import as_finite, as_flag, as_map, as_name, as_names, as_number, as_object, as_text, is_word
from linkwork.model import (
    Driver,
    Event,
    Formula,
    Formulas,
    Friction,
    Implicit,
    Lagrangian,
    Mechanism,
    Sampled,
    Scalar,
    Stop,
)
from linkwork.model.check.mechanism import FITS
from linkwork.model.following import Law, as_law_of_time
from linkwork.model.start import Start as InitialValue
from linkwork.native import (
    BareMachine,
    PosedMachine,
    Stepper,
    SwitchedMachine,
    Weights,
    borrow_machine,
    make_ida,
    make_machine,
    make_posed,
    weigh,
)
from linkwork.results import MEMORY, About, Snapshot, Trajectory, find_doubts
from linkwork.results.trajectory import Again
from linkwork.solve import (
    Branches,
    History,
    Options,
    Progress,
    Proposal,
    Start,
    Stepping,
    find_start,
    integrate_with,
    list_branches,
    propose_fixed,
    resume,
    start_with,
)
from linkwork.spec import Marks, parse_marked, read_marked
from linkwork.view import VIEWER

if TYPE_CHECKING:
    from linkwork.analysis import Equations, Structure
    from linkwork.analysis.linear import Linear, Mode, Slowest, Study
    from linkwork.analysis.statics.following import Setting
    from linkwork.analysis.statics.sequence import Equilibrium, Statics
    from linkwork.export import Counts, Functions, Origin
    from linkwork.results.inverse import Forces

POSED = {"absolute": formulate_absolute, "tree": formulate_tree}  # formalisms that are made for motions alone
POINTS = 'Give "start", "equilibrium", "steady", a time or a state'  # to linearise at


def load(path: str | os.PathLike[str]) -> Model:
    """Read a mechanism from a YAML file.

    >>> load("examples/andrews.yaml").mechanism.title
    'Andrews Squeezing Mechanism'
    """
    mechanism, marks = read_marked(path)
    _tell([*marks.notes, *map(marks.locate, mechanism.notes)])
    return Model(mechanism, marks=marks, told=mechanism.notes)


def loads(text: str) -> Model:
    """Read a mechanism from YAML text."""
    mechanism, marks = parse_marked(as_text(text, Ref("loads")))
    _tell([*marks.notes, *map(marks.locate, mechanism.notes)])
    return Model(mechanism, marks=marks, told=mechanism.notes)


def lagrangian(
    coordinates: str | Iterable[str],
    energy: Formula,
    *,
    constraints: Formulas = (),
    velocity_constraints: Formulas = (),
    variables: Mapping[str, Formula | Implicit] | None = None,
    states: Mapping[str, Formula] | None = None,
    forces: Mapping[str, Formula] | Callable[..., object] | None = None,
    dissipation: Formula = 0,
    parameters: Mapping[str, Scalar] | None = None,
    start: Mapping[str, InitialValue] | None = None,
    t0: Scalar = 0,
    tend: Scalar | None = None,
    points: Mapping[str, Formulas] | None = None,
    lines: Iterable[Iterable[str]] = (),
    events: Event | Iterable[Event] = (),
    stops: Stop | Iterable[Stop] = (),
    frictions: Friction | Iterable[Friction] = (),
    controllers: Sampled | Iterable[Sampled] = (),
    inputs: Mapping[str, Scalar] | None = None,
    off: str | Iterable[str] = (),
    scales: Mapping[str, float] | None = None,
    title: str = "",
) -> Model:
    """A system given by its Lagrangian, ready to be worked with.

    Formulas are texts, expressions, or functions of some of q (coordinates), u (speeds), p (parameters) and t.
    Constraints are equations g(q, t) = 0, velocity constraints A(q, t) u + b(q, t) = 0; variables are names for
    formulas; states are quantities of their own with a given rate, X' = f(q, u, X, t) (controllers, filters); forces
    are by coordinate, the dissipation is a Rayleigh function; `start` has values by coordinate or state and, with a
    prime, by speed. Inputs are numbers that are held until events, sampled controllers or a stepper change them;
    constraints in `off` do not hold at the start.

    >>> swing = lagrangian("theta", "theta'**2/2 + g*cos(theta)", parameters={"g": 9.81}, start={"theta": 1})
    >>> swing.simulate(2).outcome
    'reached t = 2'
    """
    return Model(
        Lagrangian(
            coordinates, energy, constraints=constraints, velocity_constraints=velocity_constraints,
            variables=variables, states=states, forces=forces,
            dissipation=dissipation, parameters=parameters, start=start, t0=t0, tend=tend, points=points, lines=lines,
            events=events, stops=stops, frictions=frictions, controllers=controllers, inputs=inputs, off=off,
            scales=scales, title=title,
        )
    )  # fmt: skip


class Model:
    """A mechanism ready to be worked with: its equations, its start, its motion.

    Everything is made when it is first asked for and then kept; changing a parameter makes a new Model.
    """

    def __init__(
        self,
        mechanism: Mechanism | Lagrangian,
        branch: int | None = None,
        *,
        marks: Marks | None = None,
        told: Iterable[Problem] = (),
        origin: Model | None = None,
        formulation: str | None = None,
    ) -> None:
        remedy = "Give lw.Mechanism(...); lw.load reads a file, lw.lagrangian takes energies"
        as_object(mechanism, (Mechanism, Lagrangian), Ref("mechanism"), remedy)
        self.mechanism, self.branch, self.marks = mechanism, branch, marks
        self._wanted = formulation
        self._origin = origin  # differs from this in values only
        # by formalism one that others are bound from
        self._absolutes: dict[str, Absolute] = {} if origin is None else origin._absolutes
        _tell([marks.locate(note) if marks else note for note in mechanism.notes if note not in told])

    def __reduce__(self) -> tuple[Callable[..., Model], tuple[Mechanism | Lagrangian, int | None]]:
        # a copy makes everything anew
        known = {"marks": self.marks, "told": self.mechanism.notes, "formulation": self._wanted}
        return partial(Model, **known), (self.mechanism, self.branch)  # type: ignore[arg-type]

    @property
    def parameters(self) -> Mapping[str, float]:
        """The values of the parameters."""
        return self.mechanism.values

    def with_parameters(self, /, **changes: Scalar) -> Model:
        """The same mechanism with other parameter values; nothing is derived, analysed or compiled again."""
        return self._with(self.mechanism.with_parameters(**changes))

    def _with(self, changed: Mechanism | Lagrangian) -> Model:
        """The same with other values."""
        origin = (self._origin or self) if changed.is_like(self.mechanism) else None
        return self._copy(changed, self.branch, self._wanted, origin)

    def _copy(
        self, mechanism: Mechanism | Lagrangian, branch: int | None, formulation: str | None, origin: Model | None
    ) -> Model:
        notes = self.mechanism.notes
        return Model(mechanism, branch, marks=self.marks, told=notes, origin=origin, formulation=formulation)

    def bind(self, columns: Mapping[str, ArrayLike]) -> Bound[Model]:
        """The same mechanism with many sets of values: arrays by name, or numbers that are the same for all.

        >>> four_bar = load("examples/four-bar.yaml")
        >>> [round(float(m.final["Ax"]), 4) for m in four_bar.bind({"rho": [1, 2, 4]}).simulate(0.1)]
        [-0.2825, -0.2808, -0.28]
        """
        columns, count = read_columns(columns, self.mechanism.parameters)
        return Bound(columns, self.mechanism.with_columns(columns, count), self._with)

    def with_branch(self, number: int | None) -> Model:
        """The same mechanism assembled in the way of this number in `branches()`; None: as the guess suggests."""
        if number is not None:
            as_object(number, Integral, Ref("branch"), "Give a number of branches(), counted from 1, or None")
        return self._copy(self.mechanism, number, self._wanted, self._origin or self)

    def formulated(self, formulation: str | None) -> Model:
        """The same mechanism whose motion is made in "points", "absolute" or "tree", or "auto"; None: as it says.

        >>> load("examples/four-bar.yaml").formulated("absolute").simulate(0.1).outcome
        'reached t = 0.1'
        """
        check_formulation(formulation)
        return self._copy(self.mechanism, self.branch, formulation, self._origin or self)

    @cached_property
    def formulation(self) -> Formulation:
        """The formalism that motions are made in, and why."""
        return choose_formulation(self.mechanism, self._wanted)

    def with_fit(self, fit: float | None) -> Model:
        """The same mechanism, whose redundant constraints may contradict each other by this part of its size.

        None: as the file says, or 1e-5. Zero: not at all.
        """
        if fit is None:
            return self
        low, high = FITS
        if not low <= (allowed := as_number(fit, Ref("fit"), "Give a number, such as 1e-5")) <= high:
            remedy = f"Use {low:g} to {high:g}"
            raise InputError([Problem(part="fit", what=f"{allowed:g} is out of range", remedy=remedy)])
        changed = self.mechanism.with_settings(replace(self.mechanism.settings, fit=allowed))
        return self._copy(changed, self.branch, self._wanted, self._origin or self)

    def driven(self, laws: Mapping[str, Law]) -> Model:
        """The same mechanism whose quantities follow laws of time, instead of what its file prescribes.

        A law is a formula, a function of t, a table, or a pair of times and values (a spline goes through them).

        >>> arm = load("examples/four-bar.yaml").driven({"OA.angle": "pi/2 + 3*t"})
        >>> arm.simulate(1, kinematic=True).outcome
        'reached t = 1'
        """
        if isinstance(self.mechanism, Lagrangian):
            what, remedy = "a Lagrangian has no motions", "Give it constraints such as theta - w*t"
            raise InputError([Problem(part="driven", what=what, remedy=remedy)])
        given = as_map(laws, Ref("driven"), "laws")
        motions = [Driver(target=name, law=as_law_of_time(name, law)) for name, law in given.items()]
        rigids, joints = self.mechanism.given
        start = self.mechanism.start.loosened(self.mechanism.words.joints)
        changed = replace(self.mechanism, motions=tuple(motions), start=start, rigids=rigids, joints=joints)
        return self._copy(changed, self.branch, self._wanted, None)

    def inverse(
        self,
        motion: Mapping[str, Law] | Trajectory,
        until: float | None = None,
        *,
        actuators: str | Iterable[str] = (),
        least_squares: bool = False,
        **options: Any,
    ) -> Forces:
        """The forces along actuators that give this mechanism a motion: one of its coordinates, or laws of time.

        Laws are those of `driven`, whose quantities are the actuators unless others are named; options are those of
        `simulate`.

        >>> forces = load("examples/four-bar.yaml").inverse({"OA.angle": "pi/2 + 3*t"}, 1)
        >>> forces.names
        ('OA.angle',)
        """
        names = [actuators] if isinstance(actuators, str) else as_names(actuators, Ref("inverse"), "actuators")
        if isinstance(motion, Trajectory):
            from linkwork.results.inverse import tell_of

            known = tell_of(motion, self.mechanism, self.fitted)
        else:
            known = self.driven(motion).simulate(until, kinematic=True, **options)
        return known.inverse(*names, least_squares=least_squares)

    def with_forces(self, forces: Forces) -> Model:
        """The same mechanism with the forces of an inverse applied instead of prescribed motions, from its start on."""
        from linkwork.results.inverse import Forces, begin_at

        as_object(forces, Forces, Ref("with_forces"), "Give what motion.inverse(...) returns")
        if isinstance(self.mechanism, Lagrangian):
            what, remedy = "a Lagrangian has forces by coordinate", "Give them as `forces` of lw.lagrangian"
            raise InputError([Problem(part="with_forces", what=what, remedy=remedy)])
        m, (rigids, joints) = self.mechanism, self.mechanism.given
        start = begin_at(m, forces.motion)
        efforts = (*m.efforts, *forces.laws().values())
        changed = replace(m, motions=(), efforts=efforts, start=start, rigids=rigids, joints=joints)
        return self._copy(changed, self.branch, self._wanted, None)

    @cached_property
    def whole(self) -> System:
        """The equations of motion with all constraints, those among them that are off at the start."""
        bound = self._origin.whole.bind(self.mechanism.values) if self._origin is not None else None
        return bound or formulate(self.mechanism)

    @property
    def system(self) -> System:
        """The equations of motion at the start: terms over numbered coordinates."""
        return self.whole.restricted(self.whole.off)

    @cached_property
    def absolute(self) -> Absolute | None:
        """The equations of motion in absolute coordinates, or along a tree, if motions are made in them."""
        if self.formulation.name not in POSED or isinstance(self.mechanism, Lagrangian):
            return None
        name = self.formulation.name
        first = self._absolutes.get(name)
        bound = None if first is None else first.bind(self.whole, self.mechanism.values)
        if bound is None:
            bound = self._absolutes[name] = POSED[name](self.mechanism, self.whole)
        if not bound.system.n:
            return None  # all is welded to the ground
        return bound

    @property
    def _posed(self) -> Absolute | None:
        """The same, unless rounded numbers had to be fitted: they agree in points."""
        return None if self.start.fit else self.absolute

    @cached_property
    def start(self) -> Start:
        """The consistent start nearest to the given initial values, with a report of what was moved."""
        start = self._find_start(None)
        if start.fitted:
            _tell([Problem(what=start.fitted, remedy="Give more digits or formulas, such as sqrt(2)", file=self._file)])
        return start

    @property
    def _file(self) -> str:
        return self.marks.source if self.marks else ""

    @cached_property
    def fitted(self) -> System:
        """The equations with the numbers of the start: those given or, where these were rounded, ones that agree."""
        return self.start.fit.apply(self.system) if self.start.fit else self.system

    def _find_start(self, weights: Mapping[str, float] | None) -> Start:
        try:
            return find_start(self.mechanism, self.system, weights, self.branch)
        except StartError as error:
            if self.marks is None:
                raise
            raise self.marks.complete(error) from None

    def branches(self, hold: Iterable[str] | None = None) -> Branches:
        """The ways in which it can be assembled with its fixed values, or what is named by `hold`, as in the start.

        >>> print(load("examples/four-bar.yaml").branches().text())
        2 branches, with Ax, Ay held
          1  B (0.9183, 0.7958) (the start)
          2  B (0.392, -0.52)
        """
        return list_branches(self.mechanism, self.system, hold)

    def proposal(self) -> Proposal:
        """A valid set of fixed values that determines the start, ready to be pasted into the file."""
        return propose_fixed(self.mechanism, self.fitted, self.start)

    def structure(self) -> Structure:
        """Index, degrees of freedom, redundant constraints and which initial values may be fixed, at the start."""
        from linkwork.analysis import Structure

        return Structure(self.fitted, self.start.q, self.start.t, self.mechanism, self.start.u)

    def equations(self) -> Equations:
        """Energies, forces, constraints and equations of motion as expressions, to be printed or worked with."""
        from linkwork.analysis import Equations

        return Equations(self.system, self.mechanism.title)

    def linearize(
        self,
        at: float | str | Snapshot = "start",
        *,
        states: Iterable[Scalar] = (),
        speeds: Iterable[Scalar] = (),
        inputs: Iterable[Scalar] = (),
        outputs: Iterable[Scalar] = (),
    ) -> Linear:
        """The linear model at the start, a static "equilibrium", a "steady" motion, a time or a state.

        States, speeds, inputs and outputs are names or expressions: "theta", "A.x", "gap = AB.length - l". Speeds are
        the rates of the states unless others are given. Inputs are parameters, or quantities along whose rate a force
        works.
        """
        from linkwork.analysis.linear import linearize
        from linkwork.analysis.linear.words import as_list

        chosen = as_list("state", states)
        t, q, u, where = self._operating_point(at, chosen)
        return linearize(
            self.mechanism, self.fitted, t, q, u,
            states=chosen, speeds=speeds, inputs=inputs, outputs=outputs, where=where,
        )  # fmt: skip

    def slowest(self, count: int, at: float | str | Snapshot = "start", *, states: Iterable[Scalar] = ()) -> Slowest:
        """The `count` slowest modes at a point as in `linearize`, quickly also for thousands of bodies.

        >>> [round(mode.omega, 2) for mode in load("examples/mult-pend-fp.yaml").slowest(3, "equilibrium").modes]
        [1.61, 1.61, 3.72]
        """
        from linkwork.analysis.linear import find_slowest
        from linkwork.analysis.linear.words import as_list

        self._check_traced()
        chosen = as_list("state", states)
        t, q, u, where = self._operating_point(at, chosen)
        return find_slowest(self.mechanism, self.fitted, t, q, u, count, states=chosen, where=where)

    def vary(
        self,
        name: str,
        values: Sequence[float],
        at: float | str = "start",
        *,
        states: Iterable[Scalar] = (),
        count: int | None = None,
    ) -> Study:
        """The modes over the values of a parameter, for a Campbell diagram or a root locus; the slowest `count`."""
        from linkwork.analysis.linear import study_modes
        from linkwork.analysis.linear.words import as_list

        chosen = as_list("state", states)
        as_name(name, Ref("parameter"))

        def make(value: float) -> Linear | Slowest:
            changed = self.with_parameters(**{name: value})
            model = changed.linearize(at, states=chosen) if count is None else changed.slowest(count, at, states=chosen)
            chosen[:] = chosen or model.states  # the same states for all values
            return model

        return study_modes(name, values, make)

    def show_mode(
        self, mode: Mode, path: str | None = None, *, amplitude: float = 0.1, phase: float = 0.0, browser: bool = True
    ) -> Path:
        """Write the mechanism moving along a mode as one HTML page, and open it."""
        from linkwork.analysis.linear.animate import record_mode

        return VIEWER.show_recording(record_mode(self.mechanism, mode, amplitude, phase), path, browser)

    def _rest(self) -> tuple[Floats, Floats]:
        """Positions and speeds of the equilibrium; the speeds vanish but for those that are first-order states."""
        from linkwork.analysis.statics.equilibrium import find_equilibrium
        from linkwork.analysis.statics.rest import find_rest

        start = self.start
        if self.system.states:
            return find_rest(self.mechanism, self.fitted, start.t, start.q, start.u)
        return find_equilibrium(self.fitted, start.t, start.q), np.zeros_like(start.q)

    def equilibrium(self, *, slide: bool = False) -> Equilibrium:
        """The static equilibrium downhill from the start, and whether it is stable.

        Friction sticks, and `holds` tell how much of its limits it uses; what it cannot hold is an error or, with
        `slide`, slides on to where it is held. Prescribed motions are held where they are at the start.

        >>> load("examples/mult-pend-fp.yaml").equilibrium().stable
        True
        """
        from linkwork.analysis.statics.following import balance
        from linkwork.analysis.statics.holding import check_holds, rest_on_friction
        from linkwork.analysis.statics.sequence import hold_still, make_equilibrium

        as_flag("slide", slide, Ref("equilibrium"))
        setting = self._setting(self.start.t)
        if self.system.states:
            q, _ = self._rest()
            return make_equilibrium(hold_still(setting, q, 0.0))
        if not self.whole.grips:
            return make_equilibrium(balance(setting, self.start.q))
        q, holds = rest_on_friction(setting.system, setting.off, setting.t, self.start.q[: self.system.n], slide)
        check_holds(holds)
        return make_equilibrium(hold_still(setting, q, 0.0), holds)

    def statics(self, over: Mapping[str, ArrayLike], *, snap: bool = False) -> Statics:
        """Equilibria over the values of a parameter, of an input, or of the time t of prescribed motions.

        Each is sought from the last one on its branch, by smaller steps where that is needed. Where a branch ends, as
        at a limit point, the sequence ends and says so; with `snap` it goes on from there downhill. Friction sticks as
        long as it can.

        >>> hang = load("examples/mult-pend-fp.yaml").statics({"t": [0, 1]})
        >>> hang.outcome, hang.stable.tolist()
        ('reached 1', [True, True])
        """
        from linkwork.analysis.statics.sequence import Statics, follow_friction, follow_values, read_values

        given = as_map(over, Ref("statics"), "over")
        if len(given) != 1:
            what, remedy = f"{len(given)} names to go over", 'Give one, as in statics({"load": [0, 1, 2]})'
            raise InputError([Problem(part="statics", what=what, remedy=remedy)])
        if self.system.states:
            what, remedy = "sequences of mechanisms with states are not followed", "Ask for equilibria one by one"
            raise InputError([Problem(part="statics", what=what, remedy=remedy)])
        ((name, numbers),) = given.items()
        values, q = read_values(name, numbers), self.start.q[: self.system.n]
        make = partial(self._setting_of, name)
        follow = follow_friction if self.whole.grips else follow_values
        return Statics(name, self.mechanism, *follow(make, values, q, as_flag("snap", snap, Ref("statics"))))

    def show_statics(self, statics: Statics, path: str | None = None, *, browser: bool = True) -> Path:
        """Write a sequence of equilibria as one HTML page that moves, and open it."""
        from linkwork.analysis.statics.sequence import Statics

        as_object(statics, Statics, Ref("statics"), "Give what model.statics(...) returns")
        return VIEWER.show_recording(statics.record(), path, browser)

    def _setting_of(self, name: str, value: float) -> Setting:
        """What is in equilibrium at a value of a parameter, of an input or of time."""
        from linkwork.analysis.statics.holding import hold_inputs

        if name in self.mechanism.parameters:
            return self.with_parameters(**{name: value})._setting(self.start.t)
        if name in self.system.inputs:
            setting = self._setting(self.start.t)
            return replace(setting, system=hold_inputs(setting.system, {name: value}))
        if name == "t":
            return self._setting(value)
        known = [*self.mechanism.parameters, *self.system.inputs, "t"]
        what, remedy = f"no parameter or input named '{name}'", did_you_mean(name, known)
        raise InputError([Problem(part="statics", what=what, remedy=remedy or f"There are {', '.join(known)}")])

    def _setting(self, t: float) -> Setting:
        """The equations at rest: those of the start or, if there is friction, all of them."""
        from linkwork.analysis.statics.following import Setting

        if self.whole.algebra and not self.whole.grips:
            what, remedy = "laws that name reactions are not balanced", "Give these forces by formulas of places"
            raise InputError([Problem(part="equilibrium", what=what, remedy=remedy)])
        if not self.whole.grips:
            return Setting(self.fitted if self._origin is None else self.system, t, self.mechanism)
        return Setting(self.whole, t, self.mechanism, self.whole.off - {grip.row for grip in self.whole.grips})

    def _operating_point(self, at: float | str | Snapshot, states: list[Scalar]) -> tuple[float, Floats, Floats, str]:
        """Time, positions, speeds and a name of the point to linearise at."""
        if isinstance(at, Snapshot):
            n = self.system.n
            if at.q.shape != (n + len(self.system.inputs),):
                remedy = "Give one state of this mechanism, as motion.final or motion.at(2.5)"
                raise InputError([Problem(part="at", what="this is not one state of this mechanism", remedy=remedy)])
            return float(at.t), at.q, at.u[:n], "a state"
        at = at if isinstance(at, str) else as_finite(at, Ref("at"), POINTS)
        if at == "start":
            return self.start.t, self.start.q, self.start.u, "start"
        if at == "equilibrium":
            q, u = self._rest()
            return self.start.t, q, u, "static equilibrium"
        if at == "steady":
            from linkwork.analysis.statics.steady import find_steady

            q, u = find_steady(self.mechanism, self.fitted, self.start.t, self.start.q, self.start.u, states)
            return self.start.t, q, u, "steady motion"
        if isinstance(at, str):
            raise InputError([Problem(part="at", what=f"no point named '{at}'", remedy=POINTS)])
        if at == self.start.t:
            return self.start.t, self.start.q, self.start.u, "start"
        final = self.simulate(at).final
        if not math.isclose(float(final.t), at):
            raise SolveError(f"the motion ends at t = {float(final.t):g}, before t = {at:g}")
        return float(final.t), final.q, final.u[: self.system.n], "on the way"

    def _check_traced(self) -> None:
        """Refuse what needs slopes of functions of which nobody knows them."""
        calls = self.mechanism.opaque
        if calls:
            what = f"the laws call '{calls[0].function.name}', whose slopes are not known"
            raise InputError([Problem(what=what, remedy="Register it without opaque=True")])

    @cached_property
    def _weights(self) -> Weights:
        """What makes the constraints comparable in a machine."""
        if self._posed is None:
            return weigh(self.fitted, self.start.q)
        return weigh(self._posed.system, self._posed.place(self.start.q, self.start.u)[0])

    def simulate(
        self,
        until: float | None = None,
        *,
        start: Snapshot | Mapping[str, float] | None = None,
        tol: float | None = None,
        order: int | None = None,
        method: str | None = None,
        step: float | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        rho: float | None = None,
        weights: Mapping[str, float] | None = None,
        max_step: float | None = None,
        max_steps: int = 50_000_000,
        max_seconds: float | None = None,
        memory: int = MEMORY,
        every: float | None = None,
        save: str = "all",
        kinematic: bool = False,
        compiled: bool | None = None,
        progress: Progress | None = None,
    ) -> Trajectory:
        """The motion until a time; what is not given comes from the file, then from the defaults.

        `start` is a state of an earlier motion or of a stepper (`motion.final`, `motion.at(2)`) from which to go on, or
        values by name with which to start instead of those of the file: {"A.x": 1, "A.vx": 0}.

        tol is the allowed error of a step relative to the size of the mechanism and the speed in it; `method` is one of
        those in docs/solvers.md, `step` makes all steps equally long, whatever their errors, and `rho` is what a step
        of `hht` leaves of vibrations that are much faster than it; `alpha` and `beta` are those of `baumgarte`;
        `weights` say which given initial values matter more when the start has to be moved; `progress` is called with
        the time reached. `every` keeps only the states at such intervals of time, and save="end" only the end, so that
        memory stays flat however long the run. A `kinematic` motion is that of constraints and prescribed motions
        alone, which must leave no freedom: masses and forces do not matter, and there need be none. After `max_seconds`
        of work the run ends with what was computed, and the outcome says so.
        """
        m = self.mechanism
        if until is None:
            if m.start.tend is None:
                what, remedy = "how long to simulate is not said", "Give until, or tend in the file's ProblemData"
                raise InputError([Problem(what=what, remedy=remedy)])
            until = m.compute(m.start.tend)
        end = as_number(until, Ref("until"), "Give the time of the end, in seconds")
        given = {"tol": tol, "method": method, "step": step, "alpha": alpha, "beta": beta, "rho": rho, "order": order}
        kept = {
            "memory": memory,
            "every": _find_interval(every, save, m.settings.every),
            "kinematic": as_flag("kinematic", kinematic, Ref("simulate")),
        }
        options = self._options({**given, "max_step": max_step}, max_steps=max_steps, compiled=compiled, **kept)
        _check_weights(weights)
        _check_progress(progress)
        try:
            with time_limit(max_seconds):
                begin = self._find_begin(start, weights)
                history: History = {}
                again = self._again(begin, options.kinematic, history)
                motion = self._integrate(end, options, begin, progress, again, history)
        except SolveError as error:
            words = self._undefined(error.motion)
            if words:
                raise SolveError(f"{error}. {words}", error.motion) from None
            raise
        motion = motion.doubted(find_doubts(motion))
        if motion.doubts:
            worst, *_, advice = motion.doubts if len(motion.doubts) > 1 else (*motion.doubts, "See motion.doubts")
            warnings.warn(f"{worst}. {advice}", AccuracyWarning, stacklevel=2)
        return motion

    def _options(self, given: Mapping[str, Any], **others: Any) -> Options:
        """What is given, else what the file says, else the defaults; the file says nothing of others."""
        said, method = self.mechanism.settings, given["method"]
        method = method if method is not None else said.method or "auto"
        # said of one method alone
        own = () if is_word(method, ["baumgarte"]) else ("alpha", "beta")
        own = own if is_word(method, ["auto", "taylor"]) else (*own, "order")
        known = {name: getattr(said, name) for name in given if name not in own}
        chosen = {name: value if value is not None else known.get(name) for name, value in given.items()}
        found = {name: value for name, value in chosen.items() if value is not None}
        return Options(**{**found, "method": method, **others})

    def export(
        self,
        target: str = "c",
        folder: str | os.PathLike[str] | None = None,
        *,
        force: bool = False,
        jacobian: bool = False,
    ) -> Path:
        """Write the equations of motion as source code that needs nothing of ours, into a folder; see docs/export.md.

        `target` is "c", "fortran", "python", "julia", "matlab", "rust", "fmu" (FMI 2.0) or "fmu3"; the folder is that
        of the file's name and the target unless given. One that exists and was not written by `export` is left alone,
        unless forced. With `jacobian` there are also the derivatives of the rates by the state and the mass matrix.
        """
        from linkwork.export import check_folder, check_target_name, describe, write_folder, write_texts

        chosen, origin = check_target_name(target), self._origin_of_export()
        place = Path(folder) if folder is not None else Path(f"{origin.name}-{chosen}")
        check_folder(place, force)
        exported = describe(origin, jacobian)
        # long equations nobody reads, and they take long to print
        equations = self.equations().text() if exported.is_small else ""
        write_folder(place, write_texts(exported, chosen, equations), force)
        return place

    def _origin_of_export(self) -> Origin:
        from linkwork.export import Origin

        m, start, tend = self.mechanism, self.start, self.mechanism.start.tend
        source = Path(self._file).name if self._file else "a model"
        stem = Path(self._file).stem if self._file else m.title or "model"
        end = start.t + 1.0 if tend is None else m.compute(tend)
        return Origin(m, self.fitted, start.t, start.q, start.u, end, stem, source, self._posed)

    def count_operations(self) -> Counts:
        """What an evaluation of the equations of motion costs, before and after each technique; printed as a table."""
        from linkwork.export import count

        return count(self._origin_of_export())

    def rhs(self, *, compiled: bool | None = None) -> Functions:
        """The equations of motion as a function of arrays, ẋ = f(t, x), with its Jacobian and mass matrix.

        x has the positions, speeds and first-order states named in `f.names`, batches go along the first axis.

        >>> f = load("examples/four-bar.yaml").rhs(compiled=False)
        >>> f(0.0, f.start).shape, f.jacobian(0.0, [f.start, f.start]).shape
        ((10,), (2, 10, 10))
        """
        from linkwork.export import Functions, describe

        return Functions(describe(self._origin_of_export(), more=True), compiled)

    def stepper(
        self,
        *,
        inputs: Iterable[str] | None = None,
        start: Snapshot | Mapping[str, float] | None = None,
        tol: float | None = None,
        method: str | None = None,
        step: float | None = None,
        compiled: bool | None = None,
    ) -> Stepping:
        """The motion step by step, for those who steer it: control loops, learning, co-simulation.

        `inputs` are the names of those whose values `step(dt, 2.0)` takes in this order; by name it takes all. The rest
        is as in `simulate`.

        >>> swing = load("examples/inverted-pendulum.yaml").stepper()
        >>> swing.step(0.01)
        >>> swing.t
        0.01
        """
        others = dict.fromkeys(("alpha", "beta", "rho", "order", "max_step"))
        options = self._options({"tol": tol, "method": method, "step": step, **others}, compiled=compiled)
        begin, stack = self._find_begin(start), ExitStack()
        machine = stack.enter_context(self._borrow_machine(begin, options))
        found = Stepping(machine, begin, options, About(mechanism=self.mechanism, presenter=VIEWER), inputs)
        weakref.finalize(found, stack.close)  # the machine goes back
        return found

    def _integrate(
        self,
        until: float,
        options: Options,
        start: Start,
        progress: Progress | None = None,
        again: Again | None = None,
        history: History | None = None,
        replay: bool = False,
    ) -> Trajectory:
        if options.kinematic:
            self._check_driven(start)
        with self._borrow_machine(start, options) as machine:
            system = self.fitted if options.kinematic else None
            about = About(mechanism=self.mechanism, presenter=VIEWER, again=again, system=system)
            return integrate_with(machine, start, until, options, progress, about, history, replay)

    def _find_begin(
        self, start: Snapshot | Mapping[str, float] | None, weights: Mapping[str, float] | None = None
    ) -> Start:
        """Where a motion begins: at the start of the model, at a state, or with other values."""
        if start is None:
            return self.start if weights is None else self._find_start(weights)
        if isinstance(start, Snapshot):
            return resume(self.whole, start)
        as_object(start, Mapping, Ref("start"), 'Give a state, as motion.final, or values by name: {"A.x": 1}')
        found = start_with(self.mechanism, self.system, start)
        return replace(found, fit=self.start.fit, fitted="")

    @contextmanager
    def _borrow_machine(self, start: Start, options: Options) -> Iterator[Stepper]:
        """A machine that is not at work; if it is said whether it is compiled, a new one."""
        compiled = options.compiled
        if options.kinematic:
            with self._borrow_bare(start, options) as machine:
                yield machine
        elif options.method == "ida" and not self.whole.switches:
            yield make_ida(self.fitted, start.q, compiled=compiled)
        elif self.whole.switches:
            with ExitStack() as stack:
                yield SwitchedMachine(
                    self.whole,
                    lambda off: self._phase_machine(stack, off, start.q, options),
                    self.whole.off if start.off is None else start.off,
                )
        elif compiled is None:
            system = self.fitted if self._posed is None else self._posed.system
            with borrow_machine(system, self._weights) as machine:
                yield machine if self._posed is None else PosedMachine(self._posed, machine)
        elif self._posed is None:
            yield make_machine(self.fitted, start.q, compiled=compiled)
        else:
            yield make_posed(self._posed, start.q, compiled=compiled)

    @contextmanager
    def _borrow_bare(self, start: Start, options: Options) -> Iterator[Stepper]:
        """The same of the constraints alone, in points."""
        system, compiled = strip_forces(self.fitted), options.compiled
        if compiled is None:
            with borrow_machine(system, weigh(system, start.q)) as machine:
                yield BareMachine(machine)
        else:
            yield BareMachine(make_machine(system, start.q, compiled=compiled))

    def _check_driven(self, start: Start) -> None:
        """A kinematic motion needs as many prescribed motions as there are freedoms, and nothing that switches."""
        from linkwork.analysis.structure.driven import check_driven

        if self.whole.switches or self.whole.algebra:
            what = (
                "stops, friction, events that act and laws of reactions need forces, which a kinematic motion has not"
            )
            raise InputError([Problem(what=what, remedy="Leave them out, or simulate with masses")])
        check_driven(self.fitted, start.q, start.t, start.u)

    def _phase_machine(self, stack: ExitStack, off: frozenset[int], q: Floats, options: Options) -> Stepper:
        """A machine without some of the constraints, borrowed until the stack is closed."""
        compiled = options.compiled
        if options.method == "ida":
            return make_ida(self.whole.restricted(off), q, compiled=compiled)
        posed = None if self._posed is None else self._posed.restricted(off)
        if posed is not None:
            system, at = posed.system, posed.place(q, np.zeros_like(q))[0]
        else:
            system, at = self.whole.restricted(off), q
        if compiled is None:
            machine = stack.enter_context(borrow_machine(system, weigh(system, at)))
        else:
            machine = make_machine(system, at, compiled=compiled)
        return machine if posed is None else PosedMachine(posed, machine)

    def _again(self, start: Start, kinematic: bool, history: History) -> Again:
        """Who can integrate a motion once more."""

        def again(until: float, *, tol: float, order: int, max_step: float) -> Trajectory:
            options = Options(tol=tol, order=order, max_step=max_step, kinematic=kinematic)
            try:
                return self._integrate(until, options, start, history=history, replay=True)
            except SolveError as error:
                if not isinstance(error.motion, Trajectory):
                    raise
                return error.motion

        return again

    def _undefined(self, motion: object) -> str:
        """What of a Lagrangian has no value where its motion ends, in words."""
        if not isinstance(self.mechanism, Lagrangian) or not isinstance(motion, Trajectory):
            return ""
        final = motion.final
        return self.mechanism.find_undefined(float(final.t), final.q.tolist(), final.u.tolist())

    def __repr__(self) -> str:
        m = self.mechanism
        if isinstance(m, Lagrangian):
            return f"Model('{m.title}': Lagrangian in {', '.join(m.coordinates)})"
        parts = f"{len(m.rigids)} rigid parts, {len(m.springs)} springs, {len(m.particles)} particles"
        return f"Model('{m.title}': {parts})"


def _tell(notes: Iterable[Problem]) -> None:
    """Warn of what is worth a note."""
    for note in notes:
        warnings.warn(str(note), ModelWarning, stacklevel=3)


def _check_weights(weights: Any) -> None:
    """Weights of initial values are numbers by name."""
    remedy = "Give weights as {name: number}"
    if weights is not None and not isinstance(weights, Mapping):
        raise InputError([Problem(part="weights", what=f"{show_value(weights)} is no mapping", remedy=remedy)])
    for name, weight in (weights or {}).items():
        shown = name if isinstance(name, str) else show_value(name)
        as_number(weight, Ref(f"weight of {shown}"), remedy)


def _find_interval(every: float | None, save: object, said: float | None) -> float | None:
    """How far apart the states are that are kept: infinitely if only the end is; as a file says unless asked here."""
    if save not in ("all", "end") or (save == "end" and every is not None):
        what = f"save = {show_value(save)} is not known" if every is None else "save and every contradict each other"
        raise InputError([Problem(what=what, remedy='Give save="all" or save="end", or every=')])
    return math.inf if save == "end" else said if every is None else every


def _check_progress(progress: Any) -> None:
    """What is told the time reached can be called."""
    if progress is not None and not callable(progress):
        what, remedy = f"{show_value(progress)} cannot be called", "Give a function of the time reached"
        raise InputError([Problem(part="progress", what=what, remedy=remedy)])
