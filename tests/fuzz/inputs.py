"""Hostile inputs, each made from a kind and a seed: files, formulas, Lagrangians, command lines, results files.

A file is a good one with a few things wrong: characters, numbers, names, values, lines. The same seed makes the same
input everywhere, so that a finding can be told by two words: `python tests/fuzz/hunt.py file 4711`.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def _listed(text: str) -> list[str]:
    return text.split()


SMALL = [
    """\
Title: Pendulum
PhysicalParams: {l: 1, m: 2, c: 0.5, w: 3}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m]}}
AppliedForces: {Gravity: , Torques: {OA: -c*OA.omega}}
ProblemData: {tend: 0.5, positions: {A: [l]}}
""",
    """\
PhysicalParams: {k: 40, m: 1, h: 0.2}
Tables: {curve: {x: [0, 1, 2], y: [0, 1, 4]}}
PartData:
  Fixed: {O: [], Q: [2]}
  Particles: {A: m}
  Springs: {OA: {stiffness: k, length: 0.5, damping: 0.1}}
  Dampers: {QA: {force: 0.2*QA.rate}}
Connections: {Collinear: [OQA]}
AppliedForces: {Gravity: , Forces: {A: [curve(A.x) - A.vx]}, Dissipation: {air: 0.1*A.vx**2}}
Variables: {gap: A.x - h}
States: {lag: {rate: (gap - lag)/0.1, start: 0.1}}
Events: {touch: {when: gap, do: record, direction: falling}}
ProblemData: {tend: 0.5, positions: {A: [[0.7, fixed]]}, velocities: {A: [0.1]}}
SolverParams: {Integration: {tol: 1e-8, order: 12}, OutFile: {points: [A: 2]}}
""",
    """\
PhysicalParams: {a: 0.4, b: 1.0, c: 0.8, d: 1.0}
PartData:
  Fixed: {O: [], Q: [d]}
  Rigids:
    OA: {Geom: [[a]], Dyna: [[a/2], 1]}
    AB: {Geom: [[b]], Dyna: [[b/2], 1]}
    QB: {Geom: [[c]], Dyna: [[c/2], 1]}
Motions: {OA.angle: 0.5 + 2*t}
ProblemData: {tend: 0.5, positions: {B: [0.9, 0.7]}}
""",
    """\
Dimension: 3
PhysicalParams: {l: 1, m: 1}
PartData:
  Fixed: {O: []}
  Rigids: {OAU: {Geom: [[l], [0, l]], Dyna: [[l/2], m, [0.1, 0.2, 0.25]]}, AB: {Geom: [[l]], Dyna: [[l/2], m]}}
