"""Vectors and dyadics without a basis: sums over unit vectors of moving frames, side by side. Data and linear algebra.

    v = L*B.x - r*C.y          a vector over two frames
    J = 3*outer(B.x, B.x)      a dyadic

Coefficients are scalar expressions; those that vanish are left out. Two of equal coefficients are equal, whatever way
they were made. What a dot product makes of two frames is said in `frames`, what moves in `motion`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, pairwise
from numbers import Real
from operator import itemgetter
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeVar

from linkwork.errors import ExpressionError, show_value
from linkwork.symbolic import ONE, ZERO, Expr, add, as_expr, free_symbols
from linkwork.symbolic.algebra import multiply

if TYPE_CHECKING:
    from linkwork.vectors.frames import Frame

_put = object.__setattr__
_first = itemgetter(0)
K = TypeVar("K")
S = TypeVar("S", bound="Quantity[Any]")


class VectorError(ExpressionError):
    """Vectors, frames or points that do not go together; `place` is the line of the script that asked for it."""

    def __init__(self, what: str, remedy: str = "") -> None:
        self.place = calling_line()
        super().__init__(f"{self.place}: {what}" if self.place else what, remedy)


def calling_line() -> str:
    """The line of code outside of this package that is being executed, as "script.py:12"; empty if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name != "linkwork" and not name.startswith("linkwork."):
            return f"{_shown_file(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def _shown_file(path: str) -> str:
    """What a person calls a file of code; a cell of a notebook has no name to tell."""
    *folders, name = path.replace(chr(92), "/").split("/")
    in_notebook = name.startswith("<ipython-input") or (folders and folders[-1].startswith("ipykernel_"))
    return "notebook cell" if in_notebook else name


