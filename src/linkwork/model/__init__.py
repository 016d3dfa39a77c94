"""The description of a mechanism as frozen data: parts, connections, forces, initial values, settings."""

from linkwork.model.connections import JOINT_KINDS, WORLD, Collinear, Coplanar, Joint, JointKind
from linkwork.model.controllers import Controller, Pid, Transfer
from linkwork.model.convert import Scalar, Vector, as_expr, split_points
from linkwork.model.formulas import Formula, Formulas
from linkwork.model.functions import function, registered_functions
from linkwork.model.lagrangian import Lagrangian, rate
from linkwork.model.laws import (
    TIME,
    Damper,
    Dissipation,
    Event,
    Force,
    Motion,
    Quantity,
    as_law,
    is_constant,
    quantities,
    quantity,
)
from linkwork.model.mechanism import STANDARD_GRAVITY, STANDARD_GRAVITY_3D, Mechanism
from linkwork.model.parts import Particle, Rigid, Spring, Torque
from linkwork.model.settings import Display, Plain, Settings
from linkwork.model.signals import State
from linkwork.model.start import Guess, InitialValues, fix
from linkwork.model.tables import Table

__all__ = [
    "JOINT_KINDS",
    "STANDARD_GRAVITY",
    "STANDARD_GRAVITY_3D",
    "TIME",
    "WORLD",
    "Collinear",
    "Controller",
    "Coplanar",
    "Damper",
    "Display",
    "Dissipation",
    "Event",
    "Force",
    "Formula",
    "Formulas",
    "Guess",
    "InitialValues",
    "Joint",
    "JointKind",
    "Lagrangian",
    "Mechanism",
    "Motion",
    "Particle",
    "Pid",
    "Plain",
    "Quantity",
    "Rigid",
    "Scalar",
    "Settings",
    "Spring",
    "State",
    "Table",
    "Torque",
    "Transfer",
    "Vector",
    "as_expr",
    "as_law",
    "fix",
    "function",
    "is_constant",
    "quantities",
    "quantity",
    "rate",
    "registered_functions",
    "split_points",
]
