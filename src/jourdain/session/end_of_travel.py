"""Why a run that is driven can go no further: a motion asks for more than the linkage lets its joint have.

Without the motion's own equation the mechanism can still move, along t with J t = 0. At the end of travel the driven
coordinate stands still in that movement, g t = 0 with g the gradient of the motion's row: no force of the motion
moves it on. A little before it g t is small; the place where it vanishes is found by Newton's method along the way.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..engine.body_states import whole_state
from ..engine.pose import Pose, null_space
from ..kernels.layout.returned import OK
from ..library.geometry import ANGLE, split_joint
from ..library.joints import kind_of
from ..mechanism.errors import JourdainError
from ..mechanism.parts import Blueprint, Component
from ..model.compile import compile_mechanism
from ..model.flat import FlatModel
from ..model.states import to_vector
from ..results.solution import Solution

Array = npt.NDArray[np.float64]

NEAR = 0.6  # of the largest rate that the coordinate has in movements of that size: Newton's method begins from there
BESIDE = 0.05  # rad, or of the size: that near to the end a run fails
ROUNDS = 20
LONGEST = 0.2  # of the size, in one round
FOUND = 1e-9


def end_of_travel(model: FlatModel, t: float, y: Array, values: dict[str, float]) -> str:
    """The joint that is at the end of its travel and where, in words; empty if that is not why a run stopped.

    `values` are the coordinates of driven joints in state y, by channel.
    """
    blueprint = model.blueprint
    for motion in blueprint.motions:
        driven = driven_channel(blueprint, motion)
        if motion.name in model.off or driven not in values:
            continue
        try:
            limit = _limit(model, motion, driven, t, y)
        except (JourdainError, np.linalg.LinAlgError):
            continue
        if limit is not None:
            joint, _, quantity = driven.rpartition(".")
            if quantity == ANGLE:
                limit += 2 * math.pi * round((values[driven] - limit) / (2 * math.pi))
            if abs(values[driven] - limit) > BESIDE * (1.0 if quantity == ANGLE else model.size):
                continue
            place = shown(limit, quantity == ANGLE)
            return f"'{joint}' cannot be driven beyond {place}: limit of travel (motion '{motion.name}')"
    return ""


def driven_channel(blueprint: Blueprint, motion: Component) -> str:
    """`A.angle`: the coordinate of the joint that a motion drives; empty where it drives a point or a body."""
    if motion.values.get("joint") is None:
        return ""
    name, quantity = split_joint(motion.values["joint"], blueprint.joints_by_name)
    known = kind_of(blueprint.joint(name)).coordinates
    quantity = quantity or next((q for q in known if motion.values.get(q) is not None), known[0] if known else "")
    return f"{name}.{quantity}" if quantity else ""


def shown(value: float, angular: bool) -> str:
    return f"{math.degrees(value):.5g} deg" if angular else f"{value:.5g} m"


def _limit(model: FlatModel, motion: Component, driven: str, t: float, y: Array) -> float | None:
    """Where the motion's coordinate ends, an angle but for whole turns; None where no end is near."""
    blueprint = model.blueprint
    plain = ch.DEFAULT_COORDINATES[blueprint.space]
    whole = compile_mechanism(blueprint, plain, off=model.off)
    free = compile_mechanism(
        replace(blueprint, motions=tuple(m for m in blueprint.motions if m is not motion)), plain, off=model.off
    )
    mine = [k for k, row in enumerate(whole.rows) if row.joint == motion.name]
    others = [k for k, row in enumerate(whole.rows) if row.joint != motion.name]
    if len(mine) != 1:
        return None
    pose, rest = Pose(whole), Pose(free)
    place = to_vector(whole, whole_state(model, y))
    scales = pose.scales()

    def way(place: Array, before: Array | None) -> tuple[Array, float, float] | None:
        """The movement that is left without the motion, the rate of its coordinate in it, and what it could be."""
        pose.place(t, place)
        J = pose.jacobian_here() * scales
        tangents = null_space(J[others])
        if tangents.shape[1] != 1:
            return None
        tangent = tangents[:, 0] if before is None or tangents[:, 0] @ before >= 0 else -tangents[:, 0]
        gradient = J[mine[0]]
        return tangent, float(gradient @ tangent), float(np.linalg.norm(gradient))

    place[whole.layout.v] = 0.0
    if rest.project(t, place) != OK:  # what stopped it may have left joints open
        return None
    found = way(place, None)
    if found is None or abs(found[1]) > NEAR * found[2]:
        return None
    tangent, rate, whole_rate = found
    if rate < 0:
        tangent, rate = -tangent, -rate
    h = 1e-4 * model.size
    for _ in range(ROUNDS):
        place = pose.retract(place, scales * h * tangent)
        place[whole.layout.v] = 0.0
        if rest.project(t, place) != OK or (found := way(place, tangent)) is None:
            break
        bend = (found[1] - rate) / h
        tangent, rate = found[0], found[1]
        if abs(rate) <= FOUND * whole_rate or bend == 0.0:
            break
        h = float(np.clip(-rate / bend, -LONGEST * model.size, LONGEST * model.size))
    nothing = np.zeros((1, whole.outputs.length))
    there = Solution(whole, ch.resolve(blueprint.space), np.array([t]), place[None], nothing, None, None, None)
    return float(there[driven][0])
