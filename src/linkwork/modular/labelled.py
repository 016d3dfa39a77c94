"""Matrices whose rows and columns carry labels: sums, products and partitions by label, never by place.

X + Y       sum by label; a label that one of them lacks counts as zeros
X @ Y       product; the columns of X and the rows of Y are the same labels, in whatever order
X[rows, columns], X.T, X * factor
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import ExpressionError, InputError, Problem, Ref, show_value
from linkwork.given import as_list, as_map, as_object
from linkwork.modular.display import latex, latex_name, rounded
from linkwork.modular.elimination import Eliminated, Point, eliminate
from linkwork.modular.names import as_formula, as_symbols
from linkwork.symbolic import (
    ZERO,
    Expr,
    ExprLike,
    Symbol,
    add,
    as_expr,
    evaluate_all,
    free_symbols,
    multiply,
    substitute_all,
)
from linkwork.symbolic import jacobian as derive_jacobian

MATRIX = Ref("labelled matrix")
COLUMN = ""  # the label of the one column of a column
NAMED = re.compile(r"δ?[A-Za-z_][A-Za-z0-9_]*'{0,3}|[0-9]+")

Key = str | Iterable[str] | slice


def refuse(what: str, remedy: str, part: str = "labelled matrix") -> InputError:
    """The error about a matrix."""
    return InputError([Problem(part=part, what=what, remedy=remedy)])


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Labelled:
    """A matrix of expressions with labelled rows and columns.

    >>> X = Labelled(["r1", "r2"], ["a", "b"], [[1, 2], [3, 4]])
    >>> Y = Labelled(["r2"], ["b", "c"], [[10, 20]])
    >>> print((X + Y).text)
        a   b   c
    r1  1   2   0
    r2  3  14  20
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    array: tuple[tuple[Expr, ...], ...]

    def __init__(self, rows: Iterable[str], columns: Iterable[str], array: Iterable[Iterable[ExprLike | str]]) -> None:
        object.__setattr__(self, "rows", _labels(rows, "row"))
        object.__setattr__(self, "columns", _labels(columns, "column"))
        entries = [as_list(row, MATRIX, "entries", "Give rows of entries") for row in as_list(array, MATRIX, "entries")]
        object.__setattr__(self, "array", tuple(tuple(map(_entry, row)) for row in entries))
        for kind, labels in (("row", self.rows), ("column", self.columns)):
            if len(labels) > len({*labels}):
                twice = sorted(label for label, n in Counter(labels).items() if n > 1)
                raise refuse(f"the {kind} label '{twice[0]}' is there twice", "Give each label once")
        shape = {len(row) for row in self.array} or {len(self.columns)}
        if len(self.array) != len(self.rows) or shape != {len(self.columns)}:
            what = (
                f"{len(self.array)} rows of {sorted(shape)} entries for {len(self.rows)} x {len(self.columns)} labels"
            )
            raise refuse(what, "Give as many entries as labels")

    @classmethod
    def column(cls, entries: Mapping[str, ExprLike | str]) -> Labelled:
        """A column, by label."""
        given = as_map(entries, MATRIX, "column")
        return cls(given, [COLUMN], [[e] for e in given.values()])

    @classmethod
    def of(cls, rows: Iterable[str], columns: Iterable[str], entries: Mapping[tuple[str, str], Expr]) -> Labelled:
        """A matrix from its entries that are not zero."""
        down, across = tuple(rows), tuple(columns)
        return cls(down, across, [[entries.get((i, j), ZERO) for j in across] for i in down])

    @classmethod
    def identity(cls, labels: Iterable[str]) -> Labelled:
        """Ones where labels are the same."""
        names = _labels(labels, "row")
        return cls(names, names, [[int(i == j) for j in names] for i in names])

    @property
    def entries(self) -> dict[tuple[str, str], Expr]:
        """All that is not zero, by labels."""
        pairs = zip(self.rows, self.array, strict=True)
        return {(i, j): e for i, row in pairs for j, e in zip(self.columns, row, strict=True) if e is not ZERO}

    @property
    def by_row(self) -> list[dict[str, Expr]]:
        """Each row, what of it is not zero."""
        return [{j: e for j, e in zip(self.columns, row, strict=True) if e is not ZERO} for row in self.array]

    # sums and products

    def __add__(self, other: Labelled) -> Labelled:
        return assemble(self, other)

    def __sub__(self, other: Labelled) -> Labelled:
        return assemble(self, _matrix(other) * -1)

    def __neg__(self) -> Labelled:
        return self * -1

    def __mul__(self, factor: ExprLike) -> Labelled:
        by = as_formula(factor, "factor")
        return self.apply(lambda e: e * by)

    __rmul__ = __mul__

    def __matmul__(self, other: Labelled) -> Labelled:
        if {*self.columns} != {*_matrix(other).rows}:
            raise mismatch("columns of the first and rows of the second", self.columns, other.rows)
        below = dict(zip(other.rows, other.by_row, strict=True))
        array = []
        for row in self.by_row:
            sums: dict[str, list[Expr]] = {}
            for k, e in row.items():
                for j, f in below[k].items():
                    sums.setdefault(j, []).append(multiply(e, f))
            array.append([add(*sums[j]) if j in sums else ZERO for j in other.columns])
        return Labelled(self.rows, other.columns, array)

    @property
    def T(self) -> Labelled:
        """The transpose."""
        return Labelled(
            self.columns, self.rows, zip(*self.array, strict=True) if self.rows else [()] * len(self.columns)
        )

    # parts

    def __getitem__(self, key: Key | tuple[Key, Key]) -> Any:
        rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        down, across = _picked(rows, self.rows, "row"), _picked(columns, self.columns, "column")
        places = {label: i for i, label in enumerate(self.rows)}, {label: j for j, label in enumerate(self.columns)}
        single = isinstance(rows, str) and (isinstance(columns, str) or self.columns == (COLUMN,))
        if single:
            return self.array[places[0][down[0]]][places[1][across[0]]]
        return Labelled(down, across, [[self.array[places[0][i]][places[1][j]] for j in across] for i in down])

    def relabelled(self, rows: Iterable[str] | None = None, columns: Iterable[str] | None = None) -> Labelled:
        """The same entries under other labels."""
        return Labelled(self.rows if rows is None else rows, self.columns if columns is None else columns, self.array)

    def apply(self, function: Callable[[Expr], ExprLike]) -> Labelled:
        """A function on every entry."""
        if not callable(function):
            raise refuse(f"{show_value(function)} is no function", "Give one of an expression")
        return Labelled(self.rows, self.columns, [[function(e) for e in row] for row in self.array])

    def substitute(self, values: Mapping[Expr, ExprLike]) -> Labelled:
        """With replacements in all entries."""
        flat = iter(substitute_all([e for row in self.array for e in row], self._replacements(values)))
        return Labelled(self.rows, self.columns, [[next(flat) for _ in self.columns] for _ in self.rows])

    def _replacements(self, values: Any) -> dict[Expr, ExprLike]:
        """What replaces which expression; a name stands for all symbols of that name."""
        if not isinstance(values, Mapping):
            raise refuse(f"{show_value(values)} does not say what replaces what", "Give {symbol: formula}")
        found: dict[Expr, ExprLike] = {
            old: as_formula(new, str(old)) for old, new in values.items() if isinstance(old, Expr)
        }
        names = {old: as_formula(new, old) for old, new in values.items() if isinstance(old, str)}
        return found | {s: names[s.name] for s in self.symbols if s.name in names}

    def evaluate(self, values: Mapping[str, float]) -> Floats:
        """The numbers at some values of all names."""
        try:
            flat = evaluate_all([e for row in self.array for e in row], as_map(values, MATRIX, "values"))
        except ExpressionError as error:
            raise refuse(error.what, error.remedy or "Give {name: number} for all names") from None
        return np.array(flat, dtype=float).reshape(len(self.rows), len(self.columns))

    # equations

    def solve(self, right: Labelled) -> Labelled:
        """Z of self Z = right; its rows are the columns of self."""
        if {*self.rows} != {*_matrix(right).rows}:
            raise mismatch("rows of both sides", self.rows, right.rows)
        if len(self.rows) != len(self.columns):
            raise refuse(f"{len(self.rows)} equations for {len(self.columns)} unknowns", "Use least_squares")
        sides = {f"= {label}": label for label in right.columns}
        given = dict(zip(right.rows, right.by_row, strict=True))
        rows = [
            row | {f"= {label}": -e for label, e in given[name].items()}
            for name, row in zip(self.rows, self.by_row, strict=True)
        ]
        found = eliminate(rows, self.columns)
        if len(found.solved) < len(self.columns):
            missing = ", ".join(sorted({*self.columns} - found.solved.keys()))
            raise refuse(f"the equations do not determine {missing}", "Use least_squares, or give other equations")
        entries = {(x, sides[j]): e for x, row in found.solved.items() for j, e in row.items()}
        return Labelled.of(self.columns, right.columns, entries)

    def least_squares(self, rest: Labelled) -> Labelled:
        """X that makes self X + rest smallest; note the sign. Rows that follow from others do no harm."""
        if {*self.rows} != {*_matrix(rest).rows}:
            raise mismatch("rows of both", self.rows, rest.rows)
        basis = self[_independent_rows(self), :] if self.rows else self
        if len(basis.rows) == len(self.columns) and len(self.rows) == len(self.columns):
            return self.solve(rest * -1)
        if len(basis.rows) == len(self.columns):
            return (self.T @ self).relabelled().solve((self.T @ rest) * -1)
        # the shortest of all solutions, by the rows that count:  X = Bᵀ (B Bᵀ)⁻¹ y
        y = (basis @ basis.T).solve(rest[basis.rows, :] * -1)
        return basis.T @ y

    def complement(
        self,
        independent: Iterable[str] | None = None,
        *,
        how: str = "exact",
        label: str = "",
        points: Iterable[Point] = (),
        tidy: Callable[[Expr], Expr] = lambda expr: expr,
    ) -> Labelled:
        """C with self C = 0, whose columns are a basis of what self leaves free; they are not orthonormal.

        independent    the columns that stay free; left out, those that make the plainest expressions
        how            "exact": rows are independent; "least squares": some follow from others; "null space": columns
                       get names of their own, made of `label`
        """
        if how not in ("exact", "least squares", "null space"):
            raise refuse(f"no complement is called '{how}'", "Use exact, least squares or null space")
        free = None if independent is None else _picked(independent, self.columns, "column")
        if free is not None and (twice := [c for c in free if free.count(c) > 1]):
            raise refuse(f"the independent '{twice[0]}' is there twice", "Name each once", "complement")
        dependent = [c for c in self.columns if free is None or c not in free]
        found = eliminate(self.by_row, dependent, points=points, tidy=tidy)
        _check_complement(self, free, found, how)
        rest = tuple(c for c in self.columns if c not in found.solved)
        entries = {(c, c): as_expr(1) for c in rest}
        entries |= {(x, j): e for x, row in found.solved.items() for j, e in row.items()}
        C = Labelled.of(self.columns, rest, entries)
        names = [f"{label or 'free'}_{i}" for i, _ in enumerate(rest, 1)]
        return C.relabelled(columns=names) if how == "null space" else C

    # coefficients

    def coefficients(self, variables: Iterable[Symbol], rules: Mapping[Expr, ExprLike] | None = None) -> Any:
        """(K, H) of K + H V, the affine part of a column in some variables."""
        symbols = as_symbols(variables, "coefficients")
        column = self.substitute(rules) if rules else self
        exprs = [row[0] for row in column.array]
        H = Labelled(self.rows, [s.name for s in symbols], derive_jacobian(exprs, symbols))
        still: dict[Expr, ExprLike] = dict.fromkeys(symbols, ZERO)
        K = Labelled(self.rows, self.columns, [[e] for e in substitute_all(exprs, still)])
        return K, H.substitute(still)

    def matrix_coefficients(self, variables: Iterable[Symbol]) -> dict[str, Labelled]:
        """The matrices of an affine matrix: that of "1", and one for each variable."""
        symbols = as_symbols(variables, "coefficients")
        still: dict[Expr, ExprLike] = dict.fromkeys(symbols, ZERO)
        flat = [e for row in self.array for e in row]
        slopes = derive_jacobian(flat, symbols)
        found = {"1": self.substitute(still)}
        for k, s in enumerate(symbols):
            entries = iter([slope[k] for slope in slopes])
            found[s.name] = Labelled(
                self.rows, self.columns, [[next(entries) for _ in self.columns] for _ in self.rows]
            )
        return {name: matrix.substitute(still) for name, matrix in found.items()}

    @property
    def symbols(self) -> frozenset[Symbol]:
        """All symbols in it."""
        return free_symbols(*(e for row in self.array for e in row))

    # for reading

    @property
    def text(self) -> str:
        """A table with its labels."""
        cells = [["", *self.columns], *([i, *map(str, row)] for i, row in zip(self.rows, self.array, strict=True))]
        widths = [max(len(row[j]) for row in cells) for j in range(len(cells[0]))]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
            for row in cells
        ]
        return "\n".join(line.rstrip() for line in lines)

    @property
    def latex(self) -> str:
        """The matrix in LaTeX, its labels around it."""
        head = " & ".join(["", *(_latex(c) for c in self.columns)])
        body = [" & ".join([_latex(i), *map(latex, row)]) for i, row in zip(self.rows, self.array, strict=True)]
        return "\n".join(
            [
                rf"\begin{{array}}{{c|{'c' * len(self.columns)}}}",
                head + r" \\ \hline",
                " \\\\\n".join(body),
                r"\end{array}",
            ]
        )

    @property
    def rounded(self) -> Labelled:
        """The same for the eye: numbers within 1e-12 of zero and one as these."""
        return self.apply(rounded)

    def plot(self, ax: Any = None) -> Any:
        """A picture of which entries are not zero, in matplotlib's axes."""
        from matplotlib import pyplot
        from matplotlib.axes import Axes

        axes = ax if ax is not None else pyplot.subplots()[1]
        as_object(axes, Axes, MATRIX, "Give axes of matplotlib, and save its figure: X.plot().figure.savefig(...)")
        axes.imshow(
            [[e is not ZERO for e in row] for row in self.array], cmap="Greys", vmin=0, vmax=1.5, aspect="equal"
        )
        axes.set_xticks(range(len(self.columns)), self.columns, rotation=90)
        axes.set_yticks(range(len(self.rows)), self.rows)
        return axes

    def __repr__(self) -> str:
        return f"Labelled({len(self.rows)} x {len(self.columns)})"

    def __str__(self) -> str:
        return self.text

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"


