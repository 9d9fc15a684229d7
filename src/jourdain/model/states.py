"""States into a model, from names to y = [q | v | z]. The way back is engine/body_states.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from ..mechanism.arguments import uncalled
from ..mechanism.errors import ChoiceError
from ..mechanism.frozen import Frozen
from ..mechanism.parts import GROUND, Blueprint
from ..mechanism.port_axes import joint_axes
from ..mechanism.rotations import matrix_from_angle, matrix_from_quaternion, quaternion_from_matrix, swung
from .flat import FlatModel
from .layout import WORKS

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BodyState:
    """Pose and motion of one body's origin: angle and spin are numbers in the plane; quaternion and vector in space."""

    position: tuple[float, ...]
    attitude: Any
    velocity: tuple[float, ...]
    spin: Any


class State(Frozen[str, Any]):
    """A state by name: BodyState of a body, numbers by state of an element, the unwrapped angle of a joint.

    Every analysis gives it as this, and every analysis starts from it; `found.state` and `found.state()` are the same.
    """

    __slots__ = ()

    def __call__(self) -> State:
        return self

    def __str__(self) -> str:
        return "\n".join(f"{name}: {_said(value)}" for name, value in self.items())

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(_said(value))}</td></tr>" for name, value in self.items()
        )
        return f'<table style="font-size:90%">{rows}</table>'


def _said(value: Any) -> str:
    if isinstance(value, BodyState):
        pairs = (
            ("at", value.position),
            ("attitude", value.attitude),
            ("velocity", value.velocity),
            ("spin", value.spin),
        )
        return ", ".join(f"{word} {_numbers(numbers)}" for word, numbers in pairs)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(inner)}" for name, inner in value.items())
    return _numbers(value)


def _numbers(value: Any) -> str:
    found = [f"{x:.6g}" for x in np.atleast_1d(value)]
    return found[0] if len(found) == 1 else f"({', '.join(found)})"


Given = Mapping[str, Any]  # what stands for a state: the same names, in any mapping
AS_GIVEN = "expected states by name, as state() of a run or a session gives them"


def check_state(blueprint: Blueprint, state: Any) -> None:
    """Refuse what is no state of this mechanism's bodies, elements and joints; other names do no harm."""
    if not isinstance(state, Mapping):
        raise ChoiceError(uncalled("state", state) or f"state is {state!r}; {AS_GIVEN}")
    shapes = ((2,), (), (2,), ()) if blueprint.dim == 2 else ((3,), (4,), (3,), (3,))
    for body in blueprint.bodies:
        found = state.get(body.name)
        if found is None and body.name not in state:
            continue
        if not isinstance(found, BodyState):
            raise ChoiceError(f"state: body '{body.name}' has {found!r}; {AS_GIVEN}")
        for key, shape in zip(("position", "attitude", "velocity", "spin"), shapes, strict=True):
            value = getattr(found, key)
            if not _finite_numbers(value, shape):
                expected = f"{shape[0]} finite numbers" if shape else "a finite number"
                raise ChoiceError(f"state: the {key} of body '{body.name}' is {value!r}; expected {expected}")
    for joint in blueprint.joints:
        if (angle := state.get(joint.name)) is not None and not _finite_numbers(angle, ()):
            raise ChoiceError(f"state: joint '{joint.name}' has {angle!r}; expected its angle, a finite number")
    for element in blueprint.components:
        values = state.get(element.name)
        if values is None:
            continue
        if not isinstance(values, Mapping) or not all(_finite_numbers(v, ()) for v in values.values()):
            raise ChoiceError(
                f"state: element '{element.name}' has {values!r}; expected numbers by the names of states"
            )


def _finite_numbers(value: Any, shape: tuple[int, ...]) -> bool:
    try:
        numbers = np.asarray(value)
        return numbers.dtype.kind in "iuf" and numbers.shape == shape and bool(np.all(np.isfinite(numbers)))
    except ValueError:  # lists of different lengths
        return False


