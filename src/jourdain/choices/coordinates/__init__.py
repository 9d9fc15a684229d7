"""The first free choice: what q and v mean. One file for each set; this is the list of those that have a name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...mechanism.errors import ChoiceError
from ...mechanism.names import nearest
from ...mechanism.parts import PLANAR, SPATIAL
from .angle import Angle
from .coordinate_set import Coordinates
from .euler import Euler, euler_sets
from .euler_parameters import EulerParameters
from .natural import Natural
from .points import Points
from .quaternion import Quaternion
from .relative import Relative

__all__ = [
    "COORDINATES",
    "DEFAULT_COORDINATES",
    "Angle",
    "Coordinates",
    "Euler",
    "EulerParameters",
    "Natural",
    "Points",
    "Quaternion",
    "Relative",
    "coordinates_of",
]

COORDINATES: dict[str, dict[str, Coordinates]] = {
    PLANAR: {
        one.name: one
        for one in (
            Angle(space=PLANAR),
            EulerParameters(space=PLANAR),
            Natural(space=PLANAR),
            Points(space=PLANAR),
            Relative(space=PLANAR),
        )
    },
    SPATIAL: {
        one.name: one
        for one in (
            Quaternion(space=SPATIAL),
            EulerParameters(space=SPATIAL),
            Natural(space=SPATIAL),
            Relative(space=SPATIAL),
            *euler_sets(),
        )
    },
}
DEFAULT_COORDINATES = {PLANAR: "angle", SPATIAL: "quaternion"}


def coordinates_of(space: str, written: Any) -> Coordinates:
    """The coordinate set of a name, or an object, in a space; None is the default. Raises ChoiceError."""
    known = COORDINATES[space]
    if written is None:
        return known[DEFAULT_COORDINATES[space]]
    if isinstance(written, str) and written in known:
        return known[written]
    if isinstance(written, Coordinates):
        if words := written.wrong():
            raise ChoiceError(words, "coordinates")
        if space in written.per_body:
            return written if written.space == space else replace(written, space=space)
    elif not isinstance(written, str):
        raise ChoiceError(f"coordinates is {written!r}; expected a name: {', '.join(known)}", "coordinates")
    other = SPATIAL if space == PLANAR else PLANAR
    if isinstance(written, Coordinates) or written in COORDINATES[other]:
        words = f"coordinates '{written}' are {other}, the mechanism is {space}"
        raise ChoiceError(f"{words}; use '{DEFAULT_COORDINATES[space]}'", "coordinates")
    raise ChoiceError(f"unknown coordinates '{written}'; {nearest(written, known)}", "coordinates")
