"""A picture of a structure: the graph of parts and joints beside the signature matrix in block-triangular form.

Needs matplotlib, which is imported only here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.structure.graph import Graph
from linkwork.analysis.structure.layout import place_nodes
from linkwork.arrays import Floats, Ints
from linkwork.errors import LinkworkError
from linkwork.model.connections import WORLD
from linkwork.quoting import mathtext
from linkwork.results.plots import require_matplotlib, write_picture

if TYPE_CHECKING:
    from linkwork.analysis.structure.structure import Structure

FORMATS = (".png", ".svg", ".pdf")
LARGEST, LABELLED = 600, 90  # nodes of a graph that is drawn, and drawn with names
PALE, PALE_MEANS = 0.4, "pale: known\nbeforehand"
NAMED = 45  # variables up to which the matrix has names and digits
COLOURS = {0: "#c6dbef", 1: "#6baed6", 2: "#2171b5"}  # by order of derivative
RED = "#cb181d"
LOOKS: dict[str, dict[str, Any]] = {
    "world": {"boxstyle": "round,pad=0.4", "facecolor": "#d9d9d9", "edgecolor": "#525252"},
    "part": {"boxstyle": "round,pad=0.4", "facecolor": "#fdd0a2", "edgecolor": "#d94801"},
    "link": {"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": "#08519c"},
    "point": {"boxstyle": "circle,pad=0.25", "facecolor": "#fdd0a2", "edgecolor": "#d94801"},
    "rule": {"boxstyle": "round4,pad=0.3", "facecolor": "#e5f5e0", "edgecolor": "#238b45"},
}


def draw_structure(structure: Structure, path: str | os.PathLike[str]) -> None:
    """Write the picture; the ending of the name says in which format."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise LinkworkError(f"{target}: unknown kind of picture. Use a name that ends in {', '.join(FORMATS)}")
    drawing = require_matplotlib()
    figure = drawing.Picture(figsize=(15, 7.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_graph(structure, left)
    _draw_matrix(structure, right)
    if structure.mechanism is not None and structure.mechanism.title:
        figure.suptitle(mathtext(structure.mechanism.title))
    # the same picture is the same file
    with drawing.rc_context({"svg.hashsalt": "linkwork", "text.usetex": False}):
        write_picture(figure, target, dpi=120)


# -- the graph ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Nodes:
    """Nodes by key with their label, look and first place; edges and ties by keys, ties with their label."""

    labels: dict[str, tuple[str, str]] = field(default_factory=dict)
    places: dict[str, Floats] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)
    ties: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, key: str, label: str, look: str, place: Floats) -> None:
        self.labels[key] = label, look
        self.places[key] = place


def _collect(graph: Graph, at: dict[str, Floats]) -> _Nodes:
    """Parts, links and ties as nodes and edges."""
    nodes = _Nodes()
    held = {part.name: part.points for part in graph.parts}
    for part in graph.parts:
        look = {WORLD: "world", "point": "point"}.get(part.kind, "part")
        nodes.add(part.name, part.name, look, _mean(at, part.points))
    for link in graph.links:
        key, kind = f"link {link.name}", link.short or link.kind
        label = link.name if kind in ("pin", "ball") else f"{link.name}\n{kind}"
        look = "rule" if kind == "motion" or " " in kind else "link"
        place = at[link.name] if link.name in at else _mean(at, [p for part in link.parts for p in held[part]])
        nodes.add(key, label, look, place)
        nodes.edges += [(key, part) for part in link.parts]
    for tie in graph.ties:
        ends = _end(graph, nodes, tie.points[0]), _end(graph, nodes, tie.points[1])
        nodes.ties[ends] = "\n".join([*nodes.ties.get(ends, "").splitlines(), f"{tie.kind} {tie.name}"])
    for point in graph.masses:
        end = _end(graph, nodes, point)
        nodes.labels[end] = _with_mass(nodes.labels[end], point)
    if not any(WORLD in pair for pair in [*nodes.edges, *nodes.ties]):
        del nodes.labels[WORLD]
    return nodes


def _with_mass(node: tuple[str, str], point: str) -> tuple[str, str]:
    label, look = node
    return (f"{label}\nmass" if label == point else f"{label}\nmass at {point}"), look


def _end(graph: Graph, nodes: _Nodes, point: str) -> str:
    """The node a spring ends at: the pin there, or the one part that has the point."""
    return f"link {point}" if f"link {point}" in nodes.labels else graph.holders[point][0]


def _mean(at: dict[str, Floats], points: Sequence[str]) -> Floats:
    known = [at[point] for point in points if point in at]
    return np.mean(known, axis=0) if known else np.zeros(2)


def _flat_places(structure: Structure) -> dict[str, Floats]:
    """Where the points are at the start, seen from where they are spread most."""
    system = structure.system
    assert structure.q is not None
    q = system.extend(structure.q)
    names = list(system.chart.points)
    places = np.array([q[list(system.chart.points[name])] for name in names])
    if places.size and places.shape[1] == 3:
        _, _, axes = np.linalg.svd(places - places.mean(axis=0), full_matrices=False)
        places = places @ axes[:2].T
    return dict(zip(names, places, strict=True))


