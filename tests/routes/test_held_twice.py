"""Laws of the force at a point that two parts share, where a joint to a third part holds one of them as well."""

import numpy as np
import pytest

import linkwork as lw

# A belongs to OA first, AB meets it there, and what is held at A pulls at AB, too
PLANE = """
Title: held twice
PhysicalParams: {{k: 3}}
PartData:
  Fixed: {{O: []}}
  Rigids:
    OA: {{Geom: [[1]], Dyna: [[0.5], 2, 0.2]}}
    AB: {{Geom: [[0.8]], Dyna: [[0.4, 0.1], 1, 0.1]}}
    CD: {{Geom: [[1.2]], Dyna: [[0.5, 0.1], 1.5, 0.3]}}
Connections:
  Joints:
    held: {{kind: {kind}, parts: [CD, AB], points: [C, A]}}
AppliedForces:
  Gravity:
  Forces: {{D: [-0.3*AB.A.{force}, -k*D.y]}}
  Torques: {{OA: -0.2*AB.A.{force}}}
ProblemData: {{tend: 0.4, positions: {{A: [0.8, 0.6], B: {B}, C: {C}, D: {D}}}}}
"""
PLACES = {
    "pin_slot": {"B": [1.4, 0.9], "C": [0.5, 0.6], "D": [1.7, 0.6]},
    "translational": {"B": [1.6, 0.6], "C": [0.5, 0.6], "D": [1.7, 0.6]},
    "fixed": {"B": [1.6, 0.6], "C": [0.8, 0.6], "D": [2.0, 0.6]},
    "double_translational": {"B": [1.6, 0.6], "C": [0.5, 0.9], "D": [1.7, 0.9]},
}


@pytest.mark.parametrize("force", ["fx", "fy", "force"])
@pytest.mark.parametrize("kind", PLACES)
def test_a_force_where_parts_meet_and_a_joint_holds_is_the_same_in_all_formulations(kind, force):
    model = lw.loads(PLANE.format(kind=kind, force=force, **PLACES[kind]))
    motions = {name: model.formulated(name).simulate(tol=1e-11) for name in ("points", "absolute", "tree")}
    one = motions["points"]
    assert one.audit().ok, one.audit().text()
    assert np.max(np.abs(one[f"AB.A.{force}"])) > 0.1
    for motion in motions.values():
        np.testing.assert_allclose(motion.final["D"], one.final["D"], rtol=0, atol=1e-8)
        np.testing.assert_allclose(motion.final[f"AB.A.{force}"], one.final[f"AB.A.{force}"], rtol=0, atol=1e-7)
