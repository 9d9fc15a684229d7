"""The catalogue of joints: each is a list of scalar products and the signs that must also hold.

Newton's method converges happily to a flipped revolute or a half-turned weld; the sign conditions (a.b > 0) are
checked after assembly and after projections. `MN` stands for N - M, from the first port to the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..equations.lowered import Equation
from ..equations.parse import equation
from ..equations.vectors import Scalar, Vector, dot, e_x, e_y, e_z, symbol, x_i, x_j, y_i, y_j, z_i, z_j
from . import rolling

MN = symbol("MN")
Pair = tuple[str, str]


class JointError(ValueError):
    """Why there are no rows for a joint, and the key that is to blame."""

    def __init__(self, key: str, words: str) -> None:
        self.key = key
        super().__init__(words)


@dataclass(frozen=True)
class Entry:
    """A joint type: equations with the words for their axes, and the sign conditions."""

    equations: tuple[Scalar, ...]
    meanings: tuple[str, ...]
    signs: tuple[Pair, ...] = ()
    formulas: tuple[Equation, ...] = ()  # rows that are no sums of scalar products


def _entry(rows: list[tuple[Any, str]], *signs: Pair) -> Entry:
    return Entry(tuple(row for row, _ in rows), tuple(words for _, words in rows), signs)


def _point(axes: tuple[Vector, ...]) -> list[tuple[Any, str]]:
    return [(dot(MN, e), f"translation along fixed {name}") for e, name in zip(axes, "xyz", strict=False)]


_PIN_2 = _point((e_x, e_y))
_PIN_3 = _point((e_x, e_y, e_z))
_TILT = [(dot(z_i, x_j), "rotation about y_j"), (dot(z_i, y_j), "rotation about x_j")]
_LINE = [(dot(MN, x_i), "translation along x_i"), (dot(MN, y_i), "translation along y_i")]
_TURN = (dot(x_i, y_j), "rotation about z_i")
_DIRECTION = ("z_i", "z_j")
_ALIGNED = ("x_i", "x_j")

PLANAR: dict[str, Entry] = {
    "revolute": _entry(_PIN_2),
    "prismatic": _entry([(dot(MN, y_i), "translation along y_i"), (dot(x_j, y_i), "rotation")], _ALIGNED),
    "weld": _entry([*_PIN_2, (dot(x_i, y_j), "rotation")], _ALIGNED),
    "point-on-line": _entry([(dot(MN, y_i), "translation along y_i")]),
    "parallel": _entry([(dot(x_i, y_j), "rotation")], _ALIGNED),
    "perpendicular": _entry([(dot(x_i, x_j), "rotation")]),
}

SPATIAL: dict[str, Entry] = {
    "spherical": _entry(_PIN_3),
    "revolute": _entry([*_PIN_3, *_TILT], _DIRECTION),
    "universal": _entry([*_PIN_3, (dot(z_i, z_j), "rotation about z_i x z_j")]),
    "cylindrical": _entry([*_TILT, *_LINE], _DIRECTION),
    "prismatic": _entry([*_TILT, *_LINE, _TURN], _DIRECTION, _ALIGNED),
    "planar": _entry([*_TILT, (dot(MN, z_i), "translation along z_i")], _DIRECTION),
    "weld": _entry(
        [
            *_PIN_3,
            _TURN,
            (dot(y_i, z_j), "rotation about x_i"),
            (dot(z_i, x_j), "rotation about y_i"),
        ],
        _ALIGNED,
        ("y_i", "y_j"),
        _DIRECTION,
    ),
    "point-on-line": _entry(_LINE),
    "point-in-plane": _entry([(dot(MN, z_i), "translation along z_i")]),
    "parallel": _entry(_TILT, _DIRECTION),
    "perpendicular": _entry([(dot(z_i, z_j), "rotation about z_i x z_j")]),
}

# What to use instead, where a joint of space makes no sense in the plane.
PLANAR_ALTERNATIVE = {
    "spherical": "revolute",
    "universal": "revolute",
    "cylindrical": "prismatic",
    "planar": "no joint at all",
    "point-in-plane": "point-on-line",
}

# Types with formulas for rows, and the key each needs.
ROLLING = {"knife-edge": None, "wheel": None, "rolling-disc": "radius", "screw": "pitch"}
TYPES = frozenset({*SPATIAL, "distance", "custom", *ROLLING})


def entry(
    joint_type: str,
    dim: int,
    length: float | None,
    custom: tuple[Any, ...],
    values: Mapping[str, Any] | None = None,
    name: str = "",
) -> Entry:
    """The rows of a joint. Raises JointError with a sentence where there are none."""
    if joint_type in ROLLING:
        return _rolling(joint_type, dim, values or {}, name)
    if joint_type == "custom":
        return _custom(custom, dim)
    if joint_type == "distance":
        if length is None:
            raise JointError("length", "a distance joint needs a length")
        # Divided by 2 L so that the multiplier is the force in the rod, in newtons.
        row = (dot(MN, MN) - length * length) / (2.0 * length)
        return _entry([(row, "distance")])
    table = PLANAR if dim == 2 else SPATIAL
    if joint_type in table:
        return table[joint_type]
    if dim == 2 and joint_type in PLANAR_ALTERNATIVE:
        raise JointError(
            "type",
            f"there is no {joint_type} joint in the plane; use {PLANAR_ALTERNATIVE[joint_type]}, "
            "or make the mechanism spatial",
        )
    raise JointError("type", f"unknown joint type '{joint_type}'; known: {', '.join(sorted(TYPES))}")


def _custom(sources: tuple[Any, ...], dim: int) -> Entry:
    if not sources:
        raise JointError("equations", "a custom joint needs equations, such as ['dot(N - M, y_i)']")
    rows = []
    for k, source in enumerate(sources):
        try:
            scalar = equation(source)
        except (ValueError, TypeError, RecursionError) as error:
            raise JointError(f"equations.{k}", str(error)) from None
        used = {name for pair in scalar.products for name in pair}
        if dim == 2 and (bad := sorted(n for n in used if n.startswith("z_") or n == "e_z")):
            raise JointError(f"equations.{k}", f"equation {k + 1} uses {', '.join(bad)}, which the plane does not have")
        rows.append((scalar, f"equation {k + 1}"))
    return _entry(rows)


def known_type(sources: tuple[Any, ...], dim: int) -> str | None:
    """The joint that these equations of a user's own are, written out in any order; None where it is none of ours."""
    try:
        rows = _custom(sources, dim).equations
    except (ValueError, TypeError, RecursionError):
        return None  # told where the mechanism is checked
    for name, known in (PLANAR if dim == 2 else SPATIAL).items():
        same = len(known.equations) == len(rows) and all(row in known.equations for row in rows)
        if same and all(row in rows for row in known.equations):
            return name
    return None


def _rolling(joint_type: str, dim: int, values: Mapping[str, Any], name: str) -> Entry:
    key = ROLLING[joint_type]
    if key is None:
        return Entry((), (), formulas=rolling.knife_edge(dim) if joint_type == "knife-edge" else rolling.wheel(dim))
    value = values.get(key)
    if not isinstance(value, int | float) or not 0 < abs(value) < float("inf") or (key == "radius" and value <= 0):
        expected = "a positive number" if key == "radius" else "metres a turn, not zero"
        raise JointError(key, f"{key} is {value!r}; expected {expected}")
    if joint_type == "rolling-disc":
        return Entry((), (), formulas=rolling.rolling_disc(dim, float(value)))
    if dim == 2:
        raise JointError(
            "type", "there is no screw joint in the plane; couple a revolute and a prismatic joint instead"
        )
    return replace(SPATIAL["cylindrical"], formulas=rolling.screw(name, float(value)))
