"""The planar hanging chain with Exudyn's generalised-alpha: one JSON line per step size. Run in Exudyn's environment.

Usage: chain_exudyn.py N planar
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

import exudyn as exu
from exudyn import itemInterface as items  # noqa: N813 - their name

SLOWEST = 8.0  # seconds of one run beyond which finer steps are not tried


def make_system(count: int):
    """Rigid bodies in the plane with revolute joints, 1 m and 1 kg together, horizontal, hung at the origin."""
    length, mass = 1.0 / count, 1.0 / count
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(items.ObjectGround())
    end = system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    for i in range(count):
        node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[(i + 0.5) * length, 0, 0]))
        inertia = mass * length**2 / 12
        body = system.AddObject(items.ObjectRigidBody2D(physicsMass=mass, physicsInertia=inertia, nodeNumber=node))
        near = system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[-length / 2, 0, 0]))
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[end, near]))
        end = system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[length / 2, 0, 0]))
        whole = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        system.AddLoad(items.LoadMassProportional(markerNumber=whole, loadVector=[0, -9.81, 0]))
    system.Assemble()
    return container, system, body, length


def simulate(count: int, steps: int) -> tuple[float, list[float]]:
    """Seconds for one simulated second, and where the tip is then (x, 0, z)."""
    _container, system, body, length = make_system(count)
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = steps, 1.0
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.solutionSettings.writeSolutionToFile = False
    sparse = exu.LinearSolverType.EigenSparse if count > 4 else exu.LinearSolverType.EXUdense
    settings.linearSolverType = sparse
    begin = time.perf_counter()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    seconds = time.perf_counter() - begin
    place = exu.OutputVariableType.Position
    x, y, _ = system.GetObjectOutputBody(body, place, localPosition=[length / 2, 0, 0])
    return seconds, [float(x), 0.0, float(y)]


def main() -> None:
    count = int(sys.argv[1])
    for steps in (300, 1000, 3000, 10_000):
        try:
            seconds, tip = simulate(count, steps)
        except Exception as failure:  # the solver gives up on coarse steps
            line = {"solver": "Exudyn", "setting": f"{steps} steps", "failure": str(failure)[:80]}
            print(json.dumps(line), flush=True)
            continue
        solver = f"Exudyn {version('exudyn')} generalised-alpha"
        print(json.dumps({"solver": solver, "setting": f"{steps} steps", "ms": 1e3 * seconds, "tip": tip}), flush=True)
        if seconds * 3 > SLOWEST:
            break


if __name__ == "__main__":
    main()
