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
from .integrators import ADAPTIVE, WITH_FORCES, WITH_MULTIPLIERS, method_of, stages_of
from .kernels import load_kernels, own_cache
from .rare import Stub

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One scalar equation: whose it is, what it forbids, and where it sits among the padded rows."""

    joint: str  # or the body, for an intrinsic row of the coordinates
    meaning: str
    row: int
    dropped: bool
    intrinsic: bool = False
    velocity: bool = False  # holds a velocity, and no position


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
    states: tuple[tuple[str, str], ...]  # element and name of each state, the first of z
    starts: tuple[float, ...]  # their values at the start
    turns: tuple[str, ...]  # joints (bodies in the plane) whose turns are counted, the last of z
    reports: tuple[str, ...]  # channels that components report, in order
    parameters: dict[str, int]  # place of each in PARAMETERS
    held_by: dict[str, frozenset[str]]  # parameters that rows depend on, and whose rows these are
    floating: tuple[tuple[int, str], ...]  # rows whose phase the assembled pose decides, and the parameter holding it
    kinked: bool  # some force has a kink (a stop, a rope): long steps could pass over a contact unseen
    off: frozenset[str]  # joints, relations and motions without rows
    size: float  # m, extent of the mechanism
    nq: int
    nv: int
    nz: int
    padded: int  # constraint rows with padding
    body_data: tuple[BodyData, ...] = field(repr=False)
    keepalive: tuple[Any, ...] = field(default=(), repr=False)
    tree: Any = field(default=None, repr=False)  # TreeModel, of joint coordinates; likewise the next:
    carried: dict[int, int] = field(default_factory=dict, repr=False)  # link at which each block of rows is solved

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
        integrator: str = "",
        treatment: str = "kkt",
    ) -> None:
        """`number` complex128 gives derivatives by complex step; `functions` limits what gets compiled for it.

        `integrator` is needed for time loops, and those with a fixed step need it only to locate events. Treatment and
        stabilisation by name; their parameters are for `analysis/starting/prepare.py` to set.
        """
        k = load_kernels()
        c = k.context
        self.model = model
        self.integrator = integrator
        self.arrays: dict[int, Any] = {}
        self.ctx = np.zeros(c.TABLE_LENGTH if model.tree is None else len(model.tree.table), dtype=np.int64)
        for key, value in model.header.items():
            self.ctx[key] = value
        if functions is None:
            functions = needed_entries(model, stabilisation, integrator, treatment)
        which = (model.blueprint.space, model.coordinates, np.dtype(number).name)
        for function in functions:
            variant = variant_of(function, stabilisation, integrator, treatment)
            rare = function in rare_entries(c)
            entry = _stub(*which, function) if rare else compiled_entry(*which[:2], function, which[2], variant)
            self.ctx[c.H_COUNT + function] = entry.address
        self._count_multipliers(stabilisation)
        written = [c.PERMUTATION, *range(c.SETTINGS, c.FIELD_COUNT)]
        method = _method_arrays(model, integrator, int(self.ctx[c.H_MULTIPLIERS]))
        fields = {**model.fields, **_event_arrays(model), **method, **_treatment_arrays(model, treatment)}
        written += [key for key in fields if key >= c.FIELD_COUNT]
        # Constants are numbers too: complex ones carry derivatives by parameters.
        for key in (*range(c.BODY, c.SETTINGS), c.PARAMETERS, c.METHOD_WORK):
            fields[key] = fields[key].astype(number, copy=False)
        copies = _packed({key: fields[key] for key in written}, number, c.SIGNAL)
        for key, value in fields.items():
            self._enter(key, copies.get(key, value))

    def _enter(self, key: int, array: Any) -> None:
        c = load_kernels().context
        self.arrays[key] = array
        base = c.H_COUNT + c.F_COUNT + 3 * key
        self.ctx[base : base + 3] = array.ctypes.data, array.shape[0], array.shape[1]

    @property
    def reported(self) -> int:
        """Numbers reported at a sample (see `outputs` in kernels/system.py)."""
        c = load_kernels().context
        return int(self.model.nv + 2 + self[c.ENERGY].size + self[c.REPORTED].size + self[c.WRENCHES].size + 1)

    def change_method(self, integrator: str) -> None:
        """Go on with another of the methods with error control; for projection and kkt only."""
        if integrator == self.integrator:
            return
        c = load_kernels().context
        self.integrator = integrator
        for function in (c.F_TRY, c.F_DENSE, c.F_DAE):
            if function in needed_entries(self.model, integrator=integrator):
                variant = variant_of(function, "projection", integrator)
                space, coordinates = self.model.blueprint.space, self.model.coordinates
                entry = compiled_entry(space, coordinates, function, "float64", variant)
                self.ctx[c.H_COUNT + function] = entry.address
        self._count_multipliers("projection")
        count = int(self.ctx[c.H_MULTIPLIERS])
        for key, array in _method_arrays(self.model, integrator, count).items():
            self._enter(key, array)

    def _count_multipliers(self, stabilisation: str) -> None:
        c = load_kernels().context
        count = multiplier_count(self.model, stabilisation, self.integrator)
        self.ctx[c.H_MULTIPLIERS] = count
        self.ctx[c.H_UNKNOWN_FORCES] = int(self.integrator.endswith(WITH_FORCES))
        self.ctx[c.H_SLOPE] = c.F_DAE if count else c.F_RHS
        self.ctx[c.H_SUBSTITUTE] = int(substituted(self.model, self.integrator))

    def __getitem__(self, key: int) -> Any:
        return self.arrays[key]

    def provide_exact(self) -> None:
        """What steps with the exact iteration matrix need; few machines do."""
        c, model = load_kernels().context, self.model
        entry = compiled_entry(model.blueprint.space, model.coordinates, c.F_EXACT, "float64")
        self.ctx[c.H_COUNT + c.F_EXACT] = entry.address
        n = model.nv + model.header[c.H_STATES] + model.padded
        self._enter(c.EXACT, np.zeros((n + load_kernels().method("exact").MORE_ROWS, n)))

    def carry_events(self, other: Workspace) -> None:
        """Go on with another workspace of the same events: which have just happened, and which side each is on."""
        c = load_kernels().context
        for key in (c.EVENT_FIRED, c.EVENT_VALUE, c.EVENT_WORK):
            self.arrays[key][...] = other.arrays[key]


# Treatments that solve K lam = b otherwise than by block factors of K, by what they do otherwise.
LINE = 64  # bytes of a line of cache: numbers that lie across two cost twice
SHIFTED = ("augmented-lagrangian", "penalty")
ITERATED = ("augmented-lagrangian", "uzawa")
REDUCED = ("partitioning", "null-space")


def variant_of(function: int, stabilisation: str, integrator: str, treatment: str = "kkt") -> str:
    """Which of several entries for one purpose these choices need."""
    c = load_kernels().context
    method = method_of(integrator)
    located = "adaptive" if method in ADAPTIVE else method
    closing = {"baumgarte": "none", "ggl": "projection"}
    unknowns = {WITH_MULTIPLIERS: "index-1", WITH_FORCES: "forces"}
    variants = {
        c.F_AFTER_STEP: closing.get(stabilisation, stabilisation),
        c.F_STEP: located,
        c.F_TRY: method,
        c.F_DENSE: method,
        c.F_DAE: next((v for end, v in unknowns.items() if integrator.endswith(end)), "ggl"),
        c.F_ASSEMBLE: "shifted" if treatment in SHIFTED else "",
        c.F_FACTOR: treatment if treatment in ("uzawa", *REDUCED) else "",
        c.F_SOLVE: treatment if treatment in (*ITERATED, *REDUCED) else "",
    }
    return variants.get(function, "")


def _treatment_arrays(model: FlatModel, treatment: str) -> dict[int, Any]:
    """Memory that only some treatments need."""
    c = load_kernels().context
    rows, nv = model.padded, model.nv
    iterated = rows if treatment in (*SHIFTED, *ITERATED) else 0
    dense = treatment in REDUCED
    held, freedoms = (rows, nv) if dense else (0, 0)
    return {
        c.COLUMN_ORDER: np.zeros((freedoms, 1), dtype=np.int64),
        c.SHIFT: np.zeros((iterated, 1)),
        c.GUESS: np.zeros((iterated, 1)),
        c.ITERATE: np.zeros((4, rows if iterated or dense else 0)),
        c.DENSE_ROWS: np.zeros((held, freedoms)),
        c.REFLECTIONS: np.zeros((min(rows, nv) if treatment == "null-space" else 0, freedoms)),
        c.TANGENT: np.zeros((freedoms, freedoms)),
        c.REDUCED: np.zeros((freedoms, freedoms)),
        c.FULL: np.zeros((3, nv if iterated or dense else 0)),
        c.EXACT: np.zeros((0, 0)),
    }


def substituted(model: FlatModel, integrator: str) -> bool:
    """Whether steps to events are those of radau: bdf needs a history."""
    return method_of(integrator) == "bdf" and len(model.fields[load_kernels().context.EVENTS]) > 0


def multiplier_count(model: FlatModel, stabilisation: str, integrator: str) -> int:
    """How many multipliers are unknowns of a step: two for each row with `ggl`, or one, or none."""
    if stabilisation == "ggl":
        return 2 * model.padded
    if integrator.endswith(WITH_FORCES):
        return int(model.fields[load_kernels().context.GIVEN].size)
    return model.padded if integrator.endswith(WITH_MULTIPLIERS) else 0


def _event_arrays(model: FlatModel) -> dict[int, Any]:
    """Memory of the search for events; next to nothing without."""
    k = load_kernels()
    c = k.context
    n = len(model.fields[c.EVENTS])
    return {
        c.EVENT_FIRED: np.zeros((n, 1), dtype=np.int64),
        c.EVENT_VALUE: np.zeros((n, 1)),
        c.EVENT_TRIAL: np.zeros((n, 1)),
        c.EVENT_WORK: np.zeros((k.events.WORK_ROWS, n)),
    }


def _method_arrays(model: FlatModel, integrator: str, multipliers: int) -> dict[int, Any]:
    """Memory of methods with error control, and of single steps to events."""
    k = load_kernels()
    c = k.context
    n = len(model.fields[c.EVENTS])
    width = model.length + multipliers
    method = method_of(integrator)
    located = "radau" if substituted(model, integrator) else integrator
    rows, step_to_event = (step_rows(i, model, multipliers) + k.events.KEPT_ROWS for i in (integrator, located))
    radau = method_of(located) == "radau"
    return {
        c.STEP_WORK: np.zeros((step_to_event if n else 0, width)),
        c.METHOD_WORK: np.zeros((rows if method in ADAPTIVE else 0, width)),
        c.METHOD_TABLE: k.radau_table.table(stages_of(located)) if radau else np.zeros((0, 1)),
    }


def step_rows(integrator: str, model: FlatModel, multipliers: int = 0) -> int:
    """Work rows of F_STEP, and of F_TRY."""
    k = load_kernels()
    if method_of(integrator) in ADAPTIVE:
        states = model.header[k.context.H_STATES]
        n = model.nq + model.nv + states + multipliers
        method = k.method(integrator)
        return int(
            method.work_rows(n, stages_of(integrator)) if method_of(integrator) == "radau" else method.work_rows(n)
        )
    return int(k.fixed_step.WORK_ROWS[_method(integrator)]) if integrator else 0


def _packed(fields: dict[int, Any], number: type, first_state: int) -> dict[int, Any]:
    """Copies of arrays, those of state (in `number`) side by side in one piece of memory, each from a LINE on."""
    states = {key for key, value in fields.items() if key >= first_state and value.dtype == np.float64}
    copies = {key: value.copy() for key, value in fields.items() if key not in states}
    whole = LINE // np.dtype(number).itemsize
    lengths = {key: -(-fields[key].size // whole) * whole for key in fields if key in states}
    memory = np.zeros(sum(lengths.values()) + whole, dtype=number)
    start = -memory.ctypes.data % LINE // memory.itemsize
    for key, length in lengths.items():
        view = memory[start : start + fields[key].size].reshape(fields[key].shape)
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
    recursive = hasattr(s, "RECURSIVE")
    sources = {
        c.F_BODIES: lambda: s.bodies,
        c.F_CHART: lambda: s.chart,
        c.F_SIGNALS: lambda: k.formulas.signals,
        c.F_FORWARD: lambda: k.tape.forward,
        c.F_REVERSE: lambda: k.tape.reverse,
        c.F_TAPE_ROWS: lambda: k.formulas.tape_rows,
        c.F_TAPE_FORCES: lambda: k.formulas.make_tape_forces(s.DIM),
        c.F_TAPE_VALUES: lambda: k.formulas.tape_values,
        c.F_WIND: lambda: k.formulas.wind,
        c.F_EVENTS: lambda: k.formulas.events,
        c.F_FEEDBACK: lambda: k.system.fed_back,
        c.F_REACTIONS: lambda: k.system.note_reactions,
        c.F_PLACE: lambda: s.place,
        c.F_WEIGH: lambda: s.weigh,
        c.F_LOAD: lambda: s.load,
        c.F_SHIFT: lambda: s.shift,
        c.F_SHIFTED: lambda: k.system.shifted,
        c.F_RATES: lambda: s.rates,
        c.F_RETRACT: lambda: s.retract,
        c.F_ENERGY: lambda: s.energy,
        c.F_ROWS: lambda: k.rows.make_entry(s.DIM),
        c.F_TERM_ROWS: lambda: k.rows.make_term_rows(s.DIM),
        c.F_FORCES: lambda: k.forces.make_forces(s.DIM),
        c.F_SPRINGS: lambda: k.forces.make_springs(s.DIM),
        c.F_DENSE_FACTOR: lambda: _dense_factor(s, number),
        c.F_DENSE_SOLVE: lambda: k.rank.dense_solve,
        c.F_BLOCK_SOLVE: lambda: k.blocks.make_solve(s.BLOCK),
        c.F_BAUMGARTE: lambda: k.iterated.baumgarte,
        c.F_MASS: lambda: s.mass,
        c.F_TIMES: lambda: s.times if recursive else k.blocks.make_times(s.BLOCK, s.NV),
        c.F_CORRECT: lambda: s.correct if recursive else k.blocks.make_correct(s.BLOCK, s.NV),
        c.F_WHOLE: lambda: s.whole,
        c.F_TREE_REACTIONS: lambda: s.tree_reactions,
        c.F_OPEN_TREE: lambda: s.open_tree,
        c.F_TREE_FACTOR: lambda: s.tree_factor,
        c.F_TREE_SOLVE: lambda: s.tree_solve,
        c.F_RHS: lambda: k.system.rhs,
        c.F_UNIT_WEIGH: lambda: k.blocks.unit_weigh,
        c.F_OUTPUTS: lambda: k.system.outputs,
        c.F_SEARCH: lambda: k.events.search,
        c.F_STEP: lambda: k.adaptive.step if variant == "adaptive" else k.fixed_step.make_step(_method(variant)),
        c.F_TRY: lambda: k.method(variant).attempt,
        c.F_SUBSTITUTE: lambda: k.method("radau").attempt,
        c.F_DENSE: lambda: k.method(variant).dense,
        c.F_EXACT: lambda: k.method("exact").solve_step,
    }
    with own_cache():
        source = sources[function] if function in sources else _solver_sources(s)[function, variant]
        return c.entry(source(), k.context.lanes if number == "lanes" else numba.from_dtype(np.dtype(number)))


def _dense_factor(s: Any, number: str) -> Any:
    k = load_kernels()
    if number == "lanes":
        return k.method("side_by_side").refuse_dense
    return s.dense_factor if hasattr(s, "RECURSIVE") else k.rank.dense_factor


def rare_entries(c: Any) -> tuple[int, ...]:
    """Those that are compiled when they are first called: near singular positions, and where rows are redundant."""
    return (c.F_DENSE_FACTOR, c.F_DENSE_SOLVE)


@functools.cache
def _stub(space: str, coordinates: str, number: str, function: int) -> Stub:
    name = f"{space}-{coordinates}-{function}-{number}"
    return Stub(function, name, lambda: compiled_entry(space, coordinates, function, number))


def _solver_sources(s: Any) -> dict[tuple[int, str], Any]:
    """Entries that treatments and stabilisations have variants of."""
    k = load_kernels()
    c = k.context
    recursive = hasattr(s, "RECURSIVE")
    kinds = {"partitioning": k.reduced.PARTITIONING, "null-space": k.reduced.NULL_SPACE}
    return {
        (c.F_ASSEMBLE, ""): lambda: k.blocks.make_assemble(s.BLOCK, s.NV, int(not s.GENERAL)),
        (c.F_ASSEMBLE, "shifted"): lambda: k.iterated.make_shifted_assemble(s.BLOCK, s.NV),
        (c.F_FACTOR, ""): lambda: s.factor if recursive else k.blocks.make_factor(s.BLOCK),
        (c.F_FACTOR, "uzawa"): lambda: k.iterated.make_uzawa_factor(s.BLOCK, s.NV),
        **{(c.F_FACTOR, name): lambda i=i: k.reduced.make_reduced_factor(i) for name, i in kinds.items()},
        (c.F_SOLVE, ""): lambda: s.solve if recursive else k.blocks.make_solve(s.BLOCK),
        (c.F_SOLVE, "augmented-lagrangian"): lambda: k.iterated.augmented_solve,
        (c.F_SOLVE, "uzawa"): lambda: k.iterated.make_uzawa_solve(s.BLOCK),
        **{(c.F_SOLVE, name): lambda i=i: k.reduced.make_reduced_solve(i) for name, i in kinds.items()},
        (c.F_DAE, "ggl"): lambda: k.ggl.stabilised,
        (c.F_DAE, "index-1"): lambda: k.ggl.index_one,
        (c.F_DAE, "forces"): lambda: k.ggl.given_forces,
        (c.F_AFTER_STEP, "projection"): lambda: k.projection.after_step,
        (c.F_AFTER_STEP, "euclidean"): lambda: k.projection.after_step_euclidean,
        (c.F_AFTER_STEP, "none"): lambda: k.projection.after_step_unprojected,
        (c.F_AFTER_STEP, "dependent"): lambda: k.reduced.after_step_dependent,
    }


def _method(integrator: str) -> int:
    """The method whose single step locates events: those that need a history take one that does not."""
    fixed = load_kernels().fixed_step
    codes = {"rk4": fixed.RK4, "rk6": fixed.RK6, "ab6": fixed.RK6, "alpha": fixed.ALPHA, "newmark": fixed.NEWMARK}
    return int(codes[integrator])


def needed_entries(
    model: FlatModel, stabilisation: str = "projection", integrator: str = "", treatment: str = "kkt"
) -> list[int]:
    """All entries but those that this mechanism never calls: they would only cost compile time."""
    c = load_kernels().context
    searched = integrator != "" and len(model.fields[c.EVENTS]) > 0
    is_open = model.tree is not None and model.padded == 0 and model.header[c.H_FEEDBACK] == 0
    uses = {
        c.F_BODIES: model.set.GENERAL,
        c.F_TERM_ROWS: len(model.fields[c.ROWS]) > 0,
        c.F_CHART: model.set.CHARTS,
        c.F_ASSEMBLE: model.tree is None,
        **dict.fromkeys((c.F_WHOLE, c.F_TREE_REACTIONS), model.tree is not None),
        c.F_OPEN_TREE: is_open,
        **dict.fromkeys((c.F_TREE_FACTOR, c.F_TREE_SOLVE), model.tree is not None and not is_open),
        c.F_UNIT_WEIGH: stabilisation == "euclidean",
        c.F_BAUMGARTE: stabilisation == "baumgarte",
        c.F_MASS: treatment in REDUCED,
        c.F_BLOCK_SOLVE: treatment == "augmented-lagrangian",
        **dict.fromkeys((c.F_SHIFT, c.F_SHIFTED), model.header[c.H_SINGULAR] == 1),
        c.F_FEEDBACK: model.header[c.H_FEEDBACK] == 1,
        c.F_STEP: searched,
        c.F_SEARCH: searched,
        c.F_TRY: method_of(integrator) in ADAPTIVE,
        c.F_DENSE: method_of(integrator) in ADAPTIVE,
        c.F_SUBSTITUTE: substituted(model, integrator),
        c.F_DAE: multiplier_count(model, stabilisation, integrator) > 0,
        c.F_EXACT: False,  # `Workspace.provide_exact`
        **{function: any(len(model.fields[f]) for f in fields) for function, fields in formula_uses(c).items()},
    }
    return [f for f in range(c.F_COUNT) if uses.get(f, True)]


def formula_uses(c: Any) -> dict[int, tuple[int, ...]]:
    """Entries that only formulas need, and the fields that say so."""
    return {
        c.F_SIGNALS: (c.SIGNALS,),
        c.F_FORWARD: (c.TAPE,),
        c.F_REVERSE: (c.ROW_TAPES, c.EFFORTS),
        c.F_TAPE_ROWS: (c.ROW_TAPES,),
        c.F_TAPE_FORCES: (c.VALUE_TAPES, c.STATE_TAPES, c.EFFORTS),
        c.F_TAPE_VALUES: (c.POTENTIALS,),
        c.F_WIND: (c.WINDINGS,),
        c.F_EVENTS: (c.EVENTS,),
    }
