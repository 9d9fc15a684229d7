"""Joints that say where they start: `initial` angles, displacements and speeds as targets of the assembly.

First the pose, with a row for each angle and displacement, as if a motion held it; then the velocities, with a row for
each speed: bodies whose velocity is written keep it as far as they can, and the others move. The state found is where
the mechanism itself is assembled from. Starts that cannot all hold in a loop are a guess of the pose only, and that is
said.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..choices import Coordinates
from ..engine.body_states import whole_state
from ..engine.cold_start import compile_for
from ..engine.plan import Plan
from ..engine.workspace import Workspace
from ..library.motions.motion import MOTION
from ..mechanism.errors import MechanismError
from ..mechanism.frozen import Frozen
from ..mechanism.parts import Blueprint, Component
from ..model.compile import compile_mechanism
from ..model.flat import FlatModel
from ..model.states import to_vector
from .close_joints import close_joints
from .placing import at_rest_in, placed_state


def started(blueprint: Blueprint, coordinates: Coordinates, t: float) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The state in which every joint starts as written, and notes about it; None where no joint says anything."""
    joints = [joint for joint in blueprint.joints if joint.initial]
    if not joints:
        return None, ()
    notes: tuple[str, ...] = ()
    poses = {
        joint.name: {key: joint.initial[key] for key in ("angle", "displacement") if key in joint.initial}
        for joint in joints
    }
    model, workspace = _held(blueprint, coordinates, poses)
    try:
        assembly = close_joints(model, workspace, None, t)
        state = at_rest_in(whole_state(model, assembly.y), model)
        notes = tuple(note for note in assembly.notes(model.size) if "moved body" in note)
    except MechanismError:
        model, workspace = _held(blueprint, coordinates, {})
        guess = to_vector(model, placed_state(model))
        state = at_rest_in(whole_state(model, close_joints(model, workspace, guess, t).y), model)
        names = ", ".join(name for name, targets in poses.items() if targets)
        notes = (f"joints {names} cannot all start as written; the pose was closed from there",)
    speeds = {joint.name: {"speed": joint.initial["speed"]} for joint in joints if "speed" in joint.initial}
    if speeds:
        model, workspace = _held(blueprint, coordinates, speeds)
        moving = close_joints(model, workspace, to_vector(model, state), t, as_written=True)
        state = whole_state(model, moving.y)
        notes += tuple(note for note in moving.notes(model.size) if "assembly changed" in note)
    return state, notes


def _held(
    blueprint: Blueprint, coordinates: Coordinates, targets: dict[str, dict[str, float]]
) -> tuple[FlatModel, Workspace]:
    """The mechanism with a motion for each target, compiled."""
    motions = tuple(
        Component(f"start_of_{name}", MOTION.name, Frozen({"joint": name, **values}))
        for name, values in targets.items()
        if values
    )
    model = compile_mechanism(replace(blueprint, motions=(*blueprint.motions, *motions)), coordinates)
    plan = Plan.of(model)
    compile_for(plan)
    return model, Workspace(plan)
