"""Templates of workspaces: what all workspaces of a plan have in common, made once from what its parts supply.

Arrays that a run writes lie side by side in one block of memory for each number type, so a workspace is three copies
and a table whose addresses are moved. Constants are shared by all workspaces of a model.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..choices.contract import Entry, Field, Number, Use
from ..kernels.layout import fields as f
from ..kernels.layout import tree_table
from ..model.field_kinds import KINDS
from .compiled_entries import address, function_of

if TYPE_CHECKING:
    from ..model.flat import FlatModel
    from .plan import Plan, WorkspaceParts

LINE = 64  # bytes of a line of cache: numbers that lie across two cost twice


# Words of the context by name, looked up once.
_words = {name: value for name, value in vars(f).items() if isinstance(value, int)}
HEADER, SLOTS, SETTINGS_, FIELDS = (
    {name.removeprefix(start): value for name, value in _words.items() if name.startswith(start)}
    for start in ("H_", "F_", "S_", "")
)
HEADER |= {name: getattr(tree_table, name) for name in ("N_LINKS", "HAS_LOADS", "OPEN")}
KIND_OF = {key: (kind.use is Use.CONSTANT, kind.number) for key, kind in KINDS.items()}
BLOCKS = (Number.INT, Number.REAL, Number.NUMBER)
PLACE_OF = {id(number): k for k, number in enumerate(BLOCKS)}


# An array in one of the blocks of memory of a workspace: block, offset, shape.
Place = tuple[int, int, tuple[int, int]]


class Template:
    """What all workspaces of a plan have in common, in one number type: they differ in where their memory is."""

    def __init__(self, plan: Plan, number: type, slots: Collection[str] | None) -> None:
        model, recipe = plan.model, plan.recipe
        self.types = (np.dtype(np.int64), np.dtype(np.float64), np.dtype(number))
        # Words of a tree stand behind the fields.
        length = max(f.TABLE_LENGTH, 1 + max(HEADER[name] for name in recipe.flags))
        self.ctx = np.zeros(length, dtype=np.int64)
        for name, flag in recipe.flags.items():
            self.ctx[HEADER[name]] = SLOTS[flag] if isinstance(flag, str) else flag
        type_name = self.types[2].name
        for slot, entry in recipe.entries.items():
            if slots is None or slot in slots:
                self.ctx[f.H_COUNT + SLOTS[slot]] = address(entry, type_name)
        self.shared: dict[int, Any] = {}
        self.places: dict[int, Place] = {}
        self.blocks = self._filled(model, recipe)
        settings = self.places[f.SETTINGS][1]
        for word, setting in recipe.settings.items():
            self.blocks[1][settings + SETTINGS_[word]] = setting

    def _filled(self, model: FlatModel, recipe: WorkspaceParts) -> tuple[Any, Any, Any]:
        """Where every array is, and what each block begins with. In one piece: it is done for every model anew."""
        private = self.types[2] != np.float64  # constants are numbers too: complex ones carry derivatives
        whole = tuple(LINE // each.itemsize for each in self.types)
        lengths, starts = [0, 0, 0], ([], [], [])  # type: ignore[var-annotated]
        words, first = self.ctx, f.FIRST_FIELD
        for key, array in model.fields.items():
            constant, number = KIND_OF[key]
            block = PLACE_OF[id(number)]
            shape = array.shape
            at = first + 3 * key
            words[at + 1], words[at + 2] = shape
            if constant and not (private and block == 2):
                self.shared[key] = array
                words[at] = array.__array_interface__["data"][0]
                continue
            self.places[key] = (block, lengths[block], shape)
            starts[block].append((lengths[block], array))
            lengths[block] += -(-shape[0] * shape[1] // whole[block]) * whole[block]
        for one in recipe.memory.values():
            key, block, shape = FIELDS[one.name], PLACE_OF[id(one.number)], one.shape
            at = first + 3 * key
            words[at + 1], words[at + 2] = shape
            self.places[key] = (block, lengths[block], shape)
            starts[block].append((lengths[block], start_of(one)))
            lengths[block] += -(-shape[0] * shape[1] // whole[block]) * whole[block]
        images = tuple(map(np.zeros, lengths, self.types))
        for image, parts in zip(images, starts, strict=True):
            for offset, start in parts:
                if isinstance(start, np.ndarray) and start.size:
                    image[offset : offset + start.size] = start.ravel()
        return images  # type: ignore[return-value]

    @cached_property
    def addresses(self) -> tuple[tuple[Any, Any], ...]:
        """Of each block: which words of the table are addresses in it, and how many bytes from its beginning."""
        words: tuple[list[int], ...] = ([], [], [])
        offsets: tuple[list[int], ...] = ([], [], [])
        for key, (block, offset, _) in self.places.items():
            words[block].append(f.FIRST_FIELD + 3 * key)
            offsets[block].append(offset * self.types[block].itemsize)
        pairs = zip(words, offsets, strict=True)
        return tuple((np.array(w, dtype=np.int64), np.array(o, dtype=np.int64)) for w, o in pairs)


def start_of(one: Field) -> Any:
    """What a field begins with."""
    return _made(one.start) if isinstance(one.start, Entry) else one.start


_made = functools.cache(function_of)


def aligned(size: int, dtype: Any) -> Any:
    """Zeros that begin where a line of cache does."""
    dtype = np.dtype(dtype)
    memory = np.zeros(size + LINE // dtype.itemsize, dtype=dtype)
    start = -memory.__array_interface__["data"][0] % LINE // dtype.itemsize
    return memory[start : start + size]
