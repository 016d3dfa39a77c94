"""A model: a description ready to be worked with. What it is asked for is done by its neighbours, and below."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from linkwork.blas import in_one_thread
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
)
from linkwork.errors import InputError, ModelWarning, Problem, Ref, StartError
from linkwork.given import as_flag, as_name, as_names, as_number, as_object
from linkwork.model import Lagrangian, Mechanism, Scalar
from linkwork.model.check.bodies import note_unused_frames
from linkwork.model.check.mechanism import FITS
from linkwork.model.following import Law
from linkwork.native import Weights, weigh
from linkwork.pipeline.changing import apply_forces, drive
from linkwork.pipeline.options import check_progress, check_weights, find_interval, read_end, read_options
from linkwork.pipeline.running import Begin, doubt, find_begin, run
from linkwork.pipeline.running import step as step_by_step
from linkwork.results import MEMORY, Snapshot, Trajectory
from linkwork.solve import Branches, Progress, Proposal, Start, Stepping, find_start, list_branches, propose_fixed
from linkwork.spec import Marks
from linkwork.view import VIEWER

if TYPE_CHECKING:
    from linkwork.analysis import Equations, Structure
    from linkwork.analysis.linear import Discrete, Linear, Mode, Slowest, Study
    from linkwork.analysis.statics.sequence import Equilibrium, Statics
    from linkwork.export import Counts, Functions
    from linkwork.results.inverse import Forces

POSED = {"absolute": formulate_absolute, "tree": formulate_tree}  # formalisms that are made for motions alone


def _count(model: Model) -> int:
    """The number of coordinates."""
    return model.whole.n


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
        tell([marks.locate(note) if marks else note for note in mechanism.notes if note not in told])

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

    @property
    def is_varied(self) -> bool:
        """Whether it was made of another one that differs in values only."""
        return self._origin is not None

    def bind(self, columns: Mapping[str, ArrayLike]) -> Bound[Model]:
        """The same mechanism with many sets of values: arrays by name, or numbers that are the same for all.

        >>> from linkwork import load
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

        >>> from linkwork import load
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

        >>> from linkwork import load
        >>> arm = load("examples/four-bar.yaml").driven({"OA.angle": "pi/2 + 3*t"})
        >>> arm.simulate(1, kinematic=True).outcome
        'reached t = 1'
        """
        return self._copy(drive(self.mechanism, laws), self.branch, self._wanted, None)

    @in_one_thread(_count)
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

        >>> from linkwork import load
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
        return self._copy(apply_forces(self.mechanism, forces), self.branch, self._wanted, None)

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

    @cached_property
    def posed(self) -> Absolute | None:
        """The same, unless rounded numbers had to be fitted: they agree in points."""
        return None if self.start.fit else self.absolute

    @cached_property
    def start(self) -> Start:
        """The consistent start nearest to the given initial values, with a report of what was moved."""
        start = self.find_start()
        if start.fitted:
            tell([Problem(what=start.fitted, remedy="Give more digits or formulas, such as sqrt(2)", file=self.file)])
        return start

    @property
    def file(self) -> str:
        """The file it was read from; nothing if there is none."""
        return self.marks.source if self.marks else ""

    @cached_property
    def fitted(self) -> System:
        """The equations with the numbers of the start: those given or, where these were rounded, ones that agree."""
        return self.start.fit.apply(self.system) if self.start.fit else self.system

    @in_one_thread(_count)
    def find_start(self, weights: Mapping[str, float] | None = None) -> Start:
        """The start, with weights of given values that say which of them matter more."""
        try:
            return find_start(self.mechanism, self.system, weights, self.branch)
        except StartError as error:
            if self.marks is None:
                raise
            raise self.marks.complete(error) from None

    def branches(self, hold: Iterable[str] | None = None) -> Branches:
        """The ways in which it can be assembled with its fixed values, or what is named by `hold`, as in the start.

        >>> from linkwork import load
        >>> print(load("examples/four-bar.yaml").branches().text())
        2 branches, with Ax, Ay held
          1  B (0.9183, 0.7958) (the start)
          2  B (0.392, -0.52)
        """
        return list_branches(self.mechanism, self.system, hold)

    def proposal(self) -> Proposal:
        """A valid set of fixed values that determines the start, ready to be pasted into the file."""
        return propose_fixed(self.mechanism, self.fitted, self.start)

    @in_one_thread(_count)
    def structure(self) -> Structure:
        """Index, degrees of freedom, redundant constraints and which initial values may be fixed, at the start."""
        from linkwork.analysis import Structure

        return Structure(self.fitted, self.start.q, self.start.t, self.mechanism, self.start.u)

    def warn_of_unused(self) -> None:
        """Warn of frames that nothing is joined to and nothing names, with their lines."""
        if isinstance(self.mechanism, Mechanism):
            notes = note_unused_frames(self.mechanism)
            tell(self.marks.locate(note) if self.marks else note for note in notes)

    def equations(self) -> Equations:
        """Energies, forces, constraints and equations of motion as expressions, to be printed or worked with.

        They are those that motions are made in: of points, of absolute coordinates or along a tree.
        """
        from linkwork.analysis import Equations

        posed = self.absolute
        system = self.system if posed is None else posed.restricted(self.whole.off).system
        return Equations(system, self.mechanism.title)

    @in_one_thread(_count)
    def linearize(
        self,
        at: float | str | Snapshot = "start",
        *,
        states: Iterable[Scalar] = (),
        speeds: Iterable[Scalar] = (),
        inputs: Iterable[Scalar] = (),
        outputs: Iterable[Scalar] = (),
    ) -> Linear | Discrete:
        """The linear model at the start, a static "equilibrium", a "steady" motion, a time or a state.

        States, speeds, inputs and outputs are names or expressions: "theta", "A.x", "gap = AB.length - l". Speeds are
        the rates of the states unless others are given. Inputs are parameters, or quantities along whose rate a force
        works.
        """
        from linkwork.analysis.linear import discretize, linearize
        from linkwork.analysis.linear.words import as_list
        from linkwork.pipeline.places import find_place

        chosen = as_list("state", states)
        mode, where = find_place(self, at, chosen)
        make = discretize if self.mechanism.controllers else linearize
        return make(self.mechanism, mode, states=chosen, speeds=speeds, inputs=inputs, outputs=outputs, where=where)

    @in_one_thread(_count)
    def slowest(self, count: int, at: float | str | Snapshot = "start", *, states: Iterable[Scalar] = ()) -> Slowest:
        """The `count` slowest modes at a point as in `linearize`, quickly also for thousands of bodies.

        >>> from linkwork import load
        >>> [round(mode.omega, 2) for mode in load("examples/mult-pend-fp.yaml").slowest(3, "equilibrium").modes]
        [1.61, 1.61, 3.72]
        """
        from linkwork.analysis.linear import find_slowest
        from linkwork.analysis.linear.words import as_list
        from linkwork.pipeline.places import check_traced, find_place

        check_traced(self)
        chosen = as_list("state", states)
        mode, where = find_place(self, at, chosen)
        return find_slowest(self.mechanism, mode, count, states=chosen, where=where)

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

        def make(value: float) -> Linear | Slowest | Discrete:
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

    @in_one_thread(_count)
    def equilibrium(self, at: Snapshot | None = None, *, slide: bool = False) -> Equilibrium:
        """The static equilibrium downhill from the start or from a state, and whether it is stable.

        Stops, contacts and ratchets hold what presses on them: `pushes` tell with which force. Friction sticks, and
        `holds` tell how much of its limits it uses; what it cannot hold is an error or, with `slide`, slides on to
        where it is held. What events switch is as it was, prescribed motions are held where they are there.

        >>> from linkwork import load
        >>> load("examples/mult-pend-fp.yaml").equilibrium().stable
        True
        """

        from linkwork.pipeline.resting import find_balance

        return find_balance(self, at, as_flag("slide", slide, Ref("equilibrium")))

    @in_one_thread(_count)
    def statics(self, over: Mapping[str, ArrayLike], *, snap: bool = False) -> Statics:
        """Equilibria over the values of a parameter, of an input, or of the time t of prescribed motions.

        Each is sought from the last one on its branch, by smaller steps where that is needed. Where a branch ends, as
        at a limit point, the sequence ends and says so; with `snap` it goes on from there downhill. Friction sticks as
        long as it can.

        >>> from linkwork import load
        >>> hang = load("examples/mult-pend-fp.yaml").statics({"t": [0, 1]})
        >>> hang.outcome, hang.stable.tolist()
        ('reached 1', [True, True])
        """

        from linkwork.pipeline.resting import follow_equilibria

        return follow_equilibria(self, over, as_flag("snap", snap, Ref("statics")))

    def show_statics(self, statics: Statics, path: str | None = None, *, browser: bool = True) -> Path:
        """Write a sequence of equilibria as one HTML page that moves, and open it."""
        from linkwork.analysis.statics.sequence import Statics

        as_object(statics, Statics, Ref("statics"), "Give what model.statics(...) returns")
        return VIEWER.show_recording(statics.record(), path, browser)

    @cached_property
    def weights(self) -> Weights:
        """What makes the constraints comparable in a machine."""
        if self.posed is None:
            return weigh(self.fitted, self.start.q)
        return weigh(self.posed.system, self.posed.place(self.start.q, self.start.u)[0])

    def simulate(
        self,
        until: float | None = None,
        *,
        start: Begin = None,
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
        fused: bool | None = None,
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
        of work the run ends with what was computed, and the outcome says so. `fused` compiles all terms of a small
        system as one kernel, which runs faster and takes a moment to make: left out, only a long run does.
        """
        m = self.mechanism
        end = read_end(m, until)
        given = {"tol": tol, "method": method, "step": step, "alpha": alpha, "beta": beta, "rho": rho, "order": order}
        kept = {
            "memory": memory,
            "every": find_interval(every, save, m.settings.every),
            "kinematic": as_flag("kinematic", kinematic, Ref("simulate")),
            "fused": fused,
        }
        options = read_options(
            m.settings, {**given, "max_step": max_step}, max_steps=max_steps, compiled=compiled, **kept
        )
        check_weights(weights)
        check_progress(progress)
        with time_limit(max_seconds):
            motion = run(self, end, options, find_begin(self, start, weights), progress)
        return doubt(motion)

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
        from linkwork.pipeline.exporting import write_export

        return write_export(self, target, folder, force, jacobian)

    def count_operations(self) -> Counts:
        """What an evaluation of the equations of motion costs, before and after each technique; printed as a table."""
        from linkwork.export import count
        from linkwork.pipeline.exporting import find_origin

        return count(find_origin(self))

    def rhs(self, *, at: Snapshot | None = None, compiled: bool | None = None) -> Functions:
        """The equations of motion as a function of arrays, ẋ = f(t, x), with its Jacobian and mass matrix.

        x has the positions, speeds and first-order states named in `f.names`, batches go along the first axis. Where
        constraints come and go, stops, sticking friction and constraints hold that hold at the start, or in the state
        `at` of a motion, where `f.start` is then: `motion.at(2.0)`.

        >>> from linkwork import load
        >>> f = load("examples/four-bar.yaml").rhs(compiled=False)
        >>> f(0.0, f.start).shape, f.jacobian(0.0, [f.start, f.start]).shape
        ((10,), (2, 10, 10))
        """
        from linkwork.export import Functions
        from linkwork.pipeline.exporting import find_mode_origin

        return Functions(find_mode_origin(self, at), compiled)

    def c_function(self) -> Any:
        """The rates of the state as a function of C: that of `rhs()`, which needs a compiler."""
        return self.rhs(compiled=True).c_function

    def stepper(
        self,
        *,
        inputs: Iterable[str] | None = None,
        start: Begin = None,
        tol: float | None = None,
        method: str | None = None,
        step: float | None = None,
        compiled: bool | None = None,
    ) -> Stepping:
        """The motion step by step, for those who steer it: control loops, learning, co-simulation.

        `inputs` are the names of those whose values `step(dt, 2.0)` takes in this order; by name it takes all. The rest
        is as in `simulate`.

        >>> from linkwork import load
        >>> swing = load("examples/inverted-pendulum.yaml").stepper()
        >>> swing.step(0.01)
        >>> swing.t
        0.01
        """
        others = dict.fromkeys(("alpha", "beta", "rho", "order", "max_step"))
        given = {"tol": tol, "method": method, "step": step, **others}
        options = read_options(self.mechanism.settings, given, compiled=compiled)
        return step_by_step(self, options, find_begin(self, start), inputs)

    def __repr__(self) -> str:
        m = self.mechanism
        if isinstance(m, Lagrangian):
            return f"Model('{m.title}': Lagrangian in {', '.join(m.coordinates)})"
        parts = f"{len(m.rigids)} rigid parts, {len(m.springs)} springs, {len(m.particles)} particles"
        return f"Model('{m.title}': {parts})"


def tell(notes: Iterable[Problem]) -> None:
    """Warn of what is worth a note."""
    for note in notes:
        warnings.warn(str(note), ModelWarning, stacklevel=3)
