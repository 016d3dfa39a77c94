"""A consistent start: guesses in, the nearest positions and velocities that meet all constraints out.

Positions   minimise  ½ Σ wᵢ (qᵢ − guessᵢ)²   subject to  g(q) = 0
Velocities  minimise  ½ Σ wᵢ (uᵢ − guessᵢ)²   subject to  G u = 0

with fixed values kept. The first is solved by closing the constraints (Levenberg–Marquardt, which does not depend on
a lucky guess, from a few perturbed guesses if need be) and then sliding along them to the nearest point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, csc_array, diags_array

from linkwork.equations import System
from linkwork.errors import StartError, did_you_mean
from linkwork.model import Lagrangian, Mechanism
from linkwork.native.numbers import compute_constraints, compute_levels, compute_matrices
from linkwork.solve.guess import Guesses, guess_positions, guess_velocities

Floats = NDArray[np.float64]

CLOSED = 1e-12  # constraints count as closed when no coordinate would have to move by more than this (relative)
UNMENTIONED = 1e-3  # weight of values the user did not give
ROUNDS = 40  # in which such values let go of those that were given
STUCK = 6  # iterations without progress after which a guess is given up
AMBIGUOUS = 6  # ways to close that are compared when the guess does not say which side is meant
ATTEMPTS = 12  # perturbed guesses tried before giving up
DENSE = 100  # unknowns up to which dense linear algebra is used, which copes with any rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A value that had to change: its name, what was given and what was found."""

    name: str
    given: float
    found: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A consistent state and how it relates to what was given."""

    t: float
    q: Floats
    u: Floats
    moved: tuple[Move, ...]
    placed: Mapping[str, tuple[float, ...]]
    attempts: int

    def report(self, limit: int = 4) -> str:
        """What was moved and by how much, largest first, and where points went that nobody placed."""
        moves = sorted(self.moved, key=lambda m: -abs(m.found - m.given))
        lines = [f"{m.name} {m.given:.6g} -> {m.found:.6g}" for m in moves[:limit]]
        told = "moved " + ", ".join(lines) + _more(moves, limit) if moves else "all given values kept"
        if not self.placed:
            return told
        places = [f"{name} ({', '.join(f'{x:.4g}' for x in at)})" for name, at in list(self.placed.items())[:limit]]
        return f"{told}; found {', '.join(places)}{_more(self.placed, limit)}"


def _more(items: Sized, limit: int) -> str:
    return f" and {len(items) - limit} more" if len(items) > limit else ""


def find_start(mechanism: Mechanism | Lagrangian, system: System, weights: Mapping[str, float] | None = None) -> Start:
    """The consistent state nearest to the mechanism's initial values; `weights` by coordinate ('Cx') or point ('C')."""
    importance = _weights(system, weights or {})
    t = mechanism.compute(mechanism.start.t0)
    position = guess_positions(mechanism, system)
    _check_finite(system, t, position.values)
    q, attempts = _close_positions(system, t, position, importance)
    for i in system.periodic:
        q[i] = q[i] if position.given[i] else _principal(q[i])
    _check_fixed(system, t, position, q, "position")
    velocity = guess_velocities(mechanism, system)
    u = _close_velocities(system, t, velocity, importance, q)
    _check_fixed(system, t, velocity, q, "velocity")
    moved = (*_moves(system, position, q, ""), *_moves(system, velocity, u, "'"))
    moving = {name: list(at) for name, at in system.points.items() if at[0] < system.n}
    placed = {name: tuple(q[at].tolist()) for name, at in moving.items() if not position.given[at].any()}
    return Start(t=t, q=q, u=u, moved=moved, placed=placed, attempts=attempts)