Connections: {Joints: {hinge: {kind: revolute, parts: [world, OAU], point: O, axis: [0, 1, 0]}}}
AppliedForces: {Gravity: , Torques: {hinge: -0.1*hinge.omega}, Forces: {B in AB: [1]}}
ProblemData: {tend: 0.3, positions: {A: [l], U: [0, l], B: [2*l]}}
""",
]
MILD = _listed("0 0.5 1 2 -1 1e-3 1e3 1e-12 1e6 0.1 1e-7 3.3 (1+1e-9) -0.7 1e12 1e-20")
HOSTILE = [
    *_listed("0 -1 1e-300 1e300 1e-12 1e17 1e309 nan inf 1/0 sqrt(-1) 0**0 t A.x A.vx OA.angle [] {} null ~ 'x' fixed"),
    *_listed("world *a true 1e-7 0.1234567891 (A.x+0.1)**400 A.x**-1 é"),
    *("9" * 400, "[1, fixed]", "&a 1", "!x 1", "\\e[31m", '"\\e[31m"', "select(A.x < 0, 1, 2)", "- 1"),
]
KEYS = _listed("part line self kind Geom Dyna file when force t pi x e world A OA")
BITS = [*"{}[]:,?-&*!|>'\"%@`#\n\t .\\()+*/=<0123456789eABt", "\x1b", "\u202e", "\x85", "é", ": ", "- ", "\n  "]
NUMBER = re.compile(r"(?<![\w.])\d+\.?\d*(?:e-?\d+)?")
NAME = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:\.[a-z]+)?\b")


def make_file(seed: int) -> str:
    """A mechanism with other numbers and laws, or with one to six things wrong."""
    pick = random.Random(f"file {seed}")
    texts = SMALL if pick.random() < 0.7 else [path.read_text() for path in sorted(EXAMPLES.glob("*.yaml"))]
    text = pick.choice(texts)
    mild = pick.random() < 0.6
    for _ in range(pick.randint(1, 3) if mild else pick.randint(1, 6)):
        changes = (
            [_mild, _mild, _mild, _law, _point] if mild else [_character, _number, _mild, _name, _value, _line, _key]
        )
        text = pick.choice(changes)(text, pick)
    return text


def _mild(text: str, pick: random.Random) -> str:
    return _replaced(text, NUMBER, pick.choice(MILD), pick)


def _point(text: str, pick: random.Random) -> str:
    points = re.findall(r"\b[A-Z](?=: \[)", text) or ["A"]
    return _replaced(text, re.compile(r"\b[A-Z](?=[.:,\]])"), pick.choice(points), pick)


def _law(text: str, pick: random.Random) -> str:
    quantities = sorted(set(re.findall(r"\b[A-Z]+\.(?:v?[xy]|angle|omega|length|rate)\b", text)))
    law = make_formula(pick, [*quantities, "A.x", "A.vx", "t"], pick.randint(1, 4))
    return _replaced(text, re.compile(r"(?<=: )[^,{}\[\]\n']*\.[a-z][^,{}\[\]\n']*"), f"'{law}'", pick)


def _character(text: str, pick: random.Random) -> str:
    place = pick.randrange(len(text) + 1)
    return text[:place] + pick.choice(["", *pick.choices(BITS, k=3)]) + text[place + pick.randint(0, 2) :]


def _number(text: str, pick: random.Random) -> str:
    return _replaced(text, NUMBER, pick.choice(HOSTILE), pick)


def _name(text: str, pick: random.Random) -> str:
    names = NAME.findall(text) or ["A"]
    return _replaced(text, NAME, pick.choice([*names, *KEYS]), pick)


def _value(text: str, pick: random.Random) -> str:
    return _replaced(text, re.compile(r"(?<=: )[^,{}\[\]\n]+|\[[^\[\]]*\]|\{[^{}]*\}"), pick.choice(HOSTILE), pick)


def _key(text: str, pick: random.Random) -> str:
    return _replaced(text, re.compile(r"\{"), f"{{{pick.choice(KEYS)}: {pick.choice(HOSTILE)}, ", pick)


def _line(text: str, pick: random.Random) -> str:
    lines = text.split("\n")
    one, other = pick.randrange(len(lines)), pick.randrange(len(lines))
    change = pick.choice(["swap", "drop", "repeat"])
    if change == "swap":
        lines[one], lines[other] = lines[other], lines[one]
    elif change == "drop":
        del lines[one]
    else:
        lines.insert(other, lines[one])
    return "\n".join(lines)


def _replaced(text: str, form: re.Pattern[str], new: str, pick: random.Random) -> str:
    found = list(form.finditer(text))
    if not found:
        return text
    match = pick.choice(found)
    return text[: match.start()] + new + text[match.end() :]


# -- formulas and Lagrangians ------------------------------------------------------------------------------------------

FUNCTIONS = ["sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "tanh", "sqrt", "abs", "sign"]
NUMBERS = ["0", "1", "2", "0.5", "3.3e7", "1e-9", "1e200", "1e-200", "0.12345678901234567", "7/3", "-1", "pi"]


def make_formula(pick: random.Random, names: list[str], depth: int = 4) -> str:
    """A formula over some names; now and then a wrong one."""
    if pick.random() < 0.001:
        return pick.choice(
            ["", "(", "1 +", "**", "x y", "f(1)", "1..2", "@", "sin()", "min(1)", "select(1, 2, 3)", "²"]
        )
    if depth == 0 or pick.random() < 0.2:
        return pick.choice([*names, *names, *NUMBERS])
    a, b = (make_formula(pick, names, depth - 1) for _ in range(2))
    kind = pick.random()
    if kind < 0.55:
        return f"({a} {pick.choice('+-*/')} {b})"
    if kind < 0.7:
        return f"({a})**{pick.choice(['2', '3', '-1', '0.5', '-2', '20', '400', '(1/3)', f'({b})'])}"
    if kind < 0.9:
        return f"{pick.choice(FUNCTIONS)}({a})"
    if kind < 0.95:
        return f"{pick.choice(['min', 'max', 'atan2'])}({a}, {b})"
    return f"select({a} < {b}, {b}, {a})"


def make_lagrangian(seed: int) -> tuple[str, str, dict[str, object]]:
    """Coordinates, energy and the options of `lw.lagrangian`."""
    pick = random.Random(f"lagrangian {seed}")
    names = pick.choice([["x"], ["x", "y"], ["x", "y", "z"]])
    known = [*names, *(f"{name}'" for name in names), "k", "m", "t"]
    squares = " + ".join(f"{pick.choice(['1', 'm', '1', '2*m', '1', 'm', '0', '-1'])}*{name}'**2/2" for name in names)
    energy = f"{squares} - {make_formula(pick, [*names, 'k'], pick.randint(0, 3))}"
    if pick.random() < 0.2:
        energy = make_formula(pick, known, 4)
    extreme = pick.choice([1e-300, 1e300, 1e9])
    first = pick.sample(known[: 2 * len(names)], len(names))
    options: dict[str, object] = {
        "parameters": {"k": pick.choice([1, 0, -1, 0.3, "2*m", extreme]), "m": pick.choice([1, 2, 0.1])},
        "start": {name: pick.choice([0, 0.5, 1, -1e-9, "k"]) for name in first},
    }
    if pick.random() < 0.05:
        options["parameters"] = {"k": pick.choice([float("nan"), float("inf"), "q", None]), "m": 1}
    wishes = {
        "constraints": lambda: [make_formula(pick, [*names, "k", "t"], 3)],
        "velocity_constraints": lambda: [f"{pick.choice(names)}'*({make_formula(pick, [*names, 'k'], 2)})"],
        "forces": lambda: {pick.choice([*names, *names, "q"]): make_formula(pick, known, 3)},
        "dissipation": lambda: make_formula(pick, known, 2),
        "states": lambda: {"s": make_formula(pick, [*known, "s"], 2)},
        "variables": lambda: {"v": make_formula(pick, known, 2)},
        "scales": lambda: {pick.choice(names): pick.choice([1, 0, -1, 1e-9, 1e300, float("inf")])},
        "points": lambda: {"P": (make_formula(pick, names, 2), make_formula(pick, names, 1))},
        "tend": lambda: pick.choice([1, 0, -1, "k"]),
        "title": lambda: "\x1b[31m",
    }
    for name in pick.sample(sorted(wishes), pick.randint(0, 3)):
        options[name] = wishes[name]()
    return " ".join(names), energy, options


# -- texts -------------------------------------------------------------------------------------------------------------

RANGES = [
    (0, 0x20),
    (0x20, 0x7F),
    (0x7F, 0xA1),
    (0x2000, 0x2070),
    (0xD7F0, 0xE010),
    (0xFDC0, 0xFE00),
    (0xFFE0, 0x10010),
]
RANGES += [(0x80, 0x800), (0x1F5F0, 0x1F660), (0xE0000, 0xE0080), (0x10FFF0, 0x110000)]


def make_texts(seed: int, special: list[str]) -> list[str]:
    """Texts of special pieces and of characters from all over Unicode."""
    pick = random.Random(f"text {seed}")

    def piece() -> str:
        if pick.random() < 0.5:
            return pick.choice(special)
        return "".join(chr(pick.randrange(*pick.choice(RANGES))) for _ in range(pick.randint(1, 8)))

    return ["".join(piece() for _ in range(pick.randint(1, 4))) for _ in range(pick.randint(2, 12))]


# -- command lines -----------------------------------------------------------------------------------------------------

OPTIONS = {
    "run": "--until --tol --order --max-step --out --points --set --branch --quiet --no-audit",
    "check": "--json --branches --hold --picture",
    "equations": "--out --format --latex --sympy --set",
    "linearize": "--at --states --inputs --outputs --out --json --set",
    "modes": "--at --count --set --vary --out",
    "fmt": "--check",
    "plot": "--what --out --until --set",
    "new": "--like --list",
    "schema": "--out",
    "view": "--no-open --trace --until --out",
}
FLAGS = ("--quiet", "--no-open", "--check", "--json", "--no-audit")
WORDS = [
    *_listed("0.1 0 -1 1e-8 1e300 nan inf 1e-300 x good.yaml wrong.yaml missing.yaml . / .. a.csv a.npz a.html a.txt"),
    *_listed("sub/a.csv l=2 l = q=1 l=sqrt(-1) l=1e300 equilibrium steady A.x OA.angle ( four-bar 12345678901"),
    *("", " ", "theta, ", "a = ", "\x1b[31m", "é", "--", "-q", "A.x,A.y", "lam_l_OA", "1:2:3"),
]


def make_command(seed: int) -> list[str]:
    """The words after `linkwork`."""
    pick = random.Random(f"command {seed}")
    command = pick.choice([*OPTIONS, *OPTIONS, "frobnicate"])
    options = OPTIONS.get(command, "--out").split()
    file = pick.choices(["good.yaml", "body.yaml", "wrong.yaml", pick.choice(WORDS)], weights=[8, 3, 1, 2])
    words = [command, *file]
    for _ in range(pick.randint(0, 3)):
        option = pick.choice([*options, *options, "--help", "--max-seconds", "--bogus"])
        words += [option] if pick.random() < 0.2 or option in FLAGS else [option, pick.choice(WORDS)]
    return [*words, "--no-open"] if command == "view" else words


# -- results files -----------------------------------------------------------------------------------------------------


def make_archive(seed: int, good: bytes) -> bytes:
    """A results file with a few bytes or pieces wrong."""
    pick = random.Random(f"archive {seed}")
    data = bytearray(good)
    for _ in range(pick.choice([1, 1, 2, 5, 40])):
        place = pick.randrange(len(data))
        change = pick.random()
        if change < 0.6:
            data[place] ^= 1 << pick.randrange(8)
        elif change < 0.75:
            del data[place : place + pick.choice([1, 2, 100, 10_000])]
        elif change < 0.9:
            data[place:place] = pick.choice([b"\0", b"\xff" * 8, b"PK\x03\x04", bytes(data[place : place + 50])])
        else:
            data[place : place + 8] = pick.choice([b"\xff" * 8, b"\0" * 8, b"\0\0\0\0\0\0\xf8\x7f"])
        if not data:
            return b""
    return bytes(data)
