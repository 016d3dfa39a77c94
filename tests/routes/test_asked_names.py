"""Names that may be asked and driven: components of frames are driven or refused in words, words of laws are asked."""

import numpy as np
import pytest

import linkwork as lw

ROD = """
Dimension: 3
Bodies:
  rod: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], frames: {o: [], e: [1]}}
  world: {frames: {o: []}}
Connections: {Joints: {ball: {kind: spherical, frames: [world.o, rod.o]}}}
AppliedForces: {Gravity: [0, 0, -9.81]}
"""
ARM = """
Bodies: {world: {frames: {o: []}}, a: {mass: 2, centre: [0.5], inertia: 0.2, frames: {o: [], tip: [1]}}}
Connections: {Joints: {main: {kind: revolute, frames: [world.o, a.o]}}}
AppliedForces: {Gravity: }
%s
ProblemData: {tend: 0.5, positions: {a.tip: [1, 0]}}
"""
WORDS = {
    "space": [f"rod.{a}{c}" for a in "xyz" for c in "xyz"] + [f"rod.v{a}{c}" for a in "xyz" for c in "xy"]
    + [f"rod.{w}" for w in ("x", "vx", "wx", "wy", "wz", "ax", "fx", "angle", "length")]
    + [f"rod.e.{w}" for w in ("x", "y", "z", "vz", "az", "wx", "fx")] + ["ball.angle", "ball.force", "ball.travel"],
    "plane": ["a.x", "a.xx", "a.xy", "a.yx", "a.zz", "a.angle", "a.omega", "a.tip.x", "a.tip.vy", "a.tip.ay",
    "a.tip.z", "main.angle", "main.omega", "main.fx", "main.torque", "a.length", "a.vxx", "a.wz"],
}  # fmt: skip


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
@pytest.mark.parametrize(("where", "name"), [(where, name) for where in WORDS for name in WORDS[where]])
def test_every_component_is_driven_or_refused_in_words(where, name, formulation):
    text = ROD if where == "space" else ARM % ""
    try:
        motion = lw.loads(text).formulated(formulation).driven({name: "0.1*sin(t)"}).simulate(0.05)
    except lw.LinkworkError as error:
        assert str(error)
        return
    assert motion.audit().ok, name
    np.testing.assert_allclose(motion[name], 0.1 * np.sin(motion.t), atol=1e-9)
    assert np.isfinite(motion.driving(name)).all()


ASKED = ("a.tip.ax", "a.tip.ay", "main.fx", "main.force", "main.torque", "a.tip.vx", "a.angle", "a.omega", "a.omega'")
ASKED += ("a.o.fx", "a.o.force", "main.fy", "a.xx", "a.vxy", "2*main.fx - a.tip.ax")


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
def test_words_of_laws_are_asked_of_a_motion(formulation):
    declared = {f"w{i}": name for i, name in enumerate(ASKED)}
    variables = "Variables: {" + ", ".join(f'{k}: "{v}"' for k, v in declared.items()) + "}"
    told = lw.loads(ARM % variables).formulated(formulation).simulate()
    plain = lw.loads(ARM % "").formulated(formulation).simulate()
    for t in (0.0, 0.2, 0.5):
        for k, name in declared.items():
            np.testing.assert_allclose(plain.at(t)[name], told.at(t)[k], rtol=1e-7, atol=1e-7, err_msg=name)
    assert plain["main.force"].shape == plain.t.shape and plain.at([0.1, 0.2])["main.fx"].shape == (2,)


def test_reactions_that_there_are_not_and_their_rates_are_refused():
    motion = lw.loads(ARM % "").simulate()
    for name in ("nobody.fx", "a.nowhere.fx", "main.ax", "a.fx"):
        with pytest.raises(lw.LinkworkError):
            motion[name]
    with pytest.raises(lw.LinkworkError, match="rates"):
        motion.velocity("main.force")


