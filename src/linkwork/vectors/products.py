"""Products of vectors and dyadics: dot, cross, outer, lengths, angles, projections, components.

The dot product of two unit vectors climbs the tree from the one whose frame is deeper, one cosine matrix at a time, as
far as it must; what it finds is kept. A cross product writes its first factor over the triad of its second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, overload

from linkwork.symbolic import ONE, ZERO, Expr, Symbol, add, atan2, sign, simplify, sqrt
from linkwork.symbolic.algebra import add_products
from linkwork.symbolic.simplify import trigonometric
from linkwork.vectors.quantity import (
    NOTHING,
    Dyadic,
    Quantity,
    UnitVector,
    Vector,
    VectorError,
    as_frame,
    as_scalar,
    as_vector,
    kind_of,
    name_of,
)

if TYPE_CHECKING:
    from linkwork.vectors.frames import Frame

# the axes i, j, k of a turn about axis k: i goes to j
LOOKING: Final = "what components are seen in"
CYCLES: Final = {0: (1, 2, 0), 1: (2, 0, 1), 2: (0, 1, 2)}


def cosine(a: UnitVector, b: UnitVector) -> Expr:
    """The dot product of two unit vectors."""
    found = a.cosines.get(b)
    if found is None:
        if a.frame is b.frame:
            found = ONE if a is b else ZERO
        else:
            a.frame.check_tree(b.frame)
            found = _climb(a, b) if a.rank < b.rank else _climb(b, a)
        a.cosines[b] = b.cosines[a] = found
    return found


def _climb(a: UnitVector, b: UnitVector) -> Expr:
    """b's frame was defined later: unless a's is deeper, b is written over the axes of its parent."""
    deep, other = (a, b) if a.frame.level > b.frame.level else (b, a)
    row = deep.frame.rows[deep.axis]
    return trigonometric(add(*(c * cosine(axis, other) for axis, c in row.terms.items())))


# -- products ----------------------------------------------------------------------------------------------------------


@overload
def dot(a: Vector, b: Vector) -> Expr: ...
@overload
def dot(a: Vector, b: Dyadic) -> Vector: ...
@overload
def dot(a: Dyadic, b: Vector) -> Vector: ...
@overload
def dot(a: Dyadic, b: Dyadic) -> Dyadic: ...
def dot(a: Any, b: Any) -> Any:
    """a · b: of two vectors a scalar, with one dyadic a vector, of two dyadics a dyadic."""
    if isinstance(a, Vector) and isinstance(b, Vector):
        products = []
        for i, x in a.terms.items():
            for j, y in b.terms.items():
                c = cosine(i, j)
                if c is not ZERO:
                    products.append((x, y, c))
        return add_products(products) if products else ZERO
    a, b = _factor(a, "dot"), _factor(b, "dot")
    if not isinstance(a, Dyadic) and not isinstance(b, Dyadic):
        return dot(a, b)
    # each pair of neighbours makes a number, what stands left and right of it stays
    along: Products = {}
    for one, x in a.terms.items():
        for two, y in b.terms.items():
            c = cosine(_inside(one, 1), _inside(two, 0))
            if c is not ZERO:
                left, right = _outside(one, 0), _outside(two, 1)
                kept = left or right if left is None or right is None else (left, right)
                along.setdefault(kept, []).append((x, y, c))
    kind = Vector if isinstance(a, Vector) or isinstance(b, Vector) else Dyadic
    return kind({one: add_products(products) for one, products in along.items()})


Products = dict[Any, list[tuple[Expr, Expr, Expr]]]  # what is to be multiplied and added, by unit vector or pair


def _outside(one: Any, place: int) -> UnitVector | None:
    return None if isinstance(one, UnitVector) else one[place]


def _inside(one: Any, place: int) -> UnitVector:
    return one if isinstance(one, UnitVector) else one[place]


@overload
def cross(a: Vector, b: Vector) -> Vector: ...
@overload
def cross(a: Vector, b: Dyadic) -> Dyadic: ...
@overload
def cross(a: Dyadic, b: Vector) -> Dyadic: ...
def cross(a: Any, b: Any) -> Any:
    """a × b; with a dyadic, its nearer vectors are crossed."""
    if isinstance(a, Vector) and isinstance(b, Vector):
        if not a.terms or not b.terms:
            return NOTHING
        along: Products = {}
        for i, x in a.terms.items():
            for j, y in b.terms.items():
                for k, z in _crossed(i, j).terms.items():
                    along.setdefault(k, []).append((x, y, z))
        return Vector({k: add_products(products) for k, products in along.items()})
    a, b = _factor(a, "cross"), _factor(b, "cross")
    if not isinstance(a, Dyadic) and not isinstance(b, Dyadic):
        return cross(a, b)
    if isinstance(a, Vector):
        parts = [(cross(a, left), right, c) for (left, right), c in b.terms.items()]
        return Dyadic({})._made(((k, right), c * x) for v, right, c in parts for k, x in v.terms.items())
    if isinstance(b, Vector):
        parts = [(cross(right, b), left, c) for (left, right), c in a.terms.items()]
        return Dyadic({})._made(((left, k), c * x) for v, left, c in parts for k, x in v.terms.items())
    raise VectorError("two dyadics have no cross product", "Give at least one vector")


def _crossed(a: UnitVector, b: UnitVector) -> Vector:
    """a × b: the first is written over a triad that has the second among its axes."""
    found = a.crosses.get(b)
    if found is None:
        found = a.crosses[b] = _cross(a, b) if a is not b else Vector({})
    return found


def _cross(a: UnitVector, b: UnitVector) -> Vector:
    triad = _triad(a, b)
    i, j, _ = CYCLES[triad.axes.index(b)]
    # with b as axis k: i × k = -j and j × k = i
    x, y = cosine(a, triad.axes[i]), cosine(a, triad.axes[j])
    return Vector({})._made([(triad.axes[j], -x), (triad.axes[i], y)])


def _triad(a: UnitVector, b: UnitVector) -> Frame:
    """The frame to write a × b in: the deeper one's if it has both, so that shared axes stay whole."""
    for frame in (a.frame, b.frame):
        if a in frame.axis_set and b in frame.axis_set:
            return frame
    return b.frame


