"""Exudyn's generalised-alpha on a half car with bushings: t_end kb cb ks cs kt ct y0 v in, JSON lines out."""

from __future__ import annotations

import json
import sys

import exudyn as exu
from exudyn.itemInterface import (
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    NodeRigidBody2D,
    ObjectConnectorCartesianSpringDamper,
    ObjectConnectorSpringDamper,
    ObjectGround,
    ObjectRigidBody2D,
)
from measure import best_seconds

T_END, KB, CB, KS, CS, KT, CT, Y0, V = map(float, sys.argv[1:])
STEPS = (30, 100, 300, 1000, 3000, 10000, 30000, 100000)
CAR, FRONT, REAR = range(3)
PLACES = [(0.0, 0.5), (1.35, 0.3), (-1.15, 0.3)]
SEEN = [(CAR, 0.0), (FRONT, 0.05), (REAR, 0.05), (FRONT, -0.35), (REAR, -0.35)]


class HalfCar:
    """The mechanism as Exudyn keeps it."""

    def __init__(self) -> None:
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.ground = self.system.AddObject(ObjectGround())
        self.bodies = []
        for place, mass, inertia in zip(PLACES, (700.0, 20.0, 20.0), (1100.0, 0.5, 0.5), strict=True):
            node = NodeRigidBody2D(referenceCoordinates=[*place, 0.0], initialVelocities=[V, 0.0, 0.0])
            number = self.system.AddNode(node)
            body = self.system.AddObject(ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=number))
            weight = self.system.AddMarker(MarkerBodyMass(bodyNumber=body))
            self.system.AddLoad(LoadMassProportional(markerNumber=weight, loadVector=[0.0, -9.80665, 0.0]))
            self.bodies.append(body)
        for arm, side in ((FRONT, 1.0), (REAR, -1.5)):
            self.tie(arm, side)
        self.system.Assemble()
        self.start = self.system.systemData.GetSystemState()

    def mark(self, body, x, y):
        number = self.ground if body is None else self.bodies[body]
        return self.system.AddMarker(MarkerBodyPosition(bodyNumber=number, localPosition=[x, y, 0.0]))

    def tie(self, arm, side):
        bushing = [self.mark(CAR, side, -0.2), self.mark(arm, -0.35, 0.0)]
        self.system.AddObject(
            ObjectConnectorCartesianSpringDamper(markerNumbers=bushing, stiffness=[KB, KB, 0.0], damping=[CB, CB, 0.0])
        )
        strut = [self.mark(CAR, side + 0.4, 0.4), self.mark(arm, 0.05, 0.0)]
        self.system.AddObject(
            ObjectConnectorSpringDamper(markerNumbers=strut, stiffness=KS, damping=CS, referenceLength=0.7)
        )
        tyre = [self.mark(None, 0.0, Y0), self.mark(arm, 0.05, 0.0)]
        self.system.AddObject(
            ObjectConnectorCartesianSpringDamper(markerNumbers=tyre, stiffness=[0.0, KT, 0.0], damping=[0.0, CT, 0.0])
        )

    def simulate(self, settings) -> None:
        self.system.systemData.SetSystemState(self.start)
        self.system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)

    def heights(self) -> list[float]:
        kind = exu.OutputVariableType.Position
        return [float(self.system.GetObjectOutputBody(self.bodies[b], kind, [x, 0.0, 0.0])[1]) for b, x in SEEN]


def make_settings(steps: int):
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = T_END
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    settings.linearSolver.solverType = exu.LinearSolverType.EXUdense
    return settings


def main() -> None:
    exu.config.printToConsole = False
    car = HalfCar()
    for steps in STEPS:
        settings = make_settings(steps)
        seconds = best_seconds(lambda settings=settings: car.simulate(settings))
        print(json.dumps({"steps": steps, "seconds": seconds, "heights": car.heights()}), flush=True)


if __name__ == "__main__":
    main()
