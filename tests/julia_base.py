"""Values and functions of Julia, as far as exported programs use them; what Julia refuses is refused.

By the documentation of Julia 1.6 and later. Not covered: integers beyond 64 bits, and `false*Inf`, which Julia makes 0.
"""

import copy as copying
import math
import os
import re
import sys
from bisect import bisect_right


class JuliaError(Exception):
    """An error that Julia would raise."""

    def __init__(self, kind, words):
        super().__init__(f"{kind}: {words}")


def refuse(kind, words):
    raise JuliaError(kind, words)


def method_error(name, *values):
    refuse("MethodError", f"no method matching {name}({', '.join(f'::{name_type(v)}' for v in values)})")


# -- types -------------------------------------------------------------------------------------------------------------


class String(str):
    """Strings are joined by `*`, and have no other arithmetic."""

    __slots__ = ()
    __add__ = __mod__ = __rmul__ = None

    def __mul__(self, other):
        return String(str.__add__(self, other)) if type(other) is String else method_error("*", self, other)


class Symbol(str):
    """A name as a value."""

    __slots__ = ()
    __add__ = __mod__ = __mul__ = __rmul__ = None


class Tuple(tuple):
    """Several values."""

    __slots__ = ()
    __add__ = __mul__ = __rmul__ = None


class Type:
    """A type of values: what fits, and how others are converted."""

    def __init__(self, name, fits, turn=None, element=None):
        self.name, self.fits, self.turn, self.element = name, fits, turn, element

    def __call__(self, value, /):
        return convert(self, value)


def to_float(x):
    return float(x) if type(x) in (int, bool) else None


def to_int(x):
    if type(x) is float and not x.is_integer():
        refuse("InexactError", f"Int64({show(x)})")
    return int(x) if type(x) in (float, bool) else None


def to_bool(x):
    if type(x) in (int, float) and x not in (0, 1):
        refuse("InexactError", f"Bool({show(x)})")
    return bool(x) if type(x) in (int, float) else None


FLOAT = Type("Float64", lambda x: type(x) is float, to_float)
INT = Type("Int64", lambda x: type(x) is int, to_int)
BOOL = Type("Bool", lambda x: type(x) is bool, to_bool)
STRING = Type("String", lambda x: type(x) is String)
SYMBOL = Type("Symbol", lambda x: type(x) is Symbol)
NOTHING = Type("Nothing", lambda x: x is None)
ANY = Type("Any", lambda x: True)
NUMBERS = (BOOL, INT, FLOAT)
SCALARS = {float: FLOAT, int: INT, bool: BOOL, String: STRING, Symbol: SYMBOL, type(None): NOTHING}
VECTORS = {}


def vector_of(element):
    """Vector{element}"""
    if element not in VECTORS:
        VECTORS[element] = Type(
            f"Vector{{{element.name}}}",
            lambda x: type(x) is Array and x.kind is element,
            lambda x: Array(element, x.items) if type(x) is Array else None,
            element,
        )
    return VECTORS[element]


def type_of(value):
    """The type of a value."""
    if isinstance(value, Record):
        return type(value)
    if type(value) is Array:
        return vector_of(value.kind)
    return SCALARS.get(type(value), ANY)


def name_type(value):
    found = type_of(value)
    return type(value).__name__ if found is ANY else found.name


def convert(kind, value):
    """What is stored where values of a type are kept."""
    if fits(kind, value):
        return value
    found = kind.turn(value) if isinstance(kind, Type) and kind.turn else None
    return method_error(f"convert {kind.name}", value) if found is None else found


def fits(kind, value):
    return kind.fits(value) if isinstance(kind, Type) else isinstance(value, kind)


def promote(kinds):
    """The type of an array of several."""
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds and kinds <= set(NUMBERS):
        return FLOAT if FLOAT in kinds else INT
    return refuse("not covered", "arrays of several types") if kinds else ANY


