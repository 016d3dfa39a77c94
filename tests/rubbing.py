"""Random machines with dry friction and all that makes it stick, slide and turn: texts of files, by seed.

Blocks on rails with springs, stops, ratchets, belts, servos and locks; cranks with pistons, driven and free; gears; in
space pendulums and sleeves.
"""

import numpy as np

UNTIL = 1.5


def machine(seed):
    """The text of a machine."""
    rng = np.random.default_rng([29, seed])
    return [blocks, crank, gears, blocks, crank, spinning][seed % 6](rng)


def number(rng, low, high):
    """A number that reads well."""
    return round(float(rng.uniform(low, high)), 3)


def maybe(rng, share=0.5):
    return bool(rng.random() < share)


def friction(rng, speed, most=6.0):
    """One friction along a speed: sometimes it holds more than it brakes, sometimes it is next to nothing."""
    limit = 0.0 if maybe(rng, 0.05) else number(rng, 0.2, most)
    hold = f", hold: {round(limit * 1.4, 3)}" if maybe(rng, 0.25) else ""
    return f"{{speed: {speed}, limit: {limit}{hold}}}"


def blocks(rng):
    """Blocks on a rail, coupled and pulled; what holds them, stops them, moves their floor or locks them."""
    n = int(rng.integers(1, 4))
    names = [f"A{i}" for i in range(n)]
    places = np.cumsum(rng.uniform(0.5, 1.0, n)).round(3).tolist()
    frictions, forces, relations = {}, {}, {}
    for i, name in enumerate(names):
        relations[f"rail{i}"] = f"{name}.y"
        pull = [f"{number(rng, -9, 9)}*sin({number(rng, 1, 9)}*t + {number(rng, 0, 3)})"]
        pull += [f"{number(rng, 10, 80)}*({places[i]} - {name}.x)"] if maybe(rng) else []
        pull += [f"-{number(rng, 0.1, 2)}*{name}.vx"] if maybe(rng, 0.3) else []
        if i and maybe(rng, 0.7):
            k, other = number(rng, 10, 80), names[i - 1]
            gap = round(places[i] - places[i - 1], 3)
            pull += [f"-{k}*({name}.x - {other}.x - {gap})"]
            forces[other] += f" + {k}*({name}.x - {other}.x - {gap})"
        forces[name] = " + ".join(pull)
        belt = f" - {number(rng, -1, 1)}*{'cos(3*t)' if maybe(rng) else '1'}" if maybe(rng, 0.3) else ""
        for j in range(int(rng.integers(1, 3))):
            frictions[f"f{i}{j}"] = friction(rng, f"{name}.vx{belt}")
        if i and maybe(rng, 0.4):
            frictions[f"g{i}"] = friction(rng, f"{name}.vx - {names[i - 1]}.vx")
    stops, events, controllers, inputs, motions = {}, {}, {}, {}, {}
    if maybe(rng):
        e = number(rng, 0, 0.8) if maybe(rng) else 0
        stops["wall"] = f"{{gap: {places[-1] + number(rng, 0.01, 0.2):.3f} - {names[-1]}.x, restitution: {e}}}"
    if n > 1 and maybe(rng, 0.3):
        stops["bump"] = f"{{gap: {names[1]}.x - {names[0]}.x - 0.3, restitution: {number(rng, 0, 1)}}}"
    if maybe(rng, 0.2):
        stops["ratchet"] = f"{{speed: {names[0]}.vx}}"
    if maybe(rng, 0.3):
        inputs["P"] = 0
        forces[names[0]] += " + P"
        events["push"] = f"{{when: t - {number(rng, 0.2, 1)}, then: {{P: {number(rng, -12, 12)}}}}}"
    if maybe(rng, 0.4):
        period, gain = number(rng, 0.05, 0.2), number(rng, 5, 30)
        law = f"{gain}*({places[0]} + 0.1*sin(4*t) - {names[0]}.x) - 2*{names[0]}.vx"
        controllers["servo"] = f"{{kind: sampled, period: {period}, outputs: {{S: '{law}'}}}}"
        forces[names[0]] += " + S"
    if maybe(rng, 0.3):
        i = int(rng.integers(n))
        motions[f"{names[i]}.x"] = f"{places[i]} + {number(rng, 0.05, 0.3)}*sin({number(rng, 2, 9)}*t)"
        stops.pop("wall" if i == n - 1 else "bump", None)
        if i < 2:
            stops.pop("bump", None)
        if i == 0:
            stops.pop("ratchet", None)
    speeds = {name: [0 if name + ".x" in motions or maybe(rng) else number(rng, -1, 1), 0] for name in names}
    return write(
        {"Particles": {name: number(rng, 0.3, 3) for name in names}},
        {"Relations": relations, "Stops": stops},
        {"Forces": {name: f"['{law}', 0]" for name, law in forces.items()}, "Friction": frictions},
        {name: [x, 0] for name, x in zip(names, places, strict=True)},
        {name: v for name, v in speeds.items() if name + ".x" not in motions and "ratchet" not in stops},
        Motions=motions,
        Events=events,
        Controllers=controllers,
        Inputs=inputs,
    )


