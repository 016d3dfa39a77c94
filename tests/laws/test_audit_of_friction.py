"""The audit notices friction, stops and impacts that do what they cannot: motions by a solver with faults."""

import warnings
from dataclasses import replace

import pytest

import linkwork as lw
from linkwork.native import Side
from linkwork.solve import acting, gripping
from linkwork.solve.acting import Acting

RAIL = "PartData: {Fixed: {O: [], P: [1]}, Particles: {A: 2}}\nConnections: {Collinear: [OPA]}\n"
DRIVEN = RAIL + "Motions: {A.x: sin(2*t)}\nAppliedForces: {Friction: {dry: {speed: A.vx, limit: 3}}}\n"
PULLED = RAIL + "AppliedForces: {Forces: {A: [5*sin(2*t), 0]}, Friction: {dry: {speed: A.vx, limit: 3}}}\n"
TOGETHER = PULLED.replace("{dry: {speed: A.vx, limit: 3}}", "{a: {speed: A.vx, limit: 1}, b: {speed: A.vx, limit: 2}}")
PRESSED = """
PartData: {Particles: {A: 2}}
Connections: {Relations: {rail: A.y}, Stops: {wall: {gap: A.x}}}
AppliedForces: {Forces: {A: [-5*cos(2*t), 0]}}
"""
BALL = """
PartData: {Particles: {A: 1}}
Connections: {Stops: {floor: {gap: A.y, restitution: 0.5}}}
AppliedForces: {Gravity: [0, -10]}
"""
START = "ProblemData: {tend: 1, positions: {A: [0, 0]}}\n"


def run(text, start=START, until=3.0, **options):
    """A motion whatever speaks against it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lw.loads(text + start).simulate(until, tol=1e-10, **options)


def broken(motion):
    """The laws that the audit says are broken."""
    return {finding.law for finding in motion.audit().failures}


@pytest.mark.parametrize("text", [DRIVEN, PULLED, TOGETHER, PRESSED])
@pytest.mark.parametrize("method", ["taylor", "radau"])
def test_motions_of_a_solver_without_faults_pass(text, method):
    motion = run(text, method=method)
    assert motion.audit().ok and not motion.doubts, motion.audit()


def test_friction_that_rests_while_its_speed_does_not_is_noticed(monkeypatch):
    """The fault of old: what holds for an instant only is set aside, and never asked again."""

    def settle(instants, at, asked):
        at, found = gripping.settle(instants, at, asked)
        ways = {name: way if asked.moving[name] else 0.0 for name, way in found.ways.items()}
        q = instants.system.with_inputs(at.q, gripping.find_inputs(instants.system, ways, found.leads))
        return instants.at(at.t, q, at.u), replace(found, ways=ways)

    monkeypatch.setattr(acting, "settle", settle)
    monkeypatch.setattr(Acting, "_find_departure", lambda *_: None)
    monkeypatch.setattr(Acting, "_find_contrary", lambda *_: {})
    motion = run(DRIVEN)
    assert motion.work["friction dry"][-1] == pytest.approx(-3, abs=0.1)
    assert "sliding friction is its limit against the speed" in broken(motion)
    assert motion.doubts


def test_friction_that_pushes_along_the_motion_is_noticed(monkeypatch):
    """Another fault of old: forces jump, and the way in which friction slid stays."""

    def keep(self, t, q, u):
        return acting.Aftermath(at=self.instants.at(t, q, u), off=self.off, new=False)

    monkeypatch.setattr(Acting, "renew", keep)
    known = Acting.sides

    def forget(self, of=()):  # else the run notices that the speed leaves zero the other way
        grips = {grip.watch for grip in self.system.grips}
        return [Side() if i in grips else side for i, side in enumerate(known(self, of))]

    monkeypatch.setattr(Acting, "sides", forget)
    control = "Controllers: {c: {kind: sampled, period: 10, reads: {x: A.x}, outputs: {F: 20}}}\n"
    forces = "AppliedForces: {Forces: {A: [F - 5, 0]}, Friction: {dry: {speed: A.vx, limit: 3}}}\n"
    motion = run(RAIL + control + forces, until=0.1)
    assert "sliding friction is its limit against the speed" in broken(motion)
    assert motion.doubts


@pytest.mark.parametrize("text", [PULLED, TOGETHER])
def test_friction_that_holds_more_than_it_can_is_noticed(monkeypatch, text):
    monkeypatch.setattr(Acting, "_first_slip", lambda *_: None)
    monkeypatch.setattr(Acting, "_first_slip_of", lambda *_: None)
    assert broken(run(text)) == {"sticking friction is within its hold"}


def test_a_stop_that_pulls_is_noticed(monkeypatch):
    monkeypatch.setattr(Acting, "_first_pull", lambda *_: None)
    assert broken(run(PRESSED)) == {"closed stops push"}


def test_an_impact_that_gives_energy_is_noticed(monkeypatch):
    monkeypatch.setattr(Acting, "_restitution", lambda *_: 1.2)
    motion = run(BALL, "ProblemData: {tend: 1, positions: {A: [0, 1]}, velocities: {A: [1, 0]}}\n", until=1.0)
    assert "impacts give no energy" in broken(motion)
