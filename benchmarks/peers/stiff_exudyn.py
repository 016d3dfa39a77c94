"""Exudyn's generalised-alpha on a stiff machine: car, governor or boom, t_end and values as JSON in, JSON lines out.

What Exudyn has no element for (the torque of the governor, the pressures of the boom) are functions in Python.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable

import exudyn as exu
import numpy as np
from exudyn import itemInterface as items  # noqa: N813 - their name
from exudyn.rigidBodyUtilities import RigidBodyInertia
from measure import best_seconds

STEPS = (30, 100, 300, 1000, 3000, 10000, 30000, 100000)
SLOWEST = 4.0  # seconds of one run beyond which finer steps are not tried
GRAVITY = 9.80665
Look = Callable[[], list[float]]


def mark(system, body, *place):
    return system.AddMarker(
        items.MarkerBodyPosition(bodyNumber=body, localPosition=[*place, *[0.0] * (3 - len(place))])
    )


def weigh(system, body):
    weight = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
    system.AddLoad(items.LoadMassProportional(markerNumber=weight, loadVector=[0.0, -GRAVITY, 0.0]))


def position(system, body, *place):
    return system.GetObjectOutputBody(body, exu.OutputVariableType.Position, [*place, *[0.0] * (3 - len(place))])


# -- half a car -------------------------------------------------------------------------------------------------------


def make_car(system, p) -> Look:
    ground, bodies = system.AddObject(items.ObjectGround()), []
    for place, mass, inertia in (((0.0, 0.5), 700.0, 1100.0), ((1.35, 0.3), 20.0, 0.5), ((-1.15, 0.3), 20.0, 0.5)):
        node = items.NodeRigidBody2D(referenceCoordinates=[*place, 0.0], initialVelocities=[p["v"], 0.0, 0.0])
        number = system.AddNode(node)
        bodies.append(system.AddObject(items.ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=number)))
        weigh(system, bodies[-1])
    car, front, rear = bodies
    spring = items.ObjectConnectorCartesianSpringDamper
    for arm, side in ((front, 1.0), (rear, -1.5)):
        bushing = [mark(system, car, side, -0.2), mark(system, arm, -0.35)]
        stiff = {"stiffness": [p["kb"], p["kb"], 0.0], "damping": [p["cb"], p["cb"], 0.0]}
        system.AddObject(spring(markerNumbers=bushing, **stiff))
        strut = [mark(system, car, side + 0.4, 0.4), mark(system, arm, 0.05)]
        soft = {"stiffness": p["ks"], "damping": p["cs"], "referenceLength": 0.7}
        system.AddObject(items.ObjectConnectorSpringDamper(markerNumbers=strut, **soft))
        tyre = [mark(system, ground, 0.0, p["y0"]), mark(system, arm, 0.05)]
        rubber = {"stiffness": [0.0, p["kt"], 0.0], "damping": [0.0, p["ct"], 0.0]}
        system.AddObject(spring(markerNumbers=tyre, **rubber))
    seen = [(car, 0.0), (front, 0.05), (rear, 0.05), (front, -0.35), (rear, -0.35)]
    return lambda: [float(position(system, body, x)[1]) for body, x in seen]


# -- a governor -------------------------------------------------------------------------------------------------------


def make_governor(system, p) -> Look:
    ground, arm, top, s, turn = system.AddObject(items.ObjectGround()), p["arm"], p["top"], math.sqrt(0.5), 11.0174

    def add(mass, inertia, centre, x, y):
        inertia = RigidBodyInertia(mass=mass, inertiaTensor=np.diag(inertia))
        return system.CreateRigidBody(
            inertia=inertia, referencePosition=list(centre), gravity=[0.0, 0.0, -GRAVITY],
            referenceRotationMatrix=np.column_stack([x, y, np.cross(x, y)]),
            initialVelocity=list(np.cross([0.0, 0.0, turn], centre)), initialAngularVelocity=[0.0, 0.0, turn],
        )  # fmt: skip

    spindle = add(200.0, [25.0, 25.0, 50.0], (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    sleeve = add(1.0, [0.15, 0.125, 0.15], (0.0, 0.0, 0.05), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    joint = {"useGlobalFrame": True}
    system.CreateRevoluteJoint(itemNumbers=[ground, spindle], position=[0.0, 0.0, 0.0], axis=[0.0, 0.0, 1.0], **joint)
    system.CreatePrismaticJoint(itemNumbers=[spindle, sleeve], position=[0.0, 0.0, 0.05], axis=[0.0, 0.0, 1.0], **joint)
    for side in (1.0, -1.0):
        centre = (side * arm * s, 0.0, top - arm * s)
        ball = add(1.0, [0.1, 0.1, 0.1], centre, (side * s, 0.0, -s), (0.0, side, 0.0))
        system.CreateRevoluteJoint(itemNumbers=[spindle, ball], position=[0.0, 0.0, top], axis=[0.0, 1.0, 0.0], **joint)
        ends = [mark(system, ball, -arm / 2), mark(system, sleeve)]
        stiff = {"stiffness": p["k"], "damping": p["c"], "referenceLength": p["l0"]}
        system.AddObject(items.ObjectConnectorSpringDamper(markerNumbers=ends, **stiff))
    node = system.GetObject(sleeve)["nodeNumber"]

    def torque(mbs, t, load):
        height = mbs.GetNodeOutput(node, exu.OutputVariableType.Position)[2]
        return [0.0, 0.0, p["throttle"] * (0.05 - height) - p["load"] * math.sin(2.0 * t)]

    whole = system.AddMarker(items.MarkerBodyRigid(bodyNumber=spindle, localPosition=[0.0, 0.0, 0.0]))
    system.AddLoad(items.LoadTorqueVector(markerNumber=whole, loadVector=[0.0] * 3, loadVectorUserFunction=torque))
    speed = exu.OutputVariableType.AngularVelocity
    return lambda: [
        float(system.GetObjectOutputBody(spindle, speed, [0.0] * 3)[2]), float(position(system, sleeve)[2]),
    ]  # fmt: skip


# -- a boom -----------------------------------------------------------------------------------------------------------


def make_boom(system, p) -> Look:
    ground, length, a, b = system.AddObject(items.ObjectGround()), p["l"], p["a"], p["b"]
    mass = p["m"] + p["pay"]
    centre = (p["m"] * length / 2 + p["pay"] * length) / mass
    inertia = p["m"] * length**2 / 3 + p["pay"] * length**2 - mass * centre**2
    node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[centre, 0.0, 0.0]))
    body = system.AddObject(items.ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))
    weigh(system, body)
    eye = length / 3 - centre
    system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[mark(system, ground), mark(system, body, -centre)]))
    pressures = system.AddNode(
        items.NodeGenericODE1(
            referenceCoordinates=[0.0] * 4, initialCoordinates=[4.6e6, 2e6, 4.6e6, 2e6], numberOfODE1Coordinates=4
        )
    )
    place, rates = exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t

    def pull(mbs, t, item, longer, rate, stiffness, damping, force):
        _, _, p1, p2 = mbs.GetNodeOutput(pressures, place)
        return -(p["A1"] * p1 - p["A2"] * p2) + 200.0 * rate

    ends = [mark(system, ground, a, -b), mark(system, body, eye)]
    rod = {"stiffness": 0.0, "damping": 0.0, "referenceLength": b, "springForceUserFunction": pull}
    system.AddObject(items.ObjectConnectorSpringDamper(markerNumbers=ends, **rod))

    def flow(mbs, t, item, y):
        s1, s2, p1, p2 = y
        (x, z, angle), (vx, vz, w) = mbs.GetNodeOutput(node, place), mbs.GetNodeOutput(node, rates)
        cos, sin = math.cos(angle), math.sin(angle)
        dx, dz = centre + x + eye * cos - a, z + eye * sin + b
        long = math.hypot(dx, dz)
        rate, travel = (dx * (vx - w * eye * sin) + dz * (vz + w * eye * cos)) / long, long - b
        opening = p["opening"] * (1.0 - math.cos(p["w"] * t)) / 2
        q1, q2 = p["valve"] * opening * (p["pump"] - s1), p["valve"] * opening * (s2 - p["tank"])
        out1, out2, through = p["orifice"] * (s1 - p1), p["orifice"] * (s2 - p2), p["leak"] * (p1 - p2)
        return [
            p["beta"] / p["pipe"] * (q1 - out1), p["beta"] / p["pipe"] * (-q2 - out2),
            p["beta"] / (p["V1"] + p["A1"] * travel) * (out1 - through - p["A1"] * rate),
            p["beta"] / (p["V2"] - p["A2"] * travel) * (out2 + through + p["A2"] * rate),
        ]  # fmt: skip

    system.AddObject(items.ObjectGenericODE1(nodeNumbers=[pressures], rhsUserFunction=flow))
    tip = length - centre
    return lambda: [float(position(system, body, tip)[1]), float(system.GetNodeOutput(pressures, place)[2])]


# -- all of them ------------------------------------------------------------------------------------------------------

MACHINES = {"bushings": make_car, "governor": make_governor, "hydraulic-boom": make_boom}


def make_settings(steps: int, until: float):
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = until
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    settings.linearSolver.solverType = exu.LinearSolverType.EXUdense
    return settings


def main() -> None:
    name, until, values = sys.argv[1], float(sys.argv[2]), json.loads(sys.argv[3])
    exu.config.printToConsole = False
    container = exu.SystemContainer()
    system = container.AddSystem()
    look = MACHINES[name](system, values)
    system.Assemble()
    start = system.systemData.GetSystemState()

    def simulate(settings) -> None:
        system.systemData.SetSystemState(start)
        system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)

    for steps in STEPS:
        settings = make_settings(steps, until)
        try:
            seconds = best_seconds(lambda settings=settings: simulate(settings), clock=time.process_time)
        except ValueError:  # the solver gives up on coarse steps
            continue
        print(json.dumps({"steps": steps, "seconds": seconds, "seen": look()}), flush=True)
        if 3 * seconds > SLOWEST:
            break


if __name__ == "__main__":
    main()
