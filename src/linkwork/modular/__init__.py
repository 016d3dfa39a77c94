"""Modular modelling: the model of a system from the models of its parts and the constraints among them, symbolically.

from linkwork import modular as md
P = md.newton_euler("P", orientation="position", gravity="-z")
S = md.compose("S", P, constraints={0: {"sphere": "p_Px**2 + p_Py**2 + p_Pz**2 - a**2"}})
S.explicit()["v_Px'"]
"""

from linkwork.modular.bodies import newton_euler
from linkwork.modular.compose import compose
from linkwork.modular.labelled import Labelled, assemble, jacobian
from linkwork.modular.linear import LinearModel, deviation, linearize, linearize_system, reference_motion
from linkwork.modular.module import Module
from linkwork.modular.others import from_model, linear_module
from linkwork.modular.rotations import angular_velocity, homogeneous, rotation, skew, unskew
from linkwork.modular.rules import Rule, Rules

__all__ = [
    "Labelled",
    "LinearModel",
    "Module",
    "Rule",
    "Rules",
    "angular_velocity",
    "assemble",
    "compose",
    "deviation",
    "from_model",
    "homogeneous",
    "jacobian",
    "linear_module",
    "linearize",
    "linearize_system",
    "newton_euler",
    "reference_motion",
    "rotation",
    "skew",
    "unskew",
]
