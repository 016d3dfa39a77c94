"""The spacecraft of the AUTOSIM paper (Sayers 1991), as in examples/satellite.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

PATH = Path(__file__).parents[2] / "examples" / "satellite.py"
_spec = importlib.util.spec_from_file_location("example_satellite", PATH)
assert _spec is not None and _spec.loader is not None
_example = sys.modules["example_satellite"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_example)

VALUES, START = _example.VALUES, _example.START
satellite, command, slewing = _example.satellite, _example.command, _example.slewing
