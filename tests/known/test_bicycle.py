"""Whipple's bicycle beside the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (Proc. R. Soc. A 463, 2007)."""

import numpy as np
import pytest

# M q'' + v C1 q' + (g K0 + v² K2) q = 0 with the lean to the right and the steer angle to the right, as published
M = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
C1 = [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]
K0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
K2 = [[0, 76.59734589573222], [0, 2.65431523794604]]

# the published eigenvalues by forward speed: weave (a pair from 1 m/s on), capsize, caster
EIGENVALUES = {
    0: [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393],
    1: [3.52696170990070 + 0.80774027519930j, -3.13423125066578, -7.11008014637442],
    2: [2.68234517512745 + 1.68066296590675j, -3.07158645641514, -8.67387984831735],
    3: [1.70675605663975 + 2.31582447384325j, -2.63366137253667, -10.35101467245920],
    4: [0.41325331521125 + 3.07910818603206j, -1.42944427361326, -12.15861426576447],
    5: [-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822],
    6: [-1.52644486584142 + 5.87673060598709j, -0.00406690076970, -16.08537123098026],
    7: [-2.13875644258362 + 7.19525913329805j, 0.10268170574766, -18.15788466125262],
    8: [-2.69348683581097 + 8.46037971396931j, 0.14327879765713, -20.27940894394569],
    9: [-3.21675402252485 + 9.69377351531791j, 0.15790184030917, -22.43788559040858],
    10: [-3.72016840437287 + 10.90681139476287j, 0.16105338653172, -24.62459635017404],
}
# lean, steer and what the wheels' rolling leaves free of the rest
STATES = ["lean", "delta", "hub.angle", "spin.angle", "heading", "frame.axle.x", "frame.axle.y"]


def equations(p):
    """M, C1, K0, K2 by the formulas of the paper's appendix A, in its axes: x forward, y right, z down."""
    w, c, lam, rR, rF = (p[name] for name in ("w", "c", "lam", "rR", "rF"))
    mR, mB, mH, mF = (p[name] for name in ("mR", "mB", "mH", "mF"))
    xB, zB, xH, zH = (p[name] for name in ("xB", "zB", "xH", "zH"))
    # the whole bicycle, about the rear contact
    mT = mR + mB + mH + mF
    xT = (xB * mB + xH * mH + w * mF) / mT
    zT = (-rR * mR + zB * mB + zH * mH - rF * mF) / mT
    ITxx = p["IRxx"] + p["IBxx"] + p["IHxx"] + p["IFxx"] + mR * rR**2 + mB * zB**2 + mH * zH**2 + mF * rF**2
    ITxz = p["IBxz"] + p["IHxz"] - mB * xB * zB - mH * xH * zH + mF * w * rF
    ITzz = p["IRxx"] + p["IBzz"] + p["IHzz"] + p["IFxx"] + mB * xB**2 + mH * xH**2 + mF * w**2
    # the front assembly, about its mass centre
    mA = mH + mF
    xA, zA = (xH * mH + w * mF) / mA, (zH * mH - rF * mF) / mA
    IAxx = p["IHxx"] + p["IFxx"] + mH * (zH - zA) ** 2 + mF * (rF + zA) ** 2
    IAxz = p["IHxz"] - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA)
    IAzz = p["IHzz"] + p["IFxx"] + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
    # and about the steer axis
    s, k = np.sin(lam), np.cos(lam)
    uA = (xA - w - c) * k - zA * s
    IAll = mA * uA**2 + IAxx * s**2 + 2 * IAxz * s * k + IAzz * k**2
    IAlx = -mA * uA * zA + IAxx * s + IAxz * k
    IAlz = mA * uA * xA + IAxz * s + IAzz * k
    mu = c / w * k
    SR, SF = p["IRyy"] / rR, p["IFyy"] / rF
    ST, SA = SR + SF, mA * uA + mu * mT * xT
    M = [[ITxx, IAlx + mu * ITxz], [IAlx + mu * ITxz, IAll + 2 * mu * IAlz + mu**2 * ITzz]]
    K0 = [[mT * zT, -SA], [-SA, -SA * s]]
    K2 = [[0, (ST - mT * zT) / w * k], [0, (SA + SF * s) / w * k]]
    C1 = [
        [0, mu * ST + SF * k + ITxz / w * k - mu * mT * zT],
        [-(mu * ST + SF * k), IAlz / w * k + mu * (SA + ITzz / w * k)],
    ]
    return [np.array(x, dtype=float) for x in (M, C1, K0, K2)]


