"""What coordinate sets need to know of each body, and the small extra inertia that cures singular mass blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.parts import Blueprint, Body

# The extra inertia, as a part of m l^2: small enough that its iteration converges in a few solves, large enough
# that K stays well conditioned (kernels/core/dynamics.py).
SHIFT = 1e-3
# An inertia below this part of m l^2 counts as zero.
ZERO_INERTIA = 1e-12
LIGHT = 1e-5  # of the heaviest: where a body is lighter, accelerations are corrected by the constraints


@dataclass(frozen=True)
class BodyData:
    """Mass properties in body axes: inertia about the mass centre, a number (plane) or 3 x 3."""

    mass: float
    inertia: Any
    extra: Any  # E on the null directions of the inertia; zero for ordinary bodies
    centre: npt.NDArray[np.float64]  # from the origin
    points: npt.NDArray[np.float64]  # of all ports, from the origin
    arm: float  # m, how far points are from the mass centre


def inertia_matrix(body: Body) -> Any:
    """The inertia as a number (plane) or a 3 x 3 tensor (space), about the mass centre, body axes."""
    if isinstance(body.inertia, float):
        return float(body.inertia)
    xx, yy, zz, xy, xz, yz = body.inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _own_length(mass: float, inertia: Any) -> float:
    """The largest radius of gyration: what a body without points is measured by."""
    largest = inertia if isinstance(inertia, float) else np.linalg.eigvalsh(inertia)[-1]
    return math.sqrt(max(float(largest), 0.0) / mass) if mass > 0 else 0.0


def body_data(blueprint: Blueprint, body: Body, size: float) -> BodyData:
    inertia = inertia_matrix(body)
    centre = np.array(body.centre)
    points = np.array([p.at for p in body.ports.values()], dtype=float).reshape(-1, centre.size)
    arms = np.linalg.norm(points - centre, axis=1)
    arm = float(np.max(arms, initial=0.0)) or _own_length(body.mass, inertia) or size
    scale = body.mass * arm**2
    extra: Any
    if blueprint.dim == 2:
        extra = SHIFT * scale if inertia < ZERO_INERTIA * scale else 0.0
    else:
        values, directions = np.linalg.eigh(inertia)
        null = values < ZERO_INERTIA * max(scale, values[-1])
        extra = SHIFT * scale * directions[:, null] @ directions[:, null].T
    return BodyData(body.mass, inertia, extra, centre, points, arm)


def differ(bodies: Sequence[BodyData]) -> bool:
    """Whether some body is far lighter than another; its inertia counts as a mass at the arm of its points."""
    masses = [body.mass for body in bodies]
    masses += [np.linalg.eigvalsh(np.atleast_2d(body.inertia + body.extra))[-1] / body.arm**2 for body in bodies]
    return bool(min(masses, default=1.0) < LIGHT * max(masses, default=1.0))
