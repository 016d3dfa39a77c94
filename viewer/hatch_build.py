"""Building a wheel: make the viewer's page with npm if there is one, and take the page along.

Without npm the wheel is complete but for `linkwork view`, which then says what to do.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = "src/linkwork/view/page.html"


class ViewerHook(BuildHookInterface):
    """Runs before files are gathered."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page unless it is there or the package is only linked to its folder (see `make viewer`)."""
        root = Path(self.root)
        if version != "editable" and not (root / PAGE).exists():
            self._build(root / "viewer")
        if (root / PAGE).exists():
            build_data["artifacts"].append(PAGE)

    def _build(self, folder: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            self.app.display_warning("npm is missing: the wheel will be without the viewer")
            return
        try:
            subprocess.run([npm, "install", "--no-save", "--no-audit", "--no-fund"], cwd=folder, check=True)
            subprocess.run([npm, "run", "build"], cwd=folder, check=True)
        except subprocess.CalledProcessError as error:
            self.app.display_warning(f"npm failed ({error}): the wheel will be without the viewer")
