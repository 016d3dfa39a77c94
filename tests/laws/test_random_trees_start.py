"""Random open trees of bodies start as they are described: given angles and speeds are kept, and what carries rests."""

import math
import warnings

import numpy as np
import pytest

import linkwork as lw

FORMULATIONS = ("points", "absolute", "tree")
KINDS = {
    2: ("revolute", "revolute", "translational", "pin_slot"),
    3: ("revolute", "revolute", "cylindrical", "prismatic", "spherical", "universal"),
}
TURNING = ("revolute", "cylindrical", "pin_slot")


def write_frame(rng, d):
    """A frame somewhere, turned somehow."""
    at = rng.uniform(-0.5, 0.5, d).round(3).tolist()
    if d == 2:
        return f"{{at: {at}, angle: {rng.uniform(-3, 3):.3f}}}"
    z, x = rng.standard_normal((2, 3))
    return f"{{at: {at}, z: {z.round(3).tolist()}, x: {x.round(3).tolist()}}}"


class RandomTree:
    """Bodies 0, 1, ... each hung on an earlier one or on the ground, with angles and speeds of some joints given."""

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        self.d, self.count, self.floats = int(rng.choice([2, 3])), int(rng.integers(1, 6)), bool(rng.integers(2))
        d = self.d
        frames = {i: {"c": "[]"} for i in range(self.count)}
        world, joints, self.angles, self.rates = {}, [], {}, {}
        for i in range(1 if self.floats else 0, self.count):
            parent, kind = int(rng.integers(-1 if not self.floats else 0, i)), str(rng.choice(KINDS[d]))
            name, own = f"j{i}", (world if parent < 0 else frames[parent])
            own[f"to{i}"], frames[i]["up"] = write_frame(rng, d), write_frame(rng, d)
            joints.append(
                f"{name}: {{kind: {kind}, frames: [{'world' if parent < 0 else f'b{parent}'}.to{i}, b{i}.up]}}"
            )
            if kind in TURNING and rng.random() < 0.7:
                self.angles[name] = float(rng.uniform(-3, 3)), bool(rng.integers(2))
            if kind in TURNING and rng.random() < 0.5:
                self.rates[name] = float(rng.uniform(-3, 3)), bool(rng.integers(2))
        inertia = "0.3" if d == 2 else "[0.3, 0.4, 0.5]"
        bodies = [f"b{i}: {{mass: 1, inertia: {inertia}, frames: {self._map(each)}}}" for i, each in frames.items()]
        bodies += [f"world: {{frames: {self._map(world)}}}"] if world else []
        self.place = rng.uniform(-2, 2, d).round(3).tolist() if self.floats and rng.random() < 0.7 else None
        given = [f"{name}: {self._guess(*value)}" for name, value in self.angles.items()]
        given += [f"b0.c: {self.place}"] if self.place else []
        speeds = [f"{name}: {self._guess(*value)}" for name, value in self.rates.items()]
        lines = [f"Dimension: {d}", "Bodies:", *(f"  {x}" for x in bodies)]
        lines += ["Connections:", "  Joints:", *(f"    {x}" for x in joints)] if joints else []
        lines += [
            f"ProblemData: {{tend: 0.01, positions: {{{', '.join(given)}}}, velocities: {{{', '.join(speeds)}}}}}"
        ]
        self.text = "\n".join(lines) + "\n"

    def _map(self, frames):
        return f"{{{', '.join(f'{name}: {frame}' for name, frame in frames.items())}}}"

    def _guess(self, value, fixed):
        return f"[[{value!r}, fixed]]" if fixed else repr(value)


def difference(one, other):
    return abs(math.remainder(float(one) - other, 2 * math.pi))


SEEDS = [*range(40), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(40, 1000))]


@pytest.mark.parametrize("seed", SEEDS)
def test_an_open_tree_starts_as_it_is_described_in_every_formulation(seed):
    tree, states = RandomTree(seed), []
    for form in FORMULATIONS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = lw.loads(tree.text).formulated(form)
            states.append(model.simulate(1e-5).at(0.0))
        assert not model.start.moved, f"{model.start.report()}\n{tree.text}"
    first = states[0]
    for name, (angle, _) in tree.angles.items():
        assert difference(first[f"{name}.angle"], angle) < 1e-9, tree.text
    for name, (rate, _) in tree.rates.items():
        assert abs(first[f"{name}.omega"] - rate) < 1e-9, tree.text
    if tree.floats:
        np.testing.assert_allclose(first.body("b0").rotation, np.eye(tree.d), atol=1e-9, err_msg=tree.text)
        np.testing.assert_allclose(first.body("b0").omega(), 0, atol=1e-9, err_msg=tree.text)
        np.testing.assert_allclose(first.velocity("b0.c"), 0, atol=1e-9, err_msg=tree.text)
    for state in states[1:]:
        for i in range(tree.count):
            np.testing.assert_allclose(state[f"b{i}.c"], first[f"b{i}.c"], atol=1e-9, err_msg=tree.text)
            np.testing.assert_allclose(state.body(f"b{i}").rotation, first.body(f"b{i}").rotation, atol=1e-9)