def _check_finite(system: System, t: float, q: Floats) -> None:
    """A motion's law must have a value at the start."""
    with np.errstate(all="ignore"):
        still = np.zeros_like(q)
        levels = compute_levels(system, q, still, still, t)
    bad = np.flatnonzero(~np.isfinite(levels[0]) | ~np.isfinite(levels[1]))
    names = [system.constraints[i].replace("motion_", "motion ") for i in bad]
    if names:
        raise StartError(f"not finite at t = {t:g}: {', '.join(names[:5])}. Check the law there")


def _principal(angle: float) -> float:
    """The same angle in (−π, π]."""
    return angle - 2 * math.pi * math.ceil((angle - math.pi) / (2 * math.pi))


def _weights(system: System, weights: Mapping[str, float]) -> Floats:
    values = np.ones(system.n)
    for name, weight in weights.items():
        if not (math.isfinite(weight) and weight > 0):
            raise StartError(f"weight of '{name}' must be a positive number, not {weight}")
        if name in system.index:
            values[system.index[name]] = weight
        elif name in system.points and all(i < system.n for i in system.points[name]):
            values[list(system.points[name])] = weight
        else:
            hint = did_you_mean(name, [*system.coordinates, *system.points])
            raise StartError(f"weight of '{name}': no moving point or coordinate of that name. {hint}")
    return values


def _moves(system: System, guesses: Guesses, found: Floats, mark: str) -> Iterator[Move]:
    threshold = 1e-9 * system.scales if not mark else 1e-9 * np.maximum(np.abs(guesses.values), 1e-3)
    for i in np.flatnonzero(guesses.given & (np.abs(found - guesses.values) > threshold)):
        yield Move(name=system.coordinates[i] + mark, given=float(guesses.values[i]), found=float(found[i]))


# -- positions -------------------------------------------------------------------------------------------------------


def _close_positions(system: System, t: float, guesses: Guesses, importance: Floats) -> tuple[Floats, int]:
    """The nearest consistent positions, and from how many guesses they were sought."""
    weight = importance * np.where(guesses.given, 1.0, UNMENTIONED) / system.scales**2
    free = np.flatnonzero(~guesses.fixed)
    closed: list[Floats] = []
    most = (
        ATTEMPTS if guesses.fixed.sum() <= max(0, _count(system)) else 2
    )  # more fixed values than that rarely close
    wanted = AMBIGUOUS if _is_ambiguous(system, t, guesses.values) else 1
    best, best_open, attempts = guesses.values, math.inf, 0
    for guess in _perturbed(system, guesses, free):
        attempts += 1
        q = _restore(system, t, guess, free, weight)
        gap = _gap(system, t, q)
        if gap <= CLOSED:
            closed.append(_approach(system, t, guesses, q, free, weight))
        if len(closed) == wanted or attempts == most:
            break
        if gap < best_open:
            best, best_open = q, gap
    if not closed:
        raise StartError(_explain_open(system, t, guesses, best))
    return min(closed, key=lambda q: _distance(guesses.values, q, free, weight[free])), attempts


def _is_ambiguous(system: System, t: float, q: Floats) -> bool:
    """Whether a constraint has no direction at the guess, as when two points that should be apart coincide."""
    G = _position_matrix(system, q, t)
    rows = np.sqrt(np.asarray(G.multiply(G).sum(axis=1)).ravel())[system.holonomic]
    return bool(len(rows) and rows.min() < 1e-3 * np.median(rows))


def _position_matrix(system: System, q: Floats, t: float) -> csc_array:
    """∂g/∂q, with empty rows for constraints of velocities, which say nothing about positions."""
    return csc_array(diags_array(system.holonomic.astype(float)) @ compute_matrices(system, q, t)[1])


def _count(system: System, what: str = "position") -> int:
    """Coordinates minus constraints of positions or, what velocities must obey, all of them."""
    return system.n - (system.m if what == "velocity" else int(system.holonomic.sum()))


