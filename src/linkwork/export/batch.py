"""A function of a model as C for arrays: of one state, or of as many at once as a register has lanes.

Both are made of the same text, and a lane does what one state alone would: who computes many gets the same numbers. One
state alone is the first lane of two, since compilers round single numbers and lanes differently.
Sines and cosines of the state, which most functions ask for, are found together and stand behind it in y.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from linkwork.export.c import ARGUMENTS, C, Writer
from linkwork.export.code import Function, Tree, change_trees, walk
from linkwork.export.exported import Exported
from linkwork.export.language import wrap_list
from linkwork.export.template import fill
from linkwork.native.code import lanes_headers
from linkwork.native.compiler import BRIEF, Source
from linkwork.program import Input
from linkwork.program.ops import OPS

# what gcc need not look for in straight text: who points where, what is never read, ways that branches take. One pass
# that finds again what was stored is enough: tree-dominator-opts
NEEDLESS = (
    "tree-pta", "tree-fre", "tree-ccp", "tree-dse", "dse", "thread-jumps", "ipa-modref", "ipa-pure-const",
    "guess-branch-probability",
)  # fmt: skip
# for some processors compilers make one instruction of a product and a sum in wide registers only: here in all
FLAGS = *BRIEF, "--param=avoid-fma-max-bits=0", *(f"-fno-{name}" for name in NEEDLESS)
LIBRARY = re.compile(r"#include <\w+\.h>\n")
EACH_LANE = frozenset(OPS) - {"add", "sub", "mul", "div", "neg", "curve", "side", "call"}
# what lanes.h, sine.h and the loops define
OF_LANES = frozenset(
    [
        "LANES",
        "USED",
        "PART",
        "APART",
        "LIBRARY",
        "ALL_LANES",
        "ZERO",
        "TURNED",
        "v",
        "bits",
        "fill",
        "pick",
        "sine",
        "cosine",
    ]
) | {f"v_{op}" for op in EACH_LANE}
SIDE_BY_SIDE = replace(
    C,
    functions={op: f"v_{op}({', '.join(f'{{{i}}}' for i in range(OPS[op].arity))})" for op in EACH_LANE}
    | {"sin": "sine({0})", "cos": "cosine({0})", "pow": "v_pow({0}, fill({1}))", "select": "pick({0}, {1}, {2})"},
    keywords=C.keywords | OF_LANES,
    reserved=C.reserved | OF_LANES,
    value="v",
    spread="fill({0})",
)


def has_lanes(x: Exported) -> bool:
    """Whether states can be computed side by side: nothing looks something up, asks somebody or searches."""
    return not (x.code.curves or x.stubs or x.settled or x.modes or x.controllers)


def write_source(x: Exported, name: str, many: bool) -> Source:
    """The text of one function of a model that is called `model`, and loops over states."""
    x, turned = _share_turns(x)
    x, some = _leave_out_zeros(x, name)
    if has_lanes(x):  # others search for values by all that there is
        some |= _find_read(x, name, turned)
    header, text = Writer(x, "", SIDE_BY_SIDE).model()
    body = text.replace('#include "model.h"\n', header)
    arrays = ARGUMENTS[name]
    words = {
        "function": name,
        "arrays": str(len(arrays)),
        "turned": str(len(turned)),
        "places": ", ".join(map(str, (*turned, 0))),
        "values": str(len(x.parameters) + len(x.inputs)),
        "passed": ", ".join(f"a[{i}]" for i in range(len(arrays))),
        "some": "\n".join(_write_places(array, places) for array, places in some.items()),
        "taken": _say_each(arrays, "take{1}(a[{0}], x[{0}] + k*w[{0}], {2}w[{0}]);", False, some),
        "given": _say_each(arrays, "give{1}(x[{0}] + k*w[{0}], a[{0}], {2}w[{0}]);", True, some),
        "some_taken": _say_each(arrays, "take_some{1}(a[{0}], x[{0}] + k*w[{0}], {2}w[{0}], states);", False, some),
        "some_given": _say_each(arrays, "give_some{1}(x[{0}] + k*w[{0}], a[{0}], {2}w[{0}], states);", True, some),
        "one_taken": _say_each(arrays, "take_some{1}(a[{0}], x[{0}], {2}w[{0}], 1);", False, some, indent=4),
        "one_given": _say_each(arrays, "give_some{1}(x[{0}], a[{0}], {2}w[{0}], 1);", True, some, indent=4),
    }
    body += fill("c/batch.c", words, {"plain": name == "rhs"})
    head = "" if many else "#define LANES 2\n#define USED 1\n" if has_lanes(x) else "#define LANES 1\n"
    if has_lanes(x):  # what else there is asks for more
        body, head = LIBRARY.sub("", body), head + '#include "library.h"\n'
    return Source(body, head + '#include "sine.h"', FLAGS, lanes_headers())


def _say_each(arrays: Sequence[str], statement: str, results: bool, some: Collection[str], indent: int = 12) -> str:
    """A statement for each array that is a result, or is not; of some only some places matter."""
    lines = []
    for i, array in enumerate(arrays):
        name = array.rstrip("*")
        if array.endswith("*") == results:
            words = ("_at", f"{name}_place, {name}_places, ") if name in some else ("", "")
            lines.append(" " * indent + statement.format(i, *words))
    return "\n".join(lines)


def _leave_out_zeros(x: Exported, name: str) -> tuple[Exported, dict[str, list[int]]]:
    """A model whose function does not compute zeros of results that have mostly these, and the places of the others."""
    some: dict[str, list[int]] = {}
    if name == "rhs":  # its results go further as they are
        return x, some

    def shorten(f: Function) -> Function:
        results = dict(f.results)
        for array, trees in f.results.items():
            places = [i for i, tree in enumerate(trees) if tree.op != "number" or tree.value != 0.0]
            if f.name == name and 2 * len(places) < len(trees):
                some[array], results[array] = places, tuple(trees[i] for i in places)
        return replace(f, results=results)

    functions = tuple(map(shorten, x.code.functions))
    return replace(x, code=replace(x.code, functions=functions)), some


def _find_read(x: Exported, name: str, turned: Sequence[int]) -> dict[str, list[int]]:
    """The places of arguments of which a function reads few."""
    widths = {"y": len(x.states), "dy": len(x.states), "lambda": len(x.multipliers)}
    widths = {array: width for array, width in widths.items() if array in ARGUMENTS[name]}
    read: dict[str, set[int]] = {array: set() for array in widths}
    read["y"] |= {*turned}
    (function,) = (f for f in x.code.functions if f.name == name)
    for source in function.inputs:
        array, place = x.places.get(source, ("", 0))
        if array in read:
            read[array].add(place)
    inside = {array: sorted(i for i in places if i < widths[array]) for array, places in read.items()}
    return {array: places for array, places in inside.items() if 2 * len(places) < widths[array]}


def _write_places(array: str, places: Sequence[int]) -> str:
    """The places of an array that matter."""
    lines = wrap_list(f"static const int {array}_place[] = {{", [str(i) for i in (*places, 0)], "};", C.width)
    return "\n".join([f"enum {{ {array}_places = {len(places)} }};", *lines])


def _share_turns(x: Exported) -> tuple[Exported, list[int]]:
    """A model whose sines and cosines of entries of the state stand behind these, and of which entries."""
    parts = (part for f in x.code.functions for tree in f.trees for part in walk(tree))
    angles = {p.args[0].source for p in parts if p.op in ("sin", "cos") and x.is_state(p.args[0].source)}
    turned = sorted((x.places[angle][1], angle) for angle in angles if angle is not None)
    places, labels, found = dict(x.places), dict(x.labels), dict[tuple[str, Input], Input]()
    for k, (_, angle) in enumerate(turned):
        for offset, op in enumerate(("sin", "cos")):
            source = found[op, angle] = Input(op, len(found))
            places[source] = "y", len(x.states) + 2 * k + offset
            labels[source] = f"{op}_{x.labels[angle]}"

    def change(tree: Tree) -> Tree:
        if tree.op in ("sin", "cos") and (source := tree.args[0].source) in angles and source is not None:
            return Tree("input", source=found[tree.op, source])
        return replace(tree, args=tuple(map(change, tree.args))) if tree.args else tree

    functions = tuple(change_trees(f, change) for f in x.code.functions)
    return replace(x, code=replace(x.code, functions=functions), places=places, labels=labels), [i for i, _ in turned]
