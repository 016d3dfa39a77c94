"""Random mechanisms with stops, dry friction and events that act: what must hold whatever happens on the way."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.native.instant import Instants
from mechanisms import make_recipe, striking_mechanism

UNTIL, SECONDS = 0.3, 300  # a guard against a run without end
TOL = 1e-9
BATCH = 8


def run(mechanism, formalism="points", **options):
    """The motion; None if it is refused in words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return lw.Model(mechanism).formulated(formalism).simulate(UNTIL, max_seconds=SECONDS, **options)
        except (lw.InputError, lw.StartError, lw.SolveError):
            return None


def full(x):
    return x if isinstance(x, np.ndarray) else x.toarray()


def sides(motion):
    """The states just before and just after each break that has steps on both sides, and the break before."""
    store, look = motion.store, Instants(motion.system, True).at
    for last, now in zip(motion.breaks, motion.breaks[1:], strict=False):
        if 0 < now.step < store.count:
            steps, dt = np.array([now.step - 1, now.step]), np.array([store.h[now.step - 1], 0.0])
            q, u, _, _ = store.evaluate(steps, dt)
            yield last, now, look(now.t, q[0], u[0]), look(now.t, q[1], u[1])


def check_impacts(motion, who):
    """Momentum changes along the constraints that hold or are struck, and along speeds that events give alone."""
    s = motion.system
    given = {s.watches[w].name: [target for target, _ in act.speeds] for w, act in s.acts.items()}
    store, seen = motion.store, list(sides(motion))
    fastest = np.max(np.abs(store.evaluate(np.arange(store.count), np.zeros(store.count))[1]), initial=1e-300)
    for last, now, before, after in seen:
        M, G, n = full(before.M), full(before.G), s.n
        touched = {b.row for b in s.barriers if abs(before.g[b.row]) < 1e-6 or not b.is_gap}
        rows = [i for i in range(s.m) if i not in now.off or i not in last.off or i in touched]
        J = np.vstack([G[rows], *(before.slopes[i] for name in given for i in given[name])])
        change = np.where(s.mechanical, M @ (after.u - before.u), 0.0)  # states are given what they become
        # what stands still has speeds of rounding
        scale = max(np.max(np.abs(M @ before.u)) + np.max(np.abs(M @ after.u)), 1e-6 * np.max(np.abs(M)) * fastest)
        left = change - J.T @ np.linalg.lstsq(J.T, change, rcond=1e-12)[0]
        assert np.max(np.abs(left)) < 1e-8 * scale, f"{who}: momentum at {now}"
        np.testing.assert_allclose(after.q[:n], before.q[:n], rtol=0, atol=1e-9 * np.max(s.scales), err_msg=who)


def check_stops(motion, who):
    """No gap is negative, and no ratchet turns back."""
    s, store, look = motion.system, motion.store, Instants(motion.system, True).at
    size = np.max(s.scales)
    for step in range(store.count):
        dt = np.linspace(0.0, store.h[step], 7)
        q, u, _, _ = store.evaluate(np.full(7, step), dt)
        for at in map(look, store.t[step] + dt, q, u):
            for b in s.barriers:
                value, limit = (at.g, 1e-8 * size) if b.is_gap else (at.rates, 1e-6 * (1 + np.max(np.abs(at.u))))
                assert value[b.row] > -limit, f"{who}: {b.name} at t = {at.t}"


def check_grips(motion, who):
    """What sticks needs no more force than it can have, and does not move."""
    s, store, look = motion.system, motion.store, Instants(motion.system, True).at
    ends = [*(b.step for b in motion.breaks[1:]), store.count]
    for begin, end in zip(motion.breaks, ends, strict=True):
        for grip in (g for g in s.grips if not begin.off.issuperset(g.rows)):
            for step in range(begin.step, end):
                dt = np.linspace(0.0, store.h[step], 5)
                q, u, _, lam = store.evaluate(np.full(5, step), dt)
                for k, at in enumerate(map(look, store.t[step] + dt, q, u)):
                    hold = at.readings[grip.hold]
                    force, v = np.linalg.norm(lam[k, list(grip.rows)]), np.linalg.norm(at.rates[list(grip.rows)])
                    assert force <= hold * (1 + 1e-6) + 1e-9, f"{who}: {grip.name} at t = {at.t}"
                    assert v < 1e-7 * (1 + np.max(np.abs(at.u))), f"{who}: {grip.name} creeps"