NAMES = ("ax", "az", "x", "vx", "y", "length", "rate", "xx", "vxx", "wx", "fx", "tx", "force", "torque", "speed")
NAMES += ("travel", "along", "sin", "t", "angle", "omega")


@pytest.mark.parametrize("name", NAMES)
def test_quantities_of_own_joints_may_have_any_name(name):
    @lw.joint_kind(f"named_{name}", dimension=3, free=5)
    def named(i, j):
        d = j.o - i.o
        return lw.Conditions(zero=[lw.dot(i.z, d)], more={name: lw.dot(d, i.x)})

    text = f"""
Dimension: 3
Bodies: {{box: {{mass: 1, inertia: [0.02, 0.03, 0.04], frames: {{c: []}}}}, world: {{frames: {{o: [0, 0, 0]}}}}}}
Connections: {{Joints: {{b: {{kind: named_{name}, frames: [world.o, box.c]}}}}}}
AppliedForces: {{Efforts: {{b.{name}: -4*b.{name}}}}}
ProblemData: {{tend: 1, positions: {{box.c: [0.1, 0, 0]}}}}
"""
    if name in ("angle", "omega"):
        with pytest.raises(lw.LinkworkError, match="no angle"):
            lw.loads(text)
        return
    assert lw.loads(text).simulate().final["box.c"][0] == pytest.approx(0.1 * np.cos(2), rel=1e-9)


# -- how things are written --------------------------------------------------------------------------------------------


def test_rates_are_typeset_with_dots():
    model = lw.lagrangian("theta", "m*l**2*theta'**2/2 + m*g*l*cos(theta)", parameters={"m": 1, "l": 1, "g": 9.81})
    equations = model.equations()
    assert equations.T._repr_latex_() == r"$\frac{m l^{2} \dot{\theta}^{2}}{2}$"
    assert r"\ddot{\theta}" in equations.motion["theta"]._repr_latex_()
    from linkwork.symbolic import symbol, to_latex

    for name, written in (("q1'", r"\dot{q}_{1}"), ("q1''", r"\ddot{q}_{1}"), ("x_a'", r"\dot{x}_{a}")):
        assert to_latex(symbol(name)) == written
    page = equations._repr_markdown_()
    assert page.startswith("# ") and r"\begin{align*}" in page and "Lagrangian" in page


@pytest.mark.parametrize("gains", ["P: 5, I: 0.5", "P: 0.5, I: 0.5", "P: 0.5, I: 3, D: 7, filter: 0.1"])
def test_outputs_of_controllers_have_no_unit_that_nobody_gave(gains):
    model = lw.loads(f"""
PartData: {{Fixed: {{O: []}}, Particles: {{A: 1}}}}
Controllers: {{servo: {{kind: pid, error: 1 - A.x, {gains}}}}}
AppliedForces: {{Forces: {{A: [servo, 0]}}}}
ProblemData: {{tend: 3, positions: {{A: [0, 0]}}}}
""")
    assert model.mechanism.units.get("servo", "") in ("", "N")


def test_motions_of_trees_are_drawn(tmp_path):
    tree = lw.Tree("arm", gravity=9.81)
    a = tree.add_body("upper", rotate="y", mass=1, inertia=0, centre=(1, 0, 0))
    tree.add_body("lower", parent=a, joint_at=(1, 0, 0), rotate="y", mass=1, inertia=0, centre=(1, 0, 0))
    motion = tree.model(start={"q1": 1}).simulate(1)
    page = motion.show(str(tmp_path / "x.html"), browser=False).read_text()
    assert "lower*" in page and "upper*" in page
    lw.write_results(motion, tmp_path / "x.npz")
    assert "lower*x" in np.load(tmp_path / "x.npz")["shown"]
    with pytest.raises(lw.LinkworkError, match="no points to draw"):
        lw.lagrangian("x", "x'**2/2").simulate(1).show(str(tmp_path / "z.html"), browser=False)
