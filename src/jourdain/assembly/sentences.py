"""Status codes of kernels as sentences, with the names of bodies and joints."""

from __future__ import annotations

from typing import Any

from ..engine import failing
from ..engine.workspace import Workspace
from ..kernels.layout import returned as c
from ..model.flat import FlatModel


def failure(code: int, t: float, model: FlatModel, workspace: Workspace, y: Any) -> str:
    """Why a run stopped at time t."""
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
            f"the accelerations of bodies without full inertia ({', '.join(failing.weightless(model, workspace))}) did "
            "not settle: a moment turns them that no joint takes up, or next to none does (give them an inertia), or "
            "the motion may be singular here"
        ),
        c.TOO_LIGHT: lambda: (
            f"body '{failing.lightest(model)}' is so light against what it carries that rounding hides how the joints "
            "move it; give it a mass of 1e-9 of the heaviest, which changes the motion by no more, or leave it out: a "
            "massless rod is a distance joint"
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
            + (", or leave out newton='modified'" if failing.never_exact(workspace) else "")
        ),
        c.NO_CONVERGENCE: lambda: (
            f"the multipliers did not converge in {failing.most_rounds(workspace)} rounds, and forces that are "
            "not solved for are not reported; allow more rounds or a larger tolerance, or use kkt"
        ),
        c.UNSTABLE: lambda: (
            "ab6 is unstable with this step: its errors grow from step to step; shorten the step, or use rk4 or dop853"
        ),
        c.LEFT_BRANCH: lambda: (
            "behind a singular position velocities jumped, as where the motion goes on along another branch; use "
            "recipe auto, which holds the branch, or with kkt and projection another step"
        ),
        c.FLIPPED: lambda: f"joint {_flipped_joint(model, workspace)} turned over to its false solution",
    }
    reason = (
        sentences[code]()
        if code in sentences
        else f"{_unforeseen(code)}, which is a mistake in jourdain itself; please report it"
    )
    return f"stopped at t = {t:g} s: {reason}"


def _unforeseen(code: int) -> str:
    """What a kernel said that nobody should hear of, by its name."""
    names = {value: name for name, value in vars(c).items() if name.isupper()}
    return f"a step ended with '{names.get(code, 'something unknown').lower().replace('_', ' ')}'"


def _worst_row(model: FlatModel, workspace: Workspace) -> str:
    worst, gap = failing.worst_row(model, workspace)
    return f"{_kind(model, worst.joint)} '{worst.joint}' ({worst.meaning}, off by {gap:.3g})"


def _kind(model: FlatModel, name: str) -> str:
    """What the part is that a row belongs to."""
    blueprint = model.blueprint
    if any(motion.name == name for motion in blueprint.motions):
        return "motion"
    if any(relation.name == name for relation in blueprint.relations):
        return "relation"
    return "body" if blueprint.has_body(name) else "joint"


def _flipped_joint(model: FlatModel, workspace: Workspace) -> str:
    worst = failing.worst_sign(model, workspace)
    return f"'{worst.joint}' ({worst.words} no longer holds)"


def _worst_body(model: FlatModel, workspace: Workspace) -> str:
    lost = failing.lost_body(model, workspace)
    return "" if lost is None else f"of body '{lost}' "
