"""The hanging chain with MuJoCo's RK4: one JSON line per step size, with the place of the tip.

Usage: chain_mujoco.py N planar|spatial
"""

from __future__ import annotations

import json
import sys
import time

import mujoco
import numpy as np

SLOWEST = 8.0  # seconds of one run beyond which finer steps are not tried


def make_model(count: int, spatial: bool, steps: int) -> mujoco.MjModel:
    """`count` uniform thin rods, 1 m and 1 kg together, horizontal, hung at the origin; gravity 9.81 along −z."""
    length, mass = 1.0 / count, 1.0 / count
    across, along = mass * length**2 / 12, 1e-3 * mass * length**2  # no torque acts along a rod: its inertia is idle
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, 0.0, -9.81]
    spec.option.timestep = 1.0 / steps
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    kind = mujoco.mjtJoint.mjJNT_BALL if spatial else mujoco.mjtJoint.mjJNT_HINGE
    body = spec.worldbody
    for i in range(count):
        body = body.add_body(
            pos=[length if i else 0.0, 0.0, 0.0],
            mass=mass,
            ipos=[length / 2, 0.0, 0.0],
            inertia=[along, across, across],
            explicitinertial=True,
        )
        body.add_joint(type=kind, axis=[0.0, 1.0, 0.0])
    return spec.compile()


def simulate(count: int, spatial: bool, steps: int) -> tuple[float, list[float]]:
    """Seconds for one simulated second, and where the tip is then."""
    model = make_model(count, spatial, steps)
    data = mujoco.MjData(model)
    if spatial:
        data.qvel[2] = 2.0  # the whole chain turns about the vertical
    begin = time.perf_counter()
    mujoco.mj_step(model, data, nstep=steps)
    seconds = time.perf_counter() - begin
    mujoco.mj_kinematics(model, data)
    tip = data.xpos[-1] + data.xmat[-1].reshape(3, 3) @ np.array([1.0 / count, 0.0, 0.0])
    return seconds, tip.tolist()


def main() -> None:
    count, spatial = int(sys.argv[1]), sys.argv[2] == "spatial"
    for steps in (300, 1000, 3000, 10_000, 30_000):
        seconds, tip = simulate(count, spatial, steps)
        solver = f"MuJoCo {mujoco.__version__} RK4"
        print(json.dumps({"solver": solver, "setting": f"{steps} steps", "ms": 1e3 * seconds, "tip": tip}), flush=True)
        if seconds * 3 > SLOWEST:
            break


if __name__ == "__main__":
    main()
