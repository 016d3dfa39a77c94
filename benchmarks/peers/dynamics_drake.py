"""Drake on a tree of links: accelerations at states, microseconds a call from Python. Its wheel brings no headers.

Usage: dynamics_drake.py LINKS STATES
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version

import numpy as np
from links import best_microseconds, read_links, read_states
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, MultibodyForces, RevoluteJoint, RotationalInertia, SpatialInertia


def make_plant(links) -> tuple[MultibodyPlant, list]:
    plant, bodies = MultibodyPlant(time_step=0.0), []
    for i, l in enumerate(links):
        inertia = SpatialInertia.MakeFromCentralInertia(l.mass, np.array(l.centre), RotationalInertia(*l.inertia))
        bodies.append(plant.AddRigidBody(f"b{i}", inertia))
        if l.joint != 3:
            parent = plant.world_body() if l.parent < 0 else bodies[l.parent]
            at = FixedOffsetFrame(f"f{i}", parent.body_frame(), RigidTransform(np.array(l.at)))
            axis = [float(k == l.joint) for k in range(3)]
            plant.AddJoint(RevoluteJoint(f"j{i}", plant.AddFrame(at), bodies[i].body_frame(), axis))
    plant.Finalize()
    return plant, bodies


def find_joints(plant: MultibodyPlant, links) -> list[RevoluteJoint]:
    return [plant.GetJointByName(f"j{i}") for i, l in enumerate(links) if l.joint != 3]


def set_state(plant: MultibodyPlant, context, bodies: list, joints: list[RevoluteJoint], state: dict) -> None:
    for joint, q, u in zip(joints, state["q"], state["u"], strict=True):
        joint.set_angle(context, q)
        joint.set_angular_rate(context, u)
    if "R" in state:
        R = np.array(state["R"])
        plant.SetFreeBodyPose(context, bodies[0], RigidTransform(RotationMatrix(R), state["p"]))
        plant.SetFreeBodySpatialVelocity(bodies[0], SpatialVelocity(R @ state["w"], R @ state["v"]), context)


def accelerations(plant: MultibodyPlant, context, bodies: list, joints: list, state: dict) -> list[float]:
    set_state(plant, context, bodies, joints, state)
    rates = plant.EvalTimeDerivatives(context).get_generalized_velocity().CopyToVector()
    turning = [rates[joint.velocity_start()] for joint in joints]
    if "R" not in state:
        return turning
    # over the axes of the link, as they change there
    R, first = np.array(state["R"]), bodies[0].floating_velocities_start_in_v()
    v, w = np.array(state["v"]), np.array(state["w"])
    moved = R.T @ rates[first + 3 : first + 6] - np.cross(w, v)
    return [*moved, *(R.T @ rates[first : first + 3]), *turning]


def main() -> None:
    links, states = read_links(sys.argv[1]), read_states(sys.argv[2])
    plant, bodies = make_plant(links)
    context, joints = plant.CreateDefaultContext(), find_joints(plant, links)
    found = [accelerations(plant, context, bodies, joints, state) for state in states]
    x, still = plant.GetPositionsAndVelocities(context), np.zeros(plant.num_velocities())
    forces = MultibodyForces(plant)

    # a new state forgets what is known of the old one
    def timed(call) -> float:
        def run() -> None:
            plant.SetPositionsAndVelocities(context, x)
            call()

        return best_microseconds(run)

    print(
        json.dumps(
            {
                "solver": f"Drake {version('drake')}", "accelerations": found,
                "forward": timed(lambda: plant.EvalTimeDerivatives(context)),
                "inverse": timed(lambda: plant.CalcInverseDynamics(context, still, forces)),
                "mass": timed(lambda: plant.CalcMassMatrix(context)),
            }
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
