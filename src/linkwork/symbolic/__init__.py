"""Scalar expressions, canonical and interned: symbols and numbers in; values, derivatives, text out.

x, y = symbol("x"), symbol("y")
(x + y) * (y + x) is (x + y) ** 2
differentiate(x * sin(y), y) is x * cos(y)

scalar        the nodes; bag: terms and factors of one; exact: its numbers; curve: knots as data; vector: three of them
algebra       the rules of + * **; functions: sin, cos, ...; calculus: derivatives and substitution
simplify, small, shared, intermediates
              on request: identities, small quantities, common parts
units         by dimension, as far as laws tell them
evaluate      numbers; count: operations; traverse: walks without recursion
parse         text to expressions; printing, latex: back again; order: in which terms are written
"""

from linkwork.symbolic.algebra import add, divide, multiply, power
from linkwork.symbolic.calculus import (
    derivatives,
    differentiate,
    gradient,
    jacobian,
    substitute,
    substitute_all,
    total_rate,
)
from linkwork.symbolic.count import count_operations
from linkwork.symbolic.curve import Curve
from linkwork.symbolic.evaluate import Evaluation, evaluate, evaluate_all, evaluate_columns
from linkwork.symbolic.exact import Value
from linkwork.symbolic.functions import (
    FUNCTIONS,
    abs,
    acos,
    asin,
    atan,
    atan2,
    cos,
    exp,
    function,
    less,
    less_equal,
    log,
    lookup,
    max,
    min,
    select,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
)
from linkwork.symbolic.latex import to_latex
from linkwork.symbolic.printing import to_sympy, to_text
from linkwork.symbolic.scalar import (
    ONE,
    ZERO,
    Compare,
    Expr,
    ExprLike,
    Function,
    Kind,
    Lookup,
    Node,
    Number,
    Power,
    Product,
    Select,
    Sum,
    Symbol,
    as_expr,
    symbol,
)
from linkwork.symbolic.traverse import free_symbols, is_in_range, postorder

__all__ = [
    "FUNCTIONS",
    "ONE",
    "ZERO",
    "Compare",
    "Curve",
    "Evaluation",
    "Expr",
    "ExprLike",
    "Function",
    "Kind",
    "Lookup",
    "Node",
    "Number",
    "Power",
    "Product",
    "Select",
    "Sum",
    "Symbol",
    "Value",
    "abs",
    "acos",
    "add",
    "as_expr",
    "asin",
    "atan",
    "atan2",
    "cos",
    "count_operations",
    "derivatives",
    "differentiate",
    "divide",
    "evaluate",
    "evaluate_all",
    "evaluate_columns",
    "exp",
    "free_symbols",
    "function",
    "gradient",
    "is_in_range",
    "jacobian",
    "less",
    "less_equal",
    "log",
    "lookup",
    "max",
    "min",
    "multiply",
    "postorder",
    "power",
    "select",
    "sign",
    "sin",
    "sqrt",
    "substitute",
    "substitute_all",
    "symbol",
    "tan",
    "tanh",
    "to_latex",
    "to_sympy",
    "to_text",
    "total_rate",
]
