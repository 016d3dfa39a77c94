"""Modular modelling: the model of a system from the models of its parts and the constraints among them, symbolically.

from linkwork import modular as md
P = md.newton_euler("P", orientation="position", gravity="-z")
S = md.compose("S", P, constraints={0: {"sphere": "p_Px**2 + p_Py**2 + p_Pz**2 - a**2"}})
S.explicit()["v_Px'"]

module        the model of a system; compose: of others and constraints; bodies: of free bodies; models: to go on with
labelled      matrices by label; elimination: some labels solved for; samples: points on the constraints
rules         equations a person would write; identities: whether rules are true; polynomials, rotations: what they are
              made of; display: how they are shown
linear        linear models about a reference motion
others        mechanisms, files, (A, B, C, D) as modules; told: what a model tells of itself; joining: models of models
renaming      a module used again; names: of variables
"""

from linkwork.modular.bodies import newton_euler
from linkwork.modular.compose import compose
from linkwork.modular.display import latex, plot, rounded
from linkwork.modular.joining import join
from linkwork.modular.labelled import Labelled, assemble, jacobian
from linkwork.modular.linear import LinearModel, deviation, linearize, linearize_system, reference_motion
from linkwork.modular.module import Module
from linkwork.modular.others import from_model, linear_module
from linkwork.modular.rotations import angular_velocity, homogeneous, rotation, skew, transformation, unskew
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
    "join",
    "latex",
    "linear_module",
    "linearize",
    "linearize_system",
    "newton_euler",
    "plot",
    "reference_motion",
    "rotation",
    "rounded",
    "skew",
    "transformation",
    "unskew",
]
