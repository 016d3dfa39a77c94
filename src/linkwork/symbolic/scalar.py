"""The nodes of scalar expressions, immutable and interned: names, numbers and nodes in, one object each out.

Expressions of the same structure are the same object, so `is` compares them and a dictionary finds them. Each
node has a 128-bit `key` computed from its structure alone; hashes and the order of terms follow from it, so they
are the same in every run. A key is cheap rather than safe from forgery, so nodes of equal keys are compared by their
contents. The rules by which + * ** build nodes live in `algebra` and `functions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from fractions import Fraction
from functools import cache, lru_cache
from numbers import Real
from threading import RLock
from typing import Final, NoReturn, TypeAlias, TypeVar, final
from weakref import ref

from linkwork.errors import ExpressionError
from linkwork.symbolic import order
from linkwork.symbolic.bag import Bag
from linkwork.symbolic.curve import Curve
from linkwork.symbolic.exact import Value, as_float, blend, digest, normalize, value_digest

N = TypeVar("N", bound="Node")
_HASH_BITS: Final = (1 << 61) - 1


class Node:
    """A scalar expression or a condition; never made directly."""

    __slots__ = ("__weakref__", "_symbols", "key", "sketch")

    key: int
    sketch: str  # what `order` sorts by; made when first needed
    _symbols: frozenset[Symbol]  # those that occur; kept where they were asked for

    def __hash__(self) -> int:
        return self.key & _HASH_BITS

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"expressions are immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"expressions are immutable: cannot delete {name!r}")

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: object) -> Node:
        return self

    def __reduce__(self) -> tuple[Callable[..., Node], tuple[object, ...]]:
        return _traverse.unpack, (_traverse.pack(self),)

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes directly below this one, in canonical order."""
        return ()

    @property
    def parts(self) -> Iterable[Node]:
        """The same in any order."""
        return self.children

    def __str__(self) -> str:
        return _printing.to_text(self)

    def __repr__(self) -> str:
        return _printing.short_text(self)

    def _repr_latex_(self) -> str:
        return f"${_latex.to_latex(self)}$"