def drawn_state(model: FlatModel) -> dict[str, BodyState]:
    """What the mechanism writes; what it leaves out counts as zero."""
    dim = model.blueprint.dim
    zero = (0.0,) * dim
    upright: Any = 0.0 if dim == 2 else (1.0, 0.0, 0.0, 0.0)
    still: Any = 0.0 if dim == 2 else zero
    return {
        b.name: BodyState(
            b.position or zero,
            upright if b.attitude is None else b.attitude,
            b.velocity or zero,
            still if b.spin is None else b.spin,
        )
        for b in model.blueprint.bodies
    }


def to_vector(model: FlatModel, state: Given) -> Array:
    """y = [q | v | z] of a state, works zero. What the state does not know takes its drawn state."""
    drawn = drawn_state(model)
    bodies = {body.name: state.get(body.name, drawn[body.name]) for body in model.blueprint.bodies}
    attitudes = {name: b.attitude for name, b in bodies.items()}
    matrix = matrix_from_angle if model.blueprint.dim == 2 else matrix_from_quaternion
    frames = {name: matrix(attitude) for name, attitude in attitudes.items()}
    angles = {joint.name: state.get(joint.name) for joint in model.blueprint.joints}
    q, v = model.set.vector(model, bodies, frames, angles)
    frames[GROUND] = np.eye(model.blueprint.dim)
    return np.concatenate([q, v, start_of_z(model, state, frames, attitudes)])


def start_of_z(model: FlatModel, state: Given, frames: dict[str, Array], attitudes: dict[str, Any]) -> Array:
    """States of elements, works zero, turns."""
    states = [state.get(e, {}).get(name, start) for (e, name), start in zip(model.states, model.starts, strict=True)]
    turns = [attitudes[n] if n in attitudes else _angle(model, n, frames, state.get(n)) for n in model.turns]
    return np.array([*states, *[0.0] * len(WORKS), *turns], dtype=float)


def _angle(model: FlatModel, name: str, frames: dict[str, Array], known: float | None) -> float:
    """Angle of a joint from x_i to x_j about z_i: the turn nearest to a known one, else in (-pi, pi]."""
    joint = model.blueprint.joint(name)
    axes = joint_axes(model.blueprint, joint)
    x_j = frames[joint.second.body] @ axes["x_j"]
    x_i, y_i = (frames[joint.first.body] @ axes[a] for a in ("x_i", "y_i"))
    angle = float(np.arctan2(x_j @ y_i, x_j @ x_i))
    return angle if known is None else angle + 2 * np.pi * round((known - angle) / (2 * np.pi))


def body_poses(model: FlatModel, y: Array) -> tuple[Any, ...]:
    """Mass centre, axes, and attitude or None of all bodies at one state, of coordinates of bodies."""
    found: tuple[Any, ...] = model.set.pose_out(model.layout.by_body(y), model.body_data)
    return found


def angle_place(model: FlatModel, body: str) -> int:
    """Where the angle of a body stands in y, of coordinates of bodies that have one."""
    at = model.layout
    return int(at.q_of[at.owners.index(body)].start + model.set.lengths.index(False))


def attitude_from_frames(frames: Array) -> Array:
    """Angles in (-pi, pi], or quaternions with w >= 0, of rotation matrices (..., dim, dim)."""
    if frames.shape[-1] == 2:
        return np.arctan2(frames[..., 1, 0], frames[..., 0, 0])
    flat = frames.reshape(-1, 3, 3)
    return np.array([quaternion_from_matrix(R) for R in flat]).reshape(*frames.shape[:-2], 4)


def moving_vectors(model: FlatModel, state: Given, velocities: Mapping[str, tuple[Array, Array]]) -> Array | None:
    """v of many starts from one pose, by rows of velocity and spin of each body; as `to_vector`, to the bit.

    None where v of a body is not simply the velocity of its mass centre, then its spin.
    """
    if not model.set.twists:
        return None
    parts = []
    for body, data in zip(model.blueprint.bodies, model.body_data, strict=True):
        attitude = state[body.name].attitude
        frame = matrix_from_angle(attitude) if len(body.centre) == 2 else matrix_from_quaternion(attitude)
        velocity, spin = velocities[body.name]
        arm = frame @ data.centre
        parts += [velocity + swung(np.atleast_1d(spin), arm), spin]
    return np.hstack(parts)
