"""What exported programs take: their arguments and the range of the tolerance, in words that all languages print."""

from __future__ import annotations

from linkwork.export.exported import Exported
from linkwork.solve.options import LARGEST_TOL, SMALLEST_TOL

TOLERANCES = {"least_tolerance": f"{SMALLEST_TOL:g}", "most_tolerance": f"{LARGEST_TOL:g}"}
ARGUMENTS = "[--end T] [--samples N] [--tolerance E] [--step H] > motion.csv"
FILE = "NAME = VALUE on each line; # begins a remark"


def tell_options(x: Exported) -> dict[str, str]:
    """What each option is, by name."""
    return {
        "end": f"the last time, {x.tend:.9g} unless given",
        "samples": "how many rows follow the first, 100 unless given",
        "tolerance": f"allowed error of a step, from {SMALLEST_TOL:g} to {LARGEST_TOL:g}, 1e-12 unless given",
        "step": "length of all steps, whatever their errors",
    }


def list_usage(x: Exported, command: str) -> list[str]:
    """What --help prints, line by line."""
    file = [("parameters.txt", FILE)] if x.parameters else []
    keys = {"end": "--end T", "samples": "--samples N", "tolerance": "--tolerance E", "step": "--step H"}
    rows = [*file, *((keys[name], words) for name, words in tell_options(x).items())]
    call = " ".join([command, *(["[parameters.txt]"] if file else []), ARGUMENTS])
    return [f"usage: {call}", *(f"  {key:16}{words}" for key, words in rows)]


def list_matlab_usage(x: Exported, name: str) -> list[str]:
    """The same where arguments are pairs of a name and a value."""
    rows = {"parameters": f"the name of a file: {FILE}"} if x.parameters else {}
    options = tell_options(x)
    rows |= {"tend": options.pop("end"), **options}
    return [f"usage: {name}, or {name}('NAME', VALUE, ...)", *(f"  {key:16}{words}" for key, words in rows.items())]
