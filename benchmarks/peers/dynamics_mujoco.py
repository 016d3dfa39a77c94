"""MuJoCo on a tree of links: accelerations at states, microseconds a call from Python, and the model for a loop of C.

Usage: dynamics_mujoco.py LINKS STATES MODEL
"""

from __future__ import annotations

import json
import sys

import mujoco
import numpy as np
from links import best_microseconds, read_links, read_states


def make_model(links) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, 0.0, -9.81]
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    bodies = []
    for l in links:
        parent = spec.worldbody if l.parent < 0 else bodies[l.parent]
        body = parent.add_body(pos=l.at, mass=l.mass, ipos=l.centre, inertia=l.inertia, explicitinertial=True)
        if l.joint == 3:
            body.add_freejoint()
        else:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[float(k == l.joint) for k in range(3)])
        bodies.append(body)
    return spec.compile()


def find_places(model: mujoco.MjModel, links) -> list[int]:
    """Where the speeds of the links are that turn: bodies are numbered depth first."""
    children: dict[int, list[int]] = {}
    for i, l in enumerate(links):
        children.setdefault(l.parent, []).append(i)
    number, stack = {}, list(reversed(children[-1]))
    while stack:
        i = stack.pop()
        number[i] = len(number) + 1
        stack.extend(reversed(children.get(i, [])))
    return [int(model.body_dofadr[number[i]]) for i, l in enumerate(links) if l.joint != 3]


def set_state(data: mujoco.MjData, state: dict, places: list[int]) -> None:
    q, u = state["q"], state["u"]
    first = 0
    if "R" in state:
        R = np.array(state["R"])
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, R.ravel())
        data.qpos[:7] = [*state["p"], *quaternion]
        data.qvel[:6] = [*(R @ state["v"]), *state["w"]]
        first = 1
    data.qpos[[p + first for p in places]] = q
    data.qvel[places] = u


def accelerations(model: mujoco.MjModel, data: mujoco.MjData, state: dict, places: list[int]) -> list[float]:
    set_state(data, state, places)
    mujoco.mj_forward(model, data)
    if "R" not in state:
        return data.qacc[places].tolist()
    # over the axes of the link, as they change there
    R, v, w = np.array(state["R"]), np.array(state["v"]), np.array(state["w"])
    moved = R.T @ data.qacc[:3] - np.cross(w, v)
    return [*moved.tolist(), *data.qacc[3:6].tolist(), *data.qacc[places].tolist()]


def main() -> None:
    links, states = read_links(sys.argv[1]), read_states(sys.argv[2])
    model = make_model(links)
    data = mujoco.MjData(model)
    places = find_places(model, links)
    found = [accelerations(model, data, state, places) for state in states]
    mujoco.mj_saveModel(model, sys.argv[3], None)
    each = best_microseconds(lambda: mujoco.mj_forward(model, data))
    print(json.dumps({"solver": f"MuJoCo {mujoco.__version__}", "accelerations": found, "forward": each}))


if __name__ == "__main__":
    main()
