"""Followers, ė = N u, by independent routes.

Twelve Euler sequences, Euler parameters and the rotation matrix against each other and the law of angular momentum;
coefficients by repeated symbolic differentiation; pinned bodies against SciPy and against points.
"""

import numpy as np
import pytest

from followers import CARRIERS, SEQUENCES, rotor_system, run
from linkwork.native import Machine, choose_weights
from tools import distance

TURNS = 100


def make_machine(system, q):
    return Machine(system, choose_weights(system, np.asarray(q, dtype=float)))


def rotor_start(carrier):
    """Followers, moments and body rates of an asymmetric rotor that turns about once in 2π, away from singularities.

    A sequence is singular where its third axis, fixed in the body, lies along its first, fixed in space. So the angular
    momentum lies along the first axis and the third is the one of the least moment, which stays far from it.
    """
    if carrier.name == "matrix":
        return np.eye(3).ravel(), np.array([1.0, 2.0, 2.8]), np.array([0.2, 0.3, 1.0])
    if carrier.name == "quaternion":
        return np.array([0.5, 0.5, -0.5, 0.5]), np.array([1.0, 2.0, 2.8]), np.array([0.2, 0.3, 1.0])
    first, _, third = ("xyz".index(axis) for axis in carrier.name)
    J = np.full(3, 2.0)
    most = next(i for i in range(3) if i != third)
    J[third], J[most] = 1.0, 2.8
    middle = 0.3 if len(set(carrier.name)) == 3 else np.pi / 2 - 0.3
    # the last angle that brings the axis of the largest moment nearest to the momentum, and a little more
    last = max(np.arange(0, 6.3, 0.05), key=lambda x: carrier.rotation([0.0, middle, x])[first, most]) + 0.2
    angles = np.array([0.4, middle, last])
    momentum = 2.7 * carrier.rotation(angles).T[:, first]
    return angles, J, momentum / J


@pytest.mark.needs_compiler
@pytest.mark.parametrize("name", CARRIERS)
def test_a_free_rotor_keeps_its_angular_momentum_in_space_over_a_hundred_turns(name):
    carrier = CARRIERS[name]
    e, J, w = rotor_start(carrier)
    system = rotor_system(carrier, J)
    q = np.concatenate([np.zeros(3), e])
    machine = make_machine(system, q)
    before = carrier.rotation(e) @ (J * w)
    for chunk in run(machine, q, w, 2 * np.pi * TURNS):
        for place, rates in zip(chunk.q(0), chunk.q(1), strict=True):
            assert distance(carrier.rotation(place[3:]) @ (J * rates[:3]), before) < 1e-11
    end, rates, _, _ = machine.end
    assert distance(carrier.rotation(end[3:]) @ (J * rates[:3]), before) < 1e-11


@pytest.mark.needs_compiler
@pytest.mark.parametrize("name", [*SEQUENCES, "quaternion"])
def test_every_carrier_of_a_rotation_gives_the_motion_of_the_matrix(name):
    carrier, matrix = CARRIERS[name], CARRIERS["matrix"]
    e, J, w = rotor_start(carrier)
    ends = []
    for way, start in ((carrier, e), (matrix, carrier.rotation(e).ravel())):
        q = np.concatenate([np.zeros(3), start])
        machine = make_machine(rotor_system(way, J), q)
        run(machine, q, w, 2 * np.pi * 10)
        ends.append(way.rotation(machine.end[0][3:]))
    assert distance(*ends) < 1e-11
