"""A moment of a live machine, for whoever draws it: places of bodies, hands, and values of channels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .document import Document
    from .engine import Engine

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """What can be known of a machine between two frames, at no cost."""

    n: int
    t: float
    playing: bool
    target_speed: float
    actual_speed: float
    version: int  # of the document
    sentence: str  # why it stands, if it failed


@dataclass(frozen=True)
class Held:
    """A hand: the point that it holds, where that is, where it shall be, and the force that pulls it.

    One that turns has the torque in place of the force, and its target is where it is.
    """

    number: int
    point: str
    turns: bool
    at: Array
    target: Array
    force: Array
    power: float


@dataclass(frozen=True)
class Look:
    """Bodies in their order: places of origins, (bodies, dim), and angles or quaternions, (bodies, 1 or 4)."""

    frame: Frame
    structure: object  # another one where what runs was changed
    document: Document  # not a copy
    size: float  # of the machine, m
    end: float  # s, of this branch
    places: Array
    attitudes: Array
    centre: Array  # of all masses
    hands: tuple[Held, ...]
    values: Mapping[str, float]


def look(engine: Engine, frame: Frame, channels: Sequence[str]) -> Look:
    """Channels that are not there have no value: nan."""
    structure = engine.structure
    session = structure.session
    state: Mapping[str, Any] = session.state()
    dim, names = session.blueprint.dim, [body.name for body in session.blueprint.bodies]
    places = np.array([state[name].position for name in names]).reshape(-1, dim)
    width = 1 if dim == 2 else 4
    attitudes = np.array([state[name].attitude for name in names], dtype=float).reshape(-1, width)
    return Look(
        frame,
        session,
        structure.document,
        session.prepared.model.size,
        float(engine.timeline.marks[-1].structure.grid.at(engine.timeline.end)),
        places,
        attitudes,
        _centre(session.prepared.model.body_data, places, attitudes),
        tuple(_hands(engine, frame.playing)),
        {name: _value(session, name) for name in channels},
    )


def rotations(attitudes: Array) -> Array:
    """Axes of bodies as columns, (bodies, dim, dim), of angles or quaternions."""
    if attitudes.shape[1] == 1:
        c, s = np.cos(attitudes[:, 0]), np.sin(attitudes[:, 0])
        return np.array([[c, -s], [s, c]]).transpose(2, 0, 1)
    w, x, y, z = (attitudes / np.linalg.norm(attitudes, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)


def _centre(bodies: Sequence[Any], places: Array, attitudes: Array) -> Array:
    mass = np.array([body.mass for body in bodies])
    if not mass.sum() > 0:
        return np.full(places.shape[1], math.nan)
    arms = np.array([body.centre for body in bodies])
    return np.asarray(mass @ (places + np.einsum("bij,bj->bi", rotations(attitudes), arms)) / mass.sum())


def _hands(engine: Engine, playing: bool) -> list[Held]:
    grips, found = engine.structure.grips, []
    if not grips:
        return []
    session = engine.structure.session
    places = engine.structure.hold.places(session.y)
    dim = engine.structure.hold.dim
    for grip, at in zip(grips, places, strict=True):
        target = np.array(grip.target[0]) if playing and grip.target and not grip.turned_from else at
        force = [_value(session, f"{grip.name}.f{c}") if playing else 0.0 for c in "xyz"[:dim]]
        power = _value(session, f"{grip.name}.power") if playing else 0.0
        found.append(Held(grip.number, str(grip.port), bool(grip.turned_from), at, target, np.array(force), power))
    return found


def _value(session: Any, name: str) -> float:
    try:
        return float(session[name])
    except (KeyError, ValueError, ArithmeticError):
        return math.nan
