"""Equations of motion as source code that needs nothing of ours: a model in, texts by file name out.

fuse          all terms of a System as one program; factor, solved: its matrix, unrolled
code          the program as statements for people, in no language; exported: all that is exported, by name;
              acting: what events do; sampling: controllers that are asked at instants; loops: algebraic values;
              modes, mode_tables: constraints that come and go; pieces: long functions cut
plain, plain_languages
              programs in a plain language, written in others; other_plain: those of exports
language, names, naming
              how a language writes expressions and names; curves: tables; outputs: energies, places, variables;
              poses: what entries of the state are, in words;
              acting: what events do
c, fortran, python, fmu, fmu_units, others
              the targets, with templates/; targets lists them, document writes README.md
usage         what programs take, in words
stubs, other_stubs, sampling, loops
              functions that are to be filled in; controllers asked at instants; values of the same instant
folder        where the texts go; template: texts with gaps
callable      the same functions on arrays; part: one of them; batch: their C, for many states side by side; values:
              any formula there; along: those of trees, link by link; rows: arrays that callers give; bounds: what
              values of parameters must keep to; limits: those that do not, in words
count         what they cost
"""

from linkwork.export.callable import Functions
from linkwork.export.count import Counts, count
from linkwork.export.exported import Exported, Origin, describe
from linkwork.export.folder import as_folder, check_folder, write_folder
from linkwork.export.targets import TARGETS, UNITS, check_target_name, write_texts

__all__ = [
    "TARGETS",
    "UNITS",
    "Counts",
    "Exported",
    "Functions",
    "Origin",
    "as_folder",
    "check_folder",
    "check_target_name",
    "count",
    "describe",
    "write_folder",
    "write_texts",
]
