"""Random machines with all that holds: motions end in equilibria that are found, models have the slopes of motions."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from resting import KINDS, write_machine
from tools import share

UNTIL = 80.0
SERVO = KINDS.index("servo")
FEW = [*range(6), 7, 9, 10, 17]


def places(model, state):
    return state.q[: model.whole.n][model.whole.mechanical]


def check_end(seed):
    """A damped motion ends where an equilibrium is found; whether it came to rest."""
    model = lw.loads(write_machine(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        final = model.simulate(UNTIL, tol=1e-10, save="end").final
    speed = np.max(np.abs(final.u[: model.whole.n]))
    if speed > 1e-8:
        return False
    rest = model.equilibrium(final)
    assert rest.stable, seed
    np.testing.assert_allclose(places(model, rest.state), places(model, final), rtol=0, atol=1e-7, err_msg=str(seed))
    assert all(push.force > 0 for push in rest.pushes) and all(hold.share <= 1 + 1e-8 for hold in rest.holds), seed
    return True


def check_stays(seed):
    """From the equilibrium downhill from the start nothing moves; it is one of the linear model as well."""
    model = lw.loads(write_machine(seed))
    rest = model.equilibrium(slide=True)
    final = model.simulate(1.0, start=rest.state, tol=1e-10).final
    np.testing.assert_allclose(places(model, final), places(model, rest.state), rtol=0, atol=1e-8, err_msg=str(seed))
    assert model.linearize(rest.state).balanced, seed
    assert model.linearize("equilibrium").balanced, seed


def check_slopes(seed):
    """The eigenvalues of the model of a mode are those of its equations of motion, which have no others but zeros."""
    model = lw.loads(write_machine(seed))
    state = model.equilibrium(slide=True).state
    linear = model.linearize(state)
    f = model.rhs(at=state, compiled=False)
    every = np.linalg.eigvals(f.jacobian(0.0, f.start))
    for value in linear.eigenvalues:
        assert np.min(np.abs(every - value)) < 1e-7 * (1 + abs(value)), (seed, value)
    for value in every[np.abs(every) > 1e-5]:
        assert np.min(np.abs(linear.eigenvalues - value)) < 1e-7 * (1 + abs(value)), (seed, value)


@pytest.mark.parametrize("seed", FEW)
def test_damped_motions_end_in_equilibria(seed):
    # locks that an event closes may not let it get there
    assert check_end(seed) or seed % len(KINDS) == KINDS.index("ball")


@pytest.mark.parametrize("seed", FEW)
def test_nothing_moves_from_an_equilibrium(seed):
    check_stays(seed)


@pytest.mark.parametrize("seed", [seed for seed in FEW if seed % len(KINDS) != SERVO])
def test_models_of_what_holds_have_the_slopes_of_the_equations(seed):
    check_slopes(seed)


@pytest.mark.long
@pytest.mark.parametrize("batch", range(share(20)))
def test_two_hundred_machines(batch):
    rested, seeds = 0, range(100 + 10 * batch, 110 + 10 * batch)
    for seed in seeds:
        check_stays(seed)
        if seed % len(KINDS) != SERVO:
            check_slopes(seed)
        rested += check_end(seed)
    assert rested >= 7