def roots(p, v):
    """The eigenvalues of the two equations."""
    M, C1, K0, K2 = equations(p)
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2], A[2:, 2:] = -np.linalg.solve(M, p["g"] * K0 + v**2 * K2), -np.linalg.solve(M, v * C1)
    return np.linalg.eigvals(A)


def matched(found, wanted):
    """How far the wanted eigenvalues are from the nearest found."""
    return max(np.min(np.abs(np.asarray(found) - x)) for x in wanted)


def test_the_formulas_of_the_paper_give_its_matrices(load_example):
    found = equations(load_example("bicycle").parameters)
    for one, other in zip(found, (M, C1, K0, K2), strict=True):
        assert np.max(np.abs(one - np.array(other))) < 1e-12


@pytest.mark.parametrize("v", EIGENVALUES)
def test_its_eigenvalues_are_the_published_ones_to_ten_digits(load_example, v):
    bicycle = load_example("bicycle").with_parameters(v=v)
    linear = bicycle.linearize(states=STATES)
    assert linear.balanced and linear.states == tuple(STATES)
    for wanted in (EIGENVALUES[v], roots(bicycle.parameters, v)):
        for x in wanted:
            assert matched(linear.eigenvalues, [x]) < 1e-10 * abs(x), x
    # and nothing else but free motions: along the road, sideways, heading, wheels, speed
    assert np.sum(np.abs(linear.eigenvalues) > 1e-6) == 4


def test_its_linear_model_is_that_of_the_paper(load_example):
    """Lean and steer, whose sign is the other way round here."""
    bicycle = load_example("bicycle").with_parameters(v=5)
    linear = bicycle.linearize(states=STATES)
    M, C1, K0, K2 = equations(bicycle.parameters)
    sign = np.array([[1, -1], [-1, 1]])
    assert np.allclose(linear.mass[:2, :2], sign * M, rtol=1e-11)
    A = linear.A
    rates = [linear.names.index(name) for name in ("lean'", "delta'")]
    assert np.allclose(A[np.ix_(rates, rates)], -sign * np.linalg.solve(M, 5 * C1), rtol=1e-10, atol=1e-10)
    stiff = np.linalg.solve(M, 9.81 * K0 + 25 * K2)
    assert np.allclose(A[np.ix_(rates, [0, 1])], -sign * stiff, rtol=1e-10)


def test_without_a_word_about_states_it_finds_those_in_which_riding_straight_is_steady(load_example, command, examples):
    bicycle = load_example("bicycle")
    for given in ([], ["lean", "delta"]):
        linear = bicycle.linearize(states=given)
        assert linear.balanced and {"lean", "delta"} <= set(linear.states)
        for x in roots(bicycle.parameters, bicycle.parameters["v"]):
            assert matched(linear.eigenvalues, [x]) < 1e-9 * abs(x)
    code, text, _ = command("modes", examples / "bicycle.yaml")
    assert code == 0 and "a steady motion: no state accelerates" in text and "-0.377966 ± 3.87284i" in text


def test_a_gust_is_ridden_out_at_a_speed_at_which_it_balances_itself(load_example):
    bicycle = load_example("bicycle")
    motion = bicycle.simulate(10)
    lean = np.abs(motion["lean"])
    assert 0.005 < np.max(lean) < 0.2 and lean[-1] < 0.02 * np.max(lean)
    assert motion.audit().ok, motion.audit()
    # slower than the weave speed it falls over
    slow = bicycle.with_parameters(v=3).simulate(4)
    assert np.max(np.abs(slow["lean"])) > 0.5


def test_its_speed_grows_and_its_energy_stays_as_it_straightens_up(load_example):
    """After the gust nothing feeds or takes energy: what weaving had goes into the forward speed."""
    motion = load_example("bicycle").simulate(10, tol=1e-12)
    after = motion.t > 2
    energy = motion.energy.total[after]
    assert np.ptp(energy) < 1e-9 * energy[0]
