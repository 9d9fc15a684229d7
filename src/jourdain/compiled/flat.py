"""FlatModel: a mechanism as arrays that never change. Workspace: the arrays a run writes, and the address table.

Fields are those of kernels/context.py, which gives shape, frame and unit of each. The Workspace keeps every array
alive that its table points to.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.parts import Blueprint
from .bodies import BodyData
from .kernels import load_kernels, own_cache

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One scalar equation: whose it is, what it forbids, and where it sits among the padded rows."""

    joint: str  # or the body, for an intrinsic row of the coordinates
    meaning: str
    row: int
    dropped: bool
    intrinsic: bool = False


@dataclass(frozen=True)
class Sign:
    """A condition a.b > 0 of a joint, by vector index."""

    joint: str
    words: str
    a: int
    b: int


@dataclass(frozen=True)
class FlatModel:
    """The compiled mechanism. `fields` maps field numbers to arrays; sizes are per body unless said."""

    blueprint: Blueprint
    coordinates: str
    fields: dict[int, Any]
    header: dict[int, int]
    rows: tuple[Row, ...]
    signs: tuple[Sign, ...]
    turns: tuple[str, ...]  # joints whose turns are counted, in the order of z[2:]
    size: float  # m, extent of the mechanism
    nq: int
    nv: int
    nz: int
    padded: int  # constraint rows with padding
    body_data: tuple[BodyData, ...] = field(repr=False)
    keepalive: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def set(self) -> Any:
        """The coordinate set: its constants and functions."""
        return coordinate_set(self.blueprint.space, self.coordinates)

    @property
    def bodies(self) -> int:
        return len(self.blueprint.bodies)

    @property
    def length(self) -> int:
        """Length of y = [q | v | z]."""
        return self.nq + self.nv + self.nz


class Workspace:
    """Arrays of one run and the table of addresses `ctx`. Not to be shared between threads."""

    def __init__(
        self,
        model: FlatModel,
        number: type = np.float64,
        functions: Collection[int] | None = None,
        stabilisation: str = "projection",
    ) -> None:
        """`number` complex128 gives derivatives by complex step; `functions` limits what gets compiled for it."""
        k = load_kernels()
        c = k.context
        self.model = model
        self.arrays: dict[int, Any] = {}
        self.ctx = np.zeros(c.TABLE_LENGTH, dtype=np.int64)
        for key, value in model.header.items():
            self.ctx[key] = value
        for function in needed_entries(model, stabilisation) if functions is None else functions:
            space, variant = model.blueprint.space, stabilisation if function == c.F_AFTER_STEP else ""
            entry = compiled_entry(space, model.coordinates, function, np.dtype(number).name, variant)
            self.ctx[c.H_COUNT + function] = entry.address
        written = (c.PERMUTATION, *range(c.SIGNAL, c.FIELD_COUNT))
        copies = _packed({key: model.fields[key] for key in written}, number, c.VEC)
        for key, value in model.fields.items():
            array = copies.get(key, value)
            self.arrays[key] = array
            base = c.H_COUNT + c.F_COUNT + 3 * key
            self.ctx[base : base + 3] = array.ctypes.data, array.shape[0], array.shape[1]

    def __getitem__(self, key: int) -> Any:
        return self.arrays[key]


def _packed(fields: dict[int, Any], number: type, first_state: int) -> dict[int, Any]:
    """Copies of arrays, those of state (in `number`) side by side in one piece of memory."""
    copies = {key: value.copy() for key, value in fields.items() if key < first_state}
    lengths = {key: value.size for key, value in fields.items() if key >= first_state}
    memory = np.zeros(sum(lengths.values()), dtype=number)
    start = 0
    for key, length in lengths.items():
        view = memory[start : start + length].reshape(fields[key].shape)
        view[...] = fields[key]
        copies[key] = view
        start += length
    return copies


def coordinate_set(space: str, name: str) -> Any:
    """The kernels and constants of a coordinate set, imported when first used."""
    return load_kernels().coordinate_set(space, name)


@functools.cache
def compiled_entry(space: str, coordinates: str, function: int, number: str, variant: str = "") -> Any:
    """One compiled entry, for a coordinate set and a number type. Lives as long as the process."""
    import numba

    k = load_kernels()
    c = k.context
    s = coordinate_set(space, coordinates)
    sources = {
        c.F_BODIES: lambda: s.bodies,
        c.F_CHART: lambda: s.chart,
        c.F_SIGNALS: lambda: k.formula.signals,
        c.F_PLACE: lambda: s.place,
        c.F_WEIGH: lambda: s.weigh,
        c.F_LOAD: lambda: s.load,
        c.F_SHIFT: lambda: s.shift,
        c.F_RATES: lambda: s.rates,
        c.F_RETRACT: lambda: s.retract,
        c.F_ENERGY: lambda: s.energy,
        c.F_ASSEMBLE: lambda: k.blocks.make_assemble(s.BLOCK, s.NV),
        c.F_FACTOR: lambda: k.blocks.make_factor(s.BLOCK),
        c.F_ROWS: lambda: k.rows.make_entry(s.DIM),
        c.F_FORCES: lambda: k.forces.make_forces(s.DIM),
        c.F_SPRINGS: lambda: k.forces.make_springs(s.DIM),
        c.F_DENSE_FACTOR: lambda: k.rank.dense_factor,
        c.F_DENSE_SOLVE: lambda: k.rank.dense_solve,
        c.F_SOLVE: lambda: k.blocks.make_solve(s.BLOCK),
        c.F_TIMES: lambda: k.blocks.make_times(s.BLOCK, s.NV),
        c.F_CORRECT: lambda: k.blocks.make_correct(s.BLOCK, s.NV),
        c.F_RHS: lambda: k.system.rhs,
        c.F_UNIT_WEIGH: lambda: k.blocks.unit_weigh,
        c.F_AFTER_STEP: lambda: k.system.after_step_euclidean if variant == "euclidean" else k.system.after_step,
        c.F_OUTPUTS: lambda: k.system.outputs,
    }
    with own_cache():
        return c.entry(sources[function](), numba.from_dtype(np.dtype(number)))


def needed_entries(model: FlatModel, stabilisation: str = "projection") -> list[int]:
    """All entries but those that this mechanism never calls: they would only cost compile time."""
    c = load_kernels().context
    unused = set()
    if not model.set.GENERAL:
        unused.add(c.F_BODIES)
    if not model.set.CHARTS:
        unused.add(c.F_CHART)
    if stabilisation != "euclidean":
        unused.add(c.F_UNIT_WEIGH)
    if len(model.fields[c.SIGNALS]) == 0:
        unused.add(c.F_SIGNALS)
    if model.header[c.H_SINGULAR] == 0:
        unused.add(c.F_SHIFT)
    return [f for f in range(c.F_COUNT) if f not in unused]
