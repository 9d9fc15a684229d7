"""Status codes of kernels as sentences, with the names of bodies and joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled.flat import FlatModel, Workspace
from ...compiled.kernels import load_kernels
from ...mechanism.ties import largest, smallest


def failure(code: int, t: float, model: FlatModel, workspace: Workspace, y: Any) -> str:
    """Why a run stopped at time t."""
    c = load_kernels().context
    sentences = {
        c.NOT_CLOSED: lambda: (
            f"{_worst_row(model, workspace)} could not be kept closed; the mechanism may be locked or at the "
            "end of its travel"
        ),
        c.RANK_LOST: lambda: "the constraints lost rank and the mechanism is too large for the rank-revealing solver",
        c.NOT_FINITE: lambda: f"the motion {_worst_body(model, workspace)}is no longer finite; check forces and data",
        c.STEP_TOO_SMALL: lambda: (
            "the tolerance asks for steps below rounding; the motion may be singular here, or the tolerance too tight"
        ),
        c.SINGULAR_MASS: lambda: (
            f"the accelerations of bodies without full inertia ({', '.join(_weightless(model, workspace))}) did not "
            "settle: a moment turns them that no joint takes up, or next to none does (give them an inertia), or the "
            "motion may be singular here"
        ),
        c.TOO_MANY_STEPS: lambda: "too many steps were taken",
        c.SINGULAR_COORDINATES: lambda: (
            "the Euler angles of a body are near their singularity; let them change sequence, or use quaternion"
        ),
        c.NO_FEEDBACK: lambda: (
            "forces that depend on reactions or accelerations did not settle: no values of both that agree were found; "
            "a joint with friction may jam here"
        ),
        c.NOT_SOLVED: lambda: (
            "the equations of a step could not be solved: the machine is stiff for this step; shorten it"
            + (", or leave out newton='modified'" if workspace[c.SETTINGS][c.S_NEWTON, 0] == c.MODIFIED_ONLY else "")
        ),
        c.NO_CONVERGENCE: lambda: (
            f"the multipliers did not converge in {workspace[c.SETTINGS][c.S_MOST, 0]:.0f} rounds, and forces that are "
            "not solved for are not reported; allow more rounds or a larger tolerance, or use kkt"
        ),
        c.UNSTABLE: lambda: (
            "ab6 is unstable with this step: its errors grow from step to step; shorten the step, or use rk4 or dop853"
        ),
        c.FLIPPED: lambda: f"joint {_flipped_joint(model, workspace)} turned over to its false solution",
    }
    reason = sentences.get(code, lambda: f"the kernels returned status {code}")()
    return f"stopped at t = {t:g} s: {reason}"


def _worst_row(model: FlatModel, workspace: Workspace) -> str:
    residual = np.abs(workspace[load_kernels().context.RESIDUAL][:, 0])
    worst = model.rows[largest(residual[row.row] for row in model.rows)]
    return f"{_kind(model, worst.joint)} '{worst.joint}' ({worst.meaning}, off by {residual[worst.row]:.3g})"


def _kind(model: FlatModel, name: str) -> str:
    """What the part is that a row belongs to."""
    blueprint = model.blueprint
    if any(motion.name == name for motion in blueprint.motions):
        return "motion"
    if any(relation.name == name for relation in blueprint.relations):
        return "relation"
    return "body" if blueprint.has_body(name) else "joint"


def _flipped_joint(model: FlatModel, workspace: Workspace) -> str:
    dim = model.blueprint.dim
    vec = workspace[load_kernels().context.VEC][:, :dim].real
    worst = model.signs[smallest(float(vec[sign.a] @ vec[sign.b]) for sign in model.signs)]
    return f"'{worst.joint}' ({worst.words} no longer holds)"


def _worst_body(model: FlatModel, workspace: Workspace) -> str:
    """The body whose acceleration is not finite, if that can be told."""
    c = load_kernels().context
    for field in (c.FREE, c.ACCELERATION):
        lost = ~np.all(np.isfinite(workspace[field].reshape(model.bodies, -1)), axis=1)
        if 0 < np.sum(lost) < max(2, model.bodies):
            return f"of body '{model.blueprint.bodies[int(np.argmax(lost))].name}' "
    return ""


def _weightless(model: FlatModel, workspace: Workspace) -> list[str]:
    """Bodies whose mass block is singular in these coordinates."""
    c = load_kernels().context
    blocks = workspace[c.EXTRA]
    if len(blocks) == model.bodies:
        extra = [bool(np.any(block)) for block in blocks]
    else:
        extra = [bool(np.any(data.extra)) for data in model.body_data]
    return [body.name for body, yes in zip(model.blueprint.bodies, extra, strict=True) if yes]
