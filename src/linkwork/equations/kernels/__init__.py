"""Kernels of the library: physics of parts, written once over symbols.

planar, spatial   parts over the world positions of their points
poses             parts carried by their poses
"""
