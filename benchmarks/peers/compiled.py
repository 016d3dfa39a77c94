"""andrews.c as Python callables that cost a microsecond or two. Compiles once, into benchmarks/.build."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
from model import DATA

BUILD = Path(__file__).resolve().parents[1] / ".build"
FLAGS = ["-O3", "-march=native", "-shared", "-fPIC", "-std=c11", "-Wall"]


def load_library() -> ctypes.CDLL:
    """Compile andrews.c with the constants of `DATA` written in front of it, or find it compiled."""
    compiler = os.environ.get("CC") or next(filter(shutil.which, ("cc", "gcc", "clang")), "cc")
    constants = "".join(f"static const double {name} = {value!r};\n" for name, value in DATA.items())
    source = constants + Path(__file__).with_name("andrews.c").read_text()
    key = hashlib.sha256(" ".join([compiler, *FLAGS, source]).encode()).hexdigest()[:16]
    library = BUILD / f"andrews-{key}.so"
    if not library.exists():
        BUILD.mkdir(exist_ok=True)
        library.with_suffix(".c").write_text(source)
        subprocess.run([compiler, *FLAGS, library.with_suffix(".c"), "-o", library, "-lm"], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.ode.restype = loaded.residual.restype = loaded.jacobian.restype = None
    return loaded


def address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def make_ode():
    """f(t, y, dy) writes the 14 derivatives of (b, w) into dy and returns it."""
    call = load_library().ode
    y_in, dy_out = np.zeros(14), np.zeros(14)
    at_y, at_dy = address(y_in), address(dy_out)

    def ode(t, y, dy=None):
        y_in[:] = y
        call(at_y, at_dy)
        if dy is None:
            return dy_out.copy()
        dy[:] = dy_out
        return dy

    return ode


def make_dae(size: int = 26):
    """residual(t, y, yp, r) and jacobian(t, y, yp, r, cj, J) of the stabilised index-2 form, as for IDA."""
    library = load_library()
    y_in, yp_in, r_out, J_out = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros((size, size))
    at = [address(array) for array in (y_in, yp_in, r_out, J_out)]

    def residual(t, y, yp, r):
        y_in[:] = y
        yp_in[:] = yp
        library.residual(*at[:3])
        r[:] = r_out

    def jacobian(t, y, yp, r, cj, J):
        y_in[:] = y
        yp_in[:] = yp
        library.jacobian(at[0], at[1], ctypes.c_double(cj), at[3])
        J[:, :] = J_out

    return residual, jacobian
