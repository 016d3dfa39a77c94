"""A linear model in words and as plain data: a Linear in, text for people and a dictionary for programs out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.linear.model import MATRICES
from linkwork.analysis.linear.notes import FROZEN
from linkwork.arrays import Floats

if TYPE_CHECKING:
    from linkwork.analysis.linear.discrete import Discrete
    from linkwork.analysis.linear.model import Linear
    from linkwork.analysis.linear.modes import Mode
    from linkwork.analysis.linear.slowest import Slowest


WIDEST = 12  # rows up to which matrices are printed
MOST = 40  # modes that are printed
MANY = 12  # values of the point
UNSTABLE = "unstable"  # a kind of modes
LISTED = 40  # and names of states


def describe_point(linear: Linear | Slowest | Discrete) -> str:
    """What kind of point it is, and by how much it is none."""
    if linear.balanced:
        return "an equilibrium" if linear.still else "a steady motion: no state accelerates"
    worst = max(linear.residual, key=lambda name: abs(linear.residual[name]))
    rest = "at rest but not in equilibrium" if linear.still else "on the way, not in equilibrium"
    return f"{rest}: {worst}' = {linear.residual[worst]:.4g}, the largest; linearised along the motion"


def write_text(linear: Linear, matrices: bool = True) -> str:
    """The report."""
    where = f" ({linear.where})" if linear.where else ""
    lines = [
        f"linear model  {linear.title or 'mechanism'}",
        f"at            t = {linear.at.t:g}{where}, {describe_point(linear)}",
        f"states        {_names(linear.states)}",
        f"speeds        {_names(linear.speeds)}",
        *([f"first order   {', '.join(linear.first_order)}"] if linear.first_order else []),
        f"there         {_values(linear)}",
    ]
    if linear.inputs:
        lines.append(f"inputs        {', '.join(linear.inputs)}")
    lines += [f"note          {note}" for note in linear.notes]
    lines += ["", *_modes(linear)]
    if matrices:
        lines += _matrices(linear)
    return "\n".join(lines) + "\n"


def write_discrete(linear: Discrete, matrices: bool = True) -> str:
    """The report of a model in discrete time."""
    where = f" ({linear.where})" if linear.where else ""
    kind = "an equilibrium" if linear.balanced else "not in equilibrium: linearised along the motion"
    lines = [
        f"linear model  {linear.title or 'mechanism'}, every {linear.period:g} s",
        f"at            t = {linear.at.t:g}{where}, {kind}",
        f"states        {_names(linear.states)}",
        f"speeds        {_names(linear.speeds)}",
        *([f"held besides  {', '.join(linear.first_order)}"] if linear.first_order else []),
        f"there         {_values(linear)}",
    ]
    if linear.inputs:
        lines.append(f"inputs        {', '.join(linear.inputs)}")
    lines += [f"note          {note}" for note in linear.notes]
    within = "within" if linear.stable else "not all within"
    size = float(np.max(np.abs(linear.eigenvalues), initial=0.0))
    lines += [f"eigenvalues   {within} the unit circle, the largest of size {size:.9g}; as in continuous time:"]
    lines += ["", *_modes(linear)]
    if matrices and len(linear.names) > WIDEST:
        lines += [f"matrices of {len(linear.names)} states are not printed; write them to a file"]
    elif matrices:
        lines += _matrix("A", linear.A, linear.names, linear.names)
        lines += _matrix("B", linear.B, linear.names, linear.inputs) if linear.inputs else ()
        lines += _matrix("C", linear.C, linear.outputs, linear.names)
    return "\n".join(lines) + "\n"


def write_modes(slowest: Slowest) -> str:
    """The report of the slowest modes alone."""
    where = f" ({slowest.where})" if slowest.where else ""
    lines = [
        f"slowest modes {slowest.title or 'mechanism'}",
        f"at            t = {slowest.at.t:g}{where}, {describe_point(slowest)}",
        f"states        {_names(slowest.states)}",
        *(f"note          {note}" for note in slowest.notes),
        "",
        *_modes(slowest),
    ]
    return "\n".join(lines) + "\n"


def _names(names: Sequence[str]) -> str:
    """The first names, and how many there are if that is not all."""
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more or "none"


def _values(linear: Linear | Discrete) -> str:
    """Where it is: the values of the first states, speeds that are not zero, and first-order states."""
    given = dict(zip(linear.names, linear.values.tolist(), strict=True))
    shown = [f"{n} = {x:.6g}" for n, x in given.items() if n not in linear.speeds or x]
    return ", ".join(shown[:MANY]) + (" ..." if len(shown) > MANY else "")


def _modes(linear: Linear | Slowest | Discrete) -> Iterator[str]:
    yield f"{'mode':>4} {'eigenvalue':>25} {'Hz':>11} {'damping':>9} {'half/double s':>13}  kind         mostly"
    frozen = FROZEN in linear.notes
    for i, mode in enumerate(linear.modes.found[:MOST], 1):
        kind = "growing now" if frozen and mode.kind == UNSTABLE else mode.kind
        value = f"{mode.eigenvalue.real:+.6g}" + (f" ± {mode.eigenvalue.imag:.6g}i" if mode.oscillates else "")
        half = "" if math.isinf(mode.time_to_half) else f"{abs(mode.time_to_half):.4g}"
        damping = "" if mode.rigid else f"{mode.damping_ratio:.4g}"
        hertz = f"{mode.frequency:.6g}" if mode.oscillates else ""
        yield f"{i:>4} {value:>25} {hertz:>11} {damping:>9} {half:>13}  {kind:<12} {describe_mode(mode)}".rstrip()
    if len(linear.modes) > MOST:
        yield f"     and {len(linear.modes) - MOST} more"
    yield ""


def describe_mode(mode: Mode) -> str:
    """Who takes part: the states first, then who carries energy."""
    taking: dict[str, float] = {}
    for name, share in mode.participation.items():
        whole = name.removesuffix("'").removeprefix("(").removesuffix(")") if name.endswith("'") else name
        taking[whole] = taking.get(whole, 0.0) + share  # a state and its rate together
    parts = [_top(dict(sorted(taking.items(), key=lambda item: -item[1])), 2)] if taking else []
    if len(mode.kinetic) > 1:
        parts.append("moving " + _top(mode.kinetic, 2))
    if len(mode.strain) > 1:
        parts.append("stiff by " + _top(mode.strain, 2))
    idle = [name for name, gain in mode.inputs.items() if gain == 0.0]
    if idle:
        parts.append(f"out of reach of {', '.join(idle)}")
    return "; ".join(parts)


def _top(shares: Mapping[str, float], count: int) -> str:
    return ", ".join(f"{name} {100 * share:.0f}%" for name, share in list(shares.items())[:count])


def _matrices(linear: Linear) -> Iterator[str]:
    if len(linear.names) > WIDEST:
        yield f"matrices of {len(linear.names)} states are not printed; write them to a file"
        return
    yield from _matrix("A", linear.A, linear.names, linear.names)
    if linear.inputs:
        yield from _matrix("B", linear.B, linear.names, linear.inputs)
    if linear.outputs != linear.states:
        yield from _matrix("C", linear.C, linear.outputs, linear.names)
    if linear.inputs and np.any(linear.D):
        yield from _matrix("D", linear.D, linear.outputs, linear.inputs)
    yield from _matrix("mass", linear.mass, linear.speeds, linear.speeds)
    yield from _matrix("damping", linear.damping, linear.speeds, linear.speeds)
    yield from _matrix("stiffness", linear.stiffness, linear.speeds, linear.states)
    if linear.first_order:
        yield from _matrix("coupling", linear.coupling, linear.speeds, linear.first_order)


def _matrix(name: str, M: Floats, rows: Sequence[str], columns: Sequence[str]) -> Iterator[str]:
    left = max([len(name), *map(len, rows)], default=0)
    width = max([13, *(len(c) + 2 for c in columns)])
    yield f"{name:<{left}}" + "".join(f"{c:>{width}}" for c in columns)
    noise = 1e-14 * np.max(np.abs(M), initial=0.0)
    for row, label in zip(M, rows, strict=True):
        yield f"{label:<{left}}" + "".join(f"{x if abs(x) > noise else 0.0:>{width}.6g}" for x in row)
    yield ""


def make_dict(linear: Linear) -> dict[str, object]:
    """Everything as plain data, complex numbers as [real, imaginary]."""
    return {
        "title": linear.title,
        "at": {"t": linear.at.t, "where": linear.where, "kind": describe_point(linear)},
        "equilibrium": linear.balanced and linear.still,
        "steady": linear.balanced,
        "residual": linear.residual,
        "states": list(linear.states),
        "speeds": list(linear.speeds),
        "first_order": list(linear.first_order),
        "inputs": list(linear.inputs),
        "outputs": list(linear.outputs),
        "x": linear.values.tolist(),
        "y": linear.y.tolist(),
        **{name: getattr(linear, name).tolist() for name in MATRICES},
        "coordinates": dict(zip(linear.system.coordinates, linear.at.q[: linear.system.n].tolist(), strict=True)),
        "modes": [_mode(mode) for mode in linear.modes],
        "notes": list(linear.notes),
    }


def make_discrete_dict(linear: Discrete) -> dict[str, object]:
    """A model in discrete time as plain data."""
    return {
        "title": linear.title,
        "at": {"t": linear.at.t, "where": linear.where},
        "period": linear.period,
        "equilibrium": linear.balanced,
        "stable": linear.stable,
        "states": list(linear.states),
        "speeds": list(linear.speeds),
        "first_order": list(linear.first_order),
        "inputs": list(linear.inputs),
        "outputs": list(linear.outputs),
        "x": linear.values.tolist(),
        "y": linear.y.tolist(),
        **{name: getattr(linear, name).tolist() for name in ("A", "B", "C", "D")},
        "eigenvalues": [_pair(z) for z in linear.eigenvalues.tolist()],
        "modes": [_mode(mode) for mode in linear.modes],
        "notes": list(linear.notes),
    }


def _mode(mode: Mode) -> dict[str, object]:
    names, coordinates = mode.linear.names, mode.linear.system.coordinates
    return {
        "eigenvalue": _pair(mode.eigenvalue),
        "kind": mode.kind,
        "frequency": mode.frequency,
        "omega": mode.omega,
        "damping_ratio": None if mode.rigid else mode.damping_ratio,
        "time_to_half": None if math.isinf(mode.time_to_half) else mode.time_to_half,
        "states": {n: _pair(v) for n, v in zip(names, mode.states, strict=True)},
        "coordinates": {n: _pair(v) for n, v in zip(coordinates, mode.coordinates, strict=True)},
        "participation": mode.participation,
        "kinetic": mode.kinetic,
        "strain": mode.strain,
        "inputs": mode.inputs,
        "outputs": mode.outputs,
    }


def _pair(z: complex) -> list[float]:
    return [float(np.real(z)), float(np.imag(z))]
