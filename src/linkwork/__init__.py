"""linkwork: from the description of a mechanism to its equations, its verified motion and its results.

>>> import linkwork as lw
>>> motion = lw.load("examples/andrews.yaml").simulate(until=0.03, tol=1e-10)
>>> motion.outcome
'reached t = 0.03'

From above to below, and imports point only downward:

cli, modular, trees, pipeline
              commands; models made of modules, of trees of bodies; the model that everything is asked of, bound: many
export, view, analysis
              equations as source code; pictures; structure, linear models, statics, equations in print
solve, results, native
              starts and runs; what a run gives; how numbers are made
spec, equations, audit, model
              files; equations of motion; the judgement from the description alone; the description
program, vectors, symbolic
              straight-line programs; vectors without bases; scalar expressions
blas, clock, garbage, arrays, given, quoting, errors
              threads of dense matrices; limits of time; arrays by kind; what a caller gives; texts quoted for other
              languages; what a user reads when something is wrong
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as typing has it, whose import takes longer than all else here
if TYPE_CHECKING:
    from linkwork.clock import time_limit
    from linkwork.errors import (
        AccuracyWarning,
        InputError,
        LinkworkError,
        ModelWarning,
        SolveError,
        StartError,
        TimeLimitError,
    )
    from linkwork.model import (
        Ball,
        Body,
        Cam,
        Collinear,
        Conditions,
        Contact,
        Coplanar,
        Damper,
        Dissipation,
        Driver,
        Effort,
        Event,
        Force,
        Frame,
        Friction,
        Guess,
        Implicit,
        InitialValues,
        Joint,
        KnifeEdge,
        Mechanism,
        Moment,
        Particle,
        Pid,
        Plane,
        Relation,
        Rigid,
        Rolling,
        Sampled,
        Spring,
        State,
        Stop,
        Table,
        Torque,
        Transfer,
        VelocityConstraint,
        fix,
        function,
        joint_kind,
        rate,
        turn,
    )
    from linkwork.modular import join
    from linkwork.pipeline import Model, lagrangian, load, loads
    from linkwork.results import Trajectory, write_results
    from linkwork.symbolic.vector import cross, dot
    from linkwork.trees import Tree

__version__ = "0.1.0"

# where each name comes from; imported when first used, so that `import linkwork` is quick
_HOME = {
    "Model": "pipeline",
    "Tree": "trees",
    **dict.fromkeys(("AccuracyWarning", "InputError", "LinkworkError", "ModelWarning"), "errors"),
    **dict.fromkeys(("SolveError", "StartError", "TimeLimitError"), "errors"),
    "Audit": "audit",
    "Cam": "model",
    "Collinear": "model",
    "turn": "model",
    "joint_kind": "model",
    "Moment": "model",
    "KnifeEdge": "model",
    "Plane": "model",
    "Relation": "model",
    "Rolling": "model",
    "VelocityConstraint": "model",
    "Frame": "model",
    "Friction": "model",
    "Sampled": "model",
    "Effort": "model",
    "Conditions": "model",
    "Ball": "model",
    "Body": "model",
    "Contact": "model",
    "Coplanar": "model",
    "Damper": "model",
    "Dissipation": "model",
    "Event": "model",
    "Force": "model",
    "Guess": "model",
    "Implicit": "model",
    "InitialValues": "model",
    "Joint": "model",
    "Mechanism": "model",
    "Driver": "model",
    "Particle": "model",
    "Pid": "model",
    "Rigid": "model",
    "Spring": "model",
    "State": "model",
    "Stop": "model",
    "Table": "model",
    "Torque": "model",
    "Trajectory": "results",
    "Transfer": "model",
    "fix": "model",
    "function": "model",
    "join": "modular",
    "lagrangian": "pipeline",
    "load": "pipeline",
    "loads": "pipeline",
    "rate": "model",
    "time_limit": "clock",
    "write_results": "results",
    "cross": "symbolic.vector",
    "dot": "symbolic.vector",
}

__all__ = [
    "AccuracyWarning",
    "Audit",
    "Ball",
    "Body",
    "Cam",
    "Collinear",
    "Conditions",
    "Contact",
    "Coplanar",
    "Damper",
    "Dissipation",
    "Driver",
    "Effort",
    "Event",
    "Force",
    "Frame",
    "Friction",
    "Guess",
    "Implicit",
    "InitialValues",
    "InputError",
    "Joint",
    "KnifeEdge",
    "LinkworkError",
    "Mechanism",
    "Model",
    "ModelWarning",
    "Moment",
    "Particle",
    "Pid",
    "Plane",
    "Relation",
    "Rigid",
    "Rolling",
    "Sampled",
    "SolveError",
    "Spring",
    "StartError",
    "State",
    "Stop",
    "Table",
    "TimeLimitError",
    "Torque",
    "Trajectory",
    "Transfer",
    "Tree",
    "VelocityConstraint",
    "__version__",
    "cross",
    "dot",
    "fix",
    "function",
    "join",
    "joint_kind",
    "lagrangian",
    "load",
    "loads",
    "rate",
    "time_limit",
    "turn",
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
