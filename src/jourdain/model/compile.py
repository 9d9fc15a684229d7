"""Blueprint -> FlatModel: bodies, vectors, rows, forces and the schedule, each into its arrays.

What can be found wrong without compiling has been (`library/mechanism_faults.py`); what formulas hide until their
channels are written out is found here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..choices.coordinates import Coordinates, Relative, coordinates_of
from ..choices.treatments.reduced import MAX_DENSE_ROWS
from ..kernels.layout import fields as f
from ..library.joints import JointRows, kind_of
from ..library.mechanism_faults import joint_entries
from ..mechanism.frozen import Frozen
from ..mechanism.parts import GROUND, Blueprint
from ..mechanism.port_axes import joint_axes
from .body_data import BodyData, body_data, differ
from .extent import extent_of
from .flat import FlatModel, Row, Sign
from .force_tables import Loads
from .formula_tables import FormulaParts, channels_of_components
from .frozen_arrays import frozen_arrays
from .layout import WORKS
from .measures import Measures
from .row_tables import RowTables, Vectors, is_pin
from .signals import Signals
from .tapes import Tape
from .topology.elimination import schedule
from .tree.links import TreeModel
from .tree.tree_arrays import on_tree, spanning_tree

PROJECTION_CLOSED = 1e-13  # of the mechanism's extent: tighter costs a second factorisation a step, for nothing
EUCLIDEAN_CLOSED = 2e-14  # the same for the direct correction of recipe nacf, to the paper's 1e-12 m
ROUNDING = 2e-15  # of its reach from the origin: residuals cannot be smaller than a few last digits of positions
PROJECTION_OPEN = 1e-10  # of the mechanism's extent: above this a joint counts as open
MOST_DERIVED = 1000  # lowered parts and models that are kept with a blueprint
PIVOT_VANISHES = 1e-12  # of its diagonal in K, whose entries are squares of those of J

# Axes of the ports of each joint, by joint and symbol.
_Axes = dict[str, dict[str, Any]]


def compile_mechanism(
    blueprint: Blueprint,
    coordinates: str | Coordinates | None,
    dropped: Collection[tuple[str, int]] = (),
    fast_pins: bool = True,
    off: frozenset[str] | None = None,
    tree: TreeModel | None = None,
) -> FlatModel:
    """Flat arrays of the mechanism in one coordinate set.

    `dropped` names redundant equations as (joint, number): they stay in the residuals but get no multiplier.
    `fast_pins=False` sends pins through the general table, to prove that both ways agree. Joints, relations and
    motions named in `off` (default: those the mechanism says) get no rows. Joint coordinates take the `tree` given, or
    choose one. A model is made once for a blueprint whose values nobody can change.
    """
    s = coordinates_of(blueprint.space, coordinates)
    off = blueprint.off if off is None else off
    key = "model", s, frozenset(dropped), fast_pins, off
    if tree or not blueprint.is_settled:
        return _compile(blueprint, s, dropped, fast_pins, off, tree)
    if key not in blueprint.derived:
        if len(blueprint.derived) > MOST_DERIVED:  # many combinations of parts that are off
            blueprint.derived.clear()
        blueprint.derived[key] = _compile(blueprint, s, dropped, fast_pins, off, None)
    known: FlatModel = blueprint.derived[key]
    return known


def _compile(
    blueprint: Blueprint,
    s: Coordinates,
    dropped: Collection[tuple[str, int]],
    fast_pins: bool,
    off: frozenset[str],
    tree: TreeModel | None,
) -> FlatModel:
    entries = joint_entries(blueprint)  # raises what is wrong before anybody walks the graph
    if isinstance(s, Relative) and not tree:
        tree = spanning_tree(blueprint, s.cuts, s.base)
    parts = _collect(blueprint, entries, s, set(dropped), fast_pins, off, tree.joints if tree else frozenset())
    extent = extent_of(blueprint)
    bodies = tuple(map(partial(body_data, blueprint), blueprint.bodies, extent.of_bodies))
    constants = s.constants(bodies, parts.vectors.described())
    nb = len(bodies)
    nq, nv = (tree.nq, tree.nv) if tree else (nb * s.nq, nb * s.nv)
    ns = len(parts.formulas.rates)
    first_turn = ns + len(WORKS)
    nz = first_turn + len(parts.turns)
    places = {name: first_turn + k for k, name in enumerate(parts.turns)}
    tape = Tape(s.dim, 3 if s.dim == 2 else 6, parts.order.__getitem__, places.__getitem__)
    formula_fields = parts.formulas.fields(tape, parts.order, parts.vectors, places)
    fields = {
        **_topology_fields(parts, s),
        **_force_fields(parts, blueprint),
        **_set_fields(parts, s, constants, bodies),
        **_state_fields(parts, s, nb, nq, nv, nz, len(blueprint.joints)),
        **formula_fields,
    }
    laws = len(fields[f.SPRINGS]) + len(fields[f.EFFORTS])
    fields |= {f.GIVEN: np.zeros((laws, 1)), f.LAW: np.zeros((laws, 1))}
    flags = {
        "BODIES": nb,
        "Q": nq,
        "V": nv,
        "Z": nz,
        "ROWS": parts.tables.blocks * s.block,
        "PIN_ENTRIES": parts.tables.pin_entries,
        "PIN_SLOTS": parts.tables.pin_slots,
        "SINGULAR": int(constants["singular"]),
        "REFINED": int(bool(parts.tables.blocks) and differ(bodies)),
        **parts.flags,
    }
    model = FlatModel(
        blueprint=blueprint,
        set=s,
        fields=frozen_arrays(fields),
        flags=Frozen(flags),
        settings=Frozen(_settings(extent.size, extent.reach)),
        rows=tuple(parts.tables.infos),
        signs=tuple(parts.signs),
        states=tuple(parts.states),
        starts=tuple(parts.formulas.starts),
        turns=tuple(parts.turns),
        reports=tuple(parts.formulas.reports),
        parameters=Frozen(dict(parts.formulas.measures.places)),
        held_by=Frozen(parts.formulas.held_by()),
        kinked=parts.formulas.kinked(),
        floating=tuple(parts.formulas.floating),
        off=off,
        size=extent.size,
        body_sizes=extent.of_bodies,
        nq=nq,
        nv=nv,
        nz=nz,
        padded=parts.tables.blocks * s.block,
        body_data=bodies,
        keepalive=tuple(tape.keepalive),
        curves=tuple(tape.curves),
        limits=tuple(parts.formulas.limits),
        tree=tree,
    )
    return on_tree(model) if tree else model


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
    states: dict[tuple[str, str], int]
    formulas: FormulaParts
    flags: dict[str, int]
    order: list[int]


def _collect(
    blueprint: Blueprint,
    entries: list[JointRows],
    s: Any,
    dropped: set[tuple[str, int]],
    fast_pins: bool,
    off: frozenset[str],
    in_tree: frozenset[str],
) -> _Parts:
    """Joints of a tree have no rows, and count their turns in their coordinates."""
    off |= in_tree
    vectors, signals = Vectors(blueprint, s.from_origin), Signals()
    axes = {joint.name: joint_axes(blueprint, joint) for joint in blueprint.joints if joint.name not in in_tree}
    tables = _rows(blueprint, entries, axes, vectors, signals, s, dropped, fast_pins, off)
    centres = [vectors.point(b.name, b.centre) for b in blueprint.bodies] if s.vector_jacobian else []
    components, states = channels_of_components(blueprint)
    measures = Measures(blueprint, vectors, components, states)
    formulas = FormulaParts(blueprint, measures, signals, tables, Loads(), components, states)
    formulas.add_rows(entries, dropped, off)
    formulas.add_forces(vectors)
    formulas.add_events()
    formulas.check_states_of_rows()
    if faults := [*formulas.faults, *tables.faults]:
        raise blueprint.refused(faults)
    _sort_infos(tables)
    loads = formulas.loads
    signs = _signs(blueprint, entries, axes, vectors, off)
    turns = {**_turns(blueprint, measures, vectors, s, in_tree), **measures.turns}
    flags = formulas.flags(vectors)
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
        states,
        formulas,
        flags,
        order,
    )


def _topology_fields(parts: _Parts, s: Any) -> dict[int, Any]:
    """Vectors, rows, and the schedule of the factorisation."""
    tables, dim = parts.tables, s.dim
    plan = schedule(tables.slots, tables.blocks)
    unit = []
    for row in tables.unit_rows():
        block, k = divmod(row, s.block)
        unit.append((row, int(plan.diagonal[block]) * s.block**2 + k * (s.block + 1)))
    blocks_of_k = len(plan.pair_ranges)
    return {
        f.BODY_VECTORS: _ints(parts.vectors.ranges(), 2),
        f.VECTOR_LOCAL: _reals(parts.vectors.local(), dim + 1),
        f.VEC: parts.vectors.initial(),
        f.PINS: _ints(tables.pins, 5),
        f.ROWS: _ints(tables.rows, 4),
        f.TERMS: _ints(tables.terms, 9),
        f.COEFFICIENT: _reals(tables.coefficients, 1),
        f.ENTRIES: _ints(tables.entries, 5),
        f.GRADIENT: tables.initial_gradient(dim),
        f.SIGNS: _ints([(sign.a, sign.b) for sign in parts.signs], 2),
        f.SLOTS: _ints(tables.slots, 2),
        f.BLOCK_SLOTS: _ints(tables.block_slots(), 2),
        f.PAIRS: plan.pairs,
        f.PAIR_RANGES: plan.pair_ranges,
        f.PIVOTS: plan.pivots,
        f.COLUMN: plan.column,
        f.UPDATES: plan.updates,
        f.UNIT_ROWS: _ints(unit, 2),
        f.JACOBIAN: tables.initial_jacobian(s.block, s.nv),
        f.WEIGHTED: np.zeros((len(tables.slots), s.block * s.nv)),
        f.K: np.zeros((blocks_of_k, s.block**2)),
        f.L: np.zeros((blocks_of_k, s.block**2)),
        f.PIVOT: np.zeros((tables.blocks, s.block**2)),
    }


def _force_fields(parts: _Parts, blueprint: Blueprint) -> dict[int, Any]:
    """Applied forces and functions of time."""
    dim = blueprint.dim
    loads, signals = parts.loads, parts.signals
    return {
        f.SPRINGS: _ints(loads.springs, 2),
        f.SPRING: _reals(loads.spring_constants, 3),
        f.LOADS: _ints(loads.loads, 2 + dim),
        f.TORQUES: _ints(loads.torques, 3 if dim == 2 else 5),
        f.LOADED: _ints(loads.loaded(parts.vectors), 2),
        f.SIGNAL: _reals(signals.values, 3),
        f.GRAVITY: _reals(blueprint.gravity, 1),
        f.TURNS: _ints(list(parts.turns.values()), 3),
        f.SETTINGS: np.zeros((f.SETTING_COUNT, 1)),
    }


def _settings(size: float, reach: float) -> dict[str, float]:
    """What counts as closed, as open and as singular."""
    closed = max(PROJECTION_CLOSED * size, ROUNDING * reach)
    return {
        "CLOSED": closed,
        "OPEN": max(PROJECTION_OPEN * size, 100 * closed),
        "SIZE": size,
        "PIVOT": PIVOT_VANISHES,
        "EUCLIDEAN": max(EUCLIDEAN_CLOSED * size, ROUNDING * reach),
    }


def _set_fields(parts: _Parts, s: Any, constants: Mapping[str, Any], bodies: tuple[BodyData, ...]) -> dict[int, Any]:
    """What only the coordinate set can fill; empty where it does not."""
    nb, nvec = len(bodies), len(parts.vectors)
    general = nb if s.vector_jacobian else 0

    def given(name: str, shape: tuple[int, int]) -> np.ndarray:
        if name not in constants:
            return np.zeros(shape)
        return np.array(constants[name], dtype=np.float64).reshape(shape[0], -1)

    return {
        f.FORMS: _ints(constants.get("FORMS", []), 3),
        f.FORM: _reals(constants.get("FORM", []), 1),
        f.SPIN_FORMS: _ints(constants.get("SPIN_FORMS", []), 3),
        f.SPIN_FORM: _reals(constants.get("SPIN_FORM", []), 1),
        f.MASS_CENTRES: _ints(parts.centres, 1),
        f.MASSES: _reals([b.mass for b in bodies], 1),
        **{getattr(f, name): given(name, (nb, 1)) for name in ("BODY", "FORM_SCALE", "FORM_CONSTANT", "SPIN_SCALE")},
        f.MASS: given("MASS", (general, s.nv**2)),
        f.EXTRA: given("EXTRA", (general, s.nv**2)),
        f.MASS_INVERSE: given("MASS_INVERSE", (nb, max(9, s.nv**2))),
        f.ATTITUDE: given("ATTITUDE", (nb, 12)),
        f.VECTOR_JACOBIAN: given("VECTOR_JACOBIAN", (nvec if s.vector_jacobian else 0, s.dim * s.nv)),
    }


def _state_fields(parts: _Parts, s: Any, nb: int, nq: int, nv: int, nz: int, joints: int) -> dict[int, Any]:
    """Arrays that every evaluation writes."""
    padded = parts.tables.blocks * s.block
    spin = 1 if s.dim == 2 else 3
    dense = (padded, padded) if padded <= MAX_DENSE_ROWS else (0, 0)
    return {
        f.PERMUTATION: np.zeros((padded, 1), dtype=np.int64),
        **{key: np.zeros((padded, 1)) for key in (f.RESIDUAL, f.PARTIAL, f.GAMMA, f.LAMBDA, f.SCRATCH, f.SCALE)},
        f.OMEGA: np.zeros((nb + 1, spin)),  # the ground's is the last
        f.VECTOR_FORCE: np.zeros((len(parts.vectors), s.dim)),
        f.BODY_TORQUE: np.zeros((nb, spin)),
        f.SPIN_JACOBIAN: np.zeros((nb, spin * s.nv)),
        f.BIAS: np.zeros((nb, s.nv)),
        f.BODY_COLUMN: np.zeros((64, 1)),
        **{key: np.zeros((nv, 1)) for key in (f.ACCELERATION, f.FREE, f.TRIAL)},
        f.POWER: np.zeros((nz, 1)),
        f.Z: np.zeros((nz, 1)),
        f.Z_RATE: np.zeros((nz + 1, 2)),
        f.SLOPE: np.zeros((nq + nv + nz, 1)),
        f.WRENCHES: np.zeros((2 * joints, 3 if s.dim == 2 else 6)),
        f.POINT_ACCELERATION: np.zeros((len(parts.vectors), s.dim)),
        f.ENERGY: np.zeros((2 + 2 * len(parts.loads.springs), 1)),
        f.DENSE: np.zeros(dense),
        f.GRAM: np.zeros(dense),
    }


def _rows(
    blueprint: Blueprint,
    entries: list[JointRows],
    axes: _Axes,
    vectors: Vectors,
    signals: Signals,
    coordinates: Any,
    dropped: set[tuple[str, int]],
    fast_pins: bool,
    off: frozenset[str],
) -> RowTables:
    """Intrinsic rows of the coordinates first, then pins, so that their slots come first, then all other equations."""
    block = coordinates.block
    tables = RowTables(blueprint, vectors, signals, block)
    for body in range(len(blueprint.bodies)):
        tables.add_intrinsic(body, coordinates.intrinsic)
    dim = blueprint.dim
    rest = []
    for index, (joint, table) in enumerate(zip(blueprint.joints, entries, strict=True)):
        if joint.name in off:
            continue
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
    return tables


def _sort_infos(tables: RowTables) -> None:
    """Rows by joint, in the order written, whatever the order they are solved in."""
    tables.infos.sort(key=lambda info: info[0])
    tables.infos = [Row(*info[1:]) for info in tables.infos]


def _signs(
    blueprint: Blueprint, entries: list[JointRows], axes: _Axes, vectors: Vectors, off: frozenset[str]
) -> list[tuple[str, str, int, int]]:
    found = []
    for joint, table in zip(blueprint.joints, entries, strict=True):
        if joint.name in off:
            continue
        bodies = {"i": joint.first.body, "j": joint.second.body}
        for a, b in table.signs:
            first, second = (vectors.axis(bodies[name[-1]], axes[joint.name][name]) for name in (a, b))
            found.append((joint.name, f"{a}.{b} > 0", first, second))
    return found


def _turns(
    blueprint: Blueprint, measures: Measures, vectors: Vectors, coordinates: Any, in_tree: frozenset[str]
) -> dict[str, tuple[int, int, int]]:
    """What is counted in any case: joints in space; bodies in the plane, where the coordinates hold no angle.

    So an angle is never ambiguous. Formulas may ask for more (`Measures.turns`).
    """
    ground = vectors.body_index(GROUND)
    if blueprint.dim == 2:
        bodies = [] if coordinates.counts_angle else blueprint.bodies
        return {body.name: (ground, vectors.body_index(body.name), vectors.fixed_axis(0)) for body in bodies}
    counted = [joint for joint in blueprint.joints if kind_of(joint).turns and joint.name not in in_tree]
    return {joint.name: measures.turn_of(joint) for joint in counted}


def _ints(rows: Any, columns: int) -> np.ndarray:
    return np.array(rows, dtype=np.int64).reshape(-1, columns)


def _reals(rows: Any, columns: int) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(-1, columns)
