"""Values of channels over the samples of a run: read where they are kept, else by their formulas (library/channels)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..library.channels import Channel
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Joint
from ..model.places import STATE, place_of
from .body_motion import Motion

if TYPE_CHECKING:
    from .solution import Solution

Array = npt.NDArray[np.float64]


def channel_names(run: Solution) -> list[str]:
    """All channels of a run, in a fixed order."""
    return [channel.name for channel in run.model.channels]


def value(run: Solution, name: str) -> Array:
    """The numbers of one channel, or of one over another: `rocker.spin/crank.spin`."""
    if is_ratio(run, name):
        over, _, under = (part.strip() for part in name.partition("/"))
        return run.ratio(over, under)
    if name == "t":
        return run.t
    channel = run.model.channels.find(name)
    if channel is None:
        raise KeyError(f"no channel '{name}'; {nearest(name, channel_names(run))}")
    return value_of(run, channel, SampleLeaves(run))


def is_ratio(run: Solution, name: str) -> bool:
    """Whether a text is one channel over another."""
    over, slash, under = (part.strip() for part in name.partition("/"))
    return bool(slash) and all(part == "t" or run.model.channels.find(part) is not None for part in (over, under))


def value_of(run: Solution, channel: Channel, leaves: SampleLeaves) -> Array:
    """The numbers of a channel that was found."""
    kept = _kept(run, channel.kept)
    return channel.over(leaves) if kept is None else kept


def _kept(run: Solution, key: tuple[Any, ...] | None) -> Array | None:
    place = place_of(run.model, key)
    if place is None:
        return None
    which, index = place
    return (run.samples if which == STATE else run.outputs)[:, index]


class MotionLeaves:
    """Leaves of channels as arrays over samples of which the motion is known; vectors are (time, component)."""

    def __init__(self, motion: Motion) -> None:
        self._motion = motion

    @property
    def dim(self) -> int:
        return self._motion.model.blueprint.dim

    def point(self, body: str, at: Any, order: int = 0) -> Array:
        return self._motion.at(body, at, order)

    def axis(self, body: str, local: Any, order: int = 0) -> Array:
        return self._motion.direction(body, local, order)

    def spin(self, body: str, order: int = 0) -> Array:
        return self._motion.spin_of(body, order)

    def attitude(self, body: str) -> Array:
        motion = self._motion
        return np.zeros(len(motion.frame)) if body == GROUND else motion.attitude[:, motion.index(body)]

    def wound(self, joint: Joint, angle: Array) -> Array:
        return np.unwrap(angle)

    def wrench(self, joint: str, side: int) -> Array:
        raise NotImplementedError("of a motion alone reactions are not known")

    def kept(self, key: tuple[Any, ...]) -> Array:
        raise NotImplementedError("of a motion alone outputs are not known")


class SampleLeaves(MotionLeaves):
    """The same over the samples of a run, with reactions, energies and turns."""

    def __init__(self, run: Solution) -> None:
        super().__init__(run.motion)
        self._run = run

    def wound(self, joint: Joint, angle: Array) -> Array:
        """Unwrapped; the first value lies in (-pi, pi] unless a motion or the state says otherwise."""
        guess = self._run.turn_guess(joint)
        if guess is None:
            return np.unwrap(angle)
        if self.dim == 2 and joint.name not in self._run.model.turns:
            guess = angle[0] + guess - guess[0]
        return angle + 2 * np.pi * np.round((guess - angle) / (2 * np.pi))

    def wrench(self, joint: str, side: int) -> Array:
        return self._run.outputs[:, self._run.model.outputs.wrench(joint, side)]

    def kept(self, key: tuple[Any, ...]) -> Array:
        found = _kept(self._run, key)
        if found is None:
            raise KeyError(key)
        return found
