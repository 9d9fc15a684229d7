"""Poses, velocities and accelerations of bodies over time, from the samples of a run.

Arrays are (time, body, ...), fixed axes, of the body's origin unless said otherwise.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.body_states import body_motion
from ..mechanism.equality import equal_by
from ..mechanism.parts import GROUND, PortName
from ..mechanism.rotations import swung
from ..model.flat import FlatModel
from ..model.states import attitude_from_frames

Array = npt.NDArray[np.float64]


@equal_by("_samples", "frame", "_centre", "_speed", "_acceleration")
class Motion:
    """Kinematics of all bodies at all samples."""

    def __init__(self, model: FlatModel, samples: Array, accelerations: Array) -> None:
        self.model = model
        self._samples = samples
        self._names = {body.name: k for k, body in enumerate(model.blueprint.bodies)}
        found = body_motion(model, samples, accelerations)
        self._centre, self.frame, self._attitude, self._speed, self.spin, self._acceleration, self.spin_rate = found
        counted = [model.layout.turn(b.name) for b in model.blueprint.bodies if b.name in model.turns]
        self._turns = samples[:, counted]

    def index(self, body: str) -> int:
        return self._names[body]

    @cached_property
    def attitude(self) -> Array:
        """Angles (time, body), unwrapped, or quaternions (time, body, 4), continuous."""
        if self._attitude is not None:
            return self._attitude
        known = self.model.set.attitudes(self.model, self._samples)
        if known is not None:
            return known
        found = attitude_from_frames(self.frame)
        if found.ndim == 3:  # choose the sign that continues the one before
            steps = np.sum(found[1:] * found[:-1], axis=-1)
            signs = np.cumprod(np.where(steps < 0, -1.0, 1.0), axis=0)
            found[1:] *= signs[..., None]
            return found
        return found + 2 * np.pi * np.round((self._turns - found) / (2 * np.pi))

    @cached_property
    def _arm(self) -> Array:
        """From the origin to the mass centre."""
        centres = np.array([body.centre for body in self.model.blueprint.bodies])
        return np.einsum("tbij,bj->tbi", self.frame, centres)

    @cached_property
    def position(self) -> Array:
        return self._centre - self._arm

    @cached_property
    def velocity(self) -> Array:
        return self._speed - swung(self.spin, self._arm)

    @cached_property
    def acceleration(self) -> Array:
        centripetal = swung(self.spin, swung(self.spin, self._arm))
        return self._acceleration - swung(self.spin_rate, self._arm) - centripetal

    def point(self, port: PortName) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of a point of a body or of the ground."""
        at = self.model.blueprint.port(port).at
        return self.at(port.body, at, 0), self.at(port.body, at, 1), self.at(port.body, at, 2)

    def at(self, body: str, at: Any, order: int = 0) -> Array:
        """A point in body axes from the origin; order 1: its velocity, 2: its acceleration."""
        local = np.array(at)
        if body == GROUND:
            still = np.zeros((len(self.frame), local.size))
            return still if order else still + local
        b = self.index(body)
        origin = (self.position, self.velocity, self.acceleration)[order][:, b]
        return sum(self._carried(b, local, order), origin) if local.any() else origin

    def _carried(self, b: int, local: Array, order: int) -> list[Array]:
        """The terms of a vector of a body in fixed axes, or of a derivative of it."""
        r, w = self.frame[:, b] @ local, self.spin[:, b]
        if order == 0:
            return [r]
        return [swung(w, r)] if order == 1 else [swung(self.spin_rate[:, b], r), swung(w, swung(w, r))]

    def place(self, port: PortName) -> Array:
        """Where a point is, fixed axes."""
        return self.point(port)[0]

    def direction(self, body: str, local: Any, order: int = 0) -> Array:
        """A body axis over time, fixed axes, or a derivative of it."""
        axis = np.array(local, dtype=float)
        if body == GROUND:
            return np.tile(np.zeros_like(axis) if order else axis, (len(self.frame), 1))
        first, *rest = self._carried(self.index(body), axis, order)
        return sum(rest, first)

    def spin_of(self, body: str, order: int = 0) -> Array:
        """Angular velocity; order 1: its rate."""
        source = self.spin_rate if order else self.spin
        return np.zeros_like(source[:, 0]) if body == GROUND else source[:, self.index(body)]
