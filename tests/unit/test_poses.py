"""Poses of parts: rotation matrices, quaternions, Euler angles, angular velocities, against each other and SciPy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.results.poses import SEQUENCES, euler_angles

TOP = """
Dimension: 3
Bodies:
  top: {mass: 2, centre: [0.1, 0.2, 0.5], inertia: [0.3, 0.4, 0.2, 0.01, 0.02, -0.01], frames: {tip: [], nose: [0.2, 0.1, 0.6]}}
  world: {frames: {o: [0.1, 0.2, 0.3]}}
Connections: {Joints: {ball: {kind: spherical, frames: [world.o, top.tip]}}}
AppliedForces: {Gravity: }
ProblemData: {tend: 1, positions: {top.nose: [0.5, 0.2, 0.8]}, velocities: {top.nose: [0, 1, 0.3]}}
"""  # noqa: E501


@pytest.fixture(scope="module")
def motion():
    return lw.loads(TOP).simulate(tol=1e-12)


def test_there_are_twelve_sequences():
    assert len(SEQUENCES) == 12


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_euler_angles_are_those_of_scipy_and_give_the_rotation_back(motion, sequence):
    pose = motion.body("top")
    found = pose.euler(sequence)
    back = Rotation.from_euler(sequence.upper(), found).as_matrix()
    np.testing.assert_allclose(back, pose.rotation, atol=1e-12)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_euler_angles_where_the_second_is_singular_give_the_rotation_back(sequence):
    for second in (0.0, np.pi) if sequence[0] == sequence[2] else (np.pi / 2, -np.pi / 2):
        R = Rotation.from_euler(sequence.upper(), [0.7, second, -0.3]).as_matrix()
        back = Rotation.from_euler(sequence.upper(), euler_angles(R, sequence)).as_matrix()
        np.testing.assert_allclose(back, R, atol=1e-7)


def test_a_quaternion_is_that_of_the_rotation_and_does_not_jump(motion):
    pose = motion.at(np.linspace(0, 1, 200)).body("top")
    e = pose.quaternion
    back = Rotation.from_quat(np.roll(e, -1, axis=1)).as_matrix()
    np.testing.assert_allclose(back, pose.rotation, atol=1e-12)
    assert np.max(np.linalg.norm(np.diff(e, axis=0), axis=1)) < 0.1


def test_angular_velocity_and_acceleration_are_the_rates_of_the_rotation(motion):
    t, h = 0.4, 1e-5
    before, here, after = (motion.at(t + k * h).body("top") for k in (-1, 0, 1))
    spin = (after.rotation - before.rotation) / (2 * h) @ here.rotation.T
    np.testing.assert_allclose(here.omega(), [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-7)
    np.testing.assert_allclose(here.rotation @ here.omega("body"), here.omega(), atol=1e-12)
    np.testing.assert_allclose(here.alpha(), (after.omega() - before.omega()) / (2 * h), atol=1e-6)
    names = ["top.wx", "top.wy", "top.wz"]
    np.testing.assert_allclose([motion.at(t)[name] for name in names], here.omega(), atol=1e-12)
    np.testing.assert_allclose(motion.at(t)["top.xy"], here.rotation[1, 0], atol=1e-14)


def test_angular_momentum_about_the_pivot_changes_by_the_weight_alone(motion):
    J = np.array([[0.3, 0.01, 0.02], [0.01, 0.4, -0.01], [0.02, -0.01, 0.2]])
    c = np.array([0.1, 0.2, 0.5])
    J = J + 2 * (c @ c * np.eye(3) - np.outer(c, c))
    pose = motion.body("top")
    spin = np.einsum("kij,jl,kl->ki", pose.rotation, J, pose.omega("body"))
    np.testing.assert_allclose(spin[:, 2], spin[0, 2], atol=1e-10)  # gravity has no moment about the vertical


def test_poses_in_the_plane():
    motion = lw.load("examples/four-bar.yaml").simulate(0.3, tol=1e-12)
    part = next(iter(motion.system.chart.parts))
    pose = motion.body(part)
    np.testing.assert_allclose(np.linalg.det(pose.rotation), 1, atol=1e-12)
    np.testing.assert_allclose(np.cos(pose.angle), pose.rotation[:, 0, 0], atol=1e-12)
    steps = motion.at([0.2 - 1e-5, 0.2, 0.2 + 1e-5]).body(part)
    np.testing.assert_allclose(steps.omega()[1], (steps.angle[2] - steps.angle[0]) / 2e-5, rtol=1e-6)
    np.testing.assert_allclose(steps.alpha()[1], (steps.omega()[2] - steps.omega()[0]) / 2e-5, rtol=1e-5)


def test_what_there_is_not_is_said(motion):
    with pytest.raises(lw.LinkworkError, match=r"no part named 'tob'\. Did you mean 'top'"):
        motion.body("tob")
    with pytest.raises(lw.LinkworkError, match="no sequence of Euler angles"):
        motion.body("top").euler("xxy")
    with pytest.raises(lw.LinkworkError, match="neither 'world' nor 'body'"):
        motion.body("top").omega("part")