def _perturbed(system: System, guesses: Guesses, free: NDArray[np.int64]) -> Iterator[Floats]:
    """The guess itself, then guesses around it at growing distance, always the same ones."""
    yield guesses.values.copy()
    random = np.random.default_rng(1)
    for attempt in range(1, ATTEMPTS):
        size = 2.0 * attempt / ATTEMPTS
        guess = guesses.values.copy()
        guess[free] += size * system.scales[free] * random.standard_normal(len(free))
        yield guess


def _gap(system: System, t: float, q: Floats) -> float:
    """How far the constraints are from being met, as a relative displacement of coordinates."""
    if system.m == 0:
        return 0.0
    size = _displacement(system, t, q)
    return float(np.max(size)) if np.isfinite(size).all() else math.inf


def _displacement(system: System, t: float, q: Floats) -> Floats:
    """|g| / ‖G‖ of each constraint, with coordinates measured in their scales."""
    g = compute_constraints(system, q, t)
    G = _position_matrix(system, q, t)
    rows = np.sqrt(np.asarray((G.multiply(G)) @ system.scales**2).ravel())
    return np.abs(g) / np.where(rows > 0, rows, 1.0)


def _restore(system: System, t: float, guess: Floats, free: NDArray[np.int64], weight: Floats) -> Floats:
    """Close the constraints by Levenberg–Marquardt steps; ends closed or where no step helps."""
    q = guess.copy()
    if system.m == 0 or len(free) == 0:
        return q
    scale = 1.0 / np.sqrt(np.maximum(weight[free], UNMENTIONED * np.max(weight[free])))
    damping, last, stuck = 1e-3, math.inf, 0
    g = compute_constraints(system, q, t)
    for _ in range(500):
        G = _position_matrix(system, q, t)
        J = csc_array(G[:, free] @ diags_array(scale))
        rows = np.sqrt(np.asarray(J.multiply(J).sum(axis=1)).ravel())
        row_scale = 1.0 / np.where(rows > 0, rows, float(rows.max(initial=0.0)) or 1.0)
        J, r = csc_array(diags_array(row_scale) @ J), row_scale * g
        size = float(r @ r)
        if not math.isfinite(size) or math.sqrt(size) < 1e-15 or (size >= last and math.sqrt(size) < CLOSED):
            break
        stuck = stuck + 1 if size > 0.98 * last else 0
        if stuck == STUCK:
            break
        last = size
        while damping < 1e12:
            step = scale * _damped_step(J, r, damping)
            trial = q.copy()
            trial[free] += step
            new = compute_constraints(system, trial, t)
            if float(np.sum((row_scale * new) ** 2)) < size:
                q, g, damping = trial, new, max(damping * 0.1, 1e-16)
                break
            damping = max(damping, 1e-8) * 8
        else:
            break
    return q


def _damped_step(J: csc_array, r: Floats, damping: float) -> Floats:
    """The δ that minimises |J δ + r|² + damping |δ|²; of least norm as damping vanishes."""
    m, n = J.shape
    if n + m <= DENSE:
        dense = J.toarray()
        if damping < 1e-9:
            return np.asarray(np.linalg.lstsq(dense, -r, rcond=1e-12)[0])
        return np.asarray(-dense.T @ np.linalg.solve(dense @ dense.T + damping * np.eye(m), r))
    from scipy.sparse.linalg import splu

    normal = csc_array(J @ J.T + max(damping, 1e-13) * diags_array(np.ones(m)))
    return np.asarray(-(J.T @ splu(normal).solve(r)))


def _approach(system: System, t: float, guesses: Guesses, q: Floats, free: NDArray[np.int64], weight: Floats) -> Floats:
    """Slide to the guesses; then again with what nobody gave left where it is, until it holds back nothing given."""
    target = guesses.values.copy()
    if not (guesses.given & ~guesses.fixed).any():
        return q  # nobody asked for more than a closed mechanism
    for i in range(ROUNDS):
        before, q = q, _slide(system, t, target, q, free, weight)
        if guesses.given.all() or (i and np.max(np.abs(q - before) / system.scales, initial=0.0) < CLOSED):
            break
        target[~guesses.given] = q[~guesses.given]
    return q


