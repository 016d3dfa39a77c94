"""A MechSpec text -> Mechanism: the whole file on one screen, all its problems in one error."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from linkwork.errors import InputError, Problem, Ref
from linkwork.model.functions import FUNCTION_NAME
from linkwork.model.mechanism import Mechanism
from linkwork.spec.bodies import read_bodies
from linkwork.spec.check import check_shape
from linkwork.spec.connections import (
    read_collinears,
    read_coplanars,
    read_edges,
    read_joints,
    read_relations,
    read_rollings,
    read_velocities,
)
from linkwork.spec.forces import read_dissipation, read_efforts, read_forces, read_gravity, read_moments, read_torques
from linkwork.spec.marks import Marks
from linkwork.spec.motions import read_events, read_motions
from linkwork.spec.nodes import Node, compose
from linkwork.spec.parts import read_dampers, read_fixed, read_particles, read_rigids, read_springs
from linkwork.spec.report import HOLE, MAX_PROBLEMS, Report, TooManyError
from linkwork.spec.settings import read_display, read_settings
from linkwork.spec.signals import name_signals, read_inputs, read_states, read_variables
from linkwork.spec.source import read_text
from linkwork.spec.start import read_start
from linkwork.spec.tables import read_tables
from linkwork.symbolic import Expr, symbol

# where a key may list several parts: `AC, BD: {...}`
LISTING = {
    "PartData": {"Fixed", "Rigids", "Springs", "Dampers", "Particles"},
    "AppliedForces": {"ConstTorques", "Torques"},
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
    report.dimension = _read_dimension(report, keys.get("Dimension"))
    check_shape(report, root)
    if root.kind != "map":
        return None
    parameters = _read_parameters(report, keys.get("PhysicalParams"))
    name_signals(report, keys)
    tables = read_tables(report, keys.get("Tables"), parameters)
    parts, connections, forces = (report.section(keys.get(key)) for key in ("PartData", "Connections", "AppliedForces"))
    report.locate(Ref("PartData"), keys.get("PartData", root).line)
    springs, spring_dampers = read_springs(report, parts.get("Springs"))
    joints = read_joints(report, connections.get("Joints"))
    bodies = read_bodies(report, keys.get("Bodies"))
    turning = frozenset([*(joint.name for joint in joints), *(body.name for body in bodies)])
    build = partial(
        Mechanism,
        title=report.text(keys.get("Title")) or "",
        dimension=report.dimension,
        fixed=read_fixed(report, parts.get("Fixed")),
        bodies=bodies,
        rigids=read_rigids(report, parts.get("Rigids")),
        springs=springs,
        particles=read_particles(report, parts.get("Particles")),
        gravity=read_gravity(report, forces.get("Gravity")),
        torques=read_torques(report, forces.get("ConstTorques"), forces.get("Torques")),
        forces=read_forces(report, forces.get("Forces")),
        moments=read_moments(report, forces.get("Moments")),
        dampers=(*spring_dampers, *read_dampers(report, parts.get("Dampers"))),
        dissipations=read_dissipation(report, forces.get("Dissipation")),
        efforts=read_efforts(report, forces.get("Efforts")),
        motions=read_motions(report, keys.get("Motions")),
        events=read_events(report, keys.get("Events")),
        collinears=read_collinears(report, connections.get("Collinear")),
        coplanars=read_coplanars(report, connections.get("Coplanar")),
        joints=joints,
        relations=read_relations(report, connections.get("Relations")),
        rollings=read_rollings(report, connections.get("Rolling")),
        knife_edges=read_edges(report, connections.get("KnifeEdge")),
        velocity_constraints=read_velocities(report, connections.get("Velocity")),
        tables=tables,
        variables=read_variables(report, keys.get("Variables"), keys.get("Controllers")),
        states=read_states(report, keys.get("States")),
        inputs=read_inputs(report, keys.get("Inputs")),
        start=read_start(report, keys.get("ProblemData"), turning),
        settings=read_settings(report, keys.get("SolverParams"), keys.get("Formulation")),
        display=read_display(report, keys),
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


def _adopt(report: Report, problem: Problem) -> None:
    """Give a problem of the model its file and line, unless it only follows from one already reported."""
    if problem.ref == Ref("parameter", HOLE.name) or (problem.absent and report.incomplete):
        return
    line = None if problem.ref is None else report.find_line(problem.ref, problem.detail)
    report.problems.append(replace(problem, file=report.source, line=line))


def _read_dimension(report: Report, node: Node | None) -> int:
    if node is None:
        return 2
    report.locate(Ref("Dimension"), node.line)
    return 3 if node.plain and node.text == "3" else 2


def _read_parameters(report: Report, node: Node | None) -> dict[str, Expr]:
    """Expressions by name; all names are known to all expressions, whatever their order."""
    entries = [entry for entry in report.entries(node) if FUNCTION_NAME.fullmatch(entry.key)]
    report.names = {entry.key: symbol(entry.key) for entry in entries}
    parameters: dict[str, Expr] = {}
    for name, line, value in entries:
        report.locate(Ref("parameter", name), line)
        parameters[name] = report.expression(value, Ref("parameter", name))
    return parameters
