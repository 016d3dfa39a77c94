"""What a run gives: a Trajectory with values by name and evidence, and files."""

from linkwork.results.archive import read_recording
from linkwork.results.auditing import find_doubts
from linkwork.results.evidence import Energy, Occurrence, Residuals, Stats
from linkwork.results.files import as_path, check_format, check_points, check_results, write_results, write_whole
from linkwork.results.recording import Arrow, Curve, Recording, record
from linkwork.results.state import Snapshot
from linkwork.results.store import MEMORY, Store
from linkwork.results.summary import summarise
from linkwork.results.trajectory import Trajectory

__all__ = [
    "MEMORY",
    "Arrow",
    "Curve",
    "Energy",
    "Occurrence",
    "Recording",
    "Residuals",
    "Snapshot",
    "Stats",
    "Store",
    "Trajectory",
    "as_path",
    "check_format",
    "check_points",
    "check_results",
    "find_doubts",
    "read_recording",
    "record",
    "summarise",
    "write_results",
    "write_whole",
]
