"""Torques as a picture shows them: they follow their laws, and joints carry what Newton asks for."""

from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.connections import Joint
from linkwork.results import record

KNEE = """
PhysicalParams: {l: 1, c: 2, tau: 3}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], 1]}, AB: {Geom: [[l]], Dyna: [[l/2], 1]}}
AppliedForces:
  Gravity:
  Torques: {'AB, OA': -c*(AB.omega - OA.omega)}
  ConstTorques: {OA: tau}
ProblemData: {tend: 1, positions: {A: [[l, fixed]], B: [1.5, 0.8]}}
"""


def find_torques(motion):
    return {(arrow.kind, arrow.name): arrow for arrow in record(motion).arrows if "torque" in arrow.kind}


def test_torques_of_the_plane_follow_their_laws():
    motion = lw.loads(KNEE).simulate()
    found = find_torques(motion)
    assert set(found) == {("torque", "on OA"), ("torque", "on AB")}
    thigh, shank = found["torque", "on OA"], found["torque", "on AB"]
    # they act against each other at the knee, where the thigh feels the constant torque as well
    assert (thigh.point, shank.point) == ("A", "A")
    np.testing.assert_allclose(thigh.values + shank.values, 3.0, rtol=1e-12)
    state = motion.at(shank.t)
    np.testing.assert_allclose(shank.values[:, 0], -2 * (state.velocity("AB") - state.velocity("OA")), rtol=1e-12)


def arm(**more):
    """A mass at (r, 0, h) of an arm that turns about the z axis through O."""
    body = lw.Rigid(name="OAU", geometry=[(), (1,), (0, 1)], centroid=(0.5, 0, 0.25), mass=2)
    return lw.Model(
        lw.Mechanism(
            dimension=3,
            fixed={"O": ()},
            rigids=[body],
            gravity=(0, 0, -10),
            joints=[Joint(name="hinge", kind="revolute", parts=("world", "OAU"), points=("O", "O"))],
            start=lw.InitialValues(tend=1, positions={"A": (1, 0, 0), "U": (0, 1, 0)}),
            **more,
        )
    )


def test_a_hinge_carries_what_newton_asks_for_and_the_drive_the_rest():
    motion = arm(motions=[lw.Driver(target="hinge.angle", law="3*t + t**2")]).simulate(tol=1e-12)
    found = find_torques(motion)
    assert set(found) == {("torque", "driving OAU at hinge"), ("reaction torque", "on OAU at hinge")}
    drive, hinge = found["torque", "driving OAU at hinge"], found["reaction torque", "on OAU at hinge"]
    assert (drive.point, drive.part) == ("O", "OAU")
    phi, omega, alpha = (3 * drive.t + drive.t**2)[:, None], (3 + 2 * drive.t)[:, None], 2.0
    out, along = np.hstack([np.cos(phi), np.sin(phi), 0 * phi]), np.hstack([-np.sin(phi), np.cos(phi), 0 * phi])
    up = np.array([0.0, 0.0, 1.0])
    force = 2 * (0.5 * (alpha * along - omega**2 * out) + 10 * up)
    wanted = np.cross(0.5 * out + 0.25 * up, force)
    np.testing.assert_allclose(drive.values, wanted * up, atol=1e-8)
    np.testing.assert_allclose(hinge.values, wanted * (1 - up), atol=1e-8)


def test_a_torque_by_a_law_is_along_the_axis_and_as_large_as_the_law():
    torque = lw.Torque(part="hinge", value="2 - hinge.omega")
    one = arm(torques=[torque]).simulate()
    on_arm = find_torques(one)["torque", "on OAU at hinge"]
    assert np.all(on_arm.values[:, :2] == 0)
    np.testing.assert_allclose(on_arm.values[:, 2], 2 - one.at(on_arm.t).velocity("hinge"), rtol=1e-12)


def test_the_two_parts_of_a_joint_feel_opposite_torques(load_example):
    mechanism = load_example("skew2pend").mechanism
    joint = next(joint for joint in mechanism.joints if "world" not in joint.parts)
    motion = lw.Model(replace(mechanism, torques=[lw.Torque(part=joint.name, value=1)])).simulate(0.5)
    both = [arrow for arrow in record(motion).arrows if arrow.kind == "torque"]
    assert [arrow.part for arrow in both] == list(joint.parts)
    np.testing.assert_allclose(both[0].values, -both[1].values)
    assert np.linalg.norm(both[1].values, axis=1) == pytest.approx(1.0)


def test_what_is_only_rounding_is_no_torque(load_example):
    # four parallel hinges in one plane carry no torque across their axes
    assert set(find_torques(load_example("spatial-four-bar").simulate(1.0))) == {("torque", "on OAU at crank")}