class Quantity(Generic[K]):
    """What vectors and dyadics share: a sum of scalar coefficients times something of unit length."""

    __slots__ = ("terms",)

    terms: Mapping[K, Expr]
    kind = "quantity"
    plain: ClassVar[Any]  # the class of what is computed from it
    __array_ufunc__ = None  # an array is no factor: numpy leaves it to us to say so

    def __new__(cls: type[S], terms: Mapping[Any, Expr]) -> S:
        new = object.__new__(cls)
        kept = {one: c for one, c in terms.items() if c is not ZERO}
        _put(new, "terms", _sorted(kept) if len(kept) > 1 else kept)
        return new

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{self.kind}s are immutable: cannot set {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self.terms),)

    def __copy__(self: S) -> S:
        return self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Real) and other == 0:
            return not self.terms
        return isinstance(other, Quantity) and other.kind == self.kind and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(tuple(self.terms.items()))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self: S, other: Any) -> S:
        same = self._same(other, "+")
        if not self.terms or not same.terms:
            return self if self.terms else same
        return self._made(chain(self.terms.items(), same.terms.items()))

    def __radd__(self: S, other: Any) -> S:
        return self.__add__(other)  # so that sum() begins with 0

    def __sub__(self: S, other: Any) -> S:
        return self.__add__(-self._same(other, "-"))

    def __rsub__(self: S, other: Any) -> S:
        return (-self).__add__(other)

    def __neg__(self: S) -> S:
        return self * -1

    def __pos__(self: S) -> S:
        return self

    def __mul__(self: S, factor: Any) -> S:
        scalar = factor if isinstance(factor, Expr) else self._scalar(factor, "multiplied by")
        return self if scalar is ONE or not self.terms else self.mapped(partial(multiply, scalar))

    __rmul__ = __mul__

    def __truediv__(self: S, divisor: Any) -> S:
        scalar = self._scalar(divisor, "divided by")
        return self.mapped(lambda c: c / scalar)

    def __rtruediv__(self, other: Any) -> NoReturn:
        raise VectorError(f"nothing can be divided by {name_of(self)}, a {self.kind}", "Divide by its magnitude")

    def __pow__(self, exponent: Any) -> NoReturn:
        raise VectorError(f"{name_of(self)}, a {self.kind}, has no powers", "Use dot, cross or outer")

    def __rpow__(self, base: Any) -> NoReturn:
        raise VectorError(f"{name_of(self)}, a {self.kind}, is no exponent", "Give a scalar")

    def __rmatmul__(self, other: Any) -> NoReturn:
        what = f"{name_of(other)}, a {kind_of(other)}, has no dot product with a {self.kind}"
        raise VectorError(what, "Multiply by a scalar with *")

    def __abs__(self) -> NoReturn:
        raise VectorError(f"{name_of(self)}, a {self.kind}, has no absolute value", "Use magnitude")

    def mapped(self: S, change: Callable[[Expr], Expr]) -> S:
        """The same with each coefficient changed."""
        new: S = object.__new__(self.plain)
        _put(new, "terms", {one: x for one, c in self.terms.items() if (x := change(c)) is not ZERO})
        return new

    @property
    def is_constant(self) -> bool:
        """Whether no coefficient has anything but numbers and parameters; the unit vectors may move."""
        return all(is_constant(c) for c in self.terms.values())

    def _made(self: S, pairs: Iterable[tuple[Any, Expr]]) -> S:
        found: dict[Any, Expr] = {}
        more: dict[Any, list[Expr]] = {}
        for one, c in pairs:
            if one not in found:
                found[one] = c
            else:
                more.setdefault(one, [found[one]]).append(c)
        for one, parts in more.items():
            found[one] = add(*parts)
        made: S = self.plain(found)
        return made

    def _same(self: S, other: Any, sign: str) -> S:
        if isinstance(other, Quantity) and other.kind == self.kind:
            return other  # type: ignore[return-value]
        if isinstance(other, Real) and other == 0:
            return self.plain({})  # type: ignore[no-any-return]
        raise VectorError(
            f"{name_of(self)} {sign} {name_of(other)}: a {self.kind} and a {kind_of(other)} have no sum",
            f"Give two {self.kind}s",
        )

    def _scalar(self, factor: Any, words: str) -> Expr:
        if isinstance(factor, Expr | Real):
            scalar = as_scalar(factor)
            if scalar is ZERO and words[0] == "d":
                raise VectorError(f"{name_of(self)} cannot be divided by zero")
            return scalar
        remedy = "Use dot, cross or outer" if isinstance(factor, Quantity) and words[0] == "m" else "Give a scalar"
        raise VectorError(f"{name_of(self)} cannot be {words} {name_of(factor)}, a {kind_of(factor)}", remedy)

    def __str__(self) -> str:
        return _printing.to_text(self)

    def __repr__(self) -> str:
        return _printing.to_text(self)

    def _repr_latex_(self) -> str:
        return f"${_printing.to_latex(self)}$"


class Vector(Quantity["UnitVector"]):
    """A sum of scalars times unit vectors."""

    __slots__ = ()
    kind = "vector"

    def __matmul__(self, other: Any) -> Any:
        return _products.dot(self, other)


class UnitVector(Vector):
    """One of the three axes of a frame; a frame whose axis is parallel to one of its parent's shares that object.

    rank     where it stands among all unit vectors of its tree
    cosines  its dot products with others, as far as they were asked for; crosses: its cross products
    """

    __slots__ = ("axis", "cosines", "crosses", "frame", "name", "rank")

    frame: Frame
    axis: int
    name: str
    rank: int
    cosines: dict[UnitVector, Expr]
    crosses: dict[UnitVector, Vector]

    def __new__(cls, frame: Frame, axis: int) -> UnitVector:
        new = object.__new__(cls)
        values: tuple[Any, ...] = (axis, {}, {}, frame, f"{frame.name}.{'xyz'[axis]}", 3 * frame.serial + axis)
        for slot, value in zip(cls.__slots__, values, strict=True):
            _put(new, slot, value)
        _put(new, "terms", {new: ONE})
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return _axis_of, (self.frame, self.axis)

    __hash__ = object.__hash__  # each is itself

    def __eq__(self, other: object) -> bool:
        if isinstance(other, UnitVector) or not isinstance(other, Vector):
            return self is other
        return len(other.terms) == 1 and other.terms.get(self) is ONE


