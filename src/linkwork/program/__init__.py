"""Straight-line programs: build, differentiate, expand in Taylor series, emit.

builder       programs with value numbering; ops: the instructions; lower: expressions as instructions
derivative    forward and reverse; taylor: order by order, sweeps: in which order
passes        what is computed once, what it costs; factored: fewer products
emit_c, emit_fused, emit_factors, emit_python
              text of it
"""

from linkwork.program.builder import Builder, Input, Node, Program
from linkwork.program.derivative import forward, jacobian, reverse
from linkwork.program.emit_c import emit_implicit, emit_kernel, emit_rates, order_results
from linkwork.program.emit_factors import emit_factors
from linkwork.program.emit_fused import emit_fused
from linkwork.program.emit_python import emit_python
from linkwork.program.lower import lower, nest_sums
from linkwork.program.ops import External
from linkwork.program.passes import (
    Hoisted,
    count_operations,
    count_written,
    cut,
    find_switches,
    hoist,
    rebuild,
    replace_nodes,
)
from linkwork.program.taylor import LEAD, Plan, Step, plan_taylor

__all__ = [
    "LEAD",
    "Builder",
    "External",
    "Hoisted",
    "Input",
    "Node",
    "Plan",
    "Program",
    "Step",
    "count_operations",
    "count_written",
    "cut",
    "emit_factors",
    "emit_fused",
    "emit_implicit",
    "emit_kernel",
    "emit_python",
    "emit_rates",
    "find_switches",
    "forward",
    "hoist",
    "jacobian",
    "lower",
    "nest_sums",
    "order_results",
    "plan_taylor",
    "rebuild",
    "replace_nodes",
    "reverse",
]
