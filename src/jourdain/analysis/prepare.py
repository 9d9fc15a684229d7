"""From a mechanism to something that can run: compiled, closed, and its redundant equations settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled import choices as ch
from ..compiled.cold_start import compile_for
from ..compiled.compile import compile_mechanism
from ..compiled.flat import FlatModel, Workspace
from ..compiled.kernels import load_kernels
from ..compiled.states import to_vector
from ..mechanism.builder import Mechanism
from ..mechanism.errors import SimulationError
from ..mechanism.parts import Blueprint
from .assemble import Assembly, assemble, set_parameters
from .linear import Pose
from .redundancy import Redundancy, analyse
from .sentences import failure
from .starting import started

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Prepared:
    """A mechanism compiled, assembled and analysed, ready to run."""

    model: FlatModel
    workspace: Workspace
    assembly: Assembly
    redundancy: Redundancy
    notes: tuple[str, ...] = ()


def blueprint_of(mechanism: Mechanism | Blueprint) -> Blueprint:
    return mechanism.frozen() if isinstance(mechanism, Mechanism) else mechanism


def prepare(
    mechanism: Mechanism | Blueprint,
    coordinates: str,
    state: Mapping[str, Any] | None = None,
    t: float = 0.0,
    treatment: ch.Treatment | None = None,
    integrator: str = "",
) -> Prepared:
    """Compile, close the joints, find the rank, and settle what becomes of redundant equations.

    The integrator is needed only to locate events.
    """
    treatment = treatment or ch.Kkt()
    notes: tuple[str, ...] = ()
    blueprint = blueprint_of(mechanism)
    model = compile_mechanism(blueprint, coordinates)
    compile_for(model, integrator, treatment.stabilisation)
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
    assembly = assemble(model, workspace, start, t)
    closed = workspace
    model, workspace, redundancy = settle(model, closed, assembly.y, t, treatment, integrator)
    c = load_kernels().context
    if workspace is not closed:
        status = load_kernels().system.project(workspace.ctx, t, assembly.y)
        if status not in (c.OK, c.RESTART):
            raise SimulationError(failure(status, t, model, workspace, assembly.y))
    workspace.ctx[c.H_FRESH] = 0
    return Prepared(model, workspace, assembly, redundancy, notes)


def settle(
    model: FlatModel, workspace: Workspace, y: Array, t: float, treatment: ch.Treatment, integrator: str
) -> tuple[FlatModel, Workspace, Redundancy]:
    """What becomes of redundant equations at a closed state: `kkt` drops them, `udwadia-kalaba` keeps all and the rank.

    Returns the model and the workspace to run with; parameters are those of the workspace given, which itself will do
    where nothing is redundant.
    """
    c = load_kernels().context
    redundancy = analyse(model, Pose(model, workspace), y, t)
    keep_all = isinstance(treatment, ch.UdwadiaKalaba)
    if redundancy.dropped and not keep_all:
        number = {id(row): k for rows in _rows_by_joint(model).values() for k, row in enumerate(rows)}
        dropped = [(row.joint, number[id(row)]) for row in redundancy.dropped]
        model = compile_mechanism(model.blueprint, model.coordinates, dropped, off=model.off)
    elif treatment in (ch.Kkt(), ch.Index3()):
        return model, workspace, redundancy
    running = Workspace(model, stabilisation=treatment.stabilisation, integrator=integrator)
    set_parameters(running, parameters(workspace))
    if keep_all:
        running.ctx[c.H_MOORE_PENROSE] = 1
        if redundancy.dropped:
            running.ctx[c.H_EXPECTED_RANK] = model.padded - len(redundancy.dropped)
    return model, running, redundancy


def parameters(workspace: Workspace) -> dict[str, float]:
    """Parameters and phases of a workspace, by name."""
    values = workspace[load_kernels().context.PARAMETERS][:, 0]
    return {name: float(values[place]) for name, place in workspace.model.parameters.items()}


def _rows_by_joint(model: FlatModel) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {}
    for row in model.rows:
        rows.setdefault(row.joint, []).append(row)
    return rows
