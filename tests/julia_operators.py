"""Operators of Julia: nodes of tree-sitter in, trees of what binds how strongly out, by Julia's own rules.

The tree of tree-sitter takes `h/6*(k)` for `h/(6*k)`, and does not see that a macro takes the rest of its line.
"""

import itertools

# how strongly operators bind, by the manual; those of a line go together
LEVELS = [
    ["=>"], ["?"], ["||"], ["&&"], ["<", "<=", ">", ">=", "==", "!=", ".<", ".<=", ".>", ".>="], [":"],
    ["+", "-", ".+", ".-"], ["*", "/", "÷", "%", ".*", "./"], ["unary"], ["beside"], ["^"],
]  # fmt: skip
BINDS = {sign: level for level, signs in enumerate(LEVELS) for sign in signs}
COMPARE, RANGE, UNARY = BINDS["<"], BINDS[":"], BINDS["unary"]
OPERATORS = (
    "binary_expression",
    "unary_expression",
    "juxtaposition_expression",
    "ternary_expression",
    "range_expression",
)


class RefusedError(Exception):
    """What Julia would not read, or we do not."""


def said(node):
    return node.text.decode()


def parts(node):
    """What stands in a node, without remarks."""
    return [child for child in node.children if child.type not in ("line_comment", "block_comment")]


def inner(node):
    """The same without words and signs."""
    return [child for child in parts(node) if child.is_named and child.type != "operator"]


def end_row(token):
    return (token[1] if isinstance(token, tuple) else token).end_point[0]


class Reader:
    """Reads the operators of a file; `open` is whether a line goes on by itself."""

    path, open = "", False

    def check(self, node):
        if node.is_missing or node.type == "ERROR":
            self.refuse(node, "is not understood")
        for child in node.children:
            self.check(child)

    def refuse(self, node, words):
        raise RefusedError(f"{self.place(node)}: {words}: {said(node)[:80]}")

    def place(self, node):
        return f"{self.path}:{node.start_point[0] + 1}"

    def parse(self, node, *more):
        """A tree of operators by Julia's own rules: (sign, left, right), ("unary", sign, value), ("atom", node)"""
        tokens = [token for part in (node, *more) for token in self.tokens(part)]
        for before, token in itertools.pairwise(tokens):
            if not self.open and isinstance(token, tuple) and end_row(before) != token[1].start_point[0]:
                self.refuse(token[1], "begins a line, whose statement has ended")
            if getattr(before, "type", "") == "macrocall_expression":
                self.refuse(before, "takes the rest of its line for its arguments")
        tree, rest = self.climb(tokens, 0)
        if rest:
            self.refuse(node, "is not understood")
        return tree

    def is_sign(self, node):
        """-(a), which is no call of a function"""
        return node.type == "call_expression" and node.children[0].type == "operator"

    def tokens(self, node):
        """Signs, with their nodes, and what stands between them."""
        if self.is_sign(node):
            sign, given = node.children
            if len(inner(given)) != 1 or len(parts(given)) != 3:
                self.refuse(node, "is not covered")
            yield (said(sign), sign)
            yield given
        elif node.type == "juxtaposition_expression":
            one, other = node.children
            if one.type not in ("integer_literal", "float_literal"):
                self.refuse(node, "is not covered")
            yield one
            if not self.is_sign(other):
                yield ("beside", other)
            yield from self.tokens(other)
        elif node.type in OPERATORS:
            for child in parts(node):
                if child.type in ("operator", ":", "?"):
                    yield (said(child), child)
                else:
                    yield from self.tokens(child)
        else:
            yield node

    def climb(self, tokens, least, ranges=True):
        """What binds at least so strongly, and the tokens behind it."""
        if not tokens:
            raise RefusedError(f"{self.path}: something is missing behind a sign")
        first, *rest = tokens
        if isinstance(first, tuple):
            if first[0] not in ("-", "+", "!"):
                self.refuse(first[1], "is not covered")
            value, rest = self.climb(rest, UNARY, ranges)
            left = ("unary", first[0], value)
        else:
            left = ("atom", first)
        while rest and isinstance(rest[0], tuple):
            sign, node = rest[0]
            level = BINDS.get(sign, -1)
            if level < 0:
                self.refuse(node, "is not covered")
            if level < least or (sign == ":" and not ranges):
                break
            if sign == "?":
                left, rest = self.choice(left, rest)
            elif level == COMPARE:
                left, rest = self.chain(left, rest, ranges)
            elif sign == ":":
                left, rest = self.span(left, rest)
            else:
                # 2^3x is 2^(3x); ^, &&, || and => go from the right
                right = BINDS["beside"] if sign == "^" else level + (sign not in ("&&", "||", "=>"))
                value, rest = self.climb(rest[1:], right, ranges)
                left = ("*" if sign == "beside" else sign, left, value)
        return left, rest

    def choice(self, condition, rest):
        one, rest = self.climb(rest[1:], BINDS["?"], ranges=False)
        if not rest or rest[0][0] != ":":
            raise RefusedError(f"{self.path}: a choice has one side")
        other, rest = self.climb(rest[1:], BINDS["?"])
        return ("?", condition, one, other), rest

    def chain(self, left, rest, ranges):
        values, signs = [left], []
        while rest and isinstance(rest[0], tuple) and BINDS.get(rest[0][0]) == COMPARE:
            signs.append(rest[0][0])
            value, rest = self.climb(rest[1:], COMPARE + 1, ranges)
            values.append(value)
        return ("compare", signs, values), rest

    def span(self, left, rest):
        values = [left]
        while rest and rest[0][0] == ":":
            value, rest = self.climb(rest[1:], RANGE + 1)
            values.append(value)
        if len(values) > 3:
            raise RefusedError(f"{self.path}: a range of more than three")
        return ("range", values[0], values[1] if len(values) == 3 else None, values[-1]), rest