class Expr(Node):
    """A real number not yet known: x + 1, m*g*sin(theta). Combine with + - * / ** and numbers."""

    __slots__ = ()

    def __add__(self, other: ExprLike) -> Expr:
        right = _operand(other)
        return NotImplemented if right is None else _algebra.add(self, right)

    def __radd__(self, other: ExprLike) -> Expr:
        left = _operand(other)
        return NotImplemented if left is None else _algebra.add(left, self)

    def __sub__(self, other: ExprLike) -> Expr:
        right = _operand(other)
        return NotImplemented if right is None else _algebra.add(self, _algebra.scale(-1, right))

    def __rsub__(self, other: ExprLike) -> Expr:
        left = _operand(other)
        return NotImplemented if left is None else _algebra.add(left, _algebra.scale(-1, self))

    def __mul__(self, other: ExprLike) -> Expr:
        right = _operand(other)
        return NotImplemented if right is None else _algebra.multiply(self, right)

    def __rmul__(self, other: ExprLike) -> Expr:
        left = _operand(other)
        return NotImplemented if left is None else _algebra.multiply(left, self)

    def __truediv__(self, other: ExprLike) -> Expr:
        right = _operand(other)
        return NotImplemented if right is None else _algebra.divide(self, right)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        left = _operand(other)
        return NotImplemented if left is None else _algebra.divide(left, self)

    def __pow__(self, other: ExprLike) -> Expr:
        right = _operand(other)
        return NotImplemented if right is None else _algebra.power(self, right)

    def __rpow__(self, other: ExprLike) -> Expr:
        left = _operand(other)
        return NotImplemented if left is None else _algebra.power(left, self)

    def __neg__(self) -> Expr:
        return _algebra.scale(-1, self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return _functions.abs(self)

    def __lt__(self, other: ExprLike) -> Compare:
        right = _operand(other)
        return NotImplemented if right is None else compare("<", self, right)

    def __le__(self, other: ExprLike) -> Compare:
        right = _operand(other)
        return NotImplemented if right is None else compare("<=", self, right)

    def __gt__(self, other: ExprLike) -> Compare:
        right = _operand(other)
        return NotImplemented if right is None else compare("<", right, self)

    def __ge__(self, other: ExprLike) -> Compare:
        right = _operand(other)
        return NotImplemented if right is None else compare("<=", right, self)

    def __bool__(self) -> bool:
        raise TypeError(
            f"the expression {self!r} is neither true nor false; use `is` to compare structure, "
            "select(a < b, x, y) to choose by value"
        )

    def __float__(self) -> float:
        raise TypeError(f"the expression {self!r} is not a number; use evaluate(expr, values)")


ExprLike: TypeAlias = Expr | int | Fraction | float


class Kind(StrEnum):
    """What a symbol stands for."""

    COORDINATE = "coordinate"
    SPEED = "speed"
    ACCELERATION = "acceleration"
    PARAMETER = "parameter"
    MULTIPLIER = "multiplier"
    TIME = "time"
    INPUT = "input"
    STATE = "state"
    ABBREVIATION = "abbreviation"


_KINDS: Final[dict[str, Kind]] = {kind.value: kind for kind in Kind}


@final
class Number(Expr):
    """A number: `value` is an int, a Fraction or a float.   Number(Fraction(4, 2)).value == 2."""

    __slots__ = ("value",)

    value: Value

    def __new__(cls, value: Value) -> Number:
        normal = normalize(value)
        return _interned(cls, blend(_TAGS["number"], value_digest(normal)), ("value", normal))

    def __float__(self) -> float:
        return as_float(self.value)


@final
class Symbol(Expr):
    """A name for a quantity, with its kind; made by `symbol`."""

    __slots__ = ("kind", "name")

    name: str
    kind: Kind

    def __new__(cls, name: str, kind: Kind | str = Kind.PARAMETER) -> Symbol:
        if not name.strip():
            raise ExpressionError("a symbol needs a name")
        known = _KINDS.get(kind) or _kind(kind)
        return _interned(cls, _symbol_key(name, known), ("name", name), ("kind", known))


def symbol(name: str, kind: Kind | str = Kind.PARAMETER) -> Symbol:
    """The symbol of this name and kind.   symbol("theta", "coordinate")."""
    return Symbol(name, kind)


@lru_cache(maxsize=1 << 17)
def _symbol_key(name: str, kind: Kind) -> int:
    return digest(f"symbol {name!r} {kind.value} '' 0")


def _kind(kind: Kind | str) -> Kind:
    try:
        return Kind(kind)
    except ValueError:
        choices = ", ".join(Kind)
        raise ExpressionError(f"there is no kind of symbol {kind!r}", f"Use one of: {choices}") from None


@final
class Sum(Expr):
    """constant + Σ coefficient * term.   `terms` is a tuple of (coefficient, term), sorted; at least one."""

    __slots__ = ("_children", "_terms", "bag", "constant", "split")

    constant: Value
    bag: Bag
    split: tuple[Value, Expr | None] | None  # its content and the rest, once `algebra` has found them
    _terms: tuple[tuple[Value, Expr], ...]
    _children: tuple[Expr, ...]

    def __new__(cls, constant: Value, bag: Bag) -> Sum:
        key = blend(_SUM if constant == 0 else value_digest(constant), bag.digest)
        known = _living.get(key)
        found = known() if known is not None else None
        if type(found) is Sum and found.bag.root == bag.root and found.constant == constant:
            return found  # what `_interned` would find, quicker
        made = object.__new__(cls)
        _put(made, "key", key)
        _put(made, "constant", constant)
        _put(made, "bag", bag)
        _put(made, "split", None)
        if _is_first(made, key):
            return made
        made = _interned(cls, key, ("constant", constant), ("bag", bag))
        _put(made, "split", None)
        return made

    @property
    def terms(self) -> tuple[tuple[Value, Expr], ...]:
        """The (coefficient, term) pairs in canonical order."""
        try:
            return self._terms
        except AttributeError:
            pairs = order.sorted_entries(self.bag.items())
            object.__setattr__(self, "_terms", tuple((value, term) for term, value in pairs))
        return self._terms

    @property
    def children(self) -> tuple[Expr, ...]:
        try:
            return self._children
        except AttributeError:
            _put(self, "_children", tuple([term for _, term in self.terms]))
        return self._children

    @property
    def parts(self) -> Iterable[Expr]:
        return self.bag.nodes()


@final
class Product(Expr):
    """Π base ** exponent.   `factors` is a tuple of (base, exponent), sorted; exponents are numbers."""

    __slots__ = ("_children", "_factors", "bag")

    bag: Bag
    _factors: tuple[tuple[Expr, Value], ...]
    _children: tuple[Expr, ...]

    def __new__(cls, bag: Bag) -> Product:
        key = blend(_PRODUCT, bag.digest)
        known = _living.get(key)
        found = known() if known is not None else None
        if type(found) is Product and found.bag.root == bag.root:
            return found  # what `_interned` would find, quicker
        made = object.__new__(cls)
        _put(made, "key", key)
        _put(made, "bag", bag)
        return made if _is_first(made, key) else _interned(cls, key, ("bag", bag))

    @property
    def factors(self) -> tuple[tuple[Expr, Value], ...]:
        """The (base, exponent) pairs in canonical order."""
        try:
            return self._factors
        except AttributeError:
            object.__setattr__(self, "_factors", tuple(order.sorted_entries(self.bag.items())))
        return self._factors

    @property
    def children(self) -> tuple[Expr, ...]:
        try:
            return self._children
        except AttributeError:
            _put(self, "_children", tuple([base for base, _ in self.factors]))
        return self._children

    @property
    def parts(self) -> Iterable[Expr]:
        return self.bag.nodes()


@final
class Power(Expr):
    """base ** exponent with an exponent that is not a number."""

    __slots__ = ("base", "exponent")

    base: Expr
    exponent: Expr

    def __new__(cls, base: Expr, exponent: Expr) -> Power:
        key = blend(blend(_TAGS["power"], base.key), exponent.key)
        return _interned(cls, key, ("base", base), ("exponent", exponent))

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.base, self.exponent)


