"""Functions of expressions registered by name, so that files and texts can call them: `drag(A.vx, c)`.

A registered function is called once, with expressions, when a text that uses it is read: what it returns becomes part
of the law, differentiable and compiled like everything else. It is not called while the mechanism moves.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from threading import Lock
from typing import Any, Final, TypeVar, overload

from linkwork.errors import ExpressionError, InputError, Problem, Ref, show_value
from linkwork.given import as_flag, shown_part
from linkwork.model.opaque import Opaque, make_call, make_opaque
from linkwork.symbolic import FUNCTIONS, Expr, as_expr

F = TypeVar("F", bound=Callable[..., Any])

FUNCTION_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
RESERVED: Final = frozenset({*FUNCTIONS, "select", "pi"})
TRACED: Final = "Use operators and the functions of linkwork.symbolic, which work on expressions"


class FunctionTable(Mapping[str, Callable[..., Expr]]):
    """Functions by name, never changed once made, hence safe to share and to remember by."""

    def __init__(self, functions: Mapping[str, Callable[..., Expr]] | None = None) -> None:
        self._functions = dict(functions or {})

    def __getitem__(self, name: str) -> Callable[..., Expr]:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


_registered = FunctionTable()
_lock = Lock()


def registered_functions() -> FunctionTable:
    """The functions registered so far."""
    return _registered


@overload
def function(name: str, definition: F, *, opaque: bool = False, derivatives: Any = ()) -> F: ...
@overload
def function(name: str, *, opaque: bool = False, derivatives: Any = ()) -> Callable[[F], F]: ...
@overload
def function(name: F, *, opaque: bool = False, derivatives: Any = ()) -> F: ...
@overload
def function(*, opaque: bool, derivatives: Any = ()) -> Callable[[F], F]: ...


def function(name: Any = None, definition: Any = None, *, opaque: bool = False, derivatives: Any = ()) -> Any:
    """Register a Python function of expressions for use in files and texts; a second one of the same name replaces it.

    >>> from linkwork.model import as_expr
    >>> @function
    ... def doubled(x):
    ...     return 2 * x
    >>> as_expr("doubled(k) + 1")
    2*k + 1
    >>> function("squared", lambda x: x**2)(3)
    9

    An `opaque` function is one of numbers that cannot be traced: called while the mechanism moves, from compiled code
    if it is one of C (ctypes, numba.cfunc), else from Python. It makes `rk8` the method. Its `derivatives` by each
    argument may be given as functions; differences stand for them where slopes are needed otherwise.

    >>> import math
    >>> function("bumps", lambda x: math.floor(x) % 2, opaque=True)(3.5)
    1
    """
    as_flag("opaque", opaque, Ref("function"))
    if name is None:
        return lambda given: function(given, opaque=opaque, derivatives=derivatives)
    if callable(name):
        return function(getattr(name, "__name__", ""), name, opaque=opaque, derivatives=derivatives)
    if definition is None:
        return lambda given: function(name, given, opaque=opaque, derivatives=derivatives)
    check_function_name(name, str(shown_part("function", name)))
    if not callable(definition):
        raise InputError([Problem(part=f"function '{name}'", what="this cannot be called", remedy="Give a function")])
    global _registered
    known = _opaque(make_opaque(name, definition, derivatives)) if opaque else traced(name, definition)
    with _lock:
        _registered = FunctionTable({**_registered, name: known})
    return definition


def _opaque(known: Opaque) -> Callable[..., Expr]:
    return lambda *arguments: make_call(known, arguments)


def check_function_name(name: object, part: str) -> None:
    """A name that can be called in a text and does not hide what is there already."""
    if not isinstance(name, str) or not FUNCTION_NAME.fullmatch(name):
        remedy = "Use letters, digits and _, starting with a letter"
        raise InputError([Problem(part=part, what="this name cannot be used in formulas", remedy=remedy)])
    if name in RESERVED:
        raise InputError([Problem(part=part, what="this name is built in", remedy="Use another name")])


def traced(name: str, definition: Callable[..., Any]) -> Callable[..., Expr]:
    """The function with every way it can fail turned into an ExpressionError that names it."""
    signature = _find_signature(definition)

    def call(*arguments: Expr) -> Expr:
        _check_count(name, signature, arguments)
        try:
            value = definition(*arguments)
        except ExpressionError as error:
            raise ExpressionError(f"function '{name}': {error.what}", error.remedy) from error
        except Exception as error:
            words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise ExpressionError(f"function '{name}' failed: {words}", TRACED) from error
        return as_result(name, value)

    return call


def _find_signature(definition: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(definition)
    except (TypeError, ValueError):
        return None  # some built-in functions do not tell


def _check_count(name: str, signature: inspect.Signature | None, arguments: tuple[Expr, ...]) -> None:
    if signature is None:
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        raise ExpressionError(
            f"the number of values for {name} is {len(arguments)}", f"Write {name}{_show(signature)}"
        ) from None


def _show(signature: inspect.Signature) -> str:
    """(a, b): the names of the arguments without types."""
    names = [str(p.replace(annotation=inspect.Parameter.empty)) for p in signature.parameters.values()]
    return f"({', '.join(names)})"


def as_result(name: str, value: object) -> Expr:
    """What a function returned as an expression; anything else is an ExpressionError."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        raise ExpressionError(f"function '{name}' returned {show_value(value)}, not an expression or a number", TRACED)
    try:
        return as_expr(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, ExpressionError):
        what = f"function '{name}' returned {type(value).__name__}, not an expression or a finite number"
        raise ExpressionError(what, TRACED) from None
