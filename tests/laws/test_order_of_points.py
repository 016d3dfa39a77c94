"""The order in which the points of a body are named is only a way to write it: any point may be fixed or driven."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError
from tools import distance

PLANE = {"A": (0.0, 0.0), "B": (2.0, 0.0), "C": (0.7, 0.9), "D": (-0.4, 1.3)}
SPACE = {"A": (0.0, 0.0, 0.0), "B": (1.0, 0.1, 0.0), "C": (0.1, 1.0, 0.2), "D": (0.2, 0.3, 0.4), "E": (0.6, 0.1, -0.5)}
ORDERS = {2: ["ABCD", "CADB", "DCBA", "BDAC"], 3: ["ABCDE", "DAEBC", "CBEDA", "EDABC"]}
FIXED = {2: ["A", "B", "C", "D", "AC", "CD"], 3: ["A", "D", "E", "AD", "DE", "BE", "CDE"]}
CENTROID = {2: (0.5, 0.4), 3: (0.3, 0.2, 0.1)}
INERTIA = np.array([[1.0, 0.1, 0.05], [0.1, 1.1, 0.02], [0.05, 0.02, 1.2]])


def body(order, places, centroid):
    """The same body with its points in this order, in the frame that the first of them make."""
    at = np.array([places[p] for p in order])
    x = (at[1] - at[0]) / np.linalg.norm(at[1] - at[0])
    if len(x) == 2:
        Q, inertia = np.array([[x[0], -x[1]], [x[1], x[0]]]), 0.8
    else:
        y = np.cross(np.cross(x, at[2] - at[0]), x)
        Q = np.stack([x, y / np.linalg.norm(y), np.cross(x, y / np.linalg.norm(y))], axis=1)
        I = Q.T @ INERTIA @ Q
        inertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    geometry = (at - at[0]) @ Q
    geometry[1, 1:] = geometry[2, 2:] = 0.0
    return lw.Rigid(
        name=order,
        geometry=geometry.tolist(),
        centroid=(np.subtract(centroid, at[0]) @ Q).tolist(),
        mass=2,
        inertia=inertia,
    )


def hanging(order, fixed, dimension, motions=()):
    """The body with points fixed and a mass on a spring at every other one."""
    places = PLANE if dimension == 2 else SPACE
    weights = {f"P{p}": np.subtract(z, 1.0) for p, z in places.items() if p not in fixed}
    return lw.Model(
        lw.Mechanism(
            dimension=dimension,
            fixed={p: places[p] for p in fixed},
            rigids=[body(order, places, CENTROID[dimension])],
            springs=[
                lw.Spring(name=f"s{p}", points=(p[1], p), stiffness=50 + ord(p[1]), rest_length=1) for p in weights
            ],
            particles=[lw.Particle(point=p, mass=1.5) for p in weights],
            gravity=(0.3, -9.81) if dimension == 2 else (0.1, 0.3, -9.81),
            motions=motions,
            start=lw.InitialValues(
                positions={p: z for p, z in places.items() if p not in fixed}
                | {p: z.tolist() for p, z in weights.items()}
            ),
        )
    )


@pytest.mark.parametrize(("dimension", "fixed"), [(d, fixed) for d in (2, 3) for fixed in FIXED[d]])
def test_a_body_moves_alike_whatever_the_order_of_its_fixed_and_free_points(dimension, fixed):
    motions = [hanging(order, fixed, dimension).simulate(0.5, tol=1e-13) for order in ORDERS[dimension]]
    for motion in motions[1:]:
        for point in "ABCD":
            assert distance(motion.final[point], motions[0].final[point]) < 1e-11
            assert distance(motion.final.velocity(point), motions[0].final.velocity(point)) < 1e-10


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_fixed_point_leaves_the_freedom_to_turn_about_it_wherever_it_is_named(dimension):
    places = PLANE if dimension == 2 else SPACE
    for order in ORDERS[dimension]:
        for fixed in FIXED[dimension]:
            mobility = hanging(order, fixed, dimension).structure().mobility
            masses = dimension * (len(places) - len(fixed))
            turns = {2: (3, 1, 0), 3: (6, 3, 1, 0)}[dimension][len(fixed)]
            assert (mobility.freedom, mobility.count, mobility.redundant) == (masses + turns, masses + turns, ())


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_driven_point_carries_its_body_wherever_it_is_named(dimension):
    places = PLANE if dimension == 2 else SPACE
    laws = [f"{x} + 0.3*sin(2*t + {i})-0.3*sin({i})" for i, x in enumerate(places["D"])]
    motions = [lw.Driver(target=f"D.{axis}", law=law) for axis, law in zip("xyz", laws, strict=False)]
    ends = [hanging(order, "", dimension, motions).simulate(0.5, tol=1e-13).final for order in ORDERS[dimension]]
    wanted = [z + 0.3 * (np.sin(1 + i) - np.sin(i)) for i, z in enumerate(places["D"])]
    assert distance(ends[0]["D"], wanted) < 1e-12
    for end in ends[1:]:
        assert max(distance(end[p], ends[0][p]) for p in places) < 1e-11


def test_fixed_points_that_do_not_fit_their_body_are_named():
    with pytest.raises(InputError) as caught:
        lw.Mechanism(fixed={"A": (0, 0), "C": (0.7, 1.0)}, rigids=[body("ABCD", PLANE, (0.5, 0.4))])
    assert "fixed points 'A' and 'C' are 1.22066 apart, but 1.14018 in the part" in str(caught.value)
