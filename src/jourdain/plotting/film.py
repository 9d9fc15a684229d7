"""A record at the times of frames: what an animation shows between the samples of a run.

Where samples are close together, bodies are taken along cubics through them, with the velocities there as slopes, and
their frames made orthonormal again. Where a body turns far, or is knocked, from one sample to the next, no curve
through samples lies on the mechanism: there the run goes on from the sample to the time of the frame. A record that
cannot do that, a file of results, is shown at its samples only (`jumps`).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..mechanism.parts import GROUND, Blueprint, PortName
from ..mechanism.rotations import swung
from .shown import Poses, Shown

Array = npt.NDArray[np.float64]

TINY = 1e-12  # half a turn between two samples leaves no direction: then nothing is drawn instead of nonsense
FARTHEST = 0.5  # rad, that a body may turn between two samples with a cubic between them
BENT = 2e-3  # of the mechanism's size: what a sample may lie beside the way that velocities lead to
SAME = 1e-9  # of the time between two samples


class Film:
    """What a Scene needs to know, at times of its own."""

    def __init__(self, record: Shown, times: Array) -> None:
        self.name = record.name
        self.blueprint: Blueprint = record.blueprint
        self.size = record.size
        self.events = getattr(record, "events", {})
        self._record, self.jumps = _known_at(record, times)
        self.t = nearest_samples(record.t, times) if self.jumps else times

    def __getitem__(self, channel: str) -> Array:
        return np.interp(self.t, self._record.t, self._record[channel])

    @cached_property
    def poses(self) -> FilmPoses:
        position, frame = smooth_poses(self._record, self.t)
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


def _known_at(record: Shown, times: Array) -> tuple[Shown, bool]:
    """A record with samples close enough for these times, and whether there is none."""
    apart = far_apart(record)
    k = np.clip(np.searchsorted(record.t, times, side="right") - 1, 0, max(len(record.t) - 2, 0))
    needed = times[np.isin(k, apart)]
    if not len(needed):
        return record, False
    known = getattr(record, "sampled", lambda times: None)
    # Beside the times themselves, the samples that others lie between.
    found = known(np.unique(np.concatenate([needed, record.t])))
    if found is None:  # a knock is rounded off, but what turns far cannot be shown
        return record, bool(np.isin(k, far_apart(record, knocked=False)).any())
    return found, False


def far_apart(record: Shown, knocked: bool = True) -> npt.NDArray[np.intp]:
    """Numbers of the intervals between samples through which no cubic can be trusted: where a body turns far.

    `knocked`: also those in which it goes elsewhere than its velocities lead, as where something is struck.
    """
    t, poses = record.t, record.poses
    if len(t) < 2:
        return np.zeros(0, dtype=int)
    h = np.diff(t)[:, None]
    cosines = (np.einsum("tbij,tbij->tb", poses.frame[1:], poses.frame[:-1]) - poses.frame.shape[-1] + 2) / 2
    turned = np.arccos(np.clip(cosines, -1.0, 1.0))
    velocity, spin = _velocities(poses)
    bad = turned > FARTHEST
    if velocity is not None and spin is not None:
        rate = np.linalg.norm(spin, axis=-1)
        bad |= h * (rate[1:] + rate[:-1]) / 2 > FARTHEST
    if velocity is not None and spin is not None and knocked:
        led = poses.position[:-1] + h[..., None] * (velocity[1:] + velocity[:-1]) / 2
        bad |= np.linalg.norm(poses.position[1:] - led, axis=-1) > BENT * record.size
        w = h[..., None, None] * (_swung_frames(poses.frame, spin)[1:] + _swung_frames(poses.frame, spin)[:-1]) / 2
        # A turn by phi misses its chord by phi^3/12: what is beyond that is no steady turn.
        missed = np.abs(poses.frame[1:] - poses.frame[:-1] - w).max(axis=(-1, -2))
        bad |= missed > FARTHEST**3 / 12
    return np.flatnonzero(bad.any(axis=1))


def _velocities(poses: Poses) -> tuple[Array | None, Array | None]:
    """Velocities and spins where the record knows them; the poses of a mode, say, have none."""
    velocity, spin = getattr(poses, "velocity", None), getattr(poses, "spin", None)
    if velocity is None or spin is None or not (np.any(velocity) or np.any(spin)):
        return None, None
    return velocity, spin


def _swung_frames(frame: Array, spin: Array) -> Array:
    """Rates of the axes of bodies, (time, body, dim, dim): columns like those of `frame`."""
    columns = [swung(spin, frame[..., k]) for k in range(frame.shape[-1])]
    return np.stack(columns, axis=-1)


def smooth_poses(record: Shown, times: Array) -> tuple[Array, Array]:
    """Positions and frames of all bodies at times in a record, by cubics through its samples."""
    poses = record.poses
    velocity, spin = _velocities(poses)
    rates = None if spin is None else _swung_frames(poses.frame, spin)
    position = cubic(record.t, poses.position, times, velocity)
    return position, orthonormal(cubic(record.t, poses.frame, times, rates))


def nearest_samples(t: Array, times: Array) -> Array:
    """Of each time the sample that is nearest to it."""
    after = np.clip(np.searchsorted(t, times), 1, max(len(t) - 1, 1)) if len(t) > 1 else np.zeros(len(times), int)
    before = np.maximum(after - 1, 0)
    return np.asarray(np.where(times - t[before] < t[after] - times, t[before], t[after]))


def cubic(t: Array, values: Array, times: Array, slopes: Array | None = None) -> Array:
    """Values at other times, by cubics with these slopes, or those of the curve through neighbours; t increases."""
    if len(t) == 1:
        return np.repeat(values, len(times), axis=0)
    slopes = slopes_of(t, values) if slopes is None else slopes
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = t[k + 1] - t[k]
    shape = (-1,) + (1,) * (values.ndim - 1)
    s, h = ((times - t[k]) / h).reshape(shape), h.reshape(shape)
    low, high = values[k], values[k + 1]
    bend = s * (1 - s)
    line = low + s * (high - low)
    found = line + bend * ((1 - s) * (h * slopes[k] - (high - low)) + s * ((high - low) - h * slopes[k + 1]))
    return np.asarray(found)


def slopes_of(t: Array, values: Array) -> Array:
    """Slopes at samples: of the curve through three; through five where they are evenly spaced, as the page has it."""
    slopes = np.gradient(values, t, axis=0, edge_order=2 if len(t) > 2 else 1)
    h = np.diff(t)
    if len(t) >= 5 and np.ptp(h) < SAME * np.max(h):
        slopes[2:-2] = (8 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12 * np.mean(h))
    return np.asarray(slopes)


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
