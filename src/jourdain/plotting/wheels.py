"""Bodies of which only one place is known: what turns about it is drawn as the wheel that has its mass and inertia."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..library.joints import symbol_of
from ..library.joints.joint_kind import ON_RAILS
from ..mechanism.parts import Blueprint, Body, Shape
from .forms import Form, form_of_shapes

Array = npt.NDArray[np.float64]

LEAST, MOST = 0.03, 0.25  # of the mechanism's size: a wheel that is seen, and that does not hide the rest
ROUND = 1e-3  # moments of inertia that differ less than so much of them are the same
THIN = 0.15  # of its radius


def wheel_of(blueprint: Blueprint, body: Body, form: Form, size: float) -> Form | None:
    """A disc, or a ball where it has no axis; None where a body has more places, slides, or is a point of mass."""
    if not form.dots or not body.ports or _slides(blueprint, body.name):
        return None
    moments = _moments(body)
    if not body.mass > 0 or not np.max(moments[0]) > 0:
        return None
    at = tuple(float(x) for x in form.dots[0][0])
    largest = float(np.max(moments[0]))
    ball = len(at) == 3 and largest - float(np.min(moments[0])) < ROUND * largest
    radius = float(np.clip(np.sqrt((2.5 if ball else 2.0) * largest / body.mass), LEAST * size, MOST * size))
    if len(at) == 2:
        shape = Shape("disc", (radius,), at)
    elif ball:
        shape = Shape("sphere", (radius,), at)
    else:
        axis = moments[1][:, int(np.argmax(moments[0]))]
        shape = Shape("disc", (radius, THIN * radius), at, tuple(float(x) for x in axis))
    return form_of_shapes((shape,), len(at))


def _slides(blueprint: Blueprint, name: str) -> bool:
    joints = [j for j in blueprint.joints if name in (j.first.body, j.second.body)]
    return any(symbol_of(j) in ON_RAILS for j in joints)


def _moments(body: Body) -> tuple[Array, Array]:
    """Principal moments of inertia and their axes as columns."""
    given = np.atleast_1d(np.asarray(body.inertia, dtype=float))
    if given.size == 1:
        return given, np.eye(1)
    x, y, z, xy, xz, yz = (*given, 0.0, 0.0, 0.0)[:6]
    found: tuple[Array, Array] = np.linalg.eigh(np.array([[x, xy, xz], [xy, y, yz], [xz, yz, z]]))
    return found
