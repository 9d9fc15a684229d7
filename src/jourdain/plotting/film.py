"""A record at evenly spaced frames: what an animation shows between the samples of a run.

Origins and frames of bodies are interpolated by cubics through the samples, with slopes from their neighbours, and the
frames made orthonormal again: bodies stay rigid, and joints closed far better than a pixel.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..mechanism.parts import GROUND, Blueprint, PortName
from .shown import Shown

Array = npt.NDArray[np.float64]

TINY = 1e-12  # half a turn between two samples leaves no direction: then nothing is drawn instead of nonsense


class Film:
    """What a Scene needs to know, at times of its own."""

    def __init__(self, record: Shown, times: Array) -> None:
        self._record = record
        self.t = times
        self.name = record.name
        self.blueprint: Blueprint = record.blueprint
        self.size = record.size

    def __getitem__(self, channel: str) -> Array:
        return np.interp(self.t, self._record.t, self._record[channel])

    @cached_property
    def poses(self) -> FilmPoses:
        poses = self._record.poses
        position = cubic(self._record.t, poses.position, self.t)
        frame = orthonormal(cubic(self._record.t, poses.frame, self.t))
        return FilmPoses(self.blueprint, position, frame)


class FilmPoses:
    """Poses of all bodies: `position` (frame, body, dim) and `frame` (frame, body, dim, dim)."""

    def __init__(self, blueprint: Blueprint, position: Array, frame: Array) -> None:
        self._blueprint = blueprint
        self._names = {body.name: k for k, body in enumerate(blueprint.bodies)}
        self.position = position
        self.frame = frame

    def index(self, body: str) -> int:
        return self._names[body]

    def place(self, port: PortName) -> Array:
        at = np.array(self._blueprint.port(port).at, dtype=float)
        if port.body == GROUND:
            return np.tile(at, (len(self.frame), 1))
        b = self.index(port.body)
        return np.asarray(self.position[:, b] + self.frame[:, b] @ at)


def cubic(t: Array, values: Array, times: Array) -> Array:
    """Values at other times, by cubics with slopes from central differences; t increases."""
    if len(t) == 1:
        return np.repeat(values, len(times), axis=0)
    slopes = np.gradient(values, t, axis=0)
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = t[k + 1] - t[k]
    shape = (-1,) + (1,) * (values.ndim - 1)
    s, h = ((times - t[k]) / h).reshape(shape), h.reshape(shape)
    low, high = values[k], values[k + 1]
    bend = s * (1 - s)
    line = low + s * (high - low)
    found = line + bend * ((1 - s) * (h * slopes[k] - (high - low)) + s * ((high - low) - h * slopes[k + 1]))
    return np.asarray(found)


def orthonormal(frames: Array) -> Array:
    """The nearest rotations, near enough: Gram and Schmidt on columns."""
    x = frames[..., 0]
    x = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), TINY)
    if frames.shape[-1] == 2:
        return np.stack([x, np.stack([-x[..., 1], x[..., 0]], axis=-1)], axis=-1)
    y = frames[..., 1]
    y = y - np.sum(x * y, axis=-1, keepdims=True) * x
    y = y / np.maximum(np.linalg.norm(y, axis=-1, keepdims=True), TINY)
    return np.stack([x, y, np.cross(x, y)], axis=-1)
