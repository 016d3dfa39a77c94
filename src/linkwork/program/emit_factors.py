"""The factorisation of a small matrix as C: the pattern of L D Lᵀ in, straight code over its places out.

Loops over a pattern look up a place for each product. Here every entry has its own name, so that factors and unknowns
stay in registers, and nothing is looked up:

    l = x / d_j,    F_ik −= l_i x_k    for the entries x of column j;
    forward  x_i −= L_ij x_j,    then  x_j / d_j,    and back  x_j −= L_ij x_i    as soon as x_i is known

The inverse solves this way for unit vectors, as many at once as a register holds; what is zero before the way back is
left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

SUMS = 12  # registers of sums in one loop

_ELIMINATE = """
/* L D L' in place, whatever the pivots are; `reach`: what a pivot is compared with */
void KERNEL(lw_eliminate)(double *restrict F, double *restrict inverse, double *restrict reach)
{
"""
_ORDER = """
/* one order of the series from 1 on: its right-hand side, solved by {means}, and the coefficients that follow in S */
void KERNEL(lw_order)(long k, double t, double *S, const double *par, double *work, const double *restrict F,
        const double *restrict inverse)
{{
    double x[{n}] = {{0}};
    KERNEL(stage_later)(k, t, S, par, work, x);
    double *restrict row = S + k * {stride}, *restrict top = row + 2 * {stride};
    const double part = 1.0 / (double)((k + 1) * (k + 2));
"""
_SOLVE = """
/* L D L' x = b in place */
void KERNEL(lw_solve)(const double *restrict F, const double *restrict inverse, double *restrict x)
{
"""
_INVERT = """
/* the inverse of L D L', by rows, each filled up to whole registers */
void KERNEL(lw_invert)(const double *restrict F, const double *restrict inverse, double *restrict to)
{
    wide *X = (wide *)to;
"""


def emit_factors(
    column: Iterable[int],
    row: Iterable[int],
    update: Iterable[int],
    multipliers: Iterable[int],
    *,
    stride: int,
    width: int,
    inverts: bool,
) -> dict[str, str]:
    """The functions lw_eliminate, lw_solve, lw_order and, if it `inverts`, lw_invert: behind a stage of `emit_fused`.

    The pattern and its places are those of `native.sparsity.Pattern`; stride: numbers in a row of S, width: in a
    register. An order is solved by the factors or, if there is one, by the whole inverse in their place.
    """
    column, row, multipliers = ([int(i) for i in table] for table in (column, row, multipliers))
    n = len(column) - 1
    order = _ORDER.format(n=n, stride=stride, means="the inverse" if inverts else "the factors")
    solved = _multiply_inverse(n, width, multipliers) if inverts else _solve_order(column, row, multipliers)
    made = {
        "lw_eliminate": _text(_ELIMINATE, _eliminate(column, row, update)),
        "lw_solve": _text(_SOLVE, [*_solve(column, row), *(f"x[{j}] = x{j};" for j in range(n))]),
        "lw_order": _text(order, solved),
    }
    return {**made, "lw_invert": _text(_INVERT, _invert(column, row, width))} if inverts else made


def _text(head: str, lines: Iterable[str]) -> str:
    return head + "".join(f"    {line}\n" for line in lines) + "}\n"


def _eliminate(column: Sequence[int], row: Sequence[int], update: Iterable[int]) -> Iterator[str]:
    n, targets = len(column) - 1, iter(update)
    yield from (f"double f{place} = F[{place}];" for place in range(n + len(row)))
    yield from (f"double r{j} = fabs(f{j});" for j in range(n))
    for j in range(n):
        yield f"const double d{j} = inverse[{j}] = 1.0 / f{j};"
        below = range(column[j], column[j + 1])
        for a in below:
            yield f"const double l{a} = F[{n + a}] = f{n + a} * d{j};"
            yield f"r{row[a]} += fabs(l{a} * f{n + a});"
            yield from (f"f{next(targets)} -= l{a} * f{n + b};" for b in below if b >= a)
        yield f"F[{j}] = f{j}; reach[{j}] = r{j};"


def _solve(column: Sequence[int], row: Sequence[int]) -> Iterator[str]:
    n = len(column) - 1
    entries = [(row[a], j, a) for j in range(n) for a in range(column[j], column[j + 1])]
    yield from (f"double x{j} = x[{j}];" for j in range(n))
    yield from (f"x{i} -= F[{n + a}] * x{j};" for i, j, a in entries)
    yield from (f"x{j} *= inverse[{j}];" for j in range(n))
    yield from (f"x{j} -= F[{n + a}] * x{i};" for i, j, a in sorted(entries, key=lambda entry: -entry[0]))


def _solve_order(column: Sequence[int], row: Sequence[int], multipliers: Sequence[int]) -> Iterator[str]:
    yield from _solve(column, row)
    # a multiplier's place is filled two stages later
    yield from (f"top[{j}] = x{j} * part;" for j in range(len(column) - 1))
    yield from (f"row[{j}] += x{j};" for j in multipliers)


def _invert(column: Sequence[int], row: Sequence[int], width: int) -> Iterator[str]:
    n = len(column) - 1
    groups = -(-n // width)
    for g in range(groups):
        own = range(g * width, min(n, (g + 1) * width))
        units = {j: ", ".join("1.0" if j == i else "0.0" for i in range(g * width, (g + 1) * width)) for j in own}
        known = set(own)  # rows that are not zero
        yield "{"
        yield from (f"wide x{j} = {{{units[j]}}};" if j in own else f"wide x{j} = {{0}};" for j in range(n))
        for j in range(n):
            for a in range(column[j], column[j + 1]) if j in known else ():
                yield f"x{row[a]} -= F[{n + a}] * x{j};"
                known.add(row[a])
        for j in reversed(range(n)):
            yield from [f"x{j} *= inverse[{j}];"] if j in known else ()
            yield from (f"x{j} -= F[{n + a}] * x{row[a]};" for a in range(column[j], column[j + 1]))
            yield f"X[{j * groups + g}] = x{j};"
        yield "}"


def _multiply_inverse(n: int, width: int, multipliers: Sequence[int]) -> Iterator[str]:
    """The same by the inverse, in as many sums as registers hold: they do not wait for each other."""
    groups = -(-n // width)
    yield "const wide *X = (const wide *)F;"
    chains = max(1, min(n, 4, SUMS // groups))
    for c in range(chains):
        yield from (f"wide y{g}_{c} = x[{c}] * X[{c * groups + g}];" for g in range(groups))
    whole = n - n % chains
    yield f"for (long j = {chains}; j < {whole}; j += {chains}) {{"
    for c in range(chains):
        yield from (f"    y{g}_{c} += x[j + {c}] * X[(j + {c}) * {groups} + {g}];" for g in range(groups))
    yield "}"
    for j in range(whole, n):
        yield from (f"y{g}_{j - whole} += x[{j}] * X[{j * groups + g}];" for g in range(groups))
    for g in range(groups):
        yield f"const wide y{g} = " + " + ".join(f"y{g}_{c}" for c in range(chains)) + f", top{g} = y{g} * part;"
    yield from (f"memcpy(top + {g * width}, &top{g}, {8 * min(width, n - g * width)});" for g in range(groups))
    yield from (f"row[{j}] += y{j // width}[{j % width}];" for j in multipliers)
