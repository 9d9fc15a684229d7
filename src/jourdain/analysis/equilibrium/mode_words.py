"""Small displacements of a whole mechanism in words and by body."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...engine.body_states import from_vector
from ...mechanism.rotations import swung
from ...mechanism.ties import ordered
from ...model.flat import FlatModel
from ...model.states import body_poses

Array = npt.NDArray[np.float64]

MOST_BODIES = 3  # named in one sentence
SMALL = 0.05  # of the largest: what moves less is not named


def by_body(model: FlatModel, y: Array, delta: npt.NDArray) -> dict[str, tuple[npt.NDArray, npt.NDArray]]:
    """Displacement of each body's origin and its rotation, fixed axes, from those of mass centres (real or complex)."""
    dim = model.blueprint.dim
    _, frames, _ = body_poses(model, y)
    moves = model.layout.moves_by_body(delta)
    found = {}
    for b, (body, data) in enumerate(zip(model.blueprint.bodies, model.body_data, strict=True)):
        part = moves[b]
        arm, turn = frames[b] @ data.centre, part[dim:]
        found[body.name] = (part[:dim] - swung(turn, arm), turn)
    return found


def in_words(model: FlatModel, y: Array, delta: Array) -> str:
    """Which bodies a displacement moves most, and how; its own size does not count."""
    parts = by_body(model, y, delta)
    sizes = {
        name: max(float(np.linalg.norm(r)), model.size * float(np.linalg.norm(turn)))
        for name, (r, turn) in parts.items()
    }
    largest = max(sizes.values(), default=0.0)
    if largest == 0.0:
        return "nothing moves"
    shown = ordered((n for n in sizes if sizes[n] > SMALL * largest), key=lambda n: -sizes[n])
    words = [f"{name} {_movement(*parts[name], model.size, largest)}" for name in shown[:MOST_BODIES]]
    more = len(shown) - len(words)
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")


def shares(model: FlatModel, y: Array, delta: Array) -> str:
    """How far each body goes against the one that goes farthest, and whether the same way."""
    parts = by_body(model, y, delta)
    size = {
        name: max(float(np.linalg.norm(r)), model.size * float(np.linalg.norm(t))) for name, (r, t) in parts.items()
    }
    first = ordered(size, key=lambda n: -size[n])[0]
    if size[first] == 0.0:
        return ""
    whole = {name: np.concatenate([r, model.size * np.atleast_1d(turn)]) for name, (r, turn) in parts.items()}
    found = []
    for name in whole:
        share = float(np.linalg.norm(whole[name]) / np.linalg.norm(whole[first]))
        if name != first and share > SMALL:
            found.append(f"{name} {'-' if whole[name] @ whole[first] < 0 else ''}{share:.2g}")
    if found:
        return f"{', '.join(found[:MOST_BODIES])} of {first}"
    r, turn = parts[first]
    return _pole(model, y, first, r, turn) if turn.size == 1 and np.any(turn) else ""


def _pole(model: FlatModel, y: Array, body: str, r: Array, turn: Array) -> str:
    """The point of the plane about which a body turns."""
    x, z = np.asarray(from_vector(model, y)[body].position) + np.array([-r[1], r[0]]) / float(np.ravel(turn)[0])
    return f"about ({x:.3g}, {z:.3g})"


def _movement(r: Array, turn: Array, size: float, largest: float) -> str:
    turning = size * float(np.linalg.norm(turn)) > SMALL * largest
    moving = float(np.linalg.norm(r)) > SMALL * largest
    words = []
    if turning:
        words.append("turns" if turn.size == 1 else f"turns about {direction(turn)}")
    if moving:
        words.append("moves" if turning and turn.size == 1 else f"moves along {direction(r)}")
    return " and ".join(words)


def direction(vector: Array) -> str:
    """An axis by its letter where it is one, otherwise a unit vector."""
    unit = vector / np.linalg.norm(vector)
    k = int(np.argmax(np.abs(unit)))
    if abs(unit[k]) > 0.999:
        return ("-" if unit[k] < 0 else "") + "xyz"[k]
    return "(" + ", ".join(f"{x:.2g}" for x in np.where(np.abs(unit) < 5e-3, 0.0, unit)) + ")"


def travelled(model: FlatModel, old: Array, new: Array) -> tuple[dict[str, float], dict[str, float]]:
    """How far each body moved (m) and turned (rad; less than a turn in space)."""
    before, after = from_vector(model, old), from_vector(model, new)
    frames = [body_poses(model, y)[1] for y in (old, new)]
    moved, turned = {}, {}
    for k, name in enumerate(before):
        moved[name] = float(np.linalg.norm(np.subtract(after[name].position, before[name].position)))
        if model.blueprint.dim == 2:
            turned[name] = abs(after[name].attitude - before[name].attitude)
        else:
            chord = float(np.linalg.norm(frames[1][k] - frames[0][k])) / (2.0 * np.sqrt(2.0))
            turned[name] = 2.0 * float(np.arcsin(min(1.0, chord)))
    return moved, turned
