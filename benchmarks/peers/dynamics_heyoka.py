"""heyoka on a tree of links: forward dynamics as compiled function; seconds of its compiler, microseconds a call.

Usage: dynamics_heyoka.py LINKS STATES
"""

from __future__ import annotations

import json
import sys
import time

import heyoka as hy
import numpy as np
from articulated import forward
from links import best_microseconds, read_links, read_states


def main() -> None:
    links, states = read_links(sys.argv[1]), read_states(sys.argv[2])
    turning = [k for k, l in enumerate(links) if l.joint != 3]
    free = len(turning) < len(links)
    count = (15 if free else 0) + 2 * len(turning)
    x = list(hy.make_vars(*[f"x{i}" for i in range(count)]))
    entries, q, u, R = x, {}, {}, None
    if free:
        R = [entries[3 * i : 3 * i + 3] for i in range(3)]
        u[0] = entries[12:15] + entries[9:12]
        entries = entries[15:]
    for i, k in enumerate(turning):
        q[k], u[k] = entries[i], entries[len(turning) + i]
    found = forward(links, q, u, hy.sin, hy.cos, R)
    flat = [y for one in found for y in ((one[3:] + one[:3]) if isinstance(one, list) else [one])]
    # what it has compiled before, in this run or another, it keeps
    hy.llvm_state.set_diskcache_enabled(False)
    hy.llvm_state.set_memcache_limit(0)
    spent = []
    for _ in range(3):
        begin = time.process_time()
        function = hy.cfunc(flat, vars=x)
        spent.append(time.process_time() - begin)
    compiling = min(spent)
    rows = [
        np.array([*(np.ravel(s["R"]) if "R" in s else ()), *s.get("v", ()), *s.get("w", ()), *s["q"], *s["u"]])
        for s in states
    ]
    results = [function(row).tolist() for row in rows]
    each = best_microseconds(lambda: function(rows[0]))
    # a loop of its own: many states at once, in its own layout
    many = np.ascontiguousarray(np.tile(rows[0], (1000, 1)).T)
    loop = best_microseconds(lambda: function(many)) / 1000
    solver = f"heyoka {hy.__version__}"
    print(
        json.dumps({"solver": solver, "accelerations": results, "forward": each, "loop": loop, "compiling": compiling})
    )


if __name__ == "__main__":
    main()
