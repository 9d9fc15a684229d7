"""Figures of a machine besides its channels: shaking about any point, transmission between any links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..library.channels import shaking as inertia
from ..library.channels.transmission import angle, links_at
from ..mechanism.equality import equal_by
from ..mechanism.names import nearest
from ..mechanism.parts import Joint
from .channel_values import SampleLeaves

if TYPE_CHECKING:
    from .solution import Solution

Array = npt.NDArray[np.float64]


@equal_by()
@dataclass(frozen=True)
class Shaking:
    """Force (time, dim) and moment (time, 1 or 3) on the ground, fixed axes; the moment about the point `about`."""

    force: Array
    moment: Array
    about: tuple[float, ...]


def shaking_of(run: Solution, about: Any = None, weight: bool = False) -> Shaking:
    """Shaking force and moment of a run; with `weight`, the weight of all bodies too."""
    blueprint, dim = run.blueprint, run.blueprint.dim
    try:
        point = np.zeros(dim) if about is None else np.array(about, dtype=float)
    except (TypeError, ValueError, OverflowError):
        point = np.zeros(0)
    if point.shape != (dim,) or not np.all(np.isfinite(point)):
        raise ValueError(f"about is {about!r}; expected a point of the ground, {dim} numbers (m)")
    gravity = np.array(blueprint.gravity) if weight else None
    force, moment = inertia.shaking(blueprint, SampleLeaves(run), point, gravity)
    return Shaking(force, moment, tuple(float(x) for x in point))


def transmission(run: Solution, joint: Joint, others: tuple[Joint, Joint] | None = None) -> Array:
    """The transmission angle at a pin, rad: between its two links, or between the rod and the normal of a slide."""
    found = others or links_at(run.blueprint, joint)
    if found is None:
        usable = [j.name for j in run.blueprint.joints if links_at(run.blueprint, j)]
        words = f"joint '{joint.name}' is no pin between two links that each have one other pin or slide"
        raise KeyError(f"{words}; {nearest(joint.name, usable)}")
    return np.asarray(angle(run.blueprint, joint, found)(SampleLeaves(run)))