@final
class Function(Expr):
    """name(*args) for one of the functions of `linkwork.symbolic.functions`."""

    __slots__ = ("args", "name")

    name: str
    args: tuple[Expr, ...]

    def __new__(cls, name: str, args: tuple[Expr, ...]) -> Function:
        key = _function_tag(name)
        for arg in args:
            key = blend(key, arg.key)
        return _interned(cls, key, ("name", name), ("args", args))

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.args


@final
class Lookup(Expr):
    """A curve, or its derivative of an order, at an argument."""

    __slots__ = ("arg", "curve", "order")

    curve: Curve
    order: int
    arg: Expr

    def __new__(cls, curve: Curve, order: int, arg: Expr) -> Lookup:
        key = blend(digest(f"lookup {curve.digest:x} {order:d}"), arg.key)
        return _interned(cls, key, ("curve", curve), ("order", order), ("arg", arg))

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.arg,)

    @property
    def name(self) -> str:
        """The name of the curve, with a prime for each derivative."""
        return self.curve.name + "'" * self.order


@final
class Compare(Node):
    """left < right or left <= right; `op` is "<" or "<="."""

    __slots__ = ("left", "op", "right")

    op: str
    left: Expr
    right: Expr

    def __new__(cls, op: str, left: Expr, right: Expr) -> Compare:
        key = blend(blend(_TAGS[op], left.key), right.key)
        return _interned(cls, key, ("op", op), ("left", left), ("right", right))

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.left, self.right)

    @property
    def verdict(self) -> bool | None:
        """True or False where that is certain whatever the symbols' values, else None."""
        if self.left is self.right:
            return self.op == "<="
        if isinstance(self.left, Number) and isinstance(self.right, Number):
            left, right = self.left.value, self.right.value
            return left < right if self.op == "<" else left <= right
        return None

    def __bool__(self) -> bool:
        known = self.verdict
        if known is None:
            raise TypeError(
                f"whether {self!r} depends on values not yet known; use select(a < b, x, y) instead of `if`, "
                "and do not chain comparisons or sort expressions"
            )
        return known