def crank(rng):
    """A crank and a piston that rubs in its guide, bearings that rub, a spring: driven, or free with some speed."""
    a, b = number(rng, 0.1, 0.3), number(rng, 0.5, 0.9)
    start, speed = number(rng, 0.3, 2.8), number(rng, 2, 12)
    driven = maybe(rng)
    frictions = {"guide": friction(rng, "g.speed", 8)}
    if maybe(rng):
        frictions["other"] = friction(rng, "g.speed", 3)
    for name in ("h0", "h1", "h2"):
        if maybe(rng, 0.3):
            frictions[name + "rub"] = friction(rng, f"{name}.omega", 0.5)
    x = a * np.cos(start) + np.sqrt(b**2 - (a * np.sin(start)) ** 2)
    k, m1, m2 = number(rng, 0, 60), number(rng, 0.5, 2), number(rng, 0.2, 1)
    text = f"""
Bodies:
  world: {{frames: {{o: []}}}}
  wheel: {{mass: {m1}, inertia: {number(rng, 0.01, 0.1)}, centre: [{a / 2}], frames: {{o: [], p: [{a}]}}}}
  rod: {{mass: {m2}, inertia: {number(rng, 0.005, 0.05)}, centre: [{b / 2}], frames: {{o: [], p: [{b}]}}}}
  pis: {{mass: {number(rng, 0.2, 1)}, inertia: 1, frames: {{c: []}}}}
Connections: {{Joints: {{h0: {{kind: revolute, frames: [world.o, wheel.o]}},
  h1: {{kind: revolute, frames: [wheel.p, rod.o]}}, h2: {{kind: revolute, frames: [rod.p, pis.c]}},
  g: {{kind: translational, frames: [world.o, pis.c]}}}}}}
"""
    if driven:
        law = [f"{start} + {speed}*t", f"{start} + {number(rng, 0.5, 4)}*sin({number(rng, 1, 5)}*t)"][int(maybe(rng))]
        text += f"Motions: {{h0.angle: {law}}}\n"
    text += f"AppliedForces: {{Efforts: {{g.travel: {k}*({round(x, 3)} - g.travel)}}, Friction: {inner(frictions)}}}\n"
    p = [float(a * np.cos(start)), float(a * np.sin(start))]
    pin = p if driven else f"[[{p[0]}, fixed], {p[1]}]"
    text += f"ProblemData: {{tend: {UNTIL}, positions: {{wheel.p: {pin}, pis.c: [{x}, 0]}}"
    if not driven:
        text += f", velocities: {{wheel.p: [[{-p[1] * speed}, fixed], {p[0] * speed}]}}"
    return text + "}\n"


