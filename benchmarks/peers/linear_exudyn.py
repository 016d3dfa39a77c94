"""Eigenfrequencies of a hanging chain by Exudyn's own linearisation, one JSON line. Run in Exudyn's environment.

Usage: linear_exudyn.py N
"""

from __future__ import annotations

import json
import math
import sys
import time
from importlib.metadata import version

import exudyn as exu
import scipy.linalg
import scipy.sparse.linalg  # noqa: F401
from exudyn import itemInterface as items  # noqa: N813 - their name


def make_system(count: int):
    """Rigid bodies in the plane with revolute joints, 1 m and 1 kg together, hanging at rest."""
    length, mass = 1.0 / count, 1.0 / count
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(items.ObjectGround())
    end = system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    for i in range(count):
        place = [0, -(i + 0.5) * length, -math.pi / 2]
        node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=place))
        inertia = mass * length**2 / 12
        body = system.AddObject(items.ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node))
        near = system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[-length / 2, 0, 0]))
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[end, near]))
        end = system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[length / 2, 0, 0]))
        whole = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        system.AddLoad(items.LoadMassProportional(markerNumber=whole, loadVector=[0, -9.81, 0]))
    system.Assemble()
    return container, system


def main() -> None:
    count = int(sys.argv[1])
    _container, system = make_system(count)
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = 10, 1e-6
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    # a moment at rest, so that the joints carry their forces
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha, updateInitialValues=True)
    begin = time.perf_counter()
    values, _ = exu.ComputeODE2Eigenvalues(system, settings, convert2Frequencies=False)
    seconds = time.perf_counter() - begin
    omega = sorted(math.sqrt(abs(float(v))) for v in values)
    print(json.dumps({"solver": f"Exudyn {version('exudyn')}", "seconds": seconds, "omega": omega[:3]}))


if __name__ == "__main__":
    main()
