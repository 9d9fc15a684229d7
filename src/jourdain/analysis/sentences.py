"""Status codes of kernels as sentences, with the names of bodies and joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled.flat import FlatModel, Workspace
from ..compiled.kernels import load_kernels


def failure(code: int, t: float, model: FlatModel, workspace: Workspace, y: Any) -> str:
    """Why a run stopped at time t."""
    c = load_kernels().context
    sentences = {
        c.NOT_CLOSED: lambda: (
            f"joint {_worst_joint(model, workspace)} could not be kept closed; the mechanism may be locked or at the "
            "end of its travel"
        ),
        c.RANK_LOST: lambda: "the constraints lost rank and the mechanism is too large for the rank-revealing solver",
        c.NOT_FINITE: lambda: f"the motion of body {_worst_body(model, y)} is no longer finite; check forces and data",
        c.STEP_TOO_SMALL: lambda: (
            "the tolerance asks for steps below rounding; the motion may be singular here, or the tolerance too tight"
        ),
        c.SINGULAR_MASS: lambda: (
            f"bodies without rotary inertia ({', '.join(_weightless(model))}) are turned by a moment that no joint "
            "takes up; give them an inertia"
        ),
        c.TOO_MANY_STEPS: lambda: "too many steps were taken",
        c.SINGULAR_COORDINATES: lambda: (
            "the Euler angles of a body are near their singularity; let them change sequence, or use quaternion"
        ),
        c.FLIPPED: lambda: f"joint {_flipped_joint(model, workspace)} turned over to its false solution",
    }
    return f"stopped at t = {t:g} s: {sentences[code]()}"


def _worst_joint(model: FlatModel, workspace: Workspace) -> str:
    residual = np.abs(workspace[load_kernels().context.RESIDUAL][:, 0])
    worst = max(model.rows, key=lambda row: residual[row.row])
    return f"'{worst.joint}' ({worst.meaning}, off by {residual[worst.row]:.3g})"


def _flipped_joint(model: FlatModel, workspace: Workspace) -> str:
    dim = model.blueprint.dim
    vec = workspace[load_kernels().context.VEC][:, :dim]
    worst = min(model.signs, key=lambda sign: float(vec[sign.a] @ vec[sign.b]))
    return f"'{worst.joint}' ({worst.words} no longer holds)"


def _worst_body(model: FlatModel, y: Any) -> str:
    q = np.abs(np.where(np.isfinite(y[: model.nq]), y[: model.nq], np.inf)).reshape(model.bodies, -1)
    return f"'{model.blueprint.bodies[int(np.argmax(np.max(q, axis=1)))].name}'"


def _weightless(model: FlatModel) -> list[str]:
    return [b.name for b in model.blueprint.bodies if np.min(np.atleast_1d(b.inertia)[:3]) == 0]
