"""Larger mechanisms composed of body models: each a module, its parameters and where it starts."""

from fractions import Fraction

import numpy as np
from scipy.spatial.transform import Rotation

from linkwork import modular as md
from linkwork.modular.rotations import times
from linkwork.symbolic import Number, symbol


def end(label, side, half="h"):
    """The place of one end of a planar rod, in words."""
    sign = "+" if side > 0 else "-"
    return [f"p_{label}{a} {sign} {half}_{label}*{f}(theta_{label})" for a, f in (("x", "cos"), ("y", "sin"))]


def pinned(name, first, second):
    """Two places are one."""
    return {f"{name} {a}": f"{p} - ({q})" for a, p, q in zip("xy", first, second, strict=True)}


def rod_values(labels, lengths, places, angles):
    """Parameters and start of planar rods whose first ends and angles are known."""
    parameters, start = {"g": 9.81}, {}
    for label, length, place, angle in zip(labels, lengths, places, angles, strict=True):
        h = length / 2
        parameters |= {f"h_{label}": h, f"m_{label}": length, f"I_{label}": length**3 / 12}
        start |= {f"p_{label}x": place[0] + h * np.cos(angle), f"p_{label}y": place[1] + h * np.sin(angle)}
        start[f"theta_{label}"] = angle
    return parameters, start


