"""What tests of impacts and friction ask of every motion."""

import numpy as np


def times(motion, name):
    """When something happened."""
    return np.array([event.t for event in motion.events if event.name == name])


def check(motion):
    """What must hold of every motion, however often something happens."""
    audit = motion.audit()
    assert audit.ok, audit
    assert motion.energy.drift < 1e-9
    assert not motion.doubts
