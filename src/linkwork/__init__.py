"""linkwork: from the description of a mechanism to its equations, its verified motion and its results.

>>> import linkwork as lw
>>> motion = lw.load("examples/andrews.yaml").simulate(until=0.03, tol=1e-10)
>>> motion.outcome
'reached t = 0.03'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from linkwork.errors import InputError, LinkworkError, SolveError, StartError

if TYPE_CHECKING:
    from linkwork.model import Guess, InitialValues, Mechanism, Particle, Rigid, Spring, Torque, fix
    from linkwork.pipeline import Assembly, load, loads
    from linkwork.results import Trajectory, write_results

__version__ = "0.1.0"

# where each name comes from; imported when first used, so that `import linkwork` is quick
_HOME = {
    "Assembly": "pipeline",
    "Guess": "model",
    "InitialValues": "model",
    "Mechanism": "model",
    "Particle": "model",
    "Rigid": "model",
    "Spring": "model",
    "Torque": "model",
    "Trajectory": "results",
    "fix": "model",
    "load": "pipeline",
    "loads": "pipeline",
    "write_results": "results",
}

__all__ = [
    "Assembly",
    "Guess",
    "InitialValues",
    "InputError",
    "LinkworkError",
    "Mechanism",
    "Particle",
    "Rigid",
    "SolveError",
    "Spring",
    "StartError",
    "Torque",
    "Trajectory",
    "__version__",
    "fix",
    "load",
    "loads",
    "write_results",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'linkwork' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"linkwork.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
