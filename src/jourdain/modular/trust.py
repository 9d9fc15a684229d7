"""Boxes that lie are noticed: one whose state does not restore, or whose mobility is not what forces do to it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import SimulationError
from .box import Box, checked_motion
from .box_network import Network
from .own_box import MechanismBox

Array = npt.NDArray[np.float64]

SPAN = 1e-3  # s, of the trial, where a box has no step of its own
OFF = 0.3  # of what its mobility says: the velocity after the trial may be off by so much


def try_boxes(network: Network, names: Iterable[str]) -> None:
    """Every box of somebody else's once, before its first macro step."""
    for name in names:
        box = network.boxes[name]
        if box.restores and not isinstance(box, MechanismBox) and box.ports:
            _try(box, name, network.width)


def _try(box: Box, name: str, width: int) -> None:
    H = box.step or SPAN
    mark = box.state()
    if not isinstance(mark, bytes):
        raise SimulationError(f"subsystem '{name}': state() returned {type(mark).__name__}; expected bytes")
    Y = np.array(box.mobility(), dtype=float)
    n = len(box.ports) * width
    if Y.shape != (n, n):
        raise SimulationError(
            f"subsystem '{name}': its mobility has the shape {Y.shape}; expected {n} x {n}, {width} for each port"
        )
    if np.max(np.abs(Y - Y.T), initial=0.0) > 1e-6 * np.max(np.abs(Y), initial=0.0):
        raise SimulationError(
            f"subsystem '{name}': its mobility is not symmetric, as d(acceleration)/d(force) of a mechanism is"
        )

    def moved(wrench: Array) -> tuple[Array, ...]:
        found = checked_motion(box, name, box.advance(H, wrench.reshape(1, -1, width)), "tried")
        box.restore(mark)
        return tuple(found)

    still, again = moved(np.zeros(n)), moved(np.zeros(n))
    if any(np.any(a != b) for a, b in zip(still, again, strict=True)):
        raise SimulationError(
            f"subsystem '{name}' does not restore: after restore(state) the same advance gave another motion; "
            "state() must hold everything that a later call reads"
        )
    sizes = np.maximum(np.abs(Y).sum(axis=0), 1e-300)
    for k in range(n):
        unit = np.zeros(n)
        unit[k] = 1.0 / sizes[k] if sizes[k] > 1e-290 else 1.0
        pushed = moved(unit)
        gained = np.column_stack([pushed[2] - still[2], pushed[3] - still[3]]).ravel() / H
        said = Y @ unit
        if np.max(np.abs(gained - said)) > OFF * max(float(np.max(np.abs(said))), 1e-9):
            port, component = divmod(k, width)
            raise SimulationError(
                f"subsystem '{name}': its mobility is wrong: a wrench on port '{box.ports[port]}' (component "
                f"{component + 1}) should change rates by up to {np.max(np.abs(said)):.3g}, and does by "
                f"{np.max(np.abs(gained)):.3g}"
            )