def assemble(*parts: Labelled) -> Labelled:
    """The sum by label of several matrices; equal ones count as often as they are given."""
    rows = dict.fromkeys(label for part in parts for label in _matrix(part).rows)
    columns = dict.fromkeys(label for part in parts for label in part.columns)
    sums: dict[tuple[str, str], list[Expr]] = {}
    for part in parts:
        for place, entry in part.entries.items():
            sums.setdefault(place, []).append(entry)
    return Labelled.of(rows, columns, {place: add(*entries) for place, entries in sums.items()})


def jacobian(exprs: Mapping[str, Expr] | Sequence[Expr], variables: Iterable[Symbol]) -> Labelled:
    """∂exprs/∂variables; rows are the names of the expressions, or 1, 2, ..."""
    several = exprs if isinstance(exprs, Mapping) else dict(enumerate(as_list(exprs, Ref("jacobian")), 1))
    named = {str(name): as_formula(e, f"jacobian: {name}") for name, e in several.items()}
    symbols = as_symbols(variables, "jacobian")
    return Labelled(named, [s.name for s in symbols], derive_jacobian(list(named.values()), symbols))


def mismatch(what: str, first: Iterable[str], second: Iterable[str]) -> InputError:
    """Two lists of labels that ought to be the same."""
    words = f"{what} do not have the same labels: {', '.join(first)} and {', '.join(second)}"
    return refuse(words, "Take the part with the labels both have")


