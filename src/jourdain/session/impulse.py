"""The impulse by which joints that come into force stop what they forbid.

Over all rows s = J v + C_t; K L = s with K = J M^-1 J^T; v+ = v - M^-1 J^T L: a projection of v in the mass metric,
which keeps momentum in all directions that stay free. It dissipates s^T L / 2; motions among the rows do the work
C_t^T L. v+ and both energies are unique where rows are redundant; single impulses are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engine.pose import Pose
from ..model.flat import FlatModel

Array = npt.NDArray[np.float64]

LEAST = 1e-9  # of the largest: smaller impulses are rounding
STILL = 1e-9  # of the largest speed, or of 1 m/s or rad/s: smaller jumps are none


@dataclass(frozen=True)
class Impulse:
    """What a jump of velocities did.

    By joint on its second body, at its port, fixed axes, N s and N m s; by motion and relation along its rows.
    """

    by_part: dict[str, tuple[float, ...]]
    dissipated: float = 0.0  # J
    driven: float = 0.0  # J, by motions that came into force


# Theory, eq. 21 (impulse).
def impulse_of(pose: Pose, t: float, y: Array) -> Impulse:
    """What stops, at a state that is closed, the motion that the rows forbid."""
    model = pose.model
    if not model.rows:
        return Impulse({})
    s, partial, L = pose.impulse(t, y)
    speed = max(1.0, float(np.max(np.abs(y[model.layout.v]), initial=0.0)))
    if not np.max(np.abs(s), initial=0.0) > STILL * speed:
        return Impulse({})
    joints = [joint.name for joint in model.blueprint.joints]
    found = {name: wrench[1] for name, wrench in zip(joints, pose.reactions(L), strict=True)}
    for row, value in zip(model.rows, L, strict=True):
        if row.joint not in joints and not row.intrinsic:
            found[row.joint] = np.append(found.get(row.joint, np.zeros(0)), value)
    least = LEAST * max(float(np.max(np.abs(part), initial=0.0)) for part in found.values())
    told = {name: tuple(map(float, part)) for name, part in found.items() if np.max(np.abs(part), initial=0.0) > least}
    return Impulse(told, 0.5 * float(s @ L), float(partial @ L))


def count(model: FlatModel, y: Array, impulse: Impulse) -> None:
    """Energies of an impulse go on in the works of y."""
    y[model.layout.work("dissipated")] += impulse.dissipated
    y[model.layout.work("driven")] += impulse.driven
