"""Free bodies by Newton and Euler: a label and a few words in, a module out.

d = [−m v̇ + m g + F,  −I ω̇ − ω × I ω + T]        v, g, F in axes of the ground, ω, T in axes of the body
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.errors import did_you_mean, show_value
from linkwork.given import is_word
from linkwork.modular.labelled import Labelled, jacobian
from linkwork.modular.module import Module
from linkwork.modular.names import Names, acceleration, as_label, as_variable, refuse
from linkwork.modular.rotations import Matrix, angular_velocity, rotation, times
from linkwork.modular.rules import Rules
from linkwork.symbolic import ONE, ZERO, Expr, Symbol, add, cos, multiply, sin, symbol

AXES = ("x", "y", "z")
PLANES = ("xy", "yz", "zx", "xz")
SEQUENCE = re.compile(r"([xyz])([xyz])([xyz])(?: euler(?: angles)?)?( redundant)?", re.I)
DIRECTIONS = {f"{sign}{axis}": (k, -1 if sign == "-" else 1) for sign in ("+", "-", "") for k, axis in enumerate(AXES)}
INERTIAS: Mapping[str, tuple[str, ...]] = {
    "spherical": ("I", "I", "I", "", "", ""),
    "cylindrical x": ("Ia", "Ir", "Ir", "", "", ""),
    "cylindrical y": ("Ir", "Ia", "Ir", "", "", ""),
    "cylindrical z": ("Ir", "Ir", "Ia", "", "", ""),
    "central": ("Ix", "Iy", "Iz", "", "", ""),
    "xy plane": ("Ix", "Iy", "Iz", "Ixy", "", ""),
    "xz plane": ("Ix", "Iy", "Iz", "", "Ixz", ""),
    "yz plane": ("Ix", "Iy", "Iz", "", "", "Iyz"),
    "full": ("Ix", "Iy", "Iz", "Ixy", "Ixz", "Iyz"),
}
SHORT = {"s": "spherical", "cx": "cylindrical x", "cy": "cylindrical y", "cz": "cylindrical z", "c": "central"}
SHORT |= {
    "xyz": "central",
    "xy": "xy plane",
    "z": "xy plane",
    "xz": "xz plane",
    "y": "xz plane",
    "yz": "yz plane",
    "x": "yz plane",
}
ORIENTATIONS = ("none", "position", "quaternion", "xyz", "zxz", "xyz redundant")


def newton_euler(
    label: str,
    orientation: str = "none",
    gravity: str | Sequence[Any] = "default",
    inertia: str = "central",
    torque: Sequence[Any] = (0, 0, 0),
    force: Sequence[Any] = (0, 0, 0),
    *,
    inclination: str = "xi",
    plane: str | None = None,
    description: str = "",
) -> Module:
    """A free rigid body. Of body B: v_Bx ... of its mass centre, w_Bx ... in its own axes, mass m_B, inertias Ix_B ...

    orientation   "none": speeds alone; "position": p_Bx too; "quaternion": q_Bx, q_By, q_Bz, q_Bt as well; "zxz" or
                  another sequence of axes: angles psi_B, phi_B, theta_B; "zxz redundant": their rates are speeds, too
    gravity       "-z" and the like, "none", three components, or "default": g along (sin xi, 0, cos xi)
    inertia       spherical, cylindrical x|y|z, central, xy|xz|yz plane, full
    torque        in axes of the body; force in those of the ground
    plane         "xy": a body that moves in this plane, with p_Bx, p_By, theta_B, v_Bx, v_By, w_B and the inertia I_B

    >>> P = newton_euler("P", orientation="position", gravity="-z")
    >>> P.assembled["v_Pz"]
    -m_P*g - m_P*v_Pz'
    """
    name = as_label(label)
    if plane is not None:
        _check_planar(name, orientation, inertia)
        return _planar(name, plane, _gravity(name, gravity, inclination), torque, force, description)
    body = _Body(name, _read_orientation(name, orientation))
    read = Names([*body.all_symbols], body.short, f"body '{name}'").read
    g = tuple(read(e, "gravity") for e in _components(_gravity(name, gravity, inclination), "gravity", name))
    F = tuple(read(e, "force") for e in _components(force, "force", name))
    T = tuple(read(e, "torque") for e in _components(torque, "torque", name))
    return _free(body, inertia_matrix(name, inertia), g, F, T, description)


def _free(body: _Body, J: Matrix, g: Sequence[Expr], F: Sequence[Expr], T: Sequence[Expr], description: str) -> Module:
    """The module of a body in space."""
    m, v, w = symbol(f"m_{body.label}"), body.v, body.w
    Jw, needed = times(J, w), times(J, tuple(map(acceleration, w)))
    gyro = _cross(w, Jw)
    inertias = {s.name: m * acceleration(s) for s in v} | {s.name: needed[k] + gyro[k] for k, s in enumerate(w)}
    applied = {s.name: m * g[k] + F[k] for k, s in enumerate(v)} | {s.name: T[k] for k, s in enumerate(w)}
    return Module(
        label=body.label,
        description=description,
        own_coordinates=body.coordinates,
        own_speeds=body.speeds,
        own_kinematics=body.kinematics,
        definitions=body.definitions,
        own_constraints=body.constraints,
        own_inertia=inertias,
        own_applied=applied,
        own_independent=body.independent,
        kinetic=(m * _dot(v, v) + _dot(w, Jw)) / 2,
        potential=_potential(m, g, body.p),
        own_frames={body.label: body.R} if body.R else {},
        short=body.short,
    )


def _potential(m: Expr, g: Sequence[Expr], p: Sequence[Expr]) -> Expr | None:
    """That of gravity, unless nobody knows where the body is."""
    if not p:
        return ZERO if all(e is ZERO for e in g) else None
    return -m * _dot(g, p)


class _Body:
    """The variables of a body in space."""

    def __init__(self, label: str, words: tuple[str, str, bool]) -> None:
        kind, axes, redundant = words
        self.label = label
        placed = kind != "none"
        self.p = tuple(symbol(f"p_{label}{a}", kind="coordinate") for a in AXES) if placed else ()
        self.v = tuple(symbol(f"v_{label}{a}", kind="speed") for a in AXES)
        self.w = tuple(symbol(f"w_{label}{a}", kind="speed") for a in AXES)
        self.kinematics: dict[Symbol, Expr] = dict(zip(self.p, self.v, strict=True)) if placed else {}
        self.definitions: dict[int, dict[str, Expr]] = {}
        self.constraints: dict[int, dict[str, Expr]] = {}
        self.coordinates, self.speeds = self.p, (*self.v, *self.w)
        self.independent: tuple[str, ...] | None = None
        self.R: Matrix = ()
        turning: tuple[Symbol, ...] = ()
        if kind == "quaternion":
            turning = tuple(symbol(f"q_{label}{a}", kind="coordinate") for a in (*AXES, "t"))
            self._by_quaternion(label, turning)
        elif kind == "angles":
            turning = tuple(symbol(f"{a}_{label}", kind="coordinate") for a in ("psi", "phi", "theta"))
            self._by_angles(label, axes, turning, redundant)
        self.coordinates = (*self.coordinates, *turning)
        letters = {"p": self.p, "v": self.v, "w": self.w}
        self.short = {f"{label}.{k}{a}": s for k, group in letters.items() for a, s in zip(AXES, group, strict=False)}
        self.short |= {f"{label}.{s.name.split('_')[0]}": s for s in turning if kind == "angles"}
        self.short |= {f"{label}.q{s.name[-1]}": s for s in turning if kind == "quaternion"}

    @property
    def all_symbols(self) -> tuple[Symbol, ...]:
        return (*self.coordinates, *self.speeds, *map(acceleration, self.speeds))

    def _by_quaternion(self, label: str, q: tuple[Symbol, ...]) -> None:
        # q̇v = ½ (qt ω + qv × ω),  q̇t = −½ qv·ω,  with ω in axes of the body
        x, y, z, t = q
        vec, w = (x, y, z), self.w
        turned = _cross(vec, w)
        self.kinematics |= {s: (t * w[k] + turned[k]) / 2 for k, s in enumerate(vec)}
        self.kinematics[t] = -_dot(vec, w) / 2
        self.definitions[0] = {f"norm_{label}": x**2 + y**2 + z**2 + t**2 - 1}
        # the same the other way round:  ω = 2 (qt q̇v − q̇t qv − qv × q̇v)
        rates = tuple(symbol(f"{s.name}'", kind="speed") for s in q)
        across = _cross(vec, rates[:3])
        self.definitions[1] = {
            f"turn_{s.name}": s - 2 * (t * rates[k] - rates[3] * vec[k] - across[k]) for k, s in enumerate(w)
        }
        self.R = quaternion_matrix(*q)

    def _by_angles(self, label: str, axes: str, angles: tuple[Symbol, ...], redundant: bool) -> None:
        self.R = rotation(*axes)(*angles)
        rates = {s: symbol(f"{s.name}'", kind="speed") for s in angles}
        w = angular_velocity(self.R, dict(rates))
        spins = {f"turn_{s.name}": s - e for s, e in zip(self.w, w, strict=True)}
        if redundant:
            self.kinematics |= rates
            self.constraints[1] = spins
            self.speeds = (*self.speeds, *rates.values())
            self.independent = tuple(s.name for s in (*self.v, *rates.values()))
            return
        self.definitions[1] = spins
        # ω = W(angles) rates, solved for the rates
        W = jacobian(dict(zip((s.name for s in self.w), w, strict=True)), list(rates.values()))
        found = W.solve(Labelled.identity(W.rows))
        tidy = Rules().simplify
        for angle, rate in rates.items():
            parts = zip(found.columns, found[[rate.name], :].array[0], strict=True)
            self.kinematics[angle] = add(*(tidy(e) * symbol(name, kind="speed") for name, e in parts))


def quaternion_matrix(x: Expr, y: Expr, z: Expr, t: Expr) -> Matrix:
    """The rotation matrix of the unit quaternion t + x i + y j + z k, from axes of the body to those of the ground."""
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - t * z), 2 * (x * z + t * y)),
        (2 * (x * y + t * z), 1 - 2 * (x * x + z * z), 2 * (y * z - t * x)),
        (2 * (x * z - t * y), 2 * (y * z + t * x), 1 - 2 * (x * x + y * y)),
    )


def inertia_matrix(label: str, word: str) -> Matrix:
    """The inertia about the mass centre in axes of the body; products are elements of the matrix."""
    key = str(word).lower().strip()
    key = SHORT.get(key, key)
    if key not in INERTIAS:
        remedy = did_you_mean(key, INERTIAS) or f"Use {', '.join(INERTIAS)}"
        raise refuse(f"body '{label}'", f"no inertia is called {show_value(word)}", remedy)
    x, y, z, xy, xz, yz = (symbol(f"{name}_{label}") if name else ZERO for name in INERTIAS[key])
    return ((x, xy, xz), (xy, y, yz), (xz, yz, z))


def _check_planar(label: str, orientation: Any, inertia: Any) -> None:
    """Words of bodies in space have no meaning in a plane."""
    for what, given, plain in (("orientation", orientation, "none"), ("inertia", inertia, "central")):
        if given != plain:
            words = f"{what} {show_value(given)} of a body in a plane, which has one angle and one inertia"
            raise refuse(f"body '{label}'", words, f"Leave {what} out, or plane")


def _planar(label: str, plane: str, gravity: Sequence[Any], torque: Any, force: Any, description: str) -> Module:
    """A body that moves in a plane and turns about its normal."""
    if not is_word(plane, PLANES):
        raise refuse(f"body '{label}'", f"no plane is called {show_value(plane)}", "Use xy, yz or xz")
    axes = tuple(plane)
    p = tuple(symbol(f"p_{label}{a}", kind="coordinate") for a in axes)
    v = tuple(symbol(f"v_{label}{a}", kind="speed") for a in axes)
    theta, w = symbol(f"theta_{label}", kind="coordinate"), symbol(f"w_{label}", kind="speed")
    short = {f"{label}.{k}{a}": s for k, group in (("p", p), ("v", v)) for a, s in zip(axes, group, strict=True)}
    short |= {f"{label}.theta": theta, f"{label}.w": w}
    read = Names([*p, *v, theta, w], short, f"body '{label}'").read
    within = [gravity[AXES.index(a)] for a in axes] if len(gravity) == 3 else gravity
    g = tuple(read(e, "gravity") for e in _components(within, "gravity", label, 2))
    F = tuple(read(e, "force") for e in _in_plane(force, label))
    T = read(_about_normal(torque, label), "torque")
    m, J, c, s = symbol(f"m_{label}"), symbol(f"I_{label}"), cos(theta), sin(theta)
    return Module(
        label=label,
        description=description,
        own_coordinates=(*p, theta),
        own_speeds=(*v, w),
        own_kinematics={**dict(zip(p, v, strict=True)), theta: w},
        own_inertia={s.name: m * acceleration(s) for s in v} | {w.name: J * acceleration(w)},
        own_applied={s.name: m * g[k] + F[k] for k, s in enumerate(v)} | {w.name: T},
        kinetic=(m * _dot(v, v) + J * w**2) / 2,
        potential=-m * _dot(g, p),
        own_frames={label: ((c, -s), (s, c))},
        short=short,
    )


def _in_plane(force: Any, label: str) -> Sequence[Any]:
    """Two components; no force may be told by three zeros."""
    found = _listed(force)
    if found is not None and len(found) == 3 and not any(map(_is_given, found)):
        return (0, 0)
    return _components(force, "force", label, 2)


def _about_normal(torque: Any, label: str) -> Any:
    """A formula, or the last of three components, the others zero."""
    found = _listed(torque)
    if found is None:
        return torque
    if len(found) not in (1, 3) or any(map(_is_given, found[:-1])):
        what = f"torque: {show_value(torque)} is not about the normal of a plane"
        raise refuse(f"body '{label}'", what, "Give one formula")
    return found[-1]


def _is_given(component: Any) -> bool:
    return not (isinstance(component, int | float) and component == 0)


def _read_orientation(label: str, given: Any) -> tuple[str, str, bool]:
    word = " ".join(str(given).lower().split())
    if word in ("none", "quaternion"):
        return word, "", False
    if word in ("position", "position only"):
        return "position", "", False
    found = SEQUENCE.fullmatch(word)
    if found is None:
        remedy = did_you_mean(word, ORIENTATIONS) or f"Use {', '.join(ORIENTATIONS)} or another sequence of axes"
        raise refuse(f"body '{label}'", f"no orientation is called {show_value(given)}", remedy)
    axes = "".join(found.group(1, 2, 3))
    if axes[0] == axes[1] or axes[1] == axes[2]:
        remedy = "Neighbours must differ, as in zxz or xyz"
        raise refuse(f"body '{label}'", f"turns about {axes} are two, not three", remedy)
    return "angles", axes, found.group(4) is not None


def _gravity(label: str, given: Any, inclination: str) -> tuple[Any, ...]:
    g = symbol("g")
    if isinstance(given, str):
        word = given.lower().strip()
        if word == "none":
            return ZERO, ZERO, ZERO
        if word == "default":
            xi = symbol(as_variable(inclination, f"body '{label}': inclination"))
            return g * sin(xi), ZERO, g * cos(xi)
        if word not in DIRECTIONS:
            known = ["default", "none", *DIRECTIONS]
            remedy = did_you_mean(word, known) or "Use +x ... -z, none, default or three components"
            raise refuse(f"body '{label}'", f"no gravity is called {show_value(given)}", remedy)
        k, sign = DIRECTIONS[word]
        return tuple(multiply(ONE * sign, g) if i == k else ZERO for i in range(3))
    found = _listed(given)
    if found is None or len(found) not in (2, 3):
        what = f"gravity: {show_value(given)} has not three components"
        raise refuse(f"body '{label}'", what, "Give three, two in a plane, or a word such as -z")
    return found


def _components(given: Any, what: str, label: str, count: int = 3) -> Sequence[Any]:
    found = _listed(given)
    if found is None or len(found) != count:
        number = {2: "two", 3: "three"}[count]
        raise refuse(f"body '{label}'", f"{what}: {show_value(given)} has not {number} components", f"Give {number}")
    return found


def _listed(given: Any) -> tuple[Any, ...] | None:
    """Components in a list, a tuple or an array."""
    if isinstance(given, np.ndarray) and given.ndim == 1:
        return tuple(given.tolist())
    return tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else None


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    return add(*(x * y for x, y in zip(a, b, strict=True)))


def _cross(a: Sequence[Expr], b: Sequence[Expr]) -> tuple[Expr, ...]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