class Record:
    """A struct; its fields have types."""

    __slots__ = ()
    defaults = None

    def __init__(self, *values, **named):
        if named or (self.defaults and not values):
            values = self.defaults(named) if self.defaults else method_error(self.name, *values)
        if len(values) != len(self.kinds):
            method_error(self.name, *values)
        for (name, kind), value in zip(self.kinds.items(), values, strict=True):
            object.__setattr__(self, f"{name}_", convert(kind, value))

    def __deepcopy__(self, memo):
        return type(self)(*(copying.deepcopy(getattr(self, f"{name}_"), memo) for name in self.kinds))


def make_record(name, fields, mutable, defaults):
    """A new type of structs."""
    kinds = dict(fields)
    if len(kinds) < len(fields):
        refuse("syntax", f"duplicate field name in {name}")
    members = {"__slots__": tuple(f"{name}_" for name in kinds), "kinds": kinds, "name": name, "mutable": mutable}
    return type(name, (Record,), members | {"defaults": staticmethod(defaults) if defaults else None})


def put_field(record, name, value):
    """record.name = value"""
    if not isinstance(record, Record) or not record.mutable:
        refuse("ErrorException", f"fields of {name_type(record)} cannot be set")
    if name not in record.kinds:
        refuse("FieldError", f"type {record.name} has no field {name}")
    object.__setattr__(record, f"{name}_", convert(record.kinds[name], value))


class Array:
    """A vector; its entries have a type."""

    __slots__ = ("items", "kind")

    def __init__(self, kind, items):
        self.kind, self.items = kind, [convert(kind, x) for x in items]

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def __eq__(self, other):
        return type(other) is Array and self.items == other.items

    __hash__ = None

    def _fill(self, items, *kinds):
        """As long; where there is nothing the types of what would have been computed count."""
        found = Array(promote({type_of(x) for x in items}) if items else promote(set(kinds)), [])
        found.items = items
        return found

    def _beside(self, other, sign):
        if type(other) is not Array:
            method_error(sign, self, other)
        if len(self) != len(other):
            refuse("DimensionMismatch", f"{sign} of arrays of lengths {len(self)} and {len(other)}")

    def __add__(self, other):
        self._beside(other, "+")
        return self._fill([a + b for a, b in zip(self.items, other.items, strict=True)], self.kind, other.kind)

    def __sub__(self, other):
        self._beside(other, "-")
        return self._fill([a - b for a, b in zip(self.items, other.items, strict=True)], self.kind, other.kind)

    def __neg__(self):
        return self._fill([-a for a in self.items], self.kind)

    def __mul__(self, scale):
        return self._fill([a * number(scale) for a in self.items], self.kind, type_of(scale))

    def __rmul__(self, scale):
        return self._fill([number(scale) * a for a in self.items], self.kind, type_of(scale))

    def __truediv__(self, scale):
        return self._fill([divide(a, number(scale)) for a in self.items], FLOAT)

    def __radd__(self, other):
        return method_error("+", other, self)

    def __rsub__(self, other):
        return method_error("-", other, self)


class Dictionary:
    """A Dict; its keys and values have types."""

    def __init__(self, key, value, pairs=()):
        self.key, self.value, self.pairs = key, value, {}
        for k, v in pairs:
            put(self, k, v)


class Dict(Type):
    """The type of dictionaries, with types of keys and values or without."""

    def __init__(self, key=None, value=None):
        super().__init__("Dict", lambda x: type(x) is Dictionary)
        self.key, self.entry = key, value

    def __call__(self, *pairs):
        if not all(type(p) is Pair for p in pairs):
            method_error("Dict", *pairs)
        if self.key is None:
            return Dictionary(promote({type_of(k) for k, _ in pairs}), promote({type_of(v) for _, v in pairs}), pairs)
        return Dictionary(self.key, self.entry, pairs)


class Stream(str):
    """Where to print: stdout or stderr."""

    __slots__ = ()


class Pair(tuple):
    """key => value"""

    __slots__ = ()


