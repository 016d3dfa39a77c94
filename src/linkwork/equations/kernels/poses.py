"""Kernels of parts that are carried by their poses: Newton's and Euler's equations.

A pose tells where a point p of the part is: the mass centre or, in space, a fixed point that the part turns about,
whose equations nobody asks for and about which its inertia is; its weight is at p + R c. So p and R never act on each
other, and the mass matrix is constant; what a body does besides is the business of laws and joints.
"""

from __future__ import annotations

from types import SimpleNamespace

from linkwork.equations.kernel import Contribution, Kernel, accelerations, kernel
from linkwork.equations.kinematics import PlanePose, SpacePose
from linkwork.symbolic.vector import Vector, cross, dot

GRAVITY = "gx gy gz"
_PLANE, _SPACE = PlanePose(""), SpacePose("")


@kernel(" ".join(_PLANE.coordinates), "mass inertia gx gy", " ".join(_PLANE.followers))
def plane_pose(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """T = ½ m |ṗ|² + ½ I ω², with its weight at the mass centre."""
    return Contribution(
        kinetic=(p.mass * (u.x**2 + u.y**2) + p.inertia * u.turn**2) / 2,
        potential={"gravity": -p.mass * (p.gx * q.x + p.gy * q.y)},
        kinematics=_PLANE.rates,
    )


@kernel(" ".join(_SPACE.coordinates), f"mass ixx iyy izz ixy ixz iyz cx cy cz {GRAVITY}", " ".join(_SPACE.followers))
def space_pose(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """Newton and Euler: m p̈ = m g,  J ω̇ + ω × J ω = c × Rᵀ m g, in the axes of the body."""
    a = accelerations(u)
    J = ((p.ixx, p.ixy, p.ixz), (p.ixy, p.iyy, p.iyz), (p.ixz, p.iyz, p.izz))
    w, turning = Vector((u.wx, u.wy, u.wz)), Vector((a.wx, a.wy, a.wz))
    momentum, change = (Vector(dot(row, v) for row in J) for v in (w, turning))
    torque = change + cross(w, momentum)
    return Contribution(
        kinetic=(p.mass * (u.x**2 + u.y**2 + u.z**2) + dot(w, momentum)) / 2,
        balance={
            **{axis: p.mass * getattr(a, axis) for axis in "xyz"},
            **dict(zip(("wx", "wy", "wz"), torque, strict=True)),
        },
        potential={"gravity": -p.mass * dot((p.gx, p.gy, p.gz), _SPACE.place((p.cx, p.cy, p.cz)))},
        kinematics=_SPACE.rates,
    )


BODY: dict[int, Kernel] = {2: plane_pose, 3: space_pose}
