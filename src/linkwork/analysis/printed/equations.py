"""The equations of a System for people: energies, forces, constraints and equations of motion, in three formats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.printed.derivation import Derivation
from linkwork.analysis.printed.latex import write_latex, write_markdown
from linkwork.analysis.printed.sheet import LIMIT, compose
from linkwork.analysis.printed.sympy_script import write_sympy
from linkwork.analysis.printed.text import write_text
from linkwork.equations import System
from linkwork.symbolic import ZERO, Expr, add


class Equations:
    """The equations of a mechanism, symbolic in its coordinates and parameters.

    `text`, `latex` and `sympy` write them: all of them, or the first ones of a mechanism with more than `limit`
    coordinates or constraints. `symbols` has the symbols of coordinates, speeds, accelerations and multipliers
    (q, u, a, lam) and the values of the parameters.
    """

    def __init__(self, system: System, title: str = "") -> None:
        self.system, self.title = system, title
        self.symbols = Derivation(system)

    @property
    def T(self) -> Expr:
        """The kinetic energy."""
        return self.symbols.derive_kinetic(self.symbols.instances)

    @property
    def potentials(self) -> dict[str, Expr]:
        """The potential energies by kind."""
        return {kind: self.symbols.derive_potential(kind, self.symbols.instances) for kind in self.symbols.kinds}

    @property
    def V(self) -> Expr:
        """The potential energy."""
        return add(ZERO, *self.potentials.values())

    @property
    def L(self) -> Expr:
        """The Lagrangian T − V."""
        return self.T - self.V

    @property
    def R(self) -> Expr:
        """The Rayleigh function, whose forces are −∂R/∂u."""
        return self.symbols.derive_dissipation(self.symbols.instances)

    @property
    def forces(self) -> dict[str, Expr]:
        """The applied forces that are no potential, by coordinate."""
        return {self.system.coordinates[j]: self.symbols.derive_force(j) for j in self.symbols.forced}

    @property
    def constraints(self) -> dict[str, Expr]:
        """The constraints of positions by name, each = 0."""
        return self._rows(holonomic=True)

    @property
    def velocity_constraints(self) -> dict[str, Expr]:
        """The constraints of velocities by name, each = 0."""
        return self._rows(holonomic=False)

    def _rows(self, *, holonomic: bool) -> dict[str, Expr]:
        chosen = [row for row, kept in enumerate(self.system.holonomic) if kept == holonomic]
        return {self.system.constraints[row]: self.symbols.derive_constraint(row) for row in chosen}

    @property
    def motion(self) -> dict[str, Expr]:
        """The equations of motion by coordinate, each = 0."""
        return self._motion(self.system.mechanical)

    @property
    def states(self) -> dict[str, Expr]:
        """The equations of first-order states by name, each = 0."""
        return self._motion(~self.system.mechanical)

    def _motion(self, chosen: NDArray[np.bool_]) -> dict[str, Expr]:
        names = self.system.labels
        return {names[j]: add(ZERO, *self.symbols.derive_motion(j)) for j in np.flatnonzero(chosen).tolist()}

    def text(self, limit: int | None = LIMIT) -> str:
        """Plain text whose formulas can be parsed again."""
        return write_text(compose(self.symbols, self.title, limit))

    def latex(self, limit: int | None = LIMIT) -> str:
        """The body of a LaTeX document that uses amsmath."""
        return write_latex(compose(self.symbols, self.title, limit), self.symbols)

    def sympy(self, limit: int | None = LIMIT) -> str:
        """A Python script that defines the equations for SymPy."""
        return write_sympy(compose(self.symbols, self.title, limit), self.symbols)

    def markdown(self, limit: int | None = LIMIT) -> str:
        """Headings and formulas, for a page or a notebook."""
        return write_markdown(compose(self.symbols, self.title, limit), self.symbols)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Equations({self.title or 'untitled'}: {self.system.n} coordinates, {self.system.m} constraints)"

    def _repr_markdown_(self) -> str:
        return self.markdown()