def circles(p, q, r, s, side=1):
    """Where a circle of radius r about p meets one of radius s about q."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    d = np.linalg.norm(q - p)
    a = (d**2 + r**2 - s**2) / (2 * d)
    e = (q - p) / d
    return p + a * e + side * np.sqrt(r**2 - a**2) * np.array([-e[1], e[0]])


def angle(p, q):
    return float(np.arctan2(q[1] - p[1], q[0] - p[0]))


def five_bar():
    """Two cranks on the ground, two couplers that meet: two freedoms."""
    bodies = [md.newton_euler(n, plane="xy", gravity="-y") for n in "1234"]
    left, right = (np.array([-0.5, 0.0]), np.array([0.5, 0.0]))
    rows = pinned("A", end("1", -1), ["-d", "0"]) | pinned("B", end("2", -1), ["d", "0"])
    rows |= pinned("C", end("3", -1), end("1", 1)) | pinned("D", end("4", -1), end("2", 1))
    rows |= pinned("E", end("3", 1), end("4", 1))
    module = md.compose("five", bodies, constraints={0: rows})
    elbows = left + 0.8 * np.array([np.cos(2.0), np.sin(2.0)]), right + 0.8 * np.array([np.cos(1.0), np.sin(1.0)])
    tip = circles(*elbows, 1.1, 1.1)
    parameters, start = rod_values(
        "1234", (0.8, 0.8, 1.1, 1.1), (left, right, *elbows), (2.0, 1.0, angle(elbows[0], tip), angle(elbows[1], tip))
    )
    return module, parameters | {"d": 0.5}, start, 2


def three_rrr():
    """A platform on three legs of two rods: three freedoms. One leg is a module, used three times."""
    upper, lower = (md.newton_euler(n, plane="xy", gravity="-y") for n in "ab")
    leg = md.compose("leg", [upper, lower], constraints={0: pinned("knee", end("b", -1, "h"), end("a", 1, "h"))})
    legs = [leg.copy(str(k)) for k in range(3)]
    platform = md.newton_euler("P", plane="xy", gravity="-y")
    rows, start, half = {}, {"p_Px": 0.0, "p_Py": 0.0, "theta_P": 0.1}, 0.5
    for k in range(3):
        turn = 2 * np.pi * k / 3
        base = 1.5 * np.array([np.cos(turn), np.sin(turn)])
        hip = [f"p_a{k}{a} - h*{f}(theta_a{k})" for a, f in (("x", "cos"), ("y", "sin"))]
        foot = [f"p_b{k}{a} + h*{f}(theta_b{k})" for a, f in (("x", "cos"), ("y", "sin"))]
        corner = [f"p_P{a} + r*{f}(theta_P + turn{k})" for a, f in (("x", "cos"), ("y", "sin"))]
        rows |= pinned(f"hip{k}", hip, [f"x{k}", f"y{k}"]) | pinned(f"foot{k}", foot, corner)
        end_ = 0.4 * np.array([np.cos(0.1 + turn), np.sin(0.1 + turn)])
        knee = circles(base, end_, 2 * half, 2 * half)
        for label, p, q in (("a", base, knee), ("b", knee, end_)):
            way = angle(p, q)
            start |= {
                f"p_{label}{k}x": (p[0] + q[0]) / 2,
                f"p_{label}{k}y": (p[1] + q[1]) / 2,
                f"theta_{label}{k}": way,
            }
    module = md.compose("rrr", [platform, *legs], constraints={0: rows})
    parameters = {"g": 9.81, "h": half, "h_a": half, "h_b": half, "r": 0.4}
    parameters |= {"m_a": 1.0, "I_a": 0.1, "m_b": 0.8, "I_b": 0.08, "m_P": 2.0, "I_P": 0.3}
    for k in range(3):
        turn = 2 * np.pi * k / 3
        parameters |= {f"turn{k}": turn, f"x{k}": 1.5 * np.cos(turn), f"y{k}": 1.5 * np.sin(turn)}
    return module, parameters, start, 3


def delta():
    """A platform that three arms carry by parallelograms, each told as a distance: three freedoms."""
    platform = md.compose(
        "top",
        md.newton_euler("P", orientation="position", gravity="-z", inertia="spherical"),
        constraints={1: {f"w{x}": f"w_P{x}" for x in "xyz"}},
    )
    arm = md.compose(
        "arm",
        md.newton_euler("A", orientation="position", gravity="-z"),
        coordinates="angle reach",
        constraints={
            0: {"out": "reach - b - a/2*cos(angle)", "down": "p_Az + a/2*sin(angle)"},
            1: {"wx": "w_Ax", "wy": "w_Ay - angle'", "wz": "w_Az"},
        },
    )
    arms = [arm.copy(str(k)) for k in range(3)]
    rows = {}
    for k in range(3):
        c, s = f"cos(turn{k})", f"sin(turn{k})"
        rows |= {f"x{k}": f"p_A{k}x - {c}*reach{k}", f"y{k}": f"p_A{k}y - {s}*reach{k}"}
        out = f"(b - e + a*cos(angle{k}))"
        elbow = f"{c}*{out}", f"{s}*{out}", f"-a*sin(angle{k})"
        rows[f"rod{k}"] = " + ".join(f"(p_P{x} - ({y}))**2" for x, y in zip("xyz", elbow, strict=True)) + " - l**2"
    module = md.compose("delta", [platform, *arms], constraints={0: rows})
    parameters = {"a": 0.3, "b": 0.2, "e": 0.05, "l": 0.8, "g": 9.81, "m_P": 0.5, "I_P": 0.01, "m_A": 0.4}
    parameters |= {"Ix_A": 0.001, "Iy_A": 0.004, "Iz_A": 0.004} | {f"turn{k}": 2 * np.pi * k / 3 for k in range(3)}
    down = {"p_Px": 0.0, "p_Py": 0.0, "p_Pz": -0.3 * np.sin(0.4) - np.sqrt(0.64 - (0.15 + 0.3 * np.cos(0.4)) ** 2)}
    start = down | {f"angle{k}": 0.4 for k in range(3)} | {f"reach{k}": 0.2 + 0.15 * np.cos(0.4) for k in range(3)}
    for k in range(3):
        out, turn = 0.2 + 0.15 * np.cos(0.4), 2 * np.pi * k / 3
        start |= {f"p_A{k}x": out * np.cos(turn), f"p_A{k}y": out * np.sin(turn), f"p_A{k}z": -0.15 * np.sin(0.4)}
    return module, parameters, start, 3


def vehicle():
    """A car body on four equal suspensions: one module, used four times."""
    body = md.newton_euler("C", plane="xz", gravity="-z")
    wheel = md.newton_euler("W", plane="xz", gravity="-z")
    hub = {1: {"turn": "w_W"}}
    corner = md.compose(
        "S", wheel, coordinates="s", constraints=hub, forces={"s'": "-k*(s - rest) - c*s'", "v_Wz": "-kt*(p_Wz - r)"}
    )
    corners = [corner.copy(str(n)) for n in range(4)]
    rows = {}
    for n in range(4):
        x = "a" if n < 2 else "-b"
        rows[f"{n}x"] = f"p_W{n}x - p_Cx - ({x})*cos(theta_C) - s{n}*sin(theta_C)"
        rows[f"{n}z"] = f"p_W{n}z - p_Cz - ({x})*sin(theta_C) + s{n}*cos(theta_C)"
    module = md.compose("car", [body, *corners], constraints={0: rows})
    parameters = {"m_C": 1200.0, "I_C": 1800.0, "m_W": 40.0, "I_W": 1.0, "k": 25e3, "c": 1500.0, "kt": 2e5, "g": 9.81}
    parameters |= {"a": 1.2, "b": 1.4, "r": 0.3, "rest": 0.5}
    start = {"p_Cx": 0.0, "p_Cz": 0.65, "theta_C": 0.0}
    for n in range(4):
        start |= {f"s{n}": 0.35, f"p_W{n}x": 1.2 if n < 2 else -1.4, f"p_W{n}z": 0.3}
    return module, parameters, start, 7


CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)


def bricard():
    """Six rods along edges of a cube on six hinges, the last rod at rest: one freedom, of constraints that say more."""
    ways = [CUBE[(k + 1) % 6] - CUBE[k] for k in range(6)]
    bodies = [md.newton_euler(str(k), orientation="quaternion", gravity="-y") for k in range(5)]
    frames = {str(k): bodies[k].frames[str(k)] for k in range(5)}
    rows, parameters, start = {}, {"g": 9.81}, {}
    for k in range(5):
        centre = (CUBE[k] + CUBE[k + 1]) / 2
        start |= {f"p_{k}{x}": c for x, c in zip("xyz", centre, strict=True)} | {f"q_{k}{x}": 0.0 for x in "xyz"}
        start[f"q_{k}t"] = 1.0
        parameters |= {f"I{x}_{k}": 1 / 12 if w == 0 else 0.0 for x, w in zip("xyz", ways[k], strict=True)}
        parameters[f"m_{k}"] = 1.0
    for k in range(6):
        axis = np.cross(ways[k - 1], ways[k])
        for name, place in (("at", CUBE[k]), ("along", CUBE[k] + axis)):
            one, two = (_point(frames, (k - 1) % 6, place), _point(frames, k, place))
            rows |= {f"hinge{k} {name} {x}": a - b for x, a, b in zip("xyz", one, two, strict=True)}
    rows = {name: e for name, e in rows.items() if not isinstance(e, float)}
    module = md.compose("bricard", bodies, constraints={0: rows}, how="least squares")
    return module, parameters, start, 1


HINGES = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)  # at the ends of the rods


def bricard_pose(state):
    """The coordinates of the rods of free bodies where those of the file are, which begin along the cube.

    Marks U ... Y of the file tell where hinges point, also where rods are in line with each other.
    """
    start, points = {}, [CUBE[0], *(state[name] for name in "ABCD"), CUBE[5]]
    for k, mark in enumerate("UVWXY"):
        R = _axes(points[k + 1] - points[k], state[mark] - points[k]) @ _axes(CUBE[k + 1] - CUBE[k], HINGES[k]).T
        turn = Rotation.from_matrix(R).as_quat()
        start |= {f"p_{k}{x}": float(c) for x, c in zip("xyz", (points[k] + points[k + 1]) / 2, strict=True)}
        start |= {f"q_{k}{x}": float(c) for x, c in zip("xyzt", turn, strict=True)}
    return start


def _axes(along, hinge):
    """The directions of a rod, of the hinge at its end, and of what is normal to both."""
    hinge = hinge / np.linalg.norm(hinge)
    return np.column_stack([along, hinge, np.cross(along, hinge)])


def _point(frames, k, place):
    """A point of rod k that is at a place at the start."""
    if k == 5:
        return [Number(Fraction(float(x))) for x in place]
    centre = (CUBE[k] + CUBE[k + 1]) / 2
    offset = [Number(Fraction(float(x))) for x in place - centre]
    turned = times(frames[str(k)], offset)
    return [symbol(f"p_{k}{x}", kind="coordinate") + e for x, e in zip("xyz", turned, strict=True)]


def planar_chain(n):
    """Rods in a plane, each pinned to the one before, level at the start: module, parameters and start."""
    rods = [md.newton_euler(str(k), plane="xy", gravity="-y") for k in range(1, n + 1)]
    rows, start = {}, {}
    for k in range(1, n + 1):
        for a, f in (("x", "cos"), ("y", "sin")):
            before = f" - p_{k - 1}{a} - h*{f}(theta_{k - 1})" if k > 1 else ""
            rows[f"{k}{a}"] = f"p_{k}{a} - h*{f}(theta_{k}){before}"
        start |= {f"p_{k}x": 0.05 * (2 * k - 1), f"p_{k}y": 0.0, f"theta_{k}": 0.0}
    values = {"h": 0.05, "g": 9.81} | {f"{p}_{k}": x for p, x in (("m", 0.1), ("I", 1e-4)) for k in range(1, n + 1)}
    return md.compose("chain", rods, constraints={0: rows}), values, start


def spatial_chain(n):
    """Bodies in space on ball joints, level at the start, the last one thrown sideways."""
    bodies = [md.newton_euler(str(k), orientation="quaternion", gravity="-z") for k in range(1, n + 1)]
    rows, start, values, before = {}, {}, {"h": 0.05, "g": 9.81}, [Number(0)] * 3
    for k, body in enumerate(bodies, 1):
        values |= {f"m_{k}": 0.1, f"Ix_{k}": 3e-5, f"Iy_{k}": 1e-4, f"Iz_{k}": 1.2e-4}
        half = [row[0] * symbol("h") for row in body.frames[str(k)]]
        for x, one, other in zip("xyz", half, before, strict=True):
            rows[f"{k}{x}"] = symbol(f"p_{k}{x}") - one - other - (symbol(f"p_{k - 1}{x}") if k > 1 else 0)
        before = half
        start |= {f"p_{k}x": 0.05 * (2 * k - 1), f"p_{k}y": 0.0, f"p_{k}z": 0.0, f"q_{k}t": 1.0}
        start |= {f"q_{k}{x}": 0.0 for x in "xyz"} | {f"w_{k}{x}": 0.0 for x in "xyz"}
    start |= {f"w_{n}z": 2.0, f"v_{n}y": 0.1, f"v_{n}x": 0.0, f"v_{n}z": 0.0}
    return md.compose("chain", bodies, constraints={0: rows}), values, start
