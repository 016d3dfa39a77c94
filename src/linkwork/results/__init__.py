"""What a run gives: a Trajectory with values by name and evidence, and files."""

from linkwork.results.files import as_path, check_format, read_recording, write_results, write_whole
from linkwork.results.recording import Arrow, Curve, Recording, record
from linkwork.results.store import MEMORY, Store
from linkwork.results.summary import summarise
from linkwork.results.trajectory import Energy, Occurrence, Residuals, State, Stats, Trajectory

__all__ = [
    "MEMORY",
    "Arrow",
    "Curve",
    "Energy",
    "Occurrence",
    "Recording",
    "Residuals",
    "State",
    "Stats",
    "Store",
    "Trajectory",
    "as_path",
    "check_format",
    "read_recording",
    "record",
    "summarise",
    "write_results",
    "write_whole",
]
