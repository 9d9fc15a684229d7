"""From a mechanism to something that can run: compiled, closed, and its redundant equations settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..engine.body_states import from_vector, whole_state, with_turns
from ..engine.cold_start import compile_for
from ..engine.plan import Plan
from ..engine.pose import Pose
from ..engine.row_independence import told_apart
from ..engine.workspace import Workspace
from ..kernels.layout.returned import OK, RESTART
from ..mechanism.builder import Mechanism, blueprint_of
from ..mechanism.errors import SimulationError
from ..mechanism.fault import Fault
from ..mechanism.parts import Blueprint
from ..model.compile import compile_mechanism
from ..model.flat import FlatModel, Row
from ..model.states import check_state, to_vector
from ..model.tree.joint_state import drawn, with_phases
from ..model.tree.tree_arrays import carried_on, carried_to_base, with_tree
from .close_joints import Assembly, Freedom, close_joints
from .initial_values import started
from .redundancy import Redundancy, analyse, redundant_rows
from .sentences import failure
from .tree_start import written_start

Array = npt.NDArray[np.float64]

# m/s or rad/s, or of the largest speed: redundant equations that fail by more contradict the others.
CONTRADICTION = 1e-6
WELL_CLOSED = 1e-6  # of its sum, a pivot of a loop: below, its rows are carried on inward, where they are better held


@dataclass(frozen=True)
class Prepared:
    """A mechanism compiled, assembled and analysed, ready to run."""

    model: FlatModel
    workspace: Workspace
    assembly: Assembly
    redundancy: Redundancy
    notes: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan:
        """What the run consists of."""
        return self.workspace.plan


def prepare(
    mechanism: Mechanism | Blueprint,
    coordinates: str | ch.Coordinates | None,
    state: Mapping[str, Any] | None = None,
    t: float = 0.0,
    treatment: ch.Treatment | None = None,
    integrator: ch.Integrator | None = None,
    model: FlatModel | None = None,
) -> Prepared:
    """Compile, close the joints, find the rank, and settle what becomes of redundant equations.

    A `model` is the mechanism compiled already.
    """
    blueprint = blueprint_of(mechanism)
    if state is not None:
        check_state(blueprint, state)
    chosen = ch.coordinates_of(blueprint.space, coordinates)
    treatment = treatment or chosen.own_treatment or ch.Kkt()
    if chosen.joined:
        return _prepare_tree(blueprint, chosen, state, t, treatment, integrator)
    plan = Plan(model or compile_mechanism(blueprint, chosen), treatment, integrator)
    if model is None:
        compile_for(plan)
    model = plan.model
    closed = Workspace(plan.assembling)
    notes: tuple[str, ...] = ()
    if state is None:
        state, notes = started(blueprint, chosen, t)
    start = None if state is None else to_vector(model, state)
    known = {*(c.name for c in blueprint.components), *(joint.name for joint in blueprint.joints)}
    unknown = sorted(name for name in state or () if not blueprint.has_body(name) and name not in known)
    if unknown:
        notes = (
            *notes,
            f"the state also names {', '.join(unknown)}, which the mechanism does not have",
        )
    notes = (*notes, *treatment.notes(plan))
    assembly = close_joints(model, closed, start, t)
    workspace, redundancy = settle(plan, closed, assembly.y, t)
    if redundancy.dropped:
        _raise_if_contradicted(Pose(model, closed), t, assembly.y)
    pose = Pose(workspace.model, workspace)
    if workspace is not closed:
        _project(pose, t, assembly.y)
    pose.forget()
    return Prepared(workspace.model, workspace, assembly, redundancy, notes)


def _project(pose: Pose, t: float, y: Array) -> None:
    status = pose.project(t, y)
    if status not in (OK, RESTART):
        raise SimulationError(failure(status, t, pose.model, pose.workspace, y))


def _prepare_tree(
    blueprint: Blueprint,
    coordinates: ch.Coordinates,
    state: Mapping[str, Any] | None,
    t: float,
    treatment: ch.Treatment,
    integrator: ch.Integrator | None,
) -> Prepared:
    """Joint coordinates start where the default coordinates do, whose rows know of all joints and their redundancy."""
    model = compile_mechanism(blueprint, coordinates)
    plan = Plan(model, treatment, integrator)
    if state is None and (easy := _open_start(plan, t)) is not None:
        return easy
    first = compile_mechanism(blueprint, None)
    compile_for(plan, before=Plan.of(first))
    absolute = prepare(blueprint, first.set, state, t, model=first)
    begun = whole_state(absolute.model, absolute.assembly.y)
    tree = with_phases(model.tree, drawn(blueprint, {body.name: begun[body.name] for body in blueprint.bodies}))
    model = with_tree(model, tree)
    y = to_vector(model, begun)
    model = with_turns(model, y, {body.name: begun[body.name].attitude for body in blueprint.bodies})
    plan = plan.with_(model=model, numbers=absolute.workspace.numbers)
    workspace = Workspace(plan.assembling)
    y[model.layout.states] = absolute.assembly.y[absolute.model.layout.states]
    workspace, found = settle(plan, workspace, y, t)
    workspace = close_farther(workspace, y, t)
    pose = Pose(workspace.model, workspace)
    _project(pose, t, y)
    pose.forget()
    redundancy = replace(absolute.redundancy, dropped=found.dropped)
    return Prepared(workspace.model, workspace, replace(absolute.assembly, y=y), redundancy, absolute.notes)


def _open_start(plan: Plan, t: float) -> Prepared | None:
    """A tree without rows that starts as it is written needs no assembly: 10,000 links would take seconds."""
    model = plan.model
    blueprint = model.blueprint
    found = None if model.rows else written_start(model)
    if found is None:
        return None
    model, *motion = found
    y = np.concatenate([*motion, np.zeros(model.nz)])
    compile_for(plan)
    if model.states or model.turns:
        y[model.layout.z] = to_vector(model, from_vector(model, y))[model.layout.z]
    model = with_turns(model, y)
    workspace = Workspace(plan.with_(model=model))
    pose = Pose(model, workspace)
    pose.project(t, y)
    pose.forget()
    none = dict.fromkeys((body.name for body in blueprint.bodies), 0.0)
    equations = model.bodies * (3 if blueprint.dim == 2 else 6) - model.nv
    redundancy = replace(analyse(model, pose, y, t), equations=equations, rank=equations)
    redundancy = replace(redundancy, rank_here=equations, freedoms=model.nv)
    assembly = Assembly(y, none, none, none, none, Freedom.none(model), {})
    return Prepared(model, workspace, assembly, redundancy)


def close_farther(workspace: Workspace, y: Array, t: float) -> Workspace:
    """Rows that cannot be solved where their loops close, for want of freedoms behind it, are carried on inward."""
    if getattr(workspace.plan.treatment, "solve", "") == "base":
        workspace = Workspace(workspace.plan.with_(model=carried_to_base(workspace.model), numbers=workspace.numbers))
    while (link := Pose(workspace.model, workspace).badly_closed(t, y, WELL_CLOSED)) is not None:
        farther = carried_on(workspace.model, link)
        workspace = Workspace(workspace.plan.with_(model=farther, numbers=workspace.numbers))
    return workspace


def _raise_if_contradicted(pose: Pose, t: float, y: Array) -> None:
    """Among redundant equations some may ask for what the others forbid, as two motions of one freedom do."""
    model = pose.model
    rates = np.abs(pose.rate(t, y))
    speed = float(np.max(np.abs(y[model.layout.v]), initial=0.0))
    wrong = [row for row, rate in zip(model.rows, rates, strict=True) if rate > CONTRADICTION * max(1.0, speed)]
    if wrong:
        names = ", ".join(dict.fromkeys(f"'{row.joint}' ({row.meaning})" for row in wrong))
        words = f"{names} cannot move as asked beside the others, off by {np.max(rates):.2g} (m/s or rad/s)"
        advice = "if two motions drive one freedom, take one away or make them agree"
        raise model.blueprint.refused([Fault(wrong[0].joint, "", f"{words}; {advice}")])


def settle(plan: Plan, workspace: Workspace, y: Array, t: float) -> tuple[Workspace, Redundancy]:
    """What becomes of redundant equations at a closed state: `kkt` drops them, `udwadia-kalaba` keeps all and the rank.

    Treatments to which the rank is all the same keep all.
    Returns the workspace to run with, with the parameters of the one given, which itself will do where it is of the
    same plan.
    """
    model = plan.model
    redundancy = analyse(model, Pose(model, workspace), y, t)
    if redundancy.dropped and plan.treatment.keeps_rows:
        plan = plan.with_(redundant=len(redundancy.dropped))
    elif redundancy.dropped:
        dropped = _numbered(model, redundancy.dropped)
        plan = plan.with_(model=compile_mechanism(model.blueprint, model.set, dropped, off=model.off, tree=model.tree))
    if plan == workspace.plan:
        return workspace, redundancy
    return Workspace(plan.with_(numbers=workspace.numbers)), redundancy


def rows_chosen_anew(workspace: Workspace, t: float, y: Array) -> Workspace | None:
    """The same machine with as many redundant equations left out, those that are best left out at y; None if the same.

    The numbers of the mechanism are those that the model has, and the parameters of the workspace.
    """
    old = workspace.model
    whole = compile_mechanism(old.blueprint, old.set, off=old.off, tree=old.tree)
    numbers = workspace.numbers
    pose = Pose(whole, Workspace(Plan.of(whole).with_(numbers=numbers)))
    dropped = droppable(whole, told_apart(pose, t, y), sum(not row.dropped for row in old.rows))
    return None if dropped == dropped_of(old) else without_rows(workspace, dropped, t, y)


Dropped = list[tuple[str, int]]  # joint, and which of its equations


def without_rows(workspace: Workspace, dropped: Dropped, t: float, y: Array) -> Workspace:
    """The same machine with these equations left out and no others."""
    old = workspace.model
    model = compile_mechanism(old.blueprint, old.set, dropped, off=old.off, tree=old.tree)
    other = Workspace(workspace.plan.with_(model=model, numbers=workspace.numbers))
    return close_farther(other, y, t) if model.set.joined else other


def dropped_of(model: FlatModel) -> Dropped:
    """The equations that are left out."""
    return _numbered(model, [row for row in model.rows if row.dropped])


def droppable(model: FlatModel, J: Array, rank: int) -> Dropped:
    """Equations that may be left out, where J tells them all apart."""
    return _numbered(model, [model.rows[k] for k in redundant_rows(model, J, rank)])


def _numbered(model: FlatModel, rows: Sequence[Row]) -> Dropped:
    number = {id(row): k for all_rows in _rows_by_joint(model).values() for k, row in enumerate(all_rows)}
    return [(row.joint, number[id(row)]) for row in rows]


def _rows_by_joint(model: FlatModel) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {}
    for row in model.rows:
        rows.setdefault(row.joint, []).append(row)
    return rows
