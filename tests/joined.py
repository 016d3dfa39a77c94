"""Chains of one rod's model, joined: for tests and benchmarks."""

import linkwork as lw

PLANE = """
PhysicalParams: {l: 0.1, m: 0.1}
PartData:
  Rigids: {AB: {Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {positions: {A: [0, 0], B: [l, 0]}}
"""
SPACE = """
Dimension: 3
Bodies:
  rod: {mass: 0.1, inertia: [3e-5, 1e-4, 1.2e-4], frames: {c: [], o: [-0.05], e: [0.05], u: [0, 0.05, 0]}}
AppliedForces: {Gravity: [0, 0, -9.81]}
ProblemData: {positions: {rod.c: [0.05, 0, 0], rod.e: [0.1, 0, 0], rod.u: [0.05, 0.05, 0]}}
"""
ENDS = {"plane": ("xy", "A", "B"), "space": ("xyz", "rod.o", "rod.e")}


def chain(kind, n, **more):
    """n rods along x, each hung on the one before, the first on the origin."""
    rod = lw.loads(PLANE if kind == "plane" else SPACE)
    axes, begin, end = ENDS[kind]
    rows = {f"1{a}": f"r1.{begin}.{a}" for a in axes}
    for k in range(2, n + 1):
        rows |= {f"{k}{a}": f"r{k}.{begin}.{a} - r{k - 1}.{end}.{a}" for a in axes}
    start = {}
    for k in range(1, n + 1):
        for name, x in zip(rod.system.coordinates, rod.start.q, strict=False):
            start[f"r{k}.{name.replace('.', '_')}"] = float(x) + (0.1 * (k - 1) if name.endswith("x") else 0.0)
    return lw.join("chain", {f"r{k}": rod for k in range(1, n + 1)}, constraints=rows, start=start | more)


def planar_file(n):
    """The same chain in the plane, of one file."""
    rods = ", ".join(f"P{k}P{k + 1}: {{Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}}" for k in range(n))
    places = ", ".join(f"P{k}: [{k}*l, 0]" for k in range(1, n + 1))
    return f"""
PhysicalParams: {{l: 0.1, m: 0.1}}
PartData:
  Fixed: {{P0: []}}
  Rigids: {{{rods}}}
AppliedForces: {{Gravity: [0, -9.81]}}
ProblemData: {{positions: {{{places}}}}}
"""
