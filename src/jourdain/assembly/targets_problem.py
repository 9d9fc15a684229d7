"""Joints and targets as one set of equations: closing them, following them as targets move, wishes, velocities.

Priorities are kept by levels: joints and musts hold exactly, wishes are met by least squares in the directions that
remain, and what is still free stays as near as possible to where it was. Steps are the smallest in the scaled metric in
which turning counts with the mechanism's size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..engine.body_states import recounted
from ..engine.pose import RANK_TOLERANCE, Pose, null_space
from .close_joints import MAX_ITERATIONS, damped_newton
from .targets import POSITION, Target, View

Array = npt.NDArray[np.float64]

CLOSED = 1e-10  # of the mechanism's size, or rad: what counts as closed and as met
TURN_STEP = 0.1  # rad, of a target that moves
SLIDE_STEP = 0.05  # of the size, likewise
SMALLEST_STEP = 1e-3  # of those: a target that moves no farther is at the end of its travel
LONGEST_STEP = 0.5  # of the size: longer ones of Newton's method lead anywhere
LARGEST_TURN = 0.8  # of a body in one step, as the norm of the change of its axes
WISH_STEPS = 200


class Problem:
    """The joints of a model at time t and the position targets that must hold."""

    def __init__(self, pose: Pose, t: float, targets: Sequence[Target]) -> None:
        self.pose, self.t, self.model = pose, t, pose.model
        self.targets = list(targets)
        self.musts = [x for x in targets if x.must and x.channel.order == POSITION]
        self.wishes = [x for x in targets if not x.must and x.channel.order == POSITION]
        self.goals = np.array([x.wanted for x in self.musts])
        self._seen: tuple[Array, View] | None = None

    def view(self, y: Array) -> View:
        """The view of a state; the last one is kept, for residual and Jacobian are wanted in turn."""
        if self._seen is None or self._seen[0] is not y:
            self._seen = y, View(self.model, y)
        return self._seen[1]

    def residual(self, y: Array, goals: Array | None = None) -> Array:
        joints = self.pose.residual(self.t, y)
        if not self.musts:
            return joints
        view = self.view(y)
        wanted = self.goals if goals is None else goals
        return np.concatenate([joints, [_gap(x, view, w) for x, w in zip(self.musts, wanted, strict=True)]])

    def jacobian(self, y: Array) -> Array:
        J = self.pose.position_jacobian(self.t, y)
        return np.vstack([J, self.gradients(self.musts, y)]) if self.musts else J

    def gradients(self, targets: Sequence[Target], y: Array) -> Array:
        view = self.view(y)
        return np.array([x.channel.gradient(view) for x in targets]).reshape(len(targets), self.model.nv)

    def values(self, y: Array) -> Array:
        view = self.view(y)
        return np.array([x.channel.value(view) for x in self.musts])

    def open_by(self, residual: Array) -> float:
        """The largest gap against what counts as closed: at most 1 is closed."""
        joints = len(self.model.rows)
        gap = np.max(np.abs(residual[:joints]), initial=0.0) / self.model.size
        for x, r in zip(self.musts, residual[joints:], strict=True):
            gap = max(gap, abs(r) if x.channel.kind == "angle" else abs(r) / self.model.size)
        return float(gap) / CLOSED

    def is_closed(self, y: Array, goals: Array | None = None) -> bool:
        return self.open_by(self.residual(y, goals)) <= 1.0

    # Positions --------------------------------------------------------------------------------------------------------

    def close(self, y: Array, goals: Array | None = None, most: int = MAX_ITERATIONS) -> Array:
        """Damped Newton with truncated least squares; ends where it cannot get nearer."""
        scales, longest = self.pose.scales(), LONGEST_STEP * self.model.size * float(np.sqrt(self.model.bodies))
        found = damped_newton(
            self.pose, y, lambda x: self.residual(x, goals), lambda x: self.jacobian(x) * scales, most, longest
        )
        return recounted(self.model, found, found) if self.model.turns else found

    def relax(self, y: Array, most: int = 10 * MAX_ITERATIONS) -> Array:
        """The pose nearby with the smallest gaps, where they cannot vanish (Levenberg and Marquardt)."""
        scales = self.pose.scales()
        residual, damping = self.residual(y), 1e-3
        for _ in range(most):
            J = self.jacobian(y) * scales
            step = -np.linalg.solve(J.T @ J + damping * np.eye(J.shape[1]), J.T @ residual)
            if np.linalg.norm(step) <= 1e-9 * self.model.size or damping > 1e6:
                break
            trial = self.pose.retract(y, scales * step)
            new = self.residual(trial)
            if np.linalg.norm(new) < np.linalg.norm(residual):
                y, residual, damping = trial, new, damping / 3
            else:
                damping *= 4
        return y

    def follow(self, y: Array) -> tuple[Array, bool]:
        """Move the musts from where they are at the closed state y to where they should be, on the branch of y.

        Returns the last closed state, and whether it is the end.
        """
        here = self.values(y)
        way = np.array([-_gap_of(x, v, w) for x, v, w in zip(self.musts, here, self.goals, strict=True)])
        lengths = [
            abs(w) / (TURN_STEP if x.channel.kind == "angle" else SLIDE_STEP * self.model.size)
            for x, w in zip(self.musts, way, strict=True)
        ]
        longest = 1.0 / max(1.0, np.ceil(max(lengths, default=0.0)))
        done, step = 0.0, longest
        while done < 1.0:
            step = min(step, 1.0 - done)
            goals = here + (done + step) * way
            trial = self.close(y, goals)
            if self.is_closed(trial, goals) and self._near(y, trial):
                y, done, step = trial, done + step, min(longest, 2 * step)
            else:
                step /= 2
                if step < SMALLEST_STEP * longest:
                    return y, False
        return y, True

    def _near(self, old: Array, new: Array) -> bool:
        """A jump to another branch is no step: no body may turn by more than some 35 degrees."""
        a, b = View(self.model, old), View(self.model, new)
        return bool(np.max(np.linalg.norm(b.frame - a.frame, axis=(1, 2)), initial=0.0) <= LARGEST_TURN)

    def wish(self, y: Array) -> Array:
        """Meet the wishes by least squares, with joints and musts closed all the way (Levenberg and Marquardt)."""
        if not self.wishes:
            return y
        scales, size = self.pose.scales(), self.model.size
        weights = np.array([size if x.channel.kind == "angle" else 1.0 for x in self.wishes])
        r, damping = self._short(y), 1e-6
        for _ in range(WISH_STEPS):
            free = null_space(self.jacobian(y) * scales)
            if np.max(np.abs(r)) <= 1e-13 * size or free.shape[1] == 0:
                break
            G = weights[:, None] * (self.gradients(self.wishes, y) * scales) @ free
            if np.linalg.norm(G.T @ r) <= 1e-11 * size * max(1.0, float(np.linalg.norm(G))):
                break
            z = -np.linalg.lstsq(
                np.vstack([G, np.sqrt(damping) * np.eye(free.shape[1])]),
                np.concatenate([r, np.zeros(free.shape[1])]),
                rcond=None,
            )[0]
            z *= min(1.0, 0.1 * size / max(float(np.linalg.norm(z)), 1e-300))
            trial = self.close(self.pose.retract(y, scales * (free @ z)))
            new = self._short(trial)
            if self.is_closed(trial) and np.linalg.norm(new) < np.linalg.norm(r):
                y, r, damping = trial, new, max(damping / 5, 1e-12)
            else:
                damping *= 10
                if damping > 1e6:
                    break
        return y

    def _short(self, y: Array) -> Array:
        """By how much each wish is missed, in metres: angles count with the size."""
        view, size = self.view(y), self.model.size
        return np.array([_gap(x, view, x.wanted) * (size if x.channel.kind == "angle" else 1.0) for x in self.wishes])

    def missed(self, y: Array) -> float:
        """By how much the wishes are missed together."""
        return float(np.linalg.norm(self._short(y)))

    # Velocities -------------------------------------------------------------------------------------------------------

    def move(self, y: Array) -> Array:
        """Velocities: joints first, then musts, then wishes; what remains is nearest to the velocities of y."""
        model, scales = self.model, self.pose.scales()
        part = model.layout.v
        y = y.copy()
        J = self.pose.jacobian(self.t, y) * scales
        u = y[part] / scales
        u -= np.linalg.lstsq(J, self.pose.rate(self.t, y), rcond=RANK_TOLERANCE)[0]
        free = null_space(J)
        for must in (True, False):
            targets = [x for x in self.targets if x.channel.order != POSITION and x.must == must]
            if targets and free.shape[1]:
                G = self.gradients(targets, y) * scales
                wanted = np.array([x.wanted for x in targets])
                u += free @ np.linalg.lstsq(G @ free, wanted - G @ u, rcond=RANK_TOLERANCE)[0]
                free = free @ null_space(G @ free)
        y[part] = scales * u
        return y


def _gap(target: Target, view: View, wanted: float) -> float:
    return target.channel.short_of(target.channel.value(view), wanted)


def _gap_of(target: Target, value: float, wanted: float) -> float:
    return target.channel.short_of(value, wanted)
