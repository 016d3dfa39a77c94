"""The whole program in one place: read → formulate → start → compile → integrate → results.

model      Model, what all of it is asked of: a table of contents with examples
reading    files, texts and Lagrangians as models
changing   other mechanisms made of one: driven, with forces applied
options    what a simulation is asked for, checked
running    motions of a model; machines: what makes them
mode       what holds where a model is asked about
places     where a model is made linear; resting: equilibria and their sequences
exporting  what an export needs to know of a model
"""

from linkwork.pipeline.model import Model
from linkwork.pipeline.reading import lagrangian, load, loads

__all__ = ["Model", "lagrangian", "load", "loads"]
