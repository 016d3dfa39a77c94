"""Pinocchio on a tree of links: accelerations and derivatives at states, microseconds a call from Python.

Usage: dynamics_pinocchio.py LINKS STATES
"""

from __future__ import annotations

import json
import sys

import numpy as np
import pinocchio as pin
from links import best_microseconds, read_links, read_states


def make_model(links) -> pin.Model:
    model, joints = pin.Model(), []
    model.gravity.linear = np.array([0, 0, -9.81])
    kinds = [pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ, pin.JointModelFreeFlyer]
    for i, l in enumerate(links):
        on = 0 if l.parent < 0 else joints[l.parent]
        j = model.addJoint(on, kinds[l.joint](), pin.SE3(np.eye(3), np.array(l.at)), f"j{i}")
        inertia = pin.Inertia(l.mass, np.array(l.centre), np.diag(l.inertia))
        model.appendBodyToJoint(j, inertia, pin.SE3.Identity())
        joints.append(j)
    return model


def convert(state: dict) -> tuple[np.ndarray, np.ndarray]:
    q, u = state["q"], state["u"]
    if "R" in state:
        quaternion = pin.Quaternion(np.array(state["R"])).coeffs()
        q, u = [*state["p"], *quaternion, *q], [*state["v"], *state["w"], *u]
    return np.array(q, dtype=float), np.array(u, dtype=float)


def main() -> None:
    model = make_model(read_links(sys.argv[1]))
    data, states = model.createData(), [convert(s) for s in read_states(sys.argv[2])]
    tau = np.zeros(model.nv)
    accelerations = [pin.aba(model, data, q, u, tau).tolist() for q, u in states]
    q, u = states[0]
    by_q, by_u, _ = pin.computeABADerivatives(model, data, q, u, tau)
    pin.computeJointJacobians(model, data, q)
    moves = pin.getJointJacobian(model, data, model.njoints - 1, pin.LOCAL_WORLD_ALIGNED)
    found = {
        "solver": f"Pinocchio {pin.__version__}",
        "accelerations": accelerations,
        "by_q": by_q.tolist() if model.nv < 40 else [],
        "by_u": by_u.tolist() if model.nv < 40 else [],
        "moves": moves.tolist(),
        "forward": best_microseconds(lambda: pin.aba(model, data, q, u, tau)),
        "inverse": best_microseconds(lambda: pin.rnea(model, data, q, u, tau)),
        "mass": best_microseconds(lambda: pin.crba(model, data, q)),
        "slopes": best_microseconds(lambda: pin.computeABADerivatives(model, data, q, u, tau)),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
