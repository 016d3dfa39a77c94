"""The description of a mechanism as frozen data: parts, connections, forces, initial values, settings.

mechanism     all of it as one; revalue: other values for the same; lagrangian: a description by energies
parts, bodies, connections, joints/, rolling, contact, cam, touch, surroundings
              rigids, springs, particles; bodies with frames; what ties them
laws          forces, drivers, events; signals, controllers, tables, functions: what laws are made of
start, settings
              initial values; what a file asks of solver, output and picture
part, families
              what is asked of every part; the kinds there are, one line each
complete      what parts leave open until the whole is known; convert, formulas, values: texts, numbers to expressions;
              tracked: which turns are counted
friction, stops, sampled, opaque, algebra
              what grips, what is run against, controllers asked at instants, functions nobody can trace, values of the
              same instant; reacting, found: the same of energies; following: laws of time to follow
tree/         bodies as a dynamicist tells them; own: equations in speeds of their own; whereabouts: of bodies, by name
units, mechanism_units, lagrangian_units
              units of what has a name, as laws tell them; named: which names a Lagrangian uses
check/        what is wrong with it, in words
"""

from linkwork.model.algebra import Implicit
from linkwork.model.bodies import Body, Frame
from linkwork.model.cam import Cam
from linkwork.model.connections import WORLD, Collinear, Coplanar, Joint
from linkwork.model.contact import Ball, Contact
from linkwork.model.controllers import Controller, Pid, Transfer
from linkwork.model.convert import Scalar, Vector, as_expr, split_points
from linkwork.model.formulas import Formula, Formulas
from linkwork.model.friction import Friction
from linkwork.model.functions import function, registered_functions
from linkwork.model.joints import Conditions, JointKind, MovingFrame, find_kind, joint_kind, joint_kinds, turn
from linkwork.model.lagrangian import Lagrangian, rate
from linkwork.model.laws import (
    TIME,
    Damper,
    Dissipation,
    Driver,
    Effort,
    Event,
    Force,
    Moment,
    Quantity,
    Relation,
    VelocityConstraint,
    as_law,
    is_constant,
    quantities,
    quantity,
)
from linkwork.model.mechanism import STANDARD_GRAVITY, STANDARD_GRAVITY_3D, Mechanism
from linkwork.model.parts import Particle, Rigid, Spring, Torque
from linkwork.model.rolling import Footing, KnifeEdge, Plane, Rolling
from linkwork.model.sampled import Sampled
from linkwork.model.settings import Display, Plain, Settings
from linkwork.model.signals import State
from linkwork.model.start import Guess, InitialValues, fix
from linkwork.model.stops import Stop
from linkwork.model.tables import Table

__all__ = [
    "STANDARD_GRAVITY",
    "STANDARD_GRAVITY_3D",
    "TIME",
    "WORLD",
    "Ball",
    "Body",
    "Cam",
    "Collinear",
    "Conditions",
    "Contact",
    "Controller",
    "Coplanar",
    "Damper",
    "Display",
    "Dissipation",
    "Driver",
    "Effort",
    "Event",
    "Footing",
    "Force",
    "Formula",
    "Formulas",
    "Frame",
    "Friction",
    "Guess",
    "Implicit",
    "InitialValues",
    "Joint",
    "JointKind",
    "KnifeEdge",
    "Lagrangian",
    "Mechanism",
    "Moment",
    "MovingFrame",
    "Particle",
    "Pid",
    "Plain",
    "Plane",
    "Quantity",
    "Relation",
    "Rigid",
    "Rolling",
    "Sampled",
    "Scalar",
    "Settings",
    "Spring",
    "State",
    "Stop",
    "Table",
    "Torque",
    "Transfer",
    "Vector",
    "VelocityConstraint",
    "as_expr",
    "as_law",
    "find_kind",
    "fix",
    "function",
    "is_constant",
    "joint_kind",
    "joint_kinds",
    "quantities",
    "quantity",
    "rate",
    "registered_functions",
    "split_points",
    "turn",
]
