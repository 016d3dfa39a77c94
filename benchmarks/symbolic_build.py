"""How fast expressions are built: operations per second of processor time for the natural patterns.

python benchmarks/symbolic_build.py [operations]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from linkwork.symbolic import Expr, differentiate, evaluate, sin, substitute, symbol, to_text

x, a, b = symbol("x"), symbol("a"), symbol("b")


def build_deep(n: int) -> Expr:
    """e = e*a + b, n/2 times."""
    e: Expr = x
    for _ in range(n // 2):
        e = e * a + b
    return e


def build_sum(n: int) -> Expr:
    """s = s + sin(x_i), n/2 times."""
    s: Expr = x
    for v in _symbols(n // 2):
        s = s + sin(v)
    return s


def build_product(n: int) -> Expr:
    """p = p * x_i, n times."""
    p: Expr = x
    for v in _symbols(n):
        p = p * v
    return p


def build_weighted_sum(n: int) -> Expr:
    """sum(a * x_i), n/2 times."""
    return sum((a * v for v in _symbols(n // 2)), start=x)


def build_branches(n: int) -> Expr:
    """s + x_i for one large s, n/4 times."""
    s = build_sum(n // 2)
    results = [s + v for v in _symbols(n // 4)]
    return results[-1]


def _symbols(n: int) -> list[Expr]:
    return _SYMBOLS.setdefault(n, [symbol(f"x{i}") for i in range(n)])


_SYMBOLS: dict[int, list[Expr]] = {}


def _measure(title: str, n: int, work: Callable[[], object]) -> object:
    start = time.process_time()
    result = work()
    seconds = time.process_time() - start
    print(f"{title:<36} {seconds:7.3f} s {n / seconds:12,.0f} operations/s")
    return result


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for build in (build_deep, build_sum, build_product, build_weighted_sum, build_branches):
        _symbols(n), _symbols(n // 2), _symbols(n // 4)
        _measure((build.__doc__ or "").split(",")[0].rstrip("."), n, lambda build=build: build(n))  # type: ignore[misc]
    e = build_deep(n)
    _measure("build again (all found)", n, lambda: build_deep(n))
    _measure("differentiate the deep one", n, lambda: differentiate(e, a))
    _measure("substitute in it", n, lambda: substitute(e, {a: 2 * b}))
    _measure("evaluate it", n, lambda: evaluate(e, {"x": 1.0, "a": 0.5, "b": 1.0}))
    _measure("print it", n, lambda: to_text(e))
    _measure("sort a large sum", n // 2, lambda: build_sum(n).terms)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