class Dyadic(Quantity[tuple[UnitVector, UnitVector]]):
    """A sum of scalars times ordered pairs of unit vectors."""

    __slots__ = ()
    kind = "dyadic"

    def __matmul__(self, other: Any) -> Any:
        return _products.dot(self, other)

    @property
    def transposed(self) -> Dyadic:
        """The same with the vectors of each pair exchanged."""
        return Dyadic({(b, a): c for (a, b), c in self.terms.items()})


Vector.plain, Dyadic.plain = Vector, Dyadic
NOTHING = Vector({})


def total(*vectors: Vector) -> Vector:
    """The sum of vectors, made at once."""
    moving = [v for v in vectors if v.terms]
    return moving[0] if len(moving) == 1 else NOTHING._made([item for v in moving for item in v.terms.items()])


def _axis_of(frame: Frame, axis: int) -> UnitVector:
    return frame.axes[axis]


def _sorted(terms: dict[Any, Expr]) -> dict[Any, Expr]:
    """Terms in the order of their unit vectors, or of the pairs of them."""
    if len(terms) == 2:
        (first, x), (last, y) = terms.items()
        if type(first) is UnitVector:
            return terms if first.rank < last.rank else {last: y, first: x}
    ranks: list[Any] = [one.rank if type(one) is UnitVector else (one[0].rank, one[1].rank) for one in terms]
    if all(a < b for a, b in pairwise(ranks)):
        return terms
    by_rank = sorted(zip(ranks, terms.items(), strict=True), key=_first)
    return dict(item for _, item in by_rank)


def is_constant(x: Any) -> bool:
    """Whether a scalar, vector or dyadic has only numbers and parameters for coefficients.

    >>> from linkwork.symbolic import symbol
    >>> is_constant(2 * symbol("L")), is_constant(symbol("q", "coordinate"))
    (True, False)
    """
    if isinstance(x, Quantity):
        return x.is_constant
    return all(s.kind == "parameter" for s in free_symbols(as_scalar(x, "what is constant or not")))


def as_vector(x: Any, what: str = "this") -> Vector:
    """The vector, or an error that says what is one instead."""
    if isinstance(x, Vector):
        return x
    if isinstance(x, Real) and x == 0:
        return Vector({})
    raise VectorError(f"{what} must be a vector; {name_of(x)} is a {kind_of(x)}", "Multiply it by a unit vector")


def as_scalar(x: Any, what: str = "this") -> Expr:
    """The scalar, or an error that says what is one instead."""
    if isinstance(x, Expr):
        return x
    if not isinstance(x, Real):
        raise VectorError(f"{what} must be a scalar; {name_of(x)} is a {kind_of(x)}")
    try:
        return as_expr(x)  # type: ignore[arg-type]
    except ExpressionError as error:
        raise VectorError(error.what, error.remedy) from None


def as_frame(x: Any, what: str = "this") -> Frame:
    """The frame, or an error that says what is one instead."""
    if isinstance(x, _frames.Frame):
        return x
    raise VectorError(f"{what} must be a frame; {name_of(x)} is a {kind_of(x)}", 'Make one: N = Frame("N")')


def unit_vectors(x: Quantity[Any]) -> Iterator[UnitVector]:
    """The unit vectors that occur in a vector or dyadic."""
    for one in x.terms:
        yield from ((one,) if isinstance(one, UnitVector) else one)


def kind_of(x: object) -> str:
    """Scalar, vector, dyadic, or what else it is."""
    if isinstance(x, Quantity):
        return x.kind
    return "scalar" if isinstance(x, Expr | Real) else type(x).__name__


def name_of(x: object) -> str:
    """How something is shown in a message."""
    return str(x) if isinstance(x, Quantity | Expr) else show_value(x)


# operators and texts reach these modules, which need the classes above
from linkwork.vectors import frames as _frames  # noqa: E402
from linkwork.vectors import printing as _printing  # noqa: E402
from linkwork.vectors import products as _products  # noqa: E402