def parametrised(name, *kinds):
    """Vector{Float64}, Dict{String, Symbol}"""
    if name is VECTOR and len(kinds) == 1:
        return vector_of(*kinds)
    return Dict(*kinds) if name is DICT and len(kinds) == 2 else refuse("TypeError", "parameters of a type")


VECTOR, DICT = Type("Vector", lambda x: type(x) is Array), Dict()


# -- what the language does --------------------------------------------------------------------------------------------


def number(x):
    return x if type(x) in (float, int, bool) else method_error("a number", x)


def whole(x):
    return x if type(x) is int else method_error("an integer", x)


def truth(x):
    return x if type(x) is bool else refuse("TypeError", f"non-boolean ({name_type(x)}) used in boolean context")


def make_array(*values):
    """[a, b, ...]"""
    return Array(promote({type_of(v) for v in values}), values)


def make_typed(kind, *values):
    """Float64[a, b, ...]"""
    return Array(kind, values)


def stack(*parts):
    """[a; b; ...]"""
    kinds = {p.kind if type(p) is Array else type_of(p) for p in parts}
    items = [x for p in parts for x in (p.items if type(p) is Array else [p])]
    return Array(promote(kinds), items)


def collect(values):
    """[f(x) for x in ...]"""
    values = list(values)
    return Array(promote({type_of(v) for v in values}), values)


def get(a, i, /):
    """a[i]"""
    if type(a) is Array and type(i) is int and 0 < i <= len(a.items):
        return a.items[i - 1]
    if type(a) is Dictionary:
        return a.pairs[i] if type(i) is String and i in a.pairs else refuse("KeyError", f"key {i!r} not found")
    if type(a) is Array and (type(i) is range or (type(i) is Array and i.kind is INT)):
        return Array(a.kind, [get(a, k) for k in i])
    if type(i) is not int or type(a) not in (Array, Tuple, range):
        refuse("ArgumentError", f"invalid index {i!r} of {name_type(a)}")
    if not 1 <= i <= len(a):
        refuse("BoundsError", f"attempt to access {len(a)}-element {name_type(a)} at index [{i}]")
    return a[i - 1]


def put(a, i, value, /):
    """a[i] = value"""
    if type(a) is Array and type(i) is int and 0 < i <= len(a.items):
        a.items[i - 1] = value if a.kind is FLOAT and type(value) is float else convert(a.kind, value)
    elif type(a) is Dictionary and type(i) is String:
        a.pairs[convert(a.key, i)] = convert(a.value, value)
    elif type(a) is Array and type(i) is int:
        refuse("BoundsError", f"attempt to access {len(a)}-element {name_type(a)} at index [{i}]")
    else:
        method_error("setindex!", a, value, i)


def unpack(value, count):
    """a, b = value: what is too much is left"""
    if type(value) not in (Tuple, Array):
        method_error("iterate", value)
    return [get(value, i + 1) for i in range(count)]


def count_range(first, step, last):
    """first:step:last"""
    if whole(step) == 0:
        refuse("ArgumentError", "step cannot be zero")
    return range(whole(first), whole(last) + (1 if step > 0 else -1), step)


def broadcast(f, *values):
    """f.(a, b, ...)"""
    arrays = [v for v in values if type(v) in (Array, range)]
    if any(type(v) in (Tuple, Dictionary) or isinstance(v, Record) for v in values):
        refuse("not covered", "dots with such values")
    if not arrays:
        return f(*values)
    lengths = {len(a) for a in arrays}
    size = lengths.pop() if len(lengths) == 1 else max(lengths) if len(lengths) == 2 and 1 in lengths else None
    if size is None or 0 in lengths:
        refuse("DimensionMismatch", f"arrays could not be broadcast to a common size: {[len(a) for a in arrays]}")
    columns = [list(v) * (size if len(v) == 1 else 1) if type(v) in (Array, range) else [v] * size for v in values]
    items = [f(*row) for row in zip(*columns, strict=True)]
    kinds = {type_of(x) for x in items} or {promote({getattr(a, "kind", INT) for a in arrays})}
    return Array(kinds.pop() if len(kinds) == 1 else refuse("not covered", "dots that make several types"), items)


