"""Exudyn's generalised-alpha method on seven planar rigid bodies, ten revolute joints and a spring."""

from __future__ import annotations

import math

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    LoadTorqueVector,
    MarkerBodyPosition,
    MarkerBodyRigid,
    NodeRigidBody2D,
    ObjectConnectorSpringDamper,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectRigidBody2D,
)
from measure import best_seconds, report, report_failure
from model import DATA, START, T_END, correct_digits, link_angles, relative_angles

OF, FE, BE, GE, AG, HE, AH = range(7)
NAME = f"Exudyn {exu.config.Version()} generalised-alpha"
STEPS = [100, 300, 1000, 3000, 10000, 30000]
SPECTRAL_RADII = [1.0, 0.9]


def direction(angle):
    return np.array([math.cos(angle), math.sin(angle)])


def place_points(b):
    """World positions of the named points at the link angles b."""
    p = DATA
    points = {"O": np.zeros(2), "A": np.array([p["xa"], p["ya"]]), "B": np.array([p["xb"], p["yb"]])}
    points["C"] = np.array([p["xc"], p["yc"]])
    points["F"] = p["rr"] * direction(b[OF])
    points["E"] = points["F"] + p["d"] * direction(b[FE])
    points["G"] = points["A"] + p["zt"] * direction(b[AG])
    points["H"] = points["A"] + p["u"] * direction(b[AH])
    points["D"] = points["B"] + p["sc"] * direction(b[BE]) + p["sd"] * direction(b[BE] + math.pi / 2)
    return points


def describe_links():
    """Per link: base point, centre of mass in the link's own axes, mass, inertia."""
    p = DATA
    return [
        ("O", (p["ra"], 0.0), p["m1"], p["i1"]),
        ("F", (p["da"], 0.0), p["m2"], p["i2"]),
        ("B", (p["sa"], p["sb"]), p["m3"], p["i3"]),
        ("G", (p["e"] - p["ea"], 0.0), p["m4"], p["i4"]),
        ("A", (p["ta"], p["tb"]), p["m5"], p["i5"]),
        ("H", (p["zf"] - p["fa"], 0.0), p["m6"], p["i6"]),
        ("A", (p["ua"], p["ub"]), p["m7"], p["i7"]),
    ]


JOINTS = [
    (None, OF, "O"), (OF, FE, "F"), (FE, BE, "E"), (None, BE, "B"), (FE, GE, "E"),
    (GE, AG, "G"), (None, AG, "A"), (FE, HE, "E"), (HE, AH, "H"), (None, AH, "A"),
]  # fmt: skip


class Mechanism:
    """Andrews' mechanism as Exudyn keeps it."""

    def __init__(self) -> None:
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.b0 = link_angles(START)
        self.points = place_points(self.b0)
        self.ground = self.system.AddObject(ObjectGround())
        self.centres, self.nodes, self.bodies = [], [], []
        for angle, (base, offset, mass, inertia) in zip(self.b0, describe_links(), strict=True):
            self.add_body(angle, self.points[base], offset, mass, inertia)
        for first, second, point in JOINTS:
            markers = [self.mark(first, point), self.mark(second, point)]
            self.system.AddObject(ObjectJointRevolute2D(markerNumbers=markers))
        self.add_forces()
        self.system.Assemble()
        self.start = self.system.systemData.GetSystemState()

    def add_body(self, angle, base, offset, mass, inertia):
        centre = base + offset[0] * direction(angle) + offset[1] * direction(angle + math.pi / 2)
        node = self.system.AddNode(NodeRigidBody2D(referenceCoordinates=[*centre, angle]))
        body = ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node)
        self.centres.append(centre)
        self.nodes.append(node)
        self.bodies.append(self.system.AddObject(body))

    def mark(self, link, point):
        """A marker at a named point, on a link or on the ground."""
        if link is None:
            body, local = self.ground, self.points[point]
        else:
            arm, angle = self.points[point] - self.centres[link], self.b0[link]
            body, local = self.bodies[link], [arm @ direction(angle), arm @ direction(angle + math.pi / 2)]
        return self.system.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[*local, 0.0]))

    def add_forces(self):
        markers = [self.mark(None, "C"), self.mark(BE, "D")]
        spring = ObjectConnectorSpringDamper(markerNumbers=markers, stiffness=DATA["c0"], referenceLength=DATA["l0"])
        self.system.AddObject(spring)
        crank = self.system.AddMarker(MarkerBodyRigid(bodyNumber=self.bodies[OF]))
        self.system.AddLoad(LoadTorqueVector(markerNumber=crank, loadVector=[0.0, 0.0, DATA["mom"]]))

    def simulate(self, settings) -> None:
        self.system.systemData.SetSystemState(self.start)
        self.system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)

    def digits(self) -> float:
        coordinates = exu.OutputVariableType.Coordinates
        turns = np.array([self.system.GetNodeOutput(node, coordinates)[2] for node in self.nodes])
        return correct_digits(relative_angles(self.b0 + turns))


def make_settings(steps: int, radius: float):
    """Fixed steps, modified Newton, dense solver: the fastest of Exudyn's choices at this size."""
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = T_END
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = radius
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = 1
    settings.linearSolver.solverType = exu.LinearSolverType.EXUdense
    return settings


def main() -> None:
    exu.config.printToConsole = False
    mechanism = Mechanism()
    for radius in SPECTRAL_RADII:
        for steps in STEPS:
            settings, setting = make_settings(steps, radius), f"{steps} steps, rho {radius}"
            try:
                seconds = best_seconds(lambda settings=settings: mechanism.simulate(settings))
                report(NAME, setting, seconds, mechanism.digits())
            except Exception as failure:
                report_failure(NAME, setting, failure)


if __name__ == "__main__":
    main()
