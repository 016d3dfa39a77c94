"""CasADi on a tree of links: forward dynamics as generated C, compiled, in a loop of C and called from Python.

Usage: dynamics_casadi.py LINKS STATES FOLDER
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import casadi as ca
import numpy as np
from articulated import forward
from links import best_microseconds, read_links, read_states

LOOP = """
#include <time.h>
#include <stdlib.h>
double loop(const double *state, double *out, long calls)
{
    casadi_int *iw = calloc(f_SZ_IW + 1, sizeof(casadi_int));
    double *w = calloc(f_SZ_W + 1, sizeof(double)), *res[f_SZ_RES + 1];
    const double *arg[f_SZ_ARG + 1];
    arg[0] = state;
    res[0] = out;
    const clock_t start = clock();
    for (long i = 0; i < calls; i++)
        f(arg, res, iw, w, 0);
    const double seconds = (double)(clock() - start)/CLOCKS_PER_SEC;
    free(iw);
    free(w);
    return seconds/calls;
}
"""


def derive(links) -> ca.Function:
    """Accelerations by the state: of a free link R by rows, v and w, then q and u of the others."""
    turning = [k for k, l in enumerate(links) if l.joint != 3]
    free = len(turning) < len(links)
    x = ca.SX.sym("x", (15 if free else 0) + 2 * len(turning))
    entries = [x[i] for i in range(x.numel())]
    q, u, R = {}, {}, None
    if free:
        R = [entries[3 * i : 3 * i + 3] for i in range(3)]
        u[0] = entries[12:15] + entries[9:12]
        entries = entries[15:]
    for i, k in enumerate(turning):
        q[k], u[k] = entries[i], entries[len(turning) + i]
    found = forward(links, q, u, ca.sin, ca.cos, R)
    flat = [y for x in found for y in ((x[3:] + x[:3]) if isinstance(x, list) else [x])]
    return ca.Function("f", [x], [ca.vertcat(*flat)])


def time_children(words: list[str]) -> float:
    """Seconds of the processor that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    links, states, folder = read_links(sys.argv[1]), read_states(sys.argv[2]), Path(sys.argv[3])
    function = derive(links)
    os.chdir(folder)
    function.generate("casadi_f.c", {"with_header": False})
    text = Path("casadi_f.c").read_text()
    sizes = {"ARG": function.sz_arg(), "RES": function.sz_res(), "IW": function.sz_iw(), "W": function.sz_w()}
    Path("casadi_f.c").write_text(text + "".join(f"#define f_SZ_{k} {v}\n" for k, v in sizes.items()) + LOOP)
    flags = ["-O3", "-march=native", "-ffp-contract=fast", "-fPIC", "-shared"]
    compiling = min(time_children(["cc", *flags, "casadi_f.c", "-o", "casadi_f.so", "-lm"]) for _ in range(3))
    loaded = ca.external("f", str(folder / "casadi_f.so"))
    rows = [
        np.array([*(np.ravel(s["R"]) if "R" in s else ()), *s.get("v", ()), *s.get("w", ()), *s["q"], *s["u"]])
        for s in states
    ]
    found = [np.asarray(loaded(row)).ravel().tolist() for row in rows]
    library = ctypes.CDLL(str(folder / "casadi_f.so"))
    library.loop.restype = ctypes.c_double
    out, pointer = np.zeros(len(found[0])), ctypes.POINTER(ctypes.c_double)
    arrays = rows[0].ctypes.data_as(pointer), out.ctypes.data_as(pointer)
    each = 1e6 * min(library.loop(*arrays, ctypes.c_long(2000)) for _ in range(15))
    python = best_microseconds(lambda: loaded(rows[0]))
    operations = function.n_instructions()
    print(
        json.dumps(
            {
                "solver": f"CasADi {ca.__version__}", "accelerations": found, "forward": python, "loop": each,
                "compiling": compiling, "instructions": operations,
            }
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