def outer(a: Any, b: Any) -> Dyadic:
    """The dyadic a b of two vectors."""
    a, b = as_vector(a, "the first of outer"), as_vector(b, "the second of outer")
    return Dyadic({})._made(((i, j), x * y) for i, x in a.terms.items() for j, y in b.terms.items())


def identity(frame: Frame) -> Dyadic:
    """The unit dyadic, over the axes of a frame."""
    return Dyadic({(axis, axis): ONE for axis in as_frame(frame, "the argument of identity").axes})


def _factor(x: Any, product: str) -> Quantity[Any]:
    if isinstance(x, Quantity):
        return x
    return as_vector(x, f"what goes into {product}")


# -- coefficients ------------------------------------------------------------------------------------------------------


def collect(x: Any, *symbols: Symbol) -> Any:
    """Terms with the same powers of the symbols put together, in a scalar or in the coefficients of a vector."""
    if isinstance(x, Quantity):
        return x.mapped(lambda c: simplify.collect(c, *symbols))
    return simplify.collect(as_scalar(x, "what is collected"), *symbols)


def gcf(*given: Any) -> Expr:
    """The greatest common factor of all terms of scalars, and of the coefficients of vectors."""
    parts = [[*x.terms.values()] if isinstance(x, Quantity) else [as_scalar(x, "what has factors")] for x in given]
    return simplify.gcf(*(c for part in parts for c in part))


# -- lengths and angles ------------------------------------------------------------------------------------------------


def magnitude(v: Any) -> Expr:
    """|v|.   magnitude(3*B.x + 4*B.y) is 5."""
    v = as_vector(v, "what has a magnitude")
    return sqrt(trigonometric(dot(v, v)))


def direction(v: Any) -> Vector:
    """v/|v|."""
    along = as_vector(v, "what has a direction")
    if not along:
        raise VectorError("a vector of no length has no direction")
    return along / magnitude(along)


def project(v: Any, normal: Any) -> Vector:
    """v without its part along a normal: v − (v·n) n/(n·n)."""
    whole, n = as_vector(v, "what is projected"), as_vector(normal, "the normal")
    if not n:
        raise VectorError("the normal has no length", "Give another")
    return whole - n * (dot(whole, n) / trigonometric(dot(n, n)))


def angle(a: Any, b: Any, about: Any = None) -> Expr:
    """The angle from a to b: in [0, π]; with an axis about which a turns to b, signed, in (−π, π]."""
    a, b = as_vector(a, "the first of an angle"), as_vector(b, "the second of an angle")
    if not a or not b:
        raise VectorError("a vector of no length makes no angle", "Give another")
    turn, along = cross(a, b), trigonometric(dot(a, b))
    if about is None:
        return atan2(magnitude(turn), along)
    n = as_vector(about, "the axis of an angle")
    if not n:
        raise VectorError("the axis of an angle has no length", "Give another")
    across = trigonometric(dot(turn, n) / magnitude(n))
    if not _is_parallel(turn, n):
        if dot(turn, n) is ZERO:
            raise VectorError(f"{name_of(a)} does not turn to {name_of(b)} about {name_of(n)}", "Give another axis")
        return sign(across) * atan2(magnitude(turn), along)
    return atan2(across, along)


def _is_parallel(a: Vector, n: Vector) -> bool:
    """Whether a × n vanishes, as far as can be seen."""
    return not cross(a, n).mapped(trigonometric)


# -- components --------------------------------------------------------------------------------------------------------


def express(x: Any, frame: Frame) -> Any:
    """The same vector or dyadic over the axes of a frame."""
    if isinstance(x, Vector):
        return Vector(dict(zip(as_frame(frame, LOOKING).axes, components(x, frame), strict=True)))
    if not isinstance(x, Dyadic):
        raise VectorError(f"{name_of(x)}, a {kind_of(x)}, has no components", "Give a vector or a dyadic")
    left = dot(identity(frame), x)
    return dot(left, identity(frame)).mapped(trigonometric)


def components(v: Any, frame: Frame) -> tuple[Expr, ...]:
    """The components of a vector along the axes of a frame."""
    v = as_vector(v, "what has components")
    return tuple(trigonometric(dot(v, axis)) for axis in as_frame(frame, LOOKING).axes)


def entries(x: Dyadic, frame: Frame) -> tuple[tuple[Expr, ...], ...]:
    """The matrix of a dyadic in a frame: entry i, j is b_i · x · b_j."""
    if not isinstance(x, Dyadic):
        raise VectorError(f"{name_of(x)}, a {kind_of(x)}, has no matrix of entries", "Give a dyadic")
    return tuple(components(dot(axis, x), frame) for axis in as_frame(frame, LOOKING).axes)
