"""Equations of motion: terms (kernel × instances), the System they make, and the formalisms that make it.

kernel        the physics of one kind of part as programs; forms: what they must be; tangent: differentiated once more
system        the waist; terms: what it is made of; chart: what the names of people mean in it
collect       how it is put together; formulas: its numbers as formulas of named parameters, choices: what they decide
kinematics    what laws and joints may ask of points and parts, whatever carries them
kernels/      those of the library; parts/: rigid parts as their instances; joints, laws: kernels made for a description
points, absolute, lagrangian, kane
              the formalisms; formulation: which of them makes a motion
jointed       that of trees of parts: spanning: which part hangs on which, holds: by what, limbs: how it moves then,
              branches: its equations, carried, composites: its mass matrix, recursion: the forces of inertia
linked        trees of bodies as links in numbers
efforts       the loads of a tree as forces and moments on bodies, for its audit
own/          trees of bodies in speeds of their own; reduction: in the user's, or fewer
algebra       algebraic values of laws, posed_algebra: over poses; reactions: what parts do to each other
happenings    events, stops and friction as numbers; acts: what they change at once
implicit      what an implicit step needs of a kernel
bare          a System without masses and forces
words         texts in, expressions over the coordinates of a System out; turning: angles that are no coordinates
"""

from linkwork.equations.absolute import Absolute, formulate_absolute
from linkwork.equations.bare import strip_forces
from linkwork.equations.chart import Chart, Joined, Marker
from linkwork.equations.formulation import Formulation, check_formulation, choose_formulation
from linkwork.equations.jointed import formulate_tree
from linkwork.equations.kernel import Contribution, Derived, Kernel, accelerations, kernel
from linkwork.equations.lagrangian import formulate_lagrangian
from linkwork.equations.points import formulate_points
from linkwork.equations.system import System
from linkwork.equations.terms import Row, Term, Watch, multiplier_name
from linkwork.equations.turning import SeenAngles, find_seen_angles
from linkwork.garbage import rarely_collected
from linkwork.model import Lagrangian, Mechanism

__all__ = [
    "Absolute",
    "Chart",
    "Contribution",
    "Derived",
    "Formulation",
    "Joined",
    "Kernel",
    "Marker",
    "Row",
    "SeenAngles",
    "System",
    "Term",
    "Watch",
    "accelerations",
    "check_formulation",
    "choose_formulation",
    "find_seen_angles",
    "formulate",
    "formulate_absolute",
    "formulate_lagrangian",
    "formulate_points",
    "formulate_tree",
    "kernel",
    "multiplier_name",
    "strip_forces",
]


@rarely_collected()
def formulate(model: Mechanism | Lagrangian) -> System:
    """The equations of motion of a model, whichever way it is described."""
    return formulate_lagrangian(model) if isinstance(model, Lagrangian) else formulate_points(model)
