"""How fast a motion is, and how it is slowed down to be seen: the speed, the frames, and what is left out, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..mechanism.errors import PictureError
from .film import Film, cubic, slopes_of
from .shown import Shown

Array = npt.NDArray[np.float64]

QUICKEST = 3.0  # turns or swings a second that are watched at true speed
SLOWED = 0.75  # turns or swings a second, at most, of what is slowed down
HURRIED = 2.0  # the same, where it would last longer than `PATIENCE`
PATIENCE = 60.0  # s
FLASH, GLANCE = 0.5, 1.5  # s: what is over sooner is slowed down too, so that it lasts at least so long
SEEN_MOVING = 0.01  # of the mechanism's size: what swings less is not seen to swing
SEEN_TURNING = 0.02  # rad
COARSEST = 2 * math.pi / 12  # rad between two frames of a film: with fewer than twelve a turn the eye sees another way
MOST_FRAMES = 5_000  # of a GIF or a film
MOST_POSES_OF_PAGE = 120_000  # frames times bodies: some megabytes
FEWEST_OF_PAGE = 25
PAGE_TURN = 0.2  # rad between two frames of a page, at first
PIXEL = 3e-4  # of the largest side of a picture: a third of a pixel in a thousand
REFINED = 2  # times that a page is given twice the frames
PATH_TURN = 0.04  # rad between two places of a path
MOST_OF_PATH = 20_000


@dataclass(frozen=True)
class Pace:
    """How a motion is shown: the speed (1 is true), the times of frames, and what is left out."""

    speed: float
    times: Array
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What a picture says of its speed; nothing at true speed."""
        if self.speed == 1:
            return ""
        slower = self.speed < 1
        return f"slowed down {1 / self.speed:.4g} times" if slower else f"sped up {self.speed:.4g} times"


def swings(record: Shown) -> float:
    """Turns or swings a second of the body that does so most often, among motions large enough to be seen.

    What swings sinusoidally has the quotient of the root mean squares of its velocity and its place as circular
    frequency, and so has each axis of a body that turns. What goes one way only counts as half a swing.
    """
    t, poses = record.t, record.poses
    if len(t) < 2 or t[-1] <= t[0]:
        return 0.0
    velocity, spin = getattr(poses, "velocity", None), getattr(poses, "spin", None)
    moving = velocity is not None and spin is not None and (np.any(velocity) or np.any(spin))
    weights = np.asarray(np.gradient(t))[:, None, None]
    weights = weights / weights.sum()
    found = [0.0]
    places = poses.position
    speeds = np.asarray(velocity) if moving else slopes_of(t, places)
    found += _rates(places, speeds, weights, SEEN_MOVING * record.size)
    for k in range(poses.frame.shape[-1]):
        axis = poses.frame[..., k]
        rates = _turning(axis, spin) if moving else slopes_of(t, axis)
        found += _rates(axis, rates, weights, SEEN_TURNING)
    return max(found) / (2 * math.pi)


def _turning(axis: Array, spin: Array | None) -> Array:
    from ..mechanism.rotations import swung

    return swung(np.asarray(spin), axis)


def _rates(values: Array, speeds: Array, weights: Array, least: float) -> list[float]:
    """Circular frequencies, body by body, of what is larger than `least`."""
    about = values - np.sum(weights * values, axis=0)
    width = np.sqrt(np.sum(weights * about**2, axis=(0, 2)))
    speed = np.sqrt(np.sum(weights * speeds**2, axis=(0, 2)))
    return [float(v / w) for v, w in zip(speed, width, strict=True) if w > least and np.isfinite(v / w)]


def natural_speed(record: Shown) -> float:
    """1, or the part of it at which the fastest body can be followed: 0.5, 0.2, 0.1, 0.05 .."""
    often, span = swings(record), float(record.t[-1] - record.t[0])
    speed = 1.0
    if often > QUICKEST:
        speed = rounded_down(max(SLOWED / often, min(span / PATIENCE, HURRIED / often)))
    if 0 < span / speed < FLASH:
        speed = min(speed, rounded_down(span / GLANCE))
    return speed


