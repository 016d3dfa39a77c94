"""A MechSpec text -> Mechanism: the whole file on one screen, all its problems in one error."""

from __future__ import annotations

import os
import re
from dataclasses import replace

from linkwork.errors import InputError, Problem
from linkwork.model.mechanism import Mechanism
from linkwork.spec.forces import read_gravity, read_torques
from linkwork.spec.nodes import Node, compose, shorten
from linkwork.spec.parts import read_fixed, read_particles, read_rigids, read_springs
from linkwork.spec.report import HOLE, MAX_PROBLEMS, Report, TooManyError
from linkwork.spec.settings import read_display, read_settings
from linkwork.spec.source import read_text
from linkwork.spec.start import read_start
from linkwork.symbolic import Expr, symbol

SECTIONS = (
    "Title",
    "PhysicalParams",
    "Dimension",
    "PartData",
    "AppliedForces",
    "ProblemData",
    "SolverParams",
    "Animation",
    "Skeleton",
    "Skels",
)
PARAMETER_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def read_mechanism(path: str | os.PathLike[str]) -> Mechanism:
    """The mechanism described by a file; InputError with all problems if there are any."""
    return parse_mechanism(read_text(path), os.fspath(path))


def parse_mechanism(text: str, source: str = "<text>") -> Mechanism:
    """The mechanism described by a text; `source` is what messages call it.

    >>> parse_mechanism("PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1, 1/12]}}}").moving_points
    ('A',)
    """
    root = compose(text, source)
    if root is None or root.empty:
        raise InputError([Problem(file=source, what="the file is empty", remedy="Describe a mechanism in it")])
    report = Report(source)
    try:
        mechanism = _read(report, root)
    except TooManyError:
        report.problems.append(Problem(file=source, what=f"more than {MAX_PROBLEMS} problems"))
        mechanism = None
    if mechanism is None or report.problems:
        raise InputError(sorted(report.problems, key=lambda problem: problem.line or 10**9))
    return mechanism


def _read(report: Report, root: Node) -> Mechanism | None:
    keys = report.section(root, "", SECTIONS)
    if root.kind != "map":
        return None
    title = report.text(keys["Title"], "Title") if "Title" in keys else None
    report.dimension = _read_dimension(report, keys.get("Dimension"))
    parameters = _read_parameters(report, keys.get("PhysicalParams"))
    parts = report.section(keys.get("PartData"), "PartData", ("Fixed", "Rigids", "Springs", "Particles"))
    forces = report.section(keys.get("AppliedForces"), "AppliedForces", ("Gravity", "ConstTorques"))
    report.locate("PartData", keys.get("PartData", root).line)
    try:
        return Mechanism(
            title=title or "",
            dimension=report.dimension,
            parameters=parameters,
            fixed=read_fixed(report, parts.get("Fixed")),
            rigids=read_rigids(report, parts.get("Rigids")),
            springs=read_springs(report, parts.get("Springs")),
            particles=read_particles(report, parts.get("Particles")),
            gravity=read_gravity(report, forces.get("Gravity")),
            torques=read_torques(report, forces.get("ConstTorques")),
            start=read_start(report, keys.get("ProblemData")),
            settings=read_settings(report, keys.get("SolverParams")),
            display=read_display(report, keys),
        )
    except InputError as error:
        for problem in error.problems:
            _adopt(report, problem)
        return None


def _adopt(report: Report, problem: Problem) -> None:
    """Give a problem of the model its file and line, unless it only follows from one already reported."""
    if problem.what.endswith(f"unknown name '{HOLE.name}'"):
        return
    if problem.part == "PartData" and report.problems:
        return
    detail = re.match(r"place of '\w+'|\w+", problem.what)
    lines = report.lines
    line = lines.get(f"{problem.part}: {detail[0]}" if detail else "", lines.get(problem.part))
    report.problems.append(replace(problem, file=report.source, line=line))


def _read_dimension(report: Report, node: Node | None) -> int:
    if node is None:
        return 2
    report.locate("Dimension", node.line)
    if node.kind == "scalar" and node.text in ("0", "1", "2", "3"):
        return int(node.text)
    report.add(node.line, f"expected the number 2, not {node}", part="Dimension")
    return 2


def _read_parameters(report: Report, node: Node | None) -> dict[str, Expr]:
    """Expressions by name; all names are known to all expressions, whatever their order."""
    entries = report.entries(node, "PhysicalParams")
    report.names = {entry.key: symbol(entry.key) for entry in entries if PARAMETER_NAME.fullmatch(entry.key)}
    parameters: dict[str, Expr] = {}
    for name, line, value in entries:
        part = f"parameter '{shorten(name)}'"
        if name in report.names:
            report.locate(part, line)
            parameters[name] = report.expression(value, part)
        else:
            remedy = "Use letters, digits and _, starting with a letter"
            report.add(line, "this name cannot be used in formulas", remedy, part)
    return parameters
