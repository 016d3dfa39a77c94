"""A MechSpec text -> Mechanism: the whole file on one screen, all its problems in one error."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from linkwork.errors import MAX_PROBLEMS, InputError, Problem, Ref
from linkwork.model.bodies import Body
from linkwork.model.connections import Joint
from linkwork.model.functions import FUNCTION_NAME
from linkwork.model.mechanism import Mechanism
from linkwork.model.part import Part
from linkwork.spec.bodies import read_bodies
from linkwork.spec.check import check_shape
from linkwork.spec.connections import (
    read_collinears,
    read_contacts,
    read_coplanars,
    read_edges,
    read_joints,
    read_relations,
    read_rollings,
    read_stops,
    read_velocities,
)
from linkwork.spec.forces import (
    read_constant_torques,
    read_dissipation,
    read_efforts,
    read_forces,
    read_frictions,
    read_gravity,
    read_moments,
    read_torques,
)
from linkwork.spec.marks import Marks
from linkwork.spec.motions import read_events, read_motions
from linkwork.spec.nodes import Node, compose
from linkwork.spec.parts import read_dampers, read_fixed, read_particles, read_rigids, read_springs
from linkwork.spec.report import HOLE, Report, TooManyError
from linkwork.spec.settings import read_display, read_settings
from linkwork.spec.signals import name_signals, read_inputs, read_sampled, read_states, read_variables
from linkwork.spec.source import read_text
from linkwork.spec.start import read_start
from linkwork.spec.tables import read_tables
from linkwork.symbolic import Expr, symbol

# where a key may list several parts: `AC, BD: {...}`
LISTING = {
    "PartData": {"Fixed", "Rigids", "Springs", "Dampers", "Particles"},
    "AppliedForces": {"ConstTorques", "Torques"},
}

DIMENSIONS = {"2": 2, "3": 3}

# what is read into parts: section -> reader
READERS: dict[str, Callable[[Report, Node | None], Iterable[Part]]] = {
    "Bodies": read_bodies,
    "PartData.Rigids": read_rigids,
    "PartData.Springs": read_springs,
    "PartData.Dampers": read_dampers,
    "PartData.Particles": read_particles,
    "Connections.Collinear": read_collinears,
    "Connections.Coplanar": read_coplanars,
    "Connections.Joints": read_joints,
    "Connections.Relations": read_relations,
    "Connections.Rolling": read_rollings,
    "Connections.KnifeEdge": read_edges,
    "Connections.Velocity": read_velocities,
    "Connections.Stops": read_stops,
    "Connections.Contacts": read_contacts,
    "AppliedForces.ConstTorques": read_constant_torques,
    "AppliedForces.Torques": read_torques,
    "AppliedForces.Forces": read_forces,
    "AppliedForces.Moments": read_moments,
    "AppliedForces.Dissipation": read_dissipation,
    "AppliedForces.Efforts": read_efforts,
    "AppliedForces.Friction": read_frictions,
    "Motions": read_motions,
    "Controllers": read_sampled,
    "Events": read_events,
}


def read_mechanism(path: str | os.PathLike[str]) -> Mechanism:
    """The mechanism described by a file; InputError with all problems if there are any."""
    return read_marked(path)[0]


def read_marked(path: str | os.PathLike[str]) -> tuple[Mechanism, Marks]:
    """The same, and where its parts stand."""
    return parse_marked(read_text(path), os.fspath(path), Path(path).parent)


def parse_mechanism(text: str, source: str = "<text>") -> Mechanism:
    """The mechanism described by a text; `source` is what messages call it.

    >>> text = "PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]]}}, Particles: {A: 2}}"
    >>> parse_mechanism(text).moving_points
    ('A',)
    """
    return parse_marked(text, source)[0]


def parse_marked(text: str, source: str = "<text>", folder: Path | None = None) -> tuple[Mechanism, Marks]:
    """The same, and where its parts stand; `folder` is where the files are that it names."""
    with garbage_collection_paused():
        root = compose(text, source)
        if root is None or root.empty:
            empty = Problem(file=source, what="the file is empty", remedy="Describe a mechanism in it")
            raise InputError([empty])
        report = Report(source, folder)
        try:
            mechanism = _read(report, root)
        except TooManyError:
            mechanism = None
    if mechanism is None or report.problems:
        raise InputError(_sorted(report.problems, source))
    return mechanism, Marks(source, report.lines, tuple(report.notes))


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Reading makes many small objects that all stay; looking for garbage among them takes as long again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _sorted(problems: list[Problem], source: str) -> list[Problem]:
    """By line, each once, and no more than a person can read."""
    distinct = list(dict.fromkeys(sorted(problems, key=lambda problem: problem.line or 10**9)))
    if len(distinct) < MAX_PROBLEMS:
        return distinct
    more = Problem(file=source, what=f"at least {MAX_PROBLEMS} problems", remedy="Start with the first ones")
    return [*distinct[:MAX_PROBLEMS], more]


def _read(report: Report, root: Node) -> Mechanism | None:
    keys = report.section(root)
    for section, listing in LISTING.items():
        entries = report.section(keys.get(section))
        for name in listing & entries.keys():
            entries[name].join_keys()
    dimension = _read_dimension(report, keys.get("Dimension"))
    report.dimension = dimension or max(DIMENSIONS.values())
    check_shape(report, root)
    if root.kind != "map" or dimension is None:
        return None  # what does not fit another dimension is no mistake
    parameters = _read_parameters(report, keys.get("PhysicalParams"))
    name_signals(report, keys)
    tables = read_tables(report, keys.get("Tables"), parameters)
    report.locate(Ref("PartData"), keys.get("PartData", root).line)
    members = [part for section, read in READERS.items() for part in read(report, _find(report, keys, section))]
    turning = frozenset([part.name for part in members if isinstance(part, Joint | Body)])
    build = partial(
        Mechanism,
        title=report.text(keys.get("Title")) or "",
        dimension=report.dimension,
        fixed=read_fixed(report, _find(report, keys, "PartData.Fixed")),
        gravity=read_gravity(report, _find(report, keys, "AppliedForces.Gravity")),
        tables=tables,
        variables=read_variables(report, keys.get("Variables"), keys.get("Controllers")),
        states=read_states(report, keys.get("States")),
        inputs=read_inputs(report, keys.get("Inputs")),
        start=read_start(report, keys.get("ProblemData"), turning),
        settings=read_settings(report, keys.get("SolverParams"), keys.get("Formulation")),
        display=read_display(report, keys),
        others=members,
    )
    if report.problems:
        # a parameter without a value, so that the model looks no further into what could not be read
        parameters[HOLE.name] = HOLE
    try:
        return build(parameters=parameters)
    except InputError as error:
        for problem in error.problems:
            _adopt(report, problem)
        return None


def _find(report: Report, keys: dict[str, Node], section: str) -> Node | None:
    """What stands under `PartData.Springs`."""
    first, _, second = section.partition(".")
    return report.section(keys.get(first)).get(second) if second else keys.get(first)


def _adopt(report: Report, problem: Problem) -> None:
    """Give a problem of the model its file and line, unless it only follows from one already reported."""
    if problem.ref == Ref("parameter", HOLE.name) or (problem.absent and report.incomplete):
        return
    line = None if problem.ref is None else report.find_line(problem.ref, problem.detail)
    report.problems.append(replace(problem, file=report.source, line=line))


def _read_dimension(report: Report, node: Node | None) -> int | None:
    """The dimension, or None if what stands there is none."""
    if node is None:
        return 2
    report.locate(Ref("Dimension"), node.line)
    return DIMENSIONS.get(node.text) if node.plain else None


def _read_parameters(report: Report, node: Node | None) -> dict[str, Expr]:
    """Expressions by name; all names are known to all expressions, whatever their order."""
    entries = [entry for entry in report.entries(node) if FUNCTION_NAME.fullmatch(entry.key)]
    report.names = {entry.key: symbol(entry.key) for entry in entries}
    parameters: dict[str, Expr] = {}
    for name, line, value in entries:
        report.locate(Ref("parameter", name), line)
        parameters[name] = report.expression(value, Ref("parameter", name))
    return parameters
