"""Dragging a machine that stands still: assembly with a soft target.

    min |dq|_M^2 + W_t |p(q) - r|^2   on   C(q) = 0,      W_t = 1e3 / lambda_max(W)

dq = X (1/W_t + W)^-1 (r - p), X the motion that unit forces at the points begin. Every iterate is closed on C = 0, and
a step that comes no nearer is halved: without that, targets off the curve that can be reached fail in half of the
steps.
Long ways are cut into pieces, so that the machine keeps its branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..session.editing import Outcome
from .hands import LOCKED, Hold

Array = npt.NDArray[np.float64]

STIFF = 1e3
PIECE = 0.02  # of the machine's size, that a pointer goes at once
MOST_PIECES = 200
ROUNDS, HALVINGS = 12, 10
NEAR = 1e-12  # of the size


def dragged(hold: Hold, t: float, y: Array, aims: Mapping[int, Sequence[float]]) -> tuple[Array, Outcome]:
    """The state nearest to the aims, and what is to be told."""
    p, _ = hold.points(y)
    goal = p.copy()
    for k, grip in enumerate(hold.grips):
        if grip.number in aims:
            goal[k * hold.dim : (k + 1) * hold.dim] = aims[grip.number]
    B = hold.directions()
    size = hold.model.size
    way = float(np.linalg.norm(goal - p))
    pieces = min(MOST_PIECES, max(1, int(np.ceil(way / (PIECE * size)))))
    start = y.copy()
    for k in range(1, pieces + 1):
        target = p + (goal - p) * (k / pieces)
        found, words = _nearer(hold, t, y, target, B, size)
        if found is None:
            return (y if k > 1 else start), Outcome(k > 1, words)
        y = found
    return y, Outcome(True, "")


def _nearer(hold: Hold, t: float, y: Array, target: Array, B: Array, size: float) -> tuple[Array | None, str]:
    for _ in range(ROUNDS):
        p, _v = hold.points(y)
        gap = B.T @ hold.gap(target, p)
        before = float(np.linalg.norm(gap))
        if before <= NEAR * size:
            return y, ""
        found = hold.mobility(t, y)
        if found is None:
            return None, "the machine cannot be evaluated here; let go, and pull another way"
        W, _, X = found
        W = B.T @ W @ B
        largest = float(np.linalg.eigvalsh(W)[-1])
        if not largest > LOCKED * hold.free_mobility(y):
            return None, f"{hold.grips[0].port} cannot move: joints and motions hold it"
        delta = X @ (B @ np.linalg.solve(W + largest / STIFF * np.eye(len(W)), gap))
        nearer, closed = _halved(hold, t, y, delta, target, B, before)
        if nearer is None:
            return (y, "") if closed else (None, "the machine would flip over there, or open: it stays where it is")
        y, after = nearer
        if after > 0.999 * before:
            return y, ""
    return y, ""


def _halved(
    hold: Hold, t: float, y: Array, delta: Array, target: Array, B: Array, before: float
) -> tuple[tuple[Array, float] | None, bool]:
    """A state that is nearer, and how far it is; and whether any of those tried could be closed."""
    closed = False
    for k in range(HALVINGS):
        trial = hold.retract(y, delta * 0.5**k)
        if hold.close(t, trial):
            closed = True
            after = float(np.linalg.norm(B.T @ hold.gap(target, hold.points(trial)[0])))
            if after < before:
                return (trial, after), True
    return None, closed
