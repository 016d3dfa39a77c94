"""The description of a mechanism as frozen data: parts, torques, initial values, settings."""

from linkwork.model.convert import Scalar, Vector, as_expr, split_points
from linkwork.model.mechanism import STANDARD_GRAVITY, Mechanism
from linkwork.model.parts import Particle, Rigid, Spring, Torque
from linkwork.model.settings import Display, Plain, Settings
from linkwork.model.start import Guess, InitialValues, fix

__all__ = [
    "STANDARD_GRAVITY",
    "Display",
    "Guess",
    "InitialValues",
    "Mechanism",
    "Particle",
    "Plain",
    "Rigid",
    "Scalar",
    "Settings",
    "Spring",
    "Torque",
    "Vector",
    "as_expr",
    "fix",
    "split_points",
]
