"""The structures of `runtime.h`, field by field: the whole interface to the C runtime."""

from __future__ import annotations

import ctypes

PLACES = 16  # inside a step at which laws may hide something, as in runtime.h
FOREVER = 1 << 60  # a stage that no series has
CHATTER = 40  # changes of law that are remembered, as in runtime.h


class TermRow(ctypes.Structure):
    """A kernel and its instances."""

    _fields_ = (
        ("stage", ctypes.c_void_p),
        ("matrix", ctypes.c_void_p),
        ("blocks", ctypes.c_long),
        ("last_stage", ctypes.c_long),
        *((name, ctypes.c_void_p) for name in ("from", "stage_to", "matrix_to", "stage_par", "matrix_par", "work")),
        *((name, ctypes.c_long) for name in ("stored", "lanes", "instances", "hiding")),
        ("argument", ctypes.c_void_p),
    )


class KinematicsRow(ctypes.Structure):
    """What moves followers, and its instances."""

    _fields_ = (
        ("correct", ctypes.c_void_p),
        ("advance", ctypes.c_void_p),
        ("blocks", ctypes.c_long),
        *((name, ctypes.c_void_p) for name in ("from", "to", "par", "work")),
    )


class SystemRow(ctypes.Structure):
    """A system, its matrix and its series."""

    _fields_ = (
        *(
            (n, ctypes.c_long)
            for n in ("coordinates", "multipliers", "unknowns", "slots", "terms", "capacity", "moving", "quick")
        ),
        *((n, ctypes.c_void_p) for n in ("coordinate", "multiplier", "kind", "term", "column", "row", "update")),
        ("stretches", ctypes.c_long),
        *((n, ctypes.c_void_p) for n in ("stretch", "constant", "weight", "unit")),
        *((n, ctypes.c_void_p) for n in ("root", "per_root", "per_size")),
        ("fused", ctypes.c_long),
        *((n, ctypes.c_void_p) for n in ("eliminate", "solve", "invert", "order")),
        *((n, ctypes.c_void_p) for n in ("F", "K", "x", "r")),
        *((n, ctypes.c_long) for n in ("redundant", "inverted")),
        ("soft", ctypes.c_double),
        *((n, ctypes.c_void_p) for n in ("inverse", "full", "whole", "reach", "R")),
        ("S", ctypes.c_void_p * 2),
        ("angles", ctypes.c_long),
        ("angle", ctypes.c_void_p),
        ("turns", ctypes.c_void_p * 2),
        ("cursors", ctypes.c_long),
        ("cursor", ctypes.c_void_p),
        ("kinematics", ctypes.c_long),
        ("kinematic", ctypes.c_void_p),
        ("invariants", ctypes.c_long),
        ("invariant", ctypes.c_void_p),
        ("ties", ctypes.c_long),
        ("tie", ctypes.c_void_p),
        ("tied", ctypes.c_void_p),
        *((n, ctypes.c_void_p) for n in ("stages", "drift", "moved", "algebra", "opaque", "core", "base")),
    )


class RunRow(ctypes.Structure):
    """A run: what is asked of it, where it is, what it has done."""

    _fields_ = (
        *(
            (n, ctypes.c_double)
            for n in ("t_end", "tol", "h_max", "seconds", "span", "step", "origin", "alpha", "beta")
        ),
        *((n, ctypes.c_long) for n in ("method", "order", "max_records", "driven", "hiding")),
        *((n, ctypes.c_void_p) for n in ("events", "switches")),
        *((n, ctypes.c_double) for n in ("t", "h", "h_last", "t_last", "speed", "asked", "error_last")),
        *((n, ctypes.c_double) for n in ("growth", "recovery")),
        *((n, ctypes.c_long) for n in ("current", "expanded", "pending", "landing", "changes")),
        *((n, ctypes.c_long) for n in ("retries", "jumps", "calm", "twice", "trusted", "begun", "switched")),
        ("switch_times", ctypes.c_double * CHATTER),
        ("place", ctypes.c_double * PLACES),
        *(
            (n, ctypes.c_long)
            for n in ("records", "steps", "rejected", "factorisations", "redundant", "status", "culprit")
        ),
        *(
            (n, ctypes.c_double)
            for n in (
                "worst_projection",
                "worst_defect",
                "h_largest",
                "weakest",
                "weak",
                "lost",
                "faint",
                "noise",
                "inertia",
            )
        ),
        *((n, ctypes.c_void_p) for n in ("record_t", "record_h", "record_S")),
        ("results", ctypes.c_long),
        *((n, ctypes.c_void_p) for n in ("handover_begin", "handover_column", "handover_entry", "handover_offset")),
        *((n, ctypes.c_void_p) for n in ("acceleration", "implicit", "other")),
    )