def divide(a, b):
    """a / b"""
    if type(a) is Array:
        return a / b
    number(a), number(b)
    if b:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def div(a, b, /):
    """a ÷ b, towards zero"""
    if whole(b) == 0:
        refuse("DivideError", "integer division error")
    return abs(whole(a)) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def rem(a, b, /):
    """a % b, with the sign of a"""
    if type(a) is int and type(b) is int:
        return a - div(a, b) * b
    return math.fmod(number(a), b) if number(b) and math.isfinite(a) else math.nan


def raise_to(x, n, literal=False):
    """x^n; whole powers that are written as numbers may be negative for integers, too"""
    if type(number(x)) in (int, bool) and type(number(n)) in (int, bool):
        if n < 0 and not literal and abs(x) != 1:
            refuse("DomainError", f"cannot raise an integer x to a negative power {n}")
        found = x**n if n >= 0 else divide(1, x**-n) if literal else x ** (n % 2)
        return found if type(found) is float or abs(found) < 2**63 else refuse("not covered", "large integers")
    if literal and n in (2, 3):
        return x * x if n == 2 else x * x * x
    x, n = float(x), float(n)
    try:
        return math.pow(x, n)
    except OverflowError:
        return -math.inf if x < 0 and n % 2 == 1 else math.inf
    except ValueError:
        if x == 0:
            return math.copysign(math.inf, x) if n % 2 == 1 else math.inf
        return refuse("DomainError", f"{x}^{n}")


def say(value):
    """A value as it is printed."""
    if type(value) is float:
        return String(show(value))
    if type(value) is bool or value is None:
        return String({True: "true", False: "false", None: "nothing"}[value])
    return String(value) if type(value) in (int, String, Symbol) else refuse("not covered", f"{type(value)} in text")


def show(x):
    """The shortest decimal that is this number."""
    if type(x) is not float:
        return str(x)
    if not math.isfinite(x):
        return "NaN" if x != x else "Inf" if x > 0 else "-Inf"
    mantissa, _, power = f"{x!r}e".partition("e")
    sign, mantissa = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    front, _, back = mantissa.partition(".")
    digits = (front + back).lstrip("0")
    point = len(front) + int(power.rstrip("e") or 0) - (len(front + back) - len(digits))
    digits = digits.rstrip("0") or "0"
    if x == 0:
        return f"{sign}0.0"
    if not -4 < point <= 6:
        return f"{sign}{digits[0]}.{digits[1:] or 0}e{point - 1}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[:point].ljust(point, '0')}.{digits[point:] or 0}"


# -- functions ---------------------------------------------------------------------------------------------------------


def elementary(name, compute):
    def call(x, /):
        try:
            return compute(float(number(x)))
        except OverflowError:
            return math.inf
        except ValueError:
            return refuse("DomainError", f"{name}({show(x)})")

    return call


def log(x, /):
    return -math.inf if number(x) == 0 else elementary("log", math.log)(x)


def atan(y, x=None, /):
    return math.atan(number(y)) if x is None else math.atan2(number(y), number(x))


def choose(name, first):
    """min and max: NaN is passed on, and -0.0 is less than 0.0"""

    def call(*values):
        if not values:
            method_error(name)
        kind = promote({type_of(number(v)) for v in values})
        if any(v != v for v in values):
            return math.nan
        return convert(kind, sorted(values, key=lambda v: (v, math.copysign(1.0, v)))[first])

    return call


def sign(x, /):
    return type(x)(math.copysign(1, x)) if number(x) else x


def floor(x, y=None, /):
    if y is None:
        return float(math.floor(x)) if type(number(x)) is float and math.isfinite(x) else x
    if x is not INT:
        method_error("floor", x, y)
    return math.floor(y) if math.isfinite(number(y)) else refuse("InexactError", f"Int64({show(y)})")


