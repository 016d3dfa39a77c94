"""Rigid parts as instances of kernels: a Rigid in, coordinates, constraints and energies collected.

plane, space   over the world positions of points
pose           carried by a pose: which parts can be, and where they meet others
branch         branches of a tree, each an instance of its own kernel
standing       parts on fixed points, in the frame of these points
"""
