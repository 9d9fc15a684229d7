"""What a failing step left in a workspace: which row, joint or body is to blame, for sentences to the user."""

from __future__ import annotations

import numpy as np

from ..kernels.layout import fields as f
from ..mechanism.ties import largest, smallest
from ..model.flat import FlatModel, Row, Sign
from .workspace import Workspace


def worst_row(model: FlatModel, workspace: Workspace) -> tuple[Row, float]:
    """The equation that is farthest from holding, and by how much."""
    residual = np.abs(workspace[f.RESIDUAL][:, 0])
    worst = model.rows[largest(residual[row.row] for row in model.rows)]
    return worst, residual[worst.row]


def worst_sign(model: FlatModel, workspace: Workspace) -> Sign:
    """The condition of a joint that fails most."""
    vec = workspace[f.VEC][:, : model.blueprint.dim].real
    return model.signs[smallest(float(vec[sign.a] @ vec[sign.b]) for sign in model.signs)]


def lost_body(model: FlatModel, workspace: Workspace) -> str | None:
    """The body whose acceleration is not finite, if that can be told; in joint coordinates, the one carried."""
    at = model.layout
    for field in (f.FREE, f.ACCELERATION):
        finite = np.isfinite(workspace[field][:, 0])
        lost = [body for body, part in zip(at.owners, at.moves_of, strict=True) if not np.all(finite[part])]
        if 0 < len(lost) < max(2, model.bodies):
            return lost[0]
    return None


def weightless(model: FlatModel, workspace: Workspace) -> list[str]:
    """Bodies whose mass block is singular in these coordinates."""
    blocks = workspace[f.EXTRA]
    if len(blocks) == model.bodies:
        extra = [bool(np.any(block)) for block in blocks]
    else:
        extra = [bool(np.any(data.extra)) for data in model.body_data]
    return [body.name for body, yes in zip(model.blueprint.bodies, extra, strict=True) if yes]


def lightest(model: FlatModel) -> str:
    """The body with the smallest mass."""
    return model.blueprint.bodies[smallest(data.mass for data in model.body_data)].name


def most_rounds(workspace: Workspace) -> int:
    """Rounds that an iteration for the multipliers may take."""
    return int(workspace[f.SETTINGS][f.S_MOST, 0])


def never_exact(workspace: Workspace) -> bool:
    """Whether implicit steps may not take the exact iteration matrix."""
    return bool(workspace[f.SETTINGS][f.S_NEWTON, 0] == f.MODIFIED_ONLY)