def round_even(x, /):
    return math.copysign(float(round(x)), x) if type(number(x)) is float and math.isfinite(x) else x


def zeros(kind, count=None, /):
    kind, count = (FLOAT, kind) if count is None else (kind, count)
    if kind not in NUMBERS or whole(count) < 0:
        refuse("ArgumentError", "zeros")
    return fill(kind(0), count)


def fill(value, count, /):
    return Array(type_of(value), [value] * whole(count))


def push(a, value, /):
    if type(a) is not Array:
        method_error("push!", a, value)
    a.items.append(convert(a.kind, value))
    return a


def pop_first(a, /):
    if type(a) is not Array:
        method_error("popfirst!", a)
    return a.items.pop(0) if a.items else refuse("ArgumentError", "array must be non-empty")


def copy(a, /):
    return copying.copy(a)._fill(list(a.items), a.kind) if type(a) is Array else method_error("copy", a)


def items_of(values):
    """What can be looked through."""
    return (
        values
        if hasattr(values, "send") or type(values) in (Array, Tuple, range, list)
        else method_error("iterate", values)
    )


def reduce(name, join):
    """sum, prod, maximum: of nothing, and without init, only where the type tells what that is"""

    def call(values, /, **init):
        if set(init) - {"init"}:
            method_error(name, *init)
        items = list(items_of(values))
        if not items and not init:
            kind = getattr(values, "kind", None)
            if join is None or kind not in NUMBERS:
                refuse("ArgumentError", "reducing over an empty collection is not allowed")
            return (FLOAT if kind is FLOAT else INT)(0 if name == "sum" else 1)
        found = init["init"] if init else items.pop(0)
        for item in items:
            found = (join or MAXIMUM)(found, item)
        return found

    return call


MAXIMUM = choose("max", -1)


def has_any(*given):
    return any(truth(x) for x in _ask(*given))


def has_all(*given):
    return all(truth(x) for x in _ask(*given))


def _ask(f, values=None):
    return items_of(f) if values is None else [f(x) for x in items_of(values)]


def keep(f, values, /):
    found = Array(INT if type(values) is range else values.kind, [])
    found.items = [x for x in items_of(values) if truth(f(x))]
    return found


def for_each(f, *values):
    for row in zip(*map(items_of, values), strict=False):
        f(*row)


def each_index(a, /):
    return range(1, len(a) + 1) if type(a) is Array else method_error("eachindex", a)


def length(a, /):
    return len(a) if type(a) in (Array, Tuple, range, String) else method_error("length", a)


def is_empty(a, /):
    return len(a) == 0 if type(a) in (Array, Tuple, range, String) else method_error("isempty", a)


def search_sorted_last(a, x, /):
    if number(x) and not any(v != v for v in a.items[-1:]):
        return bisect_right(a.items, x) if x == x else len(a)
    # isless puts -0.0 before 0.0 and NaN behind everything
    order = [(v != v, v if v == v else 0.0, math.copysign(1.0, v)) for v in a.items]
    return bisect_right(order, (x != x, x if x == x else 0.0, math.copysign(1.0, number(x))))


def if_else(condition, one, other, /):
    return one if truth(condition) else other


def text(x):
    return x if type(x) is String else method_error("a string", x)


def strip(x, /):
    return String(text(x).strip())


def split(x, by, /, **limit):
    if set(limit) - {"limit"} or not text(by):
        method_error("split", x, by)
    return Array(STRING, [String(part) for part in text(x).split(by, limit.get("limit", 0) - 1)])


def join(parts, by, /):
    return String(text(by).join(say(x) for x in items_of(parts)))


def starts_with(x, start, /):
    return text(x).startswith(text(start))


def occurs_in(pattern, x, /):
    if not isinstance(pattern, re.Pattern):
        return text(pattern) in text(x)
    return pattern.search(text(x)) is not None


