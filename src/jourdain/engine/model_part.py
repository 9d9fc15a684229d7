"""The compiled mechanism as the first part of a plan: what its forces, formulas, events and rows need."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from ..choices.contract import Entry, Field, Number, Part, PlanLike, Use
from ..kernels.layout import fields as f
from ..model.flat import FlatModel

EVENT_ROWS = 10  # of the search for events, in EVENT_WORK
SYSTEM, FORMULAS = "jourdain.kernels.core.dynamics", "jourdain.kernels.core.formula_parts"

RHS = Entry("RHS", f"{SYSTEM}:rhs")  # but for coordinates that have their own
# What every mechanism calls; makers get the number of dimensions.
ALWAYS = (("OUTPUTS", f"{SYSTEM}:outputs"), ("REACTIONS", f"{SYSTEM}:note_reactions"))
MADE = (
    ("ROWS", "jourdain.kernels.core.constraint_rows:make_entry"),
    ("FORCES", "jourdain.kernels.core.applied_forces:make_forces"),
    ("SPRINGS", "jourdain.kernels.core.applied_forces:make_springs"),
)
# What it calls only where one of these fields has rows.
WHERE_ANY = (
    ("SIGNALS", f"{FORMULAS}:signals", (f.SIGNALS,)),
    ("FORWARD", "jourdain.kernels.core.tape:forward", (f.TAPE,)),
    ("REVERSE", "jourdain.kernels.core.tape:reverse", (f.ROW_TAPES, f.EFFORTS)),
    ("TAPE_ROWS", f"{FORMULAS}:tape_rows", (f.ROW_TAPES,)),
    ("TAPE_VALUES", f"{FORMULAS}:tape_values", (f.POTENTIALS,)),
    ("WIND", f"{FORMULAS}:wind", (f.WINDINGS,)),
    ("EVENTS", f"{FORMULAS}:events", (f.EVENTS,)),
)
MADE_WHERE_ANY = (
    ("TERM_ROWS", "jourdain.kernels.core.constraint_rows:make_term_rows", (f.ROWS,)),
    ("TAPE_FORCES", f"{FORMULAS}:make_tape_forces", (f.VALUE_TAPES, f.STATE_TAPES, f.EFFORTS)),
)


ASKED = tuple(dict.fromkeys(key for _, _, keys in (*WHERE_ANY, *MADE_WHERE_ANY) for key in keys))


@functools.cache
def _entries(dim: int, present: tuple[int, ...], singular: bool, feedback: bool) -> tuple[Entry, ...]:
    """What a mechanism calls whose fields `present` have rows."""
    found = [Entry(slot, source) for slot, source in ALWAYS]
    found += [Entry(slot, source, (dim,)) for slot, source in MADE]
    found += [Entry(slot, source) for slot, source, keys in WHERE_ANY if set(keys) & set(present)]
    found += [Entry(slot, source, (dim,)) for slot, source, keys in MADE_WHERE_ANY if set(keys) & set(present)]
    if singular:
        found.append(Entry("SHIFTED", f"{SYSTEM}:shifted"))
    if feedback:
        found.append(Entry("FEEDBACK", f"{SYSTEM}:fed_back"))
    return tuple(found)


class ModelPart(Part):
    """What a plan needs of its model besides the arrays that the model holds itself (model/field_kinds.py)."""

    def __init__(self, model: FlatModel) -> None:
        self._model = model

    def entries(self, plan: PlanLike) -> Sequence[Entry]:
        fields, sizes = self._model.fields, plan.sizes
        present = tuple([key for key in ASKED if len(fields[key])])
        slope = plan.coordinates.slope(plan) or RHS
        return slope, *_entries(sizes.dim, present, sizes.singular, sizes.feedback)

    def memory(self, plan: PlanLike) -> Sequence[Field]:
        """Of the search for events, next to nothing without; and of the watch for singular positions."""
        n = plan.sizes.events
        return (
            Field("EVENT_FIRED", (n, 1), Use.KEPT, Number.INT, below=2),
            Field("EVENT_VALUE", (n, 1), Use.KEPT, Number.REAL),
            Field("EVENT_TRIAL", (n, 1), Use.SCRATCH, Number.REAL),
            Field("EVENT_WORK", (EVENT_ROWS, n), Use.KEPT, Number.REAL),
            Field("MARGINS", (plan.sizes.rows + 1, 3), Use.KEPT, Number.REAL),
        )

    def settings(self, plan: PlanLike) -> Mapping[str, float]:
        return self._model.settings

    def flags(self, plan: PlanLike) -> Mapping[str, int | str]:
        return {**self._model.flags, "SLOPE": "RHS"}


def blocks_on_body(model: FlatModel, but_rigid: bool) -> int:
    """The most blocks of rows on one body; `but_rigid`: without those that keep bodies rigid, the first of all."""
    slots = model.fields[f.SLOTS]
    if but_rigid:
        slots = slots[model.bodies * -(-len(model.set.intrinsic) // model.set.block) :]
    return int(np.max(np.bincount(slots[:, 1]), initial=1)) if len(slots) else 1
