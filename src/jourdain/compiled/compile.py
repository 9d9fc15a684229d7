"""Blueprint -> FlatModel: bodies, vectors, rows, forces and the schedule, each into its arrays.

Faults of equations and formulas are found here and reported together with those of `mechanism/checks.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..equations.catalogue import Entry, entry
from ..equations.formula import STACK_DEPTH
from ..mechanism import checks
from ..mechanism.errors import MechanismError
from ..mechanism.parts import GROUND, Blueprint
from ..topology.elimination import schedule
from .bodies import BodyData, body_data, mechanism_size
from .flat import FlatModel, Row, Sign, coordinate_set
from .kernels import load_kernels
from .loads import Loads, collect_loads
from .ports import joint_axes
from .rows import RowTables, Vectors, is_pin
from .signals import Signals, derivative_faults

# Larger systems get no rank-revealing fallback: its cost grows with the cube of the rows.
MAX_DENSE_ROWS = 600
# Joints in space whose relative turns are counted while running, so that their angle is never ambiguous.
TURNING = ("revolute", "cylindrical", "planar")

PROJECTION_CLOSED = 1e-13  # of the mechanism's extent: tighter costs a second factorisation a step, for nothing
EUCLIDEAN_CLOSED = 2e-14  # the same for the direct correction of recipe nacf, to the paper's 1e-12 m
ROUNDING = 2e-15  # of its reach from the origin: residuals cannot be smaller than a few last digits of positions
PROJECTION_OPEN = 1e-10  # of the mechanism's extent: above this a joint counts as open
PIVOT_VANISHES = 1e-12  # of its diagonal in K, whose entries are squares of those of J

# Axes of the ports of each joint, by joint and symbol.
_Axes = dict[str, dict[str, Any]]


def catalogue_entries(blueprint: Blueprint) -> list[Entry]:
    """The equations of every joint; raises MechanismError with all faults of the whole mechanism."""
    faults = checks.faults(blueprint)
    entries = []
    for joint in blueprint.joints:
        try:
            table = entry(joint.type, blueprint.dim, joint.length, joint.equations)
        except (ValueError, TypeError, RecursionError) as error:
            faults.append(f"joint '{joint.name}': {error}")
            continue
        entries.append(table)
        for row, meaning in zip(table.equations, table.meanings, strict=True):
            if reason := derivative_faults(row):
                faults.append(f"joint '{joint.name}': {meaning}: {reason}")
    faults += Signals().load_faults(blueprint)
    if faults:
        raise MechanismError(blueprint.name, faults)
    return entries


def compile_mechanism(
    blueprint: Blueprint,
    coordinates: str,
    dropped: Collection[tuple[str, int]] = (),
    fast_pins: bool = True,
) -> FlatModel:
    """Flat arrays of the mechanism in one coordinate set.

    `dropped` names redundant equations as (joint, number): they stay in the residuals but get no multiplier.
    `fast_pins=False` sends pins through the general table, to prove that both ways agree.
    """
    c = load_kernels().context
    s = coordinate_set(blueprint.space, coordinates)
    parts = _collect(blueprint, s, set(dropped), fast_pins)
    size, reach = mechanism_size(blueprint)
    bodies = tuple(body_data(blueprint, body, size) for body in blueprint.bodies)
    constants = s.constants(bodies, parts.vectors.described())
    nb = len(bodies)
    nz = 2 + len(parts.turns)
    fields = {
        **_topology_fields(c, parts, s),
        **_force_fields(c, parts, blueprint, size, reach),
        **_set_fields(c, parts, s, constants, bodies),
        **_state_fields(c, parts, s, nb, nz),
    }
    header = {
        c.H_BODIES: nb,
        c.H_Q: nb * s.NQ,
        c.H_V: nb * s.NV,
        c.H_Z: nz,
        c.H_ROWS: parts.tables.blocks * s.BLOCK,
        c.H_PIN_ENTRIES: parts.tables.pin_entries,
        c.H_PIN_SLOTS: parts.tables.pin_slots,
        c.H_SIDES: 2 * len(blueprint.joints),
        c.H_SINGULAR: int(constants["singular"]),
        c.H_CHARTS: int(s.CHARTS),
        c.H_BLOCK: s.BLOCK,
        c.H_BODY_V: s.NV,
    }
    return FlatModel(
        blueprint=blueprint,
        coordinates=coordinates,
        fields={key: np.ascontiguousarray(value) for key, value in fields.items()},
        header=header,
        rows=tuple(parts.tables.infos),
        signs=tuple(parts.signs),
        turns=tuple(parts.turns),
        size=size,
        nq=nb * s.NQ,
        nv=nb * s.NV,
        nz=nz,
        padded=parts.tables.blocks * s.BLOCK,
        body_data=bodies,
        keepalive=tuple(parts.signals.keepalive),
    )


@dataclass(frozen=True)
class _Parts:
    """What was collected from a blueprint, vectors numbered body by body."""

    vectors: Vectors
    signals: Signals
    tables: RowTables
    loads: Loads
    signs: list[Sign]
    turns: dict[str, tuple[int, int, int]]
    centres: list[int]


def _collect(blueprint: Blueprint, s: Any, dropped: set[tuple[str, int]], fast_pins: bool) -> _Parts:
    entries = catalogue_entries(blueprint)
    vectors, signals = Vectors(blueprint, s.FROM_ORIGIN), Signals()
    axes = {joint.name: joint_axes(blueprint, joint) for joint in blueprint.joints}
    tables = _rows(blueprint, entries, axes, vectors, signals, s, dropped, fast_pins)
    centres = [vectors.point(b.name, b.centre) for b in blueprint.bodies] if s.GENERAL else []
    loads = collect_loads(blueprint, vectors, signals)
    signs = _signs(blueprint, entries, axes, vectors)
    turns = _turns(blueprint, axes, vectors, s)
    order = vectors.sort()  # from here on vectors are numbered body by body
    tables.renumber(order)
    loads.renumber(order)
    return _Parts(
        vectors,
        signals,
        tables,
        loads,
        [Sign(joint, words, order[a], order[b]) for joint, words, a, b in signs],
        {name: (i, j, order[v]) for name, (i, j, v) in turns.items()},
        [order[v] for v in centres],
    )


def _topology_fields(c: Any, parts: _Parts, s: Any) -> dict[int, Any]:
    """Vectors, rows, and the schedule of the factorisation."""
    tables, dim = parts.tables, s.DIM
    plan = schedule(tables.slots, tables.blocks)
    unit = []
    for row in tables.unit_rows():
        block, k = divmod(row, s.BLOCK)
        unit.append((row, int(plan.diagonal[block]) * s.BLOCK**2 + k * (s.BLOCK + 1)))
    blocks_of_k = len(plan.pair_ranges)
    return {
        c.BODY_VECTORS: _ints(parts.vectors.ranges(), 2),
        c.VECTOR_LOCAL: _reals(parts.vectors.local(), dim + 1),
        c.VEC: parts.vectors.initial(),
        c.PINS: _ints(tables.pins, 5),
        c.ROWS: _ints(tables.rows, 4),
        c.TERMS: _ints(tables.terms, 9),
        c.COEFFICIENT: _reals(tables.coefficients, 1),
        c.ENTRIES: _ints(tables.entries, 5),
        c.GRADIENT: tables.initial_gradient(dim),
        c.SIGNS: _ints([(sign.a, sign.b) for sign in parts.signs], 2),
        c.SLOTS: _ints(tables.slots, 2),
        c.BLOCK_SLOTS: _ints(tables.block_slots(), 2),
        c.PAIRS: plan.pairs,
        c.PAIR_RANGES: plan.pair_ranges,
        c.PIVOTS: plan.pivots,
        c.COLUMN: plan.column,
        c.UPDATES: plan.updates,
        c.UNIT_ROWS: _ints(unit, 2),
        c.JACOBIAN: tables.initial_jacobian(s.BLOCK, s.NV),
        c.WEIGHTED: np.zeros((len(tables.slots), s.BLOCK * s.NV)),
        c.K: np.zeros((blocks_of_k, s.BLOCK**2)),
        c.L: np.zeros((blocks_of_k, s.BLOCK**2)),
        c.PIVOT: np.zeros((tables.blocks, s.BLOCK**2)),
    }


def _force_fields(c: Any, parts: _Parts, blueprint: Blueprint, size: float, reach: float) -> dict[int, Any]:
    """Applied forces, functions of time and settings."""
    dim = blueprint.dim
    loads, signals = parts.loads, parts.signals
    closed = max(PROJECTION_CLOSED * size, ROUNDING * reach)
    euclidean = max(EUCLIDEAN_CLOSED * size, ROUNDING * reach)
    settings = np.array([closed, max(PROJECTION_OPEN * size, 100 * closed), PIVOT_VANISHES, euclidean])
    return {
        c.SPRINGS: _ints(loads.springs, 2),
        c.SPRING: _reals(loads.spring_constants, 3),
        c.LOADS: _ints(loads.loads, 1 + dim),
        c.TORQUES: _ints(loads.torques, 2 if dim == 2 else 4),
        c.LOADED: _ints(loads.loaded(parts.vectors), 2),
        c.SIGNALS: _ints(signals.todo, 4),
        c.SIGNAL: _reals(signals.values, 3),
        c.PROGRAM: _reals(signals.program, 1),
        c.GRAVITY: _reals(blueprint.gravity, 1),
        c.TURNS: _ints(list(parts.turns.values()), 3),
        c.SETTINGS: _reals(settings, 1),
        c.STACK: np.zeros((STACK_DEPTH, 1)),
    }


def _set_fields(
    c: Any, parts: _Parts, s: Any, constants: dict[str, Any], bodies: tuple[BodyData, ...]
) -> dict[int, Any]:
    """What only the coordinate set can fill; empty where it does not."""
    nb, nvec = len(bodies), len(parts.vectors)
    general = nb if s.GENERAL else 0

    def given(name: str, shape: tuple[int, int]) -> np.ndarray:
        if name not in constants:
            return np.zeros(shape)
        return np.array(constants[name], dtype=np.float64).reshape(shape[0], -1)

    return {
        c.FORMS: _ints(constants.get("FORMS", []), 3),
        c.FORM: _reals(constants.get("FORM", []), 1),
        c.SPIN_FORMS: _ints(constants.get("SPIN_FORMS", []), 3),
        c.SPIN_FORM: _reals(constants.get("SPIN_FORM", []), 1),
        c.MASS_CENTRES: _ints(parts.centres, 1),
        c.MASSES: _reals([b.mass for b in bodies], 1),
        **{getattr(c, name): given(name, (nb, 1)) for name in ("BODY", "FORM_SCALE", "FORM_CONSTANT", "SPIN_SCALE")},
        c.MASS: given("MASS", (general, s.NV**2)),
        c.EXTRA: given("EXTRA", (general, s.NV**2)),
        c.MASS_INVERSE: given("MASS_INVERSE", (nb, max(18, s.NV**2))),
        c.VECTOR_JACOBIAN: given("VECTOR_JACOBIAN", (nvec if s.GENERAL else 0, s.DIM * s.NV)),
    }


def _state_fields(c: Any, parts: _Parts, s: Any, nb: int, nz: int) -> dict[int, Any]:
    """Arrays that every evaluation writes."""
    padded = parts.tables.blocks * s.BLOCK
    spin = 1 if s.DIM == 2 else 3
    dense = (padded, padded) if padded <= MAX_DENSE_ROWS else (0, 0)
    return {
        c.PERMUTATION: np.zeros((padded, 1), dtype=np.int64),
        **{key: np.zeros((padded, 1)) for key in (c.RESIDUAL, c.PARTIAL, c.GAMMA, c.LAMBDA, c.SCRATCH, c.SCALE)},
        c.OMEGA: np.zeros((nb + 1, spin)),  # the ground's is the last
        c.VECTOR_FORCE: np.zeros((len(parts.vectors), s.DIM)),
        c.BODY_TORQUE: np.zeros((nb, spin)),
        c.SPIN_JACOBIAN: np.zeros((nb, spin * s.NV)),
        c.BIAS: np.zeros((nb, s.NV)),
        c.BODY_COLUMN: np.zeros((64, 1)),
        **{key: np.zeros((nb * s.NV, 1)) for key in (c.ACCELERATION, c.FREE, c.TRIAL)},
        c.POWER: np.zeros((nz, 1)),
        c.ENERGY: np.zeros((2 + 2 * len(parts.loads.springs), 1)),
        c.DENSE: np.zeros(dense),
        c.GRAM: np.zeros(dense),
    }


def _rows(
    blueprint: Blueprint,
    entries: list[Entry],
    axes: _Axes,
    vectors: Vectors,
    signals: Signals,
    coordinates: Any,
    dropped: set[tuple[str, int]],
    fast_pins: bool,
) -> RowTables:
    """Intrinsic rows of the coordinates first, then pins, so that their slots come first, then all other equations."""
    block = coordinates.BLOCK
    tables = RowTables(blueprint, vectors, signals, block)
    for body in range(len(blueprint.bodies)):
        tables.add_intrinsic(body, coordinates.INTRINSIC)
    dim = blueprint.dim
    rest = []
    for index, (joint, table) in enumerate(zip(blueprint.joints, entries, strict=True)):
        numbers = list(range(len(table.equations)))
        whole = not any((joint.name, k) in dropped for k in numbers[:dim])
        if fast_pins and whole and is_pin(table.equations[:dim], dim):
            tables.add_pin(index, table.meanings[:dim])
            numbers = numbers[dim:]
        rest.append((index, numbers))
    tables.end_pins()
    for index, numbers in rest:
        joint, table = blueprint.joints[index], entries[index]
        drop = {k for name, k in dropped if name == joint.name}
        for start in range(0, len(numbers), block):
            chunk = numbers[start : start + block]
            tables.add_block(
                index, [(k, table.equations[k], table.meanings[k], k in drop) for k in chunk], axes[joint.name]
            )
    if tables.faults:
        raise MechanismError(blueprint.name, tables.faults)
    tables.infos.sort(key=lambda info: info[0])
    tables.infos = [Row(*info[1:]) for info in tables.infos]
    return tables


def _signs(
    blueprint: Blueprint, entries: list[Entry], axes: _Axes, vectors: Vectors
) -> list[tuple[str, str, int, int]]:
    found = []
    for joint, table in zip(blueprint.joints, entries, strict=True):
        bodies = {"i": joint.first.body, "j": joint.second.body}
        for a, b in table.signs:
            first, second = (vectors.axis(bodies[name[-1]], axes[joint.name][name]) for name in (a, b))
            found.append((joint.name, f"{a}.{b} > 0", first, second))
    return found


def _turns(blueprint: Blueprint, axes: _Axes, vectors: Vectors, coordinates: Any) -> dict[str, tuple[int, int, int]]:
    """What is counted: joints in space; bodies in the plane, where the coordinates hold no angle."""
    ground = vectors.body_index(GROUND)
    if blueprint.dim == 2:
        bodies = [] if coordinates.HAS_ANGLE else blueprint.bodies
        return {body.name: (ground, vectors.body_index(body.name), vectors.fixed_axis(0)) for body in bodies}
    turns = {}
    for joint in blueprint.joints:
        if joint.type in TURNING:
            z = axes[joint.name]["z_i"]
            first, second = (vectors.body_index(p.body) for p in (joint.first, joint.second))
            turns[joint.name] = (first, second, vectors.axis(joint.first.body, z))
    return turns


def _ints(rows: Any, columns: int) -> np.ndarray:
    return np.array(rows, dtype=np.int64).reshape(-1, columns)


def _reals(rows: Any, columns: int) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(-1, columns)