def _slide(system: System, t: float, target: Floats, q: Floats, free: NDArray[np.int64], weight: Floats) -> Floats:
    """Move along the constraints to the point nearest to the target (Gauss–Newton steps on the manifold)."""
    if len(free) == 0 or system.m == 0:
        return q
    W = weight[free]
    distance = _distance(target, q, free, W)
    for _ in range(50):
        G = _position_matrix(system, q, t)
        step = _nearest(W, csc_array(G[:, free]), W * (q - target)[free], compute_constraints(system, q, t))
        if float(np.max(np.abs(step) / system.scales[free], initial=0.0)) < CLOSED:
            break
        # take the step, closed again; shorten it until the distance falls
        for shorten in (1.0, 0.5, 0.25, 0.1, 0.02):
            trial = q.copy()
            trial[free] += shorten * step
            trial = _restore(system, t, trial, free, weight)
            new = _distance(target, trial, free, W)
            if new < distance * (1 - 1e-14) and _gap(system, t, trial) <= CLOSED:
                q, distance = trial, new
                break
        else:
            break
    return q


def _distance(target: Floats, q: Floats, free: NDArray[np.int64], W: Floats) -> float:
    return float(np.sum(W * (q - target)[free] ** 2))


def _nearest(W: Floats, G: csc_array, gradient: Floats, g: Floats) -> Floats:
    """The δ that minimises ½ δᵀWδ + gradientᵀδ subject to G δ + g = 0 (least squares if that cannot be met)."""
    m, n = G.shape
    rhs = np.concatenate([-gradient, -g])
    scale = np.sqrt(W)
    # in scaled unknowns the first block is the identity
    J = csc_array(G @ diags_array(1.0 / scale))
    rhs[:n] /= scale
    if n + m <= DENSE:
        dense = J.toarray()
        target = rhs[:n]
        correction = np.linalg.lstsq(dense, rhs[n:] - dense @ target, rcond=1e-12)[0] if m else 0.0
        return np.asarray((target + correction) / scale)
    from scipy.sparse.linalg import splu

    size = max(1e-300, float(abs(J).max()))
    K = block_array([[diags_array(np.ones(n)), J.T], [J, -1e-13 * size**2 * diags_array(np.ones(m))]], format="csc")
    factors = splu(K)
    exact = block_array([[diags_array(np.ones(n)), J.T], [J, csc_array((m, m))]], format="csc")
    x = factors.solve(rhs)
    for _ in range(2):
        x = x + factors.solve(rhs - exact @ x)
    return np.asarray(x[:n] / scale)


# -- velocities ------------------------------------------------------------------------------------------------------


def _close_velocities(system: System, t: float, guesses: Guesses, importance: Floats, q: Floats) -> Floats:
    """The nearest velocities along the constraints, a linear problem."""
    u = guesses.values.copy()
    free = np.flatnonzero(~guesses.fixed)
    if system.m == 0:
        return u
    weight = importance * np.where(guesses.given, 1.0, UNMENTIONED) / system.scales**2
    _, G = compute_matrices(system, q, t)
    # ġ = G u + ∂g/∂t
    still = np.zeros_like(q)
    drive = compute_levels(system, q, still, still, t)[1]
    # at least twice, so that rounding is removed, and until what nobody gave holds back nothing given
    target, J = guesses.values.copy(), csc_array(G[:, free])
    for i in range(ROUNDS):
        step = _nearest(weight[free], J, weight[free] * (u - target)[free], G @ u + drive)
        u[free] += step
        if i and np.max(np.abs(step), initial=0.0) <= CLOSED * np.max(np.abs(u), initial=0.0):
            break
        target[~guesses.given] = u[~guesses.given]
    rows = np.sqrt(np.asarray(G.multiply(G) @ system.scales**2).ravel())
    speed = max(float(np.max(np.abs([u, guesses.values]) / system.scales, initial=0.0)), 1e-300)
    open_rows = np.abs(G @ u + drive) / np.where(rows > 0, rows, 1.0) / speed
    if float(np.max(open_rows, initial=0.0)) > 1e-9:
        worst = ", ".join(_describe(system, open_rows * speed, "m/s"))
        raise StartError(f"{_who_fights(system, guesses)}. Constraints left open: {worst}")
    return u


