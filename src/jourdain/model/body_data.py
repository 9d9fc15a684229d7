"""What coordinate sets need to know of each body, and the small extra inertia that cures singular mass blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.parts import Blueprint, Body
from ..mechanism.reading import drawn_matrix

# The extra inertia, as a part of m l^2: small enough that its iteration converges in a few solves, large enough
# that K stays well conditioned (kernels/core/dynamics.py).
SHIFT = 1e-3
# An inertia below this part of m l^2 counts as zero.
ZERO_INERTIA = 1e-12


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
        return body.inertia
    xx, yy, zz, xy, xz, yz = body.inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def body_data(blueprint: Blueprint, body: Body, size: float) -> BodyData:
    inertia = inertia_matrix(body)
    centre = np.array(body.centre)
    points = np.array([p.at for p in body.ports.values()], dtype=float).reshape(-1, centre.size)
    arms = np.linalg.norm(points - centre, axis=1)
    arm = float(np.max(arms, initial=0.0)) or size
    scale = body.mass * arm**2
    extra: Any
    if blueprint.dim == 2:
        extra = SHIFT * scale if inertia < ZERO_INERTIA * scale else 0.0
    else:
        values, directions = np.linalg.eigh(inertia)
        null = values < ZERO_INERTIA * max(scale, values[-1])
        extra = SHIFT * scale * directions[:, null] @ directions[:, null].T
    return BodyData(body.mass, inertia, extra, centre, points, arm)


def mechanism_size(blueprint: Blueprint) -> tuple[float, float]:
    """The extent of the drawn mechanism about its middle, and its reach from the fixed origin, in metres.

    Joints are closed relative to the extent; rounding of positions goes with the reach.
    """
    places = [np.array(p.at) for p in blueprint.ground.values()]
    arms = [0.0]
    for body in blueprint.bodies:
        origin = np.array(body.position or (0.0,) * blueprint.dim)
        R = drawn_matrix(body)
        places += [origin + R @ np.array(p) for p in (body.centre, *(port.at for port in body.ports.values()))]
        arms += [math.dist(port.at, body.centre) for port in body.ports.values()]
    apart = np.linalg.norm(np.array(places) - np.mean(places, axis=0), axis=1)
    extent = max(*arms, float(np.max(apart)))
    reach = float(np.max(np.linalg.norm(places, axis=1)))
    return (extent if extent > 0 else 1.0), reach
