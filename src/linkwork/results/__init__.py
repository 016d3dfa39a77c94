"""What a run gives: a Trajectory with values by name and evidence, and files.

trajectory    a motion; state: the mechanism at a time; store: its steps as polynomials
names         values by name; poses, reactions, work: of bodies, joints, laws; curves: by the words of a plot
extremes      of curves that straight lines follow
turning       whole turns of angles that no coordinate counts
evidence      energies, residuals, statistics; auditing, examiners: what the audit reads; summary: a few lines of words
inverse       forces that make a motion; phases: the smooth motions between breaks; thinning: few states of many
record/       what a file keeps of it and a picture shows
files         by the name's ending: archive, tables, sheets; plots, picture: with matplotlib
"""

from linkwork.results.archive import read_last, read_recording
from linkwork.results.auditing import find_doubts
from linkwork.results.evidence import Break, End, Energy, Method, Occurrence, Residuals, Stats
from linkwork.results.files import as_path, check_format, check_points, check_results, write_results, write_whole
from linkwork.results.record.recording import Arrow, Curve, Recording, record
from linkwork.results.state import Snapshot
from linkwork.results.store import MEMORY, Store
from linkwork.results.summary import summarise
from linkwork.results.thinning import Thinner
from linkwork.results.trajectory import About, Trajectory

__all__ = [
    "MEMORY",
    "About",
    "Arrow",
    "Break",
    "Curve",
    "End",
    "Energy",
    "Method",
    "Occurrence",
    "Recording",
    "Residuals",
    "Snapshot",
    "Stats",
    "Store",
    "Thinner",
    "Trajectory",
    "as_path",
    "check_format",
    "check_points",
    "check_results",
    "find_doubts",
    "read_last",
    "read_recording",
    "record",
    "summarise",
    "write_results",
    "write_whole",
]