def _who_fights(system: System, guesses: Guesses) -> str:
    """What cannot be met together: fixed velocities, prescribed motions, or both."""
    fixed = ", ".join(system.coordinates[i] + "'" for i in np.flatnonzero(guesses.fixed))
    motions = ", ".join(name.removeprefix("motion_") for name in system.constraints if name.startswith("motion_"))
    if motions and fixed:
        return f"the fixed velocities ({fixed}) and the motions ({motions}) cannot be met together: drop one of them"
    if motions:
        return f"the motions ({motions}) fight each other or the mechanism: drop one of them"
    return f"the fixed velocities cannot be met together: {fixed}. Leave one of them free (drop 'fixed')"


# -- what cannot be --------------------------------------------------------------------------------------------------


def _check_fixed(system: System, t: float, guesses: Guesses, q: Floats, what: str) -> None:
    """More fixed values than degrees of freedom are an error even if they happen to agree."""
    fixed = np.flatnonzero(guesses.fixed)
    freedom = _count(system, what)
    if len(fixed) <= freedom:
        return
    if system.n <= 1500:
        G = compute_matrices(system, q, t)[1] if what == "velocity" else _position_matrix(system, q, t)
        freedom = system.n - int(np.linalg.matrix_rank(G.toarray())) if system.m else system.n
    if len(fixed) > freedom:
        raise StartError(_explain_too_many(system, fixed, freedom, what))


def _explain_too_many(system: System, fixed: NDArray[np.int64], freedom: int, what: str) -> str:
    mark = "'" if what == "velocity" else ""
    names = ", ".join(system.coordinates[i] + mark for i in fixed)
    plural = "degree" if freedom == 1 else "degrees"
    return (
        f"too many fixed {what} values: {len(fixed)} ({names}) for {freedom} {plural} of freedom. "
        f"Drop 'fixed' from {len(fixed) - freedom} of them"
    )


def _explain_open(system: System, t: float, guesses: Guesses, q: Floats) -> str:
    fixed = np.flatnonzero(guesses.fixed)
    if len(fixed) > max(0, _count(system)):
        return _explain_too_many(system, fixed, max(0, _count(system)), "position")
    size = _gaps(system, t, q)
    what = ", ".join(_describe(system, size, "m"))
    names = ", ".join(system.coordinates[i] for i in fixed)
    about_fixed = f" The fixed values are {names}: check whether they can be reached." if names else ""
    return (
        f"the mechanism cannot be assembled from these positions: {what}.{about_fixed} "
        "Check lengths and fixed points, or give positions nearer to the assembled mechanism"
    )


def _gaps(system: System, t: float, q: Floats) -> Floats:
    """By how much each constraint is open [m]: a length by its difference, others by the displacement they ask for."""
    gaps = _displacement(system, t, q) * float(system.scales.max())
    g = compute_constraints(system, q, t)
    for term in system.terms:
        if term.kernel.constraint_count == 1 and term.kernel.parameters == ("length",):
            # g = d² − ℓ²
            rows, length = term.rows[:, 0], term.parameters[:, 0]
            gaps[rows] = np.abs(np.sqrt(np.maximum(g[rows] + length**2, 0.0)) - length)
    return gaps


def _describe(system: System, size: Floats, unit: str) -> list[str]:
    """The constraints that stay open, worst first."""
    order = np.argsort(-size)[:5]
    return [
        f"{system.constraints[i]} stays open by {size[i]:.3g} {unit}" for i in order if size[i] > 1e-9 * size[order[0]]
    ]