@final
class Select(Expr):
    """`then` where the condition holds, else `otherwise`."""

    __slots__ = ("condition", "otherwise", "then")

    condition: Compare
    then: Expr
    otherwise: Expr

    def __new__(cls, condition: Compare, then: Expr, otherwise: Expr) -> Select:
        key = blend(blend(blend(_TAGS["select"], condition.key), then.key), otherwise.key)
        return _interned(cls, key, ("condition", condition), ("then", then), ("otherwise", otherwise))

    @property
    def children(self) -> tuple[Node, ...]:
        return (self.condition, self.then, self.otherwise)


def as_expr(value: ExprLike) -> Expr:
    """The value as an expression; numbers become Numbers."""
    return value if isinstance(value, Expr) else Number(value)


def compare(op: str, left: ExprLike, right: ExprLike) -> Compare:
    """The condition left op right, op being "<" or "<="."""
    if op not in ("<", "<="):
        raise ExpressionError(f"there is no comparison {op!r}", "Use '<' or '<='")
    return Compare(op, as_expr(left), as_expr(right))


def _operand(value: object) -> Expr | None:
    if isinstance(value, Expr):
        return value
    return Number(value) if type(value) is int or isinstance(value, Real) else None  # type: ignore[arg-type]


# ---- interning -----------------------------------------------------------------------------------


_living: Final[dict[int, ref[Node]]] = {}
_lock: Final = RLock()
_MIN_TABLE: Final = 1 << 12
_sweep_at = _MIN_TABLE


def _interned(cls: type[N], key: int, *attributes: tuple[str, object]) -> N:
    """The living node with this key and these attributes, or a new one."""
    known = _living.get(key)
    if known is not None and (found := known()) is not None:
        if _is_same(found, cls, attributes):
            return found  # type: ignore[return-value]
        return _interned(cls, blend(key, key), *attributes)  # a forged key: on to the next place
    node = object.__new__(cls)
    _put(node, "key", key)
    for name, value in attributes:
        _put(node, name, value)
    return node if _is_first(node, key) else _interned(cls, key, *attributes)


def _is_first(node: Node, key: int) -> bool:
    """Whether nobody has its place, which it takes."""
    mine = ref(node)
    if _living.setdefault(key, mine) is not mine:
        # who had it may have died
        with _lock:
            known = _living.get(key)
            if known is not None and known() is not None:
                return False  # another thread was first, or a forged key
            _living[key] = mine
    if len(_living) > _sweep_at:
        _sweep()
    return True


def _is_same(node: Node, cls: type[Node], attributes: tuple[tuple[str, object], ...]) -> bool:
    """Whether a node is of this class and has these attributes; children are interned, so they are compared by `is`."""
    if type(node) is not cls:
        return False
    for name, value in attributes:
        known = getattr(node, name)
        if known is not value and known != value:
            return False
    return True


def _sweep() -> None:
    """Forget the nodes that have died; done when the table has doubled, so the cost per node is constant."""
    global _sweep_at
    with _lock:
        for key, known in list(_living.items()):
            if known() is None:
                del _living[key]
        _sweep_at = max(_MIN_TABLE, 2 * len(_living))


_put: Final = object.__setattr__
_TAGS: Final = {name: digest(name) for name in ("number", "sum", "product", "power", "select", "<", "<=")}
_SUM: Final = _TAGS["sum"]
_PRODUCT: Final = _TAGS["product"]


@cache
def _function_tag(name: str) -> int:
    return digest(f"function {name}")


def living_nodes() -> Iterable[Node]:
    """All nodes alive at this moment; for tests and measurements."""
    return [node for known in list(_living.values()) if (node := known()) is not None]


ZERO: Final[Expr] = Number(0)
ONE: Final[Expr] = Number(1)

# operators reach the rules through these modules, which need the classes above
from linkwork.symbolic import algebra as _algebra  # noqa: E402
from linkwork.symbolic import functions as _functions  # noqa: E402
from linkwork.symbolic import latex as _latex  # noqa: E402
from linkwork.symbolic import printing as _printing  # noqa: E402
from linkwork.symbolic import traverse as _traverse  # noqa: E402
