"""Box: the contract of a subsystem that keeps its data to itself, in numbered promises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import SimulationError
from ..mechanism.parts import PLANAR

Array = npt.NDArray[np.float64]

UNIT = 1e-6  # by which a quaternion may miss length one


class PortMotion(NamedTuple):
    """How the ports of a box move, one row a port, fixed axes, SI.

    Shapes for P ports in the plane (in space): `position` P x 2 (3), m; `attitude` P angles (P x 4 quaternions
    w, x, y, z) of the port's body axes, rad; `velocity` P x 2 (3); `spin` P x 1 (3), rad/s; `acceleration` and
    `spin_rate` are the rates of these two.
    """

    position: Array
    attitude: Array
    velocity: Array
    spin: Array
    acceleration: Array
    spin_rate: Array


class Box(ABC):
    """A subsystem as a black box. Nobody looks inside: this is all there is.

    1. `space` is "planar" or "spatial", `ports` the names of its ports in a fixed order, `step` the length of its own
       steps in s or None if it chooses them, `gravity` the gravity it was told, or None if it knows of none.
    2. SI units and radians, fixed axes, everywhere. A wrench is force, then couple about the port's point: 3 numbers in
       the plane (fx, fy, mz), 6 in space (fx, fy, fz, mx, my, mz).
    3. `start(t)` brings the box to its start at time t and returns the PortMotion there, no wrench acting on any port.
    4. `advance(H, wrenches)` goes on from where the box stands by exactly H seconds and returns the PortMotion at the
       end. `wrenches` has the shape (degree + 1, ports, 3 or 6): at the time tau after the beginning the wrench on the
       ports is `sum_k wrenches[k] * (tau / H)**k`. The rates at the end are those under the wrench at tau = H.
       If it raises, the box may be left anywhere: it is restored.
    5. `mobility()` is d(acceleration, spin_rate) / d(wrench) where the box stands, a square matrix over all numbers of
       all ports, port by port, symmetric and positive semi-definite. The rates depend on the wrenches linearly.
    6. `kick(impulses)` applies port impulses (ports x 3 or 6; N s, N m s) at once and returns the PortMotion after it,
       under the wrench that acted last. A box without it is refused where velocities jump.
    7. `state()` is everything that a later call reads, as bytes; after `restore(state)` the same calls give the same
       bits. A box that cannot go back has `restores = False`; it can only be coupled by `explicit`.
    8. Arrays that a box is given are the caller's and stay as they are; arrays that it returns are the caller's from
       then on. One call at a time, in any thread; different boxes may be called at the same time.
    9. Names are texts, all else numbers, arrays of floats, or bytes: a box may live in another process.
    10. `channels()` are further numbers that it wants to be sampled, by name, where it stands; none by default.
    """

    space: str = PLANAR
    ports: Sequence[str] = ()
    step: float | None = None
    gravity: tuple[float, ...] | None = None
    restores: bool = True

    @abstractmethod
    def start(self, t: float) -> PortMotion:
        """Promise 3."""

    @abstractmethod
    def advance(self, H: float, wrenches: Array) -> PortMotion:
        """Promise 4."""

    @abstractmethod
    def mobility(self) -> Array:
        """Promise 5."""

    def kick(self, impulses: Array) -> PortMotion:
        """Promise 6."""
        raise NotImplementedError

    def state(self) -> bytes:
        """Promise 7."""
        raise NotImplementedError

    def restore(self, state: bytes) -> None:
        """Promise 7."""
        raise NotImplementedError

    def channels(self) -> Mapping[str, float]:
        """Promise 10."""
        return {}

    @property
    def kicks(self) -> bool:
        """Whether it takes impulses."""
        return type(self).kick is not Box.kick


def width_of(space: str) -> int:
    """Numbers in a wrench."""
    return 3 if space == PLANAR else 6


def checked_motion(box: Box, name: str, found: Any, doing: str) -> PortMotion:
    """What a box returned, if it is the motion of its ports; else a sentence that names the box and what is wrong."""
    dim, spin = (2, 1) if box.space == PLANAR else (3, 3)
    P = len(box.ports)
    attitude = (P,) if dim == 2 else (P, 4)
    shapes = (P, dim), attitude, (P, dim), (P, spin), (P, dim), (P, spin)
    try:
        parts = [np.array(part, dtype=np.float64) for part in found]
        if len(parts) != len(shapes):
            raise TypeError
    except (TypeError, ValueError):
        raise SimulationError(
            f"subsystem '{name}' returned no PortMotion when {doing}: expected six arrays of numbers, "
            f"got {type(found).__name__}"
        ) from None
    for key, part, shape in zip(PortMotion._fields, parts, shapes, strict=True):
        if part.shape == (P,) and shape == (P, 1):
            part.shape = shape
        if part.shape != shape:
            raise SimulationError(
                f"subsystem '{name}': {key} has the shape {part.shape} when {doing}; expected {shape} "
                f"for {P} ports in the {'plane' if dim == 2 else 'space'}"
            )
        if not np.isfinite(part).all():
            port = box.ports[int(np.argwhere(~np.isfinite(part))[0][0])]
            raise SimulationError(f"subsystem '{name}': {key} of port '{port}' is not finite when {doing}")
    motion = PortMotion(*parts)
    if dim == 3 and np.any(np.abs(np.linalg.norm(motion.attitude, axis=1) - 1.0) > UNIT):
        raise SimulationError(f"subsystem '{name}': an attitude is no unit quaternion (w, x, y, z) when {doing}")
    return motion
