"""Every array of the context that the compiled mechanism brings: what becomes of it in a run, and of what it consists.

Choices bring arrays of their own (choices/contract.py, `Part.memory`); shapes, frames and units of all are in
kernels/layout/fields.py. A checkpoint holds what is KEPT. Several fields of scratch begin with constants in them, which
the model gives and no evaluation changes: VEC the vectors of the ground, JACOBIAN the columns of pins, GRADIENT those
of pins and fixed axes, PARTIAL and RESIDUAL the padding, MASS_INVERSE the inverses of constant mass blocks, OMEGA that
of the ground, SIGNAL the constants among functions of time. They come from a fresh workspace, never from a checkpoint.
"""

from __future__ import annotations

from typing import NamedTuple

from ..choices.contract import Number, Use
from ..kernels.layout import fields as f
from ..kernels.layout import tree_table

INT, REAL, NUMBER = Number.INT, Number.REAL, Number.NUMBER
CONSTANT, SCRATCH, KEPT = Use.CONSTANT, Use.SCRATCH, Use.KEPT


class FieldKind(NamedTuple):
    """Of a field: its name, what becomes of it, and of what it consists."""

    name: str
    use: Use
    number: Number
    below: str = ""  # of integers that kernels index with: the size that they stay below


def _kinds(use: Use, number: Number, names: str) -> list[FieldKind]:
    return [FieldKind(name, use, number) for name in names.split()]


_MODEL = [
    *_kinds(
        CONSTANT,
        INT,
        "BODY_VECTORS PINS ROWS TERMS ENTRIES SPRINGS LOADS TORQUES LOADED SIGNALS TAPE ARGUMENTS FUNCTIONS TABLES "
        "ROW_TAPES ROW_LEAVES VALUE_TAPES POLYNOMIALS STATE_TAPES EFFORTS EFFORT_LEAVES POTENTIALS REPORTS WINDINGS "
        "EVENTS TURNS SIGNS SLOTS BLOCK_SLOTS PAIRS PAIR_RANGES PIVOTS COLUMN UPDATES UNIT_ROWS FORMS SPIN_FORMS "
        "MASS_CENTRES",
    ),
    *_kinds(
        CONSTANT,
        NUMBER,
        "BODY VECTOR_LOCAL FORM FORM_SCALE FORM_CONSTANT SPIN_FORM SPIN_SCALE MASSES COEFFICIENT SPRING CONSTANTS "
        "TABLE GRAVITY",
    ),
    FieldKind("PERMUTATION", KEPT, INT, "rows"),
    FieldKind("EVENT_FIRED", KEPT, INT, "flag"),
    # Numbers that `set` and events change, phases of floating rows.
    FieldKind("PARAMETERS", KEPT, NUMBER),
    # By word: those that are state are listed in engine/workspace.py, all others come from the parts.
    FieldKind("SETTINGS", SCRATCH, REAL),
    *_kinds(SCRATCH, REAL, "CALL_IN RESULTS EVENT_TRIAL"),
    *_kinds(KEPT, REAL, "EVENT_VALUE EVENT_WORK"),
    # The last reactions and accelerations are where the next iteration for forces that depend on them begins; the last
    # multipliers are those of a guess, or unknowns of a step.
    *_kinds(KEPT, NUMBER, "WRENCHES POINT_ACCELERATION LAMBDA"),
    # A state that is projected begins with the factors of the one before.
    *_kinds(KEPT, NUMBER, "K L PIVOT SCALE WEIGHTED DENSE GRAM"),
    *_kinds(
        SCRATCH,
        NUMBER,
        "SIGNAL NODES Z Z_RATE SLOPE GIVEN LAW QUANTITY REPORTED VEC GRADIENT JACOBIAN RESIDUAL PARTIAL GAMMA SCRATCH "
        "OMEGA VECTOR_FORCE BODY_TORQUE MASS_INVERSE ATTITUDE VECTOR_JACOBIAN SPIN_JACOBIAN MASS BIAS EXTRA "
        "BODY_COLUMN ACCELERATION FREE TRIAL POWER ENERGY",
    ),
]

# Behind those of every mechanism: the fields of a tree (kernels/layout/tree_table.py).
TREE = (
    FieldKind("LINKS", CONSTANT, INT),
    FieldKind("CONSTANTS", CONSTANT, NUMBER),
    FieldKind("STATE", SCRATCH, NUMBER),
    FieldKind("COLUMNS", SCRATCH, NUMBER),
    FieldKind("TURNS", SCRATCH, NUMBER),
    FieldKind("LOADS", SCRATCH, NUMBER),
    FieldKind("EFFORTS", SCRATCH, NUMBER),
    FieldKind("GRAVITY", CONSTANT, NUMBER),
    FieldKind("CLOCK", SCRATCH, NUMBER),
    FieldKind("PLACES", SCRATCH, NUMBER),
    FieldKind("BODIES", CONSTANT, INT),
    FieldKind("OWNERS", CONSTANT, INT),
    FieldKind("OWN", CONSTANT, NUMBER),
    FieldKind("WINDING", CONSTANT, INT),
    FieldKind("OFFSET", CONSTANT, NUMBER),
    FieldKind("LIFT", SCRATCH, NUMBER),
    FieldKind("MATRIX", KEPT, NUMBER),
    FieldKind("PASSING", SCRATCH, NUMBER),
    FieldKind("ELIMINATED", KEPT, NUMBER),
    FieldKind("SPOTS", CONSTANT, INT),
    FieldKind("SPOT_RANGES", CONSTANT, INT),
    FieldKind("SPOT_PAIRS", CONSTANT, INT),
    FieldKind("CLOSINGS", CONSTANT, INT),
    FieldKind("NEIGHBOURS", CONSTANT, INT),
    FieldKind("CLOSING_UPDATES", CONSTANT, INT),
    FieldKind("SLOT_SPOTS", CONSTANT, INT),
    FieldKind("SHARES", KEPT, NUMBER),
    FieldKind("CROSSINGS", KEPT, NUMBER),
    FieldKind("MEETING", KEPT, NUMBER),
    FieldKind("SUMS", KEPT, NUMBER),
    FieldKind("PENDING", SCRATCH, NUMBER),
    FieldKind("RESPONSE", SCRATCH, NUMBER),
    FieldKind("TREE_WORK", SCRATCH, NUMBER),
    FieldKind("CARRIERS", CONSTANT, INT),
    FieldKind("PORTS", CONSTANT, NUMBER),
    FieldKind("PARTS", CONSTANT, INT),
)

KINDS: dict[int, FieldKind] = {
    **{getattr(f, kind.name): kind for kind in _MODEL},
    **{getattr(tree_table, kind.name): FieldKind(f"TREE_{kind.name}", *kind[1:]) for kind in TREE},
}
