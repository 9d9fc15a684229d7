"""Where an assembly stands: its bodies are described in axes of its own, which are placed like a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...mechanism import rotations as att

Array = npt.NDArray[np.float64]
ATTITUDES = ("angle", "quaternion", "bryan", "euler", "matrix")


@dataclass(frozen=True)
class Placement:
    """Axes of an assembly in fixed axes: origin p, matrix R to fixed axes, and how they move at the start."""

    p: Array
    R: Array
    angle: float = 0.0  # in the plane, with its turns
    velocity: Array | None = None
    spin: Array | None = None  # one component in the plane

    @property
    def dim(self) -> int:
        return len(self.p)

    def place(self, at: Any) -> tuple[float, ...]:
        """A place of the assembly in fixed axes."""
        return tuple(float(x) for x in self.p + self.R @ np.asarray(at, dtype=float))

    def direction(self, axis: Any) -> tuple[float, ...]:
        return tuple(float(x) for x in self.R @ np.asarray(axis, dtype=float))

    def after(self, inner: Placement) -> Placement:
        """Of an assembly that stands in the axes of this one."""
        arm = self.R @ inner.p
        velocity, spin = _sum(self.velocity, inner.velocity, self.R), _sum(self.spin, inner.spin, self._turn)
        if self.spin is not None:
            velocity = (np.zeros(self.dim) if velocity is None else velocity) + self._swung(arm)
        return Placement(self.p + arm, self.R @ inner.R, self.angle + inner.angle, velocity, spin)

    @property
    def _turn(self) -> Array:
        return np.eye(1) if self.dim == 2 else self.R

    def _swung(self, arm: Array) -> Array:
        """Velocity of a place by the spin of the whole."""
        if self.spin is None:
            return np.zeros(self.dim)
        if self.dim == 2:
            return float(self.spin[0]) * np.array([-arm[1], arm[0]])
        return np.cross(self.spin, arm)

    def body(self, values: dict[str, Any]) -> dict[str, Any]:
        """What is written of a body, in fixed axes; what is left out stays so, unless the whole moves."""
        found = dict(values)
        position = values.get("position")
        if position is not None:
            found["position"] = self.place(position)
        if values.get("velocity") is not None or (self.velocity is not None and position is not None):
            own = np.asarray(values.get("velocity") or np.zeros(self.dim), dtype=float)
            moved = np.zeros(self.dim) if self.velocity is None else self.velocity
            arm = self.R @ np.asarray(position if position is not None else np.zeros(self.dim), dtype=float)
            found["velocity"] = tuple(float(x) for x in self.R @ own + moved + self._swung(arm))
        self._turned(values, found)
        return found

    def _turned(self, values: dict[str, Any], found: dict[str, Any]) -> None:
        written = next((key for key in ATTITUDES if values.get(key) is not None), None)
        if self.dim == 2:
            if written == "angle":
                found["angle"] = values["angle"] + self.angle
            if self.spin is not None and (written or values.get("spin") is not None):
                found["spin"] = (values.get("spin") or 0.0) + float(self.spin[0])
            return
        own = None if written is None else matrix_of(written, values[written])
        if own is not None and written is not None:
            del found[written]
            found["quaternion"] = tuple(float(x) for x in att.quaternion_from_matrix(self.R @ own))
        spin = values.get("spin")
        if spin is not None or (self.spin is not None and written and values.get("spin_body") is None):
            whole = np.zeros(3) if self.spin is None else self.spin
            found["spin"] = tuple(float(x) for x in self.R @ np.asarray(spin or np.zeros(3), dtype=float) + whole)

    def port(self, spec: dict[str, Any]) -> dict[str, Any]:
        """A point of the ground."""
        found = dict(spec)
        found["at"] = self.place(spec["at"])
        if self.dim == 2:
            found["angle"] = (spec.get("angle") or 0.0) + self.angle
            return found
        axes = {key: self.direction(spec[key]) for key in ("x", "z", "axis") if spec.get(key) is not None}
        return found | (axes or {"x": self.direction((1.0, 0.0, 0.0)), "z": self.direction((0.0, 0.0, 1.0))})


def _sum(outer: Array | None, inner: Array | None, turn: Array) -> Array | None:
    if inner is None:
        return outer
    return turn @ inner if outer is None else outer + turn @ inner


def placed(dim: int, values: dict[str, Any]) -> Placement | None:
    """The placement that is written with the keys of a body; None where nothing is."""
    if not values:
        return None
    position = np.asarray(values.get("position") or np.zeros(dim), dtype=float)
    angle = float(values.get("angle") or 0.0)
    R = att.matrix_from_angle(angle) if dim == 2 else np.eye(3)
    written = next((key for key in ATTITUDES if values.get(key) is not None), None)
    if dim == 3 and written is not None and (turn := matrix_of(written, values[written])) is not None:
        R = turn
    velocity, spin = values.get("velocity"), values.get("spin")
    return Placement(
        position,
        R,
        angle,
        None if velocity is None else np.asarray(velocity, dtype=float),
        None if spin is None else np.atleast_1d(np.asarray(spin, dtype=float)),
    )


def matrix_of(key: str, value: Any) -> Array | None:
    """An attitude in space as a matrix; None where it is none, which the builder tells."""
    try:
        if key == "quaternion":
            q = np.asarray(value, dtype=float)
            return att.matrix_from_quaternion(q / np.linalg.norm(q)) if np.linalg.norm(q) > 0 else None
        if key == "bryan":
            return att.matrix_from_euler("xyz", value)
        if key == "euler":
            return att.matrix_from_euler(*value)
        R = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None
    return R if R.shape == (3, 3) and np.allclose(R.T @ R, np.eye(3), atol=1e-6) else None