def _draw_graph(structure: Structure, axes: Any) -> None:
    axes.set_axis_off()
    axes.set_title("parts and joints")
    graph = structure.graph
    if graph is None or len(graph.parts) + len(graph.links) > LARGEST:
        many = "" if graph is None else f"{len(graph.parts) - 1} parts, {len(graph.links)} links: too many to draw"
        axes.text(0.5, 0.5, many or "no parts: the system is given by its Lagrangian", ha="center", va="center")
        return
    nodes = _collect(graph, _flat_places(structure))
    keys = list(nodes.labels)
    number = {key: i for i, key in enumerate(keys)}
    edges = [(number[a], number[b]) for a, b in nodes.edges]
    ties = {(number[a], number[b]): label for (a, b), label in nodes.ties.items() if a != b}
    at = place_nodes(np.array([nodes.places[key] for key in keys]), [*edges, *ties])
    for a, b in edges:
        axes.plot(*at[[a, b]].T, color="#525252", linewidth=1.2, zorder=1)
    for a, b in ties:
        axes.plot(*at[[a, b]].T, color=RED, linewidth=1.2, linestyle=(0, (2, 2)), zorder=1)
    if len(keys) <= LABELLED:
        _label_nodes(axes, at, [nodes.labels[key] for key in keys], ties)
    else:
        colours = [LOOKS[nodes.labels[key][1]]["edgecolor"] for key in keys]
        axes.scatter(*at.T, s=8, color=colours, zorder=2)
    axes.scatter(*at.T, s=0)  # so that the limits know of all nodes
    axes.margins(0.12)
    axes.set_aspect("equal", adjustable="datalim")


def _label_nodes(axes: Any, at: Floats, labels: Sequence[tuple[str, str]], ties: Mapping[tuple[int, int], str]) -> None:
    font = 10.0 if len(labels) < 30 else 8.0
    middle = {"ha": "center", "va": "center"}
    plain = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    for (a, b), label in ties.items():
        axes.text(*at[[a, b]].mean(axis=0), mathtext(label), color=RED, fontsize=font - 2, bbox=plain, **middle)
    for (label, look), place in zip(labels, at, strict=True):
        axes.text(*place, mathtext(label), fontsize=font - ("\n" in label), bbox=LOOKS[look], **middle)


# -- the matrix --------------------------------------------------------------------------------------------------------


def _draw_matrix(structure: Structure, axes: Any) -> None:
    from matplotlib.patches import Rectangle

    signature = structure.reduced
    p = structure.pattern if signature is None else signature.pattern
    equations = variables = np.arange(p.size)
    if signature is not None:
        equations = np.concatenate([block.equations for block in structure.blocks])
        variables = signature.match[equations]
    row, column = np.argsort(equations)[p.rows], np.argsort(variables)[p.columns]
    tight = np.ones(len(p.rows), dtype=bool)
    if signature is not None:
        tight = signature.d[p.columns] - signature.c[p.rows] == p.orders
    _draw_entries(axes, row, column, p.orders, tight, p.size)
    corner = 0
    for block in structure.blocks:
        k = len(block.equations)
        if p.size <= 10 * NAMED or k > 1:
            axes.add_patch(Rectangle((corner - 0.5, corner - 0.5), k, k, fill=False, edgecolor=RED, linewidth=1.2))
        corner += k
    axes.set_xlim(-0.5, p.size - 0.5)
    axes.set_ylim(p.size - 0.5, -0.5)
    axes.set_aspect("equal")
    _label_axes(axes, [p.names[i] for i in equations], [p.names[i] for i in variables])
    axes.set_xlabel("unknowns: coordinates, constraint forces, T, V")
    axes.set_ylabel("equations: of coordinates, constraints, T, V")
    axes.set_title(_matrix_title(structure))


def _matrix_title(structure: Structure) -> str:
    s = structure.reduced
    if s is None:
        return "signature matrix: structurally singular"
    left_out = ", redundant constraints left out" if structure.mobility.redundant else ""
    free = f"{s.degrees_of_freedom} values free"
    return f"signature matrix in {len(structure.blocks)} blocks, index {s.index}, {free}{left_out}"


def _draw_entries(axes: Any, row: Ints, column: Ints, orders: Ints, tight: NDArray[np.bool_], size: int) -> None:
    """One square for each entry, dark for high orders and pale where all is known beforehand; digits if small."""
    area = max(0.8 * (72 * 5.5 / size) ** 2, 0.5)
    for order, colour in COLOURS.items():
        for strong, label in ((False, None), (True, f"order {order}")):
            mine = (orders == order) & (tight == strong)
            shade = 1.0 if strong else PALE
            axes.scatter(
                column[mine], row[mine], s=area, marker="s", color=colour, alpha=shade, linewidths=0, label=label
            )
    if size <= NAMED:
        for i, j, order, strong in zip(row, column, orders, tight, strict=True):
            ink = "white" if order == 2 and strong else "black"
            mark = f"{order}*" if i == j else str(order)
            axes.text(j, i, mark, ha="center", va="center", fontsize=8 if size < 25 else 6, color=ink)
    legend = axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8, frameon=False, title=PALE_MEANS)
    legend.get_title().set_fontsize(8)
    for handle in legend.legend_handles:
        handle.set_sizes([40])


def _label_axes(axes: Any, rows: list[str], columns: list[str]) -> None:
    if len(rows) > NAMED:
        axes.set_xticks([])
        axes.set_yticks([])
        return
    font = 8 if len(rows) < 30 else 6
    axes.set_xticks(range(len(columns)), map(mathtext, columns), rotation=90, fontsize=font)
    axes.set_yticks(range(len(rows)), map(mathtext, rows), fontsize=font)
