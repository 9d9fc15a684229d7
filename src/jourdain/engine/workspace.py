"""A workspace: the arrays that a run writes and the table of addresses through which kernels reach them.

It is put together from what the parts of a plan supply, by name. Fields are those of kernels/layout/fields.py, which
gives shape, frame and unit of each. A workspace keeps every array alive that its table points to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..choices.contract import Field, Number, Use
from ..kernels.layout import fields as f
from ..mechanism.parts import Blueprint
from ..model.field_kinds import KINDS
from ..model.flat import FlatModel
from .callbacks import own_callbacks
from .compiled_entries import address
from .plan import Plan
from .template import BLOCKS, FIELDS, HEADER, SETTINGS_, SLOTS, aligned, start_of

# Words of the header and of SETTINGS that a later step reads; all others come from the plan.
KEPT_HEADER = (
    *(
        "FRESH",
        "FACTORED",
        "DENSE",
        "RANK",
        "EXPECTED_RANK",
        "RANK_LOSSES",
        "EVALUATIONS",
        "NEWTONS",
        "CHOSEN",
        "ROUNDS",
    ),
    *("INTERPOLANT", "STIFF", "BLURS", "FLOATING"),
)
KEPT_SETTINGS = ("SHRINKS", "EXACT", "SMALLEST", "STEP", "START")
KEPT_WORDS = [HEADER[name] for name in KEPT_HEADER]
KEPT_PLACES = [SETTINGS_[name] for name in KEPT_SETTINGS]
# Words of the header that count.
COUNTERS = [f.H_EVALUATIONS, f.H_NEWTONS, f.H_ROUNDS, f.H_RANK_LOSSES, f.H_BLURS, f.H_STIFF]


class Workspace:
    """Arrays of one run and the table of addresses `ctx`. Not to be shared between threads."""

    def __init__(self, plan: Plan, number: type = np.float64, slots: Collection[str] | None = None) -> None:
        """`number` complex128 gives derivatives by complex step; `slots` limits what gets compiled for it."""
        self.plan = plan
        self.model: FlatModel = plan.model  # or one that differs from it in numbers that are in the arrays already
        self._template = plan.template(number, slots)
        self.ctx: npt.NDArray[np.int64] = self._template.ctx.copy()
        self._arrays: dict[int, Any] = dict(self._template.shared)
        self._kept: tuple[tuple[Field, Any], ...] | None = None  # found when first asked for
        self._own: dict[int, Any] = {}  # constants of the mechanism that were changed in this run
        self._blocks = []
        for image, (words, offsets) in zip(self._template.blocks, self._template.addresses, strict=True):
            block = aligned(image.size, image.dtype)
            block[...] = image
            self._blocks.append(block)
            self.ctx[words] = offsets + block.__array_interface__["data"][0]
        for one in plan.recipe.method.values():
            self._enter(one)
        # Plain functions are called through callbacks of its own: what they raise belongs to one run.
        self.callbacks, functions = own_callbacks(plan.model.keepalive, plan.model.fields[f.FUNCTIONS])
        if self.callbacks:
            self._put(f.FUNCTIONS, functions)
        if plan.numbers:
            self.set_numbers(plan.numbers)

    def __getitem__(self, key: int) -> Any:
        """The array of a field."""
        found = self._arrays.get(key)
        if found is None:
            block, offset, (rows, columns) = self._template.places[key]
            found = self._blocks[block][offset : offset + rows * columns].reshape(rows, columns)
            self._arrays[key] = found
        return found

    @property
    def arrays(self) -> dict[int, Any]:
        """All arrays, by field."""
        return {key: self[key] for key in (*self._template.shared, *self._template.places, *self._method)}

    @property
    def _method(self) -> list[int]:
        return [FIELDS[name] for name in self.plan.recipe.method]

    def is_shared(self, key: int) -> bool:
        """Whether a field is a constant of the model that no run writes."""
        return key in self._template.shared

    def number_of(self, key: int) -> Number:
        """Of what a field consists."""
        if key in KINDS:
            return KINDS[key].number
        if key in self._template.places:
            return BLOCKS[self._template.places[key][0]]
        return next(one.number for one in self.plan.recipe.method.values() if FIELDS[one.name] == key)

    @property
    def reported(self) -> int:
        """Numbers reported at a sample."""
        return self.model.outputs.length

    @property
    def numbers(self) -> dict[str, float]:
        """Parameters and phases, by name."""
        values = self[f.PARAMETERS][:, 0]
        return {name: float(values[place]) for name, place in self.model.parameters.items()}

    @property
    def first_numbers(self) -> dict[str, float]:
        """The same as the model has them."""
        values = self.model.fields[f.PARAMETERS][:, 0]
        return {name: float(values[place]) for name, place in self.model.parameters.items()}

    def set_numbers(self, values: Mapping[str, float]) -> None:
        """Give parameters and phases values, by name."""
        places, held = self.model.parameters, self[f.PARAMETERS]
        for name, value in values.items():
            held[places[name], 0] = value

    def provide(self, slots: Iterable[str]) -> None:
        """Entries that it was made without."""
        for slot in slots:
            self.ctx[f.H_COUNT + SLOTS[slot]] = address(self.plan.recipe.entries[slot], self._template.types[2].name)

    def use(self, plan: Plan) -> None:
        """Go on with another integrator, or with more of the same, whose memory then begins anew."""
        if plan == self.plan:
            return
        self._kept = None
        before, after = self.plan.recipe, plan.recipe
        number = self._template.types[2].name
        for slot in before.entries.keys() | after.entries.keys():
            if before.entries.get(slot) != after.entries.get(slot):
                found = after.entries.get(slot)
                self.ctx[f.H_COUNT + SLOTS[slot]] = 0 if found is None else address(found, number)
        for name in before.method.keys() - after.method.keys():
            del self._arrays[FIELDS[name]]
            first = f.FIRST_FIELD + 3 * FIELDS[name]
            self.ctx[first : first + 3] = 0
        same = plan.integrator == self.plan.integrator
        for name, one in after.method.items():
            if not same or before.method.get(name) != one:
                self._enter(one)
        for name, flag in after.flags.items():
            if before.flags.get(name) != flag:
                self.ctx[HEADER[name]] = SLOTS[flag] if isinstance(flag, str) else flag
        for name, value in after.settings.items():
            if before.settings.get(name) != value:
                self[f.SETTINGS][SETTINGS_[name], 0] = value
        self.plan = plan

    def _enter(self, one: Field) -> None:
        """An array of the integrator."""
        key = FIELDS[one.name]
        array = aligned(one.shape[0] * one.shape[1], self._template.types[BLOCKS.index(one.number)]).reshape(one.shape)
        array[...] = start_of(one)
        self._put(key, array)

    def _put(self, key: int, array: Any) -> None:
        self._arrays[key] = array
        first = f.FIRST_FIELD + 3 * key
        self.ctx[first : first + 3] = array.__array_interface__["data"][0], *array.shape

    @property
    def counters(self) -> Any:
        """Evaluations, full Newton steps, rounds, lost ranks, steps too long for events, stiff ones."""
        return self.ctx[COUNTERS]

    @property
    def method_work(self) -> Any:
        """Work rows of a method with error control."""
        return self[f.METHOD_WORK]

    def forget_stiffness(self) -> None:
        """Steps that stability held short so far no longer count."""
        self.ctx[f.H_STIFF] = 0

    @property
    def fired(self) -> tuple[int, ...]:
        """Events that happen where the time loop stopped."""
        return tuple(np.flatnonzero(self[f.EVENT_FIRED][:, 0]).tolist())

    @property
    def memory(self) -> list[Any]:
        """All arrays that `begin_anew` brings back to what they were."""
        found = [*self._blocks, *(self[FIELDS[one.name]] for one in self.plan.recipe.method.values())]
        return [array.reshape(-1) for array in found]

    def begin_anew(self) -> None:
        """All memory as it was when it was made, but for the numbers of the mechanism."""
        numbers = self[f.PARAMETERS].copy()
        for block, image in zip(self._blocks, self._template.blocks, strict=True):
            block[...] = image
        for one in self.plan.recipe.method.values():
            self[FIELDS[one.name]][...] = start_of(one)
        self.ctx[KEPT_WORDS] = self._template.ctx[KEPT_WORDS]
        self[f.PARAMETERS][...] = numbers
        for key, array in self._own.items():
            if key in self._template.places:
                self[key][...] = array

    def patch(self, places: Iterable[tuple[int, int, int, float]]) -> None:
        """Numbers of the mechanism straight into the arrays: field, row, column, value. The model stays as it is."""
        for key, row, column, value in places:
            if key == f.PARAMETERS:
                self[key][row, column] = value
                continue
            if key not in self._own:
                self._own[key] = self[key].copy()
                if key in self._template.shared:
                    self._point(key, self._own[key])
            self._own[key][row, column] = value
            self[key][row, column] = value

    def _point(self, key: int, array: Any) -> None:
        self._arrays[key] = array
        first = f.FIRST_FIELD + 3 * key
        self.ctx[first : first + 3] = array.__array_interface__["data"][0], *array.shape

    def take_numbers(self, other: Workspace) -> None:
        """The numbers of the mechanism that another workspace of the same model has."""
        self.hold_numbers(other[f.PARAMETERS], other._own)

    def held_numbers(self) -> tuple[Any, dict[int, Any]]:
        """Parameters, and constants that were changed by field, as they are now."""
        return self[f.PARAMETERS].copy(), {key: array.copy() for key, array in self._own.items()}

    def hold_numbers(self, parameters: Any, own: Mapping[int, Any]) -> None:
        """Such numbers of the same model."""
        self[f.PARAMETERS][...] = parameters
        for key, array in own.items():
            if self._own.get(key) is not array:
                self._own[key] = array
                if key in self._template.shared:
                    self._point(key, array)
            if key in self._template.places:
                self[key][...] = array

    def rename(self, blueprint: Blueprint, bodies: tuple[Any, ...] | None = None) -> None:
        """The model of another blueprint whose numbers are in the arrays already."""
        self.model = replace(self.model, blueprint=blueprint, body_data=bodies or self.model.body_data)

    def twin(self) -> Workspace:
        """A workspace like this one in memory of its own, with the same numbers; not for time loops."""
        other = Workspace(self.plan.observing)
        other.take_numbers(self)
        return other

    def carry_events(self, other: Workspace) -> None:
        """Go on with another workspace of the same events: which have just happened, and which side each is on."""
        for key in (f.EVENT_FIRED, f.EVENT_VALUE, f.EVENT_WORK):
            self[key][...] = other[key]

    # What a later step reads -----------------------------------------------------------------------------------------

    @property
    def kept(self) -> tuple[tuple[Field, Any], ...]:
        """Arrays that a later step reads, with their bounds: what a checkpoint holds of memory."""
        if self._kept is None:
            self._kept = tuple((one, array) for one, array in self._find_kept() if array.size)
        return self._kept

    def _find_kept(self) -> Iterable[tuple[Field, Any]]:
        bounds = {"rows": self.plan.sizes.rows, "flag": 2, "": None}
        recipe = self.plan.recipe
        named = {**recipe.memory, **recipe.method}
        yield from ((one, self[FIELDS[name]]) for name, one in named.items() if one.use is Use.KEPT)
        for key in self.model.fields:
            kind = KINDS[key]
            if kind.use is Use.KEPT and kind.name not in named:
                array = self[key]
                yield Field(kind.name, array.shape, kind.use, kind.number, bounds[kind.below]), array

    @property
    def words(self) -> Any:
        """Words of the header that a later step reads, in the order of KEPT_HEADER."""
        return self.ctx[KEPT_WORDS]

    @property
    def settings(self) -> Any:
        """Settings that a later step reads, in the order of KEPT_SETTINGS."""
        return self[f.SETTINGS][KEPT_PLACES, 0]

    def set_words(self, words: Any, settings: Any) -> None:
        """Give back what `words` and `settings` have read."""
        self.ctx[KEPT_WORDS] = words
        self[f.SETTINGS][KEPT_PLACES, 0] = settings

    def expects_other_rank(self, words: Any) -> bool:
        """Whether words that somebody else wrote are of a mechanism with another rank."""
        place = KEPT_HEADER.index("EXPECTED_RANK")
        return bool(words[place] != self.ctx[KEPT_WORDS[place]])

    @property
    def sizes(self) -> Any:
        """Of the mechanism."""
        return self.plan.sizes
