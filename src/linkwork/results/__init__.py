"""What a run gives: a Trajectory with values by name and evidence, and files."""

from linkwork.results.files import check_format, write_results
from linkwork.results.store import MEMORY, Store
from linkwork.results.trajectory import Energy, Occurrence, Residuals, State, Stats, Trajectory

__all__ = [
    "MEMORY",
    "Energy",
    "Occurrence",
    "Residuals",
    "State",
    "Stats",
    "Store",
    "Trajectory",
    "check_format",
    "write_results",
]
