"""Laws of reactions and accelerations on random chains of rods: two methods, two machines, and the audit agree."""

from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw


def chain(seed):
    """Rods hung one on the other, with friction in all pins by the forces they carry and an inertial damper."""
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 4))
    names = "OABC"[: count + 1]
    rods = [lw.Rigid.rod(names[i : i + 2], *random.uniform(0.5, 1.5, 2)) for i in range(count)]
    place, start = np.zeros(2), {}
    for rod, name in zip(rods, names[1:], strict=True):
        turn = random.uniform(0, 2 * np.pi)
        place = place + float(rod.geometry[1][0].value) * np.array([np.cos(turn), np.sin(turn)])
        start[name] = tuple(place)
    torques = [lw.Torque(part=rods[0].name, value=f"-mu*{rods[0].name}.O.force*tanh({rods[0].name}.omega)")]
    for one, two in pairwise(rods):
        pin, slip = one.name[1], f"({two.name}.omega - {one.name}.omega)"
        torques.append(lw.Torque(part=two.name, other=one.name, value=f"-mu*{two.name}.{pin}.force*tanh{slip}"))
    last = names[-1]
    return lw.Model(
        lw.Mechanism(
            parameters={"mu": 0.05, "c": 0.2},
            fixed={"O": (0, 0)},
            rigids=rods,
            gravity=(0, -9.81),
            torques=torques,
            forces=[lw.Force(point=last, components=(f"-c*{last}.ax", f"-c*{last}.vy'"))],
            start=lw.InitialValues(positions=start),
        )
    )


@pytest.mark.parametrize("seed", range(3))
def test_methods_and_machines_agree_and_the_audit_passes(seed):
    model = chain(seed)
    motion = model.simulate(0.6, tol=1e-11)
    audit = motion.audit()
    assert audit.ok, audit.text()
    assert not motion.doubts
    assert motion.energy.drift < 1e-9
    early = model.simulate(0.1, tol=1e-11, compiled=False)
    assert early.final["A"] == pytest.approx(motion.at(0.1)["A"], abs=1e-9)
    other = model.simulate(0.6, tol=1e-11, method="rk8")
    assert other.final.q == pytest.approx(motion.final.q, abs=1e-7)
    assert other.audit().ok