def _entry(given: ExprLike | str) -> Expr:
    return given if isinstance(given, Expr) else as_formula(given, "labelled matrix")


def _labels(given: Any, kind: str) -> tuple[str, ...]:
    """Labels, each a text."""
    several = list(given) if isinstance(given, str | Mapping) else as_list(given, MATRIX, f"{kind}s", "Give labels")
    for label in several:
        if not isinstance(label, str):
            raise refuse(f"the {kind} label {show_value(label)} is no text", f'Give "{label}"')
    return tuple(several)


def _matrix(given: Any) -> Labelled:
    return as_object(given, Labelled, MATRIX, "Give a labelled matrix: Labelled(rows, columns, entries)")


def _picked(key: Key, labels: tuple[str, ...], kind: str) -> tuple[str, ...]:
    if isinstance(key, slice):
        if key != slice(None):
            raise refuse("a slice of labels", f"Name the {kind}s, or write : for all")
        return labels
    wanted = (key,) if isinstance(key, str) else tuple(as_list(key, MATRIX, f"{kind}s", "Name labels"))
    missing = [label for label in wanted if label not in labels]
    if missing:
        raise refuse(f"no {kind} is labelled '{missing[0]}'", f"There are: {', '.join(labels)}")
    return wanted


def _independent_rows(matrix: Labelled) -> list[str]:
    """Rows that do not follow from those before them."""
    kept: list[str] = []
    rows = dict(zip(matrix.rows, matrix.by_row, strict=True))
    for name in matrix.rows:
        found = eliminate([rows[k] for k in (*kept, name)], matrix.columns)
        if len(found.solved) == len(kept) + 1:
            kept.append(name)
    return kept


def _check_complement(A: Labelled, free: tuple[str, ...] | None, found: Eliminated, how: str) -> None:
    rank = len(found.solved)
    if found.left:
        tied = ", ".join(sorted({name for row in found.left.values() for name in row}))
        what = f"the independent ones are not independent: the constraints tie {tied} to each other"
        raise refuse(what, "Choose others, or leave `independent` out", "complement")
    if how == "exact" and rank < len(A.rows):
        words = ", ".join(A.rows[i] for i in found.redundant)
        remedy = 'Leave them out, or use how="least squares"'
        raise refuse(f"of {len(A.rows)} rows {len(A.rows) - rank} follow from others: {words}", remedy, "complement")
    if free is not None and rank + len(free) != len(A.columns):
        undetermined = [c for c in A.columns if c not in free and c not in found.solved]
        n = len(A.columns)
        what = f"{n} variables with {rank} constraints have {n - rank} independent ones, not {len(free)}"
        raise refuse(what, f"{', '.join(undetermined)} is free, too", "complement")


def _latex(label: str) -> str:
    """A label: a name as in formulas, other words as they are."""
    return latex_name(label) if NAMED.fullmatch(label) else rf"\text{{{label}}}" if label else ""
