"""The impulse by which joints between boxes stop what they forbid: K L = s = C', and -J^T L on the ports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .box_network import Network
from .link_names import dotted
from .step import Point

Array = npt.NDArray[np.float64]

LEAST = 1e-9  # of the largest: smaller impulses are rounding
STILL = 1e-9


@dataclass(frozen=True)
class Stopped:
    """By joint on its second body, at its port, fixed axes, N s and N m s; energies in J."""

    by_joint: dict[str, tuple[float, ...]]
    dissipated: float
    driven: float
    wrench: Array  # by port, under which the rates after it are

    def told(self) -> str:
        names = ", ".join(f"'{name}'" for name in list(self.by_joint)[:3])
        return f"an impulse stopped what {names or 'no joint'} forbids, and took {self.dissipated:.3g} J"


# Theory, eq. 21 (impulse).
def stopped(network: Network, point: Point) -> Stopped:
    """Kick the boxes so that the joints between them let nothing through; `network.motion` is the motion after it."""
    joints, interface = point.joints, network.interface
    s = joints.rate
    speed = max(1.0, float(np.max(np.abs(network.motion.velocity), initial=0.0)))
    if not np.max(np.abs(s), initial=0.0) > STILL * speed:
        return Stopped({}, 0.0, 0.0, point.wrench)
    L = point.factor.within(point.factor.solve(s))
    network.motion, hit = network.kicked(network.wrenches(joints.J, L))
    interface.place(point.t, network.vector(point.motion, point.z))
    wrenches = interface.pose.reactions(L)
    found = {}
    for joint, wrench in zip(interface.model.blueprint.joints, wrenches, strict=True):
        found[dotted(joint.name)] = wrench[1]
    names = {joint.name for joint in interface.model.blueprint.joints}
    for row, value in zip(interface.rows, L, strict=True):
        if row.joint not in names:
            found[dotted(row.joint)] = np.append(found.get(dotted(row.joint), np.zeros(0)), value)
    least = LEAST * max((float(np.max(np.abs(part), initial=0.0)) for part in found.values()), default=0.0)
    told = {k: tuple(map(float, v)) for k, v in found.items() if np.max(np.abs(v), initial=0.0) > least}
    wrench = np.where(hit, point.ended, point.wrench)
    return Stopped(told, 0.5 * float(s @ L), float(joints.partial @ L), wrench)