@pytest.mark.parametrize("batch", range(5))
def test_whatever_strikes_rubs_and_acts_obeys_the_laws_of_mechanics(batch):
    moved = 0
    for seed in range(BATCH * batch, BATCH * (batch + 1)):
        who, motion = f"seed {seed}", run(striking_mechanism(seed), tol=TOL)
        if motion is None:
            continue
        moved += 1
        audit = motion.audit()
        assert audit.ok and not motion.doubts, f"{who}: {audit.text()} {motion.doubts}"
        assert motion.energy.drift < 1e-7, who
        check_impacts(motion, who)
        check_stops(motion, who)
        check_grips(motion, who)
    assert moved > 0.3 * BATCH


def happened(motion):
    """What happened, in order; how often something bounces before it rests is a matter of rounding."""
    names = [event.name for event in motion.events if not event.name.endswith(": rest")]
    bounced = {event.name.removesuffix(": rest") for event in motion.events if event.name.endswith(": rest")}
    return [name for name in names if name not in bounced]


@pytest.mark.parametrize("other", [{"formalism": "absolute"}, {"method": "rk8"}])
@pytest.mark.parametrize("first", [0, 28])
def test_formalisms_and_methods_agree_on_what_happens(first, other):
    for seed in range(first, first + 8):
        one = run(striking_mechanism(seed), tol=1e-11)
        two = run(striking_mechanism(seed), tol=1e-11, **other)
        assert (one is None) == (two is None), f"seed {seed}"
        if one is None:
            continue
        n = one.system.n
        apart = np.max(np.abs(one.final.q - two.final.q)[:n] / one.system.scales)
        assert apart < 1e-8, f"seed {seed}: {apart:.1e} apart"
        assert happened(one) == happened(two), f"seed {seed}"


@pytest.mark.parametrize("other", [{"formalism": "absolute"}, {"method": "rk8"}])
def test_a_contact_that_begins_within_the_rounding_of_its_gap_goes_on(other):
    # a ball in a bowl whose gap is the difference of two lengths of ten metres
    recipe = make_recipe(6, 2)
    recipe.happen()
    mechanism = recipe.mechanism()
    one, two = run(mechanism, tol=1e-10), run(mechanism, tol=1e-10, **other)
    assert one["touch.force"].max() > 10
    apart = np.max(np.abs(one.final.q - two.final.q)[: one.system.n] / one.system.scales)
    assert apart < 1e-8


@pytest.mark.long
@pytest.mark.parametrize("batch", range(25))
def test_more_of_what_strikes_rubs_and_acts_obeys_the_laws_of_mechanics(batch):
    test_whatever_strikes_rubs_and_acts_obeys_the_laws_of_mechanics(5 + batch)


@pytest.mark.parametrize(("method", "tol"), [("rk8", 1e-4), ("radau", 1e-5), ("radau", 1e-8), ("hht", 1e-4)])
def test_an_impact_inside_a_coarse_step_gives_no_energy(method, tol):
    """Speeds inside a step meet constraints as well as the tolerance asks: what is struck meets them exactly."""
    motion = run(striking_mechanism(3), method=method, tol=tol)
    assert len(motion.breaks) > 1 and motion.audit().ok, motion.audit()


def test_a_body_that_rubs_at_two_places_stops_at_both_at_once():
    """What is left of its speed at one place is taken away, and with it that at the other: it does not slide there."""
    motion = run(striking_mechanism(81), tol=TOL)
    assert [event.name for event in motion.events] == ["rub0: sticks", "rub1: sticks"]
    assert len(motion.breaks) == 2
    check_impacts(motion, "seed 81")
