"""From a mechanism to something that can run: compiled, closed, and its redundant equations settled."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...compiled import choices as ch
from ...compiled.cold_start import compile_for
from ...compiled.compile import MAX_DENSE_ROWS, compile_mechanism
from ...compiled.flat import FlatModel, Workspace
from ...compiled.joint_state import drawn, set_phases
from ...compiled.kernels import load_kernels, load_recursion
from ...compiled.relative import count_turns, on_tree, spanning_tree
from ...compiled.states import from_vector, to_vector, whole_state
from ...compiled.treatments import DENSE, KEEP_ALL
from ...mechanism.builder import Mechanism, blueprint_of
from ...mechanism.errors import MechanismError, SimulationError
from ...mechanism.parts import Blueprint
from ..running.sentences import failure
from .assemble import Assembly, Freedom, assemble, set_parameters
from .linear import Pose
from .redundancy import Redundancy, analyse
from .starting import started
from .tree_start import written_start

Array = npt.NDArray[np.float64]

# m/s or rad/s, or of the largest speed: redundant equations that fail by more contradict the others.
CONTRADICTION = 1e-6
WELL_CLOSED = 1e-6  # of its sum, a pivot of a loop: below, its rows are carried on inward, where they are better held
COARSE = 1e-8  # tolerance of uzawa where something is iterated around it


@dataclass(frozen=True)
class Prepared:
    """A mechanism compiled, assembled and analysed, ready to run."""

    model: FlatModel
    workspace: Workspace
    assembly: Assembly
    redundancy: Redundancy
    notes: tuple[str, ...] = ()


def prepare(
    mechanism: Mechanism | Blueprint,
    coordinates: str,
    state: Mapping[str, Any] | None = None,
    t: float = 0.0,
    treatment: ch.Treatment | None = None,
    integrator: str = "",
    model: FlatModel | None = None,
    cuts: Collection[str] = (),
) -> Prepared:
    """Compile, close the joints, find the rank, and settle what becomes of redundant equations.

    The integrator is needed only to locate events. A `model` is the mechanism compiled already. `cuts` names joints to
    cut in joint coordinates.
    """
    if coordinates == ch.RELATIVE:
        return _prepare_tree(blueprint_of(mechanism), state, t, treatment or ch.Recursion(), integrator, cuts)
    treatment = treatment or ch.Kkt()
    notes: tuple[str, ...] = ()
    blueprint = blueprint_of(mechanism)
    if model is None:
        model = compile_mechanism(blueprint, coordinates)
        _check_size(model, treatment)
        compile_for(model, integrator, str(treatment.stabilisation), treatment.name)
    workspace = Workspace(model, integrator=integrator)
    if state is None:
        state, notes = started(blueprint, coordinates, t)
    start = None if state is None else to_vector(model, state)
    known = {*(c.name for c in blueprint.components), *(joint.name for joint in blueprint.joints)}
    unknown = sorted(name for name in state or () if not blueprint.has_body(name) and name not in known)
    if unknown:
        notes = (
            *notes,
            f"the state also names {', '.join(unknown)}, which the mechanism does not have",
        )
    around = _iterated_around(model)
    if around and isinstance(treatment, ch.Uzawa) and treatment.tolerance > COARSE:
        words = f"{around} are iterated around uzawa, so its tolerance is {COARSE:g} here, not {treatment.tolerance:g}"
        notes = (*notes, words)
    assembly = assemble(model, workspace, start, t)
    closed = workspace
    model, workspace, redundancy = settle(model, closed, assembly.y, t, treatment, integrator)
    if redundancy.dropped:
        _raise_if_contradicted(Pose(closed.model, closed), t, assembly.y)
    c = load_kernels().context
    if workspace is not closed:
        status = load_kernels().system.project(workspace.ctx, t, assembly.y)
        if status not in (c.OK, c.RESTART):
            raise SimulationError(failure(status, t, model, workspace, assembly.y))
    workspace.ctx[c.H_FRESH] = 0
    return Prepared(model, workspace, assembly, redundancy, notes)


def _prepare_tree(
    blueprint: Blueprint,
    state: Mapping[str, Any] | None,
    t: float,
    treatment: ch.Treatment,
    integrator: str,
    cuts: Collection[str],
) -> Prepared:
    """Joint coordinates start where the default coordinates do, whose rows know of all joints and their redundancy."""
    c = load_kernels().context
    model = compile_mechanism(blueprint, ch.RELATIVE, tree=spanning_tree(blueprint, cuts) if cuts else None)
    if state is None and (easy := _open_start(model, t, treatment, integrator)) is not None:
        return easy
    absolute = prepare(blueprint, ch.DEFAULT_COORDINATES[blueprint.space], state, t)
    begun = whole_state(absolute.model, absolute.assembly.y)
    set_phases(model.tree, drawn(blueprint, {body.name: begun[body.name] for body in blueprint.bodies}))
    compile_for(model, integrator, str(treatment.stabilisation), treatment.name)
    workspace = Workspace(model, integrator=integrator)
    set_parameters(workspace, parameters(absolute.workspace))
    y = to_vector(model, begun)
    count_turns(model, y, {name: begun[name].attitude for name in (body.name for body in blueprint.bodies)})
    z = absolute.assembly.y[absolute.model.nq + absolute.model.nv :]
    y[model.nq + model.nv :][: len(model.states)] = z[: len(model.states)]
    model, workspace, found = settle(model, workspace, y, t, treatment, integrator)
    model, workspace = close_farther(model, workspace, y, t, treatment, integrator)
    status = load_kernels().system.project(workspace.ctx, t, y)
    if status not in (c.OK, c.RESTART):
        raise SimulationError(failure(status, t, model, workspace, y))
    workspace.ctx[c.H_FRESH] = 0
    redundancy = replace(absolute.redundancy, dropped=found.dropped)
    return Prepared(model, workspace, replace(absolute.assembly, y=y), redundancy, absolute.notes)


def _open_start(model: FlatModel, t: float, treatment: ch.Treatment, integrator: str) -> Prepared | None:
    """A tree without rows that starts as it is written needs no assembly: 10,000 links would take seconds."""
    blueprint = model.blueprint
    found = None if model.rows else written_start(model.tree)
    if found is None:
        return None
    y = np.concatenate([*found, np.zeros(model.nz)])
    compile_for(model, integrator, str(treatment.stabilisation), treatment.name)
    if model.states or model.turns:
        y[model.nq + model.nv :] = to_vector(model, from_vector(model, y))[model.nq + model.nv :]
    count_turns(model, y)
    workspace = Workspace(model, stabilisation=str(treatment.stabilisation), integrator=integrator)
    load_kernels().system.project(workspace.ctx, t, y)
    workspace.ctx[load_kernels().context.H_FRESH] = 0
    none = dict.fromkeys((body.name for body in blueprint.bodies), 0.0)
    equations = model.bodies * (3 if blueprint.dim == 2 else 6) - model.nv
    redundancy = replace(analyse(model, Pose(model, workspace), y, t), equations=equations, rank=equations)
    redundancy = replace(redundancy, rank_here=equations, freedoms=model.nv)
    assembly = Assembly(y, none, none, none, none, Freedom.none(model), {})
    return Prepared(model, workspace, assembly, redundancy)


def close_farther(
    model: FlatModel, workspace: Workspace, y: Array, t: float, treatment: ch.Treatment, integrator: str
) -> tuple[FlatModel, Workspace]:
    """Rows that cannot be solved where their loops close, for want of freedoms behind it, are carried on inward."""
    c = load_kernels().context
    smallest = workspace[c.SETTINGS][c.S_PIVOT, 0]
    links = model.tree.arrays[load_recursion(model.blueprint.space).common.LINKS]
    while True:
        workspace[c.SETTINGS][c.S_PIVOT, 0] = WELL_CLOSED
        pose = Pose(model, workspace)
        pose.place(t, y)
        q = y[: model.nq].copy()
        workspace.ctx[c.H_PROBING] = 1
        lost = load_kernels().system.call_entry(workspace.ctx, c.F_FACTOR, t, q, q) == c.RANK_LOST
        workspace.ctx[c.H_PROBING] = 0
        workspace.ctx[c.H_FACTORED] = 0
        workspace[c.SETTINGS][c.S_PIVOT, 0] = smallest
        inner = {block: int(links[j, 0]) for block, j in model.carried.items() if j > 0}
        if not lost or not inner:
            return model, workspace
        model = on_tree(model, {**model.carried, **inner})
        values, header = parameters(workspace), workspace.ctx[: c.H_COUNT].copy()
        workspace = Workspace(model, stabilisation=str(treatment.stabilisation), integrator=integrator)
        set_parameters(workspace, values)
        for key in (c.H_MOORE_PENROSE, c.H_EXPECTED_RANK):
            workspace.ctx[key] = header[key]


def _raise_if_contradicted(pose: Pose, t: float, y: Array) -> None:
    """Among redundant equations some may ask for what the others forbid, as two motions of one freedom do."""
    model = pose.model
    rates = np.abs(pose.rate(t, y))
    speed = float(np.max(np.abs(y[model.nq : model.nq + model.nv]), initial=0.0))
    wrong = [row for row, rate in zip(model.rows, rates, strict=True) if rate > CONTRADICTION * max(1.0, speed)]
    if wrong:
        names = ", ".join(dict.fromkeys(f"'{row.joint}' ({row.meaning})" for row in wrong))
        words = f"{names} cannot move as asked beside the others, off by {np.max(rates):.2g} (m/s or rad/s)"
        advice = "if two motions drive one freedom, take one away or make them agree"
        raise MechanismError(model.blueprint.name, [f"{words}; {advice}"])


def settle(
    model: FlatModel, workspace: Workspace, y: Array, t: float, treatment: ch.Treatment, integrator: str
) -> tuple[FlatModel, Workspace, Redundancy]:
    """What becomes of redundant equations at a closed state: `kkt` drops them, `udwadia-kalaba` keeps all and the rank.

    Treatments to which the rank is all the same keep all.
    Returns the model and the workspace to run with; parameters are those of the workspace given, which itself will do
    where nothing is redundant.
    """
    c = load_kernels().context
    redundancy = analyse(model, Pose(model, workspace), y, t)
    if redundancy.dropped and treatment.name not in KEEP_ALL:
        number = {id(row): k for rows in _rows_by_joint(model).values() for k, row in enumerate(rows)}
        dropped = [(row.joint, number[id(row)]) for row in redundancy.dropped]
        model = compile_mechanism(model.blueprint, model.coordinates, dropped, off=model.off, tree=model.tree)
    elif treatment in (ch.Kkt(), ch.Index3(), ch.Recursion()):
        return model, workspace, redundancy
    how = str(treatment.stabilisation)
    running = Workspace(model, stabilisation=how, integrator=integrator, treatment=treatment.name)
    set_parameters(running, parameters(workspace))
    _configure(running, treatment)
    if isinstance(treatment, ch.UdwadiaKalaba):
        running.ctx[c.H_MOORE_PENROSE] = 1
        if redundancy.dropped:
            running.ctx[c.H_EXPECTED_RANK] = model.padded - len(redundancy.dropped)
    return model, running, redundancy


def _check_size(model: FlatModel, treatment: ch.Treatment) -> None:
    if treatment.name in DENSE and model.padded > MAX_DENSE_ROWS:
        raise ch.ChoiceError(
            f"{treatment.name} is dense and takes up to {MAX_DENSE_ROWS} rows; these coordinates have {model.padded}; "
            "use kkt, whose cost grows with the number of bodies"
        )


def _configure(workspace: Workspace, treatment: ch.Treatment) -> None:
    """Parameters of treatment and stabilisation go where their kernels read them."""
    c = load_kernels().context
    settings = workspace[c.SETTINGS][:, 0]
    if isinstance(treatment.stabilisation, ch.Baumgarte):
        workspace.ctx[c.H_BAUMGARTE] = 1
        settings[c.S_KV], settings[c.S_KP] = treatment.stabilisation.gains()
    if isinstance(treatment, ch.AugmentedLagrangian | ch.Penalty):
        settings[c.S_PENALTY] = treatment.alpha
        settings[c.S_PIVOT] = 0.0  # the shift keeps pivots positive, and small ones are meant to be
    if isinstance(treatment, ch.AugmentedLagrangian | ch.Uzawa):
        settings[c.S_TOLERANCE], settings[c.S_MOST] = treatment.tolerance, treatment.most
    if isinstance(treatment, ch.Uzawa):
        if _iterated_around(workspace.model):
            settings[c.S_TOLERANCE] = min(treatment.tolerance, COARSE)
        workspace.ctx[c.H_MATRIX_FREE] = 1
        settings[c.S_RELAXATION] = _relaxation(workspace.model, treatment)
        if treatment.inside is not None:
            if not workspace.model.set.INTRINSIC:
                raise ch.ChoiceError(
                    f"inside is for equations that keep bodies rigid, and {workspace.model.coordinates} has none; "
                    "leave it out, or use points or natural"
                )
            settings[c.S_INSIDE] = treatment.inside
            settings[c.S_OWN] = _own_blocks(workspace.model)


def _iterated_around(model: FlatModel) -> str:
    """What is iterated around uzawa, whose coarse tolerance would leave it anywhere; or nothing."""
    c = load_kernels().context
    if model.header[c.H_SINGULAR] == 1:
        return "bodies without full inertia"
    return "forces that depend on reactions or accelerations" if model.header[c.H_FEEDBACK] == 1 else ""


def _own_blocks(model: FlatModel) -> int:
    """Blocks of the rows that keep bodies rigid: the first of all."""
    return model.bodies * -(-len(model.set.INTRINSIC) // model.set.BLOCK)


def _relaxation(model: FlatModel, treatment: ch.Uzawa) -> float:
    """w of uzawa, which must be below 2 over the largest number of blocks on one body; 0: conjugate directions."""
    slots = model.fields[load_kernels().context.SLOTS]
    if treatment.inside is not None:
        slots = slots[_own_blocks(model) :]  # which have a slot each, the first of all
    most = int(np.max(np.bincount(slots[:, 1]), initial=1)) if len(slots) else 1
    if treatment.relaxation is None:
        return 0.0  # conjugate directions
    if treatment.relaxation >= 2.0 / most:
        raise ch.ChoiceError(
            f"relaxation is {treatment.relaxation:g}; with {most} blocks of equations on one body uzawa converges "
            f"below {2.0 / most:.3g}; leave it out for conjugate directions, which need none"
        )
    return treatment.relaxation


def parameters(workspace: Workspace) -> dict[str, float]:
    """Parameters and phases of a workspace, by name."""
    values = workspace[load_kernels().context.PARAMETERS][:, 0]
    return {name: float(values[place]) for name, place in workspace.model.parameters.items()}


def _rows_by_joint(model: FlatModel) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {}
    for row in model.rows:
        rows.setdefault(row.joint, []).append(row)
    return rows
