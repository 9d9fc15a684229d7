"""A stretch of the past of a live machine: a Solution for each structure that it had, or all of it as one table.

Each sample is looked at as the machine was then, with the numbers and hands of that moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..files.saving import dumps
from ..mechanism.errors import MechanismError
from ..mechanism.parts import Blueprint
from ..results.reload import Reloaded
from ..results.solution import Solution
from ..results.status import Statistics, Status

if TYPE_CHECKING:
    from .engine import Engine
    from .structure import Structure

Array = npt.NDArray[np.float64]

RATES = ("velocity", "angular velocity", "acceleration", "angular acceleration")  # of what stands still: zero
HAND, INNER = "_hand", "_"  # how parts that hands bring are called


class Piece(NamedTuple):
    """As long as one structure lasted."""

    solution: Solution
    blueprint: Blueprint  # of the document, without hands


class _Samples:
    """What is gathered of one structure."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.t: list[float] = []
        self.y: list[Array] = []
        self.out: list[Array] = []

    def take(self) -> None:
        session = self.structure.session
        self.t.append(session.t)
        self.y.append(session.y.copy())
        self.out.append(session.observer.outputs(session.loop.workspace, np.array([session.t]), session.y[None])[0])

    def piece(self, steps: int, notes: Sequence[str] = ()) -> Piece:
        session, t = self.structure.session, np.array(self.t)
        status = Status(True, f"live from t = {t[0]:g} to {t[-1]:g} s", tuple(notes))
        p, counts = session.prepared, Statistics(steps, 0, 0, 0, 0, 0.0)
        samples = t, np.array(self.y), np.array(self.out)
        solution = Solution(p.model, session.choices, *samples, status, counts, p.redundancy, {})
        return Piece(solution, self.structure.document.blueprint)


def pieces_between(engine: Engine, first: int, last: int, every: float) -> list[Piece]:
    """Samples about `every` so many seconds, structure by structure; the engine comes back to where it was."""
    here, failure, found = engine.here, engine.failure, list[_Samples]()
    log, engine.log = engine.log, lambda command: None
    try:
        stride = max(1, round(every / engine.structure.grid.h))
        for _ in engine.visit([*range(first, last, stride), last]):
            structure = engine.structure
            if not found or found[-1].structure.run is not structure.run:
                found.append(_Samples(structure))
            found[-1].take()
        return [samples.piece(round((samples.t[-1] - samples.t[0]) / engine.structure.grid.h)) for samples in found]
    finally:
        engine.go_back_to(here)
        engine.failure, engine.log = failure, log


def last_piece(pieces: Sequence[Piece]) -> Solution:
    """Of several structures the last; its status says so."""
    solution = pieces[-1].solution
    if len(pieces) > 1:
        words = f"the structure changed at t = {solution.t[0]:g} s; what was before is left out"
        solution.status = replace(solution.status, notes=(words,))
    return solution


def joined(pieces: Sequence[Piece], name: str = "live", *, held: bool = False) -> Reloaded:
    """All of it as one table. What was not there has no number; `held`: it stands where it was nearest in time."""
    t = np.concatenate([piece.solution.t for piece in pieces])
    kinds, values = {}, dict[str, Array]()
    at = 0
    for piece in pieces:
        part, end = piece.solution, at + len(piece.solution.t)
        for channel in part.channels:
            if (shown := _shown(channel)) is not None:
                kinds[shown] = part.quantity(channel)
                values.setdefault(shown, np.full(len(t), np.nan))[at:end] = part[channel]
        at = end
    if held:
        values = {key: _held(column, still=kinds[key].name in RATES) for key, column in values.items()}
    last = pieces[-1]
    metadata = {**last.solution.metadata, "mechanism": last.blueprint.name, "complete": True}
    metadata["status"] = f"live from t = {t[0]:g} to {t[-1]:g} s, in {len(pieces)} structures"
    metadata["mechanism_file"] = _text(pieces)
    metadata.pop("summary", None)
    return Reloaded(Path(name), t, values, kinds, metadata)


def _shown(channel: str) -> str | None:
    """The name of a channel for users: those of hands are `@1.fx`; their points have none."""
    if channel.startswith(HAND):
        return f"@{channel.removeprefix(HAND)}"
    return None if any(part.startswith(INNER) for part in channel.split(".")) else channel


def _held(column: Array, still: bool) -> Array:
    if still:
        return np.nan_to_num(column)
    known = np.flatnonzero(np.isfinite(column))
    if not known.size or known.size == len(column):
        return column
    before = np.searchsorted(known, np.arange(len(column)), "right") - 1
    return np.asarray(column[known[np.maximum(before, 0)]])


def _text(pieces: Sequence[Piece]) -> str | None:
    """The mechanism of the end, with all bodies that there ever were."""
    blueprint = pieces[-1].blueprint
    gone = {body.name: body for piece in pieces for body in piece.blueprint.bodies}
    for body in blueprint.bodies:
        gone.pop(body.name, None)
    try:
        return dumps(replace(blueprint, bodies=(*blueprint.bodies, *gone.values())))
    except MechanismError:
        return None