def parse(kind, x, /):
    found = try_parse(kind, x)
    return refuse("ArgumentError", f"cannot parse {x!r} as {kind.name}") if found is None else found


def try_parse(kind, x, /):
    if kind is not FLOAT:
        refuse("not covered", "parsing anything but Float64")
    pattern = r"\s*[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)\s*"
    return float(x) if re.fullmatch(pattern, text(x), re.ASCII | re.IGNORECASE) else None


def print_line(*values):
    stream, values = (values[0], values[1:]) if values and type(values[0]) is Stream else ("stdout", values)
    getattr(sys, stream).write("".join(map(say, values)) + "\n")


def error(*values):
    refuse("ErrorException", "".join(map(say, values)))


def leave(code=0, /):
    sys.stdout.flush()
    raise SystemExit(whole(code))


def each_line(path, /):
    with open(text(path), encoding="utf-8", errors="replace", newline="") as file:
        lines = file.read().split("\n")
    return Array(STRING, [String(line.removesuffix("\r")) for line in (lines if lines[-1] else lines[:-1])])


def set_field(record, name, value, /):
    """setfield! converts nothing."""
    if type(name) is not Symbol or not fits(record.kinds.get(str(name), SYMBOL), value):
        refuse("TypeError", f"in setfield!, {name} of {name_type(record)}: {name_type(value)}")
    put_field(record, str(name), value)
    return value


def get_field(record, name, /):
    return (
        getattr(record, f"{name}_")
        if type(name) is Symbol and name in record.kinds
        else refuse("FieldError", str(name))
    )


def field_names(kind, /):
    return Tuple(Symbol(name) for name in kind.kinds)


BASE = {
    "Float64": FLOAT, "Int": INT, "Bool": BOOL, "String": STRING, "Symbol": SYMBOL, "Any": ANY, "Nothing": NOTHING,
    "Vector": VECTOR, "Dict": DICT, "nothing": None, "NaN": math.nan, "Inf": math.inf, "pi": math.pi,
    "stderr": Stream("stderr"), "stdout": Stream("stdout"),
    **{f.__name__: elementary(f.__name__, f) for f in (math.sin, math.cos, math.tan, math.tanh, math.exp)},
    **{f.__name__: elementary(f.__name__, f) for f in (math.sqrt, math.asin, math.acos)},
    "log": log, "atan": atan, "min": choose("min", 0), "max": choose("max", -1), "sign": sign, "floor": floor,
    "round": round_even, "abs": lambda x, /: abs(number(x)), "hypot": lambda x, y, /: math.hypot(number(x), number(y)),
    "isfinite": lambda x, /: math.isfinite(number(x)), "isodd": lambda n, /: whole(n) % 2 == 1, "div": div, "rem": rem,
    "ifelse": if_else, "zeros": zeros, "fill": fill, "push!": push, "popfirst!": pop_first, "copy": copy,
    "deepcopy": lambda x, /: copying.deepcopy(x), "length": length, "isempty": is_empty, "eachindex": each_index,
    "sum": reduce("sum", lambda a, b: a + b), "prod": reduce("prod", lambda a, b: a * b),
    "maximum": reduce("maximum", None), "any": has_any, "all": has_all, "filter": keep, "foreach": for_each,
    "searchsortedlast": search_sorted_last,
    "strip": strip, "split": split, "join": join, "startswith": starts_with, "occursin": occurs_in, "parse": parse,
    "tryparse": try_parse, "isnothing": lambda x, /: x is None, "println": print_line, "error": error, "exit": leave,
    "eachline": each_line, "isfile": lambda path, /: os.path.isfile(text(path)),
    "abspath": lambda path, /: String(os.path.abspath(text(path))),
    "haskey": lambda d, key, /: key in d.pairs if type(d) is Dictionary else method_error("haskey", d, key),
    "setfield!": set_field, "getfield": get_field, "fieldnames": field_names,
}  # fmt: skip