def rounded_down(x: float) -> float:
    """To 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(x) + 1e-9)
    return float(f"{max(m for m in (1, 2, 5) if m * power <= x * (1 + 1e-9)) * power:.3g}")


def frame_times(t: Array, fps: float, speed: float) -> Array:
    """Times of frames from first to last sample; both are shown."""
    span = float(t[-1] - t[0])
    count = max(2, round(span * fps / speed) + 1)
    if count > MOST_FRAMES:
        instead = f"raise speed above {span * fps / MOST_FRAMES:.2g}, lower fps, or write a page .html"
        raise PictureError(f"{count} frames are too many for one file (at most {MOST_FRAMES}); {instead}")
    return np.linspace(float(t[0]), float(t[-1]), count)


def pace_of_film(record: Shown, fps: float, speed: float | None) -> Pace:
    """Of a GIF or a film. A speed that was chosen is kept; otherwise it is slow enough, and the file not too long."""
    t, often = record.t, swings(record)
    if speed is not None:
        times = frame_times(t, fps, speed)
        turn = often * speed / fps
        note = f"at speed {speed:g} the fastest body makes {turn:.2g} turns or swings from one frame to the next"
        notes = (f"{note}; leave speed out, or give {natural_speed(record):g}",) if turn > 0.25 else ()
        return Pace(speed, times, notes)
    chosen = natural_speed(record)
    span = float(t[-1] - t[0])
    frame_times(t, fps, 1.0)  # what is too long even at true speed is refused
    if span * fps / chosen + 1 <= MOST_FRAMES:
        return Pace(chosen, frame_times(t, fps, chosen))
    quicker = span * fps / (MOST_FRAMES - 1)
    coarsest = COARSEST / (2 * math.pi) * fps / often if often else math.inf
    if quicker <= coarsest:
        return Pace(quicker, np.linspace(float(t[0]), float(t[-1]), MOST_FRAMES))
    times = np.asarray(float(t[0]) + np.arange(MOST_FRAMES) * chosen / fps, dtype=np.float64)
    return Pace(chosen, times, (_cut(times[-1], t, "raise speed, or write a page .html"),))


def _cut(end: float, t: Array, instead: str) -> str:
    return f"only t = {t[0]:g} to {end:.4g} s of {t[-1]:g} s are shown: the motion is too fast for more; {instead}"


def pace_of_page(record: Shown, speed: float | None) -> Pace:
    """Of a page, which draws between its frames by cubics: as many as it takes for these to lie on the mechanism."""
    t = record.t
    chosen = natural_speed(record) if speed is None else speed
    span = float(t[-1] - t[0])
    if span <= 0:
        return Pace(chosen, np.repeat(t[:1], 2))
    most = max(MOST_POSES_OF_PAGE // max(len(record.blueprint.bodies), 1), 50)
    count = max(FEWEST_OF_PAGE, math.ceil(2 * math.pi * swings(record) * span / PAGE_TURN) + 1)
    for finer in range(REFINED + 1):
        step = span / ((count - 1) * 2**finer)
        shown = min((count - 1) * 2**finer + 1, most)
        times: Array = np.asarray(float(t[0]) + step * np.arange(shown), dtype=np.float64)
        if _lies_on(record, times):
            break
    end = float(times[-1])
    if end < t[-1] - step / 2:
        return Pace(chosen, times, (_cut(end, t, "animate a shorter run for the rest"),))
    times[-1] = t[-1]
    return Pace(chosen, times)


def _lies_on(record: Shown, times: Array) -> bool:
    """Whether cubics through poses at these times lie on the mechanism between them too."""
    film = Film(record, np.sort(np.concatenate([times, (times[1:] + times[:-1]) / 2])))
    if film.jumps:
        return True
    poses, reach = film.poses, reaches(record)
    place = cubic(times, poses.position[::2], film.t[1::2]) - poses.position[1::2]
    turn = cubic(times, poses.frame[::2], film.t[1::2]) - poses.frame[1::2]
    missed = np.linalg.norm(place, axis=-1) + reach * np.abs(turn).max(axis=(-1, -2))
    return bool(np.max(missed, initial=0.0) <= PIXEL * record.size)


def reaches(record: Shown) -> Array:
    """Of each body, how far its points are from its origin."""
    return np.array(
        [
            max((float(np.linalg.norm(port.at)) for port in body.ports.values()), default=0.0)
            for body in record.blueprint.bodies
        ]
    )


def dense(record: Shown) -> Shown:
    """A record with places close enough for paths that look smooth."""
    span, often = float(record.t[-1] - record.t[0]), swings(record)
    count = math.ceil(2 * math.pi * often * span / PATH_TURN) + 1
    if len(record.t) >= count or len(record.t) < 2:
        return record
    film = Film(record, np.linspace(float(record.t[0]), float(record.t[-1]), min(count, MOST_OF_PATH)))
    return record if film.jumps else film
