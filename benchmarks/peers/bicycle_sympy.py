"""Whipple's bicycle by SymPy's KanesMethod, derived and linearised: the seconds of both, the eigenvalues at 5 m/s.

python benchmarks/peers/bicycle_sympy.py

Yaw, lean and pitch of the rear frame and the steer angle are coordinates; the rear wheel rolls by the choice of its
velocity, the front wheel by three velocity constraints and the height of its contact. Symbols are numbers only at last.
"""

from __future__ import annotations

import time

import sympy as sp
import sympy.physics.mechanics as me

VALUES = {
    "w": 1.02, "c": 0.08, "lam": sp.pi / 10, "g": 9.81, "rR": 0.3, "mR": 2, "IRxx": 0.0603, "IRyy": 0.12, "xB": 0.3,
    "zB": 0.9, "mB": 85, "IBxx": 9.2, "IByy": 11, "IBzz": 2.8, "IBxz": -2.4, "xH": 0.9, "zH": 0.7, "mH": 4,
    "IHxx": 0.05892, "IHyy": 0.06, "IHzz": 0.00708, "IHxz": 0.00756, "rF": 0.35, "mF": 3, "IFxx": 0.1405, "IFyy": 0.28,
}  # fmt: skip
SPEED = 5.0


class Bicycle:
    """The model in the making: z is up, x forward."""

    def __init__(self) -> None:
        self.p = {name: sp.Symbol(name) for name in VALUES}
        self.q = me.dynamicsymbols("yaw lean pitch steer")
        self.u = me.dynamicsymbols("u_yaw u_lean u_pitch u_steer u_rear u_front")
        self.N = me.ReferenceFrame("N")
        self.bodies: list[me.RigidBody] = []

    def frames(self) -> None:
        p, (yaw, lean, pitch, steer) = self.p, self.q
        rates = dict(zip([x.diff() for x in self.q], self.u, strict=False))
        turned = self.N.orientnew("Y", "Axis", [yaw, self.N.z])
        self.leaned = turned.orientnew("L", "Axis", [lean, turned.x])
        self.frame = self.leaned.orientnew("F", "Axis", [pitch, self.leaned.y])
        head = self.frame.orientnew("H", "Axis", [-p["lam"], self.frame.y])
        self.head = head.orientnew("S", "Axis", [steer, head.z])
        self.fork = self.head.orientnew("K", "Axis", [p["lam"], self.head.y])
        w = (self.u[0] * self.N.z + self.u[1] * turned.x + self.u[2] * self.leaned.y).express(self.frame)
        self.frame.set_ang_vel(self.N, w)
        self.head.set_ang_vel(self.N, w + self.u[3] * head.z)
        self.fork.set_ang_vel(self.N, w + self.u[3] * head.z)
        self.rates = [x - v for x, v in rates.items()]

    def wheels(self) -> None:
        """Wheels as frames of their own that need no angle: round bodies look alike from all sides."""
        self.rear, self.front = me.ReferenceFrame("RW"), me.ReferenceFrame("FW")
        self.rear.orient_axis(self.frame, self.frame.y, 0)
        self.rear.set_ang_vel(self.N, self.frame.ang_vel_in(self.N) + self.u[4] * self.frame.y)
        self.front.orient_axis(self.fork, self.fork.y, 0)
        self.front.set_ang_vel(self.N, self.fork.ang_vel_in(self.N) + self.u[5] * self.fork.y)

    def places(self) -> None:
        p, N, F = self.p, self.N, self.frame
        xs, hs = p["w"] + p["c"], 0
        self.hub = me.Point("hub")
        self.hub.set_vel(N, self.rear.ang_vel_in(N).cross(p["rR"] * self.leaned.z))
        self.centre = self.hub.locatenew("B", p["xB"] * F.x + (p["zB"] - p["rR"]) * F.z)
        self.centre.v2pt_theory(self.hub, N, F)
        # where the steer axis meets the ground
        at = self.hub.locatenew("head", xs * F.x + (hs - p["rR"]) * F.z)
        at.v2pt_theory(self.hub, N, F)
        K = self.fork
        self.handle = at.locatenew("H", (p["xH"] - xs) * K.x + p["zH"] * K.z)
        self.handle.v2pt_theory(at, N, K)
        self.axle = at.locatenew("axle", (p["w"] - xs) * K.x + p["rF"] * K.z)
        self.axle.v2pt_theory(at, N, K)

    def contact(self) -> tuple[list[sp.Expr], sp.Expr]:
        """The velocity of the front contact, and its height above the rear one."""
        N, y = self.N, self.fork.y
        up = (N.z - y.dot(N.z) * y).normalize()
        down = -self.p["rF"] * up
        v = self.axle.vel(N) + self.front.ang_vel_in(N).cross(down)
        height = (self.p["rR"] * self.leaned.z + self.axle.pos_from(self.hub) + down).dot(N.z)
        return [v.dot(axis) for axis in N], height

    def derive(self) -> me.KanesMethod:
        self.frames()
        self.wheels()
        self.places()
        p, N = self.p, self.N
        inertias = [
            (self.hub, self.frame, self.rear, "mR", (p["IRxx"], p["IRyy"], p["IRxx"])),
            (self.centre, self.frame, self.frame, "mB", (p["IBxx"], p["IByy"], p["IBzz"], 0, 0, p["IBxz"])),
            (self.handle, self.fork, self.fork, "mH", (p["IHxx"], p["IHyy"], p["IHzz"], 0, 0, p["IHxz"])),
            (self.axle, self.fork, self.front, "mF", (p["IFxx"], p["IFyy"], p["IFxx"])),
        ]
        for centre, axes, frame, mass, entries in inertias:
            dyadic = me.inertia(axes, *entries)
            self.bodies.append(me.RigidBody(f"of {mass}", centre, frame, p[mass], (dyadic, centre)))
        loads = [(body.masscenter, -body.mass * p["g"] * N.z) for body in self.bodies]
        velocities, height = self.contact()
        yaw, lean, pitch, steer = self.q
        u_yaw, u_lean, u_pitch, u_steer, u_rear, u_front = self.u
        kane = me.KanesMethod(
            N, q_ind=[yaw, lean, steer], q_dependent=[pitch], configuration_constraints=[height],
            u_ind=[u_lean, u_steer, u_rear], u_dependent=[u_yaw, u_pitch, u_front], velocity_constraints=velocities,
            kd_eqs=self.rates,
        )  # fmt: skip
        kane.kanes_equations(self.bodies, loads)
        return kane

    def linearize(self, kane: me.KanesMethod) -> sp.Matrix:
        """A of x' = A x about riding straight on."""
        riding = dict.fromkeys((*self.q, *self.u, *(x.diff() for x in (*self.q, *self.u))), 0)
        riding |= {self.u[4]: SPEED / VALUES["rR"], self.u[5]: SPEED / VALUES["rF"]}
        values = {self.p[name]: x for name, x in VALUES.items()}
        A, _ = kane.to_linearizer().linearize(op_point=[riding, values], A_and_B=True)
        return A


def main() -> None:
    begin = time.process_time()
    bicycle = Bicycle()
    kane = bicycle.derive()
    derived = time.process_time() - begin
    print(f"derived in {derived:.1f} s", flush=True)
    begin = time.process_time()
    A = bicycle.linearize(kane)
    print(f"linearised in {time.process_time() - begin:.1f} s", flush=True)
    print("eigenvalues", sorted((complex(x) for x in sp.Matrix(A).evalf().eigenvals()), key=lambda x: x.real))


if __name__ == "__main__":
    main()