def gears(rng):
    """Two wheels that mesh or slip through a clutch, on shafts that rub, under a torque that swings."""
    i, n = number(rng, -3, 3) or 1.0, int(rng.integers(1, 3))
    relations = {"mesh": f"p1.omega - {i}*p0.omega"} if maybe(rng) else {}
    frictions = {f"r{k}": friction(rng, f"p{k}.omega", 2) for k in range(2)}
    frictions |= {f"s{k}": friction(rng, f"p{k}.omega", 1) for k in range(n - 1)}
    if not relations:
        frictions["clutch"] = friction(rng, f"p1.omega - {i}*p0.omega", 3)
    motions = {"p0.angle": f"{number(rng, 0.5, 3)}*sin({number(rng, 1, 6)}*t)"} if maybe(rng, 0.3) else {}
    torques = {"a": f"{number(rng, 1, 8)}*sin({number(rng, 1, 9)}*t)", "b": f"{number(rng, -4, 4)}*cos(t)"}
    text = f"""
Bodies:
  world: {{frames: {{o: [], q: [1]}}}}
  a: {{mass: 1, inertia: {number(rng, 0.05, 0.5)}, frames: {{o: []}}}}
  b: {{mass: 1, inertia: {number(rng, 0.05, 0.5)}, frames: {{o: []}}}}
Connections:
  Joints: {{p0: {{kind: revolute, frames: [world.o, a.o]}}, p1: {{kind: revolute, frames: [world.q, b.o]}}}}
  Velocity: {inner(relations)}
Motions: {inner(motions)}
AppliedForces: {{Torques: {inner(torques)}, Friction: {inner(frictions)}}}
ProblemData: {{tend: {UNTIL}}}
"""
    return text


def spinning(rng):
    """In space: an arm about a shaft that is inclined, with a sleeve that slides along it."""
    m, spin = number(rng, 0.5, 2), number(rng, -6, 6)
    frictions = {"pin": friction(rng, "p.omega", 1.5), "sleeve": friction(rng, "s.speed", 6)}
    motions = {"p.angle": f"{number(rng, 0.5, 3)}*sin({number(rng, 1, 4)}*t)"} if maybe(rng, 0.4) else {}
    k, rest = number(rng, 5, 60), number(rng, 0.3, 0.6)
    s, c = (float(f(tilt)) for f in (np.sin, np.cos)) if (tilt := number(rng, -1, 1)) else (0.0, 1.0)
    speed = "" if motions else f", velocities: {{arm.e: [0, [{round(0.9 * spin, 4)}, fixed], 0]}}"
    return f"""
Dimension: 3
Bodies:
  world: {{frames: {{o: {{at: [0, 0, 0], z: [0, {s}, {c}], x: [1, 0, 0]}}}}}}
  arm: {{mass: 1, inertia: [0.01, 0.1, 0.1], centre: [0.4, 0, 0], frames: {{o: [], a: [], e: [0.9, 0, 0]}}}}
  slide: {{mass: {m}, inertia: [0.01, 0.02, 0.02], frames: {{c: []}}}}
Connections:
  Joints: {{p: {{kind: revolute, frames: [world.o, arm.o], axis: [0, 0, 1]}},
    s: {{kind: prismatic, frames: [arm.a, slide.c], axis: [1, 0, 0]}}}}
Motions: {inner(motions)}
AppliedForces:
  Gravity: [0, 0, -9.81]
  Efforts: {{s.travel: {k}*({rest} - s.travel)}}
  Friction: {inner(frictions)}
ProblemData: {{tend: {UNTIL}, positions: {{slide.c: [{rest}, 0, 0]}}{speed}}}
"""


def inner(parts):
    """A map of YAML in one line."""
    return "{" + ", ".join(f"{name}: {x}" for name, x in parts.items()) + "}"


def write(parts, ties, applied, positions, velocities, **more):
    """A file of its parts."""
    lines = [f"{key}: {{{', '.join(f'{k}: {inner(v)}' for k, v in part.items() if v)}}}" for key, part in
             (("PartData", parts), ("Connections", ties), ("AppliedForces", applied))]  # fmt: skip
    lines += [f"{key}: {inner(part)}" for key, part in more.items() if part]
    lines += [f"ProblemData: {{tend: {UNTIL}, positions: {inner(positions)}, velocities: {inner(velocities)}}}"]
    return "\n".join(lines) + "\n"
