"""Types that functions for Python are compiled for, by what they are for."""

from __future__ import annotations

from typing import Any

from ..kernels.layout.batch_records import Alone, Lanes, Piece

LOOPS = (
    *("ADVANCE", "ADVANCE_ADAPTIVE", "FOLLOW", "FOLLOW_ADAPTIVE", "DRIVE", "READY", "MARCH"),
    *("GO_BOXES", "MOVE_BOXES", "WEIGH_BOXES", "EQUATIONS", "TIMES_ROWS", "PRESSED", "MOVED", "STIFFNESS"),
    *("UNPACK", "PROJECT", "CALL_ENTRY", "SAMPLE_OUTPUTS"),
)


def is_loop(slot: str) -> bool:
    """Whether a function is called by Python, and has no place in the context."""
    return slot in LOOPS


def signatures_of(slot: str, number: str) -> list[tuple[Any, ...]]:
    """Of a time loop: one; by the slot that its Entry names."""
    import numba
    from numba import float64, int64

    scalar = float64 if number == "lanes" else getattr(numba, number)
    integers, table = int64[::1], int64[:, ::1]
    times, vector, matrix, cube = float64[::1], scalar[::1], scalar[:, ::1], scalar[:, :, ::1]
    four = scalar[:, :, :, ::1]
    progress = (times, integers, int64, int64)
    found = (vector, vector, cube, cube, integers, vector, table, matrix, integers)  # from `times` on
    job = _record(Piece, table, matrix, matrix, *found)
    alone = _record(Alone, integers, integers, table, vector, matrix, vector, vector, integers)
    lanes = _record(Lanes, integers, cube, cube, cube, matrix, matrix, table, matrix, table, matrix, cube)
    flags = int64[:, :, ::1]
    known: dict[str, tuple[Any, ...]] = {
        "ADVANCE": (integers, vector, matrix, vector, matrix, float64, *progress),
        "ADVANCE_ADAPTIVE": (integers, vector, vector, matrix, int64, float64, float64, float64, *progress),
        "FOLLOW": (integers, vector, matrix, times, matrix, float64, times, integers),
        "FOLLOW_ADAPTIVE": (integers, vector, times, times, matrix, times, integers),
        "DRIVE": (alone, job),
        "READY": (alone, job, matrix),
        "MARCH": (lanes, job),
        "GO_BOXES": (integers, float64, four, int64, int64),
        "MOVE_BOXES": (integers, cube, int64, int64),
        "WEIGH_BOXES": (integers, cube, matrix, cube, int64, int64),
        "EQUATIONS": (integers, float64, vector, integers, matrix),
        "TIMES_ROWS": (table, table, matrix, vector, vector),
        "PRESSED": (table, table, matrix, vector, vector),
        "MOVED": (table, vector, vector, vector),
        "STIFFNESS": (table, flags, matrix, vector, vector),
        "UNPACK": (integers, int64, int64, matrix, matrix, cube),
        "PROJECT": (integers, float64, vector),
        "CALL_ENTRY": (integers, int64, float64, vector, vector),
        "SAMPLE_OUTPUTS": (integers, times, matrix, matrix),
    }
    return [known[slot]]


def _record(kind: type, *fields: Any) -> Any:
    """The type of a named tuple of arrays."""
    from numba import types

    return types.NamedTuple(fields, kind)
