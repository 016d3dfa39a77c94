"""Findings of an audit: what was found where, when, how much of it and how much is allowed; in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats

SMOOTH = 8  # degree of a polynomial that a smooth law is close to within a step


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The worst case of one law that a motion must obey.

    law      such as "rigid parts are rigid"
    where    the part, joint, point or coordinate
    t        the time [s]
    amount   by how much the law is broken there, in `unit`
    allowed  what the tolerance of the run allows there
    """

    law: str
    where: str
    t: float
    amount: float
    allowed: float
    unit: str

    @property
    def ok(self) -> bool:
        """Whether this is within what is allowed."""
        return bool(self.amount <= self.allowed)

    @property
    def ratio(self) -> float:
        """The amount over what is allowed."""
        if np.isnan(self.amount) or not np.isfinite(self.allowed):
            return float("inf")
        return self.amount / self.allowed if self.allowed > 0 else 0.0 if self.amount == 0 else float("inf")

    def text(self) -> str:
        """The finding as a sentence."""
        if not np.isfinite(self.amount):
            return f"{self.law}: {self.where} has no finite value at t = {self.t:.6g}"
        size = f"{self.amount:.2g} {self.unit}".strip()
        more = f"{self.allowed:.2g} {self.unit}".strip()
        verdict = f"within {more}" if self.ok else f"more than the {more} that the tolerance allows"
        return f"{self.law}: {self.where} is off by {size} at t = {self.t:.6g}, {verdict}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """How well a motion obeys the laws of mechanics, judged from the description alone.

    findings  the worst case of every law, the worst first
    samples   how many times were looked at
    advice    what may be the cause and what to do; empty if all is well
    errors    estimate of the error of every point (and state) at the end, by re-integration; empty unless it was deep
    fitted    by how much numbers of the description disagree, which was allowed for
    """

    findings: tuple[Finding, ...]
    samples: int
    advice: str = ""
    errors: tuple[tuple[str, float], ...] = ()
    fitted: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether all findings are within what is allowed."""
        return all(finding.ok for finding in self.findings)

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that are not."""
        return tuple(finding for finding in self.findings if not finding.ok)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Sentences about what failed, with advice; none if nothing did."""
        found = [finding.text() for finding in self.failures]
        return (*found, self.advice) if found and self.advice else tuple(found)

    def line(self) -> str:
        """The verdict in one line."""
        laws = len(self.findings)
        if self.ok:
            rounded = f", whose numbers disagree by {self.fitted:.1e}" if self.fitted else ""
            return f"passed: {laws} laws hold at {self.samples} times, judged from the description alone{rounded}"
        worst, *others = self.failures
        more = f" (and {len(others)} more)" if others else ""
        return f"FAILED: {worst.text()}{more}"

    def text(self) -> str:
        """All findings, one line each."""
        lines = [self.line()]
        lines += [f"  {'ok    ' if f.ok else 'FAILED'}  {f.text()}" for f in self.findings]
        lines += [f"  {self.advice}"] if self.advice else []
        if self.errors:
            lines.append("  estimated error at the end, by re-integration:")
            lines += [f"    {name:<8} {error:.1e}" for name, error in self.errors]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Audit({self.line()})"


def worst(law: str, names: list[str], t: Floats, amount: Floats, allowed: Floats | float, unit: str) -> list[Finding]:
    """The worst case of a law at k times for some parts.   t: (k,), amount: (k, parts)  →  one finding or none"""
    if amount.size == 0:
        return []
    limit = np.broadcast_to(allowed, amount.shape)
    with np.errstate(all="ignore"):
        ratio = np.where(np.isfinite(amount), amount / np.where(limit > 0, limit, 1e-300), np.inf)
    i, j = np.unravel_index(int(np.argmax(ratio)), amount.shape)
    return [
        Finding(
            law=law,
            where=names[j],
            t=float(t[i]),
            amount=float(amount[i, j]),
            allowed=float(limit[i, j]),
            unit=unit,
        )
    ]


def find_rough(names: list[str], values: Floats) -> tuple[str, float]:
    """Which of some values changes most abruptly over evenly spread times.   values: (k, names)

    Measured by what a polynomial of low degree misses of it, relative to its range; 0 where all are smooth.
    """
    if not names:
        return "", 0.0
    basis = np.polynomial.legendre.legvander(np.linspace(-1, 1, len(values)), SMOOTH)
    values = np.nan_to_num(values)
    missed = values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0]
    size, reach = np.max(np.abs(values), axis=0), np.ptp(values, axis=0)
    rough = np.where(reach > 1e-9 * size, np.max(np.abs(missed), axis=0) / np.where(reach > 0, reach, 1.0), 0.0)
    i = int(np.argmax(rough))
    return names[i], float(rough[i])
